/*
 * guard.c - ends groups of processes when the process that has started them has ended, however that was.
 */
#include "mqd/dump/collect/child/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mqd/dump/base/fork.h"

/* A group of that number is to be ended, or not any more. Pipes do not divide so short a message. */
struct message {
    pid_t group;
    int enters;
};

/* At once not more groups are there than a process has descriptors for. */
enum { MAX_GROUPS = 64 * 1024 };

/* In this time a process does what it does when it is asked to end: a second. */
enum { ROUNDS = 100, NANOSECONDS_OF_ROUND = 10 * 1000 * 1000 };

struct groups {
    pid_t numbers[MAX_GROUPS];
    size_t n;
};

/* The guard. */

static void take(struct groups *groups, const struct message *message)
{
    size_t i = 0;

    while (i < groups->n && groups->numbers[i] != message->group)
        i++;
    if (message->enters && i == groups->n && groups->n < MAX_GROUPS)
        groups->numbers[groups->n++] = message->group;
    else if (!message->enters && i < groups->n)
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
    struct message message;
    ssize_t n;

    setsid();
    prctl(PR_SET_NAME, "mqdump-guard");
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
    keep_only(from);
    while ((n = read(3, &message, sizeof message)) != 0) {
        if (n == (ssize_t)sizeof message)
            take(&groups, &message);
        else if (n > 0 || errno != EINTR)
            break;
    }
    end_groups(&groups);
    _exit(0);
}

/* The caller. */

bool guard_start(struct guard *guard)
{
    int ends[2];

    *guard = (struct guard){.to = -1};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    guard->pid = fork();
    if (guard->pid == 0)
        watch_over(ends[0]);
    close(ends[0]);
    if (guard->pid > 0) {
        guard->to = ends[1];
        return true;
    }
    close(ends[1]);
    guard->pid = 0;
    return false;
}

static void tell(const struct guard *guard, pid_t group, bool enters)
{
    const struct message message = {.group = group, .enters = enters};

    while (guard->to >= 0 && write(guard->to, &message, sizeof message) < 0 && errno == EINTR)
        continue;
}

void guard_enter(const struct guard *guard)
{
    setsid();
    tell(guard, getpid(), true);
}

void guard_leave(const struct guard *guard, pid_t group)
{
    tell(guard, group, false);
}

void guard_end(struct guard *guard)
{
    if (guard->to >= 0)
        close(guard->to);
    while (guard->pid > 0 && waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    *guard = (struct guard){.to = -1};
}
