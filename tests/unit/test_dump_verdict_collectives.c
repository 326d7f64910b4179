/*
 * test_dump_verdict_collectives.c - conclusions about collective operations: who is in which one, who is missing, and
 * what differs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Before CMocka, which has a macro of the name of a function there. */
#include "mqd/dump/base/memory.h"
#include <cmocka.h>

#include "dump_findings.h"
#include "dump_job.h"

enum { TAG_BARRIER = -16, TAG_BCAST = -17, TAG_NONBLOCKING = -27 };

static void set_purpose(const mqs_pending_operation *operation, const char *purpose)
{
    strcpy(job_facts(operation)->purpose, purpose);
}

/* The rank waits in a blocking collective call for a message of another one. */
static void attend(size_t rank, mqs_taddr_t communicator, const char *function, long tag, long from)
{
    job_in(rank, function);
    set_purpose(job_receive(rank, communicator, from, tag), function);
}

/* The rank has started a nonblocking one, and its part of it waits for a message of another one. */
static void start(size_t rank, mqs_taddr_t communicator, long number, long from)
{
    set_purpose(job_receive(rank, communicator, from, TAG_NONBLOCKING - number), "non-blocking collective");
}

static void receive(size_t rank, long from)
{
    job_in(rank, "MPI_Recv");
    job_receive(rank, WORLD, from, 9);
}

static void add_copy_of_world(mqs_taddr_t id, const char *name)
{
    for (size_t i = 0; i < job.n_ranks; i++)
        job_add_communicator(i, id, name, NULL, (int)job.n_ranks);
}

/* Who is in it. */

static void everybody_in_a_collective_is_counted(void **state)
{
    (void)state;
    job_start(8);
    for (size_t i = 0; i < 7; i++)
        attend(i, WORLD, "MPI_Barrier", TAG_BARRIER, i == 0 ? 7 : (long)i - 1);
    receive(7, 0);
    CHECK({FINDING_NO_SEND, true, "7", "0"}, {FINDING_COLLECTIVE_MISSING, true, "0-6", "7"});
    check_says(1, "7 of 8 ranks are in MPI_Barrier on MPI_COMM_WORLD; rank 7 is missing.");
    check_says(1, "Ranks 0-6 are in MPI_Barrier (called from main+0x20).");
    check_says(1, "Rank 7 is in MPI_Recv (called from main+0x20).");
    assert_int_equal(verdict.n_notes, 0);
}

static void everybody_who_waits_for_a_busy_rank_is_counted(void **state)
{
    (void)state;
    job_start(6);
    for (size_t i = 0; i < 5; i++)
        attend(i, WORLD, "MPI_Barrier", TAG_BARRIER, 5);
    CHECK({FINDING_BUSY, false, "0-4", "5"});
    check_says(0, "5 of 6 ranks are in MPI_Barrier on MPI_COMM_WORLD; rank 5 is missing.");
    assert_true(verdict.findings[0].n_details <= 2);
}

static void everybody_who_waits_for_a_rank_in_finalize_is_counted(void **state)
{
    (void)state;
    job_start(10);
    for (size_t i = 0; i < 9; i++)
        attend(i, WORLD, "MPI_Barrier", TAG_BARRIER, 9);
    job_in(9, "MPI_Finalize");
    CHECK({FINDING_FINALIZED, true, "0-8", "9"});
    check_says(0, "9 of 10 ranks are in MPI_Barrier on MPI_COMM_WORLD; rank 9 is missing.");
    assert_true(verdict.findings[0].n_details <= 3);
}

/* A rank that has left a rooted call has done its part; only the one that others wait for is missing. */
static void ranks_that_may_have_done_their_part_are_not_missing(void **state)
{
    (void)state;
    job_start(4);
    attend(1, WORLD, "MPI_Bcast", TAG_BCAST, 0);
    receive(0, 1);
    CHECK({FINDING_NO_SEND, true, "0", "1"}, {FINDING_COLLECTIVE_MISSING, true, "1", "0"});
    check_says(1, "1 of 4 ranks is in MPI_Bcast on MPI_COMM_WORLD; rank 0 is missing.");
}

static void only_neighbours_are_missing_among_neighbours(void **state)
{
    (void)state;
    job_start(6);
    attend(0, WORLD, "MPI_Neighbor_allgather", TAG_BCAST, 1);
    attend(2, WORLD, "MPI_Neighbor_allgather", TAG_BCAST, 1);
    receive(1, 2);
    CHECK({FINDING_NO_SEND, true, "1", "2"}, {FINDING_COLLECTIVE_MISSING, true, "0,2", "1"});
    check_says(1, "2 of 6 ranks are in MPI_Neighbor_allgather on MPI_COMM_WORLD; rank 1 is missing.");
}

