/*
 * test_dump_verdict.c - conclusions from listings and stacks: jobs that the test makes, and all findings about them.
 *
 * Each job is given as the listings of its ranks: where they are, and what is in their queues. The test compares the
 * kinds of the findings in their order, whether they are certain, the stuck ranks, and the ranks that they wait for.
 */
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
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
#include "mqd/dump/verdict/movement.h"
#include <cmocka.h>

#include "dump_findings.h"
#include "dump_job.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/show/verdict_text.h"

/* Circles. */

static void make_ring(size_t n)
{
    job_start(n);
    for (size_t i = 0; i < n; i++) {
        job_in(i, "MPI_Recv");
        job_receive(i, WORLD, (long)((i + n - 1) % n), 7);
    }
}

static void ring_of_receives_is_a_deadlock(void **state)
{
    (void)state;
    make_ring(4);
    CHECK({FINDING_DEADLOCK, true, "0-3", ""});
    check_says(0, "0 -> 3 -> 2 -> 1 -> 0");
    check_says(0, "Rank 0 waits in MPI_Recv (called from main+0x20) for a message from rank 3 with tag 7 on "
                  "MPI_COMM_WORLD (room for 80 bytes).");
    assert_int_equal(verdict.findings[0].n_evidence, 4);
    assert_int_equal(verdict.findings[0].evidence[0].pid, 100);
    assert_string_equal(verdict.findings[0].communicator_name, "MPI_COMM_WORLD");
    assert_int_equal(verdict.n_notes, 0);
}

static void synchronous_sends_to_each_other_are_a_deadlock(void **state)
{
    (void)state;
    job_start(2);
    for (size_t i = 0; i < 2; i++) {
        job_in(i, "MPI_Ssend");
        job_send(i, WORLD, "Ssend", 1 - (long)i, 7);
        job_message(i, WORLD, 1 - (long)i, 7)->status = mqs_st_pending;
    }
    CHECK({FINDING_DEADLOCK, true, "0,1", ""});
    check_says(0, "its message of 80 bytes to rank 1 with tag 7");
}

static void send_to_oneself_is_a_deadlock(void **state)
{
    (void)state;
    job_start(1);
    job_in(0, "MPI_Ssend");
    job_send(0, WORLD, "Ssend", 0, 7);
    CHECK({FINDING_DEADLOCK, true, "0", ""});
    check_says(0, "waits for itself");
}

static void receives_from_anybody_by_everybody_are_a_deadlock(void **state)
{
    (void)state;
    job_start(3);
    for (size_t i = 0; i < 3; i++) {
        job_in(i, "MPI_Recv");
        job_receive(i, WORLD, ANY, ANY);
    }
    CHECK({FINDING_DEADLOCK, true, "0-2", ""});
    check_says(0, "any rank with any tag");
}

static void everybody_who_probes_is_a_deadlock(void **state)
{
    (void)state;
    job_start(3);
    for (size_t i = 0; i < 3; i++)
        job_in(i, "MPI_Probe");
    CHECK({FINDING_DEADLOCK, true, "0-2", ""});
    job_in(1, "MPI_Iprobe");
    CHECK({FINDING_BUSY, false, "0,2", "1"});
    job_in(1, "MPI_Probe");
    job_message(1, WORLD, 0, 5);
    CHECK({FINDING_DEADLOCK, true, "0-2", ""});
    job_add_communicator(1, 9, "both", (const int[]){1}, 1)->summary.remote_size = 1;
    CHECK({FINDING_BUSY, false, "0,2", "1"});
}

/* Ranks that wait for ranks of a circle do not belong to the circle. */
static void those_who_wait_for_a_circle_are_named_apart(void **state)
{
    (void)state;
    job_start(5);
    for (size_t i = 0; i < 4; i++) {
        job_in(i, "MPI_Recv");
        job_receive(i, WORLD, i == 0 ? 1 : (long)i - 1, 7);
    }
    CHECK({FINDING_DEADLOCK, true, "0,1", ""});
    assert_int_equal(verdict.n_notes, 1);
    assert_non_null(strstr(verdict.notes[0], "Ranks 2,3 wait for these"));
}

/* All of Waitall, any of Waitany. */

static void all_receives_of_waitall_must_come(void **state)
{
    (void)state;
    job_start(3);
    job_in(0, "MPI_Waitall");
    job_mark_waited(job_receive(0, WORLD, 1, 7));
    job_mark_waited(job_receive(0, WORLD, 2, 7));
    job_in(1, "MPI_Recv");
    job_receive(1, WORLD, 0, 8);
    CHECK({FINDING_DEADLOCK, true, "0,1", ""});
}

static void one_receive_of_waitany_is_enough(void **state)
{
    (void)state;
    job_start(3);
    job_in(0, "MPI_Waitany");
    job_mark_waited(job_receive(0, WORLD, 1, 7));
    job_mark_waited(job_receive(0, WORLD, 2, 7));
    job_in(1, "MPI_Recv");
    job_receive(1, WORLD, 0, 8);
    CHECK({FINDING_BUSY, false, "0,1", "2"});
    job_in(2, "MPI_Recv");
    job_receive(2, WORLD, 0, 8);
    CHECK({FINDING_DEADLOCK, true, "0-2", ""});
}

/* A receive that was posted before has nothing to do with what the call waits for. */
static void older_receives_do_not_keep_a_blocking_one(void **state)
{
    (void)state;
    job_start(3);
    job_in(0, "MPI_Recv");
    job_receive(0, WORLD, 1, 1);
    job_receive(0, WORLD, 2, 2);
    job_in(1, "MPI_Recv");
    job_receive(1, WORLD, 0, 3);
    CHECK({FINDING_BUSY, false, "0,1", "2"});
}

/* On two communicators it cannot be told which receive is the blocking one: one that may come is enough. */
static void doubt_about_the_operation_accuses_nobody(void **state)
{
    (void)state;
    job_start(3);
    for (size_t i = 0; i < 3; i++)
        job_add_communicator(i, 5, "five", NULL, 3);
    job_in(0, "MPI_Recv");
    job_receive(0, WORLD, 1, 1);
    job_receive(0, 5, 2, 2);
    job_in(1, "MPI_Recv");
    job_receive(1, WORLD, 0, 3);
    job.witnesses[2].moved = true;
    check_nothing();
    job.witnesses[2].moved = false;
    job_in(2, "MPI_Recv");
    job_receive(2, WORLD, 0, 3);
    CHECK({FINDING_DEADLOCK, false, "0-2", ""});
}

static void sends_of_other_calls_are_not_what_a_send_waits_for(void **state)
{
    (void)state;
    job_start(3);
    job_in(0, "MPI_Ssend");
    job_send(0, WORLD, "Send", 1, 1);
    job_send(0, WORLD, "Ssend", 2, 2);
    job_in(1, "MPI_Recv");
    job_receive(1, WORLD, 0, 3);
    CHECK({FINDING_BUSY, false, "0,1", "2"});
}

/* Of two sends of one sort to different ranks either may be the blocking one. */
static void start_pair_of_sends(void)
{
    job_start(3);
    job_in(0, "MPI_Ssend");
    job_send(0, WORLD, "Ssend", 1, 1);
    job_send(0, WORLD, "Ssend", 2, 2);
    for (size_t i = 1; i < 3; i++) {
        job_in(i, "MPI_Recv");
        job_receive(i, WORLD, 0, 3);
    }
}

static void doubt_about_the_send_is_only_possible(void **state)
{
    (void)state;
    start_pair_of_sends();
    CHECK({FINDING_TAG, false, "1", "0"}, {FINDING_TAG, false, "2", "0"}, {FINDING_DEADLOCK, false, "0-2", ""});
}

static void persistent_and_freed_requests_are_not_a_blocking_calls_own(void **state)
{
    (void)state;
    job_start(2);
    job_in(0, "MPI_Recv");
    job_receive(0, WORLD, 1, 1);
    job_facts(job_receive(0, WORLD, 1, 2))->persistent = 1;
    job_facts(job_receive(0, WORLD, 1, 3))->freed = 1;
    job_in(1, "MPI_Recv");
    job_receive(1, WORLD, 0, 9);
    CHECK({FINDING_DEADLOCK, true, "0,1", ""});
    check_says(0, "with tag 1");
}

/* Texts contain names that the user chooses, such as those of datatypes. So a verdict must not search texts. */
static void names_of_datatypes_say_nothing(void **state)
{
    static const char *const names[] = {"particles, persistent", "row, handle freed", "out of sequence",
                                        "waiting for the receiver", "still in transit", "a thread waits for it"};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        make_ring(3);
        for (size_t rank = 0; rank < 3; rank++) {
            struct queue *receives = &job_communicator_of(rank, WORLD)->queues[mqs_pending_receives];

            snprintf(receives->operations[0].extra_text[0], 64, "Recv, request 0x1");
            snprintf(receives->operations[0].extra_text[1], 64, "10 x %s", names[i]);
            snprintf(receives->operations[0].extra_text[2], 64, "posted, waiting for a message");
        }
        CHECK({FINDING_DEADLOCK, true, "0-2", ""});
        job_end();
    }
}

/* Messages on their way. */

static void message_that_has_just_arrived_will_be_taken(void **state)
{
    (void)state;
    make_ring(2);
    job_message(0, WORLD, 1, 7);
    check_nothing();
}

static void message_out_of_sequence_may_come(void **state)
{
    (void)state;
    make_ring(2);
    job_facts(job_message(0, WORLD, 1, 7))->out_of_sequence = 1;
    check_nothing();
}

static void rendezvous_whose_receive_is_posted_goes_on(void **state)
{
    (void)state;
    job_start(2);
    job_in(0, "MPI_Send");
    job_send(0, WORLD, "Send", 1, 7);
    job_in(1, "MPI_Recv");
    job_receive(1, WORLD, 0, 7);
    check_nothing();
    job_communicator_of(1, WORLD)->queues[mqs_pending_receives].operations[0].desired_local_rank = ANY;
    job_communicator_of(1, WORLD)->queues[mqs_pending_receives].operations[0].tag_wild = 1;
    check_nothing();
}

static void transfer_that_has_begun_goes_on(void **state)
{
    mqs_pending_operation *operation;

    (void)state;
    job_start(2);
    job_in(0, "MPI_Send");
    job_send(0, WORLD, "Send", 1, 7);
    job_in(1, "MPI_Recv");
    operation = job_receive(1, WORLD, 0, 7);
    operation->status = mqs_st_matched;
    operation->actual_local_rank = operation->actual_global_rank = 0;
    operation->actual_tag = 7;
    operation->actual_length = 80;
    check_nothing();
}

static void eager_send_in_the_transport_goes_on(void **state)
{
    (void)state;
    job_start(2);
    job_in(0, "MPI_Send");
    job_facts(job_send(0, WORLD, "Send", 1, 7))->needs_receiver = 0;
    job_in(1, "MPI_Recv");
    job_receive(1, WORLD, 0, 8);
    check_nothing();
}

/* A buffered send is complete while its message still waits in the attached buffer. */
static void buffered_message_in_transit_may_come(void **state)
{
    mqs_pending_operation *operation;

    (void)state;
    make_ring(2);
    operation = job_send(1, WORLD, "Bsend", 0, 7);
    operation->status = mqs_st_complete;
    job_facts(operation)->progress = MQD_PROGRESS_in_transit;
    job_facts(operation)->needs_receiver = 0;
    check_nothing();
}

/* Near misses. */

