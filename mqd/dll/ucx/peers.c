/* peers.c - reads the endpoints of a communicator's members. */
#include "mqd/dll/ucx/peers.h"

#include "mqd/dll/banned.h"

/* One for each kind of component that asks for one at configure time: there are fewer than ten. */
enum { MAX_ENDPOINTS = 16 };

/*
 * Bytes from the first endpoint to the end of a process's object. Only the build states how many endpoints there are,
 * and which of them is whose. The pointers of other components are no endpoints of UCX, and are never looked for.
 */
static size_t endpoint_bytes(const struct mqd_process *process)
{
    const struct mqd_class_evidence *class = &process->evidence.classes[MQD_TYPE_ompi_proc_t];
    const struct mqd_place *first = &process->layout.paths[MQD_PATH_proc_endpoints];
    size_t most = MAX_ENDPOINTS * process->layout.abi.pointer_size;

    if (first->source == MQD_SOURCE_absent)
        return 0;
    if (!class->readable || class->size < first->offset)
        return process->layout.abi.pointer_size;
    return class->size - first->offset < most ? (size_t)(class->size - first->offset) : most;
}

static enum mqd_rc add_member(struct mqd_process *process, struct mqd_ucx_peers *peers, mqd_taddr proc_ta,
                              int32_t rank)
{
    unsigned char bytes[MAX_ENDPOINTS * 8];
    size_t word = process->layout.abi.pointer_size, n_bytes = endpoint_bytes(process);

    if (n_bytes < word ||
        mqd_read(process, proc_ta + process->layout.paths[MQD_PATH_proc_endpoints].offset, n_bytes, bytes) != MQD_OK)
        return MQD_OK;
    for (size_t at = 0; at + word <= n_bytes; at += word) {
        mqd_taddr endpoint_ta = mqd_number(process, bytes + at, (unsigned)word);
        struct mqd_ucx_peer *peer = endpoint_ta != 0 ? mqd_vector_append(&peers->peers) : NULL;

        if (endpoint_ta == 0)
            continue;
        if (peer == NULL)
            return MQD_RC_no_memory;
        *peer = (struct mqd_ucx_peer){.endpoint_ta = endpoint_ta, .rank = rank};
    }
    return MQD_OK;
}

enum mqd_rc mqd_ucx_peers_read(struct mqd_process *process, struct mqd_communicator *communicator,
                               struct mqd_ucx_peers *peers)
{
    enum mqd_rc rc;

    if (peers->communicator == communicator)
        return MQD_OK;
    mqd_ucx_peers_release(peers);
    peers->peers.item_size = sizeof(struct mqd_ucx_peer);
    rc = mqd_read_group(process, communicator, true);
    for (int32_t rank = 0; rc == MQD_OK && rank < communicator->n_remote; rank++) {
        mqd_taddr proc_ta = mqd_peer_proc(process, communicator, rank);

        if (proc_ta != 0)
            rc = add_member(process, peers, proc_ta, rank);
    }
    if (rc == MQD_RC_no_memory || mqd_vector_sort_by_key(&peers->peers) != MQD_OK)
        return MQD_RC_no_memory;
    peers->communicator = communicator;
    return MQD_OK;
}

int32_t mqd_ucx_peers_find(const struct mqd_ucx_peers *peers, mqd_taddr endpoint_ta)
{
    const struct mqd_ucx_peer *peer = mqd_vector_find(&peers->peers, endpoint_ta);

    return peer != NULL ? peer->rank : -1;
}

void mqd_ucx_peers_release(struct mqd_ucx_peers *peers)
{
    mqd_vector_release(&peers->peers);
    *peers = (struct mqd_ucx_peers){.communicator = NULL};
}

bool mqd_ucx_is_endpoint(struct mqd_process *process, mqd_taddr endpoint_ta)
{
    struct mqd_object endpoint;

    return endpoint_ta != 0 && mqd_read_object(process, MQD_TYPE_ucp_ep_t, endpoint_ta, &endpoint) == MQD_OK &&
           mqd_uint(&endpoint.view, MQD_PATH_ucx_endpoint_worker) == mqd_ucx_of(process)->worker_ta &&
           endpoint.view.rc == MQD_OK;
}
