/*
 * watch.h - what mqdump's processes see of each other: a page of memory that some of them share.
 *
 * The process that reads others may be kept waiting by the kernel for ever. Who waits for it can then say what it was
 * reading. Nothing of a page is trusted: who reads others may be under the control of one of them.
 */
#ifndef MQD_DUMP_BASE_WATCH_H
#define MQD_DUMP_BASE_WATCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

/* What a process that reads others is at. */
enum watch_stage { WATCH_STARTS, WATCH_PREPARES, WATCH_READS };

struct watch {
    _Atomic pid_t front;       /* the process that users know as mqdump; 0: there is none */
    _Atomic pid_t process;     /* whose memory or files are being read; 0: none has been */
    _Atomic pid_t holder;      /* the process that holds others for it, and ends with it; 0: there is none */
    atomic_bool expired;       /* processes were let go before the reader asked for that, which it has not since */
    atomic_uint stage, n, of;  /* how many of how many processes have been prepared or read */
};

/*
 * Makes a page, of which the caller is the front end. Who maps the descriptor shares it; the caller closes that. NULL:
 * there is none, and nothing is shared.
 */
struct watch *watch_new(int *descriptor);

/* Maps a page that another process has made, and closes the descriptor. NULL if it is none. */
struct watch *watch_map(int descriptor);
void watch_free(struct watch *watch);

/* What the calling process and its children do is shown in this page from now on; NULL: in none that others see. */
void watch_use(struct watch *watch);

/* The page that is used; one that is all zero if there is none. */
struct watch *watch_own(void);

/* The calling process ends with its parent from now on. False: the front end, if there is one, is not its parent any more. */
bool watch_end_with_front(void);

/* Show in it what the calling process is at. */
void watch_set_process(pid_t pid);
void watch_set_progress(enum watch_stage stage, size_t n, size_t of);

#endif
