/*
 * json_memory.c - memory of jansson.
 */
#include "mqd/dump/record/json_memory.h"

#include <jansson.h>
#include <stdlib.h>

#include "mqd/dump/base/memory.h"

static void *allocate(size_t size)
{
    void *memory = malloc(size);

    if (memory == NULL)
        out_of_memory();
    return memory;
}

void json_memory_set(void)
{
    json_set_alloc_funcs(allocate, free);
}
