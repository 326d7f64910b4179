/* match.c - ob1's matching objects. */
#include "mqd/dll/match.h"

#include "mqd/dll/evidence.h"
#include "mqd/dll/banned.h"

/* A node of custom matching holds 64 values at the most (fuzzy-byte); no process waits for more receives than these. */
enum { MAX_VALUES = 64 };
#define MAX_QUEUED (1 << 26)

/* The paths of one of the two queues of custom matching. */
struct queue_paths {
    enum mqd_type_id queue, node;
    enum mqd_path_id head, size, next, start, end, values;
};
static const struct queue_paths posted_paths = {
    MQD_TYPE_custom_match_prq, MQD_TYPE_custom_match_prq_node, MQD_PATH_posted_head, MQD_PATH_posted_size,
    MQD_PATH_posted_next, MQD_PATH_posted_start, MQD_PATH_posted_end, MQD_PATH_posted_values};
static const struct queue_paths unexpected_paths = {
    MQD_TYPE_custom_match_umq, MQD_TYPE_custom_match_umq_node, MQD_PATH_arrived_head, MQD_PATH_arrived_size,
    MQD_PATH_arrived_next, MQD_PATH_arrived_start, MQD_PATH_arrived_end, MQD_PATH_arrived_values};

static bool is_known(const struct mqd_process *process, enum mqd_path_id path)
{
    return process->layout.paths[path].source != MQD_SOURCE_absent;
}

bool mqd_matches_custom(const struct mqd_process *process)
{
    return is_known(process, MQD_PATH_ob1_unexpected_queue);
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

/* Which of a node's values are in use; without such a statement it has one. The others were taken out, or never set. */
static enum mqd_rc read_range(struct mqd_process *process, const struct queue_paths *paths, mqd_taddr node_ta,
                              int64_t *start, int64_t *end)
{
    const struct mqd_place *place = &process->layout.paths[paths->start];
    enum mqd_kind kind = place->size == 1 ? MQD_KIND_i8 : MQD_KIND_i32;
    enum mqd_rc rc;

    *start = *end = 0;
    if (!is_known(process, paths->start) || !is_known(process, paths->end))
        return MQD_OK;
    rc = mqd_read_number(process, node_ta + place->offset, kind, start);
    return rc == MQD_OK ? mqd_read_number(process, node_ta + process->layout.paths[paths->end].offset, kind, end) : rc;
}

/* The values of one node. */
static enum mqd_rc visit_node(struct mqd_process *process, const struct queue_paths *paths, mqd_taddr node_ta,
                              enum mqd_rc (*visit)(mqd_taddr ta, void *context), void *context, int64_t *n_visited)
{
    const struct mqd_place *values = &process->layout.paths[paths->values];
    uint32_t width = process->layout.abi.pointer_size;
    int64_t start, end;
    enum mqd_rc rc = read_range(process, paths, node_ta, &start, &end);

    if (rc != MQD_OK)
        return rc;
    if (values->source == MQD_SOURCE_absent || values->size == 0)
        return mqd_rc_unknown(paths->values);
    if (start < 0 || end >= MAX_VALUES || end >= values->size / width)
        return MQD_RC_bad_list;
    for (int64_t i = start; i <= end; i++) {
        mqd_taddr value;

        rc = mqd_read_pointer(process, node_ta + values->offset + (mqd_taddr)i * width, &value);
        if (rc == MQD_OK && value != 0) {
            ++*n_visited;
            rc = visit(value, context);
        }
        if (rc != MQD_OK)
            return rc;
    }
    return MQD_OK;
}

/* The queue says how many values it has, which ends the walk whatever the nodes lead to. */
static enum mqd_rc visit_queue(struct mqd_process *process, const struct queue_paths *paths, mqd_taddr queue_ta,
                               enum mqd_rc (*visit)(mqd_taddr ta, void *context), void *context)
{
    struct mqd_object queue, node;
    mqd_taddr node_ta;
    int64_t size, n_visited = 0;
    enum mqd_rc rc = mqd_read_object(process, paths->queue, queue_ta, &queue);

    if (rc != MQD_OK)
        return rc;
    node_ta = mqd_uint(&queue.view, paths->head);
    size = mqd_int(&queue.view, paths->size);
    if (queue.view.rc != MQD_OK)
        return queue.view.rc;
    if (size < 0 || size > MAX_QUEUED)
        return MQD_RC_bad_list;
    /* Nodes that have become empty are gone: each has a value. */
    for (int64_t n_nodes = 0; node_ta != 0; n_nodes++) {
        if (n_nodes >= size || n_visited >= size)
            return MQD_RC_bad_list;
        rc = visit_node(process, paths, node_ta, visit, context, &n_visited);
        if (rc == MQD_OK)
            rc = mqd_read_object(process, paths->node, node_ta, &node);
        if (rc != MQD_OK)
            return rc;
        node_ta = mqd_uint(&node.view, paths->next);
        if (node.view.rc != MQD_OK)
            return node.view.rc;
    }
    return n_visited == size ? MQD_OK : MQD_RC_bad_list;
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

enum mqd_rc mqd_read_activity(struct mqd_process *process, const struct mqd_communicator *communicator,
                              uint32_t *n_receives, uint32_t *n_sends)
{
    struct mqd_matching matching = {.n_procs = 0};
    uint32_t sends = 0;
    enum mqd_rc rc = mqd_capability_rc(process, MQD_CAN_sends);

    if (rc == MQD_OK)
        rc = mqd_capability_rc(process, MQD_CAN_unexpected);
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

/* Numbers of messages start at 1, and what is expected is the next. */
enum mqd_rc mqd_read_traffic(struct mqd_process *process, const struct mqd_communicator *communicator, uint32_t rank,
                             uint16_t *n_sent, uint16_t *n_arrived)
{
    struct mqd_matching matching = {.n_procs = 0};
    bool contacted = false;
    struct mqd_object peer;
    uint64_t sent = 0, expected = 1;
    enum mqd_rc rc = mqd_capability_rc(process, MQD_CAN_sends);

    if (rc == MQD_OK)
        rc = mqd_capability_rc(process, MQD_CAN_unexpected);
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
