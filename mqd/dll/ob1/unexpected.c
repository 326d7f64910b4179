/* unexpected.c - ob1's lists of unexpected fragments. */
#include "mqd/dll/ob1/unexpected.h"

#include "mqd/dll/evidence.h"
#include "mqd/dll/ob1/match.h"
#include "mqd/dll/ob1/pending_communicator.h"
#include "mqd/dll/ob1/request.h"
#include "mqd/dll/walk.h"
#include "mqd/dll/banned.h"

/* A sender's sequence numbers have 16 bits: no more of its fragments can be out of sequence. */
#define MAX_AHEAD 65536u

/* An index that is being made. */
struct index {
    struct mqd_process *process;
    struct mqd_queue *queue;
    struct mqd_vector fragments;   /* struct mqd_fragment: all of the free list, by address */
    struct mqd_communicator *communicator;
    uint32_t communicator_index;
    uint32_t n_ahead;              /* fragments of the current source that are out of sequence */
};

/* Is the fragment of this communicator and source? If not, the rest of the list is not either. */
static bool belongs(const struct index *index, const struct mqd_fragment *fragment, uint32_t source)
{
    return fragment->source >= 0 && fragment->source < index->communicator->n_remote &&
           (uint32_t)fragment->source == source &&
           fragment->context == (uint16_t)index->communicator->index;
}

static void note(struct index *index, enum mqd_rc rc)
{
    if (index->communicator->unexpected_rc == MQD_OK)
        index->communicator->unexpected_rc = rc;
}

/* With `progress` MQD_PROGRESS_eager the progress is that of the message. */
static enum mqd_rc append(struct index *index, const struct mqd_fragment *fragment, enum mqd_progress progress)
{
    struct mqd_operation operation = {.communicator = index->communicator_index, .kind = MQD_OPERATION_message};
    struct mqd_operation *item;

    operation.ta = fragment->ta;
    operation.order = index->queue->operations.n_items;
    operation.peer = operation.actual_peer = fragment->source;
    operation.tag = operation.actual_tag = fragment->tag;
    operation.sequence = fragment->sequence;
    operation.system_buffer = true;
    if (!mqd_fragment_fill(index->process, fragment, &operation)) {
        note(index, MQD_RC_bad_fragment);
        return MQD_OK;
    }
    if (progress != MQD_PROGRESS_eager)
        operation.progress = (uint8_t)progress;
    operation.actual_length = operation.length;
    item = mqd_vector_append(&index->queue->operations);
    if (item == NULL)
        return MQD_RC_no_memory;
    *item = operation;
    return MQD_OK;
}

static enum mqd_rc append_of(struct index *index, const struct mqd_fragment *fragment, uint32_t source,
                             enum mqd_progress progress)
{
    return belongs(index, fragment, source) ? append(index, fragment, progress) : MQD_RC_bad_fragment;
}

/* The messages of one source, in the order of sending. */
static enum mqd_rc index_source(const struct mqd_object *peer, uint32_t source, void *context)
{
    struct index *index = context;
    mqd_taddr list_ta = peer->view.ta + index->process->layout.paths[MQD_PATH_peer_unexpected].offset;
    struct mqd_list list;
    enum mqd_rc rc = mqd_list_begin_at(index->process, list_ta, &list);

    while (rc == MQD_OK && !mqd_list_at_end(&list)) {
        struct mqd_fragment fragment;

        rc = mqd_fragment_get(index->process, &index->fragments, list.next_ta, &fragment);
        if (rc == MQD_OK)
            rc = mqd_list_step(&list, fragment.next_ta, fragment.prev_ta);
        if (rc == MQD_OK)
            rc = append_of(index, &fragment, source, MQD_PROGRESS_eager);
    }
    return rc;
}

/*
 * A ring of fragments without a head. As in a list every fragment must point back to the one before it. So no fragment
 * comes twice, and the walk ends.
 */
struct ring {
    mqd_taddr first_ta, last_ta; /* last_ta: what the first one has before it */
    mqd_taddr ta, previous_ta;   /* ta: the next one to be looked at; previous_ta 0: the first one */
};

/* Reads the fragment at ring->ta and goes on to the next; after the last ring->ta is first_ta again. */
static enum mqd_rc ring_next(struct index *index, struct ring *ring, struct mqd_fragment *fragment)
{
    enum mqd_rc rc = mqd_fragment_get(index->process, &index->fragments, ring->ta, fragment);

    if (rc != MQD_OK)
        return rc;
    if (ring->previous_ta == 0)
        ring->previous_ta = ring->last_ta = fragment->prev_ta;
    if (fragment->prev_ta != ring->previous_ta || ++index->n_ahead > MAX_AHEAD)
        return MQD_RC_bad_list;
    ring->previous_ta = ring->ta;
    ring->ta = fragment->next_ta;
    return ring->ta != ring->first_ta || ring->previous_ta == ring->last_ta ? MQD_OK : MQD_RC_bad_list;
}

/* The fragments that directly follow one that is out of sequence. */
static enum mqd_rc index_range(struct index *index, mqd_taddr first_ta, uint32_t source)
{
    struct ring ring = {.first_ta = first_ta, .ta = first_ta};
    enum mqd_rc rc;

