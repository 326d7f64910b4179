/*
 * picture_layout.c - where the boxes and arrows of a picture are: each circle of waits is one, the others are trees
 * below it, nearer to those that they wait for.
 */
#include "mqd/dump/show/graph/picture_layout.h"

#include <math.h>

#include "mqd/dump/base/memory.h"

/* More boxes are not readable. */
enum { MAX_DRAWN = 64, ROW_LENGTH = 6, MAX_ROUND = 12 };

/* Between two boxes that wait for each other there is room for a label. */
static const double spacing_x = 236, spacing_y = 150, chord = 310, least_radius = 155, pair_radius = 205,
                    widest_row = 1500, pi = 3.14159265358979;

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

static void choose_drawn(struct picture_layout *layout)
{
    OWNED bool *awaited = find_awaited(layout->picture);
    size_t n_left = MAX_DRAWN;

    for (int level = 0; level <= 4; level++) {
        for (size_t i = 0; i < layout->picture->n_nodes && n_left > 0; i++) {
            if (importance(&layout->picture->nodes[i], awaited[i]) == level) {
                layout->drawn[i] = true;
                n_left--;
            }
        }
    }
}

bool picture_layout_has(const struct picture_layout *layout, const struct picture_edge *edge)
{
    return layout->drawn[edge->from] && layout->drawn[edge->to];
}

/* Places. */

static void widen(struct picture_layout *layout, double right)
{
    if (right + MARGIN > layout->width)
        layout->width = right + MARGIN;
}

/* The nodes of a circle, in the order in which they wait for each other as far as there is one. */
static size_t order_circle(const struct picture_layout *layout, size_t circle, size_t *order)
{
    const struct picture *picture = layout->picture;
    OWNED bool *seen = allocate_array(picture->n_nodes + 1, sizeof *seen);
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
    return n;
}

/* The position of the node of a circle that most others wait for; n: none do. */
static size_t find_foot(const struct picture_layout *layout, const size_t *order, size_t n)
{
    const struct picture *picture = layout->picture;
    size_t most = 0, foot = n;

    for (size_t i = 0; i < n; i++) {
        size_t n_others = 0;

        for (size_t k = 0; k < picture->n_edges; k++)
            n_others += picture->edges[k].to == order[i] && picture_layout_has(layout, &picture->edges[k]) &&
                        picture->nodes[picture->edges[k].from].circle != picture->nodes[order[i]].circle;
        if (n_others > most) {
            most = n_others;
            foot = i;
        }
    }
    return foot;
}

/* Those who wait for a circle are below it: whom most of them wait for is its lowest node, and hides no arrow. */
static double first_angle(const struct picture_layout *layout, const size_t *order, size_t n)
{
    size_t foot = find_foot(layout, order, n);

    if (n == 2)
        return pi;
    return foot < n ? pi / 2 - 2 * pi * (double)foot / (double)n : -pi / 2;
}

static void place_circle(struct picture_layout *layout, const size_t *order, size_t n, double *left, double *bottom)
{
    double radius = n < 2 ? 0 : n == 2 ? pair_radius : chord / 2 / sin(pi / (double)n);
    double start = first_angle(layout, order, n), room;

    if (n > 1 && radius < least_radius)
        radius = least_radius;
    room = 2 * radius + BOX_WIDTH + 2 * MARGIN;
    if (*left > MARGIN && *left + room > widest_row) {
        *left = MARGIN;
        layout->top = *bottom;
    }
    for (size_t i = 0; i < n; i++) {
        double angle = start + 2 * pi * (double)i / (double)n;

        layout->x[order[i]] = *left + room / 2 + radius * cos(angle);
        layout->y[order[i]] = layout->top + (n == 2 ? 2 * BOX_HEIGHT : radius + BOX_HEIGHT) + radius * sin(angle);
    }
    if (layout->top + (n == 2 ? 4 * BOX_HEIGHT : 2 * radius + 3 * BOX_HEIGHT) > *bottom)
        *bottom = layout->top + (n == 2 ? 4 * BOX_HEIGHT : 2 * radius + 3 * BOX_HEIGHT);
    *left += room;
    widen(layout, *left);
}

/* A long circle is drawn in rows, alternately from left to right and back; on the left is room for the last arrow. */
static void place_winding(struct picture_layout *layout, const size_t *order, size_t n, double *left, double *bottom)
{
    double first = 2 * spacing_x;

    if (*left > MARGIN)
        layout->top = *bottom;
    for (size_t i = 0; i < n; i++) {
        size_t row = i / ROW_LENGTH, column = row % 2 == 0 ? i % ROW_LENGTH : ROW_LENGTH - 1 - i % ROW_LENGTH;

        layout->x[order[i]] = first + spacing_x * (double)column;
        layout->y[order[i]] = layout->top + BOX_HEIGHT + spacing_y * (double)row;
    }
    *bottom = layout->top + spacing_y * (double)((n - 1) / ROW_LENGTH + 1) + BOX_HEIGHT;
    layout->top = *bottom;
    *left = MARGIN;
    widen(layout, first + spacing_x * ROW_LENGTH);
}

