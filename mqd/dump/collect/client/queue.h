/*
 * queue.h - the operations of a queue, with all that is known of each.
 */
#ifndef MQD_DUMP_COLLECT_CLIENT_QUEUE_H
#define MQD_DUMP_COLLECT_CLIENT_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

#include "include/mpi_interface.h"
#include "include/mqd_extension.h"
#include "mqd/dump/base/shared.h"

enum {
    N_QUEUES = 3,                  /* an mqs_op_class is an index */
    N_EXTRA_TEXTS = sizeof((mqs_pending_operation *)0)->extra_text / sizeof *((mqs_pending_operation *)0)->extra_text,
    MAX_QUEUED_TEXT = sizeof *((mqs_pending_operation *)0)->extra_text  /* bytes of any of its texts, besides NUL */
};

/*
 * One operation. A look may have a million: texts are pointers, and those that operations have in common are there once.
 * A new fact is a member here, a row of record/fields.c, and a line where listing.c asks the DLL.
 */
struct queued {
    /* What MQD 1.0 says of it: as in mqs_pending_operation. Texts that are not there are "", or NULL. */
    mqs_tword_t desired_local_rank, desired_global_rank, desired_tag, desired_length;
    mqs_taddr_t buffer;
    mqs_tword_t actual_local_rank, actual_global_rank, actual_tag, actual_length;
    int status;
    bool tag_wild, system_buffer;
    /* What mqdump adds: here beside the other bools, so that an operation is small. */
    bool named;                    /* a message at the receiver shows that this send has not been matched */
    bool found;                    /* ... and nothing else shows the send */

    /* What a DLL with the extension tells: as in struct mqd_operation_description. The texts are never NULL. */
    bool persistent, freed, collective, internal, needs_receiver, out_of_sequence, pending_communicator, has_count,
        has_peer;
    struct queued_unknown {
        bool peer, tag, length, buffer;
    } unknown;                     /* as in struct mqd_unknown_description */
    bool no_hole[3];               /* false: operations are compared by their bytes, and there is none between members */
    int kind, mode, protocol, progress, error_class;
    int combiner;                  /* enum mqd_combiner: how a datatype without a name was made; 0: not told */
    long sequence;
    mqs_taddr_t request;
    unsigned long arrived, count;
    struct mqd_process_name peer;
    mqs_taddr_t send_request;      /* of a message: the sender's request, in the sender's memory; 0: not told */
    unsigned long collective_number; /* of the nonblocking collective operation that it belongs to; 0: none, not told */
    mqs_taddr_t waiter;            /* on the stack of the thread that waits for it; 0: not told */

    /* What mqdump adds. */
    struct mqd_process_name found_at; /* the process that has the message, if found */

    const char *datatype, *purpose;
    const char *base;              /* of a datatype with a combiner the name of all that it is made of, or "" */
    const char *extra_text[N_EXTRA_TEXTS];
};

struct queue {
    bool available;                /* false: nothing is known of it */
    bool described;                /* the DLL tells more than MQD 1.0 of its operations */
    struct queued *operations;     /* of shared.h: two looks that find the same have it once */
    size_t n, room;
    struct texts *texts;           /* of the operations */
    char *error;                   /* why it is not available or not complete; NULL: all is well */
    int reason;                    /* enum mqd_reason of the error; MQD_REASON_unknown: the DLL tells none */
};

/* Is it a receive, in a queue of that class, of a message that is longer than its buffer? */
bool operation_is_truncated(int class, const struct queued *operation);

/* Adds an operation at the end, with copies of its texts. */
void queue_add(struct queue *queue, const struct queued *operation);

/* The same; what is as it was in a queue at the look before, which may be NULL, is not kept twice. */
void queue_add_or_share(struct queue *queue, const struct queue *before, const struct queued *operation);

/* Puts another operation in the place of the i-th. */
void queue_replace(struct queue *queue, size_t i, const struct queued *operation);

/* Makes room for n more at the end, and no more than that. In what is there nothing is told. */
void queue_enlarge(struct queue *queue, size_t n);

/* Removes the MPI library's own operations from a queue of that class. */
void queue_hide_internal(struct queue *queue, int class);

/* Frees all that it has. */
void queue_clear(struct queue *queue);

#endif
