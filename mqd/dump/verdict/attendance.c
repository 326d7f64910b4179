/*
 * attendance.c - which ranks are in collective operations, and on which communicators.
 */
#include "mqd/dump/verdict/attendance.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/sort.h"

/* Who is where. */

size_t gathering_of(const struct attendances *attendances, const struct model *model,
                    const struct operation *operation)
{
    const struct communicator_index *index = &attendances->communicators;
    const struct communicator_slot *slot = communicator_index_first(index, operation->communicator);
    size_t found = SIZE_MAX;

    for (; slot != NULL; slot = communicator_index_next(index, slot)) {
        const struct gathering *gathering = &attendances->gatherings[slot->position];

        if (model_same_communicator(model, attendances->all[gathering->first].rank, gathering->communicator,
                                    operation->rank, operation->communicator))
            found = slot->position;
    }
    return found;
}

/* While they are collected, `first` of a gathering is the position of any of its attendances. */
static size_t find_gathering(struct attendances *attendances, const struct model *model,
                             const struct operation *operation)
{
    size_t found = gathering_of(attendances, model, operation);

    if (found != SIZE_MAX)
        return found;
    attendances->gatherings = grow_array(attendances->gatherings, attendances->n_gatherings,
                                         &attendances->gathering_room, sizeof *attendances->gatherings);
    attendances->gatherings[attendances->n_gatherings] =
        (struct gathering){.communicator = operation->communicator, .first = attendances->n};
    communicator_index_add(&attendances->communicators, operation->communicator, (uint32_t)attendances->n_gatherings);
    return attendances->n_gatherings++;
}

static void note(struct attendances *attendances, const struct model *model, uint32_t at, const struct call *call,
                 const char *function, bool polled)
{
    const struct operation *operation = &model->operations[at];
    size_t gathering = find_gathering(attendances, model, operation);

    attendances->all = grow_array(attendances->all, attendances->n, &attendances->room, sizeof *attendances->all);
    attendances->all[attendances->n++] = (struct attendance){
        .rank = operation->rank, .operation = at, .call = call, .function = function, .gathering = gathering,
        .number = operation->extra->collective_number, .polled = polled};
}

/* What the calls of a rank wait for, from its `first` wait on. Returns the first wait of another owner. */
static size_t note_waits(struct attendances *attendances, const struct model *model, size_t first)
{
    uint32_t owner = model_owner(model, &model->waits[first]);
    size_t i;

    for (i = first; i < model->n_waits && model_owner(model, &model->waits[i]) == owner; i++) {
        const struct wait *wait = &model->waits[i];
        const struct call *call = model->conditions[wait->condition].call;

        if (call != NULL && wait->operation != UINT32_MAX &&
            model->operations[wait->operation].collective)
            note(attendances, model, wait->operation, call, call_collective(call), i >= model->n_blocking_waits);
    }
    return i;
}

/* Nonblocking operations that a rank has started. It does its part of them whatever it waits for. */
static void note_parts(struct attendances *attendances, const struct model *model)
{
    for (size_t i = 0; i < model->n_virtuals; i++)
        if (model->virtuals[i].is_part)
            note(attendances, model, model->virtuals[i].operation, model->ranks[model->virtuals[i].rank].call, NULL,
                 model->n_ranks + i >= model->n_blocking_nodes);
}

static int compare_attendances(const void *a, const void *b)
{
    const struct attendance *x = a, *y = b;

    int order = ORDER(x->gathering, y->gathering);

    if (order == 0)
        order = ORDER(x->rank, y->rank);
    return order != 0 ? order : ORDER(x->operation, y->operation);
}

/*
 * Each rank counts once on a communicator. One that is in a blocking operation may have started others before: it is
 * noted with the blocking one.
 */
static void sort(struct attendances *attendances, const struct model *model)
{
    size_t n = 0;

    sort_array(attendances->all, attendances->n, sizeof *attendances->all, compare_attendances);
    for (size_t i = 0; i < attendances->n; i++) {
        struct attendance *last = n > 0 ? &attendances->all[n - 1] : NULL;
        bool polled = attendances->all[i].polled;

        if (last == NULL || last->rank != attendances->all[i].rank ||
            last->gathering != attendances->all[i].gathering) {
            attendances->all[n++] = attendances->all[i];
            continue;
        }
        polled &= last->polled;
        if (last->function == NULL)
            *last = attendances->all[i];
        last->polled = polled;
    }
    attendances->n = n;
    for (size_t i = 0; i < attendances->n_gatherings; i++)
        attendances->gatherings[i].n = 0;
    for (size_t i = 0; i < n; i++) {
        struct gathering *gathering = &attendances->gatherings[attendances->all[i].gathering];

        if (gathering->n++ > 0)
            continue;
        gathering->first = i;
        gathering->communicator = model->operations[attendances->all[i].operation].communicator;
    }
}

