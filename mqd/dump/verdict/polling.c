/*
 * polling.c - concludes that ranks which only test for messages test for what does not come.
 *
 * A rank that is outside of MPI may be between two tests, or compute before it tests. So nothing is said of such ranks
 * unless others wait for them, or all that could complete their requests have left MPI.
 */
#include "mqd/dump/verdict/polling.h"

#include <stdint.h>
#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/verdict/fold.h"
#include "mqd/dump/verdict/near_miss.h"
#include "mqd/dump/verdict/outside.h"
#include "mqd/dump/verdict/say.h"

/* Of how many ranks it is said what they do. */
enum { MAX_ACTIVITIES = 2 };

/* Would the rank get on if a test were followed by anything, and only then? */
static bool rests_on_tests(const struct conclusion *conclusion, size_t rank)
{
    return conclusion->dies_at[rank] == DOUBT_POLLING;
}

/* The same, and no other finding is about the rank. */
static bool is_stuck(const struct conclusion *conclusion, size_t rank)
{
    return rests_on_tests(conclusion, rank) && !conclusion->explained[rank];
}

/* The ranks that are stuck then and test, or wait. */
static struct rank_set find_stuck(const struct conclusion *conclusion, bool polls)
{
    struct rank_set found = {0};

    for (size_t i = 0; i < conclusion->model->n_ranks; i++)
        if (is_stuck(conclusion, i) && conclusion->model->ranks[i].polls == polls)
            rank_set_add(&found, conclusion->model->ranks[i].id);
    found.n = ranks_sort(found.ranks, found.n);
    return found;
}

/* The ranks for which the ranks that test wait, if all of these have ended or left MPI; else none. */
static struct rank_set find_gone(const struct conclusion *conclusion)
{
    const struct model *model = conclusion->model;
    struct rank_set gone = {0};

    for (size_t i = 0; i < model->n_waits; i++) {
        uint32_t owner = model_owner(model, &model->waits[i]);

        if (owner >= model->n_ranks || !model->ranks[owner].polls || !is_stuck(conclusion, owner))
            continue;
        if (model->waits[i].target != NODE_NEVER) {
            gone.n = 0;
            return gone;
        }
        rank_set_add(&gone, model->waits[i].peer);
    }
    gone.n = ranks_sort(gone.ranks, gone.n);
    return gone;
}

/* How many of the ranks are outside of MPI? */
static size_t count_aside(const struct conclusion *conclusion, const struct rank_set *polling)
{
    size_t n = 0;

    for (size_t i = 0; i < polling->n; i++)
        n += conclusion->model->ranks[model_find_rank(conclusion->model, polling->ranks[i])].aside;
    return n;
}

static const char *say_what_polling_does(const struct conclusion *conclusion, const struct rank_set *polling)
{
    if (count_aside(conclusion, polling) > 0)
        return polling->n == 1 ? "may be stuck or just take its time" : "may be stuck or just take their time";
    return polling->n == 1 ? "tests again and again for what does not come"
                           : "test again and again for what does not come";
}

/* Have all of them left MPI in order? */
static bool have_finalized(const struct model *model, const struct rank_set *gone)
{
    for (size_t i = 0; i < gone->n; i++)
        if (model->ranks[model_find_rank(model, gone->ranks[i])].phase != PHASE_FINALIZED)
            return false;
    return true;
}

/* ": only rank 1 could complete its requests, which is in MPI_Finalize or past it"; "" if nobody is gone. */
static char *say_gone(const struct conclusion *conclusion, const struct rank_set *polling, const struct rank_set *gone)
{
    bool finalized = have_finalized(conclusion->model, gone);
    char *whom, *text;

    if (gone->n == 0)
        return copy_string("");
    whom = say_rank_set(conclusion->model, gone->ranks, gone->n, "", "");
    text = format_text(": only %s could complete %s requests, which %s %s", whom, polling->n == 1 ? "its" : "their",
                       finalized ? (gone->n == 1 ? "is" : "are") : gone->n == 1 ? "has" : "have",
                       finalized ? "in MPI_Finalize or past it" : "ended or left MPI");
    free(whom);
    return text;
}

