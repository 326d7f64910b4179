/*
 * openmpi.h - values that Open MPI and mpi.h give a meaning, the same in all releases; where they stand in its source.
 */
#ifndef MQD_DLL_OPENMPI_H
#define MQD_DLL_OPENMPI_H

/* ompi/include/mpi.h.in */
enum { MQD_ANY_SOURCE = -1, MQD_ANY_TAG = -1, MQD_PROC_NULL = -2, MQD_ERR_TRUNCATE = 15 };

/* ompi/request/request.h: req_complete, but for the address of what a thread waits on. */
enum { MQD_REQUEST_PENDING = 0, MQD_REQUEST_COMPLETED = 1 };

/* ompi/request/request_dbg.h: req_type, req_state. */
enum { MQD_REQUEST_PML = 0, MQD_REQUEST_NULL = 5 };
enum { MQD_REQUEST_INACTIVE = 1, MQD_REQUEST_ACTIVE = 2 };

/* ompi/runtime/mpiruntime.h: ompi_mpi_state; from PAST_SELF on communicators are being taken apart. */
enum {
    MQD_STATE_NOT_INITIALISED = 0,
    MQD_STATE_INIT_STARTED = 1,
    MQD_STATE_INIT_COMPLETED = 2,
    MQD_STATE_PAST_SELF = 4
};

#endif
