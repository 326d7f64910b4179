/*
 * found_send.h - sends that are found through the message that waits at their receiver.
 */
#ifndef MQD_DUMP_COLLECT_CLIENT_FOUND_SEND_H
#define MQD_DUMP_COLLECT_CLIENT_FOUND_SEND_H

#include <stddef.h>

#include "mqd/dump/collect/client/listing.h"

/* A process that was listed, and can still be read as it was then. */
struct listed_process {
    struct listing *listing;
    mqs_process *process;
};

/*
 * With some PMLs the request of a blocking send is on the sender's stack, where nothing in that process points to it. An
 * unexpected message names it. Asks the DLL for each send that a message of one of the processes names, and adds it to
 * the sends of its process, if it is not there. If it is, what is told of it now takes the place of what was told: the
 * message shows that the send waits for its receiver. The processes must not have run since the first was listed. With
 * `internal` sends of the MPI library's own are added too.
 */
void found_sends_take(const struct dll *dll, const struct listed_process *processes, size_t n, bool internal);

#endif
