/*
 * nonblocking.c - concludes that nonblocking collective operations lock themselves.
 */
#include "mqd/dump/verdict/nonblocking.h"

#include <stdint.h>
#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/verdict/answer.h"
#include "mqd/dump/verdict/candidates.h"
#include "mqd/dump/verdict/collective.h"
#include "mqd/dump/verdict/conclusion.h"
#include "mqd/dump/verdict/graph.h"
#include "mqd/dump/verdict/say.h"
#include "mqd/dump/verdict/traffic.h"

/* Which parts wait for which. */

/* The waits of parts for others, each of which is a node: its first open operation. A part needs all others. */
struct links {
    struct condition *conditions;  /* per operation */
    struct wait *waits;
    size_t n, room;
};

/* Is it known what the rank has started, and that this stays so? */
static bool is_steady(const struct model_rank *rank)
{
    return rank->phase == PHASE_BLOCKED ||
           (rank->phase == PHASE_BUSY && !rank->witness->moved && !rank->witness->stopped);
}

/*
 * A rank that waits in MPI looks for messages; what has come to another one must have been counted, and what ranks that
 * were not looked at together have sent.
 */
static bool sees_messages(const struct model *model, const struct operation *operation, size_t peer)
{
    return (model->ranks[operation->rank].phase == PHASE_BLOCKED && model_are_together(model, operation->rank, peer)) ||
           model_is_counted(model, operation->rank, peer, operation->communicator->unique_id);
}

/* The highest number of an operation of which a rank has an open part, for each communicator of each rank. */
struct latest {
    size_t *first;                 /* per rank: of its communicators */
    unsigned long *numbers;
};

static struct latest find_latest(const struct model *model)
{
    struct latest latest = {.first = allocate_array(model->n_ranks + 1, sizeof *latest.first)};

    for (size_t i = 0; i < model->n_ranks; i++)
        latest.first[i + 1] = latest.first[i] + model->ranks[i].n_communicators;
    latest.numbers = allocate_array(latest.first[model->n_ranks] + 1, sizeof *latest.numbers);
    for (size_t i = 0; i < model->n_operations; i++) {
        const struct operation *operation = &model->operations[i];
        const struct communicator *all = model->ranks[operation->rank].witness->listing->communicators;
        size_t at = latest.first[operation->rank] + (size_t)(operation->communicator - all);

        if (is_part_of_same(model, operation, operation) && latest.numbers[at] < operation->said->collective_number)
            latest.numbers[at] = operation->said->collective_number;
    }
    return latest;
}

/*
 * Has the peer no part of the operation any more, and a part of a later one that this rank has not started? Persistent
 * operations have numbers from when they are made, and ranks may start them in different orders: one that the peer has
 * not started yet looks as if it had ended.
 */
static bool has_gone_past(const struct model *model, const struct latest *latest, const struct operation *operation,
                          size_t peer)
{
    const struct communicator *own = operation->communicator;
    const struct communicator *theirs = model_find_communicator(model, peer, own->unique_id);
    const struct listing *listing = model->ranks[peer].witness->listing;

    return operation->said->collective_number > 0 && own->use.has_nonblocking && theirs != NULL &&
           latest->numbers[latest->first[peer] + (size_t)(theirs - listing->communicators)] > own->use.n_nonblocking &&
           !has_complete_part(model, peer, operation) &&
           model_same_communicator(model, operation->rank, own, peer, theirs);
}

/* A part that waits for one which has ended waits for ever: it is said to wait for itself. */
static void add_link(const struct model *model, const struct operation *operation, const struct latest *latest,
                     struct links *links)
{
    size_t peer = model_find_rank(model, operation->peer);
    uint32_t from = find_part(model, operation->rank, operation), to;

    if (peer == SIZE_MAX || from == UINT32_MAX || !is_steady(&model->ranks[peer]) ||
        !sees_messages(model, operation, peer) || !answer_is_missing(model, operation))
        return;
    to = find_part(model, peer, operation);
    if (to == UINT32_MAX && (latest == NULL || !has_gone_past(model, latest, operation, peer)))
        return;
    APPEND(links->waits, links->n, links->room,
           (struct wait){.condition = from, .target = to != UINT32_MAX ? to : from});
    links->conditions[from].n_waits++;
}

