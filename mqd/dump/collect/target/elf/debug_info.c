/*
 * debug_info.c - the debug information of a program or library.
 *
 * elfutils opens a file by itself in two cases: what several files have in common, which is found here before, and
 * types that the compiler has put into files of their own (split DWARF), of which nothing is asked here.
 */
#include "mqd/dump/collect/target/elf/debug_info.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/collect/target/elf/debug_file.h"

/* Code of a source. */
struct unit_range {
    Dwarf_Addr start, end;
    Dwarf_Off unit;
};

struct debug_info {
    struct elf_image *image;
    struct elf_image alternate;
    Dwarf *dwarf, *shared;     /* shared: of the alternate file; NULL: there is none */
    bool is_split;             /* its types are in other files */
    struct types *types;
    struct unit_range *ranges; /* sorted by start */
    size_t n_ranges, range_room;
    bool ranges_read;
};

static bool load(struct elf_image *image, const struct elf_image *program)
{
    OWNED char *why = NULL;
    bool good = elf_image_load_debug(image, &why);

    if (!good)
        warning_give("the debug information of %s is not used: %s", program->source.path, why);
    return good;
}

static Dwarf *begin(Elf *elf)
{
    Dwarf *dwarf = WATCHED(dwarf_begin_elf(elf, DWARF_C_READ, NULL));

    if (dwarf != NULL)
        dwarf_new_oom_handler(dwarf, out_of_memory);
    return dwarf;
}

static void add_alternate(struct debug_info *info, const struct elf_image *program)
{
    if (!debug_file_find_alternate(&info->alternate, info->image, program))
        return;
    if (load(&info->alternate, program))
        info->shared = begin(info->alternate.debug);
    if (info->shared != NULL)
        dwarf_setalt(info->dwarf, info->shared);
}

/* A skeleton names the file that has its types. */
static bool has_skeleton(Dwarf *dwarf)
{
    Dwarf_CU *unit = NULL;
    uint8_t kind;

    while (dwarf_get_units(dwarf, unit, &unit, NULL, &kind, NULL, NULL) == 0)
        if (kind == DW_UT_skeleton)
            return true;
    return false;
}

struct debug_info *debug_info_open(struct elf_image *image, const struct elf_image *program)
{
    OWNED struct debug_info *info = NULL;

    if (!image->has_debug_info || !load(image, program))
        return NULL;
    info = allocate_array(1, sizeof *info);
    info->image = image;
    info->dwarf = begin(image->debug);
    if (info->dwarf == NULL)
        return NULL;
    add_alternate(info, program);
    info->is_split = WATCHED(has_skeleton(info->dwarf) || (info->shared != NULL && has_skeleton(info->shared)));
    return TAKEN(info);
}

void debug_info_close(struct debug_info *info)
{
    if (info == NULL)
        return;
    types_close(info->types);
    dwarf_end(info->dwarf);
    dwarf_end(info->shared);
    elf_image_close(&info->alternate);
    FREE_ALL(info->ranges, info);
}

struct types *debug_info_types(struct debug_info *info)
{
    if (info->types == NULL && !info->is_split)
        info->types = types_open(info->dwarf, info->shared);
    return info->types;
}

/*
 * Units: which source the code at an address comes from. Some compilers write an index (.debug_aranges), which elfutils
 * reads. LLVM's do not: there each unit tells where its code is.
 */

/* Code that the linker has left away may overlap other code. */
enum { MAX_OVERLAPPING = 16 };

/* Code that was left away is at 0. */
static void add_ranges(struct debug_info *info, Dwarf_Die *unit)
{
    Dwarf_Addr base, start, end;
    ptrdiff_t at = 0;

    while ((at = dwarf_ranges(unit, at, &base, &start, &end)) > 0)
        if (start != 0 && start < end)
            APPEND(info->ranges, info->n_ranges, info->range_room,
                   (struct unit_range){start, end, dwarf_dieoffset(unit)});
}

static void read_ranges(struct debug_info *info)
{
    Dwarf_CU *at = NULL;
    Dwarf_Die unit;

    while (dwarf_get_units(info->dwarf, at, &at, NULL, NULL, &unit, NULL) == 0)
        add_ranges(info, &unit);
    SORT(info->ranges, info->n_ranges, compare_starts);
    info->ranges_read = true;
}

