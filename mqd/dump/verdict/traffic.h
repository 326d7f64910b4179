/*
 * traffic.h - messages that were sent and have not arrived.
 */
#ifndef MQD_DUMP_VERDICT_TRAFFIC_H
#define MQD_DUMP_VERDICT_TRAFFIC_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/verdict/model.h"

/*
 * Were the two ranks looked at together, and twice? Then what was on its way from the one to the other at the first look
 * shows at the second. Else only counts tell what is on its way.
 */
bool model_are_together(const struct model *model, size_t a, size_t b);

/* Finds what is on its way between ranks that were not looked at together. */
void traffic_find(struct model *model);

/*
 * Is a message from one rank to another known to be on its way? PEER_ANY: from any rank that was not looked at together
 * with it. The answer to a send that needs one counts as such a message. False also if messages were not counted.
 */
bool model_message_travels(const struct model *model, long from, uint32_t to, mqs_taddr_t unique_id);
bool model_answer_travels(const struct model *model, const struct operation *send);

/*
 * Are the messages between two ranks on a communicator counted, so that it is known whether one is on its way? Not if one
 * of them does not have the communicator, or another one with the number that this one had before or gets afterwards.
 */
bool model_is_counted(const struct model *model, size_t a, size_t b, mqs_taddr_t unique_id);

/* Is it known what of one rank is on its way to the other: were they looked at together, or are messages counted? */
bool model_is_known(const struct model *model, size_t a, size_t b, mqs_taddr_t unique_id);

/*
 * Could the members of a communicator, the rank's among them, all have been as they were looked at at one moment? Not if
 * one has received what another had yet to send, or if that is not known. Not all ranks were looked at together.
 */
bool traffic_is_consistent(const struct model *model, size_t rank, const struct communicator *communicator);

/*
 * Has a peer received more on the communicator of rank `from` than that rank has sent? This happens if the two were
 * looked at at different moments. `to` is then the peer's index.
 */
bool traffic_contradicts(const struct model *model, size_t from, const struct communicator *communicator, size_t *to);

#endif
