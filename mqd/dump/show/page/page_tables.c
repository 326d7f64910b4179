/*
 * page_tables.c - the ranks, the operations and the windows, as tables of a page.
 *
 * Ends of cells and rows are left out, as HTML allows: a page of many ranks is much smaller, and goes into a letter.
 */
#include "mqd/dump/show/page/page_tables.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/text_stream.h"
#include "mqd/dump/show/graph/picture_svg.h"
#include "mqd/dump/show/graph/xml_text.h"
#include "mqd/dump/show/text/operation_row.h"
#include "mqd/dump/show/text/queue_run.h"
#include "mqd/dump/show/text/verdict_text.h"
#include "mqd/dump/show/text/window_text.h"

static void __attribute__((format(printf, 2, 3))) print_cell(FILE *to, const char *format, ...)
{
    va_list list;
    OWNED char *text = NULL;

    va_start(list, format);
    text = format_list(format, list);
    va_end(list);
    html_element(to, "<td>", text, "");
}

/* The columns that say which rank it is. */
static void print_rank(FILE *to, const struct page_rows *rows, size_t row)
{
    const struct witness *witness = rows->witnesses[row];
    const struct listing *listing = witness->listing;

    fprintf(to, "<tr data-row=%zu><td>", row);
    if (listing->rank >= 0)
        fprintf(to, "%ld", listing->rank);
    else
        fputs("?", to);
    if (rows->jobs)
        print_cell(to, "%s", witness->job != NULL ? witness->job : "");
    if (rows->users)
        print_cell(to, "%ld", witness->user);
    if (rows->hosts)
        print_cell(to, "%s", witness->host != NULL ? witness->host : "");
}

static void print_headings(FILE *to, const struct page_rows *rows, const char *const *headings, size_t n)
{
    const char *const first[] = {"Rank", rows->jobs ? "Job" : NULL, rows->users ? "User" : NULL,
                                 rows->hosts ? "Host" : NULL};

    fputs("<thead><tr>", to);
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if (first[i] != NULL)
            fprintf(to, "<th scope=col>%s</th>", first[i]);
    for (size_t i = 0; i < n; i++)
        fprintf(to, "<th scope=col>%s</th>", headings[i]);
    fputs("</tr></thead>\n<tbody>\n", to);
}

/* A table begins with what searches and filters it, if scripts run. Its rows are of one noun. */
static void start_table(FILE *to, const char *id, const char *title, const char *remark, const char *noun,
                        const char *filter)
{
    fprintf(to, "<section id=%s aria-labelledby=%s-title>\n<h2 id=%s-title>%s</h2>\n<p class=legend>%s</p>\n"
            "<div class=tools hidden data-noun=\"%s\" data-filter=\"%s\"></div>\n"
            "<div class=scroll tabindex=0 role=group aria-labelledby=%s-title>\n"
            "<table aria-labelledby=%s-title>\n", id, id, id, title, remark, noun, filter, id, id);
}

/* Ranks. */

static const char *say_moved(const struct witness *witness)
{
    if (witness->once || witness->listing->error != NULL || witness->starved)
        return "not known";
    return witness->moved ? "yes" : "no";
}

/* A core may not tell of which process it is. */
static void print_process(FILE *to, const struct listing *listing)
{
    OWNED char *pid = listing->pid > 0 ? format_text("%d", (int)listing->pid) : copy_string("?");

    print_cell(to, "%s%s%s", pid, listing->core != NULL ? ", core " : "", listing->core != NULL ? listing->core : "");
}

static void print_rank_row(FILE *to, const struct page *page, const struct page_rows *rows, size_t row)
{
    const struct witness *witness = rows->witnesses[row];
    size_t node = rows->nodes[row];
    bool has_node = node != SIZE_MAX;
    const char *waits = page->picture->waits[witness - page->witnesses];
    OWNED char *where = say_calls(witness->listing);

    print_rank(to, rows, row);
    print_process(to, witness->listing);
    print_cell(to, "%s", has_node ? picture_state_word(page->picture->nodes[node].state) : "unknown");
    print_cell(to, "%s", where);
    print_cell(to, "%s", waits != NULL ? waits : "");
    print_cell(to, "%s", say_moved(witness));
    putc('\n', to);
}

void page_ranks_print(FILE *to, const struct page *page, const struct page_rows *rows)
{
    static const char *const headings[] = {"Process", "State", "Where", "Waits for", "Moved"};

    start_table(to, "ranks", "Ranks", "Moved: yes if the rank did something between the looks.", "rank", "State");
    print_headings(to, rows, headings, sizeof headings / sizeof *headings);
    for (size_t row = 0; row < rows->n; row++)
        print_rank_row(to, page, rows, row);
    fputs("</tbody>\n</table>\n</div>\n</section>\n", to);
}

/* Operations. */

/*
 * Of a queue, and of all. A browser cannot show more of them, and whoever needs them uses --json. Those that run on
 * regularly are one row.
 */
enum { MAX_OF_QUEUE = 1000, MAX_OPERATIONS = 100000 };

static const struct row_view plain = {.compared = false};

static void print_peer(FILE *to, const struct row *row)
{
    cell_text peer, world;

    row_write_cell(peer, row, PEER, &plain);
    row_write_cell(world, row, WORLD, &plain);
    /* A rank of another job has none in this one's world. */
    if (row_has_peer(row) && row_peer(row) != row_world(row) && strcmp(world, "-") != 0)
        print_cell(to, "%s (world %s)", peer, world);
    else
        print_cell(to, "%s", peer);
}

