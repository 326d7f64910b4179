/*
 * stack.h - where the threads of a process are: in which MPI call, and who called it.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_STACK_H
#define MQD_DUMP_COLLECT_TARGET_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "mqd/dump/collect/target/modules.h"
#include "mqd/dump/collect/target/stack/known_place.h"
#include "mqd/dump/collect/target/stack/library_calls.h"
#include "mqd/dump/collect/target/stack/unwind.h"

enum call_state {
    CALL_UNKNOWN,          /* the stack cannot be told */
    CALL_OUTSIDE,          /* not in MPI */
    CALL_MPI
};

/* The places of a call that are told at most: more do not fit a line. */
enum { MAX_CHAIN = 4 };

/* What a thread is doing. */
struct call {
    pid_t thread;
    bool is_main;
    enum call_state state;
    char *function;        /* CALL_MPI: the innermost function of MPI, which waits: "MPI_Recv", as C writes it;
                              CALL_OUTSIDE in a wrapper: the function of MPI that it stands for;
                              else the program's innermost function, or NULL */
    char *outer;           /* CALL_MPI: the outermost function of MPI, inside of which that was called, as in
                              "MPI_File_write_at_all" or "MPI_Finalize"; NULL: the same call */
    bool called_back;      /* outer: it has called a function of the program, which has called `function` */
    char *wrapper;         /* the file of a wrapper between the program and the call, "libprofile.so"; CALL_OUTSIDE: it
                              is in this wrapper, which has not called MPI; NULL: none */
    char *spelling;        /* CALL_MPI: how the program names the function, "MPI_Recv_c"; NULL: as above */
    char *place;           /* of the call, or of what runs outside of MPI: "ring.c:21", "exchange+0x5c"; or NULL */
    bool has_source;       /* place is a source line */
    char *chain[MAX_CHAIN]; /* CALL_MPI from a library: where the call comes from at each border of libraries, up to the
                              program, "H5Dwrite in libhdf5_openmpi", "save_state main.c:214" */
    size_t n_chain;        /* 0: `place` tells all */
    bool runs;             /* it may get on without a message: it is outside of MPI and waits for no other thread */
    bool crashed;          /* the process ended by an error of this thread */
    char *fault;           /* crashed: the function in which; NULL: not known */
    uint64_t mark;         /* CALL_MPI: equal if called from the same place through the same callers */
    uint64_t stack_low, stack_high; /* the addresses of its frames, the innermost first; 0: not known */
};

/* No more frames of a stack are named: records have no more. */
enum { MAX_NAMED_FRAMES = 256 };

/*
 * The stack of one thread for people. Frames are the innermost first; equal places of all ranks have equal texts:
 * "exchange halo.c:88", "PMPI_Recv in libmpi.so.40", "0x1234 in libfoo.so". Release it with free(frames).
 */
struct named_stack {
    pid_t thread;
    bool is_main;
    bool ended;            /* the outermost frame was reached, and named */
    const char **frames;
    size_t n;
};

/*
 * The calls of the main thread, and of other threads that are in MPI, that may call it without being woken by another
 * thread, or that crashed.
 */
struct calls {
    struct call *calls;
    size_t n, room;
    bool complete;         /* nothing is left out that matters */
    pid_t initialiser;     /* the thread that has initialised MPI; 0: not known */
    struct named_stack *stacks; /* of all threads */
    size_t n_stacks;
    bool has_stacks;       /* they were asked for */
    struct library_calls libraries;    /* where all threads are besides */
};

/*
 * Finds functions and source lines of the stacks, of all frames if the `whole` stacks are asked for. The process may
 * run again, or have ended.
 */
void calls_name(struct calls *calls, const struct stacks *stacks, const struct modules *modules, pid_t main_thread,
                struct place_cache *cache, bool whole);
void calls_clear(struct calls *calls);

/*
 * What lies at the i-th frame of a stack, for free(): "ring.c:21", else "exchange+0x5c" or, without a function,
 * "solver at 0x1234".
 */
char *place_said(struct known_place *known, size_t i);

/* The call's function for people: as the program names it. NULL if there is none. */
const char *call_shown(const struct call *call);

/*
 * The same in words, for free(): "MPI_Allreduce in MPI_File_write_at_all", "MPI_Ssend through libwrap.so". Only for
 * CALL_MPI.
 */
char *call_phrase(const struct call *call);

#endif
