/* dump_record.c - records in memory, for tests. */
#include "dump_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/shared.h"
#include "mqd/dump/collect/target/system_call.h"
#include "mqd/dump/record/fields.h"
#include "mqd/dump/record/read.h"
#include "mqd/dump/record/write.h"

void record_put(FILE *to, const struct record_look *looks, size_t n_looks, const struct witness *witnesses, size_t n,
                const char *warning, const struct record_statistics *statistics)
{
    const struct record_statistics some = {.n_reads = 3, .n_bytes = UINT64_MAX};
    struct record_writer writer;

    record_begin(&writer, to, &looks[0]);
    for (size_t i = 1; i < n_looks; i++)
        record_write_look(&writer, &looks[i]);
    for (size_t i = 0; i < n; i++)
        record_write_witness(&writer, &witnesses[i]);
    if (warning != NULL)
        record_write_warning(&writer, warning);
    record_end(&writer, statistics != NULL ? statistics : &some);
}

char *record_text(const struct witness *witnesses, size_t n)
{
    const struct record_look look = {.mqdump = (char *)"1", .taken = "2024-05-31T17:08:59.123456Z", .n_processes = n,
                                     .has = {true, true, true, true, true}};
    char *text;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    record_put(to, &look, 1, witnesses, n, "a warning", NULL);
    fclose(to);
    return text;
}

void record_put_job(FILE *to, const struct witness *witnesses, size_t n)
{
    struct record_look *looks;
    size_t n_looks = 1;

    for (size_t i = 0; i < n; i++)
        n_looks = (size_t)witnesses[i].look >= n_looks ? (size_t)witnesses[i].look + 1 : n_looks;
    looks = allocate_array(n_looks, sizeof *looks);
    for (size_t look = 0; look < n_looks; look++) {
        looks[look] = (struct record_look){.mqdump = (char *)"0", .taken = "2024-05-31T17:08:59.000000Z",
                                           .has = {.why = true, .internal = true, .queues = true}};
        for (size_t i = n; i-- > 0;)
            if ((size_t)witnesses[i].look == look) {
                looks[look].host = (char *)witnesses[i].host;
                looks[look].n_processes++;
            }
    }
    record_put(to, looks, n_looks, witnesses, n, NULL, NULL);
    free(looks);
}

void record_save(const char *path, const char *host, int second, const struct witness *witnesses, size_t n)
{
    struct record_look look = {.host = (char *)(uintptr_t)host, .mqdump = (char *)"1", .n_processes = n,
                               .has = {.why = true, .internal = true, .queues = true}};
    FILE *to = fopen(path, "w");

    if (to == NULL)
        abort();
    snprintf(look.taken, sizeof look.taken, "2024-05-31T17:08:%02d.000000Z", second);
    record_put(to, &look, 1, witnesses, n, NULL, NULL);
    if (fclose(to) != 0)
        abort();
}

void record_take(struct record *record, const char *text, size_t length, size_t piece)
{
    struct record_reader reader;

    memset(record, 0, sizeof *record);
    record_reader_start(&reader, record, "test", NULL);
    for (size_t i = 0; i < length; i += piece)
        if (!record_reader_take(&reader, text + i, length - i < piece ? length - i : piece))
            break;
    record_reader_finish(&reader);
}

/* Values. */

static int next_value = 1;
static struct texts *texts;

void full_rank_restart(size_t further)
{
    next_value = 1 + (int)further;
}

static void fill(const struct field_table *table, void *to);
static void *fill_array(const struct field_table *table, size_t n);

