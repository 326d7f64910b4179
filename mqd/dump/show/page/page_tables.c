/*
 * page_tables.c - the ranks, the operations, the windows, and what handles stand for, as tables of a page.
 *
 * Ends of cells and rows are left out, as HTML allows: a page of many ranks is much smaller, and goes into a letter.
 */
#include "mqd/dump/show/page/page_tables.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/text_stream.h"
#include "mqd/dump/show/graph/picture_svg.h"
#include "mqd/dump/show/graph/xml_text.h"
#include "mqd/dump/show/say/place.h"
#include "mqd/dump/show/text/handle_text.h"
#include "mqd/dump/show/text/queue_run.h"

static void print_cell(FILE *to, const char *text)
{
    html_element(to, "<td>", text != NULL ? text : "", "");
}

/* What the rows of a table are printed with. */
struct printing {
    FILE *to;
    const struct page *page;
    const struct page_rows *rows;
    size_t n, n_left_out;          /* rows, and what has none */
};

/* The columns that say which rank it is. */
static void print_rank(struct printing *printing, size_t row)
{
    const struct page_rows *rows = printing->rows;
    const struct witness *witness = rows->witnesses[row];
    const struct listing *listing = witness->listing;
    FILE *to = printing->to;

    printing->n++;
    fprintf(to, listing->rank >= 0 ? "<tr data-row=%zu><td>%ld" : "<tr data-row=%zu><td>?", row, listing->rank);
    if (rows->jobs)
        print_cell(to, listing->job);
    if (rows->users)
        fprintf(to, "<td>%ld", listing->user);
    if (rows->hosts)
        print_cell(to, witness->host);
}

/* Ranks. */

static const char *say_moved(const struct witness *witness)
{
    if (witness->once || witness->listing->error != NULL || witness->starved)
        return "not known";
    return witness->moved ? "yes" : "no";
}

/* A core may not tell of which process it is. */
static char *say_process(const struct listing *listing)
{
    OWNED char *core = listing->core != NULL ? format_text(", core %s", listing->core) : copy_string("");

    return listing->pid > 0 ? format_text("%d%s", (int)listing->pid, core) : format_text("?%s", core);
}

static void print_rank_row(struct printing *printing, size_t row)
{
    const struct witness *witness = printing->rows->witnesses[row];
    size_t node = printing->rows->nodes[row];
    const struct picture *picture = printing->page->picture;
    OWNED char *where = place_say_one(witness->listing), *process = say_process(witness->listing);

    print_rank(printing, row);
    print_cell(printing->to, process);
    print_cell(printing->to, node != SIZE_MAX ? picture_state_word(picture->nodes[node].state) : "unknown");
    print_cell(printing->to, where);
    print_cell(printing->to, picture->waits[witness - printing->page->witnesses]);
    print_cell(printing->to, say_moved(witness));
    putc('\n', printing->to);
}

/* Operations. */

/*
 * Of a queue, and of a table. A browser cannot show more of them, and whoever needs them uses --json. Those that run on
 * regularly are one row.
 */
enum { MAX_OF_QUEUE = 1000, MAX_ROWS = 100000 };

static const struct row_view plain = {.compared = false};

static void print_peer(FILE *to, const struct row *row)
{
    cell_text peer, world;

    row_write_cell(peer, row, PEER, &plain);
    row_write_cell(world, row, WORLD, &plain);
    /* A rank of another job has none in this one's world. */
    if (row_has_peer(row) && row_peer(row) != row_world(row) && strcmp(world, "-") != 0)
        fprintf(to, "<td>%s (world %s)", peer, world);
    else
        print_cell(to, peer);
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
    print_cell(to, names[class]);
    print_cell(to, status);
    print_peer(to, &first);
    print_cell(to, tag);
    print_cell(to, bytes);
    print_cell(to, NUMBER(run->n));
    fputs("<td>", to);
    if (run->n > 1) {
        OWNED char *phrase = run_phrase(run, class, queue, &plain);

        html_element(to, "", phrase, "; the first: ");
    }
    print_details(to, &first);
    putc('\n', to);
}

