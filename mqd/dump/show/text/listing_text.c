/*
 * listing_text.c - listings for people.
 */
#include "mqd/dump/show/text/listing_text.h"

#include <stdbool.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/show/text/paragraph.h"
#include "mqd/dump/show/text/process_text.h"
#include "mqd/dump/show/text/same_queues.h"

/* "Ranks 1-63, processes 3911-3973: the same as rank 0, each from its right neighbour". */
static void print_others(FILE *to, const struct same_queues *same, const struct listing *const *listings,
                         const struct process_view *view)
{
    const struct listing *first = listings[same->members[0]];
    OWNED const struct listing **others = allocate_array(same->n, sizeof *others);
    OWNED long *ranks = allocate_array(same->n, sizeof *ranks);
    size_t n = same->n - 1;
    OWNED char *folded = NULL, *who = NULL, *relation = NULL, *text = NULL;

    for (size_t i = 0; i < n; i++) {
        others[i] = listings[same->members[i + 1]];
        ranks[i] = others[i]->rank;
    }
    folded = ranks_list(ranks, ranks_sort(ranks, n), ",");
    who = process_text_others(others, n, view);
    relation = same->around ? say_neighbours(first) : copy_string("");
    text = format_text("Rank%s %s%s: the same as rank %ld%s%s", n == 1 ? "" : "s", folded, who, first->rank,
                       *relation == '\0' ? "" : n == 1 ? ", " : ", each ", relation);
    print_paragraph(to, 0, 2, text);
}

/* Returns how many of the listings have something to show, in their order. */
static size_t choose(const struct listing **shown, const struct listing *const *listings, size_t n)
{
    size_t n_shown = 0;

    for (size_t i = 0; i < n; i++)
        if (listings[i]->has_communicators)
            shown[n_shown++] = listings[i];
    return n_shown;
}

static void print(FILE *to, const struct listing *const *listings, size_t n, bool each)
{
    struct process_view view = {.jobs = listings_have_several_jobs(listings, n),
                                .users = listings_share_job_names(listings, n), .each = each};
    OWNED const struct listing **shown = allocate_array(n + 1, sizeof *shown);
    size_t n_shown = choose(shown, listings, n), n_groups;
    struct same_queues *groups = same_queues_find(shown, n_shown, &view, &n_groups);

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
