/* unexpected.c - ob1's lists of unexpected fragments. */
#include "mqd/dll/unexpected.h"

#include "mqd/dll/evidence.h"
#include "mqd/dll/match.h"
#include "mqd/dll/request.h"
#include "mqd/dll/walk.h"
#include "mqd/dll/banned.h"

/* ompi/mca/pml/ob1/pml_ob1_hdr.h: the types of header that begin a message, and the one that may go before it. */
enum { HDR_MATCH = 65, HDR_RENDEZVOUS = 66, HDR_RGET = 67, HDR_CID = 74 };

/* A sender's sequence numbers have 16 bits, so no more of its fragments can be ahead of the next one. */
#define MAX_AHEAD 65536u

/* What a listing needs of a fragment. */
struct fragment {
    mqd_taddr ta, next_ta, prev_ta;
    mqd_taddr range_ta;      /* first of the fragments that directly follow it, if it is out of sequence */
    mqd_taddr data_ta;       /* of the wire message: header first */
    uint64_t n_data;
    uint64_t message_bytes;  /* rendezvous: of the whole message */
    int32_t source, tag;
    uint16_t context, sequence;
    uint8_t type;
};

_Static_assert(sizeof(struct fragment) <= MQD_SORT_BYTES, "fragments are sorted");

/* An index being made. */
struct index {
    struct mqd_process *process;
    struct mqd_queue *queue;
    struct mqd_vector fragments;   /* struct fragment: all of the free list, by address */
    struct mqd_communicator *communicator;
    uint32_t communicator_index;
    uint32_t n_ahead;              /* fragments of the current source that are out of sequence */
};

/*
 * A fragment that came before its communicator was there keeps this header when it is moved to the communicator; the
 * address of its data has then been moved on, the length has not.
 */
static void skip_cid_header(struct mqd_view *view, struct fragment *fragment)
{
    size_t n = view->process->layout.type_size[MQD_TYPE_mca_pml_ob1_cid_hdr_t];

    if (n == 0 || n > view->n_bytes || n > fragment->n_data) {
        view->rc = mqd_rc_unknown(MQD_PATH_frag_cid);
        return;
    }
    /* What follows is read of the header only. */
    view->bytes += n;
    view->n_bytes -= n;
    fragment->n_data -= n;
}

static enum mqd_rc decode(const struct mqd_view *element, struct fragment *fragment)
{
    struct mqd_view view = *element;

    fragment->ta = view.ta;
    fragment->next_ta = mqd_uint(&view, MQD_PATH_item_next);
    fragment->prev_ta = mqd_uint(&view, MQD_PATH_item_prev);
    fragment->range_ta = mqd_uint(&view, MQD_PATH_frag_range);
    fragment->data_ta = mqd_uint(&view, MQD_PATH_frag_segment_addr);
    fragment->n_data = mqd_uint(&view, MQD_PATH_frag_segment_bytes);
    if (mqd_uint(&view, MQD_PATH_frag_type) == HDR_CID)
        skip_cid_header(&view, fragment);
    fragment->message_bytes = mqd_uint(&view, MQD_PATH_frag_message_bytes);
    fragment->source = (int32_t)mqd_int(&view, MQD_PATH_frag_source);
    fragment->tag = (int32_t)mqd_int(&view, MQD_PATH_frag_tag);
    fragment->context = (uint16_t)mqd_uint(&view, MQD_PATH_frag_context);
    fragment->sequence = (uint16_t)mqd_uint(&view, MQD_PATH_frag_sequence);
    fragment->type = (uint8_t)mqd_uint(&view, MQD_PATH_frag_type);
    return view.rc;
}

static enum mqd_rc visit_fragment(struct mqd_view *element, void *context)
{
    struct index *index = context;
    struct fragment decoded, *fragment;
    enum mqd_rc rc = decode(element, &decoded);

    if (rc != MQD_OK)
        return rc;
    fragment = mqd_vector_append(&index->fragments);
    if (fragment == NULL)
        return MQD_RC_no_memory;
    *fragment = decoded;
    return MQD_OK;
}

/* The free list of all of ob1's fragments. */
static enum mqd_rc find_fragments(struct mqd_process *process, struct mqd_free_list *list)
{
    const struct mqd_place *place = &process->layout.paths[MQD_PATH_ob1_fragments];
    mqd_taddr ob1_ta;
    enum mqd_rc rc;

