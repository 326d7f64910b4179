/*
 * child.c - processes that mqdump starts, and how they end.
 */
#include "mqd/dump/collect/child/child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/fork.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/collect/child/start.h"
#include "mqd/dump/collect/target/proc.h"

/* A file server that is replaced by another one answers within half a minute, a dead one never. */
const struct patience child_patience = {.to_run = 30, .after_expiry = 5};

/* Of several children not more than this run at once, if their number is not chosen. */
enum { MAX_AT_ONCE = 16 };

/* A child has few things to say. Longer lines are broken. */
enum { MAX_MESSAGE_LINE = 1024, MAX_MESSAGES = 64 * 1024 };

/* The end of a child is told at once; the state of a child is looked at so often, and that of what ends with it. */
static const double seconds_to_look = 0.25, seconds_to_look_again = 0.01;

/*
 * A child that was killed ends at once, or it waits in the kernel. Another program is asked to end before. Those that it
 * has started may end after it.
 */
static const double seconds_to_die = 1, seconds_to_obey = 1, seconds_to_follow = 0.5;

/* What it writes. */

static void end_message(struct child *child)
{
    OWNED char *text = NULL;

    /* ssh ends its lines as for a terminal. */
    if (child->line_length > 0 && child->line[child->line_length - 1] == '\r')
        child->line_length--;
    if (child->line_length == 0)
        return;
    text = format_text("%.*s", (int)child->line_length, child->line);
    if (child->say != NULL)
        child->say(child->context, text);
    else
        message_pass(text);
    child->line_length = 0;
}

static void take_messages(struct child *child, const char *bytes, size_t n)
{
    if (child->line == NULL)
        child->line = allocate_array(MAX_MESSAGE_LINE, 1);
    for (size_t i = 0; i < n && child->n_message_bytes < MAX_MESSAGES; i++) {
        child->n_message_bytes++;
        if (bytes[i] != '\n')
            child->line[child->line_length++] = bytes[i];
        if (bytes[i] == '\n' || child->line_length == MAX_MESSAGE_LINE)
            end_message(child);
    }
}

/*
 * Another program may have started others, here and elsewhere, and ends them if it is asked to end. srun has a second
 * process for the case that the first one is killed.
 */
static void send_end(const struct child *child)
{
    if (child->program == NULL)
        kill(child->pid, SIGKILL);
    else if (kill(-child->pid, SIGTERM) != 0)
        kill(child->pid, SIGTERM);
}

/* All zero if it shows nothing. */
static const struct watch *shown_by(const struct child *child)
{
    static const struct watch nothing;

    return child->watch != NULL ? child->watch : &nothing;
}

static void end(struct child *child)
{
    if (child->pid <= 0 || child->ended_at > 0)
        return;
    child->culprit = shown_by(child)->process;
    send_end(child);
    child->ended_at = seconds_now();
}

static void give_up(struct child *child, char *problem)
{
    if (child->problem == NULL)
        child->problem = problem;
    else
        free(problem);
    end(child);
}

static void take_output(struct child *child, const char *bytes, size_t n)
{
    child->n_bytes += n;
    if (child->max_bytes > 0 && child->n_bytes > child->max_bytes)
        give_up(child, format_text("has written more than %llu bytes", (unsigned long long)child->max_bytes));
    else if (child->problem == NULL && !child->take(child->context, bytes, n))
        give_up(child, copy_string("has written what nobody can read"));
}

/* Reads what there is. Returns false at the end, which closes it. */
static bool read_some(struct child *child, int *from, void (*take)(struct child *, const char *, size_t))
{
    static char bytes[64 * 1024];
    ssize_t n = read(*from, bytes, sizeof bytes);

    child->n_read += n > 0 ? (uint64_t)n : 0;
    if (n > 0) {
        child->heard_at = seconds_now();
        take(child, bytes, (size_t)n);
    } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        close_one(from);
    }
    return n > 0;
}

/* How it ends. */

static char *problem_of(const struct child *child, int status)
{
    int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

    if (number == SIGXCPU)
        return copy_string("has used more processor time than its limit (--limit cpu=SECONDS)");
    if (number != 0)
        return format_text("was ended by signal %d (%s)", number, strsignal(number));
    if (WEXITSTATUS(status) == CHILD_WITHOUT_MEMORY)
        return copy_string("needed more memory than there is, or than its limit (--limit memory=SIZE)");
    if (WEXITSTATUS(status) == CHILD_REFUSES)
        return copy_string("has said why it does nothing");
    if (WEXITSTATUS(status) != 0)
        return format_text("has ended with status %d", WEXITSTATUS(status));
    return child->problem != NULL ? copy_string(child->problem) : NULL;
}

