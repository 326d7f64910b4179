/*
 * thread_list.h - threads of ranks as people write them, by their numbers in a team or by their names, and what they do in
 * the words of the OpenMP standard.
 */
#ifndef MQD_DUMP_SHOW_SAY_THREAD_LIST_H
#define MQD_DUMP_SHOW_SAY_THREAD_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "mqd/dump/collect/client/listing.h"
#include "mqd/dump/collect/openmp/facts.h"

/* So much is told of a variable's name, which may be as long as those of C++ are. */
enum { MAX_OBJECT_TEXT = 60 };

/* What is known of the threads of a process besides their stacks, by their ids. */
struct thread_index {
    const struct openmp *openmp;   /* NULL: nothing */
    const struct openmp_thread **rows;     /* by id; without those that have ended */
    size_t n;
    pid_t main_thread;
    const char *program, *main_name;       /* names that nobody has given to a thread; NULL: not known */
};

/* The listing must outlive the index. Release with thread_index_clear. */
void thread_index_make(struct thread_index *index, const struct listing *listing);
void thread_index_clear(struct thread_index *index);

/* The same of several. */
struct thread_index *thread_indexes_make(const struct listing *const *listings, size_t n);
void thread_indexes_free(struct thread_index *indexes, size_t n);

/* NULL: there is none. */
const struct openmp_thread *thread_index_find(const struct thread_index *index, pid_t thread);

/* Who a thread is, for people. */
struct thread_member {
    size_t rank;                   /* whatever the caller counts: it tells ranks apart */
    long team, number, size;       /* which team of its process, and which thread it is of how many; size 0: of none */
    const char *name;              /* that its program has given it; NULL: none */
};

/* `row` may be NULL. A region that one thread executes has no team: it is as if it were none. */
struct thread_member thread_member_of(const struct thread_index *index, const struct openmp_thread *row, size_t rank);

/* "thread 3", "threads 1-7"; with a team's size "threads 1-7 of 8", for free(). Sorts the numbers. Long lists are cut. */
char *say_thread_numbers(long *numbers, size_t n, long size);

/*
 * "thread 3", "threads 1-7", `with_size` "threads 1-7 of 8"; of threads without a number "thread "writer"", for free().
 * Long lists are cut. NULL: neither is known of all, or ranks differ, or threads are of several teams.
 */
char *say_thread_list(const struct thread_member *members, size_t n, bool with_size);

/*
 * "thread 2" of the team (-1: of none); else "the main thread", "thread "writer"", or by its id "thread 4711", which is
 * told besides a name that several have, for free(). Of equal ranks ids differ: without them "another thread".
 */
char *say_one_thread(const struct thread_index *index, pid_t thread, long team, bool with_id);

/* What threads do: "at a barrier", "waiting for a lock". */
const char *openmp_state_does(int state);

/*
 * What a thread waits for: "OpenMP barrier", "OpenMP lock"; NULL: it does not. A library's helper waits for a condition
 * until it has work: that is none of the program's.
 */
const char *openmp_row_waits(const struct openmp_thread *row);

#endif
