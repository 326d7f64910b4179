/*
 * proctable.c - which processes a launcher says it has started.
 *
 * The MPIR interface for debuggers defines an array of {char *host_name; char *executable_name; int pid;}.
 */
#include "mqd/dump/collect/job/proctable.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/host_list.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/reason.h"
#include "mqd/dump/collect/job/launcher_name.h"

enum {
    MAX_RANKS = 1000 * 1000,       /* no mpirun with such a table has started more */
    CHUNK = 1024,                  /* entries that are read at once */
    PAGE = 4096,                   /* the least that is readable as a whole on any system */
    MAX_NODES = 4 * 1024 * 1024,   /* bytes of the names of all nodes */
    MAX_DIGITS = 10
};

/* Reads a string, and cuts it to the room; "" if it cannot be read. */
static void read_string(struct process *process, uint64_t address, char *text, size_t room)
{
    size_t used = 0;

    memset(text, 0, room);
    while (address != 0 && used + 1 < room) {
        size_t size = PAGE - (size_t)(address + used) % PAGE;

        if (size > room - 1 - used)
            size = room - 1 - used;
        if (process_read(process, address + used, text + used, size) != READ_OK) {
            *text = '\0';
            return;
        }
        if (memchr(text + used, '\0', size) != NULL)
            return;
        used += size;
    }
}

static void add_entry(struct job_hosts *hosts, const char *name, size_t rank, int32_t pid)
{
    struct job_host *host = job_hosts_add(hosts, name);

    if (host != NULL)
        job_host_expect(host, (struct expected_rank){.rank = (long)rank, .pid = pid > 0 ? pid : 0});
}

static bool read_entries(struct job_hosts *hosts, struct process *process, uint64_t address, size_t first, size_t n)
{
    char name[MAX_HOST_NAME + 2];
    struct {
        uint64_t host, executable;
        int32_t pid, padding;
    } raw[CHUNK];

    if (process_read(process, address + first * sizeof *raw, raw, n * sizeof *raw) != READ_OK)
        return false;
    for (size_t i = 0; i < n; i++) {
        /* Neighbours may share the text. */
        if (i == 0 || raw[i].host != raw[i - 1].host)
            read_string(process, raw[i].host, name, sizeof name);
        add_entry(hosts, name, first + i, raw[i].pid);
    }
    return true;
}

static bool read_table(struct job_hosts *hosts, struct process *process, uint64_t table_symbol, uint64_t size_symbol,
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
    for (size_t first = 0; first < (size_t)n; first += CHUNK)
        if (!read_entries(hosts, process, address, first, (size_t)n - first < CHUNK ? (size_t)n - first : CHUNK))
            return set_reason(why, "its MPIR_proctable cannot be read");
    return true;
}

/* srun has its numbers as texts. */
static bool read_text_variable(struct process *process, const struct modules *modules, const char *name, char *text,
                               size_t room)
{
    uint64_t symbol, address = 0;

    *text = '\0';
    if (modules_find_symbol(modules, name, &symbol) &&
        process_read(process, symbol, &address, sizeof address) == READ_OK)
        read_string(process, address, text, room);
    return *text != '\0';
}

static bool is_number(const char *text)
{
    return text[strspn(text, "0123456789")] == '\0' && strlen(text) <= MAX_DIGITS;
}

static void name_job_of_slurm(struct launcher_table *table, struct process *process, const struct modules *modules)
{
    OWNED char *name = NULL;
    char job[32], step[32];

    if (!read_text_variable(process, modules, "totalview_jobid", job, sizeof job) || !is_number(job) ||
        !read_text_variable(process, modules, "totalview_stepid", step, sizeof step) || !is_number(step))
        return;
    name = format_text("slurm.pmix.%s.%s", job, step);
    launcher_table_add_job(table, name);
    table->slurm_job = atol(job);
}

/* Has this launcher started another launcher's daemons? */
static bool is_of_daemons(struct process *process, uint64_t table_symbol)
{
    uint64_t address = 0, executable = 0;
    char path[PAGE];
    const char *slash;

    if (process_read(process, table_symbol, &address, sizeof address) != READ_OK || address == 0 ||
        process_read(process, address + sizeof address, &executable, sizeof executable) != READ_OK)
        return false;
    read_string(process, executable, path, sizeof path);
    slash = strrchr(path, '/');
    return launcher_name_is_daemon(slash != NULL ? slash + 1 : path);
}

bool proctable_read(struct launcher_table *table, struct process *launcher, const struct modules *modules, char **why)
{
    uint64_t table_symbol, size_symbol;

    if (modules->n == 0 || !elf_file_is_64_bit(modules->modules[0].file) ||
        !modules_find_symbol(modules, "MPIR_proctable", &table_symbol) ||
        !modules_find_symbol(modules, "MPIR_proctable_size", &size_symbol) || is_of_daemons(launcher, table_symbol))
        return true;
    if (!read_table(&table->hosts, launcher, table_symbol, size_symbol, why))
        return false;
    if (table->hosts.n > 0)
        name_job_of_slurm(table, launcher, modules);
    return true;
}

/* A daemon has cut its text into two at the "@" when it has read it. */
char *proctable_read_nodes(struct process *launcher, const struct modules *modules)
{
    OWNED char *names = NULL, *daemons = NULL;
    uint64_t symbol, address = 0;

    if (modules->n == 0 || !elf_file_is_64_bit(modules->modules[0].file) ||
        !modules_find_symbol(modules, "orte_node_regex", &symbol) ||
        process_read(launcher, symbol, &address, sizeof address) != READ_OK || address == 0)
        return NULL;
    names = allocate_array(MAX_NODES, 1);
    daemons = allocate_array(MAX_NODES, 1);
    read_string(launcher, address, names, MAX_NODES);
    if (*names != '\0' && strchr(names, '@') == NULL)
        read_string(launcher, address + strlen(names) + 1, daemons, MAX_NODES);
    return *names != '\0' ? format_text("%s%s%s", names, *daemons != '\0' ? "@" : "", daemons) : NULL;
}
