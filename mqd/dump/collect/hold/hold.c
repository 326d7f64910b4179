/*
 * hold.c - has processes held while they are read.
 */
#include "mqd/dump/collect/hold/hold.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/fork.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/base/watch.h"
#include "mqd/dump/collect/hold/holder.h"

/*
 * To unwind the threads of a process may take half a second, by the limit of unwind.c; to list its queues takes less,
 * but for some that have hundreds of thousands of messages. A machine that is busy takes a multiple.
 */
static const double seconds_to_read = 10, seconds_to_read_each = 1;

/*
 * The holder needs no longer to answer, also if another one has the processes; it is stopped, or the kernel keeps it,
 * and its end lets the processes go.
 */
static const double seconds_to_answer = 10 + SECONDS_FOR_ANOTHER;

static const struct timespec pause_to_end = {.tv_nsec = 1000000};

/* The holder. */

/* The holder needs nothing else that is open, and a pipe that it has open would not end with the caller. */
static _Noreturn void run_holder(int socket, const struct process_id *only, size_t n)
{
    if (dup2(socket, 0) == 0) {
        close_from(1);
        holder_serve(0, only, n);
    }
    _exit(0);
}

bool hold_start(struct hold *hold, const struct process_id *only, size_t n, char **why)
{
    int sockets[2];

    *hold = (struct hold){.socket = -1, .seconds = seconds_to_read, .seconds_per_process = seconds_to_read_each,
                          .seconds_to_answer = seconds_to_answer};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
        return set_reason(why, "cannot hold processes: no pair of sockets: %s", strerror(errno));
    hold->holder = fork_tied(SIGKILL);
    if (hold->holder == 0)
        run_holder(sockets[1], only, n);
    close(sockets[1]);
    if (hold->holder > 0) {
        watch_own()->holder = hold->holder;
        hold->socket = sockets[0];
        return true;
    }
    close(sockets[0]);
    hold->holder = 0;
    return set_reason(why, "cannot hold processes: no process of mqdump's own: %s", strerror(errno));
}

/* If the holder is stopped or kept by the kernel, it is killed: then the kernel lets go what it holds. */
void hold_end(struct hold *hold)
{
    double end = seconds_now() + hold->seconds_to_answer;

    close_one(&hold->socket);
    while (hold->holder > 0 && waitpid(hold->holder, NULL, WNOHANG) == 0 && seconds_now() < end)
        nanosleep(&pause_to_end, NULL);
    if (hold->holder > 0 && seconds_now() >= end)
        kill(hold->holder, SIGKILL);
    hold->holder = 0;
}

/* Messages. */

/* A holder that does not answer is ended: then the kernel lets go what it holds. */
static bool lose(struct hold *hold)
{
    if (hold->socket >= 0)
        kill(hold->holder, SIGKILL);
    close_one(&hold->socket);
    return false;
}

/* An answer that has come counts, also if this process was stopped meanwhile and the deadline is over. */
static bool await_holder(void *context, short events)
{
    const struct hold *hold = context;
    struct pollfd wait = {.fd = hold->socket, .events = events};

    return seconds_poll(&wait, 1, hold->deadline - seconds_now()) > 0 || seconds_now() < hold->deadline;
}

/* Receives bytes, or sends them. */
static bool transfer(struct hold *hold, void *bytes, size_t n, bool sends)
{
    return (hold->socket >= 0 && hold_transfer(hold->socket, bytes, n, sends, await_holder, hold)) || lose(hold);
}

/* Results. */

static bool fail_ended(const struct process *process, char **why)
{
    return set_reason(why, process->n_threads > 0 ? "it died while it was read" : "it has ended");
}

/* Memory is read through the main thread, or through another one if that has ended. */
static bool choose_reader(struct process *process, char **why)
{
    const struct thread *found = NULL;

    for (size_t i = 0; i < process->n_threads; i++)
        if (process->threads[i].stopped && (found == NULL || process->threads[i].id == process->pid))
            found = &process->threads[i];
    if (found == NULL)
        return fail_ended(process, why);
    process->reader = found->id;
    return true;
}

