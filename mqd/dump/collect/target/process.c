/*
 * process.c - a live process: stopped while it is read, let go afterwards.
 */
#include "mqd/dump/collect/target/process.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/reason.h"

/* A thread that waits for a disk or a network file system stops late; one that a dead server keeps never does. */
static const double seconds_to_stop = 3;

/* How often new threads are looked for: each round that finds some has stopped all that could have made them. */
enum { MAX_ROUNDS = 1000 };

static const char scope_file[] = "/proc/sys/kernel/yama/ptrace_scope";

/* Reasons. */

static char *user_name(uid_t user)
{
    const struct passwd *entry = getpwuid(user);

    return entry != NULL ? format_text("%s", entry->pw_name) : format_text("with the id %lu", (unsigned long)user);
}

static char *explain_tracer(pid_t tracer)
{
    struct proc_status status;

    if (!proc_read_status(tracer, &status))
        snprintf(status.name, sizeof status.name, "unknown");
    return format_text(
        "it is being traced by process %d (%s): a process can have one tracer only: detach that one first, "
        "or read the process without stopping it, with --no-stop",
        (int)tracer, status.name);
}

static char *explain_user(uid_t user)
{
    char *name = user_name(user);
    char *text = format_text("it belongs to the user %s: run mqdump as that user or as root", name);

    free(name);
    return text;
}

char *process_explain_refusal(const struct proc_status *status, uid_t tracer_user, int ptrace_scope)
{
    if (status->tracer != 0)
        return explain_tracer(status->tracer);
    if (ptrace_scope >= 3)
        return format_text("it cannot be traced: this system forbids that to everybody until it is booted again "
                           "(kernel.yama.ptrace_scope is %d)", ptrace_scope);
    if (tracer_user != 0 && status->user != tracer_user)
        return explain_user(status->user);
    if (tracer_user != 0 && ptrace_scope > 0)
        return format_text("it cannot be traced: this system lets only %s do that (kernel.yama.ptrace_scope is %d): "
                           "run mqdump as root%s", ptrace_scope == 1 ? "ancestors of a process" : "root", ptrace_scope,
                           ptrace_scope == 1 ? ", or set it to 0 with sysctl" : "");
    return format_text("it cannot be traced: the system does not permit it (mqdump runs in a container without the "
                       "capability SYS_PTRACE, or the program is protected): run mqdump as root outside of containers");
}

static int read_ptrace_scope(void)
{
    size_t size;
    char *text = proc_read_file(scope_file, &size);
    int scope = text != NULL ? atoi(text) : -1;

    free(text);
    return scope;
}

char *process_explain(pid_t pid)
{
    struct proc_status status;

    if (!proc_read_status(pid, &status))
        return copy_string("it has ended");
    return process_explain_refusal(&status, geteuid(), read_ptrace_scope());
}

static bool refused(char **why, pid_t pid)
{
    char *reason = process_explain(pid);

    set_reason(why, "%s", reason);
    free(reason);
    return false;
}

/* Threads. */

static struct thread *find_thread(struct process *process, pid_t id)
{
    for (size_t i = 0; i < process->n_threads; i++)
        if (process->threads[i].id == id)
            return &process->threads[i];
    return NULL;
}

static bool has_ended(pid_t thread)
{
    struct proc_status status;

    return !proc_read_status(thread, &status) || status.state == 'Z' || status.state == 'X';
}

/* To be said of a process that was not dead when it was taken up. */
static bool fail_ended(const struct process *process, char **why)
{
    return set_reason(why, process->n_threads > 0 ? "it died while it was read" : "it has ended");
}

static bool seize(struct process *process, pid_t id, char **why)
{
    struct thread *thread;

    if (ptrace(PTRACE_SEIZE, id, NULL, NULL) != 0) {
        if (has_ended(id))
            return true;
        return refused(why, id);
    }
    process->threads =
        grow_array(process->threads, process->n_threads, &process->thread_room, sizeof *process->threads);
    thread = &process->threads[process->n_threads++];
    *thread = (struct thread){.id = id};
    /* Fails only if the thread has just ended, which waiting for it tells. */
    ptrace(PTRACE_INTERRUPT, id, NULL, NULL);
    return true;
}

/* Calls `seize` for every thread that is not held yet; *n_new counts them. */
static bool seize_threads(struct process *process, size_t *n_new, char **why)
{
    size_t n_before = process->n_threads;
    const struct dirent *entry;
    bool good = true;
    char path[64];
    DIR *threads;

    snprintf(path, sizeof path, "/proc/%d/task", (int)process->pid);
    threads = opendir(path);
    if (threads == NULL)
        return fail_ended(process, why);
    while (good && (entry = readdir(threads)) != NULL) {
        pid_t id = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : 0;

        if (id > 0 && find_thread(process, id) == NULL)
            good = seize(process, id, why);
    }
    closedir(threads);
    *n_new = process->n_threads - n_before;
    return good;
}

