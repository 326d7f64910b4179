/*
 * test_dump_record_hostile.c - records that somebody has changed, cut or made up: a message and no harm.
 *
 * What is accepted is also concluded from and shown.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Before CMocka, which has a macro of the name of a function there. */
#include "mqd/dump/base/memory.h"
#include <cmocka.h>

#include "dump_job.h"
#include "dump_record.h"
#include "mqd/dump/record/format.h"
#include "mqd/dump/record/read.h"
#include "mqd/dump/show/json.h"
#include "mqd/dump/show/layout_text.h"
#include "mqd/dump/show/listing_text.h"
#include "mqd/dump/show/page.h"
#include "mqd/dump/show/picture_dot.h"
#include "mqd/dump/show/stack_text.h"
#include "mqd/dump/show/verdict_text.h"
#include "mqd/dump/show/wait_picture.h"
#include "mqd/dump/verdict/verdict.h"

enum { PIECE = 1000 };

/* Of the variants of a value, and of the bytes, one in so many is tried. */
static int stride;

/* With MQD_TEST_ALL there is time for each one; with MQD_TEST_SLOW, under valgrind, for few. */
static int choose_stride(void)
{
    return getenv("MQD_TEST_SLOW") != NULL ? 24 : getenv("MQD_TEST_ALL") != NULL ? 1 : 4;
}

/* A record. */

/* Ranks that wait for each other in several ways, some of several jobs, and a process that has something everywhere. */
static char *make_text(void)
{
    struct full_rank *full = full_rank_make(1);
    struct witness witnesses[5];
    char *text;

    job_start(4);
    job_split(3);
    job_in(0, "MPI_Recv");
    job_mark_waited(job_receive(0, WORLD, 1, 5));
    job_set_call(0, 1, "MPI_Probe", "exchange+0x5c");
    job_message(0, WORLD, 1, 6);
    job_in(1, "MPI_Ssend");
    job_send(1, WORLD, "Ssend", 0, 6);
    job_in(2, "MPI_Barrier");
    job_receive(2, WORLD, 0, -16);
    job_in(3, "MPI_Finalize");
    for (size_t i = 0; i < 4; i++)
        job_add_communicator(i, 9, "both", (const int[]){-1, 0}, 2);
    job_set_peers(0, 9, true, (const size_t[]){3}, 1);
    job_set_peers(3, 9, true, (const size_t[]){0}, 1);
    memcpy(witnesses, job.witnesses, 4 * sizeof *witnesses);
    for (size_t i = 0; i < 4; i++)
        job.listings[i].calls = witnesses[i].calls = &job.calls[i];
    witnesses[4] = full->witness;
    text = record_text(witnesses, 5);
    job_end();
    full_rank_free(full);
    return text;
}

/* What becomes of it. */

static void conclude_and_show(struct record *record)
{
    struct witness *witnesses = allocate_array(record->n, sizeof *witnesses);
    const struct listing **listings = allocate_array(record->n, sizeof *listings);
    struct verdict verdict = {0};
    struct picture picture = {0};
    char *text;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    for (size_t i = 0; i < record->n; i++) {
        witnesses[i] = record->ranks[i]->witness;
        listings[i] = witnesses[i].listing;
    }
    verdict_reach(&verdict, witnesses, record->n);
    picture_draw(&picture, witnesses, record->n);
    picture_print_dot(to, &picture);
    json_print_with_verdict(to, listings, record->n, &verdict, NULL, 0);
    for (size_t i = 0; i < record->n; i++)
        listing_hide_internal(&record->ranks[i]->listing);
    verdict_print(to, &verdict, listings, record->n);
    text_print(to, listings, record->n);
    stacks_print(to, listings, record->n);
    page_print(to, &(struct page){.witnesses = witnesses, .n = record->n, .verdict = &verdict, .picture = &picture});
    layout_print(to, listings, record->n);
    fclose(to);
    free(text);
    picture_clear(&picture);
    verdict_clear(&verdict);
    free(witnesses);
    free(listings);
}

/* Returns whether it was accepted. */
static bool survive(const char *text, size_t length)
{
    struct record record;
    bool complete;

    record_take(&record, text, length, PIECE);
    complete = record.complete;
    assert_true(complete == (record.problem == NULL));
    conclude_and_show(&record);
    record_clear(&record);
    return complete;
}

/* Each value replaced. */

struct mutation {
    char *before, *after;          /* the lines around the one that is changed */
    json_t *line;
    size_t n_accepted, n_refused;
    int n_values;
};

static void try_line(struct mutation *mutation)
{
    char *line = json_dumps(mutation->line, JSON_COMPACT);
    char *text = format_text("%s%s\n%s", mutation->before, line, mutation->after);

    if (survive(text, strlen(text)))
        mutation->n_accepted++;
    else
        mutation->n_refused++;
    free(text);
    free(line);
}

