/*
 * hosts.h - has the ranks of jobs looked at on all of their machines, and puts together what was seen.
 */
#ifndef MQD_DUMP_ASK_HOSTS_H
#define MQD_DUMP_ASK_HOSTS_H

#include <stdbool.h>

#include "mqd/dump/ask/launch.h"
#include "mqd/dump/ask/selection.h"
#include "mqd/dump/look/records.h"
#include "mqd/dump/look/wish.h"

/*
 * Fills *records with what was seen: one record for each host. Ranks that are said to be on a host, and are in no
 * record, have an error that says why. What was not asked for is left out. What hosts say is written to standard error.
 * Returns false if there is nothing to show; a message has said why. Release with records_clear in any case.
 */
bool ask_hosts(struct records *records, const struct wish *wish, const struct selection *selection,
               const struct reach *reach);

#endif
