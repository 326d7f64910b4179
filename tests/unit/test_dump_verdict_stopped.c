/*
 * test_dump_verdict_stopped.c - conclusions about ranks that do not run, and what is said of ranks outside of MPI.
 *
 * Each job is a circle of receives, of which some ranks are not in MPI or do not run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

/* Before CMocka, which has a macro of the name of a function there. */
#include "mqd/dump/base/memory.h"
#include <cmocka.h>

#include "dump_job.h"
#include "mqd/dump/base/ranges.h"

enum { N_RANKS = 4 };

static struct verdict verdict;
static struct activity activities[N_RANKS];

/* All wait for the rank before. */
static int start_ring(void **state)
{
    (void)state;
    job_start(N_RANKS);
    for (size_t i = 0; i < N_RANKS; i++) {
        job_in(i, "MPI_Recv");
        job_receive(i, WORLD, (long)((i + N_RANKS - 1) % N_RANKS), 7);
        activities[i] = (struct activity){.thread = job.listings[i].pid, .state = 'R', .call = NO_SYSTEM_CALL};
        job.witnesses[i].activity = &activities[i];
    }
    return 0;
}

static int end_test(void **state)
{
    (void)state;
    job_end();
    verdict_clear(&verdict);
    return 0;
}

static void check_finding(size_t i, enum finding_kind kind, bool certain, const char *ranks, const char *causes)
{
    const struct finding *finding = &verdict.findings[i];
    char *found_ranks = ranks_fold(finding->ranks, finding->n_ranks);
    char *found_causes = ranks_fold(finding->causes, finding->n_causes);

    assert_string_equal(finding_kind_name(finding->kind), finding_kind_name(kind));
    assert_int_equal(finding->certain, certain);
    assert_string_equal(found_ranks, ranks);
    assert_string_equal(found_causes, causes);
    free(found_ranks);
    free(found_causes);
}

static void check_only(enum finding_kind kind, bool certain, const char *ranks, const char *causes)
{
    verdict_reach(&verdict, job.witnesses, job.n_ranks);
    assert_int_equal(verdict.n, 1);
    check_finding(0, kind, certain, ranks, causes);
}

static bool is_said(const char *text)
{
    const struct finding *finding = &verdict.findings[0];

    for (size_t i = 0; i < finding->n_details; i++)
        if (strstr(finding->details[i], text) != NULL)
            return true;
    return strstr(finding->sentence, text) != NULL;
}

static void check_says(const char *text)
{
    if (!is_said(text))
        fail_msg("'%s' is not said", text);
}

static void stop(size_t rank)
{
    activities[rank].state = 'T';
    job.witnesses[rank].stopped = job.witnesses[rank].stays_stopped = true;
}

/* Not read: it cannot be held. */
static void make_stuck(size_t rank)
{
    activities[rank] = (struct activity){.thread = job.listings[rank].pid, .state = 'D', .call = SYS_write,
                                         .channel = "folio_wait_bit", .file = "/data/out.h5", .at = 105.5,
                                         .since = 101.25};
    job.witnesses[rank].stuck = true;
    job.witnesses[rank].moved = true;
    job.witnesses[rank].calls = NULL;
    job.listings[rank].has_communicators = false;
}

static void leave_mpi(size_t rank)
{
    struct call *call = &job.calls[rank].calls[0];

    call->state = CALL_OUTSIDE;
    call->runs = true;
}

/* Its messages may lie there, and it does not look. */
static void all_wait_for_stopped_rank(void **state)
{
    (void)state;
    stop(2);
    check_only(FINDING_STOPPED, true, "0,1,3", "2");
    check_says("which is stopped");
    check_says("Rank 2 is stopped by a signal, and goes on with SIGCONT.");
    check_says("Rank 3 waits in MPI_Recv");
}

/* It ran at the look before: that it is stopped is not why the others wait. */
static void rank_that_was_just_stopped_may_be_busy(void **state)
{
    (void)state;
    job.witnesses[2].stopped = true;
    check_only(FINDING_BUSY, false, "0,1,3", "2");
    check_says("SIGCONT");
}

