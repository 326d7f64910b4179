/*
 * nonblocking.c - concludes that nonblocking collective operations lock themselves.
 */
#include "mqd/dump/verdict/nonblocking.h"

#include <stdint.h>
#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/verdict/answer.h"
#include "mqd/dump/verdict/candidates.h"
#include "mqd/dump/verdict/fold.h"
#include "mqd/dump/verdict/gathering.h"
#include "mqd/dump/verdict/say.h"
#include "mqd/dump/verdict/scope.h"
#include "mqd/dump/verdict/traffic.h"

/* Which parts wait for which. */

/* A part that waits for another one. Each is given by its first open operation. */
struct link {
    uint32_t from, to;
};
struct links {
    struct link *links;
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

        if (is_part_of_same(model, operation, operation) && latest.numbers[at] < operation->extra->collective_number)
            latest.numbers[at] = operation->extra->collective_number;
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

    return operation->extra->collective_number > 0 && own->use.has_nonblocking && theirs != NULL &&
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
    to = to != UINT32_MAX ? to : from;
    links->links = grow_array(links->links, links->n, &links->room, sizeof *links->links);
    links->links[links->n++] = (struct link){from, to};
}

static struct links find_links(const struct model *model, bool with_ended)
{
    struct latest latest = {0};
    struct links links = {0};

    if (with_ended)
        latest = find_latest(model);
    for (size_t i = 0; i < model->n_operations; i++)
        if (model->operations[i].nonblocking && is_steady(&model->ranks[model->operations[i].rank]))
            add_link(model, &model->operations[i], with_ended ? &latest : NULL, &links);
    free(latest.first);
    free(latest.numbers);
    return links;
}

static int compare_links(const void *a, const void *b)
{
    const struct link *x = a, *y = b;

    return ORDER(x->to, y->to);
}

/* The first link to a part; links are sorted by that. */
static size_t first_link_to(const struct links *links, uint32_t to)
{
    size_t low = 0, high = links->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (links->links[middle].to < to)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Parts that wait for no other part are taken away, with the links to them, until those that are left wait for others. */
bool *model_find_locked(const struct model *model, bool with_ended)
{
    struct links links = find_links(model, with_ended);
    uint32_t *n_out = allocate_array(model->n_operations + 1, sizeof *n_out);
    uint32_t *free_parts = allocate_array(model->n_operations + 1, sizeof *free_parts);
    bool *locked = allocate_array(model->n_operations + 1, sizeof *locked);
    size_t n_free = 0;

    sort_array(links.links, links.n, sizeof *links.links, compare_links);
    for (size_t i = 0; i < links.n; i++) {
        locked[links.links[i].from] = true;
        n_out[links.links[i].from]++;
    }
    for (uint32_t i = 0; i < model->n_operations; i++)
        if (n_out[i] == 0)
            free_parts[n_free++] = i;
    for (size_t done = 0; done < n_free; done++)
        for (size_t i = first_link_to(&links, free_parts[done]);
             i < links.n && links.links[i].to == free_parts[done]; i++)
            if (--n_out[links.links[i].from] == 0) {
                locked[links.links[i].from] = false;
                free_parts[n_free++] = links.links[i].from;
            }
    free(links.links);
    free(n_out);
    free(free_parts);
    return locked;
}

/* Findings. */

static bool is_locked(const struct conclusion *conclusion, const struct operation *operation)
{
    uint32_t part = operation->nonblocking ? find_part(conclusion->model, operation->rank, operation) : UINT32_MAX;

    return part != UINT32_MAX && conclusion->surely_locked[part];
}

bool gathering_is_locked(const struct conclusion *conclusion, size_t gathering)
{
    const struct gathering *found = &conclusion->attendances->gatherings[gathering];

    for (size_t i = 0; i < found->n; i++)
        if (is_locked(conclusion,
                      &conclusion->model->operations[conclusion->attendances->all[found->first + i].operation]))
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

    return rank->held || rank->phase == PHASE_BUSY;
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
    size_t gathering =
        gathering_of(conclusion->attendances, conclusion->model, &conclusion->model->operations[part]);

    return gathering == SIZE_MAX || !conclusion->gathering_told[gathering];
}

static void explain(const struct conclusion *conclusion, const struct rank_set *ranks)
{
    for (size_t i = 0; i < ranks->n; i++)
        conclusion->explained[model_find_rank(conclusion->model, ranks->ranks[i])] = true;
}

static char *say_locked(const struct conclusion *conclusion, const struct operation *part, const struct sides *sides)
{
    unsigned long number = part->extra->collective_number;
    char *what = number > 0 ? format_text("nonblocking collective operation number %s", NUMBER(number))
                            : copy_string("a nonblocking collective operation");
    char *name = say_communicator(part->communicator), *who, *text;
    struct rank_set all = {0};

    for (size_t i = 0; i < sides->ranks.n; i++)
        rank_set_add(&all, sides->ranks.ranks[i]);
    for (size_t i = 0; i < sides->causes.n; i++)
        rank_set_add(&all, sides->causes.ranks[i]);
    all.n = ranks_sort(all.ranks, all.n);
    who = say_rank_set(conclusion->model, all.ranks, all.n, "", "");
    text = format_text("The part%s of %s in %s on %s wait%s for %s the ranks have called different functions, or have "
                       "given different roots or lengths.", all.n == 1 ? "" : "s", who, what, name,
                       all.n == 1 ? "s" : "",
                       sides->surely ? "each other:"
                                     : "what another one has ended without, or has yet to start as a persistent "
                                       "operation. If it has ended");
    free(all.ranks);
    free(who);
    free(name);
    free(what);
    return text;
}

static void say_operation_is_locked(struct conclusion *conclusion, uint32_t first, struct sides sides)
{
    const struct operation *part = &conclusion->model->operations[first];
    size_t gathering = gathering_of(conclusion->attendances, conclusion->model, part);
    struct finding *finding;

    finding = finding_add(conclusion, FINDING_COLLECTIVES_DIFFER, sides.certain);
    finding->sentence = say_locked(conclusion, part, &sides);
    finding_set_communicator(finding, part->communicator);
    finding_add_evidence(conclusion, finding, first);
    fold_say_places(conclusion, finding, &sides.ranks);
    fold_say_places(conclusion, finding, &sides.causes);
    finding_set_ranks(finding, sides.ranks);
    finding_set_causes(finding, sides.causes);
    if (gathering != SIZE_MAX)
        conclusion->gathering_told[gathering] = true;
}

void conclude_locked(struct conclusion *conclusion)
{
    const struct keys *keys = &conclusion->model->parts;
    bool *wanted = find_wanted(conclusion->model);
    bool *told = allocate_array(conclusion->model->n_operations + 1, sizeof *told);

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
    free(wanted);
    free(told);
}
