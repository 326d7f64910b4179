/*
 * files.c - the program and library files that were opened.
 */
#include "mqd/dump/collect/target/files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mqd/dump/base/memory.h"

bool file_deserves_debug_file(const char *path)
{
    static const char *const parts[] = {"libmpi", "libopen-", "libopen_", "mca_"};
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(name, parts[i]) != NULL)
            return true;
    return false;
}

struct file_entry *files_find(const struct files *files, uint64_t device, uint64_t inode)
{
    for (size_t i = 0; i < files->n; i++)
        if (files->entries[i].device == device && files->entries[i].inode == inode)
            return &files->entries[i];
    return NULL;
}

struct file_entry *files_add(struct files *files, uint64_t device, uint64_t inode)
{
    files->entries = grow_array(files->entries, files->n, &files->room, sizeof *files->entries);
    files->entries[files->n] = (struct file_entry){.device = device, .inode = inode};
    return &files->entries[files->n++];
}

struct elf_file *files_take(struct files *files, int descriptor, const char *path)
{
    struct file_entry *entry;
    struct stat info;

    if (fstat(descriptor, &info) != 0) {
        close(descriptor);
        return NULL;
    }
    entry = files_find(files, info.st_dev, info.st_ino);
    if (entry != NULL && entry->opened) {
        close(descriptor);
        return entry->file;
    }
    if (entry == NULL)
        entry = files_add(files, info.st_dev, info.st_ino);
    entry->opened = true;
    entry->file = elf_file_open(descriptor, path, file_deserves_debug_file(path));
    return entry->file;
}

void files_close(struct files *files)
{
    for (size_t i = 0; i < files->n; i++)
        elf_file_close(files->entries[i].file);
    free(files->entries);
    *files = (struct files){0};
}
