/*
 * wish.c - what is wished for.
 */
#include "mqd/dump/look/wish.h"

struct record_content wish_content(const struct wish *wish, bool why)
{
    return (struct record_content){.why = why, .internal = why || wish->internal, .layout = wish->layout,
                                   .queues = wish->queues, .stacks = why && wish->stacks};
}
