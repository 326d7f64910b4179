/*
 * crash.c - ranks that were killed by an error of their own.
 */
#include "mqd/dump/verdict/crash.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/collect/target/core.h"
#include "mqd/dump/verdict/say.h"

/* "by SIGSEGV in memcpy, called from exchange (halo.c:30)" */
static char *say_crash(const struct model_rank *rank)
{
    char *where = say_fault(rank->call);
    char *text = format_text("by %s%s", core_error_name(rank->witness->listing->signal), where);

    free(where);
    return text;
}

/* Ranks that crashed at the same place are one finding. */
static void conclude_crash(struct conclusion *conclusion, char *const *texts, size_t first)
{
    struct finding *finding = finding_add(conclusion, FINDING_CRASHED, true);
    struct rank_set ranks = {0};
    char *who;

    for (size_t i = first; i < conclusion->model->n_ranks; i++)
        if (texts[i] != NULL && strcmp(texts[i], texts[first]) == 0)
            rank_set_add(&ranks, conclusion->model->ranks[i].id);
    finding_set_ranks(finding, ranks);
    who = say_ranks(conclusion, finding->ranks, finding->n_ranks, "was", "were");
    finding->sentence = format_text("%s killed %s.", who, texts[first]);
    free(who);
}

static bool is_first(char *const *texts, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (texts[k] != NULL && strcmp(texts[k], texts[i]) == 0)
            return false;
    return true;
}

void conclude_crashes(struct conclusion *conclusion)
{
    size_t n = conclusion->model->n_ranks;
    char **texts = allocate_array(n + 1, sizeof *texts);

    for (size_t i = 0; i < n; i++)
        if (conclusion->model->ranks[i].witness->crashed)
            texts[i] = say_crash(&conclusion->model->ranks[i]);
    for (size_t i = 0; i < n; i++)
        if (texts[i] != NULL && is_first(texts, i))
            conclude_crash(conclusion, texts, i);
    for (size_t i = 0; i < n; i++)
        free(texts[i]);
    free(texts);
}
