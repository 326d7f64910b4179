/*
 * thread.h - what the threads of a rank wait for in its process, and who of them cannot get on whatever comes over MPI.
 */
#ifndef MQD_DUMP_VERDICT_THREAD_H
#define MQD_DUMP_VERDICT_THREAD_H

#include "mqd/dump/verdict/graph.h"

/* How a thread gets on. */
enum standing {
    STANDS_FREE,           /* by itself; or that is not known */
    STANDS_IN_MPI,         /* as its call does */
    STANDS_IDLE,           /* when a region begins for which its runtime takes it */
    STANDS_ENDED,          /* it never does */
    STANDS_WAITING         /* when other threads do: nodes of the graph say which */
};

/* What a thread waits for that is no thread itself: a barrier or the tasks of a team, or a lock. */
struct meeting {
    enum { MEETING_BARRIER, MEETING_TASKS, MEETING_LOCK } kind;
    uint64_t object;           /* of a lock; 0: not known */
    pid_t holder;              /* of a lock; 0: it is not known who has it: any of those to which its waits lead */
};

/* The threads of a rank. Positions are those of `openmp`. */
struct threads {
    const struct openmp *openmp;
    const struct listing *listing;
    bool same;                 /* each that waits did so at the look before; or there was no such look */
    enum standing *standings;
    const struct call **calls; /* where each is; NULL: it sleeps until another thread wakes it, or serves a library */
    struct model model;        /* its nodes are the threads, and after them the meetings; of MPI it knows nothing */
    struct meeting *meetings;
    size_t n_meetings, meeting_room;
    const struct wait **first_wait; /* of each node; NULL: it waits for nothing */
    unsigned char *dies_at;    /* of each node; 0: it never gets on */
    struct graph graph;        /* of these nodes */
};

/* For threads_free. NULL: nothing is known of the threads, or they are too many. It refers to the witness. */
struct threads *threads_find(const struct witness *witness);
void threads_free(struct threads *threads);

/* The position of a thread, or SIZE_MAX. */
size_t threads_position(const struct threads *threads, pid_t thread);

/* Does the thread get on only if others of its process do, though it may run: it looks again and again for that? */
bool threads_has_waiting(const struct threads *threads, pid_t thread);

/* Does it wait for what no message can bring about? Is there such a thread? */
bool thread_is_locked(const struct threads *threads, size_t i);
bool threads_are_locked(const struct threads *threads);

/* What a thread that waits waits for; NULL: that is a thread, or it waits for nothing that is known. */
const struct meeting *thread_meeting(const struct threads *threads, size_t i);

/*
 * The threads that it waits for: of a barrier all of them must come, of tasks and of a lock without a known holder one
 * may be enough. In order, for free().
 */
size_t *thread_awaits(const struct threads *threads, size_t i, size_t *n);

#endif
