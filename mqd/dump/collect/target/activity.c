/*
 * activity.c - the state of threads from /proc.
 */
#include "mqd/dump/collect/target/activity.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/collect/target/proc.h"
#include "mqd/dump/collect/target/system_call.h"

/* Among so many threads one that waits uninterruptibly is searched; a process with more is only looked at in part. */
enum { MAX_THREADS = 1024 };

/* A thread may go on while it is read. Then it does not wait for long, and the call is left out. */
enum { MAX_TRIES = 2 };

static char *read_of_thread(pid_t process, pid_t thread, const char *name)
{
    return proc_read("/proc/%d/task/%d/%s", (int)process, (int)thread, name);
}

static bool read_status(pid_t process, pid_t thread, struct proc_status *status)
{
    OWNED char *text = read_of_thread(process, thread, "status");

    return text != NULL && proc_parse_status(text, status);
}

static bool waits(pid_t process, pid_t thread)
{
    OWNED char *directory = format_text("/proc/%d/task/%d", (int)process, (int)thread);
    struct proc_stat stat;

    return proc_read_stat(directory, &stat) && stat.state == 'D';
}

/* A thread that waits uninterruptibly keeps the process from being stopped, and so from being read. */
static pid_t choose_thread(pid_t process)
{
    pid_t found = waits(process, process) ? process : proc_find_thread(process, waits, MAX_THREADS);

    return found > 0 ? found : process;
}

/* The link of a descriptor says what it stands for. The file itself is not touched: its server may be dead. */
static void read_descriptor(struct activity *activity, pid_t process, unsigned long descriptor)
{
    char path[64];
    ssize_t length;

    snprintf(path, sizeof path, "/proc/%d/fd/%lu", (int)process, descriptor);
    length = readlink(path, activity->file, sizeof activity->file - 1);
    activity->file[length > 0 ? length : 0] = '\0';
}

/* The kernel writes the number of the call and its arguments, or "running". */
static void read_call(struct activity *activity, pid_t process)
{
    OWNED char *text = read_of_thread(process, activity->thread, "syscall");
    char *end;

    activity->call = NO_SYSTEM_CALL;
    activity->file[0] = '\0';
    if (text != NULL && isdigit((unsigned char)*text)) {
        activity->call = strtol(text, &end, 10);
        if (system_call_kind(activity->call) == CALL_ON_FILE)
            read_descriptor(activity, process, strtoul(end, NULL, 16));
    }
}

/* The kernel writes 0 for a thread that does not wait, and for those who may not know. */
static void read_channel(struct activity *activity, pid_t process)
{
    OWNED char *text = read_of_thread(process, activity->thread, "wchan");

    activity->channel[0] = '\0';
    if (text != NULL && strcmp(text, "0") != 0)
        snprintf(activity->channel, sizeof activity->channel, "%.*s", (int)strcspn(text, "\n"), text);
}

static void forget_call(struct activity *activity)
{
    activity->call = NO_SYSTEM_CALL;
    activity->file[0] = activity->channel[0] = '\0';
}

/* Not mqdump, neither this one nor another, which lets go soon, or has ended by now. */
static bool is_debugger(pid_t tracer, const struct process *of)
{
    return tracer != 0 && tracer != of->holder && proc_exists(tracer) && !process_is_mqdump(tracer);
}

/* What is read between two equal states is of that state. */
static bool read_thread(struct activity *activity, const struct process *of)
{
    struct proc_status status, again;
    pid_t process = of->pid;

    for (int i = 0; i < MAX_TRIES; i++) {
        if (!read_status(process, activity->thread, &status))
            return false;
        read_call(activity, process);
        read_channel(activity, process);
        if (!read_status(process, activity->thread, &again))
            return false;
        activity->state = again.state;
        activity->tracer = is_debugger(again.tracer, of) ? again.tracer : 0;
        activity->switches = again.switches;
        if (again.state == status.state && again.switches == status.switches)
            return true;
    }
    forget_call(activity);
    return true;
}

static void name_tracer(struct activity *activity)
{
    struct proc_status status;

    activity->tracer_name[0] = '\0';
    if (activity->tracer != 0 && proc_read_status(activity->tracer, &status))
        snprintf(activity->tracer_name, sizeof activity->tracer_name, "%s", status.name);
}

/* A thread that was never taken from its processor since cannot have run: to wait again it would have had to run. */
static bool has_waited_on(const struct activity *before, const struct activity *after)
{
    return before->thread == after->thread && before->state == 'D' && after->state == 'D' && after->switches != 0 &&
           before->switches == after->switches;
}

/* Reads the thread that is chosen, and continues what the look before has begun. */
static bool read_chosen(struct activity *activity, const struct activity *before, const struct process *process)
{
    if (!read_thread(activity, process))
        return false;
    activity->at = activity->since = seconds_now();
    if (has_waited_on(before, activity))
        activity->since = before->since;
    return true;
}

void activity_take(struct activity *activity, const struct process *process)
{
    struct activity before = *activity;
    double used;

    *activity = (struct activity){.call = NO_SYSTEM_CALL};
    if (process->start != 0 && proc_read_start_time(process->pid) != process->start)
        return;
    activity->thread = choose_thread(process->pid);
    if (!read_chosen(activity, &before, process)) {
        *activity = (struct activity){.call = NO_SYSTEM_CALL};
        return;
    }
    name_tracer(activity);
    if (before.free_at == 0 || activity->at <= before.free_at)
        return;
    used = process_cpu_seconds(process->pid) - before.used;
    activity->has_share = used >= 0;
    activity->share = used / (activity->at - before.free_at);
}

void activity_follow(struct activity *activity, const struct process *process)
{
    struct activity again = *activity;

    if (activity->state == 'D' && read_chosen(&again, activity, process) && has_waited_on(activity, &again))
        *activity = again;
}

void activity_name_restarted(struct activity *activity, const char *function)
{
    long number = system_call_kind(activity->call) == CALL_RESTARTS ? system_call_number(function) : -1;

    if (number >= 0)
        activity->call = number;
}

void activity_start_share(struct activity *activity, const struct process *process)
{
    activity->free_at = seconds_now();
    activity->used = process_cpu_seconds(process->pid);
}

bool activity_is_stopped(const struct activity *activity)
{
    return activity->state == 'T' || (activity->state == 't' && activity->tracer != 0);
}

/* What job control has stopped runs for a moment when mqdump holds it. What another debugger holds is not touched. */
bool activity_stayed_stopped(const struct activity *before, const struct activity *after)
{
    return activity_is_stopped(before) && activity_is_stopped(after) && before->state == after->state &&
           (after->state == 'T' || before->switches == after->switches);
}

double activity_stuck_seconds(const struct activity *activity)
{
    return activity->state == 'D' ? activity->at - activity->since : 0;
}

const char *activity_call_name(const struct activity *activity, char buffer[CALL_NAME_SIZE])
{
    const char *name = system_call_name(activity->call);

    if (activity->call < 0 || name != NULL)
        return name;
    snprintf(buffer, CALL_NAME_SIZE, "system call %ld", activity->call);
    return buffer;
}
