/*
 * source.c - the records that a report rests on.
 */
#include "mqd/dump/show/text/source.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/json_string.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/show/text/paragraph.h"

/* "2024-05-31T17:08:59.123456Z" as "2024-05-31 17:08:59 UTC" */
static char *say_time(const char *taken)
{
    const char *clock = strchr(taken, 'T');

    return clock != NULL ? format_text("%.*s %.8s UTC", (int)(clock - taken), taken, clock + 1) : copy_string("?");
}

/* Is another user's job of the same name among them? It is next to this one. */
static bool shares_name(const struct source *source, const struct source_change *change)
{
    size_t at = (size_t)(change - source->changes);

    return (at > 0 && strcmp(change[-1].job, change->job) == 0) ||
           (at + 1 < source->n_changes && strcmp(change[1].job, change->job) == 0);
}

/* " of job 4711", " of job 4711 of user 1000", or "" if there is only one. */
static char *say_job(const struct source *source, const struct source_change *change)
{
    const char *job = source->n_changes > 1 ? change->job : "";

    if (change->user >= 0 && shares_name(source, change))
        return format_text("%s%s of user %ld", *job != '\0' ? " of job " : "", job, change->user);
    return format_text("%s%s", *job != '\0' ? " of job " : "", job);
}

static void put_ranks(struct paragraph *paragraph, long *ranks, size_t n, const char *for_one, const char *for_many,
                      const char *job)
{
    size_t n_left = ranks_sort(ranks, n);
    OWNED char *phrase = ranks_phrase(ranks, n_left, "", "");

    if (n > 0)
        put_format(paragraph, " Since then %s%s %s.", phrase, job, n_left == 1 ? for_one : for_many);
}

static void put_changes(struct paragraph *paragraph, const struct source *source)
{
    for (size_t i = 0; i < source->n_changes; i++) {
        struct source_change *change = &source->changes[i];
        OWNED char *job = say_job(source, change);

        put_ranks(paragraph, change->moved, change->n_moved, "has moved", "have moved", job);
        put_ranks(paragraph, change->same, change->n_same, "has not moved", "have not moved", job);
    }
}

static void print_source(FILE *to, struct source *source)
{
    struct paragraph paragraph = start_paragraph(to, 0);

    paragraph.indent = 2;
    put_text(&paragraph, source->file != NULL ? "Record " : "Host ");
    put_name(&paragraph, source->file != NULL ? source->file : source->host != NULL ? source->host : "?");
    put_text(&paragraph, ":");
    if (*source->taken != '\0') {
        OWNED char *time = say_time(source->taken);

        put_format(&paragraph, " taken%s%s, %s.", source->host != NULL ? " on " : "",
                   source->host != NULL ? source->host : "", time);
    }
    if (source->problem != NULL)
        put_format(&paragraph, " It is not complete: %s.", source->problem);
    put_changes(&paragraph, source);
    end_paragraph(&paragraph);
}

void sources_print(FILE *to, struct source *sources, size_t n)
{
    for (size_t i = 0; i < n; i++)
        print_source(to, &sources[i]);
    if (n > 0)
        putc('\n', to);
}

/* All looks together. */

static int compare_changes(const void *a, const void *b)
{
    const struct source_change *x = a, *y = b;

    return strcmp(x->job, y->job) ?: ORDER(x->user, y->user);
}

static void append(struct source_change *to, const struct source_change *more)
{
    for (size_t i = 0; i < more->n_moved; i++)
        APPEND(to->moved, to->n_moved, to->moved_room, more->moved[i]);
    for (size_t i = 0; i < more->n_same; i++)
        APPEND(to->same, to->n_same, to->same_room, more->same[i]);
}

/* Those of one job, which follow each other, become one. The others keep their ranks, the results have copies. */
static size_t join_changes(struct source_change *changes, size_t n)
{
    size_t n_left = 0;

    for (size_t i = 0; i < n; i++) {
        const struct source_change change = changes[i];

        if (n_left == 0 || compare_changes(&changes[n_left - 1], &change) != 0)
            changes[n_left++] = (struct source_change){.job = change.job, .user = change.user};
        append(&changes[n_left - 1], &change);
    }
    return n_left;
}

/* What has changed in several sources; for source_clear_changes. */
static struct source join_sources(const struct source *sources, size_t n)
{
    struct source all = {0};

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < sources[i].n_changes; k++) {
            APPEND(all.changes, all.n_changes, all.change_room, sources[i].changes[k]);
        }
    SORT(all.changes, all.n_changes, compare_changes);
    all.n_changes = join_changes(all.changes, all.n_changes);
    return all;
}

void source_join_changes(struct source *source)
{
    struct source joined = join_sources(source, 1);

    source_clear_changes(source);
    source->changes = joined.changes;
    source->n_changes = joined.n_changes;
    source->change_room = joined.change_room;
}

void source_clear_changes(struct source *source)
{
    for (size_t i = 0; i < source->n_changes; i++) {
        FREE_ALL(source->changes[i].moved, source->changes[i].same);
    }
    free(source->changes);
    source->changes = NULL;
    source->n_changes = source->change_room = 0;
}

void sources_print_changes(FILE *to, const struct source *sources, size_t n)
{
    RELEASED_BY(source_clear_changes) struct source all = join_sources(sources, n);
    struct paragraph paragraph;

    if (all.n_changes == 0)
        return;
    paragraph = start_paragraph(to, 0);
    paragraph.indent = 2;
    put_text(&paragraph, "Some ranks were looked at before.");
    put_changes(&paragraph, &all);
    end_paragraph(&paragraph);
}

/* For programs. */

static void print_ranks(FILE *to, const char *key, const long *ranks, size_t n)
{
    fprintf(to, ",\"%s\":[", key);
    for (size_t i = 0; i < n; i++)
        fprintf(to, "%s%ld", i > 0 ? "," : "", ranks[i]);
    putc(']', to);
}

static void print_changes(FILE *to, const struct source *source)
{
    fputs(",\"since\":[", to);
    for (size_t i = 0; i < source->n_changes; i++) {
        fputs(i > 0 ? ",{\"job\":" : "{\"job\":", to);
        json_print_string_or_null(to, source->changes[i].job);
        if (source->changes[i].user >= 0 && shares_name(source, &source->changes[i]))
            fprintf(to, ",\"user\":%ld", source->changes[i].user);
        print_ranks(to, "moved", source->changes[i].moved, source->changes[i].n_moved);
        print_ranks(to, "same", source->changes[i].same, source->changes[i].n_same);
        putc('}', to);
    }
    putc(']', to);
}

void sources_json(FILE *to, const struct source *sources, size_t n)
{
    size_t n_printed = 0;

    for (size_t i = 0; i < n; i++) {
        if (sources[i].file == NULL)
            continue;
        fputs(n_printed++ == 0 ? ",\"records\":[{\"file\":" : ",{\"file\":", to);
        json_print_string_or_null(to, sources[i].file);
        json_print_text(to, "host", sources[i].host);
        json_print_text(to, "taken", sources[i].taken);
        json_print_text(to, "mqdump", sources[i].mqdump);
        json_print_text(to, "problem", sources[i].problem);
        fprintf(to, ",\"ranks\":%zu", sources[i].n_ranks);
        print_changes(to, &sources[i]);
        putc('}', to);
    }
    fputs(n_printed > 0 ? "]" : "", to);
}