/* Each kind of operation of a run has a row. */
static void print_run(struct printing *printing, size_t row, const struct communicator *communicator, int class,
                      const struct run *run)
{
    for (size_t i = 0; i < run->period; i++) {
        const struct run one = run_place(run, i);

        print_rank(printing, row);
        print_cell(printing->to, communicator->name[0] != '\0' ? communicator->name : "without a name");
        print_operation(printing->to, class, &communicator->queues[class], &one);
    }
}

static void print_queue(struct printing *printing, size_t row, const struct communicator *communicator, int class)
{
    size_t before = printing->n;
    struct runs runs;

    runs_find(&runs, class, &communicator->queues[class]);
    for (size_t i = 0; i < runs.n; i++) {
        if (printing->n - before < MAX_OF_QUEUE && printing->n < MAX_ROWS)
            print_run(printing, row, communicator, class, &runs.runs[i]);
        else
            printing->n_left_out += runs.runs[i].n;
    }
    runs_clear(&runs);
}

static void print_operation_rows(struct printing *printing, size_t row)
{
    const struct listing *listing = printing->rows->witnesses[row]->listing;

    for (size_t i = 0; i < listing->n; i++)
        for (int class = 0; class < N_QUEUES; class++)
            print_queue(printing, row, &listing->communicators[i], class);
}

/* Windows. */

/* A cell whose lines stay lines. Frees the text. */
static void print_lines(FILE *to, char *text)
{
    OWNED char *owned = text;
    char *rest = text;

    fputs("<td class=lines>", to);
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        fputs(line != owned && *line != '\0' ? "\n" : "", to);
        html_text(to, line);
    }
    putc('\n', to);
}

static void print_window_rows(struct printing *printing, size_t row)
{
    const struct listing *listing = printing->rows->witnesses[row]->listing;

    for (size_t i = 0; i < listing->n_windows; i++) {
        const char *component = listing->windows[i].description.component;

        if (printing->n == MAX_ROWS) {
            printing->n_left_out++;
            continue;
        }
        print_rank(printing, row);
        html_element(printing->to, *component != '\0' ? "<td>osc/" : "<td>not known", component, "");
        print_lines(printing->to, TEXT_OF(window_text_print(text_to, &listing->windows[i], 0, 2)));
    }
}

/* What handles stand for. */

static bool tells_of(const struct handle_answer *answer, mqs_taddr_t communicator)
{
    for (size_t i = 0; i < answer->n; i++)
        if (answer->handles[i].summary.kind == MQD_HANDLE_communicator &&
            handle_number(&answer->handles[i], MQD_FACT_unique_id, -1) == (long)communicator)
            return true;
    return false;
}

bool page_handles_find(const struct page_rows *rows, size_t row, mqs_taddr_t communicator, size_t *answer)
{
    const struct listing *listing = rows->witnesses[row]->listing;

    for (*answer = 0; *answer < listing->n_answers; ++*answer)
        if (tells_of(&listing->answers[*answer], communicator))
            return true;
    return false;
}

static void print_answer_rows(struct printing *printing, size_t row)
{
    const struct listing *listing = printing->rows->witnesses[row]->listing;

    for (size_t i = 0; i < listing->n_answers; i++) {
        print_rank(printing, row);
        fprintf(printing->to, "<td id=handle-%zu-%zu>", row, i);
        html_text(printing->to, listing->answers[i].question);
        print_lines(printing->to, TEXT_OF(answer_objects_print(text_to, &listing->answers[i], false, 0)));
    }
}

/* The tables. */

