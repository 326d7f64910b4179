/*
 * history.h - what several looks at the same jobs, one after the other, show together: who has moved, who has not for
 * how long, and which findings came and went.
 *
 * Times are seconds of any clock that nobody sets; the caller says when a look began and ended. A rank was looked at in
 * between, nobody knows when. So what lasts counts from the end of the first look that has shown it to the beginning of
 * the latest one: that long it was so, and perhaps longer.
 */
#ifndef MQD_DUMP_SHOW_HISTORY_H
#define MQD_DUMP_SHOW_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "mqd/dump/record/witness.h"
#include "mqd/dump/show/say/explanation.h"
#include "mqd/dump/show/say/place.h"

/* What is known of a rank's movement, in the order in which people want to see them. */
enum rank_state {
    RANK_STANDS,           /* it has started nothing since: proved */
    RANK_SAME,             /* it was not seen to move; whether it has moved and come back is not known */
    RANK_UNKNOWN,          /* where it is could not be seen */
    RANK_NEW,              /* it was seen for the first time */
    RANK_MOVES,
    RANK_ENDED,            /* there is no such process any more */
    RANK_GONE,             /* it is in no list of ranks any more */
    N_RANK_STATES
};

struct watched_rank {
    char *key;             /* which rank it is, whatever its process */
    char *process;         /* which process */
    char *job;             /* "" if there is only one, or it has no name */
    char *host;            /* NULL: it is not to be named */
    long rank;             /* -1: unknown */
    pid_t pid;
    struct rank_place where;    /* it is, or what is known of its end */
    char *place;           /* the same as text */
    char *waits;           /* for what which of its threads wait */
    bool in_mpi;
    bool place_changed;    /* of one that has not moved: looks since then have found it in several places */
    bool threads_changed;  /* of one that has not moved: its threads wait for something else than at the look before */
    bool threads_moved;    /* the same of any look since it stands there */
    bool threads_before;   /* threads_changed of the look before */
    double threads_since;  /* threads_moved: since when they wait as they do */
    enum rank_state state;
    double since;          /* since when it is known to be so */
    enum rank_state before;        /* at the look before; N_RANK_STATES: it was not seen then */
    double stood;          /* of a rank that stood there, for how long it had until the look before */
    const struct witness *witness; /* of the latest look; NULL: it is not there any more */
};

struct watched_finding {
    enum finding_kind kind;
    char *title, *sentence;
    char *job;             /* these tell whether a later finding is the same */
    long user;
    long *ranks;
    size_t n_ranks;
    long *causes;          /* with them all ranks that can refute it */
    size_t n_causes;
    bool certain;
    double since;
    double went, lasted;   /* of one that is gone, or unseen: when, and for how long looks had it */
    bool came;             /* with the latest look */
    bool again;            /* the latest look shows it again, or one like it after its ranks have moved */
    bool stood;            /* of one that came again: it had been there in more than one look */
    bool unseen;           /* the latest look has not shown it, and nothing that refutes it */
    bool vanished;         /* the same, and the look before had it */
};

/* A zeroed history has no looks. Release it with history_clear. */
struct history {
    struct watched_rank *ranks;
    size_t n, room;
    size_t most;                       /* ranks in any look */
    struct watched_finding *findings;  /* of the latest look, in its order, and then those that it could not show */
    size_t n_findings, finding_room;
    struct watched_finding *gone;      /* the latest ones, the first one to go first */
    size_t n_gone, gone_room;
    size_t n_went;                     /* how many of them went with the latest look; they are the last ones */
    bool unclear;                      /* of the latest verdict */
    bool uncounted;                    /* a rank has shown that collective operations are not counted */
    size_t n_looks;
    double first, began, latest;       /* when the first one began, and when the latest one began and ended */
};

/*
 * Adds a look that began then and has ended now. Its listings have `host` where machines are to be named. If it is
 * `whole`, what it does not have is not there any more. A finding that it does not have is gone if all ranks could be
 * seen, or one of its ranks has moved or ended; else it may still be there, and is unseen. One that it has is the same
 * as one of the look before if it is of the same kind and they have a rank in common that has not moved since. The
 * witnesses must outlive the history's next look: that is what the next ones are compared with.
 */
void history_add(struct history *history, const struct witness *witnesses, size_t n, bool whole,
                 const struct explanation *explanation, double began, double now);

/* How many ranks are in a state. */
size_t history_count(const struct history *history, enum rank_state state);

/* Has every rank that was seen ended, or is it gone? Not if none was ever seen. */
bool history_is_over(const struct history *history);

/* Nothing of the ranks could be found any more: all that are there are gone. */
void history_end(struct history *history, double now);

void history_clear(struct history *history);

#endif