static void message_with_another_tag_is_the_nearest_miss(void **state)
{
    (void)state;
    job_start(2);
    job_in(0, "MPI_Ssend");
    job_send(0, WORLD, "Ssend", 1, 0);
    job_in(1, "MPI_Recv");
    job_receive(1, WORLD, 0, 1);
    job_message(1, WORLD, 0, 0)->status = mqs_st_pending;
    CHECK({FINDING_TAG, true, "1", "0"}, {FINDING_DEADLOCK, true, "0,1", ""});
    check_says(0, "for a message from rank 0 with tag 1");
    check_says(0, "with tag 0");
    check_says(0, "the tags differ");
    assert_int_equal(verdict.findings[0].n_evidence, 2);
}

static void message_on_another_communicator_is_a_miss(void **state)
{
    (void)state;
    job_start(2);
    for (size_t i = 0; i < 2; i++)
        job_add_communicator(i, 5, "ours", NULL, 2);
    job_in(0, "MPI_Recv");
    job_receive(0, WORLD, 1, 9);
    job_in(1, "MPI_Recv");
    job_receive(1, WORLD, 0, 5);
    job_message(1, 5, 0, 5);
    CHECK({FINDING_DEADLOCK, true, "0,1", ""}, {FINDING_COMMUNICATOR, false, "1", "0"});
    check_says(1, "on ours has arrived at rank 1");
}

static void message_from_another_rank_is_a_miss(void **state)
{
    (void)state;
    job_start(3);
    job_in(0, "MPI_Recv");
    job_receive(0, WORLD, 1, 9);
    job_in(1, "MPI_Recv");
    job_receive(1, WORLD, 0, 5);
    job_message(1, WORLD, 2, 5);
    CHECK({FINDING_DEADLOCK, true, "0,1", ""}, {FINDING_SOURCE, false, "1", "0"});
    check_says(1, "it comes from another rank");
}

static void message_at_another_rank_is_a_miss(void **state)
{
    static const int reversed[3] = {2, 1, 0};

    (void)state;
    job_start(3);
    for (size_t i = 0; i < 3; i++)
        job_add_communicator(i, 5, "reversed", reversed, 3);
    job_in(0, "MPI_Recv");
    job_receive(0, WORLD, 1, 9);
    job_in(1, "MPI_Recv");
    job_receive(1, 5, 2, 5);
    job_message(2, 5, 2, 5);
    CHECK({FINDING_DEADLOCK, true, "0,1", ""}, {FINDING_DESTINATION, false, "1", "0"});
    check_says(1, "rank 0 (2 in reversed)");
    check_says(1, "has arrived at rank 2");
}

static void internal_messages_are_no_misses(void **state)
{
    (void)state;
    make_ring(2);
    job_message(0, WORLD, 1, -16);
    CHECK({FINDING_DEADLOCK, true, "0,1", ""});
}

static void same_miss_of_many_is_one_finding(void **state)
{
    (void)state;
    job_start(6);
    for (size_t i = 0; i < 6; i++) {
        job_in(i, "MPI_Recv");
        job_receive(i, WORLD, (long)(i + 5) % 6, 1);
        job_message(i, WORLD, (long)(i + 5) % 6, 0);
    }
    CHECK({FINDING_DEADLOCK, true, "0-5", ""}, {FINDING_TAG, false, "0-5", "0-5"});
    check_says(1, "Ranks 0-5 wait at the same place");
}

/* Collectives. */

static void arrive_at_collective(size_t rank, const char *function, long tag, long waits_for)
{
    job_in(rank, function);
    job_receive(rank, WORLD, waits_for, tag);
}

static void rank_that_is_missing_in_a_collective(void **state)
{
    (void)state;
    job_start(3);
    arrive_at_collective(0, "MPI_Barrier", -16, 2);
    arrive_at_collective(1, "MPI_Barrier", -16, 0);
    job_in(2, "MPI_Recv");
    job_receive(2, WORLD, 0, 9);
    CHECK({FINDING_NO_SEND, true, "2", "0"}, {FINDING_COLLECTIVE_MISSING, true, "0,1", "2"});
    assert_int_equal(verdict.n_notes, 0);
    arrive_at_collective(2, "MPI_Barrier", -16, 1);
    job_communicator_of(2, WORLD)->queues[mqs_pending_receives].operations[0].status = mqs_st_complete;
    CHECK({FINDING_DEADLOCK, false, "0-2", ""});
}

/* A communicator that the library has made for itself, and what it has posted there for whatever comes. */
static void add_librarys_own(size_t rank, long from)
{
    job_add_communicator(rank, 9, "dup (for a window)", NULL, 3)->summary.internal = 1;
    job_receive(rank, 9, from, 65536);
}

static void what_the_library_receives_for_itself_is_no_part_of_a_collective(void **state)
{
    (void)state;
    job_start(3);
    arrive_at_collective(0, "MPI_Barrier", -16, 2);
    arrive_at_collective(1, "MPI_Barrier", -16, 0);
    job_in(2, "MPI_Recv");
    job_receive(2, WORLD, 0, 9);
    for (size_t i = 0; i < 3; i++)
        add_librarys_own(i, -1);
    CHECK({FINDING_NO_SEND, true, "2", "0"}, {FINDING_COLLECTIVE_MISSING, true, "0,1", "2"});
}

/* As partitioned communication is made of: a message of the program's with the same tag is not meant for it. */
static void what_the_library_receives_for_itself_may_be_waited_for(void **state)
{
    (void)state;
    job_start(2);
    job_in(0, "MPI_Wait");
    add_librarys_own(0, 1);
    job_message(0, WORLD, 1, 65536);
    job_in(1, "MPI_Recv");
    job_receive(1, WORLD, 0, 9);
    CHECK({FINDING_DEADLOCK, false, "0,1", ""});
    check_says(0, "for a message from rank 1 on dup (for a window)");
    job_communicator_of(0, 9)->use.owner = MQD_OWNER_library;
    CHECK({FINDING_DEADLOCK, true, "0,1", ""});
}

static void different_collectives_on_one_communicator(void **state)
{
    (void)state;
    job_start(4);
    arrive_at_collective(0, "MPI_Barrier", -16, 2);
    arrive_at_collective(1, "MPI_Barrier", -16, 0);
    arrive_at_collective(2, "MPI_Allreduce", -12, 1);
    arrive_at_collective(3, "MPI_Allreduce", -12, 2);
    arrive_at_collective(0, "MPI_Barrier", -16, 3);
    CHECK({FINDING_COLLECTIVES_DIFFER, true, "0-3", ""});
    check_says(0, "Ranks 0,1 are in MPI_Barrier");
    check_says(0, "Ranks 2,3 are in MPI_Allreduce");
}

static void collectives_of_disjoint_communicators_with_one_number_are_not_mixed(void **state)
{
    static const int low[2] = {0, 1}, high[2] = {2, 3};

    (void)state;
    job_start(4);
    for (size_t i = 0; i < 4; i++) {
        job_add_communicator(i, 5, i < 2 ? "low" : "high", i < 2 ? low : high, 2);
        job_in(i, i < 2 ? "MPI_Barrier" : "MPI_Bcast");
        job_receive(i, 5, 1 - (long)(i % 2), i < 2 ? -16 : -17);
    }
    CHECK({FINDING_ROOTS_DIFFER, true, "2,3", ""}, {FINDING_DEADLOCK, false, "0,1", ""});
}

static void anybody_of_another_communicator_with_the_number_is_not_meant(void **state)
{
    static const int low[2] = {0, 1}, high[2] = {2, 3};

    (void)state;
    job_start(4);
    for (size_t i = 0; i < 4; i++)
        job_add_communicator(i, 5, i < 2 ? "low" : "high", i < 2 ? low : high, 2);
    for (size_t i = 0; i < 3; i++) {
        job_in(i, "MPI_Recv");
        job_receive(i, 5, ANY, 7);
    }
    CHECK({FINDING_DEADLOCK, true, "0,1", ""}, {FINDING_BUSY, false, "2", "3"});
}

static void collective_whose_messages_are_not_seen_accuses_nobody(void **state)
{
    (void)state;
    job_start(2);
    job_in(0, "MPI_Barrier");
    job_in(1, "MPI_Recv");
    job_receive(1, WORLD, 0, 9);
    CHECK({FINDING_BUSY, false, "1", "0"});
    check_says(0, "Rank 0 is in MPI_Barrier");
}

/* Ranks that have ended or left MPI. */

static void rank_in_finalize_does_not_answer(void **state)
{
    (void)state;
    job_start(3);
    job_in(0, "MPI_Finalize");
    job_in(1, "MPI_Recv");
    job_receive(1, WORLD, 0, 5);
    CHECK({FINDING_FINALIZED, true, "1", "0"});
    job_message(1, WORLD, 0, 5);
    check_nothing();
}

/* The program's function that deletes an attribute of MPI_COMM_SELF may send. */
static void rank_in_a_callback_of_finalize_may_answer(void **state)
{
    (void)state;
    job_start(2);
    job_in(0, "MPI_Finalize");
    job_in(1, "MPI_Recv");
    job_receive(1, WORLD, 0, 5);
    job.calls[0].calls[0].runs = true;
    CHECK({FINDING_BUSY, false, "1", "0"});
}

/* What such a function waits for is waited for as anywhere. */
static void rank_that_waits_in_a_callback_of_finalize_has_not_finalized(void **state)
{
    (void)state;
    job_start(2);
    job_in(0, "MPI_Recv");
    job.calls[0].calls[0].outer = copy_string("MPI_Finalize");
    job_receive(0, WORLD, 1, 5);
    job_in(1, "MPI_Recv");
    job_receive(1, WORLD, 0, 5);
    CHECK({FINDING_DEADLOCK, true, "0,1", ""});
    check_says(0, "MPI_Recv in MPI_Finalize (called from main+0x20)");
}

static void rank_in_a_wrapper_is_said_to_be_there(void **state)
{
    struct call *call;

    (void)state;
    job_start(3);
    job_in(0, "MPI_Wait");
    call = &job.calls[0].calls[0];
    call->state = CALL_OUTSIDE;
    call->runs = true;
    call->through = copy_string("libwrap.so");
    job_in(1, "MPI_Recv");
    job.calls[1].calls[0].through = copy_string("libwrap.so");
    job_receive(1, WORLD, 0, 5);
    CHECK({FINDING_BUSY, false, "1", "0"});
    check_says(0, "is in libwrap.so, in its MPI_Wait (called from main+0x20)");
    check_says(0, "MPI_Recv through libwrap.so");
}

static void rank_past_finalize_does_not_answer(void **state)
{
    (void)state;
    job_start(2);
    job.listings[0].error = copy_string("it is over");
    job.listings[0].reason = MQD_REASON_finalized;
    job_in(1, "MPI_Recv");
    job_receive(1, WORLD, 0, 5);
    CHECK({FINDING_FINALIZED, true, "1", "0"});
    check_says(0, "has left MPI");
}

static void anybody_is_nobody_when_all_others_have_finalized(void **state)
{
    (void)state;
    job_start(3);
    job_in(0, "MPI_Recv");
    job_receive(0, WORLD, ANY, 5);
    job_in(1, "MPI_Finalize");
    job_in(2, "MPI_Finalize");
    CHECK({FINDING_FINALIZED, true, "0", "1,2"});
}

static void ended_process_of_known_rank(void **state)
{
    (void)state;
    make_ring(3);
    job.witnesses[1].ended = true;
    CHECK({FINDING_ENDED, true, "2", "1"});
}

