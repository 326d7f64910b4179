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
#include <sys/wait.h>
#include <unistd.h>

#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/fork.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/reason.h"

/* Reading what the kernel knows takes microseconds; a page of it may have to come from a disk that is busy. */
static const double seconds_for_one = 2;

/* For all questions of a group; groups that have to wait for long, because of very many slow ones, get less. */
static const double seconds_for_group = 10, seconds_per_question = 0.002, seconds_until_less = 30;

enum { MAX_CHILDREN = 64 };

/* A round: the questions of a group, which one child asks; another one after a question that was lost. */
struct round {
    size_t next, end;
    double end_of_one, end_of_all;
    pid_t child;
    int from;
};

struct asking {
    asker *ask;
    void *context;
    unsigned char *answers;
    size_t size;
    enum asked *asked;
    struct round rounds[MAX_CHILDREN];
    size_t n_rounds;
    pid_t *left;                   /* children that were killed, and may not end before they come back */
    size_t n_left, left_room;
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
static _Noreturn void ask_questions(const struct asking *asking, const struct round *round, int to)
{
    unsigned char message[sizeof(size_t) + MAX_ANSWER];

    for (size_t i = round->next; i < round->end; i++) {
        memset(message, 0, sizeof message);
        memcpy(message, &i, sizeof i);
        asking->ask(asking->context, i, message + sizeof i);
        if (!write_all(to, message, sizeof i + asking->size))
            break;
    }
    _exit(0);
}

static bool start_child(const struct asking *asking, struct round *round, char **why)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0)
        return set_reason(why, "no pipe to a child process: %s", strerror(errno));
    round->child = fork_tied(SIGKILL);
    if (round->child == 0)
        ask_questions(asking, round, ends[1]);
    if (round->child < 0)
        set_reason(why, "no child process: %s", strerror(errno));
    close(ends[1]);
    round->from = ends[0];
    round->end_of_one = seconds_now() + seconds_for_one;
    if (round->child < 0)
        close(ends[0]);
    return round->child > 0;
}

static void end_child(struct asking *asking, const struct round *round)
{
    close(round->from);
    kill(round->child, SIGKILL);
    if (waitpid(round->child, NULL, round->next == round->end ? 0 : WNOHANG) != 0)
        return;
    APPEND(asking->left, asking->n_left, asking->left_room, round->child);
}

/* Takes one answer. False: the child has ended, or what it has written is none. */
static bool take_answer(const struct asking *asking, struct round *round)
{
    unsigned char message[sizeof(size_t) + MAX_ANSWER];
    ssize_t got;
    size_t i;

    do
        got = read(round->from, message, sizeof i + asking->size);
    while (got < 0 && errno == EINTR);
    if (got != (ssize_t)(sizeof i + asking->size))
        return false;
    memcpy(&i, message, sizeof i);
    if (i != round->next)
        return false;
    memcpy(asking->answers + i * asking->size, message + sizeof i, asking->size);
    asking->asked[i] = ASKED_ANSWERED;
    round->next++;
    round->end_of_one = seconds_now() + seconds_for_one;
    return true;
}

/* Goes on with a round of which something was written or the time is over. *over: it needs no child any more. */
static bool advance(struct asking *asking, struct round *round, bool ready, bool *over, char **why)
{
    bool lost = ready ? !take_answer(asking, round) : seconds_now() > round->end_of_one;

    if (lost)
        asking->asked[round->next] = ASKED_IN_VAIN;
    *over = round->next + lost >= round->end || seconds_now() > round->end_of_all;
    if (lost || *over)
        end_child(asking, round);
    round->next += lost;
    return *over || !lost || start_child(asking, round, why);
}

/* Waits for all children until one has written something or its time is over. */
static bool advance_all(struct asking *asking, char **why)
{
    struct pollfd ready[MAX_CHILDREN];
    double now = seconds_now(), left = seconds_for_one;

    for (size_t i = 0; i < asking->n_rounds; i++) {
        const struct round *round = &asking->rounds[i];
        double end = round->end_of_one < round->end_of_all ? round->end_of_one : round->end_of_all;

        ready[i] = (struct pollfd){.fd = round->from, .events = POLLIN};
        left = end - now < left ? end - now : left;
    }
    if (seconds_poll(ready, asking->n_rounds, left) < 0)
        return errno == EINTR || set_reason(why, "cannot wait for child processes: %s", strerror(errno));
    for (size_t i = asking->n_rounds; i-- > 0;) {
        bool over, good = advance(asking, &asking->rounds[i], ready[i].revents != 0, &over, why);

        if (over || !good)
            asking->rounds[i] = asking->rounds[--asking->n_rounds];
        if (!good)
            return false;
    }
    return true;
}

/* Starts the next group. If there is no child for it now, there may be one when others have ended. */
static bool start_group(struct asking *asking, size_t first, size_t n, double begin, char **why)
{
    double now = seconds_now(), seconds = now > begin + seconds_until_less ? seconds_for_one : seconds_for_group;
    struct round round = {.next = first, .end = first + n,
                          .end_of_all = now + seconds + (double)n * seconds_per_question};

    if (!start_child(asking, &round, why))
        return false;
    asking->rounds[asking->n_rounds++] = round;
    return true;
}

static bool ask_groups(struct asking *asking, const size_t *sizes, size_t n_groups, char **why)
{
    double begin = seconds_now();

    for (size_t i = 0, first = 0; i < n_groups || asking->n_rounds > 0;) {
        OWNED char *problem = NULL;

        if (i < n_groups && asking->n_rounds < MAX_CHILDREN && start_group(asking, first, sizes[i], begin, &problem))
            first += sizes[i++];
        else if (asking->n_rounds == 0)
            return set_reason(why, "%s", problem);
        else if (!advance_all(asking, why))
            return false;
    }
    return true;
}

bool ask_all(asker *ask, void *context, const size_t *sizes, size_t n_groups, void *answers, size_t size,
             enum asked *asked, char **why)
{
    struct asking asking = {.ask = ask, .context = context, .answers = answers, .size = size, .asked = asked};
    bool good;

    if (size > MAX_ANSWER)
        return set_reason(why, "an answer has %zu bytes", size);
    good = ask_groups(&asking, sizes, n_groups, why);
    for (size_t i = 0; i < asking.n_rounds; i++)
        end_child(&asking, &asking.rounds[i]);
    for (size_t i = 0; i < asking.n_left; i++)
        waitpid(asking.left[i], NULL, WNOHANG);
    free(asking.left);
    return good;
}
