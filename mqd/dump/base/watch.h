/*
 * watch.h - what mqdump's processes see of each other: a page of memory that some of them share.
 *
 * The process that reads others may be kept waiting by the kernel for ever. Who waits for it can then say what it was
 * reading. Nothing of a page is trusted: who reads others may be under the control of one of them.
 */
#ifndef MQD_DUMP_BASE_WATCH_H
#define MQD_DUMP_BASE_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct watch;

/* What a process that reads others is at. */
enum watch_stage { WATCH_STARTS, WATCH_PREPARES, WATCH_READS };

/*
 * Makes a page, of which the caller is the front end, the process that users know as mqdump. Who maps the descriptor
 * shares it; the caller closes that. NULL: there is none, and nothing is shared.
 */
struct watch *watch_new(int *descriptor);

/* Maps a page that another process has made, and closes the descriptor. NULL if it is none. */
struct watch *watch_map(int descriptor);
void watch_free(struct watch *watch);

/* What the calling process and its children do is shown in this page from now on; NULL: in none that others see. */
void watch_use(struct watch *watch);

/* The front end of the page that is used; 0: there is none. */
pid_t watch_front(void);

/* The process whose memory or files are being read; 0: none has been. */
void watch_set_process(pid_t pid);
pid_t watch_process(const struct watch *watch);

/* Were processes let go before the reader asked for that, since when it has asked for nothing? */
void watch_set_expired(bool expired);
bool watch_expired(const struct watch *watch);

/* How many of how many processes have been prepared or read. */
void watch_set_progress(enum watch_stage stage, size_t n, size_t of);
enum watch_stage watch_progress(const struct watch *watch, size_t *n, size_t *of);

#endif
