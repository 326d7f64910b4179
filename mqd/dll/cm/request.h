/*
 * request.h - sends and receives of the PML cm.
 *
 * cm gives messages to an MTL, which gives them to a network's library. It has requests of nonblocking and persistent
 * calls, and of buffered sends. A blocking call has its request on the stack. A heavy request (persistent, buffered)
 * has all arguments of its call. A thin one has them in part: a send no destination, a receive neither source nor tag.
 * The MTL ofi has them in its part of the request; see ofi.h.
 */
#ifndef MQD_DLL_CM_REQUEST_H
#define MQD_DLL_CM_REQUEST_H

#include "mqd/dll/operation.h"

/* MQD_OK if the process's messages are cm's, else why they are not, or why that cannot be told. */
enum mqd_rc mqd_uses_cm(struct mqd_process *process) MQD_CHECKED;

/*
 * The functions of a row of pml.c. The requests have no numbers that tell their order: within a communicator they come
 * as they lie in memory, sends with a known destination first.
 */
enum mqd_rc mqd_cm_can_list_sends(struct mqd_process *process) MQD_CHECKED;
enum mqd_rc mqd_cm_can_list_receives(struct mqd_process *process) MQD_CHECKED;
enum mqd_rc mqd_cm_index_sends(struct mqd_process *process, struct mqd_queue *queue) MQD_CHECKED;
enum mqd_rc mqd_cm_index_receives(struct mqd_process *process, struct mqd_queue *queue) MQD_CHECKED;

/* Blocking calls are missing of both queues. */
enum mqd_rc mqd_cm_hindrance(struct mqd_process *process) MQD_CHECKED;

/* Unexpected messages are in the network's library: these return the code that says so. */
enum mqd_rc mqd_cm_can_list_unexpected(struct mqd_process *process) MQD_CHECKED;
enum mqd_rc mqd_cm_index_unexpected(struct mqd_process *process, struct mqd_queue *queue) MQD_CHECKED;

#endif
