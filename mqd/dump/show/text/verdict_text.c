/*
 * verdict_text.c - findings, and where each rank is, for people.
 */
#include "mqd/dump/show/text/verdict_text.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/host_phrase.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/base/text_groups.h"
#include "mqd/dump/base/text_stream.h"
#include "mqd/dump/show/text/paragraph.h"

/* Of the findings together. With the notes they fit a screen of 40 lines. */
enum { MAX_LINES = 34 };

/* "Deadlock, job 4711 of user 1000 (possible)."; `name_job` where there are several. */
char *finding_title(const struct finding *finding, bool name_job)
{
    bool has_user = name_job && finding->user >= 0;
    const char *job = name_job ? finding->job : "";
    OWNED char *user = has_user ? format_text(" of user %ld", finding->user) : copy_string("");
    char *heading = format_text("%s%s%s%s%s.", finding_heading(finding->kind),
                                *job != '\0' ? ", job " : has_user ? ", job" : "", job, user,
                                finding->certain ? "" : " (possible)");

    return heading;
}

static void print_finding(FILE *to, const struct finding *finding, bool name_job)
{
    OWNED char *heading = finding_title(finding, name_job);
    struct paragraph paragraph = start_paragraph(to, 2);

    paragraph.indent = 4;
    terminal_style(to, finding->certain ? STYLE_BAD : STYLE_DOUBT);
    put_text(&paragraph, heading);
    terminal_style(to, STYLE_PLAIN);
    put_text(&paragraph, " ");
    put_text(&paragraph, finding->sentence);
    end_paragraph(&paragraph);
    for (size_t i = 0; i < finding->n_details; i++)
        print_paragraph(to, 4, 6, finding->details[i]);
}

/* How many lines the finding takes. */
static size_t count_lines_of(const struct finding *finding, bool name_job)
{
    struct text_stream stream;
    OWNED char *text = NULL;

    text_stream_open(&stream);
    print_finding(stream.to, finding, name_job);
    text = text_stream_close(&stream);
    return count_lines(text);
}

/* The most likely causes come first. One is shown in any case, the others as long as they fit a screen. */
static void print_findings(FILE *to, const struct verdict *verdict)
{
    bool jobs = verdict_has_several_jobs(verdict);
    size_t n_lines = 0;

    for (size_t i = 0; i < verdict->n; i++) {
        const struct finding *finding = &verdict->findings[i];
        bool name_job = jobs && finding->n_others == 0;

        n_lines += count_lines_of(finding, name_job);
        if (i > 0 && n_lines > MAX_LINES) {
            fprintf(to, "  %s more finding%s: --json has all.\n", NUMBER(verdict->n - i),
                    verdict->n - i == 1 ? "" : "s");
            return;
        }
        print_finding(to, finding, name_job);
    }
}

static void print_why(FILE *to, const struct verdict *verdict)
{
    print_styled(to, STYLE_HEADING, "Why");
    print_findings(to, verdict);
    if (verdict->n == 0 && verdict->unclear)
        print_styled(to, STYLE_DOUBT, "  Cannot tell why:");
    else if (verdict->n == 0)
        print_styled(to, STYLE_GOOD, "  Nothing suspicious.");
    for (size_t i = 0; i < verdict->n_notes; i++)
        print_paragraph(to, 2, 4, verdict->notes[i]);
}

/* "MPI_File_write_at_all, from H5Dwrite in libhdf5_openmpi, from save_state main.c:214". */
static char *say_chain(const struct call *call)
{
    char *text = call_phrase(call);

    for (size_t i = 0; i < call->n_chain; i++)
        append_text(&text, ", from %s", call->chain[i]);
    return text;
}

static char *say_mpi(const struct call *call, const char *place)
{
    OWNED char *phrase = call_phrase(call);

    if (call->n_chain > 0)
        return say_chain(call);
    return format_text(call->has_source ? "%s from %s" : "%s called from %s", phrase, place);
}

/* Ranks that compute are rarely at the same instruction, but often in the same function: only the function is named. */
static char *say_call(const struct call *call)
{
    const char *place = call->place != NULL ? call->place : "unknown";

    switch (call->state) {
    case CALL_MPI:
        return say_mpi(call, place);
    case CALL_OUTSIDE:
        if (call->wrapper != NULL)
            return format_text("in %s, in its %s", call->wrapper, call->function);
        return format_text("outside of MPI, in %s", call->function != NULL ? call->function : place);
    case CALL_UNKNOWN:
        break;
    }
    return copy_string("unknown: its stack cannot be told");
}