static struct links find_links(const struct model *model, bool with_ended)
{
    struct latest latest = {0};
    struct links links = {.conditions = allocate_array(model->n_operations + 1, sizeof *links.conditions)};

    for (uint32_t i = 0; i < model->n_operations; i++)
        links.conditions[i] = (struct condition){.owner = i, .all = true, .counts_below = N_DOUBTS};
    if (with_ended)
        latest = find_latest(model);
    for (size_t i = 0; i < model->n_operations; i++)
        if (model->operations[i].nonblocking && is_steady(&model->ranks[model->operations[i].rank]))
            add_link(model, &model->operations[i], with_ended ? &latest : NULL, &links);
    FREE_ALL(latest.first, latest.numbers);
    return links;
}

bool *model_find_locked(const struct model *model, bool with_ended)
{
    struct links links = find_links(model, with_ended);
    const struct and_or graph = {.n_nodes = model->n_operations, .conditions = links.conditions,
                                 .n_conditions = model->n_operations, .waits = links.waits, .n_waits = links.n};
    bool *locked = allocate_array(model->n_operations + 1, sizeof *locked);
    struct solver solver;
    unsigned char *dies_at;

    solver_start(&solver, &graph, 1);
    solver_descend(&solver, 0);
    for (uint32_t i = 0; i < model->n_operations; i++)
        if (links.conditions[i].n_waits == 0)
            solver_make_live(&solver, i);
    solver_run(&solver);
    dies_at = solver_end(&solver);
    for (size_t i = 0; i < model->n_operations; i++)
        locked[i] = dies_at[i] == 0;
    FREE_ALL(dies_at, links.conditions, links.waits);
    return locked;
}

/* Findings. */

static bool is_locked(const struct conclusion *conclusion, const struct operation *operation)
{
    uint32_t part = operation->nonblocking ? find_part(conclusion->model, operation->rank, operation) : UINT32_MAX;

    return part != UINT32_MAX && conclusion->surely_locked[part];
}

bool collective_is_locked(const struct conclusion *conclusion, size_t collective)
{
    const struct collective *found = &conclusion->collectives->operations[collective];

    for (size_t i = 0; i < found->n; i++)
        if (is_locked(conclusion,
                      &conclusion->model->operations[conclusion->collectives->all[found->first + i].operation]))
            return true;
    return false;
}

/* Does the rank wait in MPI, or test its requests? */
static bool waits_or_tests(const struct model_rank *rank)
{
    return rank->phase == PHASE_BLOCKED ||
           (rank->call != NULL && rank->call->state == CALL_MPI && call_polls(rank->call->function) &&
            !call_polls_for_any(rank->call->function));
}

/* For each operation: is it the first one of a part for which its rank waits or tests? */
static bool *find_wanted(const struct model *model)
{
    bool *wanted = allocate_array(model->n_operations + 1, sizeof *wanted);

    for (size_t i = 0; i < model->n_waits; i++) {
        uint32_t owner = model_owner(model, &model->waits[i]), at = model->waits[i].operation, part;

        if (owner >= model->n_ranks || at == UINT32_MAX || !model->operations[at].nonblocking ||
            !waits_or_tests(&model->ranks[owner]))
            continue;
        part = find_part(model, owner, &model->operations[at]);
        if (part != UINT32_MAX)
            wanted[part] = true;
    }
    return wanted;
}

/* The parts of one operation: those of ranks that wait or test for it, and of others. */
struct sides {
    struct rank_set ranks, causes;
    bool surely;                   /* they wait for each other, and for none that only seems to have ended */
    bool certain;
};

static bool is_proved(const struct conclusion *conclusion, const struct operation *part)
{
    const struct model_rank *rank = &conclusion->model->ranks[part->rank];

    return rank->proved_idle || rank->phase == PHASE_BUSY;
}

/* The first part is given by its key; those of the same operation follow it. */
static struct sides find_sides(const struct conclusion *conclusion, size_t key, const bool *wanted, bool *told)
{
    const struct model *model = conclusion->model;
    const struct keys *keys = &model->parts;
    const struct operation *of = &model->operations[keys->keys[key].operation];
    struct sides sides = {.surely = true, .certain = true};

