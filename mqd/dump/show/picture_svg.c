/*
 * picture_svg.c - who waits for whom, as a drawing: each circle of waits as one, the others in rows below it, nearer to
 * those that they wait for.
 */
#include "mqd/dump/show/picture_svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"

/* More boxes are not readable; the rest is named below the drawing. */
enum { MAX_DRAWN = 64, ROW_LENGTH = 6, MAX_ROUND = 12, MAX_COLUMNS = 40,
       BOX_COLUMNS = 20 };

static const double box_width = 156, box_height = 46, spacing_x = 214, spacing_y = 150, margin = 40, line_height = 14,
                    chord = 310, least_radius = 155, widest_row = 1500, pi = 3.14159265358979;

struct layout {
    const struct picture *picture;
    bool *drawn;
    double *x, *y;                 /* of the middle of each box */
    size_t *depth;                 /* the length of the chain of waits from a node to its end; 0: in a circle */
    size_t deepest;
    double width, height;
    double top;                    /* the vertical position of the next row */
};

/* Text. */

static void print_xml(FILE *to, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", to);
            break;
        case '<':
            fputs("&lt;", to);
            break;
        case '>':
            fputs("&gt;", to);
            break;
        case '"':
            fputs("&quot;", to);
            break;
        default:
            putc(*text, to);
        }
    }
}

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
        print_xml(to, cut);
        fputs("</text>\n", to);
        text += length + (n_lines > 1);
    }
}

/* What is drawn. */

/* The most important nodes come first: those in circles, then those that stuck nodes wait for, then stuck nodes. */
static int importance(const struct picture_node *node, bool awaited)
{
    if (node->circle > 0)
        return 0;
    if (awaited)
        return 1;
    return node->state == PICTURE_STUCK ? 2 : node->state == PICTURE_WAITS ? 3 : 4;
}

/* For each node: does a stuck one wait for it? */
static bool *find_awaited(const struct picture *picture)
{
    bool *awaited = allocate_array(picture->n_nodes + 1, sizeof *awaited);

    for (size_t i = 0; i < picture->n_edges; i++)
        awaited[picture->edges[i].to] |= picture->nodes[picture->edges[i].from].state == PICTURE_STUCK;
    return awaited;
}

static void choose_drawn(struct layout *layout)
{
    bool *awaited = find_awaited(layout->picture);
    size_t n_left = MAX_DRAWN;

    for (int level = 0; level <= 4; level++) {
        for (size_t i = 0; i < layout->picture->n_nodes && n_left > 0; i++) {
            if (importance(&layout->picture->nodes[i], awaited[i]) == level) {
                layout->drawn[i] = true;
                n_left--;
            }
        }
    }
    free(awaited);
}

static bool is_drawn(const struct layout *layout, const struct picture_edge *edge)
{
    return layout->drawn[edge->from] && layout->drawn[edge->to];
}

/* Places. */

static void widen(struct layout *layout, double right)
{
    if (right + margin > layout->width)
        layout->width = right + margin;
}

/* The nodes of a circle, in the order in which they wait for each other as far as there is one. */
static size_t order_circle(const struct layout *layout, size_t circle, size_t *order)
{
    const struct picture *picture = layout->picture;
    bool *seen = allocate_array(picture->n_nodes + 1, sizeof *seen);
    size_t n = 0;

    for (size_t start = 0; start < picture->n_nodes; start++) {
        size_t node = start;

        if (picture->nodes[start].circle != circle || seen[start] || !layout->drawn[start])
            continue;
        for (size_t i = 0; i < picture->n_edges;) {
            const struct picture_edge *edge = &picture->edges[i];

            if (!seen[node])
                order[n++] = node;
            seen[node] = true;
            if (edge->from == node && edge->in_circle && !seen[edge->to] && layout->drawn[edge->to]) {
                node = edge->to;
                i = 0;
            } else {
                i++;
            }
        }
    }
    free(seen);
    return n;
}

