/*
 * holder.c - the process that holds others while a reader reads them.
 */
#include "mqd/dump/collect/hold/holder.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/base/text_stream.h"
#include "mqd/dump/base/watch.h"

/* Threads that are just ending get so long to end before the reader is told that all were let go. */
static const double seconds_to_end = 1;
static const struct timespec pause_to_end = {.tv_nsec = 5000000};

struct holder {
    int socket;
    pid_t *only;               /* the processes that may be held, by pid; NULL: any */
    size_t n_only;
    struct held *processes;    /* those of the last request, and those before of which a thread is still held */
    size_t n, room;
    bool holds;                /* the reader has not asked to let them go yet */
    bool expired;              /* they were let go nevertheless */
    double deadline;
};

/* Letting go. */

static bool let_go(struct holder *holder)
{
    size_t n_left = 0;

    for (size_t i = 0; i < holder->n; i++) {
        struct held *held = &holder->processes[i];

        if (held_let_go(held))
            held_clear(held);
        else
            holder->processes[n_left++] = *held;
    }
    holder->n = n_left;
    return n_left == 0;
}

/* No process waits for another. What is left after a while is tried again whenever something happens to it. */
static void let_all_go(struct holder *holder)
{
    double end = seconds_now() + seconds_to_end;

    while (!let_go(holder) && seconds_now() < end)
        nanosleep(&pause_to_end, NULL);
}

static void reap(struct holder *holder)
{
    for (size_t i = 0; i < holder->n; i++)
        held_reap(&holder->processes[i]);
}

/* Waiting. */

/* Until the deadline. Threads that are left are no reason: the kernel sends SIGCHLD when they stop or end. */
static const struct timespec *time_to_wait(const struct holder *holder, struct timespec *time)
{
    double seconds;

    if (!holder->holds || holder->expired)
        return NULL;
    seconds = holder->deadline - seconds_now();
    *time = seconds_spec(seconds > 0 ? seconds : 0);
    return time;
}

/* What has to be done about the processes while the reader is waited for. */
static void look_after(struct holder *holder)
{
    if (holder->holds && !holder->expired && seconds_now() < holder->deadline) {
        reap(holder);
        return;
    }
    if (holder->holds && !holder->expired) {
        holder->expired = true;
        watch_own()->expired = true;
    }
    let_go(holder);
}

bool hold_transfer(int socket, void *bytes, size_t n, bool sends, bool (*await)(void *context, short events),
                   void *context)
{
    char *at = bytes;

    while (n > 0) {
        ssize_t done = sends ? send(socket, at, n, MSG_DONTWAIT | MSG_NOSIGNAL) : recv(socket, at, n, MSG_DONTWAIT);

        if (done > 0) {
            at += done;
            n -= (size_t)done;
        } else if (done == 0 || (errno != EAGAIN && errno != EINTR) || !await(context, sends ? POLLOUT : POLLIN)) {
            return false;
        }
    }
    return true;
}

/*
 * Waits until the socket can be read or written. False: the reader has ended. It may be slow, or stopped, or kept waiting
 * by the kernel: the deadline holds here too.
 */
static bool await_reader(void *context, short events)
{
    struct holder *holder = context;
    struct pollfd wait = {.fd = holder->socket, .events = events};
    struct timespec time;
    sigset_t none;

    sigemptyset(&none);
    while (ppoll(&wait, 1, time_to_wait(holder, &time), &none) <= 0)
        look_after(holder);
    return (wait.revents & events) != 0;
}

static bool receive(struct holder *holder, void *buffer, size_t size)
{
    return hold_transfer(holder->socket, buffer, size, false, await_reader, holder);
}

static bool tell(struct holder *holder, void *buffer, size_t size)
{
    return hold_transfer(holder->socket, buffer, size, true, await_reader, holder);
}

/* Holding. */

static struct held *find_process(struct holder *holder, pid_t pid)
{
    for (size_t i = 0; i < holder->n; i++)
        if (holder->processes[i].pid == pid)
            return &holder->processes[i];
    return NULL;
}

/* Of a process that was held before, a thread may be left: its list is used further. */
static void add_processes(struct holder *holder, const pid_t *pids, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (holder->n > 0 && find_process(holder, pids[i]) != NULL)
            continue;
        APPEND(holder->processes, holder->n, holder->room, (struct held){.pid = pids[i]});
    }
}

static void put_process(FILE *to, struct held *held)
{
    OWNED unsigned char *registers = allocate_array(held->n, MAX_REGISTER_BYTES);
    struct hold_answer head = {.state = held->state, .culprit = held->culprit, .error = held->error,
                               .dead = held->dead, .n_threads = held->n};

    for (size_t i = 0; i < held->n; i++) {
        struct thread *thread = &held->threads[i];

        thread->registers = head.n_register_bytes;
        thread->n_register_bytes = 0;
        if (thread->stopped)
            held_take_registers(thread, registers + head.n_register_bytes);
        head.n_register_bytes += thread->n_register_bytes;
    }
    fwrite(&head, sizeof head, 1, to);
    fwrite(held->threads, sizeof *held->threads, held->n, to);
    fwrite(registers, 1, head.n_register_bytes, to);
}

