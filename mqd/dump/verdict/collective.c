/*
 * collective.c - which ranks are in collective operations, and on which communicators.
 */
#include "mqd/dump/verdict/collective.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/name_list.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/verdict/say.h"

/* Who is where. */

size_t collective_of(const struct collectives *collectives, const struct model *model,
                    const struct operation *operation)
{
    const struct communicator_index *index = &collectives->communicators;
    const struct communicator_slot *slot = communicator_index_first(index, operation->communicator);
    size_t found = SIZE_MAX;

    for (; slot != NULL; slot = communicator_index_next(index, slot)) {
        const struct collective *collective = &collectives->operations[slot->position];

        if (model_same_communicator(model, collectives->all[collective->first].rank, collective->communicator,
                                    operation->rank, operation->communicator))
            found = slot->position;
    }
    return found;
}

/* While they are collected, `first` of a collective is the position of any of its collectives. */
static size_t find_collective(struct collectives *collectives, const struct model *model,
                             const struct operation *operation)
{
    size_t found = collective_of(collectives, model, operation);

    if (found != SIZE_MAX)
        return found;
    communicator_index_add(&collectives->communicators, operation->communicator, (uint32_t)collectives->n_operations);
    APPEND(collectives->operations, collectives->n_operations, collectives->operation_room,
           (struct collective){.communicator = operation->communicator, .first = collectives->n});
    return collectives->n_operations - 1;
}

static void note(struct collectives *collectives, const struct model *model, uint32_t at, const struct call *call,
                 const char *function, bool polled)
{
    const struct operation *operation = &model->operations[at];
    size_t collective = find_collective(collectives, model, operation);

    APPEND(collectives->all, collectives->n, collectives->room,
           (struct participant){.rank = operation->rank, .operation = at, .call = call, .function = function,
               .collective = collective, .number = operation->said->collective_number, .polled = polled});
}

/* What the calls of a rank wait for, from its `first` wait on. Returns the first wait of another owner. */
static size_t note_waits(struct collectives *collectives, const struct model *model, size_t first)
{
    uint32_t owner = model_owner(model, &model->waits[first]);
    size_t i;

    for (i = first; i < model->n_waits && model_owner(model, &model->waits[i]) == owner; i++) {
        const struct wait *wait = &model->waits[i];
        const struct call *call = model->conditions[wait->condition].call;

        if (call != NULL && wait->operation != UINT32_MAX &&
            model->operations[wait->operation].collective)
            note(collectives, model, wait->operation, call, call_collective(call), i >= model->n_blocking_waits);
    }
    return i;
}