static void place_circle(struct layout *layout, const size_t *order, size_t n, double *left, double *bottom)
{
    double radius = n < 2 ? 0 : chord / 2 / sin(pi / (double)n);
    double start = n == 2 ? pi : -pi / 2, room;

    if (n > 1 && radius < least_radius)
        radius = least_radius;
    room = 2 * radius + box_width + 2 * margin;
    if (*left > margin && *left + room > widest_row) {
        *left = margin;
        layout->top = *bottom;
    }
    for (size_t i = 0; i < n; i++) {
        double angle = start + 2 * pi * (double)i / (double)n;

        layout->x[order[i]] = *left + room / 2 + radius * cos(angle);
        layout->y[order[i]] = layout->top + (n == 2 ? 2 * box_height : radius + box_height) + radius * sin(angle);
    }
    if (layout->top + (n == 2 ? 4 * box_height : 2 * radius + 3 * box_height) > *bottom)
        *bottom = layout->top + (n == 2 ? 4 * box_height : 2 * radius + 3 * box_height);
    *left += room;
    widen(layout, *left);
}

/* A long circle is drawn in rows, alternately from left to right and back; on the left is room for the last arrow. */
static void place_winding(struct layout *layout, const size_t *order, size_t n, double *left, double *bottom)
{
    double first = 2 * spacing_x;

    if (*left > margin)
        layout->top = *bottom;
    for (size_t i = 0; i < n; i++) {
        size_t row = i / ROW_LENGTH, column = row % 2 == 0 ? i % ROW_LENGTH : ROW_LENGTH - 1 - i % ROW_LENGTH;

        layout->x[order[i]] = first + spacing_x * (double)column;
        layout->y[order[i]] = layout->top + box_height + spacing_y * (double)row;
    }
    *bottom = layout->top + spacing_y * (double)((n - 1) / ROW_LENGTH + 1) + box_height;
    layout->top = *bottom;
    *left = margin;
    widen(layout, first + spacing_x * ROW_LENGTH);
}

/* The circles of which something is drawn: few, however many there are. */
static bool *find_drawn_circles(const struct layout *layout)
{
    bool *drawn = allocate_array(layout->picture->n_circles + 1, sizeof *drawn);

    for (size_t i = 0; i < layout->picture->n_nodes; i++)
        drawn[layout->picture->nodes[i].circle] |= layout->drawn[i];
    return drawn;
}

static void place_circles(struct layout *layout)
{
    size_t *order = allocate_array(layout->picture->n_nodes + 1, sizeof *order);
    bool *drawn = find_drawn_circles(layout);
    double left = margin, bottom = layout->top;

    for (size_t circle = 1; circle <= layout->picture->n_circles; circle++) {
        size_t n = drawn[circle] ? order_circle(layout, circle, order) : 0;

        if (n > MAX_ROUND)
            place_winding(layout, order, n, &left, &bottom);
        else if (n > 0)
            place_circle(layout, order, n, &left, &bottom);
    }
    layout->top = bottom;
    free(drawn);
    free(order);
}

/*
 * The depth of a node is one more than that of the node that it waits for. Nodes that wait for nothing come directly
 * below the circles, or last if nobody waits for them.
 */
static void find_depths(struct layout *layout)
{
    const struct picture *picture = layout->picture;
    size_t unknown = picture->n_nodes + 2;
    bool changed = true;

    for (size_t i = 0; i < picture->n_nodes; i++)
        layout->depth[i] = picture->nodes[i].circle > 0 ? 0 : unknown;
    for (size_t i = 0; i < picture->n_edges; i++)
        if (layout->depth[picture->edges[i].to] == unknown)
            layout->depth[picture->edges[i].to] = 1;
    for (size_t i = 0; i < picture->n_edges; i++)
        if (picture->nodes[picture->edges[i].from].circle == 0)
            layout->depth[picture->edges[i].from] = unknown;
    while (changed) {
        changed = false;
        for (size_t i = 0; i < picture->n_edges; i++) {
            size_t depth = layout->depth[picture->edges[i].to] + 1;

            if (depth < layout->depth[picture->edges[i].from]) {
                layout->depth[picture->edges[i].from] = depth;
                changed = true;
            }
        }
    }
    for (size_t i = 0; i < picture->n_nodes; i++)
        if (layout->depth[i] < unknown && layout->depth[i] > layout->deepest)
            layout->deepest = layout->depth[i];
    for (size_t i = 0; i < picture->n_nodes; i++)
        if (layout->depth[i] >= unknown)
            layout->depth[i] = layout->deepest + 1;
    layout->deepest++;
}

