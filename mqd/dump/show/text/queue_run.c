/*
 * queue_run.c - operations as rows, and those of a queue that differ only in what runs on regularly.
 */
#include "mqd/dump/show/text/queue_run.h"

#include <ctype.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/base/sort.h"

/* Rows. */

const char *const queue_nouns[N_QUEUES] = {[mqs_pending_sends] = "sends", [mqs_pending_receives] = "receives",
                                           [mqs_unexpected_messages] = "unexpected messages"};

struct row queue_row(int class, const struct queue *queue, size_t i)
{
    return (struct row){class, &queue->operations[i]};
}

bool row_has_message(const struct row *row)
{
    return row->class == mqs_pending_receives && row->operation->status != mqs_st_pending;
}

/* Is it neither known which rank the operation asks for nor which one has answered? */
static bool is_peer_unknown(const struct row *row)
{
    return row->operation->unknown.peer && !row_has_message(row);
}

static bool is_tag_unknown(const struct row *row)
{
    return row->operation->unknown.tag && !row_has_message(row);
}

static bool is_any_source(const struct row *row)
{
    return row->class == mqs_pending_receives && row->operation->desired_local_rank < 0 && !row->operation->unknown.peer;
}

static bool is_any_tag(const struct row *row)
{
    return row->class == mqs_pending_receives && row->operation->tag_wild;
}

static bool row_waits_for_any_source(const struct row *row)
{
    return is_any_source(row) && !row_has_message(row);
}

static bool row_waits_for_any_tag(const struct row *row)
{
    return is_any_tag(row) && !row_has_message(row);
}

bool row_has_peer(const struct row *row)
{
    return !is_peer_unknown(row) && !row_waits_for_any_source(row);
}

static bool row_has_tag(const struct row *row)
{
    return !is_tag_unknown(row) && !row_waits_for_any_tag(row);
}

mqs_tword_t row_peer(const struct row *row)
{
    return row_has_message(row) ? row->operation->actual_local_rank : row->operation->desired_local_rank;
}

mqs_tword_t row_world(const struct row *row)
{
    return row_has_message(row) ? row->operation->actual_global_rank : row->operation->desired_global_rank;
}

static mqs_tword_t row_tag(const struct row *row)
{
    return row_has_message(row) ? row->operation->actual_tag : row->operation->desired_tag;
}

static void put(cell_text text, const char *value)
{
    snprintf(text, sizeof(cell_text), "%s", value);
}

/* Writes a rank or tag as asked for; for a wildcard the one that came. */
static void put_choice(cell_text text, bool any, bool known, const char *value)
{
    snprintf(text, sizeof(cell_text), "%s%s", any && !known ? "any" : value, any && known ? " (any)" : "");
}

static void write_peer(cell_text text, const struct row *row, const struct row_view *view)
{
    mqs_tword_t peer = row_peer(row);
    bool relative = view->size > 0 && row_has_peer(row) && peer >= 0 && peer < view->size;
    number_chars rank;

    if (relative)
        snprintf(rank, sizeof rank, "+%ld", (peer - view->own + view->size) % view->size);
    else
        snprintf(rank, sizeof rank, "%ld", peer);
    if (is_peer_unknown(row))
        put(text, "?");
    else
        put_choice(text, is_any_source(row), relative || row_has_message(row), rank);
}

static void write_world(cell_text text, const struct row *row, const struct row_view *view)
{
    mqs_tword_t world = row_world(row);
    number_chars rank;

    snprintf(rank, sizeof rank, "%ld", world);
    put(text, view->size > 0 ? "" : is_peer_unknown(row) ? "?" : world < 0 ? "-" : rank);
}

