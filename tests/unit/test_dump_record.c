/*
 * test_dump_record.c - records: that they have everything, and that what was written is what is read.
 */
#include "unit_test.h"

#include "dump_job.h"
#include "dump_record.h"
#include "mqd/dump/base/hash.h"
#include "mqd/dump/base/shared.h"
#include "mqd/dump/record/dictionary.h"
#include "mqd/dump/record/fields.h"
#include "mqd/dump/record/format.h"
#include "mqd/dump/record/members.h"
#include "mqd/dump/record/read.h"
#include "mqd/dump/record/text.h"
#include "mqd/dump/verdict/verdict.h"
#include "verdict_case.h"

/* Every member has a row. */

static const struct structure {
    const char *name;
    const struct field_table *tables[2];
} structures[] = {
    {"witness", {&witness_fields}}, {"listing", {&listing_fields, &layout_fields}},
    {"missing_rank", {&missing_rank_fields}}, {"activity", {&activity_fields}},
    {"named stack", {&named_stack_fields}}, {"calls", {&calls_fields}}, {"library_calls", {&library_calls_fields}},
    {"call", {&call_fields, &place_fields}}, {"layout summary", {&layout_summary_fields}},
    {"library", {&library_fields}}, {"library summary", {&library_summary_fields}}, {"gap", {&gap_fields}},
    {"type", {&type_fields}}, {"field", {&layout_field_fields}}, {"probe", {&probe_fields}},
    {"capability", {&capability_fields}}, {"limit", {&limit_fields}}, {"communicator", {&communicator_fields}},
    {"communicator summary", {&summary_fields}}, {"use", {&use_fields}}, {"queue", {&queue_fields}},
    {"window", {&window_fields}}, {"window description", {&window_description_fields}},
    {"window peer", {&window_peer_fields}}, {"process name", {&process_name_fields}},
    {"operation", {&operation_fields}}, {"look", {&look_fields}},
};

/* The compiler leaves bytes unused only to align what follows. Returns the first byte that is not explained so. */
static size_t first_unnamed(const struct field_table *const *tables, size_t n_tables)
{
    size_t size = tables[0]->size, unused = 0;
    char *named = allocate_array(size + 1, 1);
    size_t found = size;

    for (size_t k = 0; k < n_tables && tables[k] != NULL; k++)
        for (size_t i = 0; i < tables[k]->n; i++)
            for (size_t at = 0; at < tables[k]->fields[i].size; at++)
                assert_int_equal(named[tables[k]->fields[i].offset + at]++, 0);
    named[size] = 1;
    for (size_t at = 0; at <= size && found == size; at++) {
        if (named[at] && unused > 0 && (unused >= 8 || at % (unused >= 4 ? 8 : unused >= 2 ? 4 : 2) != 0))
            found = at - unused;
        unused = named[at] ? 0 : unused + 1;
    }
    free(named);
    return found;
}

TEST(every_member_has_a_row)
{
    struct { long a; int b; long c; } example;
    const struct field rows[] = {{.key = "a", .kind = FIELD_SIGNED, .size = sizeof example.a},
                                 {.key = "b", .kind = FIELD_SIGNED, .offset = sizeof example.a, .size = sizeof example.b}};
    const struct field_table table = {"example", rows, 2, sizeof example}, *tables[] = {&table};

    for (size_t i = 0; i < sizeof structures / sizeof *structures; i++) {
        size_t at = first_unnamed(structures[i].tables, 2);

        if (at != structures[i].tables[0]->size)
            fail_msg("no row of the tables has byte %zu of a %s", at, structures[i].name);
    }
    assert_int_equal(first_unnamed(tables, 1), sizeof example.a + sizeof example.b);
}