static void nonblocking_neighbour_that_is_missing(void **state)
{
    (void)state;
    job_start(4);
    for (size_t i = 0; i < 4; i += 2) {
        job_in(i, "MPI_Wait");
        start(i, WORLD, 0, 1);
    }
    receive(1, 2);
    CHECK({FINDING_NO_SEND, true, "1", "2"}, {FINDING_COLLECTIVE_MISSING, true, "0,2", "1"});
    check_says(1, "2 of 4 ranks are in a nonblocking collective operation on MPI_COMM_WORLD; rank 1 is missing.");
}

/* One cause, two collective operations. */
static void collectives_of_several_communicators_with_one_cause_are_one_finding(void **state)
{
    static const int half[2] = {2, 3};

    (void)state;
    job_start(4);
    for (size_t i = 2; i < 4; i++)
        job_add_communicator(i, 5, "half", half, 2);
    attend(0, WORLD, "MPI_Barrier", TAG_BARRIER, 2);
    attend(1, WORLD, "MPI_Barrier", TAG_BARRIER, 0);
    attend(2, 5, "MPI_Alltoall", -13, 1);
    receive(3, 0);
    CHECK({FINDING_NO_SEND, true, "3", "0"}, {FINDING_COLLECTIVE_MISSING, true, "0-2", "3"});
    check_says(1, "2 of 4 ranks are in MPI_Barrier on MPI_COMM_WORLD; ranks 2,3 are missing.");
    check_says(1, "1 of 2 ranks is in MPI_Alltoall on half; rank 3 is missing.");
}

/* Windows and files. */

static void fence_of_a_window_in_which_a_rank_is_missing(void **state)
{
    (void)state;
    job_start(3);
    add_copy_of_world(5, "dup (for a window)");
    for (size_t i = 0; i < 3; i++) {
        struct communicator *communicator = job_communicator_of(i, 5);

        communicator->use.owner = MQD_OWNER_window;
        strcpy(communicator->use.name, "halo");
        if (i < 2) {
            job_in(i, "MPI_Win_fence");
            set_purpose(job_receive(i, 5, i == 0 ? ANY : 0, TAG_BARRIER), "MPI_Barrier");
        }
    }
    receive(2, 0);
    CHECK({FINDING_NO_SEND, true, "2", "0"}, {FINDING_COLLECTIVE_MISSING, true, "0,1", "2"});
    check_says(1, "2 of 3 ranks are in MPI_Win_fence on window halo; rank 2 is missing.");
}

/* What ROMIO calls for a file is called by the file's function. */
static void functions_of_files_are_named_as_the_program_calls_them(void **state)
{
    (void)state;
    job_start(3);
    for (size_t i = 0; i < 2; i++) {
        attend(i, WORLD, "MPI_Allreduce", -12, 2);
        job.calls[i].calls[0].outer = copy_string("MPI_File_write_at_all");
    }
    receive(2, 0);
    CHECK({FINDING_NO_SEND, true, "2", "0"}, {FINDING_COLLECTIVE_MISSING, true, "0,1", "2"});
    check_says(1, "2 of 3 ranks are in MPI_File_write_at_all on MPI_COMM_WORLD; rank 2 is missing.");
}

/* A window's function that waits for no message of its own does not wait for a nonblocking operation. */
static void fence_does_not_wait_for_nonblocking_operations(void **state)
{
    (void)state;
    job_start(2);
    job_in(0, "MPI_Win_fence");
    start(0, WORLD, 0, 1);
    receive(1, 0);
    CHECK({FINDING_BUSY, false, "1", "0"});
}

/* A function that the program has attached to another communicator is in a collective operation of its own. */
static void call_of_a_callback_is_not_that_of_the_function_around_it(void **state)
{
    (void)state;
    job_start(4);
    attend(0, WORLD, "MPI_Barrier", TAG_BARRIER, 3);
    job.calls[0].calls[0].outer = copy_string("MPI_Comm_dup");
    job.calls[0].calls[0].called_back = true;
    attend(1, WORLD, "MPI_Barrier", TAG_BARRIER, 0);
    attend(2, WORLD, "MPI_Barrier", TAG_BARRIER, 1);
    receive(3, 2);
    CHECK({FINDING_NO_SEND, true, "3", "2"}, {FINDING_COLLECTIVE_MISSING, true, "0-2", "3"});
    check_says(1, "3 of 4 ranks are in MPI_Barrier on MPI_COMM_WORLD; rank 3 is missing.");
}

/* All have come to the reduction. Rank 0 has its result, and has left; rank 1 was stopped before it has passed it on. */
static void ranks_that_have_left_before_a_stopped_one_are_not_missing(void **state)
{
    (void)state;
    job_start(4);
    attend(2, WORLD, "MPI_Allreduce", -12, 1);
    attend(3, WORLD, "MPI_Allreduce", -12, 2);
    job_in(1, "MPI_Allreduce");
    job.witnesses[1].stopped = job.witnesses[1].stays_stopped = true;
    CHECK({FINDING_STOPPED, true, "2,3", "1"});
    check_says(0, "2 of 4 ranks are in MPI_Allreduce on MPI_COMM_WORLD.");
}

/* What differs. */

