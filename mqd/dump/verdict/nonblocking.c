/*
 * nonblocking.c - concludes that nonblocking collective operations lock themselves.
 */
#include "mqd/dump/verdict/nonblocking.h"

#include <stdint.h>
#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/ranges.h"
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

/* A rank that waits in MPI looks for messages; what has come to another one must have been counted. */
static bool sees_messages(const struct model *model, const struct operation *operation, size_t peer)
{
    return model->ranks[operation->rank].phase == PHASE_BLOCKED ||
           model_is_counted(model, operation->rank, peer, operation->communicator->unique_id);
}

/*
 * Has the peer no part of the operation any more, and a part of a later one that this rank has not started? Persistent
 * operations have numbers from when they are made: one that is not active looks as if it had ended, but those of this
 * rank are numbered, too.
 */
static bool has_gone_past(const struct model *model, const struct operation *operation, size_t peer)
{
    const struct model_rank *other = &model->ranks[peer];
    const struct communicator *own = operation->communicator;

    if (operation->extra->collective_number == 0 || !own->use.has_nonblocking ||
        has_complete_part(model, peer, operation))
        return false;
    for (size_t i = 0; i < other->n_operations; i++) {
        const struct operation *later = &model->operations[other->first_operation + i];

        if (is_part_of_same(model, later, later) && later->extra->collective_number > own->use.n_nonblocking &&
            model_same_communicator(model, operation->rank, own, later->rank, later->communicator))
            return true;
    }
    return false;
}

/* A part that waits for one which has ended waits for ever: it is said to wait for itself. */
static void add_link(const struct model *model, const struct operation *operation, struct links *links)
{
    size_t peer = operation->peer >= 0 ? model_find_rank(model, operation->peer) : SIZE_MAX;
    uint32_t from = find_part(model, operation->rank, operation), to;

    if (peer == SIZE_MAX || from == UINT32_MAX || !is_steady(&model->ranks[peer]) ||
        !sees_messages(model, operation, peer) || !answer_is_missing(model, operation))
        return;
    to = find_part(model, peer, operation);
    if (to == UINT32_MAX && !has_gone_past(model, operation, peer))
        return;
    to = to != UINT32_MAX ? to : from;
    links->links = grow_array(links->links, links->n, &links->room, sizeof *links->links);
    links->links[links->n++] = (struct link){from, to};
}

static struct links find_links(const struct model *model)
{
    struct links links = {0};

    for (size_t i = 0; i < model->n_operations; i++)
        if (model->operations[i].nonblocking && is_steady(&model->ranks[model->operations[i].rank]))
            add_link(model, &model->operations[i], &links);
    return links;
}