static const struct table {
    const char *id, *title, *remark;
    const char *noun, *nouns;      /* of what its rows are; NULL: each rank has one */
    const char *filter;            /* the column by which they are filtered */
    const char *headings[9];       /* after those that say which rank it is */
    void (*print_rows)(struct printing *printing, size_t row);
    size_t count;                  /* where a listing has the number of its rows; 0: the table is there without rows too */
} tables[] = {
    {"ranks", "Ranks", "Moved: yes if the rank did something between the looks.", "rank", NULL, "State",
     {"Process", "State", "Where", "Waits for", "Moved"}, print_rank_row, 0},
    {"operations", "Operations",
     "Number: how many operations the row stands for. They differ only in what runs on regularly.", "operation",
     "operations", "Queue", {"Communicator", "Queue", "Status", "Peer", "Tag", "Bytes", "Number", "Details"},
     print_operation_rows, 0},
    {"windows", "Windows", "Of one-sided communication: epochs and locks, with ranks of the window.", "window",
     "windows", "Component", {"Component", "Window"}, print_window_rows, offsetof(struct listing, n_windows)},
    {"handles", "Handles", "What was asked about handles of MPI, and what they stand for.", "answer", "answers",
     "Question", {"Question", "Answer"}, print_answer_rows, offsetof(struct listing, n_answers)},
};
enum { N_TABLES = sizeof tables / sizeof *tables };

static bool is_there(const struct table *table, const struct page_rows *rows)
{
    for (size_t row = 0; row < rows->n; row++)
        if (*(const size_t *)(const void *)((const char *)rows->witnesses[row]->listing + table->count) > 0)
            return true;
    return table->count == 0;
}

static void print_headings(FILE *to, const struct page_rows *rows, const char *const *headings)
{
    const char *const first[] = {"Rank", rows->jobs ? "Job" : NULL, rows->users ? "User" : NULL,
                                 rows->hosts ? "Host" : NULL};

    fputs("<thead><tr>", to);
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if (first[i] != NULL)
            fprintf(to, "<th scope=col>%s</th>", first[i]);
    for (; *headings != NULL; headings++)
        fprintf(to, "<th scope=col>%s</th>", *headings);
    fputs("</tr></thead>\n<tbody>\n", to);
}

/* A table begins with what searches and filters it, if scripts run. */
static void print_table(FILE *to, const struct table *table, const struct page *page, const struct page_rows *rows)
{
    struct printing printing = {.to = to, .page = page, .rows = rows};
    const char *id = table->id;

    fprintf(to, "<section id=%s aria-labelledby=%s-title>\n<h2 id=%s-title>%s</h2>\n<p class=legend>%s</p>\n"
            "<div class=tools hidden data-noun=\"%s\" data-filter=\"%s\"></div>\n"
            "<div class=scroll tabindex=0 role=group aria-labelledby=%s-title>\n"
            "<table aria-labelledby=%s-title>\n", id, id, id, table->title, table->remark, table->noun, table->filter,
            id, id);
    print_headings(to, rows, table->headings);
    for (size_t row = 0; row < rows->n; row++)
        table->print_rows(&printing, row);
    fputs("</tbody>\n</table>\n</div>\n", to);
    if (printing.n == 0 && table->nouns != NULL)
        fprintf(to, "<p>There are no %s.</p>\n", table->nouns);
    if (printing.n_left_out > 0)
        fprintf(to, "<p>%s more %s are not on this page: mqdump --json has them.</p>\n", NUMBER(printing.n_left_out),
                table->nouns);
    fputs("</section>\n", to);
}

void page_tables_print(FILE *to, const struct page *page, const struct page_rows *rows)
{
    for (size_t i = 0; i < N_TABLES; i++)
        if (is_there(&tables[i], rows))
            print_table(to, &tables[i], page, rows);
}

void page_tables_print_links(FILE *to, const struct page_rows *rows)
{
    for (size_t i = 0; i < N_TABLES; i++)
        if (is_there(&tables[i], rows))
            fprintf(to, "<a href=\"#%s\">%s</a> ", tables[i].id, tables[i].title);
}
