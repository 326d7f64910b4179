/*
 * types.c - C types in DWARF debug information.
 *
 * Units are read in their order, and only until the type that is asked for has been found: for most questions the first
 * few units of a library are enough.
 */
#include "mqd/dump/collect/target/types.h"

#include <dwarf.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/hash.h"
#include "mqd/dump/base/memory.h"

/* A bound for chains of qualifiers and typedefs, and for nested unnamed members. Real programs have a few. */
enum { MAX_DEPTH = 32 };

struct types {
    Dwarf *dwarf;                  /* the one that is being read: the file's, then the one that it shares with others */
    bool supplementary;            /* the shared one is being read */
    Dwarf_CU *unit;                /* the last one that was read; NULL: none yet */
    bool complete;                 /* all have been read */
    struct mqs_type_ **found;
    size_t n_found, found_room;
    struct name_index typedefs, tags; /* to positions in `found` */
};

struct types *types_open(Dwarf *dwarf)
{
    struct types *types = allocate_array(1, sizeof *types);

    types->dwarf = dwarf;
    return types;
}

void types_close(struct types *types)
{
    if (types == NULL)
        return;
    for (size_t i = 0; i < types->n_found; i++)
        free(types->found[i]);
    free(types->found);
    name_index_clear(&types->typedefs);
    name_index_clear(&types->tags);
    free(types);
}

static struct name_index *index_for(struct types *types, Dwarf_Die *die)
{
    switch (dwarf_tag(die)) {
    case DW_TAG_typedef:
        return &types->typedefs;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
    case DW_TAG_enumeration_type:
    case DW_TAG_base_type:
        return dwarf_hasattr(die, DW_AT_declaration) ? NULL : &types->tags;
    default:
        return NULL;
    }
}

static void index_entry(struct types *types, Dwarf_Die *die)
{
    struct name_index *index = index_for(types, die);
    const char *name = index != NULL ? dwarf_diename(die) : NULL;

    if (name == NULL || types->n_found == UINT32_MAX || !name_index_add(index, name, (uint32_t)types->n_found))
        return;
    types->found = grow_array(types->found, types->n_found, &types->found_room, sizeof(struct mqs_type_ *));
    types->found[types->n_found] = allocate_array(1, sizeof(struct mqs_type_));
    types->found[types->n_found++]->die = *die;
}

static void index_unit(struct types *types, Dwarf_Die *unit)
{
    Dwarf_Die die;

    if (dwarf_child(unit, &die) != 0)
        return;
    do
        index_entry(types, &die);
    while (dwarf_siblingof(&die, &die) == 0);
}

/* dwz moves debug information that several files have in common to a file of its own. */
static bool turn_to_supplementary(struct types *types)
{
    Dwarf *shared = types->supplementary ? NULL : dwarf_getalt(types->dwarf);

    if (shared == NULL)
        return false;
    types->dwarf = shared;
    types->supplementary = true;
    types->unit = NULL;
    return true;
}

/* Reads one unit more; false if there is none. */
static bool index_more(struct types *types)
{
    Dwarf_Die unit, split;
    uint8_t kind;

    if (types->complete)
        return false;
    if (dwarf_get_units(types->dwarf, types->unit, &types->unit, NULL, &kind, &unit, &split) != 0) {
        types->complete = !turn_to_supplementary(types);
        return !types->complete;
    }
    index_unit(types, kind == DW_UT_skeleton && split.addr != NULL ? &split : &unit);
    return true;
}

/* Puts the type of a typedef, without qualifiers and further typedefs, into *peeled; false if there is none (void). */
static bool peel(const Dwarf_Die *type, Dwarf_Die *peeled)
{
    *peeled = *type;
    for (int depth = 0; depth < MAX_DEPTH; depth++) {
        Dwarf_Attribute attribute;

        switch (dwarf_tag(peeled)) {
        case DW_TAG_typedef:
        case DW_TAG_const_type:
        case DW_TAG_volatile_type:
        case DW_TAG_restrict_type:
        case DW_TAG_atomic_type:
            if (dwarf_formref_die(dwarf_attr_integrate(peeled, DW_AT_type, &attribute), peeled) == NULL)
                return false;
            break;
        default:
            return true;
        }
    }
    return false;
}