static void order_by_rank(struct attendances *attendances, const struct model *model)
{
    size_t *next = allocate_array(model->n_ranks + 2, sizeof *next);

    attendances->of_ranks = allocate_array(attendances->n + 1, sizeof *attendances->of_ranks);
    for (size_t i = 0; i < attendances->n; i++)
        next[attendances->all[i].rank + 2]++;
    for (size_t i = 2; i < model->n_ranks + 2; i++)
        next[i] += next[i - 1];
    for (size_t i = 0; i < attendances->n; i++)
        attendances->of_ranks[next[attendances->all[i].rank + 1]++] = i;
    attendances->first_of_rank = next;
}

static bool is_of_collective(const struct model *model, const struct wait *wait)
{
    return wait->operation != UINT32_MAX && model->operations[wait->operation].collective;
}

static void order_waits(struct attendances *attendances, const struct model *model)
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
    attendances->waits = allocate_array(n + 1, sizeof *attendances->waits);
    for (size_t i = 0; i < model->n_waits; i++)
        if (is_of_collective(model, &model->waits[i]))
            attendances->waits[next[model->operations[model->waits[i].operation].rank + 1]++] = i;
    attendances->first_wait = next;
}

/* There are few sorts: MPI has few collective functions, and ranks are not far ahead of each other. */
static void find_sorts(const struct attendances *attendances, struct gathering *gathering)
{
    for (size_t i = gathering->first; i < gathering->first + gathering->n; i++) {
        bool is_new = true;

        for (size_t k = 0; k < gathering->n_sorts && is_new; k++)
            is_new = !attendances_agree(&attendances->all[gathering->sorts[k]], &attendances->all[i]);
        if (!is_new)
            continue;
        gathering->sorts =
            grow_array(gathering->sorts, gathering->n_sorts, &gathering->sort_room, sizeof *gathering->sorts);
        gathering->sorts[gathering->n_sorts++] = i;
    }
}

void attendances_find(struct attendances *attendances, const struct model *model)
{
    *attendances = (struct attendances){0};
    for (size_t i = 0; i < model->n_waits;)
        i = note_waits(attendances, model, i);
    note_parts(attendances, model);
    sort(attendances, model);
    order_by_rank(attendances, model);
    order_waits(attendances, model);
    for (size_t i = 0; i < attendances->n_gatherings; i++)
        find_sorts(attendances, &attendances->gatherings[i]);
}

void attendances_clear(struct attendances *attendances)
{
    for (size_t i = 0; i < attendances->n_gatherings; i++)
        free(attendances->gatherings[i].sorts);
    free(attendances->all);
    free(attendances->gatherings);
    free(attendances->of_ranks);
    free(attendances->first_of_rank);
    free(attendances->waits);
    free(attendances->first_wait);
    communicator_index_clear(&attendances->communicators);
}

static int compare_rank(const void *rank, const void *attendance)
{
    const uint32_t wanted = *(const uint32_t *)rank, found = ((const struct attendance *)attendance)->rank;

    return ORDER(wanted, found);
}

const struct attendance *attendance_of(const struct attendances *attendances, size_t gathering, uint32_t rank)
{
    const struct gathering *all = &attendances->gatherings[gathering];

    return bsearch(&rank, attendances->all + all->first, all->n, sizeof *attendances->all, compare_rank);
}

bool attends_any(const struct attendances *attendances, uint32_t rank)
{
    return attendances->first_of_rank[rank] < attendances->first_of_rank[rank + 1];
}

/* What they do. */

bool attendances_agree(const struct attendance *a, const struct attendance *b)
{
    if (a->function == NULL || b->function == NULL)
        return a->function == b->function && a->number == b->number;
    return strcmp(a->function, b->function) == 0;
}

bool attendance_is_together(const struct attendance *attendance, const struct model *model)
{
    return attendance->function != NULL && call_sort_of(attendance->function) == SORT_TOGETHER &&
           !communicator_is_inter(model->operations[attendance->operation].communicator);
}

bool gathering_agrees(const struct attendances *attendances, size_t gathering)
{
    return attendances->gatherings[gathering].n_sorts == 1;
}
