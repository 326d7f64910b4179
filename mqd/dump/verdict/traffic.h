/*
 * traffic.h - messages that were sent and have not arrived.
 */
#ifndef MQD_DUMP_VERDICT_TRAFFIC_H
#define MQD_DUMP_VERDICT_TRAFFIC_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/verdict/model.h"

/*
 * Is a message from one rank (PEER_ANY: from any) to another known to be on its way? The answer to a send that needs
 * one counts as such a message. False also if messages were not counted.
 */
bool model_message_travels(const struct model *model, long from, uint32_t to, mqs_taddr_t unique_id);
bool model_answer_travels(const struct model *model, const struct operation *send);

/* Are the messages between two ranks on a communicator counted, so that it is known whether one is on its way? */
bool model_is_counted(const struct model *model, size_t a, size_t b, mqs_taddr_t unique_id);

/*
 * Has a peer received more on the communicator of rank `from` than that rank has sent? This happens if the two were
 * looked at at different moments. `to` is then the peer's index.
 */
bool traffic_contradicts(const struct model *model, size_t from, const struct communicator *communicator, size_t *to);

#endif
