/*
 * send.h - sends: those of the request pool, persistent ones that are complete, and those that only their receiver names.
 */
#ifndef MQD_DLL_UCX_SEND_H
#define MQD_DLL_UCX_SEND_H

#include "mqd/dll/operation.h"

enum mqd_rc mqd_ucx_can_list_sends(struct mqd_process *process) MQD_CHECKED;
enum mqd_rc mqd_ucx_index_sends(struct mqd_process *process, struct mqd_queue *queue) MQD_CHECKED;

/* As in struct mqd_pml. */
enum mqd_rc mqd_ucx_find_send(struct mqd_process *process, mqd_taddr request_ta, struct mqd_operation *operation)
    MQD_CHECKED;

#endif