static mqs_type *lookup(const struct types *types, const struct name_index *index, const char *name)
{
    uint32_t position;

    return name_index_find(index, name, &position) ? types->found[position] : NULL;
}

mqs_type *types_find(struct types *types, const char *name, bool tags_only, const char **declared)
{
    const char *tag = NULL;

    do {
        mqs_type *alias = tags_only ? NULL : lookup(types, &types->typedefs, name);
        mqs_type *type = lookup(types, &types->tags, tag != NULL ? tag : name);
        Dwarf_Die target;

        if (alias != NULL && tag == NULL && peel(&alias->die, &target)) {
            if (!dwarf_hasattr(&target, DW_AT_declaration))
                return alias;
            tag = dwarf_diename(&target);
            type = tag != NULL ? lookup(types, &types->tags, tag) : NULL;
        }
        if (type != NULL)
            return type;
    } while (index_more(types));
    if (tag != NULL)
        *declared = tag;
    return NULL;
}

int type_size(mqs_type *type)
{
    Dwarf_Die target;
    Dwarf_Word size;

    if (!peel(&type->die, &target) || dwarf_aggregate_size(&target, &size) != 0 || size > INT_MAX)
        return -1;
    return (int)size;
}

/* A member without a location is at the start: compilers write no locations in unions. */
static int location_of(Dwarf_Die *member)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *operations;
    Dwarf_Word offset;
    size_t n_operations;

    if (dwarf_hasattr(member, DW_AT_bit_size) || dwarf_hasattr(member, DW_AT_data_bit_offset))
        return -1;
    if (dwarf_attr(member, DW_AT_data_member_location, &attribute) == NULL)
        return 0;
    if (dwarf_formudata(&attribute, &offset) != 0) {
        if (dwarf_getlocation(&attribute, &operations, &n_operations) != 0 || n_operations != 1 ||
            operations[0].atom != DW_OP_plus_uconst)
            return -1;
        offset = operations[0].number;
    }
    return offset <= INT_MAX ? (int)offset : -1;
}

static int member_offset(const Dwarf_Die *type, const char *name, int depth);

/* The offset of `name` if it is this member or, for a member without a name, inside it. */
static int offset_through(Dwarf_Die *member, const char *name, int depth)
{
    const char *member_name = dwarf_diename(member);
    Dwarf_Attribute attribute;
    Dwarf_Die inner;
    int outer_offset, inner_offset;

    if (member_name != NULL)
        return strcmp(member_name, name) == 0 ? location_of(member) : -1;
    if (dwarf_formref_die(dwarf_attr_integrate(member, DW_AT_type, &attribute), &inner) == NULL)
        return -1;
    outer_offset = location_of(member);
    inner_offset = member_offset(&inner, name, depth + 1);
    if (outer_offset < 0 || inner_offset < 0 || inner_offset > INT_MAX - outer_offset)
        return -1;
    return outer_offset + inner_offset;
}

static int member_offset(const Dwarf_Die *type, const char *name, int depth)
{
    Dwarf_Die target, member;

    if (depth > MAX_DEPTH || !peel(type, &target) || dwarf_child(&target, &member) != 0)
        return -1;
    do {
        int offset = dwarf_tag(&member) == DW_TAG_member ? offset_through(&member, name, depth) : -1;

        if (offset >= 0)
            return offset;
    } while (dwarf_siblingof(&member, &member) == 0);
    return -1;
}

int type_member_offset(mqs_type *type, const char *member)
{
    return member_offset(&type->die, member, 0);
}
