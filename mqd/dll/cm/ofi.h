/*
 * ofi.h - what the MTL ofi keeps of a receive: the bits that a message has to match, and the address of its source.
 */
#ifndef MQD_DLL_CM_OFI_H
#define MQD_DLL_CM_OFI_H

#include "mqd/dll/operation.h"

/* How the MTL of this process matches messages. */
struct mqd_ofi {
    bool in_use;                   /* the MTL is ofi, and its layout is known */
    bool by_address;               /* the source is an address; else it is a part of the bits */
    uint64_t any_address;
    uint64_t address_bits;         /* those that tell a process */
    uint64_t tag_mask, source_mask; /* in the bits, from bit 0 and from source_shift on */
    unsigned source_shift, context_shift;
};

/* Finds out whether the process's MTL is ofi. If that is not certain, or the layout is not known, it is not in use. */
void mqd_ofi_begin(struct mqd_process *process, struct mqd_ofi *ofi);

/* A receive as the PML has it, for a comparison with the MTL's part. */
struct mqd_ofi_receive {
    mqd_taddr request_ta, comm_ta, convertor_ta;
    uint64_t bytes;
    uint32_t context;              /* index of the communicator */
};

/*
 * Completes a pending receive whose source and tag are not known, as far as the MTL's part in `mtl` tells them. Nothing
 * is done if this part is not that of an MPI_Irecv that is still pending: MPI_Imrecv leaves there what an earlier
 * receive has written. Source 0 and tag 0 cannot be told from any source and any tag: they stay not known, and the
 * operation says so. Returns true if the source has to be found by its address, which is then in *address.
 */
bool mqd_ofi_read_receive(const struct mqd_ofi *ofi, const struct mqd_view *mtl, const struct mqd_ofi_receive *receive,
                          struct mqd_operation *operation, uint64_t *address);

/* The processes of a communicator by their addresses. */
struct mqd_ofi_peers {
    struct mqd_vector peers;       /* struct mqd_ofi_peer, by address */
};

/*
 * _find_peers reads the addresses of a communicator's peers that this process has contacted. Peers that cannot be read
 * are left out. Returns MQD_OK or MQD_RC_no_memory. _rank_of returns the rank with an address, -1 if none has it.
 */
enum mqd_rc mqd_ofi_find_peers(struct mqd_process *process, struct mqd_communicator *communicator,
                               struct mqd_ofi_peers *peers) MQD_CHECKED;
int32_t mqd_ofi_rank_of(const struct mqd_ofi *ofi, const struct mqd_ofi_peers *peers, uint64_t address);
void mqd_ofi_release_peers(struct mqd_ofi_peers *peers);

#endif
