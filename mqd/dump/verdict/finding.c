/*
 * finding.c - makes, sorts and names findings.
 */
#include "mqd/dump/verdict/finding.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/base/sort.h"

/* More details of one finding, and more findings of one kind, are not readable. */
enum { MAX_DETAILS = 8, MAX_OF_KIND = 5 };

void finding_add_detail(struct finding *finding, char *text)
{
    if (finding->n_details == MAX_DETAILS)
        free(text);
    else
        APPEND(finding->details, finding->n_details, finding->details_room, text);
}

void finding_put_first(struct finding *finding, char *text)
{
    if (finding->n_details == MAX_DETAILS)
        free(finding->details[--finding->n_details]);
    finding_add_detail(finding, NULL);
    memmove(finding->details + 1, finding->details, (finding->n_details - 1) * sizeof *finding->details);
    finding->details[0] = text;
}

void verdict_add_note(struct verdict *verdict, char *text)
{
    APPEND(verdict->notes, verdict->n_notes, verdict->note_room, text);
}

void finding_set_communicator(struct finding *finding, const struct communicator *communicator)
{
    finding->has_communicator = true;
    finding->communicator = communicator->unique_id;
    finding->communicator_name = copy_string(communicator->name);
}

void verdict_note_once(struct verdict *verdict, const char *text)
{
    for (size_t i = 0; i < verdict->n_notes; i++)
        if (strcmp(verdict->notes[i], text) == 0)
            return;
    verdict_add_note(verdict, copy_string(text));
}

void rank_set_add(struct rank_set *set, long rank)
{
    APPEND(set->ranks, set->n, set->room, rank);
}

void rank_set_clear(struct rank_set *set)
{
    free(set->ranks);
    *set = (struct rank_set){0};
}

void finding_set_ranks(struct finding *finding, struct rank_set ranks)
{
    finding->ranks = ranks.ranks;
    finding->n_ranks = ranks_sort(ranks.ranks, ranks.n);
}

void finding_set_causes(struct finding *finding, struct rank_set causes)
{
    finding->causes = causes.ranks;
    finding->n_causes = ranks_sort(causes.ranks, causes.n);
}

void finding_free(struct finding *finding)
{
    for (size_t i = 0; i < finding->n_details; i++)
        free(finding->details[i]);
    for (size_t i = 0; i < finding->n_others; i++)
        FREE_ALL(finding->others[i].ranks, finding->others[i].causes);
    FREE_ALL(finding->details, finding->ranks, finding->causes, finding->others, finding->communicator_name,
             finding->evidence, finding->sentence);
}

/* If there are many findings of one kind, those after the first ones are joined. */

/* Joins several findings into the first of them, which keeps its evidence. */
static void merge_findings(struct finding *findings, size_t n)
{
    struct finding *first = &findings[0];
    struct rank_set ranks = {0}, causes = {0};
    OWNED char *who = NULL;

    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < findings[i].n_ranks; k++)
            rank_set_add(&ranks, findings[i].ranks[k]);
        for (size_t k = 0; k < findings[i].n_causes; k++)
            rank_set_add(&causes, findings[i].causes[k]);
        if (i > 0)
            finding_free(&findings[i]);
    }
    FREE_ALL(first->ranks, first->causes, first->sentence);
    finding_set_ranks(first, ranks);
    finding_set_causes(first, causes);
    for (size_t i = 0; i < first->n_details; i++)
        free(first->details[i]);
    first->n_details = 0;
    first->has_communicator = false;
    who = ranks_phrase(first->ranks, first->n_ranks, "", "");
    first->sentence = format_text("The same %s times more, with %s.", NUMBER(n), who);
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

static void merge_many(struct verdict *verdict)
{
    size_t n_left = 0;

    for (size_t i = 0; i < verdict->n;) {
        size_t end = i + 1, n_kept;

        while (end < verdict->n && is_of_same_kind(&verdict->findings[i], &verdict->findings[end]))
            end++;
        n_kept = end - i > MAX_OF_KIND ? MAX_OF_KIND : end - i;
        if (n_kept < end - i)
            merge_findings(&verdict->findings[i + n_kept - 1], end - i - n_kept + 1);
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
    merge_many(verdict);
}

/* Kinds. */

enum finding_basis { BASIS_ONE_RANK, BASIS_MOMENT, BASIS_TIME };

static const struct {
    const char *heading, *name;
    enum finding_basis basis;
} kinds[N_FINDING_KINDS] = {
#define FINDING(enumerator, heading, name, basis) [FINDING_##enumerator] = {heading, name, BASIS_##basis},
#include "mqd/dump/verdict/findings.def"
#undef FINDING
};

bool finding_kind_is_of_one_rank(enum finding_kind kind)
{
    return kinds[kind].basis == BASIS_ONE_RANK;
}

bool finding_rests_on_time(const struct finding *finding)
{
    return finding->refutable_by_waiting || kinds[finding->kind].basis == BASIS_TIME;
}

const char *finding_heading(enum finding_kind kind)
{
    return kinds[kind].heading;
}

const char *finding_kind_name(enum finding_kind kind)
{
    return kinds[kind].name;
}
