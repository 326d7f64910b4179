/*
 * Brings libraries into a process in other ways than a linker does, and then runs a test program that is one of them:
 *
 *     awkward_loader HOW=FILE... [-- ARGUMENT...]
 *
 * opens each FILE: "global" with its symbols for all that comes later, "local" without, "apart" in a namespace of its
 * own. The test program is the file that has program_main.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int program_main(int argc, char **argv);

static const struct scope {
    const char *name;
    int flags;
    Lmid_t namespace;
} scopes[] = {
    {"global=", RTLD_NOW | RTLD_GLOBAL, LM_ID_BASE},
    {"local=", RTLD_NOW | RTLD_LOCAL, LM_ID_BASE},
    {"apart=", RTLD_NOW | RTLD_LOCAL, LM_ID_NEWLM},
};

static void give_up(const char *why)
{
    fprintf(stderr, "awkward_loader: %s\n", why);
    exit(2);
}

static void *open_as_told(const char *argument)
{
    for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++) {
        size_t length = strlen(scopes[i].name);
        void *handle;

        if (strncmp(argument, scopes[i].name, length))
            continue;
        handle = dlmopen(scopes[i].namespace, argument + length, scopes[i].flags);
        if (!handle)
            give_up(dlerror());
        return handle;
    }
    give_up("no such way to open a file");
    return NULL;
}

int main(int argc, char **argv)
{
    program_main *program = NULL;
    int n;

    for (n = 1; n < argc && strcmp(argv[n], "--"); n++) {
        void *address = dlsym(open_as_told(argv[n]), "program_main");

        if (address)
            memcpy(&program, &address, sizeof program);
    }
    if (!program)
        give_up("none of the files is a test program");
    n -= n == argc;
    return program(argc - n, argv + n);
}
