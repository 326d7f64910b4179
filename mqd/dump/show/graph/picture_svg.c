/*
 * picture_svg.c - who waits for whom, as a drawing, and for Graphviz.
 */
#include "mqd/dump/show/graph/picture_svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/show/graph/xml_text.h"

enum { MAX_COLUMNS = 40, BOX_COLUMNS = 20, STATE_HEIGHT = 20 };

static const double line_height = 14;

/* Text. */

/* The beginning of one line of UTF-8. Returns whether that is all of it. */
static bool cut_line(char *cut, size_t size, const char *line, size_t length, size_t n_columns)
{
    size_t used = 0, at = 0;

    while (at < length) {
        size_t n = 1;

        while (at + n < length && ((unsigned char)line[at + n] & 0xc0) == 0x80)
            n++;
        if (used == n_columns || at + n + 4 > size)
            break;
        memcpy(cut + at, line + at, n);
        at += n;
        used++;
    }
    strcpy(cut + at, at < length ? "..." : "");
    return at == length;
}

/* Prints lines that are centred at (x, y). */
static void print_lines(FILE *to, const char *class, double x, double y, const char *text)
{
    size_t n_lines = 1;

    for (const char *at = text; *at != '\0'; at++)
        n_lines += *at == '\n';
    y -= (double)(n_lines - 1) / 2 * line_height;
    for (; n_lines > 0; n_lines--, y += line_height) {
        size_t length = strcspn(text, "\n");
        char cut[4 * MAX_COLUMNS + 8];

        cut_line(cut, sizeof cut, text, length, MAX_COLUMNS);
        fprintf(to, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, x, y + 4);
        xml_text(to, cut);
        fputs("</text>\n", to);
        text += length + (n_lines > 1);
    }
}

/* Drawing. */

/* Are there ranks of more than one job? Else no job has to be named. */
static bool has_several_jobs(const struct picture *picture)
{
    for (size_t i = 1; i < picture->n_nodes; i++)
        if (strcmp(picture->nodes[i].job, picture->nodes[0].job) != 0)
            return true;
    return false;
}

/* What tells ranks apart that have the same number, for free(): the machines, and the job if there are several. */
static char *say_place(const struct picture_node *node, bool several_jobs)
{
    const char *hosts = node->hosts != NULL ? node->hosts : "", *job = several_jobs ? node->job : "";

    return format_text("%s%s%s%s", *job != '\0' ? "job " : "", job, *job != '\0' && *hosts != '\0' ? " " : "", hosts);
}

/* The lines in a box, below its state and, in a page, what unfolds it: three of them if it has a place. */
static void print_texts(FILE *to, const struct picture_node *node, const char *place, double x, double y)
{
    char who[4 * BOX_COLUMNS + 8], what[4 * BOX_COLUMNS + 8], hosts[4 * BOX_COLUMNS + 8];
    OWNED char *text = NULL;
    bool whole = cut_line(who, sizeof who, node->who, strlen(node->who), BOX_COLUMNS - 8);
    bool has_hosts = *place != '\0';

    y += STATE_HEIGHT / 2;
    if (whole)
        cut_line(who, sizeof who, node->who, strlen(node->who), BOX_COLUMNS);
    cut_line(what, sizeof what, node->what, strlen(node->what), BOX_COLUMNS);
    text = whole ? copy_string(who) : format_text("%s (%s)", who, NUMBER(node->n_ranks));
    print_lines(to, "who", x, has_hosts ? y - line_height : y - 9, text);
    if (has_hosts) {
        cut_line(hosts, sizeof hosts, place, strlen(place), BOX_COLUMNS);
        print_lines(to, "what", x, y, hosts);
    }
    print_lines(to, "what", x, has_hosts ? y + line_height : y + 10, what);
}

/* "ranks 0-511 on n[01-02]: MPI_Recv, job 4711" */
static void print_box_text(FILE *to, const struct picture_node *node)
{
    fputs(node->rank < 0 ? "" : node->n_ranks > 1 ? "ranks " : "rank ", to);
    xml_text(to, node->who);
    if (node->hosts != NULL && *node->hosts != '\0') {
        putc(' ', to);
        xml_text(to, node->hosts);
    }
    fputs(": ", to);
    xml_text(to, node->what);
    if (*node->job != '\0') {
        fputs(", job ", to);
        xml_text(to, node->job);
    }
}

