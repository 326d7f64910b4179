/*
 * test_dump_verdict_points.c - conclusions about single messages, threads, polling, the end of MPI, and what cannot be
 * told.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Before CMocka, which has a macro of the name of a function there. */
#include "mqd/dump/base/memory.h"
#include "mqd/dump/verdict/movement.h"
#include <cmocka.h>

#include "dump_findings.h"
#include "dump_job.h"

static void receive_in(size_t rank, const char *function, long from, long tag)
{
    job_in(rank, function);
    job_receive(rank, WORLD, from, tag);
}

/* Near misses of ranks that have left. */

static void wrong_tag_of_a_rank_that_has_finalized(void **state)
{
    (void)state;
    job_start(3);
    job_in(0, "MPI_Finalize");
    receive_in(1, "MPI_Recv", 0, 1);
    job_message(1, WORLD, 0, 0);
    CHECK({FINDING_TAG, true, "1", "0"});
    check_says(0, "with tag 0 on MPI_COMM_WORLD has arrived at rank 1 and nobody has asked for it: the tags differ.");
    check_says(0, "Rank 0 is in MPI_Finalize or past it, and sends nothing more.");
    /* It may have sent more since. */
    job.witnesses[0].moved_last = true;
    CHECK({FINDING_TAG, false, "1", "0"});
}

static void wrong_communicator_of_a_rank_that_has_finalized(void **state)
{
    (void)state;
    job_start(2);
    job_add_communicator(1, 5, "ours", NULL, 2);
    job_in(0, "MPI_Finalize");
    receive_in(1, "MPI_Recv", 0, 7);
    job_message(1, 5, 0, 7);
    CHECK({FINDING_COMMUNICATOR, true, "1", "0"});
}

/* One that receives from rank after rank has such messages too: that the source is wrong is possible only. */
static void message_from_another_than_a_finalized_rank(void **state)
{
    (void)state;
    job_start(3);
    job_in(0, "MPI_Finalize");
    job_in(2, "MPI_Finalize");
    receive_in(1, "MPI_Recv", 0, 7);
    job_message(1, WORLD, 2, 7);
    CHECK({FINDING_FINALIZED, true, "1", "0"}, {FINDING_SOURCE, false, "1", "0"});
    check_says(1, "it comes from another rank");
    check_says(1, "whether it was meant is not known");
}

/* A rank that did not end in order may not have come to its next message. */
static void message_of_a_rank_that_has_ended_is_near_only(void **state)
{
    (void)state;
    job_start(2);
    job.witnesses[0].ended = true;
    receive_in(1, "MPI_Recv", 0, 1);
    job_message(1, WORLD, 0, 0);
    CHECK({FINDING_ENDED, true, "1", "0"}, {FINDING_TAG, false, "1", "0"});
}

static void wrong_tag_where_nobody_else_can_send(void **state)
{
    (void)state;
    job_start(3);
    job_in(0, "MPI_Finalize");
    job_in(2, "MPI_Finalize");
    receive_in(1, "MPI_Recv", ANY, 1);
    job_message(1, WORLD, 0, 0);
    CHECK({FINDING_TAG, true, "1", ""});
    /* Rank 2 is stuck too, but in a receive of its own: it might have been about to send. */
    receive_in(2, "MPI_Recv", ANY, 1);
    CHECK({FINDING_FINALIZED, true, "1,2", "0"}, {FINDING_TAG, false, "1", ""});
}

/* Face to face. */

/* Rank 0 has sent two messages in another order than rank 1 receives them: rank 1 would ask for the first one next. */
static void message_that_would_be_asked_for_next_is_only_near(void **state)
{
    (void)state;
    job_start(2);
    receive_in(0, "MPI_Recv", 1, 9);
    receive_in(1, "MPI_Recv", 0, 1);
    job_message(1, WORLD, 0, 2);
    CHECK({FINDING_DEADLOCK, true, "0,1", ""}, {FINDING_TAG, false, "1", "0"});
    check_says(1, "This comes nearest; whether it was meant is not known.");
}