    do {
        struct mqd_fragment fragment;

        rc = ring_next(index, &ring, &fragment);
        if (rc == MQD_OK)
            rc = append_of(index, &fragment, source, MQD_PROGRESS_out_of_sequence);
    } while (rc == MQD_OK && ring.ta != first_ta);
    return rc;
}

/* Fragments that are ahead of a missing one, each with those that directly follow it. */
static enum mqd_rc index_ahead(const struct mqd_object *peer, uint32_t source, void *context)
{
    struct index *index = context;
    struct mqd_view view = peer->view;
    mqd_taddr first_ta = mqd_uint(&view, MQD_PATH_peer_cant_match);
    struct ring ring = {.first_ta = first_ta, .ta = first_ta};
    enum mqd_rc rc = view.rc;

    if (rc != MQD_OK || first_ta == 0)
        return rc;
    index->n_ahead = 0;
    do {
        struct mqd_fragment fragment;

        rc = ring_next(index, &ring, &fragment);
        if (rc == MQD_OK)
            rc = append_of(index, &fragment, source, MQD_PROGRESS_out_of_sequence);
        if (rc == MQD_OK && fragment.range_ta != 0)
            rc = index_range(index, fragment.range_ta, source);
    } while (rc == MQD_OK && ring.ta != first_ta);
    return rc;
}

/* With custom matching: the messages of all sources, in the order in which they came, which is that of matching too. */
static enum mqd_rc index_queued(mqd_taddr ta, void *context)
{
    struct index *index = context;
    struct mqd_fragment fragment;
    enum mqd_rc rc = mqd_fragment_get(index->process, &index->fragments, ta, &fragment);

    return rc == MQD_OK ? append_of(index, &fragment, (uint32_t)fragment.source, MQD_PROGRESS_eager) : rc;
}

/* Messages that can be matched: by source, from the one after the source of the last receive from any source. */
static enum mqd_rc index_arrived(struct index *index, const struct mqd_matching *matching)
{
    enum mqd_rc rc;

    if (!mqd_matches_custom(index->process))
        return mqd_visit_peers(index->process, matching, matching->last_probed + 1, index_source, index,
                               &index->communicator->unexpected_rc);
    rc = mqd_visit_unexpected(index->process, matching, index_queued, index);
    if (rc == MQD_RC_no_memory)
        return rc;
    if (rc != MQD_OK)
        note(index, rc);
    return MQD_OK;
}

static enum mqd_rc index_communicator(struct index *index)
{
    struct mqd_matching matching;
    enum mqd_rc rc;

    /* A communicator that is not ready yet has no messages. A ready one must have its matching object. */
    if (index->communicator->pml_ta == 0) {
        if (index->communicator->pml_added)
            note(index, MQD_RC_bad_match);
        return MQD_OK;
    }
    rc = mqd_read_matching(index->process, index->communicator, &matching);
    if (rc != MQD_OK) {
        note(index, rc);
        return MQD_OK;
    }
    rc = index_arrived(index, &matching);
    if (rc != MQD_OK)
        return rc;
    return mqd_visit_peers(index->process, &matching, matching.last_probed + 1, index_ahead, index,
                           &index->communicator->unexpected_rc);
}

static enum mqd_rc index_pending(const struct mqd_fragment *fragment, size_t communicator, void *context)
{
    struct index *index = context;

    /* The process has been stopped since the snapshot was taken. */
    if (communicator == index->process->snapshot.communicators.n_items)
        return MQD_RC_bad_list;
    index->communicator = mqd_communicator_at(index->process, communicator);
    index->communicator_index = (uint32_t)communicator;
    return fragment->source >= 0 ? append(index, fragment, MQD_PROGRESS_pending_communicator) : MQD_RC_bad_fragment;
}

enum mqd_rc mqd_can_list_unexpected(struct mqd_process *process)
{
    enum mqd_rc rc = mqd_uses_ob1(process);

    if (rc == MQD_OK)
        rc = mqd_capability_rc(process, MQD_CAN_unexpected);
    /* The two kinds of matching have different queues. */
    if (rc == MQD_OK && !mqd_matches_custom(process) &&
        !mqd_has_path(process, MQD_PATH_peer_unexpected))
        rc = mqd_rc_unknown(MQD_PATH_peer_unexpected);
    return rc;
}

enum mqd_rc mqd_index_unexpected(struct mqd_process *process, struct mqd_queue *queue)
{
    struct index index = {.process = process, .queue = queue, .fragments.item_size = sizeof(struct mqd_fragment)};
    enum mqd_rc rc = mqd_can_list_unexpected(process);

    if (rc == MQD_OK)
        rc = mqd_fragments_sweep(process, &index.fragments);
    for (size_t i = 0; i < process->snapshot.communicators.n_items && rc == MQD_OK; i++) {
        index.communicator = mqd_communicator_at(process, i);
        index.communicator_index = (uint32_t)i;
        rc = index_communicator(&index);
    }
    if (rc == MQD_OK) {
        rc = mqd_visit_pending_messages(process, &index.fragments, index_pending, &index);
        if (rc != MQD_OK && rc != MQD_RC_no_memory) {
            queue->rc = rc;
            rc = MQD_OK;
        }
    }
    if (rc == MQD_OK)
        rc = mqd_vector_sort(&queue->operations, mqd_operation_before);
    mqd_vector_release(&index.fragments);
    return rc;
}
