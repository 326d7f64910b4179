/*
 * types.h - C types in DWARF debug information: by name, with size and members.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_TYPES_H
#define MQD_DUMP_COLLECT_TARGET_TYPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "include/mpi_interface.h"

/* What a debug DLL holds as a type: the entry of a complete type or of a typedef that leads to one. */
struct mqs_type_ {
    Dwarf_Die die;
};

/* The named types of one file, indexed as far as somebody has asked. */
struct types;

/* `dwarf` stays the caller's and must outlive the result. */
struct types *types_open(Dwarf *dwarf);
void types_close(struct types *types);

/*
 * The complete type of that name: a typedef if there is one, else a struct, union, enumeration or base type; only the
 * latter with `tags_only`. NULL if there is none; *declared is then the tag that a typedef of that name leads to, if it
 * is only declared here, and untouched otherwise. Results live as long as `types`.
 */
mqs_type *types_find(struct types *types, const char *name, bool tags_only, const char **declared);

/* Size in bytes, -1 if the debug information does not say. */
int type_size(mqs_type *type);

/*
 * Where a member starts in a struct or union, in bytes; members of unnamed structs and unions inside it count. -1 if
 * there is no such member, it is a bit field, or the place is not constant.
 */
int type_member_offset(mqs_type *type, const char *member);

#endif