static void two_that_need_each_other_and_differ_in_the_tag(void **state)
{
    (void)state;
    job_start(3);
    job_in(0, "MPI_Ssend");
    job_send(0, WORLD, "Ssend", 1, 2);
    receive_in(1, "MPI_Recv", 0, 1);
    job_message(1, WORLD, 0, 2)->status = mqs_st_pending;
    CHECK({FINDING_TAG, true, "1", "0"}, {FINDING_DEADLOCK, true, "0,1", ""});
    /* The sender waits for one of two. */
    job_in(0, "MPI_Waitany");
    job_mark_waited(job_communicator_of(0, WORLD)->queues[mqs_pending_sends].operations);
    job_mark_waited(job_receive(0, WORLD, 1, 3));
    CHECK({FINDING_DEADLOCK, true, "0,1", ""}, {FINDING_TAG, false, "1", "0"});
    /* It waits for both. */
    job_in(0, "MPI_Waitall");
    CHECK({FINDING_TAG, true, "1", "0"}, {FINDING_DEADLOCK, true, "0,1", ""});
}

/* Rank 1 sends to rank 2 what rank 3 waits for. Rank 3 is not in the circle of these two. */
static void message_of_a_stuck_rank_to_another_rank(void **state)
{
    (void)state;
    job_start(4);
    for (size_t i = 1; i < 3; i++) {
        job_in(i, "MPI_Ssend");
        job_send(i, WORLD, "Ssend", 3 - (long)i, 5);
        job_message(3 - i, WORLD, (long)i, 5)->status = mqs_st_pending;
    }
    receive_in(3, "MPI_Recv", 1, 5);
    CHECK({FINDING_DEADLOCK, true, "1,2", ""}, {FINDING_DESTINATION, false, "3", "1"});
    check_says(1, "it goes to another rank");
    /* Another tag may be of a message that is received later. */
    job_communicator_of(3, WORLD)->queues[mqs_pending_receives].operations[0].desired_tag = 6;
    job_message(3, WORLD, 1, 7);
    CHECK({FINDING_DEADLOCK, true, "1,2", ""});
}

/* The sender waits; the receive that was meant may be on another communicator, and nobody waits for it yet. */
static void receive_on_another_communicator_is_near(void **state)
{
    (void)state;
    job_start(2);
    for (size_t i = 0; i < 2; i++)
        job_add_communicator(i, 5, "ours", NULL, 2);
    job_in(0, "MPI_Ssend");
    job_send(0, 5, "Ssend", 1, 7);
    job_receive(1, WORLD, 0, 7);
    receive_in(1, "MPI_Recv", 0, 9);
    CHECK({FINDING_DEADLOCK, true, "0,1", ""}, {FINDING_COMMUNICATOR, false, "0", "1"});
    check_says(1, "Rank 1 has a receive for a message from rank 0 with tag 7 on MPI_COMM_WORLD (room for 80 bytes): the "
                  "communicators differ.");
    /* Another tag, or any source, is not near enough. */
    job_communicator_of(1, WORLD)->queues[mqs_pending_receives].operations[0].desired_tag = 8;
    CHECK({FINDING_DEADLOCK, true, "0,1", ""});
}

/* The end of MPI. */

/* A function of the program, which deletes an attribute of MPI_COMM_SELF in MPI_Finalize, is in a barrier. */
static void rank_in_a_call_below_finalize_still_takes_part(void **state)
{
    (void)state;
    job_start(2);
    receive_in(1, "MPI_Recv", 0, 5);
    receive_in(0, "MPI_Recv", 1, 6);
    job.calls[0].calls[0].outer = copy_string("MPI_Finalize");
    CHECK({FINDING_DEADLOCK, true, "0,1", ""});
    check_says(0, "Rank 0 waits in MPI_Recv in MPI_Finalize (called from main+0x20) for a message from rank 1");
    job_message(0, WORLD, 1, 6);
    check_nothing();
}

/* Eight ranks wait for one that has left. */
static void waits_for_a_gone_rank_are_one_sentence(void **state)
{
    (void)state;
    job_start(9);
    job_in(8, "MPI_Finalize");
    for (size_t i = 0; i < 8; i++) {
        receive_in(i, "MPI_Waitall", 8, 5);
        job_receive(i, WORLD, 8, 6);
        job_mark_waited(&job_communicator_of(i, WORLD)->queues[mqs_pending_receives].operations[0]);
        job_mark_waited(&job_communicator_of(i, WORLD)->queues[mqs_pending_receives].operations[1]);
    }
    CHECK({FINDING_FINALIZED, true, "0-7", "8"});
    assert_int_equal(verdict.findings[0].n_details, 2);
    check_says(0, "Ranks 0-7 wait in MPI_Waitall (called from main+0x20) for a message from rank 8 with tag 5");
}

