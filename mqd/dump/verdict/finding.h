/*
 * finding.h - what is found out: kinds, evidence, sentences, and all findings of a look.
 */
#ifndef MQD_DUMP_VERDICT_FINDING_H
#define MQD_DUMP_VERDICT_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "mqd/dump/collect/client/listing.h"

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

struct finding {
    enum finding_kind kind;
    bool certain;                      /* else only possible */
    bool refutable_by_waiting;         /* a rank that goes on may refute it, whatever its kind */
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
    bool unclear;                      /* of some ranks it is not known whether they can get on; notes say of which */
};

/* A growing set of ranks, as ids. */
struct rank_set {
    long *ranks;
    size_t n, room;
};
void rank_set_add(struct rank_set *set, long rank);
void rank_set_clear(struct rank_set *set);

void finding_free(struct finding *finding);

/* What it is about. Texts and sets of ranks are taken over; beyond a number that one wants to read, details are not. */
void finding_add_detail(struct finding *finding, char *text);
void finding_put_first(struct finding *finding, char *text);
void finding_set_communicator(struct finding *finding, const struct communicator *communicator);
void finding_set_ranks(struct finding *finding, struct rank_set ranks);
void finding_set_causes(struct finding *finding, struct rank_set causes);

void verdict_add_note(struct verdict *verdict, char *text);

/* Adds a copy of a note that is not there yet. */
void verdict_note_once(struct verdict *verdict, const char *text);

/* Are there findings of different jobs, or of jobs that names alone do not tell apart? Then they name theirs. */
bool verdict_has_several_jobs(const struct verdict *verdict);

/* Does it follow from one rank alone? */
bool finding_kind_is_of_one_rank(enum finding_kind kind);

/* Does it hold only as long as some rank takes its time, so that waiting longer may refute it? */
bool finding_rests_on_time(const struct finding *finding);

/* The kind as a heading for people, "Wrong tag". */
const char *finding_heading(enum finding_kind kind);

/* The kind as programs read it, "tag_mismatch". */
const char *finding_kind_name(enum finding_kind kind);

/* Sorts all findings, and joins those of a kind that has too many. */
void findings_order(struct verdict *verdict);

#endif