    for (size_t i = key; keys_agree(keys, i, keys->keys[key].numbers, 2); i++) {
        uint32_t at = keys->keys[i].operation;
        const struct operation *part = &model->operations[at];

        if (!conclusion->locked[at] || !is_part_of_same(model, of, part))
            continue;
        told[at] = true;
        rank_set_add(wanted[at] ? &sides.ranks : &sides.causes, model->ranks[part->rank].id);
        sides.surely &= conclusion->surely_locked[at];
        sides.certain &= conclusion->surely_locked[at] && is_proved(conclusion, part);
    }
    return sides;
}

/* Is no finding about the operation? */
static bool is_new(const struct conclusion *conclusion, uint32_t part)
{
    size_t collective =
        collective_of(conclusion->collectives, conclusion->model, &conclusion->model->operations[part]);

    return collective == SIZE_MAX || !conclusion->collective_told[collective];
}

static void explain(const struct conclusion *conclusion, const struct rank_set *ranks)
{
    for (size_t i = 0; i < ranks->n; i++)
        conclusion->explained[model_find_rank(conclusion->model, ranks->ranks[i])] = true;
}

static char *say_locked(const struct conclusion *conclusion, const struct operation *part, const struct sides *sides)
{
    unsigned long number = part->said->collective_number;
    OWNED char *what = number > 0 ? format_text("nonblocking collective operation number %s", NUMBER(number))
                                  : copy_string("a nonblocking collective operation");
    OWNED char *name = say_communicator(part->communicator), *who = NULL;
    RELEASED_BY(rank_set_clear) struct rank_set all = {0};

    for (size_t i = 0; i < sides->ranks.n; i++)
        rank_set_add(&all, sides->ranks.ranks[i]);
    for (size_t i = 0; i < sides->causes.n; i++)
        rank_set_add(&all, sides->causes.ranks[i]);
    all.n = ranks_sort(all.ranks, all.n);
    who = say_rank_set(conclusion->model, all.ranks, all.n, "", "");
    return format_text("The part%s of %s in %s on %s wait%s for %s the ranks have called different functions, or have "
                       "given different roots or lengths.", all.n == 1 ? "" : "s", who, what, name,
                       all.n == 1 ? "s" : "",
                       sides->surely ? "each other:"
                                     : "what another one has ended without, or has yet to start as a persistent "
                                       "operation. If it has ended");
}

static void say_operation_is_locked(struct conclusion *conclusion, uint32_t first, struct sides sides)
{
    const struct operation *part = &conclusion->model->operations[first];
    size_t collective = collective_of(conclusion->collectives, conclusion->model, part);
    struct finding *finding;

    finding = finding_add(conclusion, FINDING_COLLECTIVES_DIFFER, sides.certain);
    finding->sentence = say_locked(conclusion, part, &sides);
    finding_set_communicator(finding, part->communicator);
    finding_add_evidence(conclusion, finding, first);
    fold_say_places(conclusion, finding, &sides.ranks);
    fold_say_places(conclusion, finding, &sides.causes);
    finding_set_ranks(finding, sides.ranks);
    finding_set_causes(finding, sides.causes);
    if (collective != SIZE_MAX)
        conclusion->collective_told[collective] = true;
}

void conclude_locked(struct conclusion *conclusion)
{
    const struct keys *keys = &conclusion->model->parts;
    OWNED bool *wanted = find_wanted(conclusion->model);
    OWNED bool *told = allocate_array(conclusion->model->n_operations + 1, sizeof *told);

    for (size_t i = 0; i < keys->n; i++) {
        uint32_t part = keys->keys[i].operation;
        struct sides sides;

        if (!conclusion->locked[part] || told[part] || !is_new(conclusion, part))
            continue;
        sides = find_sides(conclusion, i, wanted, told);
        explain(conclusion, &sides.ranks);
        explain(conclusion, &sides.causes);
        if (sides.ranks.n > 0)
            say_operation_is_locked(conclusion, part, sides);
        else
            free(sides.causes.ranks);
    }
}
