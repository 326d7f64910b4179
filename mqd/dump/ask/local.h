/*
 * local.h - has processes and cores looked at by collectors, and puts together what they have seen.
 */
#ifndef MQD_DUMP_ASK_LOCAL_H
#define MQD_DUMP_ASK_LOCAL_H

#include <stdbool.h>

#include "mqd/dump/ask/selection.h"
#include "mqd/dump/look/records.h"
#include "mqd/dump/look/wish.h"

/*
 * Fills *records with what was seen: one record for each collector, and all processes or cores in their order. What could not be
 * read has an error that says why. Start times of processes are filled in. Returns false if nothing could be done at
 * all; a message has said why. Release with records_clear in any case.
 */
bool ask_local(struct records *records, const struct wish *wish, const struct selection *selection);

#endif