static void blocking_and_nonblocking_barrier_differ(void **state)
{
    (void)state;
    job_start(3);
    attend(0, WORLD, "MPI_Barrier", TAG_BARRIER, 2);
    attend(2, WORLD, "MPI_Barrier", TAG_BARRIER, 1);
    job_in(1, "MPI_Wait");
    start(1, WORLD, 0, 0);
    start(1, WORLD, 0, 2);
    CHECK({FINDING_COLLECTIVES_DIFFER, true, "0-2", ""});
    check_says(0, "2 of 3 ranks are in MPI_Barrier, 1 in a nonblocking collective operation on MPI_COMM_WORLD");
}

static void nonblocking_operations_that_differ(void **state)
{
    (void)state;
    job_start(3);
    for (size_t i = 0; i < 3; i++) {
        job_in(i, "MPI_Wait");
        start(i, WORLD, 0, (long)(i + 1) % 3);
    }
    CHECK({FINDING_COLLECTIVES_DIFFER, true, "0-2", ""});
    check_says(0, "wait for each other in nonblocking collective operations on MPI_COMM_WORLD: these, or their roots, "
                  "differ.");
}

static void roots_that_differ(void **state)
{
    (void)state;
    job_start(3);
    for (size_t i = 0; i < 3; i++)
        attend(i, WORLD, "MPI_Bcast", TAG_BCAST, (long)(i + 1) % 3);
    CHECK({FINDING_ROOTS_DIFFER, true, "0-2", ""});
    check_says(0, "Who waits for whom: 0 -> 1 -> 2 -> 0.");
}

static void communicators_that_differ(void **state)
{
    (void)state;
    job_start(3);
    add_copy_of_world(5, "ours");
    attend(0, WORLD, "MPI_Barrier", TAG_BARRIER, 1);
    attend(2, WORLD, "MPI_Barrier", TAG_BARRIER, 0);
    attend(1, 5, "MPI_Barrier", TAG_BARRIER, 2);
    CHECK({FINDING_COLLECTIVE_COMMUNICATORS, true, "0-2", ""});
    check_says(0, "2 of 3 ranks are in MPI_Barrier on MPI_COMM_WORLD; rank 1 is missing.");
    check_says(0, "1 of 3 ranks is in MPI_Barrier on ours; ranks 0,2 are missing.");
}

/* A call that makes a file or a window goes on on a communicator of its own: the program's may be the same. */
static void calls_that_make_files_and_windows_may_be_on_one_communicator(void **state)
{
    (void)state;
    job_start(3);
    add_copy_of_world(5, "MPI COMMUNICATOR 5 DUP FROM 0");
    attend(0, WORLD, "MPI_File_open", TAG_BARRIER, 1);
    attend(2, WORLD, "MPI_File_open", TAG_BARRIER, 0);
    attend(1, 5, "MPI_Win_create", TAG_BARRIER, 2);
    CHECK({FINDING_COLLECTIVES_DIFFER, true, "0-2", ""});
    assert_false(verdict.findings[0].has_communicator);
    check_says(0, "Ranks 0-2 wait in different collective operations.");
    check_says(0, "2 of 3 ranks are in MPI_File_open on MPI_COMM_WORLD; rank 1 is missing.");
    check_says(0, "1 of 3 ranks is in MPI_Win_create, with messages on MPI COMMUNICATOR 5 DUP FROM 0");
}

/* Of ranks in one function that uses several communicators nothing differs for certain. */
static void ranks_that_make_files_may_be_in_one_call(void **state)
{
    (void)state;
    job_start(3);
    add_copy_of_world(5, "ours");
    attend(0, WORLD, "MPI_File_open", TAG_BARRIER, 1);
    attend(2, WORLD, "MPI_File_open", TAG_BARRIER, 0);
    attend(1, 5, "MPI_File_open", TAG_BARRIER, 2);
    CHECK({FINDING_DEADLOCK, false, "0-2", ""});
    check_says(0, "they may be in different calls of it, or on different communicators.");
    check_says(0, "2 of 3 ranks are in MPI_File_open on MPI_COMM_WORLD.");
    check_says(0, "1 of 3 ranks is in MPI_File_open, with messages on ours.");
}

static void call_that_makes_a_file_is_no_nonblocking_operation(void **state)
{
    (void)state;
    job_start(2);
    add_copy_of_world(5, "ours");
    attend(0, 5, "MPI_File_open", TAG_BARRIER, 1);
    job_in(1, "MPI_Wait");
    start(1, WORLD, 0, 0);
    CHECK({FINDING_COLLECTIVES_DIFFER, true, "0,1", ""});
    check_says(0, "Ranks 0,1 wait in different collective operations.");
}

static void own_by_windows(mqs_taddr_t id, const char *name)
{
    for (size_t i = 0; i < job.n_ranks; i++) {
        struct communicator *communicator = job_communicator_of(i, id);

        communicator->use.owner = MQD_OWNER_window;
        strcpy(communicator->use.name, name);
    }
}

