/*
 * hold_message.h - what a reader and the holder tell each other, through a pair of sockets.
 *
 * The reader asks to hold processes, reads them, and asks to let them go. Each request has an answer. The two are one
 * program, so that structures are sent as they are.
 */
#ifndef MQD_DUMP_COLLECT_HOLD_HOLD_MESSAGE_H
#define MQD_DUMP_COLLECT_HOLD_HOLD_MESSAGE_H

#include <stdint.h>

/* The general registers of no machine take more. */
enum { MAX_REGISTER_BYTES = 512 };

enum hold_what { HOLD_PROCESSES, HOLD_LET_GO };

/* If processes are to be held, n pids (int32_t) follow. */
struct hold_request {
    uint32_t what, n;
    double seconds;            /* after which they are let go in any case */
};

/* Of each process, in the order of the request, when all are held or have turned out not to be. */
struct hold_answer {
    int32_t state;             /* enum held_state */
    int32_t culprit, error;    /* as in struct held */
    uint32_t dead;
    uint32_t n_threads;        /* that follow */
};

struct hold_thread_answer {
    int32_t id, signal;
    uint32_t stopped, gone;
    uint64_t signature;        /* as held_signature() has it */
    uint32_t n_bytes;          /* of registers that follow */
};

/* The answer when all were let go. */
struct hold_end {
    uint32_t expired;          /* they had been let go before, because the time was over */
};

#endif
