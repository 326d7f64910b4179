/*
 * types.c - C types in DWARF debug information.
 *
 * Units are read in their order, and only until the type that is asked for has been found: for most questions the first
 * few units of a library are enough.
 */
#include "mqd/dump/collect/target/elf/types.h"

#include <dwarf.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/hash.h"
#include "mqd/dump/base/memory.h"

/*
 * Bounds for chains of qualifiers and typedefs, and for nested unnamed members: real programs have a few. And for all
 * members that are looked at to find one: an unnamed member may be of the type that it is in, if somebody writes it so.
 */
enum { MAX_DEPTH = 32, MAX_MEMBERS = 100 * 1000 };

struct types {
    Dwarf *dwarf;                  /* the one that is being read */
    Dwarf *shared;                 /* to be read next; NULL: none */
    Dwarf_CU *unit;                /* the last one that was read; NULL: none yet */
    bool complete;                 /* all have been read */
    struct mqs_type_ **found;
    size_t n_found, found_room;
    struct name_index typedefs, tags; /* to positions in `found` */
};

struct types *types_open(Dwarf *dwarf, Dwarf *shared)
{
    struct types *types = allocate_array(1, sizeof *types);

    types->dwarf = dwarf;
    types->shared = shared;
    return types;
}

void types_close(struct types *types)
{
    if (types == NULL)
        return;
    for (size_t i = 0; i < types->n_found; i++) {
        name_index_clear(&types->found[i]->members);
        FREE_ALL(types->found[i]->offsets, types->found[i]);
    }
    name_index_clear(&types->typedefs);
    name_index_clear(&types->tags);
    FREE_ALL(types->found, types);
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

    if (name == NULL || !name_index_add(index, name, (uint32_t)types->n_found))
        return;
    APPEND(types->found, types->n_found, types->found_room, allocate_array(1, sizeof(struct mqs_type_)));
    types->found[types->n_found - 1]->die = *die;
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
static bool turn_to_shared(struct types *types)
{
    if (types->shared == NULL)
        return false;
    types->dwarf = types->shared;
    types->shared = NULL;
    types->unit = NULL;
    return true;
}

/* Reads one unit more; false if there is none. elfutils is not asked for what is in other files: it would open them. */
static bool index_more(struct types *types)
{
    Dwarf_Die unit;

    if (types->complete)
        return false;
    if (dwarf_get_units(types->dwarf, types->unit, &types->unit, NULL, NULL, &unit, NULL) != 0) {
        types->complete = !turn_to_shared(types);
        return !types->complete;
    }
    index_unit(types, &unit);
    return true;
}

void types_read_all(struct types *types)
{
    while (index_more(types))
        continue;
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

/* elfutils' own function for sizes follows the types of an array's elements without a bound. */
int type_size(mqs_type *type)
{
    Dwarf_Die target, unit;
    uint8_t address_size = 0;

    if (!peel(&type->die, &target))
        return -1;
    if (dwarf_tag(&target) != DW_TAG_pointer_type)
        return dwarf_bytesize(&target);
    dwarf_diecu(&target, &unit, &address_size, NULL);
    return address_size;
}

/* Old compilers write the place as an expression: the operation that adds, and a number in 7 bits a byte. */
static bool read_expression(Dwarf_Attribute *attribute, Dwarf_Word *offset)
{
    Dwarf_Block block;
    unsigned shift = 0;

    if (dwarf_formblock(attribute, &block) != 0 || block.length < 2 || block.data[0] != DW_OP_plus_uconst)
        return false;
    *offset = 0;
    for (Dwarf_Word i = 1; i < block.length && shift < 35; i++, shift += 7) {
        *offset |= (Dwarf_Word)(block.data[i] & 0x7f) << shift;
        if ((block.data[i] & 0x80) == 0)
            return i + 1 == block.length;
    }
    return false;
}

/* A member without a location is at the start: compilers write no locations in unions. */
static int location_of(Dwarf_Die *member)
{
    Dwarf_Attribute attribute;
    Dwarf_Word offset;

    if (dwarf_hasattr(member, DW_AT_bit_size) || dwarf_hasattr(member, DW_AT_data_bit_offset))
        return -1;
    if (dwarf_attr(member, DW_AT_data_member_location, &attribute) == NULL)
        return 0;
    if (dwarf_formudata(&attribute, &offset) != 0 && !read_expression(&attribute, &offset))
        return -1;
    return offset <= INT_MAX ? (int)offset : -1;
}

/* The members of a type are found out once, however many are asked for. */
struct member_reading {
    struct mqs_type_ *type;
    size_t room;
    size_t n_left;             /* members that may still be looked at */
};

/* A member before it in the type that has the same name is the one that is meant. */
static void add_member(struct member_reading *reading, const char *name, int offset)
{
    struct mqs_type_ *type = reading->type;

    if (name_index_add(&type->members, name, (uint32_t)type->n_offsets))
        APPEND(type->offsets, type->n_offsets, reading->room, offset);
}

static void read_members(struct member_reading *reading, const Dwarf_Die *of, int offset, int depth);

/* `offset` is that of the struct or union which the member is in. */
static void read_member(struct member_reading *reading, Dwarf_Die *member, int offset, int depth)
{
    const char *name = dwarf_diename(member);
    int location = location_of(member);
    Dwarf_Attribute attribute;
    Dwarf_Die inner;

    if (location < 0 || location > INT_MAX - offset)
        return;
    if (name != NULL)
        add_member(reading, name, offset + location);
    else if (dwarf_formref_die(dwarf_attr_integrate(member, DW_AT_type, &attribute), &inner) != NULL)
        read_members(reading, &inner, offset + location, depth + 1);
}

static void read_members(struct member_reading *reading, const Dwarf_Die *of, int offset, int depth)
{
    Dwarf_Die target, member;

    if (depth > MAX_DEPTH || !peel(of, &target) || dwarf_child(&target, &member) != 0)
        return;
    do {
        if (dwarf_tag(&member) == DW_TAG_member)
            read_member(reading, &member, offset, depth);
        if (reading->n_left == 0)
            return;
        reading->n_left--;
    } while (dwarf_siblingof(&member, &member) == 0);
}

int type_member_offset(mqs_type *type, const char *member)
{
    uint32_t position;

    if (!type->members_read)
        read_members(&(struct member_reading){.type = type, .n_left = MAX_MEMBERS}, &type->die, 0, 0);
    type->members_read = true;
    return name_index_find(&type->members, member, &position) ? type->offsets[position] : -1;
}
