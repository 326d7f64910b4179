/*
 * scope.c - what the communicator of a collective call's messages is to the call.
 *
 * A call that makes a window or a file first makes a communicator for it, and then sends messages there: whether these
 * are on the communicator that the program gave it, or on the other one, does not show. The other one belongs to no
 * window or file yet. Only MPI_COMM_WORLD is made by no call.
 */
#include "mqd/dump/verdict/scope.h"

#include <string.h>

#include "mqd/dump/base/name_list.h"

/* Open MPI may call functions of MPI itself, on whichever communicator. A file's functions do so on the file's. */
static bool is_in_another(const struct attendance *attendance)
{
    return attendance->call != NULL && attendance->function == attendance->call->outer &&
           !name_begins_with(attendance->function, "MPI_File_");
}

/* The rank may have started nonblocking operations before the call, which has such ones too. */
static bool is_elsewhere_too(const struct attendances *attendances, const struct attendance *attendance)
{
    if (!call_makes_communicator(attendance->function))
        return false;
    for (size_t i = attendances->first_of_rank[attendance->rank];
         i < attendances->first_of_rank[attendance->rank + 1]; i++) {
        const struct attendance *other = &attendances->all[attendances->of_ranks[i]];

        if (other != attendance && other->call == attendance->call && other->function != NULL)
            return true;
    }
    return false;
}

static enum scope scope_of(const struct attendances *attendances, const struct model *model,
                           const struct attendance *attendance)
{
    const struct communicator *communicator = model->operations[attendance->operation].communicator;
    const char *function = attendance->function;
    int owner = communicator->use.owner;
    bool is_world = communicator->unique_id == 0;
    bool is_library = owner == MQD_OWNER_library || (owner == MQD_OWNER_unknown && communicator->summary.internal);
    bool is_object = owner == MQD_OWNER_window || owner == MQD_OWNER_file;

    if (function == NULL)
        return is_library || is_object ? SCOPE_UNKNOWN : SCOPE_CALL;
    if (is_in_another(attendance) || is_elsewhere_too(attendances, attendance))
        return SCOPE_UNKNOWN;
    if (call_uses_what_it_makes(function))
        return is_world ? SCOPE_CALL : SCOPE_UNKNOWN;
    if (name_begins_with(function, "MPI_Win_"))
        return owner == MQD_OWNER_window ? SCOPE_CALL : SCOPE_UNKNOWN;
    if (name_begins_with(function, "MPI_File_"))
        return is_world || owner == MQD_OWNER_file || owner == MQD_OWNER_program ? SCOPE_FILE : SCOPE_UNKNOWN;
    return is_library || is_object ? SCOPE_UNKNOWN : SCOPE_CALL;
}

enum scope gathering_scope(const struct attendances *attendances, const struct model *model, size_t gathering)
{
    const struct gathering *found = &attendances->gatherings[gathering];
    enum scope least = SCOPE_CALL;

    for (size_t i = 0; i < found->n && least != SCOPE_UNKNOWN; i++) {
        enum scope scope = scope_of(attendances, model, &attendances->all[found->first + i]);

        least = scope < least ? scope : least;
    }
    return least;
}
