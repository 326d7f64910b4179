/*
 * records.c - the looks of several records as one: each rank once.
 *
 * A process that is in several looks is shown as it was in the latest. Whether it has moved since the others is told;
 * that refutes nothing. Ranks of different looks were not looked at together.
 *
 * Clocks of two machines may differ by minutes. So which of two looks is the later one is known of those of one machine
 * only. Two processes on two machines that say that they are the same rank stay two: the verdict knows neither then.
 */
#include "mqd/dump/look/records.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/record/read.h"
#include "mqd/dump/verdict/movement.h"

/* Looks. */

/* A look, and where it is among those of all records. */
struct place {
    const struct record_look *look;
    const struct record *record;
    size_t number;
};

static int compare_texts(const char *a, const char *b)
{
    return strcmp(a != NULL ? a : "", b != NULL ? b : "");
}

/* Nothing is known of one without a time. */
static bool was_taken(const struct record_look *look)
{
    return look->taken[0] != '\0';
}

/* What no time is known of comes last. */
COMPARATOR(compare_places, struct place, ORDER(was_taken(y->look), was_taken(x->look)) ?:
           compare_texts(x->look->host, y->look->host) ?: strcmp(x->look->taken, y->look->taken) ?:
           compare_texts(x->look->mqdump, y->look->mqdump) ?: compare_texts(x->look->problem, y->look->problem) ?:
           ORDER(x->number, y->number))

/* Returns the looks in order, for free(). */
static struct place *sort_looks(struct records *records)
{
    struct place *places;

    records->n_looks = 0;
    for (size_t i = 0; i < records->n; i++)
        records->n_looks += records->records[i].n_looks;
    places = allocate_array(records->n_looks, sizeof *places);
    for (size_t i = 0, at = 0; i < records->n; i++)
        for (size_t k = 0; k < records->records[i].n_looks; k++, at++)
            places[at] = (struct place){&records->records[i].looks[k], &records->records[i], at};
    SORT(places, records->n_looks, compare_places);
    return places;
}

static void take_looks(struct records *records, const struct place *places)
{
    records->looks = allocate_array(records->n_looks, sizeof *records->looks);
    records->sources = allocate_array(records->n_looks, sizeof *records->sources);
    for (size_t i = 0; i < records->n_looks; i++) {
        const struct record_look *look = records->looks[i] = places[i].look;

        records->sources[i] = (struct source){.file = records->now ? NULL : places[i].record->name,
                                              .host = look->host, .mqdump = look->mqdump, .taken = look->taken,
                                              .problem = look->problem};
    }
}

/* Ranks. */

/* A rank as a look shows it. */
struct seen {
    const struct record_rank *rank;
    size_t look, number;           /* which of all looks, and of all ranks */
};

COMPARATOR(compare_seen, struct seen, ORDER(x->look, y->look) ?: ORDER(x->number, y->number))

/* All ranks of all looks, by their looks. */
static struct seen *sort_ranks(const struct records *records, const struct place *places, size_t *n)
{
    OWNED size_t *look_of = allocate_array(records->n_looks, sizeof *look_of);
    struct seen *all;

