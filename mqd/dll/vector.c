/* vector.c - growing arrays and sorting. */
#include "mqd/dll/vector.h"

#include <string.h>

#include "mqd/dll/banned.h"

static bool grow(struct mqd_vector *vector)
{
    size_t n_room = vector->n_room > 0 ? vector->n_room * 2 : 16;
    unsigned char *items;

    if (n_room > SIZE_MAX / vector->item_size)
        return false;
    items = dbgr_alloc(n_room * vector->item_size);
    if (items == NULL)
        return false;
    if (vector->n_items > 0)
        memcpy(items, vector->items, vector->n_items * vector->item_size);
    dbgr_release(vector->items);
    vector->items = items;
    vector->n_room = n_room;
    return true;
}

void *mqd_vector_append(struct mqd_vector *vector)
{
    unsigned char *item;

    if (vector->n_items == vector->n_room && !grow(vector))
        return NULL;
    item = vector->items + vector->n_items++ * vector->item_size;
    memset(item, 0, vector->item_size);
    return item;
}

void *mqd_vector_at(const struct mqd_vector *vector, size_t i)
{
    return vector->items + i * vector->item_size;
}

void mqd_vector_release(struct mqd_vector *vector)
{
    dbgr_release(vector->items);
    vector->items = NULL;
    vector->n_items = vector->n_room = 0;
}

/* Puts `item` into the heap below the free place `parent`, and moves larger children up. */
static void sift_down(struct mqd_vector *vector, size_t parent, size_t n, const unsigned char *item,
                      bool (*before)(const void *a, const void *b))
{
    size_t size = vector->item_size, child;

    while ((child = 2 * parent + 1) < n) {
        if (child + 1 < n && before(mqd_vector_at(vector, child), mqd_vector_at(vector, child + 1)))
            child++;
        if (!before(item, mqd_vector_at(vector, child)))
            break;
        memcpy(mqd_vector_at(vector, parent), mqd_vector_at(vector, child), size);
        parent = child;
    }
    memcpy(mqd_vector_at(vector, parent), item, size);
}

static bool is_sorted(const struct mqd_vector *vector, bool (*before)(const void *a, const void *b))
{
    for (size_t i = 1; i < vector->n_items; i++)
        if (before(mqd_vector_at(vector, i), mqd_vector_at(vector, i - 1)))
            return false;
    return true;
}

void mqd_vector_sort(struct mqd_vector *vector, bool (*before)(const void *a, const void *b))
{
    unsigned char item[MQD_SORT_BYTES];
    size_t size = vector->item_size;

    if (is_sorted(vector, before))
        return;
    for (size_t i = vector->n_items / 2; i-- > 0;) {
        memcpy(item, mqd_vector_at(vector, i), size);
        sift_down(vector, i, vector->n_items, item, before);
    }
    for (size_t n = vector->n_items; n-- > 1;) {
        memcpy(item, mqd_vector_at(vector, n), size);
        memcpy(mqd_vector_at(vector, n), mqd_vector_at(vector, 0), size);
        sift_down(vector, 0, n, item, before);
    }
}

static uint64_t key_of(const void *item)
{
    uint64_t key;

    memcpy(&key, item, sizeof key);
    return key;
}

static bool key_before(const void *a, const void *b)
{
    return key_of(a) < key_of(b);
}

void mqd_vector_sort_by_key(struct mqd_vector *vector)
{
    mqd_vector_sort(vector, key_before);
}

void *mqd_vector_find(const struct mqd_vector *vector, uint64_t key)
{
    size_t low = 0, high = vector->n_items;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        void *item = mqd_vector_at(vector, middle);

        if (key_of(item) == key)
            return item;
        if (key_of(item) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}
