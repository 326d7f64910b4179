/*
 * fuzz_record.c - records of all kinds are read, concluded from, shown and written again.
 */
#include <glob.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/printable.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/look/records.h"
#include "mqd/dump/show/graph/picture_svg.h"
#include "mqd/dump/show/graph/wait_picture.h"
#include "mqd/dump/show/json.h"
#include "mqd/dump/show/page/page.h"
#include "mqd/dump/show/text/layout_text.h"
#include "mqd/dump/show/text/listing_text.h"
#include "mqd/dump/show/text/sources.h"
#include "mqd/dump/show/text/stack_text.h"
#include "mqd/dump/show/text/verdict_text.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/dump_job.h"
#include "tests/unit/dump_record.h"
#include "tests/unit/unit_test.h"
#include "tests/unit/verdict_case.h"

/* What is printed. */

struct output {
    char *text;
    size_t n;
    FILE *to;
};

static void start_output(struct output *output)
{
    output->to = open_memstream(&output->text, &output->n);
    if (output->to == NULL)
        abort();
}

/* What is around a place that is wrong, for the report. */
static char *around(const struct output *output, size_t at)
{
    size_t start = at > 80 ? at - 80 : 0;
    char *text = allocate_array(161, 1);

    memcpy(text, output->text + start, output->n - start < 160 ? output->n - start : 160);
    return text;
}

/* Nothing that a terminal would act on. */
static void check_printable(struct output *output, const char *what)
{
    fclose(output->to);
    for (size_t at = 0; at < output->n;) {
        uint32_t character = 0;
        size_t length = utf8_length((const unsigned char *)output->text + at, &character);

        if (length == 0 || (character < ' ' && character != '\n') || (character >= 0x7f && character < 0xa0) ||
            is_direction_control(character))
            fuzz_fail("%s has a byte %#x that no terminal may get, at %zu: %s", what,
                      (unsigned char)output->text[at], at, around(output, at));
        at += length;
    }
    free(output->text);
}

static void check_json(struct output *output)
{
    json_error_t error;
    json_t *document;

    fclose(output->to);
    document = json_loadb(output->text, output->n, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL,
                          &error);
    if (document == NULL)
        fuzz_fail("what --json prints is no JSON: %s, at %d: %s", error.text, error.position,
                  around(output, (size_t)error.position));
    json_decref(document);
    free(output->text);
}

static void show_picture(const struct picture *picture)
{
    struct output output;

    start_output(&output);
    picture_print_dot(output.to, picture);
    check_printable(&output, "the graph");
    start_output(&output);
    picture_print_svg(output.to, picture);
    check_printable(&output, "the picture");
}

/* Is a tag of the page's own at this place? */
static bool is_tag(const char *at)
{
    static const char *const tags[] = {"!DOCTYPE html", "html", "head", "meta", "title", "style", "body", "header", "h1",
                                       "h2", "h3", "nav", "main", "section", "article", "a", "b", "p", "ul", "ol", "li",
                                       "span", "button", "div", "table", "thead", "tbody", "tr", "th", "td", "footer",
                                       "script", "svg", "defs", "marker", "path", "g", "rect", "text", "details",
                                       "summary"};

    at += *at == '/';
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        size_t length = strlen(tags[i]);

        if (strncmp(at, tags[i], length) == 0 && (at[length] == ' ' || at[length] == '>' || at[length] == '/'))
            return true;
    }
    return false;
}

/* Text of the record is text: it makes no tags, and no second script. The script itself has "<" too. */
static void check_page(struct output *output)
{
    const char *script, *end;
    struct output parts;

    fclose(output->to);
    script = strstr(output->text, "<script>");
    if (script == NULL || strstr(script + 1, "<script") != NULL)
        fuzz_fail("the page has not one script");
    end = strstr(script, "</script>");
    for (const char *at = output->text; (at = strchr(at, '<')) != NULL; at++) {
        if (at > script && at < end)
            continue;
        if (!is_tag(at + 1))
            fuzz_fail("the page has a tag that is not its own: %.60s", at);
    }
    start_output(&parts);
    fwrite(output->text, 1, (size_t)(script - output->text), parts.to);
    check_printable(&parts, "the page");
    free(output->text);
}

