/*
 * thread.h - which threads of a process may call MPI.
 */
#ifndef MQD_DLL_THREAD_H
#define MQD_DLL_THREAD_H

#include "mqd/dll/state.h"

/*
 * The level of thread support that MPI_Init or MPI_Init_thread has provided to a process with a snapshot: 0
 * MPI_THREAD_SINGLE to 3 MPI_THREAD_MULTIPLE. -1 if MPI was not initialised with one of these two, or if what Open MPI
 * says of its threads at three places does not agree.
 */
int mqd_thread_level(struct mqd_process *process) MQD_CHECKED;

#endif
