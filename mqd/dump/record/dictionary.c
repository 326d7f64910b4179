/*
 * dictionary.c - what was written once and is referred to by number.
 */
#include "mqd/dump/record/dictionary.h"

#include <stdio.h>
#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/shared.h"

size_t dictionary_number(struct dictionary *dictionary, char *text, bool *is_new)
{
    uint32_t known;

    /* Layouts and groups may be longer than any name. */
    dictionary->index.any_length = true;
    *is_new = !name_index_find(&dictionary->index, text, &known);
    if (!*is_new) {
        free(text);
        return known;
    }
    name_index_add(&dictionary->index, text, (uint32_t)dictionary->n);
    APPEND(dictionary->texts, dictionary->n, dictionary->room, text);
    return dictionary->n - 1;
}

void dictionary_clear(struct dictionary *dictionary)
{
    for (size_t i = 0; i < dictionary->n; i++)
        free(dictionary->texts[i]);
    free(dictionary->texts);
    name_index_clear(&dictionary->index);
    *dictionary = (struct dictionary){0};
}

/* Arrays. */

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

    APPEND(index->all, index->n, index->room, (struct numbered_array){.key = text, .array = shared_use(array)});
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

/* Members. */

struct pooled *member_pool_place(struct member_pool *pool, const json_t *value)
{
    bool is_new;
    size_t number = dictionary_number(&pool->texts, json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY), &is_new);

    if (is_new)
        pool->all = grow_array(pool->all, number, &pool->room, sizeof *pool->all);
    return &pool->all[number];
}

static void member_pool_clear(struct member_pool *pool)
{
    for (size_t i = 0; i < pool->texts.n; i++)
        shared_release(pool->all[i].members);
    free(pool->all);
    dictionary_clear(&pool->texts);
    *pool = (struct member_pool){0};
}

void record_pool_clear(struct record_pool *pool)
{
    member_pool_clear(&pool->groups);
    member_pool_clear(&pool->peers);
}
