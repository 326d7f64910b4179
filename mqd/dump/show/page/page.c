/*
 * page.c - all that is known of a job as one page.
 */
#include "mqd/dump/show/page/page.h"

#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/show/graph/xml_text.h"
#include "mqd/dump/show/page/page_assets.h"
#include "mqd/dump/show/page/page_basis.h"
#include "mqd/dump/show/page/page_findings.h"
#include "mqd/dump/show/page/page_graph.h"
#include "mqd/dump/show/page/page_rows.h"
#include "mqd/dump/show/page/page_stacks.h"
#include "mqd/dump/show/page/page_tables.h"

/* Bytes of a name. */
enum { MAX_TITLE = 60 };

/* The jobs of a page have a name that a person recognises in a list of pages. */
static void print_title(FILE *to, const struct page *page, const struct page_rows *rows)
{
    bool several = rows->jobs || rows->users;
    const char *job = rows->n > 0 && !several ? rows->witnesses[0]->job : NULL;
    size_t length = job != NULL ? strlen(job) : 0, shown = length > MAX_TITLE ? MAX_TITLE : length;
    bool waits = page->verdict->n > 0;

    fputs(waits ? "mqdump: why " : "mqdump: ", to);
    while (shown < length && shown > 0 && ((unsigned char)job[shown] & 0xc0) == 0x80)
        shown--;
    if (length > 0)
        html_format(to, "job %.*s%s%s", (int)shown, job, shown < length ? "..." : "", waits ? " waits" : "");
    else if (several)
        fputs(waits ? "these jobs wait" : "several jobs", to);
    else
        fputs(waits ? "the job waits" : "a job", to);
}

static void print_head(FILE *to, const struct page *page, const struct page_rows *rows)
{
    fprintf(to, "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
            "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src '%s'; script-src '%s'; "
            "base-uri 'none'; form-action 'none'\">\n"
            "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
            "<meta name=color-scheme content=\"light dark\">\n<title>", page_style_hash, page_script_hash);
    print_title(to, page, rows);
    fprintf(to, "</title>\n<style>%s</style>\n<script>%s</script>\n</head>\n", page_style, page_script);
}

/* When the first and the last look were taken; NULL: that is not known. */
static void find_times(const struct page *page, const char **first, const char **last)
{
    *first = *last = NULL;
    for (size_t i = 0; i < page->n_looks; i++) {
        const char *taken = page->looks[i]->taken;

        if (*taken == '\0')
            continue;
        if (*first == NULL || strcmp(taken, *first) < 0)
            *first = taken;
        if (*last == NULL || strcmp(taken, *last) > 0)
            *last = taken;
    }
}

static void print_number_read(FILE *to, const struct page_rows *rows)
{
    size_t n_read = 0;

    for (size_t i = 0; i < rows->n; i++)
        n_read += rows->witnesses[i]->listing->has_communicators;
    fprintf(to, "%s rank%s, ", NUMBER(rows->n), rows->n == 1 ? "" : "s");
    if (n_read == rows->n)
        fputs(rows->n == 1 ? "which was read" : "all of which were read", to);
    else
        fprintf(to, "of which %s %s read", NUMBER(n_read), n_read == 1 ? "was" : "were");
}

static void print_times(FILE *to, const struct page *page)
{
    static const size_t date = sizeof "2024-05-31" - 1, second = sizeof "2024-05-31T17:08:59" - 1;
    const char *first, *last;

    find_times(page, &first, &last);
    if (first == NULL || strlen(first) < second || strlen(last) < second)
        return;
    html_format(to, "; looked at on %.10s ", first);
    if (strncmp(first, last, second) == 0)
        html_format(to, "at %.8s UTC", first + date + 1);
    else if (strncmp(first, last, date) == 0)
        html_format(to, "between %.8s and %.8s UTC", first + date + 1, last + date + 1);
    else
        html_format(to, "at %.8s UTC to %.10s %.8s UTC", first + date + 1, last, last + date + 1);
}

static void print_summary(FILE *to, const struct page *page, const struct page_rows *rows)
{
    size_t n_problems = page_n_problems(page);

    fputs("<p>", to);
    if (rows->n == 0)
        fputs("No ranks", to);
    else
        print_number_read(to, rows);
    print_times(to, page);
    if (n_problems > 0 && page->n_looks == 1)
        fputs("; <a href=\"#basis\">the look is not whole</a>", to);
    else if (n_problems > 0)
        fprintf(to, "; <a href=\"#basis\">%s of %s looks %s not whole</a>", NUMBER(n_problems), NUMBER(page->n_looks),
                n_problems == 1 ? "is" : "are");
    fputs(".</p>\n", to);
}

static void print_navigation(FILE *to, const struct page_rows *rows)
{
    fprintf(to, "<nav aria-label=Sections><a href=\"#why\">Why</a> <a href=\"#graph\">Who waits for whom</a> "
            "<a href=\"#stacks\">Stacks</a> <a href=\"#ranks\">Ranks</a> <a href=\"#operations\">Operations</a> "
            "%s<a href=\"#basis\">What this rests on</a></nav>\n",
            page_has_windows(rows) ? "<a href=\"#windows\">Windows</a> " : "");
}

void page_print(FILE *to, const struct page *page)
{
    struct page_rows rows;

    page_rows_find(&rows, page);
    print_head(to, page, &rows);
    fputs("<body>\n<header>\n<h1>", to);
    print_title(to, page, &rows);
    fputs("</h1>\n", to);
    print_summary(to, page, &rows);
    print_navigation(to, &rows);
    fputs("</header>\n<main>\n", to);
    page_findings_print(to, page, &rows);
    page_graph_print(to, page, &rows);
    page_stacks_print(to, &rows);
    page_ranks_print(to, page, &rows);
    page_operations_print(to, &rows);
    page_windows_print(to, &rows);
    page_basis_print(to, page, &rows);
    fputs("</main>\n<div id=choice role=status aria-live=polite hidden></div>\n"
            "<footer><p>Made by mqdump (ompi-mqd) " PACKAGE_VERSION ".</p></footer>\n</body>\n</html>\n", to);
    page_rows_clear(&rows);
}
