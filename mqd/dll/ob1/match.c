/* match.c - ob1's matching objects. */
#include "mqd/dll/ob1/match.h"

#include "mqd/dll/evidence.h"
#include "mqd/dll/use.h"
#include "mqd/dll/vector.h"
#include "mqd/dll/walk.h"
#include "mqd/dll/banned.h"

/* A node of custom matching has room for 64 values at most (fuzzy-byte); no queue has more values than these. */
enum { MAX_VALUES = 64 };
#define MAX_QUEUED (1 << 26)

/* The paths of one of the two queues of custom matching, and the class of its items. */
struct queue_paths {
    const char *class_name;
    enum mqd_type_id queue;
    enum mqd_path_id head, size, next, start, end, values;
};
static const struct queue_paths posted_paths = {
    "mca_pml_ob1_recv_request_t", MQD_TYPE_custom_match_prq, MQD_PATH_posted_head, MQD_PATH_posted_size,
    MQD_PATH_posted_next, MQD_PATH_posted_start, MQD_PATH_posted_end, MQD_PATH_posted_values};
static const struct queue_paths unexpected_paths = {
    "mca_pml_ob1_recv_frag_t", MQD_TYPE_custom_match_umq, MQD_PATH_arrived_head, MQD_PATH_arrived_size,
    MQD_PATH_arrived_next, MQD_PATH_arrived_start, MQD_PATH_arrived_end, MQD_PATH_arrived_values};

bool mqd_matches_custom(const struct mqd_process *process)
{
    return mqd_has_path(process, MQD_PATH_ob1_unexpected_queue);
}

enum mqd_rc mqd_read_matching(struct mqd_process *process, const struct mqd_communicator *communicator,
                              struct mqd_matching *matching)
{
    struct mqd_object object;
    uint64_t n_procs, last_probed;

    if (mqd_read_object(process, MQD_TYPE_mca_pml_ob1_comm_t, communicator->pml_ta, &object) != MQD_OK ||
        !mqd_object_is(process, communicator->pml_ta, "mca_pml_ob1_comm_t"))
        return MQD_RC_bad_match;
    matching->procs_ta = mqd_uint(&object.view, MQD_PATH_ob1_procs);
    n_procs = mqd_uint(&object.view, MQD_PATH_ob1_num_procs);
    last_probed = mqd_uint(&object.view, MQD_PATH_ob1_last_probed);
    matching->ta = communicator->pml_ta;
    matching->posted_ta = matching->unexpected_ta = 0;
    if (mqd_matches_custom(process)) {
        matching->posted_ta = mqd_uint(&object.view, MQD_PATH_ob1_posted_queue);
        matching->unexpected_ta = mqd_uint(&object.view, MQD_PATH_ob1_unexpected_queue);
    }
    matching->recv_sequence = (uint32_t)mqd_uint(&object.view, MQD_PATH_ob1_recv_sequence);
    if (object.view.rc != MQD_OK || n_procs != (uint64_t)communicator->n_remote ||
        (n_procs > 0 && last_probed >= n_procs))
        return MQD_RC_bad_match;
    matching->n_procs = (uint32_t)n_procs;
    matching->last_probed = (uint32_t)last_probed;
    return MQD_OK;
}

enum mqd_rc mqd_read_peer(struct mqd_process *process, const struct mqd_matching *matching, uint32_t rank,
                          struct mqd_object *peer, bool *contacted)
{
    mqd_taddr entry_ta = matching->procs_ta + (mqd_taddr)rank * process->layout.abi.pointer_size, peer_ta;

    if (rank >= matching->n_procs)
        return MQD_RC_bad_match;
    if (mqd_read_pointer(process, entry_ta, &peer_ta) != MQD_OK)
        return MQD_RC_unreadable;
    *contacted = peer_ta != 0;
    if (peer_ta == 0)
        return MQD_OK;
    if (mqd_read_object(process, MQD_TYPE_mca_pml_ob1_comm_proc_t, peer_ta, peer) != MQD_OK ||
        !mqd_object_is(process, peer_ta, "mca_pml_ob1_comm_proc_t"))
        return MQD_RC_bad_match;
    return MQD_OK;
}

