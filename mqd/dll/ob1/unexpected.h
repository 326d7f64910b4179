/*
 * unexpected.h - messages that have arrived and that no receive has asked for.
 */
#ifndef MQD_DLL_OB1_UNEXPECTED_H
#define MQD_DLL_OB1_UNEXPECTED_H

#include "mqd/dll/operation.h"

/*
 * Fills the queue with the unexpected messages of all communicators, in the order in which a receive from any source
 * would take them. Then come messages that wait for an earlier one of the same sender, and last those that wait for
 * their communicator. What could not be read of a communicator is in its unexpected_rc. Returns MQD_OK, or why there is
 * no queue at all; the queue is then empty.
 */
enum mqd_rc mqd_index_unexpected(struct mqd_process *process, struct mqd_queue *queue) MQD_CHECKED;

/* MQD_OK, or why there would be no such queue. */
enum mqd_rc mqd_can_list_unexpected(struct mqd_process *process) MQD_CHECKED;

#endif
