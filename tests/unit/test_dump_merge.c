/*
 * test_dump_merge.c - records as one record: a report of it is that of the records, in whatever order and however they
 * are grouped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Before CMocka, which has a macro of the name of a function there. */
#include "mqd/dump/base/memory.h"
#include <cmocka.h>

#include "dump_job.h"
#include "dump_record.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/merge.h"
#include "mqd/dump/read_records.h"
#include "mqd/dump/record/read.h"
#include "mqd/dump/record/write.h"
#include "mqd/dump/show/json.h"
#include "mqd/dump/show/listing_text.h"
#include "mqd/dump/show/verdict_text.h"

enum { N_FILES = 8, N_PLACES = 6, N_RANKS = 6 };

/* Files of their own, and those that are merged into. */
static char *files[N_FILES], *merged[N_PLACES];

static char *make_path(void)
{
    char *path = copy_string("/tmp/test_dump_merge.XXXXXX");
    int file = mkstemp(path);

    assert_true(file >= 0);
    close(file);
    return path;
}

/* Ranks that wait for each other in a circle, and count their messages. */
static int start_test(void **state)
{
    (void)state;
    for (int i = 0; i < N_FILES; i++)
        files[i] = make_path();
    for (int i = 0; i < N_PLACES; i++)
        merged[i] = make_path();
    job_start(N_RANKS);
    for (size_t i = 0; i < N_RANKS; i++) {
        job.listings[i].job = copy_string("job");
        job.witnesses[i].job = job.listings[i].job;
        job_in(i, "MPI_Recv");
        job_mark_waited(job_receive(i, WORLD, (long)((i + 1) % N_RANKS), 5));
        job_communicator_of(i, WORLD)->has_traffic = true;
    }
    return 0;
}

static void remove_path(char *path)
{
    unlink(path);
    free(path);
}

static int end_test(void **state)
{
    (void)state;
    for (int i = 0; i < N_FILES; i++)
        remove_path(files[i]);
    for (int i = 0; i < N_PLACES; i++)
        remove_path(merged[i]);
    warnings_clear();
    job_end();
    return 0;
}

/* Of each path what there is besides its name. */
static void hide_names(struct records *records)
{
    for (size_t i = 0; i < records->n_looks; i++)
        records->sources[i].file = "FILE";
}

/* All that mqdump would print, but for the names of files. */
static char *report_of(const char *const *paths, size_t n, bool json)
{
    struct records records;
    struct verdict verdict = {0};
    char *text;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    const struct listing **listings;

    records_read(&records, paths, n);
    hide_names(&records);
    listings = allocate_array(records.n_witnesses, sizeof *listings);
    for (size_t i = 0; i < records.n_witnesses; i++)
        listings[i] = records.listings[i];
    verdict_reach(&verdict, records.witnesses, records.n_witnesses);
    records_doubt(&records, &verdict);
    if (json) {
        json_print_with_verdict(to, listings, records.n_witnesses, &verdict, records.sources, records.n_looks);
    } else {
        sources_print(to, records.sources, records.n_looks);
        verdict_print(to, &verdict, listings, records.n_witnesses);
        text_print(to, listings, records.n_witnesses);
    }
    fprintf(to, "%s, %d reads\n", records.complete ? "complete" : "not complete",
            (int)records_statistics(&records).n_reads);
    fclose(to);
    verdict_clear(&verdict);
    records_clear(&records);
    free(listings);
    return text;
}

static void same_reports(const char *const *a, size_t n_a, const char *const *b, size_t n_b)
{
    for (int json = 0; json < 2; json++) {
        char *x = report_of(a, n_a, json != 0), *y = report_of(b, n_b, json != 0);

        assert_string_equal(x, y);
        free(x);
        free(y);
    }
}

/* Merges files of these numbers; from 100 on they are merged ones. */
static bool merge_numbers(const int *numbers, size_t n, int to)
{
    const char *paths[N_FILES];

    for (size_t i = 0; i < n; i++)
        paths[i] = numbers[i] < 100 ? files[numbers[i]] : merged[numbers[i] - 100];
    return merge_records(paths, n, merged[to]);
}

#define MERGE(to, ...) merge_numbers((const int[]){__VA_ARGS__}, sizeof(int[]){__VA_ARGS__} / sizeof(int), to)

/* Four hosts, one of which was looked at twice. */
static void save_hosts(void)
{
    record_save(files[0], "n03", 10, &job.witnesses[0], 2);
    record_save(files[1], "n01", 30, &job.witnesses[2], 2);
    record_save(files[2], "n02", 5, &job.witnesses[4], 1);
    record_save(files[3], "n04", 40, &job.witnesses[5], 1);
    job_set_call(1, 0, "MPI_Send", "elsewhere");
    record_save(files[4], "n03", 20, &job.witnesses[0], 2);
    job_in(1, "MPI_Recv");
}

