/*
 * test_dump_record_hostile.c - records that somebody has changed, cut or made up: a message and no harm.
 *
 * What is accepted is also concluded from and shown.
 */
#include "unit_test.h"

#include "dump_job.h"
#include "dump_record.h"
#include "mqd/dump/record/read.h"
#include "mqd/dump/show/graph/picture_svg.h"
#include "mqd/dump/show/graph/wait_picture.h"
#include "mqd/dump/show/json.h"
#include "mqd/dump/show/page/page.h"
#include "mqd/dump/show/text/layout_text.h"
#include "mqd/dump/show/text/listing_text.h"
#include "mqd/dump/show/text/stack_text.h"
#include "mqd/dump/show/text/verdict_text.h"
#include "verdict_case.h"

enum { PIECE = 1000 };

/* What is put in place of a value. The last one: it is left out. */
static const char *const variants[] = {
    "-1", "0", "2", "17", "16000000", "2147483648", "9223372036854775807", "-9223372036854775808", "null", "true",
    "1e300", "\"\"", "\"0xffffffffffffffff\"", "{\"bytes\":\"ff1b\"}", "[]", "{}", "[[0,50000]]",
    "\"\\u001b[31m%s%n\"", ""};

/* One in so many changes is tried. With MQD_TEST_WHOLE each one is. */
static size_t choose_stride(size_t few)
{
    return getenv("MQD_TEST_WHOLE") != NULL && getenv("MQD_TEST_SLOW") == NULL ? 1 : few;
}

/* A record. */

/* Ranks that wait for each other in several ways, some of several jobs, and a process that has something everywhere. */
static char *make_text(bool named)
{
    struct full_rank *full = full_rank_make(1);
    struct witness witnesses[5];
    char *text;

    job_make(test_text("ranks 3+1\ncommunicator both: of a0 / b0\ncommunicator part: of a1,a2\n"
                       "a0: MPI_Recv from 1 tag 5 marked; thread MPI_Probe at exchange+0x5c; message from 1 tag 6\n"
                       "a1: MPI_Ssend to 0 tag 6\na2: MPI_Barrier from 0 tag -16\nb0: MPI_Finalize\n"
                       "a0,a1,a2,b0: user=0%s", named ? "" : " job=\"\""));
    memcpy(witnesses, job.witnesses, 4 * sizeof *witnesses);
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
    struct analysis analysis;
    struct explanation explanation = {0};
    struct picture picture = {0};
    char *text;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    for (size_t i = 0; i < record->n; i++) {
        witnesses[i] = record->ranks[i]->witness;
        listings[i] = witnesses[i].listing;
    }
    analysis_make(&analysis, witnesses, record->n);
    explanation_conclude(&explanation, &analysis);
    picture_draw(&picture, &analysis);
    analysis_clear(&analysis);
    picture_print_dot(to, &picture);
    json_print(to, listings, record->n, &explanation, NULL, 0);
    for (size_t i = 0; i < record->n; i++)
        listing_hide_internal(&record->ranks[i]->listing);
    verdict_print(to, &explanation, listings, record->n);
    text_print(to, listings, record->n, &(struct words){0}, false);
    stacks_print(to, listings, record->n);
    page_print(to, &(struct page){.witnesses = witnesses, .n = record->n, .explanation = &explanation,
                                  .picture = &picture});
    layout_print(to, listings, record->n);
    fclose(to);
    free(text);
    picture_clear(&picture);
    explanation_clear(&explanation);
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

/* The end of a value, or of a member with its key. */
static const char *end_of_value(const char *at)
{
    bool quoted = false;

    for (int depth = 0; quoted || depth > 0 || strchr(",]}", *at) == NULL; at++)
        if (quoted && *at == '\\')
            at++;
        else if (*at == '"')
            quoted = !quoted;
        else if (!quoted)
            depth += (*at == '[' || *at == '{') - (*at == ']' || *at == '}');
    return at;
}

/* Values are behind these, and members, which are left out with their keys. */
TEST(every_value_is_replaced)
{
    const size_t stride = choose_stride(N_OF(variants));
    char *text = of_test(make_text(true));
    size_t n_values = 0, n_accepted = 0, n_all = 0;
    bool quoted = false;

    assert_true(survive(text, strlen(text)));
    for (const char *at = text; *at != '\0'; at++) {
        const char *end;

        quoted ^= *at == '"' && at[-1] != '\\';
        if (quoted || strchr(":,[{", *at) == NULL)
            continue;
        end = end_of_value(at + 1);
        for (size_t i = n_values++ % stride; i < N_OF(variants); i += stride) {
            bool left_out = *variants[i] == '\0' && *end == ',';
            char *changed = format_text("%.*s%s%s", (int)(at + 1 - text), text, variants[i], end + left_out);

            n_accepted += survive(changed, strlen(changed));
            n_all++;
            free(changed);
        }
    }
    assert_true(n_accepted > 100 && n_all - n_accepted > 100);
}

/* Lines in another order, twice, and missing. */
TEST(lines_are_moved)
{
    char *text = make_text(false);

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

TEST(it_is_cut_anywhere)
{
    char *text = make_text(false);
    size_t length = strlen(text), n_before = 0;

    for (size_t i = 0; i < length; i += i < length - 500 ? choose_stride(101) : 1) {
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

TEST(single_bytes_are_changed)
{
    static const char bytes[] = {0, '\n', '"', '{', '9', '\x80'};
    char *text = make_text(false);
    size_t length = strlen(text);

    for (size_t i = 0; i < length; i += choose_stride(101)) {
        char before = text[i];

        text[i] = bytes[i % sizeof bytes];
        (void)survive(text, length);
        text[i] = before;
    }
    free(text);
}