/* Each of many waits for any of many. */
static void waits_for_anybody_of_many_gone_ranks_are_one_sentence(void **state)
{
    (void)state;
    job_start(1000);
    for (size_t i = 0; i < 1000; i++) {
        if (i < 500)
            job_in(i, "MPI_Finalize");
        else
            receive_in(i, "MPI_Recv", ANY, 5);
    }
    job.witnesses[499].moved_last = true;
    CHECK({FINDING_FINALIZED, false, "500-999", "0-499"});
    job.witnesses[499].moved_last = false;
    CHECK({FINDING_FINALIZED, true, "500-999", "0-499"});
    assert_int_equal(verdict.findings[0].n_details, 2);
}

/* Threads. */

static void add_thread(size_t rank, bool runs)
{
    job.calls[rank].calls[1] = (struct call){.thread = 1, .state = CALL_OUTSIDE, .runs = runs};
    job.calls[rank].n = 2;
}

static void thread_that_may_not_call_mpi_does_not_matter(void **state)
{
    (void)state;
    job_start(2);
    receive_in(0, "MPI_Recv", 1, 5);
    receive_in(1, "MPI_Recv", 0, 5);
    add_thread(0, true);
    CHECK({FINDING_BUSY, false, "1", "0"});
    job.listings[0].one_caller = true;
    CHECK({FINDING_DEADLOCK, true, "0,1", ""});
    /* A thread whose stack is not known may not call MPI either; outside of MPI anybody may. */
    job.calls[0].calls[1].state = CALL_UNKNOWN;
    CHECK({FINDING_DEADLOCK, true, "0,1", ""});
    job.calls[0].calls[0].state = CALL_OUTSIDE;
    job.calls[0].calls[0].runs = true;
    job.calls[0].calls[1].state = CALL_OUTSIDE;
    CHECK({FINDING_BUSY, false, "1", "0"});
}

/* With several threads in MPI a wait marks its request: one that is not marked is not what the call waits for. */
static void request_that_is_not_marked_is_not_certain_to_be_waited_for(void **state)
{
    (void)state;
    job_start(2);
    receive_in(0, "MPI_Wait", 1, 5);
    receive_in(1, "MPI_Recv", 0, 6);
    job.listings[0].has_thread_level = job.listings[0].one_caller = true;
    CHECK({FINDING_DEADLOCK, true, "0,1", ""});
    job.listings[0].one_caller = false;
    CHECK({FINDING_DEADLOCK, false, "0,1", ""});
    job_mark_waited(job_communicator_of(0, WORLD)->queues[mqs_pending_receives].operations);
    CHECK({FINDING_DEADLOCK, true, "0,1", ""});
    job_in(0, "MPI_Waitall");
    CHECK({FINDING_DEADLOCK, true, "0,1", ""});
}

/* It is marked, and another one may end the wait. */
static void wait_for_any_request_may_be_for_one_that_is_not_listed(void **state)
{
    (void)state;
    job_start(2);
    receive_in(0, "MPI_Waitany", 1, 5);
    job_mark_waited(job_communicator_of(0, WORLD)->queues[mqs_pending_receives].operations);
    receive_in(1, "MPI_Recv", 0, 6);
    CHECK({FINDING_DEADLOCK, true, "0,1", ""});
    job_communicator_of(0, WORLD)->use.owner = MQD_OWNER_file;
    CHECK({FINDING_DEADLOCK, false, "0,1", ""});
    job_communicator_of(0, WORLD)->use.owner = MQD_OWNER_unknown;
    job.listings[0].has_thread_level = true;
    CHECK({FINDING_DEADLOCK, false, "0,1", ""});
}

static void request_that_waitall_does_not_mark_is_not_one_of_its(void **state)
{
    (void)state;
    job_start(2);
    receive_in(0, "MPI_Waitall", 1, 5);
    receive_in(1, "MPI_Recv", 0, 6);
    CHECK({FINDING_DEADLOCK, false, "0,1", ""});
}

