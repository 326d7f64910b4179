/*
 * envelope.h - the 64-bit tags of the PML ucx: MPI tag, rank of the source in its communicator, and communicator.
 */
#ifndef MQD_DLL_UCX_ENVELOPE_H
#define MQD_DLL_UCX_ENVELOPE_H

#include "mqd/dll/communicator.h"
#include "mqd/dll/ucx/state.h"

struct mqd_ucx_envelope {
    int32_t tag, source;
    uint32_t context;              /* index of the communicator */
};

/* Takes a tag apart. MQD_RC_ucx_no_table if the widths of its parts are not known. */
enum mqd_rc mqd_ucx_envelope_of(const struct mqd_process *process, uint64_t tag, struct mqd_ucx_envelope *envelope)
    MQD_CHECKED;

/* What a receive takes by its mask. `possible` is false if no receive of Open MPI has such a mask. */
struct mqd_ucx_wild {
    bool possible, source, tag;
};
struct mqd_ucx_wild mqd_ucx_wild_of(const struct mqd_process *process, uint64_t mask);

/*
 * The communicator with that index, NULL if the snapshot has none. Receives and messages that have arrived have the
 * index of this process. So have sends up to 5.0; later they have the receiver's.
 */
struct mqd_communicator *mqd_ucx_communicator(struct mqd_process *process, uint32_t context);
bool mqd_ucx_sends_have_own_context(const struct mqd_process *process);

/* The index of a communicator in the snapshot. */
uint32_t mqd_ucx_index_of(struct mqd_process *process, const struct mqd_communicator *communicator);

#endif
