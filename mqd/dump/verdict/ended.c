/*
 * ended.c - concludes that ranks have ended or left MPI while others wait for them or are still in MPI.
 */
#include "mqd/dump/verdict/ended.h"

#include <stdint.h>
#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/base/text_groups.h"
#include "mqd/dump/collect/target/core.h"
#include "mqd/dump/verdict/conclusion.h"
#include "mqd/dump/verdict/near_miss.h"
#include "mqd/dump/verdict/proof.h"
#include "mqd/dump/verdict/say.h"

/* How many ranks a finding describes the end of. */
enum { MAX_ENDS = 3 };

/* Gone ranks that others wait for. */

/* Returns the rank that a wait with the target NODE_NEVER is for. */
static const struct model_rank *gone_rank(const struct model *model, const struct wait *wait)
{
    return &model->ranks[model_find_rank(model, wait->peer)];
}

/* Does the node's component wait for another component? That is the subject of another finding. */
static bool waits_for_others(const struct graph *graph, uint32_t node)
{
    return graph->leaves[graph->component[node]];
}

/*
 * A wait for a gone rank: `gone`; and `wait`, the wait of a rank that leads to it: the same, or one for any rank, where
 * `gone` stands for the waits for all gone ranks among these.
 */
struct lost {
    const struct wait *gone, *wait;
    bool certain;                  /* that it waits, and in vain */
    bool told;                     /* another finding is about it */
};
struct losses {
    struct lost *losses;
    size_t n, room;
};

static void add_loss(const struct conclusion *conclusion, struct losses *found, const struct wait *gone,
                     const struct wait *wait, bool certain)
{
    uint32_t owner = model_owner(conclusion->model, wait);

    certain = certain && !gone_rank(conclusion->model, gone)->inferred &&
              gone_is_proved(conclusion->model, gone_rank(conclusion->model, gone), wait) &&
              !conclusion->model->ranks[owner].guessed &&
              node_is_proved(conclusion->model, conclusion->graph, owner);
    APPEND(found->losses, found->n, found->room, (struct lost){.gone = gone, .wait = wait, .certain = certain});
}

/* Is the wait for a rank that is gone in this way, and is its owner stuck? */
static bool is_vain(const struct conclusion *conclusion, const struct wait *wait, enum phase phase)
{
    return wait->target == NODE_NEVER && !lives(conclusion, model_owner(conclusion->model, wait)) &&
           gone_rank(conclusion->model, wait)->phase == phase;
}

/*
 * Is it proved that the gone ranks of a node are gone, in whatever way, and that no rank of it, gone or not, has a
 * message under way?
 */
static bool is_node_lost(const struct conclusion *conclusion, size_t first)
{
    const struct model *model = conclusion->model;
    bool proved = node_is_proved(model, conclusion->graph, model_owner(model, &model->waits[first]));

    while (first > 0 && model->waits[first - 1].condition == model->waits[first].condition)
        first--;
    for (size_t i = first; i < model->n_waits && model->waits[i].condition == model->waits[first].condition; i++)
        proved &= wait_is_known(model, &model->waits[i]) &&
                  (model->waits[i].target != NODE_NEVER ||
                   (!gone_rank(model, &model->waits[i])->inferred &&
                    !gone_rank(model, &model->waits[i])->witness->moved_last));
    return proved;
}

/* The waits for a node that stands for any of several ranks; `first` is its first wait for one that is gone. */
static void add_losses_of_node(const struct conclusion *conclusion, struct losses *found, size_t first)
{
    const struct model *model = conclusion->model;
    uint32_t node = model_owner(model, &model->waits[first]);
    bool proved = is_node_lost(conclusion, first);

    for (size_t i = 0; i < model->n_waits && !waits_for_others(conclusion->graph, node); i++)
        if (model->waits[i].target == (int64_t)node && model_owner(model, &model->waits[i]) < model->n_ranks)
            add_loss(conclusion, found, &model->waits[first], &model->waits[i], proved);
}

/* The waits of a node follow each other. Of those for gone ranks the first one stands for all. */
static struct losses find_losses(const struct conclusion *conclusion, enum phase phase)
{
    const struct model *model = conclusion->model;
    struct losses found = {0};
    uint32_t last_node = UINT32_MAX;

