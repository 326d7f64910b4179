/*
 * message.h - unexpected messages of UCX (ucp_recv_desc_t) and their headers.
 */
#ifndef MQD_DLL_UCX_MESSAGE_H
#define MQD_DLL_UCX_MESSAGE_H

#include "mqd/dll/ucx/matching.h"

/* A message that has arrived. */
struct mqd_ucx_message {
    uint64_t ta;                   /* first: messages are found by their address */
    uint64_t order;                /* of arrival */
    mqd_taddr next_ta, prev_ta;    /* links in the list of all messages */
    mqd_taddr bucket_next_ta, bucket_prev_ta; /* and in the list of its bucket */
    uint64_t tag;
    uint64_t length;               /* bytes of the message; of a message in several parts, of all of them */
    mqd_taddr data_ta;             /* 0: the data are still with the sender */
    mqd_taddr request_ta;          /* the sender's request, if the message names it */
    bool is_rendezvous;
    bool is_whole;                 /* all data are here */
    bool no_length;                /* the length is not known before the last part comes */
};


/* Where the links of a message are: in the list of all messages, and in that of its bucket. */
mqd_taddr mqd_ucx_link_to_all(const struct mqd_process *process, mqd_taddr message_ta);
mqd_taddr mqd_ucx_link_to_bucket(const struct mqd_process *process, mqd_taddr message_ta);

/*
 * Appends up to n_most messages to a vector of struct mqd_ucx_message, in order of arrival. MQD_RC_ucx_bad_message if
 * one is not what UCX has in this list; those before it are there then.
 */
enum mqd_rc mqd_ucx_read_messages(struct mqd_process *process, const struct mqd_ucx_matching *matching, size_t n_most,
                                  struct mqd_vector *messages) MQD_CHECKED;

#endif
