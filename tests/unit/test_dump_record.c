/*
 * test_dump_record.c - records: that they have everything, and that what was written is what is read.
 */
#include "unit_test.h"

#include "dump_record.h"
#include "mqd/dump/base/hash.h"
#include "mqd/dump/base/shared.h"
#include "mqd/dump/collect/target/system_call.h"
#include "mqd/dump/record/fields.h"
#include "mqd/dump/record/format.h"
#include "mqd/dump/record/members.h"
#include "mqd/dump/record/read.h"
#include "mqd/dump/record/text.h"

/* Every member has a row. */

static const struct field_table *const structures[][2] = {
    {&witness_fields}, {&listing_fields, &layout_fields}, {&missing_rank_fields}, {&activity_fields},
    {&named_stack_fields}, {&calls_fields}, {&library_calls_fields}, {&call_fields, &place_fields},
    {&layout_summary_fields}, {&library_fields}, {&library_summary_fields}, {&gap_fields}, {&details_fields},
    {&type_fields}, {&layout_field_fields}, {&probe_fields}, {&capability_fields}, {&limit_fields},
    {&communicator_fields}, {&arrangement_fields}, {&dimension_fields}, {&summary_fields}, {&use_fields},
    {&queue_fields}, {&traffic_fields}, {&window_fields}, {&window_description_fields}, {&window_peer_fields}, {&process_name_fields},
    {&operation_fields}, {&extra_text_fields}, {&unknown_fields}, {&look_fields}, {&handle_answer_fields},
    {&handle_fields}, {&handle_summary_fields}, {&handle_item_fields}, {&openmp_fields}, {&openmp_runtime_fields},
    {&openmp_team_fields}, {&openmp_thread_fields},
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
    const struct field_table table = {.name = "example", .fields = rows, .n = 2, .size = sizeof example};
    const struct field_table *tables[] = {&table};

    for (size_t i = 0; i < N_OF(structures); i++) {
        size_t at = first_unnamed(structures[i], 2);

        if (at != structures[i][0]->size)
            fail_msg("no row of the tables has byte %zu of a %s", at, structures[i][0]->name);
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
         {"like", "line", "look", "missing", "layout", "calls", "openmp", "activity"}},
        {{&operation_fields}, {NULL}},
        {{&communicator_fields}, {"like", "line", "group", "peers"}},
        {{&window_fields}, {"like", "line", "group"}},
        {{&handle_answer_fields}, {"line"}},
        {{&handle_fields}, {"line", "n", "columns"}},
        {{&layout_fields}, {"like", "line", "number", "summary"}},
        {{&place_fields}, {"like", "line", "number", "chain"}},
        {{&call_fields}, {"place"}},
        {{&calls_fields}, {"threads", "stacks"}},
        {{&named_stack_fields}, {"stack"}},
        {{&activity_fields}, {"call_name"}},
    };

    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        struct name_index index = {0};

        for (size_t k = 0; k < 9 && objects[i].others[k] != NULL; k++)
            assert_true(name_index_add(&index, objects[i].others[k], 0));
        for (size_t k = 0; k < 3 && objects[i].tables[k] != NULL; k++)
            for (size_t row = 0; row < objects[i].tables[k]->n; row++)
                if (objects[i].tables[k]->fields[row].key != NULL)
                    assert_true(name_index_add(&index, objects[i].tables[k]->fields[row].key, 0));
        name_index_clear(&index);
    }
}

/* What was written is what is read. */

static void same_strings(const char *key, const char *a, const char *b)
{
    if ((a == NULL) != (b == NULL) || (a != NULL && strcmp(a, b) != 0))
        fail_msg("%s: '%s' became '%s'", key, a != NULL ? a : "(null)", b != NULL ? b : "(null)");
}

static void same_arrays(const struct field_table *table, const void *a, size_t n_a, const void *b, size_t n_b);

