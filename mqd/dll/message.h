/*
 * message.h - the sentence that mqs_process_has_queues gives a debugger to show in a window: there is one where
 * something is refused or left out, and none where all is well. It has no `%`, whatever the target says.
 */
#ifndef MQD_DLL_MESSAGE_H
#define MQD_DLL_MESSAGE_H

#include "mqd/dll/state.h"

/* Why the process is refused: process->message. */
char *mqd_refusal(struct mqd_process *process, enum mqd_rc rc);

/* What cannot be shown of a process that has communicators, and why: process->message, or NULL if that is nothing. */
char *mqd_limits(struct mqd_process *process);

#endif
