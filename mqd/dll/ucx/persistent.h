/*
 * persistent.h - Open MPI's persistent requests of the PML ucx, and what they and datatypes add to an operation. While
 * a persistent request is active, UCX has a request of its own for it.
 */
#ifndef MQD_DLL_UCX_PERSISTENT_H
#define MQD_DLL_UCX_PERSISTENT_H

#include "mqd/dll/operation.h"
#include "mqd/dll/ucx/state.h"

/* What Open MPI keeps of a persistent request. `described`: from `datatype_ta` on; the build has these members. */
struct mqd_ucx_persistent {
    mqd_taddr ta, comm_ta, buffer_ta;
    uint64_t count;
    bool is_send, is_active, is_complete, described;
    mqd_taddr waiter_ta;           /* see mqd_request_waiter */
    mqd_taddr datatype_ta, endpoint_ta;
    uint64_t tag, mask;
    int64_t mode;                  /* mca_pml_base_send_mode_t */
    int32_t source, mpi_tag, error;
    bool cancelled;
    uint64_t bytes;
};

/* Finds the persistent request that a request of the pool was started for; false if it was not started for one. */
bool mqd_ucx_persistent_of(struct mqd_process *process, const struct mqd_ucx_request *request,
                           struct mqd_ucx_persistent *persistent);

/* Adds to an operation the datatype and the number of its elements, and whether it is persistent, as far as known. */
void mqd_ucx_data_of(struct mqd_process *process, const struct mqd_ucx_request *request,
                     struct mqd_operation *operation);

/* Bytes of the data of a persistent request; 0 if they are not known. */
uint64_t mqd_ucx_bytes_of(struct mqd_process *process, const struct mqd_ucx_persistent *persistent);

/*
 * Visits the persistent requests that are started and complete, but not waited for. UCX has no request for them any
 * more. Returns MQD_OK too if the list cannot be read, and sets *noted.
 */
enum mqd_rc mqd_ucx_visit_complete(struct mqd_process *process, enum mqd_rc *noted,
                                   enum mqd_rc (*visit)(const struct mqd_ucx_persistent *persistent, void *context),
                                   void *context) MQD_CHECKED;

#endif