/* Words, for people who see no colours or do not know yet what they mean; classes; and colours for Graphviz. */
static const struct {
    const char *word, *class, *fill;
} states[N_PICTURE_STATES] = {
    [PICTURE_STUCK] = {"stuck", "stuck", "#fde4e1"},       [PICTURE_WAITS] = {"waits", "waits", "#fff6d6"},
    [PICTURE_BUSY] = {"busy", "busy", "#e3f1e1"},          [PICTURE_GONE] = {"gone", "gone", "#d9d9d9"},
    [PICTURE_UNKNOWN] = {"unknown", "unknown", "#f2f2f2"}, [PICTURE_NOT_READ] = {"not read", "absent", "#ffffff"},
    [PICTURE_ANYBODY] = {"", "anybody", "#ffffff"}};

const char *picture_state_word(enum picture_state state)
{
    return states[state].word;
}

static void print_rectangle(FILE *to, const struct picture_node *node, double x, double y)
{
    fprintf(to, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" rx=\"%d\"/>\n", x - BOX_WIDTH / 2,
            y - BOX_HEIGHT / 2, BOX_WIDTH, BOX_HEIGHT, node->state == PICTURE_ANYBODY ? 20 : 4);
}

/*
 * What a page needs to know of a box, on what can be chosen: it lies over the box, whose texts are shortened, and has
 * all of them as its label.
 */
static void print_marks(FILE *to, const struct picture_layout *layout, const struct picture_marks *marks, size_t i,
                        const char *state)
{
    const struct picture_node *node = &layout->picture->nodes[i];

    fprintf(to, "<g class=\"over\" id=\"node-%zu\" role=\"img\" data-rows=\"%s\" data-causes=\"%s\" aria-label=\"", i,
            marks->rows[i], marks->causes[i]);
    print_box_text(to, node);
    fprintf(to, "%s%s\"><title>", *state != '\0' ? "; " : "", state);
    print_box_text(to, node);
    fputs("</title>\n", to);
    print_rectangle(to, node, layout->x[i], layout->y[i]);
    fputs("</g>\n", to);
}

/* Which of its ranks are causes is seen when it unfolds. */
static char *say_state(const struct picture_node *node, const struct picture_marks *marks, size_t i)
{
    const char *state = states[node->state].word, *cause = "";

    if (marks != NULL && *marks->causes[i] != '\0')
        cause = strcmp(marks->causes[i], marks->rows[i]) == 0 ? "cause" : "has a cause";
    return format_text("%s%s%s", state, *state != '\0' && *cause != '\0' ? ", " : "", cause);
}

static void print_box(FILE *to, const struct picture_layout *layout, const struct picture_marks *marks, size_t i)
{
    const struct picture_node *node = &layout->picture->nodes[i];
    double x = layout->x[i], y = layout->y[i];
    OWNED char *place = say_place(node, has_several_jobs(layout->picture)), *state = say_state(node, marks, i);

    fprintf(to, "<g class=\"%s%s%s\">", states[node->state].class, node->circle > 0 ? " circle" : "",
            marks != NULL && *marks->causes[i] != '\0' ? " cause" : "");
    if (marks == NULL) {
        fputs("<title>", to);
        print_box_text(to, node);
        fputs("</title>\n", to);
    } else {
        fputs("<g aria-hidden=\"true\">\n", to);
    }
    print_rectangle(to, node, x, y);
    print_texts(to, node, place, x, y);
    fprintf(to, "<text class=\"state\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", x - BOX_WIDTH / 2 + 5,
            y - BOX_HEIGHT / 2 + line_height, state);
    if (marks != NULL) {
        fputs("</g>\n", to);
        print_marks(to, layout, marks, i, state);
    }
    fputs("</g>\n", to);
}