/* What Open MPI does for a window on a communicator for it does not show on which one the program made it. */
static void window_and_communicator_are_no_different_communicators(void **state)
{
    (void)state;
    job_start(3);
    add_copy_of_world(5, "");
    own_by_windows(5, "halo");
    attend(0, WORLD, "MPI_Barrier", TAG_BARRIER, 1);
    attend(2, WORLD, "MPI_Barrier", TAG_BARRIER, 0);
    attend(1, 5, "MPI_Win_free", TAG_BARRIER, 2);
    CHECK({FINDING_COLLECTIVES_DIFFER, true, "0-2", ""});
    check_says(0, "Ranks 0-2 wait in different collective operations.");
    check_says(0, "1 of 3 ranks is in MPI_Win_free on window halo; rank 2 is missing.");
}

static void windows_that_differ(void **state)
{
    (void)state;
    job_start(2);
    for (mqs_taddr_t id = 5; id < 7; id++) {
        add_copy_of_world(id, "");
        own_by_windows(id, id == 5 ? "left" : "right");
    }
    attend(0, 5, "MPI_Win_fence", -28, 1);
    attend(1, 6, "MPI_Win_fence", -28, 0);
    CHECK({FINDING_COLLECTIVES_DIFFER, true, "0,1", ""});
    check_says(0, "Ranks 0,1 wait for each other in collective operations on different windows.");
    check_says(0, "1 of 2 ranks is in MPI_Win_fence on window left; rank 1 is missing.");
}

/* The program may have started nonblocking operations on other communicators, which have the same tags. */
static void call_that_makes_a_communicator_may_be_on_either_one(void **state)
{
    (void)state;
    job_start(2);
    add_copy_of_world(5, "ours");
    add_copy_of_world(6, "theirs");
    job_in(0, "MPI_Comm_dup");
    start(0, 5, 0, 1);
    start(0, 6, 0, 1);
    attend(1, WORLD, "MPI_Barrier", TAG_BARRIER, 0);
    CHECK({FINDING_COLLECTIVES_DIFFER, true, "0,1", ""});
    check_says(0, "1 of 2 ranks is in MPI_Comm_dup, with messages on ours");
}

/*
 * A leaf of a reduction goes on to the next call, while others wait for a rank that has not come: nothing differs.
 */
static void ranks_in_the_next_collective_do_not_differ(void **state)
{
    (void)state;
    job_start(4);
    attend(0, WORLD, "MPI_Reduce", -21, 3);
    attend(1, WORLD, "MPI_Barrier", TAG_BARRIER, 0);
    attend(2, WORLD, "MPI_Barrier", TAG_BARRIER, 1);
    receive(3, 2);
    CHECK({FINDING_NO_SEND, true, "3", "2"}, {FINDING_COLLECTIVE_MISSING, true, "0-2", "3"});
}

static void message_of_a_call_that_a_rank_has_left_out(void **state)
{
    (void)state;
    job_start(3);
    attend(0, WORLD, "MPI_Bcast", TAG_BCAST, 2);
    attend(1, WORLD, "MPI_Barrier", TAG_BARRIER, 0);
    attend(2, WORLD, "MPI_Barrier", TAG_BARRIER, 0);
    set_purpose(job_message(2, WORLD, 1, TAG_BCAST), "MPI_Bcast");
    CHECK({FINDING_COLLECTIVES_DIFFER, true, "0-2", ""});
    check_says(0, "A message of MPI_Bcast from rank 1 has arrived at rank 2, which has not taken it");
}

static void message_from_another_root(void **state)
{
    (void)state;
    job_start(3);
    attend(0, WORLD, "MPI_Bcast", TAG_BCAST, 1);
    attend(1, WORLD, "MPI_Barrier", TAG_BARRIER, 0);
    attend(2, WORLD, "MPI_Barrier", TAG_BARRIER, 0);
    set_purpose(job_message(0, WORLD, 2, TAG_BCAST), "MPI_Bcast");
    CHECK({FINDING_ROOTS_DIFFER, true, "0-2", ""});
    check_says(0, "took different ranks for the root");
    check_says(0, "A message of MPI_Bcast from rank 2 has arrived at rank 0, which has not taken it");
}

/* Rank 2 has the first broadcast from its root, and is the root of the next one. Rank 1 is late. */
static void message_of_the_next_root_accuses_nobody(void **state)
{
    (void)state;
    job_start(4);
    attend(0, WORLD, "MPI_Bcast", TAG_BCAST, 1);
    receive(1, 0);
    set_purpose(job_message(0, WORLD, 2, TAG_BCAST), "MPI_Bcast");
    CHECK({FINDING_NO_SEND, true, "1", "0"}, {FINDING_COLLECTIVE_MISSING, true, "0", "1"});
    for (size_t i = 0; i < verdict.findings[1].n_details; i++)
        assert_null(strstr(verdict.findings[1].details[i], "has not taken it"));
}

