/*
 * fake_cm.h - the PML cm and the MTL ofi in a fake job. The functions change memory as the calls of MPI do.
 */
#ifndef FAKE_CM_H
#define FAKE_CM_H

#include "fake_job.h"

enum fake_cm_type { FAKE_CM_HEAVY_SEND, FAKE_CM_THIN_SEND, FAKE_CM_HEAVY_RECV, FAKE_CM_THIN_RECV };

/* The three ways in which the MTL ofi lays out the bits of a message. */
enum fake_ofi_tags { FAKE_OFI_BY_ADDRESS, FAKE_OFI_TAG_1, FAKE_OFI_TAG_2 };

struct fake_ofi {
    enum fake_ofi_tags tags;
    fake_ta module, component;
};

/* After fake_job_init: the process uses cm, with an MTL that keeps nothing in a request. */
void fake_cm_init(struct fake_job *job);

/* The same with the MTL ofi. */
void fake_ofi_init(struct fake_job *job, enum fake_ofi_tags tags, struct fake_ofi *ofi);

/* Another MTL is in force. */
void fake_mtl_select(struct fake_job *job, const struct fake_ofi *ofi, const char *name);

/* MPI_Isend, MPI_Issend; MPI_Send_init and MPI_Start; MPI_Ibsend with its data in the attached buffer. */
fake_ta fake_cm_isend(struct fake_job *job, const struct fake_comm *comm, const struct fake_send *send);
fake_ta fake_cm_send_start(struct fake_job *job, const struct fake_comm *comm, const struct fake_send *send);
fake_ta fake_cm_ibsend(struct fake_job *job, const struct fake_comm *comm, const struct fake_send *send,
                       fake_ta attached);

/* MPI_Irecv; MPI_Recv_init and MPI_Start; MPI_Irecv with the MTL ofi (source_address counts where it tells). */
fake_ta fake_cm_irecv(struct fake_job *job, const struct fake_comm *comm, const struct fake_recv *recv);
fake_ta fake_cm_recv_start(struct fake_job *job, const struct fake_comm *comm, const struct fake_recv *recv);
fake_ta fake_ofi_irecv(struct fake_job *job, const struct fake_ofi *ofi, const struct fake_comm *comm,
                       const struct fake_recv *recv, uint64_t source_address);

/* The MTL's part of a thin receive. */
fake_ta fake_ofi_part(const struct fake_job *job, fake_ta request);

/* The request is complete for MPI; it is complete for cm too. */
void fake_cm_complete_for_mpi(struct fake_job *job, fake_ta request);
void fake_cm_complete(struct fake_job *job, fake_ta request);

/* A message has come for a receive; MPI_Cancel of one. */
void fake_cm_recv_complete(struct fake_job *job, fake_ta request, int source, int tag, size_t bytes, int error);
void fake_cm_recv_cancel(struct fake_job *job, fake_ta request, int tag);

/* The MTL's endpoint of a process, in one of its slots. */
fake_ta fake_ofi_endpoint(struct fake_job *job, fake_ta proc, int slot, uint64_t address);

#endif
