/*
 * queue_run.c - operations of a queue that differ only in what runs on regularly.
 */
#include "mqd/dump/show/text/queue_run.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/base/sort.h"

/* What is compared first. Equal hashes are no proof: see is_kin. */
struct point {
    uint64_t kind, peer, tag;
};

static const struct row_view compared = {.compared = true};

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

/* All that is_kin compares, so that what differs is not taken for a run that has to be proved. */
static uint64_t hash_kind(const struct row *row)
{
    const struct queued *operation = row->operation;
    bool has_message = row_has_message(row);
    unsigned flags = (unsigned)!operation->tag_wild << 0 | (unsigned)!operation->system_buffer << 1 |
                     (unsigned)(operation->buffer == 0) << 2 | (unsigned)(operation->desired_local_rank < 0) << 3 |
                     (unsigned)(row_peer(row) < 0) << 4 | (unsigned)(row_world(row) < 0) << 5 |
                     (unsigned)(row_world(row) == row_peer(row)) << 6 | (unsigned)operation->found << 7 |
                     (unsigned)has_message << 8;
    uint64_t hash = mix(mix((uint64_t)operation->status, (uint64_t)operation->desired_length), flags);

    hash = mix(hash, has_message ? (uint64_t)operation->actual_length : 0);
    if (operation->found)
        hash = mix(mix(hash, operation->found_at.job), (uint64_t)operation->found_at.rank);
    return mix(hash, (unsigned)operation->unknown.peer << 0 | (unsigned)operation->unknown.tag << 1 |
                         (unsigned)operation->unknown.length << 2 | (unsigned)operation->unknown.buffer << 3);
}

static bool is_int(uint64_t number)
{
    return (int64_t)number >= INT_MIN && (int64_t)number <= INT_MAX;
}

static struct point point_of(const struct row *row)
{
    struct point point = {.kind = hash_kind(row),
                          .peer = row_has_peer(row) ? (uint64_t)row_peer(row) : 0,
                          .tag = row_has_tag(row) ? (uint64_t)row_tag(row) : 0};
    row_lines lines;

    row_write_lines(lines, row, &compared);
    for (const char *at = lines; *at != '\0'; at++)
        point.kind = mix(point.kind, (unsigned char)*at);
    /* Ranks and tags of MPI are int. Others would wrap around: two of them do not tell those between. */
    if (!is_int(point.peer) || !is_int(point.tag))
        point.kind = mix(mix(point.kind, point.peer), point.tag);
    return point;
}

static bool have_same_lines(const struct row *a, const struct row *b)
{
    row_lines of_a, of_b;

    row_write_lines(of_a, a, &compared);
    row_write_lines(of_b, b, &compared);
    return strcmp(of_a, of_b) == 0;
}

static bool have_same_extra(const struct queued *a, const struct queued *b)
{
    return a->unknown.peer == b->unknown.peer && a->unknown.tag == b->unknown.tag &&
           a->unknown.length == b->unknown.length && a->unknown.buffer == b->unknown.buffer && a->found == b->found &&
           (!a->found || (a->found_at.job == b->found_at.job && a->found_at.rank == b->found_at.rank));
}

/* Is all that is shown of two operations the same, but for ranks, tags and addresses? */
static bool is_kin(const struct row *a, const struct row *b)
{
    const struct queued *x = a->operation, *y = b->operation;

    return x->status == y->status && x->desired_length == y->desired_length &&
           (!row_has_message(a) || x->actual_length == y->actual_length) && !x->tag_wild == !y->tag_wild &&
           !x->system_buffer == !y->system_buffer && (x->buffer == 0) == (y->buffer == 0) &&
           (x->desired_local_rank < 0) == (y->desired_local_rank < 0) && (row_peer(a) < 0) == (row_peer(b) < 0) &&
           (row_world(a) < 0) == (row_world(b) < 0) &&
           (row_world(a) == row_peer(a)) == (row_world(b) == row_peer(b)) &&
           (row_peer(a) != row_peer(b) || row_world(a) == row_world(b)) && have_same_extra(x, y) &&
           have_same_lines(a, b);
}