static void print_path(FILE *to, const struct picture_layout *layout, const struct picture_edge *edge)
{
    const char *class = edge->in_circle ? "wait circle" : "wait", *dotted = edge->one_is_enough ? " one" : "";
    double x = layout->x[edge->from], y = layout->y[edge->from];
    struct curve curve = picture_layout_curve(layout, edge);

    fprintf(to, "<path class=\"%s%s\" marker-end=\"url(#%s)\" ", class, dotted, edge->in_circle ? "red" : "gray");
    if (edge->from == edge->to)
        fprintf(to, "d=\"M%.1f,%.1f C%.1f,%.1f %.1f,%.1f %.1f,%.1f\"><title>", x + 40, y - BOX_HEIGHT / 2, x + 40,
                y - BOX_HEIGHT / 2 - 50, x + BOX_WIDTH / 2 + 60, y, x + BOX_WIDTH / 2, y);
    else
        fprintf(to, "d=\"M%.1f,%.1f Q%.1f,%.1f %.1f,%.1f\"><title>", curve.x[0], curve.y[0], curve.x[1], curve.y[1],
                curve.x[2], curve.y[2]);
    xml_text(to, layout->picture->nodes[edge->from].who);
    fputs(" -> ", to);
    xml_text(to, layout->picture->nodes[edge->to].who);
    fputs(": ", to);
    xml_text(to, edge->label);
    fputs("</title></path>\n", to);
}

/* Labels: where they are not over a box or over each other, if there is such a place on the arrow. */

/* The middle, and half of the width and of the height. */
struct area {
    double x, y, width, height;
};
struct labels {
    struct area *areas;
    size_t n;
};

static const double character_width = 6.5;

static bool meet(const struct area *a, const struct area *b)
{
    return fabs(a->x - b->x) < a->width + b->width && fabs(a->y - b->y) < a->height + b->height;
}

static bool is_free(const struct picture_layout *layout, const struct labels *labels, const struct area *area)
{
    for (size_t i = 0; i < labels->n; i++)
        if (meet(area, &labels->areas[i]))
            return false;
    for (size_t i = 0; i < layout->picture->n_nodes; i++) {
        struct area box = {layout->x[i], layout->y[i], BOX_WIDTH / 2, BOX_HEIGHT / 2};

        if (layout->drawn[i] && meet(area, &box))
            return false;
    }
    return true;
}

static struct area area_of_label(const char *label)
{
    size_t columns = 0, lines = 0;

    for (const char *at = label; *at != '\0'; lines++) {
        size_t length = strcspn(at, "\n");

        columns = length > columns ? length : columns;
        at += length + (at[length] != '\0');
    }
    columns = columns > MAX_COLUMNS ? MAX_COLUMNS : columns;
    return (struct area){.width = (double)columns * character_width / 2, .height = (double)lines * line_height / 2};
}

/* A place on the arrow, t of the way along it. */
static void put_on_arrow(struct area *area, const struct picture_layout *layout, const struct picture_edge *edge,
                         double t)
{
    struct curve curve = picture_layout_curve(layout, edge);

    area->x = (1 - t) * (1 - t) * curve.x[0] + 2 * t * (1 - t) * curve.x[1] + t * t * curve.x[2];
    area->y = (1 - t) * (1 - t) * curve.y[0] + 2 * t * (1 - t) * curve.y[1] + t * t * curve.y[2];
    if (edge->from == edge->to) {
        area->x = layout->x[edge->from] + BOX_WIDTH / 2;
        area->y = layout->y[edge->from] - BOX_HEIGHT;
    }
    /* The label is beside a line that is nearly horizontal. */
    if (fabs(curve.x[2] - curve.x[0]) > 2 * fabs(curve.y[2] - curve.y[0]))
        area->y += curve.x[2] > curve.x[0] ? -line_height : line_height;
}

/* In a circle the label is in the middle of the arrow; else it is nearer to the start, since ends of arrows meet. */
static void print_label(FILE *to, const struct picture_layout *layout, const struct picture_edge *edge,
                        struct labels *labels)
{
    static const double ways[] = {0, 0.1, -0.1, 0.2, -0.2, 0.3, 0.4, 0.5};
    double start = edge->in_circle ? 0.5 : 0.28;
    struct area area = area_of_label(edge->label);
    bool found = false;