enum mqd_rc mqd_visit_peers(struct mqd_process *process, const struct mqd_matching *matching, uint32_t first,
                            enum mqd_rc (*visit)(const struct mqd_object *peer, uint32_t rank, void *context),
                            void *context, enum mqd_rc *noted)
{
    for (uint32_t i = 0; i < matching->n_procs; i++) {
        uint32_t rank = (uint32_t)(((uint64_t)first + i) % matching->n_procs);
        struct mqd_object peer;
        bool contacted = false;
        enum mqd_rc rc = mqd_read_peer(process, matching, rank, &peer, &contacted);

        if (rc == MQD_OK && contacted)
            rc = visit(&peer, rank, context);
        if (rc == MQD_RC_no_memory)
            return rc;
        if (rc != MQD_OK && *noted == MQD_OK)
            *noted = rc;
        /* Nor can the other entries be read. */
        if (rc == MQD_RC_unreadable)
            break;
    }
    return MQD_OK;
}

/*
 * Reads which of a node's values are in use; a node without these two members has one value. The other values were
 * removed, or never set. The two members are adjacent: this shows their width even if only the debugger knows them.
 */
static enum mqd_rc read_range(struct mqd_process *process, const struct queue_paths *paths, mqd_taddr node_ta,
                              int64_t *start, int64_t *end)
{
    const struct mqd_place *places = process->layout.paths, *first = &places[paths->start], *last = &places[paths->end];
    enum mqd_kind kind = last->offset - first->offset == 1 ? MQD_KIND_i8 : MQD_KIND_i32;
    enum mqd_rc rc;

    *start = *end = 0;
    if (!mqd_has_path(process, paths->start) || !mqd_has_path(process, paths->end))
        return MQD_OK;
    rc = mqd_read_number(process, node_ta + first->offset, kind, start);
    return rc == MQD_OK ? mqd_read_number(process, node_ta + last->offset, kind, end) : rc;
}

/* How many values a node has room for. A debugger does not state the length of an array. */
static int64_t room_of(const struct mqd_process *process, const struct queue_paths *paths)
{
    uint32_t size = process->layout.paths[paths->values].size, width = process->layout.abi.pointer_size;

    return size == 0 || size / width > MAX_VALUES ? MAX_VALUES : size / width;
}

/* Appends the values of one node. */
static enum mqd_rc take_node(struct mqd_process *process, const struct queue_paths *paths, mqd_taddr node_ta,
                             struct mqd_vector *values)
{
    mqd_taddr values_ta = node_ta + process->layout.paths[paths->values].offset;
    size_t n_before = values->n_items;
    int64_t start, end;
    enum mqd_rc rc = read_range(process, paths, node_ta, &start, &end);

    if (rc != MQD_OK || start < 0 || end >= room_of(process, paths))
        return MQD_RC_bad_matching_queue;
    for (int64_t i = start; i <= end; i++) {
        mqd_taddr value, *item;

        if (mqd_read_pointer(process, values_ta + (mqd_taddr)i * process->layout.abi.pointer_size, &value) != MQD_OK)
            return MQD_RC_bad_matching_queue;
        if (value == 0)
            continue;
        if (!mqd_object_is(process, value, paths->class_name))
            return MQD_RC_bad_matching_queue;
        item = mqd_vector_append(values);
        if (item == NULL)
            return MQD_RC_no_memory;
        *item = value;
    }
    /* Nodes that have become empty are gone. */
    return values->n_items > n_before ? MQD_OK : MQD_RC_bad_matching_queue;
}

/*
 * Follows the nodes until the values are as many as the queue says that it has, or `enough`. If the nodes are a circle,
 * what was found counts for nothing. Of a node no more is read than what is known to be there: the kinds of fuzzy
 * matching have one table, but different room for values.
 */
static enum mqd_rc take_nodes(struct mqd_process *process, const struct queue_paths *paths, mqd_taddr node_ta,
                              size_t size, size_t enough, struct mqd_vector *values)
{
    struct mqd_circle circle = {0};

    while (node_ta != 0 && values->n_items < enough) {
        enum mqd_rc rc;

        if (mqd_circle_closes(&circle, node_ta)) {
            values->n_items = 0;
            return MQD_RC_bad_matching_queue;
        }
        if (values->n_items >= size)
            return MQD_RC_bad_matching_queue;
        rc = take_node(process, paths, node_ta, values);
        if (rc != MQD_OK)
            return rc;
        if (mqd_read_pointer(process, node_ta + process->layout.paths[paths->next].offset, &node_ta) != MQD_OK)
            return MQD_RC_bad_matching_queue;
    }
    return values->n_items == size || values->n_items >= enough ? MQD_OK : MQD_RC_bad_matching_queue;
}

