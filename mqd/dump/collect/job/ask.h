/*
 * ask.h - questions about processes that may never be answered.
 *
 * A process can make whoever reads its memory or opens its files wait for a file server that does not answer, in a way
 * that no signal ends. So a child asks, which can be left behind.
 */
#ifndef MQD_DUMP_COLLECT_JOB_ASK_H
#define MQD_DUMP_COLLECT_JOB_ASK_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the answer to the i-th question. It runs in a child: what it changes besides is lost. */
typedef void asker(void *context, size_t i, void *answer);

/* The largest answer: one that a pipe takes as a whole. */
enum { MAX_ANSWER = 2048 };

/* What came of a question: none was asked, or not for as long as an answer may take; an answer; none in that time. */
enum asked { ASKED_NOT, ASKED_ANSWERED, ASKED_IN_VAIN };

/*
 * Asks the questions of n groups, which have sizes[i] > 0 questions each, numbered through. Groups are asked at the same
 * time, the questions of each in their order. `answers` is a zeroed array with `size` bytes for each question, at most
 * MAX_ANSWER; `asked` is a zeroed one. A question without an answer costs seconds, and those of a group together some
 * more: then the others of this group are not asked. Returns false, with the reason in *why, if there can be no child.
 */
bool ask_all(asker *ask, void *context, const size_t *sizes, size_t n_groups, void *answers, size_t size,
             enum asked *asked, char **why);

#endif