    if (*edge->label == '\0')
        return;
    for (size_t i = 0; i < sizeof ways / sizeof *ways && !found; i++) {
        put_on_arrow(&area, layout, edge, start + ways[i]);
        found = is_free(layout, labels, &area);
    }
    if (!found)
        put_on_arrow(&area, layout, edge, start);
    labels->areas[labels->n++] = area;
    print_lines(to, edge->in_circle ? "label circle" : "label", area.x, area.y, edge->label);
}

char *picture_say_rest(const struct picture_layout *layout)
{
    size_t n_boxes = 0, n_ranks = 0;

    for (size_t i = 0; i < layout->picture->n_nodes; i++) {
        if (layout->drawn[i])
            continue;
        n_boxes++;
        n_ranks += layout->picture->nodes[i].n_ranks;
    }
    return n_boxes == 0 ? NULL
                        : format_text("Not drawn: %s more boxes, of %s ranks. Those in circles come first, then those "
                                      "that others wait for.",
                                      NUMBER(n_boxes), NUMBER(n_ranks));
}

static void print_remark(FILE *to, struct picture_layout *layout, const char *text)
{
    fprintf(to, "<text class=\"remark\" x=\"%d\" y=\"%.1f\">", MARGIN, layout->top);
    xml_text(to, text);
    fputs("</text>\n", to);
    layout->top += line_height + 4;
}

/* The room below the drawing is for this many remarks. */
enum { N_REMARKS = 5 };

static void print_remarks(FILE *to, struct picture_layout *layout)
{
    OWNED char *rest = picture_say_rest(layout), *on = NULL;

    print_remark(to, layout, "Arrows lead from who waits to who is waited for. Red and bold: a circle of waits, in "
                             "which nobody can get on. In a row: each waits for another one of the box.");
    print_remark(to, layout, "Dotted arrow: one of several is enough. Dashed box: not read. Yellow: what it waits for "
                             "may come.");
    print_remark(to, layout, "Light red: what it waits for cannot come. Green: it may get on by itself. Gray: it has "
                             "ended or left MPI, or is not known.");
    if (rest != NULL)
        print_remark(to, layout, rest);
    if (layout->picture->on != NULL) {
        on = format_text("All waits are on %s.", layout->picture->on);
        print_remark(to, layout, on);
    }
}

/* Their colours are those of classes, so that a page can have others. */
void picture_print_arrowheads(FILE *to)
{
    static const struct {
        const char *id;
        int size;
    } heads[] = {{"gray", 9}, {"red", 14}};

    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        fprintf(to, "<marker id=\"%s\" class=\"%s\" viewBox=\"0 0 10 10\" refX=\"10\" refY=\"5\" markerWidth=\"%d\" "
                "markerHeight=\"%d\" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0,0 L10,5 L0,10 z\"/>"
                "</marker>\n", heads[i].id, heads[i].id, heads[i].size, heads[i].size);
}

static void print_head(FILE *to, const struct picture_layout *layout, double height)
{
    fprintf(to, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
            "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\">\n"
            "<title>Who waits for whom</title>\n",
            layout->width, height, layout->width, height);
    fputs("<style>\n"
          "rect { stroke: #555; stroke-width: 1 }\n"
          "text { text-anchor: middle; font-size: 12px }\n"
          ".state { text-anchor: start; font-size: 10px; fill: #555 }\n"
          ".who { font-weight: bold; font-size: 13px }\n"
          ".label { font-size: 11px; stroke: #fff; stroke-width: 3px; paint-order: stroke }\n"
          "text.circle { fill: #c0141c }\n"
          ".remark { text-anchor: start; fill: #555 }\n"
          ".stuck rect { fill: #fde4e1 } .waits rect { fill: #fff6d6 } .busy rect { fill: #e3f1e1 }\n"
          ".gone rect { fill: #d9d9d9 } .unknown rect { fill: #f2f2f2 } .anybody rect { fill: #fff }\n"
          ".absent rect { fill: #fff; stroke-dasharray: 6 4 }\n"
          ".circle rect { stroke: #c0141c; stroke-width: 3 }\n"
          ".wait { fill: none; stroke: #555; stroke-width: 1.2 }\n"
          ".wait.circle { stroke: #c0141c; stroke-width: 3 }\n"
          ".wait.one { stroke-dasharray: 2 4 }\n"
          ".gray path { fill: #555 } .red path { fill: #c0141c }\n"
          "</style>\n<defs>\n", to);
    picture_print_arrowheads(to);
    fputs("</defs>\n<rect width=\"100%\" height=\"100%\" style=\"fill: #fff; stroke: none\"/>\n", to);
}

