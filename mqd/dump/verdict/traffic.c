/*
 * traffic.c - messages that were sent and have not arrived.
 *
 * Ranks that are looked at once only may seem to wait for each other while the message that they wait for is on its
 * way. The counters of both show it: a message is on its way exactly if fewer have arrived at one than the other has
 * sent.
 */
#include "mqd/dump/verdict/traffic.h"

#include <stdint.h>
#include <stdlib.h>


static int compare_peer(const void *peer, const void *traffic)
{
    const long wanted = *(const long *)peer, found = ((const struct traffic *)traffic)->peer;

    return (wanted > found) - (wanted < found);
}

static struct traffic traffic_with(const struct communicator *communicator, long peer)
{
    const struct traffic *found =
        communicator->n_traffic > 0 ? bsearch(&peer, communicator->traffic, communicator->n_traffic,
                                              sizeof *communicator->traffic, compare_peer)
                                    : NULL;

    return found != NULL ? *found : (struct traffic){.peer = peer};
}

/*
 * The number of messages that one rank has sent minus the number that has arrived at another. 0 also if it is not
 * known, as between jobs.
 */
static int16_t difference(const struct model *model, size_t from, size_t to, const struct communicator *ours)
{
    const struct communicator *theirs = model_find_communicator(model, from, ours->unique_id);
    uint16_t sent = 0;

    if (model->ranks[from].job != model->ranks[to].job)
        return 0;
    if (!model->ranks[from].witness->listing->has_communicators || (theirs != NULL && !theirs->has_traffic))
        return 0;
    /* The sender may not have the communicator, or may have freed it. */
    if (theirs != NULL)
        sent = traffic_with(theirs, model_world_rank(model, model->ranks[to].id)).n_sent;
    return (int16_t)(uint16_t)(sent - traffic_with(ours, model_world_rank(model, model->ranks[from].id)).n_arrived);
}

bool model_message_travels(const struct model *model, long from, uint32_t to, mqs_taddr_t unique_id)
{
    const struct communicator *ours = model_find_communicator(model, to, unique_id);
    size_t first = from != PEER_ANY ? model_find_rank(model, from) : 0;
    size_t end = from != PEER_ANY && first != SIZE_MAX ? first + 1 : model->n_ranks;

    if (ours == NULL || !ours->has_traffic)
        return false;
    for (size_t i = first; i < end; i++)
        if (difference(model, i, to, ours) != 0)
            return true;
    return false;
}

bool model_is_counted(const struct model *model, size_t a, size_t b, mqs_taddr_t unique_id)
{
    const struct communicator *of_a = model_find_communicator(model, a, unique_id);
    const struct communicator *of_b = model_find_communicator(model, b, unique_id);

    return of_a != NULL && of_b != NULL && of_a->has_traffic && of_b->has_traffic &&
           model->ranks[a].job == model->ranks[b].job;
}

/* The number of messages with one tag that one rank has sent to another and that are in a queue of one of the two. */
static size_t count_messages(const struct model *model, const struct operation *send, int class)
{
    const int64_t numbers[4] = {send->peer, (int64_t)send->communicator->unique_id, model->ranks[send->rank].id,
                                send->tag};
    size_t n = 0;

    for (size_t i = keys_find(&model->messages_by_source, numbers, 4);
         keys_agree(&model->messages_by_source, i, numbers, 4); i++) {
        const struct operation *message = &model->operations[model->messages_by_source.keys[i].operation];

        n += message->class == class && (class != mqs_pending_sends || message->needs_receiver);
    }
    return n;
}

bool model_answer_travels(const struct model *model, const struct operation *send)
{
    size_t peer = model_find_rank(model, send->peer);
    const struct communicator *theirs;

    if (peer == SIZE_MAX)
        return false;
    theirs = model_find_communicator(model, peer, send->communicator->unique_id);
    return theirs != NULL && theirs->has_traffic &&
           count_messages(model, send, mqs_unexpected_messages) < count_messages(model, send, mqs_pending_sends);
}

/* Counters have 16 bits: a difference below -MAX_AHEAD is taken for a large positive one. */
enum { MAX_AHEAD = 4096 };

bool traffic_contradicts(const struct model *model, size_t from, const struct communicator *communicator, size_t *to)
{
    const struct model_job *job = model_job_of(model, model->ranks[from].id);

    for (size_t i = 0; i < communicator->n_traffic; i++) {
        const struct communicator *theirs = NULL;
        int ahead;

        *to = model_find_rank(model, job->base + communicator->traffic[i].peer);
        if (*to != SIZE_MAX)
            theirs = model_find_communicator(model, *to, communicator->unique_id);
        if (theirs == NULL || !theirs->has_traffic)
            continue;
        ahead = difference(model, from, *to, theirs);
        if (ahead < 0 && ahead > -MAX_AHEAD)
            return true;
    }
    return false;
}
