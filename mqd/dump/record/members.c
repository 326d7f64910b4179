/*
 * members.c - arrays of ranks and of processes in a record, as runs.
 */
#include "mqd/dump/record/members.h"

#include "mqd/dump/base/reason.h"
#include "mqd/dump/base/shared.h"
#include "mqd/dump/record/format.h"
#include "mqd/dump/record/text.h"

/* What is no rank is negative. */
static const int64_t least_rank = -16;

static json_t *run_write(int64_t first, size_t count, int64_t step)
{
    json_t *run = json_array();

    json_array_append_new(run, json_integer(first));
    if (count > 1)
        json_array_append_new(run, json_integer((json_int_t)count));
    if (count > 1 && step != 1)
        json_array_append_new(run, json_integer(step));
    return run;
}

json_t *group_write(const void *ranks, size_t n)
{
    const int *group = ranks;
    json_t *runs = json_array();
    size_t end;

    for (size_t i = 0; i < n; i = end) {
        int64_t step = i + 1 < n ? (int64_t)group[i + 1] - group[i] : 1;

        for (end = i + 1; end < n && (int64_t)group[end] - group[end - 1] == step;)
            end++;
        json_array_append_new(runs, run_write(group[i], end - i, step));
    }
    return runs;
}

json_t *peers_write(const void *processes, size_t n)
{
    const struct mqd_process_name *peers = processes;
    json_t *runs = json_array();
    size_t end;

    for (size_t i = 0; i < n; i = end) {
        json_t *run = json_array();

        for (end = i + 1; end < n && peers[end].job == peers[i].job && peers[end].rank == peers[end - 1].rank + 1;)
            end++;
        json_array_append_new(run, unsigned_write(peers[i].job));
        json_array_append_new(run, json_integer(peers[i].rank));
        json_array_append_new(run, json_integer((json_int_t)(end - i)));
        json_array_append_new(runs, run);
    }
    return runs;
}

struct run {
    uint64_t job;
    int64_t first, count, step;
};

/* The numbers of a run from the position `at` on. */
static bool run_read(const json_t *value, size_t at, struct run *run, char **why)
{
    int64_t last;

    run->count = run->step = 1;
    if (json_array_size(value) <= at)
        return set_reason(why, "has a run that is none");
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
static bool count_members(const json_t *runs, size_t at, size_t most, size_t *n, char **why)
{
    if (!json_is_array(runs))
        return set_reason(why, "is no list");
    *n = 0;
    for (size_t i = 0; i < json_array_size(runs); i++) {
        struct run run;

        if (!run_read(json_array_get(runs, i), at, &run, why))
            return false;
        *n += (size_t)run.count;
        if (*n > most)
            return set_reason(why, "has more than %zu members", most);
    }
    return true;
}

bool group_read(const json_t *runs, size_t most, int **group, size_t *n, char **why)
{
    size_t at = 0;

    if (!count_members(runs, 0, most, n, why))
        return false;
    *group = shared_allocate(*n, sizeof **group);
    for (size_t i = 0; i < json_array_size(runs); i++) {
        struct run run;

        if (!run_read(json_array_get(runs, i), 0, &run, why))
            break;
        for (int64_t k = 0; k < run.count; k++)
            (*group)[at++] = (int)(run.first + k * run.step);
    }
    return true;
}

bool peers_read(const json_t *runs, size_t most, struct mqd_process_name **peers, size_t *n, char **why)
{
    size_t at = 0;

    if (!count_members(runs, 1, most, n, why))
        return false;
    *peers = shared_allocate(*n, sizeof **peers);
    for (size_t i = 0; i < json_array_size(runs); i++) {
        const json_t *value = json_array_get(runs, i);
        uint64_t job;
        struct run run;

        if (!run_read(value, 1, &run, why) || !unsigned_read(json_array_get(value, 0), UINT64_MAX, &job, why)) {
            shared_release(*peers);
            *peers = NULL;
            return false;
        }
        for (int64_t k = 0; k < run.count; k++)
            (*peers)[at++] = (struct mqd_process_name){.job = (unsigned long)job, .rank = (long)(run.first + k)};
    }
    return true;
}