/*
 * Processes that another debugger holds.
 *
 * A process has one tracer. Nobody keeps another one from letting the process go on while it is read. So what was read
 * counts only if no thread has run: each was stopped by the tracer before and is so after, and was not taken from a
 * processor in between, as it would have been to stop again. Nor has the process used processor time, as threads would
 * have that have come and gone.
 */

/* Those that have ended are left out. False, with the reason, if one is not stopped. */
static bool list_stopped(struct process *process, pid_t debugger, char **why)
{
    size_t n, room = 0;
    OWNED pid_t *ids = proc_list_threads(process->pid, &n);
    OWNED char *who = process_phrase(debugger);

    for (size_t i = 0; i < n; i++) {
        struct proc_status status;

        if (!proc_read_status(ids[i], &status) || strchr("ZX", status.state) != NULL)
            continue;
        if (status.state != 't' || status.tracer == 0)
            return set_reason(why, "it is being traced by %s, and its thread %d runs: stop all its threads there, as "
                              "gdb's 'interrupt -a' does, or detach that one, or read the process without stopping it, "
                              "with --no-stop", who, (int)ids[i]);
        APPEND(process->threads, process->n_threads, room,
               (struct thread){.id = ids[i], .stopped = true, .switches = status.switches});
    }
    return true;
}

static bool take_stopped(struct process *process, pid_t debugger, char **why)
{
    process->used = process_cpu_seconds(process->pid);
    if (!list_stopped(process, debugger, why) || !choose_reader(process, why) || !process_may_read(process->reader, why))
        return false;
    process->debugger = debugger;
    return true;
}

static bool are_same_threads(const struct process *a, const struct process *b)
{
    if (a->n_threads != b->n_threads)
        return false;
    return !ANY(i, a->n_threads, a->threads[i].id != b->threads[i].id ||
                a->threads[i].switches != b->threads[i].switches);
}

bool hold_stood_still(const struct process *process, char **why)
{
    struct process after = {.pid = process->pid};
    OWNED char *runs = NULL, *who = NULL;
    bool same;

    if (process->debugger == 0)
        return true;
    same = list_stopped(&after, process->debugger, &runs) && are_same_threads(process, &after) &&
           process_cpu_seconds(process->pid) == process->used && !process_was_replaced(process, why);
    process_forget_threads(&after);
    who = process_phrase(process->debugger);
    return same || set_reason(why, "%s, which traces it, let it run while it was read: look again", who);
}

/*
 * The other debugger that traces it; 0: none does. A holder, also that of another mqdump, lets go soon: nothing is read
 * of what that one holds.
 */
static pid_t debugger_of(const struct hold *hold, const struct process *process)
{
    struct proc_status status;

    if (!proc_read_status(process->reader, &status) || status.tracer == 0 || status.tracer == hold->holder ||
        process_is_mqdump(status.tracer))
        return 0;
    return status.tracer;
}

static bool fail_not_stopped(pid_t thread, char **why)
{
    struct proc_status status;

    if (!proc_read_status(thread, &status))
        status.state = '?';
    return set_reason(why,
                      "its thread %d did not stop within %.0f seconds (the thread's state is %c; D means that it waits "
                      "for a device or a file server, or for a child of vfork): try again",
                      (int)thread, SECONDS_TO_STOP, status.state);
}

static bool check_held(struct process *process, const struct hold_answer *answer, char **why)
{
    OWNED char *reason = NULL;

    switch (answer->state) {
    case HELD_ENDED:
        return fail_ended(process, why);
    case HELD_NOT_LISTED:
        return set_reason(why, "its threads cannot be listed: %s", strerror(answer->error));
    case HELD_REFUSED:
        reason = process_explain(answer->culprit);
        return set_reason(why, "%s", reason);
    case HELD_NOT_ATTACHED:
        return set_reason(why, "the kernel did not let mqdump hold its thread %d within %.0f seconds, since another "
                          "thread of it is calling exec: try again", (int)answer->culprit, SECONDS_TO_STOP);
    case HELD_NOT_STOPPED:
        return fail_not_stopped(answer->culprit, why);
    case HELD_TOO_MANY:
        return set_reason(why, "it makes new threads faster than they can be stopped: try again");
    case HELD:
        break;
    }
    /* Another process may have got the number just before it was held; from then on none can. */
    return !process_was_replaced(process, why) && choose_reader(process, why);
}

