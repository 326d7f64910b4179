/*
 * queue.c - conclusions from the queues of single ranks.
 */
#include "mqd/dump/verdict/queue.h"

#include <stdint.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/verdict/say.h"

/*
 * Each receive searches the unexpected messages of its sender from the front. In a good program there are few: a
 * thousand messages of one sender, or this much memory, show that it runs ahead of its receiver.
 */
enum { FLOOD_MESSAGES = 1000 };
static const double flood_bytes = 64.0 * 1024 * 1024;

void conclude_truncated(struct conclusion *conclusion)
{
    for (uint32_t i = 0; i < conclusion->model->n_operations; i++) {
        const struct operation *operation = &conclusion->model->operations[i];
        struct rank_set ranks = {0}, causes = {0};
        struct finding *finding;
        OWNED char *what = NULL, *who = NULL;

        if (!operation->truncated || operation->internal)
            continue;
        finding = finding_add(conclusion, FINDING_TRUNCATED, true);
        what = say_operation(conclusion->model, operation);
        who = say_subject(conclusion, conclusion->model->ranks[operation->rank].id);
        rank_set_add(&ranks, conclusion->model->ranks[operation->rank].id);
        if (operation->peer >= 0)
            rank_set_add(&causes, operation->peer);
        finding_set_ranks(finding, ranks);
        finding_set_causes(finding, causes);
        finding_set_communicator(finding, operation->communicator);
        finding_add_evidence(conclusion, finding, i);
        finding->sentence = format_text("%s's receive got %s, but the message has %s byte%s: it does not fit.", who,
                                        what, NUMBER(operation->said->actual_length),
                                        operation->said->actual_length == 1 ? "" : "s");
    }
}

/* The unexpected messages that one rank has of another, on one communicator. */
struct pile {
    uint32_t rank;
    const struct communicator *communicator;
    long source;
    size_t n;
    double bytes;
    uint32_t example;
};

static void conclude_pile(struct conclusion *conclusion, const struct pile *pile)
{
    struct rank_set ranks = {0}, causes = {0};
    struct finding *finding;
    OWNED char *name = NULL, *from = NULL, *at = NULL;

    if (pile->n < FLOOD_MESSAGES && pile->bytes < flood_bytes)
        return;
    finding = finding_add(conclusion, FINDING_FLOOD, true);
    name = say_communicator(pile->communicator);
    from = pile->source >= 0 ? say_rank(conclusion->model, pile->source) : copy_string("a rank of another job");
    at = say_rank(conclusion->model, conclusion->model->ranks[pile->rank].id);
    rank_set_add(&ranks, conclusion->model->ranks[pile->rank].id);
    if (pile->source >= 0)
        rank_set_add(&causes, pile->source);
    finding_set_ranks(finding, ranks);
    finding_set_causes(finding, causes);
    finding_set_communicator(finding, pile->communicator);
    finding_add_evidence(conclusion, finding, pile->example);
    finding->sentence =
        format_text("%s messages (%s bytes) from %s on %s have arrived at %s, which has not asked for them.",
                    NUMBER(pile->n), SUM(pile->bytes), from, name, at);
    finding_add_place(conclusion, finding, pile->rank);
}

/* One that waits in a queue, by what tells its pile. */
struct piled {
    uint32_t rank, operation;
    const struct communicator *communicator;
    long source;
};

static int compare_piled(const void *a, const void *b)
{
    const struct piled *x = a, *y = b;
    return ORDER(x->rank, y->rank) ?:
           ORDER(x->communicator, y->communicator) ?:
           ORDER(x->source, y->source) ?:
           ORDER(x->operation, y->operation);
}

/* The messages of a sender follow each other in the queue with some PMLs only. */
static struct piled *sort_into_piles(const struct model *model, size_t *n)
{
    struct piled *piled = allocate_array(model->n_operations + 1, sizeof *piled);

    *n = 0;
    for (uint32_t i = 0; i < model->n_operations; i++) {
        const struct operation *operation = &model->operations[i];

        if (operation->class == mqs_unexpected_messages && !operation->internal)
            piled[(*n)++] = (struct piled){operation->rank, i, operation->communicator, operation->peer};
    }
    SORT(piled, *n, compare_piled);
    return piled;
}

void conclude_floods(struct conclusion *conclusion)
{
    struct pile pile = {0};
    size_t n;
    OWNED struct piled *piled = sort_into_piles(conclusion->model, &n);

    for (size_t i = 0; i < n; i++) {
        const struct operation *operation = &conclusion->model->operations[piled[i].operation];
        bool eager = operation->said->status == mqs_st_complete;

        if (pile.n == 0 || pile.rank != operation->rank || pile.communicator != operation->communicator ||
            pile.source != operation->peer) {
            if (pile.n > 0)
                conclude_pile(conclusion, &pile);
            pile = (struct pile){.rank = operation->rank, .communicator = operation->communicator,
                                 .source = operation->peer, .example = piled[i].operation};
        }
        pile.n++;
        pile.bytes += eager ? (double)operation->said->desired_length : 0;
    }
    if (pile.n > 0)
        conclude_pile(conclusion, &pile);
}
