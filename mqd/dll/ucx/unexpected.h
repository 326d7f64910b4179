/*
 * unexpected.h - lists unexpected messages, in the order in which they arrived: that is the order of matching too.
 */
#ifndef MQD_DLL_UCX_UNEXPECTED_H
#define MQD_DLL_UCX_UNEXPECTED_H

#include "mqd/dll/operation.h"

enum mqd_rc mqd_ucx_can_list_unexpected(struct mqd_process *process) MQD_CHECKED;
enum mqd_rc mqd_ucx_index_unexpected(struct mqd_process *process, struct mqd_queue *queue) MQD_CHECKED;

/* MQD_RC_ucx_offload if the network adapter may hold messages that UCX does not have yet. */
enum mqd_rc mqd_ucx_misses_messages(struct mqd_process *process) MQD_CHECKED;

/*
 * Appends the communicators to the snapshot that only messages name: the process has not made them yet, or has freed
 * them. MQD_OK or MQD_RC_no_memory.
 */
enum mqd_rc mqd_ucx_find_pending_communicators(struct mqd_process *process) MQD_CHECKED;

#endif