/* The circles of which something is drawn: few, however many there are. */
static bool *find_drawn_circles(const struct picture_layout *layout)
{
    bool *drawn = allocate_array(layout->picture->n_circles + 1, sizeof *drawn);

    for (size_t i = 0; i < layout->picture->n_nodes; i++)
        drawn[layout->picture->nodes[i].circle] |= layout->drawn[i];
    return drawn;
}

static void place_circles(struct picture_layout *layout)
{
    OWNED size_t *order = allocate_array(layout->picture->n_nodes + 1, sizeof *order);
    OWNED bool *drawn = find_drawn_circles(layout);
    double left = MARGIN, bottom = layout->top;

    for (size_t circle = 1; circle <= layout->picture->n_circles; circle++) {
        size_t n = drawn[circle] ? order_circle(layout, circle, order) : 0;

        if (n > MAX_ROUND)
            place_winding(layout, order, n, &left, &bottom);
        else if (n > 0)
            place_circle(layout, order, n, &left, &bottom);
    }
    layout->top = bottom;
}

/*
 * The depth of a node is one more than that of the node that it waits for. Nodes that wait for nothing come directly
 * below the circles, or last if nobody waits for them.
 */
static void find_depths(struct picture_layout *layout)
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

/*
 * Trees. Each node that is in no circle hangs below one that it waits for, which is in none either, or is a root. So what
 * waits for one node is side by side, and arrows cross only where a node waits for several. The leaves below a node share
 * at most ROW_LENGTH columns, in several rows.
 */

/* Trees that are side by side have at most this many columns, if there are several. */
enum { BAND_COLUMNS = 10 };

struct branch {
    size_t node;
    struct branch *parent;         /* NULL: it is a root */
    double aim;                    /* of a root: how far on the right is what it waits for; HUGE_VAL: nothing is */
    size_t n_children, n_leaves, width;        /* in columns */
    size_t band, level, row;       /* of its level */
    size_t first;                  /* column */
    size_t n_placed_leaves, next;  /* the column of the next child that has children */
};

/* What is drawn and in no circle: who is waited for comes before who waits. */
struct forest {
    struct branch branches[MAX_DRAWN];
    size_t n;
    struct branch *roots[MAX_DRAWN];           /* by aim */
    size_t n_roots, n_bands;
};

static void find_branches(struct forest *forest, const struct picture_layout *layout)
{
    for (size_t i = 0; i < layout->picture->n_nodes; i++) {
        size_t at = forest->n;

        if (!layout->drawn[i] || layout->picture->nodes[i].circle > 0)
            continue;
        for (; at > 0 && layout->depth[forest->branches[at - 1].node] > layout->depth[i]; at--)
            forest->branches[at] = forest->branches[at - 1];
        forest->branches[at] = (struct branch){.node = i, .aim = HUGE_VAL};
        forest->n++;
    }
}

static void find_parents(struct forest *forest, const struct picture_layout *layout)
{
    OWNED struct branch **of_node = allocate_array(layout->picture->n_nodes + 1, sizeof(struct branch *));

    for (size_t i = 0; i < forest->n; i++)
        of_node[forest->branches[i].node] = &forest->branches[i];
    for (size_t i = 0; i < layout->picture->n_edges; i++) {
        const struct picture_edge *edge = &layout->picture->edges[i];
        struct branch *from = of_node[edge->from];

        if (from == NULL || !picture_layout_has(layout, edge) || layout->depth[edge->to] >= layout->depth[edge->from])
            continue;
        if (of_node[edge->to] != NULL)
            from->parent = of_node[edge->to];
        else
            from->aim = layout->x[edge->to];
    }
}

static size_t leaf_columns(const struct branch *branch)
{
    return branch->n_leaves < ROW_LENGTH ? branch->n_leaves : ROW_LENGTH;
}

static void find_widths(struct forest *forest)
{
    for (size_t i = forest->n; i-- > 0;) {
        struct branch *branch = &forest->branches[i];

        branch->width += leaf_columns(branch);
        if (branch->n_children == 0)
            branch->width = 1;
        if (branch->parent == NULL)
            continue;
        branch->parent->n_children++;
        if (branch->n_children == 0)
            branch->parent->n_leaves++;
        else
            branch->parent->width += branch->width;
    }
}