/* "; another thread: MPI_Recv from main.c:3; 3 threads: ..." */
static char *say_others(struct text_groups *others)
{
    char *all = copy_string("");

    text_groups_sort_by_text(others);
    for (size_t i = 0; i < others->n; i++) {
        const struct text_group *same = &others->groups[i];

        if (same->n == 1)
            append_text(&all, "; another thread: %s", same->text);
        else
            append_text(&all, "; %s threads: %s", NUMBER(same->n), same->text);
    }
    return all;
}

/* What is wrong with many machines is said once. */
static char *say_unknown(const struct listing *listing)
{
    if (listing->error == NULL)
        return copy_string("unknown: its stack cannot be told");
    return listing->host != NULL ? host_reason(listing->error, listing->host, false) : copy_string(listing->error);
}

char *say_calls(const struct listing *listing)
{
    const struct calls *calls = listing->calls;
    RELEASED_BY(text_groups_clear) struct text_groups others = {0};
    OWNED char *main_thread = NULL, *rest = NULL;

    for (size_t i = 0; calls != NULL && i < calls->n; i++) {
        if (calls->calls[i].is_main && main_thread == NULL)
            main_thread = say_call(&calls->calls[i]);
        else
            text_groups_add(&others, say_call(&calls->calls[i]), i);
    }
    if (main_thread == NULL)
        main_thread = say_unknown(listing);
    rest = say_others(&others);
    return format_text("%s%s", main_thread, rest);
}

/* A process and the text that says where it is. */
struct spot {
    char *text;
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

        spots[i] = (struct spot){say_calls(listings[i]), jobs && has_job ? listings[i]->job : "",
                                 users && has_job ? listings[i]->user : -1, listings[i]};
    }
    SORT(spots, n, compare_spots);
    return spots;
}

/* Ranks of one job at one place. A process without a rank is alone. */
static struct text_groups fold_spots(const struct spot *spots, size_t n)
{
    struct text_groups groups = {0};

    for (size_t i = 0; i < n; i++)
        text_groups_add(&groups, spots[i].listing->rank < 0
                                     ? format_text("process %zu", i)
                                     : format_text("%zu %s %ld %s", strlen(spots[i].job), spots[i].job, spots[i].user,
                                                   spots[i].text), i);
    return groups;
}

/* "ranks 0-3 of job 4711 of user 1000 on n[01-02]: MPI_Recv from main.c:3" */
static void print_spot(FILE *to, const struct spot *spots, const struct text_group *group)
{
    const struct spot *first = &spots[group->members[0]];
    OWNED long *ranks = allocate_array(group->n, sizeof *ranks);
    OWNED const char **hosts = allocate_array(group->n, sizeof *hosts);
    OWNED char *who = NULL, *user = NULL, *where = NULL;

    for (size_t i = 0; i < group->n; i++) {
        ranks[i] = spots[group->members[i]].listing->rank;
        hosts[i] = spots[group->members[i]].listing->host;
    }
    who = ranks[0] < 0 ? format_text("process %d", (int)first->listing->pid)
                       : ranks_phrase(ranks, ranks_sort(ranks, group->n), "", "");
    user = first->user >= 0 ? format_text(" of user %ld", first->user) : copy_string("");
    where = host_phrase(hosts, group->n);
    print_format(to, 2, 4, "%s%s%s%s%s: %s", who, *first->job != '\0' ? " of job " : "", first->job, user, where,
                 first->text);
}

static void print_where(FILE *to, const struct listing *const *listings, size_t n)
{
    OWNED struct spot *spots = find_spots(listings, n);
    RELEASED_BY(text_groups_clear) struct text_groups groups = fold_spots(spots, n);

    putc('\n', to);
    print_styled(to, STYLE_HEADING, "Where");
    for (size_t i = 0; i < groups.n; i++)
        print_spot(to, spots, &groups.groups[i]);
    for (size_t i = 0; i < n; i++)
        free(spots[i].text);
}

void verdict_print(FILE *to, const struct verdict *verdict, const struct listing *const *listings, size_t n)
{
    print_why(to, verdict);
    print_where(to, listings, n);
}
