/*
 * members.c - arrays of ranks and of processes in a record, as runs.
 */
#include "mqd/dump/record/members.h"

#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/shared.h"
#include "mqd/dump/record/format.h"
#include "mqd/dump/record/text.h"

/* What is no rank is negative. */
static const int64_t least_rank = -16;

const char *const member_kinds[N_MEMBER_KINDS] = {[MEMBERS_group] = "group", [MEMBERS_peers] = "peers"};

size_t member_size(enum member_kind kind)
{
    return kind == MEMBERS_group ? sizeof(int) : sizeof(struct mqd_process_name);
}

static struct mqd_process_name member_at(enum member_kind kind, const struct members *members, size_t i)
{
    if (kind == MEMBERS_peers)
        return ((const struct mqd_process_name *)members->all)[i];
    return (struct mqd_process_name){.rank = ((const int *)members->all)[i]};
}

/* Does a run with this step go on to the i-th? */
static bool continues(enum member_kind kind, const struct members *members, size_t i, long step)
{
    struct mqd_process_name last = member_at(kind, members, i - 1), next = member_at(kind, members, i);

    return next.job == last.job && next.rank - last.rank == step;
}

json_t *members_write(enum member_kind kind, const struct members *members)
{
    json_t *runs = json_array();
    size_t end;

    for (size_t i = 0; i < members->n; i = end) {
        struct mqd_process_name first = member_at(kind, members, i);
        json_t *run = json_array();
        long step = 1;

        if (kind == MEMBERS_group && i + 1 < members->n)
            step = member_at(kind, members, i + 1).rank - first.rank;
        for (end = i + 1; end < members->n && continues(kind, members, end, step);)
            end++;
        if (kind == MEMBERS_peers)
            json_array_append_new(run, unsigned_write(first.job));
        json_array_append_new(run, json_integer(first.rank));
        if (kind == MEMBERS_peers || end - i > 1)
            json_array_append_new(run, json_integer((json_int_t)(end - i)));
        if (end - i > 1 && step != 1)
            json_array_append_new(run, json_integer(step));
        json_array_append_new(runs, run);
    }
    return runs;
}

struct run {
    uint64_t job;
    int64_t first, count, step;
};

static bool run_read(enum member_kind kind, const json_t *value, struct run *run, char **why)
{
    size_t at = kind == MEMBERS_peers;
    int64_t last;

    *run = (struct run){.count = 1, .step = 1};
    if (json_array_size(value) <= at)
        return set_reason(why, "has a run that is none");
    if (at > 0 && !unsigned_read(json_array_get(value, 0), UINT64_MAX, &run->job, why))
        return false;
    if (!signed_read(json_array_get(value, at), least_rank, MAX_RANKS, &run->first, why))
        return false;
    if (json_array_size(value) > at + 1 &&
        !signed_read(json_array_get(value, at + 1), 1, MAX_RANKS, &run->count, why))
        return false;
    if (json_array_size(value) > at + 2 &&
        !signed_read(json_array_get(value, at + 2), -MAX_RANKS - 1, MAX_RANKS + 1, &run->step, why))
        return false;
    last = run->first + (run->count - 1) * run->step;
    return (last >= least_rank && last <= MAX_RANKS) || set_reason(why, "has a run with ranks that cannot be");
}

/* Adds up the runs. */
static bool count_members(enum member_kind kind, const json_t *runs, size_t most, size_t *n, char **why)
{
    *n = 0;
    for (size_t i = 0; i < json_array_size(runs); i++) {
        struct run run;

        if (!run_read(kind, json_array_get(runs, i), &run, why))
            return false;
        *n += (size_t)run.count;
        if (*n > most)
            return set_reason(why, "has more than %zu members", most);
    }
    return true;
}

static void put_run(enum member_kind kind, const struct run *run, struct members *members)
{
    for (int64_t k = 0; k < run->count; k++) {
        if (kind == MEMBERS_peers)
            ((struct mqd_process_name *)members->all)[members->n++] =
                (struct mqd_process_name){.job = run->job, .rank = run->first + k};
        else
            ((int *)members->all)[members->n++] = (int)(run->first + k * run->step);
    }
}

bool members_read(enum member_kind kind, const json_t *runs, size_t most, struct members *members, char **why)
{
    struct run run;
    size_t n;

    *members = (struct members){0};
    if (!count_members(kind, runs, most, &n, why))
        return false;
    members->all = shared_allocate(n, member_size(kind));
    for (size_t i = 0; i < json_array_size(runs) && run_read(kind, json_array_get(runs, i), &run, why); i++)
        put_run(kind, &run, members);
    return true;
}

/* Those of several records. */

struct members *member_pool_place(struct member_pool *pool, const json_t *value)
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
        shared_release(pool->all[i].all);
    free(pool->all);
    dictionary_clear(&pool->texts);
    *pool = (struct member_pool){0};
}

void record_pool_clear(struct record_pool *pool)
{
    for (size_t i = 0; i < N_MEMBER_KINDS; i++)
        member_pool_clear(&pool->members[i]);
}
