/*
 * gather_hosts.h - has the ranks of jobs looked at on all of their machines, and puts together what was seen.
 */
#ifndef MQD_DUMP_GATHER_HOSTS_H
#define MQD_DUMP_GATHER_HOSTS_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/ask/selection.h"
#include "mqd/dump/look/records.h"
#include "mqd/dump/look/wish.h"

/* How other machines are reached. */
struct reach {
    const char *launch, *launch_origin;   /* as in struct engine_wish */
    const char *program;                  /* mqdump on other machines; NULL: the same file as here */
    size_t fanout;                        /* hosts that are asked at the same time */
};

/*
 * Fills *records with what was seen: one record for each host. Ranks that are said to be on a host, and are in no
 * record, have an error that says why. What was not asked for is left out. What hosts say is written to standard error.
 * Returns false if there is nothing to show; a message has said why. Release with records_clear in any case.
 */
bool gather_hosts(struct records *records, const struct wish *wish, const struct selection *selection,
                  const struct reach *reach);

#endif
