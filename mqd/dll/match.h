/*
 * match.h - what the ob1 PML hangs on a communicator to match messages.
 */
#ifndef MQD_DLL_MATCH_H
#define MQD_DLL_MATCH_H

#include "mqd/dll/communicator.h"

/* mca_pml_ob1_comm_t */
struct mqd_matching {
    mqd_taddr procs_ta;      /* one pointer per member of the remote group, NULL before first contact */
    uint32_t n_procs;
    uint32_t last_probed;    /* where the last receive from any source found its message */
    uint32_t recv_sequence;  /* of the next receive that is started */
};

/* MQD_RC_bad_match if the communicator's object is not ob1's or contradicts its group. */
enum mqd_rc mqd_read_matching(struct mqd_process *process, const struct mqd_communicator *communicator,
                              struct mqd_matching *matching) MQD_CHECKED;

/*
 * Reads the peer's mca_pml_ob1_comm_proc_t. *contacted tells whether there is one; MQD_OK and false if not.
 * MQD_RC_unreadable if that cannot be told, MQD_RC_bad_match if the peer is not what it should be.
 */
enum mqd_rc mqd_read_peer(struct mqd_process *process, const struct mqd_matching *matching, uint32_t rank,
                          struct mqd_object *peer, bool *contacted) MQD_CHECKED;

/*
 * How many receives and sends have been started, modulo 2^32: 0 on a communicator that ob1 has not seen yet. As the two
 * functions above, and MQD_RC_unknown_* if the layout lacks what is needed.
 */
enum mqd_rc mqd_read_activity(struct mqd_process *process, const struct mqd_communicator *communicator,
                              uint32_t *n_receives, uint32_t *n_sends) MQD_CHECKED;

#endif
