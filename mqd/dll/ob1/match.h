/*
 * match.h - what the ob1 PML hangs on a communicator to match messages.
 */
#ifndef MQD_DLL_OB1_MATCH_H
#define MQD_DLL_OB1_MATCH_H

#include "mqd/dll/communicator.h"

/* mca_pml_ob1_comm_t */
struct mqd_matching {
    mqd_taddr ta;
    mqd_taddr posted_ta, unexpected_ta; /* custom matching: the queues of receives and of messages; else 0 */
    mqd_taddr procs_ta;      /* one pointer per member of the remote group, NULL before first contact */
    uint32_t n_procs;
    uint32_t last_probed;    /* where the last receive from any source found its message */
    uint32_t recv_sequence;  /* of the next receive that is started */
};

/* MQD_RC_bad_match if the communicator's object is not ob1's or contradicts its group. */
enum mqd_rc mqd_read_matching(struct mqd_process *process, const struct mqd_communicator *communicator,
                              struct mqd_matching *matching) MQD_CHECKED;

/* Was this process's ob1 built with a way of matching of its own (5.0 and later)? Then its peers have no lists. */
bool mqd_matches_custom(const struct mqd_process *process);

/*
 * No class descriptor tells one way of custom matching from another, but what stands in the queues does: each value
 * leads to an object of the right class, and there are as many as the queue says. With the communicators of the
 * snapshot the layout in force becomes that of the table with which most queues are so; where all are empty it stays,
 * and nothing depends on it. What the debugger knows of these types counts more, and is left alone.
 */
void mqd_settle_matching(struct mqd_process *process);

/*
 * Shows `visit` the mca_pml_ob1_comm_proc_t of each peer that has been contacted, from rank `first` on and around.
 * MQD_RC_no_memory from `visit` ends this; the first other thing that went wrong goes to *noted, if that is MQD_OK.
 */
enum mqd_rc mqd_visit_peers(struct mqd_process *process, const struct mqd_matching *matching, uint32_t first,
                            enum mqd_rc (*visit)(const struct mqd_object *peer, uint32_t rank, void *context),
                            void *context, enum mqd_rc *noted) MQD_CHECKED;

/*
 * The one peer. *contacted tells whether there is such an object; MQD_OK and false if not. MQD_RC_unreadable if that
 * cannot be told, MQD_RC_bad_match if the peer is not what it should be.
 */
enum mqd_rc mqd_read_peer(struct mqd_process *process, const struct mqd_matching *matching, uint32_t rank,
                          struct mqd_object *peer, bool *contacted) MQD_CHECKED;

/*
 * Shows `visit` the address of everything in a queue of custom matching (matching->posted_ta or ->unexpected_ta), in
 * its order. MQD_OK; what `visit` returned, which ends it; or why the queue cannot be walked: MQD_RC_bad_matching_queue
 * if it is not as long as it says, or holds something else, once what could be walked has been shown; where a node or a
 * value comes twice nothing is shown.
 */
enum mqd_rc mqd_visit_posted(struct mqd_process *process, const struct mqd_matching *matching,
                             enum mqd_rc (*visit)(mqd_taddr ta, void *context), void *context) MQD_CHECKED;
enum mqd_rc mqd_visit_unexpected(struct mqd_process *process, const struct mqd_matching *matching,
                                 enum mqd_rc (*visit)(mqd_taddr ta, void *context), void *context) MQD_CHECKED;

/*
 * How many receives and sends have been started, modulo 2^32: 0 on a communicator that ob1 has not seen yet. As the two
 * functions above, and MQD_RC_unknown_* if the layout lacks what is needed.
 */
enum mqd_rc mqd_read_activity(struct mqd_process *process, const struct mqd_communicator *communicator,
                              uint32_t *n_receives, uint32_t *n_sends) MQD_CHECKED;

/* How many messages were sent to a peer, and have arrived from it in their order. As mqd_read_activity. */
enum mqd_rc mqd_read_traffic(struct mqd_process *process, const struct mqd_communicator *communicator, uint32_t rank,
                             uint16_t *n_sent, uint16_t *n_arrived) MQD_CHECKED;

#endif
