/*
 * libraries.h - what the libraries of a process tell: whose code they are, and which of several MPI libraries it uses.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_LIBRARIES_H
#define MQD_DUMP_COLLECT_TARGET_LIBRARIES_H

#include <stdbool.h>

#include "mqd/dump/collect/target/modules.h"

/*
 * If several files of a process have an Open MPI library, marks all of them but one as idle. The one that is not idle
 * has been initialised, if any has. If several have, modules->doubt says which one is used.
 */
void active_library_choose(struct modules *modules, struct process *process);

/* Has MPI been initialised, perhaps finalized too, in a library of these modules that is not idle? */
bool active_library_was_initialised(const struct modules *modules, struct process *process);

/*
 * Why a process has no symbols of an MPI library, though it may be an MPI program: a text about "it", for free(). NULL
 * if it has them, or if no reason is known.
 */
char *missing_mpi_reason(const struct modules *modules, struct process *process);

enum code_owner {
    OWNER_PROGRAM,         /* the program, its libraries, and wrappers */
    OWNER_MPI,             /* Open MPI's own files that have functions of MPI; an executable with a static Open MPI */
    OWNER_HELPER           /* what Open MPI needs, the system's libraries, and those whose threads only help */
};

/* One for each module of a process, in their order. */
struct owners {
    enum code_owner *of;
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
