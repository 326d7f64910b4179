/*
 * finding.c - what is found out.
 */
#include "mqd/dump/verdict/finding.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/base/sort.h"

/* More findings of one kind are not readable. */
enum { MAX_OF_KIND = 5 };

void finding_add_fact(struct finding *finding, enum fact_kind kind, size_t at)
{
    struct facts *facts = &finding->facts;

    APPEND(facts->list, facts->n_list, facts->list_room, (struct fact){kind, (uint32_t)at});
}

void rank_set_add(struct rank_set *set, long rank)
{
    APPEND(set->ranks, set->n, set->room, rank);
}

void rank_set_add_all(struct rank_set *set, const struct rank_set *others)
{
    for (size_t i = 0; i < others->n; i++)
        rank_set_add(set, others->ranks[i]);
}

void rank_set_sort(struct rank_set *set)
{
    set->n = ranks_sort(set->ranks, set->n);
}

void rank_set_clear(struct rank_set *set)
{
    free(set->ranks);
    *set = (struct rank_set){0};
}

void finding_free(struct finding *finding)
{
    for (size_t i = 0; i < finding->n_others; i++)
        FREE_ALL(finding->others[i].ranks, finding->others[i].causes);
    FREE_ALL(finding->ranks, finding->causes, finding->others, finding->communicator_name, finding->evidence,
             finding->facts.who.ranks, finding->facts.whom.ranks, finding->facts.list);
}

/* If there are many findings of one kind, those after the first ones are joined. */

/* Joins several findings into the first of them, which keeps its evidence. */
static void join_findings(struct finding *findings, size_t n)
{
    struct finding *first = &findings[0];
    struct rank_set ranks = {first->ranks, first->n_ranks, first->n_ranks};
    struct rank_set causes = {first->causes, first->n_causes, first->n_causes};

    for (size_t i = 1; i < n; i++) {
        rank_set_add_all(&ranks, &(struct rank_set){findings[i].ranks, findings[i].n_ranks, 0});
        rank_set_add_all(&causes, &(struct rank_set){findings[i].causes, findings[i].n_causes, 0});
        finding_free(&findings[i]);
    }
    rank_set_sort(&ranks);
    rank_set_sort(&causes);
    first->ranks = ranks.ranks;
    first->n_ranks = ranks.n;
    first->causes = causes.ranks;
    first->n_causes = causes.n;
    first->has_communicator = false;
    first->n_joined = n;
}

/* By their jobs; 0: they are of the same. */
static int compare_jobs(const struct finding *a, const struct finding *b)
{
    return strcmp(a->job, b->job) ?: ORDER(a->user, b->user);
}

bool verdict_has_several_jobs(const struct verdict *verdict)
{
    for (size_t i = 1; i < verdict->n; i++)
        if (compare_jobs(&verdict->findings[i], &verdict->findings[0]) != 0)
            return true;
    return verdict->n > 0 && verdict->findings[0].user >= 0;
}

/* Findings that concern several jobs are not joined. */
static bool is_of_same_kind(const struct finding *a, const struct finding *b)
{
    return a->n_others == 0 && b->n_others == 0 && a->kind == b->kind && a->certain == b->certain &&
           compare_jobs(a, b) == 0;
}

static void join_many(struct verdict *verdict)
{
    size_t n_left = 0;

    for (size_t i = 0; i < verdict->n;) {
        size_t end = i + 1, n_kept;

        while (end < verdict->n && is_of_same_kind(&verdict->findings[i], &verdict->findings[end]))
            end++;
        n_kept = end - i > MAX_OF_KIND ? MAX_OF_KIND : end - i;
        if (n_kept < end - i)
            join_findings(&verdict->findings[i + n_kept - 1], end - i - n_kept + 1);
        for (size_t k = 0; k < n_kept; k++)
            verdict->findings[n_left++] = verdict->findings[i + k];
        i = end;
    }
    verdict->n = n_left;
}

static int compare_findings(const void *a, const void *b)
{
    const struct finding *x = a, *y = b;

    return ORDER(y->certain, x->certain) ?: ORDER(x->kind, y->kind) ?: compare_jobs(x, y) ?:
           (x->n_ranks > 0 && y->n_ranks > 0 ? ORDER(x->ranks[0], y->ranks[0]) : 0);
}

void findings_order(struct verdict *verdict)
{
    SORT(verdict->findings, verdict->n, compare_findings);
    join_many(verdict);
}

/* Kinds. */

enum finding_basis { BASIS_ONE_RANK, BASIS_MOMENT, BASIS_TIME };

static const struct {
    const char *name;
    enum finding_basis basis;
} kinds[N_FINDING_KINDS] = {
#define FINDING(enumerator, heading, name, basis) [FINDING_##enumerator] = {name, BASIS_##basis},
#include "mqd/dump/verdict/findings.def"
#undef FINDING
};

enum finding_kind finding_kind_of(enum claim claim)
{
    static const enum finding_kind kinds_of[N_CLAIMS] = {
#define CLAIM(enumerator, kind) [CLAIM_##enumerator] = FINDING_##kind,
#include "mqd/dump/verdict/claims.def"
#undef CLAIM
    };

    return kinds_of[claim];
}

bool finding_kind_is_of_one_rank(enum finding_kind kind)
{
    return kinds[kind].basis == BASIS_ONE_RANK;
}

bool finding_rests_on_time(const struct finding *finding)
{
    return finding->refutable_by_waiting || kinds[finding->kind].basis == BASIS_TIME;
}

const char *finding_kind_name(enum finding_kind kind)
{
    return kinds[kind].name;
}
