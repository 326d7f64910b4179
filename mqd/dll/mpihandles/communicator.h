/*
 * communicator.h - what the interface tells of a communicator.
 */
#ifndef MQD_DLL_MPIHANDLES_COMMUNICATOR_H
#define MQD_DLL_MPIHANDLES_COMMUNICATOR_H

#include "mqd/dll/mpihandles/ask.h"

/* mpidbg_comm_query, as mpihandles.h has it. */
int mqd_mpidbg_communicator(mqs_process *process, mqs_taddr_t handle, struct mpidbg_comm_info_t **info);

#endif
