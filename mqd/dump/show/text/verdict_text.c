/*
 * verdict_text.c - findings, and where each rank is, for people.
 */
#include "mqd/dump/show/text/verdict_text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/host_phrase.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/base/terminal.h"
#include "mqd/dump/base/text_stream.h"
#include "mqd/dump/show/text/paragraph.h"

/* Of the findings together. With the notes they fit a screen of 40 lines. */
enum { MAX_LINES = 34 };

/* "Deadlock, job 4711 of user 1000 (possible)."; `name_job` where there are several. */
char *finding_title(const struct finding *finding, bool name_job)
{
    bool has_user = name_job && finding->user >= 0;
    const char *job = name_job ? finding->job : "";
    char *user = has_user ? format_text(" of user %ld", finding->user) : copy_string("");
    char *heading = format_text("%s%s%s%s%s.", finding_heading(finding->kind),
                                *job != '\0' ? ", job " : has_user ? ", job" : "", job, user,
                                finding->certain ? "" : " (possible)");

    free(user);
    return heading;
}

static void print_finding(FILE *to, const struct finding *finding, bool name_job)
{
    char *heading = finding_title(finding, name_job);
    struct paragraph paragraph = start_paragraph(to, 2);

    paragraph.indent = 4;
    terminal_style(to, finding->certain ? STYLE_BAD : STYLE_DOUBT);
    put_text(&paragraph, heading);
    terminal_style(to, STYLE_PLAIN);
    put_text(&paragraph, " ");
    put_text(&paragraph, finding->sentence);
    end_paragraph(&paragraph);
    free(heading);
    for (size_t i = 0; i < finding->n_details; i++)
        print_paragraph(to, 4, 6, finding->details[i]);
}

/* How many lines the finding takes. */
static size_t count_lines_of(const struct finding *finding, bool name_job)
{
    struct text_stream stream;
    size_t n;

    text_stream_open(&stream);
    print_finding(stream.to, finding, name_job);
    n = count_lines(text_stream_close(&stream));
    free(stream.text);
    return n;
}

static void print_styled(FILE *to, enum style style, const char *text)
{
    terminal_style(to, style);
    fputs(text, to);
    terminal_style(to, STYLE_PLAIN);
    putc('\n', to);
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

    for (size_t i = 0; i < call->n_chain; i++) {
        char *longer = format_text("%s, from %s", text, call->chain[i]);

        free(text);
        text = longer;
    }
    return text;
}

static char *say_mpi(const struct call *call, const char *place)
{
    char *phrase, *text;

    if (call->n_chain > 0)
        return say_chain(call);
    phrase = call_phrase(call);
    text = format_text(call->has_source ? "%s from %s" : "%s called from %s", phrase, place);
    free(phrase);
    return text;
}