/* Two threads of a rank that receive at the same time: each waits with an object on its own stack. */
static void start_two_receivers(void)
{
    job_start(3);
    for (size_t thread = 0; thread < 2; thread++) {
        mqs_pending_operation *receive = job_receive(0, WORLD, (long)thread + 1, 5);

        job_set_call(0, thread, "MPI_Recv", thread == 0 ? "a" : "b");
        job_mark_waited(receive);
        job_extra(receive)->waiter = 0x1080 + 0x1000 * thread;
        job.calls[0].calls[thread].stack_low = 0x1000 + 0x1000 * thread;
        job.calls[0].calls[thread].stack_high = 0x1100 + 0x1000 * thread;
    }
    receive_in(1, "MPI_Recv", 0, 5);
    receive_in(2, "MPI_Recv", 0, 5);
}

static void threads_that_wait_for_operations_of_their_own(void **state)
{
    (void)state;
    start_two_receivers();
    CHECK({FINDING_DEADLOCK, true, "0-2", ""});
    /* If one gets on, its rank does. */
    job_message(0, WORLD, 2, 5);
    check_nothing();
    job_communicator_of(0, WORLD)->queues[mqs_unexpected_messages].n = 0;
    job.calls[0].calls[1].stack_low = job.calls[0].calls[1].stack_high = 0;
    CHECK({FINDING_DEADLOCK, false, "0-2", ""});
}

/* What a thread in MPI_Waitall waits for must all come, whatever another one waits for. */
static void all_receives_of_one_thread_must_come(void **state)
{
    mqs_pending_operation *receives;

    (void)state;
    start_two_receivers();
    receives = job_communicator_of(0, WORLD)->queues[mqs_pending_receives].operations;
    job_set_call(0, 0, "MPI_Waitall", "a");
    job.calls[0].calls[0].stack_low = 0x1000;
    job.calls[0].calls[0].stack_high = 0x1100;
    job_extra(&receives[1])->waiter = 0x1080;
    job.calls[0].calls[1].state = CALL_OUTSIDE;
    receives[1].status = mqs_st_matched;
    CHECK({FINDING_DEADLOCK, true, "0,1", ""});
}

/* MPI_Wait for a request that is in no queue, while one receive is open. */
static void request_of_a_window_may_be_what_is_waited_for(void **state)
{
    (void)state;
    job_start(2);
    receive_in(0, "MPI_Wait", 1, 5);
    receive_in(1, "MPI_Recv", 0, 5);
    CHECK({FINDING_DEADLOCK, true, "0,1", ""});
    job_add_communicator(0, 9, "window", NULL, 2)->use.owner = MQD_OWNER_window;
    CHECK({FINDING_DEADLOCK, false, "0,1", ""});
}

/* Libraries like hcoll keep their requests for themselves. */
static void wait_may_be_for_a_collective_operation_of_another_library(void **state)
{
    (void)state;
    job_start(2);
    receive_in(0, "MPI_Wait", 1, 5);
    receive_in(1, "MPI_Recv", 0, 5);
    job_communicator_of(0, WORLD)->use.has_nonblocking = 0;
    CHECK({FINDING_DEADLOCK, false, "0,1", ""});
}

/* Polling. */

static void rank_that_tests_for_what_does_not_come(void **state)
{
    (void)state;
    job_start(3);
    receive_in(0, "MPI_Test", 1, 7);
    receive_in(1, "MPI_Recv", 0, 5);
    receive_in(2, "MPI_Recv", 0, 5);
    CHECK({FINDING_BUSY, false, "1,2", "0"});
    assert_string_equal(verdict.findings[0].sentence,
                        "Ranks 1,2 wait for rank 0, which tests again and again for what does not come.");
    check_says(0, "Rank 0 tests in MPI_Test (called from main+0x20) for a message from rank 1 with tag 7");
    check_says(0, "Ranks 1,2 wait in MPI_Recv");
    job_message(0, WORLD, 1, 8);
    CHECK({FINDING_TAG, false, "0", "1"}, {FINDING_BUSY, false, "1,2", "0"});
    /* What comes may let it get on. */
    job_message(0, WORLD, 1, 7);
    CHECK({FINDING_BUSY, false, "1,2", "0"});
    check_says(0, "may be stuck or just take its time");
}

