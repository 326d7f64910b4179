/*
 * page_stacks.c - the stacks of all ranks as a tree, in a page.
 */
#include "mqd/dump/show/page/page_stacks.h"

#include <stdbool.h>
#include <string.h>

#include "mqd/dump/base/hash.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/collect/target/stack/stack.h"
#include "mqd/dump/show/graph/xml_text.h"
#include "mqd/dump/show/page/page_rows.h"
#include "mqd/dump/show/say/thread_list.h"
#include "mqd/dump/show/text/openmp_text.h"
#include "mqd/dump/show/text/stack_text.h"

/*
 * Stacks that have only what is known without whole ones: the MPI function that a thread is in, and the places on the
 * way there at borders of libraries.
 */

/* The function, the one around it with what it calls back, the wrapper, and the places. */
enum { MAX_FRAMES = 4 + MAX_CHAIN };

struct border_stack {
    struct named_stack stack;
    const char *frames[MAX_FRAMES];        /* those of `stack`; the texts are the listing's */
};

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

/* Makes the tree of those of listings that have no whole ones. Returns them. Where a call is not known there is none. */
static struct border_stack *build_border_tree(struct stack_tree *tree, const struct listing *const *listings, size_t n)
{
    OWNED struct rank_stack *stacks = NULL;
    struct border_stack *borders;
    size_t room = 0, n_stacks = 0;

    for (size_t i = 0; i < n; i++)
        room += count_calls(listings[i]);
    borders = allocate_array(room + 1, sizeof *borders);
    stacks = allocate_array(room + 1, sizeof *stacks);
    for (size_t i = 0; i < n; i++) {
        size_t n_calls = count_calls(listings[i]);

        for (size_t k = 0; k < n_calls; k++) {
            const struct call *call = &listings[i]->calls->calls[k];
            struct border_stack *border = &borders[n_stacks];

            border->stack = (struct named_stack){.thread = call->thread, .is_main = call->is_main,
                                                 .frames = border->frames};
            if (make(&border->stack, call))
                stacks[n_stacks++] = (struct rank_stack){&border->stack, i};
        }
    }
    stack_tree_build_of(tree, stacks, n_stacks);
    return borders;
}

/* More branches are not read; and browsers do not nest lists deeper than some hundred times. */
enum { MAX_BRANCHES = 2000, MAX_DEPTH = 60 };

/* What trees are printed with. Positions in them are rows. */
struct printing {
    FILE *to;
    const struct page_rows *rows;
    struct thread_index *indexes;          /* of the rows */
};

static void print_branch(const struct printing *printing, const struct stack_branch *branch)
{
    FILE *to = printing->to;
    OWNED char *threads = stack_branch_say_threads(branch, printing->indexes);

    fputs("<li>", to);
    page_choice_print(to, printing->rows, branch->ranks, branch->n_ranks);
    if (threads != NULL)
        html_element(to, " ", threads, "");
    fputs(branch->odd ? " <b class=odd>odd</b>\n<ol class=frames>" : "\n<ol class=frames>", to);
    for (size_t i = branch->first; i < branch->end; i++)
        html_element(to, "<li>", stack_branch_frame(branch, i), "");
    fputs("</ol>\n", to);
}

/* The lists nest as the branches do; `open` counts those that are open. */
static void print_tree(const struct printing *printing, const struct stack_tree *tree)
{
    FILE *to = printing->to;
    size_t open = 1;

    fputs("<ul class=tree>\n", to);
    for (size_t i = 1; i < tree->n && i <= MAX_BRANCHES; i++) {
        for (; open < tree->branches[i].level && open < MAX_DEPTH; open++)
            fputs("<ul>\n", to);
        for (; open > tree->branches[i].level; open--)
            fputs("</ul>\n", to);
        print_branch(printing, &tree->branches[i]);
    }
    for (; open > 0; open--)
        fputs("</ul>\n", to);
    if (tree->n > MAX_BRANCHES + 1)
        fputs("<p>More branches are not on this page: mqdump --stacks has all.</p>\n", to);
}