static void place_rows(struct layout *layout)
{
    for (size_t depth = 1; depth <= layout->deepest; depth++) {
        size_t n = 0;

        for (size_t i = 0; i < layout->picture->n_nodes; i++) {
            if (!layout->drawn[i] || layout->depth[i] != depth)
                continue;
            if (n > 0 && n % ROW_LENGTH == 0)
                layout->top += spacing_y;
            layout->x[i] = margin + box_width / 2 + spacing_x * (double)(n % ROW_LENGTH);
            layout->y[i] = layout->top + box_height;
            widen(layout, layout->x[i] + box_width / 2 + margin);
            n++;
        }
        layout->top += n > 0 ? spacing_y : 0;
    }
}

/* Drawing. */

/* The lines in a box: three of them if the machines are to be named. */
static void print_texts(FILE *to, const struct picture_node *node, double x, double y)
{
    char who[4 * BOX_COLUMNS + 8], what[4 * BOX_COLUMNS + 8], hosts[4 * BOX_COLUMNS + 8], *text;
    bool whole = cut_line(who, sizeof who, node->who, strlen(node->who), BOX_COLUMNS - 8);
    bool has_hosts = node->hosts != NULL && *node->hosts != '\0';

    if (whole)
        cut_line(who, sizeof who, node->who, strlen(node->who), BOX_COLUMNS);
    cut_line(what, sizeof what, node->what, strlen(node->what), BOX_COLUMNS);
    text = whole ? copy_string(who) : format_text("%s (%zu)", who, node->n_ranks);
    print_lines(to, "who", x, has_hosts ? y - line_height : y - 9, text);
    if (has_hosts) {
        cut_line(hosts, sizeof hosts, node->hosts, strlen(node->hosts), BOX_COLUMNS);
        print_lines(to, "what", x, y, hosts);
    }
    print_lines(to, "what", x, has_hosts ? y + line_height : y + 10, what);
    free(text);
}

static void print_box(FILE *to, const struct layout *layout, size_t i)
{
    static const char *const classes[N_PICTURE_STATES] = {
        [PICTURE_STUCK] = "stuck", [PICTURE_WAITS] = "waits", [PICTURE_BUSY] = "busy", [PICTURE_GONE] = "gone",
        [PICTURE_UNKNOWN] = "unknown", [PICTURE_NOT_READ] = "absent", [PICTURE_ANYBODY] = "anybody"};
    const struct picture_node *node = &layout->picture->nodes[i];
    double x = layout->x[i], y = layout->y[i];

    fprintf(to, "<g class=\"%s%s\"><title>", classes[node->state], node->circle > 0 ? " circle" : "");
    print_xml(to, node->who);
    if (node->hosts != NULL && *node->hosts != '\0') {
        putc(' ', to);
        print_xml(to, node->hosts);
    }
    fputs(": ", to);
    print_xml(to, node->what);
    if (*node->job != '\0') {
        fputs(", job ", to);
        print_xml(to, node->job);
    }
    fprintf(to, "</title>\n<rect x=\"%.1f\" y=\"%.1f\" width=\"%.0f\" height=\"%.0f\" rx=\"%d\"/>\n", x - box_width / 2,
            y - box_height / 2, box_width, box_height, node->state == PICTURE_ANYBODY ? 20 : 4);
    print_texts(to, node, x, y);
    fputs("</g>\n", to);
}

/* The distance from the middle of a box to its border in a direction. */
static double to_border(double dx, double dy)
{
    double across = fabs(dx) > 1e-9 ? box_width / 2 / fabs(dx) : 1e9;
    double along = fabs(dy) > 1e-9 ? box_height / 2 / fabs(dy) : 1e9;

    return across < along ? across : along;
}

static bool goes_back(const struct picture *picture, const struct picture_edge *edge)
{
    for (size_t i = 0; i < picture->n_edges; i++)
        if (picture->edges[i].from == edge->to && picture->edges[i].to == edge->from)
            return true;
    return false;
}

struct curve {
    double x[3], y[3];             /* start, control point and end */
};

