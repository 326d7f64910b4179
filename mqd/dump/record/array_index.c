/*
 * array_index.c - arrays of shared.h that were given a number.
 */
#include "mqd/dump/record/array_index.h"

#include <stdio.h>
#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/shared.h"

struct key {
    char text[48];
};

static struct key key_of(const void *array, size_t n)
{
    struct key key;

    snprintf(key.text, sizeof key.text, "%p %zu", array, n);
    return key;
}

bool array_index_find(const struct array_index *index, const void *array, size_t n, size_t *number)
{
    struct key key = key_of(array, n);
    uint32_t found;

    if (!name_index_find(&index->index, key.text, &found))
        return false;
    *number = found;
    return true;
}

void array_index_add(struct array_index *index, void *array, size_t n, size_t number)
{
    struct key key = key_of(array, n);
    char *text = copy_string(key.text);

    index->all = grow_array(index->all, index->n, &index->room, sizeof *index->all);
    index->all[index->n++] = (struct numbered_array){.key = text, .array = shared_use(array)};
    name_index_add(&index->index, text, (uint32_t)number);
}

void array_index_clear(struct array_index *index)
{
    for (size_t i = 0; i < index->n; i++) {
        free(index->all[i].key);
        shared_release(index->all[i].array);
    }
    free(index->all);
    name_index_clear(&index->index);
    *index = (struct array_index){0};
}