void picture_print_drawing(FILE *to, const struct picture_layout *layout, const struct picture_marks *marks)
{
    const struct picture *picture = layout->picture;
    OWNED struct area *areas = allocate_array(picture->n_edges + 1, sizeof *areas);
    struct labels labels = {.areas = areas};

    for (size_t i = 0; i < picture->n_edges; i++)
        if (picture_layout_has(layout, &picture->edges[i]))
            print_path(to, layout, &picture->edges[i]);
    for (size_t i = 0; i < picture->n_nodes; i++)
        if (layout->drawn[i])
            print_box(to, layout, marks, i);
    for (size_t i = 0; i < picture->n_edges; i++)
        if (picture_layout_has(layout, &picture->edges[i]))
            print_label(to, layout, &picture->edges[i], &labels);
}

void picture_print_svg(FILE *to, const struct picture *picture)
{
    RELEASED_BY(picture_layout_clear) struct picture_layout layout = picture_layout_make(picture);

    print_head(to, &layout, layout.top + N_REMARKS * (line_height + 4) + MARGIN);
    picture_print_drawing(to, &layout, NULL);
    print_remarks(to, &layout);
    fputs("</svg>\n", to);
}

/* For Graphviz. */

/* Graphviz takes "\" for the start of an escape and "&" for that of an entity. */
static void print_escaped(FILE *to, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\n')
            fputs("\\n", to);
        else if (*text == '&')
            fputs("&amp;", to);
        else if (*text == '"' || *text == '\\')
            fprintf(to, "\\%c", *text);
        else
            putc(*text, to);
    }
}

/* A longer list of ranks makes a box that fits no screen. */
enum { MAX_LIST = 60 };

static void print_dot_node(FILE *to, size_t i, const struct picture_node *node, bool jobs)
{
    const char *const lines[] = {node->hosts, node->what, jobs ? node->job : NULL};
    OWNED char *who = ranks_shorten(node->who, MAX_LIST);

    fprintf(to, "    n%zu [label=\"", i);
    print_escaped(to, who);
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        if (lines[k] == NULL || *lines[k] == '\0')
            continue;
        fputs("\\n", to);
        print_escaped(to, lines[k]);
    }
    fprintf(to, "\", fillcolor=\"%s\"", states[node->state].fill);
    if (node->state == PICTURE_ANYBODY)
        fputs(", shape=ellipse", to);
    if (node->state == PICTURE_NOT_READ)
        fputs(", style=\"filled,dashed\"", to);
    if (node->circle > 0)
        fputs(", color=\"#c0141c\", penwidth=3", to);
    fputs("];\n", to);
}

void picture_print_dot(FILE *to, const struct picture *picture)
{
    bool jobs = has_several_jobs(picture);

    fputs("digraph waits {\n    charset=\"UTF-8\";\n    node [shape=box, style=filled, fontname=\"sans-serif\"];\n"
          "    edge [fontname=\"sans-serif\", fontsize=10, color=\"#555555\"];\n", to);
    if (picture->on != NULL) {
        fputs("    label=\"All waits are on ", to);
        print_escaped(to, picture->on);
        fputs("\";\n", to);
    }
    for (size_t i = 0; i < picture->n_nodes; i++)
        print_dot_node(to, i, &picture->nodes[i], jobs);
    for (size_t i = 0; i < picture->n_edges; i++) {
        const struct picture_edge *edge = &picture->edges[i];

        fprintf(to, "    n%zu -> n%zu [label=\"", edge->from, edge->to);
        print_escaped(to, edge->label);
        putc('"', to);
        if (edge->in_circle)
            fputs(", color=\"#c0141c\", fontcolor=\"#c0141c\", penwidth=3", to);
        if (edge->one_is_enough)
            fputs(", style=dotted", to);
        fputs("];\n", to);
    }
    fputs("}\n", to);
}