static void part_between_two_steps_goes_on(void **state)
{
    mqs_pending_operation *step;

    (void)state;
    job_start(2);
    job_in(0, "MPI_Wait");
    start(0, WORLD, 0, 1);
    attend(1, WORLD, "MPI_Barrier", TAG_BARRIER, 0);
    CHECK({FINDING_COLLECTIVES_DIFFER, true, "0,1", ""});
    start(1, WORLD, 0, 0);
    step = &job_communicator_of(1, WORLD)->queues[mqs_pending_receives].operations[1];
    step->status = mqs_st_complete;
    step->actual_tag = step->desired_tag;
    check_nothing();
}

static void nonblocking_operations_have_numbers(void **state)
{
    (void)state;
    job_start(2);
    for (size_t i = 0; i < 2; i++) {
        struct communicator *world = job_communicator_of(i, WORLD);

        job_in(i, "MPI_Wait");
        start(i, WORLD, (long)i, 1 - (long)i);
        job_extra(world->queues[mqs_pending_receives].operations)->collective_number = i + 1;
        world->use.has_nonblocking = 1;
        world->use.n_nonblocking = i + 1;
    }
    CHECK({FINDING_COLLECTIVES_DIFFER, true, "0,1", ""});
    check_says(0, "1 of 2 ranks is in nonblocking collective operation number 1, 1 in nonblocking collective operation "
                  "number 2 on MPI_COMM_WORLD.");
    check_says(0, "Rank 0 has started 1 nonblocking operation on MPI_COMM_WORLD.");
}

/* A rank's part of a nonblocking operation goes on while the rank waits for something else. */
static void part_of_a_nonblocking_operation_does_not_wait_for_its_rank(void **state)
{
    (void)state;
    job_start(3);
    job_in(0, "MPI_Wait");
    start(0, WORLD, 0, 1);
    receive(1, 0);
    start(1, WORLD, 0, 2);
    CHECK({FINDING_BUSY, false, "0,1", "2"});
    job_in(2, "MPI_Recv");
    job_receive(2, WORLD, 0, 9);
    CHECK({FINDING_NO_SEND, true, "2", "0"}, {FINDING_COLLECTIVE_MISSING, true, "0,1", "2"});
}

static void count_messages_of_all(void)
{
    for (size_t i = 0; i < job.n_ranks; i++)
        for (size_t k = 0; k < job.listings[i].n; k++)
            job.listings[i].communicators[k].has_traffic = true;
}

/* Rank 0 computes. It has done all that it can do for the operation. */
static void parts_that_wait_for_each_other_never_end(void **state)
{
    struct traffic sent = {.peer = 0, .n_sent = 1};

    (void)state;
    job_start(2);
    start(0, WORLD, 0, 1);
    job_in(1, "MPI_Wait");
    start(1, WORLD, 0, 0);
    /* What has come to rank 0 does not show: it has not looked. */
    CHECK({FINDING_BUSY, false, "1", "0"});
    count_messages_of_all();
    CHECK({FINDING_COLLECTIVES_DIFFER, true, "1", "0"});
    assert_string_equal(verdict.findings[0].sentence,
                        "The parts of ranks 0,1 in a nonblocking collective operation on MPI_COMM_WORLD wait for each "
                        "other: the ranks have called different functions, or have given different roots or lengths.");
    check_says(0, "Rank 0 is outside of MPI");
    check_says(0, "Rank 1 is in MPI_Wait");
    /* A message is there that rank 0 has not looked for; or rank 0 does something. */
    job_communicator_of(1, WORLD)->traffic = &sent;
    job_communicator_of(1, WORLD)->n_traffic = 1;
    CHECK({FINDING_BUSY, false, "1", "0"});
    job_communicator_of(1, WORLD)->n_traffic = 0;
    job_communicator_of(1, WORLD)->traffic = NULL;
    job.witnesses[0].moved = true;
    check_nothing();
}

/* Nobody waits yet. */
static void parts_for_which_nobody_waits_are_not_mentioned(void **state)
{
    (void)state;
    job_start(2);
    start(0, WORLD, 0, 1);
    start(1, WORLD, 0, 0);
    count_messages_of_all();
    check_nothing();
    job_in(0, "MPI_Iprobe");
    check_nothing();
    job_in(0, "MPI_Test");
    CHECK({FINDING_COLLECTIVES_DIFFER, true, "0", "1"});
}

/* The ranks' parts are of different operations, or one rank's is not there. */
static void parts_of_different_operations_do_not_lock_each_other(void **state)
{
    (void)state;
    job_start(2);
    start(0, WORLD, 1, 1);
    job_in(1, "MPI_Wait");
    start(1, WORLD, 0, 0);
    count_messages_of_all();
    CHECK({FINDING_BUSY, false, "1", "0"});
}

/*
 * Rank 1 is in the next operation. Either it has ended its part, and what rank 0 waits for does not come any more, or
 * the operation is a persistent one that rank 1 has yet to start.
 */
