/*
 * start.c - starts a child that gets nothing of its caller but what is meant for it, and ends what it has left running.
 */
#include "mqd/dump/collect/child/start.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <linux/keyctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/fork.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/name_list.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/base/watch.h"

extern char **environ;

/* The guard. */

/* At once not more groups are there than a process has descriptors for. */
enum { MAX_GROUPS = 64 * 1024 };

/* In this time a process does what it does when it is asked to end: a second. */
enum { ROUNDS = 100, NANOSECONDS_OF_ROUND = 10 * 1000 * 1000 };

struct groups {
    pid_t numbers[MAX_GROUPS];
    size_t n;
};

/* The number of a group that is to be ended; negative: not any more. */
static void take(struct groups *groups, pid_t message)
{
    size_t i = 0;

    while (i < groups->n && groups->numbers[i] != abs(message))
        i++;
    if (message > 0 && i == groups->n && groups->n < MAX_GROUPS)
        groups->numbers[groups->n++] = message;
    else if (message < 0 && i < groups->n)
        groups->numbers[i] = groups->numbers[--groups->n];
}

/* What has ended is forgotten at once: its number may be somebody else's soon. */
static void wait_for_ends(struct groups *groups)
{
    for (int i = 0; i < ROUNDS && groups->n > 0; i++) {
        size_t n_left = 0;

        for (size_t k = 0; k < groups->n; k++)
            if (kill(-groups->numbers[k], 0) == 0)
                groups->numbers[n_left++] = groups->numbers[k];
        groups->n = n_left;
        nanosleep(&(struct timespec){.tv_nsec = NANOSECONDS_OF_ROUND}, NULL);
    }
}

/*
 * Programs that handle SIGTERM tell those whom they have started elsewhere. Some have a process that does so if another
 * one of them is killed: the leader is killed before the others.
 */
static void end_groups(struct groups *groups)
{
    for (size_t i = 0; i < groups->n; i++)
        kill(-groups->numbers[i], SIGTERM);
    wait_for_ends(groups);
    for (size_t i = 0; i < groups->n; i++)
        kill(groups->numbers[i], SIGKILL);
    wait_for_ends(groups);
    for (size_t i = 0; i < groups->n; i++)
        kill(-groups->numbers[i], SIGKILL);
}

/* It must have no end of a pipe by which somebody notices that the caller has ended, or has written all. */
static void keep_only(int from)
{
    int nothing = open("/dev/null", O_RDWR);

    if (nothing < 0 || dup2(from, 3) < 0)
        _exit(1);
    for (int i = 0; i < 3; i++)
        dup2(nothing, i);
    close_from(4);
}

static _Noreturn void watch_over(int from)
{
    static const int ignored[] = {SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGPIPE, SIGTSTP};
    static struct groups groups;
    pid_t message;
    ssize_t n;

    setsid();
    prctl(PR_SET_NAME, "mqdump-guard");
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
    keep_only(from);
    while ((n = read(3, &message, sizeof message)) != 0) {
        if (n == (ssize_t)sizeof message)
            take(&groups, message);
        else if (n > 0 || errno != EINTR)
            break;
    }
    end_groups(&groups);
    _exit(0);
}

void guard_start(struct guard *guard)
{
    int ends[2];

    *guard = (struct guard){.to = -1};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return;
    guard->pid = fork();
    if (guard->pid == 0)
        watch_over(ends[0]);
    close(ends[0]);
    guard->to = ends[1];
    if (guard->pid < 0)
        close_one(&guard->to);
}

/* Pipes do not divide so short a message. */
static void tell(const struct guard *guard, pid_t message)
{
    while (guard->to >= 0 && write(guard->to, &message, sizeof message) < 0 && errno == EINTR)
        continue;
}

void guard_leave(const struct guard *guard, pid_t group)
{
    tell(guard, -group);
}

