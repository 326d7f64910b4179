/*
 * mapped_file.c - opens the files that a process has mapped.
 *
 * The kernel itself hands out the very file, even if its name is gone, but only to those with rights that root lacks in
 * most containers. All others go by its name. That is written as seen by who reads the maps, so it may start with the
 * process's root, or, if the process lives in a container, mean nothing outside of it.
 */
#include "mqd/dump/mapped_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef SYS_openat2
#include <linux/openat2.h>
#endif

#include "mqd/dump/common.h"

/* As much of a file's start as identifies it: ELF header, program headers and mostly the build-id. */
enum { FIRST_BYTES = 4096 };

/*
 * Opening a device or a pipe could have effects, so what the name leads to is looked at before it is opened. Closes the
 * descriptor, which was opened as a path only.
 */
static int open_regular(int place)
{
    struct stat info;
    char path[64];
    int file = -1;

    if (place < 0)
        return -1;
    snprintf(path, sizeof path, "/proc/self/fd/%d", place);
    if (fstat(place, &info) == 0 && S_ISREG(info.st_mode))
        file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    close(place);
    return file;
}

static bool has_first_bytes_of(int file, struct process *process, const struct mapped_file *mapped)
{
    char in_file[FIRST_BYTES], in_memory[FIRST_BYTES];
    ssize_t size = pread(file, in_file, sizeof in_file, 0);

    return size > 0 && mapped->offset == 0 &&
           process_read(process, mapped->start, in_memory, (size_t)size) == READ_OK &&
           memcmp(in_file, in_memory, (size_t)size) == 0;
}

/*
 * The numbers of device and inode differ for the same file on file systems that are put together from others, so the
 * content has the last word.
 */
static bool is_mapped(int file, struct process *process, const struct mapped_file *mapped)
{
    struct stat info;

    if (fstat(file, &info) == 0 && info.st_dev == mapped->device && info.st_ino == mapped->inode)
        return true;
    return has_first_bytes_of(file, process, mapped);
}

/* A link in the process's root must not lead out of it, to a file of ours. Old kernels cannot promise that. */
static int look_up_in_root(int root, const char *path)
{
#ifdef SYS_openat2
    struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
    long place = syscall(SYS_openat2, root, path, &how, sizeof how);

    if (place >= 0 || (errno != ENOSYS && errno != EPERM))
        return (int)place;
#endif
    return openat(root, path + strspn(path, "/"), O_PATH | O_CLOEXEC);
}

static int look_up(const char *path)
{
    return open(path, O_PATH | O_CLOEXEC);
}

/* What is left of a path below the process's root; NULL if it does not lie there. */
static const char *below_root(const char *path, pid_t pid)
{
    char link[64], root[PATH_MAX];
    ssize_t length;

    snprintf(link, sizeof link, "/proc/%d/root", (int)pid);
    length = readlink(link, root, sizeof root);
    if (length <= 1 || (size_t)length >= sizeof root || strncmp(path, root, (size_t)length) != 0 ||
        path[length] != '/')
        return NULL;
    return path + length;
}

/* The file if it is the mapped one; else it is closed, and *other tells that there was one. */
static int keep_mapped(int file, struct process *process, const struct mapped_file *mapped, bool *other)
{
    if (file < 0 || is_mapped(file, process, mapped))
        return file;
    close(file);
    *other = true;
    return -1;
}

static int open_in_root(const struct mapped_file *mapped, struct process *process, bool *other)
{
    const char *below = below_root(mapped->path, process->reader);
    char link[64];
    int root, file;

    snprintf(link, sizeof link, "/proc/%d/root", (int)process->reader);
    root = open(link, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root < 0)
        return -1;
    file = keep_mapped(open_regular(look_up_in_root(root, mapped->path)), process, mapped, other);
    if (file < 0 && below != NULL)
        file = keep_mapped(open_regular(look_up_in_root(root, below)), process, mapped, other);
    close(root);
    return file;
}

int mapped_file_open(const struct mapped_file *mapped, struct process *process, bool *other)
{
    char *path = format("/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)process->reader, mapped->start, mapped->end);
    int file = open_regular(look_up(path));

    free(path);
    *other = false;
    if (file < 0)
        file = open_in_root(mapped, process, other);
    if (file < 0)
        file = keep_mapped(open_regular(look_up(mapped->path)), process, mapped, other);
    if (file >= 0)
        *other = false;
    return file;
}
