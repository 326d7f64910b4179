/*
 * callbacks.h - the functions of Open MPI that UCX calls when an operation is complete. UCX's own requests and those of
 * other users of the worker have others: the callback shows that a request is an operation of MPI.
 */
#ifndef MQD_DLL_UCX_CALLBACKS_H
#define MQD_DLL_UCX_CALLBACKS_H

#include "mqd/dll/ucx/state.h"

/* Looks the functions up, once for a snapshot. */
void mqd_ucx_find_callbacks(struct mqd_process *process, struct mqd_ucx *ucx);

/* Was any function for sends found? Without one no send can be known. */
bool mqd_ucx_has_send_callbacks(const struct mqd_ucx *ucx);

/*
 * Is it one for sends? One for buffered sends? One of MPI_Isend and the like, after which Open MPI's request has the
 * communicator? One for receives?
 */
bool mqd_ucx_is_nonblocking_callback(const struct mqd_ucx *ucx, mqd_taddr callback_ta);
bool mqd_ucx_is_send_callback(const struct mqd_ucx *ucx, mqd_taddr callback_ta);
bool mqd_ucx_is_buffered_callback(const struct mqd_ucx *ucx, mqd_taddr callback_ta);
bool mqd_ucx_is_receive_callback(const struct mqd_ucx *ucx, mqd_taddr callback_ta);

#endif
