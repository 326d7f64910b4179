/*
 * stack_text.c - the stacks of all ranks for people.
 *
 * Frames that follow each other without a branch stand below each other, in one column: only where ranks part the lines
 * begin further to the right. So deep stacks fit a terminal.
 */
#include "mqd/dump/show/text/stack_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/base/text_stream.h"
#include "mqd/dump/collect/target/stack/stack.h"
#include "mqd/dump/show/text/paragraph.h"
#include "mqd/dump/show/text/stack_tree.h"

/* Deeper branches begin no further to the right: what is said needs room. */
enum { INDENT = 2, MAX_INDENT = 40 };

struct printing {
    FILE *to;
    const struct stack_tree *tree;
    const struct listing *const *listings;
    bool jobs;                     /* there are several: each is named */
};

/* Who. */

static bool is_same_job(const struct listing *a, const struct listing *b)
{
    if (a->job == NULL || b->job == NULL)
        return a->job == b->job;
    return strcmp(a->job, b->job) == 0 && a->user == b->user;
}

/* Ranks of one job, from one position among a node's ranks on. Returns the first that is none of them. */
static size_t say_ranks_of_job(FILE *to, const struct printing *printing, const struct stack_node *node, size_t first)
{
    const struct listing *listing = printing->listings[node->ranks[first]];
    size_t end = first;
    OWNED char *phrase = NULL;
    OWNED long *ranks = NULL;

    while (end < node->n_ranks && printing->listings[node->ranks[end]]->rank >= 0 &&
           is_same_job(printing->listings[node->ranks[end]], listing))
        end++;
    ranks = allocate_array(end - first, sizeof *ranks);
    for (size_t i = first; i < end; i++)
        ranks[i - first] = printing->listings[node->ranks[i]]->rank;
    phrase = ranks_phrase(ranks, ranks_sort(ranks, end - first), "", "");
    fputs(phrase, to);
    if (printing->jobs && listing->job != NULL)
        fprintf(to, " of job %s", listing->job);
    return end;
}

/* "ranks 0-3,7", "process 4711". Listings are in the order of their jobs and ranks. */
static char *say_who(const struct printing *printing, const struct stack_node *node)
{
    struct text_stream stream;

    text_stream_open(&stream);
    for (size_t i = 0; i < node->n_ranks;) {
        const struct listing *listing = printing->listings[node->ranks[i]];

        fputs(i > 0 ? ", " : "", stream.to);
        if (listing->rank >= 0) {
            i = say_ranks_of_job(stream.to, printing, node, i);
            continue;
        }
        fprintf(stream.to, "process %d", (int)listing->pid);
        i++;
    }
    return text_stream_close(&stream);
}

/* "ranks 0-3, 8 threads:", "rank 3 (odd):". */
static void print_who(const struct printing *printing, const struct stack_node *node, size_t indent)
{
    OWNED char *who = say_who(printing, node);
    const char *odd = node->odd ? " (odd)" : "";

    if (node->odd)
        terminal_style(printing->to, STYLE_DOUBT);
    if (node->n_threads == node->n_ranks)
        print_format(printing->to, indent, indent + 2 * INDENT, "%s%s:", who, odd);
    else
        print_format(printing->to, indent, indent + 2 * INDENT, "%s, %s threads%s:", who, NUMBER(node->n_threads), odd);
    if (node->odd)
        terminal_style(printing->to, STYLE_PLAIN);
}

/* Where. */

/* Prints the frames up to the next branch. Returns the last one. */
static size_t print_frames(const struct printing *printing, size_t at, size_t indent)
{
    const struct stack_node *nodes = printing->tree->nodes;

    for (;;) {
        print_paragraph(printing->to, indent, indent + 2 * INDENT, nodes[at].frame);
        if (!stack_tree_goes_on(printing->tree, at))
            return at;
        at = nodes[at].first_child;
    }
}

static void print_tree(const struct printing *printing)
{
    const struct stack_tree *tree = printing->tree;
    size_t at = tree->nodes[0].first_child, depth = 1;

    while (at != SIZE_MAX) {
        size_t indent = depth * INDENT < MAX_INDENT ? depth * INDENT : MAX_INDENT, last;

        print_who(printing, &tree->nodes[at], indent);
        last = print_frames(printing, at, indent + INDENT);
        if (tree->nodes[last].first_child != SIZE_MAX) {
            at = tree->nodes[last].first_child;
            depth++;
        } else {
            at = stack_tree_next_branch(tree, last, &depth);
        }
    }
}

/* Threads whose stacks do not show where they are, or only their inner part. */
char *stacks_say_doubt(const struct listing *const *listings, size_t n)
{
    size_t n_unknown = 0, n_cut = 0;
    OWNED char *unknown = NULL, *cut = NULL;

    for (size_t i = 0; i < n; i++) {
        const struct calls *calls = listings[i]->calls;

        for (size_t k = 0; calls != NULL && k < calls->n_stacks; k++) {
            n_unknown += calls->stacks[k].n == 0;
            n_cut += calls->stacks[k].n > 0 && !calls->stacks[k].ended;
        }
    }
    if (n_unknown == 0 && n_cut == 0)
        return NULL;
    cut = format_text("Not to the end: the stack%s of %s thread%s.", n_cut == 1 ? "" : "s", NUMBER(n_cut),
                      n_cut == 1 ? "" : "s");
    unknown = format_text("Not known at all: the stack%s of %s thread%s.", n_unknown == 1 ? "" : "s", NUMBER(n_unknown),
                          n_unknown == 1 ? "" : "s");
    return format_text("%s%s%s", n_cut > 0 ? cut : "", n_cut > 0 && n_unknown > 0 ? " " : "",
                       n_unknown > 0 ? unknown : "");
}

static void print_doubt(FILE *to, const struct listing *const *listings, size_t n)
{
    OWNED char *text = stacks_say_doubt(listings, n);

    if (text != NULL)
        print_paragraph(to, 2, 4, text);
}

void stacks_print(FILE *to, const struct listing *const *listings, size_t n)
{
    struct stack_tree tree;
    const struct printing printing = {
        .to = to, .tree = &tree, .listings = listings, .jobs = listings_have_several_jobs(listings, n)};

    stack_tree_build(&tree, listings, n);
    putc('\n', to);
    print_styled(to, STYLE_HEADING, "Stacks");
    if (tree.n == 1)
        print_paragraph(to, 2, 4, "No stack is known.");
    print_tree(&printing);
    print_doubt(to, listings, n);
    stack_tree_clear(&tree);
}
