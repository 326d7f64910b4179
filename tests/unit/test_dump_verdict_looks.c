/*
 * test_dump_verdict_looks.c - conclusions about ranks that were not looked at together: on several machines, at different
 * moments.
 *
 * What is certain of ranks of one look must be certain of ranks of several if the counts of messages prove it, and only
 * then. test_dump_looks.c tries many more states than anybody thinks of.
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

enum { DUPLICATE = 9 };

/* Each rank is of a look of its own. */
static void start_job(size_t n)
{
    static char names[16][8];

    job_start(n);
    for (size_t i = 0; i < n; i++) {
        snprintf(names[i % 16], sizeof names[0], "n%02u", (unsigned)i % 100);
        job.witnesses[i].look = (int)i;
        job.listings[i].host = job.witnesses[i].host = names[i % 16];
        job_communicator_of(i, WORLD)->has_traffic = true;
    }
}

static struct traffic *traffic_of(size_t rank, mqs_taddr_t id, long peer)
{
    struct communicator *communicator = job_communicator_of(rank, id);
    size_t at = 0;

    while (at < communicator->n_traffic && communicator->traffic[at].peer < peer)
        at++;
    if (at < communicator->n_traffic && communicator->traffic[at].peer == peer)
        return &communicator->traffic[at];
    communicator->traffic = grow_array(communicator->traffic, communicator->n_traffic, &communicator->traffic_room,
                                       sizeof *communicator->traffic);
    memmove(&communicator->traffic[at + 1], &communicator->traffic[at],
            (communicator->n_traffic++ - at) * sizeof *communicator->traffic);
    communicator->traffic[at] = (struct traffic){.peer = peer};
    return &communicator->traffic[at];
}

/* So many messages were sent, and so many have arrived. */
static void count(mqs_taddr_t id, size_t from, size_t to, unsigned n_sent, unsigned n_arrived)
{
    traffic_of(from, id, (long)to)->n_sent = (uint16_t)n_sent;
    traffic_of(to, id, (long)from)->n_arrived = (uint16_t)n_arrived;
}

static void wait_for(size_t rank, long from, long tag)
{
    job_in(rank, "MPI_Recv");
    job_receive(rank, WORLD, from, tag);
}

static void make_ring(size_t n)
{
    start_job(n);
    for (size_t i = 0; i < n; i++) {
        wait_for(i, (long)((i + n - 1) % n), 7);
        count(WORLD, i, (i + 1) % n, 5, 5);
    }
}

/* Receives. */

static void ring_of_receives_is_certain_by_counts(void **state)
{
    (void)state;
    make_ring(4);
    CHECK({FINDING_DEADLOCK, true, "0-3", ""});
    assert_int_equal(verdict.n_notes, 0);
}

static void message_on_its_way_lets_all_go_on(void **state)
{
    (void)state;
    make_ring(4);
    count(WORLD, 2, 3, 6, 5);
    check_nothing();
    /* Rank 3 was looked at later: it has received what rank 2 has sent since. */
    count(WORLD, 2, 3, 5, 6);
    check_nothing();
    check_note("Rank 3 on n03 has received more messages of rank 2 on n02 than that had sent: the looks are of different "
               "moments.");
}

static void without_counts_it_is_only_possible(void **state)
{
    (void)state;
    make_ring(4);
    job_communicator_of(2, WORLD)->has_traffic = false;
    CHECK({FINDING_DEADLOCK, false, "0-3", ""});
    check_note("The ranks were not looked at together");
}

/* What a look of one machine proves needs no counts. */
static void ranks_of_one_look_need_no_counts(void **state)
{
    (void)state;
    make_ring(4);
    for (size_t i = 0; i < 4; i++) {
        job_communicator_of(i, WORLD)->has_traffic = false;
        job_communicator_of(i, WORLD)->queues[mqs_pending_receives].n = 0;
        job_receive(i, WORLD, (long)(i ^ 1), 7);
        job.witnesses[i].look = (int)i / 2;
    }
    CHECK({FINDING_DEADLOCK, true, "0,1", ""}, {FINDING_DEADLOCK, true, "2,3", ""});
}

/* Nothing is known of a rank of a machine that was not reached: that is no reason to doubt the others. */
static void unread_rank_does_not_make_others_doubtful(void **state)
{
    (void)state;
    make_ring(3);
    job_communicator_of(0, WORLD)->queues[mqs_pending_receives].n = 0;
    job_receive(0, WORLD, 1, 7);
    job.listings[2].has_communicators = false;
    job.listings[2].error = copy_string("it is on n02, which could not be reached: no route");
    job.witnesses[2].calls = NULL;
    CHECK({FINDING_DEADLOCK, true, "0,1", ""});
    check_note("Rank 2 on n02 has not been looked at, and may wait for anything: the host could not be reached: no route.");
}

