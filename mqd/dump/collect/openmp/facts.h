/*
 * facts.h - what the threads of a process do as its OpenMP runtimes know it: regions, teams, tasks, and what a thread
 * waits for. Words and states are those of the OpenMP standard and of its tools interface (OMPT).
 *
 * Runtimes keep no list for others: their structures are read from memory by tables (layout/gomp.def, layout/kmp.def),
 * and a table is believed only if nothing in the process contradicts it.
 */
#ifndef MQD_DUMP_COLLECT_OPENMP_FACTS_H
#define MQD_DUMP_COLLECT_OPENMP_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Records have these numbers: new ones come last. */
enum openmp_state {
    OPENMP_unknown,
    OPENMP_work_serial,            /* it executes code outside of any region */
    OPENMP_work_parallel,
    OPENMP_overhead,               /* it runs in the runtime */
    OPENMP_idle,                   /* it waits for a region */
    OPENMP_wait_barrier,           /* explicit, or at the end of a worksharing construct: it is not known which */
    OPENMP_wait_barrier_explicit,
    OPENMP_wait_barrier_implicit_workshare,
    OPENMP_wait_barrier_implicit_parallel,     /* at the end of the region */
    OPENMP_wait_taskwait,
    OPENMP_wait_taskgroup,
    OPENMP_wait_mutex,             /* a lock, a critical or atomic construct; outside of OpenMP a mutex */
    OPENMP_wait_lock,
    OPENMP_wait_critical,
    OPENMP_wait_atomic,
    OPENMP_wait_ordered,
    OPENMP_ended,                  /* a thread of a team that is no thread of the process any more */
    OPENMP_wait_condition          /* of POSIX or C++; it has no holder */
};

/* Does a thread in this state wait for others; at a barrier; and for what one thread has? */
static inline bool openmp_waits(int state)
{
    return state >= OPENMP_wait_barrier && state != OPENMP_ended;
}

static inline bool openmp_is_barrier(int state)
{
    return state >= OPENMP_wait_barrier && state <= OPENMP_wait_barrier_implicit_parallel;
}

static inline bool openmp_is_lock(int state)
{
    return state >= OPENMP_wait_mutex && state <= OPENMP_wait_atomic;
}

/* An OpenMP runtime in the process. */
struct openmp_runtime {
    char *file;                    /* "libgomp.so.1"; of a static one the program */
    char *name;                    /* "libgomp", "libomp", by what it exports */
    char *layout;                  /* the releases that its structures are those of, "13.1.0-16.1.0"; NULL: none fits */
    char *problem;                 /* why it is not understood; NULL: it is, or none of its threads is there */
};

/* The team of a parallel region. Positions are those of the same list; -1: none, or not known. */
struct openmp_team {
    long runtime;
    uint64_t address;
    long size;                     /* threads */
    long level;                    /* of nested regions, from 1 on */
    long parent, parent_number;    /* the enclosing region's team, and which of its threads has begun this region */
    long awaited;                  /* how many have not come to the barrier that others wait at; -1: not known */
    bool cancelled;
    char *place;                   /* of the region: "solve.c:9"; NULL: not known */
};

/* What memory shows of a thread that sleeps in the C library. In which function it does so decides what counts. */
struct openmp_sleep {
    bool is_known;                 /* it sleeps until another thread wakes it */
    uint64_t mutex, condition;     /* that it may sleep at; 0: none is proved */
    pid_t holder;                  /* of the mutex; 0: not known */
    uint64_t called;               /* the function of the C library that was called; 0: not known */
};

struct openmp_thread {
    pid_t thread;                  /* 0: OPENMP_ended */
    char *name;                    /* the system's; NULL: not known */
    long runtime, team;            /* positions; -1: none. Of a thread in regions of several runtimes the innermost one's,
                                      whose team's `parent` leads to the others */
    long number;                   /* in the team; -1: none */
    int state;                     /* enum openmp_state */
    uint64_t object;               /* the address of what it waits for; 0: not known */
    char *object_name;             /* "faces": the lock's variable, or the name of the critical construct */
    pid_t holder;                  /* the thread that has it, or at a barrier of libomp the one that it waits for */
    uint64_t task;                 /* that it executes; 0: not known */
    bool explicit_task;            /* it is no region's implicit task */
    uint64_t parent_task;          /* that has created it; 0: none, or not known */
    pid_t creator;                 /* the thread that has created it; 0: not known */
    long children;                 /* of its task: that are not complete; -1: not known */
    char *place;                   /* "solve.c:14": of what it waits at, else of what it executes; NULL: not known */
    uint64_t called;               /* the runtime's function that the program has called; 0: none, or not known */
    struct openmp_sleep sleep;     /* while the facts are found */
    bool let_go;                   /* what it slept for has come: it waits no more, whatever function it is in */
};

struct openmp {
    struct openmp_runtime *runtimes;
    size_t n_runtimes;
    struct openmp_team *teams;     /* those of threads that are in a region, and the regions around */
    size_t n_teams, team_room;
    struct openmp_thread *threads; /* all of the process, if it has a runtime or several of them, in the order of their
                                      stacks; after them those that ended */
    size_t n_threads, thread_room;
};

#endif
