/*
 * source.h - the looks that a report rests on: when and where they were taken, and who has moved since.
 */
#ifndef MQD_DUMP_RECORD_SOURCE_H
#define MQD_DUMP_RECORD_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

/* A rank of which a later look shows whether it has moved. */
struct source_change {
    const char *job;               /* "" if it has no name */
    long user;                     /* whose it is; -1: not known */
    long rank;
    bool moved;
    size_t number;                 /* the changes of one job stay in the order in which they were added */
};

/* A look: a record's, or one that was taken just now on some machine. Strings are the caller's. */
struct source {
    const char *file;              /* NULL: it is in none, it was taken just now */
    const char *host, *mqdump;     /* NULL: unknown */
    const char *taken;             /* as in struct record_look; "": nothing of the record is known */
    const char *problem;           /* why it is not complete; NULL: it is */
    size_t n_ranks;                /* that were read */
    struct source_change *changes; /* by jobs, after source_sort_changes */
    size_t n_changes, change_room;
};

void source_add_change(struct source *source, struct source_change change);
void source_sort_changes(struct source *source);
void source_clear_changes(struct source *source);

/* The changes of one job, sorted. */
struct source_job {
    size_t first, end;
    bool shares_name;              /* another user's job has the same name */
};

/* Those that begin at a position: changes[first] is the first one of its job. */
struct source_job source_job_at(const struct source *source, size_t first);

/* Are the looks of several machines, or taken just now, and not in files? Else each record is told of. */
bool sources_are_hosts(const struct source *sources, size_t n);

#endif
