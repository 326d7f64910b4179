/*
 * doubt.c - what is only possible because messages may have been on their way.
 */
#include "mqd/dump/verdict/doubt.h"

#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/verdict/proof.h"
#include "mqd/dump/verdict/say.h"
#include "mqd/dump/verdict/traffic.h"

/* The ranks that possible findings are about which follow from several ranks at one moment, by their index. */
static bool *find_doubted(const struct conclusion *conclusion, size_t first)
{
    const struct model *model = conclusion->model;
    bool *doubted = allocate_array(model->n_ranks + 1, sizeof *doubted);

    for (size_t i = first; i < conclusion->verdict->n; i++) {
        const struct finding *finding = &conclusion->verdict->findings[i];

        for (size_t k = 0; k < finding->n_ranks && !finding->certain && !finding_rests_on_time(finding); k++) {
            size_t rank = model_find_rank(model, finding->ranks[k]);

            if (rank != SIZE_MAX)
                doubted[rank] = true;
        }
    }
    return doubted;
}

/* Does one of the ranks wait for what may be on its way because nobody has counted it? */
static bool is_any_unknown(const struct model *model, const bool *ranks)
{
    for (size_t i = 0; i < model->n_waits; i++) {
        uint32_t owner = model_owner(model, &model->waits[i]);

        if (owner < model->n_ranks && ranks[owner] && model->waits[i].target != NODE_LIVE &&
            !wait_is_known(model, &model->waits[i]))
            return true;
    }
    return false;
}

void note_uncounted(struct conclusion *conclusion)
{
    bool *doubted = find_doubted(conclusion, conclusion->first_finding);

    if (is_any_unknown(conclusion->model, doubted))
        verdict_note_once(conclusion->verdict,
                          conclusion->model->several_looks
                              ? "The ranks were not looked at together, and how many messages were exchanged is not known "
                                "of all of them and not between jobs: some may have been on their way."
                              : "How many messages were exchanged is not known of all cores and not between jobs: "
                                "some may have been on their way.");
    free(doubted);
}

void note_moments(struct conclusion *conclusion)
{
    const struct model *model = conclusion->model;
    size_t to;

    for (size_t i = 0; i < model->n_ranks; i++) {
        for (size_t k = 0; k < model->ranks[i].n_communicators; k++) {
            char *receiver, *sender;

            if ((!model->ranks[i].once && !model->several_looks) ||
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
