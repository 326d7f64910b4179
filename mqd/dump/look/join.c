/*
 * join.c - the looks of several records as one: each rank once.
 *
 * A process that is in several looks is shown as it was in the latest. Whether it has moved since the others is told;
 * that refutes nothing. Ranks of different looks were not looked at together.
 *
 * Clocks of two machines may differ by minutes. So which of two looks is the later one is known of those of one machine
 * only. Two processes on two machines that say that they are the same rank stay two: the verdict knows neither then.
 */
#include "mqd/dump/look/join.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/hash.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/record/read.h"
#include "mqd/dump/verdict/movement.h"

/* Looks. */

/* A look, and where it is. */
struct place {
    const struct record_look *look;
    size_t record, number;
};

static int compare_texts(const char *a, const char *b)
{
    return strcmp(a != NULL ? a : "", b != NULL ? b : "");
}

/* What no time is known of comes last. */
static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    bool x_taken = x->look->taken[0] != '\0', y_taken = y->look->taken[0] != '\0';

    return ORDER(y_taken, x_taken) ?: compare_texts(x->look->host, y->look->host) ?:
           strcmp(x->look->taken, y->look->taken) ?: compare_texts(x->look->mqdump, y->look->mqdump) ?:
           compare_texts(x->look->problem, y->look->problem) ?: ORDER(x->record, y->record) ?:
           ORDER(x->number, y->number);
}

static size_t count_looks(const struct records *records)
{
    size_t n = 0;

    for (size_t i = 0; i < records->n; i++)
        n += records->records[i].n_looks;
    return n;
}

/* Returns the looks in order, for free(). */
static struct place *sort_looks(const struct records *records, size_t n)
{
    struct place *places = allocate_array(n, sizeof *places);
    size_t at = 0;

    for (size_t i = 0; i < records->n; i++)
        for (size_t k = 0; k < records->records[i].n_looks; k++)
            places[at++] = (struct place){.look = &records->records[i].looks[k], .record = i, .number = k};
    SORT(places, n, compare_places);
    return places;
}

static void note_source(const struct records *records, struct source *source, const struct place *place)
{
    const struct record_look *look = place->look;

    *source = (struct source){.file = records->now ? NULL : records->records[place->record].name,
                              .host = look->host,
                              .mqdump = look->mqdump,
                              .taken = look->taken,
                              .problem = look->problem};
}

/* Ranks. */

/* A rank as a look shows it. */
struct seen {
    const struct record_rank *rank;
    size_t look;
};

/* All ranks of all looks, by their looks. */
static struct seen *sort_ranks(const struct records *records, const struct place *places, size_t *n)
{
    size_t *numbers, **look_of = allocate_array(records->n, sizeof *look_of), *at;
    struct seen *all;

    numbers = allocate_array(records->n_looks, sizeof *numbers);
    at = allocate_array(records->n_looks + 1, sizeof *at);
    *n = 0;
    for (size_t i = 0, first = 0; i < records->n; first += records->records[i].n_looks, i++)
        look_of[i] = &numbers[first];
    for (size_t i = 0; i < records->n_looks; i++)
        look_of[places[i].record][places[i].number] = i;
    for (size_t i = 0; i < records->n; i++) {
        for (size_t k = 0; k < records->records[i].n; k++)
            at[look_of[i][records->records[i].ranks[k]->witness.look] + 1]++;
        *n += records->records[i].n;
    }
    for (size_t i = 0; i < records->n_looks; i++) {
        records->sources[i].n_ranks = at[i + 1];
        at[i + 1] += at[i];
    }
    all = allocate_array(*n, sizeof *all);
    for (size_t i = 0; i < records->n; i++) {
        for (size_t k = 0; k < records->records[i].n; k++) {
            size_t look = look_of[i][records->records[i].ranks[k]->witness.look];

            all[at[look]++] = (struct seen){.rank = records->records[i].ranks[k], .look = look};
        }
    }
    FREE_ALL(numbers, look_of, at);
    return all;
}

/* Is it known of all ranks of jobs whose they are? Records of earlier versions do not tell. */
static bool have_users(const struct seen *all, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct listing *listing = &all[i].rank->listing;

        if (listing->user < 0 && listing->job != NULL && listing->rank >= 0)
            return false;
    }
    return true;
}

/* Who has moved. */

