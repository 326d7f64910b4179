/*
 * page_stacks.c - the stacks of all ranks as a tree, in a page.
 */
#include "mqd/dump/show/page/page_stacks.h"

#include <stdbool.h>
#include <stdint.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/show/page/html_text.h"
#include "mqd/dump/show/page/page_choice.h"
#include "mqd/dump/show/text/border_stacks.h"
#include "mqd/dump/show/text/stack_text.h"
#include "mqd/dump/show/text/stack_tree.h"

/* More branches are not read; and browsers do not nest lists deeper than some hundred times. */
enum { MAX_BRANCHES = 2000, MAX_DEPTH = 60 };

/* Positions in the tree are rows. */
static void print_who(FILE *to, const struct page_rows *rows, const struct stack_node *node)
{
    page_choice_print(to, rows, node->ranks, node->n_ranks);
    if (node->n_threads != node->n_ranks)
        fprintf(to, " %s threads", NUMBER(node->n_threads));
    fputs(node->odd ? " <b class=odd>odd</b>\n" : "\n", to);
}

/* Prints the frames up to the next branch. Returns the last one. */
static size_t print_frames(FILE *to, const struct stack_tree *tree, size_t at)
{
    fputs("<ol class=frames>", to);
    for (;; at = tree->nodes[at].first_child) {
        fputs("<li>", to);
        html_text(to, tree->nodes[at].frame);
        if (!stack_tree_goes_on(tree, at))
            break;
    }
    fputs("</ol>\n", to);
    return at;
}

/* The lists nest as the branches do; `open` counts those that are open. */
static void print_tree(FILE *to, const struct page_rows *rows, const struct stack_tree *tree)
{
    size_t at = tree->nodes[0].first_child, depth = 1, open = 1, n = 0, last;

    fputs("<ul class=tree>\n", to);
    while (at != SIZE_MAX && n++ < MAX_BRANCHES) {
        fputs("<li>", to);
        print_who(to, rows, &tree->nodes[at]);
        last = print_frames(to, tree, at);
        if (tree->nodes[last].first_child != SIZE_MAX) {
            at = tree->nodes[last].first_child;
            depth++;
        } else {
            at = stack_tree_next_branch(tree, last, &depth);
        }
        for (; open < depth && open < MAX_DEPTH; open++)
            fputs("<ul>\n", to);
        for (; open > depth; open--)
            fputs("</ul>\n", to);
    }
    for (; open > 0; open--)
        fputs("</ul>\n", to);
    if (at != SIZE_MAX)
        fputs("<p>More branches are not on this page: mqdump --stacks has all.</p>\n", to);
}

/* The ranks of which no thread is in either tree: they were not read, or their stacks cannot be told. */
static void print_absent(FILE *to, const struct page_rows *rows, const struct stack_tree *whole,
                         const struct stack_tree *borders)
{
    size_t n = 0, k = 0, l = 0;
    OWNED size_t *absent = allocate_array(rows->n + 1, sizeof *absent);

    for (size_t row = 0; row < rows->n; row++) {
        while (k < whole->nodes[0].n_ranks && whole->nodes[0].ranks[k] < row)
            k++;
        while (l < borders->nodes[0].n_ranks && borders->nodes[0].ranks[l] < row)
            l++;
        if ((k == whole->nodes[0].n_ranks || whole->nodes[0].ranks[k] != row) &&
            (l == borders->nodes[0].n_ranks || borders->nodes[0].ranks[l] != row))
            absent[n++] = row;
    }
    if (n > 0) {
        fputs("<p>No stack is known of ", to);
        page_choice_print(to, rows, absent, n);
        fputs(".</p>\n", to);
    }
}

static void print_trees(FILE *to, const struct page_rows *rows, const struct stack_tree *whole,
                        const struct stack_tree *borders)
{
    bool has_whole = whole->nodes[0].n_ranks > 0, has_borders = borders->nodes[0].n_ranks > 0;

    if (has_whole || has_borders)
        fputs("<p class=hint>The outermost function of all threads comes first; where ranks part, the tree has a "
              "branch. <b>Odd</b>: few ranks went there, and most went elsewhere.</p>\n", to);
    if (has_whole)
        print_tree(to, rows, whole);
    if (has_borders) {
        fputs("<p>Of ", to);
        page_choice_print(to, rows, borders->nodes[0].ranks, borders->nodes[0].n_ranks);
        fputs(" only the function of MPI is known and, on the way there, the places at borders of libraries, four at "
              "most. A record has whole stacks if --stacks or --html was given with --save.</p>\n", to);
        print_tree(to, rows, borders);
    }
}

void page_stacks_print(FILE *to, const struct page_rows *rows)
{
    OWNED const struct listing **listings = allocate_array(rows->n + 1, sizeof *listings);
    struct stack_tree whole, borders;
    struct border_stacks stacks;
    OWNED char *doubt = NULL;

    for (size_t i = 0; i < rows->n; i++)
        listings[i] = rows->witnesses[i]->listing;
    stack_tree_build(&whole, listings, rows->n);
    border_stacks_find(&stacks, listings, rows->n);
    stack_tree_build_of(&borders, stacks.stacks, stacks.n);
    doubt = stacks_say_doubt(listings, rows->n);
    fputs("<section id=stacks aria-labelledby=stacks-title>\n<h2 id=stacks-title>Stacks</h2>\n", to);
    print_trees(to, rows, &whole, &borders);
    if (rows->n == 0)
        fputs("<p>No stack is known.</p>\n", to);
    if (doubt != NULL)
        fprintf(to, "<p>%s</p>\n", doubt);
    print_absent(to, rows, &whole, &borders);
    fputs("</section>\n", to);
    stack_tree_clear(&borders);
    border_stacks_clear(&stacks);
    stack_tree_clear(&whole);
}
