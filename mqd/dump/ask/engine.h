/*
 * engine.h - asks processes of mqdump's own, on this machine and on others: one request, one answer, which is a record.
 *
 * Who answers may be under the control of whom it has read. So nothing in the record is trusted (record/read.h), and
 * the caller takes no more of it than what was asked for.
 */
#ifndef MQD_DUMP_ASK_ENGINE_H
#define MQD_DUMP_ASK_ENGINE_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/ask/request.h"
#include "mqd/dump/collect/child/child.h"
#include "mqd/dump/record/read.h"
#include "mqd/dump/record/record.h"

/* One process that is asked. The record is the caller's, and has what has come: nothing, a part, or all. */
struct answer {
    struct record *record;
    struct record_reader reader;
    bool unreadable;               /* what was written: the problem of the record says why */
    char *input;                   /* the request */
    struct child child;
};

/* Of one process more warnings are not shown: it may have read something that makes no end of them. */
enum { MAX_WARNINGS = 64 };

/*
 * Prepares a request: its text is in answer->input. The record, which is cleared, shares the pool. Then the caller
 * fills in answer->child, whose members `take` and `context` are set.
 */
void answer_prepare(struct answer *answer, const struct request *request, struct record_pool *pool);

/* Takes a part of what was written: a child_taker, whose context is the answer. */
bool answer_take(void *context, const char *bytes, size_t n);

/* Asks n of them, and shows progress. */
void answers_run(struct answer *const *answers, size_t n, const struct patience *patience);

/* Releases what answer_prepare has made, and what has become of the child; not the record. */
void answer_clear(struct answer *answer);

/*
 * Adds a process or rank that nobody has read to the record. The listing, whose memory is taken over, says what is
 * known of it, and why.
 */
struct record_rank *record_add_unread(struct record *record, const struct listing *listing);

#endif