static void ranks_that_all_test(void **state)
{
    (void)state;
    job_start(2);
    receive_in(0, "MPI_Testall", 1, 7);
    receive_in(1, "MPI_Testsome", 0, 7);
    CHECK({FINDING_BUSY, false, "0,1", ""});
    check_says(0, "Ranks 0,1 test again and again for what does not come.");
    job_in(1, "MPI_Iprobe");
    CHECK({FINDING_BUSY, false, "0,1", ""});
    job.witnesses[1].moved = true;
    check_nothing();
    job.witnesses[1].moved = false;
    add_thread(1, true);
    check_nothing();
}

/* A rank that tests for what a busy rank may send is no sign of anything. */
static void rank_that_tests_for_a_busy_rank(void **state)
{
    (void)state;
    job_start(2);
    receive_in(0, "MPI_Test", 1, 7);
    check_nothing();
}

/* Such a rank may be between two tests, or compute before it waits: nothing is said of it for its own sake. */
static void rank_outside_of_mpi_shows_what_it_has_asked_for(void **state)
{
    (void)state;
    job_start(3);
    job_receive(0, WORLD, 1, 7);
    receive_in(1, "MPI_Recv", 0, 5);
    receive_in(2, "MPI_Recv", 0, 5);
    CHECK({FINDING_BUSY, false, "1,2", "0"});
    check_says(0, "Ranks 1,2 wait for rank 0, which may be stuck or just take its time");
    check_says(0, "Rank 0 is outside of MPI");
    check_says(0, "with a request for a message from rank 1 with tag 7");
    job_message(0, WORLD, 1, 8);
    CHECK({FINDING_TAG, false, "0", "1"}, {FINDING_BUSY, false, "1,2", "0"});
    job.witnesses[0].moved = true;
    check_nothing();
}

static void ranks_outside_of_mpi_for_which_nobody_waits_are_no_sign_of_anything(void **state)
{
    (void)state;
    job_start(2);
    job_receive(0, WORLD, 1, 7);
    job_receive(1, WORLD, 0, 7);
    check_nothing();
}

/* It has tested between the looks: what it waits for is a message, from whomever. */
static void rank_that_has_tested_is_known_to_test(void **state)
{
    (void)state;
    job_start(2);
    receive_in(1, "MPI_Recv", 0, 5);
    CHECK({FINDING_BUSY, false, "1", "0"});
    assert_string_equal(verdict.findings[0].sentence,
                        "Rank 1 waits for rank 0, which may be stuck or just take its time.");
    job.witnesses[0].tested = true;
    CHECK({FINDING_BUSY, false, "1", "0"});
    assert_string_equal(verdict.findings[0].sentence,
                        "Rank 1 waits for rank 0, which tests again and again for what does not come.");
    check_says(0, "Rank 0 is outside of MPI (work+0x10), and tests now and then for a message.");
}

static bool has_moved(const struct communicator *before, bool *tested)
{
    struct communicator communicator = *before;
    struct listing listing = job.listings[0];
    struct calls calls = job.calls[0];
    struct witness then = {.listing = &listing, .calls = &calls};

    listing.communicators = &communicator;
    *tested = witness_has_tested(&then, &job.witnesses[0]);
    return witness_has_moved(&then, &job.witnesses[0]);
}

/* MPI_Iprobe counts as a receive. If no message has arrived meanwhile it has found none. */
static void testing_for_messages_is_no_move(void **state)
{
    struct traffic traffic[2] = {{.peer = 0, .n_arrived = 4}, {.peer = 1, .n_sent = 3, .n_arrived = 5}};
    struct communicator *world, before;
    bool tested;

    (void)state;
    job_start(2);
    world = job_communicator_of(0, WORLD);
    before = *world;
    assert_false(has_moved(&before, &tested));
    assert_false(tested);
    world->summary.n_receives++;
    assert_true(has_moved(&before, &tested));
    assert_false(tested);
    before.has_traffic = world->has_traffic = true;
    before.traffic = world->traffic = traffic;
    before.n_traffic = world->n_traffic = 1;
    assert_false(has_moved(&before, &tested));
    assert_true(tested);
    /* A message has arrived, the first one of a rank or another one, or one was sent. */
    before.traffic = &traffic[1];
    assert_true(has_moved(&before, &tested));
    assert_false(tested);
    before.n_traffic = 0;
    assert_true(has_moved(&before, &tested));
    before.traffic = world->traffic;
    before.n_traffic = 1;
    world->summary.n_sends++;
    assert_true(has_moved(&before, &tested));
    world->traffic = NULL;
}

