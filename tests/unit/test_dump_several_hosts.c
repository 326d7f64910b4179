/*
 * test_dump_several_hosts.c - ranks of several machines: how they are named.
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

#include "dump_findings.h"
#include "dump_job.h"
#include "mqd/dump/base/host_phrase.h"
#include "mqd/dump/name_hosts.h"
#include "mqd/dump/show/json.h"
#include "mqd/dump/show/layout_text.h"
#include "mqd/dump/show/listing_text.h"
#include "mqd/dump/show/picture_dot.h"
#include "mqd/dump/show/picture_svg.h"
#include "mqd/dump/show/verdict_text.h"
#include "mqd/dump/show/wait_picture.h"

enum { PER_HOST = 2, MAX_HOSTS = 16 };

/* What was printed last, for free() by the next. */
static char *output;
static char names[MAX_HOSTS][8];

static int end_test(void **state)
{
    free(output);
    output = NULL;
    return findings_end(state);
}

static FILE *start_output(void)
{
    static size_t size;

    free(output);
    return open_memstream(&output, &size);
}

/* Has the text that was printed last this in it, whatever its lines are? */
static void check_printed(const char *expected)
{
    char *text = copy_string(output), *to = text;

    for (const char *at = output; *at != '\0'; at++)
        if (*at != '\n' && (*at != ' ' || (to > text && to[-1] != ' ')))
            *to++ = *at;
        else if (to > text && to[-1] != ' ')
            *to++ = ' ';
    *to = '\0';
    if (strstr(text, expected) == NULL)
        fail_msg("'%s' is not printed:\n%s", expected, output);
    free(text);
}

/* All wait for the rank before, two of them on each machine. */
static void make_ring(size_t n)
{
    job_start(n);
    for (size_t i = 0; i < n; i++) {
        job_in(i, "MPI_Recv");
        job_receive(i, WORLD, (long)((i + n - 1) % n), 7);
        job.listings[i].calls = job.witnesses[i].calls;
        snprintf(names[i / PER_HOST], sizeof names[0], "n%02zu", i / PER_HOST + 1);
        job.listings[i].host = job.witnesses[i].host = names[i / PER_HOST];
    }
}

static const struct listing *const *listings(void)
{
    static const struct listing *pointers[MAX_HOSTS * PER_HOST];

    for (size_t i = 0; i < job.n_ranks; i++)
        pointers[i] = &job.listings[i];
    return pointers;
}

/* Phrases. */

static void check_phrase(const char *const *hosts, size_t n, const char *expected)
{
    char *text = host_phrase(hosts, n);

    assert_string_equal(text, expected);
    free(text);
}

static void hosts_become_phrases(void **state)
{
    const char *many[100];

    (void)state;
    check_phrase((const char *[]){"n02"}, 1, " on n02");
    check_phrase((const char *[]){"n03", "n01", "n01", "n02", "n01"}, 5, " on n[01-03]");
    check_phrase((const char *[]){"n03", NULL}, 2, "");
    check_phrase(NULL, 0, "");
    for (size_t i = 0; i < 100; i++)
        many[i] = format_text("host%zu", 2 * i);
    check_phrase(many, 100, " on 100 hosts");
    for (size_t i = 0; i < 100; i++)
        free((char *)many[i]);
}

static void lists_of_hosts_are_cut(void **state)
{
    const char *hosts[] = {"a", "b", "c1", "c2", "c3", "d"};
    char *text = host_phrase_list(hosts, 6, 40);

    (void)state;
    assert_string_equal(text, "a,b,c[1-3],d");
    free(text);
    text = host_phrase_list(hosts, 6, 5);
    assert_string_equal(text, "a,b,c1,... (6 hosts)");
    free(text);
}

/* Findings. */

static void findings_name_hosts(void **state)
{
    (void)state;
    make_ring(4);
    CHECK({FINDING_DEADLOCK, true, "0-3", ""});
    check_says(0, "Ranks 0-3 on n[01-02] wait for each other: 0 -> 3 -> 2 -> 1 -> 0.");
    check_says(0, "Rank 0 on n01 waits in MPI_Recv (called from main+0x20) for a message from rank 3 on n02 with tag 7 "
                  "on MPI_COMM_WORLD (room for 80 bytes).");
}

static void missing_rank_of_a_collective_is_on_its_host(void **state)
{
    (void)state;
    make_ring(6);
    for (size_t i = 0; i < 5; i++)
        job_communicator_of(i, WORLD)->queues[mqs_pending_receives].n = 0;
    for (size_t i = 0; i < 5; i++) {
        mqs_pending_operation *receive = job_receive(i, WORLD, 5, -17);

        job_in(i, "MPI_Barrier");
        job_facts(receive)->collective = job_facts(receive)->internal = 1;
        strcpy(job_facts(receive)->purpose, "MPI_Barrier");
    }
    CHECK({FINDING_NO_SEND, true, "5", "4"}, {FINDING_COLLECTIVE_MISSING, true, "0-4", "5"});
    check_says(1, "5 of 6 ranks are in MPI_Barrier on MPI_COMM_WORLD; rank 5 on n03 is missing.");
    check_says(1, "Ranks 0-4 on n[01-03] are in MPI_Barrier");
}