static void several_stopped_ranks_are_one_finding(void **state)
{
    (void)state;
    stop(0);
    stop(2);
    check_only(FINDING_STOPPED, true, "1,3", "0,2");
    check_says("which are stopped");
}

static void stopped_ranks_that_nobody_waits_for_are_possible(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_RANKS; i++)
        stop(i);
    check_only(FINDING_STOPPED, false, "0-3", "");
    check_says("Ranks 0-3 are stopped; nobody is known to wait for them.");
}

/* A rank in MPI_Finalize does nothing for others, stopped or not. */
static void finalized_rank_is_not_reported_as_stopped(void **state)
{
    (void)state;
    stop(2);
    job_in(2, "MPI_Finalize");
    job_communicator_of(2, WORLD)->queues[mqs_pending_receives].n = 0;
    verdict_reach(&verdict, job.witnesses, job.n_ranks);
    assert_true(verdict.n > 0);
    for (size_t i = 0; i < verdict.n; i++)
        assert_int_not_equal(verdict.findings[i].kind, FINDING_STOPPED);
}

/* Another debugger holds it, so that it could not be read. */
static void rank_that_a_debugger_holds_is_stopped(void **state)
{
    (void)state;
    stop(2);
    activities[2].state = 't';
    activities[2].tracer = 4711;
    strcpy(activities[2].tracer_name, "gdb");
    job.witnesses[2].calls = NULL;
    job.listings[2].has_communicators = false;
    check_only(FINDING_STOPPED, true, "0,1,3", "2");
    check_says("Rank 2 is held by process 4711 (gdb), which traces it.");
}

static void stuck_rank_is_named_with_its_call_and_file(void **state)
{
    (void)state;
    make_stuck(2);
    check_only(FINDING_STUCK, false, "0,1,3", "2");
    check_says("Rank 2 has been in write on /data/out.h5 (wait channel folio_wait_bit) for at least 4.2 s");
    check_says("Rank 3 waits in MPI_Recv");
}

static void call_without_a_name_is_a_number(void **state)
{
    (void)state;
    make_stuck(2);
    activities[2].call = 4321;
    activities[2].file[0] = activities[2].channel[0] = '\0';
    activities[2].thread = 99;
    check_only(FINDING_STUCK, false, "0,1,3", "2");
    check_says("Rank 2 has been in system call 4321, in thread 99 for at least");
}

static void stuck_rank_that_nobody_waits_for_is_possible(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_RANKS; i++)
        leave_mpi(i);
    make_stuck(2);
    check_only(FINDING_STUCK, false, "2", "");
}

/* Who cannot be read for another reason may do anything. */
static void unread_rank_is_unknown(void **state)
{
    (void)state;
    make_stuck(2);
    job.witnesses[2].stuck = false;
    check_only(FINDING_NOT_READ, false, "0,1,3", "2");
}

static void stopped_and_stuck_ranks_are_told_apart(void **state)
{
    (void)state;
    stop(0);
    make_stuck(2);
    verdict_reach(&verdict, job.witnesses, job.n_ranks);
    assert_int_equal(verdict.n, 2);
    check_finding(0, FINDING_STOPPED, true, "1", "0");
    check_finding(1, FINDING_STUCK, false, "3", "2");
}

/* With UCX the waiting ranks may have gone on between the looks. */
static void uncounted_messages_make_it_possible(void **state)
{
    (void)state;
    job_use_ucx();
    for (size_t i = 0; i < N_RANKS; i++)
        job_mark_waited(&job_communicator_of(i, WORLD)->queues[mqs_pending_receives].operations[0]);
    stop(2);
    check_only(FINDING_STOPPED, false, "0,1,3", "2");
}

static void busy_rank_that_runs_tells_its_share(void **state)
{
    (void)state;
    leave_mpi(2);
    activities[2].has_share = true;
    activities[2].share = 0.981;
    check_only(FINDING_BUSY, false, "0,1,3", "2");
    check_says("Rank 2 runs, and used 98 % of a processor between the looks.");
}