static json_t *variant(int i)
{
    static const json_int_t numbers[] = {-1, 0, 2, 17, 16000000, (json_int_t)INT32_MAX + 1, INT64_MAX, INT64_MIN};
    enum { N_NUMBERS = sizeof numbers / sizeof *numbers };

    if (i < N_NUMBERS)
        return json_integer(numbers[i]);
    switch (i - N_NUMBERS) {
    case 0:
        return json_null();
    case 1:
        return json_true();
    case 2:
        return json_real(1e300);
    case 3:
        return json_string("");
    case 4:
        return json_string("0xffffffffffffffff");
    case 5:
        return json_pack("{s:s}", "bytes", "ff1b");
    case 6:
        return json_array();
    case 7:
        return json_object();
    case 8:
        return json_pack("[[i,i]]", 0, 50000);
    case 9:
        return json_string("\x1b[31m%s%n");
    default:
        return NULL;
    }
}

static void change(struct mutation *mutation, json_t *value);

/* Puts each variant in place of a member of an object or an array, and leaves it out. */
static void change_member(struct mutation *mutation, json_t *container, const char *key, size_t index)
{
    json_t *value = key != NULL ? json_object_get(container, key) : json_array_get(container, index), *other;

    json_incref(value);
    for (int i = mutation->n_values++ % stride; (other = variant(i)) != NULL; i += stride) {
        if (key != NULL)
            json_object_set_new(container, key, other);
        else
            json_array_set_new(container, index, other);
        try_line(mutation);
    }
    if (key != NULL)
        json_object_del(container, key);
    else
        json_array_remove(container, index);
    try_line(mutation);
    if (key != NULL)
        json_object_set(container, key, value);
    else
        json_array_insert(container, index, value);
    change(mutation, value);
    json_decref(value);
}

static void change(struct mutation *mutation, json_t *value)
{
    if (json_is_array(value)) {
        for (size_t i = 0; i < json_array_size(value); i++)
            change_member(mutation, value, NULL, i);
    } else if (json_is_object(value)) {
        size_t n = json_object_size(value), i = 0;
        char **keys = allocate_array(n, sizeof *keys);
        const char *key;
        json_t *member;

        json_object_foreach(value, key, member)
            keys[i++] = copy_string(key);
        for (i = 0; i < n; i++) {
            change_member(mutation, value, keys[i], 0);
            free(keys[i]);
        }
        free(keys);
    }
}

static void every_value_is_replaced(void **state)
{
    char *text = make_text();
    size_t n_accepted = 0, n_refused = 0;

    (void)state;
    assert_true(survive(text, strlen(text)));
    for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        struct mutation mutation = {.before = format_text("%.*s", (int)(line - text), text),
                                    .after = copy_string(end + 1),
                                    .line = json_loadb(line, (size_t)(end - line), 0, NULL)};

        assert_non_null(mutation.line);
        change(&mutation, mutation.line);
        n_accepted += mutation.n_accepted;
        n_refused += mutation.n_refused;
        json_decref(mutation.line);
        free(mutation.before);
        free(mutation.after);
    }
    assert_true(n_accepted > 100 && n_refused > 100);
    free(text);
}

/* Lines in another order, twice, and missing. */
static void lines_are_moved(void **state)
{
    char *text = make_text();

    (void)state;
    for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        int length = (int)(end + 1 - line), before = (int)(line - text);
        char *without = format_text("%.*s%s", before, text, end + 1);
        char *twice = format_text("%.*s%.*s%s", before + length, text, length, line, end + 1);
        char *first = format_text("%.*s%.*s%s", length, line, before, text, end + 1);

        assert_false(survive(without, strlen(without)));
        assert_false(survive(twice, strlen(twice)));
        assert_true(survive(first, strlen(first)) == (before == 0));
        free(without);
        free(twice);
        free(first);
    }
    free(text);
}

static void it_is_cut_anywhere(void **state)
{
    char *text = make_text();
    size_t length = strlen(text), n_before = 0;

    (void)state;
    for (size_t i = 0; i < length; i += i < length - 500 ? (size_t)stride : 1) {
        struct record record;

        record_take(&record, text, i, PIECE);
        assert_false(record.complete);
        assert_non_null(record.problem);
        assert_true(record.n >= n_before && record.n <= 5);
        n_before = record.n;
        record_clear(&record);
    }
    assert_int_equal(n_before, 5);
    assert_false(survive(text, length / 2));
    free(text);
}

