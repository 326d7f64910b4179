/*
 * held.h - a process whose threads the calling process holds.
 *
 * Nothing here can be kept waiting by the process that is held. No memory of it is read, and no file is opened but the
 * list of its threads and their status under /proc, and their tracer's, which the kernel tells without a lock that a
 * process can keep. Only to attach to a thread may take time: see held_attach.
 *
 * Threads are held with PTRACE_SEIZE, which sends them no signal. When the holder ends for whatever reason, the kernel
 * lets them go as if they had not been stopped: a process that job control has stopped stays stopped, and signals that
 * have arrived meanwhile are delivered.
 */
#ifndef MQD_DUMP_COLLECT_HOLD_HELD_H
#define MQD_DUMP_COLLECT_HOLD_HELD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "mqd/dump/collect/target/process.h"

/* What came of it. */
enum held_state {
    HELD,              /* or nothing has been found that speaks against it */
    HELD_ENDED,        /* there is no such process any more */
    HELD_NOT_LISTED,   /* it is not known which threads there are */
    HELD_REFUSED,      /* the culprit may not be held */
    HELD_NOT_ATTACHED, /* the kernel kept the holder waiting at the culprit */
    HELD_NOT_STOPPED,  /* the culprit did not stop in time */
    HELD_TOO_MANY      /* threads are made faster than they can be stopped */
};

struct held {
    pid_t pid;
    struct thread *threads;
    size_t n, room;
    enum held_state state;
    pid_t culprit;             /* a thread */
    int error;                 /* the kernel's, if HELD_REFUSED or HELD_NOT_LISTED */
    bool dead;                 /* found to have died since it was held */
    double deadline;           /* all threads must have stopped by this time */
};

/* A thread that waits for a disk or a network file system stops late; if the server is down it never does. */
#define SECONDS_TO_STOP 3.0

/*
 * Attaches to all threads of held->pid and requests them to stop. To attach waits as long as another thread of the
 * process calls exec, which in turn may wait for a thread that has ended while it was held. So those are laid to rest
 * meanwhile. From the time `until` on the holder does not wait at all. held_prepare() must have been called.
 */
void held_attach(struct held *held, double until);

/*
 * Waits until all threads have stopped, those too that were made meanwhile. Call held_attach for all processes first:
 * they stop at the same time then.
 */
void held_wait(struct held *held, double until);

/*
 * Lets all threads go on. Returns false if there are threads that have not stopped yet or are just ending. Call it then
 * again a little later: until then their parent does not learn of their end, or they stay held.
 */
bool held_let_go(struct held *held);

/* Lays to rest what has ended while it was held: its parent learns of it. */
void held_reap(struct held *held);

/* Releases memory; the threads must have been let go. */
void held_clear(struct held *held);

/* From here on to held_finish() the process gets SIGALRM, by which held_attach is interrupted while it waits. */
void held_prepare(void);
void held_finish(void);

/* The general registers of no machine take more. */
enum { MAX_REGISTER_BYTES = 512 };

/*
 * Takes the registers of a stopped thread, at most MAX_REGISTER_BYTES, and says in *thread how many bytes they have,
 * and what signs its return addresses. It may not be stopped any more: then there are none.
 */
void held_take_registers(struct thread *thread, unsigned char *registers);

#endif
