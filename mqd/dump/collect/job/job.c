/*
 * job.c - the MPI jobs that run on this machine, and which processes their ranks are.
 */
#include "mqd/dump/collect/job/job.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/reason.h"

/* Processes start and end while they are listed. So a chain of parents may be wrong, and may even have a loop. */
enum { MAX_GENERATIONS = 1000 };

/* A process may have any values in its environment. No real job has so many ranks. */
enum { MAX_RANKS = 16 * 1000 * 1000 };

/* All processes. */

static int compare_pids(const void *a, const void *b)
{
    const struct job_process *x = a, *y = b;

    return (x->pid > y->pid) - (x->pid < y->pid);
}

const struct job_process *jobs_process(const struct jobs *jobs, pid_t pid)
{
    const struct job_process wanted = {.pid = pid};

    if (jobs->n_processes == 0)
        return NULL;
    return bsearch(&wanted, jobs->processes, jobs->n_processes, sizeof wanted, compare_pids);
}

static bool read_status(const char *directory, struct job_process *process)
{
    char *path = format_text("%s/status", directory);
    struct proc_status status;
    size_t size;
    char *text = proc_read_file(path, &size);
    bool good = text != NULL && proc_parse_status(text, &status) && status.state != 'Z' && status.state != 'X';

    free(path);
    free(text);
    if (!good)
        return false;
    process->parent = status.parent;
    process->user = status.user;
    memcpy(process->name, status.name, sizeof process->name);
    return true;
}

static uint64_t read_start_time(const char *directory)
{
    char *path = format_text("%s/stat", directory);
    size_t size;
    char *text = proc_read_file(path, &size);
    uint64_t start = text != NULL ? proc_parse_start_time(text) : 0;

    free(path);
    free(text);
    return start;
}

static bool has_launch(const struct job_process *process)
{
    return process->launch.rank >= 0 && process->launch.job[0] != '\0';
}

/* Is it the library of the C interface? Its name does not say whether it is Open MPI's. */
static bool is_mpi_library(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;

    return (strncmp(name, "libmpi", 6) == 0 || strncmp(name, "libopen_mpi", 11) == 0) && strstr(name, ".so") != NULL;
}

/* Does a process have such a library, by its maps? */
enum mpi_library { NO_LIBRARY, LIBRARY, DELETED_LIBRARY };

static enum mpi_library find_mpi_library(const char *directory)
{
    char *path = format_text("%s/maps", directory), *line, *rest;
    enum mpi_library found = NO_LIBRARY;
    size_t size;
    char *text = proc_read_file(path, &size);

    free(path);
    rest = text;
    while (found == NO_LIBRARY && (line = strsep(&rest, "\n")) != NULL) {
        struct map_line map;

        if (proc_parse_map_line(line, &map) && is_mpi_library(map.path))
            found = map.deleted ? DELETED_LIBRARY : LIBRARY;
    }
    free(text);
    return found;
}

/*
 * Opens files only if the environment or the name of a mapped file makes an MPI program likely. A library that was
 * replaced since it was loaded has no symbols any more; its name decides.
 */
static void look_for_mpi(struct job_process *process, const char *directory, job_probe *has_mpi, void *context)
{
    enum mpi_library library = find_mpi_library(directory);

    if (!has_launch(process) && library == NO_LIBRARY)
        return;
    process->has_mpi = has_mpi(context, process->pid) || (has_launch(process) && library == DELETED_LIBRARY);
    if (process->has_mpi)
        process->executable = proc_executable_of(directory);
}

static bool read_processes(struct jobs *jobs, const char *proc, uid_t user, job_probe *has_mpi, void *context,
                           char **why)
{
    const struct dirent *entry;
    DIR *all = opendir(proc);

    if (all == NULL)
        return set_reason(why, "cannot look for jobs: %s: %s", proc, strerror(errno));
    while ((entry = readdir(all)) != NULL) {
        struct job_process process = {.pid = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : 0};
        char *directory = format_text("%s/%d", proc, (int)process.pid);

        process.launch = proc_no_launch();
        if (process.pid > 0 && read_status(directory, &process)) {
            process.start = read_start_time(directory);
            if (user != 0 && process.user != user)
                ;
            else if ((process.has_environment = proc_read_launch(directory, &process.launch)))
                look_for_mpi(&process, directory, has_mpi, context);
            else if (errno == EACCES || errno == EPERM)
                jobs->n_unreadable++;
            jobs->processes =
                grow_array(jobs->processes, jobs->n_processes, &jobs->process_room, sizeof *jobs->processes);
            jobs->processes[jobs->n_processes++] = process;
        }
        free(directory);
    }
    closedir(all);
    if (jobs->n_processes > 0)
        qsort(jobs->processes, jobs->n_processes, sizeof *jobs->processes, compare_pids);
    return true;
}