static void single_bytes_are_changed(void **state)
{
    static const char bytes[] = {0, '\n', '"', '{', '9', '\x80'};
    char *text = make_text();
    size_t length = strlen(text);

    (void)state;
    for (size_t i = 0; i < length; i += (size_t)stride) {
        char before = text[i];

        text[i] = bytes[i % sizeof bytes];
        (void)survive(text, length);
        text[i] = before;
    }
    free(text);
}

/* Messages. */

static const char header[] = "{\"line\":\"header\",\"record\":\"ompi-mqd\",\"format\":2,\"mqdump\":\"0.1.0\","
                             "\"taken\":\"2024-05-31T17:08:59.123456Z\"}\n";

static void check_problem(const char *text, size_t length, const char *part)
{
    struct record record;

    record_take(&record, text, length, PIECE);
    assert_false(record.complete);
    if (strstr(record.problem, part) == NULL)
        fail_msg("no '%s' in '%s'", part, record.problem);
    record_clear(&record);
}

static void check_line(const char *line, const char *part)
{
    char *text = format_text("%s%s\n", header, line);

    check_problem(text, strlen(text), part);
    free(text);
}

static void messages_name_the_line_and_what_is_wrong(void **state)
{
    (void)state;
    check_problem("", 0, "line 1: it is no record of mqdump");
    check_problem("\n", 1, "line 1: it is no record of mqdump");
    check_problem("hello\n", 6, "line 1: it is no record of mqdump");
    check_problem("{}\n", 3, "line 1: it is no record of mqdump");
    check_problem("\x7f" "ELF\0\0\0\n", 8, "line 1: it is no record of mqdump");
    check_problem("{\"line\":\"header\",\"record\":\"ompi-mqd\",\"format\":3,\"mqdump\":\"0.9\"}\n", 64,
                  "line 1: its format is 3, of mqdump 0.9: this mqdump reads formats up to 2");
    check_problem(header, sizeof header - 1, "line 2: the end is missing");
    check_line("{\"line\":\"end\",\"ranks\":1,\"lines\":2}", "line 2: lines are missing");
    check_line("{\"line\":\"group\",\"number\":0,\"members\":[[0,16000000],[0,16000000],[0,16000000],[0,16000000],"
               "[0,16000000]]}", "line 2: has more than 67108864 members");
    check_line("{\"line\":\"group\",\"number\":0,\"members\":[[0,16000000,16000000]]}", "ranks that cannot be");
    check_line("{\"line\":\"group\",\"number\":1,\"members\":[[0]]}", "its number is not the next one, 0");
    check_line("{\"line\":\"rank\",\"layout\":0}", "\"layout\" names nothing that came before");
    check_line("{\"line\":\"look\",\"host\":\"n02\"}", "line 2: \"taken\" is no time");
    check_line("{\"line\":\"look\",\"taken\":\"now\",\"problem\":\"?\"}", "line 2: \"taken\" is no time");
    check_line("{\"line\":\"layout\",\"number\":0,\"gaps\":[{},{},{}]}\n{\"line\":\"rank\",\"layout\":0,\"look\":1}",
               "line 3: \"look\" names nothing that came before");
    check_line("{\"line\":\"communicator\",\"size\":-1}", "\"size\" of communicator is not between 0 and");
    check_line("{\"line\":\"communicator\",\"name\":\"0123456789012345678901234567890123456789012345678901234567890123"
               "45\"}", "\"name\" of communicator is longer than 64 bytes");
    check_line("{\"line\":\"layout\",\"number\":0,\"gaps\":[{},{},{}]}\n"
               "{\"line\":\"rank\",\"layout\":0,\"dll_seconds\":1e300}",
               "line 3: \"dll_seconds\" of listing is not between -1000000000000 and 1000000000000");
    check_line("{\"line\":\"operations\"}", "operations come before their communicator");
    check_line("{\"line\":\"place\",\"number\":0,\"state\":2}", "a place in MPI has no function");
    check_line("{\"line\":\"place\",\"number\":0,\"chain\":[\"a\",\"b\",\"c\",\"d\",\"e\"]}",
               "\"chain\" of a place is no list of at most 4 texts");
    check_line("{\"line\":\"frame\",\"number\":0}", "\"text\" of a frame ");
    check_line("{\"line\":\"stack\",\"number\":0,\"frames\":[0]}", "\"frames\" names a frame that did not come before");
    check_line("{\"line\":\"stack\",\"number\":0}", "\"frames\" is no list of at most 256 frames");
    check_line("{\"line\":\"group\",\"line\":\"group\"}", "line 2: duplicate object key");
    check_line("{\"line\":\"\\u0000\"}", "line 2: \\u0000");
    check_line("{\"line\":\"\xff\"}", "line 2: unable to decode byte 0xff");
    check_line("{\"line\":\"x\",\"number\":1e999}", "line 2: real number overflow");
    check_line("{\"line\":\"x\",\"number\":99999999999999999999}", "line 2: too big integer");
}

