/*
 * operation.h - one line of a listing: what is kept of it, and how the debugger gets it.
 */
#ifndef MQD_DLL_OPERATION_H
#define MQD_DLL_OPERATION_H

#include "mqd/dll/communicator.h"

enum mqd_operation_kind {
    MQD_OPERATION_recv,
    MQD_OPERATION_probe,
    MQD_OPERATION_mprobe,
    MQD_OPERATION_send,
    MQD_OPERATION_ssend,
    MQD_OPERATION_bsend,
    MQD_OPERATION_rsend,
    MQD_OPERATION_message /* unexpected */
};

/* Where an operation stands, beyond its status; each has its text. */
enum mqd_progress {
    MQD_PROGRESS_posted,
    MQD_PROGRESS_waited_for,       /* posted, and a thread waits for it */
    MQD_PROGRESS_receiving,
    MQD_PROGRESS_complete,
    MQD_PROGRESS_cancelled,
    MQD_PROGRESS_truncated,
    MQD_PROGRESS_failed,
    MQD_PROGRESS_queued,           /* a send that the transport had no room for */
    MQD_PROGRESS_transport,        /* eager, and the transport has not taken all of it yet */
    MQD_PROGRESS_rendezvous,
    MQD_PROGRESS_single_copy,
    MQD_PROGRESS_transfer,
    MQD_PROGRESS_in_transit,       /* complete for MPI, the transport still holds it */
    MQD_PROGRESS_eager,
    MQD_PROGRESS_arrived_rendezvous,
    MQD_PROGRESS_out_of_sequence,
    MQD_PROGRESS_pending_communicator /* has arrived for a communicator that is not ready here */
};

/* MQD 1.0's word for any source and any tag, whatever Open MPI's is. */
enum { MQD_ANY = -1 };

struct mqd_operation {
    uint32_t communicator;         /* index in the snapshot */
    uint32_t destination;          /* sends: major key of the order */
    uint64_t order;                /* key of the order within communicator and destination */
    mqd_taddr ta;                  /* of the request or fragment */
    uint8_t kind;                  /* enum mqd_operation_kind */
    uint8_t progress;              /* enum mqd_progress */
    uint8_t status;                /* enum mqs_status */
    bool persistent, freed, tag_wild, system_buffer;
    int32_t peer, tag;             /* as desired; MQD_ANY: any source; tag_wild: any tag */
    int32_t actual_peer, actual_tag;
    uint64_t length;               /* bytes; of a receive: to be had from the datatype */
    uint64_t actual_length;
    uint64_t arrived;              /* bytes of a matched receive that are in the user's buffer */
    uint64_t count;                /* of datatype elements */
    mqd_taddr buffer_ta, datatype_ta;
    uint16_t sequence;             /* of an out-of-sequence message */
    int32_t error;                 /* MPI error class of a complete receive */
};

_Static_assert(sizeof(struct mqd_operation) <= MQD_SORT_BYTES, "operations are sorted");

/* Is it Open MPI's own? Those have negative tags, -1 included; in what a message can match that is any tag. */
bool mqd_is_internal(const struct mqd_operation *operation);

/* Is it something that a message can match? */
static inline bool mqd_is_receive(const struct mqd_operation *operation)
{
    return operation->kind == MQD_OPERATION_recv || operation->kind == MQD_OPERATION_probe ||
           operation->kind == MQD_OPERATION_mprobe;
}

/*
 * Fills *out, wholly or, on failure, not at all: MQD_RC_bad_datatype if a receive's length cannot be had,
 * MQD_RC_bad_request or MQD_RC_bad_fragment if a length is none, MQD_RC_no_memory.
 */
enum mqd_rc mqd_describe(struct mqd_process *process, const struct mqd_operation *operation,
                         mqs_pending_operation *out) MQD_CHECKED;

/*
 * The order of a listing: communicator, destination, order; the address decides what else would be undecided, as among
 * the sends of a communicator that allows overtaking, which have no order.
 */
bool mqd_operation_before(const void *a, const void *b);

#endif
