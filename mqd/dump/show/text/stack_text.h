/*
 * stack_text.h - the stacks of all ranks as a tree that shows where they part, outermost frame first, and for people.
 */
#ifndef MQD_DUMP_SHOW_STACK_TEXT_H
#define MQD_DUMP_SHOW_STACK_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "mqd/dump/collect/client/listing.h"
#include "mqd/dump/collect/target/stack/stack.h"
#include "mqd/dump/show/say/thread_list.h"

/* A thread's stack, and the position of its listing. */
struct rank_stack {
    const struct named_stack *stack;
    size_t rank;
};

/* Frames that the same threads pass one after the other, up to where they part or one of them ends. */
struct stack_branch {
    size_t level;                  /* how many branches lead to it */
    size_t first, end;             /* its frames, by depth */
    const struct rank_stack *stacks;       /* of the threads that pass through it; all have these frames */
    size_t n_threads, n_ranks;
    size_t *ranks;                 /* positions among the listings, ascending, each once; for free() */
    bool is_main;                  /* a main thread is among them */
    bool odd;                      /* few ranks came here from where most went elsewhere */
};

/*
 * Branches in the order of lines: each comes before those that it parts into, of which main threads come first, then
 * those of the most ranks. branches[0] has all threads, and no frames.
 */
struct stack_tree {
    struct rank_stack *stacks;     /* sorted by their frames */
    struct stack_branch *branches;
    size_t n, room;
};

/*
 * Make the tree of all whole stacks that the listings have, and of some stacks. The frames must live as long. Release
 * with stack_tree_clear.
 */
void stack_tree_build(struct stack_tree *tree, const struct listing *const *listings, size_t n);
void stack_tree_build_of(struct stack_tree *tree, const struct rank_stack *stacks, size_t n);
void stack_tree_clear(struct stack_tree *tree);

/* The frame of a branch at a depth from `first` to `end`. */
const char *stack_branch_frame(const struct stack_branch *branch, size_t depth);

/*
 * Which threads pass through it: "threads 1-7 of 8", "8 threads", for free(). The indexes are of the listings. NULL:
 * one of each rank, of which no more is known.
 */
char *stack_branch_say_threads(const struct stack_branch *branch, const struct thread_index *indexes);

/* Prints the stacks that the listings have, under a heading. */
void stacks_print(FILE *to, const struct listing *const *listings, size_t n);

/* Which of their stacks are not known, or not to the end, for free(); NULL: all are. */
char *stacks_say_doubt(const struct listing *const *listings, size_t n);

#endif
