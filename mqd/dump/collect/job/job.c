/*
 * job.c - the MPI jobs that run on this machine, and which processes their ranks are.
 */
#include "mqd/dump/collect/job/job.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/name_list.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/collect/job/ask.h"
#include "mqd/dump/collect/job/launchers.h"
#include "mqd/dump/collect/target/libraries.h"

/* Processes start and end while they are listed. So a chain of parents may be wrong, and may even have a loop. */
enum { MAX_GENERATIONS = 1000 };

/* A process may have any values in its environment. No real job has so many ranks. */
enum { MAX_RANKS = 16 * 1000 * 1000 };

/* Real programs have some MB of them at most. A process can have so many, with long paths, that it takes minutes. */
enum { MAX_MAPS = 16 * 1024 * 1024 };

/* All processes. */

COMPARATOR(compare_pids, struct job_process, ORDER(x->pid, y->pid))

const struct job_process *jobs_process(const struct jobs *jobs, pid_t pid)
{
    return search_array(&(struct job_process){.pid = pid}, jobs->processes, jobs->n_processes, sizeof *jobs->processes,
                        compare_pids);
}

/* False, and errno set, if it cannot be had. What has ended has none. */
static bool read_status(const char *directory, struct job_process *process)
{
    OWNED char *text = proc_read("%s/status", directory);
    struct proc_status status;

    if (text == NULL)
        return false;
    if (!proc_parse_status(text, &status) || status.state == 'Z' || status.state == 'X') {
        errno = ENOENT;
        return false;
    }
    process->parent = status.parent;
    process->user = status.user;
    process->waits = status.state == 'D';
    memcpy(process->name, status.name, sizeof process->name);
    return true;
}

static bool has_launch(const struct job_process *process)
{
    return process->launch.rank >= 0 && process->launch.job[0] != '\0';
}

/* What the names of the mapped files say. */
enum library { NO_LIBRARY, LIBRARY, DELETED_LIBRARY, ANOTHER_LIBRARY };

/* What is asked of each process. */
struct answer {
    bool has_environment;
    int error;                 /* why this or the names of the mapped files are not known; 0: both are */
    struct proc_launch launch;
    enum library library;
};

/* Open MPI's mpirun has the second without the first, other MPI implementations the first without the second. */
static enum library find_library(char *maps)
{
    static const char *const of_mpi[] = {"libmpi.", "libmpi_", "libmpich", "libmpic++", "libmpicxx", "libmpifort",
                                         "libopen_mpi"};
    static const char *const of_open_mpi[] = {"libopen-pal", "libopen-rte", "libopen_mpi"};
    bool has_mpi = false, has_other = false, deleted = false;
    char *line, *rest = maps;

    while ((line = strsep(&rest, "\n")) != NULL) {
        struct map_line map;

        if (!proc_parse_map_line(line, &map) || strstr(map.path, ".so") == NULL)
            continue;
        if (BEGINS_WITH_ANY(name_of_path(map.path), of_mpi)) {
            has_mpi = true;
            deleted |= map.deleted;
        }
        has_other |= BEGINS_WITH_ANY(name_of_path(map.path), of_open_mpi);
    }
    if (!has_other)
        return has_mpi ? ANOTHER_LIBRARY : NO_LIBRARY;
    return !has_mpi ? NO_LIBRARY : deleted ? DELETED_LIBRARY : LIBRARY;
}

/* The processes that are asked, by user, those of each last that wait for something already. */
struct asking {
    const char *proc;
    struct jobs *jobs;
    struct job_process **processes;
    size_t n;
    job_probe *probe;
    void *context;
};

static void ask_process(void *context, size_t i, void *to)
{
    const struct asking *asking = context;
    OWNED char *directory = format_text("%s/%d", asking->proc, (int)asking->processes[i]->pid);
    struct answer *answer = to;
    OWNED char *maps = NULL;
    size_t size;

    answer->has_environment = proc_read_launch(directory, &answer->launch);
    answer->error = answer->has_environment ? 0 : errno;
    maps = answer->has_environment ? proc_read_block(MAX_MAPS, &size, "%s/maps", directory) : NULL;
    if (answer->has_environment && maps == NULL)
        answer->error = errno;
    if (maps != NULL)
        answer->library = find_library(maps);
}

COMPARATOR(compare_asked, struct job_process *, ORDER((*x)->user, (*y)->user) ?: ORDER((*x)->waits, (*y)->waits) ?:
           compare_pids(*x, *y))

static void add_asked(struct asking *asking, uid_t user)
{
    for (size_t i = 0; i < asking->jobs->n_processes; i++)
        if (user == 0 || asking->jobs->processes[i].user == user)
            asking->processes[asking->n++] = &asking->jobs->processes[i];
    SORT(asking->processes, asking->n, compare_asked);
}