    if (place->source == MQD_SOURCE_absent)
        return mqd_rc_unknown(MQD_PATH_ob1_fragments);
    if (!mqd_symbol(process, "mca_pml_ob1", &ob1_ta))
        return MQD_RC_no_fragment_list;
    rc = mqd_free_list_read(process, ob1_ta + place->offset, list);
    if (rc != MQD_OK)
        return rc;
    return mqd_class_is(process, list->class_ta, "mca_pml_ob1_recv_frag_t") ? MQD_OK : MQD_RC_bad_free_list;
}

enum mqd_rc mqd_can_sweep_fragments(struct mqd_process *process)
{
    struct mqd_free_list list;

    return find_fragments(process, &list);
}

/*
 * Reads all of ob1's fragments at once. This only saves reads: where its list cannot be had, or not wholly, each
 * fragment is read alone when it is needed.
 */
static enum mqd_rc sweep_fragments(struct index *index)
{
    struct mqd_free_list list;

    if (find_fragments(index->process, &list) != MQD_OK)
        return MQD_OK;
    if (mqd_free_list_sweep(index->process, &list, visit_fragment, index) == MQD_RC_no_memory)
        return MQD_RC_no_memory;
    mqd_vector_sort_by_key(&index->fragments);
    return MQD_OK;
}

static enum mqd_rc get_fragment(struct index *index, mqd_taddr ta, struct fragment *fragment)
{
    const struct fragment *known = mqd_vector_find(&index->fragments, ta);
    struct mqd_object object;

    if (known != NULL) {
        *fragment = *known;
        return MQD_OK;
    }
    if (mqd_read_object(index->process, MQD_TYPE_mca_pml_ob1_recv_frag_t, ta, &object) != MQD_OK ||
        !mqd_object_is(index->process, ta, "mca_pml_ob1_recv_frag_t"))
        return MQD_RC_bad_fragment;
    return decode(&object.view, fragment);
}

/*
 * Bytes of header before the data of an eager message: to the end of its last member. Builds for heterogeneous systems,
 * and since 5.0 debug builds, have a member more there, which no size tells (README).
 */
static uint64_t match_header_bytes(const struct mqd_process *process)
{
    const struct mqd_place *padding = &process->layout.steps[MQD_STEP_mca_pml_ob1_match_hdr_t__hdr_padding];
    const struct mqd_place *sequence = &process->layout.steps[MQD_STEP_mca_pml_ob1_match_hdr_t__hdr_seq];

    if (padding->source != MQD_SOURCE_absent)
        return process->layout.type_size[MQD_TYPE_mca_pml_ob1_match_hdr_t];
    return sequence->offset + sizeof(uint16_t);
}

/* The same of a rendezvous message; its last member is a union of 8 bytes in every ABI. */
static uint64_t rendezvous_header_bytes(const struct mqd_process *process)
{
    return process->layout.steps[MQD_STEP_mca_pml_ob1_rendezvous_hdr_t__hdr_src_req].offset + sizeof(uint64_t);
}

/* Is it in a list of its own communicator and source? If not, neither is what follows. */
static bool belongs(const struct index *index, const struct fragment *fragment, uint32_t source)
{
    return fragment->source >= 0 && fragment->source < index->communicator->n_remote &&
           (uint32_t)fragment->source == source &&
           fragment->context == (uint16_t)index->communicator->index;
}

/* Lengths and the place of the data; false for what is no message. */
static bool fill(struct index *index, const struct fragment *fragment, struct mqd_operation *operation)
{
    uint64_t header = match_header_bytes(index->process);

    if (fragment->type == HDR_MATCH) {
        if (fragment->n_data < header)
            return false;
        operation->status = mqs_st_complete;
        operation->progress = MQD_PROGRESS_eager;
        operation->length = fragment->n_data - header;
        operation->buffer_ta = operation->length > 0 ? fragment->data_ta + header : 0;
        return true;
    }
    if (fragment->type != HDR_RENDEZVOUS && fragment->type != HDR_RGET)
        return false;
    header = rendezvous_header_bytes(index->process);
    operation->status = mqs_st_pending;
    operation->progress = MQD_PROGRESS_arrived_rendezvous;
    operation->length = fragment->message_bytes;
    /* The first part of the data may have come with the header; with RGET none does. */
    if (fragment->type == HDR_RENDEZVOUS && fragment->n_data > header)
        operation->buffer_ta = fragment->data_ta + header;
    return true;
}

static void note(struct index *index, enum mqd_rc rc)
{
    if (index->communicator->unexpected_rc == MQD_OK)
        index->communicator->unexpected_rc = rc;
}

static enum mqd_rc append(struct index *index, const struct fragment *fragment, uint32_t source, bool in_sequence)
{
    struct mqd_operation operation = {.communicator = index->communicator_index, .kind = MQD_OPERATION_message};
    struct mqd_operation *item;

