/*
 * queue.c - the operations of a queue.
 */
#include "mqd/dump/collect/client/queue.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/shared.h"

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
    operation->base = keep_text(queue, operation->base, before != NULL ? before->base : NULL);
    for (size_t i = 0; i < N_EXTRA_TEXTS; i++)
        operation->extra_text[i] =
            keep_text(queue, operation->extra_text[i], before != NULL ? before->extra_text[i] : NULL);
}

/* Operations. */

bool operation_is_truncated(int class, const struct queued *operation)
{
    return class == mqs_pending_receives && operation->status != mqs_st_pending && !operation->unknown.length &&
           operation->actual_length > operation->desired_length;
}

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
    take_room(queue, queue->n + n);
    for (size_t i = 0; i < n; i++)
        queue->operations[queue->n + i] = (struct queued){.sequence = -1, .datatype = "", .purpose = "", .base = ""};
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

/* A queue's texts are the last members, and those before them have no holes between them. */
_Static_assert(offsetof(struct queued, kind) == offsetof(struct queued, no_hole) + sizeof ((struct queued *)0)->no_hole &&
                   offsetof(struct queued, sequence) == offsetof(struct queued, combiner) + sizeof(int),
               "operations are compared by their bytes");
static bool is_same(const struct queued *a, const struct queued *b)
{
    bool same = memcmp(a, b, offsetof(struct queued, datatype)) == 0 && is_same_text(a->datatype, b->datatype) &&
                is_same_text(a->purpose, b->purpose) && is_same_text(a->base, b->base);

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