/* What stands in a queue, as far as it could be walked; with why no further. */
static enum mqd_rc take_values(struct mqd_process *process, const struct queue_paths *paths, mqd_taddr queue_ta,
                               size_t enough, struct mqd_vector *values)
{
    struct mqd_object queue;
    mqd_taddr head_ta;
    int64_t size;

    if (!mqd_has_path(process, paths->next) || !mqd_has_path(process, paths->values))
        return mqd_rc_unknown(paths->values);
    if (mqd_read_object(process, paths->queue, queue_ta, &queue) != MQD_OK)
        return MQD_RC_bad_matching_queue;
    head_ta = mqd_uint(&queue.view, paths->head);
    size = mqd_int(&queue.view, paths->size);
    if (queue.view.rc != MQD_OK || size < 0 || size > MAX_QUEUED)
        return MQD_RC_bad_matching_queue;
    return take_nodes(process, paths, head_ta, (size_t)size, enough, values);
}

/* A request or fragment stands in one place of a queue. */
static enum mqd_rc check_distinct(const struct mqd_vector *values)
{
    struct mqd_vector sorted = {.item_size = sizeof(mqd_taddr)};
    enum mqd_rc rc = MQD_OK;

    for (size_t i = 0; i < values->n_items && rc == MQD_OK; i++) {
        mqd_taddr *item = mqd_vector_append(&sorted);

        if (item == NULL)
            rc = MQD_RC_no_memory;
        else
            *item = *(const mqd_taddr *)mqd_vector_at(values, i);
    }
    if (rc == MQD_OK)
        rc = mqd_vector_sort_by_key(&sorted);
    for (size_t i = 1; i < sorted.n_items && rc == MQD_OK; i++)
        if (*(const mqd_taddr *)mqd_vector_at(&sorted, i - 1) == *(const mqd_taddr *)mqd_vector_at(&sorted, i))
            rc = MQD_RC_bad_matching_queue;
    mqd_vector_release(&sorted);
    return rc;
}

static enum mqd_rc visit_queue(struct mqd_process *process, const struct queue_paths *paths, mqd_taddr queue_ta,
                               enum mqd_rc (*visit)(mqd_taddr ta, void *context), void *context)
{
    struct mqd_vector values = {.item_size = sizeof(mqd_taddr)};
    enum mqd_rc walked = take_values(process, paths, queue_ta, SIZE_MAX, &values);
    enum mqd_rc rc = walked == MQD_RC_no_memory ? walked : check_distinct(&values);

    for (size_t i = 0; i < values.n_items && rc == MQD_OK; i++)
        rc = visit(*(const mqd_taddr *)mqd_vector_at(&values, i), context);
    mqd_vector_release(&values);
    return rc != MQD_OK ? rc : walked;
}

enum mqd_rc mqd_visit_posted(struct mqd_process *process, const struct mqd_matching *matching,
                             enum mqd_rc (*visit)(mqd_taddr ta, void *context), void *context)
{
    return visit_queue(process, &posted_paths, matching->posted_ta, visit, context);
}

enum mqd_rc mqd_visit_unexpected(struct mqd_process *process, const struct mqd_matching *matching,
                                 enum mqd_rc (*visit)(mqd_taddr ta, void *context), void *context)
{
    return visit_queue(process, &unexpected_paths, matching->unexpected_ta, visit, context);
}

/* This many right items prove a layout, so that a long queue is not walked twice. */
enum { PROOF = 64 };

static bool is_right(struct mqd_process *process, const struct queue_paths *paths, mqd_taddr queue_ta)
{
    struct mqd_vector values = {.item_size = sizeof(mqd_taddr)};
    bool is_right = take_values(process, paths, queue_ta, PROOF, &values) == MQD_OK && values.n_items > 0;

    mqd_vector_release(&values);
    return is_right;
}

/* How many queues that are not empty can be walked by the layout in force. */
static size_t count_right_queues(struct mqd_process *process)
{
    size_t n_right = 0;

    for (size_t i = 0; i < process->snapshot.communicators.n_items; i++) {
        const struct mqd_communicator *communicator = mqd_communicator_at(process, i);
        struct mqd_matching matching;

        if (communicator->pml_ta == 0 || mqd_read_matching(process, communicator, &matching) != MQD_OK)
            continue;
        n_right += is_right(process, &posted_paths, matching.posted_ta);
        n_right += is_right(process, &unexpected_paths, matching.unexpected_ta);
    }
    return n_right;
}

