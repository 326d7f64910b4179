/* match.c - ob1's matching objects. */
#include "mqd/dll/match.h"

#include "mqd/dll/evidence.h"
#include "mqd/dll/banned.h"

enum mqd_rc mqd_read_matching(struct mqd_process *process, const struct mqd_communicator *communicator,
                              struct mqd_matching *matching)
{
    struct mqd_object object;
    uint64_t n_procs, last_probed;

    if (mqd_read_object(process, MQD_TYPE_mca_pml_ob1_comm_t, communicator->pml_ta, &object) != MQD_OK ||
        !mqd_object_is(process, communicator->pml_ta, "mca_pml_ob1_comm_t"))
        return MQD_RC_bad_match;
    matching->procs_ta = mqd_uint(&object.view, MQD_PATH_ob1_procs);
    n_procs = mqd_uint(&object.view, MQD_PATH_ob1_num_procs);
    last_probed = mqd_uint(&object.view, MQD_PATH_ob1_last_probed);
    matching->recv_sequence = (uint32_t)mqd_uint(&object.view, MQD_PATH_ob1_recv_sequence);
    if (object.view.rc != MQD_OK || n_procs != (uint64_t)communicator->n_remote ||
        (n_procs > 0 && last_probed >= n_procs))
        return MQD_RC_bad_match;
    matching->n_procs = (uint32_t)n_procs;
    matching->last_probed = (uint32_t)last_probed;
    return MQD_OK;
}

enum mqd_rc mqd_read_peer(struct mqd_process *process, const struct mqd_matching *matching, uint32_t rank,
                          struct mqd_object *peer, bool *contacted)
{
    mqd_taddr entry_ta = matching->procs_ta + (mqd_taddr)rank * process->layout.abi.pointer_size, peer_ta;

    if (rank >= matching->n_procs)
        return MQD_RC_bad_match;
    if (mqd_read_pointer(process, entry_ta, &peer_ta) != MQD_OK)
        return MQD_RC_unreadable;
    *contacted = peer_ta != 0;
    if (peer_ta == 0)
        return MQD_OK;
    if (mqd_read_object(process, MQD_TYPE_mca_pml_ob1_comm_proc_t, peer_ta, peer) != MQD_OK ||
        !mqd_object_is(process, peer_ta, "mca_pml_ob1_comm_proc_t"))
        return MQD_RC_bad_match;
    return MQD_OK;
}

enum mqd_rc mqd_read_activity(struct mqd_process *process, const struct mqd_communicator *communicator,
                              uint32_t *n_receives, uint32_t *n_sends)
{
    struct mqd_matching matching = {.n_procs = 0};
    uint32_t sends = 0;
    enum mqd_rc rc = mqd_capability_rc(process, MQD_CAN_sends);

    if (rc == MQD_OK)
        rc = mqd_capability_rc(process, MQD_CAN_unexpected);
    if (rc == MQD_OK && communicator->pml_ta != 0)
        rc = mqd_read_matching(process, communicator, &matching);
    for (uint32_t i = 0; i < matching.n_procs && rc == MQD_OK; i++) {
        struct mqd_object peer;
        bool contacted = false;

        rc = mqd_read_peer(process, &matching, i, &peer, &contacted);
        if (rc == MQD_OK && contacted) {
            sends += (uint32_t)mqd_uint(&peer.view, MQD_PATH_peer_send_sequence);
            rc = peer.view.rc;
        }
    }
    if (rc != MQD_OK)
        return rc;
    *n_receives = matching.recv_sequence;
    *n_sends = sends;
    return MQD_OK;
}