static void same_fields(const struct field_table *table, const void *a, const void *b)
{
    for (size_t i = 0; i < table->n; i++) {
        const struct field *field = &table->fields[i];
        const char *x = (const char *)a + field->offset, *y = (const char *)b + field->offset;

        if (field->kind == FIELD_CHARS || field->kind == FIELD_TEXT)
            same_strings(field->key, field_text(field, x), field_text(field, y));
        else if (field->kind == FIELD_PART)
            same_fields(field->table, x, y);
        else if (field->kind == FIELD_ARRAY)
            same_arrays(field->table, x, field->size / field->table->size, y, field->size / field->table->size);
        else if (field->kind == FIELD_LIST)
            same_arrays(field->table, *(void *const *)x, *(const size_t *)((const char *)a + field->count),
                        *(void *const *)y, *(const size_t *)((const char *)b + field->count));
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

static void same_queues(const struct queue *a, const struct queue *b)
{
    same_fields(&queue_fields, a, b);
    same_arrays(&operation_fields, a->operations, a->n, b->operations, b->n);
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

/* What a file of these tests has. */
static char *read_test_file(const char *name)
{
    const char *srcdir = getenv("srcdir");
    FILE *from = fopen(test_text("%s/tests/unit/%s", srcdir != NULL ? srcdir : ".", name), "r");
    char *text = NULL;
    size_t room = 0;

    assert_non_null(from);
    assert_true(getdelim(&text, &room, '\0', from) > 0);
    fclose(from);
    return of_test(text);
}

/*
 * The process has another value in each member of each structure: what is written is full.record, and what is read of
 * that, in pieces of any size, is written so again. Numbers of system calls are those of a machine: @ is one there.
 */
TEST(everything_comes_back)
{
    struct full_rank *rank = full_rank_make(2);
    char *text = of_test(record_text(&rank->witness, 1)), *expected = read_test_file("full.record");
    char *call = strchr(expected, '@');
    struct record record;

    assert_text(text, test_text("%.*s%ld%s", (int)(call - expected), expected, system_call_number("vfork"), call + 1));
    for (size_t piece = 1; piece < strlen(text); piece = piece * 7 + 1) {
        const struct witness *read;

        record_take(&record, text, strlen(text), piece);
        assert_null(record.problem);
        assert_true(record.complete);
        read = &record.ranks[0]->witness;
        assert_text(of_test(record_text(read, 1)), text);
        assert_true(read->listing->calls == read->calls && read->listing->activity == read->activity &&
                    read->listing->openmp == read->openmp);
        assert_string_equal(read->job_number, test_text("%lu", rank->listing.name.job));
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
    const struct witness witness = {.listing = &listing};
    struct record record;
    char *text = of_test(exchange(&record, &witness, 1));
    const struct witness *read = &record.ranks[0]->witness;

    same_fields(&listing_fields, &listing, read->listing);
    same_fields(&layout_fields, &listing, read->listing);
    same_fields(&witness_fields, &witness, read);
    assert_lacks(text, "\"user\"");
    assert_true(read->calls == NULL && read->openmp == NULL && read->activity == NULL && read->missing == NULL &&
                read->listing->job == NULL && read->job_number == NULL);
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
    assert_true(record.members[MEMBERS_group].n == 2 && record.members[MEMBERS_peers].n == 2 && record.layouts.n == 1 &&
                record.places.n == 2);
    assert_true(record.frames.n == 3 && record.stacks.n == 2);
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
    assert_int_equal(record.ranks[0]->listing.user, 4294967294);
    assert_true(first->dll_seconds == 0.012709);
    assert_int_equal(second->rank, -1);
    assert_int_equal(second->user, 0);
    assert_int_equal(record.ranks[1]->listing.user, 0);
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
    char *texts[N];
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
        texts[i] = of_test(record_text(&witnesses[i], 1));
        alone += strlen(texts[i]);
    }
    assert_true(strlen(of_test(exchange(&record, witnesses, N))) * 2 < alone);
    for (size_t i = 0; i < N; i++) {
        assert_text(of_test(record_text(&record.ranks[i]->witness, 1)), texts[i]);
        full_rank_free(full[i]);
    }
    record_clear(&record);
}

/* Small things. */

static const char *written(json_t *value)
{
    char *text = of_test(json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT));

    json_decref(value);
    return text;
}

TEST(texts_of_any_bytes)
{
    static const char *const texts[][2] = {
        {"", "\"\""}, {"a\n\x1b", "\"a\\n\\u001B\""}, {"\xc3\xa4", "\"\xc3\xa4\""}, {"\xff!", "{\"bytes\":\"ff21\"}"},
        {"\xed\xa0\x80", "{\"bytes\":\"eda080\"}"}};

    for (size_t i = 0; i < N_OF(texts); i++) {
        json_t *value = json_loads(texts[i][1], JSON_DECODE_ANY, NULL);
        char *read;

        assert_string_equal(written(text_write(texts[i][0], strlen(texts[i][0]))), texts[i][1]);
        assert_true(text_read(value, 100, &read, NULL));
        assert_string_equal(of_test(read), texts[i][0]);
        json_decref(value);
    }
}

static void check_number(uint64_t number, const char *expected)
{
    json_t *value = unsigned_write(number);
    uint64_t read;

    assert_string_equal(of_test(json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY)), expected);
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
    const struct members members = {(void *)(uintptr_t)group, n};
    struct members read;
    json_t *runs = members_write(MEMBERS_group, &members);

    assert_string_equal(of_test(json_dumps(runs, JSON_COMPACT)), expected);
    assert_true(members_read(MEMBERS_group, runs, 100, &read, NULL));
    assert_int_equal(read.n, n);
    assert_true(n == 0 || memcmp(read.all, group, n * sizeof *group) == 0);
    shared_release(read.all);
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

TEST(the_time_of_now_is_one)
{
    struct record_look look = {0};

    record_look_set_here(&look);
    assert_true(record_time_is_valid(look.taken));
    record_look_clear(&look);
}