static int compare_pids(const void *a, const void *b)
{
    return ORDER(*(const pid_t *)a, *(const pid_t *)b);
}

/* Until when something is waited for. */
struct patience {
    double with_another;       /* that another mqdump lets go: this time does not count otherwise */
    double to_stop;
};

static void await_another(struct holder *holder, struct patience *until, pid_t thread)
{
    double start = seconds_now(), waited;

    if (!process_is_with_another(thread, getpid()))
        return;
    process_await_another(thread, getpid(), until->with_another);
    waited = seconds_now() - start;
    holder->deadline += waited;
    until->to_stop += waited;
}

/* Another mqdump may let go just when this one is refused: so one refusal is not believed. */
static void attach(struct holder *holder, struct held *held, struct patience *until)
{
    pid_t culprit = held->pid;
    bool again = true;

    for (int n_refused = 0; again; n_refused++) {
        await_another(holder, until, culprit);
        held_attach(held, until->to_stop);
        culprit = held->culprit;
        again = held->state == HELD_REFUSED && seconds_now() < until->with_another &&
                (n_refused == 0 || process_is_with_another(culprit, getpid()));
    }
}

/*
 * Several holders take processes in the same order: those that wait for one do not hold any with a higher number
 * meanwhile, and no two wait for each other.
 */
static void attach_and_wait(struct holder *holder, const pid_t *pids, size_t n, double for_another)
{
    struct patience until = {seconds_now() + for_another, seconds_now() + SECONDS_TO_STOP};
    OWNED pid_t *sorted = allocate_array(n, sizeof *sorted);

    memcpy(sorted, pids, n * sizeof *sorted);
    SORT(sorted, n, compare_pids);
    held_prepare();
    for (size_t i = 0; i < n; i++)
        attach(holder, find_process(holder, sorted[i]), &until);
    for (size_t i = 0; i < n; i++)
        held_wait(find_process(holder, pids[i]), until.to_stop);
    held_finish();
}

static bool may_hold(const struct holder *holder, const pid_t *pids, size_t n)
{
    for (size_t i = 0; i < n && holder->only != NULL; i++)
        if (search_array(&pids[i], holder->only, holder->n_only, sizeof *holder->only, compare_pids) == NULL)
            return false;
    return true;
}

/* The reader asks for no process twice. */
static bool is_possible(const struct holder *holder, const struct hold_request *request)
{
    return holder->only == NULL || request->n <= holder->n_only;
}

static bool hold(struct holder *holder, const struct hold_request *request)
{
    OWNED pid_t *pids = allocate_array(is_possible(holder, request) ? request->n : 0, sizeof *pids);
    bool good = is_possible(holder, request) && receive(holder, pids, request->n * sizeof *pids) &&
                may_hold(holder, pids, request->n);
    struct text_stream answer;

    if (good) {
        holder->holds = true;
        holder->expired = false;
        holder->deadline = seconds_now() + request->seconds;
        add_processes(holder, pids, request->n);
        attach_and_wait(holder, pids, request->n, request->for_another);
        /* It is made before it is sent: meanwhile the processes may have to be let go. */
        text_stream_open(&answer);
        for (size_t i = 0; i < request->n; i++)
            put_process(answer.to, find_process(holder, pids[i]));
        text_stream_close(&answer);
        good = tell(holder, answer.text, answer.size);
        free(answer.text);
    }
    return good;
}

static bool end_hold(struct holder *holder)
{
    struct hold_end end = {.expired = holder->expired};

    holder->holds = false;
    watch_own()->expired = false;
    let_all_go(holder);
    return tell(holder, &end, sizeof end);
}

static void wake_up(int number)
{
    (void)number;
}

/*
 * The end of the reader is what ends the holder, not a signal from the terminal: it would be told of a holder that has
 * ended in place of that. Nor does the terminal stop it.
 */
static void choose_signals(void)
{
    static const int ignored[] = {SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGPIPE, SIGTSTP, SIGTTIN, SIGTTOU};
    sigset_t child;

    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
    sigaction(SIGCHLD, &(struct sigaction){.sa_handler = wake_up}, NULL);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_SETMASK, &child, NULL);
}

void holder_serve(int socket, const struct process_id *only, size_t n)
{
    struct holder holder = {.socket = socket, .n_only = n};
    struct hold_request request;
    bool good = true;

    if (only != NULL)
        holder.only = allocate_array(n, sizeof *holder.only);
    for (size_t i = 0; i < n; i++)
        holder.only[i] = only[i].pid;
    SORT(holder.only, n, compare_pids);
    choose_signals();
    while (good && receive(&holder, &request, sizeof request))
        good = request.what == HOLD_PROCESSES ? hold(&holder, &request) : end_hold(&holder);
    let_all_go(&holder);
    for (size_t i = 0; i < holder.n; i++)
        held_clear(&holder.processes[i]);
    FREE_ALL(holder.processes, holder.only);
}