    for (size_t i = 0; i < model->n_waits; i++) {
        uint32_t owner = model_owner(model, &model->waits[i]);

        if (!is_vain(conclusion, &model->waits[i], phase) || owner == last_node)
            continue;
        if (owner < model->n_ranks) {
            add_loss(conclusion, &found, &model->waits[i], &model->waits[i], true);
            continue;
        }
        add_losses_of_node(conclusion, &found, i);
        last_node = owner;
    }
    return found;
}

/* All gone ranks that a loss is about. */
static void add_gone(const struct conclusion *conclusion, const struct lost *lost, enum phase phase,
                     struct rank_set *causes)
{
    const struct wait *wait = lost->gone, *end = conclusion->model->waits + conclusion->model->n_waits;

    if (lost->gone == lost->wait)
        rank_set_add(causes, wait->peer);
    for (; lost->gone != lost->wait && wait < end && wait->condition == lost->gone->condition; wait++)
        if (is_vain(conclusion, wait, phase))
            rank_set_add(causes, wait->peer);
}

/* Can nobody else send what the rank waits for? The others may wait for anybody too. */
static bool is_last_hope(const struct conclusion *conclusion, const struct lost *lost)
{
    const struct model *model = conclusion->model;
    uint32_t owner = model_owner(model, lost->wait), node = model_owner(model, lost->gone);

    for (size_t i = 0; i < model->n_waits && lost->gone != lost->wait; i++)
        if (model_owner(model, &model->waits[i]) == node && model->waits[i].target != NODE_NEVER &&
            model->waits[i].target != (int64_t)owner)
            return false;
    return true;
}

/*
 * What comes nearest to a message of a rank that has left MPI in order is all that it has sent. One that has ended in
 * another way may just not have come to send it.
 */
static void find_near_misses(struct conclusion *conclusion, struct losses *found, enum phase phase)
{
    for (size_t i = 0; i < found->n; i++) {
        struct lost *lost = &found->losses[i];

        if (lost->wait->operation == UINT32_MAX)
            continue;
        lost->told = near_miss_of_gone(conclusion, lost->wait, lost->certain,
                                       phase == PHASE_FINALIZED && is_last_hope(conclusion, lost));
    }
}

/* Describes the ends of at most MAX_ENDS ranks at the beginning of the finding. */
static void add_ends(const struct conclusion *conclusion, struct finding *finding, const long *ranks, size_t n)
{
    n = n < MAX_ENDS ? n : MAX_ENDS;
    while (n-- > 0) {
        const struct model_rank *rank = &conclusion->model->ranks[model_find_rank(conclusion->model, ranks[n])];
        const struct missing_rank *missing = rank->witness->missing;
        OWNED char *who = NULL;

        if (missing == NULL)
            continue;
        who = say_subject(conclusion, rank->id);
        if (missing->pid != 0)
            finding_put_first(finding, format_text("%s (process %d) %s.", who, (int)missing->pid, missing->fate));
        else
            finding_put_first(finding, format_text("%s %s.", who, missing->fate));
    }
}

/* Returns the clause for one or several gone ranks. */
static const char *say_that_they_ended(bool certain, bool one)
{
    if (certain)
        return one ? "which has ended" : "which have ended";
    return one ? "which seems to have ended" : "which seem to have ended";
}

/* Is it certain that all ranks which others wait for have ended? */
static bool have_ended(const struct model *model, const struct finding *finding)
{
    for (size_t i = 0; i < finding->n_causes; i++)
        if (model->ranks[model_find_rank(model, finding->causes[i])].inferred)
            return false;
    return true;
}

static char *say_gone(const struct conclusion *conclusion, enum phase phase, const struct finding *finding)
{
    OWNED char *who = say_ranks(conclusion, finding->ranks, finding->n_ranks, "waits", "wait");
    OWNED char *whom = say_rank_set(conclusion->model, finding->causes, finding->n_causes, "", "");
    size_t first = model_find_rank(conclusion->model, finding->causes[0]);
    const struct model_rank *cause = &conclusion->model->ranks[first];
    const char *where = finding->n_causes == 1 ? "which is in MPI_Finalize" : "which are in MPI_Finalize";

    if (phase == PHASE_ENDED)
        where = say_that_they_ended(have_ended(conclusion->model, finding), finding->n_causes == 1);
    else if (cause->past_finalize)
        where = finding->n_causes == 1 ? "which has left MPI" : "which have left MPI";
    return format_text("%s for %s, %s.", who, whom, where);
}

