/*
 * test_dump_records.c - several records together: each rank once, as the latest record shows it, and who has moved; and
 * records as one record.
 */
#include <sys/stat.h>
#include <unistd.h>

#define TEST_SETUP start_test()
#define TEST_TEARDOWN end_test()
#include "unit_test.h"

#include "dump_findings.h"
#include "dump_job.h"
#include "dump_record.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/look/records.h"
#include "mqd/dump/role/save.h"
#include "mqd/dump/show/json.h"
#include "mqd/dump/show/text/listing_text.h"
#include "mqd/dump/show/text/sources.h"
#include "mqd/dump/show/text/verdict_text.h"
#include "verdict_case.h"

/* The last ones are merged into. */
enum { N_FILES = 14 };

static char *paths[N_FILES];
static struct records records;

static void start_test(void)
{
    for (int i = 0; i < N_FILES; i++)
        paths[i] = test_file(test_path("/%d", i), "", 0);
}

static void end_test(void)
{
    records_clear(&records);
    warnings_clear();
    findings_end();
}

/* Ranks that wait for each other in a circle. Nobody knows how many messages there were, unless it is said. */
static void start_ring(size_t n, const char *more)
{
    job_make(test_text("ranks %zu\n0-%zu: MPI_Recv from next tag 5 marked; job=job user=0\n%s", n, n - 1, more));
}

/* Writes some ranks of the job, as seen on a host at that second of its clock, to a file. */
static void save_on(const char *host, int file, size_t first, size_t n, int second)
{
    record_save(paths[file], host, second, job.witnesses + first, n);
}

static void save(int file, size_t first, size_t n, int second)
{
    save_on("node", file, first, n, second);
}

static void read_from(const char *const *from, size_t n)
{
    records_read(&records, from, n);
    explanation_reach(&explanation, records.witnesses, records.n_witnesses);
    sources_doubt(records.sources, records.n_looks, records.witnesses, records.n_witnesses, &explanation);
}

/* Appends "; since 0 of job/0: 1 same, 1 moved". */
static char *say_changes(char *text, size_t look)
{
    const struct source *source = &records.sources[look];

    for (size_t first = 0; first < source->n_changes;) {
        struct source_job job = source_job_at(source, first);
        char *moved = "";
        size_t n_same = 0;

        for (size_t i = job.first; i < job.end; i++) {
            n_same += !source->changes[i].moved;
            if (source->changes[i].moved)
                moved = test_text("%s, %ld moved", moved, source->changes[i].rank);
        }
        text = test_text("%s; since %zu of %s/%ld: %zu same%s", text, look, source->changes[first].job,
                         source->changes[first].user, n_same, moved);
        first = job.end;
    }
    return text;
}

/* "n01: 0 1 | n02: 2; of 0: 1 same, moved 1": ranks by looks, and what has changed since which look. */
static const char *said_of_ranks(void)
{
    char *text = records.complete ? "" : "not complete:";

    for (size_t i = 0; i < records.n_witnesses; i++) {
        const struct witness *witness = &records.witnesses[i];
        bool is_first = i == 0 || witness[-1].look != witness->look;

        text = test_text("%s%s%s", text, is_first && i > 0 ? " |" : "", *text != '\0' ? " " : "");
        if (is_first && witness->host != NULL && strcmp(witness->host, "node") != 0)
            text = test_text("%s%s: ", text, witness->host);
        text = test_text("%s%ld", text, witness->listing->rank);
    }
    for (size_t i = 0; i < records.n_looks; i++)
        text = say_changes(text, i);
    return text;
}

/* What is read from the first n files: its ranks and findings. */
static const char *read_files(size_t n)
{
    const char *text;

    read_from((const char *const *)paths, n);
    text = said_of_ranks();
    for (size_t i = 0; i < explanation.verdict.n; i++)
        text = test_text("%s %s", text, say_finding(&explanation.verdict.findings[i]));
    return test_text("%s%s", text, explanation.verdict.unclear  ? " => unknown"
                                   : explanation.verdict.n == 0 ? " => nothing"
                                                                : "");
}

TEST(ranks_of_several_records_are_joined)
{
    start_ring(4, "0-3: on world counted");
    save(0, 2, 2, 10);
    save(1, 0, 2, 40);
    assert_string_equal(read_files(2), "2 3 | 0 1 => deadlock certain job:0-3");
}

