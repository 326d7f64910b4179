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

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/collect/target/elf/debug_file.h"
#include "mqd/dump/collect/target/elf/types.h"
#include "mqd/dump/collect/target/elf/unit_index.h"

struct debug_info {
    struct elf_image *image;
    struct elf_image alternate;
    Dwarf *dwarf, *shared;     /* shared: of the alternate file; NULL: there is none */
    bool is_split;             /* its types are in other files */
    struct types *types;
    struct unit_index units;
};

static bool load(struct elf_image *image, const struct elf_image *program)
{
    OWNED char *why = NULL;
    bool good = elf_image_load_debug(image, &why);

    if (!good)
        warning_give("the debug information of %s is not used: %s", file_image_source(program->content)->path, why);
    return good;
}

static Dwarf *begin(Elf *elf)
{
    Dwarf *dwarf;

    memory_watch();
    dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
    memory_check();
    if (dwarf != NULL)
        dwarf_new_oom_handler(dwarf, out_of_memory);
    return dwarf;
}

static void add_alternate(struct debug_info *info, const struct elf_image *program)
{
    if (!debug_file_find_alternate(&info->alternate, info->image, program))
        return;
    if (load(&info->alternate, program))
        info->shared = begin(info->alternate.elf);
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
    info->dwarf = begin(image->elf);
    if (info->dwarf == NULL)
        return NULL;
    add_alternate(info, program);
    memory_watch();
    info->is_split = has_skeleton(info->dwarf) || (info->shared != NULL && has_skeleton(info->shared));
    memory_check();
    return TAKEN(info);
}

void debug_info_close(struct debug_info *info)
{
    if (info == NULL)
        return;
    types_close(info->types);
    unit_index_clear(&info->units);
    dwarf_end(info->dwarf);
    dwarf_end(info->shared);
    elf_image_close(&info->alternate);
    free(info);
}

/* NULL: there are none that are read. */
static struct types *types_of(struct debug_info *info)
{
    if (info->types == NULL && !info->is_split)
        info->types = types_open(info->dwarf, info->shared);
    return info->types;
}

void debug_info_read_types(struct debug_info *info)
{
    struct types *types = types_of(info);

    memory_watch();
    if (types != NULL)
        types_read_all(types);
    memory_check();
}

mqs_type *debug_info_find_type(struct debug_info *info, const char *name, bool tags_only, const char **declared)
{
    struct types *types = types_of(info);
    mqs_type *found;

    memory_watch();
    found = types != NULL ? types_find(types, name, tags_only, declared) : NULL;
    memory_check();
    return found;
}

static const char *find_line(struct debug_info *info, uint64_t address, int *line)
{
    Dwarf_Line *found;
    Dwarf_Die unit;

    if (!unit_index_find(&info->units, info->dwarf, address, &unit))
        return NULL;
    found = dwarf_getsrc_die(&unit, address);
    dwarf_lineno(found, line);
    return dwarf_linesrc(found, NULL, NULL);
}

const char *debug_info_find_line(struct debug_info *info, uint64_t address, int *line)
{
    const char *found;

    memory_watch();
    found = find_line(info, address, line);
    memory_check();
    return found;
}

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

static bool find_fortran(struct debug_info *info, uint64_t address, bool *is_fortran, const char **program)
{
    static const int fortran[] = {DW_LANG_Fortran77, DW_LANG_Fortran90, DW_LANG_Fortran95, DW_LANG_Fortran03,
                                  DW_LANG_Fortran08};
    Dwarf_Die unit;
    int language;

    if (!unit_index_find(&info->units, info->dwarf, address, &unit) || (language = dwarf_srclang(&unit)) < 0)
        return false;
    *is_fortran = false;
    for (size_t i = 0; i < sizeof fortran / sizeof *fortran; i++)
        *is_fortran |= language == fortran[i];
    *program = *is_fortran ? find_program(&unit) : NULL;
    return true;
}

bool debug_info_find_fortran(struct debug_info *info, uint64_t address, bool *is_fortran, const char **program)
{
    bool found;

    memory_watch();
    found = find_fortran(info, address, is_fortran, program);
    memory_check();
    return found;
}

void debug_info_find_routine(struct debug_info *info, uint64_t address, struct routine *routine)
{
    Dwarf_Die unit;

    *routine = (struct routine){.name = NULL};
    memory_watch();
    if (unit_index_find(&info->units, info->dwarf, address, &unit))
        routine_find(routine, &unit, address);
    memory_check();
}