/* At the end of a job one rank had ended before it was read, and the other one before it was read again. */
static void ranks_that_end_one_after_the_other_have_not_left_each_other(void **state)
{
    (void)state;
    job_start(2);
    job.witnesses[0].ended = true;
    job.listings[0].has_communicators = false;
    job.witnesses[1].moved = job.witnesses[1].moved_last = true;
    CHECK({FINDING_ENDED, true, "0", ""});
    job.witnesses[1].outdated = true;
    check_nothing();
}

static void check_cannot_tell(const char *note)
{
    verdict_reach(&verdict, job.witnesses, job.n_ranks);
    assert_int_equal(verdict.n, 0);
    assert_true(verdict.unclear);
    assert_true(verdict.n_notes > 0);
    if (strcmp(verdict.notes[0], note) != 0)
        fail_msg("the note is: %s", verdict.notes[0]);
}

/* Where it is is known, what it waits for is not. That MPI is not there yet is known. */
static void rank_that_could_not_be_read_is_not_nothing_suspicious(void **state)
{
    (void)state;
    job_start(1);
    job_in(0, "MPI_Recv");
    job.listings[0].has_communicators = false;
    job.listings[0].reason = MQD_REASON_unreadable;
    check_cannot_tell("Rank 0 is not known well enough to say what it waits for.");
    job.listings[0].reason = MQD_REASON_not_initialised;
    check_nothing();
}

/* Its rank cannot be read any more, but it is the only one that is missing. */
static void ended_process_of_unknown_rank(void **state)
{
    (void)state;
    make_ring(3);
    job.witnesses[1].ended = true;
    job.listings[1].rank = -1;
    CHECK({FINDING_ENDED, false, "2", "1"});
    job_communicator_of(0, WORLD)->size = 2;
    job_communicator_of(2, WORLD)->size = 2;
    CHECK({FINDING_NOT_READ, false, "0,2", "1"});
}

/* What has become of a rank that was looked for and not found: its queues are not there any more. */
static void lose(size_t rank, struct missing_rank *gone)
{
    job.witnesses[rank].missing = gone;
    job_forget(rank);
    job.witnesses[rank].calls = NULL;
}

static void rank_that_is_not_found_has_ended(void **state)
{
    char fate[] = "has ended: killed by signal 11 (Segmentation fault)";
    struct missing_rank gone = {.rank = 1, .pid = 4711, .certain = true, .fate = fate};

    (void)state;
    make_ring(3);
    lose(1, &gone);
    CHECK({FINDING_ENDED, true, "2", "1"});
    assert_string_equal(verdict.findings[0].sentence, "Rank 2 waits for rank 1, which has ended.");
    assert_string_equal(verdict.findings[0].details[0],
                        "Rank 1 (process 4711) has ended: killed by signal 11 (Segmentation fault).");
    gone.certain = false;
    gone.pid = 0;
    CHECK({FINDING_ENDED, false, "2", "1"});
    assert_string_equal(verdict.findings[0].sentence, "Rank 2 waits for rank 1, which seems to have ended.");
    assert_memory_equal(verdict.findings[0].details[0], "Rank 1 has ended: ", 18);
}

/* Which operation a rank waits for may be a guess. That another rank has ended is certain. */
static void end_is_as_certain_as_what_shows_it(void **state)
{
    char fate[] = "has ended";
    struct missing_rank gone = {.rank = 1, .certain = true, .fate = fate};

    (void)state;
    job_start(3);
    job_in(0, "MPI_Waitany");
    job_receive(0, WORLD, 1, 5);
    job_receive(0, WORLD, 1, 6);
    job.witnesses[1].missing = &gone;
    CHECK({FINDING_ENDED, false, "0", "1"});
    assert_string_equal(verdict.findings[0].sentence, "Rank 0 waits for rank 1, which has ended.");
}

/* The first of many, and what some of those who wait for them wait for. */
static void ends_are_told_before_waits(void **state)
{
    char fate[] = "has ended";
    struct missing_rank gone[8] = {{.pid = 0}};

    (void)state;
    job_start(20);
    for (size_t i = 0; i < 8; i++) {
        gone[i] = (struct missing_rank){.rank = (long)i, .certain = true, .fate = fate};
        job.witnesses[i].missing = &gone[i];
    }
    for (size_t i = 8; i < 20; i++) {
        job_in(i, "MPI_Recv");
        job_receive(i, WORLD, (long)i % 8, 5);
    }
    CHECK({FINDING_ENDED, true, "8-19", "0-7"});
    assert_int_equal(verdict.findings[0].n_details, 8);
    for (size_t i = 0; i < 3; i++) {
        char expected[] = "Rank 0 has ended.";

        expected[5] = (char)('0' + i);
        assert_string_equal(verdict.findings[0].details[i], expected);
    }
    check_says(0, "Ranks 8,16 wait in MPI_Recv");
    check_says(0, "Ranks 12-15 wait in a similar way.");
}

/* A rank has ended, and nobody waits for it yet. This is an error as long as others are in MPI. */
static void rank_that_ends_before_others_leave_mpi(void **state)
{
    char fate[] = "has ended with exit status 3";
    struct missing_rank gone = {.rank = 1, .pid = 4711, .certain = true, .fate = fate};

    (void)state;
    job_start(3);
    job.witnesses[1].missing = &gone;
    CHECK({FINDING_ENDED, true, "1", ""});
    assert_string_equal(verdict.findings[0].sentence, "Rank 1 has ended, while others are still in MPI.");
    assert_string_equal(verdict.findings[0].details[0], "Rank 1 (process 4711) has ended with exit status 3.");
    gone.certain = false;
    CHECK({FINDING_ENDED, false, "1", ""});
    job_in(0, "MPI_Finalize");
    job_in(2, "MPI_Finalize");
    check_nothing();
    job.witnesses[0].calls = NULL;
    check_nothing();
}

/* If something is not known, no rank is named as a cause. */

static void rank_that_is_not_given_may_do_anything(void **state)
{
    (void)state;
    make_ring(4);
    job.n_ranks = 3;
    CHECK({FINDING_NOT_READ, false, "0-2", "3"});
    assert_non_null(strstr(verdict.notes[0], "1 of 4 ranks"));
    job.n_ranks = 4;
}

static void rank_without_a_stack_may_do_anything(void **state)
{
    (void)state;
    make_ring(4);
    job.witnesses[3].calls = NULL;
    CHECK({FINDING_NOT_READ, false, "0-2", "3"});
    assert_non_null(strstr(verdict.notes[0], "Rank 3 is not known well enough"));
}

static void incomplete_stacks_may_hide_anything(void **state)
{
    (void)state;
    make_ring(4);
    job.calls[3].complete = false;
    CHECK({FINDING_NOT_READ, false, "0-2", "3"});
}

static void unknown_queue_may_hold_the_message(void **state)
{
    (void)state;
    make_ring(2);
    job_communicator_of(0, WORLD)->queues[mqs_unexpected_messages].available = false;
    check_nothing();
    job_communicator_of(0, WORLD)->queues[mqs_unexpected_messages].available = true;
    job_communicator_of(1, WORLD)->queues[mqs_pending_sends].error = copy_string("a list is broken");
    check_nothing();
    assert_non_null(strstr(verdict.notes[0], "Rank 1 is not known well enough"));
}

static void thread_that_runs_may_do_anything(void **state)
{
    (void)state;
    make_ring(2);
    job.calls[0].n = 2;
    job.calls[0].calls[1] = (struct call){.thread = 1, .state = CALL_OUTSIDE, .runs = true};
    CHECK({FINDING_BUSY, false, "1", "0"});
    job.calls[0].calls[1].runs = false;
    CHECK({FINDING_DEADLOCK, true, "0,1", ""});
}

static void one_of_several_threads_is_enough(void **state)
{
    (void)state;
    job_start(3);
    job_set_call(0, 0, "MPI_Waitall", "a");
    job_set_call(0, 1, "MPI_Waitall", "b");
    job_mark_waited(job_receive(0, WORLD, 1, 1));
    job_mark_waited(job_receive(0, WORLD, 2, 2));
    job_in(1, "MPI_Recv");
    job_receive(1, WORLD, 0, 9);
    CHECK({FINDING_BUSY, false, "0,1", "2"});
}

static void two_claims_to_one_rank_count_for_nothing(void **state)
{
    (void)state;
    make_ring(3);
    job.listings[2].rank = 1;
    CHECK({FINDING_NOT_READ, false, "0", "2"});
}

static void jobs_are_kept_apart(void **state)
{
    (void)state;
    make_ring(2);
    job.witnesses[0].job = "one";
    job.witnesses[1].job = "two";
    CHECK({FINDING_NOT_READ, false, "0", "1"}, {FINDING_NOT_READ, false, "1", "0"});
    job.witnesses[1].job = "one";
    CHECK({FINDING_DEADLOCK, true, "0,1", ""});
    assert_string_equal(verdict.findings[0].job, "one");
}

static void peer_of_another_job_may_do_anything(void **state)
{
    (void)state;
    make_ring(2);
    job_communicator_of(0, WORLD)->queues[mqs_pending_receives].operations[0].desired_global_rank = -1;
    job_communicator_of(0, WORLD)->group[1] = -1;
    CHECK({FINDING_NOT_READ, false, "0,1", ""});
    check_says(0, "processes that are not known");
}

/* Both sides of an intercommunicator are needed to say that nobody of them sends. */
static void anybody_of_an_intercommunicator_is_the_other_side(void **state)
{
    static const int one[1] = {0}, other[1] = {1};

    (void)state;
    job_start(2);
    job_add_communicator(0, 9, "both", one, 1);
    job_add_communicator(1, 9, "both", other, 1);
    job_set_peers(0, 9, true, (const size_t[]){1}, 1);
    job_set_peers(1, 9, true, (const size_t[]){0}, 1);
    for (size_t i = 0; i < 2; i++) {
        job_in(i, "MPI_Recv");
        job_receive(i, 9, ANY, 5);
    }
    CHECK({FINDING_DEADLOCK, true, "0,1", ""});
    for (size_t i = 0; i < 2; i++) {
        shared_release(job_communicator_of(i, 9)->peers);
        job_communicator_of(i, 9)->peers = NULL;
    }
    check_nothing();
}

/* Several jobs. */

/* Two jobs of two ranks, each of which knows those of the other by an intercommunicator. */
static void make_parents_and_children(void)
{
    static const size_t parents[2] = {0, 1}, children[2] = {2, 3};

    job_start(4);
    job_split(2);
    for (size_t i = 0; i < 4; i++) {
        job_add_communicator(i, 9, "other job", (const int[]){0, 1}, 2);
        job_set_peers(i, 9, true, i < 2 ? children : parents, 2);
    }
}

static void check_other_jobs(size_t finding, const char *job_name, const char *ranks, const char *causes)
{
    const struct finding *found = &verdict.findings[finding];

    assert_int_equal(found->n_others, 1);
    assert_string_equal(found->others[0].job, job_name);
    check_ranks("the other job's ranks", found->others[0].ranks, found->others[0].n_ranks, ranks);
    check_ranks("the other job's causes", found->others[0].causes, found->others[0].n_causes, causes);
}

