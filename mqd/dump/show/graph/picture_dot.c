/*
 * picture_dot.c - who waits for whom, for Graphviz.
 */
#include "mqd/dump/show/graph/picture_dot.h"

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/ranges.h"

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

static void print_node(FILE *to, size_t i, const struct picture_node *node, bool jobs)
{
    static const char *const fills[N_PICTURE_STATES] = {
        [PICTURE_STUCK] = "#fde4e1", [PICTURE_WAITS] = "#fff6d6", [PICTURE_BUSY] = "#e3f1e1",
        [PICTURE_GONE] = "#d9d9d9", [PICTURE_UNKNOWN] = "#f2f2f2", [PICTURE_NOT_READ] = "#ffffff",
        [PICTURE_ANYBODY] = "#ffffff"};
    OWNED char *who = ranks_shorten(node->who, MAX_LIST);

    fprintf(to, "    n%zu [label=\"", i);
    print_escaped(to, who);
    if (node->hosts != NULL && *node->hosts != '\0') {
        fputs("\\n", to);
        print_escaped(to, node->hosts);
    }
    if (*node->what != '\0') {
        fputs("\\n", to);
        print_escaped(to, node->what);
    }
    if (jobs && *node->job != '\0') {
        fputs("\\n", to);
        print_escaped(to, node->job);
    }
    fprintf(to, "\", fillcolor=\"%s\"", fills[node->state]);
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
    bool jobs = picture_has_several_jobs(picture);

    fputs("digraph waits {\n    charset=\"UTF-8\";\n    node [shape=box, style=filled, fontname=\"sans-serif\"];\n"
          "    edge [fontname=\"sans-serif\", fontsize=10, color=\"#555555\"];\n", to);
    if (picture->on != NULL) {
        fputs("    label=\"All waits are on ", to);
        print_escaped(to, picture->on);
        fputs("\";\n", to);
    }
    for (size_t i = 0; i < picture->n_nodes; i++)
        print_node(to, i, &picture->nodes[i], jobs);
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