static void show_page(const struct records *records, const struct explanation *explanation, const struct picture *picture)
{
    const struct page page = {.witnesses = records->witnesses, .n = records->n_witnesses, .explanation = explanation,
                              .picture = picture, .looks = records->looks, .n_looks = records->n_looks};
    struct output output;

    start_output(&output);
    page_print(output.to, &page);
    check_page(&output);
}

static void show_text(struct records *records, const struct explanation *explanation, const struct listing **listings)
{
    struct output output;

    start_output(&output);
    sources_print(output.to, records->sources, records->n_looks, records->witnesses, records->n_witnesses);
    verdict_print(output.to, explanation, listings, records->n_witnesses);
    check_printable(&output, "the verdict");
    start_output(&output);
    stacks_print(output.to, listings, records->n_witnesses);
    text_print(output.to, listings, records->n_witnesses, &(struct words){0}, false);
    text_print(output.to, listings, records->n_witnesses, &(struct words){0}, true);
    layout_print(output.to, listings, records->n_witnesses);
    check_printable(&output, "the queues or the layout");
}

/* As mqdump does, with all options. */
static void conclude_and_show(struct records *records)
{
    const struct listing **listings = allocate_array(records->n_witnesses, sizeof *listings);
    struct analysis analysis;
    struct explanation explanation = {0};
    struct picture picture = {0};
    struct output output;

    for (size_t i = 0; i < records->n_witnesses; i++)
        listings[i] = records->listings[i];
    analysis_make(&analysis, records->witnesses, records->n_witnesses);
    explanation_conclude(&explanation, &analysis);
    sources_doubt(records->sources, records->n_looks, records->witnesses, records->n_witnesses, &explanation);
    picture_draw(&picture, &analysis);
    analysis_clear(&analysis);
    show_picture(&picture);
    start_output(&output);
    json_print(output.to, listings, records->n_witnesses, &explanation, records->sources, records->n_looks);
    check_json(&output);
    for (size_t i = 0; i < records->n_witnesses; i++)
        listing_hide_internal(records->listings[i]);
    show_text(records, &explanation, listings);
    show_page(records, &explanation, &picture);
    picture_clear(&picture);
    explanation_clear(&explanation);
    free(listings);
}

/* What was read and is written reads as the same. */

static char *write_again(const struct record *record, size_t *n)
{
    struct record_look *looks = allocate_array(record->n_looks, sizeof *looks);
    struct witness *witnesses = allocate_array(record->n, sizeof *witnesses);
    char *text;
    FILE *to = open_memstream(&text, n);

    memcpy(looks, record->looks, record->n_looks * sizeof *looks);
    looks[0].n_processes = record->n;
    for (size_t i = 0; i < record->n; i++)
        witnesses[i] = record->ranks[i]->witness;
    record_put(to, looks, record->n_looks, witnesses, record->n, NULL, &record->statistics);
    fclose(to);
    free(looks);
    free(witnesses);
    return text;
}

static void check_written(const struct record *record)
{
    struct record again;
    size_t n_first, n_second;
    char *first = write_again(record, &n_first), *second;

    record_take(&again, first, n_first, n_first);
    for (size_t i = 0; i < n_first; i++)
        if ((unsigned char)first[i] >= 0x80)
            fuzz_fail("a record has a byte %#x that no terminal may get, at %zu", (unsigned char)first[i], i);
    if (again.problem != NULL)
        fuzz_fail("what was read and written again cannot be read: %s\n%s", again.problem, first);
    second = write_again(&again, &n_second);
    if (n_first != n_second || memcmp(first, second, n_first) != 0)
        fuzz_fail("what was read and written again reads as something else:\n%s%s", first, second);
    record_clear(&again);
    free(first);
    free(second);
}

/* Files. */

/* The path of a file that is in memory. */
static void write_file(char *path, size_t size, int *descriptor, const void *bytes, size_t n)
{
    *descriptor = memfd_create("record", MFD_CLOEXEC);
    if (*descriptor < 0 || write(*descriptor, bytes, n) != (ssize_t)n)
        fuzz_fail("no file for the record");
    snprintf(path, size, "/proc/self/fd/%d", *descriptor);
}

