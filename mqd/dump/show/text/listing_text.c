/*
 * listing_text.c - listings for people.
 */
#include "mqd/dump/show/text/listing_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/base/text_groups.h"
#include "mqd/dump/base/text_stream.h"
#include "mqd/dump/show/text/operation_row.h"
#include "mqd/dump/show/text/paragraph.h"
#include "mqd/dump/show/text/process_text.h"
#include "mqd/dump/show/text/queue_text.h"

/* Ranks that have equal queues, as those of a regular program do. */

/* Ranks of one job that have the same queues, but for addresses. */
struct same_queues {
    size_t *members;               /* positions of their listings, in this order */
    size_t n;
    bool relative_peers;           /* their peers are as far from each of them; else they are the same ranks */
};

/* Of what has more rows the texts of many ranks are not kept. No person compares them either. */
enum { MAX_ROWS = 200 };

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

/* Makes groups of those that have equal texts and are in no group, if there are so many at least. */
static void make_groups(const struct text_groups *texts, bool relative_peers, size_t least, bool *is_in,
                        struct same_queues *groups, size_t *n_groups)
{
    for (size_t i = 0; i < texts->n; i++) {
        const struct text_group *same = &texts->groups[i];
        struct same_queues group = {.members = allocate_array(same->n, sizeof *group.members),
                                    .relative_peers = relative_peers};

        for (size_t k = 0; k < same->n; k++)
            if (!is_in[same->members[k]])
                group.members[group.n++] = same->members[k];
        if (group.n < least) {
            free(group.members);
            continue;
        }
        for (size_t k = 0; k < group.n; k++)
            is_in[group.members[k]] = true;
        groups[(*n_groups)++] = group;
    }
}

static int compare_groups(const void *a, const void *b)
{
    return ORDER(((const struct same_queues *)a)->members[0], ((const struct same_queues *)b)->members[0]);
}

/*
 * Returns groups of the listings, in the order of their first members; each listing is in one. With view->each each is
 * alone. Two listings are of one group only if all is equal that would be shown of them: nothing that is shown is
 * forgotten in the comparison. Release with same_queues_free.
 */
static struct same_queues *same_queues_find(const struct listing *const *listings, size_t n,
                                            const struct process_view *view, size_t *n_groups)
{
    RELEASED_BY(text_groups_clear) struct text_groups same = {0}, relative = {0};
    OWNED bool *is_in = allocate_array(n + 1, sizeof *is_in);
    struct same_queues *groups = allocate_array(n + 1, sizeof *groups);

    *n_groups = 0;
    for (size_t i = 0; i < n; i++) {
        bool compared = n > 1 && !view->each && is_comparable(listings[i]);

        /* What is not compared has a text that no other has. */
        text_groups_add(&same, compared ? text_of(listings[i], view, COMPARED) : format_text("%zu", i), i);
        if (compared)
            text_groups_add(&relative, text_of(listings[i], view, COMPARED_RELATIVE), i);
    }
    make_groups(&same, false, 2, is_in, groups, n_groups);
    make_groups(&relative, true, 2, is_in, groups, n_groups);
    make_groups(&same, false, 1, is_in, groups, n_groups);
    SORT(groups, *n_groups, compare_groups);
    return groups;
}

static void same_queues_free(struct same_queues *groups, size_t n)
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

/* "to its right neighbour", as the first of a group with relative peers shows. */
static char *say_neighbours(const struct listing *first)
{
    struct ways ways = {.n = 0};
    char *all = NULL;

    for (size_t i = 0; i < first->n; i++)
        for (int class = 0; class < N_QUEUES; class++)
            add_queue(&ways, class, &first->communicators[i]);
    if (ways.more)
        return copy_string("with other ranks counted from its own");
    all = copy_string("");
    for (size_t i = 0; i < ways.n; i++) {
        OWNED char *way = say_way(&ways.ways[i]);

        append_text(&all, "%s%s", i > 0 ? " and " : "", way);
    }
    return all;
}

/* Listings. */

/* "Ranks 1-63, processes 3911-3973: the same as rank 0, each from its right neighbour". */
static void print_others(FILE *to, const struct same_queues *same, const struct listing *const *listings,
                         const struct process_view *view)
{
    const struct listing *first = listings[same->members[0]];
    OWNED const struct listing **others = allocate_array(same->n, sizeof *others);
    OWNED long *ranks = allocate_array(same->n, sizeof *ranks);
    size_t n = same->n - 1;
    OWNED char *folded = NULL, *who = NULL, *relation = NULL;

    for (size_t i = 0; i < n; i++) {
        others[i] = listings[same->members[i + 1]];
        ranks[i] = others[i]->rank;
    }
    folded = ranks_list(ranks, ranks_sort(ranks, n), ",");
    who = process_text_others(others, n, view);
    relation = same->relative_peers ? say_neighbours(first) : copy_string("");
    print_format(to, 0, 2, "Rank%s %s%s: the same as rank %ld%s%s", n == 1 ? "" : "s", folded, who, first->rank,
                 *relation == '\0' ? "" : n == 1 ? ", " : ", each ", relation);
}

static void print(FILE *to, const struct listing *const *listings, size_t n, bool each)
{
    struct process_view view = {.jobs = listings_have_several_jobs(listings, n),
                                .users = listings_share_job_names(listings, n), .each = each};
    OWNED const struct listing **shown = allocate_array(n + 1, sizeof *shown);
    size_t n_shown = 0, n_groups;
    struct same_queues *groups;

    for (size_t i = 0; i < n; i++)
        if (listings[i]->has_communicators)
            shown[n_shown++] = listings[i];
    groups = same_queues_find(shown, n_shown, &view, &n_groups);
    for (size_t i = 0; i < n_groups; i++) {
        fputs(i == 0 ? "" : "\n", to);
        process_text_print(to, shown[groups[i].members[0]], &view);
        if (groups[i].n > 1)
            print_others(to, &groups[i], shown, &view);
    }
    same_queues_free(groups, n_groups);
}

void text_print(FILE *to, const struct listing *const *listings, size_t n)
{
    print(to, listings, n, false);
}

void text_print_all(FILE *to, const struct listing *const *listings, size_t n)
{
    print(to, listings, n, true);
}
