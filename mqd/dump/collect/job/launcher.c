/*
 * launcher.c - what a launcher's memory, files, environment and children say of where its ranks are.
 *
 * The MPIR interface for debuggers defines an array of {char *host_name; char *executable_name; int pid;}.
 */
#include "mqd/dump/collect/job/launcher.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/name_list.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/text_stream.h"
#include "mqd/dump/collect/job/launchers.h"
#include "mqd/dump/collect/job/pmix.h"

/* What its memory says. */

enum {
    MAX_RANKS = 1000 * 1000,       /* no mpirun with such a table has started more */
    CHUNK = 1024,                  /* entries that are read at once */
    PAGE = 4096,                   /* the least that is readable as a whole on any system */
    MAX_NODES = 4 * 1024 * 1024    /* bytes of the names of all nodes */
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

static bool read_table(struct job_hosts *hosts, struct process *process, uint64_t address, int32_t n, char **why)
{
    if (n < 0 || n > MAX_RANKS)
        return set_reason(why, "its MPIR_proctable_size is %d, which cannot be", (int)n);
    for (size_t first = 0; first < (size_t)n; first += CHUNK)
        if (!read_entries(hosts, process, address, first, (size_t)n - first < CHUNK ? (size_t)n - first : CHUNK))
            return set_reason(why, "its MPIR_proctable cannot be read");
    return true;
}

static bool find_variable(const struct modules *modules, const char *name, uint64_t *symbol)
{
    return modules->n > 0 && modules->modules[0].file->is_64_bit &&
           modules_find_symbol(modules, name, symbol);
}

/* The value of a variable that points to something; false: there is none. */
static bool read_pointer(struct process *process, const struct modules *modules, const char *name, uint64_t *value)
{
    uint64_t symbol;

    *value = 0;
    return find_variable(modules, name, &symbol) &&
           process_read(process, symbol, value, sizeof *value) == READ_OK && *value != 0;
}

/* srun has its numbers as texts. */
static void read_text_variable(struct process *process, const struct modules *modules, const char *name, char *text,
                               size_t room)
{
    uint64_t address;

    *text = '\0';
    if (read_pointer(process, modules, name, &address))
        read_string(process, address, text, room);
}

static void name_job_of_slurm(struct launcher_table *table, struct process *process, const struct modules *modules)
{
    char job[32], step[32];

    read_text_variable(process, modules, "totalview_jobid", job, sizeof job);
    read_text_variable(process, modules, "totalview_stepid", step, sizeof step);
    if (number_of(job, INT_MAX) < 0 || number_of(step, INT_MAX) < 0)
        return;
    words_add(&table->jobs, format_text("slurm.pmix.%s.%s", job, step));
    table->hosts.slurm_job = (long)number_of(job, INT_MAX);
}

/* Has this launcher started another launcher's daemons? */
static bool is_of_daemons(struct process *process, uint64_t table)
{
    uint64_t executable = 0;
    char path[PAGE];

    if (process_read(process, table + sizeof table, &executable, sizeof executable) != READ_OK)
        return false;
    read_string(process, executable, path, sizeof path);
    return launcher_is_daemon(name_of_path(path));
}

bool proctable_read(struct launcher_table *table, struct process *launcher, const struct modules *modules, char **why)
{
    uint64_t table_symbol, size_symbol, address = 0;
    int32_t n = 0;

    if (!find_variable(modules, "MPIR_proctable", &table_symbol) ||
        !find_variable(modules, "MPIR_proctable_size", &size_symbol))
        return true;
    if (process_read(launcher, size_symbol, &n, sizeof n) != READ_OK ||
        process_read(launcher, table_symbol, &address, sizeof address) != READ_OK)
        return set_reason(why, "the memory with its MPIR_proctable cannot be read");
    if (n == 0 || address == 0 || is_of_daemons(launcher, address))
        return true;
    if (!read_table(&table->hosts, launcher, address, n, why))
        return false;
    if (table->hosts.n > 0)
        name_job_of_slurm(table, launcher, modules);
    return true;
}

/* The nodes that have daemons. */

/*
 * The names in the words of host_list.h: "n[2:1-4,7]", with numbers of two digits, is "n[01-04,07]". For free(); NULL:
 * they are no such names.
 */
static char *names_of_nodes(const char *text, const char *end)
{
    struct text_stream stream;
    int64_t digits = 0, number;
    OWNED char *names = NULL;
    bool good = true;

    text_stream_open(&stream);
    while (text < end && good) {
        char character = *text;

        if (digits > 0 && number_take(&text, INT_MAX, &number)) {
            fprintf(stream.to, "%0*d", (int)digits, (int)number);
            continue;
        }
        text++;
        good = character != '[' || (number_take(&text, MAX_HOST_NAME, &digits) && *text++ == ':');
        digits = character == ']' ? 0 : digits;
        putc(character, stream.to);
    }
    names = text_stream_close(&stream);
    return good ? TAKEN(names) : NULL;
}

/*
 * Reads "FIRST" or "FIRST(N)": so many nodes have daemons. The first of those that have none is written as -1. Returns
 * how many nodes it is about; 0: it is no such text.
 */
static int64_t take_node_range(const char **text, bool *have)
{
    int64_t first, n = 1;

    *have = **text != '-';
    *text += !*have;
    if (!number_take(text, INT_MAX, &first))
        return 0;
    if (**text == '(') {
        ++*text;
        if (!number_take(text, INT_MAX, &n) || *(*text)++ != ')')
            return 0;
    }
    *text += **text == ',';
    return n;
}

bool node_regex_read(struct dictionary *hosts, const char *text)
{
    const char *daemons = strchr(text, '@');
    RELEASED_BY(dictionary_clear) struct dictionary all = {0}, found = {0};
    OWNED char *names = daemons != NULL ? names_of_nodes(text, daemons) : NULL, *why = NULL;
    int64_t left = 0;
    bool have = false;

    if (names == NULL || !host_list_read(&all, names, false, &why))
        return false;
    daemons++;
    for (size_t i = 0; i < all.n; i++, left--) {
        if (left == 0 && (left = take_node_range(&daemons, &have)) == 0)
            return false;
        if (have)
            dictionary_number(&found, copy_string(all.texts[i]), NULL);
    }
    for (size_t i = 0; left == 0 && *daemons == '\0' && i < found.n; i++)
        dictionary_number(hosts, copy_string(found.texts[i]), NULL);
    return left == 0 && *daemons == '\0';
}

/* A daemon has cut its text into two at the "@" when it has read it. */
static bool read_nodes(struct dictionary *hosts, struct process *launcher, const struct modules *modules)
{
    OWNED char *text = NULL;
    uint64_t address;
    size_t n;

    if (!read_pointer(launcher, modules, "orte_node_regex", &address))
        return false;
    text = allocate_array(2 * MAX_NODES, 1);
    read_string(launcher, address, text, MAX_NODES);
    n = strlen(text);
    if (n > 0 && strchr(text, '@') == NULL) {
        text[n] = '@';
        read_string(launcher, address + n + 1, text + n + 1, MAX_NODES);
    }
    return n > 0 && node_regex_read(hosts, text);
}

/* All that is found of one launcher. */
struct look {
    struct launcher_table *table;
    struct dictionary hosts;       /* of one source */
    long n_daemons;                /* as the daemons' arguments say; 0: unknown */
};

static void take_hosts(struct look *look, const char *means, bool complete)
{
    for (size_t i = 0; i < look->hosts.n; i++)
        job_hosts_add(&look->table->hosts, look->hosts.texts[i]);
    job_hosts_set_source(&look->table->hosts, means, complete);
    dictionary_clear(&look->hosts);
}

static void find_in_memory(struct look *look, struct files *files, pid_t pid)
{
    RELEASED_BY(process_close) struct process process = {.pid = pid, .reader = pid, .memory = -1};
    RELEASED_BY(modules_clear) struct modules modules = {0};

    if (!modules_read(&modules, files, &process, NULL, NULL, &look->table->problem))
        return;
    if (!proctable_read(look->table, &process, &modules, &look->table->problem))
        job_hosts_clear(&look->table->hosts);
    if (look->table->hosts.n > 0)
        job_hosts_set_source(&look->table->hosts, "MPIR_proctable", true);
    else if (read_nodes(&look->hosts, &process, &modules))
        take_hosts(look, "orte_node_regex", true);
}

/* Its children, and itself if it is a daemon. */

static void take_arguments(struct look *look, struct daemon_arguments *arguments)
{
    OWNED char *why = NULL;

    if (look->table->daemons == NULL)
        look->table->daemons = TAKEN(arguments->name);
    else if (arguments->name == NULL || !job_family_is_one(arguments->name, look->table->daemons))
        return;
    if (arguments->n_daemons > look->n_daemons)
        look->n_daemons = arguments->n_daemons;
    if (arguments->hosts != NULL)
        host_list_read(&look->hosts, arguments->hosts, false, &why);
}

static void read_arguments(struct look *look, pid_t pid)
{
    OWNED char *directory = format_text("/proc/%d", (int)pid);
    RELEASED_BY(daemon_arguments_clear) struct daemon_arguments arguments = {0};
    size_t n;
    OWNED char *block = proc_read_strings(directory, "cmdline", &n);

    if (block != NULL && daemon_arguments_read(&arguments, block, n))
        take_arguments(look, &arguments);
}

/* One of the daemons is the launcher. Daemons start others too, of which only they know. */
static void take_daemons(struct look *look)
{
    if (look->hosts.n > 0 && look->table->hosts.n == 0)
        take_hosts(look, "commands that started its daemons",
                   look->n_daemons > 0 && look->hosts.n + 1 >= (size_t)look->n_daemons);
    dictionary_clear(&look->hosts);
}

/* Its environment. */

/* Of ranks that srun has started. The step of mpirun's daemons lacks the host of mpirun, which has ranks too. */
static bool is_of_step(const char *block, size_t n)
{
    const char *name = proc_environment_value(block, n, "PMIX_NAMESPACE");

    return name != NULL && strncmp(name, "slurm.", 6) == 0;
}

static void find_slurm(struct look *look, const char *directory)
{
    const char *nodes = NULL, *list = "SLURM_JOB_NODELIST", *job;
    size_t n;
    OWNED char *block = proc_read_strings(directory, "environ", &n), *why = NULL;

    if (block == NULL)
        return;
    job = proc_environment_value(block, n, "SLURM_JOB_ID");
    if (look->table->hosts.slurm_job == 0 && job != NULL && number_of(job, LONG_MAX) > 0)
        look->table->hosts.slurm_job = (long)number_of(job, LONG_MAX);
    if (is_of_step(block, n))
        list = "SLURM_STEP_NODELIST";
    if (look->table->hosts.slurm_job != 0)
        nodes = proc_environment_value(block, n, list);
    if (look->table->hosts.n == 0 && nodes != NULL && host_list_read(&look->hosts, nodes, false, &why))
        take_hosts(look, list, true);
    dictionary_clear(&look->hosts);
}

void launcher_look(struct launcher_table *table, struct files *files, const pid_t *pids, size_t n)
{
    struct look look = {.table = table};
    OWNED char *directory = format_text("/proc/%d", (int)pids[0]);

    find_in_memory(&look, files, pids[0]);
    for (size_t i = 0; i < n; i++)
        read_arguments(&look, pids[i]);
    if (table->hosts.n == 0)
        table->server = pmix_find(directory, &table->problem);
    if (table->server != NULL && table->daemons == NULL)
        table->daemons = pmix_namespace(table->server);
    take_daemons(&look);
    find_slurm(&look, directory);
}