/* The search. */

struct search {
    int class;
    const struct queue *queue;
    struct point *points;          /* by place */
    const size_t *order;           /* as a run's */
    size_t budget;                 /* comparisons that are left; without any, no more runs are looked for */
};

static bool goes_on(const struct point *points, size_t i, size_t first, size_t period)
{
    const struct point *point = &points[i], *before = &points[i - period], *earlier;

    if (point->kind != before->kind)
        return false;
    if (i < first + 2 * period)
        return true;
    earlier = &points[i - 2 * period];
    return point->tag - before->tag == before->tag - earlier->tag &&
           point->peer - before->peer == before->peer - earlier->peer;
}

static size_t least(size_t period)
{
    return period * LEAST_PERIODS > LEAST_RUN ? period * LEAST_PERIODS : LEAST_RUN;
}

/* How many operations from the first one on may be a run with that period. */
static size_t extent(struct search *search, size_t first, size_t period)
{
    size_t n = search->queue->n, end = first + period;

    if (n - first < least(period) || !goes_on(search->points, first + 2 * period, first, period))
        return 1;
    while (end < n && goes_on(search->points, end, first, period))
        end++;
    search->budget -= search->budget < end - first ? search->budget : end - first;
    return end - first;
}

/* How many of them are one: the kinds are compared, not only their hashes. */
static size_t proved(const struct search *search, const struct run *run)
{
    size_t i = run->period;

    for (; i < run->n; i++) {
        struct row row = run_row(run, search->class, search->queue, i);
        struct row before = run_row(run, search->class, search->queue, i - run->period);

        if (!is_kin(&row, &before))
            break;
    }
    return i;
}

/* The longest run that begins there; of several the one with the shortest period. */
static struct run longest(struct search *search, size_t first)
{
    const struct run alone = {.first = first, .n = 1, .period = 1, .stride = 1, .order = search->order};
    struct run run = alone;

    for (size_t period = 1; period <= MAX_PERIOD && search->budget > 0; period++) {
        size_t n = extent(search, first, period);

        if (n > run.n && n >= least(period)) {
            run.n = n;
            run.period = period;
        }
    }
    if (run.n > 1)
        run.n = proved(search, &run);
    return run.n >= least(run.period) ? run : alone;
}

static void add(struct runs *runs, struct run run)
{
    APPEND(runs->runs, runs->n, runs->room, run);
}

void runs_of_each(struct runs *runs, const struct queue *queue)
{
    *runs = (struct runs){0};
    for (size_t i = 0; i < queue->n; i++)
        add(runs, (struct run){.first = i, .n = 1, .period = 1, .stride = 1});
}

static struct runs divide(struct search *search)
{
    struct runs runs = {0};

    search->budget = (search->queue->n + LEAST_RUN) * 4 * MAX_PERIOD;
    for (size_t i = 0; i < search->queue->n; i += runs.runs[runs.n - 1].n)
        add(&runs, longest(search, i));
    return runs;
}

size_t runs_count_told(const struct runs *runs)
{
    size_t n = 0;

    for (size_t i = 0; i < runs->n; i++)
        n += runs->runs[i].n > 1 ? 2 * runs->runs[i].period : 1;
    return n;
}

/* An operation of a queue that is sorted. */
struct sorted {
    struct point point;
    size_t first;                  /* the position of the first one of its kind */
    size_t position;
};

static int compare_kinds(const void *a, const void *b)
{
    const struct sorted *x = a, *y = b;

    return ORDER(x->point.kind, y->point.kind) ?: ORDER(x->position, y->position);
}

static int compare_ranks(const void *a, const void *b)
{
    const struct sorted *x = a, *y = b;
    int64_t peer = (int64_t)x->point.peer, other = (int64_t)y->point.peer;

    return ORDER(x->first, y->first) ?: ORDER(peer, other) ?: ORDER(x->position, y->position);
}

