/*
 * collective.c - which ranks are in collective operations, and on which communicators.
 */
#include "mqd/dump/verdict/collective.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/name_list.h"
#include "mqd/dump/base/sort.h"

/* Who is where. */

size_t collective_of(const struct collectives *collectives, const struct operation *operation)
{
    return operation->number != NO_NUMBER ? collectives->of_communicators[operation->number] : SIZE_MAX;
}

static void note(struct collectives *collectives, uint32_t at, const struct call *call, const char *function,
                 bool polled)
{
    const struct operation *operation = &collectives->model->operations[at];
    const struct communicator *communicator = operation->communicator;
    size_t collective = collective_of(collectives, operation);

    if (collective == SIZE_MAX) {
        collective = collectives->n_operations;
        APPEND(collectives->operations, collectives->n_operations, collectives->operation_room,
               (struct collective){0});
        if (operation->number != NO_NUMBER)
            collectives->of_communicators[operation->number] = collective;
    }
    APPEND(collectives->all, collectives->n, collectives->room,
           (struct participant){.rank = operation->rank, .operation = at, .communicator = communicator, .call = call,
               .function = function, .number = operation->said->collective_number, .collective = collective,
               .is_together = function != NULL && collective_kind_of(function) == COLLECTIVE_TOGETHER &&
                              !communicator_is_inter(communicator), .polled = polled});
}

/* What the calls of ranks wait for; and nonblocking operations, of which ranks do their part whatever they wait for. */
static void note_all(struct collectives *collectives, const struct model *model)
{
    for (size_t i = 0; i < model->n_waits; i++) {
        const struct wait *wait = &model->waits[i];
        const struct call *call = model->conditions[wait->condition].call;

        if (call != NULL && wait->operation != UINT32_MAX && model->operations[wait->operation].collective)
            note(collectives, wait->operation, call, call_collective(call), i >= model->n_blocking_waits);
    }
    for (size_t i = 0; i < model->n_virtuals; i++)
        if (model->virtuals[i].is_part)
            note(collectives, model->virtuals[i].operation, model->ranks[model->virtuals[i].rank].call, NULL,
                 model->n_ranks + i >= model->n_blocking_nodes);
}

static int compare_participants(const void *a, const void *b)
{
    const struct participant *x = a, *y = b;

    return ORDER(x->collective, y->collective) ?: ORDER(x->rank, y->rank) ?: ORDER(x->operation, y->operation);
}

/*
 * Each rank counts once on a communicator. One that is in a blocking operation may have started others before: it is
 * noted with the blocking one.
 */
static void sort(struct collectives *collectives)
{
    size_t n = 0;

    SORT(collectives->all, collectives->n, compare_participants);
    for (size_t i = 0; i < collectives->n; i++) {
        struct participant *this = &collectives->all[i], *last = n > 0 ? &collectives->all[n - 1] : NULL;

        if (last == NULL || last->rank != this->rank || last->collective != this->collective) {
            collectives->all[n++] = *this;
            continue;
        }
        last->polled &= this->polled;
        this->polled = last->polled;
        if (last->function == NULL)
            *last = *this;
    }
    collectives->n = n;
    for (size_t i = 0; i < n; i++) {
        struct collective *collective = &collectives->operations[collectives->all[i].collective];

        if (collective->n++ == 0)
            collective->participants = &collectives->all[i];
    }
}

static struct buckets order_by_rank(const struct collectives *collectives)
{
    OWNED uint32_t *ranks = allocate_array(collectives->n + 1, sizeof *ranks);

    for (size_t i = 0; i < collectives->n; i++)
        ranks[i] = collectives->all[i].rank;
    return buckets_make(ranks, collectives->n, collectives->model->n_ranks);
}

static struct buckets order_waits(const struct model *model)
{
    OWNED uint32_t *ranks = allocate_array(model->n_waits + 1, sizeof *ranks);

    for (size_t i = 0; i < model->n_waits; i++) {
        uint32_t at = model->waits[i].operation;

        ranks[i] = at != UINT32_MAX && model->operations[at].collective ? model->operations[at].rank : UINT32_MAX;
    }
    return buckets_make(ranks, model->n_waits, model->n_ranks);
}