/* Most ranks that follow each other are of one job. Those of others are joined at the end. */
static struct source_change *change_of(struct source *source, const char *job, long user)
{
    struct source_change *last = source->n_changes > 0 ? &source->changes[source->n_changes - 1] : NULL;

    if (last != NULL && strcmp(last->job, job) == 0 && last->user == user)
        return last;
    APPEND(source->changes, source->n_changes, source->change_room, (struct source_change){.job = job, .user = user});
    return &source->changes[source->n_changes - 1];
}

static void note_change(struct source *source, const struct record_rank *before, const struct record_rank *after,
                        bool users)
{
    struct source_change *change = change_of(source, after->listing.job != NULL ? after->listing.job : "",
                                             users ? after->listing.user : -1);

    if (witness_has_changed(&before->witness, &after->witness)) {
        APPEND(change->moved, change->n_moved, change->moved_room, after->listing.rank);
    } else {
        APPEND(change->same, change->n_same, change->same_room, after->listing.rank);
    }
}

/* Each rank once. */

/* Of more processes that claim one rank not all are compared: the verdict knows none of them. */
enum { MAX_COMPARED = 64 };

/* A process that is shown. */
struct kept {
    struct seen seen;
    size_t next;                   /* that claims the same rank, 0: none. The first one is never a next */
};

struct join {
    struct records *records;
    struct kept *kept;
    char **keys;                   /* of the kept ones; NULL: it is not known which rank it is */
    size_t n;
    struct name_index index;       /* by their keys */
    bool users;                    /* keys have users */
};

/*
 * Which rank it is; NULL: it is not known. A job is a name and its user. If not all records tell users, the names must
 * do. A process whose rank is not known is known by its pid and its machine.
 */
static char *rank_key(const struct join *join, const struct seen *seen)
{
    const struct listing *listing = &seen->rank->listing;
    const char *host = join->records->looks[seen->look]->host;

    if (listing->job != NULL && listing->rank >= 0)
        return format_text("r%ld %ld %s", listing->rank, join->users ? listing->user : -1, listing->job);
    if (listing->pid > 0)
        return format_text("p%d %s %s", (int)listing->pid, seen->rank->job_number, host != NULL ? host : "");
    return NULL;
}

static bool was_taken(const struct join *join, const struct seen *seen)
{
    return join->records->looks[seen->look]->taken[0] != '\0';
}

/* A machine has several names if its processes are looked at from containers: pids tell then, within one run of a job. */
static bool are_of_one_process(const struct join *join, const struct seen *a, const struct seen *b)
{
    (void)join;
    return a->rank->listing.pid > 0 && a->rank->listing.pid == b->rank->listing.pid &&
           strcmp(a->rank->job_number, b->rank->job_number) == 0;
}

static bool are_of_one_host(const struct join *join, const struct seen *a, const struct seen *b)
{
    return compare_texts(join->records->looks[a->look]->host, join->records->looks[b->look]->host) == 0;
}

typedef bool comparison(const struct join *join, const struct seen *a, const struct seen *b);

/* The first of those that claim a rank which is the same by the comparison, in another look; NULL: there is none. */
static struct kept *find_same(struct join *join, size_t first, const struct seen *seen, comparison *are_same)
{
    size_t at = first;

    for (int i = 0; i < MAX_COMPARED; i++) {
        struct kept *kept = &join->kept[at];

        if (kept->seen.look != seen->look && are_same(join, &kept->seen, seen))
            return kept;
        at = kept->next;
        if (at == 0)
            break;
    }
    return NULL;
}

/* The later one of two looks at a rank of one machine is kept. */
static void keep_later(struct join *join, struct kept *known, const struct seen *seen)
{
    const struct record_look *const *looks = join->records->looks;
    struct source *sources = join->records->sources;
    struct seen before = known->seen;

    if (!was_taken(join, seen))
        return;
    if (strcmp(looks[before.look]->taken, looks[seen->look]->taken) > 0) {
        note_change(&sources[seen->look], seen->rank, before.rank, join->users);
        return;
    }
    note_change(&sources[before.look], before.rank, seen->rank, join->users);
    known->seen = *seen;
}