static void write_buffer(cell_text text, const struct row *row, const struct row_view *view)
{
    const struct queued *operation = row->operation;
    bool remark = operation->system_buffer && row->class != mqs_unexpected_messages;
    number_chars address = "";

    if (!view->compared)
        snprintf(address, sizeof address, "%lx", operation->buffer);
    if (operation->unknown.buffer || operation->buffer == 0)
        put(text, operation->unknown.buffer ? "?" : "-");
    else
        snprintf(text, sizeof(cell_text), "0x%s%s", address, remark ? " (MPI's)" : "");
}

void row_write_cell(cell_text text, const struct row *row, enum column column, const struct row_view *view)
{
    const struct queued *operation = row->operation;

    switch (column) {
    case STATUS:
        put(text, operation_status_name(operation->status));
        break;
    case PEER:
        write_peer(text, row, view);
        break;
    case WORLD:
        write_world(text, row, view);
        break;
    case TAG:
        if (is_tag_unknown(row))
            put(text, "?");
        else
            put_choice(text, is_any_tag(row), row_has_message(row), NUMBER(row_tag(row)));
        break;
    case BYTES:
        put(text, operation->unknown.length ? "?" : NUMBER(operation->desired_length));
        break;
    case ARRIVED:
        put(text, row_has_message(row) ? NUMBER(operation->actual_length) : "-");
        break;
    case BUFFER:
    default:
        write_buffer(text, row, view);
        break;
    }
}

const char *row_heading(int class, enum column column)
{
    static const char *const headings[N_COLUMNS] = {
        [STATUS] = "status", [PEER] = "from", [WORLD] = "world", [TAG] = "tag", [BYTES] = "bytes",
        [ARRIVED] = "arrived", [BUFFER] = "buffer"};

    return column == PEER && class == mqs_pending_sends ? "to" : headings[column];
}

/* Appends a text; if it is only compared without the digits of addresses, "request 0x". */
static char *append(char *to, const char *text, bool compared)
{
    const char *address;

    while (compared && (address = strstr(text, "0x")) != NULL) {
        to = mempcpy(to, text, (size_t)(address + 2 - text));
        for (text = address + 2; isxdigit((unsigned char)*text);)
            text++;
    }
    return stpcpy(to, text);
}

void row_write_lines(row_lines text, const struct row *row, const struct row_view *view)
{
    const char *const *lines = row->operation->extra_text;
    char *to = text;

    for (int i = 0; i < N_EXTRA_TEXTS && lines[i] != NULL && *lines[i] != '\0'; i++) {
        to = append(to, lines[i], view->compared);
        *to++ = '\n';
    }
    *to = '\0';
}

/* Runs. */

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

/* What is shown of operations, but for ranks, tags, addresses and lines. */
struct kind {
    int64_t of[6];
};

static struct kind kind_of(const struct row *row)
{
    const struct queued *operation = row->operation;
    bool has_message = row_has_message(row), found = operation->found;
    unsigned flags = (unsigned)!operation->tag_wild << 0 | (unsigned)!operation->system_buffer << 1 |
                     (unsigned)(operation->buffer == 0) << 2 | (unsigned)(operation->desired_local_rank < 0) << 3 |
                     (unsigned)(row_peer(row) < 0) << 4 | (unsigned)(row_world(row) < 0) << 5 |
                     (unsigned)(row_world(row) == row_peer(row)) << 6 | (unsigned)found << 7 |
                     (unsigned)operation->unknown.peer << 8 | (unsigned)operation->unknown.tag << 9 |
                     (unsigned)operation->unknown.length << 10 | (unsigned)operation->unknown.buffer << 11;

    return (struct kind){{flags, operation->status, operation->desired_length,
                          has_message ? operation->actual_length : 0,
                          found ? (int64_t)operation->found_at.job : 0, found ? operation->found_at.rank : 0}};
}

