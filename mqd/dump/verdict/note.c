/*
 * note.c - adds notes about all findings together: which other ranks wait, and of which ranks nothing is known.
 */
#include "mqd/dump/verdict/note.h"

#include <stdint.h>
#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/verdict/say.h"

void note_waiting(struct conclusion *conclusion)
{
    const struct graph *graph = conclusion->graph;
    struct rank_set ranks = {0};
    char *who;

    for (uint32_t i = 0; i < conclusion->model->n_ranks; i++)
        if (graph->component[i] != UINT32_MAX && graph->leaves[graph->component[i]] &&
            !graph->never[graph->component[i]])
            rank_set_add(&ranks, conclusion->model->ranks[i].id);
    if (ranks.n == 0)
        return;
    ranks.n = ranks_sort(ranks.ranks, ranks.n);
    who = say_ranks(conclusion, ranks.ranks, ranks.n, "waits", "wait");
    verdict_add_note(conclusion->verdict, format_text("%s for these, directly or through others.", who));
    free(who);
    free(ranks.ranks);
}

/* A rank whose blocking call may wait for something that cannot be told may be stuck all the same. */
static void note_hidden(struct conclusion *conclusion)
{
    const struct model *model = conclusion->model;
    struct rank_set ranks = {0};
    char *who;

    for (uint32_t i = 0; i < model->n_ranks; i++)
        if (model->ranks[i].in_hidden)
            rank_set_add(&ranks, model->ranks[i].id);
    if (ranks.n == 0)
        return;
    ranks.n = ranks_sort(ranks.ranks, ranks.n);
    who = say_ranks(conclusion, ranks.ranks, ranks.n, "is in a blocking call that waits",
                    "are in blocking calls that wait");
    verdict_add_note(conclusion->verdict, format_text("%s for what is not listed: it is not known for whom.", who));
    free(who);
    free(ranks.ranks);
}

void note_unknown(struct conclusion *conclusion)
{
    const struct model *model = conclusion->model;
    struct rank_set ranks = {0};
    char *who;

    for (uint32_t i = 0; i < model->n_ranks; i++)
        if (model->ranks[i].phase == PHASE_UNKNOWN)
            rank_set_add(&ranks, model->ranks[i].id);
    if (ranks.n > 0) {
        ranks.n = ranks_sort(ranks.ranks, ranks.n);
        who = say_ranks(conclusion, ranks.ranks, ranks.n, "is", "are");
        verdict_add_note(conclusion->verdict, format_text("%s not known well enough to say what %s.", who,
                                        ranks.n == 1 ? "it waits for" : "they wait for"));
        free(who);
    }
    free(ranks.ranks);
    note_hidden(conclusion);
    for (size_t i = 0; i < model->n_jobs; i++) {
        const struct model_job *job = &model->jobs[i];

        if (job->world_size > (long)job->n_ranks)
            verdict_add_note(
                conclusion->verdict,
                format_text("%ld of %ld ranks of MPI_COMM_WORLD%s%s were not given: what they do is not known.",
                            job->world_size - (long)job->n_ranks, job->world_size, model->n_jobs > 1 ? " of job " : "",
                            model->n_jobs > 1 ? job->name : ""));
    }
}
