/*
 * debug_server.c - debug information from the servers that the user has named (debuginfod).
 */
#include "mqd/dump/collect/target/elf/debug_server.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>

#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/warning.h"

/* A server that only does not have the file answers at once. */
static const double slow = 4;

/* elfutils' library, which has these functions since its first version. It reads its settings from the environment. */
static const char library_name[] = "libdebuginfod.so.1";
typedef void *begin_function(void);
typedef void end_function(void *client);
typedef int find_function(void *client, const unsigned char *build_id, int n, char **path);

static int ask(void *library, const void *build_id, size_t n)
{
    begin_function *begin = (begin_function *)dlsym(library, "debuginfod_begin");
    find_function *find = (find_function *)dlsym(library, "debuginfod_find_debuginfo");
    end_function *end = (end_function *)dlsym(library, "debuginfod_end");
    void *client = begin != NULL && find != NULL && end != NULL ? begin() : NULL;
    int file = -1;

    if (client != NULL) {
        file = find(client, build_id, (int)n, NULL);
        end(client);
    }
    return file >= 0 ? file : -1;
}

int debug_server_ask(const void *build_id, size_t n, const char *path)
{
    static bool gave_up;
    const char *servers = getenv("DEBUGINFOD_URLS");
    double start = seconds_now();
    void *library;
    int file;

    if (gave_up || servers == NULL || *servers == '\0')
        return -1;
    library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return -1;
    file = ask(library, build_id, n);
    if (file < 0 && seconds_now() - start >= slow) {
        warning_give("no debug information for %s after %.0f seconds: the servers of DEBUGINFOD_URLS (%s) are not "
                     "asked again", path, seconds_now() - start, servers);
        gave_up = true;
    }
    /* The library stays loaded: it has threads and data of its own until the program ends. */
    return file;
}
