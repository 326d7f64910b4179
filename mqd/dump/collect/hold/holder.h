/*
 * holder.h - the process that holds others while a reader reads them.
 *
 * Who reads memory may be kept waiting for ever, for example by a page of a file on a server that does not answer, and
 * cannot even be killed then. The holder reads nothing, so that the processes go on whatever becomes of the reader:
 * when it asks for that, when its time is over, and when it ends. If the holder ends, the kernel lets them go.
 */
#ifndef MQD_DUMP_COLLECT_HOLD_HOLDER_H
#define MQD_DUMP_COLLECT_HOLD_HOLDER_H

/*
 * Serves the reader at the other end of the socket until that is closed. To be called in a process of its own, which
 * should have nothing else open.
 */
void holder_serve(int socket);

#endif