static void say_losses(struct conclusion *conclusion, const struct losses *found, enum finding_kind kind,
                       enum phase phase)
{
    struct finding *finding = finding_add(conclusion, kind, true);
    struct rank_set ranks = {0}, causes = {0};
    struct fold fold = {0};
    const struct wait *last_gone = NULL;

    for (size_t i = 0; i < found->n; i++) {
        const struct lost *lost = &found->losses[i];

        if (lost->told)
            continue;
        rank_set_add(&ranks, conclusion->model->ranks[model_owner(conclusion->model, lost->wait)].id);
        if (lost->gone != last_gone)
            add_gone(conclusion, lost, phase, &causes);
        last_gone = lost->gone;
        finding->certain &= lost->certain;
        if (lost->wait->operation != UINT32_MAX)
            finding_add_evidence(conclusion, finding, lost->wait->operation);
        fold_wait(&fold, conclusion, lost->wait);
    }
    finding_set_ranks(finding, ranks);
    finding_set_causes(finding, causes);
    finding->sentence = say_gone(conclusion, phase, finding);
    fold_say(&fold, conclusion, finding);
    if (phase == PHASE_ENDED)
        add_ends(conclusion, finding, finding->causes, finding->n_causes);
    else
        finding_add_detail(finding, copy_string("A rank in MPI_Finalize neither sends nor receives any more."));
}

static void conclude_gone(struct conclusion *conclusion, enum finding_kind kind, enum phase phase)
{
    struct losses found = find_losses(conclusion, phase);
    bool any = false;

    find_near_misses(conclusion, &found, phase);
    for (size_t i = 0; i < found.n; i++)
        any |= !found.losses[i].told;
    if (any)
        say_losses(conclusion, &found, kind, phase);
    free(found.losses);
}

void conclude_ended(struct conclusion *conclusion)
{
    conclude_gone(conclusion, FINDING_ENDED, PHASE_ENDED);
}

void conclude_finalized(struct conclusion *conclusion)
{
    conclude_gone(conclusion, FINDING_FINALIZED, PHASE_FINALIZED);
}

/* Gone ranks that nobody waits for yet. To end while others are still in MPI is an error all the same. */

/* A rank that could not be read again may have left MPI meanwhile, as at the end of a job. */
static bool is_in_mpi(const struct model_rank *rank)
{
    return !rank->witness->outdated && (rank->phase == PHASE_BUSY || rank->phase == PHASE_BLOCKED) &&
           rank->witness->listing->has_communicators;
}

/*
 * Is one of a job in MPI, and one of a look? What was in MPI on another machine may have left it before the rank ended,
 * as at the end of a job. The jobs have communicators in common: none of them ends alone.
 */
struct in_mpi {
    bool *jobs, *looks;            /* by their numbers */
};

static struct in_mpi find_in_mpi(const struct model *model)
{
    struct in_mpi found = {.jobs = allocate_array(model->n_jobs, sizeof *found.jobs)};
    int n_looks = 0;

    for (size_t i = 0; i < model->n_ranks; i++)
        if (model->ranks[i].witness->look >= n_looks)
            n_looks = model->ranks[i].witness->look + 1;
    found.looks = allocate_array((size_t)n_looks, sizeof *found.looks);
    for (size_t i = 0; i < model->n_ranks; i++) {
        if (!is_in_mpi(&model->ranks[i]))
            continue;
        found.jobs[model->ranks[i].job] = true;
        found.looks[model->ranks[i].witness->look] = true;
    }
    return found;
}

