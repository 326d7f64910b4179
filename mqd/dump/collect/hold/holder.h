/*
 * holder.h - the process that holds others while a reader reads them.
 *
 * Who reads memory may be kept waiting for ever, for example by a page of a file on a server that does not answer, and
 * cannot even be killed then. The holder reads nothing, so that the processes go on whatever becomes of the reader:
 * when it asks for that, when its time is over, and when it ends. If the holder ends, the kernel lets them go.
 */
#ifndef MQD_DUMP_COLLECT_HOLD_HOLDER_H
#define MQD_DUMP_COLLECT_HOLD_HOLDER_H

#include <stddef.h>

#include "mqd/dump/collect/target/process.h"

/*
 * Serves the reader at the other end of the socket until that is closed. To be called in a process of its own, which
 * should have nothing else open. It holds these n processes and no others; any if `only` is NULL. A process that was
 * read may control the reader: a request for another process ends it.
 */
void holder_serve(int socket, const struct process_id *only, size_t n);

#endif
