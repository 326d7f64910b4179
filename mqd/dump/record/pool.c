/*
 * pool.c - members of communicators that several records name.
 *
 * Each machine of a job says who is in MPI_COMM_WORLD. They say it in the same words: so the words are compared, which
 * are much fewer than the members.
 */
#include "mqd/dump/record/pool.h"

#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/shared.h"

struct pooled *member_pool_place(struct member_pool *pool, const json_t *value)
{
    bool is_new;
    size_t number = dictionary_number(&pool->texts, json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY), &is_new);

    if (is_new)
        pool->all = grow_array(pool->all, number, &pool->room, sizeof *pool->all);
    return &pool->all[number];
}

static void clear(struct member_pool *pool)
{
    for (size_t i = 0; i < pool->texts.n; i++)
        shared_release(pool->all[i].members);
    free(pool->all);
    dictionary_clear(&pool->texts);
    *pool = (struct member_pool){0};
}

void record_pool_clear(struct record_pool *pool)
{
    clear(&pool->groups);
    clear(&pool->peers);
}
