/*
 * picture.c - the nodes and edges of a picture of waits, and which ranks become one node.
 */
#include "mqd/dump/show/graph/picture.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/buckets.h"
#include "mqd/dump/base/hash.h"
#include "mqd/dump/base/host_phrase.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/base/text_stream.h"
#include "mqd/dump/show/graph/xml_text.h"

/* More labels beside one arrow are not readable. */
enum { MAX_LABELS = 3 };

/* Of more arrows the labels are short, if they can be. */
enum { FEW_EDGES = 12 };

static void clear_node(struct picture_node *node)
{
    FREE_ALL(node->job, node->who, node->what, node->hosts, node->witnesses);
}

void picture_clear(struct picture *picture)
{
    for (size_t i = 0; i < picture->n_nodes; i++)
        clear_node(&picture->nodes[i]);
    for (size_t i = 0; i < picture->n_edges; i++)
        free(picture->edges[i].label);
    for (size_t i = 0; i < picture->n_waits; i++)
        free(picture->waits[i]);
    FREE_ALL(picture->waits, picture->on, picture->nodes, picture->edges);
    *picture = (struct picture){0};
}

/* What processes wait for. */

/* More are not read. */
enum { MAX_SAID = 3 };

static char *say_wait_after(const char *before, const struct picture_edge *edge, const struct picture_node *own,
                            const struct picture_node *other)
{
    bool same_job = strcmp(own->job, other->job) == 0;
    OWNED char *who = other->rank < 0 ? copy_string(other->who)
                                      : format_text("rank %ld%s%s", other->rank, same_job ? "" : " of job ",
                                                    same_job ? "" : other->job);

    return format_text("%s%s%s%s%s", before != NULL ? before : "",
                       before == NULL ? "" : edge->one_is_enough ? ", or " : ", and ", edge->label,
                       *edge->label != '\0' ? ": " : "", who);
}

void picture_say_waits(struct picture *picture, size_t n)
{
    OWNED size_t *n_said = allocate_array(n + 1, sizeof *n_said);

    picture->waits = allocate_array(n + 1, sizeof *picture->waits);
    picture->n_waits = n;
    for (size_t i = 0; i < picture->n_edges; i++) {
        const struct picture_edge *edge = &picture->edges[i];
        const struct picture_node *node = &picture->nodes[edge->from];
        size_t at = node->n_witnesses > 0 ? node->witnesses[0] : n;
        OWNED char *before = NULL;

        if (at >= n || n_said[at] > MAX_SAID)
            continue;
        before = picture->waits[at];
        picture->waits[at] = n_said[at]++ < MAX_SAID ? say_wait_after(before, edge, node, &picture->nodes[edge->to])
                                                     : format_text("%s, and others", before);
    }
}

/*
 * Folding. At first each node is a class of its own. Two classes become one if they have the same texts and wait for
 * the same classes. So a tree folds from its root on, and a circle does not fold into one node. Two nodes that wait for
 * nothing become one only if the same nodes wait for them.
 *
 * In a collective call who waits for whom depends on the algorithm that the MPI library has chosen, and tells nothing. So
 * those who are in one call are one class, and what is drawn is for whom outside of it they wait.
 */

/* An edge as one of its two nodes sees it. */
struct tie {
    size_t other;                  /* class */
    const struct picture_edge *edge;
};

static int compare_ties(const void *a, const void *b)
{
    const struct tie *x = a, *y = b;

    return ORDER(x->other, y->other) ?: strcmp(x->edge->label, y->edge->label);
}

/* Edges by the node at one of their ends. */
static struct buckets find_ends(const struct picture *picture, bool outgoing)
{
    OWNED uint32_t *node = allocate_array(picture->n_edges + 1, sizeof *node);

    for (size_t i = 0; i < picture->n_edges; i++)
        node[i] = (uint32_t)(outgoing ? picture->edges[i].from : picture->edges[i].to);
    return buckets_make(node, picture->n_edges, picture->n_nodes);
}

