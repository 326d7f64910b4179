/*
 * stopped.c - concludes that ranks are kept from running: by a stop, or by a system call that does not return.
 *
 * Such a rank does nothing, whatever it could do. Who stopped a rank has to let it go on, so what follows for others is
 * certain if they are proved to wait for it. A system call may return by itself, as from a slow file server, so what
 * follows is only possible. A rank that nobody waits for does no harm yet.
 */
#include "mqd/dump/verdict/stopped.h"

#include <stdint.h>
#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/verdict/solver.h"
#include "mqd/dump/verdict/outside.h"
#include "mqd/dump/verdict/proof.h"
#include "mqd/dump/verdict/say.h"

/* How many ranks a finding describes, and how many waits for them: the rest is like them. */
enum { MAX_DESCRIBED = 3, MAX_WAITS = 4 };

/* A kind of ranks that do not run. */
struct sort {
    enum finding_kind kind;
    bool (*has)(const struct model_rank *rank);
    char *(*describe)(const struct model_rank *rank);  /* "is stopped by a signal", for free() */
    enum doubt doubt;                                  /* the level at which such ranks are presumed inert */
    const char *one, *many;                            /* of ranks that others wait for */
    const char *alone_one, *alone_many;                /* of ranks that nobody waits for */
    bool lasts;                                        /* it does not end by itself */
};

/* The rank that a wait is for, if it is of this sort; else SIZE_MAX. */
static size_t cause_of(const struct model *model, const struct sort *sort, const struct wait *wait)
{
    size_t rank = SIZE_MAX;

    if (wait->target >= 0 && wait->target < (int64_t)model->n_ranks)
        rank = (size_t)wait->target;
    else if (wait->target == NODE_ABSENT && wait->peer >= 0)
        rank = model_find_rank(model, wait->peer);
    return rank != SIZE_MAX && sort->has(&model->ranks[rank]) ? rank : SIZE_MAX;
}

/* Does the node get on only if ranks of the sort do? */
static bool rests_on(const struct conclusion *conclusion, const struct sort *sort, uint32_t node)
{
    return conclusion->dies_at[node] == sort->doubt;
}

/* The ranks that get on only if those of the sort do. Returns whether it is proved that they wait. */
static bool find_ranks(const struct conclusion *conclusion, const struct sort *sort, struct rank_set *ranks)
{
    const struct model *model = conclusion->model;
    bool proved = true;

    for (uint32_t i = 0; i < model->n_ranks; i++) {
        const struct model_rank *rank = &model->ranks[i];

        if (rank->phase != PHASE_BLOCKED || !rests_on(conclusion, sort, i))
            continue;
        rank_set_add(ranks, rank->id);
        proved &= rank->proved_idle && !rank->guessed;
    }
    for (size_t i = 0; i < model->n_waits && proved; i++)
        proved = !rests_on(conclusion, sort, model_owner(model, &model->waits[i])) || wait_is_known(model, &model->waits[i]);
    return proved;
}

static void find_causes(const struct conclusion *conclusion, const struct sort *sort, struct finding *finding,
                        struct rank_set *causes)
{
    const struct model *model = conclusion->model;
    size_t n_waits = 0;

    for (size_t i = 0; i < model->n_waits; i++) {
        const struct wait *wait = &model->waits[i];
        uint32_t owner = model_owner(model, wait);
        size_t cause = cause_of(model, sort, wait);

        if (cause == SIZE_MAX || !rests_on(conclusion, sort, owner))
            continue;
        rank_set_add(causes, model->ranks[cause].id);
        if (owner < model->n_ranks && n_waits++ < MAX_WAITS)
            finding_add_wait(conclusion, finding, wait);
    }
}

static void describe_ranks(const struct conclusion *conclusion, const struct sort *sort, struct finding *finding,
                           const long *ids, size_t n)
{
    n = n < MAX_DESCRIBED ? n : MAX_DESCRIBED;
    while (n-- > 0) {
        const struct model_rank *rank = &conclusion->model->ranks[model_find_rank(conclusion->model, ids[n])];
        char *who = say_subject(conclusion, rank->id), *what = sort->describe(rank);

        finding_put_first(finding, format_text("%s %s.", who, what));
        free(who);
        free(what);
    }
}

/* Others wait for such ranks. Returns false if nobody does. */
static bool conclude_waited_for(struct conclusion *conclusion, const struct sort *sort)
{
    struct rank_set ranks = {0}, causes = {0};
    bool proved = find_ranks(conclusion, sort, &ranks);
    struct finding *finding;
    char *who, *whom;

    if (ranks.n == 0)
        return false;
    finding = finding_add(conclusion, sort->kind, proved && sort->lasts);
    find_causes(conclusion, sort, finding, &causes);
    finding_set_ranks(finding, ranks);
    finding_set_causes(finding, causes);
    who = say_ranks(conclusion, finding->ranks, finding->n_ranks, "waits", "wait");
    whom = say_rank_set(conclusion->model, finding->causes, finding->n_causes, "", "");
    finding->sentence = format_text("%s for %s, %s.", who, whom, finding->n_causes == 1 ? sort->one : sort->many);
    describe_ranks(conclusion, sort, finding, finding->causes, finding->n_causes);
    free(who);
    free(whom);
    return true;
}

static void conclude_alone(struct conclusion *conclusion, const struct sort *sort)
{
    const struct model *model = conclusion->model;
    struct rank_set ranks = {0};
    struct finding *finding;
    char *who;

    for (size_t i = 0; i < model->n_ranks; i++)
        if (sort->has(&model->ranks[i]))
            rank_set_add(&ranks, model->ranks[i].id);
    if (ranks.n == 0)
        return;
    finding = finding_add(conclusion, sort->kind, false);
    finding_set_ranks(finding, ranks);
    who = say_ranks(conclusion, finding->ranks, finding->n_ranks, sort->alone_one, sort->alone_many);
    finding->sentence = format_text("%s; nobody is known to wait for %s.", who, finding->n_ranks == 1 ? "it" : "them");
    describe_ranks(conclusion, sort, finding, finding->ranks, finding->n_ranks);
    free(who);
}

static void conclude_sort(struct conclusion *conclusion, const struct sort *sort)
{
    if (!conclude_waited_for(conclusion, sort))
        conclude_alone(conclusion, sort);
}

void conclude_stopped(struct conclusion *conclusion)
{
    conclude_sort(conclusion, &(struct sort){.kind = FINDING_STOPPED, .has = rank_is_stopped, .describe = say_stop,
                                             .doubt = DOUBT_STOPPED,
                                             .one = "which is stopped", .many = "which are stopped",
                                             .alone_one = "is stopped", .alone_many = "are stopped", .lasts = true});
}

void conclude_stuck(struct conclusion *conclusion)
{
    conclude_sort(conclusion,
                  &(struct sort){.kind = FINDING_STUCK, .has = rank_is_stuck, .describe = say_stuck,
                                 .doubt = DOUBT_STUCK,
                                 .one = "which does not come back from a system call",
                                 .many = "which do not come back from system calls",
                                 .alone_one = "does not come back from a system call",
                                 .alone_many = "do not come back from system calls"});
}
