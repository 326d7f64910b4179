/*
 * unit_index.h - which source the code at an address comes from.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_UNIT_INDEX_H
#define MQD_DUMP_COLLECT_TARGET_UNIT_INDEX_H

#include <stdbool.h>
#include <stddef.h>

#include <elfutils/libdw.h>

struct unit_range;

/* Zeroed, it is one that nobody has asked yet. */
struct unit_index {
    struct unit_range *ranges;
    size_t n, room;
    bool is_read;
};

/* The unit of the source whose code is at an address as linked. False if the debug information does not tell. */
bool unit_index_find(struct unit_index *index, Dwarf *dwarf, Dwarf_Addr address, Dwarf_Die *unit);
void unit_index_clear(struct unit_index *index);

#endif
