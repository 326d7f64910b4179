/*
 * page_basis.c - what a page rests on.
 */
#include "mqd/dump/show/page/page_basis.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/host_phrase.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/text_stream.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/show/page/html_text.h"
#include "mqd/dump/show/page/page_choice.h"
#include "mqd/dump/show/text/layout_text.h"

/* What is said of a row; the same is said once of all rows. */
struct said {
    char *text;
    size_t row;
};
struct all_said {
    struct said *said;
    size_t n, room;
};

/* Takes the text over. */
static void say(struct all_said *all, char *text, size_t row)
{
    all->said = grow_array(all->said, all->n, &all->room, sizeof *all->said);
    all->said[all->n++] = (struct said){text, row};
}

static int compare_said(const void *a, const void *b)
{
    const struct said *x = a, *y = b;
    int order = strcmp(x->text, y->text);

    return order != 0 ? order : (x->row > y->row) - (x->row < y->row);
}

/* More kinds are not read by anybody. */
enum { MAX_KINDS = 50, MAX_HOSTS = 200 };

static void print_ranks_of(FILE *to, const struct page_rows *rows, const struct said *said, size_t n)
{
    size_t *positions = allocate_array(n, sizeof *positions);

    for (size_t i = 0; i < n; i++)
        positions[i] = said[i].row;
    page_choice_print(to, rows, positions, n);
    free(positions);
}

/* Prints all as items of a list, and forgets it. */
static void print_said(FILE *to, const struct page_rows *rows, struct all_said *all)
{
    size_t n_kinds = 0;

    if (all->n > 1)
        qsort(all->said, all->n, sizeof *all->said, compare_said);
    for (size_t i = 0, end; i < all->n; i = end) {
        for (end = i + 1; end < all->n && strcmp(all->said[i].text, all->said[end].text) == 0; end++)
            continue;
        if (n_kinds++ >= MAX_KINDS)
            continue;
        fputs("<li>", to);
        print_ranks_of(to, rows, &all->said[i], end - i);
        fputs(": ", to);
        html_text(to, all->said[i].text);
        fputs("</li>\n", to);
    }
    if (n_kinds > MAX_KINDS)
        fprintf(to, "<li>%s more kinds: mqdump --json has all.</li>\n", NUMBER(n_kinds - MAX_KINDS));
    for (size_t i = 0; i < all->n; i++)
        free(all->said[i].text);
    free(all->said);
    *all = (struct all_said){0};
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
    fputs("<tr><td>", to);
    html_text(to, look->host != NULL ? look->host : "not known");
    fputs("<td class=time>", to);
    print_time(to, look->taken);
    fprintf(to, "<td>%s<td>", NUMBER(look->n_processes));
    html_text(to, look->mqdump != NULL ? look->mqdump : "not known");
    fputs("<td>", to);
    html_text(to, look->problem != NULL ? look->problem : "");
    putc('\n', to);
}

/* Of many machines those with a problem come first; n2 comes before n10. */
static int compare_looks(const void *a, const void *b)
{
    const struct record_look *x = *(const struct record_look *const *)a, *y = *(const struct record_look *const *)b;
    int order = (x->problem == NULL) - (y->problem == NULL);

    if (order == 0)
        order = (x->host == NULL) - (y->host == NULL);
    if (order == 0 && x->host != NULL)
        order = strverscmp(x->host, y->host);
    if (order == 0)
        order = strcmp(x->taken, y->taken);
    return order != 0 ? order : (x > y) - (x < y);
}

static void print_looks(FILE *to, const struct page *page)
{
    const struct record_look **looks = allocate_array(page->n_looks + 1, sizeof *looks);

    for (size_t i = 0; i < page->n_looks; i++)
        looks[i] = page->looks[i];
    if (page->n_looks > 1)
        qsort(looks, page->n_looks, sizeof *looks, compare_looks);
    fputs("<h3>Hosts and times</h3>\n<div class=scroll tabindex=0 role=group aria-labelledby=basis-title>\n<table>\n"
          "<thead><tr><th scope=col>Host</th><th scope=col>Looked at (UTC)</th><th scope=col>Processes</th>"
          "<th scope=col>mqdump</th><th scope=col>Problem</th></tr></thead>\n<tbody>\n", to);
    for (size_t i = 0; i < page->n_looks; i++)
        print_look(to, looks[i]);
    fputs("</tbody>\n</table>\n</div>\n", to);
    free(looks);
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
    struct all_said all = {0};

    for (size_t i = 0; i < rows->n; i++)
        if (rows->witnesses[i]->listing->has_layout)
            say(&all, layout_of(rows->witnesses[i]->listing), i);
    if (all.n == 0)
        return;
    fputs("<h3>What the queues were read by</h3>\n<ul>\n", to);
    print_said(to, rows, &all);
    fputs("</ul>\n", to);
}

