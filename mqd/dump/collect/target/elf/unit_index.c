/*
 * unit_index.c - which source the code at an address comes from.
 *
 * Some compilers write an index (.debug_aranges), which elfutils reads. LLVM's do not: there each unit tells where its
 * code is.
 */
#include "mqd/dump/collect/target/elf/unit_index.h"

#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/search.h"
#include "mqd/dump/base/sort.h"

/* Code that the linker has left away may overlap other code. */
enum { MAX_OVERLAPPING = 16 };

struct unit_range {
    Dwarf_Addr start, end;
    Dwarf_Off unit;
};

/* Code that was left away is at 0. */
static void add_ranges(struct unit_index *index, Dwarf_Die *unit)
{
    Dwarf_Addr base, start, end;
    ptrdiff_t at = 0;

    while ((at = dwarf_ranges(unit, at, &base, &start, &end)) > 0)
        if (start != 0 && start < end)
            APPEND(index->ranges, index->n, index->room, (struct unit_range){start, end, dwarf_dieoffset(unit)});
}

static void read_units(struct unit_index *index, Dwarf *dwarf)
{
    Dwarf_CU *at = NULL;
    Dwarf_Die unit;

    while (dwarf_get_units(dwarf, at, &at, NULL, NULL, &unit, NULL) == 0)
        add_ranges(index, &unit);
    SORT(index->ranges, index->n, compare_starts);
    index->is_read = true;
}

static const struct unit_range *find_range(const struct unit_index *index, Dwarf_Addr address)
{
    size_t n = count_up_to(address, index->ranges, index->n, sizeof *index->ranges);

    for (size_t i = n; i > 0 && n - i < MAX_OVERLAPPING; i--)
        if (index->ranges[i - 1].end > address)
            return &index->ranges[i - 1];
    return NULL;
}

bool unit_index_find(struct unit_index *index, Dwarf *dwarf, Dwarf_Addr address, Dwarf_Die *unit)
{
    const struct unit_range *range;

    if (dwarf_addrdie(dwarf, address, unit) != NULL)
        return true;
    if (!index->is_read)
        read_units(index, dwarf);
    range = find_range(index, address);
    return range != NULL && dwarf_offdie(dwarf, range->unit, unit) != NULL;
}

void unit_index_clear(struct unit_index *index)
{
    free(index->ranges);
    *index = (struct unit_index){0};
}
