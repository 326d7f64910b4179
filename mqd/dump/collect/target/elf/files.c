/*
 * files.c - the program and library files that were opened.
 */
#include "mqd/dump/collect/target/elf/files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/name_list.h"
#include "mqd/dump/base/reason.h"

bool file_deserves_debug_file(const char *path)
{
    static const char *const parts[] = {"libmpi", "libopen-", "libopen_", "mca_"};
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;

    return HAS_ANY(name, parts);
}

/* The slot of a file, or the free one where it has to be put. Inodes are numbered in their order on most systems. */
static uint32_t *slot_of(const struct files *files, uint64_t device, uint64_t inode)
{
    size_t mask = files->n_slots - 1;
    size_t at = (size_t)((device * 0x9e3779b97f4a7c15u ^ inode) * 0x9e3779b97f4a7c15u >> 32) & mask;

    while (files->slots[at] != 0 && (files->entries[files->slots[at] - 1].device != device ||
                                     files->entries[files->slots[at] - 1].inode != inode))
        at = (at + 1) & mask;
    return &files->slots[at];
}

struct file_entry *files_find(const struct files *files, uint64_t device, uint64_t inode)
{
    uint32_t position = files->n_slots > 0 ? *slot_of(files, device, inode) : 0;

    return position > 0 ? &files->entries[position - 1] : NULL;
}

static void enlarge(struct files *files)
{
    free(files->slots);
    files->n_slots = files->n_slots > 0 ? 2 * files->n_slots : 256;
    files->slots = allocate_array(files->n_slots, sizeof *files->slots);
    for (uint32_t i = 0; i < files->n; i++)
        *slot_of(files, files->entries[i].device, files->entries[i].inode) = i + 1;
}

struct file_entry *files_add(struct files *files, uint64_t device, uint64_t inode)
{
    if (2 * (files->n + 1) > files->n_slots)
        enlarge(files);
    APPEND(files->entries, files->n, files->room, (struct file_entry){.device = device, .inode = inode});
    *slot_of(files, device, inode) = (uint32_t)files->n;
    return &files->entries[files->n - 1];
}

struct elf_file *file_entry_open(struct file_entry *entry, int descriptor, const struct file_source *source)
{
    entry->opened = true;
    entry->file = elf_file_open(descriptor, source, file_deserves_debug_file(source->path), &entry->refused);
    return entry->file;
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
        elf_file_close(files->entries[i].file);
        free(files->entries[i].refused);
    }
    FREE_ALL(files->entries, files->slots);
    *files = (struct files){0};
}
