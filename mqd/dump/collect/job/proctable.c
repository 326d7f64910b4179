/*
 * proctable.c - which processes a launcher says it has started.
 *
 * The MPIR interface for debuggers defines an array of {char *host_name; char *executable_name; int pid;}.
 */
#include "mqd/dump/collect/job/proctable.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/reason.h"

enum {
    MAX_RANKS = 1000 * 1000,       /* no mpirun with such a table has started more */
    CHUNK = 1024,                  /* entries that are read at once */
    PAGE = 4096                    /* the least that is readable as a whole on any system */
};

/* Reads a string as far as it is readable, and cuts it to the room. */
static void read_string(struct process *process, uint64_t address, char *text, size_t room)
{
    size_t used = 0;

    memset(text, 0, room);
    while (address != 0 && used + 1 < room) {
        size_t size = PAGE - (size_t)(address + used) % PAGE;

        if (size > room - 1 - used)
            size = room - 1 - used;
        if (process_read(process, address + used, text + used, size) != READ_OK || memchr(text + used, '\0', size))
            return;
        used += size;
    }
}

static bool read_entries(struct proctable *table, struct process *process, uint64_t address, size_t first, size_t n)
{
    struct {
        uint64_t host, executable;
        int32_t pid, padding;
    } raw[CHUNK];

    if (process_read(process, address + first * sizeof *raw, raw, n * sizeof *raw) != READ_OK)
        return false;
    for (size_t i = 0; i < n; i++) {
        struct proctable_entry *entry = &table->entries[first + i];

        entry->pid = raw[i].pid;
        read_string(process, raw[i].host, entry->host, sizeof entry->host);
    }
    return true;
}

static bool read_table(struct proctable *table, struct process *process, uint64_t table_symbol, uint64_t size_symbol,
                       char **why)
{
    uint64_t address = 0;
    int32_t n = 0;

    if (process_read(process, size_symbol, &n, sizeof n) != READ_OK ||
        process_read(process, table_symbol, &address, sizeof address) != READ_OK)
        return set_reason(why, "the memory with its MPIR_proctable cannot be read");
    if (n == 0 || address == 0)
        return true;
    if (n < 0 || n > MAX_RANKS)
        return set_reason(why, "its MPIR_proctable_size is %d, which cannot be", (int)n);
    table->entries = allocate_array((size_t)n, sizeof *table->entries);
    for (size_t first = 0; first < (size_t)n; first += CHUNK)
        if (!read_entries(table, process, address, first, (size_t)n - first < CHUNK ? (size_t)n - first : CHUNK))
            return set_reason(why, "its MPIR_proctable cannot be read");
    table->n = (size_t)n;
    return true;
}

bool proctable_read(struct proctable *table, struct process *launcher, const struct modules *modules, char **why)
{
    uint64_t table_symbol, size_symbol;

    *table = (struct proctable){0};
    if (modules->n == 0 || !elf_file_is_64_bit(modules->modules[0].file) ||
        !modules_find_symbol(modules, "MPIR_proctable", &table_symbol) ||
        !modules_find_symbol(modules, "MPIR_proctable_size", &size_symbol))
        return true;
    return read_table(table, launcher, table_symbol, size_symbol, why);
}

bool proctable_is_this_host(const char *name)
{
    char own[256] = "";
    size_t length = strcspn(name, ".");

    if (gethostname(own, sizeof own - 1) != 0)
        return false;
    return strcspn(own, ".") == length && strncmp(name, own, length) == 0;
}
