/*
 * Runs a test program that was linked as a library, so that libmpi comes into the process in other ways than from the
 * start: awkward_loader HOW LIBMPI PROGRAM [ARGUMENT...], where HOW is
 *
 *   global, local      opens LIBMPI with that scope, then the program, as interpreters do that load MPI as a module
 *   beside             opens LIBMPI, another file than the one that this loader or the program is linked with, into
 *                      scopes where it stays unused
 *   instead            opens LIBMPI so that the program, which follows, would rather use it than this loader's own
 *   namespace          opens the program in a namespace of its own, where it finds a libmpi of its own
 *   namespaces         the same for a program that runs, and initialises its own, in each of two namespaces
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int program_main(int argc, char **argv);

static void *checked(void *handle)
{
    if (!handle) {
        fprintf(stderr, "awkward_loader: %s\n", dlerror());
        exit(2);
    }
    return handle;
}

static void open_library(const char *how, const char *path)
{
    if (!strcmp(how, "global"))
        checked(dlopen(path, RTLD_NOW | RTLD_GLOBAL));
    else if (!strcmp(how, "local") || !strcmp(how, "beside"))
        checked(dlopen(path, RTLD_NOW | RTLD_LOCAL));
}

int main(int argc, char **argv)
{
    program_main *program;
    void *handle, *address;

    if (argc < 4)
        return 2;
    open_library(argv[1], argv[2]);
    handle = strcmp(argv[1], "namespace") ? dlopen(argv[3], RTLD_NOW | RTLD_LOCAL)
                                          : dlmopen(LM_ID_NEWLM, argv[3], RTLD_NOW | RTLD_LOCAL);
    address = checked(dlsym(checked(handle), "program_main"));
    memcpy(&program, &address, sizeof program);
    return program(argc - 3, argv + 3);
}