static void busy_rank_that_sleeps_names_its_call(void **state)
{
    (void)state;
    leave_mpi(2);
    activities[2].state = 'S';
    activities[2].call = SYS_clock_nanosleep;
    activities[2].has_share = true;
    check_only(FINDING_BUSY, false, "0,1,3", "2");
    check_says("Rank 2 sleeps in clock_nanosleep, and did not use the processor between the looks.");
}

static void busy_rank_that_reads_names_its_file(void **state)
{
    (void)state;
    leave_mpi(2);
    activities[2].state = 'S';
    activities[2].call = SYS_read;
    strcpy(activities[2].file, "pipe:[17]");
    check_only(FINDING_BUSY, false, "0,1,3", "2");
    check_says("Rank 2 waits in read on pipe:[17].");
}

/* The library of a wrapper is named with the place. */
static void library_of_a_busy_rank_is_named_once(void **state)
{
    struct library_calls *libraries = &job.calls[2].libraries;

    (void)state;
    leave_mpi(2);
    strcpy(libraries->library, "libsolve.so");
    strcpy(libraries->function, "dgesv_");
    check_only(FINDING_BUSY, false, "0,1,3", "2");
    check_says("Rank 2 is in dgesv_ of libsolve.so.");
    libraries->function[0] = '\0';
    check_only(FINDING_BUSY, false, "0,1,3", "2");
    check_says("Rank 2 is in libsolve.so.");
    job.calls[2].calls[0].through = copy_string("libsolve.so");
    check_only(FINDING_BUSY, false, "0,1,3", "2");
    assert_false(is_said("Rank 2 is in libsolve.so."));
}

static void threads_in_openmp_are_one_line(void **state)
{
    struct library_calls *libraries = &job.calls[2].libraries;

    (void)state;
    leave_mpi(2);
    libraries->n_in_barrier = 7;
    libraries->n_at_lock = 1;
    strcpy(libraries->openmp, "libgomp");
    check_only(FINDING_BUSY, false, "0,1,3", "2");
    check_says("7 threads of rank 2 wait in an OpenMP barrier (libgomp).");
    check_says("1 thread of rank 2 waits for an OpenMP lock (libgomp).");
}

/* A debugger has come between the looks: no signal has stopped it. */
static void rank_that_a_debugger_has_just_taken_is_held(void **state)
{
    (void)state;
    activities[2].state = 't';
    activities[2].tracer = 4711;
    strcpy(activities[2].tracer_name, "gdb");
    job.witnesses[2].stopped = job.witnesses[2].moved = job.witnesses[2].outdated = true;
    verdict_reach(&verdict, job.witnesses, job.n_ranks);
    for (size_t i = 0; i < verdict.n; i++)
        assert_int_not_equal(verdict.findings[i].kind, FINDING_STOPPED);
}

static void unknown_activity_is_not_told(void **state)
{
    (void)state;
    leave_mpi(2);
    job.witnesses[2].activity = NULL;
    check_only(FINDING_BUSY, false, "0,1,3", "2");
    assert_false(is_said("Rank 2 runs"));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, start_ring, end_test)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(all_wait_for_stopped_rank),
        TEST(rank_that_was_just_stopped_may_be_busy),
        TEST(several_stopped_ranks_are_one_finding),
        TEST(stopped_ranks_that_nobody_waits_for_are_possible),
        TEST(finalized_rank_is_not_reported_as_stopped),
        TEST(rank_that_a_debugger_holds_is_stopped),
        TEST(stuck_rank_is_named_with_its_call_and_file),
        TEST(call_without_a_name_is_a_number),
        TEST(stuck_rank_that_nobody_waits_for_is_possible),
        TEST(unread_rank_is_unknown),
        TEST(stopped_and_stuck_ranks_are_told_apart),
        TEST(uncounted_messages_make_it_possible),
        TEST(busy_rank_that_runs_tells_its_share),
        TEST(busy_rank_that_sleeps_names_its_call),
        TEST(busy_rank_that_reads_names_its_file),
        TEST(library_of_a_busy_rank_is_named_once),
        TEST(threads_in_openmp_are_one_line),
        TEST(rank_that_a_debugger_has_just_taken_is_held),
        TEST(unknown_activity_is_not_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