/* Roots are side by side, as long as there is room; then they are in another band, below. */
static void place_roots(struct forest *forest)
{
    size_t column = 0;

    for (size_t i = 0; i < forest->n; i++) {
        struct branch *branch = &forest->branches[i];
        size_t at = forest->n_roots;

        if (branch->parent != NULL)
            continue;
        for (; at > 0 && forest->roots[at - 1]->aim > branch->aim; at--)
            forest->roots[at] = forest->roots[at - 1];
        forest->roots[at] = branch;
        forest->n_roots++;
    }
    for (size_t i = 0; i < forest->n_roots; i++) {
        struct branch *root = forest->roots[i];

        if (column > 0 && column + root->width > BAND_COLUMNS) {
            forest->n_bands++;
            column = 0;
        }
        root->band = forest->n_bands;
        root->first = column;
        column += root->width;
    }
    forest->n_bands += forest->n_roots > 0;
}

/* Leaves are in the first columns of their parent. */
static void place_branches(struct forest *forest)
{
    for (size_t i = 0; i < forest->n; i++) {
        struct branch *branch = &forest->branches[i], *parent = branch->parent;

        if (parent != NULL && branch->n_children == 0) {
            branch->first = parent->first + parent->n_placed_leaves % ROW_LENGTH;
            branch->row = parent->n_placed_leaves++ / ROW_LENGTH;
        } else if (parent != NULL) {
            branch->first = parent->next;
            parent->next += branch->width;
        }
        if (parent != NULL) {
            branch->band = parent->band;
            branch->level = parent->level + 1;
        }
        branch->next = branch->first + leaf_columns(branch);
    }
}

static void place_band(struct picture_layout *layout, const struct forest *forest, size_t band)
{
    size_t n_rows[MAX_DRAWN] = {0}, first_row[MAX_DRAWN + 1] = {0};

    for (size_t i = 0; i < forest->n; i++) {
        const struct branch *branch = &forest->branches[i];

        if (branch->band == band && branch->row >= n_rows[branch->level])
            n_rows[branch->level] = branch->row + 1;
    }
    for (size_t level = 0; level < MAX_DRAWN; level++)
        first_row[level + 1] = first_row[level] + n_rows[level];
    for (size_t i = 0; i < forest->n; i++) {
        const struct branch *branch = &forest->branches[i];

        if (branch->band != band)
            continue;
        layout->x[branch->node] =
            MARGIN + BOX_WIDTH / 2 + spacing_x * ((double)branch->first + (double)(branch->width - 1) / 2);
        layout->y[branch->node] =
            layout->top + BOX_HEIGHT + spacing_y * (double)(first_row[branch->level] + branch->row);
        widen(layout, layout->x[branch->node] + BOX_WIDTH / 2);
    }
    layout->top += spacing_y * (double)first_row[MAX_DRAWN];
}

static void place_trees(struct picture_layout *layout)
{
    struct forest forest = {0};

    find_branches(&forest, layout);
    find_parents(&forest, layout);
    find_widths(&forest);
    place_roots(&forest);
    place_branches(&forest);
    for (size_t band = 0; band < forest.n_bands; band++)
        place_band(layout, &forest, band);
}

/* The distance from the middle of a box to its border in a direction. */
static double to_border(double dx, double dy)
{
    double across = fabs(dx) > 1e-9 ? BOX_WIDTH / 2 / fabs(dx) : 1e9;
    double along = fabs(dy) > 1e-9 ? BOX_HEIGHT / 2 / fabs(dy) : 1e9;

    return across < along ? across : along;
}

static bool goes_back(const struct picture *picture, const struct picture_edge *edge)
{
    for (size_t i = 0; i < picture->n_edges; i++)
        if (picture->edges[i].from == edge->to && picture->edges[i].to == edge->from)
            return true;
    return false;
}

/* The curve goes from border to border. It bends to the left of its direction, which is outwards in a circle. */
struct curve picture_layout_curve(const struct picture_layout *layout, const struct picture_edge *edge)
{
    double x1 = layout->x[edge->from], y1 = layout->y[edge->from], x2 = layout->x[edge->to], y2 = layout->y[edge->to];
    /* A flat arrow goes from side to side. */
    double bend = fabs(y2 - y1) < 1 ? 0.12 : 0.22;
    double lean = edge->in_circle || goes_back(layout->picture, edge) ? bend : 0;
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

struct picture_layout picture_layout_make(const struct picture *picture)
{
    size_t n = picture->n_nodes + 1;
    struct picture_layout layout = {.picture = picture, .drawn = allocate_array(n, sizeof(bool)),
                                    .x = allocate_array(n, sizeof(double)), .y = allocate_array(n, sizeof(double)),
                                    .depth = allocate_array(n, sizeof(size_t)), .width = 860, .top = MARGIN};

    choose_drawn(&layout);
    place_circles(&layout);
    find_depths(&layout);
    place_trees(&layout);
    return layout;
}

void picture_layout_clear(struct picture_layout *layout)
{
    FREE_ALL(layout->drawn, layout->x, layout->y, layout->depth);
    *layout = (struct picture_layout){0};
}