/* Tables that fill one object, and what else is in it. */
TEST(keys_of_one_object_differ)
{
    static const struct {
        const struct field_table *tables[3];
        const char *others[9];
    } objects[] = {
        {{&look_fields}, {"like", "line", "record", "format"}},
        {{&listing_fields, &witness_fields},
         {"like", "line", "look", "name", "missing", "layout", "calls", "activity"}},
        {{&operation_fields}, {"extra_text", "peer", "found_at", "unknown"}},
        {{&communicator_fields}, {"like", "line", "group", "peers", "traffic", "queues", "summary", "use"}},
        {{&window_fields}, {"like", "line", "group", "peers", "description"}},
        {{&layout_fields}, {"like", "line", "number", "summary", "libraries", "gaps", "details"}},
        {{&place_fields}, {"like", "line", "number", "chain"}},
        {{&call_fields}, {"place"}},
        {{&calls_fields}, {"libraries", "threads", "stacks"}},
        {{&named_stack_fields}, {"stack"}},
        {{&activity_fields}, {"call_name"}},
    };

    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        struct name_index index = {0};
        json_t *object = json_object();

        for (size_t k = 0; k < 9 && objects[i].others[k] != NULL; k++)
            assert_true(name_index_add(&index, objects[i].others[k], 0));
        for (size_t k = 0; k < 3 && objects[i].tables[k] != NULL; k++)
            for (size_t row = 0; row < objects[i].tables[k]->n; row++)
                if (objects[i].tables[k]->fields[row].key != NULL &&
                    field_object(&objects[i].tables[k]->fields[row], object) == object)
                    assert_true(name_index_add(&index, objects[i].tables[k]->fields[row].key, 0));
        name_index_clear(&index);
        json_decref(object);
    }
}

/* What was written is what is read. */

static void same_strings(const char *key, const char *a, const char *b)
{
    if ((a == NULL) != (b == NULL) || (a != NULL && strcmp(a, b) != 0))
        fail_msg("%s: '%s' became '%s'", key, a != NULL ? a : "(null)", b != NULL ? b : "(null)");
}

static void same_fields(const struct field_table *table, const void *a, const void *b)
{
    for (size_t i = 0; i < table->n; i++) {
        const struct field *field = &table->fields[i];
        const char *x = (const char *)a + field->offset, *y = (const char *)b + field->offset;

        if (field->kind == FIELD_CHARS || field->kind == FIELD_TEXT)
            same_strings(field->key, field_text(field, x), field_text(field, y));
        else if (field->kind == FIELD_STRING)
            same_strings(field->key, *(const char *const *)x, *(const char *const *)y);
        else if (field->kind != FIELD_ELSEWHERE && memcmp(x, y, field->size) != 0)
            fail_msg("%s of a %s has changed", field->key, table->name);
    }
}

static void same_arrays(const struct field_table *table, const void *a, size_t n_a, const void *b, size_t n_b)
{
    assert_int_equal(n_a, n_b);
    for (size_t i = 0; i < n_a; i++)
        same_fields(table, (const char *)a + i * table->size, (const char *)b + i * table->size);
}

static void same_layouts(const struct listing *a, const struct listing *b)
{
    const struct details *x = &a->details, *y = &b->details;

    same_fields(&layout_fields, a, b);
    same_fields(&layout_summary_fields, listing_layout(a), listing_layout(b));
    same_arrays(&library_fields, a->libraries, a->n_libraries, b->libraries, b->n_libraries);
    for (size_t i = 0; i < a->n_libraries; i++)
        same_fields(&library_summary_fields, &a->libraries[i].summary, &b->libraries[i].summary);
    same_arrays(&gap_fields, a->gaps, N_QUEUES, b->gaps, N_QUEUES);
    same_arrays(&type_fields, x->types, x->n_types, y->types, y->n_types);
    same_arrays(&layout_field_fields, x->fields, x->n_fields, y->fields, y->n_fields);
    same_arrays(&probe_fields, x->probes, x->n_probes, y->probes, y->n_probes);
    same_arrays(&capability_fields, x->capabilities, x->n_capabilities, y->capabilities, y->n_capabilities);
    same_arrays(&limit_fields, x->limits, x->n_limits, y->limits, y->n_limits);
}

static void same_queues(const struct queue *a, const struct queue *b)
{
    same_fields(&queue_fields, a, b);
    same_arrays(&operation_fields, a->operations, a->n, b->operations, b->n);
}

static void same_communicators(const struct communicator *a, const struct communicator *b)
{
    same_fields(&communicator_fields, a, b);
    same_fields(&summary_fields, &a->summary, &b->summary);
    same_fields(&use_fields, &a->use, &b->use);
    assert_memory_equal(a->group, b->group, (size_t)a->size * sizeof *a->group);
    same_arrays(&process_name_fields, a->peers, (size_t)communicator_n_peers(a), b->peers,
                (size_t)communicator_n_peers(b));
    assert_int_equal(a->n_traffic, b->n_traffic);
    for (size_t i = 0; i < a->n_traffic; i++)
        assert_true(a->traffic[i].peer == b->traffic[i].peer && a->traffic[i].n_sent == b->traffic[i].n_sent &&
                    a->traffic[i].n_arrived == b->traffic[i].n_arrived);
    for (size_t i = 0; i < N_QUEUES; i++)
        same_queues(&a->queues[i], &b->queues[i]);
}

