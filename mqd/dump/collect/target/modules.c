/*
 * modules.c - the program and library files that a process has mapped, with their symbols and types.
 */
#include "mqd/dump/collect/target/modules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/base/watch.h"
#include "mqd/dump/collect/target/mapped_file.h"

struct runs {
    struct mapped_file *runs;
    size_t n, room;
};

/* Which ranges. */

static bool continues(const struct mapped_file *run, const struct map_line *line)
{
    return run->device == line->device && run->inode == line->inode && run->mappings[run->n - 1].offset <= line->offset;
}

static void add_line(struct runs *runs, const struct map_line *line)
{
    struct mapped_file *run = runs->n > 0 ? &runs->runs[runs->n - 1] : NULL;

    if (line->inode == 0 || line->path[0] != '/')
        return;
    if (run == NULL || !continues(run, line)) {
        APPEND(runs->runs, runs->n, runs->room,
               (struct mapped_file){.path = copy_string(line->path), .deleted = line->deleted, .device = line->device,
                            .inode = line->inode});
        run = &runs->runs[runs->n - 1];
    }
    run->executable |= line->executable;
    APPEND(run->mappings, run->n, run->room,
           (struct mapping){line->start, line->end, line->offset, line->executable});
}

static void free_runs(struct runs *runs)
{
    for (size_t i = 0; i < runs->n; i++)
        FREE_ALL(runs->runs[i].path, runs->runs[i].mappings);
    free(runs->runs);
}

/* A core identifies files by their paths only; numbers replace the device and inode that a live process has. */
static bool read_core_runs(struct runs *runs, const struct core *core, char **why)
{
    for (size_t i = 0; i < core->n_mappings; i++) {
        const struct core_mapping *mapping = &core->mappings[i];

        add_line(runs, &(struct map_line){
            .start = mapping->start, .end = mapping->end, .offset = mapping->offset, .inode = mapping->number + 1,
            .executable = core_is_executable(core, mapping->start), .deleted = mapping->deleted,
            .path = mapping->path});
    }
    return runs->n > 0 || set_reason(why, "no file was mapped into it");
}

static bool read_runs(struct runs *runs, const struct process *process, char **why)
{
    OWNED char *text = NULL;
    char *rest, *line;

    if (process->core != NULL)
        return read_core_runs(runs, process->core, why);
    text = proc_read("/proc/%d/maps", (int)process->reader);
    if (text == NULL) {
        OWNED char *reason = is_of_rights(errno) ? process_explain(process->pid)
                             : is_of_end(errno)  ? copy_string("it has ended")
                                                 : format_text("its maps cannot be read: %s", strerror(errno));

        return set_reason(why, "%s", reason);
    }
    rest = text;
    while ((line = strsep(&rest, "\n")) != NULL) {
        struct map_line map;

        if (proc_parse_map_line(line, &map))
            add_line(runs, &map);
    }
    return runs->n > 0 || set_reason(why, "it runs no program: it is a part of the kernel, or it is just ending");
}

/* Which files. */

/* A reading of one process's modules. */
struct reading {
    struct modules *modules;
    struct files *files;
    struct process *process;
    bool *has_new;             /* of one that opens no file; else NULL */
    uint64_t number;           /* of this reading */
};

static void note_incomplete(struct modules *modules, const char *what, const char *why)
{
    modules->incomplete = true;
    if (modules->doubt == NULL)
        modules->doubt = format_text("%s: %s", what, why);
}

/* A process whose code is in a file that cannot be used is not understood. */
static struct elf_file *use_file(struct reading *reading, const struct file_entry *entry, const struct mapped_file *run)
{
    if (entry->refused != NULL) {
        warning_give("%s cannot be used: %s", run->path, entry->refused);
        if (run->executable)
            note_incomplete(reading->modules, run->path, entry->refused);
    }
    return entry->file;
}

/*
 * A file that cannot be opened through one process, which may have ended or belong to another user, may be opened
 * through the next. So only an opened file is final for all processes. A program file that was deleted or replaced is
 * warned of.
 */
