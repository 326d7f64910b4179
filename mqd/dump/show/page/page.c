/*
 * page.c - all that is known of a job as one page.
 */
#include "mqd/dump/show/page/page.h"

#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "mqd/dump/base/hash.h"
#include "mqd/dump/base/host_phrase.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/base/text_stream.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/show/graph/picture_svg.h"
#include "mqd/dump/show/graph/xml_text.h"
#include "mqd/dump/show/page/page_assets.h"
#include "mqd/dump/show/page/page_rows.h"
#include "mqd/dump/show/page/page_stacks.h"
#include "mqd/dump/show/page/page_tables.h"
#include "mqd/dump/show/say/phrase.h"
#include "mqd/dump/show/text/layout_text.h"
#include "mqd/dump/show/text/queue_run.h"

/* Bytes of a name. */
enum { MAX_TITLE = 60 };

/* The jobs of a page have a name that a person recognises in a list of pages. */
static void print_title(FILE *to, const struct page *page, const struct page_rows *rows)
{
    bool several = rows->jobs || rows->users;
    const char *job = rows->n > 0 && !several ? rows->witnesses[0]->listing->job : NULL;
    size_t length = job != NULL ? strlen(job) : 0, shown = length > MAX_TITLE ? MAX_TITLE : length;
    bool waits = page->explanation->verdict.n > 0;

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

/* How many looks are not whole. */
static size_t count_problems(const struct page *page)
{
    size_t n = 0;

    for (size_t i = 0; i < page->n_looks; i++)
        n += page->looks[i]->problem != NULL;
    return n;
}

static void print_summary(FILE *to, const struct page *page, const struct page_rows *rows)
{
    size_t n_problems = count_problems(page);

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
    fputs("<nav aria-label=Sections><a href=\"#why\">Why</a> <a href=\"#graph\">Who waits for whom</a> "
          "<a href=\"#stacks\">Stacks</a> ", to);
    page_tables_print_links(to, rows);
    fputs("<a href=\"#basis\">What this rests on</a></nav>\n", to);
}

/* Why. */

/* " of job 4711 of user 1000", where there are several jobs and users, for free(). */
static char *say_owner(const struct page_rows *rows, const char *job, long user)
{
    return say_of_job(rows->jobs ? job : "", rows->users ? user : -1);
}

/* The ranks of the finding's own job, and then those of the others. */
static struct finding_share share_of(const struct finding *finding, size_t i)
{
    return i > 0 ? finding->others[i - 1]
                 : (struct finding_share){finding->job, finding->ranks, finding->causes, finding->n_ranks,
                                          finding->n_causes};
}

/* A button that chooses ranks in the other parts of the page. */
static void print_choice(FILE *to, const struct page_rows *rows, const char *job, long user, const long *ranks, size_t n,
                         const char *what)
{
    OWNED char *list = page_rows_of_ranks(rows, job, user, ranks, n), *phrase = ranks_phrase(ranks, n, "", "");
    OWNED char *shown = ranks_shorten(phrase, HTML_MAX_LIST), *owner = say_owner(rows, job, user);
    OWNED char *text = format_text("%s %s%s", what, shown, owner);

    if (*list == '\0')
        return;
    page_choice_button(to, list, text);
    putc('\n', to);
}

static void print_choices(FILE *to, const struct page_rows *rows, const struct finding *finding)
{
    fputs("<p class=\"choices scripted\" hidden>", to);
    for (size_t i = 0; i <= finding->n_others; i++) {
        const struct finding_share share = share_of(finding, i);

        print_choice(to, rows, share.job, finding->user, share.ranks, share.n_ranks, "Show");
        print_choice(to, rows, share.job, finding->user, share.causes, share.n_causes, "Show the cause,");
    }
    fputs("</p>\n", to);
}

/* A link to what the first of the finding's ranks tells of its communicator, if any was asked about handles. */
static void print_link(FILE *to, const struct page_rows *rows, const struct finding *finding)
{
    for (size_t i = 0; finding->has_communicator && i < finding->n_ranks; i++) {
        size_t row = page_row_of_rank(rows, finding->job, finding->user, finding->ranks[i]), answer;

        if (row == rows->n || !page_handles_find(rows, row, finding->communicator, &answer))
            continue;
        fprintf(to, "<p><a class=about data-rows=%zu href=\"#handle-%zu-%zu\">", row, row, answer);
        html_format(to, "The communicator %s%sas rank %ld has it", finding->communicator_name,
                    *finding->communicator_name != '\0' ? ", " : "", finding->ranks[i]);
        fputs("</a></p>\n", to);
        return;
    }
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

static void print_finding(FILE *to, const struct page_rows *rows, const struct finding *finding,
                          const struct explained *explained)
{
    const char *certainty = finding->certain ? "certain" : "possible";
    OWNED char *owner = say_owner(rows, finding->job, finding->user);

    fprintf(to, "<article class=\"finding %s\">\n<h3>%s", certainty, finding_heading(finding->kind));
    html_text(to, owner);
    fprintf(to, " <span class=certainty>%s</span></h3>\n<div>", certainty);
    print_text(to, explained->sentence);
    fputs("</div>\n", to);
    if (explained->n_details > 0)
        fputs("<ul>\n", to);
    for (size_t i = 0; i < explained->n_details; i++) {
        fputs("<li>", to);
        print_text(to, explained->details[i]);
        fputs("</li>\n", to);
    }
    if (explained->n_details > 0)
        fputs("</ul>\n", to);
    print_link(to, rows, finding);
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

static void print_findings(FILE *to, const struct page *page, const struct page_rows *rows)
{
    const struct explanation *explanation = page->explanation;
    const struct verdict *verdict = &explanation->verdict;

    fputs("<section id=why aria-labelledby=why-title>\n<h2 id=why-title>Why</h2>\n", to);
    print_count(to, verdict);
    for (size_t i = 0; i < verdict->n && i < MAX_FINDINGS; i++)
        print_finding(to, rows, &verdict->findings[i], &explanation->findings[i]);
    if (verdict->n > MAX_FINDINGS)
        fprintf(to, "<p>%s more findings: mqdump --json has all.</p>\n", NUMBER(verdict->n - MAX_FINDINGS));
    if (verdict->n == 0)
        fprintf(to, "<p class=\"verdict %s\">%s</p>\n", verdict->unclear ? "possible" : "good",
                !verdict->unclear       ? "Nothing suspicious."
                : explanation->n_notes > 0 ? "Cannot tell why:"
                                       : "Cannot tell why.");
    if (verdict->n == 0 && verdict->unclear && explanation->n_notes == 0)
        fputs("<p class=note>No queues were read, or why the ranks wait was not asked for.</p>\n", to);
    for (size_t i = 0; i < explanation->n_notes; i++)
        html_element(to, "<p class=note>", explanation->notes[i], "</p>\n");
    fputs("</section>\n", to);
}

/* Who waits for whom. */

/* Of each row: does a finding name it as a cause? The last one is that of ranks without a row. */
static bool *find_causes(const struct page *page, const struct page_rows *rows)
{
    bool *is_cause = allocate_array(rows->n + 1, sizeof *is_cause);

    for (size_t i = 0; i < page->explanation->verdict.n; i++) {
        const struct finding *finding = &page->explanation->verdict.findings[i];

        for (size_t k = 0; k <= finding->n_others; k++) {
            const struct finding_share share = share_of(finding, k);

            for (size_t at = 0; at < share.n_causes; at++)
                is_cause[page_row_of_rank(rows, share.job, finding->user, share.causes[at])] = true;
        }
    }
    return is_cause;
}

/* The attributes are for where a policy allows no style at all: lines and texts are black then, and boxes are empty. */
static void print_graph_svg(FILE *to, const struct picture_layout *layout, const struct picture_marks *marks)
{
    fprintf(to, "<div class=scroll tabindex=0 role=group aria-label=\"Graph\">\n<svg class=graph role=group "
            "aria-labelledby=graph-title fill=none stroke=currentColor stroke-width=.6 "
            "font-size=12 text-anchor=middle width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n<defs>\n",
            layout->width, layout->top, layout->width, layout->top);
    picture_print_arrowheads(to);
    fputs("</defs>\n", to);
    picture_print_drawing(to, layout, marks);
    fputs("</svg>\n</div>\n", to);
}

static void print_graph_legend(FILE *to, const struct picture_layout *layout)
{
    OWNED char *rest = picture_say_rest(layout);

    fputs("<p class=legend>Arrows lead from who waits to who is waited for. Thick: a circle of waits, in which nobody "
          "can get on. Dotted arrow: one of several is enough. In a row: each rank waits for another one of the box, "
          "and the last one for whom the arrow leads to. A box of ranks in one collective call: some of them wait for "
          "whom the arrow leads to, and the others for these.</p>\n"
          "<p class=legend>In each box: <b>stuck</b>: what it waits for cannot come. <b>waits</b>: what it waits "
          "for may come. <b>busy</b>: it may get on by itself. <b>gone</b>: it has ended or left MPI. <b>unknown</b>: "
          "it was read, but does not tell enough. <b>not read</b>: nothing is known of it. <b>cause</b>: a finding "
          "names it as a cause.</p>\n", to);
    if (layout->picture->on != NULL)
        html_element(to, "<p class=legend>All waits are on ", layout->picture->on, ".</p>\n");
    if (rest != NULL)
        fprintf(to, "<p class=legend>%s They are in the table of ranks.</p>\n", rest);
}

static void print_graph(FILE *to, const struct page *page, const struct page_rows *rows)
{
    const struct picture *picture = page->picture;
    OWNED char **lists = allocate_array(picture->n_nodes + 1, sizeof *lists);
    OWNED char **causes = allocate_array(picture->n_nodes + 1, sizeof *causes);
    OWNED bool *is_cause = find_causes(page, rows);
    RELEASED_BY(picture_layout_clear) struct picture_layout layout = picture_layout_make(picture);

    for (size_t i = 0; i < picture->n_nodes; i++) {
        lists[i] = page_rows_of_node(rows, &picture->nodes[i], NULL);
        causes[i] = page_rows_of_node(rows, &picture->nodes[i], is_cause);
    }
    fputs("<section id=graph aria-labelledby=graph-title>\n<h2 id=graph-title>Who waits for whom</h2>\n"
          "<p class=\"hint scripted\" hidden>Choose a box to see its ranks and operations in the tables; choose + to "
          "see each of its ranks.</p>\n",
          to);
    print_graph_svg(to, &layout, &(struct picture_marks){.causes = causes, .rows = lists});
    print_graph_legend(to, &layout);
    fputs("</section>\n", to);
    for (size_t i = 0; i < picture->n_nodes; i++) {
        FREE_ALL(lists[i], causes[i]);
    }
}

/* What it rests on: looks, hosts, layouts, what could not be read, and warnings. */

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
static void print_time_of_look(FILE *to, const char *taken)
{
    if (taken[0] == '\0' || strlen(taken) < strlen("2024-05-31T17:08:59.123"))
        html_text(to, taken[0] != '\0' ? taken : "not known");
    else
        html_format(to, "%.10s %.12s", taken, taken + strlen("2024-05-31T"));
}

static void print_look(FILE *to, const struct record_look *look)
{
    html_element(to, "<tr><td>", look->host != NULL ? look->host : "not known", "<td class=time>");
    print_time_of_look(to, look->taken);
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
    char *text = TEXT_OF(layout_print_summary(text_to, listing));

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
                text_groups_add(all, format_text("%s on %s: %s", queue_nouns[class], communicator->name,
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
    if (all.n == 0 && count_problems(page) == 0) {
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

static void print_basis(FILE *to, const struct page *page, const struct page_rows *rows)
{
    fputs("<section id=basis aria-labelledby=basis-title>\n<h2 id=basis-title>What this rests on</h2>\n", to);
    print_looks(to, page);
    print_layouts(to, rows);
    print_problems(to, page, rows);
    print_warnings(to);
    fputs("</section>\n", to);
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
    print_findings(to, page, &rows);
    print_graph(to, page, &rows);
    page_stacks_print(to, &rows);
    page_tables_print(to, page, &rows);
    print_basis(to, page, &rows);
    fputs("</main>\n<div id=choice role=status aria-live=polite hidden></div>\n"
            "<footer><p>Made by mqdump (ompi-mqd) " PACKAGE_VERSION ".</p></footer>\n</body>\n</html>\n", to);
    page_rows_clear(&rows);
}
