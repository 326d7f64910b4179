/*
 * gather_hosts.h - has the ranks of jobs looked at on all of their machines, and puts together what was seen.
 */
#ifndef MQD_DUMP_GATHER_HOSTS_H
#define MQD_DUMP_GATHER_HOSTS_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/ask/limits.h"
#include "mqd/dump/ask/node_request.h"
#include "mqd/dump/ask/selection.h"
#include "mqd/dump/look/records.h"

struct hosts_wish {
    const struct selection *selection;    /* which jobs, and where */
    struct node_request request;          /* how they are read; which jobs is filled in */
    struct limit_choice limits;
    const char *launch, *launch_origin;   /* as in struct engine_wish */
    const char *program;                  /* mqdump on other machines; NULL: the same file as here */
    size_t fanout;
};

/*
 * Fills *records with what was seen: one record for each host. Ranks that are said to be on a host, and are in no
 * record, have an error that says why. What was not asked for is left out. What hosts say is written to standard error.
 * Returns false if there is nothing to show; a message has said why. Release with records_clear in any case.
 */
bool gather_hosts(struct records *records, const struct hosts_wish *wish);

#endif