bool job_has_open_mpi(void *files, pid_t pid)
{
    struct process process = {.pid = pid, .reader = pid, .memory = -1};
    struct modules modules = {0};
    char *why = NULL;
    uint64_t address;
    bool found = modules_read(&modules, files, &process, NULL, &why) &&
                 modules_find_symbol(&modules, "ompi_mpi_communicators", &address);

    modules_clear(&modules);
    process_close(&process);
    free(why);
    return found;
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
    static const char *const launchers[] = {"mpirun", "mpiexec", "orterun", "oshrun", "prun", "prterun",
                                            "prte", "orted", "prted", "srun", "slurmstepd"};

    if (process->pid != 1)
        return strcmp(process->name, "systemd") != 0;
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
        if (strcmp(process->name, launchers[i]) == 0)
            return true;
    return false;
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
    struct job *job;

    for (size_t i = 0; has_launch(process) && i < jobs->n; i++)
        if (jobs->jobs[i].user == process->user && strcmp(jobs->jobs[i].name, process->launch.job) == 0)
            return &jobs->jobs[i];
    jobs->jobs = grow_array(jobs->jobs, jobs->n, &jobs->room, sizeof *jobs->jobs);
    job = &jobs->jobs[jobs->n++];
    *job = (struct job){.name = has_launch(process) ? process->launch.job : "", .user = process->user, .size = -1,
                        .local_size = -1, .start = process->start};
    return job;
}

static bool has_number(const struct job *job, int rank)
{
    for (size_t i = 0; i < job->n; i++)
        if (job->ranks[i].rank == rank)
            return true;
    return false;
}

/* Among processes that have not started each other the oldest is the rank. They come in the order of their age. */
static void add_rank(struct jobs *jobs, const struct job_process *process)
{
    struct job *job = job_of(jobs, process);
    bool launched = has_launch(process);

    if (launched && has_number(job, process->launch.rank))
        return;
    if (launched && process->launch.size > job->size && process->launch.size <= MAX_RANKS)
        job->size = process->launch.size;
    if (launched && process->launch.local_size > job->local_size)
        job->local_size = process->launch.local_size;
    job->ranks = grow_array(job->ranks, job->n, &job->room, sizeof *job->ranks);
    job->ranks[job->n++] = (struct job_rank){
        .rank = launched ? process->launch.rank : -1, .pid = process->pid, .start = process->start,
        .launcher = launched ? launcher_of(jobs, process) : 0, .executable = process->executable};
}

static int compare_age(const void *a, const void *b)
{
    const struct job_process *x = *(const struct job_process *const *)a, *y = *(const struct job_process *const *)b;

    return x->start != y->start ? (x->start > y->start) - (x->start < y->start) : compare_pids(x, y);
}

static int compare_ranks(const void *a, const void *b)
{
    const struct job_rank *x = a, *y = b;

    return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank) : (x->pid > y->pid) - (x->pid < y->pid);
}

bool jobs_find(struct jobs *jobs, const char *proc, uid_t user, job_probe *has_mpi, void *context, char **why)
{
    const struct job_process **by_age;
    size_t n = 0;

    *jobs = (struct jobs){0};
    if (!read_processes(jobs, proc, user, has_mpi, context, why))
        return false;
    by_age = allocate_array(jobs->n_processes, sizeof *by_age);
    for (size_t i = 0; i < jobs->n_processes; i++)
        if (jobs->processes[i].has_mpi && !is_below_same_rank(jobs, &jobs->processes[i]))
            by_age[n++] = &jobs->processes[i];
    qsort(by_age, n, sizeof *by_age, compare_age);
    for (size_t i = 0; i < n; i++)
        add_rank(jobs, by_age[i]);
    free(by_age);
    for (size_t i = 0; i < jobs->n; i++)
        qsort(jobs->jobs[i].ranks, jobs->jobs[i].n, sizeof *jobs->jobs[i].ranks, compare_ranks);
    return true;
}

void jobs_free(struct jobs *jobs)
{
    for (size_t i = 0; i < jobs->n; i++)
        free(jobs->jobs[i].ranks);
    for (size_t i = 0; i < jobs->n_processes; i++)
        free(jobs->processes[i].executable);
    free(jobs->jobs);
    free(jobs->processes);
    *jobs = (struct jobs){0};
}

bool job_has_rank(const struct job *job, pid_t pid)
{
    for (size_t i = 0; i < job->n; i++)
        if (job->ranks[i].pid == pid)
            return true;
    return false;
}

bool job_has_launcher(const struct job *job, pid_t pid)
{
    for (size_t i = 0; i < job->n; i++)
        if (job->ranks[i].launcher == pid)
            return true;
    return false;
}

pid_t job_launcher(const struct job *job)
{
    for (size_t i = 0; i < job->n; i++)
        if (job->ranks[i].launcher != 0)
            return job->ranks[i].launcher;
    return 0;
}
