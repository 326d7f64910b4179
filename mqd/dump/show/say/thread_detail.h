/*
 * thread_detail.h - sentences about the threads of a rank that a finding is about.
 */
#ifndef MQD_DUMP_SHOW_SAY_THREAD_DETAIL_H
#define MQD_DUMP_SHOW_SAY_THREAD_DETAIL_H

#include "mqd/dump/show/say/sentence.h"

/* Adds what the threads wait for that the facts name, and then all others of the rank that get on with none of these. */
void say_stuck_threads(const struct facts *facts, struct sentences *sentences);

/* Adds where the threads are whose calls the facts name. */
void say_callers(const struct facts *facts, struct sentences *sentences);

/*
 * Adds which threads of ranks are in MPI, if others are beside them in a parallel region or wait for them, and who waits.
 * Ranks that were told of are not told of again: they are added to `told`.
 */
struct told_ranks {
    const struct model_rank **ranks;
    size_t n, room;
};
void say_threads_in_mpi(const struct facts *facts, struct told_ranks *told, struct sentences *sentences);

#endif