static void same_windows(const struct window *a, const struct window *b)
{
    same_fields(&window_fields, a, b);
    same_fields(&window_description_fields, &a->description, &b->description);
    assert_memory_equal(a->group, b->group, (size_t)a->size * sizeof *a->group);
    same_arrays(&window_peer_fields, a->peers, a->n_peers, b->peers, b->n_peers);
}

static void same_witnesses(const struct witness *a, const struct witness *b)
{
    const struct listing *x = a->listing, *y = b->listing;

    same_fields(&witness_fields, a, b);
    same_strings("job", a->job, b->job);
    assert_int_equal(a->user, b->user);
    same_fields(&listing_fields, x, y);
    same_fields(&process_name_fields, &x->name, &y->name);
    same_layouts(x, y);
    assert_int_equal(x->n, y->n);
    for (size_t i = 0; i < x->n; i++)
        same_communicators(&x->communicators[i], &y->communicators[i]);
    assert_int_equal(x->n_windows, y->n_windows);
    for (size_t i = 0; i < x->n_windows; i++)
        same_windows(&x->windows[i], &y->windows[i]);
    same_fields(&calls_fields, a->calls, b->calls);
    same_fields(&library_calls_fields, &a->calls->libraries, &b->calls->libraries);
    same_arrays(&call_fields, a->calls->calls, a->calls->n, b->calls->calls, b->calls->n);
    same_arrays(&place_fields, a->calls->calls, a->calls->n, b->calls->calls, b->calls->n);
    assert_true(y->calls == b->calls && y->activity == b->activity);
    same_fields(&activity_fields, a->activity, b->activity);
    same_fields(&missing_rank_fields, a->missing, b->missing);
}

static void same_calls(const struct calls *a, const struct calls *b)
{
    for (size_t i = 0; i < a->n; i++) {
        assert_int_equal(a->calls[i].n_chain, b->calls[i].n_chain);
        for (size_t k = 0; k < a->calls[i].n_chain; k++)
            assert_string_equal(a->calls[i].chain[k], b->calls[i].chain[k]);
    }
    same_arrays(&named_stack_fields, a->stacks, a->n_stacks, b->stacks, b->n_stacks);
    for (size_t i = 0; i < a->n_stacks; i++) {
        assert_int_equal(a->stacks[i].n, b->stacks[i].n);
        for (size_t k = 0; k < a->stacks[i].n; k++)
            assert_string_equal(a->stacks[i].frames[k], b->stacks[i].frames[k]);
    }
}

/* Writes processes, and reads them again. Returns the text, for free(). */
static char *exchange(struct record *record, const struct witness *witnesses, size_t n)
{
    char *text = record_text(witnesses, n);

    record_take(record, text, strlen(text), 4096);
    if (record->problem != NULL)
        fail_msg("%s", record->problem);
    assert_true(record->complete);
    assert_int_equal(record->n, n);
    return text;
}

TEST(everything_comes_back)
{
    struct full_rank *rank = full_rank_make(300);
    char *text = of_test(record_text(&rank->witness, 1)), number[24];
    struct record record;

    for (size_t piece = 1; piece < strlen(text); piece = piece * 7 + 1) {
        record_take(&record, text, strlen(text), piece);
        assert_null(record.problem);
        assert_true(record.complete);
        assert_int_equal(record.n, 1);
        same_witnesses(&rank->witness, &record.ranks[0]->witness);
        same_calls(&rank->calls, &record.ranks[0]->calls);
        snprintf(number, sizeof number, "%lu", rank->listing.name.job);
        assert_string_equal(record.ranks[0]->witness.job_number, number);
        assert_true(record.looks[0].has.why && record.looks[0].has.internal && record.looks[0].has.layout &&
                    record.looks[0].has.queues && record.looks[0].has.stacks);
        assert_int_equal(record.looks[0].n_processes, 1);
        assert_int_equal(record.n_warnings, 1);
        assert_string_equal(record.warnings[0], "a warning");
        record_clear(&record);
    }
    full_rank_free(rank);
}

