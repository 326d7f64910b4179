/*
 * core_file.c - finds the program and library files that a core names, and checks that they are the same.
 */
#include "mqd/dump/collect/target/core_file.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/plain_file.h"
#include "mqd/dump/base/reason.h"
#include "mqd/dump/base/warning.h"

enum { FIRST_BYTES = 4096 };

static bool is_executable(const struct core *core, const struct core_mapping *mapping)
{
    return core->executable != NULL && strcmp(mapping->path, core->executable) == 0;
}

/* The program and the libraries that every listing needs have a warning each. All other files have one together. */
static bool matters(const struct core *core, const struct core_mapping *mapping)
{
    const char *slash = strrchr(mapping->path, '/');
    const char *name = slash != NULL ? slash + 1 : mapping->path;

    return is_executable(core, mapping) || strncmp(name, "libmpi", 6) == 0 || strncmp(name, "libopen", 7) == 0;
}

/* Warns once for each file and reason, however many cores name it. */
static void warn_of_file(const char *path, const char *why, bool is_one_of_many)
{
    warning_give("%s cannot be used: %s%s", path, why, is_one_of_many ? " (and perhaps others)" : "");
}

static char *hexadecimal(const unsigned char *bytes, size_t n)
{
    char *text = allocate_array(2 * n + 1, 1);

    for (size_t i = 0; i < n; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    return text;
}

static bool fail_other_build(char **why, const struct core_build_id *needed, const unsigned char *found, size_t n)
{
    OWNED char *needed_text = hexadecimal(needed->bytes, needed->n);
    OWNED char *found_text = found != NULL ? hexadecimal(found, n) : copy_string("none");

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
    const unsigned char *id;
    size_t n = 0;

    if (!elf_file_is_64_bit(file))
        return set_reason(why, "it is a 32-bit file");
    if (!elf_file_has_code(file))
        return set_reason(why, "it has the debug information of a program only, not the program");
    if (core_build_id_at(core, start, &needed)) {
        id = elf_file_build_id(file, &n);
        return (id != NULL && n == needed.n && memcmp(id, needed.bytes, n) == 0) ||
               fail_other_build(why, &needed, id, n);
    }
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
