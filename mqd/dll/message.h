/*
 * message.h - the sentence that mqs_process_has_queues gives a debugger to show in a window. There is a sentence only
 * if something is refused or left out. It never has a `%`, whatever the target's strings contain.
 */
#ifndef MQD_DLL_MESSAGE_H
#define MQD_DLL_MESSAGE_H

#include "mqd/dll/state.h"

/* Writes why the process is refused to process->message, and returns it. */
char *mqd_refusal(struct mqd_process *process, enum mqd_rc rc);

/*
 * Writes what cannot be shown of a process that is not refused, and why, to process->message, and returns it. Returns
 * NULL if everything can be shown, or if nothing is known of the process yet.
 */
char *mqd_limits(struct mqd_process *process);

#endif