/* Puts the layout in force that uses this table's queues. */
static void try_matching(struct mqd_process *process, const struct mqd_table *table)
{
    process->evidence.matching = table;
    mqd_resolve(mqd_tables, mqd_n_tables, &process->evidence, &process->layout);
    mqd_measure(process);
}

/* Has the first table, or one before this one in the list, the same kind of queues? Then it was tried. */
static bool is_tried(struct mqd_process *process, const struct mqd_table *first, size_t i)
{
    if (mqd_same_matching(mqd_tables[i], first))
        return true;
    for (size_t k = 0; k < i; k++)
        if (mqd_may_fit(mqd_tables[k], &process->evidence) && mqd_same_matching(mqd_tables[i], mqd_tables[k]))
            return true;
    return false;
}

void mqd_settle_matching(struct mqd_process *process)
{
    const struct mqd_table *best = process->evidence.matching, *first = process->layout.table;
    size_t n_best = 0;

    if (!mqd_matches_custom(process) || process->layout.table == NULL ||
        process->layout.type_source[MQD_TYPE_custom_match_prq_node] != MQD_SOURCE_table)
        return;
    if (count_right_queues(process) > 0) {
        try_matching(process, process->layout.table);
        return;
    }
    for (size_t i = 0; i < mqd_n_tables; i++) {
        size_t n_right;

        if (!mqd_may_fit(mqd_tables[i], &process->evidence) || !mqd_same_matching(mqd_tables[i], mqd_tables[i]) ||
            is_tried(process, first, i))
            continue;
        try_matching(process, mqd_tables[i]);
        n_right = count_right_queues(process);
        if (n_right > n_best) {
            n_best = n_right;
            best = mqd_tables[i];
        }
    }
    try_matching(process, best);
}

/* Is it known how many messages were sent on a communicator, and how many have arrived? */
static enum mqd_rc can_count(struct mqd_process *process, const struct mqd_communicator *communicator)
{
    enum mqd_rc rc = mqd_capability_rc(process, MQD_CAN_sends);

    if (rc == MQD_OK)
        rc = mqd_capability_rc(process, MQD_CAN_unexpected);
    return rc == MQD_OK ? mqd_check_overtaking(process, communicator) : rc;
}

enum mqd_rc mqd_read_activity(struct mqd_process *process, const struct mqd_communicator *communicator,
                              uint32_t *n_receives, uint32_t *n_sends)
{
    struct mqd_matching matching = {.n_procs = 0};
    uint32_t sends = 0;
    enum mqd_rc rc = can_count(process, communicator);

    if (rc == MQD_OK && communicator->pml_ta != 0)
        rc = mqd_read_matching(process, communicator, &matching);
    for (uint32_t i = 0; i < matching.n_procs && rc == MQD_OK; i++) {
        struct mqd_object peer;
        bool contacted = false;

        rc = mqd_read_peer(process, &matching, i, &peer, &contacted);
        if (rc == MQD_OK && contacted) {
            sends += (uint32_t)mqd_uint(&peer.view, MQD_PATH_peer_send_sequence);
            rc = peer.view.rc;
        }
    }
    if (rc != MQD_OK)
        return rc;
    *n_receives = matching.recv_sequence;
    *n_sends = sends;
    return MQD_OK;
}

/* Messages are numbered from 1; Open MPI stores the number that it expects next. */
enum mqd_rc mqd_read_traffic(struct mqd_process *process, const struct mqd_communicator *communicator, uint32_t rank,
                             uint16_t *n_sent, uint16_t *n_arrived)
{
    struct mqd_matching matching = {.n_procs = 0};
    bool contacted = false;
    struct mqd_object peer;
    uint64_t sent = 0, expected = 1;
    enum mqd_rc rc = can_count(process, communicator);

    if (rc == MQD_OK && communicator->pml_ta != 0)
        rc = mqd_read_matching(process, communicator, &matching);
    if (rc == MQD_OK && communicator->pml_ta != 0)
        rc = mqd_read_peer(process, &matching, rank, &peer, &contacted);
    if (rc == MQD_OK && contacted) {
        sent = mqd_uint(&peer.view, MQD_PATH_peer_send_sequence);
        expected = mqd_uint(&peer.view, MQD_PATH_peer_expected_sequence);
        rc = peer.view.rc;
    }
    if (rc != MQD_OK)
        return rc;
    *n_sent = (uint16_t)sent;
    *n_arrived = (uint16_t)(expected - 1);
    return MQD_OK;
}
