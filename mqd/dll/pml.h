/*
 * pml.h - the interface between the shared part of the DLL and the PML that manages a process's messages.
 *
 * The code for one PML is in a folder of its own, and pml.c has a row for it. No other file of the shared part refers
 * to a certain PML. The shared part reads communicators, groups, datatypes and the layout.
 */
#ifndef MQD_DLL_PML_H
#define MQD_DLL_PML_H

#include "mqd/dll/operation.h"

/* What one PML provides for a listing. A function may be NULL, except can_index and index: it then provides nothing. */
struct mqd_pml {
    const char *component;         /* its name in Open MPI */
    bool has_references;           /* each of its requests is one of the references to its communicator */

    /* Returns MQD_OK if the process uses this PML. Else the code says why it does not, or why this is not known. */
    enum mqd_rc (*is_used)(struct mqd_process *process);

    /*
     * Completes the layout with what only the communicators of a new snapshot can show. It may allocate the PML's own
     * state for the snapshot, process->snapshot.pml_state; `end` then releases it.
     */
    void (*settle_layout)(struct mqd_process *process);
    void (*end)(struct mqd_process *process);

    /*
     * Appends communicators to a snapshot that only messages refer to, before the first one is listed. Returns MQD_OK
     * or MQD_RC_no_memory.
     */
    enum mqd_rc (*find_pending_communicators)(struct mqd_process *process);

    /*
     * One function for each queue; none of them is NULL.
     * can_index tests with few reads whether there is such a queue. It returns MQD_OK, or the reason why not.
     * index fills the queue with the operations of all communicators, in order. It returns MQD_OK even if some
     * operations could not be read. queue->rc then says so; for unexpected messages, the communicator's unexpected_rc
     * does. If there is no queue at all, index returns the reason.
     * Both return MQD_RC_not_this_pml if the process uses another PML. The shared part finds out which.
     */
    enum mqd_rc (*can_index[MQD_N_QUEUES])(struct mqd_process *process);
    enum mqd_rc (*index[MQD_N_QUEUES])(struct mqd_process *process, struct mqd_queue *queue);

    /* What is always missing of a queue that is shown, or makes it slow to read. MQD_OK, or no function: nothing. */
    enum mqd_rc (*hindrance[MQD_N_QUEUES])(struct mqd_process *process);

    /*
     * read_activity counts the receives and sends that were started on a communicator, modulo 2^32. read_traffic counts
     * the messages that were sent there to one peer, and those that have arrived from it in order. Both return MQD_OK,
     * or the reason why the numbers are not known.
     */
    enum mqd_rc (*read_activity)(struct mqd_process *process, const struct mqd_communicator *communicator,
                                 uint32_t *n_receives, uint32_t *n_sends);
    enum mqd_rc (*read_traffic)(struct mqd_process *process, const struct mqd_communicator *communicator,
                                uint32_t rank, uint16_t *n_sent, uint16_t *n_arrived);

    /*
     * find_send reads the send whose request is at an address that another process has named. It returns MQD_OK,
     * MQD_RC_no_operation if there is none, or the reason why this is not known. *operation is untouched then.
     */
    enum mqd_rc (*find_send)(struct mqd_process *process, mqd_taddr request_ta, struct mqd_operation *operation);
};

/*
 * Finds out which PML the process uses, and stores it in process->snapshot.pml. If it is none of the known PMLs, this
 * is the last row of pml.c. Then the PML settles the layout for the new snapshot, which has its communicators already.
 */
void mqd_pml_begin(struct mqd_process *process);

/* The functions above for the snapshot's PML. `op` is an mqs_op_class. */
enum mqd_rc mqd_pml_find_pending_communicators(struct mqd_process *process) MQD_CHECKED;
enum mqd_rc mqd_pml_can_index(struct mqd_process *process, int op) MQD_CHECKED;
enum mqd_rc mqd_pml_index(struct mqd_process *process, int op, struct mqd_queue *queue) MQD_CHECKED;
enum mqd_rc mqd_pml_hindrance(struct mqd_process *process, int op) MQD_CHECKED;
enum mqd_rc mqd_pml_read_activity(struct mqd_process *process, const struct mqd_communicator *communicator,
                                  uint32_t *n_receives, uint32_t *n_sends) MQD_CHECKED;
enum mqd_rc mqd_pml_read_traffic(struct mqd_process *process, const struct mqd_communicator *communicator,
                                 uint32_t rank, uint16_t *n_sent, uint16_t *n_arrived) MQD_CHECKED;
enum mqd_rc mqd_pml_find_send(struct mqd_process *process, mqd_taddr request_ta, struct mqd_operation *operation)
    MQD_CHECKED;

/* Releases what the PML has kept for the snapshot. */
void mqd_pml_end(struct mqd_process *process);

#endif
