/*
 * owner.c - whose code the files of a process are.
 */
#include "mqd/dump/collect/target/owner.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/hash.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/name_list.h"

static bool defines(const struct elf_file *file, const char *name)
{
    struct elf_symbol symbol;

    return elf_file_find_symbol(file, name, false, &symbol);
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
    for (size_t i = 0; has_function && i < sizeof inner / sizeof *inner; i++)
        if (elf_file_has_name(file, inner[i]))
            return true;
    return false;
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
    const char *name = elf_file_name(file);

    /* The last two are drivers of libfabric and of libibverbs. */
    return BEGINS_WITH_ANY(name, parts) || strstr(name, "-fi.so") != NULL || strstr(name, "-rdmav") != NULL;
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
        name_index_add(&spreading->names, elf_file_needed_as(spreading->modules->modules[i].file), i);
        name_index_add(&spreading->names, elf_file_name(spreading->modules->modules[i].file), i);
    }
}

/* Makes the files that a module needs helpers. */
static void add_needed(struct owners *owners, struct spreading *spreading, size_t module)
{
    size_t n;
    const char *const *needed = elf_file_needed(spreading->modules->modules[module].file, &n);
    uint32_t position;

    for (size_t i = 0; i < n; i++)
        if (name_index_find(&spreading->names, needed[i], &position) && position > 0 &&
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

    for (size_t i = 0; i < modules->n; i++)
        if (owners->of[i] == OWNER_MPI && defines(modules->modules[i].file, profiled))
            return true;
    return false;
}

bool is_static_mpi_function(const struct elf_file *executable, const char *symbol, uint64_t address)
{
    OWNED char *name = NULL;
    struct elf_symbol profiled;

    if (*symbol == 'P' || *symbol == 'p' || strncmp(symbol, "ompi_", strlen("ompi_")) == 0)
        return true;
    name = format_text("%c%s", *symbol == 'M' ? 'P' : 'p', symbol);
    return elf_file_find_symbol(executable, name, false, &profiled) && profiled.value == address;
}

bool is_static_callback(const char *function, const char *caller)
{
    static const char *const own[] = {"ompi_", "opal_", "mca_", "orte_", "pmix_", "PMIx_", "PMPI_", "MPI_", "NBC_"};
    static const char *const callers[] = {"ompi_attr_", "ompi_errhandler_", "ompi_grequest_", "ompi_op_", "ompi_coll_",
                                          "mca_coll_", "NBC_", "PMPI_Reduce_local"};

    return BEGINS_WITH_ANY(caller, callers) && !BEGINS_WITH_ANY(function, own);
}
