/*
 * owner.c - whose code the files of a process are.
 */
#include "mqd/dump/collect/target/owner.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"

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
        if (elf_file_has_string(file, inner[i]))
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
        "libamdhip", "libze_", "libasan", "libtsan", "libubsan", "liblsan", "libjemalloc", "libtcmalloc",
    };
    const char *name = elf_file_name(file);

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strncmp(name, parts[i], strlen(parts[i])) == 0)
            return true;
    return false;
}

static bool is_needed_as(const struct elf_file *file, const char *name)
{
    return strcmp(elf_file_needed_as(file), name) == 0 || strcmp(elf_file_name(file), name) == 0;
}

/* Makes the files that a module needs helpers; returns whether there were more of them. The executable is never one. */
static bool add_needed(struct owners *owners, const struct modules *modules, size_t module)
{
    size_t n;
    const char *const *needed = elf_file_needed(modules->modules[module].file, &n);
    bool added = false;

    for (size_t i = 0; i < n; i++)
        for (size_t k = 1; k < modules->n; k++)
            if (owners->of[k] == OWNER_PROGRAM && is_needed_as(modules->modules[k].file, needed[i])) {
                owners->of[k] = OWNER_HELPER;
                added = true;
            }
    return added;
}

/* What helpers need are helpers, and so on. An executable with a static Open MPI needs the program's libraries too. */
static void spread(struct owners *owners, const struct modules *modules)
{
    bool *done = allocate_array(modules->n + 1, sizeof *done);
    bool more = true;

    while (more) {
        more = false;
        for (size_t i = 1; i < modules->n; i++) {
            if (done[i] || owners->of[i] == OWNER_PROGRAM)
                continue;
            done[i] = true;
            more |= add_needed(owners, modules, i);
        }
    }
    free(done);
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
    char *profiled = format_text("P%s", name);
    bool found = false;

    for (size_t i = 0; i < modules->n && !found; i++)
        found = owners->of[i] == OWNER_MPI && defines(modules->modules[i].file, profiled);
    free(profiled);
    return found;
}

bool is_static_mpi_function(const struct elf_file *executable, const char *symbol, uint64_t address)
{
    struct elf_symbol profiled;
    char *name;
    bool found;

    if (*symbol == 'P' || *symbol == 'p' || strncmp(symbol, "ompi_", strlen("ompi_")) == 0)
        return true;
    name = format_text("%c%s", *symbol == 'M' ? 'P' : 'p', symbol);
    found = elf_file_find_symbol(executable, name, false, &profiled) && profiled.value == address;
    free(name);
    return found;
}
