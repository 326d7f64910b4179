/*
 * window.h - what calls on windows wait for: locks, the calls with which others open and close epochs, and others' part
 * in accesses.
 */
#ifndef MQD_DUMP_VERDICT_WINDOW_H
#define MQD_DUMP_VERDICT_WINDOW_H

#include "mqd/dump/verdict/model.h"

/*
 * Finds what a rank's call of CALL_WINDOW waits for. There is none if that is not known. Ranks that cannot be what it
 * waits for are left out. *waiting has only `call` before.
 */
void window_waits_find(const struct model *model, size_t rank, struct waiting_call *waiting);

/* Why it cannot be told what a function waits for that works on a window; NULL: it is no such function, or it can. */
const char *window_unknown(const struct listing *listing, const char *function);

#endif
