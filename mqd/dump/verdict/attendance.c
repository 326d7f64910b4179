/*
 * attendance.c - which ranks are in collective operations, and on which communicators.
 */
#include "mqd/dump/verdict/attendance.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"

/* Who is where. */

size_t gathering_of(const struct attendances *attendances, const struct model *model,
                    const struct operation *operation)
{
    for (size_t i = 0; i < attendances->n_gatherings; i++) {
        const struct gathering *gathering = &attendances->gatherings[i];

        if (gathering->communicator->unique_id == operation->communicator->unique_id &&
            model_same_communicator(model, attendances->all[gathering->first].rank, gathering->communicator,
                                    operation->rank, operation->communicator))
            return i;
    }
    return SIZE_MAX;
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
    return attendances->n_gatherings++;
}

/* Is the rank, the last one so far, already in a collective operation on the communicator? */
static bool is_noted(const struct attendances *attendances, const struct model *model,
                     const struct operation *operation)
{
    for (size_t i = attendances->n; i-- > 0 && attendances->all[i].rank == operation->rank;)
        if (model->operations[attendances->all[i].operation].communicator == operation->communicator)
            return true;
    return false;
}

static void note(struct attendances *attendances, const struct model *model, uint32_t at, const struct call *call,
                 const char *function)
{
    const struct operation *operation = &model->operations[at];
    size_t gathering;

    if (is_noted(attendances, model, operation))
        return;
    gathering = find_gathering(attendances, model, operation);
    attendances->all = grow_array(attendances->all, attendances->n, &attendances->room, sizeof *attendances->all);
    attendances->all[attendances->n++] = (struct attendance){
        .rank = operation->rank, .operation = at, .call = call, .function = function, .gathering = gathering,
        .number = function == NULL ? operation->extra->collective_number : 0};
    attendances->gatherings[gathering].n++;
}

/* What the calls of a rank wait for, from its `first` wait on. Returns the first wait of another owner. */
static size_t note_waits(struct attendances *attendances, const struct model *model, size_t first)
{
    uint32_t owner = model_owner(model, &model->waits[first]);
    size_t i;

    for (i = first; i < model->n_waits && model_owner(model, &model->waits[i]) == owner; i++) {
        const struct wait *wait = &model->waits[i];
        const struct call *call = model->conditions[wait->condition].call;

        if (owner < model->n_ranks && call != NULL && wait->operation != UINT32_MAX &&
            model->operations[wait->operation].collective)
            note(attendances, model, wait->operation, call, call_collective(call));
    }
    return i;
}

/* Nonblocking operations that a rank has started. It does its part of them whatever it waits for. */
static void note_parts(struct attendances *attendances, const struct model *model)
{
    for (size_t i = 0; i < model->n_virtuals; i++)
        if (model->virtuals[i].is_part)
            note(attendances, model, model->virtuals[i].operation, model->ranks[model->virtuals[i].rank].call, NULL);
}

static int compare_attendances(const void *a, const void *b)
{
    const struct attendance *x = a, *y = b;

    if (x->gathering != y->gathering)
        return x->gathering < y->gathering ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->operation > y->operation) - (x->operation < y->operation);
}

/* A rank that is in a blocking operation may have started others before: it is noted with the blocking one. */
static void sort(struct attendances *attendances, const struct model *model)
{
    size_t n = 0;

    if (attendances->n > 1)
        qsort(attendances->all, attendances->n, sizeof *attendances->all, compare_attendances);
    for (size_t i = 0; i < attendances->n; i++) {
        struct attendance *last = n > 0 ? &attendances->all[n - 1] : NULL;

        if (last == NULL || last->rank != attendances->all[i].rank || last->gathering != attendances->all[i].gathering)
            attendances->all[n++] = attendances->all[i];
        else if (last->function == NULL)
            *last = attendances->all[i];
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

void attendances_find(struct attendances *attendances, const struct model *model)
{
    *attendances = (struct attendances){0};
    for (size_t i = 0; i < model->n_waits;)
        i = note_waits(attendances, model, i);
    note_parts(attendances, model);
    sort(attendances, model);
}

void attendances_clear(struct attendances *attendances)
{
    free(attendances->all);
    free(attendances->gatherings);
    *attendances = (struct attendances){0};
}

static int compare_rank(const void *rank, const void *attendance)
{
    const uint32_t wanted = *(const uint32_t *)rank, found = ((const struct attendance *)attendance)->rank;

    return (wanted > found) - (wanted < found);
}

const struct attendance *attendance_of(const struct attendances *attendances, size_t gathering, uint32_t rank)
{
    const struct gathering *all = &attendances->gatherings[gathering];

    return bsearch(&rank, attendances->all + all->first, all->n, sizeof *attendances->all, compare_rank);
}

bool attends_any(const struct attendances *attendances, uint32_t rank)
{
    for (size_t i = 0; i < attendances->n_gatherings; i++)
        if (attendance_of(attendances, i, rank) != NULL)
            return true;
    return false;
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
    const struct attendance *first = attendances->all + attendances->gatherings[gathering].first;

    for (size_t i = 1; i < attendances->gatherings[gathering].n; i++)
        if (!attendances_agree(first, &first[i]))
            return false;
    return true;
}
