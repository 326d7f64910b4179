/*
 * libraries.c - whose code the files of a process are, and which of several MPI libraries it uses, or why it has none.
 */
#include "mqd/dump/collect/target/libraries.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/hash.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/name_list.h"
#include "mqd/dump/base/printable.h"
#include "mqd/dump/base/sort.h"

/* The MPI library in use. */

/* Two variables of Open MPI: a table that is all zero before MPI_Init, and the state of MPI. */
static const char table_name[] = "ompi_mpi_communicators", state_name[] = "ompi_mpi_state";

/* States from here on are those of MPI_Finalize; the table keeps some of its values. */
enum { FIRST_FINAL_STATE = 3 };

enum { MAX_TABLE = 1024 };

enum use { NO_LIBRARY, UNUSED, FINISHED, IN_USE };

static const struct symbol *find(const struct module *module, const char *name)
{
    return symbols_find(&module->file->symbols, name, false) ?: symbols_find(&module->file->symbols, name, true);
}

static bool is_zero(struct process *process, const struct module *module, const struct symbol *symbol)
{
    unsigned char bytes[MAX_TABLE];
    size_t size = symbol->size < sizeof bytes ? (size_t)symbol->size : sizeof bytes;

    if (process_read(process, symbol->value + module->bias, bytes, size) != READ_OK)
        return true;
    return !ANY(i, size, bytes[i] != 0);
}

/* A program that refers to one of these variables may define it too. Only a library defines both. */
static enum use use_of(const struct module *module, struct process *process)
{
    const struct symbol *table = find(module, table_name), *state = find(module, state_name);
    int value;

    if (table == NULL || state == NULL)
        return NO_LIBRARY;
    if (is_zero(process, module, table))
        return UNUSED;
    if (process_read(process, state->value + module->bias, &value, sizeof value) == READ_OK &&
        value >= FIRST_FINAL_STATE)
        return FINISHED;
    return IN_USE;
}

static void doubt(struct modules *modules, const struct module *shown, const struct module *other)
{
    OWNED char *shown_path = printable(shown->file->path, 0);
    OWNED char *other_path = printable(other->file->path, 0);

    set_reason(&modules->doubt, "MPI is initialised in two libraries, %s and %s: only the first one is looked at",
               shown_path, other_path);
}

void active_library_choose(struct modules *modules, struct process *process)
{
    struct module *chosen = NULL;
    enum use most = NO_LIBRARY;

    for (size_t i = 0; i < modules->n; i++) {
        struct module *module = &modules->modules[i];
        enum use use = use_of(module, process);

        module->idle = use != NO_LIBRARY;
        if (use == IN_USE && most == IN_USE)
            doubt(modules, chosen, module);
        if (use > most) {
            chosen = module;
            most = use;
        }
    }
    if (chosen != NULL)
        chosen->idle = false;
}

bool active_library_was_initialised(const struct modules *modules, struct process *process)
{
    return ANY(i, modules->n, !modules->modules[i].idle && use_of(&modules->modules[i], process) >= FINISHED);
}

/*
 * The dynamic linker tells debuggers its state (struct r_debug of <link.h>): at first there is no such structure, and
 * while libraries are loaded its state is not zero.
 */
static bool is_loading(const struct module *executable, struct process *process)
{
    size_t word = executable->file->is_64_bit ? sizeof(uint64_t) : sizeof(uint32_t);
    uint64_t entry = executable->file->image.debug_entry, debug;
    int state;

    if (entry == 0 || !process_read_word(process, entry + executable->bias, word, &debug))
        return false;
    return debug == 0 || (process_read(process, debug + 3 * word, &state, sizeof state) == READ_OK && state != 0);
}

/* Owners. */

static bool defines(const struct elf_file *file, const char *name)
{
    return symbols_find(&file->symbols, name, false) != NULL;
}

/*
 * Open MPI's file of C functions has its table of communicators, but in 6.0, where another file has what is common to
 * two such files. There and in Fortran's files functions of the profiling interface stand beside a use of Open MPI's
 * inner functions, of which no wrapper knows.
 */
static bool is_open_mpi(const struct elf_file *file)
{
    static const char *const functions[] = {"PMPI_Recv", "pmpi_recv_", "pmpi_recv_f08_", "pmpi_recv_f08ts_"};
    static const char *const inner[] = {"ompi_request_functions", "ompi_recv_f", "ompi_errhandler_invoke"};
    bool has_function = false;

    if (defines(file, "ompi_mpi_communicators"))
        return true;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        has_function |= defines(file, functions[i]);
    return has_function && ANY(i, sizeof inner / sizeof *inner, elf_file_has_name(file, inner[i]));
}

/* The file with the functions of another MPI library; NULL: there is none. */
static const struct elf_file *find_other_mpi(const struct modules *modules)
{
    for (size_t i = 0; i < modules->n; i++)
        if (defines(modules->modules[i].file, "PMPI_Recv") && !is_open_mpi(modules->modules[i].file))
            return modules->modules[i].file;
    return NULL;
}

char *missing_mpi_reason(const struct modules *modules, struct process *process)
{
    const struct module *executable = &modules->modules[0];
    const struct elf_file *other = find_other_mpi(modules);
    uint64_t address;

    if (modules_find_symbol(modules, table_name, &address))
        return NULL;
    if (is_loading(executable, process))
        return copy_string("it is just loading its libraries, and Open MPI is not there yet: try again");
    if (other != NULL)
        return format_text("it runs with %s (%s), not with Open MPI: mqdump and its debugging library read Open MPI "
                           "only",
                           /* Libraries that are made of MPICH keep the name of its setting. */
                           elf_file_has_string(other, "MPIR_CVAR_ASYNC_PROGRESS") ? "MPICH or a library made of it"
                                                                                  : "another MPI library", other->name);
    /* The name of a class, which is in every library of Open MPI. */
    if (elf_file_has_string(executable->file, "ompi_communicator_t"))
        return copy_string("its executable holds a statically linked Open MPI but no symbols of it any more: link it "
                           "without stripping it, or with the shared library");
    return NULL;
}