static void part_that_has_ended_does_nothing_more(void **state)
{
    mqs_pending_operation *ended;

    (void)state;
    job_start(2);
    for (long i = 0; i < 2; i++) {
        struct communicator *world = job_communicator_of((size_t)i, WORLD);

        job_in((size_t)i, "MPI_Wait");
        start((size_t)i, WORLD, i, 1 - i);
        job_extra(world->queues[mqs_pending_receives].operations)->collective_number = (unsigned long)i + 1;
        world->use.n_nonblocking = (unsigned long)i + 1;
    }
    job_in(1, "MPI_Test");
    CHECK({FINDING_COLLECTIVES_DIFFER, false, "0", ""});
    check_says(0, "The part of rank 0 in nonblocking collective operation number 1 on MPI_COMM_WORLD waits for what "
                  "another one has ended without, or has yet to start as a persistent operation. If it has ended the "
                  "ranks have called different functions");
    /* Its part goes on in a moment. */
    start(1, WORLD, 0, 0);
    ended = &job_communicator_of(1, WORLD)->queues[mqs_pending_receives].operations[1];
    ended->status = mqs_st_complete;
    ended->actual_tag = ended->desired_tag;
    CHECK({FINDING_COLLECTIVES_DIFFER, false, "0,1", ""});
    check_says(0, "Ranks 0,1 wait in different collective operations");
    job_communicator_of(1, WORLD)->queues[mqs_pending_receives].n = 1;
    /* Rank 0 has made both, as persistent ones; or they have no numbers. */
    job_communicator_of(0, WORLD)->use.n_nonblocking = 2;
    CHECK({FINDING_COLLECTIVES_DIFFER, false, "0,1", ""});
    job_communicator_of(0, WORLD)->use.n_nonblocking = 1;
    job_extra(job_communicator_of(0, WORLD)->queues[mqs_pending_receives].operations)->collective_number = 0;
    CHECK({FINDING_COLLECTIVES_DIFFER, false, "0,1", ""});
}

/* Rank 1 has left one out, and started the next one instead. Rank 2 has done its part: it is not what is missing. */
static void operation_that_locks_itself_is_not_put_down_to_who_has_left_it(void **state)
{
    (void)state;
    job_start(3);
    job_in(0, "MPI_Wait");
    start(0, WORLD, 0, 1);
    job_in(1, "MPI_Iprobe");
    start(1, WORLD, 0, 0);
    receive(2, 1);
    CHECK({FINDING_COLLECTIVE_MISSING, false, "0,1", "2"});
    count_messages_of_all();
    CHECK({FINDING_COLLECTIVES_DIFFER, true, "0", "1"});
    /* Whether rank 2 has come to it or not, the other two never leave it. */
    job_in(1, "MPI_Wait");
    start(0, WORLD, 0, 2);
    receive(2, 0);
    job_communicator_of(2, WORLD)->queues[mqs_pending_receives].n = 1;
    job_communicator_of(2, WORLD)->queues[mqs_pending_receives].operations[0].desired_local_rank = 0;
    job_communicator_of(2, WORLD)->queues[mqs_pending_receives].operations[0].desired_global_rank = 0;
    CHECK({FINDING_COLLECTIVES_DIFFER, true, "0,1", ""}, {FINDING_NO_SEND, true, "2", "0"});
}

static void set_started(size_t rank, unsigned long n)
{
    job_communicator_of(rank, WORLD)->use.n_nonblocking = n;
}

/* Ranks 1 and 2 have started one operation more, and only test for it. Rank 0 has left it out. */
static void operation_that_a_rank_has_left_out_before_a_call(void **state)
{
    (void)state;
    job_start(3);
    attend(0, WORLD, "MPI_Allgather", -10, 2);
    for (size_t i = 0; i < 3; i++)
        set_started(i, i == 0 ? 13 : 14);
    CHECK({FINDING_COLLECTIVES_DIFFER, true, "0", "1,2"});
    assert_string_equal(verdict.findings[0].sentence,
                        "Rank 0 waits in MPI_Allgather on MPI_COMM_WORLD, before which ranks 1,2 have started a "
                        "nonblocking collective operation there that it has not started.");
    check_says(0, "Ranks 1,2 have started 14 nonblocking operations on MPI_COMM_WORLD.");
    check_says(0, "Rank 0 has started 13 nonblocking operations on MPI_COMM_WORLD.");
    check_says(0, "1 of 3 ranks is in MPI_Allgather on MPI_COMM_WORLD; ranks 1,2 are missing.");
    /* Rank 0 may be about to start as many as others. */
    set_started(1, 13);
    set_started(2, 13);
    CHECK({FINDING_BUSY, false, "0", "2"});
    set_started(0, 14);
    CHECK({FINDING_BUSY, false, "0", "2"});
}

