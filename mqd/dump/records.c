/*
 * records.c - several records as one look.
 *
 * A rank that is in several records is shown as it was in the latest. Whether it has moved since the others is told; it
 * refutes nothing, since each record rests on looks of its own. Ranks of different records were not looked at together.
 */
#include "mqd/dump/records.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/hash.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/record/read.h"
#include "mqd/dump/verdict/movement.h"

/* A rank of a record, by what tells it from others. */
struct entry {
    const struct record_rank *rank;
    size_t record;
    char *key;
};

/* Is it known of all ranks of jobs whose they are? Records of earlier versions do not tell. */
static bool have_users(const struct records *records)
{
    for (size_t i = 0; i < records->n; i++) {
        for (size_t k = 0; k < records->records[i].n; k++) {
            const struct listing *listing = &records->records[i].ranks[k]->listing;

            if (listing->user < 0 && listing->job != NULL && listing->rank >= 0)
                return false;
        }
    }
    return true;
}

/*
 * The same for the same rank in all records; NULL: it is not known which one it is. A job is a name and its user. If
 * not all records tell users, the names must do.
 */
static char *key_of(const struct record *record, const struct record_rank *rank, bool users)
{
    const struct listing *listing = &rank->listing;

    if (listing->job != NULL && listing->rank >= 0)
        return format_text("r%ld %ld %s", listing->rank, users ? listing->user : -1, listing->job);
    if (listing->pid > 0)
        return format_text("p%d %s %s", (int)listing->pid, rank->job_number,
                           record->header.host != NULL ? record->header.host : "");
    return NULL;
}

/* The earlier one first. Of those of one time the later file counts. */
static int compare_records(const void *a, const void *b)
{
    const struct record *x = *(const struct record *const *)a, *y = *(const struct record *const *)b;
    int order = strcmp(x->header.taken, y->header.taken);

    return order != 0 ? order : (x > y) - (x < y);
}

/* Who has moved. */

static struct source_change *change_of(struct source *source, const char *job, long user)
{
    for (size_t i = 0; i < source->n_changes; i++)
        if (strcmp(source->changes[i].job, job) == 0 && source->changes[i].user == user)
            return &source->changes[i];
    source->changes = grow_array(source->changes, source->n_changes, &source->change_room, sizeof *source->changes);
    source->changes[source->n_changes].job = job;
    source->changes[source->n_changes].user = user;
    return &source->changes[source->n_changes++];
}

static void note_change(struct source *source, const struct record_rank *before, const struct record_rank *after,
                        bool users)
{
    struct source_change *change = change_of(source, after->listing.job != NULL ? after->listing.job : "",
                                             users ? after->listing.user : -1);

    if (before->listing.pid != after->listing.pid || witness_has_moved(&before->witness, &after->witness)) {
        change->moved = grow_array(change->moved, change->n_moved, &change->moved_room, sizeof *change->moved);
        change->moved[change->n_moved++] = after->listing.rank;
    } else {
        change->same = grow_array(change->same, change->n_same, &change->same_room, sizeof *change->same);
        change->same[change->n_same++] = after->listing.rank;
    }
}

/* All ranks. */

struct join {
    struct entry *entries;
    size_t n, room;
    struct name_index index;       /* of the entries' keys */
    bool users;                    /* keys have users */
};

/* A record that claims a rank twice is left to the verdict. */
static void join_rank(struct join *join, struct records *records, size_t record, const struct record_rank *rank)
{
    char *key = key_of(&records->records[record], rank, join->users);
    uint32_t known;

    if (key != NULL && name_index_find(&join->index, key, &known) && join->entries[known].record != record) {
        struct entry *entry = &join->entries[known];

        note_change(&records->sources[entry->record], entry->rank, rank, join->users);
        entry->rank = rank;
        entry->record = record;
        free(key);
        return;
    }
    join->entries = grow_array(join->entries, join->n, &join->room, sizeof *join->entries);
    join->entries[join->n] = (struct entry){.rank = rank, .record = record, .key = key};
    if (key != NULL)
        name_index_add(&join->index, key, (uint32_t)join->n);
    join->n++;
}

static void take_witnesses(struct records *records, const struct join *join)
{
    records->witnesses = allocate_array(join->n, sizeof *records->witnesses);
    records->listings = allocate_array(join->n, sizeof *records->listings);
    records->n_witnesses = join->n;
    for (size_t i = 0; i < join->n; i++) {
        records->witnesses[i] = join->entries[i].rank->witness;
        records->witnesses[i].look = (int)join->entries[i].record;
        records->listings[i] = (struct listing *)join->entries[i].rank->witness.listing;
    }
}

