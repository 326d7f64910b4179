/*
 * test_dump_several_hosts.c - ranks of several machines: how they are named, and what is said of the machines.
 */
#include <time.h>

#include "config.h"
#define TEST_TEARDOWN findings_end()
#include "unit_test.h"

#include "dump_findings.h"
#include "dump_job.h"
#include "mqd/dump/base/host_phrase.h"
#include "mqd/dump/look/records.h"
#include "mqd/dump/show/graph/picture_svg.h"
#include "mqd/dump/show/graph/wait_picture.h"
#include "mqd/dump/show/json.h"
#include "mqd/dump/show/text/layout_text.h"
#include "mqd/dump/show/text/listing_text.h"
#include "mqd/dump/show/text/sources.h"
#include "mqd/dump/show/text/verdict_text.h"

enum { PER_HOST = 2, MAX_HOSTS = 16 };

/* What was printed last. */
static const char *output;
static char names[MAX_HOSTS][8];

/* Has the text that was printed last this in it, whatever its lines are? */
static void check_printed(const char *expected)
{
    char *text = test_text("%s", output), *to = text;

    for (const char *at = output; *at != '\0'; at++)
        if (*at != '\n' && (*at != ' ' || (to > text && to[-1] != ' ')))
            *to++ = *at;
        else if (to > text && to[-1] != ' ')
            *to++ = ' ';
    *to = '\0';
    assert_has(text, expected);
}

