/*
 * peers.h - which rank an endpoint of UCX leads to. Open MPI keeps the endpoint with each process that it is connected
 * to (ompi_proc_t.proc_endpoints).
 */
#ifndef MQD_DLL_UCX_PEERS_H
#define MQD_DLL_UCX_PEERS_H

#include "mqd/dll/communicator.h"
#include "mqd/dll/ucx/state.h"

/* The endpoints of the members of one communicator's remote group. All zero before _read; _release gives it back. */
struct mqd_ucx_peers {
    const struct mqd_communicator *communicator;
    struct mqd_vector peers;       /* struct mqd_ucx_peer, by endpoint */
};
struct mqd_ucx_peer {
    uint64_t endpoint_ta;          /* first: the key */
    int32_t rank;
};

/*
 * Reads the endpoints of a communicator, if *peers does not have them already. MQD_OK also if some members cannot be
 * read: their endpoints are then not found.
 */
enum mqd_rc mqd_ucx_peers_read(struct mqd_process *process, struct mqd_communicator *communicator,
                               struct mqd_ucx_peers *peers) MQD_CHECKED;

/* The rank that the endpoint leads to; -1 if none is known. */
int32_t mqd_ucx_peers_find(const struct mqd_ucx_peers *peers, mqd_taddr endpoint_ta);

void mqd_ucx_peers_release(struct mqd_ucx_peers *peers);

/* Is there an endpoint of UCX's worker at this address? */
bool mqd_ucx_is_endpoint(struct mqd_process *process, mqd_taddr endpoint_ta);

#endif
