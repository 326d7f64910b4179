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

void mqd_vector_release(struct mqd_vector *vector)
{
    dbgr_release(vector->items);
    vector->items = NULL;
    vector->n_items = vector->n_room = 0;
}

/* A vector with room for a copy of the items, whose content is undefined; `items` is NULL if there is no memory. */
static struct mqd_vector room_for(const struct mqd_vector *vector)
{
    struct mqd_vector other = *vector;

    other.items = dbgr_alloc(vector->n_room * vector->item_size);
    return other;
}

static void swap(struct mqd_vector *a, struct mqd_vector *b)
{
    struct mqd_vector old = *a;

    *a = *b;
    *b = old;
}

static void copy_item(const struct mqd_vector *from, size_t i, struct mqd_vector *to, size_t j)
{
    memcpy(mqd_vector_at(to, j), mqd_vector_at(from, i), from->item_size);
}

/* The end of the run at `begin`: of items none of which is before the one that precedes it. */
static size_t end_of_run(const struct mqd_vector *vector, size_t begin, mqd_before *before)
{
    size_t end = begin < vector->n_items ? begin + 1 : begin;

    while (end < vector->n_items && !before(mqd_vector_at(vector, end), mqd_vector_at(vector, end - 1)))
        end++;
    return end;
}

static void swap_items(const struct mqd_vector *vector, size_t i, size_t j)
{
    unsigned char *a = mqd_vector_at(vector, i), *b = mqd_vector_at(vector, j), piece[64];

    for (size_t done = 0, n; done < vector->item_size; done += n) {
        n = vector->item_size - done < sizeof piece ? vector->item_size - done : sizeof piece;
        memcpy(piece, a + done, n);
        memcpy(a + done, b + done, n);
        memcpy(b + done, piece, n);
    }
}

/* Turns round what descends: lists that give the last one first have such. */
static void turn_descending(const struct mqd_vector *vector, mqd_before *before)
{
    for (size_t begin = 0, end; begin < vector->n_items; begin = end) {
        end = begin + 1;
        while (end < vector->n_items && before(mqd_vector_at(vector, end), mqd_vector_at(vector, end - 1)))
            end++;
        for (size_t i = begin, j = end - 1; i < j; i++, j--)
            swap_items(vector, i, j);
    }
}

/* Copies the items to `to`, each two runs as one. */
static void merge_runs(const struct mqd_vector *vector, struct mqd_vector *to, mqd_before *before)
{
    for (size_t begin = 0, end; begin < vector->n_items; begin = end) {
        size_t left = begin, middle = end_of_run(vector, begin, before), right = middle;

        end = end_of_run(vector, middle, before);
        for (size_t i = begin; i < end; i++) {
            bool is_right = left == middle ||
                            (right < end && before(mqd_vector_at(vector, right), mqd_vector_at(vector, left)));

            copy_item(vector, is_right ? right++ : left++, to, i);
        }
    }
}

enum mqd_rc mqd_vector_sort(struct mqd_vector *vector, mqd_before *before)
{
    struct mqd_vector other;

    turn_descending(vector, before);
    if (end_of_run(vector, 0, before) == vector->n_items)
        return MQD_OK;
    other = room_for(vector);
    if (other.items == NULL)
        return MQD_RC_no_memory;
    while (end_of_run(vector, 0, before) < vector->n_items) {
        merge_runs(vector, &other, before);
        swap(vector, &other);
    }
    mqd_vector_release(&other);
    return MQD_OK;
}

static bool is_grouped(const struct mqd_vector *vector, mqd_group_of *group_of)
{
    for (size_t i = 1; i < vector->n_items; i++)
        if (group_of(mqd_vector_at(vector, i)) < group_of(mqd_vector_at(vector, i - 1)))
            return false;
    return true;
}

/* Finds where each group ends if the items are in the order of their groups. */
static void find_ends(const struct mqd_vector *vector, size_t *ends, size_t n_groups, mqd_group_of *group_of)
{
    memset(ends, 0, n_groups * sizeof *ends);
    for (size_t i = 0; i < vector->n_items; i++)
        ends[group_of(mqd_vector_at(vector, i))]++;
    for (size_t group = 1; group < n_groups; group++)
        ends[group] += ends[group - 1];
}

enum mqd_rc mqd_vector_group(struct mqd_vector *vector, size_t n_groups, mqd_group_of *group_of)
{
    struct mqd_vector other;
    size_t *ends;
    enum mqd_rc rc;

    if (is_grouped(vector, group_of))
        return MQD_OK;
    other = room_for(vector);
    ends = dbgr_alloc(n_groups * sizeof *ends);
    rc = other.items != NULL && ends != NULL ? MQD_OK : MQD_RC_no_memory;
    if (rc == MQD_OK) {
        find_ends(vector, ends, n_groups, group_of);
        for (size_t i = vector->n_items; i-- > 0;)
            copy_item(vector, i, &other, --ends[group_of(mqd_vector_at(vector, i))]);
        swap(vector, &other);
    }
    mqd_vector_release(&other);
    dbgr_release(ends);
    return rc;
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

enum mqd_rc mqd_vector_sort_by_key(struct mqd_vector *vector)
{
    return mqd_vector_sort(vector, key_before);
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