/*
 * Libraries that come without being needed by a file, since they are opened by name or the program has brought them,
 * and that call the program only where another thread of it has asked for it.
 */
static bool has_helper_name(const struct elf_file *file)
{
    static const char *const parts[] = {
        "libc.", "libc-", "libm.", "libpthread", "ld-", "libdl.", "librt.", "libgcc_s", "libstdc++", "libnss_",
        "libopen-", "libmpi_cxx", "libmpi_java", "mca_", "libmca_", "pmix_", "libpmix", "prte_", "libprrte",
        "libevent", "libhwloc", "libucp", "libuct", "libucs", "libucm", "libucx", "libucc", "libfabric", "libpsm",
        "libibverbs", "librdmacm", "libmlx", "libnuma", "libgomp", "libomp.", "libomp5", "libiomp", "libtbb",
        "libopenblas", "libblis", "libmkl_", "libgfortran", "libcuda", "libnvidia", "libnccl", "libhsa-runtime",
        "libamdhip", "libze_", "libasan", "libtsan", "libubsan", "liblsan", "libjemalloc", "libtcmalloc", "vgpreload",
    };
    static const char *const drivers_of_libfabric_and_libibverbs[] = {"-fi.so", "-rdmav"};

    return BEGINS_WITH_ANY(file->name, parts) || HAS_ANY(file->name, drivers_of_libfabric_and_libibverbs);
}

/* Modules by the names that others need them by, and those whose needs have still to be looked at. */
struct spreading {
    const struct modules *modules;
    struct name_index names;
    size_t *waiting, n_waiting;
};

static void index_names(struct spreading *spreading)
{
    for (uint32_t i = 0; i < spreading->modules->n; i++) {
        name_index_add(&spreading->names, spreading->modules->modules[i].file->needed_as, i);
        name_index_add(&spreading->names, spreading->modules->modules[i].file->name, i);
    }
}

/* Makes the files that a module needs helpers. */
static void add_needed(struct owners *owners, struct spreading *spreading, size_t module)
{
    const struct elf_file *file = spreading->modules->modules[module].file;
    uint32_t position;

    for (size_t i = 0; i < file->n_needed; i++)
        if (name_index_find(&spreading->names, file->needed[i], &position) && position > 0 &&
            owners->of[position] == OWNER_PROGRAM) {
            owners->of[position] = OWNER_HELPER;
            spreading->waiting[spreading->n_waiting++] = position;
        }
}

/*
 * What helpers need are helpers, and so on. An executable with a static Open MPI is left out: it needs the program's
 * libraries too.
 */
static void spread(struct owners *owners, const struct modules *modules)
{
    OWNED size_t *waiting = allocate_array(modules->n + 1, sizeof *waiting);
    struct spreading spreading = {.modules = modules, .waiting = waiting};

    index_names(&spreading);
    for (size_t i = 1; i < modules->n; i++)
        if (owners->of[i] != OWNER_PROGRAM)
            spreading.waiting[spreading.n_waiting++] = i;
    while (spreading.n_waiting > 0)
        add_needed(owners, &spreading, spreading.waiting[--spreading.n_waiting]);
    name_index_clear(&spreading.names);
}

void owners_find(struct owners *owners, const struct modules *modules)
{
    owners->of = allocate_array(modules->n + 1, sizeof *owners->of);
    for (size_t i = 0; i < modules->n; i++) {
        const struct module *module = &modules->modules[i];

        if (!module->idle && is_open_mpi(module->file))
            owners->of[i] = OWNER_MPI;
        else if (i > 0 && has_helper_name(module->file))
            owners->of[i] = OWNER_HELPER;
    }
    spread(owners, modules);
}

void owners_clear(struct owners *owners)
{
    free(owners->of);
    *owners = (struct owners){NULL};
}

bool owners_have_function(const struct owners *owners, const struct modules *modules, const char *name)
{
    OWNED char *profiled = format_text("P%s", name);

    return ANY(i, modules->n, owners->of[i] == OWNER_MPI && defines(modules->modules[i].file, profiled));
}

bool is_static_mpi_function(const struct elf_file *executable, const char *symbol, uint64_t address)
{
    const struct symbol *profiled;
    OWNED char *name = NULL;

    if (*symbol == 'P' || *symbol == 'p' || *symbol == 'o')
        return true;
    name = format_text("%c%s", *symbol == 'M' ? 'P' : 'p', symbol);
    profiled = symbols_find(&executable->symbols, name, false);
    return profiled != NULL && profiled->value == address;
}

bool is_static_callback(const char *function, const char *caller)
{
    static const char *const own[] = {"ompi_", "opal_", "mca_", "orte_", "pmix_", "PMIx_", "PMPI_", "MPI_", "NBC_",
                                      "ompix_", "PMPIX_", "MPIX_"};
    static const char *const callers[] = {"ompi_attr_", "ompi_errhandler_", "ompi_grequest_", "ompi_op_", "ompi_coll_",
                                          "mca_coll_", "NBC_", "PMPI_Reduce_local"};

    return BEGINS_WITH_ANY(caller, callers) && !BEGINS_WITH_ANY(function, own);
}