/* Whoever keeps mqdump waiting does so for his own processes only. Returns the number of users. */
static size_t count_by_user(const struct asking *asking, size_t *sizes)
{
    size_t n = 0;

    for (size_t i = 0; i < asking->n; i++) {
        n += i == 0 || asking->processes[i]->user != asking->processes[i - 1]->user;
        sizes[n - 1]++;
    }
    return n;
}

static void add_not_asked(struct jobs *jobs, struct job_process *process)
{
    process->is_not_asked = true;
    if (jobs->n_not_asked == 0 || jobs->not_asked[jobs->n_not_asked - 1].user != process->user)
        APPEND(jobs->not_asked, jobs->n_not_asked, jobs->not_asked_room, (struct not_asked){.user = process->user});
    jobs->not_asked[jobs->n_not_asked - 1].n++;
}

static bool fail(char **why, int error)
{
    return set_reason(why, "cannot look for jobs: %s", strerror(error));
}

/* A library that was replaced since it was loaded has no symbols any more; its name decides if there is a launcher. */
static bool take_answer(struct jobs *jobs, struct job_process *process, const struct answer *answer, char **why)
{
    process->has_environment = answer->has_environment;
    if (answer->has_environment)
        process->launch = answer->launch;
    if (is_of_shortage(answer->error))
        return fail(why, answer->error);
    if (is_of_rights(answer->error))
        jobs->n_unreadable++;
    else if (answer->error != 0 && !is_of_end(answer->error))
        process->is_silent = true;
    process->has_mpi = answer->library == LIBRARY || (answer->library == DELETED_LIBRARY && has_launch(process));
    process->has_other_mpi = answer->library == ANOTHER_LIBRARY;
    return true;
}

/* Asks for the environments and the mapped files. */
static bool ask_processes(struct asking *asking, char **why)
{
    OWNED struct answer *answers = allocate_array(asking->n, sizeof *answers);
    OWNED enum asked *asked = allocate_array(asking->n, sizeof *asked);
    OWNED size_t *sizes = allocate_array(asking->n, sizeof *sizes);
    size_t n_users = count_by_user(asking, sizes);
    bool good = ask_all(ask_process, asking, sizes, n_users, answers, sizeof *answers, asked, why);

    for (size_t i = 0; good && i < asking->n; i++) {
        struct job_process *process = asking->processes[i];

        process->is_silent = asked[i] == ASKED_IN_VAIN;
        if (asked[i] == ASKED_NOT)
            add_not_asked(asking->jobs, process);
        good = asked[i] != ASKED_ANSWERED || take_answer(asking->jobs, process, &answers[i], why);
        asking->jobs->n_silent += process->is_silent;
    }
    return good;
}

/* Asks the probe about those of which the names do not tell. */
static void probe_processes(struct asking *asking)
{
    size_t n = 0;

    for (size_t i = 0; i < asking->n; i++)
        if (has_launch(asking->processes[i]) && !asking->processes[i]->has_mpi)
            asking->processes[n++] = asking->processes[i];
    if (n > 0)
        asking->probe(asking->context, asking->jobs, asking->processes, n);
    for (size_t i = 0; i < n; i++)
        asking->jobs->n_silent += asking->processes[i]->is_silent;
}

static void find_executables(struct jobs *jobs, const char *proc)
{
    for (size_t i = 0; i < jobs->n_processes; i++) {
        struct job_process *process = &jobs->processes[i];
        OWNED char *directory = format_text("%s/%d", proc, (int)process->pid);

        if (process->has_mpi)
            process->executable = proc_executable(directory);
    }
}

static bool list_process(struct jobs *jobs, const char *proc, pid_t pid, char **why)
{
    struct job_process process = {.pid = pid, .launch = proc_no_launch()};
    OWNED char *directory = format_text("%s/%d", proc, (int)pid);
    struct proc_stat stat;
    bool there = pid > 0 && read_status(directory, &process) && proc_read_stat(directory, &stat);
    int error = pid > 0 ? errno : ENOENT;

    if (!there)
        return is_of_end(error) || is_of_rights(error) || fail(why, error);
    process.start = stat.start;
    APPEND(jobs->processes, jobs->n_processes, jobs->process_room, process);
    return true;
}