static int compare_links(const void *a, const void *b)
{
    const struct link *x = a, *y = b;

    return (x->to > y->to) - (x->to < y->to);
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
bool *model_find_locked(const struct model *model)
{
    struct links links = find_links(model);
    uint32_t *n_out = allocate_array(model->n_operations + 1, sizeof *n_out);
    uint32_t *free_parts = allocate_array(model->n_operations + 1, sizeof *free_parts);
    bool *locked = allocate_array(model->n_operations + 1, sizeof *locked);
    size_t n_free = 0;

    if (links.n > 1)
        qsort(links.links, links.n, sizeof *links.links, compare_links);
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

    return part != UINT32_MAX && conclusion->locked[part];
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

/* Does the rank wait for it, or test its requests? */
static bool wants(const struct conclusion *conclusion, const struct operation *part)
{
    const struct model *model = conclusion->model;
    const struct model_rank *rank = &model->ranks[part->rank];

    if (rank->phase != PHASE_BLOCKED && (rank->call == NULL || rank->call->state != CALL_MPI ||
                                         !call_polls(rank->call->function) || call_polls_for_any(rank->call->function)))
        return false;
    for (size_t i = 0; i < model->n_waits; i++) {
        const struct wait *wait = &model->waits[i];

        if (model_owner(model, wait) == part->rank && wait->operation != UINT32_MAX &&
            is_part_of_same(model, part, &model->operations[wait->operation]))
            return true;
    }
    return false;
}

/* The parts of one operation: those of ranks that wait or test for it, and of others. */
struct sides {
    struct rank_set ranks, causes;
    bool certain;
};

static bool is_proved(const struct conclusion *conclusion, const struct operation *part)
{
    const struct model_rank *rank = &conclusion->model->ranks[part->rank];

    return rank->held || rank->phase == PHASE_BUSY;
}

static struct sides find_sides(const struct conclusion *conclusion, uint32_t first)
{
    const struct model *model = conclusion->model;
    const struct operation *of = &model->operations[first];
    struct sides sides = {.certain = true};

    for (uint32_t i = first; i < model->n_operations; i++) {
        const struct operation *part = &model->operations[i];

        if (!conclusion->locked[i] || !is_part_of_same(model, of, part))
            continue;
        rank_set_add(wants(conclusion, part) ? &sides.ranks : &sides.causes, model->ranks[part->rank].id);
        sides.certain &= is_proved(conclusion, part);
        conclusion->explained[part->rank] = true;
    }
    return sides;
}

/* Is it the first one of its operation, and no finding is about that? */
static bool is_new(const struct conclusion *conclusion, uint32_t first)
{
    const struct model *model = conclusion->model;
    size_t gathering = gathering_of(conclusion->attendances, model, &model->operations[first]);

    if (!conclusion->locked[first] || (gathering != SIZE_MAX && conclusion->gathering_told[gathering]))
        return false;
    for (uint32_t i = 0; i < first; i++)
        if (conclusion->locked[i] && is_part_of_same(model, &model->operations[first], &model->operations[i]))
            return false;
    return true;
}

static char *say_locked(const struct conclusion *conclusion, const struct operation *part, const struct sides *sides)
{
    unsigned long number = part->extra->collective_number;
    char *what = number > 0 ? format_text("nonblocking collective operation number %lu", number)
                            : copy_string("a nonblocking collective operation");
    char *name = say_communicator(part->communicator), *who, *text;
    struct rank_set all = {0};

    for (size_t i = 0; i < sides->ranks.n; i++)
        rank_set_add(&all, sides->ranks.ranks[i]);
    for (size_t i = 0; i < sides->causes.n; i++)
        rank_set_add(&all, sides->causes.ranks[i]);
    all.n = ranks_sort(all.ranks, all.n);
    who = say_rank_set(conclusion->model, all.ranks, all.n, "", "");
    text = format_text("The part%s of %s in %s on %s wait%s for %s: the ranks have called different functions, or have "
                       "given different roots or lengths.", all.n == 1 ? "" : "s", who, what, name,
                       all.n == 1 ? "s" : "", all.n == 1 ? "what another one has ended without" : "each other");
    free(all.ranks);
    free(who);
    free(name);
    free(what);
    return text;
}

static void add_places(const struct conclusion *conclusion, struct finding *finding, const struct rank_set *ranks)
{
    struct fold fold = {0};

    for (size_t i = 0; i < ranks->n; i++) {
        const struct model_rank *rank =
            &conclusion->model->ranks[model_find_rank(conclusion->model, ranks->ranks[i])];

        fold_add(&fold, rank->id, say_where(rank));
    }
    fold_say(&fold, conclusion, finding);
}

static void say_operation_is_locked(struct conclusion *conclusion, uint32_t first)
{
    const struct operation *part = &conclusion->model->operations[first];
    size_t gathering = gathering_of(conclusion->attendances, conclusion->model, part);
    struct sides sides = find_sides(conclusion, first);
    struct finding *finding;

    if (sides.ranks.n == 0) {
        free(sides.causes.ranks);
        return;
    }
    finding = finding_add(conclusion, FINDING_COLLECTIVES_DIFFER, sides.certain);
    finding->sentence = say_locked(conclusion, part, &sides);
    finding_set_communicator(finding, part->communicator);
    finding_add_evidence(conclusion, finding, first);
    add_places(conclusion, finding, &sides.ranks);
    add_places(conclusion, finding, &sides.causes);
    finding_set_ranks(finding, sides.ranks);
    finding_set_causes(finding, sides.causes);
    if (gathering != SIZE_MAX)
        conclusion->gathering_told[gathering] = true;
}

void conclude_locked(struct conclusion *conclusion)
{
    for (uint32_t i = 0; i < conclusion->model->n_operations; i++)
        if (is_new(conclusion, i))
            say_operation_is_locked(conclusion, i);
}