TEST(nothing_comes_back_as_nothing)
{
    const struct listing listing = {.rank = -1, .user = -1};
    const struct witness witness = {.listing = &listing, .user = -1};
    struct record record;
    char *text = of_test(exchange(&record, &witness, 1));
    const struct witness *read = &record.ranks[0]->witness;

    same_fields(&listing_fields, &listing, read->listing);
    same_fields(&layout_fields, &listing, read->listing);
    same_fields(&witness_fields, &witness, read);
    assert_int_equal(read->user, -1);
    assert_lacks(text, "\"user\"");
    assert_true(read->calls == NULL && read->activity == NULL && read->missing == NULL && read->job == NULL &&
                read->job_number == NULL);
    record_clear(&record);
}

/* What ranks have in common is written once, however long it is. */
TEST(equal_things_are_written_once)
{
    struct full_rank *rank = full_rank_make(300);
    const struct witness both[] = {rank->witness, rank->witness};
    struct record record;
    char *one, *two;

    free(rank->listing.layout_error);
    rank->listing.layout_error = format_text("%5000s", "longer than the names of symbols");
    one = of_test(record_text(both, 1));
    two = of_test(exchange(&record, both, 2));
    assert_true(record.n_groups == 2 && record.n_peers == 2 && record.n_layouts == 1 && record.n_places == 2);
    assert_true(record.n_frames == 3 && record.n_stacks == 2);
    assert_ptr_equal(record.ranks[0]->calls.stacks[0].frames, record.ranks[1]->calls.stacks[1].frames);
    assert_ptr_equal(record.ranks[0]->listing.communicators[0].group, record.ranks[1]->listing.communicators[0].group);
    assert_true(strlen(two) < 2 * strlen(one));
    record_clear(&record);
    full_rank_free(rank);
}

/*
 * Numbers beyond a range are forced into it, and nobody needs all digits of times. The first user of a machine is no
 * more unknown than the last. A debugging library may give a rank that there cannot be, as Open MPI's own does where
 * there is none: it is kept.
 */
TEST(numbers_come_back)
{
    const struct queued said = {.desired_local_rank = 4294967295, .actual_local_rank = -1};
    struct communicator communicator = {.local_rank = 4294967294};
    struct listing listings[] = {
        {.rank = 1L << 40, .pid = -5, .user = 4294967294, .dll_seconds = 0.0127092760001},
        {.rank = -2, .user = 0, .has_communicators = true, .communicators = &communicator, .n = 1},
    };
    const struct witness witnesses[] = {{.listing = &listings[0]}, {.listing = &listings[1]}};
    struct queue *queue = &communicator.queues[mqs_pending_receives];
    const struct queued *operation;
    const struct listing *first, *second;
    struct record record;

    queue->available = true;
    queue_add(queue, &said);
    free(exchange(&record, witnesses, 2));
    first = &record.ranks[0]->listing;
    second = &record.ranks[1]->listing;
    assert_int_equal(first->rank, 16 * 1000 * 1000);
    assert_int_equal(first->pid, 0);
    assert_int_equal(first->user, 4294967294);
    assert_int_equal(record.ranks[0]->witness.user, 4294967294);
    assert_true(first->dll_seconds == 0.012709);
    assert_int_equal(second->rank, -1);
    assert_int_equal(second->user, 0);
    assert_int_equal(record.ranks[1]->witness.user, 0);
    assert_int_equal(second->communicators[0].local_rank, 4294967294);
    operation = &second->communicators[0].queues[mqs_pending_receives].operations[0];
    assert_int_equal(operation->desired_local_rank, 4294967295);
    assert_int_equal(operation->actual_local_rank, -1);
    record_clear(&record);
    queue_clear(queue);
}