static void message_from_anybody_may_be_on_its_way(void **state)
{
    (void)state;
    start_job(3);
    wait_for(0, ANY, 0);
    wait_for(1, 0, 1);
    wait_for(2, 0, 1);
    count(WORLD, 1, 0, 1, 1);
    count(WORLD, 2, 0, 1, 1);
    CHECK({FINDING_DEADLOCK, true, "0-2", ""});
    count(WORLD, 2, 0, 2, 1);
    check_nothing();
    traffic_of(2, WORLD, 0)->n_sent = 1;
    job_communicator_of(1, WORLD)->has_traffic = false;
    CHECK({FINDING_DEADLOCK, false, "0-2", ""});
}

/* The first message that somebody sends: the receiver has not heard of the sender yet. */
static void first_message_may_be_on_its_way(void **state)
{
    (void)state;
    start_job(2);
    wait_for(0, ANY, 0);
    wait_for(1, 0, 1);
    traffic_of(1, WORLD, 0)->n_sent = 1;
    check_nothing();
}

static void wrong_tag_is_certain_by_counts(void **state)
{
    (void)state;
    start_job(2);
    wait_for(0, 1, 5);
    job_in(1, "MPI_Ssend");
    job_send(1, WORLD, "Ssend", 0, 6);
    job_message(0, WORLD, 1, 6)->status = mqs_st_pending;
    count(WORLD, 1, 0, 1, 1);
    CHECK({FINDING_TAG, true, "0", "1"}, {FINDING_DEADLOCK, true, "0,1", ""});
    check_says(0, "Rank 0 on n00 waits in MPI_Recv (called from main+0x20) for a message from rank 1 on n01 with tag 5");
}

/* Sends. */

/* It was received after the look at the receiver. */
static void answer_to_a_send_may_be_on_its_way(void **state)
{
    (void)state;
    start_job(2);
    job_in(0, "MPI_Ssend");
    job_send(0, WORLD, "Ssend", 1, 3);
    wait_for(1, 0, 4);
    count(WORLD, 0, 1, 1, 1);
    check_nothing();
    job_message(1, WORLD, 0, 3)->status = mqs_st_pending;
    CHECK({FINDING_TAG, true, "1", "0"}, {FINDING_DEADLOCK, true, "0,1", ""});
}

/* A message that nobody has to answer was sent after the one that was taken. */
static void message_that_needs_no_answer_is_not_the_one_that_waits(void **state)
{
    (void)state;
    start_job(2);
    job_in(0, "MPI_Wait");
    job_send(0, WORLD, "Ssend", 1, 3);
    wait_for(1, 0, 4);
    count(WORLD, 0, 1, 2, 2);
    job_message(1, WORLD, 0, 3);
    check_nothing();
}

/* Who is in MPI_Finalize may have received it, and been looked at later. */
static void send_to_a_rank_that_has_finished_may_have_been_received(void **state)
{
    (void)state;
    start_job(2);
    job_in(0, "MPI_Ssend");
    job_send(0, WORLD, "Ssend", 1, 3);
    job_in(1, "MPI_Finalize");
    count(WORLD, 0, 1, 1, 1);
    check_nothing();
    job_message(1, WORLD, 0, 3)->status = mqs_st_pending;
    CHECK({FINDING_FINALIZED, true, "0", "1"});
}

/* The message that waits is a later one than that of the send: the sender has gone on between the looks. */
static void send_of_an_earlier_moment_proves_nothing(void **state)
{
    (void)state;
    start_job(3);
    job_in(0, "MPI_Ssend");
    job_send(0, WORLD, "Ssend", 1, 0);
    wait_for(1, 2, 5);
    job_message(1, WORLD, 0, 0)->status = mqs_st_pending;
    wait_for(2, 0, 6);
    count(WORLD, 0, 1, 1, 2);
    CHECK({FINDING_DEADLOCK, false, "0-2", ""});
    check_note("Rank 1 on n01 has received more messages of rank 0 on n00 than that had sent: the looks are of different "
               "moments.");
    count(WORLD, 0, 1, 1, 1);
    CHECK({FINDING_DEADLOCK, true, "0-2", ""});
}

/* A later run of a job may have its name. */
static void another_run_of_a_job_has_other_counts(void **state)
{
    (void)state;
    make_ring(4);
    job.listings[2].name.job = 8;
    CHECK({FINDING_DEADLOCK, false, "0-3", ""});
}

/* Ranks that are gone. */

