/*
 * fake_ucx.h - UCX in a fake process: what Open MPI's PML ucx keeps of its own, and UCX's worker with all requests and
 * messages. fake_ucx_init follows fake_job_init. The functions below change memory as the calls of MPI, and as UCX, do;
 * tests change everything else with FAKE_PUT.
 */
#ifndef FAKE_UCX_H
#define FAKE_UCX_H

#include "fake_job.h"
#include "fake_ucx_build.h"

enum { FAKE_UCX_MAX_GENERIC = 4, FAKE_UCX_BUCKETS = 1024, FAKE_UCX_FIRST_ELEMENTS = 8 };

/* Functions of Open MPI that UCX calls when a send is complete. */
enum fake_ucx_callback {
    FAKE_UCX_BSEND,
    FAKE_UCX_BSEND_NBX,
    FAKE_UCX_SEND,
    FAKE_UCX_SEND_NBX,
    FAKE_UCX_PSEND,
    FAKE_UCX_SEND_EMPTY,
    FAKE_UCX_N_CALLBACKS
};

struct fake_ucx {
    struct fake_job *job;
    const struct fake_build *build;
    int so, stack;                   /* segments: data of libucp and of the PML, and a thread's stack */
    fake_ta module, worker, context; /* ompi_pml_ucx, ucp_worker_t, ucp_context_t */
    fake_ta pool_data, operations;   /* of the request pool */
    fake_ta expected, unexpected;    /* the hash tables */
    fake_ta callbacks[FAKE_UCX_N_CALLBACKS], recv_callback, other_callback;
    fake_ta persistent_class;
    fake_ta endpoints[FAKE_MAX_PROCS]; /* by rank in MPI_COMM_WORLD */
    struct {
        fake_ta datatype, generic;
    } generic[FAKE_UCX_MAX_GENERIC];
    int n_generic;
};

/* The process uses the PML ucx from now on, instead of ob1, and is connected to all other processes. */
void fake_ucx_init(struct fake_ucx *ucx, struct fake_job *job, const struct fake_build *build);

/* A flag's bits, 0 if the release does not have it. */
uint64_t fake_ucx_flag(const struct fake_ucx *ucx, enum mqd_constant_id flag);
#define FAKE_UCX_FLAG(ucx, name) fake_ucx_flag(ucx, MQD_CONSTANT_##name)

/* Sets or clears flags of a request. */
void fake_ucx_set_flags(struct fake_ucx *ucx, fake_ta request, uint64_t flags, bool set);

/* The request pool: an element's request, and Open MPI's behind it. */
fake_ta fake_ucx_take(struct fake_ucx *ucx);
void fake_ucx_return(struct fake_ucx *ucx, fake_ta request);
void fake_ucx_grow(struct fake_ucx *ucx, size_t n_elements);
fake_ta fake_ucx_ompi(const struct fake_ucx *ucx, fake_ta request);

/* An endpoint of the worker. */
fake_ta fake_ucx_endpoint_new(struct fake_ucx *ucx);

/* The 64-bit tag for a message of a source with an MPI tag; the mask of a receive. */
uint64_t fake_ucx_tag(uint32_t context, int source, int tag);
uint64_t fake_ucx_mask(int source, int tag);

/* The bucket of a tag. */
uint32_t fake_ucx_bucket(uint64_t tag);

/* Makes a datatype one that is not contiguous. */
void fake_ucx_make_generic(struct fake_ucx *ucx, fake_ta datatype);

#endif