/* A text for free() that is the same for two nodes if they belong into one class. */
static char *signature(const struct picture *picture, size_t node, const struct buckets *ends, bool outgoing,
                       const uint32_t *class)
{
    const struct picture_node *its = &picture->nodes[node];
    size_t first = ends->first[node], n = ends->first[node + 1] - first;
    OWNED struct tie *ties = NULL;
    struct text_stream stream;

    if (its->meeting > 0)
        return format_text("%d in %zu %s\n%s\n", (int)its->state, its->meeting, its->job, its->what);
    ties = allocate_array(n + 1, sizeof *ties);
    for (size_t i = 0; i < n; i++) {
        const struct picture_edge *edge = &picture->edges[ends->members[first + i]];

        ties[i] = (struct tie){class[outgoing ? edge->to : edge->from], edge};
    }
    SORT(ties, n, compare_ties);
    text_stream_open(&stream);
    fprintf(stream.to, "%d %zu %d %s\n%s\n%s\n", (int)its->state, its->circle, outgoing, its->job,
            its->rank >= 0 ? "" : its->who, its->what);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || compare_ties(&ties[i - 1], &ties[i]) != 0)
            fprintf(stream.to, "%zu %d %s\n", ties[i].other, ties[i].edge->one_is_enough, ties[i].edge->label);
    return text_stream_close(&stream);
}

/* Puts nodes with the same signature into the class of the first of them. Returns the number of classes. */
static size_t classify(const struct picture *picture, const struct buckets *out, const struct buckets *in, uint32_t *class)
{
    RELEASED_BY(text_groups_clear) struct text_groups classes = {0};

    for (size_t i = 0; i < picture->n_nodes; i++) {
        bool outgoing = out->first[i] < out->first[i + 1];

        text_groups_add(&classes, signature(picture, i, outgoing ? out : in, outgoing, class), i);
    }
    for (size_t i = 0; i < classes.n; i++)
        for (size_t k = 0; k < classes.groups[i].n; k++)
            class[classes.groups[i].members[k]] = (uint32_t)classes.groups[i].members[0];
    return classes.n;
}

/* Two long chains fold by one node a round. What has not folded by then is right as it is. */
enum { MAX_SIGNATURES = 1000000 };

static uint32_t *find_classes(const struct picture *picture, const struct buckets *out, const struct buckets *in)
{
    uint32_t *class = allocate_array(picture->n_nodes + 1, sizeof *class);
    size_t n = picture->n_nodes, before, n_rounds = 0;

    for (uint32_t i = 0; i < picture->n_nodes; i++)
        class[i] = i;
    do {
        before = n;
        n = classify(picture, out, in, class);
    } while (n < before && ++n_rounds * picture->n_nodes < MAX_SIGNATURES);
    return class;
}

/*
 * Rows. A ring of a thousand ranks does not fold, since no two wait for the same rank, but all do the same. The first
 * and the last rank of a row stay, so that one sees how it begins and ends.
 */

/* Shorter ones are drawn as they are. */
enum { LEAST_ROW = 13 };

struct links {
    size_t *next, *before;         /* the only node that a node waits for, or that waits for it; SIZE_MAX: it is another
                                      number of nodes */
    const char **labels;           /* of the only edge from a node */
};

/* The only edge of a node; NULL: it has none or several. */
static const struct picture_edge *only_edge(const struct picture *picture, const struct buckets *ends, size_t i)
{
    return ends->first[i + 1] - ends->first[i] == 1 ? &picture->edges[ends->members[ends->first[i]]] : NULL;
}

static struct links find_links(const struct picture *picture, const struct buckets *out, const struct buckets *in,
                               const uint32_t *class)
{
    struct links links = {allocate_array(picture->n_nodes + 1, sizeof *links.next),
                          allocate_array(picture->n_nodes + 1, sizeof *links.before),
                          allocate_array(picture->n_nodes + 1, sizeof *links.labels)};
    OWNED size_t *n_members = allocate_array(picture->n_nodes + 1, sizeof *n_members);

    for (size_t i = 0; i < picture->n_nodes; i++)
        n_members[class[i]]++;
    for (size_t i = 0; i < picture->n_nodes; i++) {
        bool alone = n_members[class[i]] == 1 && picture->nodes[i].circle > 0;
        const struct picture_edge *next = alone ? only_edge(picture, out, i) : NULL;
        const struct picture_edge *before = alone ? only_edge(picture, in, i) : NULL;

        links.next[i] = next != NULL ? next->to : SIZE_MAX;
        links.labels[i] = next != NULL ? next->label : "";
        links.before[i] = before != NULL ? before->from : SIZE_MAX;
    }
    return links;
}

/* Does the node do the same as the one that it waits for? */
static bool runs_on(const struct picture *picture, const struct links *links, size_t i)
{
    size_t next = links->next[i];
    const struct picture_node *a = &picture->nodes[i], *b;

    if (next == SIZE_MAX || next == i || links->before[next] != i || links->next[next] == SIZE_MAX)
        return false;
    b = &picture->nodes[next];
    return a->rank >= 0 && b->rank >= 0 && a->circle == b->circle && a->state == b->state &&
           strcmp(a->what, b->what) == 0 && strcmp(a->job, b->job) == 0 &&
           strcmp(links->labels[i], links->labels[next]) == 0;
}