static void fill_field(const struct field *field, char *place)
{
    int small = 1 + next_value++ % 100;
    int64_t large = small;
    double real = small + 0.1;
    const char *kept;
    char *text;

    switch (field->kind) {
    case FIELD_TRUTH:
    case FIELD_FLAG:
        *(bool *)place = true;
        break;
    case FIELD_SIGNED:
    case FIELD_UNSIGNED:
    case FIELD_ADDRESS:
        memcpy(place, field->size == sizeof large ? (const void *)&large : &small, field->size);
        break;
    case FIELD_REAL:
        memcpy(place, &real, sizeof real);
        break;
    case FIELD_LETTER:
        *place = 'D';
        break;
    case FIELD_CHARS:
        snprintf(place, field->size, "%s %d", field->key, small);
        break;
    case FIELD_TEXT:
        /* The first line of text fills its room. */
        text = format_text(strcmp(field->key, "1") == 0 ? "%s %062d" : "%s %d", field->key, small);
        kept = texts_add(&texts, text, strlen(text));
        memcpy(place, &kept, sizeof kept);
        free(text);
        break;
    case FIELD_STRING:
        text = format_text("%s %d", field->key, small);
        memcpy(place, &text, sizeof text);
        break;
    case FIELD_PART:
        fill(field->table, place);
        break;
    case FIELD_ARRAY:
        for (size_t at = 0; at < field->size; at += field->table->size)
            fill(field->table, place + at);
        break;
    case FIELD_LIST:
        text = fill_array(field->table, 2);
        memcpy(place, &text, sizeof text);
        break;
    case FIELD_CODED:
    case FIELD_ELSEWHERE:
        break;
    }
}

static void fill(const struct field_table *table, void *to)
{
    for (size_t i = 0; i < table->n; i++) {
        /* The same structure once more, by another table. */
        if (table->fields[i].size == 0)
            continue;
        fill_field(&table->fields[i], (char *)to + table->fields[i].offset);
        if (table->fields[i].kind == FIELD_LIST)
            *(size_t *)(void *)((char *)to + table->fields[i].count) = 2;
    }
}

static void *fill_array(const struct field_table *table, size_t n)
{
    char *array = allocate_array(n, table->size);

    for (size_t i = 0; i < n; i++)
        fill(table, array + i * table->size);
    return array;
}

static void fill_layout(struct listing *listing)
{
    fill(&layout_fields, listing);
    listing->layout = shared_allocate(1, sizeof *listing->layout);
    fill(&layout_summary_fields, listing->layout);
}

static void add_operations(struct queue *queue, size_t n)
{
    queue->described = true;
    for (size_t i = 0; i < n; i++) {
        struct queued operation = {.status = 0};

        fill(&operation_fields, &operation);
        queue_add(queue, &operation);
        texts_release(texts);
        texts = NULL;
    }
}

static void fill_communicator(struct communicator *communicator, int n, size_t n_sends)
{
    fill(&communicator_fields, communicator);
    communicator->size = n;
    communicator->summary.remote_size = n + 1;
    communicator->group = shared_allocate((size_t)n, sizeof *communicator->group);
    communicator->peers = shared_allocate((size_t)n + 1, sizeof *communicator->peers);
    for (int i = 0; i <= n; i++) {
        if (i < n)
            communicator->group[i] = i == 3 ? -1 : 7 * i % 5;
        communicator->peers[i] = (struct mqd_process_name){.job = i < 2 ? 1ul << 63 : 4, .rank = i};
    }
    communicator->traffic[0] = (struct traffic){.peer = 1, .n_sent = 65535, .n_arrived = 2};
    communicator->traffic[1] = (struct traffic){.peer = 4, .n_sent = 1, .n_arrived = 0};
    for (size_t i = 0; i < N_QUEUES; i++)
        add_operations(&communicator->queues[i], i == mqs_pending_sends ? n_sends : 1);
}

static void fill_window(struct window *window, const struct communicator *communicator)
{
    fill(&window_fields, window);
    window->size = communicator->size;
    window->group = shared_use(communicator->group);
    window->peers[0].rank = 0;
    window->peers[1].rank = (int)window->size - 1;
}

/* One answer has handles, one of which nothing is known, and another has none. */
static void fill_answers(struct listing *listing)
{
    struct handle_answer *answer;

    listing->answers = fill_array(&handle_answer_fields, 2);
    listing->n_answers = listing->answer_room = 2;
    answer = &listing->answers[0];
    answer->handles = fill_array(&handle_fields, 2);
    answer->n = answer->room = 2;
    answer->handles[0].items = fill_array(&handle_item_fields, 3);
    answer->handles[0].n = answer->handles[0].room = 3;
    /* Facts that this program does not know have any form. */
    for (size_t i = 0; i < 3; i++)
        answer->handles[0].items[i].fact += 1000;
    answer->texts = texts;
    texts = NULL;
}

