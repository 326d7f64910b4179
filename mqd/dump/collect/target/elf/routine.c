/*
 * routine.c - the functions that a source has at an address.
 *
 * elfutils has a function for this, which calls itself for each level and does not look into namespaces: a hostile file
 * has any number of levels, and C++ has its functions there.
 */
#include "mqd/dump/collect/target/elf/routine.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* How deep what a source declares may be nested: below that nothing is found. */
enum { MAX_LEVELS = 200 };

/* A way through the tree of what a source declares. */
struct walk {
    Dwarf_Die *unit;
    Dwarf_Addr address;
    Dwarf_Die levels[MAX_LEVELS];
    size_t n_levels;
    bool everywhere;           /* functions are searched in others too, whose code they are not in */
    bool found;                /* the address is in what is at the last level */
};

static bool has_code(int tag)
{
    return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
           tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

static bool may_have_functions(const struct walk *walk, int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_module ||
           (walk->everywhere && (tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block));
}

/* Goes to the first of what the last level has, at the unit's first of all. */
static bool go_down(struct walk *walk)
{
    Dwarf_Die *parent = walk->n_levels > 0 ? &walk->levels[walk->n_levels - 1] : walk->unit;

    if (walk->n_levels == MAX_LEVELS || dwarf_child(parent, &walk->levels[walk->n_levels]) != 0)
        return false;
    walk->n_levels++;
    return true;
}

/* To the next one of the same level, or of those around. What has the address is left for nothing else. */
static bool go_on(struct walk *walk, size_t around)
{
    for (; walk->n_levels > around; walk->n_levels--) {
        Dwarf_Die *die = &walk->levels[walk->n_levels - 1];

        if (dwarf_siblingof(die, die) == 0)
            return true;
    }
    return false;
}

/* Finds the next thing that has the address, inside of the first `around` levels. */
static bool find_next(struct walk *walk, size_t around)
{
    bool more = go_down(walk);

    while (more) {
        Dwarf_Die *die = &walk->levels[walk->n_levels - 1];
        int tag = dwarf_tag(die);

        if (has_code(tag) && dwarf_haspc(die, walk->address) > 0)
            return true;
        more = (may_have_functions(walk, tag) && go_down(walk)) || go_on(walk, around);
    }
    return false;
}

static const char *symbol_of(Dwarf_Die *die)
{
    static const unsigned names[] = {DW_AT_linkage_name, DW_AT_MIPS_linkage_name};
    Dwarf_Attribute attribute;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (dwarf_attr_integrate(die, names[i], &attribute) != NULL && dwarf_formstring(&attribute) != NULL)
            return dwarf_formstring(&attribute);
    return dwarf_diename(die);
}

static bool read_number(Dwarf_Die *die, unsigned name, uint64_t max, uint64_t *number)
{
    Dwarf_Attribute attribute;
    Dwarf_Word found;

    if (dwarf_attr(die, name, &attribute) == NULL || dwarf_formudata(&attribute, &found) != 0 || found > max)
        return false;
    *number = found;
    return true;
}

/* Before DWARF 5 there is no file 0; elfutils has "???" for that. */
static const char *file_of_call(Dwarf_Die *die, Dwarf_Die *unit)
{
    Dwarf_Files *files;
    size_t n_files;
    uint64_t file;
    const char *path;

    if (dwarf_getsrcfiles(unit, &files, &n_files) != 0 || n_files == 0 ||
        !read_number(die, DW_AT_call_file, n_files - 1, &file))
        return NULL;
    path = dwarf_filesrc(files, file, NULL, NULL);
    return path != NULL && strcmp(path, "???") != 0 ? path : NULL;
}

/* Inner ones come later. */
static void add_inlined(struct routine *routine, Dwarf_Die *die, Dwarf_Die *unit)
{
    struct inlined *first = routine->inlined;
    uint64_t line = 0;

    routine->n_inlined += routine->n_inlined < MAX_INLINED;
    memmove(first + 1, first, (routine->n_inlined - 1) * sizeof *first);
    read_number(die, DW_AT_call_line, INT32_MAX, &line);
    *first = (struct inlined){.function = symbol_of(die), .source = file_of_call(die, unit), .line = (int)line};
}

static const char *module_around(struct walk *walk)
{
    Dwarf_Die *around = walk->n_levels > 1 ? &walk->levels[walk->n_levels - 2] : NULL;

    return around != NULL && dwarf_tag(around) == DW_TAG_module ? dwarf_diename(around) : NULL;
}

static void follow(struct walk *walk, struct routine *routine)
{
    while (find_next(walk, walk->n_levels)) {
        Dwarf_Die *die = &walk->levels[walk->n_levels - 1];

        walk->found = true;
        if (dwarf_tag(die) == DW_TAG_inlined_subroutine) {
            add_inlined(routine, die, walk->unit);
        } else if (dwarf_tag(die) == DW_TAG_subprogram) {
            *routine = (struct routine){.name = dwarf_diename(die), .module = module_around(walk)};
        }
    }
}

void routine_find(struct routine *routine, Dwarf_Die *unit, Dwarf_Addr address)
{
    *routine = (struct routine){.name = NULL};
    for (int everywhere = 0; everywhere < 2; everywhere++) {
        struct walk walk = {.unit = unit, .address = address, .everywhere = everywhere != 0};

        follow(&walk, routine);
        if (walk.found)
            return;
    }
}
