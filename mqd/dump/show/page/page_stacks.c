/*
 * page_stacks.c - the stacks of all ranks as a tree, in a page.
 */
#include "mqd/dump/show/page/page_stacks.h"

#include <stdbool.h>
#include <stdint.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/collect/target/stack/stack.h"
#include "mqd/dump/show/graph/xml_text.h"
#include "mqd/dump/show/page/page_rows.h"
#include "mqd/dump/show/text/stack_text.h"
#include "mqd/dump/show/text/stack_tree.h"

/*
 * Stacks that have only what is known without whole ones: the MPI function that a thread is in, and the places on the
 * way there at borders of libraries.
 */

struct border_stacks {
    struct rank_stack *stacks;
    size_t n;
    struct named_stack *named;     /* those that `stacks` refers to */
    const char **frames;           /* of all of them; the texts are the listings' */
};

/* The function, the one around it with what it calls back, the wrapper, and the places. */
enum { MAX_FRAMES = 4 + MAX_CHAIN };

/* Is a whole stack of the process known? */
static bool has_whole_stack(const struct listing *listing)
{
    for (size_t i = 0; listing->calls != NULL && i < listing->calls->n_stacks; i++)
        if (listing->calls->stacks[i].n > 0)
            return true;
    return false;
}

static void add(struct named_stack *stack, const char *frame)
{
    if (frame != NULL)
        stack->frames[stack->n++] = frame;
}

/* The innermost first. */
static void add_mpi(struct named_stack *stack, const struct call *call)
{
    add(stack, call_shown(call));
    if (call->outer != NULL && call->called_back)
        add(stack, "a callback");
    add(stack, call->outer);
    add(stack, call->wrapper);
    for (size_t i = 0; i < call->n_chain; i++)
        add(stack, call->chain[i]);
    if (call->n_chain == 0)
        add(stack, call->place);
}

/* Ranks that compute are rarely at the same instruction: of the program only the function is told, as ever. */
static void add_outside(struct named_stack *stack, const struct call *call)
{
    add(stack, "outside of MPI");
    add(stack, call->function != NULL ? call->function : call->place);
    add(stack, call->wrapper);
}

/* Returns whether anything is known of the call. */
static bool make(struct named_stack *stack, const struct call *call)
{
    if (call->state == CALL_MPI)
        add_mpi(stack, call);
    else if (call->state == CALL_OUTSIDE)
        add_outside(stack, call);
    return stack->n > 0;
}

static size_t count_calls(const struct listing *listing)
{
    return listing->calls == NULL || has_whole_stack(listing) ? 0 : listing->calls->n;
}

/* Those of listings that have no whole ones. Where a call is not known there is none. */
static void border_stacks_find(struct border_stacks *found, const struct listing *const *listings, size_t n)
{
    size_t room = 0;

    for (size_t i = 0; i < n; i++)
        room += count_calls(listings[i]);
    *found = (struct border_stacks){.stacks = allocate_array(room + 1, sizeof *found->stacks),
                                    .named = allocate_array(room + 1, sizeof *found->named),
                                    .frames = allocate_array(room + 1, MAX_FRAMES * sizeof *found->frames)};
    for (size_t i = 0; i < n; i++) {
        size_t n_calls = count_calls(listings[i]);

        for (size_t k = 0; k < n_calls; k++) {
            const struct call *call = &listings[i]->calls->calls[k];
            struct named_stack *stack = &found->named[found->n];

            *stack = (struct named_stack){.thread = call->thread, .is_main = call->is_main,
                                          .frames = &found->frames[found->n * MAX_FRAMES]};
            if (make(stack, call))
                found->stacks[found->n++] = (struct rank_stack){stack, i};
        }
    }
}

static void border_stacks_clear(struct border_stacks *found)
{
    FREE_ALL(found->stacks, found->named, found->frames);
    *found = (struct border_stacks){0};
}

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
        html_element(to, "<li>", tree->nodes[at].frame, "");
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
