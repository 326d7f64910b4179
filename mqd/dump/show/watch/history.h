/*
 * history.h - what several looks at the same jobs, one after the other, show together: who has moved, who has not for
 * how long, and which findings came and went.
 *
 * Times are seconds of any clock that nobody sets; the caller says when a look began and ended. A rank was looked at in
 * between, nobody knows when. So what lasts counts from the end of the first look that has shown it to the beginning of
 * the latest one: that long it was so, and perhaps longer.
 */
#ifndef MQD_DUMP_SHOW_HISTORY_H
#define MQD_DUMP_SHOW_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/record/witness.h"
#include "mqd/dump/show/watch/watched.h"
#include "mqd/dump/verdict/verdict.h"

/*
 * Adds a look that began then and has ended now. Its listings have `host` where machines are to be named. If it is
 * `whole`, what it does not have is not there any more. A finding that it does not have is gone if all ranks could be
 * seen, or one of its ranks has moved or ended; else it may still be there, and is unseen. One that it has is the same
 * as one of the look before if it is of the same kind and they have a rank in common that has not moved since. The
 * witnesses must outlive the history's next look: that is what the next ones are compared with.
 */
void history_add(struct history *history, const struct witness *witnesses, size_t n, bool whole,
                 const struct verdict *verdict, double began, double now);

/* How many ranks are in a state. */
size_t history_count(const struct history *history, enum rank_state state);

/* Has every rank that was seen ended, or is it gone? Not if none was ever seen. */
bool history_is_over(const struct history *history);

/* Nothing of the ranks could be found any more: all that are there are gone. */
void history_end(struct history *history, double now);

void history_clear(struct history *history);

#endif
