/*
 * page_basis.c - what a page rests on.
 */
#include "mqd/dump/show/page/page_basis.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/host_phrase.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/base/text_groups.h"
#include "mqd/dump/base/text_stream.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/show/graph/xml_text.h"
#include "mqd/dump/show/page/page_rows.h"
#include "mqd/dump/show/text/layout_text.h"

/* More kinds are not read by anybody. */
enum { MAX_KINDS = 50, MAX_HOSTS = 200 };

/* Prints as items of a list what is said of rows. */
static void print_said(FILE *to, const struct page_rows *rows, struct text_groups *said)
{
    text_groups_sort_by_text(said);
    for (size_t i = 0; i < said->n && i < MAX_KINDS; i++) {
        fputs("<li>", to);
        page_choice_print(to, rows, said->groups[i].members, said->groups[i].n);
        html_element(to, ": ", said->groups[i].text, "</li>\n");
    }
    if (said->n > MAX_KINDS)
        fprintf(to, "<li>%s more kinds: mqdump --json has all.</li>\n", NUMBER(said->n - MAX_KINDS));
}

/* Looks and machines. */

/* "2024-05-31T17:08:59.123456Z" as "2024-05-31 17:08:59.123" */
static void print_time(FILE *to, const char *taken)
{
    if (taken[0] == '\0' || strlen(taken) < strlen("2024-05-31T17:08:59.123"))
        html_text(to, taken[0] != '\0' ? taken : "not known");
    else
        html_format(to, "%.10s %.12s", taken, taken + strlen("2024-05-31T"));
}

static void print_look(FILE *to, const struct record_look *look)
{
    html_element(to, "<tr><td>", look->host != NULL ? look->host : "not known", "<td class=time>");
    print_time(to, look->taken);
    fprintf(to, "<td>%s<td>", NUMBER(look->n_processes));
    html_element(to, "", look->mqdump != NULL ? look->mqdump : "not known", "<td>");
    html_element(to, "", look->problem != NULL ? look->problem : "", "\n");
}

/* Of many machines those with a problem come first; n2 comes before n10. */
static int compare_looks(const void *a, const void *b)
{
    const struct record_look *const *first = *(const struct record_look *const *const *)a, *x = *first;
    const struct record_look *const *second = *(const struct record_look *const *const *)b, *y = *second;

    return (x->problem == NULL) - (y->problem == NULL) ?: (x->host == NULL) - (y->host == NULL) ?:
           (x->host != NULL ? strverscmp(x->host, y->host) : 0) ?: strcmp(x->taken, y->taken) ?: ORDER(first, second);
}

static void print_looks(FILE *to, const struct page *page)
{
    OWNED const struct record_look *const **looks = allocate_array(page->n_looks + 1, sizeof *looks);

    for (size_t i = 0; i < page->n_looks; i++)
        looks[i] = &page->looks[i];
    SORT(looks, page->n_looks, compare_looks);
    fputs("<h3>Hosts and times</h3>\n<div class=scroll tabindex=0 role=group aria-labelledby=basis-title>\n<table>\n"
          "<thead><tr><th scope=col>Host</th><th scope=col>Looked at (UTC)</th><th scope=col>Processes</th>"
          "<th scope=col>mqdump</th><th scope=col>Problem</th></tr></thead>\n<tbody>\n", to);
    for (size_t i = 0; i < page->n_looks; i++)
        print_look(to, *looks[i]);
    fputs("</tbody>\n</table>\n</div>\n", to);
}

/* Layouts. */

static char *layout_of(const struct listing *listing)
{
    struct text_stream stream;
    char *text;

    text_stream_open(&stream);
    layout_print_summary(stream.to, listing);
    text = text_stream_close(&stream);
    for (char *at = text; (at = strchr(at, '\n')) != NULL;)
        *at = ' ';
    return text;
}

static void print_layouts(FILE *to, const struct page_rows *rows)
{
    RELEASED_BY(text_groups_clear) struct text_groups all = {0};

    for (size_t i = 0; i < rows->n; i++)
        if (rows->witnesses[i]->listing->has_layout)
            text_groups_add(&all, layout_of(rows->witnesses[i]->listing), i);
    if (all.n == 0)
        return;
    fputs("<h3>What the queues were read by</h3>\n<ul>\n", to);
    print_said(to, rows, &all);
    fputs("</ul>\n", to);
}

/* What could not be read. */