static void print_details(FILE *to, const struct row *row)
{
    row_lines lines;

    row_write_lines(lines, row, &plain);
    for (const char *at = lines; *at != '\0';) {
        int length = (int)strcspn(at, "\n");

        html_format(to, "%s%.*s", at == lines ? "" : "; ", length, at);
        at += length + (at[length] != '\0');
    }
}

static void print_operation(FILE *to, int class, const struct queue *queue, const struct run *run)
{
    static const char *const names[N_QUEUES] = {
        [mqs_pending_sends] = "send", [mqs_pending_receives] = "receive", [mqs_unexpected_messages] = "unexpected"};
    const struct row first = run_row(run, class, queue, 0);
    cell_text status, tag, bytes;

    row_write_cell(status, &first, STATUS, &plain);
    row_write_cell(tag, &first, TAG, &plain);
    row_write_cell(bytes, &first, BYTES, &plain);
    print_cell(to, "%s", names[class]);
    print_cell(to, "%s", status);
    print_peer(to, &first);
    print_cell(to, "%s", tag);
    print_cell(to, "%s", bytes);
    print_cell(to, "%s", NUMBER(run->n));
    fputs("<td>", to);
    if (run->n > 1) {
        OWNED char *phrase = run_phrase(run, class, queue, &plain);

        html_element(to, "", phrase, "; the first: ");
    }
    print_details(to, &first);
    putc('\n', to);
}

struct printed {
    size_t n, n_left_out;          /* rows, and operations that have none */
};

/* Each kind of operation of a run has a row. */
static void print_run(FILE *to, const struct page_rows *rows, size_t row, const struct communicator *communicator,
                      int class, const struct run *run, struct printed *printed)
{
    for (size_t i = 0; i < run->period; i++) {
        const struct run one = run_place(run, i);

        print_rank(to, rows, row);
        print_cell(to, "%s", communicator->name[0] != '\0' ? communicator->name : "without a name");
        print_operation(to, class, &communicator->queues[class], &one);
        printed->n++;
    }
}

static void print_queue(FILE *to, const struct page_rows *rows, size_t row, const struct communicator *communicator,
                        int class, struct printed *printed)
{
    size_t before = printed->n;
    struct runs runs;

    runs_find(&runs, class, &communicator->queues[class]);
    for (size_t i = 0; i < runs.n; i++) {
        if (printed->n - before < MAX_OF_QUEUE && printed->n < MAX_OPERATIONS)
            print_run(to, rows, row, communicator, class, &runs.runs[i], printed);
        else
            printed->n_left_out += runs.runs[i].n;
    }
    runs_clear(&runs);
}

void page_operations_print(FILE *to, const struct page_rows *rows)
{
    static const char *const headings[] = {"Communicator", "Queue", "Status", "Peer", "Tag", "Bytes", "Number",
                                           "Details"};
    struct printed printed = {0};

    start_table(to, "operations", "Operations", "Number: how many operations the row stands for. They differ only in "
                "what runs on regularly.", "operation", "Queue");
    print_headings(to, rows, headings, sizeof headings / sizeof *headings);
    for (size_t row = 0; row < rows->n; row++) {
        const struct listing *listing = rows->witnesses[row]->listing;

        for (size_t i = 0; i < listing->n; i++)
            for (int class = 0; class < N_QUEUES; class++)
                print_queue(to, rows, row, &listing->communicators[i], class, &printed);
    }
    fputs("</tbody>\n</table>\n</div>\n", to);
    if (printed.n == 0)
        fputs("<p>There are no operations.</p>\n", to);
    if (printed.n_left_out > 0)
        fprintf(to, "<p>%s more operations are not on this page: mqdump --json has them.</p>\n",
                NUMBER(printed.n_left_out));
    fputs("</section>\n", to);
}

/* Windows. */

/* The lines of the state stay lines. */
static void print_window_row(FILE *to, const struct page_rows *rows, size_t row, const struct window *window)
{
    const char *component = window->description.component;
    struct text_stream stream;
    OWNED char *text = NULL;
    char *rest;

    text_stream_open(&stream);
    window_text_print(stream.to, window, 0, 2);
    text = text_stream_close(&stream);
    print_rank(to, rows, row);
    print_cell(to, "%s%s", *component != '\0' ? "osc/" : "not known", component);
    fputs("<td class=lines>", to);
    rest = text;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        fputs(line != text && *line != '\0' ? "\n" : "", to);
        html_text(to, line);
    }
    putc('\n', to);
}

bool page_has_windows(const struct page_rows *rows)
{
    for (size_t row = 0; row < rows->n; row++)
        if (rows->witnesses[row]->listing->n_windows > 0)
            return true;
    return false;
}

void page_windows_print(FILE *to, const struct page_rows *rows)
{
    static const char *const headings[] = {"Component", "Window"};
    size_t n = 0, n_left_out = 0;

    if (!page_has_windows(rows))
        return;
    start_table(to, "windows", "Windows", "Of one-sided communication: epochs and locks, with ranks of the window.",
                "window", "Component");
    print_headings(to, rows, headings, sizeof headings / sizeof *headings);
    for (size_t row = 0; row < rows->n; row++) {
        const struct listing *listing = rows->witnesses[row]->listing;

        for (size_t i = 0; i < listing->n_windows; i++) {
            if (n++ < MAX_OPERATIONS)
                print_window_row(to, rows, row, &listing->windows[i]);
            else
                n_left_out++;
        }
    }
    fputs("</tbody>\n</table>\n</div>\n", to);
    if (n_left_out > 0)
        fprintf(to, "<p>%s more windows are not on this page: mqdump --json has them.</p>\n",
                NUMBER(n_left_out));
    fputs("</section>\n", to);
}
