/*
 * rank_claim.h - which process speaks for which rank of which job, and which jobs have communicators in common.
 */
#ifndef MQD_DUMP_VERDICT_RANK_CLAIM_H
#define MQD_DUMP_VERDICT_RANK_CLAIM_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/verdict/witness.h"

/* A witness, and the rank that it speaks for. */
struct rank_claim {
    const struct witness *witness;
    long world;
    const char *job;               /* "" if it has no name */
    bool inferred;                 /* the rank is what remains when all others are known */
    size_t connected_jobs;                 /* the same for jobs that have communicators in common */
};

/*
 * Claims of those whose rank is known or can be told, for free(), ordered by job and rank. Jobs that have communicators
 * in common follow each other; such a group ends where rank_claims_end says, and the next one begins there.
 */
struct rank_claim *rank_claims_take(const struct witness *witnesses, size_t n, size_t *n_claims);
size_t rank_claims_end(const struct rank_claim *claims, size_t n, size_t first);

#endif
