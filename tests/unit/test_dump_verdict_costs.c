/*
 * test_dump_verdict_costs.c - conclusions about large jobs take little time and fit a screen.
 */
#include <time.h>

#include "mqd/dump/base/shared.h"
#define TEST_TEARDOWN findings_end()
#include "unit_test.h"

#include "dump_findings.h"
#include "dump_job.h"
#include "mqd/dump/show/text/verdict_text.h"

enum { N_LARGE = 1000, N_EACH = 100, TAG_BARRIER = -16, TAG_NONBLOCKING = -27 };

/* The one finding, if there is one, must be about all of them. Returns all that was concluded. */
static const char *check_large(const char *finding)
{
    clock_t start = clock();

    explanation_reach(&explanation, job.witnesses, job.n_ranks);
    check_time(start);
    assert_int_equal(explanation.verdict.n, finding != NULL);
    if (finding != NULL)
        assert_string_equal(say_finding(explanation.verdict.findings), finding);
    return conclude();
}

TEST(large_ring_takes_little_time)
{
    job_start_ring(N_LARGE);
    for (size_t i = 0; i < N_LARGE; i++)
        for (int k = 0; k < N_EACH / 2; k++) {
            job_message(i, WORLD, (long)(i + 1) % N_LARGE, 1000 + k);
            job_send(i, WORLD, "Send", (long)(i + 2) % N_LARGE, 2000 + k);
        }
    assert_has(check_large("=> deadlock certain 0-999"), "-> ... -> 0");
}

TEST(large_crowds_take_no_second)
{
    job_start(N_LARGE);
    for (size_t i = 0; i < N_LARGE; i++) {
        job_in(i, "MPI_Waitall");
        for (int k = 0; k < N_EACH; k++)
            job_mark_waited(job_receive(i, WORLD, k == 0 ? ANY : (long)(i + (size_t)k) % N_LARGE, k));
    }
    check_large("=> deadlock certain 0-999");
}

static void set_purpose(struct queued *operation, const char *purpose)
{
    operation->purpose = purpose;
}

TEST(large_barrier_takes_little_time)
{
    enum { N_RANKS = 2000 };

    job_start(N_RANKS);
    for (size_t i = 0; i < N_RANKS; i++)
        job_communicator_of(i, WORLD)->has_traffic = true;
    for (size_t i = 0; i < N_RANKS - 1; i++) {
        job_in(i, "MPI_Barrier");
        set_purpose(job_receive(i, WORLD, N_RANKS - 1, TAG_BARRIER), "MPI_Barrier");
        job_communicator_of(i, WORLD)->use.n_nonblocking = 1;
    }
    check_large("=> waits_for_busy possible 0-1998 for 1999");
}

TEST(many_operations_take_no_second)
{
    enum { N_OPERATIONS = 50000 };

    job_start(2);
    for (size_t i = 0; i < 2; i++) {
        job_communicator_of(i, WORLD)->has_traffic = true;
        for (long k = 0; k < N_OPERATIONS; k++)
            set_purpose(job_receive(i, WORLD, 1 - (long)i, TAG_NONBLOCKING - k), "non-blocking collective");
    }
    check_large(NULL);
}

/* All wait for anybody; each has heard of a few. */
TEST(time_of_several_looks_is_not_that_of_all_pairs)
{
    enum { N = 20000 };

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
    check_large("=> deadlock certain 0-19999");
}

/* Pairs of ranks, each with a mistake of its own at a place of its own. */
TEST(many_mistakes_fit_a_screen)
{
    enum { N_RANKS = 40 };
    const char *text;

    job_start(N_RANKS);
    for (size_t i = 0; i < N_RANKS; i += 2) {
        char *place = test_text("halo.c:%zu", 100 + i);

        job_set_call(i, 0, "MPI_Recv", place);
        job_set_call(i + 1, 0, "MPI_Ssend", place);
        job_receive(i, WORLD, (long)i + 1, (long)i);
        job_send(i + 1, WORLD, "Ssend", (long)i, 1000 + (long)i);
    }
    explanation_reach(&explanation, job.witnesses, job.n_ranks);
    assert_true(explanation.verdict.n > 5);
    text = PRINTED(verdict_print(test_to, &explanation, NULL, 0));
    /* "Where" without ranks has two. */
    assert_in_range(count_of(text, "\n"), 20, 40 + 2);
    assert_has(text, "Why\n  Wrong tag. Rank 0 waits in MPI_Recv");
    assert_has(text, " more findings: --json has all.\n");
}