static void finalized_rank_is_certain_by_counts(void **state)
{
    (void)state;
    start_job(2);
    wait_for(0, 1, 3);
    job_in(1, "MPI_Finalize");
    count(WORLD, 1, 0, 4, 4);
    CHECK({FINDING_FINALIZED, true, "0", "1"});
    count(WORLD, 1, 0, 5, 4);
    check_nothing();
    /* MPI is not there any more: nobody knows what it had sent. */
    count(WORLD, 1, 0, 4, 4);
    job_forget(1);
    job.listings[1].reason = MQD_REASON_finalized;
    job.calls[1].calls[0].state = CALL_OUTSIDE;
    CHECK({FINDING_FINALIZED, false, "0", "1"});
}

static void end_rank(size_t rank, int signal)
{
    static struct missing_rank missing;

    missing = (struct missing_rank){.rank = (long)rank, .job = "", .pid = 101, .certain = true, .signal = signal,
                                    .fate = "has ended"};
    job_forget(rank);
    job.listings[rank].error = copy_string("it has ended");
    job.witnesses[rank].missing = &missing;
    job.witnesses[rank].calls = NULL;
}

/* What it had sent died with it. */
static void wait_for_a_rank_that_has_ended_is_possible(void **state)
{
    (void)state;
    start_job(2);
    wait_for(0, 1, 3);
    end_rank(1, 9);
    CHECK({FINDING_ENDED, false, "0", "1"});
    job.witnesses[1].look = 0;
    CHECK({FINDING_ENDED, true, "0", "1"});
}

/* A job ends while its machines are looked at. */
static void rank_that_has_ended_may_have_ended_in_order(void **state)
{
    (void)state;
    start_job(3);
    end_rank(1, 0);
    check_nothing();
    check_note("Rank 1 on n01 had ended when it was looked at, and others were in MPI when these were");
    job.witnesses[2].look = 1;
    CHECK({FINDING_ENDED, true, "1", ""});
    job.witnesses[2].look = 2;
    ((struct missing_rank *)job.witnesses[1].missing)->signal = 9;
    CHECK({FINDING_ENDED, true, "1", ""});
}

/* Ranks that do not run. */

static void wait_for_a_stopped_rank_is_certain_by_counts(void **state)
{
    (void)state;
    start_job(3);
    wait_for(0, 1, 3);
    wait_for(1, 2, 3);
    job.witnesses[2].stopped = job.witnesses[2].stays_stopped = true;
    CHECK({FINDING_STOPPED, true, "0,1", "2"});
    job_communicator_of(2, WORLD)->has_traffic = false;
    CHECK({FINDING_STOPPED, false, "0,1", "2"});
    job_communicator_of(2, WORLD)->has_traffic = true;
    count(WORLD, 1, 0, 1, 0);
    CHECK({FINDING_STOPPED, true, "1", "2"});
}

/* One rank shows it. */
static void flood_is_certain(void **state)
{
    (void)state;
    start_job(2);
    for (int i = 0; i < 1200; i++)
        job_message(0, WORLD, 1, 3);
    count(WORLD, 1, 0, 2000, 1200);
    CHECK({FINDING_FLOOD, true, "0", "1"});
    check_says(0, "1,200 messages (96,000 bytes) from rank 1 on n01 on MPI_COMM_WORLD have arrived at rank 0 on n00");
}

/* Collective operations. */

static void arrive(size_t rank, const char *function, long tag, long from)
{
    mqs_pending_operation *receive = job_receive(rank, WORLD, from, tag);

    job_in(rank, function);
    strcpy(job_facts(receive)->purpose, function);
}

static void missing_rank_in_a_collective_is_certain_by_counts(void **state)
{
    (void)state;
    start_job(3);
    arrive(0, "MPI_Barrier", -16, 2);
    arrive(1, "MPI_Barrier", -16, 0);
    wait_for(2, 0, 9);
    CHECK({FINDING_NO_SEND, true, "2", "0"}, {FINDING_COLLECTIVE_MISSING, true, "0,1", "2"});
    count(WORLD, 2, 0, 1, 0);
    check_nothing();
}

/*
 * Rank 0 waits in a barrier for rank 1, which has yet to come there. Rank 2 has left the barrier, and started something:
 * it was looked at later.
 */
static void rank_that_has_gone_on_since_is_not_ahead(void **state)
{
    (void)state;
    start_job(3);
    arrive(0, "MPI_Barrier", -16, 1);
    job_communicator_of(2, WORLD)->use.n_nonblocking = 1;
    count(WORLD, 1, 2, 0, 1);
    CHECK({FINDING_BUSY, false, "0", "1"});
    /* All of one moment: it has not been in the barrier before. */
    count(WORLD, 1, 2, 1, 1);
    CHECK({FINDING_COLLECTIVES_DIFFER, true, "0", "2"});
    job_communicator_of(1, WORLD)->has_traffic = false;
    CHECK({FINDING_BUSY, false, "0", "1"});
}

