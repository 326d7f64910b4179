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

#endif
