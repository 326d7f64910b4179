/*
 * same_queues.c - ranks that have equal queues.
 *
 * Equal is what is shown in equal words: so nothing that is shown is forgotten in the comparison.
 */
#include "mqd/dump/show/text/same_queues.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/text_stream.h"
#include "mqd/dump/show/text/operation_row.h"
#include "mqd/dump/show/text/queue_text.h"

/* Of what has more rows the texts of many ranks are not kept. No person compares them either. */
enum { MAX_ROWS = 200 };

/* What is known of a listing while groups are looked for. */
struct candidate {
    size_t position;
    char *texts[2];                /* as it is, and around; NULL: it is in no group with others */
    size_t group;                  /* SIZE_MAX: in none yet */
};

static bool is_comparable(const struct listing *listing)
{
    size_t n_rows = 0;

    if (listing->rank < 0)
        return false;
    for (size_t i = 0; i < listing->n; i++) {
        for (int class = 0; class < N_QUEUES && n_rows <= MAX_ROWS; class++)
            n_rows += queue_text_count(class, &listing->communicators[i].queues[class]);
    }
    return n_rows <= MAX_ROWS;
}

static char *text_of(const struct listing *listing, const struct process_view *view, enum comparison comparison)
{
    struct process_view compared = *view;
    struct text_stream stream;

    compared.comparison = comparison;
    text_stream_open(&stream);
    process_text_print(stream.to, listing, &compared);
    return text_stream_close(&stream);
}

static int compare_as(const struct candidate *a, const struct candidate *b, int which)
{
    int order = (a->texts[which] == NULL) - (b->texts[which] == NULL);

    if (order == 0 && a->texts[which] != NULL)
        order = strcmp(a->texts[which], b->texts[which]);
    return order != 0 ? order : (a->position > b->position) - (a->position < b->position);
}

static int compare_same(const void *a, const void *b)
{
    return compare_as(a, b, 0);
}

static int compare_around(const void *a, const void *b)
{
    return compare_as(a, b, 1);
}

/* Makes groups of those that have equal texts and are in no group, if there are so many at least. */
static void make_groups(struct candidate *candidates, size_t n, int which, size_t least, struct same_queues *groups,
                        size_t *n_groups)
{
    qsort(candidates, n, sizeof *candidates, which == 0 ? compare_same : compare_around);
    for (size_t i = 0, end; i < n; i = end) {
        struct same_queues group = {.around = which == 1};

        for (end = i + 1; end < n && candidates[i].texts[which] != NULL && candidates[end].texts[which] != NULL &&
                          strcmp(candidates[i].texts[which], candidates[end].texts[which]) == 0; end++)
            continue;
        group.members = allocate_array(end - i, sizeof *group.members);
        for (size_t k = i; k < end; k++)
            if (candidates[k].group == SIZE_MAX)
                group.members[group.n++] = k;
        if (group.n < least || group.n == 0) {
            free(group.members);
            continue;
        }
        for (size_t k = 0; k < group.n; k++) {
            struct candidate *candidate = &candidates[group.members[k]];

            candidate->group = *n_groups;
            group.members[k] = candidate->position;
        }
        groups[(*n_groups)++] = group;
    }
}

static int compare_groups(const void *a, const void *b)
{
    size_t x = ((const struct same_queues *)a)->members[0], y = ((const struct same_queues *)b)->members[0];

    return (x > y) - (x < y);
}

struct same_queues *same_queues_find(const struct listing *const *listings, size_t n, const struct process_view *view,
                                     size_t *n_groups)
{
    struct candidate *candidates = allocate_array(n + 1, sizeof *candidates);
    struct same_queues *groups = allocate_array(n + 1, sizeof *groups);

    *n_groups = 0;
    for (size_t i = 0; i < n; i++) {
        candidates[i] = (struct candidate){.position = i, .group = SIZE_MAX};
        if (n == 1 || view->each || !is_comparable(listings[i]))
            continue;
        candidates[i].texts[0] = text_of(listings[i], view, COMPARED);
        candidates[i].texts[1] = text_of(listings[i], view, COMPARED_AROUND);
    }
    if (n > 0) {
        make_groups(candidates, n, 0, 2, groups, n_groups);
        make_groups(candidates, n, 1, 2, groups, n_groups);
        make_groups(candidates, n, 0, 1, groups, n_groups);
    }
    qsort(groups, *n_groups, sizeof *groups, compare_groups);
    for (size_t i = 0; i < n; i++) {
        free(candidates[i].texts[0]);
        free(candidates[i].texts[1]);
    }
    free(candidates);
    return groups;
}

void same_queues_free(struct same_queues *groups, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(groups[i].members);
    free(groups);
}

/* Neighbours. */

/* Farther ones are not listed. */
enum { MAX_WAYS = 4 };

struct way {
    bool out;                      /* a send */
    long distance;                 /* of the peer: 1 is the right neighbour */
};
struct ways {
    struct way ways[MAX_WAYS];
    size_t n;
    bool more;
};

static void add_way(struct ways *ways, struct way way)
{
    for (size_t i = 0; i < ways->n; i++)
        if (ways->ways[i].out == way.out && ways->ways[i].distance == way.distance)
            return;
    if (ways->n < MAX_WAYS)
        ways->ways[ways->n++] = way;
    else
        ways->more = true;
}

static void add_queue(struct ways *ways, int class, const struct communicator *communicator)
{
    const struct queue *queue = &communicator->queues[class];
    long size = communicator->size, own = communicator->local_rank;

    /* Ranks of the remote group are no neighbours: they are the same for all of the ranks. */
    if (communicator_is_inter(communicator))
        return;
    for (size_t i = 0; i < queue->n && !ways->more; i++) {
        const struct row row = queue_row(class, queue, i);
        long peer = row_peer(&row), distance;

        if (!row_has_peer(&row) || peer < 0 || peer >= size || own < 0 || own >= size)
            continue;
        distance = (peer - own + size) % size;
        add_way(ways, (struct way){class == mqs_pending_sends, distance > size / 2 ? distance - size : distance});
    }
}

static char *say_way(const struct way *way)
{
    const char *word = way->out ? "to" : "from";

    if (way->distance == 0)
        return format_text("%s itself", word);
    if (way->distance == 1 || way->distance == -1)
        return format_text("%s its %s neighbour", word, way->distance > 0 ? "right" : "left");
    return format_text("%s its own rank %c %ld", word, way->distance > 0 ? '+' : '-',
                       way->distance > 0 ? way->distance : -way->distance);
}

char *say_neighbours(const struct listing *first)
{
    struct ways ways = {.n = 0};
    char *all = copy_string("");

    for (size_t i = 0; i < first->n; i++)
        for (int class = 0; class < N_QUEUES; class++)
            add_queue(&ways, class, &first->communicators[i]);
    if (ways.more) {
        free(all);
        return copy_string("with other ranks counted from its own");
    }
    for (size_t i = 0; i < ways.n; i++) {
        char *way = say_way(&ways.ways[i]), *longer = format_text("%s%s%s", all, i > 0 ? " and " : "", way);

        free(way);
        free(all);
        all = longer;
    }
    return all;
}