/* What needs no memory of the process: the kernel answers that at once, whatever the process does. */
static bool list_processes(struct jobs *jobs, const char *proc, char **why)
{
    const struct dirent *entry;
    bool good = true;
    DIR *all = opendir(proc);

    if (all == NULL)
        return set_reason(why, "cannot look for jobs: %s: %s", proc, strerror(errno));
    while ((errno = 0, entry = readdir(all)) != NULL && good)
        good = !isdigit((unsigned char)entry->d_name[0]) || list_process(jobs, proc, atoi(entry->d_name), why);
    if (good && errno != 0)
        good = fail(why, errno);
    closedir(all);
    if (good)
        SORT(jobs->processes, jobs->n_processes, compare_pids);
    return good;
}

static bool read_processes(struct jobs *jobs, const char *proc, uid_t user, job_probe *probe, void *context, char **why)
{
    bool good = list_processes(jobs, proc, why);
    OWNED struct job_process **processes = allocate_array(jobs->n_processes, sizeof *processes);
    struct asking asking = {.proc = proc, .jobs = jobs, .processes = processes, .probe = probe, .context = context};

    add_asked(&asking, user);
    good = good && ask_processes(&asking, why);
    if (good)
        probe_processes(&asking);
    find_executables(jobs, proc);
    return good;
}

bool job_has_open_mpi(struct files *files, pid_t pid)
{
    RELEASED_BY(process_close) struct process process = {.pid = pid, .reader = pid, .memory = -1};
    RELEASED_BY(modules_clear) struct modules modules = {0};
    OWNED char *why = NULL;
    uint64_t address;

    return modules_read(&modules, files, &process, NULL, NULL, &why) &&
           modules_find_symbol(&modules, "ompi_mpi_communicators", &address);
}

/* Copies. */

enum { N_RANDOM_BYTES = 16 };

/* The kernel gives each program random bytes at its start. */
static bool run_the_same_program(struct process *a, struct process *b, size_t word)
{
    uint64_t address = proc_read_auxiliary(a->reader, word, AT_RANDOM);
    unsigned char of_a[N_RANDOM_BYTES], of_b[N_RANDOM_BYTES];

    return address != 0 && proc_read_auxiliary(b->reader, word, AT_RANDOM) == address &&
           process_read(a, address, of_a, sizeof of_a) == READ_OK &&
           process_read(b, address, of_b, sizeof of_b) == READ_OK && memcmp(of_a, of_b, sizeof of_a) == 0;
}

pid_t job_fork_origin(const struct modules *modules, struct process *process)
{
    size_t word = modules->modules[0].file->is_64_bit ? sizeof(uint64_t) : sizeof(uint32_t);
    RELEASED_BY(process_close) struct process parent = {.memory = -1};
    struct proc_status status;

    if (!proc_read_status(process->reader, &status) || status.parent <= 0)
        return 0;
    parent.pid = parent.reader = status.parent;
    return run_the_same_program(process, &parent, word) && active_library_was_initialised(modules, &parent)
               ? status.parent : 0;
}

const struct job_process *jobs_silent_process(const struct jobs *jobs, uid_t user)
{
    for (size_t i = 0; jobs->n_silent > 0 && i < jobs->n_processes; i++)
        if (jobs->processes[i].is_silent && jobs->processes[i].user == user)
            return &jobs->processes[i];
    return NULL;
}

/* Which processes are ranks. */

/* The parent of a process; NULL if it has ended, or is not in this container. */
static const struct job_process *parent_of(const struct jobs *jobs, const struct job_process *process)
{
    return process->parent > 0 ? jobs_process(jobs, process->parent) : NULL;
}

/*
 * Has the process started the ranks below it? The first process of a system or a container, and the manager of a
 * session, adopt the processes of others. But mpirun may be the first process of a container.
 */
static bool may_have_started(const struct job_process *process)
{
    if (process->pid != 1)
        return strcmp(process->name, "systemd") != 0;
    return launcher_is_command(process->name) || launcher_is_daemon(process->name);
}

bool jobs_is_below(const struct jobs *jobs, pid_t pid, pid_t ancestor)
{
    const struct job_process *process = jobs_process(jobs, pid);

    for (int i = 0; process != NULL && i < MAX_GENERATIONS; i++) {
        process = parent_of(jobs, process);
        if (process != NULL && process->pid == ancestor)
            return true;
    }
    return false;
}

static bool is_same_job(const struct job_process *a, const struct job_process *b)
{
    return a->user == b->user && has_launch(a) == has_launch(b) &&
           (!has_launch(a) || strcmp(a->launch.job, b->launch.job) == 0);
}

/* Without a launcher only the programs tell whether a process is a rank of its own or was forked by one. */
static bool is_same_rank(const struct job_process *a, const struct job_process *b)
{
    if (!is_same_job(a, b))
        return false;
    if (has_launch(a))
        return a->launch.rank == b->launch.rank;
    return a->executable != NULL && b->executable != NULL && strcmp(a->executable, b->executable) == 0;
}