/* For each rank: is there a finding that others wait for it, and it has ended? */
static bool *find_awaited(const struct conclusion *conclusion)
{
    bool *awaited = allocate_array(conclusion->model->n_ranks, sizeof *awaited);

    for (size_t i = conclusion->first_finding; i < conclusion->verdict->n; i++) {
        const struct finding *finding = &conclusion->verdict->findings[i];

        for (size_t k = 0; k < finding->n_causes && finding->kind == FINDING_ENDED; k++) {
            size_t rank = model_find_rank(conclusion->model, finding->causes[k]);

            if (rank != SIZE_MAX)
                awaited[rank] = true;
        }
    }
    return awaited;
}

/* A signal ends no rank in order, whatever others have done meanwhile. */
static bool has_failed(const struct model_rank *rank)
{
    return rank->witness->missing != NULL && rank->witness->missing->signal != 0;
}

/* Ranks that may have ended in order after others were looked at. */
static void note_ends(struct conclusion *conclusion, struct rank_set *ranks)
{
    OWNED char *who = NULL;

    if (ranks->n == 0)
        return;
    ranks->n = ranks_sort(ranks->ranks, ranks->n);
    who = say_ranks(conclusion, ranks->ranks, ranks->n, "had ended when it was looked at",
                    "had ended when they were looked at");
    conclusion->verdict->unclear = true;
    verdict_add_note(conclusion->verdict, format_text("%s, and others were in MPI when these were: whether they are still "
                                                      "there is not known.", who));
}

void conclude_early_ends(struct conclusion *conclusion)
{
    const struct model *model = conclusion->model;
    struct in_mpi in_mpi = find_in_mpi(model);
    struct rank_set ranks = {0};
    RELEASED_BY(rank_set_clear) struct rank_set others = {0};
    struct finding *finding;
    bool certain = true;
    OWNED bool *awaited = find_awaited(conclusion);
    OWNED char *who = NULL;

    for (size_t i = 0; i < model->n_ranks; i++) {
        const struct model_rank *rank = &model->ranks[i];

        if (rank->phase != PHASE_ENDED || rank->witness->crashed || awaited[i] || !in_mpi.jobs[rank->job])
            continue;
        if (in_mpi.looks[rank->witness->look] || has_failed(rank))
            rank_set_add(&ranks, rank->id);
        else
            rank_set_add(&others, rank->id);
        certain &= !rank->inferred;
    }
    FREE_ALL(in_mpi.jobs, in_mpi.looks);
    note_ends(conclusion, &others);
    if (ranks.n == 0)
        return;
    finding = finding_add(conclusion, FINDING_ENDED, certain);
    finding_set_ranks(finding, ranks);
    who = say_ranks(conclusion, finding->ranks, finding->n_ranks, certain ? "has ended" : "seems to have ended",
                    certain ? "have ended" : "seem to have ended");
    finding->sentence = format_text("%s, while others are still in MPI.", who);
    add_ends(conclusion, finding, finding->ranks, finding->n_ranks);
}

/* Ranks that were killed by an error of their own. */

/* "by SIGSEGV in memcpy, called from exchange (halo.c:30)" */
static char *say_crash(const struct model_rank *rank)
{
    OWNED char *where = say_fault(rank->call);

    return format_text("by %s%s", core_error_name(rank->witness->listing->signal), where);
}

/* Ranks that crashed at the same place are one finding. */
static void conclude_crash(struct conclusion *conclusion, const struct text_group *crashed)
{
    struct finding *finding = finding_add(conclusion, FINDING_CRASHED, true);
    struct rank_set ranks = {0};
    OWNED char *who = NULL;

    for (size_t i = 0; i < crashed->n; i++)
        rank_set_add(&ranks, conclusion->model->ranks[crashed->members[i]].id);
    finding_set_ranks(finding, ranks);
    who = say_ranks(conclusion, finding->ranks, finding->n_ranks, "was", "were");
    finding->sentence = format_text("%s killed %s.", who, crashed->text);
}

void conclude_crashes(struct conclusion *conclusion)
{
    RELEASED_BY(text_groups_clear) struct text_groups crashes = {0};

    for (size_t i = 0; i < conclusion->model->n_ranks; i++)
        if (conclusion->model->ranks[i].witness->crashed)
            text_groups_add(&crashes, say_crash(&conclusion->model->ranks[i]), i);
    for (size_t i = 0; i < crashes.n; i++)
        conclude_crash(conclusion, &crashes.groups[i]);
}