static void note_end(struct process *process, struct thread *thread, int status)
{
    thread->gone = true;
    thread->stopped = false;
    if (WIFSIGNALED(status)) {
        process->dead = true;
        process->death_signal = WTERMSIG(status);
    } else if (thread->id == process->pid) {
        process->dead = true;
    }
}

/* Takes note of what waitpid says of a thread, if it says something. */
static void look_at(struct process *process, struct thread *thread)
{
    int status;
    pid_t got = waitpid(thread->id, &status, __WALL | WNOHANG);

    if (got < 0 && errno == ECHILD) {
        thread->gone = true;
        thread->stopped = false;
    } else if (got == thread->id && WIFSTOPPED(status)) {
        thread->stopped = true;
        /* A stop that is no ptrace event is a signal on its way: it has not been delivered yet. */
        thread->signal = status >> 16 == 0 ? WSTOPSIG(status) : 0;
    } else if (got == thread->id) {
        note_end(process, thread, status);
    }
}

/* The end of a main thread is not reported before the others have ended, and been waited for. */
static bool is_awaited(const struct process *process, const struct thread *thread)
{
    return !thread->stopped && !thread->gone && !(thread->id == process->pid && has_ended(thread->id));
}

/*
 * Looks at all threads, since they may wait for each other: the first that is still awaited, NULL if none is. The main
 * thread, which is mostly the first, comes last.
 */
static const struct thread *look_at_all(struct process *process)
{
    const struct thread *awaited = NULL;

    for (size_t i = process->n_threads; i-- > 0;) {
        struct thread *thread = &process->threads[i];

        if (!thread->stopped && !thread->gone)
            look_at(process, thread);
        if (is_awaited(process, thread))
            awaited = thread;
    }
    return awaited;
}

static bool wait_stopped(struct process *process, char **why)
{
    struct timespec pause = {.tv_nsec = 20000};
    const struct thread *awaited;
    struct proc_status status;

    while ((awaited = look_at_all(process)) != NULL && seconds_now() <= process->deadline) {
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 5000000)
            pause.tv_nsec *= 2;
    }
    if (awaited == NULL)
        return true;
    if (!proc_read_status(awaited->id, &status))
        status.state = '?';
    return set_reason(why,
                      "its thread %d did not stop within %.0f seconds (the thread's state is %c; D means that it waits "
                      "for a device or a file server, or for a child of vfork): try again",
                      (int)awaited->id, seconds_to_stop, status.state);
}

bool process_was_replaced(const struct process *process, char **why)
{
    uint64_t start = process->start != 0 ? proc_read_start_time(process->pid) : 0;
    struct proc_status status;

    if (start == 0 || start == process->start)
        return false;
    if (!proc_read_status(process->pid, &status))
        snprintf(status.name, sizeof status.name, "unknown");
    set_reason(why, "it has ended: its process id was given to another process (%s) since", status.name);
    return true;
}

bool process_stop(struct process *process, char **why)
{
    size_t n_new;

    if (process_was_replaced(process, why))
        return false;
    if (process->runs || process->core != NULL)
        return true;
    process->deadline = seconds_now() + seconds_to_stop;
    return seize_threads(process, &n_new, why);
}

/* As find_live_thread, but of those that are held. */
static bool choose_reader(struct process *process, char **why)
{
    const struct thread *main_thread = find_thread(process, process->pid);

    if (main_thread != NULL && main_thread->stopped) {
        process->reader = main_thread->id;
        return true;
    }
    for (size_t i = 0; i < process->n_threads; i++) {
        if (process->threads[i].stopped) {
            process->reader = process->threads[i].id;
            return true;
        }
    }
    return fail_ended(process, why);
}

bool process_wait_stopped(struct process *process, char **why)
{
    size_t n_new = 1;

    if (process->runs || process->core != NULL)
        return true;
    for (int round = 0; n_new > 0; round++) {
        if (round == MAX_ROUNDS)
            return set_reason(why, "it makes new threads faster than they can be stopped: try again");
        if (!wait_stopped(process, why) || !seize_threads(process, &n_new, why))
            return false;
    }
    /* Another process may have got the number just before it was seized; from then on none can. */
    return !process_was_replaced(process, why) && choose_reader(process, why);
}

/*
 * A thread that was killed while it was held cannot be detached; waiting for it lets its real parent know of its end.
 * One that stops only now may have a signal on its way, so it is looked at first.
 */
static void let_go(struct process *process, struct thread *thread)
{
    if (!thread->stopped)
        look_at(process, thread);
    if (!thread->stopped)
        return;
    thread->gone = ptrace(PTRACE_DETACH, thread->id, NULL, (void *)(intptr_t)thread->signal) == 0;
    thread->stopped = false;
    if (!thread->gone)
        look_at(process, thread);
}

