/*
 * border_stacks.c - stacks of which only the borders of libraries are known.
 */
#include "mqd/dump/show/text/border_stacks.h"

#include <stdbool.h>
#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/collect/target/stack/stack.h"

/* The function, the one around it with what it calls back, the wrapper, and the places. */
enum { MAX_FRAMES = 4 + MAX_CHAIN };

bool has_whole_stack(const struct listing *listing)
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
    add(stack, call->through);
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
    add(stack, call->through);
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

void border_stacks_find(struct border_stacks *found, const struct listing *const *listings, size_t n)
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

void border_stacks_clear(struct border_stacks *found)
{
    free(found->stacks);
    free(found->named);
    free(found->frames);
    *found = (struct border_stacks){0};
}
