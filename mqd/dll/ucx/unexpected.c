/* unexpected.c - lists the unexpected messages of the PML ucx. */
#include "mqd/dll/ucx/unexpected.h"

#include "mqd/dll/text.h"
#include "mqd/dll/ucx/candidates.h"
#include "mqd/dll/ucx/envelope.h"
#include "mqd/dll/ucx/message.h"
#include "mqd/dll/banned.h"

enum mqd_rc mqd_ucx_can_list_unexpected(struct mqd_process *process)
{
    enum mqd_rc rc = mqd_ucx_can(process, MQD_CAN_ucx_unexpected);

    return rc == MQD_OK && mqd_ucx_of(process)->messages_changing ? MQD_RC_ucx_changing : rc;
}

enum mqd_rc mqd_ucx_misses_messages(struct mqd_process *process)
{
    struct mqd_ucx_matching matching;

    if (mqd_ucx_can_list_unexpected(process) != MQD_OK ||
        mqd_ucx_matching_read(process, mqd_ucx_of(process), &matching) != MQD_OK)
        return MQD_OK;
    return matching.offload ? MQD_RC_ucx_offload : MQD_OK;
}

/*
 * Is the neighbour in the list of a bucket what it should be: the bucket's head, or a message that leads back? With
 * `incomplete` a message that was not read may be there.
 */
static bool is_neighbour(const struct mqd_process *process, const struct mqd_vector *messages, mqd_taddr head_ta,
                         mqd_taddr link_ta, mqd_taddr own_ta, bool forward, bool incomplete)
{
    const struct mqd_ucx_message *neighbour;

    if (link_ta == head_ta)
        return true;
    neighbour = mqd_vector_find(messages, link_ta - mqd_ucx_link_to_bucket(process, 0));
    if (neighbour == NULL)
        return incomplete;
    return (forward ? neighbour->bucket_prev_ta : neighbour->bucket_next_ta) == own_ta;
}

/* Tests all messages, which are in the order of their addresses: each must be in the bucket of its tag. */
static enum mqd_rc test_buckets(struct mqd_process *process, const struct mqd_ucx_matching *matching,
                                const struct mqd_vector *messages, bool incomplete)
{
    for (size_t i = 0; i < messages->n_items; i++) {
        const struct mqd_ucx_message *message = mqd_vector_at(messages, i);
        mqd_taddr own_ta = mqd_ucx_link_to_bucket(process, message->ta);
        mqd_taddr head_ta = matching->unexpected_ta + (mqd_taddr)mqd_ucx_bucket(process, message->tag) *
                                                          process->layout.type_size[MQD_TYPE_ucs_list_link_t];

        if (!is_neighbour(process, messages, head_ta, message->bucket_next_ta, own_ta, true, incomplete) ||
            !is_neighbour(process, messages, head_ta, message->bucket_prev_ta, own_ta, false, incomplete))
            return MQD_RC_ucx_bad_message;
    }
    return MQD_OK;
}

/* Reads all messages of the snapshot, once. */
static enum mqd_rc read_messages(struct mqd_process *process)
{
    struct mqd_ucx *ucx = mqd_ucx_of(process);
    struct mqd_ucx_matching matching;
    enum mqd_rc rc = mqd_ucx_can_list_unexpected(process);

    if (rc != MQD_OK || ucx->are_messages_read)
        return rc != MQD_OK ? rc : ucx->messages_failed;
    rc = mqd_ucx_matching_read(process, ucx, &matching);
    if (rc == MQD_OK)
        ucx->messages_rc = mqd_ucx_read_messages(process, &matching, SIZE_MAX, &ucx->messages);
    if (ucx->messages_rc == MQD_RC_no_memory || mqd_vector_sort_by_key(&ucx->messages) != MQD_OK) {
        mqd_vector_release(&ucx->messages);
        ucx->messages_rc = MQD_OK;
        return MQD_RC_no_memory;
    }
    if (rc == MQD_OK)
        rc = test_buckets(process, &matching, &ucx->messages, ucx->messages_rc != MQD_OK);
    ucx->are_messages_read = true;
    ucx->messages_rc = mqd_because(process, ucx->messages_rc);
    ucx->messages_failed = mqd_because(process, rc);
    return ucx->messages_failed;
}

