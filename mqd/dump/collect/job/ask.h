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

/*
 * Asks n questions in their order. `answers` is an array of n answers of `size` bytes, `answered` says which there are.
 * A question without an answer costs seconds, all of them together some more. Returns false, with the reason in *why,
 * if there can be no child.
 */
bool ask_all(asker *ask, void *context, size_t n, void *answers, size_t size, bool *answered, char **why);

#endif
