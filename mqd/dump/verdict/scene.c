/*
 * scene.c - the collective operations in which a group of ranks is stuck, and what they prove.
 *
 * What a group of ranks in collective operations proves, if all of them are stuck:
 *
 *   Two of them are on one communicator in different functions that ranks leave together. The one cannot have left the
 *   other's function, and the other not the one's: the ranks do not make the same calls.
 *
 *   One waits for the part of another one in a function that each leaves after its own part, and the other is in a
 *   function that ranks leave together. It has not sent its part, so it does not come from there; and it cannot get
 *   there any more, since the first one has left all functions before.
 *
 *   One waits for another one's part of a nonblocking operation, and the other, which is in such a function, has no
 *   part of it that is open.
 *
 *   Parts of one nonblocking operation wait for each other: see nonblocking.h.
 *
 *   All of them are in collective operations. A program whose ranks make the same calls in the same order does not come
 *   to that: with one communicator the calls or their roots differ, with several ones the communicators. Where the
 *   messages do not show on which communicators the calls are, these differ only if the functions do.
 *
 * Else some rank of the group is elsewhere, and the others wait for it.
 */
#include "mqd/dump/verdict/scene.h"

#include <stdint.h>
#include <string.h>

#include "mqd/dump/verdict/nonblocking.h"
#include "mqd/dump/verdict/scope.h"

/* Gatherings of more ranks come first. */
static void add_gathering(const struct conclusion *conclusion, struct scene *scene, size_t gathering)
{
    const struct gathering *all = conclusion->attendances->gatherings;
    size_t at = scene->n;

    while (at > 0 && all[scene->gatherings[at - 1]].n < all[gathering].n)
        at--;
    if (at == MAX_GATHERINGS)
        return;
    if (scene->n == MAX_GATHERINGS)
        scene->n--;
    memmove(scene->gatherings + at + 1, scene->gatherings + at, (scene->n - at) * sizeof *scene->gatherings);
    scene->gatherings[at] = gathering;
    scene->n++;
}

struct scene scene_find(struct conclusion *conclusion, const struct group *group)
{
    const struct attendances *attendances = conclusion->attendances;
    struct scene scene = {.group = group};

    for (size_t i = 0; i < group->n_nodes; i++) {
        uint32_t rank = group->nodes[i];

        for (size_t k = attendances->first_of_rank[rank]; k < attendances->first_of_rank[rank + 1]; k++) {
            size_t gathering = attendances->all[attendances->of_ranks[k]].gathering;

            if (!conclusion->gathering_told[gathering])
                add_gathering(conclusion, &scene, gathering);
            conclusion->gathering_told[gathering] = true;
            scene.any = true;
        }
        scene.elsewhere |= !attends_any(attendances, rank);
    }
    return scene;
}

/* What is proved to differ. */

static bool are_in_different(const struct conclusion *conclusion, const struct group *group, size_t gathering)
{
    const char *first = NULL;

    for (size_t i = 0; i < group->n_nodes; i++) {
        const struct attendance *found = attendance_of(conclusion->attendances, gathering, group->nodes[i]);

        if (found == NULL || !attendance_is_together(found, conclusion->model))
            continue;
        if (first != NULL && strcmp(first, found->function) != 0)
            return true;
        first = found->function;
    }
    return false;
}

/* Does a rank of the group wait there for one that is in a function which ranks leave together, and in another one? */
static bool waits_across(const struct conclusion *conclusion, const struct group *group, size_t gathering)
{
    const struct graph *graph = conclusion->graph;

    for (size_t i = 0; i < group->n_nodes; i++) {
        const struct attendance *one = attendance_of(conclusion->attendances, gathering, group->nodes[i]), *other;

        if (one == NULL || attendance_is_together(one, conclusion->model))
            continue;
        for (uint32_t k = graph->first[one->rank]; k < graph->first[one->rank + 1]; k++) {
            uint32_t at = conclusion->model->waits[graph->edges[k].wait].operation;

            other = graph->edges[k].to < conclusion->model->n_ranks
                        ? attendance_of(conclusion->attendances, gathering, graph->edges[k].to)
                        : NULL;
            if (other != NULL && attendance_is_together(other, conclusion->model) && at != UINT32_MAX &&
                gathering_of(conclusion->attendances, conclusion->model, &conclusion->model->operations[at]) ==
                    gathering)
                return true;
        }
    }
    return false;
}

bool scene_has_rooted(const struct conclusion *conclusion, size_t gathering)
{
    const struct gathering *found = &conclusion->attendances->gatherings[gathering];

    for (size_t i = 0; i < found->n; i++) {
        const char *function = conclusion->attendances->all[found->first + i].function;

        if (function != NULL && call_sort_of(function) == SORT_ROOTED)
            return true;
    }
    return false;
}

static bool is_rooted(const struct conclusion *conclusion, size_t gathering)
{
    const struct gathering *found = &conclusion->attendances->gatherings[gathering];
    const char *function = conclusion->attendances->all[found->first].function;

    return function != NULL && scene_has_rooted(conclusion, gathering) &&
           gathering_agrees(conclusion->attendances, gathering);
}

/* A message of a collective operation that comes from the root on its way down, so that the receiver sends nothing
   before. */
static bool comes_from_root(const struct operation *message)
{
    const char *purpose = message->facts->purpose;

    return strcmp(purpose, "MPI_Bcast") == 0 || strcmp(purpose, "MPI_Scatter") == 0 ||
           strcmp(purpose, "MPI_Scatterv") == 0;
}