/* What is not borne out by counts may have been refuted from one look to the other. */
TEST(without_counts_a_finding_across_looks_is_only_possible)
{
    start_ring(4, "");
    save(0, 0, 2, 10);
    save(1, 2, 2, 10);
    assert_string_equal(read_files(2), "0 1 | 2 3 => deadlock possible job:0-3");
    assert_int_equal(explanation.n_notes, 1);
    assert_has(explanation.notes[0], "The ranks were not looked at together");
}

TEST(within_one_look_it_is_certain_without_counts)
{
    start_ring(4, "");
    save(0, 0, 4, 10);
    assert_string_equal(read_files(1), "0 1 2 3 => deadlock certain job:0-3");
}

/* A message that was sent after the look at its receiver. */
TEST(counts_show_what_was_on_its_way)
{
    start_ring(2, "0-1: on world counted\n1: sent 1 to 0");
    save(0, 0, 1, 10);
    save(1, 1, 1, 20);
    assert_string_equal(read_files(2), "0 | 1 => nothing");
}

/* The order of the files says nothing. */
TEST(time_decides_which_record_is_later)
{
    start_ring(3, "");
    save(2, 0, 3, 10);
    job_set_call(2, 0, "MPI_Send", "elsewhere");
    save(0, 0, 3, 30);
    job_set_call(2, 0, "MPI_Bcast", "elsewhere");
    save(1, 0, 3, 20);
    assert_string_equal(read_files(3), "0 1 2; since 0 of job/0: 2 same, 2 moved; since 1 of job/0: 2 same, 2 moved "
                        "=> waits_for_busy possible job:0,1 for job:2 => unknown");
    assert_string_equal(records.witnesses[2].calls->calls[0].function, "MPI_Send");
    assert_string_equal(records.sources[0].file, paths[2]);
}

/* Two processes in one record that claim one rank are left to the verdict. */
TEST(a_rank_that_is_claimed_twice_in_one_record_stays_twice)
{
    start_ring(3, "2: rank=1");
    save(0, 0, 3, 10);
    read_files(1);
    assert_string_equal(said_of_ranks(), "0 1 1");
}

/* Somebody else's process says that it is rank 1 of the job: it does not take the place of the one that is. */
TEST(ranks_of_different_users_are_not_joined)
{
    job_make("ranks 2+1\na0: MPI_Recv from 1 tag 5 marked\na1: MPI_Recv from 0 tag 5 marked\n"
             "a0,a1: user=0 job=job\nb0: user=54321 rank=1 job=job run 7");
    save(0, 0, 2, 10);
    save(1, 2, 1, 20);
    assert_string_equal(read_files(2), "0 1 | 1 => deadlock certain job/0:0,1");
}

/* Who has moved is told of each user's job. */
TEST(changes_of_different_users_are_told_apart)
{
    start_ring(2, "1: rank=0 user=54321");
    save(0, 0, 2, 10);
    job_set_call(1, 0, "MPI_Send", "elsewhere");
    save(1, 0, 2, 20);
    read_files(2);
    assert_string_equal(said_of_ranks(), "0 0; since 0 of job/0: 1 same; since 0 of job/54321: 0 same, 0 moved");
}

/* An earlier version's record and one of now. */
TEST(a_record_without_users_is_joined_by_names)
{
    start_ring(2, "0,1: user=-1");
    save(0, 0, 2, 10);
    job_end();
    start_ring(2, "0,1: user=1000");
    save(1, 0, 2, 20);
    assert_string_equal(read_files(2), "0 1; since 0 of job/-1: 2 same => deadlock certain job:0,1");
}

/* Without a launcher's name for the job processes are known by their machine and their pid. */
TEST(processes_without_a_job_are_known_by_pid)
{
    start_ring(2, "0,1: job=\"\"");
    save(0, 0, 2, 10);
    save(1, 0, 1, 20);
    read_files(2);
    assert_string_equal(said_of_ranks(), "0 | 1; since 0 of /0: 1 same");
}

/* Hosts. */

