/*
 * queue.c - the operations of a queue.
 */
#include "mqd/dump/collect/client/queue.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/shared.h"

struct queued queued_of(const mqs_pending_operation *said)
{
    struct queued operation;

    /* What the compiler leaves between members is compared too. */
    memset(&operation, 0, sizeof operation);
    operation.status = said->status;
    operation.desired_local_rank = said->desired_local_rank;
    operation.desired_global_rank = said->desired_global_rank;
    operation.tag_wild = said->tag_wild;
    operation.desired_tag = said->desired_tag;
    operation.desired_length = said->desired_length;
    operation.system_buffer = said->system_buffer;
    operation.buffer = said->buffer;
    operation.actual_local_rank = said->actual_local_rank;
    operation.actual_global_rank = said->actual_global_rank;
    operation.actual_tag = said->actual_tag;
    operation.actual_length = said->actual_length;
    operation.sequence = -1;
    operation.datatype = operation.purpose = "";
    for (size_t i = 0; i < N_EXTRA_TEXTS; i++)
        operation.extra_text[i] = said->extra_text[i];
    return operation;
}

void queued_describe(struct queued *operation, const struct mqd_operation_description *facts)
{
    operation->kind = facts->kind;
    operation->mode = facts->mode;
    operation->protocol = facts->protocol;
    operation->progress = facts->progress;
    operation->persistent = facts->persistent;
    operation->freed = facts->freed;
    operation->collective = facts->collective;
    operation->internal = facts->internal;
    operation->needs_receiver = facts->needs_receiver;
    operation->out_of_sequence = facts->out_of_sequence;
    operation->pending_communicator = facts->pending_communicator;
    operation->error_class = facts->error_class;
    operation->sequence = facts->sequence;
    operation->request = facts->request;
    operation->arrived = facts->arrived;
    operation->has_count = facts->has_count;
    operation->count = facts->count;
    operation->datatype = facts->datatype;
    operation->purpose = facts->purpose;
    operation->has_peer = facts->has_peer;
    operation->peer = facts->peer;
}

/* Texts. */

/* Either may be NULL, or have no NUL if it is full. */
static bool is_same_text(const char *a, const char *b)
{
    return a == b || strncmp(a != NULL ? a : "", b != NULL ? b : "", MAX_QUEUED_TEXT) == 0;
}

/* Most operations have the texts of the one before. */
static const char *keep_text(struct queue *queue, const char *text, const char *before)
{
    if (is_same_text(text, NULL))
        return "";
    return before != NULL && is_same_text(text, before) ? before
                                                        : texts_add(&queue->texts, text, strnlen(text, MAX_QUEUED_TEXT));
}

static void keep_texts(struct queue *queue, struct queued *operation, const struct queued *before)
{
    operation->datatype = keep_text(queue, operation->datatype, before != NULL ? before->datatype : NULL);
    operation->purpose = keep_text(queue, operation->purpose, before != NULL ? before->purpose : NULL);
    for (size_t i = 0; i < N_EXTRA_TEXTS; i++)
        operation->extra_text[i] =
            keep_text(queue, operation->extra_text[i], before != NULL ? before->extra_text[i] : NULL);
}

/* Operations. */

/* After this nobody else has the array, and it has that room. */
static void take_room(struct queue *queue, size_t room)
{
    struct queued *own;

    if (!shared_has_others(queue->operations)) {
        queue->operations = shared_resize(queue->operations, room, sizeof *queue->operations);
    } else {
        own = shared_resize(NULL, room, sizeof *own);
        memcpy(own, queue->operations, queue->n * sizeof *own);
        shared_release(queue->operations);
        queue->operations = own;
    }
    queue->room = room;
}

void queue_enlarge(struct queue *queue, size_t n)
{
    static const mqs_pending_operation nothing;

    take_room(queue, queue->n + n);
    for (size_t i = 0; i < n; i++)
        queue->operations[queue->n + i] = queued_of(&nothing);
}

void queue_add(struct queue *queue, const struct queued *operation)
{
    enum { LEAST_ROOM = 4 };

    if (queue->n == queue->room || shared_has_others(queue->operations))
        take_room(queue, LEAST_ROOM + queue->n + queue->n / 2);
    queue->operations[queue->n] = *operation;
    keep_texts(queue, &queue->operations[queue->n], queue->n > 0 ? &queue->operations[queue->n - 1] : NULL);
    queue->n++;
}

/* A queue's texts are the last members. */
static bool is_same(const struct queued *a, const struct queued *b)
{
    bool same = memcmp(a, b, offsetof(struct queued, datatype)) == 0 && is_same_text(a->datatype, b->datatype) &&
                is_same_text(a->purpose, b->purpose);

    for (size_t i = 0; i < N_EXTRA_TEXTS && same; i++)
        same = is_same_text(a->extra_text[i], b->extra_text[i]);
    return same;
}

void queue_add_or_share(struct queue *queue, const struct queue *before, const struct queued *operation)
{
    bool shared = before != NULL && queue->n < before->n && (queue->n == 0 || queue->operations == before->operations);

    if (!shared || !is_same(&before->operations[queue->n], operation)) {
        queue_add(queue, operation);
        return;
    }
    if (queue->n++ > 0)
        return;
    queue->operations = shared_use(before->operations);
    queue->texts = texts_use(before->texts);
    queue->room = before->room;
}

void queue_replace(struct queue *queue, size_t i, const struct queued *operation)
{
    queue_enlarge(queue, 0);
    queue->operations[i] = *operation;
    keep_texts(queue, &queue->operations[i], NULL);
}

/*
 * Internal operations have negative tags; but -1 in a receive is any tag, and one that is not known is none. Of what the
 * DLL does not know the tag it may know all the same that it is internal.
 */
static bool is_internal(int class, const struct queued *operation)
{
    if (operation->unknown.tag)
        return operation->internal;
    return operation->desired_tag < 0 && !(class == mqs_pending_receives && operation->tag_wild);
}

void queue_hide_internal(struct queue *queue, int class)
{
    size_t n = 0;

    if (shared_has_others(queue->operations))
        queue_enlarge(queue, 0);
    for (size_t i = 0; i < queue->n; i++)
        if (!is_internal(class, &queue->operations[i]))
            queue->operations[n++] = queue->operations[i];
    queue->n = n;
}

void queue_clear(struct queue *queue)
{
    shared_release(queue->operations);
    texts_release(queue->texts);
    free(queue->error);
    *queue = (struct queue){0};
}