static void join_all(struct records *records)
{
    const struct record **order = allocate_array(records->n, sizeof *order);
    struct join join = {.users = have_users(records)};

    for (size_t i = 0; i < records->n; i++)
        order[i] = &records->records[i];
    if (records->n > 1)
        qsort(order, records->n, sizeof *order, compare_records);
    for (size_t i = 0; i < records->n; i++)
        for (size_t k = 0; k < order[i]->n; k++)
            join_rank(&join, records, (size_t)(order[i] - records->records), order[i]->ranks[k]);
    take_witnesses(records, &join);
    for (size_t i = 0; i < join.n; i++)
        free(join.entries[i].key);
    free(join.entries);
    name_index_clear(&join.index);
    free(order);
}

/* Files. */

static void note_source(struct source *source, const struct record *record)
{
    *source = (struct source){.file = record->name,
                              .host = record->header.host,
                              .mqdump = record->header.mqdump,
                              .taken = record->header.taken,
                              .problem = record->problem,
                              .n_ranks = record->n};
}

static void read_one(struct records *records, size_t i, const char *path)
{
    struct record *record = &records->records[i];

    (void)record_read_file(record, path);
    if (record->problem != NULL)
        notice_give("%s: %s", record->name, record->problem);
    for (size_t k = 0; k < record->n_warnings; k++)
        warning_give("%s", record->warnings[k]);
    records->complete &= record->complete;
    note_source(&records->sources[i], record);
}

void records_read(struct records *records, const char *const *paths, size_t n)
{
    *records = (struct records){.n = n, .complete = true};
    records->records = allocate_array(n, sizeof *records->records);
    records->sources = allocate_array(n, sizeof *records->sources);
    for (size_t i = 0; i < n; i++)
        read_one(records, i, paths[i]);
    join_all(records);
}

void records_join(struct records *records)
{
    records->sources = allocate_array(records->n, sizeof *records->sources);
    for (size_t i = 0; i < records->n; i++)
        note_source(&records->sources[i], &records->records[i]);
    join_all(records);
}

/* What nothing is known of has nothing. */
static bool is_known(const struct record *record)
{
    return record->header.taken[0] != '\0';
}

#define HAVE(name)                                                                                                     \
    bool records_have_##name(const struct records *records)                                                           \
    {                                                                                                                  \
        bool any = false, all = true;                                                                                  \
                                                                                                                       \
        for (size_t i = 0; i < records->n; i++) {                                                                      \
            any |= is_known(&records->records[i]) && records->records[i].header.name;                                  \
            all &= !is_known(&records->records[i]) || records->records[i].header.name;                                 \
        }                                                                                                              \
        return records->sources != NULL ? all : any;                                                                   \
    }
HAVE(why)
HAVE(layout)
HAVE(internal)
HAVE(queues)

struct record_statistics records_statistics(const struct records *records)
{
    struct record_statistics all = {0};

    for (size_t i = 0; i < records->n; i++) {
        all.n_reads += records->records[i].statistics.n_reads;
        all.n_bytes += records->records[i].statistics.n_bytes;
    }
    return all;
}

/*
 * What was cut may have been what refutes that nothing is wrong. Of a look that was taken just now it is known which
 * processes are missing: they are there with a reason.
 */
void records_doubt(const struct records *records, struct verdict *verdict)
{
    for (size_t i = 0; i < records->n; i++) {
        const struct record *record = &records->records[i];

        if (record->complete || records->sources == NULL)
            continue;
        verdict->unclear = true;
        verdict_add_note(verdict, format_text("The record %s is not complete: %s. Ranks may be missing.", record->name,
                                              record->problem));
    }
}

static void source_clear(struct source *source)
{
    for (size_t i = 0; i < source->n_changes; i++) {
        free(source->changes[i].moved);
        free(source->changes[i].same);
    }
    free(source->changes);
}

void records_clear(struct records *records)
{
    for (size_t i = 0; i < records->n; i++) {
        if (records->sources != NULL)
            source_clear(&records->sources[i]);
        record_clear(&records->records[i]);
    }
    free(records->records);
    free(records->sources);
    free(records->witnesses);
    free(records->listings);
    *records = (struct records){0};
}