TEST(witnesses_name_their_hosts)
{
    start_ring(4, "0-3: on world counted");
    save_on("n02", 0, 2, 2, 10);
    save_on("n01", 1, 0, 2, 40);
    assert_string_equal(read_files(2), "n01: 0 1 | n02: 2 3 => deadlock certain job:0-3");
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(records.looks[records.witnesses[i].look]->host, records.witnesses[i].host);
    assert_string_equal(records.sources[0].file, paths[1]);
    assert_int_equal(records.sources[1].n_ranks, 2);
}

/* Clocks differ: of a process on each of two hosts none is the later one. */
TEST(a_rank_that_two_hosts_claim_stays_twice)
{
    start_ring(2, "");
    save_on("n01", 0, 0, 2, 10);
    job.listings[1].pid += 5;
    save_on("n02", 1, 1, 1, 50);
    save_on("n02", 2, 1, 1, 55);
    read_files(3);
    assert_string_equal(said_of_ranks(), "n01: 0 1 | n02: 1; since 1 of job/0: 1 same");
    assert_int_equal(records.witnesses[2].look, 2);
}

/* Seen from a container, a machine may have another name; its clock is the same. */
TEST(a_process_of_a_host_with_two_names_is_one)
{
    start_ring(2, "");
    save_on("n01", 0, 0, 2, 50);
    save_on("box", 1, 1, 1, 10);
    read_files(2);
    assert_string_equal(said_of_ranks(), "n01: 1 0; since 0 of job/0: 1 same");
}

/* Every host says who is in MPI_COMM_WORLD. */
TEST(groups_of_several_records_are_in_memory_once)
{
    const struct communicator *first, *other;

    start_ring(4, "communicator both: of 0,2\ncommunicator another: of 2,0 at 2");
    save_on("n01", 0, 0, 2, 10);
    save_on("n02", 1, 2, 2, 40);
    read_files(2);
    first = records.witnesses[0].listing->communicators;
    other = records.witnesses[2].listing->communicators;
    assert_ptr_equal(first[0].group, other[0].group);
    assert_ptr_equal(first[1].group, other[1].group);
    assert_ptr_not_equal(first[1].group, other[2].group);
    assert_int_equal(first[1].group[1], 2);
    assert_int_equal(other[2].group[1], 0);
}

/* Looks. */

/* The ring as seen on two hosts, and a third host with a rank that the launcher names, in one record. */
static char *text_of_three_hosts(void)
{
    struct record_look looks[3] = {{.host = (char *)"n02", .has = {.why = true, .queues = true}, .n_processes = 2,
                                    .taken = "2024-05-31T17:08:10.000000Z", .mqdump = (char *)"1"}};
    const struct listing unread = {.rank = 1, .pid = 4711, .user = -1, .job = job.listings[1].job,
                                   .error = (char *)"it is on n03, which did not answer"};
    struct witness witnesses[5];

    looks[1] = looks[0];
    looks[1].host = (char *)"n01";
    looks[2] = (struct record_look){.host = (char *)"n03", .problem = (char *)"no route"};
    memcpy(witnesses, job.witnesses, 4 * sizeof *witnesses);
    witnesses[0].look = witnesses[1].look = 1;
    witnesses[4] = (struct witness){.listing = &unread, .look = 2};
    return PRINTED(record_put(test_to, looks, 3, witnesses, 5, NULL, NULL));
}

TEST(looks_of_one_record_are_told_apart)
{
    char *text;

    start_ring(4, "");
    text = text_of_three_hosts();
    test_file(paths[0], text, strlen(text));
    assert_string_equal(read_files(1), "not complete: n01: 0 1 | n02: 2 3 => deadlock possible job:0-3 => unknown");
    assert_int_equal(records.n_looks, 3);
    assert_string_equal(records.sources[2].host, "n03");
    assert_string_equal(records.sources[2].problem, "no route");
    assert_int_equal(records.sources[2].n_ranks, 1);
    assert_true(records_content(&records).why);
}

/* What is missing is missing from the look that was read last. */
TEST(a_record_of_several_looks_that_was_cut)
{
    char *text, *second;

    start_ring(4, "");
    text = text_of_three_hosts();
    second = strstr(strstr(text, "\"line\":\"rank\"") + 1, "\n{\"line\":\"rank\"");
    test_file(paths[0], text, (size_t)(second + 1 - text));
    assert_string_equal(read_files(1), "not complete: n01: 0 => waits_for_unknown possible job:0 for job:1 => unknown");
    assert_string_equal(records.sources[2].problem, "no route");
    assert_has(records.records[0].problem, "the end is missing; 1 of 4 processes are there");
}

