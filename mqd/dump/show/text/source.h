/*
 * source.h - the records that a report rests on: when and where they were taken, and who has moved since.
 */
#ifndef MQD_DUMP_SHOW_SOURCE_H
#define MQD_DUMP_SHOW_SOURCE_H

#include <stddef.h>
#include <stdio.h>

/* Of one job the ranks of which a later record shows whether they have moved. */
struct source_change {
    const char *job;               /* "" if it has no name */
    long user;                     /* whose it is; -1: not known */
    long *moved, *same;            /* for free(), in no order */
    size_t n_moved, n_same, moved_room, same_room;
};

/* A look: a record's, or one that was taken just now on some machine. Strings are the caller's. */
struct source {
    const char *file;              /* NULL: it is in none, it was taken just now */
    const char *host, *mqdump;     /* NULL: unknown */
    const char *taken;             /* as in struct record_look; "": nothing of the record is known */
    const char *problem;           /* why it is not complete; NULL: it is */
    size_t n_ranks;                /* that were read */
    struct source_change *changes; /* each job once, sorted, after source_join_changes */
    size_t n_changes, change_room;
};

/* Joins what is known of each job. */
void source_join_changes(struct source *source);
void source_clear_changes(struct source *source);

/* One paragraph for each source, and an empty line. */
void sources_print(FILE *to, struct source *sources, size_t n);

/* One paragraph about who has moved since earlier looks, of all sources together; nothing if no rank is in several. */
void sources_print_changes(FILE *to, const struct source *sources, size_t n);

/* The member "records" with a comma before it, if there are any: looks in files. */
void sources_json(FILE *to, const struct source *sources, size_t n);

#endif
