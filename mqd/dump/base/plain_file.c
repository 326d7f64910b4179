/*
 * plain_file.c - opens files whose names come from a process or a core.
 */
#include "mqd/dump/base/plain_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "mqd/dump/base/fork.h"
#include "mqd/dump/base/memory.h"

/* The kernel follows 40 links. 256 is more than the depth of any real path. */
enum { MAX_LINKS = 40, MAX_DEPTH = 256 };

/*
 * A walk along a path below a root directory. The text of a link is interpreted below this root again, so that neither
 * an absolute link nor one of the kernel's under /proc leads out of it. For ".." the walk goes back to the directory
 * that it has come from, even if the current directory has been moved meanwhile.
 */
struct way {
    int places[MAX_DEPTH];     /* opened with O_PATH; the first is the root, which the caller owns */
    size_t n;
    char *rest;                /* the part of the path that is still to be walked */
    int n_links, max_links;
};

static void go_back(struct way *way, size_t n)
{
    while (way->n > n)
        close_one(&way->places[--way->n]);
}

/* Puts the text of the link before the rest of the path. */
static bool follow(struct way *way, int link, const char *rest)
{
    char target[PATH_MAX], *longer;
    ssize_t length;

    if (++way->n_links > way->max_links) {
        errno = ELOOP;
        return false;
    }
    length = readlinkat(link, "", target, sizeof target - 1);
    if (length < 0)
        return false;
    target[length] = '\0';
    if (target[0] == '/')
        go_back(way, 1);
    longer = format_text("%s/%s", target, rest);
    free(way->rest);
    way->rest = longer;
    return true;
}

/* `rest` is what follows the name; it is part of way->rest. */
static bool enter(struct way *way, const char *name, char *rest)
{
    struct stat info;
    int place = openat(way->places[way->n - 1], name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    bool good;

    if (place < 0)
        return false;
    if (fstat(place, &info) == 0 && S_ISLNK(info.st_mode)) {
        good = follow(way, place, rest);
        close(place);
        return good;
    }
    if (way->n == MAX_DEPTH) {
        close(place);
        errno = ENAMETOOLONG;
        return false;
    }
    way->places[way->n++] = place;
    memmove(way->rest, rest, strlen(rest) + 1);
    return true;
}

/* Walks over the next name. False at the end, then *good is true, and after a failure, then it is false. */
static bool go_on(struct way *way, bool *good)
{
    char *name = way->rest + strspn(way->rest, "/"), *end = name + strcspn(name, "/"), *rest = end;

    *good = true;
    if (*name == '\0')
        return false;
    if (*end == '/') {
        *end = '\0';
        rest = end + 1;
    }
    if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
        *good = enter(way, name, rest);
        return *good;
    }
    if (strcmp(name, "..") == 0 && way->n > 1)
        go_back(way, way->n - 1);
    memmove(way->rest, rest, strlen(rest) + 1);
    return true;
}

static int look_up_below(int root, const char *path, int max_links)
{
    struct way way = {.places = {root}, .n = 1, .rest = copy_string(path), .max_links = max_links};
    bool good;
    int place;

    while (go_on(&way, &good))
        continue;
    place = good ? fcntl(way.places[way.n - 1], F_DUPFD_CLOEXEC, 0) : -1;
    go_back(&way, 1);
    free_owned(&way.rest);
    return place;
}

/* Finds the file at a path below a directory without opening it. */
static int look_up(const char *root, const char *path, int max_links)
{
    int directory = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int place = directory >= 0 ? look_up_below(directory, path, max_links) : -1;

    close_one(&directory);
    return place;
}

/*
 * Files of the kernel look regular, but reading them may block for ever, or may take away what another program would
 * read.
 */
static bool is_of_the_kernel(int place)
{
    struct statfs info;

    if (fstatfs(place, &info) != 0)
        return false;
    switch ((unsigned long)info.f_type) {
    case PROC_SUPER_MAGIC:
    case SYSFS_MAGIC:
    case DEBUGFS_MAGIC:
    case TRACEFS_MAGIC:
    case SECURITYFS_MAGIC:
    case CGROUP_SUPER_MAGIC:
    case CGROUP2_SUPER_MAGIC:
    case PSTOREFS_MAGIC:
    case BPF_FS_MAGIC:
        return true;
    default:
        return false;
    }
}

/* Opens what was found, and closes `place`. */
static int open_place(int place, char **why)
{
    struct stat info;
    char link[64];
    int file = -1, error = EINVAL;

    if (place < 0) {
        error = errno;
        set_reason(why, "%s", strerror(error));
        errno = error;
        return -1;
    }
    snprintf(link, sizeof link, "/proc/self/fd/%d", place);
    /* O_NONBLOCK avoids waiting for a file on which another process has a lease. */
    if (fstat(place, &info) != 0 || !S_ISREG(info.st_mode) || is_of_the_kernel(place)) {
        set_reason(why, "it is no regular file");
    } else if ((file = open(link, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)) < 0) {
        error = errno;
        set_reason(why, "%s", strerror(error));
    }
    close(place);
    errno = error;
    return file;
}

/* The seal. */

static bool is_sealed;
static size_t n_refused;

void file_seal_set(bool sealed)
{
    is_sealed = sealed;
}

bool file_seal_refuses(char **why)
{
    if (!is_sealed)
        return false;
    n_refused++;
    set_reason(why, "it is not opened while processes are held");
    errno = EBUSY;
    return true;
}

size_t file_seal_n_refused(void)
{
    return n_refused;
}

/* Files. */

int plain_file_open(const char *root, const char *path, char **why)
{
    if (file_seal_refuses(why))
        return -1;
    return open_place(root != NULL ? look_up(root, path, MAX_LINKS) : open(path, O_PATH | O_CLOEXEC), why);
}

int plain_file_open_without_links(const char *root, const char *path, char **why)
{
    if (file_seal_refuses(why))
        return -1;
    return open_place(look_up(root != NULL ? root : "/", path, 0), why);
}

size_t plain_file_read(int descriptor, uint64_t offset, void *buffer, size_t n)
{
    size_t done = 0;

    while (done < n) {
        ssize_t got = pread(descriptor, (char *)buffer + done, n - done, (off_t)(offset + done));

        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0)
            errno = 0;
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    return done;
}
