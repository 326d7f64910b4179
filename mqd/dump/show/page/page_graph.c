/*
 * page_graph.c - who waits for whom, in a page.
 */
#include "mqd/dump/show/page/page_graph.h"

#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/show/graph/picture_svg.h"
#include "mqd/dump/show/graph/xml_text.h"

static void mark_causes(bool *is_cause, const struct page_rows *rows, const char *job, long user, const long *causes,
                        size_t n)
{
    for (size_t i = 0; i < n; i++) {
        OWNED char *list = page_rows_of_ranks(rows, job, user, &causes[i], 1);

        if (*list != '\0')
            is_cause[strtoul(list, NULL, 10)] = true;
    }
}

/* Of each row: does a finding name it as a cause? */
static bool *find_causes(const struct page *page, const struct page_rows *rows)
{
    bool *is_cause = allocate_array(rows->n + 1, sizeof *is_cause);

    for (size_t i = 0; i < page->verdict->n; i++) {
        const struct finding *finding = &page->verdict->findings[i];

        mark_causes(is_cause, rows, finding->job, finding->user, finding->causes, finding->n_causes);
        for (size_t k = 0; k < finding->n_others; k++)
            mark_causes(is_cause, rows, finding->others[k].job, finding->user, finding->others[k].causes,
                        finding->others[k].n_causes);
    }
    return is_cause;
}

/* The attributes are for where a policy allows no style at all: lines and texts are black then, and boxes are empty. */
static void print_svg(FILE *to, const struct picture_layout *layout, const struct picture_marks *marks)
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

static void print_legend(FILE *to, const struct picture_layout *layout)
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

void page_graph_print(FILE *to, const struct page *page, const struct page_rows *rows)
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
    print_svg(to, &layout, &(struct picture_marks){.causes = causes, .rows = lists});
    print_legend(to, &layout);
    fputs("</section>\n", to);
    for (size_t i = 0; i < picture->n_nodes; i++) {
        FREE_ALL(lists[i], causes[i]);
    }
}