/* A program that knew no looks, and no lines that are like others, has meant nothing by such lines. */
TEST(a_record_of_the_first_format_has_one_look)
{
    static const char text[] =
        "{\"line\":\"header\",\"record\":\"ompi-mqd\",\"format\":1,\"mqdump\":\"0.1\",\"problem\":\"?\","
        "\"taken\":\"2024-05-31T17:08:59.123456Z\",\"processes\":2}\n"
        "{\"line\":\"look\",\"host\":\"n02\",\"problem\":\"no route\"}\n"
        "{\"line\":\"layout\",\"number\":0,\"gaps\":[{},{},{}]}\n"
        "{\"line\":\"rank\",\"layout\":0,\"pid\":7,\"rank\":0}\n"
        "{\"line\":\"rank\",\"layout\":0,\"pid\":8,\"look\":5,\"like\":1}\n"
        "{\"line\":\"end\",\"ranks\":2,\"lines\":6}\n";

    test_file(paths[0], text, strlen(text));
    read_files(1);
    assert_string_equal(said_of_ranks(), "0 -1");
    assert_int_equal(records.n_looks, 1);
    assert_int_equal(records.sources[0].n_ranks, 2);
}

/* What nothing is wrong with may be what has not come. */
TEST(a_record_that_was_cut_leaves_it_unclear)
{
    job_start(2);
    save(0, 0, 2, 10);
    assert_string_equal(read_files(1), "0 1 => nothing");
    records_clear(&records);
    assert_int_equal(truncate(paths[0], 900), 0);
    assert_string_equal(read_files(1), "not complete: 0 => unknown");
    assert_has(explanation.notes[explanation.n_notes - 1], "is not complete: line ");
}

TEST(a_file_that_is_no_record_does_not_hide_the_others)
{
    start_ring(2, "");
    save(1, 0, 2, 10);
    assert_string_equal(read_files(2), "not complete: 0 1 => deadlock certain job:0,1 => unknown");
    assert_true(records_content(&records).why && !records_content(&records).layout);
}

/* Merged: a report of one record is that of all, in whatever order and however they are grouped. */

/* All that mqdump would print, but for the names of files. */
static char *report_of(const char *const *from, size_t n, bool json)
{
    const struct listing *listings[6];

    read_from(from, n);
    for (size_t i = 0; i < records.n_looks; i++)
        records.sources[i].file = "FILE";
    assert_true(records.n_witnesses <= 6);
    for (size_t i = 0; i < records.n_witnesses; i++)
        listings[i] = records.listings[i];
    test_begin_output();
    if (json) {
        json_print(test_to, listings, records.n_witnesses, &explanation, records.sources, records.n_looks);
    } else {
        sources_print(test_to, records.sources, records.n_looks, records.witnesses, records.n_witnesses);
        verdict_print(test_to, &explanation, listings, records.n_witnesses);
        text_print(test_to, listings, records.n_witnesses, &(struct words){0}, false);
    }
    fprintf(test_to, "%s, %d reads\n", records.complete ? "complete" : "not complete",
            (int)records_statistics(&records).n_reads);
    explanation_clear(&explanation);
    records_clear(&records);
    return test_end_output();
}

/* The report of these files is that of the first five. */
static void check_same(const char *const *from, size_t n)
{
    for (int json = 0; json < 2; json++)
        assert_string_equal(report_of((const char *const *)paths, 5, json != 0), report_of(from, n, json != 0));
}

#define CHECK_SAME(...)                                                                                                \
    check_same((const char *[]){__VA_ARGS__}, sizeof(const char *[]){__VA_ARGS__} / sizeof(const char *))

/* Merges files of these numbers into another one. */
static bool merge_numbers(const int *numbers, size_t n, int to)
{
    const char *from[N_FILES];

    for (size_t i = 0; i < n; i++)
        from[i] = paths[numbers[i]];
    return merge_records(from, n, paths[to]);
}

#define MERGE(to, ...) merge_numbers((const int[]){__VA_ARGS__}, sizeof(int[]){__VA_ARGS__} / sizeof(int), to)

