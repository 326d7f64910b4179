/*
 * owner.h - whose code the program and library files of a process are: Open MPI's, what that rests on, or the
 * program's.
 *
 * Wrappers have functions with the names of MPI's too, and their files may have names like Open MPI's. So Open MPI's
 * own files are known by what they contain.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_OWNER_H
#define MQD_DUMP_COLLECT_TARGET_OWNER_H

#include <stdbool.h>

#include "mqd/dump/collect/target/modules.h"

enum owner {
    OWNER_PROGRAM,         /* the program, its libraries, and wrappers */
    OWNER_MPI,             /* Open MPI's own files that have functions of MPI; an executable with a static Open MPI */
    OWNER_HELPER           /* what Open MPI needs, the system's libraries, and those whose threads only help */
};

/* One for each module of a process, in their order. */
struct owners {
    enum owner *of;
};

void owners_find(struct owners *owners, const struct modules *modules);
void owners_clear(struct owners *owners);

/* Has Open MPI a function of this name ("MPI_Recv")? */
bool owners_have_function(const struct owners *owners, const struct modules *modules, const char *name);

/*
 * Is a symbol of an executable with a static Open MPI, which has an MPI function's name and this address as linked,
 * Open MPI's function? A wrapper's function lies elsewhere than the function of the profiling interface.
 */
bool is_static_mpi_function(const struct elf_file *executable, const char *symbol, uint64_t address);

/*
 * In such an executable, is a function the program's if `caller` called it? It is where Open MPI deletes attributes,
 * handles errors, reduces and so on, unless its name is like those of Open MPI.
 */
bool is_static_callback(const char *function, const char *caller);

#endif