/* The kinds in the order of their first ones, those of each by rank. Sorts the points too. Returns the positions. */
static size_t *sort_places(struct search *search)
{
    size_t n = search->queue->n, *order = allocate_array(n, sizeof *order);
    OWNED struct sorted *sorted = allocate_array(n, sizeof *sorted);

    for (size_t i = 0; i < n; i++)
        sorted[i] = (struct sorted){.point = search->points[i], .position = i};
    SORT(sorted, n, compare_kinds);
    for (size_t i = 0; i < n; i++)
        sorted[i].first = i > 0 && sorted[i].point.kind == sorted[i - 1].point.kind ? sorted[i - 1].first
                                                                                    : sorted[i].position;
    SORT(sorted, n, compare_ranks);
    for (size_t i = 0; i < n; i++) {
        search->points[i] = sorted[i].point;
        order[i] = sorted[i].position;
    }
    return order;
}

/* The order of a queue tells something too: it is given up for a text that is shorter by half, if that was long. */
enum { MAX_IN_ORDER = 40 };

void runs_find(struct runs *runs, int class, const struct queue *queue)
{
    struct search search = {.class = class, .queue = queue};

    if (queue->n < LEAST_RUN) {
        runs_of_each(runs, queue);
        return;
    }
    search.points = allocate_array(queue->n, sizeof *search.points);
    for (size_t i = 0; i < queue->n; i++) {
        const struct row row = queue_row(class, queue, i);

        search.points[i] = point_of(&row);
    }
    *runs = divide(&search);
    if (runs_count_told(runs) > MAX_IN_ORDER) {
        size_t *order = sort_places(&search);
        struct runs sorted;

        search.order = order;
        sorted = divide(&search);
        sorted.order = order;
        if (runs_count_told(&sorted) > runs_count_told(runs) / 2) {
            runs_clear(&sorted);
        } else {
            runs_clear(runs);
            *runs = sorted;
        }
    }
    free(search.points);
}

void runs_clear(struct runs *runs)
{
    FREE_ALL(runs->runs, runs->order);
    *runs = (struct runs){0};
}

struct row run_row(const struct run *run, int class, const struct queue *queue, size_t i)
{
    size_t place = run->first + i * run->stride;

    return queue_row(class, queue, run->order != NULL ? run->order[place] : place);
}

struct run run_place(const struct run *run, size_t place)
{
    return (struct run){.first = run->first + place * run->stride,
                        .n = (run->n - place + run->period - 1) / run->period,
                        .period = 1, .stride = run->stride * run->period, .order = run->order};
}

/* What a run is. */

/* Longer lists of numbers are not read. */
enum { MAX_LIST = 24 };

/* "rank 0", "ranks 0-1023"; "3 ranks from 5 to 3000". Sorts the ranks. */
static char *say_ranks(long *ranks, size_t n)
{
    size_t n_left = ranks_sort(ranks, n);
    OWNED char *list = ranks_list(ranks, n_left, ",");

    return n_left > 1 && strlen(list) > MAX_LIST
               ? format_text("%s ranks from %ld to %ld", NUMBER(n_left), ranks[0], ranks[n_left - 1])
               : format_text("rank%s %s", n_left == 1 ? "" : "s", list);
}

/* "tag 0", "tags 10-99,999", "tags 3,7", "50,000 tags from 0 to 99,998". Sorts the tags. */
static char *say_tag_numbers(long *tags, size_t n)
{
    const char *first, *last;
    OWNED char *list = NULL;

    n = ranks_sort(tags, n);
    first = NUMBER(tags[0]);
    last = NUMBER(tags[n - 1]);
    if (n == 1)
        return format_text("tag %s", first);
    if ((unsigned long)tags[n - 1] - (unsigned long)tags[0] == n - 1)
        return format_text("tags %s-%s", first, last);
    list = ranks_list(tags, n, ",");
    /* Commas are either between tags or in them. */
    return strlen(list) > MAX_LIST || strchr(first, ',') != NULL || strchr(last, ',') != NULL
               ? format_text("%s tags from %s to %s", NUMBER(n), first, last)
               : format_text("tags %s", list);
}