/* Where a second record starts, which is another file: at a header that is not the first line. */
static size_t find_second(const unsigned char *bytes, size_t n)
{
    static const char header[] = "\n{\"line\":\"header\"";
    const unsigned char *found = n > 0 ? memmem(bytes, n, header, sizeof header - 1) : NULL;

    return found != NULL ? (size_t)(found - bytes) + 1 : n;
}

static void run(const unsigned char *bytes, size_t n)
{
    char path[2][64];
    const char *const paths[] = {path[0], path[1]};
    size_t second = find_second(bytes, n);
    struct records records;
    int files[2];

    write_file(path[0], sizeof path[0], &files[0], bytes, second);
    write_file(path[1], sizeof path[1], &files[1], bytes + second, n - second);
    records_read(&records, paths, second < n ? 2 : 1);
    if (records.records[0].n > 0)
        check_written(&records.records[0]);
    if (records.complete || records.n_witnesses > 0)
        conclude_and_show(&records);
    records_clear(&records);
    warnings_clear();
    close(files[0]);
    close(files[1]);
}

/* In place of the last line one that counts what is there: the record is complete if nothing else is wrong. */
static void count_again(struct input *input)
{
    static const char end[] = "{\"line\":\"end\"";
    size_t n_lines = 0, n_ranks = 0, at = 0;
    char text[96];

    while (at < input->n) {
        const unsigned char *line = input->bytes + at, *stop = memchr(line, '\n', input->n - at);
        size_t length = stop != NULL ? (size_t)(stop - line) + 1 : input->n - at;

        if (length > sizeof end && memcmp(line, end, sizeof end - 1) == 0)
            break;
        n_lines++;
        n_ranks += memmem(line, length, "\"line\":\"rank\"", 13) != NULL;
        at += length;
    }
    snprintf(text, sizeof text, "%s,\"ranks\":%zu,\"lines\":%zu}\n", end, n_ranks, n_lines + 1);
    input_replace(input, at, input->n - at, text, strlen(text));
}

static void make(struct input *input, const struct input *other, uint64_t i, struct numbers *numbers)
{
    (void)i;
    for (size_t n = 1 + number_below(numbers, 6); n > 0; n--)
        mutate_lines(input, other, numbers);
    if (!once_in(numbers, 4))
        count_again(input);
    if (once_in(numbers, 4))
        input_replace(input, input->n, 0, other->bytes, other->n);
}

/* The jobs of tests/unit/verdicts/. A process that has something everywhere is among them more than once. */
static void begin(void)
{
    const char *srcdir = getenv("srcdir");
    char *pattern = format_text("%s/tests/unit/verdicts/*.txt", srcdir != NULL ? srcdir : ".");
    struct full_rank *full = full_rank_make(3);
    char *text, *full_text = record_text((const struct witness[]){full->witness, full->witness}, 2);
    struct verdict_cases all = {0};
    glob_t paths;

    if (glob(pattern, 0, NULL, &paths) != 0)
        fuzz_fail("there is no %s", pattern);
    for (size_t i = 0; i < paths.gl_pathc; i++)
        verdict_cases_read(&all, paths.gl_pathv[i]);
    for (size_t i = 0; i < all.n; i++) {
        size_t n;
        const struct witness *witnesses = verdict_case_make(&all.cases[i], &n);

        text = PRINTED(record_put_job(test_to, witnesses, n));
        if (strlen(text) < MAX_INPUT)
            fuzz_add(text, strlen(text));
        if (i % 8 == 0)
            fuzz_add(full_text, strlen(full_text));
        job_end();
        (void)unit_test_end(NULL, 0, false);
    }
    verdict_cases_clear(&all);
    full_rank_free(full);
    globfree(&paths);
    free(full_text);
    free(pattern);
}

int main(int argc, char **argv)
{
    const struct harness harness = {.name = "record", .begin = begin, .make = make, .run = run};

    return fuzz_main(&harness, argc, argv);
}