static void read_message(const struct mqd_ucx_message *message, const struct mqd_ucx_envelope *envelope,
                         struct mqd_operation *operation)
{
    *operation = (struct mqd_operation){.kind = MQD_OPERATION_message,
                                        .ta = message->ta,
                                        .order = message->order,
                                        .peer = envelope->source,
                                        .actual_peer = envelope->source,
                                        .tag = envelope->tag,
                                        .actual_tag = envelope->tag,
                                        .length = message->length,
                                        .actual_length = message->length,
                                        .system_buffer = true,
                                        .buffer_ta = message->data_ta,
                                        .send_request_ta = message->request_ta};
    operation->status = message->is_whole ? mqs_st_complete : mqs_st_pending;
    operation->progress = message->is_rendezvous ? MQD_PROGRESS_arrived_rendezvous
                          : message->is_whole    ? MQD_PROGRESS_eager
                                                 : MQD_PROGRESS_arriving;
    if (message->no_length) {
        operation->length = operation->actual_length = 0;
        operation->unknown.length = 1;
    }
}

static enum mqd_rc append(struct mqd_process *process, const struct mqd_ucx_message *message, struct mqd_queue *queue)
{
    struct mqd_ucx_envelope envelope;
    const struct mqd_communicator *communicator;
    struct mqd_operation *operation;
    enum mqd_rc rc = mqd_ucx_envelope_of(process, message->tag, &envelope);

    if (rc != MQD_OK)
        return rc;
    communicator = mqd_ucx_communicator(process, envelope.context);
    /* All communicators that messages name are in the snapshot; MPI_Comm_free waits for none of them. */
    if (communicator == NULL || (communicator->ta != 0 && envelope.source >= communicator->n_remote)) {
        queue->rc = MQD_RC_ucx_bad_message;
        return MQD_OK;
    }
    operation = mqd_vector_append(&queue->operations);
    if (operation == NULL)
        return MQD_RC_no_memory;
    read_message(message, &envelope, operation);
    operation->communicator = mqd_ucx_index_of(process, communicator);
    if (communicator->ta == 0) {
        operation->progress = MQD_PROGRESS_pending_communicator;
        operation->is_part = !message->is_whole && !message->is_rendezvous;
        operation->is_freed_possible = true;
    }
    return MQD_OK;
}

enum mqd_rc mqd_ucx_index_unexpected(struct mqd_process *process, struct mqd_queue *queue)
{
    const struct mqd_vector *messages;
    enum mqd_rc rc = read_messages(process);

    if (rc != MQD_OK)
        return rc;
    messages = &mqd_ucx_of(process)->messages;
    queue->rc = mqd_ucx_of(process)->messages_rc;
    for (size_t i = 0; i < messages->n_items && rc == MQD_OK; i++)
        rc = append(process, mqd_vector_at(messages, i), queue);
    return rc == MQD_OK ? mqd_vector_sort(&queue->operations, mqd_operation_before) : rc;
}

/* UCX keeps messages by the number of their communicator: also those that nobody had received when it was freed. */
static void name(struct mqd_communicator *communicator)
{
    struct mqd_line line = mqd_line_in(communicator->name, sizeof communicator->name);

    mqd_add(&line, "communicator ");
    mqd_add_number(&line, communicator->index);
    mqd_add(&line, ", not made here yet, or freed");
}

/*
 * So many communicators that are not here are listed. Programs have a few; in damaged messages each may name another, and
 * they are searched one by one. A message of one more is told as damaged.
 */
enum { MAX_PENDING = 1024 };

static enum mqd_rc append_home(struct mqd_process *process, const struct mqd_ucx_envelope *envelope)
{
    struct mqd_communicator *communicator = mqd_ucx_communicator(process, envelope->context);
    size_t n_pending = process->snapshot.communicators.n_items - mqd_ucx_of(process)->n_communicators;

    if (communicator == NULL && n_pending >= MAX_PENDING)
        return MQD_OK;
    if (communicator == NULL) {
        communicator = mqd_vector_append(&process->snapshot.communicators);
        if (communicator == NULL)
            return MQD_RC_no_memory;
        communicator->index = envelope->context;
        communicator->unique_id = envelope->context;
        communicator->my_rank = MQS_INVALID_PROCESS;
        communicator->hidden = true;
        name(communicator);
    }
    if (communicator->ta == 0 && envelope->tag >= 0)
        communicator->hidden = false;
    return MQD_OK;
}

enum mqd_rc mqd_ucx_find_pending_communicators(struct mqd_process *process)
{
    const struct mqd_vector *messages;
    enum mqd_rc rc = read_messages(process);

    if (rc != MQD_OK)
        return rc == MQD_RC_no_memory ? rc : MQD_OK;
    messages = &mqd_ucx_of(process)->messages;
    for (size_t i = 0; i < messages->n_items && rc == MQD_OK; i++) {
        const struct mqd_ucx_message *message = mqd_vector_at(messages, i);
        struct mqd_ucx_envelope envelope;

        if (mqd_ucx_envelope_of(process, message->tag, &envelope) == MQD_OK)
            rc = append_home(process, &envelope);
    }
    return rc;
}
