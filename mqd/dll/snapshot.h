/*
 * snapshot.h - the state of a process at one stop, and the debugger's way through it.
 */
#ifndef MQD_DLL_SNAPSHOT_H
#define MQD_DLL_SNAPSHOT_H

#include "mqd/dll/operation.h"

/*
 * Drops the old snapshot and takes a new one. Resolves the layout again if something of it was missing. Fills
 * process->findings; its limits are meaningful only after MQD_OK. Returns MQD_OK, or why no communicator can be shown.
 * The snapshot keeps this code until the next one is taken.
 */
enum mqd_rc mqd_snapshot_take(struct mqd_process *process) MQD_CHECKED;

/* Is the process in MPI_Init? Then what is missing may still come. */
bool mqd_inside_init(struct mqd_process *process);

/* Drops a snapshot. Its queues' room is kept for those of the next one. */
void mqd_snapshot_drop(struct mqd_process *process);

/* Gives that room to a process that the debugger has set up again. It has no snapshot yet. */
void mqd_snapshot_take_room(struct mqd_process *process, struct mqd_process *before);

/* Releases all memory. */
void mqd_snapshot_release(struct mqd_process *process);

/*
 * The communicator iterator. _begin returns MQD_OK if there is a first communicator, which is now current. _next
 * returns MQD_OK if there is another. If something could not be read, _next returns its code once before
 * mqs_end_of_list. _current returns NULL if no communicator is current.
 */
int mqd_communicators_begin(struct mqd_process *process);
int mqd_communicators_next(struct mqd_process *process);
struct mqd_communicator *mqd_communicators_current(struct mqd_process *process);

/* The operation iterator of the current communicator, in the same manner; `op` is an mqs_op_class. */
int mqd_operations_begin(struct mqd_process *process, int op);
int mqd_operations_next(struct mqd_process *process, mqs_pending_operation *out);

/* Why nothing can be told of the process: there is no snapshot, or it could not be taken. MQD_OK: it is well. */
enum mqd_rc mqd_snapshot_rc(const struct mqd_process *process) MQD_CHECKED;

/*
 * The send whose request is at that address, which the other end of its message has named; MQD_RC_no_operation if there
 * is none. It is then the current operation. *out is untouched on failure.
 */
enum mqd_rc mqd_operations_find(struct mqd_process *process, mqd_taddr request_ta,
                                mqs_pending_operation *out) MQD_CHECKED;

/*
 * The operation that `next` or `find` has given last; NULL if it has given none, or another iterator was begun or moved
 * since.
 */
const struct mqd_operation *mqd_operations_current(struct mqd_process *process);

/*
 * Writes the send or receive with its request at an address, nothing if the listing has none. The queues are indexed
 * for the first one that is asked for; the pointer is valid until the next snapshot. MQD_OK or MQD_RC_no_memory.
 */
enum mqd_rc mqd_operation_of_request(struct mqd_process *process, mqd_taddr request_ta,
                                     const struct mqd_operation **operation) MQD_CHECKED;

/* How many sends and receives the listing has on a communicator, Open MPI's own included; 0 if it has no such queue. */
size_t mqd_count_operations(struct mqd_process *process, const struct mqd_communicator *communicator);

#endif