static void jobs_that_wait_for_each_other_are_a_deadlock(void **state)
{
    (void)state;
    make_parents_and_children();
    job_in(1, "MPI_Recv");
    job_receive(1, 9, 0, 5);
    job_in(2, "MPI_Ssend");
    job_send(2, 9, "Ssend", 1, 6);
    CHECK({FINDING_TAG, true, "1", ""}, {FINDING_DEADLOCK, true, "1", ""});
    check_other_jobs(0, "b", "", "0");
    check_other_jobs(1, "b", "0", "");
    assert_string_equal(verdict.findings[1].job, "a");
    check_says(0, "Rank 0 of job b sends its message of 80 bytes to rank 1 of job a with tag 6 on other job: the tags "
                  "differ.");
    check_says(1, "Rank 1 of job a and rank 0 of job b wait for each other: rank 1 of job a -> rank 0 of job b -> rank "
                  "1 of job a.");
    assert_string_equal(verdict.findings[1].evidence[1].job, "b");
    assert_int_equal(verdict.findings[1].evidence[1].rank, 0);
    assert_int_equal(verdict.findings[1].evidence[1].pid, 102);
    /* The right message, and nobody waits in vain. */
    job_communicator_of(2, 9)->queues[mqs_pending_sends].operations[0].desired_tag = 5;
    check_nothing();
}

/* The ranks of a job that has ended are no error for another job that goes on. */
static void job_that_is_over_is_no_early_end(void **state)
{
    char fate[] = "has ended with exit status 0";
    struct missing_rank gone = {.rank = 1, .pid = 4711, .certain = true, .fate = fate};

    (void)state;
    make_parents_and_children();
    job.witnesses[3].missing = &gone;
    CHECK({FINDING_ENDED, true, "1", ""});
    assert_string_equal(verdict.findings[0].job, "b");
    job_in(2, "MPI_Finalize");
    check_nothing();
}

/* The same numbers in another job are other communicators and other ranks. */
static void jobs_are_not_mixed_up(void **state)
{
    (void)state;
    make_parents_and_children();
    job_in(0, "MPI_Recv");
    job_receive(0, WORLD, ANY, 5);
    job_in(1, "MPI_Recv");
    job_receive(1, WORLD, ANY, 5);
    job_in(2, "MPI_Recv");
    job_receive(2, WORLD, ANY, 5);
    job_in(3, "MPI_Ssend");
    job_send(3, WORLD, "Ssend", 0, 5);
    CHECK({FINDING_DEADLOCK, true, "0,1", ""});
    assert_int_equal(verdict.findings[0].n_others, 0);
    assert_string_equal(verdict.findings[0].job, "a");
    /* Only anybody of the own job is waited for on MPI_COMM_WORLD. */
    job_communicator_of(3, WORLD)->queues[mqs_pending_sends].n = 0;
    job_in(3, "MPI_Recv");
    job_receive(3, WORLD, ANY, 6);
    CHECK({FINDING_DEADLOCK, true, "0,1", ""}, {FINDING_DEADLOCK, true, "0,1", ""});
    assert_string_equal(verdict.findings[0].job, "a");
    assert_string_equal(verdict.findings[1].job, "b");
}

static void anybody_of_another_job_is_its_ranks(void **state)
{
    (void)state;
    make_parents_and_children();
    for (size_t i = 0; i < 4; i++) {
        job_in(i, "MPI_Recv");
        job_receive(i, 9, i < 2 ? ANY : 0, 5);
    }
    CHECK({FINDING_DEADLOCK, true, "0", ""});
    check_other_jobs(0, "b", "0,1", "");
    assert_string_equal(verdict.notes[0], "Rank 1 of job a waits for these, directly or through others.");
    job_in(3, "MPI_Comm_size");
    CHECK({FINDING_BUSY, false, "0,1", ""});
    check_other_jobs(0, "b", "0", "1");
    /* Without the job, nothing is said of it. */
    job.n_ranks = 2;
    check_nothing();
    job.n_ranks = 4;
}

/* A communicator of both jobs: the parents are its ranks 0 and 1. */
static void collective_across_jobs(void **state)
{
    static const size_t all[4] = {0, 1, 2, 3};

    (void)state;
    job_start(4);
    job_split(2);
    for (size_t i = 0; i < 4; i++) {
        job_add_communicator(i, 9, "all", i < 2 ? (const int[]){0, 1, -1, -1} : (const int[]){-1, -1, 0, 1}, 4);
        job_set_peers(i, 9, false, all, 4);
    }
    for (size_t i = 0; i < 3; i++) {
        job_in(i, "MPI_Barrier");
        job_receive(i, 9, (long)i + 1, -16);
    }
    job_in(3, "MPI_Recv");
    job_receive(3, 9, 0, 5);
    CHECK({FINDING_NO_SEND, true, "1", ""}, {FINDING_COLLECTIVE_MISSING, true, "0,1", ""});
    check_other_jobs(0, "a", "", "0");
    check_other_jobs(1, "b", "0", "1");
    check_says(1, "3 of 4 ranks are in MPI_Barrier on all; rank 1 of job b is missing.");
    check_says(1, "Ranks 0,1 of job a and rank 0 of job b are in MPI_Barrier");
}

/* A rank in MPI_Probe may wait for a process of another job, in a communicator of both. */
static void probe_may_be_for_another_job(void **state)
{
    (void)state;
    job_start(3);
    job_split(2);
    job_in(0, "MPI_Probe");
    job_in(1, "MPI_Probe");
    job_in(2, "MPI_Probe");
    CHECK({FINDING_DEADLOCK, true, "0,1", ""}, {FINDING_DEADLOCK, true, "0", ""});
    job_add_communicator(1, 9, "all", (const int[]){0, 1, -1}, 3);
    job_set_peers(1, 9, false, (const size_t[]){0, 1, 2}, 3);
    CHECK({FINDING_DEADLOCK, true, "0", ""}, {FINDING_BUSY, false, "0", "1"});
}

/* Ranks of one of the jobs were not given. */
static void notes_name_the_job(void **state)
{
    (void)state;
    make_parents_and_children();
    job.n_ranks = 3;
    job_in(0, "MPI_Recv");
    job_receive(0, 9, 1, 5);
    CHECK({FINDING_NOT_READ, false, "0", ""});
    check_other_jobs(0, "b", "", "1");
    assert_string_equal(verdict.notes[0], "1 of 2 ranks of MPI_COMM_WORLD of job b were not given: what they do is not "
                                          "known.");
    job.n_ranks = 4;
}

/* Time. */

static void rank_that_has_moved_is_not_stuck(void **state)
{
    (void)state;
    make_ring(3);
    job.witnesses[1].moved = true;
    check_nothing();
}

/* It may go on, and is nobody's cause. */
static void rank_without_processor_time_is_named(void **state)
{
    (void)state;
    make_ring(3);
    job.witnesses[1].moved = job.witnesses[1].starved = true;
    check_nothing();
    assert_true(verdict.unclear);
    assert_int_equal(verdict.n_notes, 1);
    assert_string_equal(verdict.notes[0], "Rank 1 had no processor time between the looks, and may go on with some.");
    job.witnesses[1].starved = false;
    check_nothing();
    assert_false(verdict.unclear);
}

static void busy_rank_is_only_possibly_stuck(void **state)
{
    (void)state;
    job_start(4);
    for (size_t i = 1; i < 4; i++) {
        job_in(i, "MPI_Recv");
        job_receive(i, WORLD, (long)i - 1, 5);
    }
    CHECK({FINDING_BUSY, false, "1-3", "0"});
    check_says(0, "Rank 0 is outside of MPI (work+0x10)");
    assert_true(finding_rests_on_time(&verdict.findings[0]));
    job.witnesses[0].moved = true;
    check_nothing();
}

/* A master that waits for whoever comes does not wait for the one worker that takes long. */
static void worker_that_takes_long_keeps_nobody(void **state)
{
    (void)state;
    job_start(3);
    job_in(0, "MPI_Recv");
    job_receive(0, WORLD, ANY, 1);
    job.witnesses[1].moved = true;
    check_nothing();
}

static struct witness copy_of(size_t rank, struct listing *listing)
{
    *listing = job.listings[rank];
    return (struct witness){.listing = listing, .calls = &job.calls[rank]};
}

static void moving_shows_in_operations_calls_and_counts(void **state)
{
    struct communicator *communicators;
    struct communicator world;
    struct listing before_listing;
    struct witness before;
    struct mqd_operation_description changed;

    (void)state;
    make_ring(2);
    before = copy_of(0, &before_listing);
    assert_false(witness_has_moved(&before, &job.witnesses[0]));
    communicators = job.listings[0].communicators;
    world = communicators[0];
    before_listing.communicators = &world;
    communicators[0].summary.n_receives = 1;
    assert_true(witness_has_moved(&before, &job.witnesses[0]));
    job_in(0, "MPI_Iprobe");
    assert_false(witness_has_moved(&before, &job.witnesses[0]));
    communicators[0].summary.n_sends = 1;
    assert_true(witness_has_moved(&before, &job.witnesses[0]));
    communicators[0].summary = world.summary;
    assert_false(witness_has_moved(&before, &job.witnesses[0]));
    changed = world.queues[mqs_pending_receives].facts[0];
    world.queues[mqs_pending_receives].facts = &changed;
    assert_false(witness_has_moved(&before, &job.witnesses[0]));
    changed.request++;
    assert_true(witness_has_moved(&before, &job.witnesses[0]));
    changed.request--;
    changed.arrived++;
    assert_true(witness_has_moved(&before, &job.witnesses[0]));
    changed.arrived--;
    changed.progress = MQD_PROGRESS_waited_for;
    assert_true(witness_has_moved(&before, &job.witnesses[0]));
}

static void moving_shows_in_the_stack(void **state)
{
    struct listing before_listing;
    struct call call;
    struct calls before_calls = {.calls = &call, .n = 1, .complete = true};
    struct witness before;

    (void)state;
    make_ring(2);
    before = copy_of(0, &before_listing);
    before.calls = &before_calls;
    call = job.calls[0].calls[0];
    assert_false(witness_has_moved(&before, &job.witnesses[0]));
    call.mark++;
    assert_true(witness_has_moved(&before, &job.witnesses[0]));
    call = job.calls[0].calls[0];
    call.state = CALL_OUTSIDE;
    assert_true(witness_has_moved(&before, &job.witnesses[0]));
}

/* Queues of one rank. */

static void truncated_message(void **state)
{
    mqs_pending_operation *operation;

    (void)state;
    job_start(2);
    operation = job_receive(1, WORLD, 0, 5);
    operation->status = mqs_st_complete;
    operation->actual_local_rank = operation->actual_global_rank = 0;
    operation->actual_tag = 5;
    operation->actual_length = 80;
    check_nothing();
    operation->actual_length = 81;
    CHECK({FINDING_TRUNCATED, true, "1", "0"});
    check_says(0, "room for 80 bytes");
    check_says(0, "81 bytes");
}

static void flood_of_messages(void **state)
{
    (void)state;
    job_start(3);
    for (int i = 0; i < 999; i++)
        job_message(1, WORLD, 0, i);
    job_message(1, WORLD, 2, 0);
    check_nothing();
    job_communicator_of(1, WORLD)->queues[mqs_unexpected_messages].n--;
    job_message(1, WORLD, 0, 0);
    CHECK({FINDING_FLOOD, true, "1", "0"});
    check_says(0, "1,000 messages (80,000 bytes) from rank 0");
    job_communicator_of(1, WORLD)->queues[mqs_unexpected_messages].n = 1;
    job_communicator_of(1, WORLD)->queues[mqs_unexpected_messages].operations[0].desired_length = 64 << 20;
    CHECK({FINDING_FLOOD, true, "1", "0"});
}