/*
 * Has it ended? Of another program's group nothing is left then. If that was ended, those that it has started get time
 * to end what they have started elsewhere. As long as it was not waited for the number of its group is nobody else's.
 */
static bool has_ended(struct child *child, const struct guard *guard, int *status)
{
    siginfo_t info = {0};

    if (child->program == NULL)
        return waitpid(child->pid, status, WNOHANG) == child->pid;
    if (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
        return false;
    if (child->left_at == 0) {
        child->left_at = seconds_now();
        if (child->ended_at > 0 || info.si_code != CLD_EXITED)
            kill(-child->pid, SIGTERM);
    }
    if ((child->ended_at > 0 || info.si_code != CLD_EXITED) && seconds_now() - child->left_at < seconds_to_follow)
        return false;
    kill(-child->pid, SIGKILL);
    guard_leave(guard, child->pid);
    return waitpid(child->pid, status, 0) == child->pid;
}

/* Takes what there is now. Who still has the other end may go on writing. */
static void read_rest(struct child *child, int *from, void (*take)(struct child *, const char *, size_t))
{
    uint64_t before = child->n_read;
    int n = 0;

    if (*from < 0 || ioctl(*from, FIONREAD, &n) != 0)
        return;
    while (*from >= 0 && child->n_read - before < (uint64_t)n && read_some(child, from, take))
        continue;
}

/* If it has ended, takes the rest of what it has written. */
static void collect(struct child *child, const struct guard *guard)
{
    char *problem;
    int status;

    if (child->pid <= 0 || !has_ended(child, guard, &status))
        return;
    child->pid = 0;
    read_rest(child, &child->output, take_output);
    read_rest(child, &child->messages, take_messages);
    if (child->ended_at > 0)
        return;
    problem = problem_of(child, status);
    child->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    child->refused = child->status == CHILD_REFUSES;
    child->culprit = shown_by(child)->process;
    free(child->problem);
    child->problem = problem;
    child->ended_at = seconds_now();
}

/*
 * A process that was never given a processor meanwhile has waited all the time. Some file systems wait uninterruptibly,
 * others (FUSE) in a way that ends with a signal: nothing that a child does on purpose lasts so long. */
static double seconds_of_waiting(struct child *child)
{
    struct proc_status status;

    if (!proc_read_status(child->pid, &status) || strchr("DSTt", status.state) == NULL || status.switches == 0) {
        child->waits_since = 0;
    } else if (child->waits_since == 0 || child->switches != status.switches) {
        child->waits_since = seconds_now();
        child->switches = status.switches;
    }
    return child->waits_since > 0 ? seconds_now() - child->waits_since : 0;
}

static double seconds_since_expiry(struct child *child)
{
    if (!shown_by(child)->expired)
        child->expired_since = 0;
    else if (child->expired_since == 0)
        child->expired_since = seconds_now();
    return child->expired_since > 0 ? seconds_now() - child->expired_since : 0;
}

/* It was asked to end, which it may have to tell others, and has not. */
static bool is_deaf(const struct child *child)
{
    return child->ended_at > 0 && seconds_now() - child->ended_at > seconds_to_obey;
}

/*
 * Has it used up its time? As long as something that it has written waits to be read, it is the caller who is late, who
 * has to read from many: then it gets as much time again.
 */
static bool is_late(const struct child *child)
{
    double seconds = child->seconds > 0 ? seconds_now() - child->start : 0;
    int n_unread = 0;

    if (seconds <= child->seconds)
        return false;
    return seconds > 2 * child->seconds || child->output < 0 || ioctl(child->output, FIONREAD, &n_unread) != 0 ||
           n_unread == 0;
}

static void look_after(struct child *child, const struct patience *patience)
{
    if (child->pid > 0 && child->program != NULL && is_deaf(child))
        kill(child->pid, SIGKILL);
    if (child->pid <= 0 || child->ended_at > 0)
        return;
    if (patience->to_run > 0 && seconds_of_waiting(child) > patience->to_run)
        give_up(child, format_text("has not run for %.0f seconds: it waits in the kernel, as for a device or a file "
                                   "server that does not answer, or was stopped", patience->to_run));
    else if (seconds_since_expiry(child) > patience->after_expiry)
        give_up(child, copy_string("took too long: what it read was let go before"));
    else if (child->silent_seconds > 0 && seconds_now() - child->heard_at > child->silent_seconds)
        give_up(child, format_text("has written nothing for %.0f seconds", child->silent_seconds));
    else if (is_late(child))
        give_up(child, format_text("took longer than %.0f seconds (--limit %s=SECONDS)", child->seconds,
                                   child->limit != NULL ? child->limit : "time"));
}

/* Has it ended by itself or been collected, and is its holder only about to end? The kernel ends that with it. */
static bool is_followed(const struct child *child)
{
    pid_t holder = shown_by(child)->holder;

    return child->ended_at > 0 && child->pid == 0 && holder > 0 && !proc_has_ended(holder);
}

/* Has it been collected, with what ends with it, or is it hopeless to wait for that? */
static bool is_done(const struct child *child)
{
    double seconds = child->program == NULL ? seconds_to_die : seconds_to_obey + seconds_to_follow + seconds_to_die;

    return child->ended_at > 0 &&
           ((child->pid == 0 && !is_followed(child)) || seconds_now() - child->ended_at > seconds);
}

/* Not even SIGKILL ends a process that waits uninterruptibly. */
static void leave_behind(struct child *child)
{
    append_text(&child->problem, "; it cannot be ended now, and is left behind as process %d, which holds nothing",
                (int)child->pid);
    child->pid = 0;
}

/* Signals. */

static const int ending[] = {SIGINT, SIGQUIT, SIGHUP, SIGTERM};

/* Signals that the caller ignores, as under nohup, are ignored by the children too. */
static void choose_signals(sigset_t *signals)
{
    sigemptyset(signals);
    sigaddset(signals, SIGCHLD);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        struct sigaction now;

        if (sigaction(ending[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(signals, ending[i]);
    }
}

/* All children of one call. */

struct run {
    struct child *children;
    size_t n, n_started;
    struct child **running;
    size_t n_running, at_once;
    const struct patience *patience;
    struct guard guard;            /* of other programs */
    int signals;
    sigset_t before;               /* signals that were blocked */
    struct pollfd *wait;
};

/* A signal for the caller ends the children, and then the caller: nothing is there any more when it has ended. */
static void end_all(struct run *run, int number)
{
    for (size_t i = 0; i < run->n_running; i++)
        end(run->running[i]);
    for (size_t i = 0; i < run->n_running; i++)
        while (run->running[i]->program == NULL && !is_done(run->running[i])) {
            collect(run->running[i], &run->guard);
            seconds_poll(NULL, 0, seconds_to_look_again);
        }
    guard_end(&run->guard);
    signal(number, SIG_DFL);
    raise(number);
    sigprocmask(SIG_SETMASK, &run->before, NULL);
}

static int taken_signal(int from)
{
    struct signalfd_siginfo info;

    while (read(from, &info, sizeof info) == (ssize_t)sizeof info)
        if (info.ssi_signo != SIGCHLD)
            return (int)info.ssi_signo;
    return 0;
}

/* A line on standard error, if that is a terminal and it takes longer than a second. */

static const double seconds_until_line = 1, least_pause = 0.1;

static bool line_wanted;
static double line_start, shown;
static size_t n_shown;             /* columns of the line that is there */

/* Starts the measurement of the second after which the line is shown. */
static void progress_start(void)
{
    line_wanted = isatty(STDERR_FILENO);
    line_start = seconds_now();
    shown = 0;
}

/* Writing to a terminal that is paused (Ctrl-S) would block mqdump while it holds processes. */
static bool takes_text(void)
{
    struct pollfd terminal = {.fd = STDERR_FILENO, .events = POLLOUT};

    return poll(&terminal, 1, 0) == 1 && (terminal.revents & POLLOUT) != 0;
}

static bool put(const char *text, size_t length)
{
    return takes_text() && write(STDERR_FILENO, text, length) == (ssize_t)length;
}

/* Shows "mqdump: read 12 of 64 ranks", where the noun is `counted`. */
static void progress_show(const char *what, size_t n, size_t of, const char *counted)
{
    char text[80], line[2 + sizeof text];
    double now = seconds_now();
    int length;

    if (!line_wanted || now < line_start + seconds_until_line || now < shown + least_pause)
        return;
    snprintf(text, sizeof text, "mqdump: %s %zu of %zu %s", what, n, of, counted);
    length = snprintf(line, sizeof line, "\r%-*s", (int)n_shown, text);
    shown = now;
    if (put(line, (size_t)length))
        n_shown = (size_t)length - 1;
}

static void progress_end(void)
{
    char blank[84];
    int length = snprintf(blank, sizeof blank, "\r%*s\r", (int)n_shown, "");

    if (n_shown > 0)
        put(blank, (size_t)length);
    n_shown = 0;
    line_wanted = false;
}

/* Waiting. */

static void show_reading(const struct run *run)
{
    size_t n_stages[WATCH_READS + 1] = {0}, n_done = 0, n_all = 0;
    enum watch_stage stage;

    for (size_t i = 0; i < run->n_started; i++) {
        const struct watch *watch = shown_by(&run->children[i]);
        unsigned its_stage = watch->stage;

        if (run->children[i].ended_at > 0)
            continue;
        n_stages[its_stage <= WATCH_READS ? its_stage : WATCH_STARTS]++;
        n_done += watch->n;
        n_all += watch->of;
    }
    stage = n_stages[WATCH_PREPARES] > 0 ? WATCH_PREPARES : WATCH_READS;
    if (n_stages[stage] > 0)
        progress_show(stage == WATCH_PREPARES ? "prepared" : "read", n_done, n_all, "ranks");
}

static void show_progress(const struct run *run)
{
    if (run->patience->counted != NULL)
        progress_show("asked", run->n_started - run->n_running, run->n, run->patience->counted);
    else
        show_reading(run);
}

static int reader = -1;

static bool has_no_reader(const struct pollfd *wait)
{
    return (wait->revents & (POLLERR | POLLHUP)) != 0;
}

void children_end_with_reader(int descriptor)
{
    struct pollfd wait = {.fd = descriptor};

    reader = descriptor;
    if (poll(&wait, 1, 0) > 0 && has_no_reader(&wait))
        raise(SIGPIPE);
}

/* Waits until something happens, and takes it. Of the reader only its end is waited for. */
static void wait_for_some(struct run *run)
{
    struct pollfd *wait = run->wait;
    double seconds = seconds_to_look;

    wait[0] = (struct pollfd){.fd = run->signals, .events = POLLIN};
    wait[1] = (struct pollfd){.fd = reader};
    for (size_t i = 0; i < run->n_running; i++) {
        wait[2 * i + 2] = (struct pollfd){.fd = run->running[i]->output, .events = POLLIN};
        wait[2 * i + 3] = (struct pollfd){.fd = run->running[i]->messages, .events = POLLIN};
        if (is_followed(run->running[i]))
            seconds = seconds_to_look_again;
    }
    if (seconds_poll(wait, 2 * run->n_running + 2, seconds) <= 0)
        return;
    if (has_no_reader(&wait[1]))
        end_all(run, SIGPIPE);
    for (size_t i = 0; i < run->n_running; i++) {
        if (wait[2 * i + 2].revents != 0)
            read_some(run->running[i], &run->running[i]->output, take_output);
        if (wait[2 * i + 3].revents != 0)
            read_some(run->running[i], &run->running[i]->messages, take_messages);
    }
}

static void finish(struct child *child)
{
    if (child->pid > 0)
        leave_behind(child);
    end_message(child);
    close_one(&child->output);
    close_one(&child->messages);
    watch_free(child->watch);
    child->watch = NULL;
}

static void start_some(struct run *run)
{
    while (run->n_started < run->n && run->n_running < run->at_once) {
        child_start(&run->children[run->n_started], &run->guard, &run->before);
        run->running[run->n_running++] = &run->children[run->n_started++];
    }
}

static void run_all(struct run *run)
{
    while (run->n_started < run->n || run->n_running > 0) {
        size_t n_left = 0;
        int number;

        start_some(run);
        wait_for_some(run);
        number = taken_signal(run->signals);
        if (number != 0)
            end_all(run, number);
        for (size_t i = 0; i < run->n_running; i++) {
            struct child *child = run->running[i];

            collect(child, &run->guard);
            look_after(child, run->patience);
            if (is_done(child))
                finish(child);
            else
                run->running[n_left++] = child;
        }
        run->n_running = n_left;
        show_progress(run);
    }
}

void children_run(struct child *children, size_t n, const struct patience *patience)
{
    struct run run = {.children = children, .n = n, .patience = patience, .guard = {.to = -1}};
    sigset_t own;

    run.at_once = patience->at_once > 0 ? patience->at_once : MAX_AT_ONCE;
    if (run.at_once > n)
        run.at_once = n;
    run.running = allocate_array(run.at_once, sizeof *run.running);
    run.wait = allocate_array(2 * run.at_once + 2, sizeof *run.wait);
    if (ANY(i, n, children[i].program != NULL))
        guard_start(&run.guard);
    signal(SIGCHLD, SIG_DFL);
    choose_signals(&own);
    sigprocmask(SIG_BLOCK, &own, &run.before);
    run.signals = signalfd(-1, &own, SFD_CLOEXEC | SFD_NONBLOCK);
    if (run.signals < 0)
        sigprocmask(SIG_SETMASK, &run.before, NULL);
    progress_start();
    run_all(&run);
    progress_end();
    close_one(&run.signals);
    guard_end(&run.guard);
    sigprocmask(SIG_SETMASK, &run.before, NULL);
    FREE_ALL(run.running, run.wait);
}

void child_clear(struct child *child)
{
    FREE_ALL(child->problem, child->line);
    child->problem = child->line = NULL;
}