bool participants_agree(const struct participant *a, const struct participant *b)
{
    if (a->function == NULL || b->function == NULL)
        return a->function == b->function && a->number == b->number;
    return strcmp(a->function, b->function) == 0;
}

/* There are few kinds: MPI has few collective functions, and ranks are not far ahead of each other. */
static void find_kinds(struct collective *collective)
{
    for (size_t i = 0; i < collective->n; i++) {
        bool is_new = true;

        for (size_t k = 0; k < collective->n_kinds && is_new; k++)
            is_new = !participants_agree(collective->kinds[k], &collective->participants[i]);
        if (is_new)
            APPEND(collective->kinds, collective->n_kinds, collective->kind_room, &collective->participants[i]);
    }
}

void collectives_find(struct collectives *collectives, const struct model *model)
{
    *collectives = (struct collectives){.model = model};
    collectives->of_communicators = allocate_array(model->n_communicators + 1, sizeof *collectives->of_communicators);
    for (size_t i = 0; i < model->n_communicators; i++)
        collectives->of_communicators[i] = SIZE_MAX;
    note_all(collectives, model);
    sort(collectives);
    collectives->of_ranks = order_by_rank(collectives);
    collectives->waits = order_waits(model);
    for (size_t i = 0; i < collectives->n_operations; i++)
        find_kinds(&collectives->operations[i]);
}

void collectives_clear(struct collectives *collectives)
{
    for (size_t i = 0; i < collectives->n_operations; i++)
        free(collectives->operations[i].kinds);
    FREE_ALL(collectives->all, collectives->operations, collectives->of_communicators);
    buckets_clear(&collectives->of_ranks);
    buckets_clear(&collectives->waits);
}

static int compare_rank(const void *rank, const void *participant)
{
    const uint32_t wanted = *(const uint32_t *)rank, found = ((const struct participant *)participant)->rank;

    return ORDER(wanted, found);
}

const struct participant *participant_of(const struct collective *collective, uint32_t rank)
{
    return bsearch(&rank, collective->participants, collective->n, sizeof *collective->participants, compare_rank);
}

bool participates_in_any(const struct collectives *collectives, uint32_t rank)
{
    return collectives->of_ranks.first[rank] < collectives->of_ranks.first[rank + 1];
}

/*
 * What the communicator of a collective call's messages is to the call.
 *
 * A call that makes a window or a file first makes a communicator for it, and then sends messages there: whether these
 * are on the communicator that the program gave it, or on the other one, does not show. The other one belongs to no
 * window or file yet. Only MPI_COMM_WORLD is made by no call.
 */

/* Open MPI may call functions of MPI itself, on whichever communicator. A file's functions do so on the file's. */
static bool is_in_another(const struct participant *participant)
{
    return participant->call != NULL && participant->function == participant->call->outer &&
           !name_begins_with(participant->function, "MPI_File_");
}

/* The rank may have started nonblocking operations before the call, which has such ones too. */
static bool is_in_several(const struct collectives *collectives, const struct participant *participant)
{
    if (!call_makes_communicator(participant->function))
        return false;
    for (uint32_t i = collectives->of_ranks.first[participant->rank];
         i < collectives->of_ranks.first[participant->rank + 1]; i++) {
        const struct participant *other = &collectives->all[collectives->of_ranks.members[i]];

        if (other != participant && other->call == participant->call && other->function != NULL)
            return true;
    }
    return false;
}

static enum scope scope_of(const struct collectives *collectives, const struct participant *participant)
{
    const struct communicator *communicator = participant->communicator;
    const char *function = participant->function;
    int owner = communicator->use.owner;
    bool is_world = communicator->unique_id == 0;
    bool is_library = owner == MQD_OWNER_library || (owner == MQD_OWNER_unknown && communicator->summary.internal);
    bool is_object = owner == MQD_OWNER_window || owner == MQD_OWNER_file;

