/*
 * verdict.h - why a job does not get on: conclusions from what all its processes wait for.
 *
 * Nothing here touches a process. A rank is taken to be able to get on, and then to do anything, unless its stack and
 * its operations show what it waits for, and that this cannot come: so what is not known accuses nobody. Messages may
 * be on their way at any one moment, so the caller looks twice and says who has moved in between. Where that is not
 * possible, what would need it is only possible too.
 */
#ifndef MQD_DUMP_VERDICT_H
#define MQD_DUMP_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/gone.h"
#include "mqd/dump/listing.h"
#include "mqd/dump/stack.h"

/* What is known of one process. */
struct witness {
    const struct listing *listing;     /* with the MPI library's own operations */
    const struct calls *calls;         /* NULL: not known */
    const char *job;                   /* processes of other jobs have the same ranks; NULL: the only one */
    bool stopped;                      /* a signal has stopped it: what it seems to wait for may be there */
    bool ended;                        /* there is no such process any more */
    bool crashed;                      /* it was killed by a signal, listing->signal, for an error of its own */
    bool once;                         /* there is no second look that could show what was on its way at the first */
    const struct gone *gone;           /* it was not found where it was started; NULL: it was */
    bool moved;                        /* it has done something since it was first looked at */
};

/* The most likely cause first. */
enum finding_kind {
    FINDING_CRASHED,                   /* an error of its own killed a process, as its core says */
    FINDING_ENDED,                     /* others wait for a process that has ended */
    FINDING_FINALIZED,                 /* others wait for one that is in MPI_Finalize, or past it */
    FINDING_TAG,                       /* the message is there, with another tag */
    FINDING_COMMUNICATOR,              /* the message is there, on another communicator */
    FINDING_SOURCE,                    /* the message is there, from another rank */
    FINDING_DESTINATION,               /* the message is at, or on its way to, another rank */
    FINDING_TRUNCATED,                 /* a message was longer than the buffer */
    FINDING_COLLECTIVES_DIFFER,        /* ranks are in different collectives of one communicator */
    FINDING_NO_SEND,                   /* a receive whose message nobody will send */
    FINDING_NO_RECEIVE,                /* a send that nobody will receive */
    FINDING_COLLECTIVE_MISSING,        /* ranks that are not in a collective where others wait */
    FINDING_DEADLOCK,                  /* a circle of waits */
    FINDING_BUSY,                      /* others wait for a rank that does something else */
    FINDING_NOT_READ,                  /* others wait for a rank of which nothing is known */
    FINDING_FLOOD,                     /* messages pile up */
    N_FINDING_KINDS
};

/* An operation that a finding rests on. */
struct evidence {
    const char *job;                   /* a witness's, or "" */
    long rank;
    pid_t pid;
    mqs_taddr_t communicator;          /* its unique id */
    int class;                         /* an mqs_op_class */
    mqs_pending_operation operation;
};

/* What a finding has of another job's ranks. */
struct finding_share {
    const char *job;                   /* a witness's, or "" */
    long *ranks, *causes;
    size_t n_ranks, n_causes;
};

struct finding {
    enum finding_kind kind;
    bool certain;                      /* else only possible */
    const char *job;                   /* a witness's, or "" */
    long *ranks;                       /* that are stuck, or hold what is found; in order */
    size_t n_ranks;
    long *causes;                      /* ranks that these wait for, or that send; in order, may be none */
    size_t n_causes;
    struct finding_share *others;      /* where several jobs are concerned: the same of the others */
    size_t n_others, other_room;
    bool has_communicator;
    mqs_taddr_t communicator;          /* its unique id */
    char *communicator_name;
    struct evidence *evidence;         /* some at least: MAX_EVIDENCE at most */
    size_t n_evidence, evidence_room;
    char *sentence;
    char **details;                    /* further sentences */
    size_t n_details, details_room;
};

enum { MAX_EVIDENCE = 64 };

struct verdict {
    struct finding *findings;
    size_t n, room;
    char **notes;                      /* sentences about all findings: who else waits, of whom nothing is known */
    size_t n_notes, note_room;
};

/* Concludes from all witnesses; the verdict, zeroed or of an earlier look, refers to their `job` and nothing else. */
void verdict_reach(struct verdict *verdict, const struct witness *witnesses, size_t n);
void verdict_clear(struct verdict *verdict);

/*
 * Has the process done something between two looks? What it computes outside of MPI does not count, nor does asking
 * again whether there is a message.
 */
bool witness_has_moved(const struct witness *before, const struct witness *after);

/* Does it hold only as long as some rank takes its time, so that waiting longer may refute it? */
bool finding_rests_on_time(const struct finding *finding);

/* The kind as a heading for people, "Wrong tag". */
const char *finding_heading(enum finding_kind kind);

/* The kind as programs read it, "tag_mismatch". */
const char *finding_kind_name(enum finding_kind kind);

#endif