/* Values that are often the next ones: each kind has runs, and what ends them, at the limits of the kind too. */
static void fill_queue(struct queue *queue, size_t n, unsigned seed)
{
    static const char *const texts[] = {"", "x", "0x0", "a 0xff", "a 0x100", "a 0x101", "0x00", "0xffffffffffffffff",
                                        "0x0ffff", "x0x", "0x7f 0xfe"};
    static const unsigned long ends[] = {0, 1, UINT32_MAX, (1UL << 53) - 1, 1UL << 53, INT64_MAX, 1UL << 63,
                                         UINT64_MAX};
    static const char full[] = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
    unsigned long number = 0;

    *queue = (struct queue){.available = true, .described = true};
    for (size_t i = 0; i < n; i++) {
        struct queued operation = {.status = 0};

        number = rand_r(&seed) % 4 != 0 ? number + 1 : ends[(unsigned)rand_r(&seed) % N_OF(ends)];
        operation.desired_tag = (mqs_tword_t)(int)number;
        operation.desired_length = (mqs_tword_t)(number % (1UL << 53)) * (rand_r(&seed) % 9 == 0 ? -1 : 1);
        operation.buffer = number;
        operation.named = rand_r(&seed) % 8 == 0;
        operation.collective_number = number - number % 3;
        operation.sequence = (int64_t)number;
        operation.peer.rank = (int)(number % 1000);
        operation.datatype = texts[number % N_OF(texts)];
        for (size_t k = 0; k < N_EXTRA_TEXTS; k++)
            operation.extra_text[k] = texts[(number + k) % N_OF(texts)];
        if (number % 5 == 0)
            operation.extra_text[1] = full;
        queue_add(queue, &operation);
    }
}

TEST(runs_have_all_values)
{
    enum { MOST = MAX_OPERATIONS_IN_LINE + 3 };

    for (unsigned seed = 1; seed < 200; seed++) {
        struct communicator communicator = {.size = 1};
        struct listing listing = {.communicators = &communicator, .n = 1, .has_communicators = true};
        const struct witness witness = {.listing = &listing};
        struct queue *queue = &communicator.queues[mqs_pending_receives];
        struct record record;

        fill_queue(queue, seed == 1 ? MOST : seed % 23 + 1, seed);
        free(exchange(&record, &witness, 1));
        same_queues(queue, &record.ranks[0]->listing.communicators[0].queues[mqs_pending_receives]);
        record_clear(&record);
        queue_clear(queue);
    }
}

/* What is more than a reader takes is left out; and the bytes are such that a terminal shows them. */
TEST(what_is_written_can_be_read_and_shown)
{
    static struct named_stack stacks[MAX_STACKS + 1];
    static const char *frames[MAX_STACK_FRAMES + 1];
    char name[] = "\xc3\xa4\x1b";
    struct call call = {.thread = 1};
    struct calls calls = {.calls = &call, .n = 1, .stacks = stacks, .n_stacks = MAX_STACKS + 1, .has_stacks = true};
    const struct listing listing = {.executable = name};
    const struct witness witness = {.listing = &listing, .calls = &calls};
    struct record record;
    char *text, *long_text = test_text("%0600d", 7);

    for (size_t i = 0; i <= MAX_STACK_FRAMES; i++)
        frames[i] = long_text;
    stacks[0] = (struct named_stack){.frames = frames, .n = MAX_STACK_FRAMES + 1};
    text = of_test(exchange(&record, &witness, 1));
    assert_int_equal(record.ranks[0]->calls.n_stacks, MAX_STACKS);
    assert_int_equal(record.ranks[0]->calls.stacks[0].n, MAX_STACK_FRAMES);
    assert_int_equal(strlen(record.ranks[0]->calls.stacks[0].frames[0]), MAX_FRAME_TEXT);
    assert_string_equal(record.ranks[0]->listing.executable, name);
    for (const char *at = text; *at != '\0'; at++)
        assert_true((*at >= ' ' && *at < 0x7f) || *at == '\n');
    record_clear(&record);
}

/* Ranks that have most in common, each of which has something else, or nothing, somewhere. */
TEST(ranks_that_are_alike_come_back)
{
    enum { N = 24 };
    struct full_rank *full[N];
    struct witness witnesses[N];
    struct record record;
    size_t alone = 0;

    for (size_t i = 0; i < N; i++) {
        full_rank_restart(i / 8);
        full[i] = full_rank_make(i % 5 == 3 ? 7 : 8);
        full[i]->listing.pid = 100 + (pid_t)i;
        full[i]->listing.communicators[1].traffic[0].n_sent = (uint16_t)i;
        full[i]->listing.communicators[0].queues[mqs_pending_sends].operations[i % 7].buffer += i;
        if (i % 3 == 1)
            full[i]->listing.communicators[0].queues[mqs_pending_sends].operations[5].extra_text[1] = "other";
        full[i]->calls.calls[1].mark = i;
        full[i]->listing.has_thread_level = i % 4 < 2;
        full[i]->listing.copy_of = (pid_t)(i % 4);
        witnesses[i] = full[i]->witness;
        alone += strlen(of_test(record_text(&witnesses[i], 1)));
    }
    assert_true(strlen(of_test(exchange(&record, witnesses, N))) * 2 < alone);
    for (size_t i = 0; i < N; i++) {
        same_witnesses(&witnesses[i], &record.ranks[i]->witness);
        full_rank_free(full[i]);
    }
    record_clear(&record);
}