/* All have come to the call, and ranks 1 and 2 have left it. The message of rank 2 is on its way to rank 0. */
static void operation_that_a_rank_has_just_started_after_a_call(void **state)
{
    (void)state;
    job_start(3);
    attend(0, WORLD, "MPI_Allreduce", -12, 2);
    for (size_t i = 1; i < 3; i++)
        set_started(i, 14);
    CHECK({FINDING_COLLECTIVES_DIFFER, true, "0", "1,2"});
    job.witnesses[2].moved = job.witnesses[2].moved_last = true;
    check_nothing();
    /* What it has done since the look before cannot be told. */
    job.witnesses[2].moved = job.witnesses[2].moved_last = false;
    for (size_t i = 0; i < job.listings[2].n; i++)
        job.listings[2].communicators[i].summary.has_activity = 0;
    CHECK({FINDING_BUSY, false, "0", "2"});
}

/* Rank 2 is in the call, in a function of the program: all have come, and rank 1 has left. */
static void operation_that_a_rank_has_started_after_a_call(void **state)
{
    (void)state;
    job_start(3);
    attend(0, WORLD, "MPI_Allreduce", -12, 2);
    set_started(1, 14);
    job_in(2, "MPI_Allreduce");
    CHECK({FINDING_BUSY, false, "0", "2"});
    /* Or its place is not known. */
    job_in(2, "MPI_Barrier");
    CHECK({FINDING_COLLECTIVES_DIFFER, true, "0", "1"});
    job.calls[2].complete = false;
    CHECK({FINDING_NOT_READ, false, "0", "2"});
}

/* Such functions have nonblocking operations themselves, and ranks leave others one by one. */
static void calls_that_do_not_tell_the_order(void **state)
{
    static const char *const functions[] = {"MPI_Comm_dup", "MPI_Win_create", "MPI_Bcast", "MPI_Reduce"};

    (void)state;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        job_start(3);
        attend(0, WORLD, functions[i], TAG_BCAST, 2);
        set_started(1, 14);
        CHECK({FINDING_BUSY, false, "0", "2"});
        verdict_clear(&verdict);
        job_end();
    }
    job_start(1);
}

/* Rank 2 has not come to the operation; rank 1, which may compute, does not change that. */
static void rank_that_waits_for_one_that_may_compute_is_missing(void **state)
{
    (void)state;
    job_start(3);
    job_in(0, "MPI_Wait");
    start(0, WORLD, 0, 1);
    start(1, WORLD, 0, 2);
    job_in(2, "MPI_Ssend");
    job_send(2, WORLD, "Ssend", 1, 5);
    CHECK({FINDING_COLLECTIVE_MISSING, false, "0,1", "2"});
    assert_true(finding_rests_on_time(&verdict.findings[0]));
    check_says(0, "2 of 3 ranks are in a nonblocking collective operation on MPI_COMM_WORLD; rank 2 is missing.");
    check_says(0, "Rank 1 is outside of MPI");
    /* If it computes it may be about to come. */
    job_in(2, "MPI_Test");
    CHECK({FINDING_BUSY, false, "0", "1,2"});
}

/* A rank that only tests for messages may do something else as well. */
static void rank_that_tests_for_another_nonblocking_operation(void **state)
{
    (void)state;
    job_start(2);
    for (size_t i = 0; i < 2; i++) {
        job_in(i, i == 0 ? "MPI_Test" : "MPI_Wait");
        start(i, WORLD, 0, 1 - (long)i);
    }
    CHECK({FINDING_COLLECTIVES_DIFFER, false, "0,1", ""});
}

static void rank_that_is_missing_and_tests_says_what_for(void **state)
{
    (void)state;
    job_start(3);
    attend(0, WORLD, "MPI_Barrier", TAG_BARRIER, 2);
    attend(1, WORLD, "MPI_Barrier", TAG_BARRIER, 2);
    job_in(2, "MPI_Test");
    job_receive(2, WORLD, 1, 9);
    CHECK({FINDING_COLLECTIVE_MISSING, false, "0,1", "2"});
    check_says(0, "Rank 2 tests in MPI_Test (called from main+0x20) for a message from rank 1 with tag 9");
    job_message(2, WORLD, 1, 8);
    CHECK({FINDING_TAG, false, "2", "1"}, {FINDING_COLLECTIVE_MISSING, false, "0,1", "2"});
}

/* It is in the same operation as those that wait for each other, and has no other reason to be stuck. */
static void rank_that_tests_and_that_nobody_waits_for_is_in_the_operation(void **state)
{
    static const long from[] = {2, 0, 0, 2};

    (void)state;
    job_start(4);
    for (size_t i = 0; i < 4; i++) {
        job_in(i, i < 1 ? "MPI_Wait" : "MPI_Test");
        start(i, WORLD, 0, from[i]);
    }
    CHECK({FINDING_COLLECTIVES_DIFFER, false, "0-3", ""});
}

/* Rank 0 goes on when rank 2 has come, and then sends what rank 1 waits for. */
static void waitany_may_wait_for_a_nonblocking_operation(void **state)
{
    (void)state;
    job_start(3);
    job_in(0, "MPI_Waitany");
    job_mark_waited(job_receive(0, WORLD, 1, 9));
    start(0, WORLD, 0, 2);
    receive(1, 0);
    CHECK({FINDING_BUSY, false, "0,1", "2"});
    /* The same where the mark is known to lie on the stack of the call. */
    job_extra(job_communicator_of(0, WORLD)->queues[mqs_pending_receives].operations)->waiter = 0x1080;
    job.calls[0].calls[0].stack_low = 0x1000;
    job.calls[0].calls[0].stack_high = 0x1100;
    CHECK({FINDING_BUSY, false, "0,1", "2"});
}

