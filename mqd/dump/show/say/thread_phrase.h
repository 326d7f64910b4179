/*
 * thread_phrase.h - threads of a rank, and what they wait for in its process, as parts of sentences.
 */
#ifndef MQD_DUMP_SHOW_SAY_THREAD_PHRASE_H
#define MQD_DUMP_SHOW_SAY_THREAD_PHRASE_H

#include "mqd/dump/verdict/thread.h"

/* The caller releases all texts with free(). Threads are given by their positions, in order. */

/*
 * "thread 3 of 4 of the parallel region at solve.c:9", "threads 0,1 of ..."; with_region false: "threads 0,1". Those
 * that are in none are "the main thread", "thread 4711".
 */
char *say_threads(const struct threads *threads, const size_t *positions, size_t n, bool with_region);

/*
 * The thread of a call: "thread 3 of 4 of the parallel region at solve.c:9", "thread 0 of ..., the main thread,", "the
 * main thread", "thread 4711".
 */
char *say_caller(const struct model_rank *rank, const struct call *call);

/*
 * What a thread that waits waits for, after "waits": " for the lock "faces" (solve.c:12), which thread 1 holds"; " for
 * thread 3 at the barrier at solve.c:9".
 */
char *say_thread_wait(const struct threads *threads, size_t i);

/* The same, where it waits for one thread that was just named: " for it at the barrier at solve.c:9". */
char *say_wait_for_it(const struct threads *threads, size_t i, size_t it);

/*
 * Is the thread that is waited for in a critical region, which the other one waits to enter? Such a region does not end
 * before its block: if nobody else can be in it, this thread is. ' the critical region "update" (solve.c:8)'.
 */
bool is_inside_critical(const struct threads *threads, size_t i, size_t it);
char *say_critical(const struct openmp_thread *row);

#endif
