/*
 * debug_file.c - finds the files with the debug information of a program or library.
 */
#include "mqd/dump/collect/target/elf/debug_file.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/plain_file.h"
#include "mqd/dump/base/warning.h"

static const char system_directory[] = "/usr/lib/debug";

/* 20 bytes are usual. */
enum { MAX_BUILD_ID = 64 };

/* What is searched. */
struct search {
    const char *root;          /* NULL: "/" */
    const void *id;
    size_t n_id;
    struct elf_image *found;
};

static bool take(const struct search *search, int descriptor, const struct file_source *source)
{
    OWNED char *why = NULL;
    bool good = elf_image_open(search->found, descriptor, source, &why) &&
                elf_image_has_build_id(search->found, search->id, search->n_id);

    if (!good)
        elf_image_close(search->found);
    if (why != NULL)
        warning_give("%s cannot be used: %s", source->path, why);
    return good;
}

/*
 * Tries a path. Links are followed only in the system's directory, which belongs to root: those beside a program may be
 * anybody's.
 */
static bool try_path(const struct search *search, char *path)
{
    const struct file_source source = {.root = search->root, .path = path};
    bool is_system = strncmp(path, system_directory, strlen(system_directory)) == 0;
    OWNED char *why = NULL;
    int descriptor = is_system ? plain_file_open(search->root != NULL ? search->root : "/", path, &why)
                               : plain_file_open_without_links(search->root, path, &why);
    bool good = descriptor >= 0 && take(search, descriptor, &source);

    free(path);
    return good;
}

/* The path of a build-id is .build-id/, its first byte, a slash, and the others. */
static bool try_build_id(const struct search *search)
{
    const unsigned char *id = search->id;
    OWNED char *text = NULL;

    if (search->n_id < 2 || search->n_id > MAX_BUILD_ID)
        return false;
    text = build_id_text(id + 1, search->n_id - 1);
    return try_path(search, format_text("%s/.build-id/%02x/%s.debug", system_directory, id[0], text));
}

/* One component of a path that does not lead upwards. */
static bool is_plain_name(const char *name)
{
    return *name != '\0' && strchr(name, '/') == NULL && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/* Beside the file, in .debug below that, and below the system's directory. */
static bool try_link(const struct search *search, const char *path, const char *link)
{
    const char *slash = strrchr(path, '/');
    int n = slash != NULL ? (int)(slash - path) : 0;

    if (slash == NULL || !is_plain_name(link))
        return false;
    /* The file may be its own debug file by name, and has no debug information then. */
    return (strcmp(slash + 1, link) != 0 && try_path(search, format_text("%.*s/%s", n, path, link))) ||
           try_path(search, format_text("%.*s/.debug/%s", n, path, link)) ||
           try_path(search, format_text("%s%.*s/%s", system_directory, n, path, link));
}

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
    void *client = begin();
    int file = client != NULL ? find(client, build_id, (int)n, NULL) : -1;

    if (client != NULL)
        end(client);
    return file;
}

/*
 * Asks the servers that the user has named in DEBUGINFOD_URLS (debuginfod). Returns an open file, -1 if there is none.
 * After a slow answer the servers are not asked again.
 */
static int ask_servers(const void *build_id, size_t n, const char *path)
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

bool debug_file_find(struct elf_image *found, const struct elf_image *program)
{
    const struct file_source *source = &program->source;
    const struct search search = {.root = source->root, .id = program->build_id, .n_id = program->n_build_id,
                                  .found = found};

    if (search.id == NULL) {
        if (program->links.debug != NULL)
            warning_give("the debug information of %s is not searched: the file has no build-id that would prove it",
                         source->path);
        return false;
    }
    if (try_build_id(&search) ||
        (program->links.debug != NULL && try_link(&search, source->path, program->links.debug)))
        return true;
    return take(&search, ask_servers(search.id, search.n_id, source->path),
                &(struct file_source){.path = source->path});
}

/* dwz names the file by a path from the debug file or from the root; only what follows ".dwz" counts. */
static bool try_alternate(const struct search *search, const char *name)
{
    static const char directory[] = "/.dwz/";
    const char *rest = strstr(name, directory), *slash;
    OWNED char *first = NULL;

    if (rest == NULL)
        return false;
    rest += strlen(directory);
    slash = strchr(rest, '/');
    if (slash == NULL)
        return is_plain_name(rest) && try_path(search, format_text("%s%s%s", system_directory, directory, rest));
    first = format_text("%.*s", (int)(slash - rest), rest);
    return is_plain_name(first) && is_plain_name(slash + 1) &&
           try_path(search, format_text("%s%s%s", system_directory, directory, rest));
}

bool debug_file_find_alternate(struct elf_image *found, const struct elf_image *debug, const struct elf_image *program)
{
    const struct search search = {.root = program->source.root, .id = debug->links.alternate_id,
                                  .n_id = debug->links.n_alternate_id, .found = found};

    return debug->links.alternate != NULL && search.n_id > 0 &&
           (try_build_id(&search) || try_alternate(&search, debug->links.alternate));
}
