/*
 * traffic.c - messages that were sent and have not arrived.
 *
 * Ranks that are looked at once only may seem to wait for each other while the message that they wait for is on its
 * way. The counters of both show it: a message is on its way exactly if fewer have arrived at one than the other has
 * sent.
 */
#include "mqd/dump/verdict/traffic.h"

#include <stdint.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/sort.h"

static int compare_peer(const void *peer, const void *traffic)
{
    const long wanted = *(const long *)peer, found = ((const struct traffic *)traffic)->peer;

    return ORDER(wanted, found);
}

static struct traffic traffic_with(const struct communicator *communicator, long peer)
{
    const struct traffic *found = search_array(&peer, communicator->traffic, communicator->n_traffic,
                                               sizeof *communicator->traffic, compare_peer);

    return found != NULL ? *found : (struct traffic){.peer = peer};
}

/* The rank that one has counted messages with; SIZE_MAX: there is no process for it. */
static size_t peer_of(const struct model *model, size_t rank, const struct traffic *traffic)
{
    return model_find_rank(model, model->jobs[model->ranks[rank].job].base + traffic->peer);
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
        sent = traffic_with(theirs, model->ranks[to].world).n_sent;
    return (int16_t)(uint16_t)(sent - traffic_with(ours, model->ranks[from].world).n_arrived);
}

bool model_are_together(const struct model *model, size_t a, size_t b)
{
    return a == b || (!model->ranks[a].once && !model->ranks[b].once &&
                      model->ranks[a].witness->look == model->ranks[b].witness->look);
}

/* Notes what is on its way from one rank to another, if that has counted messages. */
static void find_coming(struct model *model, size_t from, size_t to, mqs_taddr_t unique_id)
{
    struct place *place = model_find_place(model, to, unique_id);
    int16_t n;

    if (place == NULL || !place->communicator->has_traffic)
        return;
    n = difference(model, from, to, place->communicator);
    place->coming |= n != 0;
    model->moments_differ |= n < 0;
}

void traffic_find(struct model *model)
{
    for (size_t i = 0; i < model->n_places && (model->several_looks || model->has_once); i++) {
        const struct communicator *communicator = model->places[i].communicator;
        size_t rank = model->places[i].rank;

        for (size_t k = 0; k < communicator->n_traffic; k++) {
            size_t peer = peer_of(model, rank, &communicator->traffic[k]);

            if (peer == SIZE_MAX || model_are_together(model, rank, peer))
                continue;
            find_coming(model, peer, rank, communicator->unique_id);
            find_coming(model, rank, peer, communicator->unique_id);
        }
    }
}

bool model_message_travels(const struct model *model, long from, uint32_t to, mqs_taddr_t unique_id)
{
    const struct place *ours = model_find_place(model, to, unique_id);
    size_t source = from != PEER_ANY ? model_find_rank(model, from) : SIZE_MAX;

    if (!ours->communicator->has_traffic)
        return false;
    if (from == PEER_ANY)
        return ours->coming;
    return source != SIZE_MAX && difference(model, source, to, ours->communicator) != 0;
}

/*
 * May the number that a rank has for the next nonblocking operation on a communicator be another one than a second
 * rank's? Not all components for such operations count.
 */
static bool may_have_gone_on(const struct communicator *a, const struct communicator *b)
{
    return !a->use.has_nonblocking || !b->use.has_nonblocking || a->use.n_nonblocking != b->use.n_nonblocking;
}

/*
 * Open MPI uses the number of a communicator again when it is freed. At different moments two ranks may have had different
 * ones with one number, of the same members. Then one of them has made more communicators of those that both have:
 * each one that is made counts as a nonblocking operation there. Or the one that it was made of is gone at one of them.
 * MPI_COMM_WORLD stays.
 */
static bool may_be_another(const struct model *model, size_t a, size_t b, const struct communicator *of_a)
{
    const struct communicator *of_b = model_find_communicator(model, b, of_a->unique_id);

    for (size_t i = 0; i < model->ranks[a].n_places && of_a->unique_id != 0; i++) {
        const struct communicator *one = model->places[model->ranks[a].first_place + i].communicator;
        const struct communicator *other = model_find_communicator(model, b, one->unique_id);
        bool is_alike = one->size == of_a->size && one->group == of_a->group;

        if (one == of_a || (other == NULL && !is_alike))
            continue;
        if (other == NULL || (model_same_communicator(model, a, one, b, other) && may_have_gone_on(one, other)))
            return true;
    }
    return of_b == NULL;
}

/* A later run of a job may have its name, and another number. */
static bool are_of_one_run(const struct model *model, size_t a, size_t b)
{
    const struct listing *of_a = model->ranks[a].witness->listing, *of_b = model->ranks[b].witness->listing;

    return model->ranks[a].job == model->ranks[b].job &&
           (!of_a->has_name || !of_b->has_name || of_a->name.job == of_b->name.job);
}