static void what_newer_programs_add_is_ignored(void **state)
{
    char *text = make_text(), *end = strrchr(text, '{'), *more;
    struct record record;

    (void)state;
    *strstr(text, "\"record\"") = '\0';
    more = format_text("%s\"novelty\":[1,{}],\"%s", text, text + strlen(text) + 1);
    free(text);
    record_take(&record, more, strlen(more), PIECE);
    assert_true(record.complete);
    record_clear(&record);
    end = strrchr(more, '{');
    *end = '\0';
    text = format_text("%s{\"line\":\"novelty\",\"number\":7}\n", more);
    record_take(&record, text, strlen(text), PIECE);
    assert_int_equal(record.n, 5);
    assert_non_null(strstr(record.problem, "the end is missing"));
    record_clear(&record);
    free(text);
    free(more);
}

/* Lines without an end, and depths without one. */
static void long_and_deep_lines_are_refused(void **state)
{
    enum { DEPTH = 100000 };
    char *line = allocate_array(MAX_LINE + 2, 1), *deep = allocate_array(sizeof header + DEPTH + 1, 1);

    (void)state;
    memset(line, ' ', MAX_LINE + 1);
    check_problem(line, MAX_LINE + 1, "line 1: it is longer than 16777216 bytes");
    memcpy(deep, header, sizeof header - 1);
    memset(deep + sizeof header - 1, '[', DEPTH);
    deep[sizeof header - 1 + DEPTH] = '\n';
    check_problem(deep, sizeof header + DEPTH, "line 2: maximum parsing depth reached");
    free(line);
    free(deep);
}

/* As from another machine: with a limit, and what is in several records in memory once. Returns what is wrong. */
static char *read_with_limit(const char *text, uint64_t most, uint64_t most_of_all)
{
    struct record_pool pool = {.max_memory = most_of_all};
    struct record record = {0};
    struct record_reader reader;
    char *problem;

    record_reader_start(&reader, &record, "");
    record_reader_share(&reader, &pool);
    record_reader_limit(&reader, most);
    (void)record_reader_take(&reader, text, strlen(text));
    record_reader_finish(&reader);
    problem = copy_string(record.problem != NULL ? record.problem : "");
    record_clear(&record);
    record_pool_clear(&pool);
    return problem;
}

static void check_limited(const char *line, int n, uint64_t most, uint64_t most_of_all, const char *expected)
{
    char *text = NULL, *problem;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    fputs(header, to);
    fputs("{\"line\":\"layout\",\"number\":0,\"gaps\":[{},{},{}]}\n", to);
    for (int i = 0; i < n; i++)
        fputs(line, to);
    fclose(to);
    problem = read_with_limit(text, most, most_of_all);
    if (strstr(problem, expected) == NULL)
        fail_msg("'%s' is not '%s'", problem, expected);
    free(problem);
    free(text);
}

static void members_may_be_missing(void **state)
{
    (void)state;
    check_limited("{\"line\":\"group\",\"number\":0}\n", 1, 0, 0, "line 3: \"members\" is no list");
    check_limited("{\"line\":\"peers\",\"number\":0}\n", 1, 0, 0, "line 3: \"members\" is no list");
    check_limited("{\"line\":\"group\",\"number\":0,\"members\":7}\n", 1, 0, 0, "line 3: \"members\" is no list");
}

/* A line of some bytes may say what needs a thousand, or a thousand million. */
static void memory_is_limited(void **state)
{
    static const char rank[] = "{\"line\":\"rank\",\"layout\":0}\n";
    static const char members[] = "{\"line\":\"group\",\"number\":0,\"members\":[[0,999999]]}\n";
    static const char more[] = "it needs more memory than it may (--limit memory=SIZE)";

    (void)state;
    check_limited(rank, 1000, 1 << 20, 0, more);
    check_limited(rank, 100, 1 << 20, 0, "the end is missing");
    check_limited(members, 1, 1 << 20, 0, more);
    check_limited(members, 1, 8 << 20, 0, "the end is missing");
    check_limited(rank, 1000, 0, 1 << 20, "all that was read needs more than half of the memory");
    check_limited(members, 1, 0, 1 << 20, "all that was read needs more than half of the memory");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_is_replaced),
        cmocka_unit_test(lines_are_moved),
        cmocka_unit_test(it_is_cut_anywhere),
        cmocka_unit_test(single_bytes_are_changed),
        cmocka_unit_test(messages_name_the_line_and_what_is_wrong),
        cmocka_unit_test(what_newer_programs_add_is_ignored),
        cmocka_unit_test(long_and_deep_lines_are_refused),
        cmocka_unit_test(members_may_be_missing),
        cmocka_unit_test(memory_is_limited),
    };

    stride = choose_stride();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
