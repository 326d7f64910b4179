/*
 * answer.c - whom an operation waits for: the node from which its message or its answer comes.
 */
#include "mqd/dump/verdict/answer.h"

#include "mqd/dump/base/memory.h"
#include "mqd/dump/verdict/traffic.h"

/* Virtual nodes. */

int64_t answer_add_node(struct model *model, size_t rank, const struct communicator *communicator)
{
    APPEND(model->virtuals, model->n_virtuals, model->virtual_room,
           (struct virtual_node){.rank = rank, .communicator = communicator});
    return (int64_t)(model->n_ranks + model->n_virtuals - 1);
}

static bool are_peers_known(const struct model *model, size_t rank, const struct communicator *communicator)
{
    for (long i = 0; i < communicator_n_peers(communicator); i++)
        if (model_peer(model, rank, communicator, i) < 0)
            return false;
    return communicator_n_peers(communicator) > 0;
}

/* The target of a wait for a rank. */
int64_t answer_of_rank(const struct model *model, long id)
{
    size_t index = model_find_rank(model, id);

    if (index == SIZE_MAX)
        return NODE_ABSENT;
    switch (model->ranks[index].phase) {
    case PHASE_FINALIZED:
    case PHASE_ENDED:
        return NODE_NEVER;
    case PHASE_UNKNOWN:
        return NODE_ABSENT;
    case PHASE_BLOCKED:
    case PHASE_BUSY:
        break;
    }
    return (int64_t)index;
}

/* The virtual node for a message from any member of a communicator. */
int64_t answer_of_peers(struct model *model, size_t rank, const struct communicator *communicator)
{
    uint32_t number = model_find_place(model, rank, communicator->unique_id)->number;
    uint32_t condition;
    int64_t node;

    if (number != NO_NUMBER && model->communicators[number].anybody != NODE_LIVE)
        return model->communicators[number].anybody;
    if (!are_peers_known(model, rank, communicator))
        return NODE_LIVE;
    node = answer_add_node(model, rank, communicator);
    if (number != NO_NUMBER)
        model->communicators[number].anybody = node;
    condition = model_add_condition(model, (uint32_t)node, false, NULL);
    for (long i = 0; i < communicator_n_peers(communicator); i++) {
        long peer = model_peer(model, rank, communicator, i);

        model_add_wait(model, condition, answer_of_rank(model, peer), UINT32_MAX, peer);
    }
    return node;
}

/* Is there a message, arrived or sent, that matches this receive? MPI_ANY_TAG does not match internal tags. */
static bool has_message(const struct model *model, const struct operation *receive)
{
    int64_t id = (int64_t)receive->communicator->unique_id, here = model->ranks[receive->rank].id;
    const struct keys *keys = receive->peer == PEER_ANY ? &model->messages_by_tag : &model->messages_by_source;
    int64_t numbers[4] = {here, id};
    size_t n = 2;

    if (receive->peer != PEER_ANY)
        numbers[n++] = receive->peer;
    if (receive->tag != TAG_ANY)
        numbers[n++] = receive->tag;
    for (size_t i = keys_find(keys, numbers, n); keys_agree(keys, i, numbers, n); i++)
        if (receive->tag != TAG_ANY || model->operations[keys->keys[i].operation].tag >= 0)
            return true;
    return false;
}

static bool has_receive_for(const struct model *model, const struct operation *send, int64_t source, int64_t tag)
{
    const int64_t numbers[4] = {send->peer, (int64_t)send->communicator->unique_id, source, tag};

    return keys_find(&model->receives, numbers, 4) < model->receives.n;
}

/* Is there a receive, posted or matched, for this message? */
static bool has_receive(const struct model *model, const struct operation *send)
{
    int64_t here = model->ranks[send->rank].id;

    return has_receive_for(model, send, here, send->tag) || has_receive_for(model, send, PEER_ANY, send->tag) ||
           (send->tag >= 0 && (has_receive_for(model, send, here, TAG_ANY) ||
                               has_receive_for(model, send, PEER_ANY, TAG_ANY)));
}

