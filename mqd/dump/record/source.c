/*
 * source.c - the looks that a report rests on.
 */
#include "mqd/dump/record/source.h"

#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/sort.h"

void source_add_change(struct source *source, struct source_change change)
{
    change.number = source->n_changes;
    APPEND(source->changes, source->n_changes, source->change_room, change);
}

COMPARATOR(compare_changes, struct source_change, strcmp(x->job, y->job) ?: ORDER(x->user, y->user) ?:
           ORDER(x->number, y->number))

void source_sort_changes(struct source *source)
{
    SORT(source->changes, source->n_changes, compare_changes);
}

void source_clear_changes(struct source *source)
{
    free(source->changes);
    source->changes = NULL;
    source->n_changes = source->change_room = 0;
}

/* A job of the same name, whose user is another one, is next to this one. */
struct source_job source_job_at(const struct source *source, size_t first)
{
    const struct source_change *changes = source->changes;
    struct source_job job = {.first = first, .end = first};

    while (job.end < source->n_changes && strcmp(changes[job.end].job, changes[first].job) == 0 &&
           changes[job.end].user == changes[first].user)
        job.end++;
    job.shares_name = (first > 0 && strcmp(changes[first - 1].job, changes[first].job) == 0) ||
                      (job.end < source->n_changes && strcmp(changes[job.end].job, changes[first].job) == 0);
    return job;
}

bool sources_are_hosts(const struct source *sources, size_t n)
{
    const char *first = NULL;

    for (size_t i = 0; i < n; i++) {
        const char *host = sources[i].host;

        if (sources[i].file == NULL || (first != NULL && host != NULL && strcmp(first, host) != 0))
            return true;
        if (first == NULL)
            first = host;
    }
    return false;
}
