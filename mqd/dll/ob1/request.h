/*
 * request.h - sends and receives: the PML's two free lists of requests.
 */
#ifndef MQD_DLL_OB1_REQUEST_H
#define MQD_DLL_OB1_REQUEST_H

#include "mqd/dll/operation.h"

/*
 * Fill a queue with the operations of all communicators, in order. They return MQD_OK also if some operations could not
 * be read; queue->rc then says why. Another code says why there is no queue at all; the queue is then empty.
 */
enum mqd_rc mqd_index_receives(struct mqd_process *process, struct mqd_queue *queue) MQD_CHECKED;
enum mqd_rc mqd_index_sends(struct mqd_process *process, struct mqd_queue *queue) MQD_CHECKED;

/* MQD_OK, or why there would be no such queue; cheap, since only the head of the list is read. */
enum mqd_rc mqd_can_list_receives(struct mqd_process *process) MQD_CHECKED;
enum mqd_rc mqd_can_list_sends(struct mqd_process *process) MQD_CHECKED;

/* MQD_OK if the process's messages are ob1's, else why they are not, or why that cannot be told. */
enum mqd_rc mqd_uses_ob1(struct mqd_process *process) MQD_CHECKED;

#endif