/* Are all queues known that could show a message on its way? */
bool queue_is_known(const struct communicator *communicator, int class)
{
    return communicator->queues[class].available && communicator->queues[class].error == NULL;
}

/*
 * May the other side have what matches an operation, in a queue that is not known, or with a peer or a tag that is not?
 * One that has ended or left MPI has no queues any more; it may not have the communicator any more, or not yet. Anybody
 * is a crowd that counts if one of it may get on.
 */
static bool peer_may_have(const struct model *model, const struct operation *operation, int class)
{
    size_t peer = model_find_rank(model, operation->peer);
    const struct model_rank *rank;
    const struct communicator *theirs;

    if (peer == SIZE_MAX)
        return operation->peer == PEER_ANY && model->has_vague[class];
    rank = &model->ranks[peer];
    if (rank->has_vague[class] || rank->phase == PHASE_ENDED || rank->phase == PHASE_FINALIZED)
        return rank->has_vague[class];
    theirs = model_find_communicator(model, peer, operation->communicator->unique_id);
    return theirs != NULL && !queue_is_known(theirs, class);
}

/* Is the message of a receive there, or is that not known? */
static bool may_be_sent(const struct model *model, const struct operation *receive)
{
    return !queue_is_known(receive->communicator, mqs_unexpected_messages) || has_message(model, receive) ||
           receive->vague || peer_may_have(model, receive, mqs_pending_sends);
}

/* Is it on its way? */
static bool is_on_its_way(const struct model *model, const struct operation *receive)
{
    return model_message_travels(model, receive->peer, receive->rank, receive->communicator->unique_id);
}

/* Was the other side looked at together with the rank? Then what is at the one look shows at the next. */
static bool is_peer_together(const struct model *model, const struct operation *operation)
{
    size_t peer = model_find_rank(model, operation->peer);

    return peer != SIZE_MAX && model_are_together(model, operation->rank, peer);
}

/* The same of the receive of a send. */
static bool may_be_received(const struct model *model, const struct operation *send)
{
    return !send->said->needs_receiver || has_receive(model, send) || send->vague ||
           peer_may_have(model, send, mqs_pending_receives);
}

static int64_t target_of_receive(struct model *model, const struct operation *receive)
{
    if (receive->said->status != mqs_st_pending)
        return NODE_LIVE;
    if (receive->peer == PEER_UNKNOWN)
        return NODE_ABSENT;
    if (may_be_sent(model, receive) || (!is_peer_together(model, receive) && is_on_its_way(model, receive)))
        return NODE_LIVE;
    if (receive->peer == PEER_ANY)
        return answer_of_peers(model, receive->rank, receive->communicator);
    return answer_of_rank(model, receive->peer);
}

/* A receiver that is busy has to do something in any case. One that has finished may have done it before. */
static bool has_answer_on_its_way(const struct model *model, const struct operation *send)
{
    size_t peer = model_find_rank(model, send->peer);

    return peer != SIZE_MAX && model->ranks[peer].phase != PHASE_BUSY && !is_peer_together(model, send) &&
           model_answer_travels(model, send);
}

static int64_t target_of_send(const struct model *model, const struct operation *send)
{
    if (send->said->needs_receiver && send->peer < 0)
        return NODE_ABSENT;
    return may_be_received(model, send) || has_answer_on_its_way(model, send) ? NODE_LIVE
                                                                              : answer_of_rank(model, send->peer);
}

bool answer_is_missing(const struct model *model, const struct operation *operation)
{
    if (operation->said->status != mqs_st_pending)
        return false;
    return operation->class == mqs_pending_sends
               ? !may_be_received(model, operation) && !model_answer_travels(model, operation)
               : !may_be_sent(model, operation) && !is_on_its_way(model, operation);
}

int64_t answer_of_operation(struct model *model, const struct operation *operation)
{
    return operation->class == mqs_pending_sends ? target_of_send(model, operation)
                                                 : target_of_receive(model, operation);
}