/* All wait for the rank before, two of them on each machine. */
static void make_ring(size_t n)
{
    job_start_ring(n);
    for (size_t i = 0; i < n; i++) {
        job.listings[i].calls = job.witnesses[i].calls;
        snprintf(names[i / PER_HOST], sizeof names[0], "n%02u", (unsigned)(i / PER_HOST + 1) % 100);
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
    assert_string_equal(of_test(host_phrase(hosts, n)), expected);
}

TEST(hosts_become_phrases)
{
    const char *many[100];

    check_phrase((const char *[]){"n02"}, 1, " on n02");
    check_phrase((const char *[]){"n03", "n01", "n01", "n02", "n01"}, 5, " on n[01-03]");
    check_phrase((const char *[]){"n03", NULL}, 2, "");
    check_phrase(NULL, 0, "");
    for (size_t i = 0; i < 100; i++)
        many[i] = test_text("host%zu", 2 * i);
    check_phrase(many, 100, " on 100 hosts");
}

TEST(lists_of_hosts_are_cut)
{
    const char *hosts[] = {"a", "b", "c1", "c2", "c3", "d"};

    assert_string_equal(of_test(host_phrase_list(hosts, 6, 40)), "a,b,c[1-3],d");
    assert_string_equal(of_test(host_phrase_list(hosts, 6, 5)), "a,b,c1,... (6 hosts)");
}

/* Findings. */

/* A rank that nobody has looked at may be anywhere. */
TEST(rank_without_a_host_is_named_alone)
{
    make_ring(4);
    job.listings[3].host = NULL;
    assert_has(conclude(), "=> deadlock certain 0-3\nRanks 0-3 wait for each other");
    assert_has(conclude(),
               "Rank 3 waits in MPI_Recv (called from main+0x20) for a message from rank 2 on n02 with tag 7");
}

/* Texts. */

TEST(places_and_headings_name_hosts)
{
    make_ring(6);
    job_in(5, "MPI_Send");
    job.listings[4].rank = job.listings[5].rank;
    job.listings[4].rank = -1;
    test_begin_output();
    verdict_print(test_to, &explanation, listings(), job.n_ranks);
    text_print(test_to, listings(), job.n_ranks, &(struct words){0}, true);
    output = test_end_output();
    check_printed("ranks 0-3 on n[01-02]: MPI_Recv called from main+0x20");
    check_printed("rank 5 on n03: MPI_Send called from main+0x20");
    check_printed("process 104 on n03: MPI_Recv");
    check_printed("Rank 3 on n02, process 103: ");
    check_printed("Process 104 on n03: ");
}

TEST(layouts_name_hosts)
{
    make_ring(4);
    for (size_t i = 0; i < 4; i++)
        job.listings[i].has_details = job.listings[i].has_layout = true;
    output = PRINTED(layout_print(test_to, listings(), job.n_ranks));
    check_printed("Ranks 0-3 on n[01-02], processes 100, 101, 102, 103: ");
}

TEST(documents_name_hosts)
{
    make_ring(4);
    output = PRINTED(json_print(test_to, listings(), 4, NULL, NULL, 0));
    assert_has(output, "\"host\":\"n02\",\"stopped\":true");
    job.listings[3].host = NULL;
    output = PRINTED(json_print(test_to, listings() + 3, 1, NULL, NULL, 0));
    assert_lacks(output, "host");
}

TEST(pictures_name_hosts)
{
    struct analysis analysis;
    struct picture picture = {0};

    make_ring(4);
    for (size_t i = 0; i < 4; i++) {
        job_communicator_of(i, WORLD)->queues[mqs_pending_receives].n = 0;
        job_receive(i, WORLD, i == 0, 7);
    }
    analysis_make(&analysis, job.witnesses, job.n_ranks);
    picture_draw(&picture, &analysis);
    analysis_clear(&analysis);
    output = PRINTED(picture_print_dot(test_to, &picture));
    assert_has(output, "[label=\"2,3\\non n02\\nMPI_Recv\"");
    output = PRINTED(picture_print_svg(test_to, &picture));
    assert_has(output, "<title>ranks 2,3 on n02: MPI_Recv</title>");
    assert_has(output, ">on n02</text>");
    picture_clear(&picture);
}

/* Which reports name them. */

TEST(names_are_told_where_there_are_several)
{
    struct listing *pointers[4];
    struct records records = {.listings = pointers, .n_witnesses = 4};

    make_ring(4);
    for (size_t i = 0; i < 4; i++)
        pointers[i] = &job.listings[i];
    records.witnesses = job.witnesses;
    records_name_hosts(&records);
    assert_string_equal(job.listings[0].host, "n01");
    assert_string_equal(job.listings[3].host, "n02");
    records.n_witnesses = 2;
    records_name_hosts(&records);
    assert_null(job.listings[0].host);
    assert_null(job.listings[1].host);
    job.witnesses[1].host = NULL;
    records_name_hosts(&records);
    assert_null(job.listings[0].host);
}

/* The machines. */

static struct source sources[MAX_HOSTS];

/* Each was looked at a second after the one before. */
static void make_sources(size_t n)
{
    static char times[MAX_HOSTS][32];

    for (size_t i = 0; i < n; i++) {
        snprintf(times[i], sizeof times[i], "2024-05-31T17:08:%02u.000000Z", (unsigned)i % 60);
        sources[i] = (struct source){.host = names[i], .mqdump = PACKAGE_VERSION, .taken = times[i],
                                     .n_ranks = PER_HOST};
    }
    for (size_t i = 0; i < job.n_ranks; i++)
        job.witnesses[i].look = (int)(i / PER_HOST);
}

/* The machine was not reached, and neither were its ranks looked at, as far as a launcher tells of them. */
static void lose(size_t host, const char *problem, bool ranks_are_known)
{
    sources[host].problem = problem;
    sources[host].taken = "";
    sources[host].mqdump = NULL;
    for (size_t i = host * PER_HOST; i < (host + 1) * PER_HOST; i++) {
        job.listings[i].has_communicators = false;
        free(job.listings[i].error);
        job.listings[i].error = format_text("it is on %s, which could not be reached: %s", names[host], problem);
        job.listings[i].rank = ranks_are_known ? job.listings[i].rank : -1;
        job.witnesses[i].calls = NULL;
    }
}

static void print_hosts(size_t n)
{
    size_t n_ranks = n * PER_HOST < job.n_ranks ? n * PER_HOST : job.n_ranks;

    output = PRINTED(sources_print(test_to, sources, n, job.witnesses, n_ranks));
}

TEST(machines_are_told_in_one_paragraph)
{
    make_ring(8);
    make_sources(4);
    print_hosts(4);
    assert_string_equal(output, "Hosts n[01-04]: 8 ranks, looked at on 2024-05-31 between 17:08:00 and 17:08:03\n  UTC.\n\n");
    print_hosts(1);
    check_printed("Host n01: ");
    check_printed(" looked at on 2024-05-31 at 17:08:00 UTC. ");
    sources[0].taken = "2024-05-30T23:59:59.000000Z";
    print_hosts(4);
    check_printed("between 2024-05-30 23:59:59 and 2024-05-31 17:08:03 UTC, as the clock of each says. ");
}

TEST(what_is_wrong_with_several_machines_is_said_once)
{
    make_ring(12);
    make_sources(6);
    lose(1, "ssh: connect to host n02 port 22: No route to host", true);
    lose(3, "ssh: connect to host n04 port 22: No route to host", true);
    lose(4, "no answer within 60 s", false);
    sources[5].mqdump = "0.0.1";
    print_hosts(6);
    check_printed("Hosts n[01,03,06]: 6 ranks, looked at");
    check_printed("Hosts n[02,04] (ranks 2,3,6,7): ssh: connect to host HOST port 22: No route to host. ");
    check_printed("Host n05: no answer within 60 s. ");
    check_printed("Host n06: mqdump 0.0.1 was there; this is " PACKAGE_VERSION ". ");
}

TEST(one_machine_keeps_its_name_in_what_is_wrong)
{
    make_ring(4);
    make_sources(2);
    lose(1, "ssh: connect to host n02 port 22: No route to host.\n", true);
    print_hosts(2);
    check_printed("Host n02 (ranks 2,3): ssh: connect to host n02 port 22: No route to host. ");
    lose(0, "no answer within 60 s", true);
    print_hosts(2);
    check_printed("No host could be looked at. ");
}

/* Words that are longer than a line are broken: the full stop stays with the last one. */
TEST(full_stop_is_no_line_of_its_own)
{
    make_ring(4);
    make_sources(2);
    for (int length = 60; length < 260; length++) {
        lose(1, test_text("no file /%0*d", length, 0), true);
        print_hosts(2);
        assert_null(strstr(output, "\n  .\n"));
        assert_non_null(strstr(output, "0.\n"));
    }
}

TEST(machines_without_ranks_are_told)
{
    make_ring(4);
    make_sources(4);
    sources[2].n_ranks = sources[3].n_ranks = 0;
    strcpy(names[2], "n03");
    strcpy(names[3], "n04");
    print_hosts(4);
    check_printed("Hosts n[03-04]: no rank of the job was found there. ");
}

/* A record that was cut has some ranks. */
TEST(ranks_that_were_read_are_counted)
{
    make_ring(4);
    make_sources(2);
    sources[1].problem = "it was cut";
    print_hosts(2);
    check_printed("Hosts n[01-02]: 4 ranks, ");
    check_printed("Host n02 (2 ranks were read): it was cut. ");
}

TEST(thousands_of_problems_fit_a_screen)
{
    enum { N = 5000 };
    struct source *many = of_test(allocate_array(N, sizeof *many));

    for (size_t i = 0; i < N; i++) {
        many[i] = (struct source){.host = test_text("node%05zu", 2 * i), .taken = ""};
        many[i].problem = test_text("%s has problem %zu", many[i].host, i % 30);
    }
    output = PRINTED(sources_print(test_to, many, N, NULL, 0));
    check_printed("Hosts node[00000,00060,00120],... (167 hosts): HOST has problem 0. ");
    check_printed("3664 more hosts have 22 other problems: --json has all. ");
    assert_in_range(count_of(output, "\n"), 10, 24);
}

TEST(who_has_moved_is_told_of_all_machines_together)
{
    make_ring(4);
    make_sources(2);
    for (long rank = 0; rank < 4; rank++)
        source_add_change(&sources[rank % 2], (struct source_change){"a", -1, .rank = rank, .moved = rank == 3});
    print_hosts(2);
    source_clear_changes(&sources[0]);
    source_clear_changes(&sources[1]);
    check_printed("Some ranks were looked at before. Since then rank 3 has moved. Since then ranks 0-2 have not moved. ");
}

/* A record may name another job for each rank, and come back to earlier ones. */
TEST(changes_of_each_job_are_joined)
{
    enum { N = 40000 };
    static char jobs[N / 2][8];
    struct source source = {.host = "n01", .taken = ""};
    clock_t start;

    for (size_t i = 0; i < N; i++) {
        char *job = jobs[i % (N / 2)];
        snprintf(job, sizeof jobs[0], "%zu", i % (N / 2) / 2);
        source_add_change(&source, (struct source_change){job, (long)i % 2, .rank = (long)i, .moved = true});
    }
    start = clock();
    source_sort_changes(&source);
    output = PRINTED(sources_print(test_to, &source, 1, NULL, 0));
    check_time(start);
    check_printed("Since then ranks 0,20000 of job 0 of user 0 have moved. ");
    assert_int_equal(count_of(output, "Since"), N / 2);
    source_clear_changes(&source);
}

TEST(documents_tell_machines)
{
    make_ring(4);
    make_sources(2);
    lose(1, "no answer", true);
    output = PRINTED(json_print(test_to, NULL, 0, NULL, sources, 2));
    assert_has(output, ",\"hosts\":[{\"host\":\"n01\",\"taken\":\"2024-05-31T17:08:00.000000Z\",\"mqdump\":\""
                       PACKAGE_VERSION "\",\"ranks\":2,\"problem\":null},{\"host\":\"n02\",\"taken\":null,"
                       "\"mqdump\":null,\"ranks\":2,\"problem\":\"no answer\"}],\"processes\"");
}

TEST(records_of_one_machine_are_told_as_records)
{
    make_ring(4);
    make_sources(2);
    assert_true(sources_are_hosts(sources, 2));
    sources[0].file = "a";
    sources[1].file = "b";
    assert_true(sources_are_hosts(sources, 2));
    sources[1].host = sources[0].host;
    assert_false(sources_are_hosts(sources, 2));
    sources[1].host = NULL;
    assert_false(sources_are_hosts(sources, 2));
    assert_false(sources_are_hosts(NULL, 0));
}

/* What is not known. */

TEST(lost_machines_are_noted_together)
{
    make_ring(12);
    make_sources(6);
    lose(1, "ssh: connect to host n02 port 22: No route to host", true);
    lose(3, "ssh: connect to host n04 port 22: No route to host", true);
    assert_has(conclude(), "Ranks 2,3,6,7 on n[02,04] have not been looked at");
    assert_int_equal(explanation.n_notes, 1);
    sources_doubt(sources, 6, job.witnesses, job.n_ranks, &explanation);
    assert_int_equal(explanation.n_notes, 1);
}

/* Nobody knows which ranks it has. */
TEST(ranks_of_a_lost_machine_may_be_missing)
{
    make_ring(8);
    make_sources(4);
    lose(1, "no answer", false);
    lose(3, "no answer", false);
    sources_doubt(sources, 4, job.witnesses, job.n_ranks, &explanation);
    assert_has(explanation.notes[explanation.n_notes - 1], "Of n[02,04] not all is known: ranks may be missing.");
    assert_true(explanation.verdict.unclear);
}
