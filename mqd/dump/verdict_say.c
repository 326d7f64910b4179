/*
 * verdict_say.c - findings as sentences.
 */
#include "mqd/dump/verdict_say.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/common.h"

char *say_communicator(const struct communicator *communicator)
{
    if (communicator->name[0] != '\0')
        return copy_string(communicator->name);
    return format("a communicator without a name (id %lu)", communicator->unique_id);
}

static char *say_place(const struct call *call)
{
    if (call->place == NULL)
        return copy_string("");
    return format(call->has_source ? " (%s)" : call->state == CALL_MPI ? " (called from %s)" : " (%s)", call->place);
}

char *say_fault(const struct call *call)
{
    const char *fault = call != NULL ? call->fault : NULL;
    char *place, *text;

    if (call == NULL || (fault == NULL && call->function == NULL))
        return copy_string("");
    place = say_place(call);
    if (fault == NULL || call->function == NULL || strcmp(fault, call->function) == 0)
        text = format(" in %s%s", fault != NULL ? fault : call->function, place);
    else
        text = format(" in %s, called from %s%s", fault, call->function, place);
    free(place);
    return text;
}

char *say_end(const struct model_rank *rank)
{
    return copy_string(rank->witness->gone != NULL ? rank->witness->gone->fate : "has ended");
}

char *say_where(const struct model_rank *rank)
{
    char *place, *text;

    if (rank->phase == PHASE_ENDED)
        return say_end(rank);
    if (rank->past_finalize)
        return copy_string("has left MPI (MPI_Finalize)");
    if (rank->witness->stopped)
        return copy_string("is stopped by a signal, and goes on with SIGCONT");
    if (rank->call == NULL || rank->call->state == CALL_UNKNOWN)
        return copy_string("is at a place that cannot be told");
    place = say_place(rank->call);
    if (rank->call->state == CALL_MPI)
        text = format("is in %s%s", rank->call->function, place);
    else if (rank->call->has_source && rank->call->function != NULL)
        text = format("is outside of MPI, in %s%s", rank->call->function, place);
    else
        text = format("is outside of MPI%s", place);
    free(place);
    return text;
}

/* A rank in MPI_COMM_WORLD, and in the communicator where that is another. */
static char *say_peer(const struct operation *operation)
{
    const mqs_pending_operation *said = operation->said;
    bool arrived = operation->class == mqs_pending_receives && said->status != mqs_st_pending;
    mqs_tword_t local = arrived ? said->actual_local_rank : said->desired_local_rank;
    char *name, *text;

    if (operation->peer == PEER_ANY)
        return copy_string("any rank");
    if (operation->peer == PEER_UNKNOWN)
        return format("rank %ld of another job", local);
    if (local == operation->peer)
        return format("rank %ld", operation->peer);
    name = say_communicator(operation->communicator);
    text = format("rank %ld (%ld in %s)", operation->peer, local, name);
    free(name);
    return text;
}

/* The library chooses the tags of its own. */
static char *say_tag(const struct operation *operation)
{
    if (operation->internal)
        return copy_string("");
    return operation->tag == TAG_ANY ? copy_string(" with any tag") : format(" with tag %ld", operation->tag);
}

char *say_operation(const struct operation *operation)
{
    char *peer = say_peer(operation), *tag = say_tag(operation), *name = say_communicator(operation->communicator);
    const char *whose = operation->collective ? "the part of " : "";
    char *text;

    if (operation->collective)
        text = format("%s%s in a collective operation on %s", whose, peer, name);
    else if (operation->class == mqs_pending_sends)
        text = format("its message of %ld bytes to %s%s on %s", operation->said->desired_length, peer, tag, name);
    else if (operation->class == mqs_pending_receives)
        text = format("a message from %s%s on %s (room for %ld bytes)", peer, tag, name,
                      operation->said->desired_length);
    else
        text = format("a message of %ld bytes from %s%s on %s", operation->said->desired_length, peer, tag, name);
    free(peer);
    free(tag);
    free(name);
    return text;
}

char *say_wait(const struct call *call, const struct operation *operation)
{
    char *place = say_place(call);
    char *what = operation != NULL ? say_operation(operation) : copy_string("a message");
    bool is_send = operation != NULL && operation->class == mqs_pending_sends && !operation->collective;
    char *text = format("waits in %s%s for %s%s", call->function, place, is_send ? "somebody to receive " : "", what);

    free(place);
    free(what);
    return text;
}
