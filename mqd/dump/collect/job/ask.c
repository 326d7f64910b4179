/*
 * ask.c - questions about processes that may never be answered.
 */
#include "mqd/dump/collect/job/ask.h"

#include <string.h>
#include <unistd.h>

#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/collect/child/child.h"

/* Reading what the kernel knows takes microseconds; a page of it may have to come from a disk that is busy. */
static const double seconds_for_one = 2;

/* For all questions of a group; groups that have to wait for long, because of very many slow ones, get less. */
static const double seconds_for_group = 10, seconds_per_question = 0.002, seconds_until_less = 30;

/* Groups that are asked at the same time. */
enum { MAX_CHILDREN = 64 };

static const struct patience patience = {.at_once = MAX_CHILDREN};

struct asking {
    asker *ask;
    void *context;
    unsigned char *answers;
    size_t size;
    enum asked *asked;
};

/* Questions of a group, which a child asks; another one after a question that was lost. */
struct group {
    const struct asking *asking;
    size_t next, end;
    double seconds;                /* that it has left */
    unsigned char answer[MAX_ANSWER];
    size_t n_bytes;                /* of the answer that have come */
};

/* In the child. */
static int ask_questions(void *context)
{
    const struct group *group = context;
    const struct asking *asking = group->asking;

    for (size_t i = group->next; i < group->end; i++) {
        unsigned char answer[MAX_ANSWER] = {0};

        asking->ask(asking->context, i, answer);
        if (write(STDOUT_FILENO, answer, asking->size) != (ssize_t)asking->size)
            return 1;
    }
    return 0;
}

static bool take(void *context, const char *bytes, size_t n)
{
    struct group *group = context;
    const struct asking *asking = group->asking;

    for (size_t i = 0; i < n && group->next < group->end; i++) {
        group->answer[group->n_bytes++] = (unsigned char)bytes[i];
        if (group->n_bytes < asking->size)
            continue;
        memcpy(asking->answers + group->next * asking->size, group->answer, asking->size);
        asking->asked[group->next++] = ASKED_ANSWERED;
        group->n_bytes = 0;
    }
    return true;
}

/* What the child was at when it ended is lost. Returns whether the group is to be asked further. */
static bool go_on(struct group *group, const struct child *child)
{
    group->seconds -= child->ended_at - child->start;
    group->n_bytes = 0;
    if (group->next < group->end && !child->not_started)
        group->asking->asked[group->next++] = ASKED_IN_VAIN;
    return group->next < group->end && group->seconds > 0;
}

/* If there is no child for a group now, there may be one when others have ended. */
static bool ask_groups(struct group *groups, size_t n, char **why)
{
    struct child children[MAX_CHILDREN];

    while (n > 0) {
        size_t n_left = 0, n_started = 0;
        OWNED char *problem = NULL;

        for (size_t i = 0; i < n; i++)
            children[i] = (struct child){.work = ask_questions, .take = take, .context = &groups[i],
                                         .seconds = groups[i].seconds, .silent_seconds = seconds_for_one};
        children_run(children, n, &patience);
        for (size_t i = 0; i < n; i++) {
            n_started += !children[i].not_started;
            if (children[i].not_started)
                set_reason(&problem, "cannot look for jobs: a child process %s", children[i].problem);
            if (go_on(&groups[i], &children[i]))
                groups[n_left++] = groups[i];
            child_clear(&children[i]);
        }
        if (n_started == 0)
            return set_reason(why, "%s", problem);
        n = n_left;
    }
    return true;
}

bool ask_all(asker *ask, void *context, const size_t *sizes, size_t n_groups, void *answers, size_t size,
             enum asked *asked, char **why)
{
    const struct asking asking = {.ask = ask, .context = context, .answers = answers, .size = size, .asked = asked};
    OWNED struct group *groups = allocate_array(MAX_CHILDREN, sizeof *groups);
    double begin = seconds_now();
    size_t first = 0;
    bool good = true;

    for (size_t i = 0; i < n_groups && good;) {
        double seconds = seconds_now() > begin + seconds_until_less ? seconds_for_one : seconds_for_group;
        size_t n = 0;

        for (; i < n_groups && n < MAX_CHILDREN; first += sizes[i++])
            groups[n++] = (struct group){.asking = &asking, .next = first, .end = first + sizes[i],
                                         .seconds = seconds + (double)sizes[i] * seconds_per_question};
        good = ask_groups(groups, n, why);
    }
    return good;
}