/* UCX has the messages of all ranks in one queue, in the order of their arrival. */
static void floods_that_arrive_in_turn(void **state)
{
    (void)state;
    job_start(3);
    for (int i = 0; i < 1000; i++) {
        job_message(0, WORLD, 1, i);
        job_message(0, WORLD, 2, i);
    }
    CHECK({FINDING_FLOOD, true, "0", "1"}, {FINDING_FLOOD, true, "0", "2"});
}

/* Order, and size. */

static void certain_findings_come_first(void **state)
{
    (void)state;
    job_start(6);
    job_in(0, "MPI_Recv");
    job_receive(0, WORLD, 5, 5);
    for (size_t i = 1; i < 3; i++) {
        job_in(i, "MPI_Recv");
        job_receive(i, WORLD, 3 - (long)i, 5);
    }
    job_in(3, "MPI_Finalize");
    job_in(4, "MPI_Recv");
    job_receive(4, WORLD, 3, 5);
    CHECK({FINDING_FINALIZED, true, "4", "3"}, {FINDING_DEADLOCK, true, "1,2", ""}, {FINDING_BUSY, false, "0", "5"});
}

static void nothing_at_all(void **state)
{
    (void)state;
    verdict_reach(&verdict, NULL, 0);
    assert_int_equal(verdict.n, 0);
    job_start(3);
    check_nothing();
}

/* An exchange in pairs goes wrong on a large machine. The verdict must fit on one screen. */
static void many_of_a_kind_are_folded(void **state)
{
    (void)state;
    job_start(100);
    for (size_t i = 0; i < 100; i++) {
        job_in(i, "MPI_Ssend");
        job_send(i, WORLD, "Ssend", (long)(i ^ 1), 7);
    }
    CHECK({FINDING_DEADLOCK, true, "0,1", ""}, {FINDING_DEADLOCK, true, "2,3", ""}, {FINDING_DEADLOCK, true, "4,5", ""},
          {FINDING_DEADLOCK, true, "6,7", ""}, {FINDING_DEADLOCK, true, "8-99", ""});
    check_says(4, "The same 46 times more, with ranks 8-99");
}

enum { N_LARGE = 1000, N_EACH = 100 };