/* "from any rank", "from ranks 0-3 or any", "from rank 2 or others": numbers of `n_known` of the operations. */
static char *say_choice(const struct run *run, const char *numbers, size_t n_known, size_t n_any, const char *any,
                        const char *unknown)
{
    if (n_known == 0)
        return copy_string(n_any > 0 ? any : unknown);
    return format_text("%s%s", numbers, n_any > 0 ? " or any" : n_known < run->n ? " or others" : "");
}

static char *say_peers(const struct run *run, int class, const struct queue *queue, const struct row_view *view)
{
    OWNED long *ranks = allocate_array(run->n, sizeof *ranks);
    OWNED char *numbers = NULL;
    size_t n_any = 0, n = 0;

    for (size_t i = 0; i < run->n; i++) {
        const struct row row = run_row(run, class, queue, i);
        long peer = row_peer(&row);

        n_any += row_waits_for_any_source(&row);
        if (row_has_peer(&row) && view->size > 0 && peer >= 0 && peer < view->size)
            peer = (peer - view->own + view->size) % view->size;
        if (row_has_peer(&row))
            ranks[n++] = peer;
    }
    numbers = n > 0 ? say_ranks(ranks, n) : NULL;
    return say_choice(run, numbers, n, n_any, "any rank", "unknown ranks");
}

static char *say_tags(const struct run *run, int class, const struct queue *queue)
{
    OWNED long *tags = allocate_array(run->n, sizeof *tags);
    OWNED char *numbers = NULL;
    size_t n_any = 0, n = 0;

    for (size_t i = 0; i < run->n; i++) {
        const struct row row = run_row(run, class, queue, i);

        n_any += row_waits_for_any_tag(&row);
        if (row_has_tag(&row))
            tags[n++] = row_tag(&row);
    }
    numbers = n > 0 ? say_tag_numbers(tags, n) : NULL;
    return say_choice(run, numbers, n, n_any, "any tag", "unknown tags");
}

/* ", 4 bytes each, 399,960 in all"; "" if lengths are not known. */
static char *say_bytes(const struct run *run, int class, const struct queue *queue)
{
    long least_bytes = 0, most_bytes = 0;
    double sum = 0;

    for (size_t i = 0; i < run->n; i++) {
        const struct row row = run_row(run, class, queue, i);
        long bytes = row.operation->desired_length;

        if (row.operation->unknown.length || bytes < 0)
            return copy_string("");
        least_bytes = i == 0 || bytes < least_bytes ? bytes : least_bytes;
        most_bytes = bytes > most_bytes ? bytes : most_bytes;
        sum += (double)bytes;
    }
    return least_bytes == most_bytes
               ? format_text(", %s byte%s each, %s in all", NUMBER(least_bytes), least_bytes == 1 ? "" : "s", SUM(sum))
               : format_text(", %s-%s bytes each, %s in all", NUMBER(least_bytes), NUMBER(most_bytes), SUM(sum));
}

char *run_phrase(const struct run *run, int class, const struct queue *queue, const struct row_view *view)
{
    static const char *const nouns[N_QUEUES] = {
        [mqs_pending_sends] = "sends", [mqs_pending_receives] = "receives", [mqs_unexpected_messages] = "messages"};
    OWNED char *peers = say_peers(run, class, queue, view), *bytes = say_bytes(run, class, queue);
    OWNED char *tags = say_tags(run, class, queue);

    return format_text("%s %s %s %s, %s%s", NUMBER(run->n), nouns[class], class == mqs_pending_sends ? "to" : "from",
                       peers, tags, bytes);
}
