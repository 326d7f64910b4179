/*
 * process.c - a process that is read.
 */
#include "mqd/dump/collect/target/process.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/watch.h"

/* Reasons. */

/* Why the status of a thread could not be read, by errno. */
static char *unread_status(pid_t thread)
{
    return proc_exists(thread) ? format_text("its status cannot be read: %s", strerror(errno))
                               : copy_string("it has ended");
}

char *process_phrase(pid_t pid)
{
    struct proc_status status;

    if (!proc_read_status(pid, &status))
        snprintf(status.name, sizeof status.name, "unknown");
    return format_text("process %d (%s)", (int)pid, status.name);
}

static char *explain_tracer(pid_t tracer)
{
    OWNED char *who = process_phrase(tracer);

    return format_text("it is being traced by %s%s: a process can have one tracer only: detach that one first, "
                       "or read the process without stopping it, with --no-stop", who,
                       process_is_mqdump(tracer) ? ", which has not let go of it in the time that mqdump waits" : "");
}

static char *explain_user(uid_t user)
{
    const struct passwd *entry = getpwuid(user);
    OWNED char *name =
        entry != NULL ? copy_string(entry->pw_name) : format_text("with the id %lu", (unsigned long)user);

    return format_text("it belongs to the user %s: run mqdump as that user or as root", name);
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
    OWNED char *text = proc_read("/proc/sys/kernel/yama/ptrace_scope");

    return text != NULL ? atoi(text) : -1;
}

char *process_explain(pid_t pid)
{
    struct proc_status status;

    if (!proc_read_status(pid, &status))
        return unread_status(pid);
    return process_explain_refusal(&status, geteuid(), read_ptrace_scope());
}

/* The kernel shows the registers to those only who may trace the thread, whoever does that now. */
bool process_may_read(pid_t thread, char **why)
{
    struct proc_status status;
    OWNED char *registers = proc_read("/proc/%d/syscall", (int)thread), *reason = NULL;

    if (registers != NULL || !is_of_rights(errno))
        return true;
    if (proc_read_status(thread, &status)) {
        status.tracer = 0;
        reason = process_explain_refusal(&status, geteuid(), read_ptrace_scope());
    } else {
        reason = unread_status(thread);
    }
    return set_reason(why, "%s", reason);
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

/* It may be another user's: only the name of the program tells what it is. */
bool process_is_mqdump(pid_t pid)
{
    struct proc_status status;

    return proc_read_status(pid, &status) && strcmp(status.name, "mqdump") == 0;
}

bool process_is_with_another(pid_t thread, pid_t own_holder)
{
    struct proc_status status;

    return proc_read_status(thread, &status) && status.tracer != 0 && status.tracer != own_holder &&
           process_is_mqdump(status.tracer);
}

void process_await_another(pid_t thread, pid_t own_holder, double until)
{
    static const struct timespec pause = {.tv_nsec = 2000000};

    while (process_is_with_another(thread, own_holder) && seconds_now() < until)
        nanosleep(&pause, NULL);
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
    watch_set_process(process->pid);
    if (process->memory >= 0)
        return read_through_file(process, address, buffer, size);
    got = process_vm_readv(process->reader, &local, 1, &remote, 1, 0);
    if (got >= 0)
        return (size_t)got == size ? READ_OK : READ_BAD_ADDRESS;
    if (errno == ENOSYS || errno == EPERM)
        return read_through_file(process, address, buffer, size);
    return read_result_of(process, errno);
}

bool process_read_word(struct process *process, uint64_t address, size_t size, uint64_t *word)
{
    bool good = process_read(process, address, word, size) == READ_OK;

    *word = good ? word_of(word, size) : 0;
    return good;
}

/* Opening. */

static bool is_alive(pid_t pid, pid_t thread)
{
    (void)pid;
    return !proc_has_ended(thread);
}

/*
 * Finds a thread that has not ended; 0 if all have. The main thread may have ended before the others; memory can then
 * be read through them only. A thread that calls exec lets the main thread end, and takes its place: it may have done
 * so while the others were looked at, and has the number of the process then.
 */
static pid_t find_live_thread(pid_t pid)
{
    pid_t found = proc_has_ended(pid) ? proc_find_thread(pid, is_alive, SIZE_MAX) : pid;

    if (found < 0)
        return is_of_end(errno) ? 0 : pid;
    return found == 0 && !proc_has_ended(pid) ? pid : found;
}

bool process_is_gone(pid_t pid)
{
    return find_live_thread(pid) == 0;
}

/* The kernel releases the memory of a process before it shows its end elsewhere. */
bool process_has_ended(const struct process *process)
{
    OWNED char *maps = process->core == NULL ? proc_read("/proc/%d/maps", (int)process->reader) : NULL;

    return process->core == NULL && ((maps != NULL && *maps == '\0') || proc_has_ended(process->reader));
}

bool process_open(struct process *process, struct process_id id, bool runs, char **why)
{
    struct proc_status status;
    pid_t pid = id.pid;

    *process = (struct process){.pid = pid, .reader = pid, .memory = -1, .runs = runs,
                                .start = id.start != 0 ? id.start : proc_read_start_time(pid)};
    if (process_was_replaced(process, why))
        return false;
    if (!proc_read_status(pid, &status) && proc_exists(pid))
        return set_reason(why, "its status cannot be read: %s", strerror(errno));
    if (!proc_exists(pid))
        return set_reason(why, "there is no such process: give the pids of ranks that run on this machine");
    if (status.process != pid)
        return set_reason(why, "it is a thread of process %d (%s): give that pid", (int)status.process, status.name);
    if (pid == getpid() || pid == watch_own()->front)
        return set_reason(why, "it is mqdump itself: give the pids of ranks");
    process->reader = find_live_thread(pid);
    if (process->reader == 0)
        return set_reason(why,
                          "it (%s) has ended and only waits for its parent %d to collect its status: there is nothing "
                          "left to read",
                          status.name, (int)status.parent);
    return true;
}

bool process_open_core(struct process *process, const struct core_source *source, char **why)
{
    *process = (struct process){.memory = -1, .core = core_open(source, why)};
    if (process->core == NULL)
        return false;
    process->pid = process->core->pid;
    return true;
}

void process_forget_threads(struct process *process)
{
    FREE_ALL(process->threads, process->registers);
    process->threads = NULL;
    process->registers = NULL;
    process->n_threads = 0;
    process->debugger = 0;
}

void process_close(struct process *process)
{
    core_close(process->core);
    process->core = NULL;
    if (process->memory >= 0)
        close(process->memory);
    process->memory = -1;
    process_forget_threads(process);
}