static uint64_t hash_kind(const struct row *row)
{
    const struct kind kind = kind_of(row);
    uint64_t hash = 0;

    for (size_t i = 0; i < sizeof kind.of / sizeof *kind.of; i++)
        hash = mix(hash, (uint64_t)kind.of[i]);
    return hash;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
    uint64_t word = 0;
    size_t n = strlen(text);

    for (; n >= sizeof word; n -= sizeof word, text += sizeof word) {
        memcpy(&word, text, sizeof word);
        hash = mix(hash, word);
    }
    word = 0;
    memcpy(&word, text, n);
    return mix(hash, word);
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
    point.kind = mix_text(point.kind, lines);
    /* Ranks and tags of MPI are int. Others would wrap around: two of them do not tell those between. */
    if (!is_int(point.peer) || !is_int(point.tag))
        point.kind = mix(mix(point.kind, point.peer), point.tag);
    return point;
}

/* Is all that is shown of two operations the same, but for ranks, tags and addresses? */
static bool is_kin(const struct row *a, const struct row *b)
{
    const struct kind of_a = kind_of(a), of_b = kind_of(b);
    row_lines lines_of_a, lines_of_b;

    if (memcmp(&of_a, &of_b, sizeof of_a) != 0 || (row_peer(a) == row_peer(b) && row_world(a) != row_world(b)))
        return false;
    row_write_lines(lines_of_a, a, &compared);
    row_write_lines(lines_of_b, b, &compared);
    return strcmp(lines_of_a, lines_of_b) == 0;
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
    const size_t n_left = search->queue->n - first;

    for (size_t period = 1; period <= MAX_PERIOD && run.n < n_left && search->budget > 0; period++) {
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

void runs_of_each(struct runs *runs, const struct queue *queue)
{
    *runs = (struct runs){0};
    for (size_t i = 0; i < queue->n; i++) {
        APPEND(runs->runs, runs->n, runs->room, (struct run){.first = i, .n = 1, .period = 1, .stride = 1});
    }
}

static struct runs divide(struct search *search)
{
    struct runs runs = {0};

    search->budget = (search->queue->n + LEAST_RUN) * 4 * MAX_PERIOD;
    for (size_t i = 0; i < search->queue->n; i += runs.runs[runs.n - 1].n) {
        APPEND(runs.runs, runs.n, runs.room, longest(search, i));
    }
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
static char *say_tags(long *tags, size_t n)
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

/* "any rank", "ranks 0-3 or any", "rank 2 or others"; the same of tags. */
static char *say_numbers(const struct run *run, int class, const struct queue *queue, const struct row_view *view,
                         bool of_tags)
{
    OWNED long *numbers = allocate_array(run->n, sizeof *numbers);
    OWNED char *text = NULL;
    size_t n_any = 0, n = 0;

    for (size_t i = 0; i < run->n; i++) {
        const struct row row = run_row(run, class, queue, i);
        long peer = row_peer(&row);
        bool relative = view->size > 0 && peer >= 0 && peer < view->size;

        n_any += of_tags ? row_waits_for_any_tag(&row) : row_waits_for_any_source(&row);
        if (of_tags && row_has_tag(&row))
            numbers[n++] = row_tag(&row);
        else if (!of_tags && row_has_peer(&row))
            numbers[n++] = relative ? (peer - view->own + view->size) % view->size : peer;
    }
    if (n == 0)
        return format_text("%s %s%s", n_any > 0 ? "any" : "unknown", of_tags ? "tag" : "rank", n_any > 0 ? "" : "s");
    text = of_tags ? say_tags(numbers, n) : say_ranks(numbers, n);
    return format_text("%s%s", text, n_any > 0 ? " or any" : n < run->n ? " or others" : "");
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
    const char *noun = class == mqs_unexpected_messages ? "messages" : queue_nouns[class];
    OWNED char *peers = say_numbers(run, class, queue, view, false), *bytes = say_bytes(run, class, queue);
    OWNED char *tags = say_numbers(run, class, queue, view, true);

    return format_text("%s %s %s %s, %s%s", NUMBER(run->n), noun, class == mqs_pending_sends ? "to" : "from",
                       peers, tags, bytes);
}
