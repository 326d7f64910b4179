/*
 * stack_tree.c - stacks of all ranks as a prefix tree.
 *
 * Stacks are sorted by their frames: those with a common beginning then follow each other, and the tree is made in one
 * way through them, however many branches a node has.
 */
#include "mqd/dump/show/text/stack_tree.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/collect/target/stack/stack.h"

static const size_t none = SIZE_MAX;

/* A thread that is being put into the tree. */
struct climber {
    const struct named_stack *stack;
    size_t rank;                   /* the position of its listing */
    size_t leaf;                   /* the node of its innermost frame */
};
struct climbers {
    struct climber *all;
    size_t n;
};

/* The frame at a depth, from the outermost one on. */
static const char *frame_at(const struct named_stack *stack, size_t depth)
{
    return stack->frames[stack->n - 1 - depth];
}

/* Frames of one record have the same text only if they are the same pointer, mostly. */
static int compare_frames(const char *a, const char *b)
{
    return a == b ? 0 : strcmp(a, b);
}

static int compare_climbers(const void *a, const void *b)
{
    const struct climber *x = a, *y = b;

    for (size_t i = 0; i < x->stack->n && i < y->stack->n; i++) {
        int order = compare_frames(frame_at(x->stack, i), frame_at(y->stack, i));

        if (order != 0)
            return order;
    }
    return ORDER(x->stack->n, y->stack->n);
}

static int compare_ranks(const void *a, const void *b)
{
    const struct climber *x = a, *y = b;

    return ORDER(x->rank, y->rank);
}

/* A stack without frames could not be read: nothing is known of where it is. */
static struct climbers find_climbers(const struct rank_stack *stacks, size_t n)
{
    struct climbers climbers = {.all = allocate_array(n + 1, sizeof *climbers.all)};

    for (size_t i = 0; i < n; i++)
        if (stacks[i].stack->n > 0)
            climbers.all[climbers.n++] = (struct climber){.stack = stacks[i].stack, .rank = stacks[i].rank};
    return climbers;
}

static void climbers_clear(struct climbers *climbers)
{
    free(climbers->all);
}

/* Nodes. */

static size_t add_node(struct stack_tree *tree, size_t parent, const char *frame)
{
    tree->nodes = grow_array(tree->nodes, tree->n, &tree->room, sizeof *tree->nodes);
    tree->nodes[tree->n] = (struct stack_node){
        .frame = frame, .parent = parent, .first_child = none, .next_sibling = none};
    return tree->n++;
}

/* The node that a stack shares with the one before: as many frames from the leaf of that as are common to both. */
static size_t shared_node(const struct stack_tree *tree, const struct climber *before, const struct climber *climber,
                          size_t *depth)
{
    size_t node, n;

    *depth = 0;
    if (before == NULL)
        return 0;
    n = before->stack->n < climber->stack->n ? before->stack->n : climber->stack->n;
    while (*depth < n && compare_frames(frame_at(before->stack, *depth), frame_at(climber->stack, *depth)) == 0)
        ++*depth;
    node = before->leaf;
    for (size_t i = before->stack->n; i > *depth; i--)
        node = tree->nodes[node].parent;
    return node;
}

static void add_stacks(struct stack_tree *tree, struct climbers *climbers)
{
    for (size_t i = 0; i < climbers->n; i++) {
        struct climber *climber = &climbers->all[i];
        size_t depth, node = shared_node(tree, i > 0 ? climber - 1 : NULL, climber, &depth);

        for (; depth < climber->stack->n; depth++)
            node = add_node(tree, node, frame_at(climber->stack, depth));
        climber->leaf = node;
    }
}

/* Who is where. Ranks come in their order: a rank that is in a list already is its last. */

static void count_climber(struct stack_tree *tree, const struct climber *climber, size_t *last)
{
    for (size_t node = climber->leaf; node != none; node = tree->nodes[node].parent) {
        tree->nodes[node].n_threads++;
        tree->nodes[node].n_ranks += last[node] != climber->rank;
        last[node] = climber->rank;
    }
}

static void note_climber(struct stack_tree *tree, const struct climber *climber)
{
    for (size_t at = climber->leaf; at != none; at = tree->nodes[at].parent) {
        struct stack_node *node = &tree->nodes[at];

        if (node->n_ranks > 0 && node->ranks[node->n_ranks - 1] == climber->rank)
            continue;
        node->ranks[node->n_ranks++] = climber->rank;
    }
}

static void count_ranks(struct stack_tree *tree, struct climbers *climbers)
{
    OWNED size_t *last = allocate_array(tree->n, sizeof *last);

    SORT(climbers->all, climbers->n, compare_ranks);
    for (size_t i = 0; i < tree->n; i++)
        last[i] = none;
    for (size_t i = 0; i < climbers->n; i++)
        count_climber(tree, &climbers->all[i], last);
    for (size_t i = 0; i < tree->n; i++) {
        tree->nodes[i].ranks = allocate_array(tree->nodes[i].n_ranks + 1, sizeof *tree->nodes[i].ranks);
        tree->nodes[i].n_ranks = 0;
    }
    for (size_t i = 0; i < climbers->n; i++)
        note_climber(tree, &climbers->all[i]);
}

