/*
 * operation.h - one operation of a listing: what a snapshot keeps of it, and how it is reported to the debugger.
 */
#ifndef MQD_DLL_OPERATION_H
#define MQD_DLL_OPERATION_H

#include "include/mqd_extension.h"
#include "mqd/dll/communicator.h"

/* MQD 1.0's word for any source and any tag, whatever Open MPI's is. */
enum { MQD_ANY = -1 };

/* As in struct mqd_unknown_description. */
struct mqd_unknown {
    bool peer, tag, length, buffer;
};

struct mqd_operation {
    uint32_t communicator;         /* index in the snapshot */
    uint32_t destination;          /* sends: major key of the order */
    uint64_t order;                /* key of the order within communicator and destination */
    mqd_taddr ta;                  /* of the request or fragment */
    uint8_t kind;                  /* enum mqd_operation_kind */
    uint8_t progress;              /* enum mqd_progress */
    uint8_t status;                /* enum mqs_status */
    bool persistent, freed, tag_wild, system_buffer;
    bool is_numbered;              /* a receive that waits for a message: `order` is its number plus 1 */
    bool no_arrived;               /* `arrived` is not known */
    bool in_bytes;                 /* `length` counts, and neither count nor datatype is known */
    bool is_part;                  /* a message for a communicator that is not here: an eager one, not all of it */
    bool is_freed_possible;        /* such a message: its communicator may have been freed here */
    bool peer_or_any, tag_or_any;  /* what is not known is 0 or any */
    uint16_t sequence;             /* of an out-of-sequence message */
    struct mqd_unknown unknown;
    int32_t error;                 /* MPI error class of a complete receive */
    int32_t peer, tag;             /* as desired; MQD_ANY: any source; tag_wild: any tag */
    int32_t actual_peer, actual_tag;
    uint64_t length;               /* bytes; of a receive: to be had from the datatype */
    uint64_t actual_length;
    uint64_t arrived;              /* bytes of a matched receive that are in the user's buffer */
    uint64_t count;                /* of datatype elements */
    mqd_taddr buffer_ta, datatype_ta;
    mqd_taddr waiter_ta;           /* the object that a thread waits with for it; 0: no thread does */
    mqd_taddr send_request_ta;     /* of a message: the sender's request, in the sender's memory; 0: not named */
};
/* There may be a million. Their members leave no gaps. */
_Static_assert(sizeof(struct mqd_operation) == 2 * 64, "an operation has two lines of a cache");

/* Records a failure that concerns single operations of a queue. It is reported once after the others. */
void mqd_note(struct mqd_queue *queue, enum mqd_rc rc);

/*
 * Reads a datatype; NULL if that fails. Consecutive operations often have the same one, so the last one is kept: the
 * pointer is valid until the next call.
 */
const struct mqd_datatype *mqd_read_datatype(struct mqd_process *process, mqd_taddr ta);

/* The tag by which it is known: the desired one or, if that is not known, the one of the matched message. */
int32_t mqd_tag_of(const struct mqd_operation *operation);

/* Is it Open MPI's own? Those have negative tags, -1 included; in what a message can match that is any tag. */
bool mqd_is_internal(const struct mqd_operation *operation);

/* Can a message match it? */
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

/* What the extension adds to the same operation, which mqd_describe has told. Reads nothing that it has not read. */
void mqd_describe_operation(struct mqd_process *process, const struct mqd_operation *operation,
                            struct mqd_operation_description *out);

/*
 * The order of a listing: communicator, destination, order; the address decides what else would be undecided, as among
 * the sends of a communicator that allows overtaking, which have no order.
 */
bool mqd_operation_before(const void *a, const void *b);

#endif