static char *say_polling(const struct conclusion *conclusion, const struct rank_set *waiting,
                         const struct rank_set *polling, const struct rank_set *gone)
{
    char *who, *whom, *text;

    if (waiting->n == 0) {
        who = say_ranks(conclusion, polling->ranks, polling->n, "", "");
        whom = say_gone(conclusion, polling, gone);
        text = format_text("%s %s%s.", who, say_what_polling_does(conclusion, polling), whom);
        free(who);
        free(whom);
        return text;
    }
    who = say_ranks(conclusion, waiting->ranks, waiting->n, "waits", "wait");
    whom = say_rank_set(conclusion->model, polling->ranks, polling->n, "", "");
    text = format_text("%s for %s, which %s.", who, whom, say_what_polling_does(conclusion, polling));
    free(who);
    free(whom);
    return text;
}

/* First what is tested for, then what is waited for. */
static void say_waits(const struct conclusion *conclusion, struct finding *finding, bool polls)
{
    const struct model *model = conclusion->model;
    struct fold fold = {0};

    for (size_t i = 0; i < model->n_waits; i++) {
        const struct wait *wait = &model->waits[i];
        uint32_t owner = model_owner(model, wait);

        if (owner >= model->n_ranks || !is_stuck(conclusion, owner) || model->ranks[owner].polls != polls)
            continue;
        if (wait->operation != UINT32_MAX)
            finding_add_evidence(conclusion, finding, wait->operation);
        fold_wait(&fold, conclusion, wait);
    }
    fold_say(&fold, conclusion, finding);
}

/* What the ranks do that are outside of MPI. */
static void say_activities(const struct conclusion *conclusion, struct finding *finding, const struct rank_set *polling)
{
    size_t n = 0;

    for (size_t i = 0; i < polling->n && n < MAX_ACTIVITIES; i++) {
        size_t rank = model_find_rank(conclusion->model, polling->ranks[i]);

        if (!conclusion->model->ranks[rank].aside)
            continue;
        finding_add_activity(conclusion, finding, (uint32_t)rank);
        n++;
    }
}

/* Of all ranks that are stuck, or only of those that another finding is about. */
static void find_near_misses(struct conclusion *conclusion, bool of_all)
{
    const struct model *model = conclusion->model;

    for (size_t i = 0; i < model->n_waits; i++) {
        const struct wait *wait = &model->waits[i];
        uint32_t owner = model_owner(model, wait);

        if (owner < model->n_ranks && rests_on_tests(conclusion, owner) &&
            (of_all || conclusion->explained[owner]) && wait->operation != UINT32_MAX &&
            !model->operations[wait->operation].internal)
            near_misses_find(conclusion, wait, false, false);
    }
}

void conclude_polling(struct conclusion *conclusion)
{
    struct rank_set polling = find_stuck(conclusion, true), waiting = find_stuck(conclusion, false);
    struct rank_set gone = waiting.n == 0 ? find_gone(conclusion) : (struct rank_set){0};
    bool any = polling.n > 0 && (waiting.n > 0 || gone.n > 0 || count_aside(conclusion, &polling) == 0);
    struct finding *finding;

    find_near_misses(conclusion, any);
    if (!any) {
        free(polling.ranks);
        free(waiting.ranks);
        free(gone.ranks);
        return;
    }
    finding = finding_add(conclusion, FINDING_BUSY, false);
    finding->sentence = say_polling(conclusion, &waiting, &polling, &gone);
    say_waits(conclusion, finding, true);
    say_activities(conclusion, finding, &polling);
    say_waits(conclusion, finding, false);
    finding_set_ranks(finding, waiting.n > 0 ? waiting : polling);
    finding_set_causes(finding, waiting.n > 0 ? polling : gone);
    free(waiting.n > 0 ? gone.ranks : waiting.ranks);
}
