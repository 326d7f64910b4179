/*
 * gathering.c - who is missing in a collective operation, and how it is said.
 */
#include "mqd/dump/verdict/gathering.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/name_list.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/verdict/say.h"
#include "mqd/dump/verdict/scope.h"

/* Who is missing. */

static bool uses_several(const char *function)
{
    return name_begins_with(function, "MPI_File_") || call_uses_what_it_makes(function);
}

/*
 * May the rank be in the same collective call as those of the gathering, without a message that shows it? A blocked one
 * may if the call uses several communicators.
 */
static bool may_attend(const struct attendances *attendances, const struct model *model, size_t gathering,
                       uint32_t rank)
{
    const struct gathering *all = &attendances->gatherings[gathering];
    const struct model_rank *who = &model->ranks[rank];
    const char *function = who->call != NULL && who->call->state == CALL_MPI ? call_collective(who->call) : NULL;

    if (attendance_of(attendances, gathering, rank) != NULL || who->phase == PHASE_UNKNOWN)
        return true;
    for (size_t i = 0; i < all->n_sorts && function != NULL; i++)
        if (attendances->all[all->sorts[i]].function != NULL &&
            strcmp(attendances->all[all->sorts[i]].function, function) == 0)
            return who->phase == PHASE_BUSY || uses_several(function);
    return false;
}

static void add_missing(const struct attendances *attendances, const struct model *model, size_t gathering, long id,
                        struct rank_set *missing)
{
    size_t rank = model_find_rank(model, id);

    if (rank != SIZE_MAX && !may_attend(attendances, model, gathering, (uint32_t)rank))
        rank_set_add(missing, id);
}

/* Those whose part others wait for. */
static void add_waited_for(const struct attendances *attendances, const struct model *model, size_t gathering,
                           struct rank_set *missing)
{
    const struct gathering *found = &attendances->gatherings[gathering];

    for (size_t i = found->first; i < found->first + found->n; i++) {
        const struct attendance *attendance = &attendances->all[i];
        const struct communicator *communicator = model->operations[attendance->operation].communicator;

        for (size_t k = attendances->first_wait[attendance->rank]; k < attendances->first_wait[attendance->rank + 1];
             k++) {
            const struct wait *wait = &model->waits[attendances->waits[k]];

            if (wait->target != NODE_LIVE && model->operations[wait->operation].communicator == communicator)
                add_missing(attendances, model, gathering, wait->peer, missing);
        }
    }
}

/*
 * May a member be in the call that does not go on there, as one that is stopped? Then all may have come, and others may
 * have left the call before it.
 */
static bool may_be_held_up(const struct attendances *attendances, const struct model *model, size_t gathering)
{
    const struct gathering *found = &attendances->gatherings[gathering];
    uint32_t first = attendances->all[found->first].rank;

    for (long i = 0; i < communicator_n_peers(found->communicator); i++) {
        long id = model_peer(model, first, found->communicator, i);
        size_t rank = model_find_rank(model, id);

        if (rank != SIZE_MAX && attendance_of(attendances, gathering, (uint32_t)rank) == NULL &&
            may_attend(attendances, model, gathering, (uint32_t)rank))
            return true;
    }
    return false;
}

/*
 * A call that nobody leaves before all are in it: whoever is not in it has not come yet. The barrier that another call
 * contains, as those on windows do, is such a call.
 */
static bool is_left_together(const struct attendances *attendances, const struct model *model, size_t gathering)
{
    const struct gathering *found = &attendances->gatherings[gathering];
    const struct attendance *first = &attendances->all[found->first];

    if (communicator_is_inter(found->communicator) || !gathering_agrees(attendances, gathering))
        return false;
    for (size_t i = 0; i < found->n && !attendance_is_together(first, model); i++)
        if (strcmp(model->operations[first[i].operation].facts->purpose, "MPI_Barrier") != 0)
            return false;
    return true;
}

static void add_absent_members(const struct attendances *attendances, const struct model *model, size_t gathering,
                               struct rank_set *missing)
{
    const struct gathering *all = &attendances->gatherings[gathering];
    uint32_t rank = attendances->all[all->first].rank;
    const struct communicator *communicator = all->communicator;

    for (long i = 0; i < communicator_n_peers(communicator); i++)
        add_missing(attendances, model, gathering, model_peer(model, rank, communicator, i), missing);
}

struct rank_set gathering_missing(const struct attendances *attendances, const struct model *model, size_t gathering)
{
    struct rank_set missing = {0};

    if (is_left_together(attendances, model, gathering) && !may_be_held_up(attendances, model, gathering))
        add_absent_members(attendances, model, gathering, &missing);
    else
        add_waited_for(attendances, model, gathering, &missing);
    missing.n = ranks_sort(missing.ranks, missing.n);
    return missing;
}

/* Texts. */

enum { MAX_FUNCTIONS = 3 };

static char *say_function(const struct attendance *attendance)
{
    if (attendance->function != NULL)
        return copy_string(call_collective_shown(attendance->call));
    return attendance->number > 0 ? format_text("nonblocking collective operation number %s",
                                                 NUMBER(attendance->number))
                                  : copy_string("a nonblocking collective operation");
}

static size_t count_agreeing(const struct attendances *attendances, const struct gathering *gathering, size_t sort)
{
    const struct attendance *first = &attendances->all[gathering->sorts[sort]];
    size_t n = 0;

    for (size_t i = 0; i < gathering->n; i++)
        n += attendances_agree(first, &attendances->all[gathering->first + i]);
    return n;
}

/* ", 2 in MPI_Bcast": those that are not in the first one's function. */
static char *say_other_functions(const struct attendances *attendances, const struct gathering *gathering)
{
    char *text = copy_string("");

    for (size_t i = 1; i < gathering->n_sorts && i < MAX_FUNCTIONS; i++) {
        char *function = say_function(&attendances->all[gathering->sorts[i]]);
        char *longer = format_text("%s, %s in %s", text, NUMBER(count_agreeing(attendances, gathering, i)), function);

        free(function);
        free(text);
        text = longer;
    }
    return text;
}

char *say_gathering(const struct attendances *attendances, const struct model *model, size_t gathering)
{
    const struct gathering *found = &attendances->gatherings[gathering];
    long size = found->communicator->size + found->communicator->summary.remote_size;
    char *name = say_communicator(found->communicator), *function = say_function(&attendances->all[found->first]);
    char *others = say_other_functions(attendances, found), *text;
    size_t n_first = count_agreeing(attendances, found, 0);

    text = format_text("%s of %s ranks %s in %s%s%s on %s", NUMBER(n_first), NUMBER(size),
                       n_first == 1 ? "is" : "are", function, others,
                       gathering_scope(attendances, model, gathering) != SCOPE_UNKNOWN ? "" : ", with messages", name);
    free(function);
    free(others);
    free(name);
    return text;
}

char *say_gathering_missing(const struct attendances *attendances, const struct model *model, size_t gathering)
{
    char *present = say_gathering(attendances, model, gathering), *absent, *text;
    struct rank_set missing = gathering_missing(attendances, model, gathering);

    if (missing.n == 0) {
        text = format_text("%s.", present);
    } else {
        absent = say_rank_set(model, missing.ranks, missing.n, "is", "are");
        text = format_text("%s; %s missing.", present, absent);
        free(absent);
    }
    free(missing.ranks);
    free(present);
    return text;
}