    if (function == NULL)
        return is_library || is_object ? SCOPE_UNKNOWN : SCOPE_CALL;
    if (is_in_another(participant) || is_in_several(collectives, participant))
        return SCOPE_UNKNOWN;
    if (call_uses_what_it_makes(function))
        return is_world ? SCOPE_CALL : SCOPE_UNKNOWN;
    if (name_begins_with(function, "MPI_Win_"))
        return owner == MQD_OWNER_window ? SCOPE_CALL : SCOPE_UNKNOWN;
    if (name_begins_with(function, "MPI_File_"))
        return is_world || owner == MQD_OWNER_file || owner == MQD_OWNER_program ? SCOPE_FILE : SCOPE_UNKNOWN;
    return is_library || is_object ? SCOPE_UNKNOWN : SCOPE_CALL;
}

enum scope collective_scope(const struct collectives *collectives, const struct collective *collective)
{
    enum scope least = SCOPE_CALL;

    for (size_t i = 0; i < collective->n && least != SCOPE_UNKNOWN; i++) {
        enum scope scope = scope_of(collectives, &collective->participants[i]);

        least = scope < least ? scope : least;
    }
    return least;
}

/* Who is missing. */

static bool uses_several(const char *function)
{
    return name_begins_with(function, "MPI_File_") || call_uses_what_it_makes(function);
}

/*
 * May the rank be in the same collective call as those of the collective, without a message that shows it? A blocked one
 * may if the call uses several communicators.
 */
static bool may_take_part(const struct model *model, const struct collective *collective, uint32_t rank)
{
    const struct model_rank *who = &model->ranks[rank];
    const char *function = who->call != NULL && who->call->state == CALL_MPI ? call_collective(who->call) : NULL;

    if (participant_of(collective, rank) != NULL || who->phase == PHASE_UNKNOWN)
        return true;
    for (size_t i = 0; i < collective->n_kinds && function != NULL; i++)
        if (collective->kinds[i]->function != NULL && strcmp(collective->kinds[i]->function, function) == 0)
            return who->phase == PHASE_BUSY || uses_several(function);
    return false;
}

/* Those whose part others wait for. */
static void add_waited_for(const struct collectives *collectives, const struct collective *collective,
                           struct rank_set *missing)
{
    const struct model *model = collectives->model;

    for (size_t i = 0; i < collective->n; i++) {
        const struct participant *participant = &collective->participants[i];

        for (uint32_t k = collectives->waits.first[participant->rank];
             k < collectives->waits.first[participant->rank + 1]; k++) {
            const struct wait *wait = &model->waits[collectives->waits.members[k]];
            size_t rank = model_find_rank(model, wait->peer);

            if (wait->target != NODE_LIVE &&
                model->operations[wait->operation].communicator == participant->communicator && rank != SIZE_MAX &&
                !may_take_part(model, collective, (uint32_t)rank))
                rank_set_add(missing, wait->peer);
        }
    }
}

/*
 * A call that nobody leaves before all are in it: whoever is not in it has not come yet. The barrier that another call
 * contains, as those on windows do, is such a call.
 */
static bool is_left_together(const struct model *model, const struct collective *collective)
{
    const struct participant *first = collective->participants;

    if (communicator_is_inter(first->communicator) || collective->n_kinds > 1)
        return false;
    for (size_t i = 0; i < collective->n && !first->is_together; i++)
        if (model->operations[first[i].operation].purpose != PURPOSE_BARRIER)
            return false;
    return true;
}

/*
 * Adds the members that have not come to it. False if one may be in the call that does not go on there, as one that is
 * stopped: then all may have come, and others may have left the call before it.
 */
static bool add_absent(const struct model *model, const struct collective *collective, struct rank_set *missing)
{
    const struct participant *first = collective->participants;

    for (long i = 0; i < communicator_n_peers(first->communicator); i++) {
        long id = model_peer(model, first->rank, first->communicator, i);
        size_t rank = model_find_rank(model, id);

        if (rank == SIZE_MAX || participant_of(collective, (uint32_t)rank) != NULL)
            continue;
        if (may_take_part(model, collective, (uint32_t)rank))
            return false;
        rank_set_add(missing, id);
    }
    return true;
}

struct rank_set collective_missing(const struct collectives *collectives, const struct collective *collective)
{
    struct rank_set missing = {0};

    if (!is_left_together(collectives->model, collective) || !add_absent(collectives->model, collective, &missing)) {
        missing.n = 0;
        add_waited_for(collectives, collective, &missing);
    }
    rank_set_sort(&missing);
    return missing;
}
