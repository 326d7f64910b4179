/*
 * window.h - what calls on windows wait for: locks, the calls with which others open and close epochs, and others' part
 * in accesses.
 */
#ifndef MQD_DUMP_VERDICT_WINDOW_H
#define MQD_DUMP_VERDICT_WINDOW_H

#include "mqd/dump/verdict/model.h"

struct window_waits {
    struct window_wait *waits;
    size_t n, room;
    bool all;                  /* every one must end, else one of them at least */
    bool guessed;              /* which window or which lock the call waits for is not certain */
};

/*
 * Finds what a rank's call of CALL_WINDOW waits for. There is none if that is not known. Ranks that cannot be what it
 * waits for are left out. Release what was found.
 */
void window_waits_find(const struct model *model, size_t rank, const struct call *call, struct window_waits *waits);
void window_waits_free(struct window_waits *waits);

/* Why it cannot be told what a function waits for that works on a window; NULL: it is no such function, or it can. */
const char *window_unknown(const struct listing *listing, const char *function);

#endif
