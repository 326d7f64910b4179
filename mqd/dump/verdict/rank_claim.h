/*
 * rank_claim.h - which process is which rank of which job, and which jobs have communicators in common.
 */
#ifndef MQD_DUMP_VERDICT_RANK_CLAIM_H
#define MQD_DUMP_VERDICT_RANK_CLAIM_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/record/witness.h"

/* A witness, and the rank that its process is. */
struct rank_claim {
    const struct witness *witness;
    long world;
    const char *job;               /* "" if it has no name */
    long user;                     /* whose the job is; -1: not known */
    bool name_users;               /* jobs of different users have the same name */
    bool inferred;                 /* the rank is what remains when all others are known */
    size_t connected_jobs;                 /* the same for jobs that have communicators in common */
};

/*
 * Returns claims for all witnesses whose rank is known or can be inferred, for free(), sorted by job and rank. Jobs
 * that have communicators in common follow each other; rank_claims_end returns where such a group ends and the next
 * begins. What a process says of itself never makes it one of another user's job, and no such group has several users.
 */
struct rank_claim *rank_claims_take(const struct witness *witnesses, size_t n, size_t *n_claims);
size_t rank_claims_end(const struct rank_claim *claims, size_t n, size_t first);

/* A job among those that have communicators in common. */
struct model_job {
    const char *name;                          /* "" if it has none */
    long user;                                 /* whose it is, if the name alone does not tell jobs apart; else -1 */
    long base;                                 /* the id of its rank 0 */
    long n_ids;                                /* that it has, at least as many as ranks */
    long world_size;                           /* of its MPI_COMM_WORLD; 0: not known */
    size_t first_rank, n_ranks;                /* of the model */
    bool has_number;                           /* Open MPI's for it is known: */
    unsigned long number;
    size_t connected_jobs;                     /* in rank_claim.c: the first job of those that are connected with it */
};

/* Fills *jobs, which has room for n, with what sorted claims show of their jobs. Returns how many there are. */
size_t jobs_of_claims(struct model_job *jobs, const struct rank_claim *claims, size_t n);

#endif
