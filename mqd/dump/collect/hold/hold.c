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
#include "mqd/dump/base/reason.h"
#include "mqd/dump/collect/hold/held.h"
#include "mqd/dump/collect/hold/hold_message.h"
#include "mqd/dump/collect/hold/holder.h"

/*
 * To unwind the threads of a process may take half a second, by the limit of unwind.c; to list its queues takes less,
 * but for some that have hundreds of thousands of messages. A machine that is busy takes a multiple.
 */
static const double seconds_to_read = 10, seconds_to_read_each = 1;

/* The holder needs no longer to answer; it is stopped, or the kernel keeps it, and its end lets the processes go. */
static const double seconds_to_answer = 10;

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

    if (hold->socket >= 0)
        close(hold->socket);
    hold->socket = -1;
    while (hold->holder > 0 && waitpid(hold->holder, NULL, WNOHANG) == 0 && seconds_now() < end)
        nanosleep(&pause_to_end, NULL);
    if (hold->holder > 0 && seconds_now() >= end)
        kill(hold->holder, SIGKILL);
    hold->holder = 0;
}

/* Messages. */

/* What has been received from the holder and not been used yet. */
struct incoming {
    struct hold *hold;
    double deadline;
    size_t n, at;
    char bytes[65536];
};

/* A holder that does not answer is ended: then the kernel lets go what it holds. */
static bool lose(struct hold *hold)
{
    if (hold->socket < 0)
        return false;
    kill(hold->holder, SIGKILL);
    close(hold->socket);
    hold->socket = -1;
    return false;
}

static bool tell(struct hold *hold, const void *buffer, size_t size)
{
    for (size_t n = 0; n < size && hold->socket >= 0;) {
        ssize_t sent = send(hold->socket, (const char *)buffer + n, size - n, MSG_NOSIGNAL);

        if (sent > 0)
            n += (size_t)sent;
        else if (sent == 0 || errno != EINTR)
            lose(hold);
    }
    return hold->socket >= 0;
}

static bool receive_more(struct incoming *incoming)
{
    struct pollfd wait = {.fd = incoming->hold->socket, .events = POLLIN};
    double seconds = incoming->deadline - seconds_now();
    ssize_t got;

    if (incoming->hold->socket < 0 || seconds <= 0)
        return lose(incoming->hold);
    if (seconds_poll(&wait, 1, seconds) <= 0)
        return true;
    got = recv(incoming->hold->socket, incoming->bytes, sizeof incoming->bytes, MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
        return lose(incoming->hold);
    incoming->n = got > 0 ? (size_t)got : 0;
    incoming->at = 0;
    return true;
}

static bool receive(struct incoming *incoming, void *buffer, size_t size)
{
    for (size_t n = 0; n < size;) {
        size_t left = incoming->n - incoming->at, part = left < size - n ? left : size - n;

        memcpy((char *)buffer + n, incoming->bytes + incoming->at, part);
        incoming->at += part;
        n += part;
        if (n < size && !receive_more(incoming))
            return false;
    }
    return true;
}

/* Results. */

static bool is_held(const struct process *process)
{
    return process->core == NULL && !process->runs;
}

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
    switch ((enum held_state)answer->state) {
    case HELD_ENDED:
        return fail_ended(process, why);
    case HELD_NOT_LISTED:
        return set_reason(why, "its threads cannot be listed: %s", strerror(answer->error));
    case HELD_REFUSED:
        return process_fail_refused(why, answer->culprit);
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

static bool receive_thread(struct incoming *incoming, struct process *process, size_t *n_bytes, size_t *room)
{
    struct thread *thread = &process->threads[process->n_threads];
    struct hold_thread_answer answer;

    if (!receive(incoming, &answer, sizeof answer) || answer.n_bytes > MAX_REGISTER_BYTES)
        return false;
    *thread = (struct thread){.id = answer.id, .stopped = answer.stopped, .gone = answer.gone, .signal = answer.signal,
                              .registers = *n_bytes, .n_register_bytes = answer.n_bytes,
                              .signature = answer.signature};
    while (*room - *n_bytes < answer.n_bytes)
        process->registers = grow_array(process->registers, *room, room, 1);
    *n_bytes += answer.n_bytes;
    process->n_threads++;
    return answer.n_bytes == 0 || receive(incoming, process->registers + thread->registers, answer.n_bytes);
}

static bool receive_process(struct incoming *incoming, struct process *process, char **why)
{
    size_t n_bytes = 0, room = 0;
    struct hold_answer answer;

    if (!receive(incoming, &answer, sizeof answer))
        return false;
    process->dead = answer.dead;
    process->threads = allocate_array(answer.n_threads, sizeof *process->threads);
    for (uint32_t i = 0; i < answer.n_threads; i++)
        if (!receive_thread(incoming, process, &n_bytes, &room))
            return false;
    if (!check_held(process, &answer, why))
        process_forget_threads(process);
    return true;
}

/* Asking. */

static bool ask_to_hold(struct hold *hold, const struct hold_wish *wishes, size_t n)
{
    struct hold_request request = {.what = HOLD_PROCESSES, .n = (uint32_t)n,
                                   .seconds = hold->seconds + (double)n * hold->seconds_per_process};
    OWNED int32_t *pids = allocate_array(n, sizeof *pids);

    for (size_t i = 0; i < n; i++)
        pids[i] = wishes[i].process->pid;
    return tell(hold, &request, sizeof request) && tell(hold, pids, n * sizeof *pids);
}

/* Those of the processes that can be held and are still the same. */
static size_t choose_wishes(struct hold_wish *chosen, const struct hold_wish *wishes, size_t n)
{
    size_t n_chosen = 0;

    for (size_t i = 0; i < n; i++) {
        if (!is_held(wishes[i].process))
            continue;
        process_forget_threads(wishes[i].process);
        if (!process_was_replaced(wishes[i].process, wishes[i].why))
            chosen[n_chosen++] = wishes[i];
    }
    return n_chosen;
}

static const char holder_ended[] =
    "mqdump's own process that holds others has ended, or did not answer: nothing is held any more";

void hold_processes(struct hold *hold, const struct hold_wish *wishes, size_t n)
{
    OWNED struct hold_wish *chosen = allocate_array(n, sizeof *chosen);
    size_t n_chosen = choose_wishes(chosen, wishes, n), n_held = 0;
    OWNED struct incoming *incoming = allocate_array(1, sizeof *incoming);

    *incoming = (struct incoming){.hold = hold};
    if (n_chosen > 0 && ask_to_hold(hold, chosen, n_chosen)) {
        hold->holds = true;
        incoming->deadline = seconds_now() + hold->seconds_to_answer + (double)n_chosen * hold->seconds_per_process;
        while (n_held < n_chosen && receive_process(incoming, chosen[n_held].process, chosen[n_held].why))
            chosen[n_held++].process->holder = hold->holder;
    }
    for (size_t i = n_held; i < n_chosen; i++)
        set_reason(chosen[i].why, "%s", holder_ended);
}

bool hold_let_go(struct hold *hold, char **why)
{
    struct hold_request request = {.what = HOLD_LET_GO};
    OWNED struct incoming *incoming = NULL;
    struct hold_end end;

    if (!hold->holds)
        return true;
    hold->holds = false;
    incoming = allocate_array(1, sizeof *incoming);
    *incoming = (struct incoming){.hold = hold, .deadline = seconds_now() + hold->seconds_to_answer};
    if (!tell(hold, &request, sizeof request) || !receive(incoming, &end, sizeof end))
        return set_reason(why, "%s", holder_ended);
    return !end.expired || set_reason(why, "it took too long to read the processes, which were let go before");
}
