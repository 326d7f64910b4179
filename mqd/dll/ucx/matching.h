/*
 * matching.h - UCX's tag matching (ucp_tag_match_t): the queues of posted receives, and the lists of unexpected messages.
 *
 * A receive for one source and one tag is in a bucket of a hash table, any other one in the queue of wildcards. An
 * unexpected message is in the list of all messages, in order of arrival, and in a bucket of another table.
 */
#ifndef MQD_DLL_UCX_MATCHING_H
#define MQD_DLL_UCX_MATCHING_H

#include "mqd/dll/ucx/state.h"

/* The tag matching of the worker. */
struct mqd_ucx_matching {
    mqd_taddr wild_ta;             /* ucp_request_queue_t of the wildcards */
    mqd_taddr expected_ta;         /* array of n_buckets queues */
    mqd_taddr all_ta;              /* ucs_list_link_t of all unexpected messages */
    mqd_taddr unexpected_ta;       /* array of n_buckets list heads */
    uint64_t sequence;             /* that the next posted receive gets */
    uint64_t n_posted;             /* receives in all queues, without those that the network adapter matches */
    uint32_t n_buckets;
    bool offload;                  /* a network adapter matches tags */
};

enum mqd_rc mqd_ucx_matching_read(struct mqd_process *process, const struct mqd_ucx *ucx,
                                  struct mqd_ucx_matching *matching) MQD_CHECKED;

/* The bucket of a tag, in both tables. */
uint32_t mqd_ucx_bucket(const struct mqd_process *process, uint64_t tag);

/*
 * Visits each queue of posted receives that is not empty: the wildcards (bucket UINT32_MAX), then the buckets. `head_ta`
 * is the first element, `end_ta` the address of the link that ends the queue. A queue that is impossible, or a number
 * of receives that does not add up, is MQD_RC_ucx_changing. `visit` may be NULL.
 */
enum mqd_rc mqd_ucx_visit_queues(struct mqd_process *process, const struct mqd_ucx_matching *matching,
                                 enum mqd_rc (*visit)(mqd_taddr head_ta, mqd_taddr end_ta, uint32_t bucket,
                                                      void *context),
                                 void *context) MQD_CHECKED;

/* Tests the heads of the lists of unexpected messages: each leads back to itself. MQD_RC_ucx_changing if one does not. */
enum mqd_rc mqd_ucx_test_lists(struct mqd_process *process, const struct mqd_ucx_matching *matching) MQD_CHECKED;

#endif