/* Who could complete them is in MPI_Finalize: nobody waits for the rank, but those at the end of the job. */
static void requests_that_only_finalized_ranks_could_complete(void **state)
{
    (void)state;
    job_start(3);
    job_in(1, "MPI_Finalize");
    job_in(2, "MPI_Finalize");
    check_nothing();
    job_receive(0, WORLD, 1, 7);
    CHECK({FINDING_BUSY, false, "0", "1"});
    assert_string_equal(verdict.findings[0].sentence,
                        "Rank 0 may be stuck or just take its time: only rank 1 could complete its requests, which is "
                        "in MPI_Finalize or past it.");
    check_says(0, "with a request for a message from rank 1 with tag 7");
    job_in(0, "MPI_Testall");
    job_send(0, WORLD, "Ssend", 2, 8);
    CHECK({FINDING_BUSY, false, "0", "1,2"});
    assert_string_equal(verdict.findings[0].sentence,
                        "Rank 0 tests again and again for what does not come: only ranks 1,2 could complete its "
                        "requests, which are in MPI_Finalize or past it.");
    job_in(1, "MPI_Barrier");
    check_nothing();
}

/* A probe of which it is known what it asks for. */
static void probe_waits_for_its_message(void **state)
{
    mqs_pending_operation *probe;

    (void)state;
    job_start(3);
    job_in(0, "MPI_Probe");
    probe = job_receive(0, WORLD, 1, 7);
    job_facts(probe)->kind = MQD_OPERATION_probe;
    receive_in(1, "MPI_Recv", 0, 5);
    CHECK({FINDING_DEADLOCK, true, "0,1", ""});
    job_message(0, WORLD, 1, 8);
    CHECK({FINDING_DEADLOCK, true, "0,1", ""}, {FINDING_TAG, false, "0", "1"});
    check_says(1, "Rank 0 waits in MPI_Probe (called from main+0x20) for a message from rank 1 with tag 7");
    job_message(0, WORLD, 1, 7);
    check_nothing();
    /* It receives nothing: the sender of a large message goes on waiting. */
    job_communicator_of(0, WORLD)->queues[mqs_unexpected_messages].n = 0;
    job_in(1, "MPI_Ssend");
    job_send(1, WORLD, "Ssend", 0, 8);
    CHECK({FINDING_TAG, true, "0", "1"}, {FINDING_DEADLOCK, true, "0,1", ""});
}

/* What cannot be told. */

static void calls_that_are_not_understood_are_not_called_good(void **state)
{
    (void)state;
    job_start(3);
    for (size_t i = 0; i < 3; i++)
        job_in(i, "MPI_Comm_accept");
    check_nothing();
    assert_true(verdict.unclear);
    check_note("Ranks 0-2 are in MPI_Comm_accept (called from main+0x20), which waits for another program.");
    job_in(1, "MPI_Win_lock");
    check_nothing();
    check_note("Rank 1 is in MPI_Win_lock (called from main+0x20), which waits for what is not known.");
    /* One whose function waits for nobody is good, one that gets on, and one that computes. */
    job_in(1, "MPI_Wtime");
    check_nothing();
    check_note("Ranks 0,2 are in MPI_Comm_accept (called from main+0x20), which waits for another program.");
    assert_int_equal(verdict.n_notes, 1);
    for (size_t i = 0; i < 3; i++)
        job.witnesses[i].went_on = true;
    check_nothing();
    assert_false(verdict.unclear);
    assert_int_equal(verdict.n_notes, 0);
    for (size_t i = 0; i < 3; i++) {
        job.witnesses[i].went_on = false;
        add_thread(i, true);
    }
    check_nothing();
    assert_false(verdict.unclear);
}