/* Nonblocking operations that a rank has started. It does its part of them whatever it waits for. */
static void note_parts(struct collectives *collectives, const struct model *model)
{
    for (size_t i = 0; i < model->n_virtuals; i++)
        if (model->virtuals[i].is_part)
            note(collectives, model, model->virtuals[i].operation, model->ranks[model->virtuals[i].rank].call, NULL,
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
static void sort(struct collectives *collectives, const struct model *model)
{
    size_t n = 0;

    SORT(collectives->all, collectives->n, compare_participants);
    for (size_t i = 0; i < collectives->n; i++) {
        struct participant *last = n > 0 ? &collectives->all[n - 1] : NULL;
        bool polled = collectives->all[i].polled;

        if (last == NULL || last->rank != collectives->all[i].rank ||
            last->collective != collectives->all[i].collective) {
            collectives->all[n++] = collectives->all[i];
            continue;
        }
        polled &= last->polled;
        if (last->function == NULL)
            *last = collectives->all[i];
        last->polled = polled;
    }
    collectives->n = n;
    for (size_t i = 0; i < collectives->n_operations; i++)
        collectives->operations[i].n = 0;
    for (size_t i = 0; i < n; i++) {
        struct collective *collective = &collectives->operations[collectives->all[i].collective];

        if (collective->n++ > 0)
            continue;
        collective->first = i;
        collective->communicator = model->operations[collectives->all[i].operation].communicator;
    }
}

static void order_by_rank(struct collectives *collectives, const struct model *model)
{
    size_t *next = allocate_array(model->n_ranks + 2, sizeof *next);

    collectives->of_ranks = allocate_array(collectives->n + 1, sizeof *collectives->of_ranks);
    for (size_t i = 0; i < collectives->n; i++)
        next[collectives->all[i].rank + 2]++;
    for (size_t i = 2; i < model->n_ranks + 2; i++)
        next[i] += next[i - 1];
    for (size_t i = 0; i < collectives->n; i++)
        collectives->of_ranks[next[collectives->all[i].rank + 1]++] = i;
    collectives->first_of_rank = next;
}

static bool is_of_collective(const struct model *model, const struct wait *wait)
{
    return wait->operation != UINT32_MAX && model->operations[wait->operation].collective;
}

static void order_waits(struct collectives *collectives, const struct model *model)
{
    size_t *next = allocate_array(model->n_ranks + 2, sizeof *next), n = 0;

    for (size_t i = 0; i < model->n_waits; i++) {
        if (!is_of_collective(model, &model->waits[i]))
            continue;
        next[model->operations[model->waits[i].operation].rank + 2]++;
        n++;
    }
    for (size_t i = 2; i < model->n_ranks + 2; i++)
        next[i] += next[i - 1];
    collectives->waits = allocate_array(n + 1, sizeof *collectives->waits);
    for (size_t i = 0; i < model->n_waits; i++)
        if (is_of_collective(model, &model->waits[i]))
            collectives->waits[next[model->operations[model->waits[i].operation].rank + 1]++] = i;
    collectives->first_wait = next;
}

/* Are both in the same function, or in the nonblocking operation with the same number? */
static bool participants_agree(const struct participant *a, const struct participant *b)
{
    if (a->function == NULL || b->function == NULL)
        return a->function == b->function && a->number == b->number;
    return strcmp(a->function, b->function) == 0;
}

/* There are few kinds: MPI has few collective functions, and ranks are not far ahead of each other. */
static void find_kinds(const struct collectives *collectives, struct collective *collective)
{
    for (size_t i = collective->first; i < collective->first + collective->n; i++) {
        bool is_new = true;

        for (size_t k = 0; k < collective->n_kinds && is_new; k++)
            is_new = !participants_agree(&collectives->all[collective->kinds[k]], &collectives->all[i]);
        if (!is_new)
            continue;
        APPEND(collective->kinds, collective->n_kinds, collective->kind_room, i);
    }
}

void collectives_find(struct collectives *collectives, const struct model *model)
{
    *collectives = (struct collectives){0};
    for (size_t i = 0; i < model->n_waits;)
        i = note_waits(collectives, model, i);
    note_parts(collectives, model);
    sort(collectives, model);
    order_by_rank(collectives, model);
    order_waits(collectives, model);
    for (size_t i = 0; i < collectives->n_operations; i++)
        find_kinds(collectives, &collectives->operations[i]);
}

void collectives_clear(struct collectives *collectives)
{
    for (size_t i = 0; i < collectives->n_operations; i++)
        free(collectives->operations[i].kinds);
    FREE_ALL(collectives->all, collectives->operations, collectives->of_ranks, collectives->first_of_rank,
             collectives->waits, collectives->first_wait);
    communicator_index_clear(&collectives->communicators);
}

static int compare_rank(const void *rank, const void *participant)
{
    const uint32_t wanted = *(const uint32_t *)rank, found = ((const struct participant *)participant)->rank;

    return ORDER(wanted, found);
}

const struct participant *participant_of(const struct collectives *collectives, size_t collective, uint32_t rank)
{
    const struct collective *all = &collectives->operations[collective];

    return bsearch(&rank, collectives->all + all->first, all->n, sizeof *collectives->all, compare_rank);
}

bool participates_in_any(const struct collectives *collectives, uint32_t rank)
{
    return collectives->first_of_rank[rank] < collectives->first_of_rank[rank + 1];
}

/* What they do. */

bool participant_is_together(const struct participant *participant, const struct model *model)
{
    return participant->function != NULL && collective_kind_of(participant->function) == COLLECTIVE_TOGETHER &&
           !communicator_is_inter(model->operations[participant->operation].communicator);
}

bool collective_agrees(const struct collectives *collectives, size_t collective)
{
    return collectives->operations[collective].n_kinds == 1;
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
    for (size_t i = collectives->first_of_rank[participant->rank];
         i < collectives->first_of_rank[participant->rank + 1]; i++) {
        const struct participant *other = &collectives->all[collectives->of_ranks[i]];

        if (other != participant && other->call == participant->call && other->function != NULL)
            return true;
    }
    return false;
}

static enum scope scope_of(const struct collectives *collectives, const struct model *model,
                           const struct participant *participant)
{
    const struct communicator *communicator = model->operations[participant->operation].communicator;
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

enum scope collective_scope(const struct collectives *collectives, const struct model *model, size_t collective)
{
    const struct collective *found = &collectives->operations[collective];
    enum scope least = SCOPE_CALL;

    for (size_t i = 0; i < found->n && least != SCOPE_UNKNOWN; i++) {
        enum scope scope = scope_of(collectives, model, &collectives->all[found->first + i]);

        least = scope < least ? scope : least;
    }
    return least;
}

/* Who is missing in a collective operation, and how it is said. */

/* Who is missing. */

static bool uses_several(const char *function)
{
    return name_begins_with(function, "MPI_File_") || call_uses_what_it_makes(function);
}

/*
 * May the rank be in the same collective call as those of the collective, without a message that shows it? A blocked one
 * may if the call uses several communicators.
 */
static bool may_take_part(const struct collectives *collectives, const struct model *model, size_t collective,
                       uint32_t rank)
{
    const struct collective *all = &collectives->operations[collective];
    const struct model_rank *who = &model->ranks[rank];
    const char *function = who->call != NULL && who->call->state == CALL_MPI ? call_collective(who->call) : NULL;

    if (participant_of(collectives, collective, rank) != NULL || who->phase == PHASE_UNKNOWN)
        return true;
    for (size_t i = 0; i < all->n_kinds && function != NULL; i++)
        if (collectives->all[all->kinds[i]].function != NULL &&
            strcmp(collectives->all[all->kinds[i]].function, function) == 0)
            return who->phase == PHASE_BUSY || uses_several(function);
    return false;
}

static void add_missing(const struct collectives *collectives, const struct model *model, size_t collective, long id,
                        struct rank_set *missing)
{
    size_t rank = model_find_rank(model, id);

    if (rank != SIZE_MAX && !may_take_part(collectives, model, collective, (uint32_t)rank))
        rank_set_add(missing, id);
}

/* Those whose part others wait for. */
static void add_waited_for(const struct collectives *collectives, const struct model *model, size_t collective,
                           struct rank_set *missing)
{
    const struct collective *found = &collectives->operations[collective];

    for (size_t i = found->first; i < found->first + found->n; i++) {
        const struct participant *participant = &collectives->all[i];
        const struct communicator *communicator = model->operations[participant->operation].communicator;

        for (size_t k = collectives->first_wait[participant->rank]; k < collectives->first_wait[participant->rank + 1];
             k++) {
            const struct wait *wait = &model->waits[collectives->waits[k]];

            if (wait->target != NODE_LIVE && model->operations[wait->operation].communicator == communicator)
                add_missing(collectives, model, collective, wait->peer, missing);
        }
    }
}

/*
 * May a member be in the call that does not go on there, as one that is stopped? Then all may have come, and others may
 * have left the call before it.
 */
static bool may_be_held_up(const struct collectives *collectives, const struct model *model, size_t collective)
{
    const struct collective *found = &collectives->operations[collective];
    uint32_t first = collectives->all[found->first].rank;

    for (long i = 0; i < communicator_n_peers(found->communicator); i++) {
        long id = model_peer(model, first, found->communicator, i);
        size_t rank = model_find_rank(model, id);

        if (rank != SIZE_MAX && participant_of(collectives, collective, (uint32_t)rank) == NULL &&
            may_take_part(collectives, model, collective, (uint32_t)rank))
            return true;
    }
    return false;
}

/*
 * A call that nobody leaves before all are in it: whoever is not in it has not come yet. The barrier that another call
 * contains, as those on windows do, is such a call.
 */
static bool is_left_together(const struct collectives *collectives, const struct model *model, size_t collective)
{
    const struct collective *found = &collectives->operations[collective];
    const struct participant *first = &collectives->all[found->first];

    if (communicator_is_inter(found->communicator) || !collective_agrees(collectives, collective))
        return false;
    for (size_t i = 0; i < found->n && !participant_is_together(first, model); i++)
        if (model->operations[first[i].operation].purpose != PURPOSE_BARRIER)
            return false;
    return true;
}

static void add_absent_members(const struct collectives *collectives, const struct model *model, size_t collective,
                               struct rank_set *missing)
{
    const struct collective *all = &collectives->operations[collective];
    uint32_t rank = collectives->all[all->first].rank;
    const struct communicator *communicator = all->communicator;

    for (long i = 0; i < communicator_n_peers(communicator); i++)
        add_missing(collectives, model, collective, model_peer(model, rank, communicator, i), missing);
}

struct rank_set collective_missing(const struct collectives *collectives, const struct model *model, size_t collective)
{
    struct rank_set missing = {0};

    if (is_left_together(collectives, model, collective) && !may_be_held_up(collectives, model, collective))
        add_absent_members(collectives, model, collective, &missing);
    else
        add_waited_for(collectives, model, collective, &missing);
    missing.n = ranks_sort(missing.ranks, missing.n);
    return missing;
}

/* Texts. */

enum { MAX_FUNCTIONS = 3 };

static char *say_function(const struct participant *participant)
{
    if (participant->function != NULL)
        return copy_string(call_collective_shown(participant->call));
    return participant->number > 0 ? format_text("nonblocking collective operation number %s",
                                                 NUMBER(participant->number))
                                  : copy_string("a nonblocking collective operation");
}

static size_t count_agreeing(const struct collectives *collectives, const struct collective *collective, size_t kind)
{
    const struct participant *first = &collectives->all[collective->kinds[kind]];
    size_t n = 0;

    for (size_t i = 0; i < collective->n; i++)
        n += participants_agree(first, &collectives->all[collective->first + i]);
    return n;
}

/* ", 2 in MPI_Bcast": those that are not in the first one's function. */
static char *say_other_functions(const struct collectives *collectives, const struct collective *collective)
{
    char *text = copy_string("");

    for (size_t i = 1; i < collective->n_kinds && i < MAX_FUNCTIONS; i++) {
        OWNED char *function = say_function(&collectives->all[collective->kinds[i]]);

        append_text(&text, ", %s in %s", NUMBER(count_agreeing(collectives, collective, i)), function);
    }
    return text;
}

/* "3 of 4 ranks are in MPI_Barrier on MPI_COMM_WORLD" */
static char *say_collective(const struct collectives *collectives, const struct model *model, size_t collective)
{
    const struct collective *found = &collectives->operations[collective];
    long size = found->communicator->size + found->communicator->summary.remote_size;
    OWNED char *name = say_communicator(found->communicator),
          *function = say_function(&collectives->all[found->first]);
    OWNED char *others = say_other_functions(collectives, found);
    size_t n_first = count_agreeing(collectives, found, 0);

    return format_text("%s of %s ranks %s in %s%s%s on %s", NUMBER(n_first), NUMBER(size),
                       n_first == 1 ? "is" : "are", function, others,
                       collective_scope(collectives, model, collective) != SCOPE_UNKNOWN ? "" : ", with messages", name);
}

char *say_collective_missing(const struct collectives *collectives, const struct model *model, size_t collective)
{
    OWNED char *present = say_collective(collectives, model, collective), *absent = NULL;
    RELEASED_BY(rank_set_clear) struct rank_set missing = collective_missing(collectives, model, collective);

    if (missing.n == 0)
        return format_text("%s.", present);
    absent = say_rank_set(model, missing.ranks, missing.n, "is", "are");
    return format_text("%s; %s missing.", present, absent);
}
