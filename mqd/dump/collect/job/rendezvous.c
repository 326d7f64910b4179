/*
 * rendezvous.c - where the launcher of Open MPI 5.0 and later, and its daemons, listen for tools.
 */
#include "mqd/dump/collect/job/rendezvous.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/plain_file.h"
#include "mqd/dump/base/reason.h"
#include "mqd/dump/collect/target/proc.h"

enum {
    MAX_LINE = 1024,               /* a namespace of 255 bytes and an address */
    MAX_ENTRIES = 1000 * 1000,     /* of a directory for temporary files: more are not looked at */
    MAX_ENVIRONMENT = 8 * 1024 * 1024
};

struct search {
    char *root;                    /* of the process's file system, as seen from here */
    char pid[16];                  /* as the process itself knows it */
    uid_t user;
    struct timespec newest;        /* of the files that were found */
    char *line;
};

bool rendezvous_is_valid(const char *line)
{
    static const char characters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789@._:;/%+=,~[]-";
    const char *address = strchr(line, ';');

    return address != NULL && line[strspn(line, characters)] == '\0' && strlen(line) < MAX_LINE && *line != '-' &&
           memchr(line, '.', (size_t)(address - line)) != NULL &&
           (strncmp(address, ";tcp4://", 8) == 0 || strncmp(address, ";tcp6://", 8) == 0);
}

char *rendezvous_namespace(const char *line)
{
    size_t n = strcspn(line, ";");

    while (n > 0 && line[n - 1] != '.')
        n--;
    return format_text("%.*s", n > 0 ? (int)n - 1 : 0, line);
}

/* The last number of a line of numbers: what a process in a container calls itself. */
static bool find_own_pid(struct search *search, const char *status)
{
    const char *line = strstr(status, "\nNSpid:");
    size_t n = line != NULL ? strcspn(line + 1, "\n") + 1 : 0, digits = 0;

    while (digits < n && strchr("0123456789", line[n - digits - 1]) != NULL)
        digits++;
    if (digits == 0 || digits >= sizeof search->pid)
        return false;
    snprintf(search->pid, sizeof search->pid, "%.*s", (int)digits, line + n - digits);
    return true;
}

/* Has the name that number as one of its parts, which are divided by "."? */
static bool has_part(const char *name, const char *number)
{
    size_t length = strlen(number);

    for (const char *part = strchr(name, '.'); part != NULL; part = strchr(part + 1, '.'))
        if (strncmp(part + 1, number, length) == 0 && (part[length + 1] == '.' || part[length + 1] == '\0'))
            return true;
    return false;
}

static bool is_for_tools(const char *name, const char *number)
{
    size_t length = strlen(name), end = strlen(".tool.") + strlen(number);
    const char *last = length > end ? name + length - end : "";

    return strncmp(name, "pmix.", 5) == 0 && strncmp(last, ".tool.", 6) == 0 && strcmp(last + 6, number) == 0;
}

static bool is_newer(const struct timespec *time, const struct timespec *than)
{
    return time->tv_sec != than->tv_sec ? time->tv_sec > than->tv_sec : time->tv_nsec > than->tv_nsec;
}

/* Another process may have had the pid before, and left its file. */
static void take_file(struct search *search, const char *path)
{
    OWNED char *why = NULL;
    char text[MAX_LINE + 1] = "";
    int file = plain_file_open(search->root, path, &why);
    struct stat info;

    if (file < 0)
        return;
    if (fstat(file, &info) == 0 && info.st_uid == search->user &&
        (search->line == NULL || is_newer(&info.st_mtim, &search->newest)) && read(file, text, sizeof text - 1) > 0) {
        text[strcspn(text, "\n")] = '\0';
        if (rendezvous_is_valid(text)) {
            free(search->line);
            search->line = copy_string(text);
            search->newest = info.st_mtim;
        }
    }
    close(file);
}

static void search_session(struct search *search, const char *session)
{
    OWNED char *path = format_text("%s%s", search->root, session);
    DIR *all = opendir(path);
    const struct dirent *entry;
    struct stat info;
    bool is_own = all != NULL && fstat(dirfd(all), &info) == 0 && info.st_uid == search->user;

    for (int i = 0; is_own && i < MAX_ENTRIES && (entry = readdir(all)) != NULL; i++) {
        OWNED char *file = format_text("%s/%s", session, entry->d_name);

        if (is_for_tools(entry->d_name, search->pid))
            take_file(search, file);
    }
    if (all != NULL)
        closedir(all);
}

static void search_temporary(struct search *search, const char *directory)
{
    OWNED char *path = format_text("%s%s", search->root, directory);
    DIR *all = opendir(path);
    const struct dirent *entry;

    for (int i = 0; all != NULL && i < MAX_ENTRIES && (entry = readdir(all)) != NULL; i++) {
        OWNED char *session = format_text("%s/%s", directory, entry->d_name);

        if (has_part(entry->d_name, search->pid))
            search_session(search, session);
    }
    if (all != NULL)
        closedir(all);
}

/* Where PMIx makes temporary files. */
static char *temporary_directory(const char *directory)
{
    static const char *const names[] = {"TMPDIR", "TEMP", "TMP"};
    OWNED char *path = format_text("%s/environ", directory);
    size_t size;
    OWNED char *block = proc_read_start(path, MAX_ENVIRONMENT, &size);

    for (size_t i = 0; block != NULL && i < sizeof names / sizeof *names; i++) {
        const char *value = proc_environment_value(block, size, names[i]);

        if (value != NULL && *value == '/')
            return copy_string(value);
    }
    return copy_string("/tmp");
}

static bool know_process(struct search *search, const char *directory)
{
    OWNED char *path = format_text("%s/status", directory);
    struct proc_status status;
    size_t size;
    OWNED char *text = proc_read_file(path, &size);
    bool good = text != NULL && proc_parse_status(text, &status) && find_own_pid(search, text);

    if (good)
        search->user = status.user;
    return good;
}

char *rendezvous_find(const char *directory, char **why)
{
    OWNED char *root = format_text("%s/root", directory), *temporary = temporary_directory(directory);
    struct search search = {.root = root};

    if (!know_process(&search, directory))
        set_reason(why, "its status cannot be read");
    else
        search_temporary(&search, temporary);
    if (search.line == NULL)
        set_reason(why, "it has left no file for tools below %s", temporary);
    return search.line;
}