/* Open MPI agrees on a communicator's number with such tags. */
static void communicator_that_is_made_is_no_nonblocking_operation(void **state)
{
    (void)state;
    job_start(3);
    for (size_t i = 0; i < 2; i++) {
        job_in(i, "MPI_Comm_dup");
        start(i, WORLD, 0, 2);
    }
    receive(2, 0);
    CHECK({FINDING_NO_SEND, true, "2", "0"}, {FINDING_COLLECTIVE_MISSING, true, "0,1", "2"});
    check_says(1, "2 of 3 ranks are in MPI_Comm_dup on MPI_COMM_WORLD; rank 2 is missing.");
}

/* Times. */

static void many_operations_take_no_second(void **state)
{
    enum { N_RANKS = 2000, N_OPERATIONS = 50000 };
    clock_t start_of;

    (void)state;
    job_start(N_RANKS);
    for (size_t i = 0; i < N_RANKS - 1; i++) {
        attend(i, WORLD, "MPI_Barrier", TAG_BARRIER, N_RANKS - 1);
        set_started(i, 1);
    }
    count_messages_of_all();
    start_of = clock();
    CHECK({FINDING_BUSY, false, "0-1998", "1999"});
    check_time(start_of);
    verdict_clear(&verdict);
    job_end();
    job_start(2);
    for (long i = 0; i < N_OPERATIONS; i++) {
        start(0, WORLD, i, 1);
        start(1, WORLD, i, 0);
    }
    count_messages_of_all();
    start_of = clock();
    check_nothing();
    check_time(start_of);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, findings_end)
    const struct CMUnitTest tests[] = {
        TEST(everybody_in_a_collective_is_counted),
        TEST(everybody_who_waits_for_a_busy_rank_is_counted),
        TEST(everybody_who_waits_for_a_rank_in_finalize_is_counted),
        TEST(ranks_that_may_have_done_their_part_are_not_missing),
        TEST(only_neighbours_are_missing_among_neighbours),
        TEST(nonblocking_neighbour_that_is_missing),
        TEST(collectives_of_several_communicators_with_one_cause_are_one_finding),
        TEST(fence_of_a_window_in_which_a_rank_is_missing),
        TEST(functions_of_files_are_named_as_the_program_calls_them),
        TEST(fence_does_not_wait_for_nonblocking_operations),
        TEST(call_of_a_callback_is_not_that_of_the_function_around_it),
        TEST(ranks_that_have_left_before_a_stopped_one_are_not_missing),
        TEST(blocking_and_nonblocking_barrier_differ),
        TEST(nonblocking_operations_that_differ),
        TEST(roots_that_differ),
        TEST(communicators_that_differ),
        TEST(calls_that_make_files_and_windows_may_be_on_one_communicator),
        TEST(ranks_that_make_files_may_be_in_one_call),
        TEST(call_that_makes_a_file_is_no_nonblocking_operation),
        TEST(window_and_communicator_are_no_different_communicators),
        TEST(windows_that_differ),
        TEST(call_that_makes_a_communicator_may_be_on_either_one),
        TEST(ranks_in_the_next_collective_do_not_differ),
        TEST(message_of_a_call_that_a_rank_has_left_out),
        TEST(message_from_another_root),
        TEST(message_of_the_next_root_accuses_nobody),
        TEST(part_between_two_steps_goes_on),
        TEST(nonblocking_operations_have_numbers),
        TEST(part_of_a_nonblocking_operation_does_not_wait_for_its_rank),
        TEST(parts_that_wait_for_each_other_never_end),
        TEST(parts_for_which_nobody_waits_are_not_mentioned),
        TEST(parts_of_different_operations_do_not_lock_each_other),
        TEST(part_that_has_ended_does_nothing_more),
        TEST(operation_that_locks_itself_is_not_put_down_to_who_has_left_it),
        TEST(operation_that_a_rank_has_left_out_before_a_call),
        TEST(operation_that_a_rank_has_just_started_after_a_call),
        TEST(operation_that_a_rank_has_started_after_a_call),
        TEST(calls_that_do_not_tell_the_order),
        TEST(rank_that_waits_for_one_that_may_compute_is_missing),
        TEST(rank_that_tests_for_another_nonblocking_operation),
        TEST(rank_that_is_missing_and_tests_says_what_for),
        TEST(rank_that_tests_and_that_nobody_waits_for_is_in_the_operation),
        TEST(waitany_may_wait_for_a_nonblocking_operation),
        TEST(communicator_that_is_made_is_no_nonblocking_operation),
        TEST(many_operations_take_no_second),
    };

    return cmocka_run_group_tests_name("collectives", tests, NULL, NULL);
}
