/*
 * watch.h - what mqdump's processes see of each other: a page of memory that they share.
 *
 * The process that reads others may be kept waiting by the kernel for ever. Who waits for it can then say what it was
 * reading. Before watch_open() nothing is shared.
 */
#ifndef MQD_DUMP_BASE_WATCH_H
#define MQD_DUMP_BASE_WATCH_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * To be called once, by the process that users know as mqdump, before it starts another one. Without memory nothing is
 * shared.
 */
void watch_open(void);

/* The process that has called it; 0: none has. */
pid_t watch_front(void);

/* The process whose memory or files are being read; 0: none has been. */
void watch_set_process(pid_t pid);
pid_t watch_process(void);

/* Were processes let go before the reader asked for that, since when it has asked for nothing? */
void watch_set_expired(bool expired);
bool watch_expired(void);

#endif
