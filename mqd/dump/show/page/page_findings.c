/*
 * page_findings.c - why a job does not get on, in a page.
 */
#include "mqd/dump/show/page/page_findings.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/show/graph/xml_text.h"
#include "mqd/dump/show/page/page_rows.h"

/* " of job 4711 of user 1000", where there are several jobs and users, for free(). */
static char *say_owner(const struct page_rows *rows, const char *job, long user)
{
    OWNED char *of_user = rows->users && user >= 0 ? format_text(" of user %ld", user) : copy_string("");

    return rows->jobs && *job != '\0' ? format_text(" of job %s%s", job, of_user) : TAKEN(of_user);
}

/* A button that chooses ranks in the other parts of the page. */
static void print_choice(FILE *to, const struct page_rows *rows, const struct finding *finding, const char *job,
                         const long *ranks, size_t n, const char *what)
{
    OWNED char *list = page_rows_of_ranks(rows, job, finding->user, ranks, n);
    OWNED char *phrase = ranks_phrase(ranks, n, "", ""), *shown = ranks_shorten(phrase, HTML_MAX_LIST);
    OWNED char *owner = say_owner(rows, job, finding->user);

    if (*list == '\0')
        return;
    page_choice_begin(to, list);
    html_format(to, "%s %s%s", what, shown, owner);
    page_choice_end(to);
    putc('\n', to);
}

static void print_choices(FILE *to, const struct page_rows *rows, const struct finding *finding)
{
    fputs("<p class=\"choices scripted\" hidden>", to);
    print_choice(to, rows, finding, finding->job, finding->ranks, finding->n_ranks, "Show");
    print_choice(to, rows, finding, finding->job, finding->causes, finding->n_causes, "Show the cause,");
    for (size_t i = 0; i < finding->n_others; i++) {
        const struct finding_share *share = &finding->others[i];

        print_choice(to, rows, finding, share->job, share->ranks, share->n_ranks, "Show");
        print_choice(to, rows, finding, share->job, share->causes, share->n_causes, "Show the cause,");
    }
    fputs("</p>\n", to);
}

/* Long lists of ranks unfold. */
static void print_text(FILE *to, const char *text)
{
    OWNED char *shown = ranks_shorten(text, HTML_MAX_LIST);
    bool is_whole = strcmp(shown, text) == 0;

    html_element(to, is_whole ? "" : "<details><summary>", shown, is_whole ? "" : "</summary>");
    if (!is_whole)
        html_element(to, "<p>", text, "</p></details>");
}

static void print_finding(FILE *to, const struct page_rows *rows, const struct finding *finding)
{
    const char *certainty = finding->certain ? "certain" : "possible";
    OWNED char *owner = say_owner(rows, finding->job, finding->user);

    fprintf(to, "<article class=\"finding %s\">\n<h3>%s", certainty, finding_heading(finding->kind));
    html_text(to, owner);
    fprintf(to, " <span class=certainty>%s</span></h3>\n<div>", certainty);
    print_text(to, finding->sentence);
    fputs("</div>\n", to);
    if (finding->n_details > 0)
        fputs("<ul>\n", to);
    for (size_t i = 0; i < finding->n_details; i++) {
        fputs("<li>", to);
        print_text(to, finding->details[i]);
        fputs("</li>\n", to);
    }
    if (finding->n_details > 0)
        fputs("</ul>\n", to);
    print_choices(to, rows, finding);
    fputs("</article>\n", to);
}

/* The reader is to know how many there are before scrolling through them. */
static void print_count(FILE *to, const struct verdict *verdict)
{
    size_t n_certain = 0;

    for (size_t i = 0; i < verdict->n; i++)
        n_certain += verdict->findings[i].certain;
    if (verdict->n > 1)
        fprintf(to, "<p>%s findings: %s certain, %s possible.</p>\n", NUMBER(verdict->n), NUMBER(n_certain),
                NUMBER(verdict->n - n_certain));
}

/* More than so many fill the page, and are the same ones mostly. */
enum { MAX_FINDINGS = 100 };

void page_findings_print(FILE *to, const struct page *page, const struct page_rows *rows)
{
    const struct verdict *verdict = page->verdict;

    fputs("<section id=why aria-labelledby=why-title>\n<h2 id=why-title>Why</h2>\n", to);
    print_count(to, verdict);
    for (size_t i = 0; i < verdict->n && i < MAX_FINDINGS; i++)
        print_finding(to, rows, &verdict->findings[i]);
    if (verdict->n > MAX_FINDINGS)
        fprintf(to, "<p>%s more findings: mqdump --json has all.</p>\n", NUMBER(verdict->n - MAX_FINDINGS));
    if (verdict->n == 0)
        fprintf(to, "<p class=\"verdict %s\">%s</p>\n", verdict->unclear ? "possible" : "good",
                !verdict->unclear       ? "Nothing suspicious."
                : verdict->n_notes > 0 ? "Cannot tell why:"
                                       : "Cannot tell why.");
    if (verdict->n == 0 && verdict->unclear && verdict->n_notes == 0)
        fputs("<p class=note>No queues were read, or why the ranks wait was not asked for.</p>\n", to);
    for (size_t i = 0; i < verdict->n_notes; i++)
        html_element(to, "<p class=note>", verdict->notes[i], "</p>\n");
    fputs("</section>\n", to);
}