    *n = 0;
    for (size_t i = 0; i < records->n_looks; i++)
        look_of[places[i].number] = i;
    for (size_t i = 0; i < records->n; i++)
        *n += records->records[i].n;
    all = allocate_array(*n, sizeof *all);
    for (size_t i = 0, at = 0, first = 0; i < records->n; first += records->records[i].n_looks, i++)
        for (size_t k = 0; k < records->records[i].n; k++, at++) {
            const struct record_rank *rank = records->records[i].ranks[k];

            all[at] = (struct seen){rank, look_of[first + (size_t)rank->witness.look], at};
            records->sources[all[at].look].n_ranks++;
        }
    SORT(all, *n, compare_seen);
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

static void note_change(struct source *source, const struct record_rank *before, const struct record_rank *after,
                        bool users)
{
    const struct listing *listing = &after->listing;

    source_add_change(source, (struct source_change){
        .job = listing->job != NULL ? listing->job : "", .user = users ? listing->user : -1, .rank = listing->rank,
        .moved = witness_has_changed(&before->witness, &after->witness)});
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
    size_t n;
    struct dictionary keys;        /* of the ranks that are known */
    size_t *first;                 /* the first one with a key */
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

static const struct record_look *look_of(const struct join *join, const struct seen *seen)
{
    return join->records->looks[seen->look];
}

/*
 * A machine has several names if its processes are looked at from containers: pids tell then, within one run of a job.
 * Else the names of machines do.
 */
static bool are_same(const struct join *join, const struct seen *a, const struct seen *b, bool by_pid)
{
    if (by_pid)
        return a->rank->listing.pid > 0 && a->rank->listing.pid == b->rank->listing.pid &&
               strcmp(a->rank->job_number, b->rank->job_number) == 0;
    return compare_texts(look_of(join, a)->host, look_of(join, b)->host) == 0;
}

/* The first of those that claim a rank which is the same process, in another look; NULL: there is none. */
static struct kept *find_same(struct join *join, size_t first, const struct seen *seen, bool by_pid)
{
    size_t at = first;

    for (int i = 0; i < MAX_COMPARED; i++) {
        struct kept *kept = &join->kept[at];

        if (kept->seen.look != seen->look && are_same(join, &kept->seen, seen, by_pid))
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
    struct source *sources = join->records->sources;
    struct seen before = known->seen;

    if (!was_taken(look_of(join, seen)))
        return;
    if (strcmp(look_of(join, &before)->taken, look_of(join, seen)->taken) > 0) {
        note_change(&sources[seen->look], seen->rank, before.rank, join->users);
        return;
    }
    note_change(&sources[before.look], before.rank, seen->rank, join->users);
    known->seen = *seen;
}

/* `first` is the first one that claims the rank, or the new one itself. */
static void keep(struct join *join, const struct seen *seen, size_t first)
{
    size_t at = join->n++;

    join->kept[at].seen = *seen;
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
    bool is_new = true;
    size_t number = key != NULL ? dictionary_number(&join->keys, key, &is_new) : 0, first = join->n;
    struct kept *same;

    if (is_new) {
        if (key != NULL)
            join->first[number] = first;
        keep(join, seen, first);
        return;
    }
    first = join->first[number];
    same = find_same(join, first, seen, true);
    if (same == NULL)
        same = find_same(join, first, seen, false);
    if (same != NULL)
        keep_later(join, same, seen);
    else if (was_taken(look_of(join, seen)) || !was_taken(look_of(join, &join->kept[first].seen)))
        keep(join, seen, first);
}

void records_add_witness(struct records *records, const struct witness *witness, size_t look)
{
    struct witness *added = &records->witnesses[records->n_witnesses];

    *added = *witness;
    added->look = (int)look;
    added->host = records->looks[look]->host;
    records->listings[records->n_witnesses++] = (struct listing *)witness->listing;
}

static void take_witnesses(struct records *records, const struct join *join)
{
    records->witnesses = allocate_array(join->n, sizeof *records->witnesses);
    records->listings = allocate_array(join->n, sizeof *records->listings);
    for (size_t i = 0; i < join->n; i++)
        records_add_witness(records, &join->kept[i].seen.rank->witness, join->kept[i].seen.look);
}

static void join_ranks(struct records *records, const struct seen *all, size_t n)
{
    struct join join = {.records = records, .users = have_users(all, n)};

    join.kept = allocate_array(n, sizeof *join.kept);
    join.first = allocate_array(n, sizeof *join.first);
    for (size_t i = 0; i < n; i++)
        join_rank(&join, &all[i]);
    take_witnesses(records, &join);
    for (size_t i = 0; i < records->n_looks; i++)
        source_sort_changes(&records->sources[i]);
    FREE_ALL(join.kept, join.first);
    dictionary_clear(&join.keys);
}

void records_join(struct records *records)
{
    OWNED struct place *places = NULL;
    OWNED struct seen *all = NULL;
    size_t n;

    for (size_t i = 0; i < records->n; i++)
        record_settle_problem(&records->records[i]);
    places = sort_looks(records);
    take_looks(records, places);
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

/* All of them together. */

struct record_content records_content(const struct records *records)
{
    enum { N = sizeof(struct record_content) / sizeof(bool) };
    struct record_content content;
    bool *has = (bool *)&content;

    for (size_t k = 0; k < N; k++)
        has[k] = !records->now;
    for (size_t i = 0; i < records->n_looks; i++) {
        const bool *of_look = (const bool *)&records->looks[i]->has;

        for (size_t k = 0; k < N && was_taken(records->looks[i]); k++)
            has[k] = records->now ? has[k] || of_look[k] : has[k] && of_look[k];
    }
    return content;
}

struct record_statistics records_statistics(const struct records *records)
{
    struct record_statistics all = {0};

    for (size_t i = 0; i < records->n; i++) {
        all.n_reads += records->records[i].statistics.n_reads;
        all.n_bytes += records->records[i].statistics.n_bytes;
    }
    return all;
}

/* Hosts. */

/* Is it another one than the first that was seen? */
static bool differs(const char **first, const char *host)
{
    if (*first == NULL)
        *first = host;
    return host != NULL && *first != host && strcmp(*first, host) != 0;
}

static bool has_several_hosts(const struct records *records)
{
    const char *first = NULL;

    for (size_t i = 0; i < records->n_witnesses; i++)
        if (differs(&first, records->witnesses[i].host))
            return true;
    return records->sources != NULL && ANY(i, records->n_looks, differs(&first, records->sources[i].host));
}

void records_name_hosts(struct records *records)
{
    bool several = has_several_hosts(records);

    for (size_t i = 0; i < records->n_witnesses; i++)
        records->listings[i]->host = several ? records->witnesses[i].host : NULL;
}

void records_clear(struct records *records)
{
    for (size_t i = 0; i < records->n_looks && records->sources != NULL; i++)
        source_clear_changes(&records->sources[i]);
    for (size_t i = 0; i < records->n; i++)
        record_clear(&records->records[i]);
    record_pool_clear(&records->pool);
    FREE_ALL(records->records, records->looks, records->sources, records->witnesses, records->listings);
    *records = (struct records){0};
}
