/*
 * In place of MPI_Init_thread in a program that is linked with one libmpi: calls that of another, which $MQD_LIBMPI
 * names. The linker has it that the second one works on the variables of the first.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int init_by_another(int *argc, char ***argv, int required, int *provided);

int init_by_another(int *argc, char ***argv, int required, int *provided)
{
    int (*init)(int *, char ***, int, int *);
    const char *path = getenv("MQD_LIBMPI");
    void *handle = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    void *address = handle ? dlsym(handle, "PMPI_Init_thread") : NULL;

    if (!address) {
        fprintf(stderr, "awkward_init: %s has no PMPI_Init_thread\n", path ? path : "MQD_LIBMPI");
        exit(2);
    }
    memcpy(&init, &address, sizeof init);
    return init(argc, argv, required, provided);
}