/* Communicators. */

static void duplicate(size_t rank)
{
    struct communicator *communicator = job_add_communicator(rank, DUPLICATE, "dup", NULL, (int)job.n_ranks);

    communicator->has_traffic = true;
}

/*
 * Both wait for each other on communicators of one number, on which nothing has been sent. At the one it is a later one,
 * which the other one has yet to make.
 */
static void communicator_may_be_a_later_one(void **state)
{
    (void)state;
    start_job(2);
    for (size_t i = 0; i < 2; i++) {
        duplicate(i);
        job_in(i, "MPI_Recv");
        job_receive(i, DUPLICATE, 1 - (long)i, 3);
    }
    CHECK({FINDING_DEADLOCK, true, "0,1", ""});
    job_communicator_of(1, WORLD)->use.n_nonblocking = 1;
    CHECK({FINDING_DEADLOCK, false, "0,1", ""});
    for (size_t i = 0; i < 2; i++)
        job.witnesses[i].look = 0;
    CHECK({FINDING_DEADLOCK, true, "0,1", ""});
}

/* A third rank shows that the job has gone on: the communicator may have been made again without it. */
static void communicator_of_a_job_that_has_gone_on(void **state)
{
    (void)state;
    start_job(4);
    for (size_t i = 0; i < 2; i++) {
        duplicate(i);
        job_in(i, "MPI_Recv");
        job_receive(i, DUPLICATE, (long)(1 - i), 3);
    }
    CHECK({FINDING_DEADLOCK, true, "0,1", ""});
    count(WORLD, 2, 3, 4, 5);
    CHECK({FINDING_DEADLOCK, false, "0,1", ""});
    count(WORLD, 2, 3, 5, 5);
    CHECK({FINDING_DEADLOCK, true, "0,1", ""});
    job_communicator_of(1, WORLD)->use.has_nonblocking = 0;
    CHECK({FINDING_DEADLOCK, false, "0,1", ""});
}

/* What was sent on a communicator is not known when it is freed. */
static void message_on_a_freed_communicator_may_be_on_its_way(void **state)
{
    (void)state;
    start_job(2);
    duplicate(0);
    job_in(0, "MPI_Recv");
    job_receive(0, DUPLICATE, 1, 3);
    wait_for(1, 0, 3);
    CHECK({FINDING_DEADLOCK, false, "0,1", ""});
}

/* Costs. */

/* All wait for anybody; each has heard of a few. */
static void time_is_not_that_of_all_pairs(void **state)
{
    enum { N = 20000 };
    clock_t start;

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
        for (size_t k = i > 0 ? i - 1 : 0; k < i + 2 && k < N; k++)
            traffic_of(i, WORLD, (long)k)->n_sent = traffic_of(i, WORLD, (long)k)->n_arrived = 3;
    }
    start = clock();
    verdict_reach(&verdict, job.witnesses, N);
    check_time(start);
    assert_int_equal(verdict.n, 1);
    assert_true(verdict.findings[0].certain);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, findings_end)
    static const struct CMUnitTest tests[] = {
        TEST(ring_of_receives_is_certain_by_counts),
        TEST(message_on_its_way_lets_all_go_on),
        TEST(without_counts_it_is_only_possible),
        TEST(ranks_of_one_look_need_no_counts),
        TEST(unread_rank_does_not_make_others_doubtful),
        TEST(message_from_anybody_may_be_on_its_way),
        TEST(first_message_may_be_on_its_way),
        TEST(wrong_tag_is_certain_by_counts),
        TEST(answer_to_a_send_may_be_on_its_way),
        TEST(message_that_needs_no_answer_is_not_the_one_that_waits),
        TEST(send_to_a_rank_that_has_finished_may_have_been_received),
        TEST(send_of_an_earlier_moment_proves_nothing),
        TEST(another_run_of_a_job_has_other_counts),
        TEST(finalized_rank_is_certain_by_counts),
        TEST(wait_for_a_rank_that_has_ended_is_possible),
        TEST(rank_that_has_ended_may_have_ended_in_order),
        TEST(wait_for_a_stopped_rank_is_certain_by_counts),
        TEST(flood_is_certain),
        TEST(missing_rank_in_a_collective_is_certain_by_counts),
        TEST(rank_that_has_gone_on_since_is_not_ahead),
        TEST(communicator_may_be_a_later_one),
        TEST(communicator_of_a_job_that_has_gone_on),
        TEST(message_on_a_freed_communicator_may_be_on_its_way),
        TEST(time_is_not_that_of_all_pairs),
    };

    return cmocka_run_group_tests_name("verdicts across looks", tests, NULL, NULL);
}