/* The ranks of which no thread is in either tree: they were not read, or their stacks cannot be told. */
static void print_absent(const struct printing *printing, const struct stack_branch *whole,
                         const struct stack_branch *borders)
{
    const struct page_rows *rows = printing->rows;
    FILE *to = printing->to;
    OWNED bool *is_known = allocate_array(rows->n + 1, sizeof *is_known);
    OWNED size_t *absent = allocate_array(rows->n + 1, sizeof *absent);
    size_t n = 0;

    for (size_t i = 0; i < whole->n_ranks; i++)
        is_known[whole->ranks[i]] = true;
    for (size_t i = 0; i < borders->n_ranks; i++)
        is_known[borders->ranks[i]] = true;
    for (size_t row = 0; row < rows->n; row++)
        if (!is_known[row])
            absent[n++] = row;
    if (n > 0) {
        fputs("<p>No stack is known of ", to);
        page_choice_print(to, rows, absent, n);
        fputs(".</p>\n", to);
    }
}

static void print_trees(const struct printing *printing, const struct stack_tree *whole,
                        const struct stack_tree *borders)
{
    FILE *to = printing->to;
    bool has_whole = whole->n > 1, has_borders = borders->n > 1;

    if (has_whole || has_borders)
        fputs("<p class=hint>The outermost function of all threads comes first; where ranks part, the tree has a "
              "branch. <b>Odd</b>: few ranks went there, and most went elsewhere.</p>\n", to);
    if (has_whole)
        print_tree(printing, whole);
    if (has_borders) {
        fputs("<p>Of ", to);
        page_choice_print(to, printing->rows, borders->branches->ranks, borders->branches->n_ranks);
        fputs(" only the function of MPI is known and, on the way there, the places at borders of libraries, four at "
              "most. A record has whole stacks if --stacks or --html was given with --save.</p>\n", to);
        print_tree(printing, borders);
    }
}

/* A line for each; the members of a team are inside of it. */
static void print_openmp_lines(FILE *to, char *text)
{
    OWNED char *lines = text;
    char *rest = lines;

    fputs("\n<ol class=frames>", to);
    for (char *line; (line = strsep(&rest, "\n")) != NULL;)
        if (*line != '\0')
            html_element(to, strspn(line, " ") > 1 ? "<li class=inner>" : "<li>", line + strspn(line, " "), "");
    fputs("</ol>\n", to);
}

/* Ranks whose threads do the same are told once. */
static void print_openmp(const struct printing *printing)
{
    RELEASED_BY(text_groups_clear) struct text_groups groups = openmp_group(printing->indexes, printing->rows->n);

    if (groups.n > 0)
        fputs("<h3>Threads</h3>\n<ul class=tree>\n", printing->to);
    for (size_t i = 0; i < groups.n && i < MAX_BRANCHES; i++) {
        const struct text_group *group = &groups.groups[i];

        fputs("<li>", printing->to);
        page_choice_print(printing->to, printing->rows, group->members, group->n);
        print_openmp_lines(printing->to, openmp_group_lines(printing->indexes, group));
    }
    if (groups.n > 0)
        fputs("</ul>\n", printing->to);
    if (groups.n > MAX_BRANCHES)
        fputs("<p>More are not on this page: mqdump --stacks has all.</p>\n", printing->to);
}

void page_stacks_print(FILE *to, const struct page_rows *rows)
{
    OWNED const struct listing **listings = allocate_array(rows->n + 1, sizeof *listings);
    RELEASED_BY(stack_tree_clear) struct stack_tree whole = {0}, borders = {0};
    OWNED struct border_stack *border_stacks = NULL;
    struct printing printing = {.to = to, .rows = rows};
    OWNED char *doubt = NULL;

    for (size_t i = 0; i < rows->n; i++)
        listings[i] = rows->witnesses[i]->listing;
    printing.indexes = thread_indexes_make(listings, rows->n);
    stack_tree_build(&whole, listings, rows->n);
    border_stacks = build_border_tree(&borders, listings, rows->n);
    doubt = stacks_say_doubt(listings, rows->n);
    fputs("<section id=stacks aria-labelledby=stacks-title>\n<h2 id=stacks-title>Stacks</h2>\n", to);
    print_trees(&printing, &whole, &borders);
    if (rows->n == 0)
        fputs("<p>No stack is known.</p>\n", to);
    if (doubt != NULL)
        fprintf(to, "<p>%s</p>\n", doubt);
    print_absent(&printing, whole.branches, borders.branches);
    print_openmp(&printing);
    fputs("</section>\n", to);
    thread_indexes_free(printing.indexes, rows->n);
}
