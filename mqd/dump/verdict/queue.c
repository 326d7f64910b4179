/*
 * queue.c - conclusions from the queues of single ranks.
 */
#include "mqd/dump/verdict/conclusion.h"

#include <stdint.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/sort.h"

/*
 * Each receive searches the unexpected messages of its sender from the front. In a good program there are few: a
 * thousand messages of one sender, or this much memory, show that it runs ahead of its receiver.
 */
enum { FLOOD_MESSAGES = 1000 };
static const double flood_bytes = 64.0 * 1024 * 1024;

/* Of more receives the sends are not sought: findings of a kind are joined. */
enum { MAX_SOUGHT = 64 };

static bool are_alike(const struct queued *a, const struct queued *b)
{
    return a->count == b->count && a->combiner == b->combiner && strcmp(a->datatype, b->datatype) == 0 &&
           strcmp(a->base, b->base) == 0;
}

/*
 * Finds a send that the message of a receive may be of: it has the same envelope and length, and is still listed. Which
 * one it was is not known, so all such sends must have the same elements; else UINT32_MAX.
 */
static uint32_t find_sent(const struct model *model, const struct operation *receive)
{
    size_t sender = receive->peer >= 0 ? model_find_rank(model, receive->peer) : SIZE_MAX;
    const struct model_rank *rank = sender != SIZE_MAX ? &model->ranks[sender] : NULL;
    uint32_t found = UINT32_MAX;

    for (size_t i = 0; rank != NULL && i < rank->n_operations; i++) {
        const struct operation *send = &model->operations[rank->first_operation + i];

        if (send->class != mqs_pending_sends || send->internal || send->said->unknown.length ||
            send->peer != model->ranks[receive->rank].id || send->tag != receive->tag ||
            send->said->desired_length != receive->said->actual_length ||
            !model_same_communicator(model, sender, send->communicator, receive->rank, receive->communicator))
            continue;
        if (found != UINT32_MAX && !are_alike(model->operations[found].said, send->said))
            return UINT32_MAX;
        found = found != UINT32_MAX ? found : (uint32_t)(rank->first_operation + i);
    }
    return found;
}

void conclude_truncated(struct conclusion *conclusion)
{
    size_t n_sought = 0;

    for (uint32_t i = 0; i < conclusion->model->n_operations; i++) {
        const struct operation *operation = &conclusion->model->operations[i];
        struct finding finding = finding_of(conclusion, CLAIM_TRUNCATED, true);
        uint32_t sent;

        if (!operation->truncated || operation->internal)
            continue;
        rank_set_add(&finding.facts.who, conclusion->model->ranks[operation->rank].id);
        if (operation->peer >= 0)
            rank_set_add(&finding.facts.whom, operation->peer);
        finding_set_operation(conclusion, &finding, i);
        sent = n_sought++ < MAX_SOUGHT ? find_sent(conclusion->model, operation) : UINT32_MAX;
        if (sent != UINT32_MAX) {
            finding.facts.sent = &conclusion->model->operations[sent];
            finding_add_evidence(conclusion, &finding, sent);
        }
        finding_keep(conclusion, &finding);
    }
}

/* The unexpected messages that one rank has of another, on one communicator. */
static void conclude_pile(struct conclusion *conclusion, const struct operation *const *pile, size_t n)
{
    struct finding finding = finding_of(conclusion, CLAIM_FLOOD, true);

    for (size_t i = 0; i < n; i++)
        if (pile[i]->said->status == mqs_st_complete)
            finding.facts.bytes += (double)pile[i]->said->desired_length;
    if (n < FLOOD_MESSAGES && finding.facts.bytes < flood_bytes)
        return;
    finding.facts.n = n;
    rank_set_add(&finding.facts.who, conclusion->model->ranks[pile[0]->rank].id);
    if (pile[0]->peer >= 0)
        rank_set_add(&finding.facts.whom, pile[0]->peer);
    finding_set_operation(conclusion, &finding, (uint32_t)(pile[0] - conclusion->model->operations));
    finding_keep(conclusion, &finding);
}

static int compare_piles(const struct operation *x, const struct operation *y)
{
    return ORDER(x->rank, y->rank) ?: ORDER(x->communicator, y->communicator) ?: ORDER(x->peer, y->peer);
}

static int compare_piled(const void *a, const void *b)
{
    const struct operation *x = *(const struct operation *const *)a, *y = *(const struct operation *const *)b;

    return compare_piles(x, y) ?: ORDER(x, y);
}

/* The messages of a sender follow each other in the queue with some PMLs only. */
void conclude_floods(struct conclusion *conclusion)
{
    const struct model *model = conclusion->model;
    OWNED const struct operation **piled = allocate_array(model->n_operations + 1, sizeof *piled);
    size_t n = 0, end;

    for (size_t i = 0; i < model->n_operations; i++)
        if (model->operations[i].class == mqs_unexpected_messages && !model->operations[i].internal)
            piled[n++] = &model->operations[i];
    SORT(piled, n, compare_piled);
    for (size_t i = 0; i < n; i = end) {
        for (end = i + 1; end < n && compare_piles(piled[i], piled[end]) == 0;)
            end++;
        conclude_pile(conclusion, piled + i, end - i);
    }
}
