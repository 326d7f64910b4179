/*
 * test_dump_verdict_costs.c - conclusions about large jobs take little time and fit a screen.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Before CMocka, which has a macro of the name of a function there. */
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/shared.h"
#include <cmocka.h>

#include "dump_findings.h"
#include "dump_job.h"
#include "mqd/dump/show/verdict_text.h"

enum { N_LARGE = 1000, N_EACH = 100, TAG_BARRIER = -16, TAG_NONBLOCKING = -27 };

/* The one finding must be about all of them. */
static void check_large(const struct expected *expected)
{
    clock_t start = clock();

    check_findings(expected, expected != NULL);
    check_time(start);
}

static void large_ring_takes_no_second(void **state)
{
    (void)state;
    job_start_ring(N_LARGE);
    for (size_t i = 0; i < N_LARGE; i++)
        for (int k = 0; k < N_EACH / 2; k++) {
            job_message(i, WORLD, (long)(i + 1) % N_LARGE, 1000 + k);
            job_send(i, WORLD, "Send", (long)(i + 2) % N_LARGE, 2000 + k);
        }
    check_large(&(struct expected){FINDING_DEADLOCK, true, "0-999", ""});
    check_says(0, "-> ... -> 0");
}

static void large_crowds_take_no_second(void **state)
{
    (void)state;
    job_start(N_LARGE);
    for (size_t i = 0; i < N_LARGE; i++) {
        job_in(i, "MPI_Waitall");
        for (int k = 0; k < N_EACH; k++)
            job_mark_waited(job_receive(i, WORLD, k == 0 ? ANY : (long)(i + (size_t)k) % N_LARGE, k));
    }
    check_large(&(struct expected){FINDING_DEADLOCK, true, "0-999", ""});
}

static void set_purpose(const mqs_pending_operation *operation, const char *purpose)
{
    strcpy(job_facts(operation)->purpose, purpose);
}

static void large_barrier_takes_no_second(void **state)
{
    enum { N_RANKS = 2000 };

    (void)state;
    job_start(N_RANKS);
    for (size_t i = 0; i < N_RANKS; i++)
        job_communicator_of(i, WORLD)->has_traffic = true;
    for (size_t i = 0; i < N_RANKS - 1; i++) {
        job_in(i, "MPI_Barrier");
        set_purpose(job_receive(i, WORLD, N_RANKS - 1, TAG_BARRIER), "MPI_Barrier");
        job_communicator_of(i, WORLD)->use.n_nonblocking = 1;
    }
    check_large(&(struct expected){FINDING_BUSY, false, "0-1998", "1999"});
}

static void many_operations_take_no_second(void **state)
{
    enum { N_OPERATIONS = 50000 };

    (void)state;
    job_start(2);
    for (size_t i = 0; i < 2; i++) {
        job_communicator_of(i, WORLD)->has_traffic = true;
        for (long k = 0; k < N_OPERATIONS; k++)
            set_purpose(job_receive(i, WORLD, 1 - (long)i, TAG_NONBLOCKING - k), "non-blocking collective");
    }
    check_large(NULL);
}

/* All wait for anybody; each has heard of a few. */
static void time_of_several_looks_is_not_that_of_all_pairs(void **state)
{
    enum { N = 20000 };

    (void)state;
    job_start(N);
    for (size_t i = 0; i < N; i++) {
        struct communicator *world = job_communicator_of(i, WORLD);

        job.witnesses[i].look = (int)(i / 64);
        world->has_traffic = true;
        if (i > 0) {
            shared_release(world->group);
            world->group = shared_use(job_communicator_of(0, WORLD)->group);
        }
        job_in(i, "MPI_Recv");
        job_receive(i, WORLD, ANY, 7);
        for (size_t k = i > 0 ? i - 1 : 0; k < i + 2 && k < N; k++) {
            world->traffic = grow_array(world->traffic, world->n_traffic, &world->traffic_room, sizeof *world->traffic);
            world->traffic[world->n_traffic++] = (struct traffic){.peer = (long)k, .n_sent = 3, .n_arrived = 3};
        }
    }
    check_large(&(struct expected){FINDING_DEADLOCK, true, "0-19999", ""});
}

/* Pairs of ranks, each with a mistake of its own at a place of its own. */
static void many_mistakes_fit_a_screen(void **state)
{
    enum { N_RANKS = 40 };
    char *text = NULL;
    size_t size = 0, n_lines = 0;
    FILE *to;

    (void)state;
    job_start(N_RANKS);
    for (size_t i = 0; i < N_RANKS; i += 2) {
        char *place = format_text("halo.c:%zu", 100 + i);

        job_set_call(i, 0, "MPI_Recv", place);
        job_set_call(i + 1, 0, "MPI_Ssend", place);
        job_receive(i, WORLD, (long)i + 1, (long)i);
        job_send(i + 1, WORLD, "Ssend", (long)i, 1000 + (long)i);
        free(place);
    }
    verdict_reach(&verdict, job.witnesses, job.n_ranks);
    assert_true(verdict.n > 5);
    to = open_memstream(&text, &size);
    assert_non_null(to);
    verdict_print(to, &verdict, NULL, 0);
    assert_int_equal(fclose(to), 0);
    for (size_t i = 0; i < size; i++)
        n_lines += text[i] == '\n';
    /* "Where" without ranks has two. */
    assert_in_range(n_lines, 20, 40 + 2);
    assert_non_null(strstr(text, "Why\n  Wrong tag. Rank 0 waits in MPI_Recv"));
    assert_non_null(strstr(text, " more findings: --json has all.\n"));
    free(text);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, findings_end)
    const struct CMUnitTest tests[] = {
        TEST(large_ring_takes_no_second),
        TEST(large_crowds_take_no_second),
        TEST(large_barrier_takes_no_second),
        TEST(many_operations_take_no_second),
        TEST(time_of_several_looks_is_not_that_of_all_pairs),
        TEST(many_mistakes_fit_a_screen),
    };

    return cmocka_run_group_tests_name("costs of verdicts", tests, NULL, NULL);
}