static void large_ring_takes_no_second(void **state)
{
    clock_t start;

    (void)state;
    make_ring(N_LARGE);
    for (size_t i = 0; i < N_LARGE; i++)
        for (int k = 0; k < N_EACH / 2; k++) {
            job_message(i, WORLD, (long)(i + 1) % N_LARGE, 1000 + k);
            job_send(i, WORLD, "Send", (long)(i + 2) % N_LARGE, 2000 + k);
        }
    start = clock();
    CHECK({FINDING_DEADLOCK, true, "0-999", ""});
    check_time(start);
    check_says(0, "-> ... -> 0");
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

static void large_crowds_take_no_second(void **state)
{
    clock_t start;

    (void)state;
    job_start(N_LARGE);
    for (size_t i = 0; i < N_LARGE; i++) {
        job_in(i, "MPI_Waitall");
        for (int k = 0; k < N_EACH; k++)
            job_mark_waited(job_receive(i, WORLD, k == 0 ? ANY : (long)(i + (size_t)k) % N_LARGE, k));
    }
    start = clock();
    CHECK({FINDING_DEADLOCK, true, "0-999", ""});
    check_time(start);
}

/* A PML that counts no messages, and does not list all of what blocking calls have started. */

static void make_pair_on_ucx(void)
{
    job_start(2);
    job_use_ucx();
}

static mqs_pending_operation *receive_in(size_t rank, const char *function, long from, long tag)
{
    mqs_pending_operation *receive = job_receive(rank, WORLD, from, tag);

    job_in(rank, function);
    job_mark_waited(receive);
    return receive;
}

static void receives_with_numbers_are_a_certain_deadlock(void **state)
{
    mqs_pending_operation *receive;

    (void)state;
    make_pair_on_ucx();
    receive_in(0, "MPI_Recv", 1, 7);
    receive = receive_in(1, "MPI_Recv", 0, 7);
    CHECK({FINDING_DEADLOCK, true, "0,1", ""});
    assert_int_equal(verdict.n_notes, 0);
    /* Without a number it may be another receive than the one of the look before, and its message on its way. */
    job_facts(receive)->sequence = -1;
    CHECK({FINDING_DEADLOCK, false, "0,1", ""});
    check_note("are not counted");
}

/* The next receive of a loop has the address of the one before. */
static void another_number_is_another_receive(void **state)
{
    struct listing before_listing;
    struct witness before;
    struct communicator world;
    struct mqd_operation_description facts;

    (void)state;
    make_pair_on_ucx();
    receive_in(0, "MPI_Recv", 1, 7);
    before = copy_of(0, &before_listing);
    world = before_listing.communicators[0];
    facts = world.queues[mqs_pending_receives].facts[0];
    world.queues[mqs_pending_receives].facts = &facts;
    before_listing.communicators = &world;
    assert_false(witness_has_moved(&before, &job.witnesses[0]));
    facts.sequence--;
    assert_true(witness_has_moved(&before, &job.witnesses[0]));
}

static void another_named_send_is_a_move(void **state)
{
    struct listing before_listing;
    struct witness before;
    struct communicator world;
    struct extra extra;

    (void)state;
    make_pair_on_ucx();
    job_found_send(0, 1, 7);
    before = copy_of(1, &before_listing);
    world = before_listing.communicators[0];
    extra = world.queues[mqs_unexpected_messages].extras[0];
    world.queues[mqs_unexpected_messages].extras = &extra;
    before_listing.communicators = &world;
    assert_false(witness_has_moved(&before, &job.witnesses[1]));
    extra.send_request++;
    assert_true(witness_has_moved(&before, &job.witnesses[1]));
}

/* Nobody has taken the messages, so no answer is on its way: one look shows it. */
static void sends_with_messages_at_their_receivers_are_a_certain_deadlock(void **state)
{
    (void)state;
    make_pair_on_ucx();
    job_in(0, "MPI_Send");
    job_in(1, "MPI_Send");
    job_found_send(0, 1, 7);
    job_found_send(1, 0, 7);
    CHECK({FINDING_DEADLOCK, true, "0,1", ""});
    check_says(0, "waits in MPI_Send (called from main+0x20) for somebody to receive its message of 80 bytes to rank 1");
}

static void listed_sends_without_messages_are_only_possible(void **state)
{
    const mqs_pending_operation *send;

    (void)state;
    make_pair_on_ucx();
    job_in(0, "MPI_Ssend");
    job_in(1, "MPI_Ssend");
    send = job_send(0, WORLD, "Ssend", 1, 7);
    job_message_of(job_send(1, WORLD, "Ssend", 0, 7), 1);
    CHECK({FINDING_DEADLOCK, false, "0,1", ""});
    job_message_of(send, 0);
    CHECK({FINDING_DEADLOCK, true, "0,1", ""});
}

/* The tags differ. Rank 1 has received nothing; so the send is still the same; so nothing comes from rank 0. */
static void message_that_a_waiting_rank_does_not_take_is_proved(void **state)
{
    const mqs_pending_operation *send;
    mqs_pending_operation *receive;

    (void)state;
    make_pair_on_ucx();
    job_in(0, "MPI_Ssend");
    send = job_send(0, WORLD, "Ssend", 1, 7);
    receive = receive_in(1, "MPI_Recv", 0, 8);
    CHECK({FINDING_TAG, false, "1", "0"}, {FINDING_DEADLOCK, false, "0,1", ""});
    job_message_of(send, 0);
    CHECK({FINDING_TAG, true, "1", "0"}, {FINDING_DEADLOCK, true, "0,1", ""});
    /* If the receiver may have gone on, so may the sender. */
    job_facts(receive)->sequence = -1;
    CHECK({FINDING_TAG, false, "1", "0"}, {FINDING_DEADLOCK, false, "0,1", ""});
}

/* A small message has left, and its send is in no list. The sender has called MPI_Send again, or is still in it. */
static void rank_in_a_send_that_is_not_listed_is_busy(void **state)
{
    (void)state;
    make_pair_on_ucx();
    job_in(0, "MPI_Send");
    receive_in(1, "MPI_Recv", 0, 7);
    CHECK({FINDING_BUSY, false, "1", "0"});
    check_note("Rank 0 is in MPI_Send (called from main+0x20), which waits for what is not listed.");
    job_found_send(0, 1, 8);
    CHECK({FINDING_TAG, true, "1", "0"}, {FINDING_DEADLOCK, true, "0,1", ""});
    assert_int_equal(verdict.n_notes, 0);
}

/* It was started by MPI_Isend: it is not what MPI_Send waits for. */
static void older_send_is_not_the_one_of_a_blocking_call(void **state)
{
    (void)state;
    job_start(3);
    job_use_ucx();
    job_in(0, "MPI_Send");
    job_message_of(job_send(0, WORLD, "Send", 1, 3), 0);
    receive_in(1, "MPI_Recv", 0, 7);
    CHECK({FINDING_BUSY, false, "1", "0"});
    job_found_send(0, 2, 4);
    CHECK({FINDING_BUSY, false, "0,1", "2"});
}

/* A receive that has its message, of a large transfer, is in no list. */
static void rank_in_a_receive_that_is_not_listed_is_busy(void **state)
{
    (void)state;
    make_pair_on_ucx();
    job_in(0, "MPI_Recv");
    job_receive(0, WORLD, 1, 3);
    receive_in(1, "MPI_Recv", 0, 7);
    CHECK({FINDING_BUSY, false, "1", "0"});
}

static void sendrecv_waits_for_its_send_or_for_a_receive(void **state)
{
    (void)state;
    make_pair_on_ucx();
    job_in(0, "MPI_Sendrecv");
    job_in(1, "MPI_Sendrecv");
    job_receive(0, WORLD, 1, 7);
    job_receive(1, WORLD, 0, 7);
    CHECK({FINDING_DEADLOCK, false, "0,1", ""});
    job_found_send(0, 1, 8);
    job_found_send(1, 0, 8);
    CHECK({FINDING_DEADLOCK, true, "0,1", ""}, {FINDING_TAG, false, "0,1", "0,1"});
}

/* One of a non-blocking collective may have been started long before, and the call wait for what is not listed. */
static void collective_whose_operations_may_be_hidden(void **state)
{
    mqs_pending_operation *receives[2];

    (void)state;
    make_pair_on_ucx();
    for (size_t i = 0; i < 2; i++) {
        arrive_at_collective(i, i == 0 ? "MPI_Barrier" : "MPI_Bcast", -16, (long)(1 - i));
        receives[i] = job_communicator_of(i, WORLD)->queues[mqs_pending_receives].operations;
        strcpy(job_facts(receives[i])->purpose, "MPI_Barrier");
    }
    CHECK({FINDING_COLLECTIVES_DIFFER, true, "0,1", ""});
    strcpy(job_facts(receives[1])->purpose, "non-blocking collective");
    CHECK({FINDING_COLLECTIVES_DIFFER, false, "0,1", ""});
    job_mark_waited(receives[1]);
    CHECK({FINDING_COLLECTIVES_DIFFER, true, "0,1", ""});
}

static void one_of_several_threads_may_have_what_is_hidden(void **state)
{
    (void)state;
    make_pair_on_ucx();
    job_set_call(0, 1, "MPI_Recv", "worker+0x10");
    receive_in(0, "MPI_Recv", 1, 7);
    receive_in(1, "MPI_Recv", 0, 7);
    CHECK({FINDING_DEADLOCK, false, "0,1", ""});
}

static void probes_prove_nothing(void **state)
{
    (void)state;
    make_pair_on_ucx();
    job_in(0, "MPI_Probe");
    job_in(1, "MPI_Probe");
    CHECK({FINDING_DEADLOCK, false, "0,1", ""});
    receive_in(1, "MPI_Recv", 0, 7);
    CHECK({FINDING_DEADLOCK, false, "0,1", ""});
}

/* What it sent just before may be on its way, whichever PML it is. */
static void rank_that_has_just_left_may_have_sent(void **state)
{
    (void)state;
    job_start(2);
    job_in(0, "MPI_Recv");
    job_receive(0, WORLD, 1, 7);
    job_in(1, "MPI_Finalize");
    CHECK({FINDING_FINALIZED, true, "0", "1"});
    job.witnesses[1].moved = job.witnesses[1].moved_last = true;
    CHECK({FINDING_FINALIZED, false, "0", "1"});
    job.witnesses[1].moved_last = false;
    CHECK({FINDING_FINALIZED, true, "0", "1"});
}

/* It may take the messages that have arrived one after the other, with requests that have the same address. */
static void rank_without_a_number_may_receive_what_a_gone_rank_has_sent(void **state)
{
    mqs_pending_operation *receive;

    (void)state;
    make_pair_on_ucx();
    job_in(1, "MPI_Finalize");
    receive = receive_in(0, "MPI_Wait", 1, 7);
    CHECK({FINDING_FINALIZED, true, "0", "1"});
    job_facts(receive)->sequence = -1;
    CHECK({FINDING_FINALIZED, false, "0", "1"});
}

static void rank_that_probes_may_receive_what_gone_ranks_have_sent(void **state)
{
    (void)state;
    make_pair_on_ucx();
    job_in(0, "MPI_Probe");
    job_in(1, "MPI_Finalize");
    CHECK({FINDING_FINALIZED, false, "0", "1"});
}

/* As long as rank 1 has posted no receive the send cannot end. */
static void send_to_a_gone_rank_needs_no_proof(void **state)
{
    (void)state;
    make_pair_on_ucx();
    job_in(0, "MPI_Ssend");
    job_in(1, "MPI_Finalize");
    job_send(0, WORLD, "Ssend", 1, 7);
    CHECK({FINDING_FINALIZED, true, "0", "1"});
}

/* Rank 2 has left; a message from one of the others may be on its way to the other. */
static void anybody_who_may_have_sent_is_not_gone(void **state)
{
    (void)state;
    job_start(3);
    job_use_ucx();
    job_in(2, "MPI_Finalize");
    for (size_t i = 0; i < 2; i++)
        receive_in(i, "MPI_Recv", ANY, 7);
    CHECK({FINDING_FINALIZED, true, "0,1", "2"});
    job_in(1, "MPI_Probe");
    CHECK({FINDING_FINALIZED, false, "0,1", "2"});
}

/* What is not known may be what somebody waits for. */
static void operations_of_unknown_peers_and_tags_accuse_nobody(void **state)
{
    mqs_pending_operation *send;

    (void)state;
    make_ring(2);
    send = job_send(1, WORLD, "Send", 0, 9);
    CHECK({FINDING_DEADLOCK, true, "0,1", ""}, {FINDING_TAG, false, "0", "1"});
    job_extra(send)->unknown.tag = 1;
    send->desired_tag = -1;
    check_nothing();
    job_extra(send)->unknown.tag = 0;
    job_extra(send)->unknown.peer = 1;
    send->desired_tag = 9;
    send->desired_local_rank = send->desired_global_rank = -1;
    check_nothing();
}

static void receive_of_unknown_source_waits_for_nobody_known(void **state)
{
    mqs_pending_operation *receive;

    (void)state;
    job_start(2);
    job_in(0, "MPI_Recv");
    receive = job_receive(0, WORLD, ANY, 7);
    job_in(1, "MPI_Recv");
    job_receive(1, WORLD, 0, 7);
    CHECK({FINDING_DEADLOCK, true, "0,1", ""});
    job_extra(receive)->unknown.peer = 1;
    CHECK({FINDING_NOT_READ, false, "0,1", ""});
    job_extra(receive)->unknown.peer = 0;
    job_extra(receive)->unknown.tag = 1;
    check_nothing();
}

static void unknown_length_is_not_too_short(void **state)
{
    mqs_pending_operation *receive;

    (void)state;
    job_start(2);
    receive = job_receive(0, WORLD, 1, 7);
    receive->status = mqs_st_complete;
    receive->desired_length = 0;
    receive->actual_length = 80;
    CHECK({FINDING_TRUNCATED, true, "0", ""});
    job_extra(receive)->unknown.length = 1;
    check_nothing();
}

/* Cores. */

/* All ranks are looked at once; nothing was sent yet. */
static void make_cores(void)
{
    for (size_t i = 0; i < job.n_ranks; i++) {
        job.witnesses[i].once = true;
        for (size_t k = 0; k < job.listings[i].n; k++)
            job.listings[i].communicators[k].has_traffic = true;
    }
}

static void exchange(size_t rank, long peer, uint16_t n_sent, uint16_t n_arrived)
{
    struct communicator *communicator = job_communicator_of(rank, WORLD);

    communicator->traffic = grow_array(communicator->traffic, communicator->n_traffic, &communicator->traffic_room,
                                       sizeof *communicator->traffic);
    communicator->traffic[communicator->n_traffic++] = (struct traffic){peer, n_sent, n_arrived};
}

static void message_between_cores_may_come(void **state)
{
    (void)state;
    make_ring(4);
    make_cores();
    CHECK({FINDING_DEADLOCK, true, "0-3", ""});
    exchange(0, 3, 0, 4);
    exchange(3, 0, 4, 0);
    CHECK({FINDING_DEADLOCK, true, "0-3", ""});
    job_communicator_of(3, WORLD)->traffic[0].n_sent = 5;
    check_nothing();
    assert_int_equal(verdict.n_notes, 0);
    /* The numbers start again. */
    job_communicator_of(0, WORLD)->traffic[0].n_arrived = UINT16_MAX;
    job_communicator_of(3, WORLD)->traffic[0].n_sent = 0;
    check_nothing();
    assert_int_equal(verdict.n_notes, 0);
}

static void cores_of_different_moments_are_told(void **state)
{
    (void)state;
    make_ring(4);
    make_cores();
    exchange(0, 3, 0, 5);
    exchange(3, 0, 4, 0);
    check_nothing();
    check_note("Rank 0 has received more messages of rank 3 than that had sent: the cores are of different moments.");
}

static void anybody_may_have_sent_what_is_between_cores(void **state)
{
    (void)state;
    job_start(3);
    for (size_t i = 0; i < 3; i++) {
        job_in(i, "MPI_Recv");
        job_receive(i, WORLD, ANY, 7);
    }
    make_cores();
    CHECK({FINDING_DEADLOCK, true, "0-2", ""});
    exchange(2, 1, 1, 0);
    check_nothing();
}

static void probe_may_see_what_is_between_cores(void **state)
{
    (void)state;
    job_start(2);
    job_in(0, "MPI_Probe");
    job_in(1, "MPI_Probe");
    make_cores();
    CHECK({FINDING_DEADLOCK, true, "0,1", ""});
    exchange(0, 1, 1, 0);
    check_nothing();
}

/* A receiver that has matched a message and waits for its data has answered the sender. */
static void answer_between_cores_may_come(void **state)
{
    (void)state;
    job_start(2);
    job_in(0, "MPI_Ssend");
    job_send(0, WORLD, "Ssend", 1, 7);
    job_in(1, "MPI_Ssend");
    job_send(1, WORLD, "Ssend", 0, 7);
    make_cores();
    exchange(0, 1, 1, 1);
    exchange(1, 0, 1, 1);
    check_nothing();
    job_message(0, WORLD, 1, 7)->status = mqs_st_pending;
    check_nothing();
    job_message(1, WORLD, 0, 7)->status = mqs_st_pending;
    CHECK({FINDING_DEADLOCK, true, "0,1", ""});
}

static void what_was_not_counted_is_only_possible(void **state)
{
    mqs_pending_operation *receives;

    (void)state;
    make_ring(4);
    make_cores();
    job_receive(2, WORLD, 0, 3)->actual_length = 160;
    receives = job_communicator_of(2, WORLD)->queues[mqs_pending_receives].operations;
    job_mark_waited(&receives[0]);
    receives[1].status = mqs_st_complete;
    CHECK({FINDING_TRUNCATED, true, "2", ""}, {FINDING_DEADLOCK, true, "0-3", ""});
    job_communicator_of(1, WORLD)->has_traffic = false;
    CHECK({FINDING_TRUNCATED, true, "2", ""}, {FINDING_DEADLOCK, false, "0-3", ""});
    check_note("not known of all cores");
}

static void crash(size_t rank, int signal, const char *fault)
{
    struct call *call = &job.calls[rank].calls[0];

    job.witnesses[rank].crashed = true;
    job.listings[rank].signal = signal;
    call->crashed = true;
    call->fault = fault != NULL ? copy_string(fault) : NULL;
}

static void rank_that_crashed_is_a_finding(void **state)
{
    (void)state;
    job_start(4);
    make_cores();
    crash(2, SIGSEGV, "work");
    CHECK({FINDING_CRASHED, true, "2", ""});
    check_says(0, "Rank 2 was killed by SIGSEGV in work (work+0x10).");
    job_in(0, "MPI_Recv");
    job_receive(0, WORLD, 2, 7);
    CHECK({FINDING_CRASHED, true, "2", ""}, {FINDING_ENDED, true, "0", "2"});
}

static void crashes_at_one_place_are_one_finding(void **state)
{
    (void)state;
    job_start(5);
    make_cores();
    crash(1, SIGABRT, "abort");
    crash(2, SIGSEGV, NULL);
    crash(3, SIGABRT, "abort");
    job.witnesses[4].crashed = true;
    job.listings[4].signal = SIGBUS;
    job.witnesses[4].calls = NULL;
    CHECK({FINDING_CRASHED, true, "1,3", ""}, {FINDING_CRASHED, true, "2", ""}, {FINDING_CRASHED, true, "4", ""});
    check_says(0, "Ranks 1,3 were killed by SIGABRT in abort, called from work (work+0x10).");
    check_says(1, "Rank 2 was killed by SIGSEGV in work (work+0x10).");
    check_says(2, "Rank 4 was killed by SIGBUS.");
}

/* Windows. */

enum { WINDOW = 9 };

/* Gives a rank a window over MPI_COMM_WORLD, with one role. job_end releases the listing. */
static void add_window(size_t rank, int member, enum mqd_window_role role, int held)
{
    struct listing *listing = &job.listings[rank];
    struct window *window = allocate_array(1, sizeof *window);

    *window = (struct window){.unique_id = WINDOW, .local_rank = (mqs_tword_t)rank,
                              .size = (mqs_tword_t)job.n_ranks, .name = "heights", .n_peers = 1, .peer_room = 1};
    window->group = shared_allocate(job.n_ranks, sizeof *window->group);
    for (size_t i = 0; i < job.n_ranks; i++)
        window->group[i] = (int)i;
    window->peers = allocate_array(1, sizeof *window->peers);
    window->peers[0] = (struct mqd_window_peer){.rank = member, .role = (int)role, .held = held};
    window->description = (struct mqd_window_description){
        .access = role == MQD_ROLE_started ? MQD_ACCESS_start : MQD_ACCESS_unknown,
        .exposed = role == MQD_ROLE_posted};
    listing->windows = window;
    listing->n_windows = 1;
}

/* Rank 0 has the lock, and waits for a message of rank 1. It has done nothing since: this proves both waits. */
static void lock_of_a_rank_that_waits_for_a_message_is_a_deadlock(void **state)
{
    (void)state;
    job_start(2);
    job_in(0, "MPI_Recv");
    job_receive(0, WORLD, 1, 7);
    job_in(1, "MPI_Win_lock");
    add_window(0, 1, MQD_ROLE_exclusive, -1);
    add_window(1, 1, MQD_ROLE_shared, 0);
    CHECK({FINDING_DEADLOCK, true, "0,1", ""});
    check_says(0, "Rank 1 waits in MPI_Win_lock (called from main+0x20) for a shared lock of the window heights at "
                  "rank 1, where rank 0 has an exclusive one.");
}

/* The rank that holds the lock may hold it for a good reason: it waits for nobody. */
static void lock_of_a_busy_rank_is_no_deadlock(void **state)
{
    (void)state;
    job_start(2);
    job_in(1, "MPI_Win_lock");
    add_window(0, 1, MQD_ROLE_exclusive, 1);
    add_window(1, 1, MQD_ROLE_shared, 0);
    CHECK({FINDING_BUSY, false, "1", "0"});
}

/* Both may have posted, started and completed between the looks: that is not counted. */
static void ranks_that_wait_only_on_windows_are_not_certain(void **state)
{
    (void)state;
    job_start(2);
    job_in(0, "MPI_Win_start");
    job_in(1, "MPI_Win_start");
    add_window(0, 1, MQD_ROLE_started, -1);
    add_window(1, 0, MQD_ROLE_started, -1);
    CHECK({FINDING_DEADLOCK, false, "0,1", ""});
    check_says(0, "Rank 0 waits in MPI_Win_start (called from main+0x20) for rank 1 to call MPI_Win_post on the window "
                  "heights.");
}

/* Rank 1 has posted: MPI_Win_start returns. */
static void start_after_a_post_waits_for_nobody(void **state)
{
    (void)state;
    job_start(2);
    job_in(0, "MPI_Win_start");
    job_in(1, "MPI_Recv");
    job_receive(1, WORLD, 0, 7);
    add_window(0, 1, MQD_ROLE_started, -1);
    add_window(1, 0, MQD_ROLE_posted, -1);
    CHECK({FINDING_BUSY, false, "1", "0"});
}

/* Its windows are not known any more. */
static void start_waits_for_who_has_finalized(void **state)
{
    (void)state;
    job_start(2);
    job_in(0, "MPI_Win_start");
    add_window(0, 1, MQD_ROLE_started, -1);
    job_in(1, "MPI_Finalize");
    CHECK({FINDING_FINALIZED, false, "0", "1"});
    check_says(0, "for rank 1 to call MPI_Win_post on the window heights.");
    job_in(1, "MPI_Win_free");
    check_nothing();
}

static void wait_names_who_has_not_completed(void **state)
{
    (void)state;
    job_start(2);
    job_in(0, "MPI_Recv");
    job_receive(0, WORLD, 1, 7);
    job_in(1, "MPI_Win_wait");
    add_window(0, 1, MQD_ROLE_started, -1);
    add_window(1, 0, MQD_ROLE_posted, -1);
    CHECK({FINDING_DEADLOCK, true, "0,1", ""});
    check_says(0, "Rank 1 waits in MPI_Win_wait (called from main+0x20) for rank 0 to call MPI_Win_complete on the "
                  "window heights.");
}

/* Gives a rank an exposure epoch for all others, of which so many have called MPI_Win_complete. */
static void expose_to_all(size_t rank, long n_completed)
{
    struct window *window;

    add_window(rank, 0, MQD_ROLE_posted, -1);
    window = &job.listings[rank].windows[0];
    window->n_peers = 0;
    for (size_t i = 0; i < job.n_ranks; i++) {
        if (i == rank)
            continue;
        window->peers = grow_array(window->peers, window->n_peers, &window->peer_room, sizeof *window->peers);
        window->peers[window->n_peers++] =
            (struct mqd_window_peer){.rank = (int)i, .role = MQD_ROLE_posted, .held = -1};
    }
    window->description.n_completed = n_completed;
}

/* Gives a rank the same window without an epoch. */
static void add_idle_window(size_t rank)
{
    add_window(rank, 0, MQD_ROLE_shared, -1);
    job.listings[rank].windows[0].n_peers = 0;
    job.listings[rank].windows[0].description.access = MQD_ACCESS_none;
}

/* Ranks 1 and 2 wait for messages of rank 0; one of them has completed, and it is not known which. */
static void start_wait_for_completions(void)
{
    job_start(3);
    job_in(0, "MPI_Win_wait");
    expose_to_all(0, 1);
    for (size_t i = 1; i < 3; i++) {
        job_in(i, "MPI_Recv");
        job_receive(i, WORLD, 0, 7);
        add_idle_window(i);
    }
}

/* An access epoch to rank 0. */
static void start_access(size_t rank)
{
    struct window *window = &job.listings[rank].windows[0];

    window->peers[0] = (struct mqd_window_peer){.rank = 0, .role = MQD_ROLE_started, .held = -1};
    window->n_peers = 1;
    window->description.access = MQD_ACCESS_start;
}

static void wait_for_one_that_has_not_started_accuses_nobody(void **state)
{
    (void)state;
    start_wait_for_completions();
    CHECK({FINDING_DEADLOCK, false, "0-2", ""});
    check_says(0, "Rank 0 waits in MPI_Win_wait (called from main+0x20) for one of ranks 1,2 to call MPI_Win_complete "
                  "on the window heights.");
}

/* Rank 0 waits in a window for rank 1, which is in a collective operation, where rank 2 is missing. */
static void circle_through_a_window_and_a_collective_is_shown_as_one(void **state)
{
    (void)state;
    job_start(3);
    job_in(0, "MPI_Win_wait");
    expose_to_all(0, 0);
    job.listings[0].windows[0].n_peers = 1;
    job_add_communicator(1, 5, "ours", (const int[]){1, 2}, 2);
    job_add_communicator(2, 5, "ours", (const int[]){1, 2}, 2);
    job_in(1, "MPI_Barrier");
    job_receive(1, 5, 1, -16);
    job_in(2, "MPI_Recv");
    job_receive(2, WORLD, 0, 7);
    for (size_t i = 1; i < 3; i++)
        add_idle_window(i);
    CHECK({FINDING_DEADLOCK, true, "0-2", ""});
    check_says(0, "Ranks 0-2 wait for each other: 0 -> 1 -> 2 -> 0.");
    check_says(0, "for rank 1 to call MPI_Win_complete on the window heights.");
    check_says(0, "1 of 2 ranks is in MPI_Barrier on ours; rank 2 is missing.");
    /* Without a rank that waits for a message it is the collective operation where one is missing. */
    job_in(2, "MPI_Win_wait");
    job_communicator_of(2, WORLD)->queues[mqs_pending_receives].n = 0;
    job.listings[2].windows[0].peers[0] = (struct mqd_window_peer){.rank = 0, .role = MQD_ROLE_posted, .held = -1};
    job.listings[2].windows[0].n_peers = 1;
    job.listings[2].windows[0].description.n_completed = 0;
    job.listings[2].windows[0].description.exposed = 1;
    CHECK({FINDING_COLLECTIVE_MISSING, true, "1", "2"});
}

/* Rank 2 is in MPI_Finalize: it is likely to be the one that has completed. */
static void wait_for_one_is_not_put_down_to_who_has_finalized(void **state)
{
    (void)state;
    start_wait_for_completions();
    job_in(2, "MPI_Finalize");
    CHECK({FINDING_DEADLOCK, false, "0,1", ""});
    check_says(0, "Rank 0 waits in MPI_Win_wait (called from main+0x20) for one of ranks 1,2 to call MPI_Win_complete "
                  "on the window heights.");
}

/* Rank 2 has not completed: what rank 1 does is of no account. */
static void wait_is_for_the_open_epoch(void **state)
{
    (void)state;
    start_wait_for_completions();
    job.calls[1].calls[0].state = CALL_OUTSIDE;
    start_access(2);
    CHECK({FINDING_DEADLOCK, true, "0,2", ""});
    check_says(0, "Rank 0 waits in MPI_Win_wait (called from main+0x20) for rank 2 to call MPI_Win_complete on the "
                  "window heights.");
}

/* Rank 2 has started, and may have completed before. */
static void rank_in_start_may_have_completed(void **state)
{
    (void)state;
    start_wait_for_completions();
    job_in(2, "MPI_Win_start");
    start_access(2);
    CHECK({FINDING_BUSY, false, "0,1", "2"});
    check_says(0, "Rank 0 waits in MPI_Win_wait (called from main+0x20) for one of ranks 1,2 to call MPI_Win_complete "
                  "on the window heights.");
}

static void wait_after_all_have_completed_is_for_nobody(void **state)
{
    (void)state;
    start_wait_for_completions();
    job.listings[0].windows[0].description.n_completed = 2;
    CHECK({FINDING_BUSY, false, "1,2", "0"});
}

/* The call may be about the window that is not read. */
static void window_that_is_not_read_makes_the_wait_doubtful(void **state)
{
    (void)state;
    job_start(2);
    job_in(0, "MPI_Recv");
    job_receive(0, WORLD, 1, 7);
    job_in(1, "MPI_Win_wait");
    add_window(0, 1, MQD_ROLE_started, -1);
    add_window(1, 0, MQD_ROLE_posted, -1);
    job_add_communicator(1, WINDOW, "heights", NULL, 2)->use.owner = MQD_OWNER_window;
    CHECK({FINDING_DEADLOCK, true, "0,1", ""});
    job_add_communicator(1, WINDOW + 1, "depths", NULL, 2)->use.owner = MQD_OWNER_window;
    CHECK({FINDING_DEADLOCK, false, "0,1", ""});
}

/* A core may lack the count of those that have completed: an open epoch is waited for all the same, and only that. */
static void wait_without_a_count_is_for_the_open_epoch(void **state)
{
    (void)state;
    start_wait_for_completions();
    job.listings[0].windows[0].description.n_completed = -1;
    CHECK({FINDING_BUSY, false, "1,2", "0"});
    start_access(2);
    CHECK({FINDING_DEADLOCK, true, "0,2", ""});
    check_says(0, "Rank 0 waits in MPI_Win_wait (called from main+0x20) for rank 2 to call MPI_Win_complete on the "
                  "window heights.");
}

/* Leaves a rank nothing of its window but why it is not known. */
static void hide_window(size_t rank)
{
    struct window *window = &job.listings[rank].windows[0];

    window->error = copy_string("it is kept elsewhere");
    window->n_peers = 0;
    window->description = (struct mqd_window_description){.exposed = -1};
}

/* Rank 1 has a lock, as far as that is known: which one rank 0 waits for is not. */
static void lock_of_a_window_that_is_not_known_accuses_nobody(void **state)
{
    (void)state;
    job_start(2);
    job_in(0, "MPI_Win_lock");
    job_in(1, "MPI_Recv");
    job_receive(1, WORLD, 0, 7);
    add_window(0, 1, MQD_ROLE_shared, -1);
    add_window(1, 1, MQD_ROLE_exclusive, -1);
    CHECK({FINDING_DEADLOCK, true, "0,1", ""});
    hide_window(0);
    CHECK({FINDING_BUSY, false, "1", "0"});
    assert_string_equal(verdict.notes[0], "Rank 0 is in MPI_Win_lock (called from main+0x20), which waits for what is "
                                          "not known: it is kept elsewhere.");
    assert_int_equal(verdict.n_notes, 1);
    job_in(0, "MPI_Win_flush_local");
    CHECK({FINDING_BUSY, false, "1", "0"});
    assert_non_null(strstr(verdict.notes[0], "is not known: it is kept elsewhere."));
    job_in(0, "MPI_Open_port");
    CHECK({FINDING_BUSY, false, "1", "0"});
    assert_null(strstr(verdict.notes[0], "elsewhere"));
}

/* Accesses to rank 1's memory may need it in MPI; rank 2 is there, and has done its part. */
static void accesses_wait_for_ranks_outside_of_mpi(void **state)
{
    static const char *const functions[] = {"MPI_Win_unlock", "MPI_Win_unlock_all", "MPI_Win_flush",
                                            "MPI_Win_flush_all", "MPI_Win_flush_local", "MPI_Win_flush_local_all",
                                            "MPI_Win_complete"};

    (void)state;
    job_start(3);
    add_window(0, 1, MQD_ROLE_exclusive, 1);
    job_in(2, "MPI_Recv");
    job_receive(2, WORLD, 1, 7);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        job_in(0, functions[i]);
        CHECK({FINDING_BUSY, false, "0,2", "1"});
        check_says(0, "for rank 1 to be in MPI, which calls on the window heights may need.");
    }
    job_in(1, "MPI_Recv");
    job_receive(1, WORLD, 0, 7);
    CHECK({FINDING_BUSY, false, "1,2", "0"});
}