bool process_let_go(struct process *process)
{
    bool all = true;

    for (size_t i = process->n_threads; i-- > 0;) {
        struct thread *thread = &process->threads[i];

        if (!thread->gone)
            let_go(process, thread);
        all &= !is_awaited(process, thread);
    }
    if (all)
        process->n_threads = 0;
    return all;
}

double process_cpu_seconds(pid_t pid)
{
    struct timespec used;
    clockid_t clock;

    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0)
        return 0;
    return (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
}

/* Memory. */

static enum read_result read_result_of(struct process *process, int error)
{
    if (error != ESRCH)
        return READ_BAD_ADDRESS;
    process->dead = true;
    return READ_PROCESS_GONE;
}

static enum read_result read_through_file(struct process *process, uint64_t address, void *buffer, size_t size)
{
    char path[64];
    ssize_t got;

    if (process->memory < 0) {
        snprintf(path, sizeof path, "/proc/%d/mem", (int)process->reader);
        process->memory = open(path, O_RDONLY | O_CLOEXEC);
        if (process->memory < 0)
            return read_result_of(process, errno);
    }
    got = pread(process->memory, buffer, size, (off_t)address);
    if (got == 0 && size > 0)
        return read_result_of(process, ESRCH);
    return got >= 0 && (size_t)got == size ? READ_OK : READ_BAD_ADDRESS;
}

enum read_result process_read(struct process *process, uint64_t address, void *buffer, size_t size)
{
    struct iovec local = {.iov_base = buffer, .iov_len = size};
    struct iovec remote = {.iov_base = (void *)(uintptr_t)address, .iov_len = size};
    ssize_t got;

    if (process->core != NULL)
        return core_read(process->core, address, buffer, size) ? READ_OK : READ_BAD_ADDRESS;
    if (process->memory >= 0)
        return read_through_file(process, address, buffer, size);
    got = process_vm_readv(process->reader, &local, 1, &remote, 1, 0);
    if (got >= 0)
        return (size_t)got == size ? READ_OK : READ_BAD_ADDRESS;
    if (errno == ENOSYS || errno == EPERM)
        return read_through_file(process, address, buffer, size);
    return read_result_of(process, errno);
}

/* Opening. */

/* The main thread may have ended before the others; its memory is gone then, theirs is not. 0 if all have. */
static pid_t find_live_thread(pid_t pid)
{
    const struct dirent *entry;
    pid_t found = 0;
    char path[64];
    DIR *threads;

    if (!has_ended(pid))
        return pid;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    threads = opendir(path);
    if (threads == NULL)
        return 0;
    while (found == 0 && (entry = readdir(threads)) != NULL) {
        pid_t id = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : 0;

        if (id > 0 && !has_ended(id))
            found = id;
    }
    closedir(threads);
    return found;
}

bool process_is_gone(pid_t pid)
{
    return find_live_thread(pid) == 0;
}

/* Memory is given back before the end shows elsewhere. */
bool process_has_ended(const struct process *process)
{
    char *maps;
    bool ended;
    size_t size;

    if (process->core != NULL)
        return false;
    if (has_ended(process->reader))
        return true;
    errno = 0;
    maps = proc_read(process->reader, "maps", &size);
    ended = maps != NULL ? size == 0 : errno == ENOENT || errno == ESRCH;
    free(maps);
    return ended;
}

static bool open_live(struct process *process, struct process_id id, bool runs, char **why)
{
    struct proc_status status;
    pid_t pid = id.pid;

    *process = (struct process){.pid = pid, .reader = pid, .memory = -1, .runs = runs,
                                .start = id.start != 0 ? id.start : proc_read_start_time(pid)};
    if (process_was_replaced(process, why))
        return false;
    if (!proc_read_status(pid, &status))
        return set_reason(why, "there is no such process: give the pids of ranks that run on this machine");
    if (status.process != pid)
        return set_reason(why, "it is a thread of process %d (%s): give that pid", (int)status.process, status.name);
    if (pid == getpid())
        return set_reason(why, "it is mqdump itself: give the pids of ranks");
    process->reader = find_live_thread(pid);
    if (process->reader == 0)
        return set_reason(why,
                          "it (%s) has ended and only waits for its parent %d to collect its status: there is nothing "
                          "left to read",
                          status.name, (int)status.parent);
    if (!runs && status.tracer != 0)
        return refused(why, pid);
    return true;
}

bool process_open(struct process *process, struct process_id id, char **why)
{
    return open_live(process, id, false, why);
}

bool process_open_running(struct process *process, struct process_id id, char **why)
{
    return open_live(process, id, true, why);
}

bool process_open_core(struct process *process, const char *path, char **why)
{
    *process = (struct process){.memory = -1, .core = core_open(path, why)};
    if (process->core == NULL)
        return false;
    process->pid = process->core->pid;
    return true;
}

void process_close(struct process *process)
{
    core_close(process->core);
    process->core = NULL;
    process_let_go(process);
    if (process->memory >= 0)
        close(process->memory);
    process->memory = -1;
    free(process->threads);
    process->threads = NULL;
}
