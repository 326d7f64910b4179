/*
 * state.h - what the PML ucx keeps for a snapshot: the worker of UCX, which has all messages of a process, and the
 * requests that are in use.
 */
#ifndef MQD_DLL_UCX_STATE_H
#define MQD_DLL_UCX_STATE_H

#include "mqd/dll/target.h"

/* A request of UCX. What does not belong to its kind is 0. */
struct mqd_ucx_request {
    uint64_t ta;                   /* first: requests are found by their address */
    mqd_taddr ompi_ta;             /* Open MPI's request behind it; 0: it is on the stack of a blocking call */
    uint32_t flags;
    int32_t status;
    bool is_receive;
    bool is_written;               /* a receive: more than its status and the envelope of its message is valid */
    bool is_queued;                /* a receive: in a queue of posted receives */
    bool is_synchronous;           /* a send: a synchronous one */
    bool is_answered;              /* a send: the receiver's answer is where the tag was */
    bool has_no_buffer;            /* UCX does not keep where the data are */

    /* Of both kinds. A generic datatype has the address of Open MPI's datatype. */
    mqd_taddr buffer_ta, datatype_ta, callback_ta;
    uint64_t length, tag;

    /* Receives; next_ta is the link in the queue of posted receives. */
    mqd_taddr next_ta, worker_ta;
    uint64_t mask, sequence, arrived_tag, arrived_length;

    /* Sends */
    mqd_taddr endpoint_ta;

    /* Open MPI's request */
    mqd_taddr comm_ta, callback_data_ta;
    bool completed;
    mqd_taddr waiter_ta;           /* see mqd_request_waiter */
    int32_t source, mpi_tag, error;
    bool cancelled;
    uint64_t bytes;
};


enum { MQD_N_UCX_CALLBACKS = 9 };

struct mqd_ucx {
    mqd_taddr module_ta;           /* ompi_pml_ucx */
    mqd_taddr worker_ta, context_ta;
    uint64_t request_size;         /* sizeof(ucp_request_t), as Open MPI's module states it; 0: not known */
    uint64_t ompi_request_size;    /* sizeof(ompi_request_t), by its class descriptor */
    mqd_taddr request_class_ta;    /* ompi_request_t_class; 0: not found */

    mqd_taddr callbacks_ta[MQD_N_UCX_CALLBACKS]; /* see callbacks.c; 0: not found */

    bool receives_changing;        /* UCX was just changing the queues of posted receives */
    bool messages_changing;        /* or the lists of unexpected messages */

    /* The requests in use, by address; made on first use. pool_rc says what is missing. */
    bool is_pool_read;
    enum mqd_rc pool_failed, pool_rc;
    struct mqd_vector pool;        /* struct mqd_ucx_request */

    /* The unexpected messages, by address, in the same manner. */
    bool are_messages_read;
    enum mqd_rc messages_failed, messages_rc;
    struct mqd_vector messages;    /* struct mqd_ucx_message */

    size_t n_communicators;        /* that are in slots; behind them are those that only messages name */
};

static inline struct mqd_ucx *mqd_ucx_of(struct mqd_process *process)
{
    return process->snapshot.pml_state;
}

#endif