/* Branches. */

struct branch {
    const struct stack_tree *tree;
    size_t node;
    bool is_main;                  /* main threads are there: other threads mostly help */
};

/* The children of one node follow each other: those with main threads first, those with the most ranks, the lowest. */
static int compare_branches(const void *a, const void *b)
{
    const struct branch *p = a, *q = b;
    const struct stack_node *x = &p->tree->nodes[p->node], *y = &q->tree->nodes[q->node];

    return ORDER(x->parent, y->parent) ?: q->is_main - p->is_main ?: ORDER(y->n_ranks, x->n_ranks) ?:
           ORDER(x->ranks[0], y->ranks[0]) ?: ORDER(p->node, q->node);
}

static bool *find_main_threads(const struct stack_tree *tree, const struct climbers *climbers)
{
    bool *is_main = allocate_array(tree->n, sizeof *is_main);

    for (size_t i = 0; i < climbers->n; i++)
        for (size_t node = climbers->all[i].leaf; climbers->all[i].stack->is_main && node != none && !is_main[node];
             node = tree->nodes[node].parent)
            is_main[node] = true;
    return is_main;
}

static void link_children(struct stack_tree *tree, const struct climbers *climbers)
{
    OWNED struct branch *branches = allocate_array(tree->n, sizeof *branches);
    OWNED bool *is_main = find_main_threads(tree, climbers);

    for (size_t i = 1; i < tree->n; i++)
        branches[i - 1] = (struct branch){tree, i, is_main[i]};
    SORT(branches, tree->n - 1, compare_branches);
    for (size_t i = 0; i + 1 < tree->n; i++) {
        struct stack_node *node = &tree->nodes[branches[i].node];

        if (i == 0 || tree->nodes[branches[i - 1].node].parent != node->parent)
            tree->nodes[node->parent].first_child = branches[i].node;
        else
            tree->nodes[branches[i - 1].node].next_sibling = branches[i].node;
    }
}

/* Odd ones. */

static bool is_mpi(const char *frame)
{
    return strncmp(frame, "MPI_", 4) == 0 || strncmp(frame, "PMPI_", 5) == 0;
}

/*
 * At most a quarter of the ranks, while one other branch has more than half of them. Where in MPI ranks look for
 * messages just now is chance.
 */
static void find_odd_ones(struct stack_tree *tree)
{
    OWNED bool *in_mpi = allocate_array(tree->n, sizeof *in_mpi);
    OWNED size_t *most = allocate_array(tree->n, sizeof *most);

    for (size_t i = 1; i < tree->n; i++)
        if (tree->nodes[i].n_ranks > most[tree->nodes[i].parent])
            most[tree->nodes[i].parent] = tree->nodes[i].n_ranks;
    for (size_t i = 1; i < tree->n; i++) {
        struct stack_node *node = &tree->nodes[i];
        const struct stack_node *parent = &tree->nodes[node->parent];

        in_mpi[i] = in_mpi[node->parent] || is_mpi(parent->frame);
        node->odd = !in_mpi[i] && node->n_ranks <= parent->n_ranks / 4 &&
                    most[node->parent] > parent->n_ranks / 2;
    }
}

void stack_tree_build_of(struct stack_tree *tree, const struct rank_stack *stacks, size_t n)
{
    RELEASED_BY(climbers_clear) struct climbers climbers = find_climbers(stacks, n);

    *tree = (struct stack_tree){0};
    add_node(tree, none, "");
    SORT(climbers.all, climbers.n, compare_climbers);
    add_stacks(tree, &climbers);
    count_ranks(tree, &climbers);
    link_children(tree, &climbers);
    find_odd_ones(tree);
}

void stack_tree_build(struct stack_tree *tree, const struct listing *const *listings, size_t n)
{
    OWNED struct rank_stack *stacks = NULL;
    size_t n_stacks = 0, room = 0;

    for (size_t i = 0; i < n; i++) {
        const struct calls *calls = listings[i]->calls;

        for (size_t k = 0; calls != NULL && k < calls->n_stacks; k++) {
            APPEND(stacks, n_stacks, room, (struct rank_stack){&calls->stacks[k], i});
        }
    }
    stack_tree_build_of(tree, stacks, n_stacks);
}

void stack_tree_clear(struct stack_tree *tree)
{
    for (size_t i = 0; i < tree->n; i++)
        free(tree->nodes[i].ranks);
    free(tree->nodes);
    *tree = (struct stack_tree){0};
}

bool stack_tree_goes_on(const struct stack_tree *tree, size_t at)
{
    const struct stack_node *node = &tree->nodes[at];

    return node->first_child != SIZE_MAX && tree->nodes[node->first_child].next_sibling == SIZE_MAX &&
           tree->nodes[node->first_child].n_threads == node->n_threads;
}

size_t stack_tree_next_branch(const struct stack_tree *tree, size_t start, size_t *depth)
{
    for (size_t at = start; at != 0; at = tree->nodes[at].parent) {
        if (stack_tree_goes_on(tree, tree->nodes[at].parent))
            continue;
        if (tree->nodes[at].next_sibling != SIZE_MAX)
            return tree->nodes[at].next_sibling;
        --*depth;
    }
    return SIZE_MAX;
}
