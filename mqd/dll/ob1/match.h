/*
 * match.h - ob1's object of a communicator, by which it matches messages.
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

/* Was this process's ob1 built with custom matching (5.0 and later)? Then there are no lists per peer. */
bool mqd_matches_custom(const struct mqd_process *process);

/*
 * Chooses among the tables that differ only in the way of custom matching, which no class descriptor tells. The content
 * of the queues tells: with the right table each item is the address of an object of the right class, and there are as
 * many items as the queue states. The function takes the table for which this is true of most queues of the snapshot's
 * communicators. If all queues are empty the layout stays; then nothing depends on the choice. Types that the debugger
 * knows are not changed.
 */
void mqd_settle_matching(struct mqd_process *process);

/*
 * Calls `visit` with the mca_pml_ob1_comm_proc_t of each peer that has been contacted, from rank `first` on, and after
 * the last rank from 0 on. MQD_RC_no_memory from `visit` ends this. The first other failure goes to *noted, if *noted
 * is MQD_OK.
 */
enum mqd_rc mqd_visit_peers(struct mqd_process *process, const struct mqd_matching *matching, uint32_t first,
                            enum mqd_rc (*visit)(const struct mqd_object *peer, uint32_t rank, void *context),
                            void *context, enum mqd_rc *noted) MQD_CHECKED;

/*
 * Reads the object of one peer. *contacted says whether there is one. If there is none the function returns MQD_OK. It
 * returns MQD_RC_unreadable if this cannot be found out, and MQD_RC_bad_match if the object is not a peer's.
 */
enum mqd_rc mqd_read_peer(struct mqd_process *process, const struct mqd_matching *matching, uint32_t rank,
                          struct mqd_object *peer, bool *contacted) MQD_CHECKED;

/*
 * Calls `visit` with the address of each item in a queue of custom matching (matching->posted_ta or ->unexpected_ta),
 * in the order of the queue. A failure of `visit` ends the walk and is returned. MQD_RC_bad_matching_queue: the queue
 * is not as long as it states, or has an item of another kind; the items that could be read are visited before. If a
 * node or an item comes twice no item is visited.
 */
enum mqd_rc mqd_visit_posted(struct mqd_process *process, const struct mqd_matching *matching,
                             enum mqd_rc (*visit)(mqd_taddr ta, void *context), void *context) MQD_CHECKED;
enum mqd_rc mqd_visit_unexpected(struct mqd_process *process, const struct mqd_matching *matching,
                                 enum mqd_rc (*visit)(mqd_taddr ta, void *context), void *context) MQD_CHECKED;

/*
 * How many receives and sends have been started, modulo 2^32: 0 on a communicator that ob1 has not seen yet. As the two
 * functions above; MQD_RC_unknown_* if the layout lacks what is needed; MQD_RC_overtaking if messages have no numbers.
 */
enum mqd_rc mqd_read_activity(struct mqd_process *process, const struct mqd_communicator *communicator,
                              uint32_t *n_receives, uint32_t *n_sends) MQD_CHECKED;

/* How many messages were sent to a peer, and have arrived from it in their order. As mqd_read_activity. */
enum mqd_rc mqd_read_traffic(struct mqd_process *process, const struct mqd_communicator *communicator, uint32_t rank,
                             uint16_t *n_sent, uint16_t *n_arrived) MQD_CHECKED;

#endif