/* The nodes after `first`, as long as each does the same; a ring ends before it. */
static size_t row_length(const struct picture *picture, const struct links *links, size_t first)
{
    size_t n = 1;

    for (size_t i = first; runs_on(picture, links, i) && links->next[i] != first; i = links->next[i])
        n++;
    return n;
}

/* Puts the middle of a row into one class, if the row is long. The class is that of its first node. */
static void join_row(struct picture *picture, const struct links *links, size_t first, size_t n, uint32_t *class)
{
    size_t least = SIZE_MAX;

    if (n < LEAST_ROW)
        return;
    for (size_t k = 1, at = links->next[first]; k + 1 < n; k++, at = links->next[at])
        least = at < least ? at : least;
    for (size_t k = 1, at = links->next[first]; k + 1 < n; k++, at = links->next[at])
        class[at] = (uint32_t)least;
    picture->nodes[least].in_row = true;
}

/* Rows begin where nothing runs on to them. What is left after these are rings. */
static void join_rows(struct picture *picture, const struct buckets *out, const struct buckets *in, uint32_t *class)
{
    struct links links = find_links(picture, out, in, class);
    bool *seen = allocate_array(picture->n_nodes + 1, sizeof *seen);

    for (int rings = 0; rings < 2; rings++) {
        for (size_t i = 0; i < picture->n_nodes; i++) {
            bool goes_before = links.before[i] != SIZE_MAX && runs_on(picture, &links, links.before[i]);
            size_t n;

            if (seen[i] || (rings == 0 && goes_before))
                continue;
            n = row_length(picture, &links, i);
            for (size_t k = 0, at = i; k < n; k++, at = links.next[at])
                seen[at] = true;
            join_row(picture, &links, i, n, class);
        }
    }
    FREE_ALL(seen, links.next, links.before, links.labels);
}

/* "on n[01-02], in a row", or "". */
static char *say_hosts(const char *const *hosts, size_t n, bool in_row)
{
    OWNED char *phrase = host_phrase(hosts, n);
    OWNED char *row = format_text("%s%s%s", phrase + (*phrase == ' '), in_row && *phrase != '\0' ? ", " : "",
                                  in_row ? "in a row" : "");

    return clean_text(row);
}

static int compare_positions(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return ORDER(x, y);
}

/* Gives a node the processes of all nodes of its class. */
static void join_witnesses(const struct picture *picture, const uint32_t *members, size_t n_members,
                           struct picture_node *node)
{
    size_t *witnesses = NULL, n = 0, room = 0;

    for (size_t i = 0; i < n_members; i++) {
        const struct picture_node *member = &picture->nodes[members[i]];

        for (size_t k = 0; k < member->n_witnesses; k++)
            APPEND(witnesses, n, room, member->witnesses[k]);
    }
    SORT(witnesses, n, compare_positions);
    node->witnesses = witnesses;
    node->n_witnesses = n;
}

/* Makes one node of those of a class. */
static struct picture_node join_nodes(const struct picture *picture, const uint32_t *members, size_t n)
{
    struct picture_node node = picture->nodes[members[0]];
    OWNED long *ranks = allocate_array(n, sizeof *ranks);
    OWNED const char **hosts = allocate_array(n, sizeof *hosts);

    join_witnesses(picture, members, n, &node);
    if (node.rank < 0)
        return node;
    for (size_t i = 0; i < n; i++) {
        const struct picture_node *member = &picture->nodes[members[i]];

        node.circle = node.circle > 0 ? node.circle : member->circle;
        hosts[i] = member->host;
        ranks[i] = member->rank;
    }
    node.hosts = say_hosts(hosts, n, node.in_row);
    node.n_ranks = ranks_sort(ranks, n);
    free(node.who);
    node.who = ranks_list(ranks, node.n_ranks, ",");
    return node;
}

/*
 * Gives the first node of each class the ranks of the others, which are removed. place[i] is the new index of node i.
 */
static void fold_nodes(struct picture *picture, const uint32_t *class, size_t *place)
{
    RELEASED_BY(buckets_clear) struct buckets members = buckets_make(class, picture->n_nodes, picture->n_nodes);
    size_t n_left = 0;

    for (size_t i = 0; i < picture->n_nodes; i++) {
        size_t n = members.first[i + 1] - members.first[i];
        struct picture_node node;

        if (n == 0)
            continue;
        node = join_nodes(picture, &members.members[members.first[i]], n);
        free(picture->nodes[i].witnesses);
        for (size_t k = members.first[i]; k < members.first[i + 1]; k++) {
            if (members.members[k] != i)
                clear_node(&picture->nodes[members.members[k]]);
            place[members.members[k]] = n_left;
        }
        picture->nodes[n_left++] = node;
    }
    picture->n_nodes = n_left;
}