static void jobs_and_hosts_are_named(void **state)
{
    const size_t all[] = {0, 1, 2, 3};

    (void)state;
    make_ring(4);
    job_split(2);
    for (size_t i = 0; i < 4; i++) {
        job_communicator_of(i, WORLD)->queues[mqs_pending_receives].n = 0;
        job_add_communicator(i, 9, "merged", NULL, 4);
        job_set_peers(i, 9, false, all, 4);
        job_receive(i, 9, (long)((i + 3) % 4), 7)->desired_global_rank = -1;
    }
    verdict_reach(&verdict, job.witnesses, job.n_ranks);
    assert_int_equal(verdict.n, 1);
    check_says(0, "Ranks 0,1 of job a on n01 and ranks 0,1 of job b on n02 wait for each other");
}

/* A rank that nobody has looked at may be anywhere. */
static void rank_without_a_host_is_named_alone(void **state)
{
    (void)state;
    make_ring(4);
    job.listings[3].host = NULL;
    CHECK({FINDING_DEADLOCK, true, "0-3", ""});
    check_says(0, "Ranks 0-3 wait for each other");
    check_says(0, "Rank 3 waits in MPI_Recv (called from main+0x20) for a message from rank 2 on n02 with tag 7");
}

/* Texts. */

static void places_and_headings_name_hosts(void **state)
{
    FILE *to;

    (void)state;
    make_ring(6);
    job_in(5, "MPI_Send");
    job.listings[4].rank = job.listings[5].rank;
    job.listings[4].rank = -1;
    to = start_output();
    verdict_print(to, &verdict, listings(), job.n_ranks);
    text_print(to, listings(), job.n_ranks);
    fclose(to);
    check_printed("ranks 0-3 on n[01-02]: MPI_Recv called from main+0x20");
    check_printed("rank 5 on n03: MPI_Send called from main+0x20");
    check_printed("process 104 on n03: MPI_Recv");
    check_printed("Rank 3 on n02, process 103: ");
    check_printed("Process 104 on n03: ");
}

static void layouts_name_hosts(void **state)
{
    FILE *to;

    (void)state;
    make_ring(4);
    for (size_t i = 0; i < 4; i++)
        job.listings[i].has_details = job.listings[i].has_layout = true;
    to = start_output();
    layout_print(to, listings(), job.n_ranks);
    fclose(to);
    check_printed("Ranks 0-3 on n[01-02], processes 100, 101, 102, 103: ");
}

static void documents_name_hosts(void **state)
{
    FILE *to;

    (void)state;
    make_ring(4);
    to = start_output();
    json_print(to, listings(), 4);
    fclose(to);
    assert_non_null(strstr(output, "\"host\":\"n02\",\"stopped\":true"));
    job.listings[3].host = NULL;
    to = start_output();
    json_print(to, listings() + 3, 1);
    fclose(to);
    assert_null(strstr(output, "host"));
}

static void pictures_name_hosts(void **state)
{
    struct picture picture = {0};
    FILE *to;

    (void)state;
    make_ring(4);
    for (size_t i = 0; i < 4; i++) {
        job_communicator_of(i, WORLD)->queues[mqs_pending_receives].n = 0;
        job_receive(i, WORLD, i == 0, 7);
    }
    picture_draw(&picture, job.witnesses, job.n_ranks);
    to = start_output();
    picture_print_dot(to, &picture);
    fclose(to);
    assert_non_null(strstr(output, "[label=\"2,3\\non n02\\nMPI_Recv\""));
    to = start_output();
    picture_print_svg(to, &picture);
    fclose(to);
    assert_non_null(strstr(output, "<title>2,3 on n02: MPI_Recv</title>"));
    assert_non_null(strstr(output, ">on n02</text>"));
    picture_clear(&picture);
}

/* Which reports name them. */

static void names_are_told_where_there_are_several(void **state)
{
    struct listing *pointers[4];
    struct records records = {.listings = pointers, .n_witnesses = 4};

    (void)state;
    make_ring(4);
    for (size_t i = 0; i < 4; i++)
        pointers[i] = &job.listings[i];
    records.witnesses = job.witnesses;
    name_hosts(&records);
    assert_string_equal(job.listings[0].host, "n01");
    assert_string_equal(job.listings[3].host, "n02");
    records.n_witnesses = 2;
    name_hosts(&records);
    assert_null(job.listings[0].host);
    assert_null(job.listings[1].host);
    job.witnesses[1].host = NULL;
    name_hosts(&records);
    assert_null(job.listings[0].host);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, end_test)
    static const struct CMUnitTest tests[] = {
        TEST(hosts_become_phrases),
        TEST(lists_of_hosts_are_cut),
        TEST(findings_name_hosts),
        TEST(missing_rank_of_a_collective_is_on_its_host),
        TEST(jobs_and_hosts_are_named),
        TEST(rank_without_a_host_is_named_alone),
        TEST(places_and_headings_name_hosts),
        TEST(layouts_name_hosts),
        TEST(documents_name_hosts),
        TEST(pictures_name_hosts),
        TEST(names_are_told_where_there_are_several),
    };

    return cmocka_run_group_tests_name("several hosts", tests, NULL, NULL);
}
