/*
 * mapped_file.c - opens the files that a process has mapped.
 *
 * The kernel opens the mapped file itself, even without a name, but only with a capability that root does not have in
 * most containers. Otherwise the file is opened by its name in the maps. The kernel writes this name for the reader of
 * the maps. So it may start with the path of the process's root. If the process runs in a container, the name may mean
 * nothing outside of it. There is no link in a name that the kernel writes: where there is one now, somebody has
 * replaced a file or directory by it, and it is not followed.
 */
#include "mqd/dump/collect/target/mapped_file.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/plain_file.h"

/* The first bytes that identify a file: ELF header, program headers and usually the build-id. */
enum { FIRST_BYTES = 4096 };

static int open_plain(const char *root, const char *path)
{
    OWNED char *why = NULL;

    return plain_file_open_without_links(root, path, &why);
}

static char *direct_path(const struct mapped_file *mapped, pid_t pid)
{
    return format_text("/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)pid, mapped->start, mapped->end);
}

static int open_direct(const struct mapped_file *mapped, pid_t pid)
{
    OWNED char *path = direct_path(mapped, pid), *why = NULL;

    return plain_file_open(NULL, path, &why);
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
 * On file systems that combine others (overlayfs), the same file may have two pairs of device and inode. So the content
 * decides.
 */
static bool is_mapped(int file, struct process *process, const struct mapped_file *mapped)
{
    struct stat info;

    if (fstat(file, &info) == 0 && info.st_dev == mapped->device && info.st_ino == mapped->inode)
        return true;
    return has_first_bytes_of(file, process, mapped);
}

/* The part of a path below the process's root; NULL if the path is not below it. */
static const char *below_root(const char *path, pid_t pid)
{
    char link[64], root[PATH_MAX];
    ssize_t length;

    snprintf(link, sizeof link, "/proc/%d/root", (int)pid);
    length = readlink(link, root, sizeof root);
    /* A failure, -1, is larger too. */
    if ((size_t)length >= sizeof root || strncmp(path, root, (size_t)length) != 0 || path[length] != '/')
        return NULL;
    return path + length;
}

/* Returns the file if it is the mapped one; else closes it and sets *other. */
static int keep_mapped(int file, struct process *process, const struct mapped_file *mapped, bool *other)
{
    if (file < 0 || is_mapped(file, process, mapped))
        return file;
    close(file);
    *other = true;
    errno = ENOENT;
    return -1;
}

/* A link below the process's root must not lead out of it. */
static int open_in_root(const struct mapped_file *mapped, struct process *process, bool *other)
{
    const char *below = below_root(mapped->path, process->reader);
    OWNED char *root = format_text("/proc/%d/root", (int)process->reader);
    int file = keep_mapped(open_plain(root, mapped->path), process, mapped, other);

    if (file < 0 && below != NULL)
        file = keep_mapped(open_plain(root, below), process, mapped, other);
    return file;
}

struct file_source mapped_file_source(const struct mapped_file *mapped, const struct process *process)
{
    const char *below = below_root(mapped->path, process->reader);

    return (struct file_source){.root = format_text("/proc/%d/root", (int)process->reader),
                                .path = copy_string(below != NULL ? below : mapped->path),
                                .direct = direct_path(mapped, process->reader)};
}

void mapped_file_source_clear(struct file_source *source)
{
    FREE_ALL((char *)(uintptr_t)source->root, (char *)(uintptr_t)source->path, (char *)(uintptr_t)source->direct);
}

int mapped_file_open(const struct mapped_file *mapped, struct process *process, bool *other)
{
    int file = open_direct(mapped, process->reader);

    *other = false;
    if (file < 0)
        file = open_in_root(mapped, process, other);
    if (file < 0)
        file = keep_mapped(open_plain(NULL, mapped->path), process, mapped, other);
    if (file >= 0)
        *other = false;
    return file;
}