    operation.ta = fragment->ta;
    operation.peer = operation.actual_peer = fragment->source;
    operation.tag = operation.actual_tag = fragment->tag;
    operation.sequence = fragment->sequence;
    operation.system_buffer = true;
    if (!belongs(index, fragment, source))
        return MQD_RC_bad_fragment;
    if (!fill(index, fragment, &operation)) {
        note(index, MQD_RC_bad_fragment);
        return MQD_OK;
    }
    if (!in_sequence)
        operation.progress = MQD_PROGRESS_out_of_sequence;
    operation.actual_length = operation.length;
    item = mqd_vector_append(&index->queue->operations);
    if (item == NULL)
        return MQD_RC_no_memory;
    *item = operation;
    return MQD_OK;
}

/* The messages of one source, in the order of sending. */
static enum mqd_rc index_source(const struct mqd_object *peer, uint32_t source, void *context)
{
    struct index *index = context;
    mqd_taddr list_ta = peer->view.ta + index->process->layout.paths[MQD_PATH_peer_unexpected].offset;
    struct mqd_list list;
    enum mqd_rc rc = mqd_list_begin_at(index->process, list_ta, &list);

    while (rc == MQD_OK && !mqd_list_at_end(&list)) {
        struct fragment fragment;

        rc = get_fragment(index, list.next_ta, &fragment);
        if (rc == MQD_OK)
            rc = mqd_list_step(&list, fragment.next_ta, fragment.prev_ta);
        if (rc == MQD_OK)
            rc = append(index, &fragment, source, true);
    }
    return rc;
}

/*
 * A ring of fragments, with no head of its own. As in a list every one must point back to the one before it: so no
 * fragment comes twice, and the walk ends.
 */
struct ring {
    mqd_taddr first_ta, last_ta; /* last_ta: what the first one has before it */
    mqd_taddr ta, previous_ta;   /* ta: the next one to be looked at; previous_ta 0: the first one */
};

/* The fragment at ring->ta, and on to the next; ring->ta is first_ta again after the last. */
static enum mqd_rc ring_next(struct index *index, struct ring *ring, struct fragment *fragment)
{
    enum mqd_rc rc = get_fragment(index, ring->ta, fragment);

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
        struct fragment fragment;

        rc = ring_next(index, &ring, &fragment);
        if (rc == MQD_OK)
            rc = append(index, &fragment, source, false);
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
        struct fragment fragment;

        rc = ring_next(index, &ring, &fragment);
        if (rc == MQD_OK)
            rc = append(index, &fragment, source, false);
        if (rc == MQD_OK && fragment.range_ta != 0)
            rc = index_range(index, fragment.range_ta, source);
    } while (rc == MQD_OK && ring.ta != first_ta);
    return rc;
}

/* With custom matching: the messages of all sources, in the order in which they came, which is that of matching too. */
static enum mqd_rc index_queued(mqd_taddr ta, void *context)
{
    struct index *index = context;
    struct fragment fragment;
    enum mqd_rc rc = get_fragment(index, ta, &fragment);

    return rc == MQD_OK ? append(index, &fragment, (uint32_t)fragment.source, true) : rc;
}

/* Those that can be matched: every source in turn, from the one after the last that a receive from any source took. */
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

    /* A communicator that is not ready yet has nothing to match; one that is must have what it is matched by. */
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

enum mqd_rc mqd_can_list_unexpected(struct mqd_process *process)
{
    enum mqd_rc rc = mqd_uses_ob1(process);

    if (rc == MQD_OK)
        rc = mqd_capability_rc(process, MQD_CAN_unexpected);
    /* Either kind of matching has its own place for them. */
    if (rc == MQD_OK && !mqd_matches_custom(process) &&
        process->layout.paths[MQD_PATH_peer_unexpected].source == MQD_SOURCE_absent)
        rc = mqd_rc_unknown(MQD_PATH_peer_unexpected);
    return rc;
}

enum mqd_rc mqd_index_unexpected(struct mqd_process *process, struct mqd_queue *queue)
{
    struct index index = {.process = process, .queue = queue, .fragments.item_size = sizeof(struct fragment)};
    enum mqd_rc rc = mqd_can_list_unexpected(process);

    if (rc == MQD_OK)
        rc = sweep_fragments(&index);
    for (size_t i = 0; i < process->snapshot.communicators.n_items && rc == MQD_OK; i++) {
        index.communicator = mqd_communicator_at(process, i);
        index.communicator_index = (uint32_t)i;
        rc = index_communicator(&index);
    }
    mqd_vector_release(&index.fragments);
    return rc;
}