static bool is_below_same_rank(const struct jobs *jobs, const struct job_process *process)
{
    const struct job_process *ancestor = parent_of(jobs, process);

    for (int i = 0; ancestor != NULL && ancestor != process && i < MAX_GENERATIONS;
         i++, ancestor = parent_of(jobs, ancestor))
        if (ancestor->has_mpi && is_same_rank(ancestor, process))
            return true;
    return false;
}

/*
 * The first ancestor of a rank that does not belong to the job. If the launcher has ended, this is the first process of
 * the system or the manager of the session, which adopts processes.
 */
static pid_t launcher_of(const struct jobs *jobs, const struct job_process *process)
{
    const struct job_process *ancestor = parent_of(jobs, process);

    for (int i = 0; ancestor != NULL && i < MAX_GENERATIONS; i++, ancestor = parent_of(jobs, ancestor))
        if (!is_same_job(ancestor, process))
            return may_have_started(ancestor) ? ancestor->pid : 0;
    return 0;
}

/* Jobs. */

static struct job *job_of(struct jobs *jobs, const struct job_process *process)
{
    for (size_t i = 0; has_launch(process) && i < jobs->n; i++)
        if (jobs->jobs[i].user == process->user && strcmp(jobs->jobs[i].name, process->launch.job) == 0)
            return &jobs->jobs[i];
    APPEND(jobs->jobs, jobs->n, jobs->room,
           (struct job){.name = has_launch(process) ? process->launch.job : "", .user = process->user, .size = -1,
                        .local_size = -1, .start = process->start});
    return &jobs->jobs[jobs->n - 1];
}

bool job_has_number(const struct job *job, long rank)
{
    return ANY(i, job->n, job->ranks[i].rank == rank);
}

/* Among processes that have not started each other the oldest is the rank. They come in the order of their age. */
static void add_rank(struct jobs *jobs, const struct job_process *process)
{
    struct job *job = job_of(jobs, process);
    bool launched = has_launch(process);

    if (launched && job_has_number(job, process->launch.rank))
        return;
    if (launched && process->launch.size > job->size && process->launch.size <= MAX_RANKS)
        job->size = process->launch.size;
    if (launched && process->launch.local_size > job->local_size)
        job->local_size = process->launch.local_size;
    APPEND(job->ranks, job->n, job->room,
           (struct job_rank){.rank = launched ? process->launch.rank : -1, .pid = process->pid, .start = process->start,
                             .launcher = launched ? launcher_of(jobs, process) : 0,
                             .executable = process->executable});
}

COMPARATOR(compare_age, const struct job_process *, ORDER((*x)->start, (*y)->start) ?: compare_pids(*x, *y))

COMPARATOR(compare_ranks, struct job_rank, ORDER(x->rank, y->rank) ?: ORDER(x->pid, y->pid))

bool jobs_find(struct jobs *jobs, const char *proc, uid_t user, job_probe *probe, void *context, char **why)
{
    OWNED const struct job_process **by_age = NULL;
    size_t n = 0;

    *jobs = (struct jobs){0};
    if (!read_processes(jobs, proc, user, probe, context, why))
        return false;
    by_age = allocate_array(jobs->n_processes, sizeof *by_age);
    for (size_t i = 0; i < jobs->n_processes; i++)
        if (jobs->processes[i].has_mpi && !is_below_same_rank(jobs, &jobs->processes[i]))
            by_age[n++] = &jobs->processes[i];
    SORT(by_age, n, compare_age);
    for (size_t i = 0; i < n; i++)
        add_rank(jobs, by_age[i]);
    for (size_t i = 0; i < jobs->n; i++)
        SORT(jobs->jobs[i].ranks, jobs->jobs[i].n, compare_ranks);
    return true;
}

void jobs_free(struct jobs *jobs)
{
    for (size_t i = 0; i < jobs->n; i++)
        free(jobs->jobs[i].ranks);
    for (size_t i = 0; i < jobs->n_processes; i++)
        free(jobs->processes[i].executable);
    FREE_ALL(jobs->jobs, jobs->processes, jobs->not_asked);
    *jobs = (struct jobs){0};
}

bool job_has_rank(const struct job *job, pid_t pid)
{
    return ANY(i, job->n, job->ranks[i].pid == pid);
}

bool job_has_launcher(const struct job *job, pid_t pid)
{
    return ANY(i, job->n, job->ranks[i].launcher == pid);
}

pid_t job_launcher(const struct job *job)
{
    for (size_t i = 0; i < job->n; i++)
        if (job->ranks[i].launcher != 0)
            return job->ranks[i].launcher;
    return 0;
}
