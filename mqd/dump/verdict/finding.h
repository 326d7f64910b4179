/*
 * finding.h - what is found out: kinds, evidence, facts, and all findings of a look.
 */
#ifndef MQD_DUMP_VERDICT_FINDING_H
#define MQD_DUMP_VERDICT_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "mqd/dump/collect/client/listing.h"

struct analysis_part;
struct model_job;
struct model_rank;
struct operation;
struct participant;
struct wait;

/* The kinds, the most likely cause first. */
enum finding_kind {
#define FINDING(enumerator, heading, name, basis) FINDING_##enumerator,
#include "mqd/dump/verdict/findings.def"
#undef FINDING
    N_FINDING_KINDS
};

/* An operation that a finding rests on. */
struct evidence {
    const char *job;                   /* a witness's, or "" */
    long rank;
    pid_t pid;
    mqs_taddr_t communicator;          /* its unique id */
    int class;                         /* an mqs_op_class */
    struct queued operation;           /* the texts are the listing's */
};

/* What a finding has of another job's ranks. */
struct finding_share {
    const char *job;                   /* a witness's, or "" */
    long *ranks, *causes;
    size_t n_ranks, n_causes;
};

/* A growing set of ranks, as ids. */
struct rank_set {
    long *ranks;
    size_t n, room;
};
void rank_set_add(struct rank_set *set, long rank);
void rank_set_add_all(struct rank_set *set, const struct rank_set *others);
void rank_set_sort(struct rank_set *set);
void rank_set_clear(struct rank_set *set);

enum claim {
#define CLAIM(enumerator, kind) CLAIM_##enumerator,
#include "mqd/dump/verdict/claims.def"
#undef CLAIM
    N_CLAIMS
};

/* One of many facts of the same kind, in the order in which they were found. */
struct fact {
    enum fact_kind {
        FACT_WAIT,                 /* a wait, by its position in the model */
        FACT_COLLECTIVE,           /* a collective in which ranks are stuck, by its position */
        FACT_UNTAKEN,              /* an operation: a message of another root, which has arrived */
        FACT_THREAD,               /* a thread of the rank that waits for others of its process, by its position */
        FACT_ENDED_THREAD,         /* the same of one that has ended */
        FACT_CALL,                 /* a call of the rank, by its position */
        FACT_HOP                   /* a node of a circle, from the first one back to itself */
    } kind;
    uint32_t at;
};

/* What a finding or a note is made of. It refers to the part of the analysis, and is valid as long as that. */
struct facts {
    enum claim claim;
    const struct analysis_part *part;
    struct rank_set who, whom;         /* as ids, in order */
    const struct communicator *communicator;   /* that it is about, NULL: none or several */
    const struct wait *wait;
    const struct operation *operation, *sent;
    const struct participant *participant;
    const struct model_rank *rank;
    const struct model_job *job;
    size_t collective;
    size_t n;
    double bytes;
    struct fact *list;
    size_t n_list, list_room;
};

struct finding {
    enum finding_kind kind;
    bool certain;                      /* else only possible */
    bool refutable_by_waiting;         /* a rank that goes on may refute it, whatever its kind */
    struct facts facts;
    const char *job;                   /* a witness's, or "" */
    long user;                         /* whose the jobs are, if names alone do not tell jobs apart; else -1 */
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
    size_t n_joined;                   /* it stands for so many that were found; 0: for itself */
};

enum { MAX_EVIDENCE = 64 };

/* What holds of all findings together. */
struct note {
    enum note_kind {
        NOTE_NO_RANKS,             /* it is not known which ranks the processes are */
        NOTE_WAITING,              /* who waits for those of the findings */
        NOTE_ENDED,                /* who had ended when others were in MPI, at another time */
        NOTE_HELD,                 /* whom a debugger holds, of those that were read */
        NOTE_NOT_LOOKED_AT,        /* who was not looked at, for a machine's reason */
        NOTE_UNKNOWN,              /* of whom it is not known what they wait for */
        NOTE_STARVED,              /* who had no processor time */
        NOTE_UNCLEAR,              /* who stays in a call of which it is not known what it waits for */
        NOTE_NOT_GIVEN,            /* ranks of [job] are missing */
        NOTE_LOOKS_UNCOUNTED,      /* messages are not counted everywhere: between looks, or cores */
        NOTE_CORES_UNCOUNTED,
        NOTE_WINDOWS_UNCOUNTED, NOTE_LIBRARY_UNCOUNTED,
        NOTE_LOOKS_DIFFER,         /* the one rank has received more than the other one had sent */
        NOTE_CORES_DIFFER,
        N_NOTES
    } kind;
    struct facts facts;                /* its claim is none */
};

struct verdict {
    struct finding *findings;
    size_t n, room;
    struct note *notes;
    size_t n_notes, note_room;
    bool unclear;                      /* of some ranks it is not known whether they can get on; notes say of which */
};

void finding_free(struct finding *finding);

void finding_add_fact(struct finding *finding, enum fact_kind kind, size_t at);

/* Are there findings of different jobs, or of jobs that names alone do not tell apart? Then they name theirs. */
bool verdict_has_several_jobs(const struct verdict *verdict);

/* The kind of a finding that claims this. */
enum finding_kind finding_kind_of(enum claim claim);

/* Does it follow from one rank alone? */
bool finding_kind_is_of_one_rank(enum finding_kind kind);

/* Does it hold only as long as some rank takes its time, so that waiting longer may refute it? */
bool finding_rests_on_time(const struct finding *finding);

/* The kind as programs read it, "tag_mismatch". */
const char *finding_kind_name(enum finding_kind kind);

/* Sorts all findings, and joins those of a kind that has too many. */
void findings_order(struct verdict *verdict);

#endif
