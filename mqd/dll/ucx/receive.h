/*
 * receive.h - receives: those that are posted, and those that a message has matched.
 */
#ifndef MQD_DLL_UCX_RECEIVE_H
#define MQD_DLL_UCX_RECEIVE_H

#include "mqd/dll/operation.h"

enum mqd_rc mqd_ucx_can_list_receives(struct mqd_process *process) MQD_CHECKED;
enum mqd_rc mqd_ucx_index_receives(struct mqd_process *process, struct mqd_queue *queue) MQD_CHECKED;

#endif