static int compare_edges(const void *a, const void *b)
{
    const struct picture_edge *x = a, *y = b;

    return ORDER(x->from, y->from) ?: ORDER(x->to, y->to) ?: strcmp(x->label, y->label);
}

/*
 * One edge with all labels of edges that go the same way; their labels are freed. `shortened`: without what all labels end
 * with.
 */
static struct picture_edge join_edges(const struct picture_edge *edges, size_t n, bool shortened)
{
    struct picture_edge joint = edges[0];
    size_t n_labels = 0;

    joint.label = copy_string("");
    for (size_t i = 0; i < n; i++) {
        joint.in_circle |= edges[i].in_circle;
        joint.one_is_enough &= edges[i].one_is_enough;
        if ((i > 0 && strcmp(edges[i - 1].label, edges[i].label) == 0) || n_labels++ >= MAX_LABELS)
            continue;
        append_text(&joint.label, "%s%.*s", n_labels > 1 ? "\n" : "",
                    (int)(shortened ? edges[i].n_what : strlen(edges[i].label)), edges[i].label);
    }
    if (n_labels > MAX_LABELS)
        append_text(&joint.label, "\nand %s more", NUMBER(n_labels - MAX_LABELS));
    for (size_t i = 0; i < n; i++)
        free(edges[i].label);
    return joint;
}

/* Is it within a row or a meeting? Then it goes from one rank of a node to another one. */
static bool is_within(const struct picture *picture, const struct picture_edge *edge)
{
    const struct picture_node *node = &picture->nodes[edge->from];

    return edge->from == edge->to && (node->in_row || (node->meeting > 0 && node->n_ranks > 1));
}

/* How many edges from a position on go the same way. */
static size_t count_same_way(const struct picture *picture, size_t first)
{
    const struct picture_edge *edge = &picture->edges[first];
    size_t n = 1;

    while (first + n < picture->n_edges && edge[n].from == edge->from && edge[n].to == edge->to)
        n++;
    return n;
}

/* `end` is what all labels end with, or NULL. Of many edges it is said once. */
static void fold_edges(struct picture *picture, const char *end)
{
    size_t n_left = 0, n_ways = 0;

    for (size_t i = 0; i < picture->n_edges; i++) {
        if (is_within(picture, &picture->edges[i]))
            free(picture->edges[i].label);
        else
            picture->edges[n_left++] = picture->edges[i];
    }
    picture->n_edges = n_left;
    SORT(picture->edges, picture->n_edges, compare_edges);
    for (size_t i = 0; i < picture->n_edges; i += count_same_way(picture, i))
        n_ways++;
    if (end != NULL && n_ways > FEW_EDGES)
        picture->on = copy_string(end + strlen(" on "));
    n_left = 0;
    for (size_t i = 0, n; i < picture->n_edges; i += n) {
        n = count_same_way(picture, i);
        picture->edges[n_left++] = join_edges(&picture->edges[i], n, picture->on != NULL);
    }
    picture->n_edges = n_left;
}

/* What the labels of all edges end with, " on MPI_COMM_WORLD", for free(); NULL: they differ. The edges are not folded. */
static char *common_end(const struct picture *picture)
{
    const char *end = NULL;

    for (size_t i = 0; i < picture->n_edges; i++) {
        const char *its = picture->edges[i].label + picture->edges[i].n_what;

        if (*its == '\0' || (end != NULL && strcmp(its, end) != 0))
            return NULL;
        end = its;
    }
    return end != NULL ? copy_string(end) : NULL;
}

void picture_fold(struct picture *picture)
{
    OWNED char *end = common_end(picture);
    RELEASED_BY(buckets_clear) struct buckets out = find_ends(picture, true), in = find_ends(picture, false);
    OWNED uint32_t *class = find_classes(picture, &out, &in);
    OWNED size_t *place = allocate_array(picture->n_nodes + 1, sizeof *place);

    join_rows(picture, &out, &in, class);
    fold_nodes(picture, class, place);
    for (size_t i = 0; i < picture->n_edges; i++) {
        picture->edges[i].from = place[picture->edges[i].from];
        picture->edges[i].to = place[picture->edges[i].to];
    }
    fold_edges(picture, end);
}
