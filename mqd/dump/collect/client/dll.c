/*
 * dll.c - a debug DLL that is loaded, and what it offers.
 */
#include "mqd/dump/collect/client/dll.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/collect/client/host.h"

/* ISO C does not convert object pointers to function pointers; POSIX demands that both have the same bytes. */
static bool find_entry(void *handle, const char *name, void *function_pointer)
{
    void *address = dlsym(handle, name);

    memcpy(function_pointer, &address, sizeof address);
    return address != NULL;
}

static bool find_entries(struct dll *dll, const char *file, char **why)
{
    const struct {
        const char *name;
        void *function_pointer;
    } entries[] = {
#define DLL_ENTRY(name) {"mqs_" #name, &dll->name},
        DLL_ENTRIES(DLL_ENTRY)
#undef DLL_ENTRY
    };
    OWNED char *missing = copy_string("");

    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        if (!find_entry(dll->handle, entries[i].name, entries[i].function_pointer))
            append_text(&missing, "%s%s", *missing != '\0' ? ", " : "", entries[i].name);
    if (*missing != '\0')
        set_reason(why, "%s is no MPI debugging library: it does not define %s", file, missing);
    return *why == NULL;
}

static void find_extension(struct dll *dll)
{
    const struct mqd_extension_v1 *(*get)(int);
    const struct mqd_extension_v1 *extension;

    if (!find_entry(dll->handle, "ompi_mqd_extension", &get))
        return;
    extension = get(MQD_EXTENSION_VERSION);
    if (extension != NULL && extension->size >= offsetof(struct mqd_extension_v1, describe_unknown))
        dll->extension = extension;
}

static bool agree(const struct dll *dll, const char *file, char **why)
{
    dll->setup_basic_callbacks(&host_basic_callbacks);
    if (dll->version_compatibility() != MQS_INTERFACE_COMPATIBILITY)
        return set_reason(why, "%s has version %d of the debugging interface, mqdump has version %d", file,
                          dll->version_compatibility(), MQS_INTERFACE_COMPATIBILITY);
    if (dll->dll_taddr_width() != (int)sizeof(mqs_taddr_t))
        return set_reason(why,
                          "%s has addresses of %d bytes, mqdump has addresses of %d: take the library for this machine",
                          file, dll->dll_taddr_width(), (int)sizeof(mqs_taddr_t));
    return true;
}

/* Can somebody who is neither root nor the caller change what is there? */
static bool check_owner(const char *path, const struct stat *info, bool may_be_shared, char **why)
{
    if (info->st_uid != 0 && info->st_uid != geteuid())
        return set_reason(why,
                          "%s belongs to the user %lu, who is neither root nor you, and could put any code there: the "
                          "debugging library is not loaded",
                          path, (unsigned long)info->st_uid);
    if ((info->st_mode & S_IWOTH) != 0 && !may_be_shared)
        return set_reason(why,
                          "everybody can write to %s and could put any code there: the debugging library is not loaded "
                          "(chmod o-w helps, if nobody has yet)",
                          path);
    return true;
}

/*
 * A directory like /tmp, where everybody may create files and only a file's owner may replace it, is allowed above the
 * library's own directory.
 */
static bool check_directories(const char *path, char **why)
{
    OWNED char *directory = copy_string(path);
    bool is_own = true;

    for (char *slash; (slash = strrchr(directory, '/')) != NULL; is_own = false) {
        struct stat info;

        slash[slash == directory ? 1 : 0] = '\0';
        if (stat(directory, &info) != 0)
            return set_reason(why, "%s: %s", directory, strerror(errno));
        if (!check_owner(directory, &info, !is_own && (info.st_mode & S_ISVTX) != 0, why))
            return false;
        if (slash == directory)
            break;
    }
    return true;
}

/*
 * Returns the path without links of a file that can be trusted, for free(). NULL, with the reason in *why, if it
 * cannot.
 */
static char *find_trusted(const char *file, char **why)
{
    OWNED char *path = realpath(file, NULL);
    struct stat info, named;

    if (path == NULL || stat(path, &info) != 0 || stat(file, &named) != 0)
        set_reason(why, "cannot load the debugging library: %s: %s", file, strerror(errno));
    else if (info.st_dev != named.st_dev || info.st_ino != named.st_ino)
        /* The directory that /proc/PID/root stands for has no other name here. */
        set_reason(why, "%s lies where other files have the names that directories have here: copy it first", file);
    else if (!S_ISREG(info.st_mode))
        /* Opening a pipe, the loader would wait for a writer. */
        set_reason(why, "%s is no regular file: give the file of an MPI debugging library", file);
    else if (check_owner(path, &info, false, why) && check_directories(path, why))
        return TAKEN(path);
    return NULL;
}

bool dll_open(struct dll *dll, const char *file, char **why)
{
    OWNED char *path = find_trusted(file, why);

    *dll = (struct dll){0};
    if (path == NULL)
        return false;
    dll->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (dll->handle == NULL)
        return set_reason(why, "cannot load the debugging library: %s", dlerror());
    if (!find_entries(dll, file, why) || !agree(dll, file, why))
        return false;
    find_extension(dll);
    return true;
}

void dll_close(struct dll *dll)
{
    if (dll->handle != NULL)
        dlclose(dll->handle);
    *dll = (struct dll){0};
}

char *dll_explain(const struct dll *dll, int code)
{
    const char *text = dll->dll_error_string(code);

    return text != NULL && *text != '\0' ? copy_string(text) : format_text("error %d of the debugging library", code);
}

void dll_note(const struct dll *dll, int code, const char *error, int *reason)
{
    if (error == NULL && dll->extension != NULL)
        *reason = dll->extension->reason_of(code);
}

void dll_fail(const struct dll *dll, int code, char **error, int *reason)
{
    OWNED char *text = dll_explain(dll, code);

    dll_note(dll, code, *error, reason);
    set_reason(error, "%s", text);
}

char *dll_expand_message(const char *message, const char *image_name)
{
    char *text = allocate_array(strlen(message) + strlen(image_name) + 1, 1);
    bool expanded = false;
    char *to = text;

    for (const char *from = message; *from != '\0'; from++) {
        if (from[0] == '%' && from[1] == 's' && !expanded) {
            to = stpcpy(to, image_name);
            expanded = true;
            from++;
        } else {
            *to++ = *from;
            if (from[0] == '%' && from[1] == '%')
                from++;
        }
    }
    return text;
}
