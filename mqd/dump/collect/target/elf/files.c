/*
 * files.c - the program and library files that were opened.
 */
#include "mqd/dump/collect/target/elf/files.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/name_list.h"

bool file_deserves_debug_file(const char *path)
{
    static const char *const parts[] = {"libmpi", "libopen-", "libopen_", "mca_"};

    return HAS_ANY(name_of_path(path), parts);
}

/* An entry of this number that is nobody's yet. */
static struct file_entry numbered(uint64_t device, uint64_t inode)
{
    struct file_entry entry = {.opened = false};

    snprintf(entry.number, sizeof entry.number, "%" PRIx64 ":%" PRIx64, device, inode);
    return entry;
}

struct file_entry *files_find(const struct files *files, uint64_t device, uint64_t inode)
{
    const struct file_entry wanted = numbered(device, inode);
    uint32_t position;

    return name_index_find(&files->numbers, wanted.number, &position) ? files->entries[position] : NULL;
}

struct file_entry *files_add(struct files *files, uint64_t device, uint64_t inode)
{
    struct file_entry *entry = allocate_array(1, sizeof *entry);

    *entry = numbered(device, inode);
    name_index_add(&files->numbers, entry->number, (uint32_t)files->n);
    APPEND(files->entries, files->n, files->room, entry);
    return entry;
}

void file_entry_open(struct file_entry *entry, int descriptor, const struct file_source *source)
{
    entry->opened = true;
    entry->file = elf_file_open(descriptor, source, file_deserves_debug_file(source->path), &entry->refused);
}

struct elf_file *files_take(struct files *files, int descriptor, const struct file_source *source, char **why)
{
    struct file_entry *entry;
    struct stat info;

    if (fstat(descriptor, &info) != 0) {
        close(descriptor);
        return NULL;
    }
    entry = files_find(files, info.st_dev, info.st_ino);
    if (entry == NULL)
        entry = files_add(files, info.st_dev, info.st_ino);
    if (entry->opened)
        close(descriptor);
    else
        file_entry_open(entry, descriptor, source);
    if (entry->refused != NULL)
        set_reason(why, "%s", entry->refused);
    return entry->file;
}

void files_close(struct files *files)
{
    for (size_t i = 0; i < files->n; i++) {
        elf_file_close(files->entries[i]->file);
        FREE_ALL(files->entries[i]->refused, files->entries[i]);
    }
    name_index_clear(&files->numbers);
    free(files->entries);
    *files = (struct files){0};
}
