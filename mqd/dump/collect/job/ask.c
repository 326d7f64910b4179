/*
 * ask.c - questions about processes that may never be answered.
 */
#include "mqd/dump/collect/job/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/reason.h"

/* Reading what the kernel knows takes microseconds; a page of it may have to come from a disk that is busy. */
static const double seconds_for_one = 2, seconds_for_lost = 10;

/* A round: the questions that one child asks. */
struct round {
    asker *ask;
    void *context;
    size_t first, n;
    unsigned char *answers;
    size_t size;
    bool *answered;
};

static bool write_all(int to, const void *bytes, size_t n)
{
    ssize_t written;

    do
        written = write(to, bytes, n);
    while (written < 0 && errno == EINTR);
    return written == (ssize_t)n;
}

/* The child. An answer is written as a whole, with its number. */
static _Noreturn void ask_questions(const struct round *round, int to)
{
    unsigned char message[sizeof(size_t) + MAX_ANSWER];

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (size_t i = round->first; i < round->n; i++) {
        memset(message, 0, sizeof message);
        memcpy(message, &i, sizeof i);
        round->ask(round->context, i, message + sizeof i);
        if (!write_all(to, message, sizeof i + round->size))
            break;
    }
    _exit(0);
}

/* Takes answers until the child has written all, or writes none for some time. Returns the next question. */
static size_t take_answers(const struct round *round, int from)
{
    size_t next = round->first;
    unsigned char message[sizeof(size_t) + MAX_ANSWER];
    struct pollfd ready = {.fd = from, .events = POLLIN};
    double end = seconds_now() + seconds_for_one;

    while (next < round->n) {
        double left = end - seconds_now();
        int n_ready = poll(&ready, 1, left > 0 ? (int)(left * 1000) + 1 : 0);
        ssize_t got = n_ready > 0 ? read(from, message, sizeof next + round->size) : -1;
        size_t i;

        if ((n_ready < 0 || got < 0) && errno == EINTR)
            continue;
        if (got != (ssize_t)(sizeof i + round->size))
            return next;
        memcpy(&i, message, sizeof i);
        if (i < next || i >= round->n)
            return next;
        memcpy(round->answers + i * round->size, message + sizeof i, round->size);
        round->answered[i] = true;
        next = i + 1;
        end = seconds_now() + seconds_for_one;
    }
    return next;
}

/* Asks from round->first on. The child that does not answer is killed; it may not end before it comes back. */
static bool ask_some(struct round *round, char **why)
{
    int ends[2], status;
    pid_t child;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return set_reason(why, "no pipe to a child process: %s", strerror(errno));
    child = fork();
    if (child == 0)
        ask_questions(round, ends[1]);
    close(ends[1]);
    if (child > 0)
        round->first = take_answers(round, ends[0]);
    else
        set_reason(why, "no child process: %s", strerror(errno));
    close(ends[0]);
    if (child < 0)
        return false;
    kill(child, SIGKILL);
    if (round->first == round->n)
        waitpid(child, &status, 0);
    else
        waitpid(child, &status, WNOHANG);
    return true;
}

bool ask_all(asker *ask, void *context, size_t n, void *answers, size_t size, bool *answered, char **why)
{
    struct round round = {ask, context, 0, n, answers, size, answered};
    double end = seconds_now() + seconds_for_lost;

    memset(answered, false, n);
    if (size > MAX_ANSWER)
        return set_reason(why, "an answer has %zu bytes", size);
    while (round.first < n) {
        if (!ask_some(&round, why))
            return false;
        if (round.first < n && seconds_now() > end)
            return true;
        round.first += round.first < n;
    }
    return true;
}