static void ranks_that_are_not_known_are_not_called_good(void **state)
{
    (void)state;
    job_start(2);
    check_nothing();
    assert_false(verdict.unclear);
    job.witnesses[1].calls = NULL;
    check_nothing();
    assert_true(verdict.unclear);
    job.witnesses[1].calls = &job.calls[1];
    job.n_ranks = 1;
    check_nothing();
    assert_true(verdict.unclear);
    job.listings[0].rank = -1;
    check_nothing();
    assert_true(verdict.unclear);
    check_note("which ranks these processes are");
    job.n_ranks = 2;
}

static void going_on_shows_in_calls_of_any_kind(void **state)
{
    struct listing listing;
    struct call call;
    struct calls calls = {.calls = &call, .n = 1, .complete = true};
    struct witness before;

    (void)state;
    job_start(1);
    job_in(0, "MPI_Fetch_and_op");
    listing = job.listings[0];
    call = job.calls[0].calls[0];
    before = (struct witness){.listing = &listing, .calls = &calls};
    assert_false(witness_has_gone_on(&before, &job.witnesses[0]));
    call.mark++;
    assert_true(witness_has_gone_on(&before, &job.witnesses[0]));
    assert_false(witness_has_moved(&before, &job.witnesses[0]));
}

/* Communicators without numbers. */

static void what_may_overtake_is_only_possible(void **state)
{
    (void)state;
    job_start(2);
    receive_in(0, "MPI_Recv", 1, 7);
    receive_in(1, "MPI_Recv", 0, 7);
    CHECK({FINDING_DEADLOCK, true, "0,1", ""});
    job_communicator_of(1, WORLD)->use.allow_overtaking = 1;
    CHECK({FINDING_DEADLOCK, false, "0,1", ""});
    job.witnesses[0].once = job.witnesses[1].once = true;
    job_communicator_of(0, WORLD)->has_traffic = job_communicator_of(1, WORLD)->has_traffic = true;
    CHECK({FINDING_DEADLOCK, false, "0,1", ""});
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, findings_end)
    const struct CMUnitTest tests[] = {
        TEST(wrong_tag_of_a_rank_that_has_finalized),
        TEST(wrong_communicator_of_a_rank_that_has_finalized),
        TEST(message_from_another_than_a_finalized_rank),
        TEST(message_of_a_rank_that_has_ended_is_near_only),
        TEST(wrong_tag_where_nobody_else_can_send),
        TEST(message_that_would_be_asked_for_next_is_only_near),
        TEST(two_that_need_each_other_and_differ_in_the_tag),
        TEST(message_of_a_stuck_rank_to_another_rank),
        TEST(rank_in_a_call_below_finalize_still_takes_part),
        TEST(waits_for_a_gone_rank_are_one_sentence),
        TEST(waits_for_anybody_of_many_gone_ranks_are_one_sentence),
        TEST(thread_that_may_not_call_mpi_does_not_matter),
        TEST(request_that_is_not_marked_is_not_certain_to_be_waited_for),
        TEST(wait_for_any_request_may_be_for_one_that_is_not_listed),
        TEST(request_that_waitall_does_not_mark_is_not_one_of_its),
        TEST(threads_that_wait_for_operations_of_their_own),
        TEST(all_receives_of_one_thread_must_come),
        TEST(request_of_a_window_may_be_what_is_waited_for),
        TEST(wait_may_be_for_a_collective_operation_of_another_library),
        TEST(rank_that_tests_for_what_does_not_come),
        TEST(ranks_that_all_test),
        TEST(rank_that_tests_for_a_busy_rank),
        TEST(rank_that_has_tested_is_known_to_test),
        TEST(testing_for_messages_is_no_move),
        TEST(requests_that_only_finalized_ranks_could_complete),
        TEST(receive_on_another_communicator_is_near),
        TEST(rank_outside_of_mpi_shows_what_it_has_asked_for),
        TEST(ranks_outside_of_mpi_for_which_nobody_waits_are_no_sign_of_anything),
        TEST(probe_waits_for_its_message),
        TEST(calls_that_are_not_understood_are_not_called_good),
        TEST(ranks_that_are_not_known_are_not_called_good),
        TEST(going_on_shows_in_calls_of_any_kind),
        TEST(what_may_overtake_is_only_possible),
    };

    return cmocka_run_group_tests_name("points", tests, NULL, NULL);
}
