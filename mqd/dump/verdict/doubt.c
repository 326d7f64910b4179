/*
 * doubt.c - what is only possible because messages may have been on their way.
 */
#include "mqd/dump/verdict/doubt.h"

#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/verdict/say.h"
#include "mqd/dump/verdict/traffic.h"

static bool has_traffic(const struct listing *listing)
{
    for (size_t i = 0; i < listing->n; i++)
        if (!listing->communicators[i].has_traffic)
            return false;
    return listing->has_communicators;
}

/* If messages may have been on their way, a conclusion from several ranks may have been refuted a moment later. */
void doubt_findings(struct conclusion *conclusion, size_t first)
{
    bool once = false, known = conclusion->model->n_jobs == 1, doubted = false;

    for (size_t i = 0; i < conclusion->model->n_ranks; i++) {
        once |= conclusion->model->ranks[i].once;
        known &= !conclusion->model->ranks[i].once || has_traffic(conclusion->model->ranks[i].witness->listing);
    }
    for (size_t i = first; i < conclusion->verdict->n && once && !known; i++) {
        struct finding *finding = &conclusion->verdict->findings[i];

        doubted |= finding->certain && !finding_is_of_one_rank(finding);
        finding->certain &= finding_is_of_one_rank(finding);
    }
    if (doubted && conclusion->model->several_looks)
        verdict_note_once(conclusion->verdict,
                          "The ranks were not looked at together, and how many messages were exchanged is not known of "
                          "all of them and not between jobs: some may have been on their way.");
    else if (doubted)
        verdict_note_once(conclusion->verdict,
                          "How many messages were exchanged is not known of all cores and not between jobs: "
                          "some may have been on their way.");
}

void note_moments(struct conclusion *conclusion)
{
    const struct model *model = conclusion->model;
    size_t to;

    for (size_t i = 0; i < model->n_ranks; i++) {
        for (size_t k = 0; k < model->ranks[i].n_communicators; k++) {
            char *receiver, *sender;

            if (!model->ranks[i].once ||
                !traffic_contradicts(model, i, model->ranks[i].communicators[k], &to))
                continue;
            receiver = say_subject(conclusion, model->ranks[to].id);
            sender = say_rank(model, model->ranks[i].id);
            verdict_add_note(conclusion->verdict,
                             format_text("%s has received more messages of %s than that had sent: the %s "
                                         "are of different moments.",
                                         receiver, sender, model->several_looks ? "looks" : "cores"));
            free(sender);
            free(receiver);
            return;
        }
    }
}