/* Takes the key over. `first` is the first one that claims the rank, or the new one itself. */
static void keep(struct join *join, const struct seen *seen, char *key, size_t first)
{
    size_t at = join->n++;

    join->kept[at].seen = *seen;
    join->keys[at] = key;
    if (first == at)
        return;
    join->kept[at].next = join->kept[first].next;
    join->kept[first].next = at;
}

/*
 * Looks come by machines, and last those that were not taken: what a launcher says of a rank on such a machine counts
 * only if nobody has seen the rank. A look that claims a rank twice is left to the verdict.
 */
static void join_rank(struct join *join, const struct seen *seen)
{
    char *key = rank_key(join, seen);
    struct kept *same;
    uint32_t first = 0;

    if (key == NULL || name_index_add(&join->index, key, (uint32_t)join->n)) {
        keep(join, seen, key, join->n);
        return;
    }
    name_index_find(&join->index, key, &first);
    same = find_same(join, first, seen, are_of_one_process);
    if (same == NULL)
        same = find_same(join, first, seen, are_of_one_host);
    if (same == NULL && (was_taken(join, seen) || !was_taken(join, &join->kept[first].seen))) {
        keep(join, seen, key, first);
        return;
    }
    free(key);
    if (same != NULL)
        keep_later(join, same, seen);
}

static void take_witnesses(struct records *records, const struct join *join)
{
    records->witnesses = allocate_array(join->n, sizeof *records->witnesses);
    records->listings = allocate_array(join->n, sizeof *records->listings);
    records->n_witnesses = join->n;
    for (size_t i = 0; i < join->n; i++) {
        const struct seen *seen = &join->kept[i].seen;

        records->witnesses[i] = seen->rank->witness;
        records->witnesses[i].look = (int)seen->look;
        records->witnesses[i].host = records->looks[seen->look]->host;
        records->listings[i] = (struct listing *)seen->rank->witness.listing;
    }
}

static void join_ranks(struct records *records, const struct seen *all, size_t n)
{
    struct join join = {.records = records, .users = have_users(all, n)};

    join.kept = allocate_array(n, sizeof *join.kept);
    join.keys = allocate_array(n, sizeof *join.keys);
    join.index.any_length = true;
    for (size_t i = 0; i < n; i++)
        join_rank(&join, &all[i]);
    take_witnesses(records, &join);
    for (size_t i = 0; i < records->n_looks; i++)
        source_join_changes(&records->sources[i]);
    for (size_t i = 0; i < join.n; i++)
        free(join.keys[i]);
    FREE_ALL(join.keys, join.kept);
    name_index_clear(&join.index);
}

void records_join(struct records *records)
{
    OWNED struct place *places = NULL;
    OWNED struct seen *all = NULL;
    size_t n;

    for (size_t i = 0; i < records->n; i++)
        record_settle_problem(&records->records[i]);
    records->n_looks = count_looks(records);
    records->looks = allocate_array(records->n_looks, sizeof *records->looks);
    records->sources = allocate_array(records->n_looks, sizeof *records->sources);
    places = sort_looks(records, records->n_looks);
    for (size_t i = 0; i < records->n_looks; i++) {
        records->looks[i] = places[i].look;
        note_source(records, &records->sources[i], &places[i]);
    }
    all = sort_ranks(records, places, &n);
    join_ranks(records, all, n);
}

/* From files. */

/* What whoever has written or merged the record knew to be missing. */
static void notice_problem(struct records *records, const struct record *record, const struct record_look *look)
{
    if (look->problem == NULL)
        return;
    notice_give("%s: %s%s%s", record->name, look->host != NULL ? look->host : "", look->host != NULL ? ": " : "",
                look->problem);
    records->complete = false;
}

static void read_one(struct records *records, size_t i, const char *path)
{
    struct record *record = &records->records[i];

    (void)record_read_file(record, path, &records->pool);
    if (record->problem != NULL)
        notice_give("%s: %s", record->name, record->problem);
    for (size_t k = 0; k < record->n_looks; k++)
        notice_problem(records, record, &record->looks[k]);
    for (size_t k = 0; k < record->n_warnings; k++)
        warning_give("%s", record->warnings[k]);
    records->complete &= record->complete;
}

void records_read(struct records *records, const char *const *paths, size_t n)
{
    *records = (struct records){.n = n, .complete = true};
    records->records = allocate_array(n, sizeof *records->records);
    for (size_t i = 0; i < n; i++)
        read_one(records, i, paths[i]);
    records_join(records);
}