static struct elf_file *open_file(struct reading *reading, struct file_entry *entry, const struct mapped_file *run)
{
    RELEASED_BY(file_source_clear) struct file_source source = mapped_file_source(run, reading->process);
    bool other_file;
    int descriptor = mapped_file_open(run, reading->process, &other_file);

    if (descriptor >= 0) {
        file_entry_open(entry, descriptor, &source);
        return use_file(reading, entry, run);
    }
    /* Then it is no property of the file that it could not be opened. */
    if (is_of_shortage(errno))
        note_incomplete(reading->modules, "not all of its files could be opened", strerror(errno));
    if (run->executable && (other_file || run->deleted) && !entry->warned && !process_has_ended(reading->process)) {
        entry->warned = true;
        warning_give("%s was deleted or replaced since process %d loaded it: it cannot be used%s", run->path,
                     (int)reading->process->pid, geteuid() != 0 ? " (root may still read it)" : "");
    }
    return NULL;
}

static struct elf_file *file_of(struct reading *reading, const struct mapped_file *run)
{
    struct file_entry *entry;

    if (reading->process->core != NULL)
        return core_file_find(reading->files, reading->process->core, run->mappings[0].start);
    entry = files_find(reading->files, run->device, run->inode);
    if (entry != NULL && entry->opened)
        return use_file(reading, entry, run);
    if (reading->has_new != NULL) {
        *reading->has_new |= entry == NULL && run->executable;
        return NULL;
    }
    return open_file(reading, entry != NULL ? entry : files_add(reading->files, run->device, run->inode), run);
}

/* Where. */

/* Does one of the ranges, sorted by start, hold this part of the file where this bias puts it? */
static bool is_at(const struct elf_load *load, uint64_t bias, const struct mapping *mappings, size_t n)
{
    uint64_t address = load->address + bias;
    size_t n_before = count_up_to(address, mappings, n, sizeof *mappings);
    const struct mapping *mapping = n_before > 0 ? &mappings[n_before - 1] : NULL;

    return mapping != NULL && address < mapping->end && load->offset - mapping->offset == address - mapping->start &&
           (mapping->executable || !load->executable);
}

static bool are_at(const struct elf_load *loads, size_t n_loads, uint64_t bias, const struct mapping *mappings,
                   size_t n)
{
    return !ANY(i, n_loads, !is_at(&loads[i], bias, mappings, n));
}

bool module_bias(const struct elf_load *loads, size_t n_loads, const struct mapping *mappings, size_t n, uint64_t *bias)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t candidate = mappings[i].start - mappings[i].offset + loads[0].offset - loads[0].address;

        if (are_at(loads, n_loads, candidate, mappings, n)) {
            *bias = candidate;
            return true;
        }
    }
    return false;
}

/*
 * The dynamic linker can load a library in each of 16 name spaces. Every place is searched, and a file with long tables
 * can be mapped as often as somebody likes.
 */
enum { MAX_PLACES = 64 };

static bool add_module(struct reading *reading, const struct mapped_file *run, struct elf_file *file)
{
    struct module module = {.file = file};

    if (!module_bias(file->loads, file->n_loads, run->mappings, run->n, &module.bias))
        return false;
    file->count = file->counted == reading->number ? file->count + 1 : 1;
    file->counted = reading->number;
    if (file->count > MAX_PLACES) {
        note_incomplete(reading->modules, run->path, "it is loaded at more places than any program has one");
        return false;
    }
    APPEND(reading->modules->modules, reading->modules->n, reading->modules->room, module);
    return true;
}

static void move_to_start(struct modules *modules, size_t i)
{
    struct module module = modules->modules[i];

    memmove(modules->modules + 1, modules->modules, i * sizeof module);
    modules->modules[0] = module;
}

/* A core may read from a file what was not written into it. */
static void use_in_core(const struct mapped_file *run, struct core *core, struct elf_file *file)
{
    for (size_t i = 0; core != NULL && i < run->n; i++)
        core_use_file(core, run->mappings[i].start, file);
}