/* Small things. */

static void check_text(const char *text, const char *expected)
{
    json_t *value = text_write(text, strlen(text));
    char *written = of_test(json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT)), *read;

    assert_string_equal(written, expected);
    assert_true(text_read(value, 100, &read, NULL));
    assert_string_equal(read, text);
    free(read);
    json_decref(value);
}

TEST(texts_of_any_bytes)
{
    check_text("", "\"\"");
    check_text("a\n\x1b", "\"a\\n\\u001B\"");
    check_text("\xc3\xa4", "\"\xc3\xa4\"");
    check_text("\xff!", "{\"bytes\":\"ff21\"}");
    check_text("\xed\xa0\x80", "{\"bytes\":\"eda080\"}");
}

static void check_number(uint64_t number, const char *expected)
{
    json_t *value = unsigned_write(number);
    char *written = of_test(json_dumps(value, JSON_ENCODE_ANY));
    uint64_t read;

    assert_string_equal(written, expected);
    assert_true(unsigned_read(value, UINT64_MAX, &read, NULL));
    assert_true(read == number);
    json_decref(value);
}

TEST(numbers_that_all_programs_read)
{
    check_number(0, "0");
    check_number((uint64_t)1 << 53, "9007199254740992");
    check_number(((uint64_t)1 << 53) + 1, "\"0x20000000000001\"");
    check_number(UINT64_MAX, "\"0xffffffffffffffff\"");
}

static void check_group(const int *group, size_t n, const char *expected)
{
    json_t *runs = group_write(group, n);
    char *written = of_test(json_dumps(runs, JSON_COMPACT));
    int *read;
    size_t n_read;

    assert_string_equal(written, expected);
    assert_true(group_read(runs, 100, &read, &n_read, NULL));
    assert_int_equal(n_read, n);
    assert_true(n == 0 || memcmp(read, group, n * sizeof *group) == 0);
    shared_release(read);
    json_decref(runs);
}

TEST(groups_are_runs)
{
    check_group(NULL, 0, "[]");
    check_group((const int[]){5}, 1, "[[5]]");
    check_group((const int[]){0, 1, 2, 3}, 4, "[[0,4]]");
    check_group((const int[]){0, 2, 4, 1, 3, 5}, 6, "[[0,3,2],[1,3,2]]");
    check_group((const int[]){3, 2, 1, 0}, 4, "[[3,4,-1]]");
    check_group((const int[]){-1, -1, 7}, 3, "[[-1,2,0],[7]]");
    check_group((const int[]){5, 0, 3, 9}, 4, "[[5,2,-5],[3,2,6]]");
}

/* A verdict from a record is that of the witnesses. */
TEST(a_verdict_from_a_record_is_the_same)
{
    struct verdict live = {0}, later = {0};
    struct record record;

    job_make("ranks 3\n0-2: MPI_Recv from next tag 5 marked");
    verdict_reach(&live, job.witnesses, job.n_ranks);
    free(exchange(&record, job.witnesses, 3));
    for (size_t i = 0; i < 3; i++)
        job.witnesses[i] = record.ranks[i]->witness;
    verdict_reach(&later, job.witnesses, 3);
    assert_int_equal(live.n, 1);
    assert_int_equal(later.n, 1);
    assert_string_equal(live.findings[0].sentence, later.findings[0].sentence);
    assert_true(live.findings[0].certain && later.findings[0].certain);
    verdict_clear(&live);
    verdict_clear(&later);
    record_clear(&record);
    job_end();
}

TEST(the_time_of_now_is_one)
{
    struct record_look look = {0};

    record_look_set_here(&look);
    assert_true(record_time_is_valid(look.taken));
    record_look_clear(&look);
}

/* One array is there once for each number of elements. */
TEST(arrays_are_known_by_their_length)
{
    int *array = shared_allocate(2, sizeof *array);
    struct array_index index = {0};
    size_t number = 7;

    array_index_add(&index, array, 2, 5);
    assert_false(array_index_find(&index, array, 1, &number));
    assert_int_equal(number, 7);
    assert_true(array_index_find(&index, array, 2, &number));
    assert_int_equal(number, 5);
    shared_release(array);
    array_index_clear(&index);
}
