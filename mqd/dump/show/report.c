/*
 * report.c - prints what is known of some processes, and what follows from it.
 */
#include "mqd/dump/show/report.h"

#include <stdio.h>
#include <string.h>

#include "mqd/dump/base/hash.h"
#include "mqd/dump/base/host_phrase.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/printable.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/base/whole_file.h"
#include "mqd/dump/show/graph/picture_svg.h"
#include "mqd/dump/show/json.h"
#include "mqd/dump/show/page/page.h"
#include "mqd/dump/show/text/layout_text.h"
#include "mqd/dump/show/text/listing_text.h"
#include "mqd/dump/show/text/paragraph.h"
#include "mqd/dump/show/text/sources.h"
#include "mqd/dump/show/text/stack_text.h"
#include "mqd/dump/show/text/verdict_text.h"

/* With more ranks than this the tables are printed on request only: the conclusions fit one screen. */
enum { MAX_TABLES = 8 };

/* More kinds of errors of processes of several machines are not printed. */
enum { MAX_ERRORS = 8 };

static void print_error(const struct listing *listing)
{
    if (listing->core != NULL)
        print_line(stderr, "mqdump: core %s: %s", listing->core, listing->error);
    else
        print_line(stderr, "mqdump: process %d: %s", (int)listing->pid, listing->error);
}

/*
 * Errors of processes of several machines: of thousands of them the same is said once. "64 processes on n[03,17]: the host
 * could not be reached: ..."
 */
static void print_same_errors(const struct report *report, const struct text_group *same)
{
    OWNED const char **hosts = allocate_array(same->n, sizeof *hosts);
    OWNED char *who = same->n == 1 ? format_text("process %d", (int)report->witnesses[same->members[0]].listing->pid)
                                   : format_text("%s processes", NUMBER(same->n));
    OWNED char *where = NULL;

    for (size_t i = 0; i < same->n; i++)
        hosts[i] = report->witnesses[same->members[i]].listing->host;
    where = host_phrase(hosts, same->n);
    print_line(stderr, "mqdump: %s%s: %s", who, where, same->text);
}

static void print_errors(const struct report *report, struct text_groups *errors)
{
    size_t n_left = 0;

    text_groups_sort_by_text(errors);
    for (size_t i = 0; i < errors->n; i++) {
        if (i < MAX_ERRORS)
            print_same_errors(report, &errors->groups[i]);
        else
            n_left += errors->groups[i].n;
    }
    if (n_left > 0)
        fprintf(stderr, "mqdump: %s more processes could not be shown\n", NUMBER(n_left));
}

/*
 * Errors of processes whose tables are printed are in the tables. Missing ranks were reported when they were selected.
 */
static void report_errors(const struct report *report)
{
    bool in_tables = false, json = report->wish->json;
    RELEASED_BY(text_groups_clear) struct text_groups errors = {0};

    for (size_t i = 0; i < report->n; i++) {
        const struct listing *listing = report->witnesses[i].listing;

        if (report->witnesses[i].missing != NULL && report->n_sources == 0)
            continue;
        if (listing->error == NULL || (!json && listing->has_communicators))
            in_tables |= !listing_is_complete(listing);
        else if (listing->host != NULL)
            text_groups_add(&errors, host_reason(listing->error, listing->host, false), i);
        else
            print_error(listing);
    }
    print_errors(report, &errors);
    if (in_tables)
        fprintf(stderr, "mqdump: not everything could be shown: see \"%s\" in the output\n",
                json ? "errors" : "error:");
}

/* People look for ranks, not for process ids; a process whose job or rank is not known comes first. */
static int compare_ranks(const void *a, const void *b)
{
    const struct listing *x = *(const struct listing *const *)a, *y = *(const struct listing *const *)b;

    return strcmp(x->job != NULL ? x->job : "", y->job != NULL ? y->job : "") ?: ORDER(x->rank, y->rank) ?:
           ORDER(x->pid, y->pid);
}

/* How many ranks have queues that were read. */
static size_t count_queues(const struct listing *const *listings, size_t n)
{
    size_t n_read = 0;

    for (size_t i = 0; i < n; i++)
        n_read += listings[i]->has_communicators;
    return n_read;
}