static void add_modules(struct reading *reading, const struct runs *runs, const char *executable)
{
    struct modules *modules = reading->modules;
    size_t program = 0;

    for (size_t i = 0; i < runs->n; i++) {
        const struct mapped_file *run = &runs->runs[i];
        struct elf_file *file = file_of(reading, run);

        if (file == NULL || !add_module(reading, run, file))
            continue;
        use_in_core(run, reading->process->core, file);
        if (executable != NULL && strcmp(run->path, executable) == 0)
            program = modules->n - 1;
    }
    if (program > 0)
        move_to_start(modules, program);
}

/* The ranges of modules do not overlap in a process, but may in a forged core: then one of them is found. */
static void index_code(struct modules *modules)
{
    modules->n_code = 0;
    for (size_t i = 0; i < modules->n; i++) {
        const struct elf_file *file = modules->modules[i].file;

        for (size_t k = 0; k < file->n_loads; k++) {
            const struct elf_load *load = &file->loads[k];
            uint64_t start = load->address + modules->modules[i].bias;

            if (load->executable && load->size <= UINT64_MAX - start)
                APPEND(modules->code, modules->n_code, modules->code_room,
                       (struct code_range){start, start + load->size, i});
        }
    }
    SORT(modules->code, modules->n_code, compare_starts);
}

bool modules_read(struct modules *modules, struct files *files, struct process *process, const char *executable,
                  bool *has_new, char **why)
{
    static uint64_t n_readings;
    struct reading reading = {modules, files, process, has_new, ++n_readings};
    RELEASED_BY(free_runs) struct runs runs = {0};
    bool good;

    if (has_new != NULL)
        *has_new = false;
    watch_set_process(process->pid);
    good = read_runs(&runs, process, why);
    modules->n = 0;
    modules->incomplete = false;
    free(modules->doubt);
    modules->doubt = NULL;
    if (good)
        add_modules(&reading, &runs, executable);
    index_code(modules);
    return good && (modules->n > 0 || set_reason(why, "none of its program files can be read%s%s",
                                                 modules->doubt != NULL ? ": " : "",
                                                 modules->doubt != NULL ? modules->doubt : ""));
}

/* Idle ones too: which MPI library is in use may change until the process is held. */
void modules_prepare(const struct modules *modules)
{
    for (size_t i = 0; i < modules->n; i++)
        elf_file_prepare(modules->modules[i].file);
}

void modules_clear(struct modules *modules)
{
    FREE_ALL(modules->modules, modules->code, modules->doubt);
    *modules = (struct modules){0};
}

const struct module *modules_find(const struct modules *modules, uint64_t address)
{
    size_t n = count_up_to(address, modules->code, modules->n_code, sizeof *modules->code);

    return n > 0 && address < modules->code[n - 1].end ? &modules->modules[modules->code[n - 1].module] : NULL;
}

/* Names. */

static bool find_symbol(const struct modules *modules, const char *name, bool local, uint64_t *address)
{
    for (size_t i = 0; i < modules->n; i++) {
        const struct module *module = &modules->modules[i];
        const struct symbol *symbol = module->idle ? NULL : symbols_find(&module->file->symbols, name, local);

        if (symbol != NULL) {
            *address = symbol->value + module->bias;
            return true;
        }
    }
    return false;
}

bool modules_find_symbol(const struct modules *modules, const char *name, uint64_t *address)
{
    return find_symbol(modules, name, false, address) || find_symbol(modules, name, true, address);
}

static mqs_type *find_type(const struct modules *modules, const char *name, bool tags_only, const char **declared)
{
    for (size_t i = 0; i < modules->n; i++) {
        const struct module *module = &modules->modules[i];
        mqs_type *type = !module->idle ? elf_file_find_type(module->file, name, tags_only, declared) : NULL;

        if (type != NULL)
            return type;
    }
    return NULL;
}

/* A program that includes mpi.h has typedefs whose structs are defined in other files. */
mqs_type *modules_find_type(const struct modules *modules, const char *name)
{
    const char *declared = NULL, *ignored = NULL;
    mqs_type *type = find_type(modules, name, false, &declared);

    if (type == NULL && declared != NULL)
        type = find_type(modules, declared, true, &ignored);
    return type;
}
