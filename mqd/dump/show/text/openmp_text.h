/*
 * openmp_text.h - what the threads of a process do in OpenMP, and for which mutexes they wait, for people.
 */
#ifndef MQD_DUMP_SHOW_OPENMP_TEXT_H
#define MQD_DUMP_SHOW_OPENMP_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/base/hash.h"
#include "mqd/dump/show/say/thread_list.h"

/*
 * Lines, of which spaces say how far to the right they begin, for free(): a line for each team, and below it its threads,
 * those that do the same in one. "" if nothing is known. Ranks whose threads do the same have equal ones without ids.
 */
char *openmp_lines(const struct thread_index *index, bool with_ids);

/* The processes by those lines, without ids: members are positions. Those of which nothing is known are in none. */
struct text_groups openmp_group(const struct thread_index *indexes, size_t n);

#endif