static void fill_listing(struct listing *listing, size_t n_sends)
{
    fill(&listing_fields, listing);
    fill_layout(listing);
    listing->communicators = allocate_array(2, sizeof *listing->communicators);
    listing->n = listing->room = 2;
    fill_communicator(&listing->communicators[0], 9, n_sends);
    fill_communicator(&listing->communicators[1], 4, 0);
    listing->windows = allocate_array(1, sizeof *listing->windows);
    listing->n_windows = listing->window_room = 1;
    fill_window(&listing->windows[0], &listing->communicators[1]);
    fill_answers(listing);
}

/* Two threads with one stack, and one of which nothing is known. */
static void fill_stacks(struct calls *calls)
{
    static const char *const texts[] = {"PMPI_Recv in libmpi.so.40", "exchange halo.c:88", "main halo.c:9"};

    calls->n_stacks = 3;
    calls->stacks = allocate_array(3, sizeof *calls->stacks);
    for (size_t i = 0; i < 3; i++) {
        fill(&named_stack_fields, &calls->stacks[i]);
        calls->stacks[i].n = i < 2 ? 3 : 0;
        calls->stacks[i].frames = allocate_array(calls->stacks[i].n + 1, sizeof *calls->stacks[i].frames);
        memcpy(calls->stacks[i].frames, texts, calls->stacks[i].n * sizeof *texts);
    }
}

static void fill_calls(struct calls *calls)
{
    fill(&calls_fields, calls);
    calls->calls = allocate_array(2, sizeof *calls->calls);
    calls->n = calls->room = 2;
    for (size_t i = 0; i < 2; i++) {
        fill(&call_fields, &calls->calls[i]);
        fill(&place_fields, &calls->calls[i]);
        calls->calls[i].state = i == 0 ? CALL_MPI : CALL_OUTSIDE;
    }
    calls->calls[0].n_chain = MAX_CHAIN;
    for (size_t i = 0; i < MAX_CHAIN; i++)
        calls->calls[0].chain[i] = format_text("place %zu", i);
    fill_stacks(calls);
}

/* What is filled with any numbers has positions of nothing else. */
static void fill_openmp(struct openmp *openmp)
{
    fill(&openmp_fields, openmp);
    openmp->team_room = openmp->n_teams;
    openmp->thread_room = openmp->n_threads;
    for (size_t i = 0; i < openmp->n_teams; i++) {
        openmp->teams[i].runtime = (long)i;
        openmp->teams[i].parent = (long)i - 1;
    }
    for (size_t i = 0; i < openmp->n_threads; i++) {
        openmp->threads[i].runtime = (long)i - 1;
        openmp->threads[i].team = (long)i - 1;
        openmp->threads[i].called = 0;
    }
}

struct full_rank *full_rank_make(size_t n_sends)
{
    struct full_rank *rank = allocate_array(1, sizeof *rank);

    fill_listing(&rank->listing, n_sends);
    fill_calls(&rank->calls);
    fill(&activity_fields, &rank->activity);
    rank->activity.call = system_call_number("vfork");
    fill(&missing_rank_fields, &rank->missing);
    fill(&witness_fields, &rank->witness);
    fill_openmp(&rank->openmp);
    rank->listing.calls = rank->witness.calls = &rank->calls;
    rank->listing.openmp = rank->witness.openmp = &rank->openmp;
    rank->listing.activity = rank->witness.activity = &rank->activity;
    rank->witness.listing = &rank->listing;
    rank->witness.missing = &rank->missing;
    return rank;
}

void full_rank_free(struct full_rank *rank)
{
    free((char *)rank->listing.core);
    for (size_t i = 0; i < N_QUEUES; i++)
        fields_free(&gap_fields, &rank->listing.gaps[i]);
    fields_free(&details_fields, &rank->listing.details);
    listing_free(&rank->listing);
    calls_clear(&rank->calls);
    fields_free(&openmp_fields, &rank->openmp);
    fields_free(&missing_rank_fields, &rank->missing);
    free(rank);
}
