/*
 * launcher.c - what a launcher's memory, files, environment and children say of where its ranks are.
 */
#include "mqd/dump/collect/job/launcher.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/host_list.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/collect/job/daemon_arguments.h"
#include "mqd/dump/collect/job/job_family.h"
#include "mqd/dump/collect/job/node_regex.h"
#include "mqd/dump/collect/job/proctable.h"
#include "mqd/dump/collect/job/rendezvous.h"
#include "mqd/dump/collect/target/modules.h"
#include "mqd/dump/collect/target/proc.h"
#include "mqd/dump/collect/target/process.h"

enum {
    MAX_TEXT = 8 * 1024 * 1024,    /* of a process's environment or arguments: the kernel takes no more */
    MAX_DESCENT = 4                /* shells between a launcher and what it starts */
};

/* What is found of one launcher. */
struct look {
    struct launcher_table *table;
    struct host_list hosts;        /* of one source */
    long n_daemons;                /* as the daemons' arguments say; 0: unknown */
};

static void take_hosts(struct look *look, const char *means, bool complete)
{
    for (size_t i = 0; i < look->hosts.n; i++)
        job_hosts_add(&look->table->hosts, look->hosts.names[i]);
    launcher_table_set_means(look->table, means, complete);
    host_list_clear(&look->hosts);
}

/* Its memory. */

static void find_in_memory(struct look *look, struct files *files, pid_t pid)
{
    RELEASED_BY(process_close) struct process process = {.pid = pid, .reader = pid, .memory = -1};
    RELEASED_BY(modules_clear) struct modules modules = {0};
    OWNED char *regex = NULL;

    if (modules_read(&modules, files, &process, NULL, &look->table->problem)) {
        if (!proctable_read(look->table, &process, &modules, &look->table->problem))
            job_hosts_clear(&look->table->hosts);
        regex = proctable_read_nodes(&process, &modules);
    }
    if (look->table->hosts.n > 0)
        launcher_table_set_means(look->table, "MPIR_proctable", true);
    else if (regex != NULL && node_regex_read(&look->hosts, regex))
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
        host_list_read_names(&look->hosts, arguments->hosts, &why);
}

static void read_arguments(struct look *look, pid_t pid)
{
    OWNED char *path = format_text("/proc/%d/cmdline", (int)pid);
    RELEASED_BY(daemon_arguments_clear) struct daemon_arguments arguments = {0};
    size_t n;
    OWNED char *block = proc_read_start(path, MAX_TEXT, &n);

    if (block != NULL && daemon_arguments_read(&arguments, block, n))
        take_arguments(look, &arguments);
}

struct child_of {
    pid_t pid, parent;
};

static int compare_children(const void *a, const void *b)
{
    const struct child_of *x = a, *y = b;

    return ORDER(x->pid, y->pid);
}

static struct child_of *list_processes(size_t *n)
{
    struct child_of *all = NULL;
    const struct dirent *entry;
    DIR *proc = opendir("/proc");
    struct proc_status status;
    size_t room = 0;

    *n = 0;
    while (proc != NULL && (entry = readdir(proc)) != NULL) {
        pid_t pid = isdigit((unsigned char)*entry->d_name) ? atoi(entry->d_name) : 0;

        if (pid > 0 && proc_read_status(pid, &status))
            APPEND(all, *n, room, (struct child_of){.pid = pid, .parent = status.parent});
    }
    if (proc != NULL)
        closedir(proc);
    SORT(all, *n, compare_children);
    return all;
}

static bool descends(const struct child_of *all, size_t n, const struct child_of *process, pid_t launcher)
{
    for (int i = 0; process != NULL && i < MAX_DESCENT; i++) {
        if (process->parent == launcher)
            return true;
        process = search_array(&(struct child_of){.pid = process->parent}, all, n, sizeof *all, compare_children);
    }
    return false;
}

static void find_daemons(struct look *look, pid_t pid)
{
    size_t n;
    OWNED struct child_of *all = list_processes(&n);

    read_arguments(look, pid);
    for (size_t i = 0; i < n; i++)
        if (descends(all, n, &all[i], pid))
            read_arguments(look, all[i].pid);
}

/* One of the daemons is the launcher. Daemons start others too, of which only they know. */
static void take_daemons(struct look *look)
{
    if (look->hosts.n > 0 && look->table->hosts.n == 0)
        take_hosts(look, "commands that started its daemons",
                   look->n_daemons > 0 && look->hosts.n + 1 >= (size_t)look->n_daemons);
    host_list_clear(&look->hosts);
}

/* Its environment. */

static long read_number(const char *text)
{
    char *end;
    long number;

    if (text == NULL || !isdigit((unsigned char)*text))
        return 0;
    errno = 0;
    number = strtol(text, &end, 10);
    return errno == 0 && *end == '\0' ? number : 0;
}

/* Of ranks that srun has started. The step of mpirun's daemons lacks the host of mpirun, which has ranks too. */
static bool is_of_step(const char *block, size_t n)
{
    const char *name = proc_environment_value(block, n, "PMIX_NAMESPACE");

    return name != NULL && strncmp(name, "slurm.", 6) == 0;
}

static void find_slurm(struct look *look, pid_t pid)
{
    OWNED char *path = format_text("/proc/%d/environ", (int)pid), *why = NULL;
    const char *nodes = NULL, *list = "SLURM_JOB_NODELIST";
    size_t n;
    OWNED char *block = proc_read_start(path, MAX_TEXT, &n);

    if (block == NULL)
        return;
    if (look->table->slurm_job == 0)
        look->table->slurm_job = read_number(proc_environment_value(block, n, "SLURM_JOB_ID"));
    if (is_of_step(block, n))
        list = "SLURM_STEP_NODELIST";
    if (look->table->slurm_job != 0)
        nodes = proc_environment_value(block, n, list);
    if (look->table->hosts.n == 0 && nodes != NULL && host_list_read_names(&look->hosts, nodes, &why))
        take_hosts(look, list, true);
    host_list_clear(&look->hosts);
}

void launcher_look(struct launcher_table *table, struct files *files, pid_t pid)
{
    struct look look = {.table = table};
    OWNED char *directory = format_text("/proc/%d", (int)pid);

    find_in_memory(&look, files, pid);
    find_daemons(&look, pid);
    if (table->hosts.n == 0)
        table->server = rendezvous_find(directory, &table->problem);
    if (table->server != NULL && table->daemons == NULL)
        table->daemons = rendezvous_namespace(table->server);
    take_daemons(&look);
    find_slurm(&look, pid);
}
