/*
 * verdict_crash.c - ranks that were killed by an error of their own.
 */
#include "mqd/dump/verdict_finding.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/common.h"
#include "mqd/dump/core.h"
#include "mqd/dump/verdict_say.h"

/* "by SIGSEGV in memcpy, called from exchange (halo.c:30)" */
static char *say_crash(const struct model_rank *rank)
{
    char *where = say_fault(rank->call);
    char *text = format("by %s%s", core_error_name(rank->witness->listing->signal), where);

    free(where);
    return text;
}

/* Ranks that crashed at the same place are one finding. */
static void conclude_crash(struct bench *bench, char *const *texts, size_t first)
{
    struct finding *finding = finding_add(bench, FINDING_CRASHED, true);
    struct rank_set ranks = {0};
    char *who;

    for (size_t i = first; i < bench->model->n_ranks; i++)
        if (texts[i] != NULL && strcmp(texts[i], texts[first]) == 0)
            rank_set_add(&ranks, bench->model->ranks[i].id);
    finding_set_ranks(finding, ranks);
    who = say_ranks(bench, finding->ranks, finding->n_ranks, "was", "were");
    finding->sentence = format("%s killed %s.", who, texts[first]);
    free(who);
}

static bool is_first(char *const *texts, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (texts[k] != NULL && strcmp(texts[k], texts[i]) == 0)
            return false;
    return true;
}

void conclude_crashes(struct bench *bench)
{
    size_t n = bench->model->n_ranks;
    char **texts = allocate(n + 1, sizeof *texts);

    for (size_t i = 0; i < n; i++)
        if (bench->model->ranks[i].witness->crashed)
            texts[i] = say_crash(&bench->model->ranks[i]);
    for (size_t i = 0; i < n; i++)
        if (texts[i] != NULL && is_first(texts, i))
            conclude_crash(bench, texts, i);
    for (size_t i = 0; i < n; i++)
        free(texts[i]);
    free(texts);
}