/* The state of no window is known: a lock may be one that rank 1 holds, or has to hand over. */
static void lock_of_a_window_that_is_not_known_waits_for_ranks_outside(void **state)
{
    (void)state;
    job_start(2);
    job_in(0, "MPI_Win_lock");
    add_window(0, 1, MQD_ROLE_shared, -1);
    check_findings(NULL, 0);
    check_note("Rank 0 is in MPI_Win_lock (called from main+0x20), which waits for what is not known.");
    hide_window(0);
    CHECK({FINDING_BUSY, false, "0", "1"});
}

/* Its owner's state is not known: the others' calls prove nothing. */
static void holder_that_is_not_known_is_not_accused(void **state)
{
    (void)state;
    job_start(2);
    job_in(0, "MPI_Recv");
    job_receive(0, WORLD, 1, 7);
    job_in(1, "MPI_Win_lock");
    add_window(0, 1, MQD_ROLE_exclusive, -1);
    add_window(1, 1, MQD_ROLE_shared, 0);
    hide_window(0);
    CHECK({FINDING_BUSY, false, "0", "1"});
}

/* Rank 2 is missing because of the window. */
static void wait_in_a_window_is_said_of_a_missing_rank(void **state)
{
    (void)state;
    job_start(3);
    arrive_at_collective(0, "MPI_Barrier", -16, 2);
    arrive_at_collective(1, "MPI_Barrier", -16, 0);
    job_in(2, "MPI_Win_wait");
    add_window(0, 2, MQD_ROLE_started, -1);
    add_window(2, 0, MQD_ROLE_posted, -1);
    CHECK({FINDING_COLLECTIVE_MISSING, true, "0,1", "2"});
    check_says(0, "Rank 2 waits in MPI_Win_wait (called from main+0x20) for rank 0 to call MPI_Win_complete on the "
                  "window heights.");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, findings_end)
    const struct CMUnitTest tests[] = {
        TEST(ring_of_receives_is_a_deadlock),
        TEST(lock_of_a_rank_that_waits_for_a_message_is_a_deadlock),
        TEST(lock_of_a_busy_rank_is_no_deadlock),
        TEST(ranks_that_wait_only_on_windows_are_not_certain),
        TEST(start_after_a_post_waits_for_nobody),
        TEST(start_waits_for_who_has_finalized),
        TEST(wait_names_who_has_not_completed),
        TEST(wait_for_one_that_has_not_started_accuses_nobody),
        TEST(circle_through_a_window_and_a_collective_is_shown_as_one),
        TEST(wait_for_one_is_not_put_down_to_who_has_finalized),
        TEST(wait_is_for_the_open_epoch),
        TEST(rank_in_start_may_have_completed),
        TEST(wait_after_all_have_completed_is_for_nobody),
        TEST(window_that_is_not_read_makes_the_wait_doubtful),
        TEST(wait_without_a_count_is_for_the_open_epoch),
        TEST(lock_of_a_window_that_is_not_known_accuses_nobody),
        TEST(holder_that_is_not_known_is_not_accused),
        TEST(accesses_wait_for_ranks_outside_of_mpi),
        TEST(lock_of_a_window_that_is_not_known_waits_for_ranks_outside),
        TEST(wait_in_a_window_is_said_of_a_missing_rank),
        TEST(synchronous_sends_to_each_other_are_a_deadlock),
        TEST(send_to_oneself_is_a_deadlock),
        TEST(receives_from_anybody_by_everybody_are_a_deadlock),
        TEST(everybody_who_probes_is_a_deadlock),
        TEST(those_who_wait_for_a_circle_are_named_apart),
        TEST(all_receives_of_waitall_must_come),
        TEST(one_receive_of_waitany_is_enough),
        TEST(older_receives_do_not_keep_a_blocking_one),
        TEST(doubt_about_the_operation_accuses_nobody),
        TEST(sends_of_other_calls_are_not_what_a_send_waits_for),
        TEST(doubt_about_the_send_is_only_possible),
        TEST(persistent_and_freed_requests_are_not_a_blocking_calls_own),
        TEST(names_of_datatypes_say_nothing),
        TEST(message_that_has_just_arrived_will_be_taken),
        TEST(message_out_of_sequence_may_come),
        TEST(rendezvous_whose_receive_is_posted_goes_on),
        TEST(transfer_that_has_begun_goes_on),
        TEST(eager_send_in_the_transport_goes_on),
        TEST(buffered_message_in_transit_may_come),
        TEST(message_with_another_tag_is_the_nearest_miss),
        TEST(message_on_another_communicator_is_a_miss),
        TEST(message_from_another_rank_is_a_miss),
        TEST(message_at_another_rank_is_a_miss),
        TEST(internal_messages_are_no_misses),
        TEST(same_miss_of_many_is_one_finding),
        TEST(rank_that_is_missing_in_a_collective),
        TEST(what_the_library_receives_for_itself_is_no_part_of_a_collective),
        TEST(what_the_library_receives_for_itself_may_be_waited_for),
        TEST(different_collectives_on_one_communicator),
        TEST(collectives_of_disjoint_communicators_with_one_number_are_not_mixed),
        TEST(anybody_of_another_communicator_with_the_number_is_not_meant),
        TEST(collective_whose_messages_are_not_seen_accuses_nobody),
        TEST(rank_in_finalize_does_not_answer),
        TEST(rank_in_a_callback_of_finalize_may_answer),
        TEST(rank_that_waits_in_a_callback_of_finalize_has_not_finalized),
        TEST(rank_in_a_wrapper_is_said_to_be_there),
        TEST(rank_past_finalize_does_not_answer),
        TEST(anybody_is_nobody_when_all_others_have_finalized),
        TEST(ended_process_of_known_rank),
        TEST(ranks_that_end_one_after_the_other_have_not_left_each_other),
        TEST(rank_that_could_not_be_read_is_not_nothing_suspicious),
        TEST(ended_process_of_unknown_rank),
        TEST(rank_that_is_not_found_has_ended),
        TEST(end_is_as_certain_as_what_shows_it),
        TEST(ends_are_told_before_waits),
        TEST(rank_that_ends_before_others_leave_mpi),
        TEST(rank_that_is_not_given_may_do_anything),
        TEST(rank_without_a_stack_may_do_anything),
        TEST(incomplete_stacks_may_hide_anything),
        TEST(unknown_queue_may_hold_the_message),
        TEST(thread_that_runs_may_do_anything),
        TEST(one_of_several_threads_is_enough),
        TEST(two_claims_to_one_rank_count_for_nothing),
        TEST(jobs_are_kept_apart),
        TEST(peer_of_another_job_may_do_anything),
        TEST(anybody_of_an_intercommunicator_is_the_other_side),
        TEST(jobs_that_wait_for_each_other_are_a_deadlock),
        TEST(jobs_are_not_mixed_up),
        TEST(job_that_is_over_is_no_early_end),
        TEST(anybody_of_another_job_is_its_ranks),
        TEST(collective_across_jobs),
        TEST(probe_may_be_for_another_job),
        TEST(notes_name_the_job),
        TEST(rank_that_has_moved_is_not_stuck),
        TEST(rank_without_processor_time_is_named),
        TEST(busy_rank_is_only_possibly_stuck),
        TEST(worker_that_takes_long_keeps_nobody),
        TEST(moving_shows_in_operations_calls_and_counts),
        TEST(moving_shows_in_the_stack),
        TEST(truncated_message),
        TEST(flood_of_messages),
        TEST(floods_that_arrive_in_turn),
        TEST(certain_findings_come_first),
        TEST(nothing_at_all),
        TEST(many_of_a_kind_are_folded),
        TEST(receives_with_numbers_are_a_certain_deadlock),
        TEST(another_number_is_another_receive),
        TEST(another_named_send_is_a_move),
        TEST(sends_with_messages_at_their_receivers_are_a_certain_deadlock),
        TEST(listed_sends_without_messages_are_only_possible),
        TEST(message_that_a_waiting_rank_does_not_take_is_proved),
        TEST(rank_in_a_send_that_is_not_listed_is_busy),
        TEST(older_send_is_not_the_one_of_a_blocking_call),
        TEST(rank_in_a_receive_that_is_not_listed_is_busy),
        TEST(sendrecv_waits_for_its_send_or_for_a_receive),
        TEST(collective_whose_operations_may_be_hidden),
        TEST(one_of_several_threads_may_have_what_is_hidden),
        TEST(probes_prove_nothing),
        TEST(rank_that_has_just_left_may_have_sent),
        TEST(rank_without_a_number_may_receive_what_a_gone_rank_has_sent),
        TEST(rank_that_probes_may_receive_what_gone_ranks_have_sent),
        TEST(send_to_a_gone_rank_needs_no_proof),
        TEST(anybody_who_may_have_sent_is_not_gone),
        TEST(operations_of_unknown_peers_and_tags_accuse_nobody),
        TEST(receive_of_unknown_source_waits_for_nobody_known),
        TEST(unknown_length_is_not_too_short),
        TEST(message_between_cores_may_come),
        TEST(cores_of_different_moments_are_told),
        TEST(anybody_may_have_sent_what_is_between_cores),
        TEST(probe_may_see_what_is_between_cores),
        TEST(answer_between_cores_may_come),
        TEST(what_was_not_counted_is_only_possible),
        TEST(rank_that_crashed_is_a_finding),
        TEST(crashes_at_one_place_are_one_finding),
        TEST(large_ring_takes_no_second),
        TEST(many_mistakes_fit_a_screen),
        TEST(large_crowds_take_no_second),
    };

    return cmocka_run_group_tests_name("verdict", tests, NULL, NULL);
}
