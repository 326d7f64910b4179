/*
 * circle.c - ranks that wait for each other in a circle.
 */
#include "mqd/dump/verdict/circle.h"

#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/verdict/say.h"

/* More hops of a circle are not readable. */
enum { MAX_HOPS = 12 };

static char *join(char *first, const char *separator, char *second)
{
    char *text = format_text("%s%s%s", first, separator, second);

    free(first);
    free(second);
    return text;
}

static char *say_hop(const struct model *model, long id)
{
    return model->n_jobs == 1 ? format_text("%ld", id) : say_rank(model, id);
}

/* "0 -> 3 -> 0"; a wait for any rank leads through "anybody". A rank's part of an operation stands for the rank. */
static char *say_circle(const struct conclusion *conclusion, const uint32_t *edges, size_t n, uint32_t start)
{
    const struct model *model = conclusion->model;
    char *text = say_hop(model, model->ranks[start].id);

    for (size_t i = 0; i < n; i++) {
        uint32_t to = conclusion->graph->edges[edges[i]].to;
        bool shown = i < MAX_HOPS || i + 1 == n;

        if (to >= model->n_ranks && model->virtuals[to - model->n_ranks].is_part)
            to = (uint32_t)model->virtuals[to - model->n_ranks].rank;
        if (to >= model->n_ranks && shown)
            text = join(text, " -> ", copy_string("anybody"));
        else if (shown)
            text = join(text, i > MAX_HOPS ? " -> ... -> " : " -> ", say_hop(model, model->ranks[to].id));
    }
    return text;
}

static void add_circle_waits(const struct conclusion *conclusion, struct finding *finding, const uint32_t *edges,
                             size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct wait *wait = &conclusion->model->waits[conclusion->graph->edges[edges[i]].wait];
        uint32_t owner = model_owner(conclusion->model, wait);

        if (owner >= conclusion->model->n_ranks)
            continue;
        finding_add_wait(conclusion, finding, wait);
        if (!finding->has_communicator && wait->operation != UINT32_MAX)
            finding_set_communicator(finding, conclusion->model->operations[wait->operation].communicator);
    }
}

void conclude_circle(struct conclusion *conclusion, struct group *group)
{
    uint32_t start = group->nodes[group->start], *edges;
    struct finding *finding;
    char *who, *circle;
    size_t n;

    edges = graph_circle(conclusion->graph, start, &n);
    if (edges == NULL)
        return;
    finding = finding_add(conclusion, FINDING_DEADLOCK, group->certain);
    finding_set_ranks(finding, group->ranks);
    group->ranks = (struct rank_set){0};
    add_circle_waits(conclusion, finding, edges, n);
    circle = say_circle(conclusion, edges, n, start);
    who = say_ranks(conclusion, finding->ranks, finding->n_ranks, "waits for itself", "wait for each other");
    finding->sentence = format_text("%s: %s.", who, circle);
    free(who);
    free(circle);
    free(edges);
}

char *say_circle_of(const struct conclusion *conclusion, uint32_t node)
{
    size_t n;
    uint32_t *edges = graph_circle(conclusion->graph, node, &n);
    char *text;

    if (edges == NULL)
        return NULL;
    text = say_circle(conclusion, edges, n, node);
    free(edges);
    return text;
}