/* What could not be read. */

static void say_problems(struct all_said *all, const struct listing *listing, size_t row)
{
    static const char *const queues[N_QUEUES] = {[mqs_pending_sends] = "sends", [mqs_pending_receives] = "receives",
                                                 [mqs_unexpected_messages] = "unexpected messages"};

    if (listing->error != NULL)
        say(all,
            listing->host != NULL ? host_reason(listing->error, listing->host, false) : copy_string(listing->error),
            row);
    if (listing->was_running)
        say(all, copy_string("it was not stopped: what is shown may contradict itself"), row);
    for (int class = 0; class < N_QUEUES; class++)
        if (listing->gaps[class].text != NULL)
            say(all, copy_string(listing->gaps[class].text), row);
    for (size_t i = 0; i < listing->n_windows; i++)
        if (listing->windows[i].error != NULL)
            say(all, format_text("window %s: %s",
                                 listing->windows[i].name[0] != '\0' ? listing->windows[i].name : "without a name",
                                 listing->windows[i].error), row);
    for (size_t i = 0; i < listing->n; i++) {
        const struct communicator *communicator = &listing->communicators[i];

        if (communicator->group_error != NULL)
            say(all, format_text("ranks of %s: %s", communicator->name, communicator->group_error), row);
        for (int class = 0; class < N_QUEUES; class++)
            if (communicator->queues[class].error != NULL)
                say(all, format_text("%s on %s: %s", queues[class], communicator->name,
                                     communicator->queues[class].error), row);
    }
}

/* What is wrong with looks. Of many machines the same is said once. */
struct look_problem {
    char *reason;                  /* that is the same of all machines */
    const char *host, *problem;
};

static int compare_problems(const void *a, const void *b)
{
    const struct look_problem *x = a, *y = b;
    int order = strcmp(x->reason, y->reason);

    return order != 0 ? order : strcmp(x->host, y->host);
}

static void print_same_problem(FILE *to, const struct look_problem *problems, size_t n)
{
    const char **hosts = allocate_array(n, sizeof *hosts);
    char *list, *only;

    for (size_t i = 0; i < n; i++)
        hosts[i] = problems[i].host;
    list = host_phrase_list(hosts, n, MAX_HOSTS);
    only = host_reason(problems->problem, problems->host, true);
    html_format(to, "%s: %s", list, n > 1 ? problems->reason : only);
    free(only);
    free(list);
    free(hosts);
}

static void print_look_problems(FILE *to, const struct page *page)
{
    struct look_problem *problems = allocate_array(page->n_looks + 1, sizeof *problems);
    size_t n = 0, n_kinds = 0;

    for (size_t i = 0; i < page->n_looks; i++) {
        const struct record_look *look = page->looks[i];
        const char *host = look->host != NULL ? look->host : "a host without a name";

        if (look->problem != NULL)
            problems[n++] = (struct look_problem){host_reason(look->problem, host, false), host, look->problem};
    }
    if (n > 1)
        qsort(problems, n, sizeof *problems, compare_problems);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && strcmp(problems[i].reason, problems[end].reason) == 0; end++)
            continue;
        if (n_kinds++ >= MAX_KINDS)
            continue;
        fputs("<li>", to);
        print_same_problem(to, &problems[i], end - i);
        fputs("</li>\n", to);
    }
    if (n_kinds > MAX_KINDS)
        fprintf(to, "<li>%s more kinds are in the table of hosts.</li>\n", NUMBER(n_kinds - MAX_KINDS));
    for (size_t i = 0; i < n; i++)
        free(problems[i].reason);
    free(problems);
}

static void print_problems(FILE *to, const struct page *page, const struct page_rows *rows)
{
    struct all_said all = {0};

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
    for (size_t i = 0; warning_given(i) != NULL; i++) {
        fputs("<li>", to);
        html_text(to, warning_given(i));
        fputs("</li>\n", to);
    }
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