static bool receive_process(struct hold *hold, struct process *process, char **why)
{
    struct hold_answer answer;

    if (!transfer(hold, &answer, sizeof answer, false))
        return false;
    process->dead = answer.dead;
    process->n_threads = answer.n_threads;
    process->threads = allocate_array(answer.n_threads, sizeof *process->threads);
    process->registers = allocate_array(answer.n_register_bytes, 1);
    if (!transfer(hold, process->threads, answer.n_threads * sizeof *process->threads, false) ||
        !transfer(hold, process->registers, answer.n_register_bytes, false) || !check_held(process, &answer, why))
        process_forget_threads(process);
    return hold->socket >= 0;
}

/* Asking. */

static double seconds_for_another(const struct hold *hold)
{
    double left = hold->for_another - seconds_now();

    return hold->for_another == 0 ? SECONDS_FOR_ANOTHER : left > 0 ? left : 0;
}

static bool ask_to_hold(struct hold *hold, const struct hold_wish *wishes, size_t n)
{
    struct hold_request request = {.what = HOLD_PROCESSES, .n = (uint32_t)n,
                                   .seconds = hold->seconds + (double)n * hold->seconds_per_process,
                                   .for_another = seconds_for_another(hold)};
    OWNED pid_t *pids = allocate_array(n, sizeof *pids);

    for (size_t i = 0; i < n; i++)
        pids[i] = wishes[i].process->pid;
    hold->deadline = seconds_now() + hold->seconds_to_answer + (double)n * hold->seconds_per_process;
    return transfer(hold, &request, sizeof request, true) && transfer(hold, pids, n * sizeof *pids, true);
}

/* Those of the processes that are still the same, and that the holder can hold. */
static size_t choose_wishes(const struct hold *hold, struct hold_wish *chosen, const struct hold_wish *wishes, size_t n)
{
    size_t n_chosen = 0;

    for (size_t i = 0; i < n; i++) {
        struct process *process = wishes[i].process;
        pid_t debugger;

        if (process->core != NULL || process->runs)
            continue;
        process_forget_threads(process);
        if (process_was_replaced(process, wishes[i].why))
            continue;
        debugger = debugger_of(hold, process);
        if (debugger == 0)
            chosen[n_chosen++] = wishes[i];
        else if (!take_stopped(process, debugger, wishes[i].why))
            process_forget_threads(process);
    }
    return n_chosen;
}

static const char holder_ended[] =
    "mqdump's own process that holds others has ended, or did not answer: nothing is held any more";

void hold_processes(struct hold *hold, const struct hold_wish *wishes, size_t n)
{
    OWNED struct hold_wish *chosen = allocate_array(n, sizeof *chosen);
    size_t n_chosen = choose_wishes(hold, chosen, wishes, n), n_held = 0;

    if (n_chosen > 0 && ask_to_hold(hold, chosen, n_chosen)) {
        hold->holds = true;
        while (n_held < n_chosen && receive_process(hold, chosen[n_held].process, chosen[n_held].why))
            chosen[n_held++].process->holder = hold->holder;
    }
    for (size_t i = n_held; i < n_chosen; i++)
        set_reason(chosen[i].why, "%s", holder_ended);
}

bool hold_let_go(struct hold *hold, char **why)
{
    struct hold_request request = {.what = HOLD_LET_GO};
    struct hold_end end;

    if (!hold->holds)
        return true;
    hold->holds = false;
    hold->deadline = seconds_now() + hold->seconds_to_answer;
    if (!transfer(hold, &request, sizeof request, true) || !transfer(hold, &end, sizeof end, false))
        return set_reason(why, "%s", holder_ended);
    return !end.expired || set_reason(why, "it took too long to read the processes, which were let go before");
}
