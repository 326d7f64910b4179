/*
 * stack_tree.h - stacks of all ranks as a prefix tree, outermost frame first.
 */
#ifndef MQD_DUMP_SHOW_STACK_TREE_H
#define MQD_DUMP_SHOW_STACK_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/collect/client/listing.h"
#include "mqd/dump/collect/target/stack/stack.h"

struct stack_node {
    const char *frame;             /* the listing's; the root's: "" */
    size_t parent, first_child, next_sibling;   /* SIZE_MAX: none. First come main threads, then
                                                   those of the most ranks */
    size_t n_threads, n_ranks;     /* that pass through it */
    size_t *ranks;                 /* positions among the listings, ascending, each once; for free() */
    bool odd;                      /* few ranks came here from where most went elsewhere */
};

/* Parents stand before their children. */
struct stack_tree {
    struct stack_node *nodes;      /* nodes[0] is the root */
    size_t n, room;
};

/* A thread's stack, and the position of its listing. */
struct rank_stack {
    const struct named_stack *stack;
    size_t rank;
};

/*
 * Make the tree of all whole stacks that the listings have, and of some stacks. The frames must live as long. Release
 * with stack_tree_clear.
 */
void stack_tree_build(struct stack_tree *tree, const struct listing *const *listings, size_t n);
void stack_tree_build_of(struct stack_tree *tree, const struct rank_stack *stacks, size_t n);
void stack_tree_clear(struct stack_tree *tree);

/* Do all who come to a node go on to one frame? Where a thread ends others may go on. */
bool stack_tree_goes_on(const struct stack_tree *tree, size_t at);

/*
 * The next branch in the order of lines, after a node that has none below it; SIZE_MAX: there is none. *depth counts
 * the branches around it.
 */
size_t stack_tree_next_branch(const struct stack_tree *tree, size_t start, size_t *depth);

#endif
