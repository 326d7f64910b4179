/*
 * page_basis.c - what a page rests on.
 */
#include "mqd/dump/show/page_basis.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/host_phrase.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/text_stream.h"
#include "mqd/dump/show/html_text.h"
#include "mqd/dump/show/layout_text.h"
#include "mqd/dump/show/page_choice.h"

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
enum { MAX_KINDS = 50 };

static void print_ranks_of(FILE *to, const struct page_rows *rows, const struct said *said, size_t n)
{
    size_t *positions = allocate_array(n, sizeof *positions);

    for (size_t i = 0; i < n; i++)
        positions[i] = said[i].row;
    page_choice_print(to, rows, positions, n);
    free(positions);
}

/* Prints all as a list, and forgets it. */
static void print_said(FILE *to, const struct page_rows *rows, struct all_said *all)
{
    size_t n_kinds = 0;

    if (all->n > 1)
        qsort(all->said, all->n, sizeof *all->said, compare_said);
    fputs("<ul>\n", to);
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
        fprintf(to, "<li>%zu more kinds: mqdump --json has all.</li>\n", n_kinds - MAX_KINDS);
    fputs("</ul>\n", to);
    for (size_t i = 0; i < all->n; i++)
        free(all->said[i].text);
    free(all->said);
    *all = (struct all_said){0};
}

/* Looks and machines. */

static void print_look(FILE *to, const struct record_look *look)
{
    fputs("<tr><td>", to);
    html_text(to, look->host != NULL ? look->host : "not known");
    fputs("<td>", to);
    html_text(to, look->taken[0] != '\0' ? look->taken : "not known");
    fprintf(to, "<td>%zu<td>", look->n_processes);
    html_text(to, look->mqdump != NULL ? look->mqdump : "not known");
    fputs("<td>", to);
    html_text(to, look->problem != NULL ? look->problem : "");
    putc('\n', to);
}

/* Of many machines those with a problem come first. */
static void print_looks(FILE *to, const struct page *page)
{
    fputs("<h3>Hosts and times</h3>\n<div class=scroll tabindex=0 role=group aria-labelledby=basis-title>\n<table>\n<thead><tr>"
          "<th scope=col>Host</th><th scope=col>Looked at (UTC)</th><th scope=col>Processes</th>"
          "<th scope=col>mqdump</th><th scope=col>Problem</th></tr></thead>\n<tbody>\n", to);
    for (int has_problem = 1; has_problem >= 0; has_problem--)
        for (size_t i = 0; i < page->n_looks; i++)
            if ((page->looks[i]->problem != NULL) == has_problem)
                print_look(to, page->looks[i]);
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
    struct all_said all = {0};

    for (size_t i = 0; i < rows->n; i++)
        if (rows->witnesses[i]->listing->has_layout)
            say(&all, layout_of(rows->witnesses[i]->listing), i);
    if (all.n > 0)
        fputs("<h3>What the queues were read by</h3>\n", to);
    print_said(to, rows, &all);
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

static void print_problems(FILE *to, const struct page_rows *rows)
{
    struct all_said all = {0};

    for (size_t i = 0; i < rows->n; i++)
        say_problems(&all, rows->witnesses[i]->listing, i);
    fputs("<h3>What could not be read</h3>\n", to);
    if (all.n == 0)
        fputs("<p>All that was asked for could be read.</p>\n", to);
    else
        print_said(to, rows, &all);
}

void page_basis_print(FILE *to, const struct page *page, const struct page_rows *rows)
{
    fputs("<section id=basis aria-labelledby=basis-title>\n<h2 id=basis-title>What this rests on</h2>\n", to);
    print_looks(to, page);
    print_layouts(to, rows);
    print_problems(to, rows);
    fputs("</section>\n", to);
}