/* Ranks that compute are rarely at the same instruction, but often in the same function: only the function is named. */
static char *say_call(const struct call *call)
{
    const char *place = call->place != NULL ? call->place : "unknown";

    switch (call->state) {
    case CALL_MPI:
        return say_mpi(call, place);
    case CALL_OUTSIDE:
        if (call->through != NULL)
            return format_text("in %s, in its %s", call->through, call->function);
        return format_text("outside of MPI, in %s", call->function != NULL ? call->function : place);
    case CALL_UNKNOWN:
        break;
    }
    return copy_string("unknown: its stack cannot be told");
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Takes over the texts. */
static char *say_others(char **texts, size_t n)
{
    char *all = copy_string("");

    if (n > 1)
        qsort(texts, n, sizeof *texts, compare_texts);
    for (size_t i = 0; i < n;) {
        size_t end = i + 1;
        char *longer;

        while (end < n && strcmp(texts[i], texts[end]) == 0)
            end++;
        longer = end == i + 1 ? format_text("%s; another thread: %s", all, texts[i])
                              : format_text("%s; %s threads: %s", all, NUMBER(end - i), texts[i]);
        free(all);
        all = longer;
        i = end;
    }
    for (size_t i = 0; i < n; i++)
        free(texts[i]);
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
    char **others = allocate_array(calls != NULL ? calls->n + 1 : 1, sizeof *others), *main_thread = NULL, *rest, *text;
    size_t n = 0;

    for (size_t i = 0; calls != NULL && i < calls->n; i++) {
        if (calls->calls[i].is_main && main_thread == NULL)
            main_thread = say_call(&calls->calls[i]);
        else
            others[n++] = say_call(&calls->calls[i]);
    }
    if (main_thread == NULL)
        main_thread = say_unknown(listing);
    rest = say_others(others, n);
    text = format_text("%s%s", main_thread, rest);
    free(main_thread);
    free(rest);
    free(others);
    return text;
}

/* A process and the text that says where it is. */
struct spot {
    char *text;
    const char *job;               /* "" if it has none, or if there is only one */
    long user;                     /* whose it is, if jobs of several users have one name; else -1 */
    const char *host;              /* NULL: it is not to be named */
    long rank;
    pid_t pid;
};

static int compare_spots(const void *a, const void *b)
{
    const struct spot *x = a, *y = b;
    int order = (x->rank < 0) - (y->rank < 0);

    if (order == 0)
        order = strcmp(x->job, y->job);
    if (order == 0)
        order = (x->user > y->user) - (x->user < y->user);
    if (order == 0)
        order = strcmp(x->text, y->text);
    if (order == 0)
        order = (x->rank > y->rank) - (x->rank < y->rank);
    return order != 0 ? order : (x->pid > y->pid) - (x->pid < y->pid);
}

/* A line of ranks at one place; the lines are in the order of their first ranks. */
struct line {
    char *who;
    char *hosts;                   /* " on n[01-02]", or "" */
    const char *text;
    const char *job;
    long user;
    long first;
};

static int compare_lines(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    int order = (x->first == LONG_MAX) - (y->first == LONG_MAX);

    if (order == 0)
        order = strcmp(x->job, y->job);
    if (order == 0)
        order = (x->user > y->user) - (x->user < y->user);
    return order != 0 ? order : (x->first > y->first) - (x->first < y->first);
}

static size_t fold_spots(struct line *lines, const struct spot *spots, size_t n)
{
    long *ranks = allocate_array(n + 1, sizeof *ranks);
    const char **hosts = allocate_array(n + 1, sizeof *hosts);
    size_t n_lines = 0;

    for (size_t i = 0; i < n; i++)
        hosts[i] = spots[i].host;

    for (size_t i = 0; i < n;) {
        size_t last = i, n_ranks;

        if (spots[i].rank < 0) {
            lines[n_lines++] =
                (struct line){format_text("process %d", (int)spots[i].pid), host_phrase(&hosts[i], 1), spots[i].text,
                              spots[i].job, spots[i].user, LONG_MAX};
            i++;
            continue;
        }
        while (last + 1 < n && spots[last + 1].rank >= 0 && strcmp(spots[last + 1].job, spots[i].job) == 0 &&
               spots[last + 1].user == spots[i].user && strcmp(spots[last + 1].text, spots[i].text) == 0)
            last++;
        for (size_t k = i; k <= last; k++)
            ranks[k - i] = spots[k].rank;
        n_ranks = ranks_sort(ranks, last - i + 1);
        lines[n_lines++] =
            (struct line){ranks_phrase(ranks, n_ranks, "", ""), host_phrase(hosts + i, last - i + 1), spots[i].text,
                          spots[i].job, spots[i].user, ranks[0]};
        i = last + 1;
    }
    free(ranks);
    free(hosts);
    return n_lines;
}

static void print_where(FILE *to, const struct listing *const *listings, size_t n)
{
    struct spot *spots = allocate_array(n + 1, sizeof *spots);
    struct line *lines = allocate_array(n + 1, sizeof *lines);
    bool jobs = listings_have_several_jobs(listings, n), users = listings_share_job_names(listings, n);
    size_t n_lines;

    for (size_t i = 0; i < n; i++)
        spots[i] = (struct spot){say_calls(listings[i]), jobs && listings[i]->job != NULL ? listings[i]->job : "",
                                 users && listings[i]->job != NULL ? listings[i]->user : -1, listings[i]->host,
                                 listings[i]->rank, listings[i]->pid};
    if (n > 1)
        qsort(spots, n, sizeof *spots, compare_spots);
    n_lines = fold_spots(lines, spots, n);
    if (n_lines > 1)
        qsort(lines, n_lines, sizeof *lines, compare_lines);
    putc('\n', to);
    print_styled(to, STYLE_HEADING, "Where");
    for (size_t i = 0; i < n_lines; i++) {
        char *user = lines[i].user >= 0 ? format_text(" of user %ld", lines[i].user) : copy_string("");
        char *text = format_text("%s%s%s%s%s: %s", lines[i].who, *lines[i].job != '\0' ? " of job " : "",
                                 lines[i].job, user, lines[i].hosts, lines[i].text);

        print_paragraph(to, 2, 4, text);
        free(text);
        free(user);
        free(lines[i].hosts);
        free(lines[i].who);
    }
    for (size_t i = 0; i < n; i++)
        free(spots[i].text);
    free(spots);
    free(lines);
}

void verdict_print(FILE *to, const struct verdict *verdict, const struct listing *const *listings, size_t n)
{
    print_why(to, verdict);
    print_where(to, listings, n);
}