void guard_end(struct guard *guard)
{
    if (guard->to >= 0)
        close(guard->to);
    while (guard->pid > 0 && waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    *guard = (struct guard){.to = -1};
}

/* What a child gets. */

bool variable_is_harmless(const char *variable)
{
    static const char *const starts[] = {"LD_", "LC_", "LANG", "TZ=", "MALLOC_", "GLIBC_TUNABLES=", "ASAN_OPTIONS=",
                                         "LSAN_OPTIONS=", "UBSAN_OPTIONS=", "MQD_TEST_"};

    return BEGINS_WITH_ANY(variable, starts);
}

/* A child that is being started. */
struct start {
    const struct child *child;
    const struct guard *guard;
    const sigset_t *mask;
    char **arguments, **environment;   /* of a program */
    pid_t caller;
    int input, output, messages, watch;    /* the child's descriptors; -1: it has nothing there */
};

/* Without a terminal ssh, which others may start, would ask by a window. */
static char **choose_environment(const struct child *child)
{
    static char never_ask[] = "SSH_ASKPASS_REQUIRE=never", no_home[] = "HOME=/";
    size_t n = 0, n_chosen = 0;
    char **chosen;

    while (environ != NULL && environ[n] != NULL)
        n++;
    chosen = allocate_array(n + 3, sizeof *chosen);
    for (size_t i = 0; i < n; i++)
        if ((child->keeps == NULL || child->keeps(environ[i])) &&
            (child->program == NULL || !name_begins_with(environ[i], "SSH_ASKPASS_REQUIRE=")))
            chosen[n_chosen++] = environ[i];
    if (child->program != NULL)
        chosen[n_chosen++] = never_ask;
    /* Where there is none, libraries ask who the user is, for settings of his, and some crash if nobody knows. */
    if (child->keeps == variable_is_harmless)
        chosen[n_chosen++] = no_home;
    return chosen;
}

static char **all_arguments(const struct child *child)
{
    static char own_name[] = "mqdump";
    size_t n = 0;
    char **all;

    while (child->arguments != NULL && child->arguments[n] != NULL)
        n++;
    all = allocate_array(n + 2, sizeof *all);
    all[0] = child->program != NULL ? (char *)child->program : own_name;
    for (size_t i = 0; i < n; i++)
        all[i + 1] = child->arguments[i];
    return all;
}

/* Above those that a child has: whoever starts mqdump may have closed them. */
static int move_up(int descriptor)
{
    int higher;

    if (descriptor < 0 || descriptor > CHILD_WATCH)
        return descriptor;
    higher = fcntl(descriptor, F_DUPFD_CLOEXEC, CHILD_WATCH + 1);
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
    close_one(from);
    close_one(to);
    errno = error;
    return false;
}

/* A file has room for any text, so that nobody has to wait until it is read. -1, with the reason in errno: failed. */
static int input_of(const char *text)
{
    int input = move_up(memory_file("mqdump-input"));
    size_t n = strlen(text), written = 0;
    ssize_t length = 0;

    while (input >= 0 && written < n && length >= 0) {
        length = write(input, text + written, n - written);
        written += length > 0 ? (size_t)length : 0;
    }
    if (input >= 0 && (length < 0 || lseek(input, 0, SEEK_SET) != 0 ||
                       fcntl(input, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0))
        close_one(&input);
    return input;
}

/* The process. */

/* No descriptor of the caller is left but these; a closed one would be taken for the next file that is opened. */
static bool choose_descriptors(const struct start *start)
{
    int nothing, last = start->child->program == NULL ? CHILD_WATCH : STDERR_FILENO;

    /* Who may have few descriptors has just enough. */
    close(start->child->output);
    close(start->child->messages);
    nothing = open("/dev/null", O_RDWR);
    /* What is open under a standard number may be this one. */
    if (nothing < 0 || dup2(start->input >= 0 ? start->input : nothing, STDIN_FILENO) < 0 ||
        dup2(start->output, STDOUT_FILENO) < 0 || dup2(start->messages, STDERR_FILENO) < 0)
        return false;
    if (last == CHILD_WATCH && dup2(start->watch >= 0 ? start->watch : nothing, CHILD_WATCH) < 0)
        return false;
    close_from(last + 1);
    return true;
}

/*
 * The owner may trace what runs as him: the caller's keys must not be there, which a session keyring leads to. Kernels
 * without keyrings have none.
 */
static bool become_owner(const struct owner *owner)
{
    if (owner == NULL)
        return true;
    syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && setgroups(owner->n_groups, owner->groups) == 0 &&
           setresgid(owner->group, owner->group, owner->group) == 0 &&
           setresuid(owner->user, owner->user, owner->user) == 0;
}

/*
 * Who becomes another user forgets what was asked of the kernel. The caller may have ended before that was asked. A
 * program is asked to end, if there is a guard that sees to it.
 */
static bool end_with_caller(const struct start *start)
{
    if (!become_owner(start->child->owner))
        return false;
    prctl(PR_SET_PDEATHSIG, start->child->program != NULL && start->guard->to >= 0 ? SIGTERM : SIGKILL);
    if (getppid() != start->caller)
        _exit(CHILD_REFUSES);
    return true;
}

static _Noreturn void become(const struct start *start)
{
    const struct child *child = start->child;
    const char *name = child->program != NULL ? child->program : "mqdump itself (/proc/self/exe)";

    if (child->program != NULL) {
        setsid();
        tell(start->guard, getpid());
    }
    if (choose_descriptors(start) && end_with_caller(start)) {
        sigprocmask(SIG_SETMASK, start->mask, NULL);
        if (child->work != NULL)
            _exit(child->work(child->context));
        else if (child->program != NULL)
            execvpe(child->program, start->arguments, start->environment);
        else
            execve("/proc/self/exe", start->arguments, start->environment);
    }
    notice_give("%s cannot be started: %s", name, strerror(errno));
    _exit(CHILD_REFUSES);
}

/*
 * Without a copy of the caller's memory, which may be large and would be copied for each of many programs. The caller
 * waits until the program is executed, and has no thread and no handler of signals that could see what is done
 * meanwhile. Who becomes another user changes something of the memory that both have, and of mqdump itself there are
 * few. No other function may be merged with this one, whose variables both have.
 */
static __attribute__((noinline)) pid_t divide(const struct start *start)
{
    pid_t pid = start->child->program != NULL && start->child->owner == NULL ? vfork() : fork();

    if (pid == 0)
        become(start);
    return pid;
}

void child_start(struct child *child, const struct guard *guard, const sigset_t *mask)
{
    OWNED char **arguments = all_arguments(child), **environment = choose_environment(child);
    struct start start = {.child = child, .guard = guard, .mask = mask, .arguments = arguments,
                          .environment = environment, .caller = getpid(), .input = -1, .output = -1, .messages = -1,
                          .watch = -1};
    pid_t pid = -1;

    child->output = child->messages = child->status = -1;
    child->start = child->heard_at = seconds_now();
    if (child->program == NULL && child->work == NULL)
        child->watch = watch_new(&start.watch);
    start.watch = move_up(start.watch);
    if (child->input != NULL)
        start.input = input_of(child->input);
    if ((child->input == NULL || start.input >= 0) && make_pipe(&child->output, &start.output) &&
        make_pipe(&child->messages, &start.messages))
        pid = divide(&start);
    if (pid < 0) {
        child->ended_at = child->start;
        child->not_started = true;
        child->problem = format_text("cannot be started: %s", strerror(errno));
        close_one(&child->output);
        close_one(&child->messages);
    }
    child->pid = pid > 0 ? pid : 0;
    close_one(&start.input);
    close_one(&start.output);
    close_one(&start.messages);
    close_one(&start.watch);
}
