/*
 * mapped_file.c - finds and opens the files that a process or a core has mapped, and checks that they are the same.
 *
 * The kernel opens the mapped file itself, even without a name, but only with a capability that root does not have in
 * most containers. Otherwise the file is opened by its name in the maps. The kernel writes this name for the reader of
 * the maps. So it may start with the path of the process's root. If the process runs in a container, the name may mean
 * nothing outside of it. There is no link in a name that the kernel writes: where there is one now, somebody has
 * replaced a file or directory by it, and it is not followed.
 */
#include "mqd/dump/collect/target/mapped_file.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/name_list.h"
#include "mqd/dump/base/plain_file.h"
#include "mqd/dump/base/warning.h"

/* The first bytes that identify a file: ELF header, program headers and usually the build-id. */
enum { FIRST_BYTES = 4096 };

/* Of a process. */

static int open_plain(const char *root, const char *path)
{
    OWNED char *why = NULL;

    return plain_file_open_without_links(root, path, &why);
}

static char *direct_path(const struct mapped_file *mapped, pid_t pid)
{
    const struct mapping *first = &mapped->mappings[0];

    return format_text("/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)pid, first->start, first->end);
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

    return size > 0 && mapped->mappings[0].offset == 0 &&
           process_read(process, mapped->mappings[0].start, in_memory, (size_t)size) == READ_OK &&
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

/* Of a core. */

static bool is_executable(const struct core *core, const struct core_mapping *mapping)
{
    return core->executable != NULL && strcmp(mapping->path, core->executable) == 0;
}

/* The program and the libraries that every listing needs have a warning each. All other files have one together. */
static bool matters(const struct core *core, const struct core_mapping *mapping)
{
    static const char *const names[] = {"libmpi", "libopen"};

    return is_executable(core, mapping) || BEGINS_WITH_ANY(name_of_path(mapping->path), names);
}

/* Warns once for each file and reason, however many cores name it. */
static void warn_of_file(const char *path, const char *why, bool is_one_of_many)
{
    warning_give("%s cannot be used: %s%s", path, why, is_one_of_many ? " (and perhaps others)" : "");
}

static bool fail_other_build(char **why, const struct core_build_id *needed, const struct elf_image *image)
{
    OWNED char *needed_text = build_id_text(needed->bytes, needed->n);
    OWNED char *found_text =
        image->build_id != NULL ? build_id_text(image->build_id, image->n_build_id) : copy_string("none");

    return set_reason(why, "it is another build than the process had: its build-id is %s, needed is %s", found_text,
                      needed_text);
}

/* If the core does not have the first page either, the file is accepted. */
static bool is_same_start(const struct elf_file *file, const struct core *core, uint64_t start)
{
    char in_core[FIRST_BYTES], in_file[FIRST_BYTES];

    if (!core_read_dumped(core, start, in_core, sizeof in_core))
        return true;
    return elf_file_read(file, 0, in_file, sizeof in_file) && memcmp(in_core, in_file, sizeof in_core) == 0;
}

static bool is_same_file(const struct elf_file *file, const struct core *core, uint64_t start, char **why)
{
    struct core_build_id needed;

    if (!file->is_64_bit)
        return set_reason(why, "it is a 32-bit file");
    if (!file->image.has_code)
        return set_reason(why, "it has the debug information of a program only, not the program");
    if (core_build_id_at(core, start, &needed))
        return elf_image_has_build_id(&file->image, needed.bytes, needed.n) ||
               fail_other_build(why, &needed, &file->image);
    return is_same_start(file, core, start) || set_reason(why, "it is another file than the process had");
}

static struct elf_file *open_same_file(struct files *files, const struct core *core, uint64_t start, const char *root,
                                       const char *path, char **why)
{
    int descriptor = plain_file_open(root, path, why);
    struct elf_file *file;

    if (descriptor < 0)
        return NULL;
    file = files_take(files, descriptor, &(struct file_source){.root = root, .path = path}, why);
    if (file == NULL)
        set_reason(why, "it is no program or library");
    return file != NULL && is_same_file(file, core, start, why) ? file : NULL;
}

/* A file that the user has named comes first, even if the one that the core names exists. */
static struct elf_file *find_executable(struct files *files, const struct core *core, uint64_t start)
{
    for (size_t i = 0; i < files->n_executables; i++) {
        OWNED char *why = NULL;
        struct elf_file *file = open_same_file(files, core, start, NULL, files->executables[i], &why);

        if (file == NULL && i + 1 == files->n_executables)
            warn_of_file(files->executables[i], why, false);
        if (file != NULL)
            return file;
    }
    return NULL;
}

/* Data files, shared memory and the like are not needed; there is no warning if they are missing. */
static bool is_program(const struct core *core, const struct core_mapping *mapping)
{
    char magic[SELFMAG];

    return file_deserves_debug_file(mapping->path) ||
           (mapping->offset == 0 && core_read_dumped(core, mapping->start, magic, sizeof magic) &&
            memcmp(magic, ELFMAG, SELFMAG) == 0);
}

static struct elf_file *find_file(struct files *files, const struct core *core, const struct core_mapping *mapping)
{
    OWNED char *path = NULL, *why = NULL;
    struct elf_file *file;

    if (is_executable(core, mapping) && files->n_executables > 0)
        return find_executable(files, core, mapping->start);
    file = open_same_file(files, core, mapping->start, files->sysroot, mapping->path, &why);
    path = format_text("%s%s", files->sysroot != NULL ? files->sysroot : "", mapping->path);
    if (file == NULL && matters(core, mapping)) {
        warn_of_file(path, why, false);
    } else if (file == NULL && !files->warned_of_others && is_program(core, mapping)) {
        files->warned_of_others = true;
        warn_of_file(path, why, true);
    }
    return file;
}

struct elf_file *core_file_find(struct files *files, const struct core *core, uint64_t start)
{
    const struct core_mapping *mapping = core_find_mapping(core, start);

    return mapping != NULL ? find_file(files, core, mapping) : NULL;
}
