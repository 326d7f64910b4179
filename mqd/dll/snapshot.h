/*
 * snapshot.h - the state of a process at one stop, and the debugger's way through it.
 */
#ifndef MQD_DLL_SNAPSHOT_H
#define MQD_DLL_SNAPSHOT_H

#include "mqd/dll/operation.h"

/*
 * Drops the old snapshot and takes a new one, with the layout looked for again if something of it was missing, and
 * fills process->findings, whose limits count only if this succeeds. MQD_OK, or why no communicator can be shown, which
 * stays the answer until the next one is taken.
 */
enum mqd_rc mqd_snapshot_take(struct mqd_process *process) MQD_CHECKED;

/* Is the process in MPI_Init, where what is not there yet may still come? */
bool mqd_inside_init(struct mqd_process *process);

/* Gives back all that a snapshot holds. */
void mqd_snapshot_drop(struct mqd_process *process);

/*
 * The communicator iterator. begin: MQD_OK if there is a current communicator then. next: MQD_OK if there is another;
 * what could not be read is told once before mqs_end_of_list. current: NULL if there is none.
 */
int mqd_communicators_begin(struct mqd_process *process);
int mqd_communicators_next(struct mqd_process *process);
struct mqd_communicator *mqd_communicators_current(struct mqd_process *process);

/* The operation iterator of the current communicator, in the same manner; `op` is an mqs_op_class. */
int mqd_operations_begin(struct mqd_process *process, int op);
int mqd_operations_next(struct mqd_process *process, mqs_pending_operation *out);

/* The operation that `next` has given last; NULL if it has given none, or another iterator was begun or moved since. */
const struct mqd_operation *mqd_operations_current(struct mqd_process *process);

#endif
