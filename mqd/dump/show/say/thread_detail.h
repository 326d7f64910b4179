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

#endif
