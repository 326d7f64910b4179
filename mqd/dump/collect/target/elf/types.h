/*
 * types.h - C types in DWARF debug information: by name, with size and members.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_TYPES_H
#define MQD_DUMP_COLLECT_TARGET_TYPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "include/mpi_interface.h"
#include "mqd/dump/base/hash.h"

/* The type handle of a debug DLL: the DWARF entry of a complete type or of a typedef that leads to one. */
struct mqs_type_ {
    Dwarf_Die die;
    bool members_read;             /* when one was asked for */
    struct name_index members;     /* to positions in `offsets` */
    int *offsets;
    size_t n_offsets;
};

/* The named types of one file. The index is made on demand. */
struct types;

/*
 * The types in `dwarf`, and in `shared`, what several files have in common (NULL: nothing). The caller still owns both,
 * which must outlive the result. There must be no types in files of their own (split DWARF).
 */
struct types *types_open(Dwarf *dwarf, Dwarf *shared);
void types_close(struct types *types);

/* Makes the whole index now. To find a type takes no reading any more then. */
void types_read_all(struct types *types);

/*
 * Returns the complete type of that name: a typedef if there is one, else a struct, union, enumeration or base type.
 * With `tags_only` typedefs are not considered. Returns NULL if there is no such type. If there is then a typedef of
 * that name whose struct is only declared in this file, *declared is the tag of the struct; otherwise *declared is
 * untouched. Results are valid as long as `types`.
 */
mqs_type *types_find(struct types *types, const char *name, bool tags_only, const char **declared);

/* Size in bytes, -1 if the debug information does not say, as for arrays. */
int type_size(mqs_type *type);

/*
 * Where a member starts in a struct or union, in bytes; members of unnamed structs and unions inside it count. -1 if
 * there is no such member, it is a bit field, the place is not constant, or the type has more members than real ones.
 */
int type_member_offset(mqs_type *type, const char *member);

#endif
