/*
 * process.c - a process that is read.
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
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/reason.h"
#include "mqd/dump/base/watch.h"

static const char scope_file[] = "/proc/sys/kernel/yama/ptrace_scope";

/* Reasons. */

static char *user_name(uid_t user)
{
    const struct passwd *entry = getpwuid(user);

    return entry != NULL ? format_text("%s", entry->pw_name) : format_text("with the id %lu", (unsigned long)user);
}

/* Why the status of a thread could not be read, by errno. */
static char *unread_status(pid_t thread)
{
    return proc_exists(thread) ? format_text("its status cannot be read: %s", strerror(errno))
                               : copy_string("it has ended");
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
    OWNED char *name = user_name(user);

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
    size_t size;
    OWNED char *text = proc_read_file(scope_file, &size);

    return text != NULL ? atoi(text) : -1;
}

char *process_explain(pid_t pid)
{
    struct proc_status status;

    if (!proc_read_status(pid, &status))
        return unread_status(pid);
    return process_explain_refusal(&status, geteuid(), read_ptrace_scope());
}

bool process_fail_refused(char **why, pid_t thread)
{
    OWNED char *reason = process_explain(thread);

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

/* Opening. */

/*
 * Finds a thread that has not ended; 0 if all have. The main thread may have ended before the others; memory can then
 * be read through them only. A thread that calls exec lets the main thread end, and takes its place: it may have done
 * so while the others were looked at, and has the number of the process then.
 */
static pid_t find_live_thread(pid_t pid)
{
    const struct dirent *entry;
    pid_t found = 0;
    char path[64];
    DIR *threads;

    if (!proc_has_ended(pid))
        return pid;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    threads = opendir(path);
    if (threads == NULL)
        return errno == ENOENT || errno == ESRCH ? 0 : pid;
    while (found == 0 && (entry = readdir(threads)) != NULL) {
        pid_t id = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : 0;

        if (id > 0 && !proc_has_ended(id))
            found = id;
    }
    closedir(threads);
    return found == 0 && !proc_has_ended(pid) ? pid : found;
}

bool process_is_gone(pid_t pid)
{
    return find_live_thread(pid) == 0;
}

/* The kernel releases the memory of a process before it shows its end elsewhere. */
bool process_has_ended(const struct process *process)
{
    OWNED char *maps = NULL;
    size_t size;

    if (process->core != NULL)
        return false;
    maps = proc_read(process->reader, "maps", &size);
    return (maps != NULL && size == 0) || proc_has_ended(process->reader);
}

static bool open_live(struct process *process, struct process_id id, bool runs, char **why)
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
    if (pid == getpid() || pid == watch_front())
        return set_reason(why, "it is mqdump itself: give the pids of ranks");
    process->reader = find_live_thread(pid);
    if (process->reader == 0)
        return set_reason(why,
                          "it (%s) has ended and only waits for its parent %d to collect its status: there is nothing "
                          "left to read",
                          status.name, (int)status.parent);
    if (!runs && status.tracer != 0)
        return process_fail_refused(why, pid);
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