/* The curve goes from border to border. It bends to the left of its direction, which is outwards in a circle. */
static struct curve curve_of(const struct layout *layout, const struct picture_edge *edge)
{
    double x1 = layout->x[edge->from], y1 = layout->y[edge->from], x2 = layout->x[edge->to], y2 = layout->y[edge->to];
    double lean = edge->in_circle || goes_back(layout->picture, edge) ? 0.22 : 0;
    struct curve curve = {.x = {x1, (x1 + x2) / 2 + lean * (y2 - y1), x2},
                          .y = {y1, (y1 + y2) / 2 - lean * (x2 - x1), y2}};

    for (int end = 0; end < 3; end += 2) {
        double dx = curve.x[1] - curve.x[end], dy = curve.y[1] - curve.y[end], length = hypot(dx, dy);

        if (length < 1e-9)
            continue;
        curve.x[end] += dx / length * to_border(dx / length, dy / length);
        curve.y[end] += dy / length * to_border(dx / length, dy / length);
    }
    return curve;
}

static void print_path(FILE *to, const struct layout *layout, const struct picture_edge *edge)
{
    const char *class = edge->in_circle ? "wait circle" : "wait", *dotted = edge->one_is_enough ? " one" : "";
    double x = layout->x[edge->from], y = layout->y[edge->from];
    struct curve curve = curve_of(layout, edge);

    fprintf(to, "<path class=\"%s%s\" marker-end=\"url(#%s)\" ", class, dotted, edge->in_circle ? "red" : "gray");
    if (edge->from == edge->to)
        fprintf(to, "d=\"M%.1f,%.1f C%.1f,%.1f %.1f,%.1f %.1f,%.1f\"><title>", x + 40, y - box_height / 2, x + 40,
                y - box_height / 2 - 50, x + box_width / 2 + 60, y, x + box_width / 2, y);
    else
        fprintf(to, "d=\"M%.1f,%.1f Q%.1f,%.1f %.1f,%.1f\"><title>", curve.x[0], curve.y[0], curve.x[1], curve.y[1],
                curve.x[2], curve.y[2]);
    print_xml(to, layout->picture->nodes[edge->from].who);
    fputs(" -> ", to);
    print_xml(to, layout->picture->nodes[edge->to].who);
    fputs(": ", to);
    print_xml(to, edge->label);
    fputs("</title></path>\n", to);
}

/* In a circle the label is in the middle of the arrow; else it is nearer to the start, since ends of arrows meet. */
static void print_label(FILE *to, const struct layout *layout, const struct picture_edge *edge)
{
    double t = edge->in_circle ? 0.5 : 0.28, x, y;
    struct curve curve = curve_of(layout, edge);

    x = (1 - t) * (1 - t) * curve.x[0] + 2 * t * (1 - t) * curve.x[1] + t * t * curve.x[2];
    y = (1 - t) * (1 - t) * curve.y[0] + 2 * t * (1 - t) * curve.y[1] + t * t * curve.y[2];
    if (edge->from == edge->to) {
        x = layout->x[edge->from] + box_width / 2;
        y = layout->y[edge->from] - box_height;
    }
    /* The label is beside a line that is nearly horizontal. */
    if (fabs(curve.x[2] - curve.x[0]) > 2 * fabs(curve.y[2] - curve.y[0]))
        y += curve.x[2] > curve.x[0] ? -line_height : line_height;
    if (*edge->label != '\0')
        print_lines(to, edge->in_circle ? "label circle" : "label", x, y, edge->label);
}

static void print_remark(FILE *to, struct layout *layout, const char *text)
{
    fprintf(to, "<text class=\"remark\" x=\"%.1f\" y=\"%.1f\">", margin, layout->top);
    print_xml(to, text);
    fputs("</text>\n", to);
    layout->top += line_height + 4;
}

/* The room below the drawing is for this many remarks. */
enum { N_REMARKS = 4 };