uint32_t scene_untaken(const struct conclusion *conclusion, const struct attendance *attendance, bool all)
{
    const struct model *model = conclusion->model;
    const struct operation *own = &model->operations[attendance->operation];
    const struct model_rank *rank = &model->ranks[attendance->rank];
    bool same;

    if (attendance->function == NULL || strcmp(own->facts->purpose, attendance->function) != 0 ||
        communicator_is_inter(own->communicator) || lives(conclusion, attendance->rank))
        return UINT32_MAX;
    for (size_t i = 0; i < rank->n_operations; i++) {
        const struct operation *message = &model->operations[rank->first_operation + i];

        if (message->class != mqs_unexpected_messages || message->communicator != own->communicator ||
            !message->collective || !comes_from_root(message) || message->peer < 0)
            continue;
        same = strcmp(message->facts->purpose, attendance->function) == 0;
        if (same ? all && own->class == mqs_pending_receives && own->peer >= 0 && own->peer != message->peer
                 : attendance_is_together(attendance, model))
            return (uint32_t)(rank->first_operation + i);
    }
    return UINT32_MAX;
}

/* Has a rank that waits for one rank's message in a rooted function another rank's message of the same function? */
static bool has_other_root(const struct conclusion *conclusion, size_t gathering)
{
    const struct gathering *found = &conclusion->attendances->gatherings[gathering];

    for (size_t i = 0; i < found->n; i++) {
        const struct attendance *attendance = &conclusion->attendances->all[found->first + i];

        if (!attendance_is_together(attendance, conclusion->model) &&
            scene_untaken(conclusion, attendance, true) != UINT32_MAX)
            return true;
    }
    return false;
}

bool scene_is_complete(const struct scene *scene)
{
    return !scene->elsewhere && scene->n == 1;
}

size_t scene_count_windows(const struct conclusion *conclusion, const struct scene *scene)
{
    const struct attendances *attendances = conclusion->attendances;
    size_t n = 0;

    for (size_t i = 0; i < scene->n; i++)
        n += attendances->gatherings[scene->gatherings[i]].communicator->use.owner == MQD_OWNER_window &&
             gathering_scope(attendances, conclusion->model, scene->gatherings[i]) == SCOPE_CALL;
    return n;
}

/* Does the rank wait, or test, for operations that it has started? */
static bool awaits_started(const struct model_rank *rank)
{
    return rank->polls || rank->kind == CALL_WAIT || rank->kind == CALL_WAIT_ALL || rank->kind == CALL_WAIT_ANY;
}

/*
 * The collective function in which a rank is, "" for nonblocking ones, NULL if it is elsewhere and only its part of a
 * nonblocking one is there. A rank that has started nonblocking operations too is in its blocking one.
 */
static const char *function_of(const struct conclusion *conclusion, const struct scene *scene, uint32_t node)
{
    const char *nonblocking = NULL;

    for (size_t i = 0; i < scene->n; i++) {
        const struct attendance *found = attendance_of(conclusion->attendances, scene->gatherings[i], node);

        if (found != NULL && found->function != NULL)
            return found->function;
        if (found != NULL && awaits_started(&conclusion->model->ranks[node]))
            nonblocking = "";
    }
    return nonblocking;
}

static bool has_several_functions(const struct conclusion *conclusion, const struct scene *scene)
{
    const char *first = NULL;

    for (size_t i = 0; i < scene->group->n_nodes; i++) {
        const char *function = function_of(conclusion, scene, scene->group->nodes[i]);

        if (function != NULL && first != NULL && strcmp(first, function) != 0)
            return true;
        first = function != NULL ? function : first;
    }
    return false;
}

/* All ranks of the group are in collective operations, and the messages of these are on several communicators. */
static enum finding_kind kind_of_several(const struct conclusion *conclusion, const struct scene *scene)
{
    bool known = true;
    size_t n_windows = scene_count_windows(conclusion, scene);

    for (size_t i = 0; i < scene->n; i++)
        known &= gathering_scope(conclusion->attendances, conclusion->model, scene->gatherings[i]) == SCOPE_CALL;
    if (known && n_windows == 0)
        return FINDING_COLLECTIVE_COMMUNICATORS;
    return n_windows == scene->n || has_several_functions(conclusion, scene) ? FINDING_COLLECTIVES_DIFFER
                                                                             : FINDING_DEADLOCK;
}

enum finding_kind scene_kind(const struct conclusion *conclusion, const struct scene *scene, size_t *gathering)
{
    for (size_t i = 0; i < scene->n; i++) {
        *gathering = scene->gatherings[i];
        if (scene_is_complete(scene) && has_other_root(conclusion, *gathering))
            return FINDING_ROOTS_DIFFER;
        if (are_in_different(conclusion, scene->group, *gathering) ||
            waits_across(conclusion, scene->group, *gathering) || gathering_is_locked(conclusion, *gathering))
            return FINDING_COLLECTIVES_DIFFER;
    }
    *gathering = scene->gatherings[0];
    if (scene->elsewhere)
        return FINDING_COLLECTIVE_MISSING;
    if (scene->n > 1)
        return kind_of_several(conclusion, scene);
    if (is_rooted(conclusion, *gathering))
        return FINDING_ROOTS_DIFFER;
    return gathering_agrees(conclusion->attendances, *gathering) &&
                   conclusion->attendances->all[conclusion->attendances->gatherings[*gathering].first].function != NULL
               ? FINDING_DEADLOCK
               : FINDING_COLLECTIVES_DIFFER;
}