/* Four hosts, one of which was looked at twice. */
static void save_hosts(void)
{
    start_ring(6, "0-5: on world counted");
    save_on("n03", 0, 0, 2, 10);
    save_on("n01", 1, 2, 2, 30);
    save_on("n02", 2, 4, 1, 5);
    save_on("n04", 3, 5, 1, 40);
    job_set_call(1, 0, "MPI_Send", "elsewhere");
    save_on("n03", 4, 0, 2, 20);
    job_in(1, "MPI_Recv");
}

TEST(any_order_and_grouping_gives_the_same_report)
{
    save_hosts();
    assert_has(report_of((const char *const *)paths, 5, true), "\"moved\":[1],\"same\":[0]");
    assert_true(MERGE(8, 0, 1, 2, 3, 4));
    CHECK_SAME(paths[8]);
    assert_true(MERGE(9, 4, 2, 0, 3, 1));
    CHECK_SAME(paths[9]);
    assert_true(MERGE(10, 3, 1));
    CHECK_SAME(paths[2], paths[10], paths[4], paths[0]);
    assert_true(MERGE(11, 4, 10));
    CHECK_SAME(paths[11], paths[0], paths[2]);
    assert_true(MERGE(12, 2, 11, 0));
    CHECK_SAME(paths[12]);
    assert_true(MERGE(13, 12));
    CHECK_SAME(paths[13]);
}

/* In how many lines of a file is this? */
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
TEST(what_hosts_have_in_common_is_written_once)
{
    const struct record_look look = {.host = (char *)"n09", .problem = (char *)"no route"};

    save_hosts();
    for (int i = 5; i < 8; i++) {
        FILE *to = fopen(paths[i], "w");

        assert_non_null(to);
        record_put(to, &look, 1, NULL, 0, i < 7 ? "the same" : "another", NULL);
        fclose(to);
    }
    assert_true(MERGE(8, 0, 1, 2, 3, 4, 5, 6, 7));
    assert_int_equal(count_lines(paths[8], "\"line\":\"group\""), count_lines(paths[0], "\"line\":\"group\""));
    assert_int_equal(count_lines(paths[8], "\"line\":\"layout\""), 1);
    assert_int_equal(count_lines(paths[8], "\"line\":\"look\""), 7);
    assert_int_equal(count_lines(paths[8], "\"line\":\"warning\""), 2);
    assert_int_equal(count_lines(paths[8], "\"line\":\"header\""), 1);
    assert_int_equal(count_lines(paths[8], "\"problem\":\"no route\""), 1);
}

static void cut(int file, long less)
{
    struct stat status;

    assert_int_equal(stat(paths[file], &status), 0);
    assert_int_equal(truncate(paths[file], status.st_size - less), 0);
}

TEST(what_is_whole_of_a_cut_record_is_merged)
{
    save_hosts();
    cut(3, 5);
    cut(0, 200);
    assert_false(MERGE(8, 0, 1, 2, 3, 4));
    CHECK_SAME(paths[8]);
    assert_true(MERGE(9, 8));
    CHECK_SAME(paths[9]);
    read_from((const char *[]){paths[9]}, 1);
    assert_int_equal(records.n_looks, 5);
    assert_string_equal(records.looks[4]->host, "n04");
    assert_has(records.looks[4]->problem, "the end is missing; 1 of 1 processes are there");
    assert_true(records.records[0].complete && !records.complete);
}

TEST(what_is_no_record_is_told_with_its_name)
{
    char *name;

    save_hosts();
    cut(1, 0);
    assert_false(MERGE(8, 5, 0, 1, 2, 3, 4));
    assert_false(merge_records((const char *[]){"/nowhere", paths[8]}, 2, paths[9]));
    read_from((const char *[]){paths[9]}, 1);
    assert_int_equal(records.n_looks, 7);
    assert_int_equal(records.n_witnesses, 6);
    name = test_text("%s: line 1: it is no record of mqdump", paths[5]);
    assert_string_equal(records.looks[5]->problem, "/nowhere: cannot be read: No such file or directory");
    assert_int_equal(strncmp(records.looks[6]->problem, name, strlen(name)), 0);
    assert_true(records_content(&records).why);
}

/* The file that it is written to may be one that it is made of. */
TEST(a_record_is_merged_into_itself)
{
    save_hosts();
    assert_true(MERGE(8, 0, 1));
    assert_true(MERGE(8, 8, 2, 3, 4));
    CHECK_SAME(paths[8]);
}
