/*
 * child.c - processes of mqdump's own that read others, and how they end.
 */
#include "mqd/dump/collect/child/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/progress.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/collect/target/proc.h"

/* A file server that is replaced by another one answers within half a minute, a dead one never. */
const struct patience child_patience = {.to_run = 30, .after_expiry = 5};

/* Of several children not more than this run at once. */
enum { MAX_AT_ONCE = 16 };

/* A child has few things to say. Longer lines are broken. */
enum { MAX_MESSAGE_LINE = 1024, MAX_MESSAGES = 64 * 1024 };

/* The end of a child is told at once; the state of a child is looked at so often. */
enum { MILLISECONDS_TO_LOOK = 250 };

/* A child that was killed ends at once, or it waits in the kernel. */
static const double seconds_to_die = 1;

/* Starting. */

extern char **environ;

/*
 * What a program needs to start and to speak the user's language, and what those need who test it. Other variables may
 * be secrets of the caller.
 */
static bool is_harmless(const char *variable)
{
    static const char *const starts[] = {"LD_", "LC_", "LANG", "TZ=", "MALLOC_", "GLIBC_TUNABLES=", "ASAN_OPTIONS=",
                                         "LSAN_OPTIONS=", "UBSAN_OPTIONS=", "MQD_TEST_"};

    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(variable, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

static char **choose_environment(bool is_other)
{
    size_t n = 0, n_chosen = 0;
    char **chosen;

    while (environ != NULL && environ[n] != NULL)
        n++;
    chosen = allocate_array(n + 1, sizeof *chosen);
    for (size_t i = 0; i < n; i++)
        if (!is_other || is_harmless(environ[i]))
            chosen[n_chosen++] = environ[i];
    return chosen;
}

static char **all_arguments(char *const *arguments)
{
    static char name[] = "mqdump";
    size_t n = 0;
    char **all;

    while (arguments[n] != NULL)
        n++;
    all = allocate_array(n + 2, sizeof *all);
    all[0] = name;
    memcpy(all + 1, arguments, n * sizeof *all);
    return all;
}

/* No descriptor of the caller is left but these; a closed one would be taken for the next file that is opened. */
static bool choose_descriptors(int output, int messages, int watch)
{
    int nothing = open("/dev/null", O_RDWR);

    /* What is open under a standard number may be this one. */
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(watch >= 0 ? watch : nothing, CHILD_WATCH) < 0 ||
        dup2(output, STDOUT_FILENO) < 0 || dup2(messages, STDERR_FILENO) < 0)
        return false;
#ifdef SYS_close_range
    if (syscall(SYS_close_range, CHILD_WATCH + 1U, ~0U, 0) == 0)
        return true;
#endif
    for (int i = CHILD_WATCH + 1; i < 1024; i++)
        close(i);
    return true;
}

static _Noreturn void become_child(char **arguments, char **environment, int output, int messages, int watch,
                                   const sigset_t *mask)
{
    if (choose_descriptors(output, messages, watch)) {
        sigprocmask(SIG_SETMASK, mask, NULL);
        execve("/proc/self/exe", arguments, environment);
        notice_give("it cannot start itself (/proc/self/exe): %s", strerror(errno));
    } else {
        notice_give("it cannot start itself (/dev/null): %s", strerror(errno));
    }
    _exit(CHILD_REFUSES);
}

/* Above those that are standard: whoever starts mqdump may have closed them. */
static int move_up(int descriptor)
{
    int higher = descriptor >= 0 ? fcntl(descriptor, F_DUPFD_CLOEXEC, CHILD_WATCH + 1) : -1;

    if (descriptor >= 0)
        close(descriptor);
    return higher;
}

static bool make_pipe(int *from, int *to)
{
    int ends[2] = {-1, -1};
    int error;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    *from = move_up(ends[0]);
    *to = move_up(ends[1]);
    if (*from >= 0 && *to >= 0 && fcntl(*from, F_SETFL, O_NONBLOCK) == 0)
        return true;
    error = errno;
    if (*from >= 0)
        close(*from);
    if (*to >= 0)
        close(*to);
    *from = *to = -1;
    errno = error;
    return false;
}

static void close_one(int *descriptor)
{
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
}

static void start(struct child *child, const sigset_t *mask)
{
    int output = -1, messages = -1, watch = -1, error = 0;
    char **arguments = all_arguments(child->arguments), **environment = choose_environment(child->is_other);

    child->output = child->messages = -1;
    child->start = seconds_now();
    child->watch = watch_new(&watch);
    watch = move_up(watch);
    if (make_pipe(&child->output, &output) && make_pipe(&child->messages, &messages)) {
        child->pid = fork();
        if (child->pid == 0)
            become_child(arguments, environment, output, messages, watch, mask);
    }
    if (child->pid <= 0) {
        error = errno;
        child->pid = 0;
        child->ended_at = seconds_now();
        child->problem = format_text("cannot be started: %s", strerror(error));
        close_one(&child->output);
        close_one(&child->messages);
    }
    close_one(&output);
    close_one(&messages);
    close_one(&watch);
    free(arguments);
    free(environment);
}

/* What it writes. */

static void end_message(struct child *child)
{
    char *text;

    if (child->line_length == 0)
        return;
    text = format_text("%.*s", (int)child->line_length, child->line);
    message_pass(text);
    free(text);
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

static void give_up(struct child *child, char *problem)
{
    if (child->problem == NULL)
        child->problem = problem;
    else
        free(problem);
    if (child->pid > 0 && child->ended_at == 0) {
        child->culprit = watch_process(child->watch);
        kill(child->pid, SIGKILL);
        child->ended_at = seconds_now();
    }
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

    if (n > 0)
        take(child, bytes, (size_t)n);
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        close_one(from);
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

/* If it has been collected, takes the rest of what it has written. */
static bool collect(struct child *child)
{
    char *problem;
    int status;

    if (child->pid <= 0 || waitpid(child->pid, &status, WNOHANG) != child->pid)
        return false;
    child->pid = 0;
    while (child->output >= 0 && read_some(child, &child->output, take_output))
        continue;
    while (child->messages >= 0 && read_some(child, &child->messages, take_messages))
        continue;
    if (child->ended_at == 0) {
        problem = problem_of(child, status);
        child->refused = WIFEXITED(status) && WEXITSTATUS(status) == CHILD_REFUSES;
        child->culprit = watch_process(child->watch);
        free(child->problem);
        child->problem = problem;
        child->ended_at = seconds_now();
    }
    return true;
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
    if (!watch_expired(child->watch))
        child->expired_since = 0;
    else if (child->expired_since == 0)
        child->expired_since = seconds_now();
    return child->expired_since > 0 ? seconds_now() - child->expired_since : 0;
}

static void look_after(struct child *child, const struct patience *patience)
{
    if (child->pid <= 0 || child->ended_at > 0)
        return;
    if (seconds_of_waiting(child) > patience->to_run)
        give_up(child, format_text("has not run for %.0f seconds: it waits in the kernel, as for a device or a file "
                                   "server that does not answer, or was stopped", patience->to_run));
    else if (seconds_since_expiry(child) > patience->after_expiry)
        give_up(child, copy_string("took too long: what it read was let go before"));
    else if (child->seconds > 0 && seconds_now() - child->start > child->seconds)
        give_up(child, format_text("took longer than %.0f seconds (--limit time=SECONDS)", child->seconds));
}

/* Has it been collected, or is it hopeless to wait for that? */
static bool is_done(const struct child *child)
{
    return child->ended_at > 0 && (child->pid == 0 || seconds_now() - child->ended_at > seconds_to_die);
}

/* Not even SIGKILL ends a process that waits uninterruptibly. */
static void leave_behind(struct child *child)
{
    char *problem = child->problem;

    child->problem = format_text("%s; it cannot be ended now, and is left behind as process %d, which holds nothing",
                                 problem, (int)child->pid);
    free(problem);
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

/* A signal for the caller ends the children. They hold nothing then: their ends are seen by what holds for them. */
static void end_all(struct child *children, size_t n, int number, const sigset_t *before)
{
    for (size_t i = 0; i < n; i++)
        if (children[i].pid > 0)
            kill(children[i].pid, SIGKILL);
    signal(number, SIG_DFL);
    raise(number);
    sigprocmask(SIG_SETMASK, before, NULL);
}

static int taken_signal(int from)
{
    struct signalfd_siginfo info;

    while (read(from, &info, sizeof info) == (ssize_t)sizeof info)
        if (info.ssi_signo != SIGCHLD)
            return (int)info.ssi_signo;
    return 0;
}

/* Waiting. */

static void show_progress(const struct child *children, size_t n)
{
    size_t n_stages[WATCH_READS + 1] = {0}, n_done = 0, n_all = 0;
    enum watch_stage stage;

    for (size_t i = 0; i < n; i++) {
        size_t done, of;

        if (children[i].ended_at > 0)
            continue;
        n_stages[watch_progress(children[i].watch, &done, &of)]++;
        n_done += done;
        n_all += of;
    }
    stage = n_stages[WATCH_PREPARES] > 0 ? WATCH_PREPARES : WATCH_READS;
    if (n_stages[stage] > 0)
        progress_show(stage == WATCH_PREPARES ? "prepared" : "read", n_done, n_all);
}

/* Waits until something happens, and takes it. */
static void wait_for_some(struct child **running, size_t n, int signals)
{
    struct pollfd wait[2 * MAX_AT_ONCE + 1] = {{.fd = signals, .events = POLLIN}};

    for (size_t i = 0; i < n; i++) {
        wait[2 * i + 1] = (struct pollfd){.fd = running[i]->output, .events = POLLIN};
        wait[2 * i + 2] = (struct pollfd){.fd = running[i]->messages, .events = POLLIN};
    }
    if (poll(wait, (nfds_t)(2 * n + 1), MILLISECONDS_TO_LOOK) <= 0)
        return;
    for (size_t i = 0; i < n; i++) {
        if (wait[2 * i + 1].revents != 0)
            read_some(running[i], &running[i]->output, take_output);
        if (wait[2 * i + 2].revents != 0)
            read_some(running[i], &running[i]->messages, take_messages);
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

static void run_all(struct child *children, size_t n, const struct patience *patience, int signals,
                    const sigset_t *before)
{
    struct child *running[MAX_AT_ONCE];
    size_t n_started = 0, n_running = 0;

    while (n_started < n || n_running > 0) {
        size_t n_left = 0;
        int number;

        while (n_started < n && n_running < MAX_AT_ONCE) {
            start(&children[n_started], before);
            running[n_running++] = &children[n_started++];
        }
        wait_for_some(running, n_running, signals);
        number = taken_signal(signals);
        if (number != 0)
            end_all(children, n_started, number, before);
        show_progress(children, n_started);
        for (size_t i = 0; i < n_running; i++) {
            collect(running[i]);
            look_after(running[i], patience);
            if (is_done(running[i]))
                finish(running[i]);
            else
                running[n_left++] = running[i];
        }
        n_running = n_left;
    }
}

void children_run(struct child *children, size_t n, const struct patience *patience)
{
    sigset_t own, before;
    int signals;

    signal(SIGCHLD, SIG_DFL);
    choose_signals(&own);
    sigprocmask(SIG_BLOCK, &own, &before);
    signals = signalfd(-1, &own, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals < 0)
        sigprocmask(SIG_SETMASK, &before, NULL);
    run_all(children, n, patience, signals, &before);
    close_one(&signals);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

void child_clear(struct child *child)
{
    free(child->problem);
    free(child->line);
    child->problem = child->line = NULL;
}