static bool find_unit(struct debug_info *info, Dwarf_Addr address, Dwarf_Die *unit)
{
    size_t n;

    if (dwarf_addrdie(info->dwarf, address, unit) != NULL)
        return true;
    if (!info->ranges_read)
        read_ranges(info);
    n = count_up_to(address, info->ranges, info->n_ranges, sizeof *info->ranges);
    for (size_t i = n; i > 0 && n - i < MAX_OVERLAPPING; i--)
        if (info->ranges[i - 1].end > address)
            return dwarf_offdie(info->dwarf, info->ranges[i - 1].unit, unit) != NULL;
    return false;
}

/*
 * Functions at an address. elfutils has a function for this, which calls itself for each level and does not look into
 * namespaces: a hostile file has any number of levels, and C++ has its functions there.
 */

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
static void add_inlined(struct source_place *source, Dwarf_Die *die, Dwarf_Die *unit)
{
    struct inlined *first = source->inlined;
    uint64_t line = 0;

    source->n_inlined += source->n_inlined < MAX_INLINED;
    memmove(first + 1, first, (source->n_inlined - 1) * sizeof *first);
    read_number(die, DW_AT_call_line, INT32_MAX, &line);
    *first = (struct inlined){.function = symbol_of(die), .source = file_of_call(die, unit), .line = (int)line};
}

static const char *module_around(struct walk *walk)
{
    Dwarf_Die *around = walk->n_levels > 1 ? &walk->levels[walk->n_levels - 2] : NULL;

    return around != NULL && dwarf_tag(around) == DW_TAG_module ? dwarf_diename(around) : NULL;
}

static void follow(struct walk *walk, struct source_place *source)
{
    while (find_next(walk, walk->n_levels)) {
        Dwarf_Die *die = &walk->levels[walk->n_levels - 1];

        walk->found = true;
        if (dwarf_tag(die) == DW_TAG_inlined_subroutine) {
            add_inlined(source, die, walk->unit);
        } else if (dwarf_tag(die) == DW_TAG_subprogram) {
            source->function = dwarf_diename(die);
            source->module = module_around(walk);
            source->n_inlined = 0;
        }
    }
}

static void find_functions(struct source_place *source, Dwarf_Die *unit, Dwarf_Addr address)
{
    struct walk walk = {.unit = unit, .address = address};

    follow(&walk, source);
    if (walk.found)
        return;
    walk = (struct walk){.unit = unit, .address = address, .everywhere = true};
    follow(&walk, source);
}

/* The source. */

static bool is_program(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Word convention;
    bool is_main = false;

    if (dwarf_tag(die) != DW_TAG_subprogram)
        return false;
    if (dwarf_attr(die, DW_AT_main_subprogram, &attribute) != NULL && dwarf_formflag(&attribute, &is_main) == 0)
        return is_main;
    return dwarf_attr(die, DW_AT_calling_convention, &attribute) != NULL &&
           dwarf_formudata(&attribute, &convention) == 0 && convention == DW_CC_program;
}

static const char *find_program(Dwarf_Die *unit)
{
    Dwarf_Die die;

    for (int result = dwarf_child(unit, &die); result == 0; result = dwarf_siblingof(&die, &die))
        if (is_program(&die))
            return dwarf_diename(&die);
    return NULL;
}

/* False if the language is not known. */
static bool find_language(struct source_place *source, Dwarf_Die *unit)
{
    static const int fortran[] = {DW_LANG_Fortran77, DW_LANG_Fortran90, DW_LANG_Fortran95, DW_LANG_Fortran03,
                                  DW_LANG_Fortran08};
    int language = dwarf_srclang(unit);

    for (size_t i = 0; i < sizeof fortran / sizeof *fortran; i++)
        source->is_fortran |= language == fortran[i];
    source->program = source->is_fortran ? find_program(unit) : NULL;
    return language >= 0;
}

static bool find_source(struct debug_info *info, uint64_t address, struct source_place *source)
{
    Dwarf_Line *line;
    Dwarf_Die unit;

    if (!find_unit(info, address, &unit))
        return false;
    line = dwarf_getsrc_die(&unit, address);
    dwarf_lineno(line, &source->line);
    source->path = dwarf_linesrc(line, NULL, NULL);
    find_functions(source, &unit, address);
    return find_language(source, &unit);
}

bool debug_info_find_source(struct debug_info *info, uint64_t address, struct source_place *source)
{
    *source = (struct source_place){.line = 0};
    return WATCHED(find_source(info, address, source));
}