bool model_is_counted(const struct model *model, size_t a, size_t b, mqs_taddr_t unique_id)
{
    const struct communicator *of_a = model_find_communicator(model, a, unique_id);
    const struct communicator *of_b = model_find_communicator(model, b, unique_id);

    if (of_a == NULL || of_b == NULL || !of_a->has_traffic || !of_b->has_traffic ||
        !are_of_one_run(model, a, b))
        return false;
    return model_are_together(model, a, b) ||
           (!may_be_another(model, a, b, of_a) && !may_be_another(model, b, a, of_b));
}

/* Is nothing on its way between two ranks, in either direction, as far as that is counted? */
static bool have_nothing_between(const struct model *model, size_t a, size_t b)
{
    for (size_t i = 0; i < model->ranks[a].n_places; i++) {
        const struct communicator *of_a = model->places[model->ranks[a].first_place + i].communicator;
        const struct communicator *of_b = model_find_communicator(model, b, of_a->unique_id);

        if (of_b != NULL && of_a->has_traffic && of_b->has_traffic &&
            (difference(model, a, b, of_b) != 0 || difference(model, b, a, of_a) != 0))
            return false;
    }
    return true;
}

/*
 * A rank that has received what another had yet to send shows that the job has gone on between the looks. Then a
 * communicator may have been freed and made again: not all ways to make one are counted between each two of its members.
 */
bool model_is_known(const struct model *model, size_t a, size_t b, mqs_taddr_t unique_id)
{
    return model_are_together(model, a, b) ||
           (model_is_counted(model, a, b, unique_id) && have_nothing_between(model, a, b) &&
            (unique_id == 0 || !model->moments_differ));
}

/*
 * The number of messages with one tag that one rank has sent to another, that need an answer, and that are in a queue of
 * one of the two.
 */
static size_t count_messages(const struct model *model, const struct operation *send, int class)
{
    const int64_t numbers[4] = {send->peer, (int64_t)send->communicator->unique_id, model->ranks[send->rank].id,
                                send->tag};
    size_t n = 0;

    for (size_t i = keys_find(&model->messages_by_source, numbers, 4);
         keys_agree(&model->messages_by_source, i, numbers, 4); i++) {
        const struct operation *message = &model->operations[model->messages_by_source.keys[i].operation];

        n += message->class == class && (class == mqs_pending_sends ? message->said->needs_receiver != 0
                                                                    : message->said->status != mqs_st_complete);
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
    for (size_t i = 0; i < communicator->n_traffic; i++) {
        const struct communicator *theirs = NULL;
        int ahead = 0;

        *to = peer_of(model, from, &communicator->traffic[i]);
        if (*to != SIZE_MAX)
            theirs = model_find_communicator(model, *to, communicator->unique_id);
        if (theirs != NULL && theirs->has_traffic)
            ahead = difference(model, from, *to, theirs);
        if (ahead < 0 && ahead > -MAX_AHEAD)
            return true;
    }
    return false;
}

/*
 * Is what each of two ranks has sent to the other at least as much as has arrived there? Both have the communicator, as
 * it is counted.
 */
static bool are_consistent(const struct model *model, size_t a, size_t b, const struct communicator *of_a)
{
    return model_is_counted(model, a, b, of_a->unique_id) && difference(model, b, a, of_a) >= 0 &&
           difference(model, a, b, model_find_communicator(model, b, of_a->unique_id)) >= 0;
}

/* Each communicator of each rank is judged once. */
static bool is_consistent(const struct model *model, struct place *place)
{
    enum { UNKNOWN, CONSISTENT, NOT_CONSISTENT };
    const struct communicator *communicator = place->communicator;

    if (place->consistent != UNKNOWN)
        return place->consistent == CONSISTENT;
    place->consistent = communicator->has_traffic ? CONSISTENT : NOT_CONSISTENT;
    for (size_t i = 0; i < communicator->n_traffic && place->consistent == CONSISTENT; i++) {
        size_t peer = peer_of(model, place->rank, &communicator->traffic[i]);

        if (peer == SIZE_MAX || !are_consistent(model, place->rank, peer, communicator))
            place->consistent = NOT_CONSISTENT;
    }
    return place->consistent == CONSISTENT;
}

bool traffic_is_consistent(const struct model *model, size_t rank, const struct communicator *communicator)
{
    for (long i = 0; i < communicator_n_peers(communicator); i++) {
        size_t peer = model_find_rank(model, model_peer(model, rank, communicator, i));
        struct place *theirs = peer != SIZE_MAX ? model_find_place(model, peer, communicator->unique_id) : NULL;

        if (theirs == NULL || !is_consistent(model, theirs))
            return false;
    }
    return true;
}
