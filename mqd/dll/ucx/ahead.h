/*
 * ahead.h - reading objects that lie near one another, in any order: each fetch reads the whole neighbourhood, and more of
 * it the longer that goes well.
 */
#ifndef MQD_DLL_UCX_AHEAD_H
#define MQD_DLL_UCX_AHEAD_H

#include "mqd/dll/target.h"

/* The most that is fetched at once. It holds 31 messages even where UCX gives 8 KiB to each. */
#define MQD_AHEAD_BYTES (4 * MQD_PIECE_BYTES)

/* A block of memory that was read; n is 0 if there is none. */
struct mqd_block {
    mqd_taddr ta;
    size_t n;
    unsigned char *bytes;          /* MQD_AHEAD_BYTES */
};

/* The blocks that were read last. All zero before the first read; _release gives the memory back. */
struct mqd_ahead {
    struct mqd_block blocks[2];    /* the newest first */
    size_t window;                 /* bytes that were fetched last */
};

/* Reads n bytes, at most a page. */
enum mqd_rc mqd_ahead_read(struct mqd_process *process, struct mqd_ahead *ahead, mqd_taddr ta, size_t n,
                           void *buffer) MQD_CHECKED;

void mqd_ahead_release(struct mqd_ahead *ahead);

#endif
