/*
 * pml.h - the interface between what all PMLs have in common and one PML, which owns a process's messages.
 *
 * What is of one PML only stands in a folder of its own, and pml.c has a row for it. Nothing else in the shared part
 * knows one. A PML has no part in communicators, groups, datatypes and the layout: these are read by the shared part.
 */
#ifndef MQD_DLL_PML_H
#define MQD_DLL_PML_H

#include "mqd/dll/operation.h"

/* What one PML does for a listing. Without a function it has nothing of the kind. */
struct mqd_pml {
    const char *component;         /* its name in Open MPI */

    /* MQD_OK if the process's messages are this PML's, else why they are not, or why that cannot be told. */
    enum mqd_rc (*is_used)(struct mqd_process *process);

    /* Learns, with the communicators of a new snapshot, what else of the layout can be told only by their content. */
    void (*settle_layout)(struct mqd_process *process);

    /* Appends communicators to a new snapshot that only messages tell of. MQD_OK or MQD_RC_no_memory. */
    enum mqd_rc (*find_pending_communicators)(struct mqd_process *process);

    /*
     * By queue, each of them there: MQD_OK or why there is no such queue, cheaply; and fills the queue with the
     * operations of all communicators, in order. MQD_OK, also when some could not be read, which queue->rc then tells
     * or, of unexpected messages, the communicator's unexpected_rc; or why there is no queue at all.
     * MQD_RC_not_this_pml if the messages are another's: the shared part knows whose.
     */
    enum mqd_rc (*can_index[MQD_N_QUEUES])(struct mqd_process *process);
    enum mqd_rc (*index[MQD_N_QUEUES])(struct mqd_process *process, struct mqd_queue *queue);

    /* Why unexpected messages are read one at a time; MQD_OK: all at once. */
    enum mqd_rc (*can_sweep_messages)(struct mqd_process *process);

    /*
     * How many receives and sends were started on a communicator, modulo 2^32; how many messages were sent to a peer
     * there, and have arrived from it in their order. MQD_OK, or why that cannot be told.
     */
    enum mqd_rc (*read_activity)(struct mqd_process *process, const struct mqd_communicator *communicator,
                                 uint32_t *n_receives, uint32_t *n_sends);
    enum mqd_rc (*read_traffic)(struct mqd_process *process, const struct mqd_communicator *communicator,
                                uint32_t rank, uint16_t *n_sent, uint16_t *n_arrived);
};

/*
 * Finds out whose the process's messages are, and lets that PML complete the new snapshot, whose communicators are
 * there: process->snapshot.pml. Where no known PML's are it is ob1, which says what the process lacks.
 * MQD_OK or MQD_RC_no_memory.
 */
enum mqd_rc mqd_pml_begin(struct mqd_process *process) MQD_CHECKED;

/* The functions above for the snapshot's PML. `op` is an mqs_op_class. */
enum mqd_rc mqd_pml_can_index(struct mqd_process *process, int op) MQD_CHECKED;
enum mqd_rc mqd_pml_index(struct mqd_process *process, int op, struct mqd_queue *queue) MQD_CHECKED;
enum mqd_rc mqd_pml_can_sweep_messages(struct mqd_process *process) MQD_CHECKED;
enum mqd_rc mqd_pml_read_activity(struct mqd_process *process, const struct mqd_communicator *communicator,
                                  uint32_t *n_receives, uint32_t *n_sends) MQD_CHECKED;
enum mqd_rc mqd_pml_read_traffic(struct mqd_process *process, const struct mqd_communicator *communicator,
                                 uint32_t rank, uint16_t *n_sent, uint16_t *n_arrived) MQD_CHECKED;

#endif