static void print_remarks(FILE *to, struct layout *layout)
{
    size_t n_boxes = 0, n_ranks = 0;
    char *text;

    print_remark(to, layout, "Arrows lead from who waits to who is waited for. Red and bold: a circle of waits, in "
                             "which nobody can get on.");
    print_remark(to, layout, "Dotted arrow: one of several is enough. Dashed box: not read. Yellow: what it waits for "
                             "may come.");
    print_remark(to, layout, "Light red: what it waits for cannot come. Green: it may get on by itself. Gray: it has "
                             "ended or left MPI, or is not known.");
    for (size_t i = 0; i < layout->picture->n_nodes; i++) {
        if (layout->drawn[i])
            continue;
        n_boxes++;
        n_ranks += layout->picture->nodes[i].n_ranks;
    }
    if (n_boxes == 0)
        return;
    text =
        format_text("Not drawn: %zu more boxes, of %zu ranks. Those in circles come first, then those that others wait "
                    "for.",
                    n_boxes, n_ranks);
    print_remark(to, layout, text);
    free(text);
}

static void print_head(FILE *to, const struct layout *layout)
{
    fprintf(to, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
            "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\">\n"
            "<title>Who waits for whom</title>\n",
            layout->width, layout->height, layout->width, layout->height);
    fputs("<style>\n"
          "rect { stroke: #555; stroke-width: 1 }\n"
          "text { text-anchor: middle; font-size: 12px }\n"
          ".who { font-weight: bold; font-size: 13px }\n"
          ".label { font-size: 10px; stroke: #fff; stroke-width: 3px; paint-order: stroke }\n"
          "text.circle { fill: #c0141c }\n"
          ".remark { text-anchor: start; fill: #555 }\n"
          ".stuck rect { fill: #fde4e1 } .waits rect { fill: #fff6d6 } .busy rect { fill: #e3f1e1 }\n"
          ".missing rect { fill: #d9d9d9 } .unknown rect { fill: #f2f2f2 } .anybody rect { fill: #fff }\n"
          ".absent rect { fill: #fff; stroke-dasharray: 6 4 }\n"
          ".circle rect { stroke: #c0141c; stroke-width: 3 }\n"
          ".wait { fill: none; stroke: #555; stroke-width: 1.2 }\n"
          ".wait.circle { stroke: #c0141c; stroke-width: 3 }\n"
          ".wait.one { stroke-dasharray: 2 4 }\n"
          "</style>\n<defs>\n", to);
    for (int i = 0; i < 2; i++)
        fprintf(to, "<marker id=\"%s\" viewBox=\"0 0 10 10\" refX=\"10\" refY=\"5\" markerWidth=\"%s\" "
                "markerHeight=\"%s\" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0,0 L10,5 L0,10 z\" "
                "fill=\"%s\"/></marker>\n", i == 0 ? "gray" : "red", i == 0 ? "9" : "14", i == 0 ? "9" : "14",
                i == 0 ? "#555" : "#c0141c");
    fputs("</defs>\n<rect width=\"100%\" height=\"100%\" style=\"fill: #fff; stroke: none\"/>\n", to);
}

static void print_drawing(FILE *to, struct layout *layout)
{
    const struct picture *picture = layout->picture;

    print_head(to, layout);
    for (size_t i = 0; i < picture->n_edges; i++)
        if (is_drawn(layout, &picture->edges[i]))
            print_path(to, layout, &picture->edges[i]);
    for (size_t i = 0; i < picture->n_nodes; i++)
        if (layout->drawn[i])
            print_box(to, layout, i);
    for (size_t i = 0; i < picture->n_edges; i++)
        if (is_drawn(layout, &picture->edges[i]))
            print_label(to, layout, &picture->edges[i]);
    print_remarks(to, layout);
    fputs("</svg>\n", to);
}

void picture_print_svg(FILE *to, const struct picture *picture)
{
    size_t n = picture->n_nodes + 1;
    struct layout layout = {.picture = picture,
                            .drawn = allocate_array(n, sizeof(bool)),
                            .x = allocate_array(n, sizeof(double)),
                            .y = allocate_array(n, sizeof(double)),
                            .depth = allocate_array(n, sizeof(size_t)),
                            .width = 860,
                            .top = margin};

    choose_drawn(&layout);
    place_circles(&layout);
    find_depths(&layout);
    place_rows(&layout);
    layout.height = layout.top + N_REMARKS * (line_height + 4) + margin;
    print_drawing(to, &layout);
    free(layout.drawn);
    free(layout.x);
    free(layout.y);
    free(layout.depth);
}
