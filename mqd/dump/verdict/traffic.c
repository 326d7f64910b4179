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

static long world_rank(const struct model *model, size_t rank)
{
    return model->ranks[rank].id - model->jobs[model->ranks[rank].job].base;
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
        sent = traffic_with(theirs, world_rank(model, to)).n_sent;
    return (int16_t)(uint16_t)(sent - traffic_with(ours, world_rank(model, from)).n_arrived);
}

bool model_are_together(const struct model *model, size_t a, size_t b)
{
    return a == b || (!model->ranks[a].once && !model->ranks[b].once &&
                      model->ranks[a].witness->look == model->ranks[b].witness->look);
}

/* Notes what is on its way between two ranks, in both directions. One of them has counted messages with the other. */
static void find_between(struct model *model, size_t a, size_t b, mqs_taddr_t unique_id)
{
    const size_t ranks[2] = {a, b};

    for (int i = 0; i < 2; i++) {
        size_t place = model_communicator_place(model, ranks[i], unique_id);
        const struct communicator *ours = model_find_communicator(model, ranks[i], unique_id);

        int16_t n = place != SIZE_MAX && ours->has_traffic ? difference(model, ranks[1 - i], ranks[i], ours) : 0;

        if (n != 0)
            model->coming[place] = true;
        model->moments_differ |= n < 0;
    }
}

static bool needs_counts(const struct model *model)
{
    for (size_t i = 0; i < model->n_ranks; i++)
        if (model->ranks[i].once)
            return true;
    return model->several_looks;
}

void traffic_find(struct model *model)
{
    const struct model_rank *last;
    size_t n;

    if (!needs_counts(model))
        return;
    last = &model->ranks[model->n_ranks - 1];
    n = last->first_communicator + last->n_communicators;
    model->coming = allocate_array(n, sizeof *model->coming);
    model->consistent = allocate_array(n, sizeof *model->consistent);
    for (size_t i = 0; i < model->n_ranks; i++) {
        long base = model->jobs[model->ranks[i].job].base;

        for (size_t k = 0; k < model->ranks[i].n_communicators; k++) {
            const struct communicator *communicator = model->ranks[i].communicators[k];

            for (size_t j = 0; j < communicator->n_traffic; j++) {
                size_t peer = model_find_rank(model, base + communicator->traffic[j].peer);

                if (peer != SIZE_MAX && !model_are_together(model, i, peer))
                    find_between(model, i, peer, communicator->unique_id);
            }
        }
    }
}

bool model_message_travels(const struct model *model, long from, uint32_t to, mqs_taddr_t unique_id)
{
    const struct communicator *ours = model_find_communicator(model, to, unique_id);
    size_t source = from != PEER_ANY ? model_find_rank(model, from) : SIZE_MAX;

    if (!ours->has_traffic)
        return false;
    if (from == PEER_ANY)
        return model->coming != NULL && model->coming[model_communicator_place(model, to, unique_id)];
    return source != SIZE_MAX && difference(model, source, to, ours) != 0;
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

    for (size_t i = 0; i < model->ranks[a].n_communicators && of_a->unique_id != 0; i++) {
        const struct communicator *one = model->ranks[a].communicators[i];
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
    for (size_t i = 0; i < model->ranks[a].n_communicators; i++) {
        const struct communicator *of_a = model->ranks[a].communicators[i];
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

        n += message->class == class && (class == mqs_pending_sends ? message->needs_receiver
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

/* Is what one rank has sent to another at least as much as has arrived there? */
static bool is_sent_before(const struct model *model, size_t from, size_t to, mqs_taddr_t unique_id)
{
    return difference(model, from, to, model_find_communicator(model, to, unique_id)) >= 0;
}

static bool find_consistent(const struct model *model, size_t rank, const struct communicator *communicator)
{
    const struct model_job *job = &model->jobs[model->ranks[rank].job];

    for (size_t i = 0; i < communicator->n_traffic; i++) {
        size_t peer = model_find_rank(model, job->base + communicator->traffic[i].peer);

        if (peer == SIZE_MAX || !model_is_counted(model, rank, peer, communicator->unique_id) ||
            !is_sent_before(model, rank, peer, communicator->unique_id) ||
            !is_sent_before(model, peer, rank, communicator->unique_id))
            return false;
    }
    return communicator->has_traffic;
}

/* Each communicator of each rank is judged once. */
static bool is_consistent(const struct model *model, size_t rank, const struct communicator *communicator)
{
    enum { UNKNOWN, CONSISTENT, NOT_CONSISTENT };
    unsigned char *known = &model->consistent[model_communicator_place(model, rank, communicator->unique_id)];

    if (*known == UNKNOWN)
        *known = find_consistent(model, rank, communicator) ? CONSISTENT : NOT_CONSISTENT;
    return *known == CONSISTENT;
}

bool traffic_is_consistent(const struct model *model, size_t rank, const struct communicator *communicator)
{
    for (long i = 0; i < communicator_n_peers(communicator); i++) {
        long id = model_peer(model, rank, communicator, i);
        size_t peer = model_find_rank(model, id);
        const struct communicator *theirs =
            peer != SIZE_MAX ? model_find_communicator(model, peer, communicator->unique_id) : NULL;

        if (theirs == NULL || !is_consistent(model, peer, theirs))
            return false;
    }
    return true;
}