static void say_problems(struct text_groups *all, const struct listing *listing, size_t row)
{
    static const char *const queues[N_QUEUES] = {[mqs_pending_sends] = "sends", [mqs_pending_receives] = "receives",
                                                 [mqs_unexpected_messages] = "unexpected messages"};

    if (listing->error != NULL)
        text_groups_add(all, listing->host != NULL ? host_reason(listing->error, listing->host, false)
                                                   : copy_string(listing->error), row);
    if (listing->was_running)
        text_groups_add(all, copy_string("it was not stopped: what is shown may contradict itself"), row);
    for (int class = 0; class < N_QUEUES; class++)
        if (listing->gaps[class].text != NULL)
            text_groups_add(all, copy_string(listing->gaps[class].text), row);
    for (size_t i = 0; i < listing->n_windows; i++)
        if (listing->windows[i].error != NULL)
            text_groups_add(all, format_text("window %s: %s", listing->windows[i].name[0] != '\0'
                                                                  ? listing->windows[i].name : "without a name",
                                             listing->windows[i].error), row);
    for (size_t i = 0; i < listing->n; i++) {
        const struct communicator *communicator = &listing->communicators[i];

        if (communicator->group_error != NULL)
            text_groups_add(all, format_text("ranks of %s: %s", communicator->name, communicator->group_error), row);
        for (int class = 0; class < N_QUEUES; class++)
            if (communicator->queues[class].error != NULL)
                text_groups_add(all, format_text("%s on %s: %s", queues[class], communicator->name,
                                                 communicator->queues[class].error), row);
    }
}

/* What is wrong with looks. Of many machines the same is said once. */

static const char *host_of(const struct record_look *look)
{
    return look->host != NULL ? look->host : "a host without a name";
}

static void print_same_problem(FILE *to, const struct page *page, const struct text_group *same)
{
    OWNED const char **hosts = allocate_array(same->n, sizeof *hosts);
    OWNED char *list = NULL, *only = NULL;

    for (size_t i = 0; i < same->n; i++)
        hosts[i] = host_of(page->looks[same->members[i]]);
    list = host_phrase_list(hosts, same->n, MAX_HOSTS);
    only = host_reason(page->looks[same->members[0]]->problem, hosts[0], true);
    fputs("<li>", to);
    html_format(to, "%s: %s", list, same->n > 1 ? same->text : only);
    fputs("</li>\n", to);
}

static void print_look_problems(FILE *to, const struct page *page)
{
    RELEASED_BY(text_groups_clear) struct text_groups problems = {0};

    for (size_t i = 0; i < page->n_looks; i++)
        if (page->looks[i]->problem != NULL)
            text_groups_add(&problems, host_reason(page->looks[i]->problem, host_of(page->looks[i]), false), i);
    text_groups_sort_by_text(&problems);
    for (size_t i = 0; i < problems.n && i < MAX_KINDS; i++)
        print_same_problem(to, page, &problems.groups[i]);
    if (problems.n > MAX_KINDS)
        fprintf(to, "<li>%s more kinds are in the table of hosts.</li>\n", NUMBER(problems.n - MAX_KINDS));
}

static void print_problems(FILE *to, const struct page *page, const struct page_rows *rows)
{
    RELEASED_BY(text_groups_clear) struct text_groups all = {0};

    for (size_t i = 0; i < rows->n; i++)
        say_problems(&all, rows->witnesses[i]->listing, i);
    fputs("<h3>What could not be read</h3>\n", to);
    if (all.n == 0 && page_n_problems(page) == 0) {
        fputs(rows->n > 0 ? "<p>All that was asked for could be read.</p>\n" : "<p>No process was read.</p>\n", to);
        return;
    }
    fputs("<ul>\n", to);
    print_look_problems(to, page);
    print_said(to, rows, &all);
    fputs("</ul>\n", to);
}

static void print_warnings(FILE *to)
{
    if (warning_given(0) == NULL)
        return;
    fputs("<h3>Warnings</h3>\n<ul>\n", to);
    for (size_t i = 0; warning_given(i) != NULL; i++)
        html_element(to, "<li>", warning_given(i), "</li>\n");
    fputs("</ul>\n", to);
}

size_t page_n_problems(const struct page *page)
{
    size_t n = 0;

    for (size_t i = 0; i < page->n_looks; i++)
        n += page->looks[i]->problem != NULL;
    return n;
}

void page_basis_print(FILE *to, const struct page *page, const struct page_rows *rows)
{
    fputs("<section id=basis aria-labelledby=basis-title>\n<h2 id=basis-title>What this rests on</h2>\n", to);
    print_looks(to, page);
    print_layouts(to, rows);
    print_problems(to, page, rows);
    print_warnings(to);
    fputs("</section>\n", to);
}
