/*
 * fake_ucx_messages.h - receives, sends and unexpected messages of the PML ucx in a fake process.
 */
#ifndef FAKE_UCX_MESSAGES_H
#define FAKE_UCX_MESSAGES_H

#include "fake_ucx.h"

/* UCX's status of a request. */
enum fake_ucx_status { FAKE_UCX_OK = 0, FAKE_UCX_INPROGRESS = 1, FAKE_UCX_TRUNCATED = -9, FAKE_UCX_CANCELLED = -16,
                       FAKE_UCX_UNREACHABLE = -6 };

/* All of these return UCX's request. MPI_Irecv; MPI_Recv, whose request lies on the stack. */
fake_ta fake_ucx_irecv(struct fake_ucx *ucx, const struct fake_comm *comm, const struct fake_recv *recv);
fake_ta fake_ucx_recv(struct fake_ucx *ucx, const struct fake_comm *comm, const struct fake_recv *recv);

/* MPI_Irecv that finds its message, all of which is there: nothing but the outcome is written. */
fake_ta fake_ucx_irecv_at_once(struct fake_ucx *ucx, const struct fake_comm *comm, int source, int tag, size_t bytes);

/* A message of that many bytes matches; the receive ends, with UCX's status and MPI's error. */
void fake_ucx_match(struct fake_ucx *ucx, fake_ta request, const struct fake_comm *comm, int source, int tag,
                    size_t bytes);
void fake_ucx_complete(struct fake_ucx *ucx, fake_ta request, enum fake_ucx_status status, int error);

/* MPI_Cancel of a receive that is posted. */
void fake_ucx_cancel(struct fake_ucx *ucx, fake_ta request);

/* Takes a receive out of the queue that it is in. */
void fake_ucx_unpost(struct fake_ucx *ucx, fake_ta request);

/* How a send is made: by the older protocols or by the newer ones, and with which of Open MPI's callbacks. */
struct fake_ucx_send {
    int destination, tag;             /* rank in the (remote) group */
    size_t count;
    fake_ta datatype, buffer;
    bool newer, synchronous;
    enum fake_ucx_callback callback;
    fake_ta endpoint;                 /* 0: the one of the destination */
    uint32_t remote_context;          /* since 6.0, if it is not 0: what the communicator is called at the receiver */
};
fake_ta fake_ucx_isend(struct fake_ucx *ucx, const struct fake_comm *comm, const struct fake_ucx_send *send);

/* MPI_Send that waits: its request is on the stack. */
fake_ta fake_ucx_send(struct fake_ucx *ucx, const struct fake_comm *comm, const struct fake_ucx_send *send);

/* MPI_Recv_init and MPI_Send_init return Open MPI's request; MPI_Start returns UCX's; an active one completes. */
fake_ta fake_ucx_recv_init(struct fake_ucx *ucx, const struct fake_comm *comm, const struct fake_recv *recv);
fake_ta fake_ucx_send_init(struct fake_ucx *ucx, const struct fake_comm *comm, const struct fake_ucx_send *send,
                           enum fake_send_mode mode);
fake_ta fake_ucx_start_recv(struct fake_ucx *ucx, fake_ta persistent, const struct fake_comm *comm,
                            const struct fake_recv *recv);
fake_ta fake_ucx_start_send(struct fake_ucx *ucx, fake_ta persistent, const struct fake_comm *comm,
                            const struct fake_ucx_send *send);
void fake_ucx_end_persistent(struct fake_ucx *ucx, fake_ta persistent, fake_ta request, int source, int tag, int error,
                             size_t bytes);

/* Unexpected messages: how they came. */
enum fake_ucx_kind { FAKE_UCX_ONLY, FAKE_UCX_FIRST, FAKE_UCX_SYNC_ONLY, FAKE_UCX_SYNC_FIRST, FAKE_UCX_RENDEZVOUS,
                     FAKE_UCX_OFFLOAD_FIRST };
struct fake_ucx_message {
    int source, tag;
    size_t bytes, here;               /* of the whole message, and of those how many are in this part */
    enum fake_ucx_kind kind;
    fake_ta request;                  /* of the sender, where the message names it */
};
fake_ta fake_ucx_arrive(struct fake_ucx *ucx, uint32_t context, const struct fake_ucx_message *message);

/* The address of a message's data. */
fake_ta fake_ucx_data(struct fake_ucx *ucx, fake_ta message);

/* Puts a message at the end of both its lists; takes it out of them. */
void fake_ucx_queue(struct fake_ucx *ucx, fake_ta message);
void fake_ucx_forget(struct fake_ucx *ucx, fake_ta message);

#endif
