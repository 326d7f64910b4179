/*
 * verdict_text.c - findings, and where each rank is, for people.
 */
#include "mqd/dump/show/text/verdict_text.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/hash.h"
#include "mqd/dump/base/host_phrase.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/base/text_stream.h"
#include "mqd/dump/show/say/phrase.h"
#include "mqd/dump/show/say/place.h"
#include "mqd/dump/show/text/paragraph.h"

/* Of the findings together. With the notes they fit a screen of 40 lines. */
enum { MAX_LINES = 34 };

static void print_finding(FILE *to, const struct finding *finding, const struct explained *explained, bool name_job)
{
    OWNED char *heading = finding_title(finding, name_job);

    print_headed(to, finding->certain ? STYLE_BAD : STYLE_DOUBT, heading, explained->sentence);
    for (size_t i = 0; i < explained->n_details; i++)
        print_paragraph(to, 4, 6, explained->details[i]);
}

/* The most likely causes come first. One is shown in any case, the others as long as they fit a screen. */
static void print_findings(FILE *to, const struct explanation *explanation)
{
    const struct verdict *verdict = &explanation->verdict;
    bool jobs = verdict_has_several_jobs(verdict);
    size_t n_lines = 0;

    for (size_t i = 0; i < verdict->n; i++) {
        const struct finding *finding = &verdict->findings[i];
        OWNED char *text = TEXT_OF(print_finding(text_to, finding, &explanation->findings[i],
                                                 jobs && finding->n_others == 0));

        n_lines += count_lines(text);
        if (i > 0 && n_lines > MAX_LINES) {
            fprintf(to, "  %s more finding%s: --json has all.\n", NUMBER(verdict->n - i),
                    verdict->n - i == 1 ? "" : "s");
            return;
        }
        fputs(text, to);
    }
}

static void print_why(FILE *to, const struct explanation *explanation)
{
    const struct verdict *verdict = &explanation->verdict;

    print_styled(to, STYLE_HEADING, "Why");
    print_findings(to, explanation);
    if (verdict->n == 0 && verdict->unclear)
        print_styled(to, STYLE_DOUBT, "  Cannot tell why:");
    else if (verdict->n == 0)
        print_styled(to, STYLE_GOOD, "  Nothing suspicious.");
    for (size_t i = 0; i < explanation->n_notes; i++)
        print_paragraph(to, 2, 4, explanation->notes[i]);
}

/* A process and where it is. */
struct spot {
    struct rank_place place;
    char *text;                    /* of the place */
    const char *job;               /* "" if it has none, or if there is only one */
    long user;                     /* whose it is, if jobs of several users have one name; else -1 */
    const struct listing *listing;
};

/* By what is printed first. Texts and processes tell apart those that claim one rank, or have none. */
static int compare_spots(const void *a, const void *b)
{
    const struct spot *x = a, *y = b;
    long rank = x->listing->rank, other = y->listing->rank;

    return (rank < 0) - (other < 0) ?: strcmp(x->job, y->job) ?: ORDER(x->user, y->user) ?: ORDER(rank, other) ?:
           strcmp(x->text, y->text) ?: ORDER(x->listing->pid, y->listing->pid);
}

static struct spot *find_spots(const struct listing *const *listings, size_t n)
{
    struct spot *spots = allocate_array(n + 1, sizeof *spots);
    bool jobs = listings_have_several_jobs(listings, n), users = listings_share_job_names(listings, n);

    for (size_t i = 0; i < n; i++) {
        bool has_job = listings[i]->job != NULL;
        const struct rank_place *place = &spots[i].place;

        spots[i] = (struct spot){.job = jobs && has_job ? listings[i]->job : "",
                                 .user = users && has_job ? listings[i]->user : -1, .listing = listings[i]};
        place_find(&spots[i].place, listings[i]);
        spots[i].text = place_say(&place, 1);
    }
    SORT(spots, n, compare_spots);
    return spots;
}

/* Ranks of one job at one place, whichever of their threads is where. A process without a rank is alone. */
static struct text_groups fold_spots(const struct spot *spots, size_t n)
{
    struct text_groups groups = {0};

    for (size_t i = 0; i < n; i++)
        text_groups_add(&groups, spots[i].listing->rank < 0
                                     ? format_text("process %zu", i)
                                     : format_text("%zu %s %ld %s", strlen(spots[i].job), spots[i].job, spots[i].user,
                                                   spots[i].place.key), i);
    return groups;
}

/* "ranks 0-3 of job 4711 of user 1000 on n[01-02]: MPI_Recv from main.c:3" */
static void print_spot(FILE *to, const struct spot *spots, const struct text_group *group)
{
    const struct spot *first = &spots[group->members[0]];
    OWNED long *ranks = allocate_array(group->n, sizeof *ranks);
    OWNED const char **hosts = allocate_array(group->n, sizeof *hosts);
    OWNED const struct rank_place **places = allocate_array(group->n, sizeof *places);
    OWNED char *who = NULL, *job = say_of_job(first->job, first->user), *where = NULL, *text = NULL;

    for (size_t i = 0; i < group->n; i++) {
        ranks[i] = spots[group->members[i]].listing->rank;
        hosts[i] = spots[group->members[i]].listing->host;
        places[i] = &spots[group->members[i]].place;
    }
    text = place_say(places, group->n);
    who = ranks[0] < 0 ? format_text("process %d", (int)first->listing->pid)
                       : ranks_phrase(ranks, ranks_sort(ranks, group->n), "", "");
    where = host_phrase(hosts, group->n);
    print_format(to, 2, 4, "%s%s%s: %s", who, job, where, text);
}

static void print_where(FILE *to, const struct listing *const *listings, size_t n)
{
    OWNED struct spot *spots = find_spots(listings, n);
    RELEASED_BY(text_groups_clear) struct text_groups groups = fold_spots(spots, n);

    putc('\n', to);
    print_styled(to, STYLE_HEADING, "Where");
    for (size_t i = 0; i < groups.n; i++)
        print_spot(to, spots, &groups.groups[i]);
    for (size_t i = 0; i < n; i++) {
        place_clear(&spots[i].place);
        free(spots[i].text);
    }
}

void verdict_print(FILE *to, const struct explanation *explanation, const struct listing *const *listings, size_t n)
{
    print_why(to, explanation);
    print_where(to, listings, n);
}
