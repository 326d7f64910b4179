/*
 * dependants.c - concludes that ranks wait for busy ranks, or for ranks of which nothing is known.
 */
#include "mqd/dump/verdict/dependants.h"

#include <stdint.h>
#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/verdict/fold.h"
#include "mqd/dump/verdict/outside.h"
#include "mqd/dump/verdict/say.h"

/* Of so many busy ranks it is told what they do. */
enum { MAX_ACTIVITIES = 3 };

/* The ranks that wait, and the ranks that they wait for (causes). */
struct dependants {
    struct rank_set ranks, causes;
};

/* Finds the ranks that can go on as long as the causes do, and only then. The causes are absent ranks, or busy ones. */
static struct dependants find_dependants(const struct conclusion *conclusion, bool absent, struct finding *finding,
                                         struct fold *waits)
{
    const struct model *model = conclusion->model;
    enum doubt doubt = absent ? DOUBT_ABSENT : DOUBT_BUSY;
    struct dependants found = {.ranks = {0}};

    for (uint32_t i = 0; i < model->n_ranks; i++)
        if (model->ranks[i].phase == PHASE_BLOCKED && conclusion->dies_at[i] == doubt && !conclusion->explained[i])
            rank_set_add(&found.ranks, model->ranks[i].id);
    for (size_t i = 0; i < model->n_waits; i++) {
        const struct wait *wait = &model->waits[i];
        uint32_t owner = model_owner(model, wait);
        bool is_cause = absent ? wait->target == NODE_ABSENT
                               : wait->target >= 0 && wait->target < (int64_t)model->n_ranks &&
                                     model->ranks[wait->target].phase == PHASE_BUSY;

        if (!is_cause || conclusion->dies_at[owner] != doubt || (owner < model->n_ranks && conclusion->explained[owner]))
            continue;
        if (wait->peer >= 0)
            rank_set_add(&found.causes, wait->peer);
        if (owner >= model->n_ranks)
            continue;
        if (wait->operation != UINT32_MAX)
            finding_add_evidence(conclusion, finding, wait->operation);
        fold_wait(waits, conclusion, wait);
    }
    return found;
}

static void drop_finding(struct conclusion *conclusion, struct finding *finding, struct dependants *found,
                         struct fold *waits)
{
    fold_say(waits, conclusion, finding);
    finding_free(finding);
    free(found->ranks.ranks);
    free(found->causes.ranks);
    conclusion->verdict->n--;
}

/* Says where the busy ranks are, and what they do. */
static void say_places(const struct conclusion *conclusion, struct finding *finding)
{
    struct fold places = {0};

    for (size_t i = 0; i < finding->n_causes; i++) {
        size_t rank = model_find_rank(conclusion->model, finding->causes[i]);

        if (rank != SIZE_MAX)
            fold_add(&places, finding->causes[i], say_where(&conclusion->model->ranks[rank]));
    }
    fold_say(&places, conclusion, finding);
    for (size_t i = 0; i < finding->n_causes && i < MAX_ACTIVITIES; i++) {
        size_t rank = model_find_rank(conclusion->model, finding->causes[i]);

        if (rank != SIZE_MAX)
            finding_add_activity(conclusion, finding, (uint32_t)rank);
    }
}

/* Is it a machine's problem that these ranks were not looked at? */
static bool are_on_hosts(const struct model *model, const struct finding *finding)
{
    for (size_t i = 0; i < finding->n_causes; i++) {
        size_t rank = model_find_rank(model, finding->causes[i]);

        if (rank == SIZE_MAX || model->ranks[rank].witness->listing->host == NULL ||
            model->ranks[rank].witness->listing->error == NULL)
            return false;
    }
    return true;
}

static char *say_dependants(const struct conclusion *conclusion, const struct finding *finding, bool absent)
{
    char *who = say_ranks(conclusion, finding->ranks, finding->n_ranks, "waits", "wait");
    char *whom = say_rank_set(conclusion->model, finding->causes, finding->n_causes, "", "");
    char *text;

    if (absent && finding->n_causes == 0)
        text = format_text("%s for processes that are not known, as those of jobs that were not given.", who);
    else if (absent && are_on_hosts(conclusion->model, finding))
        text = format_text("%s for %s, which %s not been looked at: whether %s can get on is not known.", who, whom,
                           finding->n_causes == 1 ? "has" : "have", finding->n_ranks == 1 ? "it" : "they");
    else if (absent)
        text = format_text("%s for %s, of which nothing is known.", who, whom);
    else
        text = format_text("%s for %s, which may be stuck or just take %s time.", who, whom,
                           finding->n_causes == 1 ? "its" : "their");
    free(who);
    free(whom);
    return text;
}

/* Adds a finding about ranks that wait for busy or absent ranks, if there are some. */
static void conclude_dependants(struct conclusion *conclusion, bool absent)
{
    struct finding *finding = finding_add(conclusion, absent ? FINDING_NOT_READ : FINDING_BUSY, false);
    struct fold waits = {0};
    struct dependants found = find_dependants(conclusion, absent, finding, &waits);

    if (found.ranks.n == 0 || (found.causes.n == 0 && !absent)) {
        drop_finding(conclusion, finding, &found, &waits);
        return;
    }
    finding_set_ranks(finding, found.ranks);
    finding_set_causes(finding, found.causes);
    finding->sentence = say_dependants(conclusion, finding, absent);
    if (!absent)
        say_places(conclusion, finding);
    fold_say(&waits, conclusion, finding);
}

void conclude_busy(struct conclusion *conclusion)
{
    conclude_dependants(conclusion, false);
}

void conclude_not_read(struct conclusion *conclusion)
{
    conclude_dependants(conclusion, true);
}
