/*
 * openmp_text.h - what the threads of a process do in OpenMP, and for which mutexes they wait, for people.
 */
#ifndef MQD_DUMP_SHOW_OPENMP_TEXT_H
#define MQD_DUMP_SHOW_OPENMP_TEXT_H

#include <stddef.h>

#include "mqd/dump/base/hash.h"
#include "mqd/dump/show/say/thread_list.h"

/* The processes by what their threads do: members are positions. Those of which nothing is known are in none. */
struct text_groups openmp_group(const struct thread_index *indexes, size_t n);

/*
 * The lines of one of these groups, of which spaces say how far to the right they begin, for free(): a line for each
 * team, and below it its threads, those that do the same in one. A process that is alone has the ids of threads.
 */
char *openmp_group_lines(const struct thread_index *indexes, const struct text_group *group);

#endif
