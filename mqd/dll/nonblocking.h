/*
 * nonblocking.h - the numbers of nonblocking collective operations.
 *
 * Each nonblocking collective operation of coll/libnbc takes the next tag of its communicator, from the highest one of a
 * range downwards. So do persistent ones when they are created, and the operations by which the members of a
 * communicator make another one. All members take the same tags for the same operations.
 */
#ifndef MQD_DLL_NONBLOCKING_H
#define MQD_DLL_NONBLOCKING_H

#include "mqd/dll/communicator.h"

/*
 * Counts the operations that this process has started on the communicator. False if that is not known: before 4.1
 * Open MPI keeps the number elsewhere, and other components than coll/libnbc take no tag or several for an operation.
 * The count starts again after about 2^30 operations.
 */
bool mqd_count_nonblocking(struct mqd_process *process, struct mqd_communicator *communicator, uint64_t *n);

/* The number of the operation whose messages have this tag, from 1 on; 0 if it is none, or if this is not known. */
uint64_t mqd_nonblocking_number(struct mqd_process *process, struct mqd_communicator *communicator, int32_t tag);

#endif
