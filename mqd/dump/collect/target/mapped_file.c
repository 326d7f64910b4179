/*
 * mapped_file.c - opens the files that a process has mapped.
 *
 * The kernel itself hands out the very file, even if its name is gone, but only to those with rights that root lacks in
 * most containers. All others go by its name. That is written as seen by who reads the maps, so it may start with the
 * process's root, or, if the process lives in a container, mean nothing outside of it.
 */
#include "mqd/dump/collect/target/mapped_file.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/plain_file.h"

/* As much of a file's start as identifies it: ELF header, program headers and mostly the build-id. */
enum { FIRST_BYTES = 4096 };

static int open_plain(const char *root, const char *path)
{
    char *why = NULL;
    int file = plain_file_open(root, path, &why);

    free(why);
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

/* A link in the process's root must not lead out of it, to a file of ours. */
static int open_in_root(const struct mapped_file *mapped, struct process *process, bool *other)
{
    const char *below = below_root(mapped->path, process->reader);
    char *root = format_text("/proc/%d/root", (int)process->reader);
    int file = keep_mapped(open_plain(root, mapped->path), process, mapped, other);

    if (file < 0 && below != NULL)
        file = keep_mapped(open_plain(root, below), process, mapped, other);
    free(root);
    return file;
}

int mapped_file_open(const struct mapped_file *mapped, struct process *process, bool *other)
{
    char *path =
        format_text("/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)process->reader, mapped->start, mapped->end);
    int file = open_plain(NULL, path);

    free(path);
    *other = false;
    if (file < 0)
        file = open_in_root(mapped, process, other);
    if (file < 0)
        file = keep_mapped(open_plain(NULL, mapped->path), process, mapped, other);
    if (file >= 0)
        *other = false;
    return file;
}