static void any_order_and_grouping_gives_the_same_report(void **state)
{
    const char *const *all = (const char *const *)files;
    const char *one[1];
    char *text;

    (void)state;
    save_hosts();
    text = report_of(all, 5, true);
    assert_non_null(strstr(text, "\"moved\":[1],\"same\":[0]"));
    free(text);
    assert_true(MERGE(0, 0, 1, 2, 3, 4));
    assert_true(MERGE(1, 4, 2, 0, 3, 1));
    assert_true(MERGE(2, 3, 1));
    assert_true(MERGE(3, 4, 102));
    assert_true(MERGE(4, 2, 103, 0));
    assert_true(MERGE(5, 104));
    for (int i = 0; i < N_PLACES; i++) {
        if (i == 2 || i == 3)
            continue;
        one[0] = merged[i];
        same_reports(all, 5, one, 1);
    }
    same_reports(all, 5, (const char *[]){merged[3], files[0], files[2]}, 3);
    same_reports(all, 5, (const char *[]){files[2], merged[2], files[4], files[0]}, 4);
}

/* Each line of the first, with the number of times that it is there. */
static size_t count_lines(const char *path, const char *part)
{
    FILE *from = fopen(path, "r");
    char *line = NULL;
    size_t room = 0, n = 0;

    assert_non_null(from);
    while (getline(&line, &room, from) > 0)
        n += strstr(line, part) != NULL;
    free(line);
    fclose(from);
    return n;
}

/* Groups, places and layouts that all hosts have, and warnings, are there once. */
static void what_hosts_have_in_common_is_written_once(void **state)
{
    struct record_writer writer;
    FILE *to;

    (void)state;
    save_hosts();
    for (int i = 5; i < 8; i++) {
        to = fopen(files[i], "w");
        assert_non_null(to);
        record_begin_with(&writer, to, &(struct record_look){.host = (char *)"n09", .problem = (char *)"no route"});
        record_write_warning(&writer, i < 7 ? "the same" : "another");
        record_end(&writer, &(struct record_statistics){0});
        fclose(to);
    }
    assert_true(MERGE(0, 0, 1, 2, 3, 4, 5, 6, 7));
    assert_int_equal(count_lines(merged[0], "\"line\":\"group\""), count_lines(files[0], "\"line\":\"group\""));
    assert_int_equal(count_lines(merged[0], "\"line\":\"layout\""), 1);
    assert_int_equal(count_lines(merged[0], "\"line\":\"look\""), 7);
    assert_int_equal(count_lines(merged[0], "\"line\":\"warning\""), 2);
    assert_int_equal(count_lines(merged[0], "\"line\":\"header\""), 1);
    assert_int_equal(count_lines(merged[0], "\"problem\":\"no route\""), 1);
}

static void cut(int file, long less)
{
    FILE *from = fopen(files[file], "r");
    long size;

    assert_non_null(from);
    assert_int_equal(fseek(from, 0, SEEK_END), 0);
    size = ftell(from);
    fclose(from);
    assert_int_equal(truncate(files[file], size - less), 0);
}

static void what_is_whole_of_a_cut_record_is_merged(void **state)
{
    struct records records;

    (void)state;
    save_hosts();
    cut(3, 5);
    cut(0, 200);
    assert_false(MERGE(0, 0, 1, 2, 3, 4));
    same_reports((const char *const *)files, 5, (const char *[]){merged[0]}, 1);
    assert_true(MERGE(1, 100));
    same_reports((const char *const *)files, 5, (const char *[]){merged[1]}, 1);
    records_read(&records, (const char *[]){merged[1]}, 1);
    assert_int_equal(records.n_looks, 5);
    assert_string_equal(records.looks[4]->host, "n04");
    assert_non_null(strstr(records.looks[4]->problem, "the end is missing; 1 of 1 processes are there"));
    assert_true(records.records[0].complete && !records.complete);
    records_clear(&records);
}

static void what_is_no_record_is_told_with_its_name(void **state)
{
    struct records records;
    char *name;

    (void)state;
    save_hosts();
    cut(1, 0);
    assert_false(MERGE(0, 5, 0, 1, 2, 3, 4));
    assert_false(merge_records((const char *[]){"/nowhere", merged[0]}, 2, merged[1]));
    records_read(&records, (const char *[]){merged[1]}, 1);
    assert_int_equal(records.n_looks, 7);
    assert_int_equal(records.n_witnesses, N_RANKS);
    name = format_text("%s: line 1: it is no record of mqdump", files[5]);
    assert_string_equal(records.looks[5]->problem, "/nowhere: cannot be read: No such file or directory");
    assert_int_equal(strncmp(records.looks[6]->problem, name, strlen(name)), 0);
    assert_true(records_have_why(&records));
    free(name);
    records_clear(&records);
}

/* The file that it is written to may be one that it is made of. */
static void a_record_is_merged_into_itself(void **state)
{
    (void)state;
    save_hosts();
    assert_true(MERGE(0, 0, 1));
    assert_true(MERGE(0, 100, 2, 3, 4));
    same_reports((const char *const *)files, 5, (const char *[]){merged[0]}, 1);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(any_order_and_grouping_gives_the_same_report, start_test, end_test),
        cmocka_unit_test_setup_teardown(what_hosts_have_in_common_is_written_once, start_test, end_test),
        cmocka_unit_test_setup_teardown(what_is_whole_of_a_cut_record_is_merged, start_test, end_test),
        cmocka_unit_test_setup_teardown(what_is_no_record_is_told_with_its_name, start_test, end_test),
        cmocka_unit_test_setup_teardown(a_record_is_merged_into_itself, start_test, end_test),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
