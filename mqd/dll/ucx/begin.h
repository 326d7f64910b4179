/*
 * begin.h - the beginning and the end of a snapshot of the PML ucx.
 */
#ifndef MQD_DLL_UCX_BEGIN_H
#define MQD_DLL_UCX_BEGIN_H

#include "mqd/dll/state.h"

/* Finds UCX's worker and its layout. What goes wrong is in process->second.rc. */
void mqd_ucx_begin(struct mqd_process *process);

/* Gives back what the snapshot has kept. */
void mqd_ucx_end(struct mqd_process *process);

/* What a list of sends lacks: those of blocking calls. */
enum mqd_rc mqd_ucx_misses_sends(struct mqd_process *process) MQD_CHECKED;

#endif