/* With many ranks keeps only the listings that have errors. Returns how many are left. */
static size_t choose_tables(const struct listing **listings, size_t n)
{
    size_t n_left = 0;

    if (count_queues(listings, n) <= MAX_TABLES)
        return n;
    for (size_t i = 0; i < n; i++)
        if (listings[i]->has_communicators && !listing_is_complete(listings[i]))
            listings[n_left++] = listings[i];
    return n_left;
}

static void print_left_out(size_t n, bool others)
{
    fputs(others ? "\n" : "", stdout);
    print_format(stdout, 0, 0, "The queues of %s %sranks are not printed: --queues prints all.", NUMBER(n),
                 others ? "other " : "");
}

static void print_text(const struct report *report, const struct listing **listings)
{
    const struct explanation *explanation = report->explanation;
    size_t n = report->n;
    size_t n_tables = n, n_queues = count_queues(listings, n);

    if (explanation != NULL) {
        verdict_print(stdout, explanation, listings, n);
        if (report->wish->stacks)
            stacks_print(stdout, listings, n);
        n_tables = report->wish->queues != QUEUES_OF_FEW ? n : choose_tables(listings, n);
        putchar('\n');
    }
    text_print(stdout, listings, n_tables, report->questions, report->wish->queues == QUEUES_WHOLE);
    if (n_tables < n_queues)
        print_left_out(n_queues - n_tables, n_tables > 0);
}

static bool print_all(const struct report *report)
{
    OWNED const struct listing **listings = allocate_array(report->n, sizeof *listings);

    for (size_t i = 0; i < report->n; i++)
        listings[i] = report->witnesses[i].listing;
    if (report->wish->json) {
        json_print(stdout, listings, report->n, report->explanation, report->sources, report->n_sources);
    } else {
        SORT(listings, report->n, compare_ranks);
        sources_print(stdout, report->sources, report->n_sources, report->witnesses, report->n);
        if (report->layout)
            layout_print(stdout, listings, report->n);
        else if (report->questions->n > 0)
            text_print(stdout, listings, report->n, report->questions, report->wish->queues == QUEUES_WHOLE);
        else
            print_text(report, listings);
    }
    return flush_output();
}

/* The files that are written besides. */

static bool print_dot(FILE *to, const void *picture)
{
    picture_print_dot(to, picture);
    return true;
}

static bool print_svg(FILE *to, const void *picture)
{
    picture_print_svg(to, picture);
    return true;
}

static bool print_page(FILE *to, const void *context)
{
    static const struct explanation none = {.verdict = {.unclear = true}};
    const struct report *report = context;
    const struct page page = {.witnesses = report->witnesses, .n = report->n,
                              .explanation = report->explanation != NULL ? report->explanation : &none,
                              .picture = report->picture, .looks = report->looks, .n_looks = report->n_looks};

    page_print(to, &page);
    return true;
}

static bool write_files(const struct report *report)
{
    bool good = true;

    if (report->picture == NULL)
        return true;
    if (report->wish->dot != NULL)
        good = document_write(report->wish->dot, PUBLIC_FILE, print_dot, report->picture);
    if (report->wish->svg != NULL)
        good &= document_write(report->wish->svg, PUBLIC_FILE, print_svg, report->picture);
    if (report->wish->html != NULL)
        good &= document_write(report->wish->html, mode_of_what_was_seen(), print_page, report);
    return good;
}

static bool all_complete(const struct report *report)
{
    for (size_t i = 0; i < report->n; i++)
        if (!listing_is_complete(report->witnesses[i].listing))
            return false;
    return true;
}

bool report_show(const struct report *report)
{
    const struct show_wish *wish = report->wish;
    bool is_taken = is_standard_output(wish->dot) || is_standard_output(wish->svg) || is_standard_output(wish->html) ||
                    is_standard_output(wish->save);
    bool printed = is_taken || print_all(report), drawn = write_files(report);

    report_errors(report);
    return printed && drawn && all_complete(report);
}
