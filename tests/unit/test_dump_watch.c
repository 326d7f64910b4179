/*
 * test_dump_watch.c - what several looks at a job show together, and how that is told. The looks are made by hand.
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

#include "dump_job.h"
#include "mqd/dump/base/terminal.h"
#include "mqd/dump/show/history.h"
#include "mqd/dump/show/watch_text.h"
#include "mqd/dump/verdict/movement.h"

static struct history history;
static struct dump_job before;

/* The job of the look before stays until the next look: that is what its history is compared with. */
static void next_job(size_t n)
{
    struct dump_job latest = job;

    job = before;
    job_end();
    before = latest;
    job_start(n);
}

static void name_ranks(void)
{
    for (size_t i = 0; i < job.n_ranks; i++) {
        if (job.listings[i].job == NULL)
            job.listings[i].job = copy_string("4711");
        job.listings[i].calls = &job.calls[i];
        job.witnesses[i].job = job.listings[i].job;
    }
}

static void look_with(const struct verdict *verdict, double now)
{
    name_ranks();
    history_add(&history, job.witnesses, job.n_ranks, true, verdict, now, now);
}

static void look(double now)
{
    struct verdict verdict = {0};

    verdict_reach(&verdict, job.witnesses, job.n_ranks);
    look_with(&verdict, now);
    verdict_clear(&verdict);
}

static int end(void **state)
{
    (void)state;
    history_clear(&history);
    job_end();
    job = before;
    job_end();
    before = (struct dump_job){0};
    return 0;
}

/* Each rank waits in MPI_Recv for the one before. */
static void ring_look(size_t n, double now)
{
    next_job(0);
    job_end();
    job_start_ring(n);
    look(now);
}

static const struct watched_rank *rank_of(long rank)
{
    for (size_t i = 0; i < history.n; i++)
        if (history.ranks[i].rank == rank)
            return &history.ranks[i];
    fail_msg("there is no rank %ld", rank);
    return NULL;
}

typedef void printer(FILE *to);

static void print_page(FILE *to)
{
    watch_print_page(to, &history, &(struct watch_page){.job = "job 4711", .time = "12:04:31", .interval = 2,
                                                        .n_lines = 22});
}

static void print_hostile_job(FILE *to)
{
    watch_print_page(to, &history, &(struct watch_page){.job = "job \033]0;x\a", .time = "", .n_lines = 1});
}

static void print_changes(FILE *to)
{
    watch_print_changes(to, &history, "12:04:31");
}

static void print_end(FILE *to)
{
    watch_print_end(to, &history);
}

static char *text_of(printer *print)
{
    char *text;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    assert_non_null(to);
    print(to);
    assert_int_equal(fclose(to), 0);
    return text;
}

static void assert_says(printer *print, const char *expected)
{
    char *text = text_of(print);

    if (strstr(text, expected) == NULL)
        fail_msg("not there: %s\nbut:\n%s", expected, text);
    free(text);
}

static void assert_never_says(printer *print, const char *unexpected)
{
    char *text = text_of(print);

    if (strstr(text, unexpected) != NULL)
        fail_msg("there: %s\n%s", unexpected, text);
    free(text);
}

/* What two looks prove. */

static void rank_that_started_nothing_stands(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        ring_look(4, 100 + 40 * i);
    assert_int_equal(rank_of(2)->state, RANK_STANDS);
    assert_true(rank_of(2)->since == 100);
    assert_says(print_page, "4 ranks: 4 have not moved");
    assert_says(print_page, "ranks 0-3: MPI_Recv called from main+0x20, not moved for 1:20");
}

/* When in a look a rank was read is not known: a machine that does not answer may have kept the look for minutes. */
static void what_lasts_is_not_longer_than_what_is_proved(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct verdict verdict = {0};

        next_job(0);
        job_end();
        job_start_ring(2);
        name_ranks();
        verdict_reach(&verdict, job.witnesses, job.n_ranks);
        history_add(&history, job.witnesses, job.n_ranks, true, &verdict, 100 * i, 100 * i + 60);
        verdict_clear(&verdict);
    }
    assert_says(print_page, "MPI_Recv called from main+0x20, not moved for 2:20");
    assert_says(print_page, "Deadlock, for 2:20: ");
    next_job(2);
    look(300);
    assert_says(print_changes, "ranks 0,1 move again, after 2:20");
    assert_says(print_changes, "went, after 2:20: Deadlock");
}

static void rank_whose_starts_are_not_counted_is_only_in_the_same_place(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        next_job(0);
        job_end();
        job_start_ring(4);
        if (i >= 1)
            job_communicator_of(2, WORLD)->summary.has_activity = 0;
        look(100 + 10 * i);
    }
    assert_int_equal(rank_of(1)->state, RANK_STANDS);
    assert_int_equal(rank_of(2)->state, RANK_SAME);
    assert_says(print_page, "rank 2: MPI_Recv called from main+0x20, same place for 20 s");
    assert_never_says(print_page, "ranks 0-3");
}

static void rank_that_has_started_something_moves_and_stands_again(void **state)
{
    (void)state;
    ring_look(4, 0);
    ring_look(4, 10);
    next_job(0);
    job_end();
    job_start_ring(4);
    job_communicator_of(3, WORLD)->summary.n_receives++;
    look(20);
    assert_int_equal(rank_of(3)->state, RANK_MOVES);
    assert_int_equal(rank_of(2)->state, RANK_STANDS);
    assert_says(print_changes, "12:04:31 rank 3 moves again, after 10 s: MPI_Recv");
    assert_says(print_page, "1 moves, 3 have not moved");
    next_job(0);
    job_end();
    job_start_ring(4);
    job_communicator_of(3, WORLD)->summary.n_receives++;
    look(35);
    assert_int_equal(rank_of(3)->state, RANK_STANDS);
    assert_true(rank_of(3)->since == 20);
    assert_says(print_page, "not moved for 15 s to 35 s");
}

static void rank_that_moved_during_the_look_moves(void **state)
{
    (void)state;
    ring_look(2, 0);
    next_job(0);
    job_end();
    job_start_ring(2);
    job.witnesses[1].moved = true;
    look(10);
    assert_int_equal(rank_of(0)->state, RANK_STANDS);
    assert_int_equal(rank_of(1)->state, RANK_MOVES);
}

/* It has not been seen to move, and what it would do with processor time is not known. */
static void rank_without_processor_time_neither_moves_nor_stands(void **state)
{
    (void)state;
    ring_look(2, 0);
    next_job(0);
    job_end();
    job_start_ring(2);
    job.witnesses[1].moved = job.witnesses[1].starved = true;
    look(10);
    assert_int_equal(rank_of(0)->state, RANK_STANDS);
    assert_int_equal(rank_of(1)->state, RANK_SAME);
}

static void rank_outside_of_mpi_is_not_said_to_stand_still(void **state)
{
    (void)state;
    next_job(2);
    look(0);
    next_job(2);
    look(30);
    assert_says(print_page, "ranks 0,1: outside of MPI, in work, nothing started in MPI for 30 s");
    assert_never_says(print_page, "not moved");
}

static void rank_that_was_not_read_is_unknown(void **state)
{
    (void)state;
    ring_look(2, 0);
    next_job(0);
    job_end();
    job_start_ring(2);
    job_forget(1);
    look(10);
    assert_int_equal(rank_of(1)->state, RANK_UNKNOWN);
    assert_says(print_page, "1 cannot be seen");
    ring_look(2, 20);
    assert_int_equal(rank_of(1)->state, RANK_NEW);
    assert_int_equal(rank_of(0)->state, RANK_STANDS);
}

/* Accesses to windows are not counted: a rank that spins on a lock may get it each time. */
static void rank_with_a_window_is_only_in_the_same_place(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        next_job(0);
        job_end();
        job_start_ring(2);
        job.listings[1].communicators[0].use.owner = MQD_OWNER_window;
        look(30 * i);
    }
    assert_int_equal(rank_of(0)->state, RANK_STANDS);
    assert_int_equal(rank_of(1)->state, RANK_SAME);
}

/* Two looks at ranks in MPI_Barrier and one that computes. */
static void look_at_barrier(bool over_messages, double now)
{
    next_job(3);
    for (size_t i = 0; i < 2; i++) {
        job_in(i, "MPI_Barrier");
        if (over_messages)
            job_facts(job_receive(i, WORLD, 2, -16))->collective = 1;
    }
    look(now);
}

/* They may run over shared memory: who is in MPI_Barrier each time may be in another one each time. */
static void collectives_without_messages_are_not_counted(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        look_at_barrier(true, 10 * i);
    assert_int_equal(rank_of(0)->state, RANK_STANDS);
    assert_int_equal(rank_of(2)->state, RANK_STANDS);
    for (int i = 2; i < 5; i++)
        look_at_barrier(false, 10 * i);
    assert_int_equal(rank_of(0)->state, RANK_SAME);
    assert_int_equal(rank_of(2)->state, RANK_SAME);
    for (int i = 5; i < 7; i++)
        ring_look(3, 10 * i);
    assert_int_equal(rank_of(2)->state, RANK_STANDS);
    for (int i = 7; i < 9; i++) {
        next_job(3);
        look(10 * i);
    }
    assert_int_equal(rank_of(2)->state, RANK_SAME);
}

/* MPI_Lookup_name asks the launcher: in a loop it shows no trace. Tests for messages start nothing. */
static void calls_that_leave_no_trace_are_not_counted(void **state)
{
    static const struct {
        const char *function;
        enum rank_state state;
    } cases[] = {{"MPI_Lookup_name", RANK_SAME}, {"MPI_Open_port", RANK_SAME}, {"MPI_Test", RANK_STANDS},
                 {"MPI_Recv", RANK_STANDS},      {"MPI_Waitall", RANK_SAME},   {"MPI_Finalize", RANK_STANDS}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int k = 0; k < 2; k++) {
            next_job(1);
            job_in(0, cases[i].function);
            look(10 * k);
        }
        assert_int_equal(rank_of(0)->state, cases[i].state);
        history_clear(&history);
    }
}

/* Its communicators are gone, but it is known where it is. */
static void rank_in_finalize_stands(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        next_job(1);
        job_forget(0);
        job_in(0, "MPI_Finalize");
        look(10 * i);
        assert_int_equal(rank_of(0)->state, i == 0 ? RANK_NEW : RANK_STANDS);
    }
    assert_says(print_page, "MPI_Finalize called from main+0x20, not moved for 10 s");
}

/* "The same place" is not said of a rank that was elsewhere in between. */
static void rank_that_tests_here_and_there_is_not_in_the_same_place(void **state)
{
    static const char *const places[] = {"a.c:10", "a.c:20", "a.c:20"};

    (void)state;
    for (int i = 0; i < 3; i++) {
        next_job(1);
        job_set_call(0, 0, "MPI_Iprobe", places[i]);
        job_communicator_of(0, WORLD)->summary.n_receives = (unsigned long)i;
        look(10 * i);
        if (i == 1)
            assert_says(print_changes, "rank 0 is not seen to move: MPI_Iprobe");
    }
    assert_int_equal(rank_of(0)->state, RANK_SAME);
    assert_says(print_page, "1 rank: 1 not seen to move");
    assert_says(print_page, "a.c:20, not seen to move for 20 s");
}

/* Its tests are no movement, but it has received what has arrived. */
static void rank_that_tests_and_receives_moves(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct communicator *world;

        next_job(2);
        job_in(0, "MPI_Iprobe");
        world = job_communicator_of(0, WORLD);
        world->summary.n_receives = (unsigned long)(10 * i);
        world->has_traffic = true;
        world->traffic = allocate_array(1, sizeof *world->traffic);
        world->n_traffic = 1;
        world->traffic[0].peer = 1;
        world->traffic[0].n_arrived = i == 2 ? 1 : 0;
        look(10 * i);
        assert_int_equal(rank_of(0)->state, i == 0 ? RANK_NEW : i == 1 ? RANK_SAME : RANK_MOVES);
    }
}

/* A machine that could not be asked says nothing of its ranks. */
static void what_a_cut_look_lacks_is_not_gone(void **state)
{
    struct verdict verdict = {.unclear = true};

    (void)state;
    ring_look(3, 0);
    next_job(0);
    job_end();
    job_start_ring(2);
    name_ranks();
    history_add(&history, job.witnesses, 2, false, &verdict, 10, 10);
    assert_int_equal(rank_of(2)->state, RANK_UNKNOWN);
    assert_false(history_is_over(&history));
    next_job(0);
    job_end();
    job_start_ring(2);
    name_ranks();
    history_add(&history, job.witnesses, 2, true, &verdict, 20, 20);
    assert_int_equal(rank_of(2)->state, RANK_GONE);
    history_end(&history, 30);
    assert_says(print_end, "why ranks waited last could not be");
}

/* Who is there. */

static void ranks_appear_and_end(void **state)
{
    (void)state;
    ring_look(2, 0);
    assert_says(print_changes, "ranks 0,1 are there: MPI_Recv");
    ring_look(3, 10);
    assert_int_equal(rank_of(2)->state, RANK_NEW);
    assert_says(print_changes, "rank 2 is there: MPI_Recv");
    next_job(0);
    job_end();
    job_start_ring(2);
    job.witnesses[1].ended = true;
    look(20);
    assert_int_equal(rank_of(1)->state, RANK_ENDED);
    assert_int_equal(rank_of(2)->state, RANK_GONE);
    assert_says(print_changes, "rank 1: ended");
    assert_says(print_changes, "rank 2 is not there any more");
    assert_says(print_page, "2 have ended");
    assert_false(history_is_over(&history));
    history_end(&history, 30);
    assert_true(history_is_over(&history));
    assert_int_equal(rank_of(1)->state, RANK_ENDED);
}

static void rank_of_another_process_moves(void **state)
{
    (void)state;
    ring_look(2, 0);
    next_job(0);
    job_end();
    job_start_ring(2);
    job.listings[1].pid = 4444;
    look(10);
    assert_int_equal(history.n, 2);
    assert_int_equal(rank_of(1)->state, RANK_MOVES);
    assert_int_equal(rank_of(0)->state, RANK_STANDS);
}

/* A process may say that it is any rank. */
static void processes_that_claim_one_rank_stay_two(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        next_job(0);
        job_end();
        job_start_ring(3);
        job.listings[2].rank = 1;
        look(10 * i);
        assert_int_equal(history.n, 3);
        assert_int_equal(history_count(&history, RANK_GONE), 0);
        assert_int_equal(history_count(&history, RANK_STANDS), i > 0 ? 3 : 0);
    }
}

/* Also if there are more of them than ranks that have ended are kept. */
static void ranks_of_a_machine_that_does_not_answer_are_all_kept(void **state)
{
    struct verdict verdict = {.unclear = true};

    (void)state;
    next_job(6000);
    look_with(&verdict, 0);
    next_job(6000);
    name_ranks();
    history_add(&history, job.witnesses, 1, false, &verdict, 10, 10);
    assert_int_equal(history.n, 6000);
    assert_int_equal(history_count(&history, RANK_UNKNOWN), 5999);
    for (int i = 2; i < 5; i++) {
        next_job(6000);
        for (size_t k = 0; k < job.n_ranks; k++)
            job.listings[k].rank += 6000 * i;
        name_ranks();
        history_add(&history, job.witnesses, 6000, false, &verdict, 10 * i, 10 * i);
        assert_true(history.n <= 2 * 6000);
    }
}

/* Of what could not be read it is not known which rank it is, as of one that was named by its pid and has ended. */
static void process_stays_its_rank(void **state)
{
    (void)state;
    ring_look(3, 0);
    next_job(0);
    job_end();
    job_start_ring(3);
    job_forget(2);
    job.witnesses[2].ended = true;
    name_ranks();
    free(job.listings[2].job);
    job.listings[2].job = NULL;
    job.listings[2].rank = -1;
    history_add(&history, job.witnesses, 3, true, &(struct verdict){0}, 10, 10);
    assert_int_equal(history.n, 3);
    assert_int_equal(rank_of(2)->state, RANK_ENDED);
    assert_says(print_changes, "rank 2: ended\n");
    assert_says(print_page, "rank 2: ended, 0 s ago\n");
}

static void nothing_changes_without_a_line(void **state)
{
    char *text;

    (void)state;
    for (int i = 0; i < 3; i++)
        ring_look(4, 10 * i);
    text = text_of(print_changes);
    assert_string_equal(text, "");
    free(text);
}

/* Findings. */

static void findings_come_and_go(void **state)
{
    (void)state;
    ring_look(4, 0);
    assert_says(print_changes, "12:04:31 came: Deadlock");
    assert_says(print_page, "Deadlock, new: ");
    ring_look(4, 75);
    assert_never_says(print_changes, "Deadlock");
    assert_says(print_page, ", for 1:15: ");
    assert_says(print_end, "The job has ended. It was watched for 1:15; the last findings were:");
    next_job(4);
    look(80);
    assert_int_equal(history.n_findings, 0);
    assert_says(print_changes, "went, after 1:15: Deadlock");
    assert_says(print_page, "Nothing suspicious.\n  gone 0 s ago, after 1:15: Deadlock");
    assert_says(print_end, "For 1:15 there was: Deadlock");
    next_job(4);
    look(85);
    assert_says(print_page, "gone 5 s ago");
    assert_never_says(print_changes, "Deadlock");
    next_job(4);
    look(80 + 601);
    assert_never_says(print_page, "Deadlock");
}

static void finding_of_other_ranks_is_another_one(void **state)
{
    long first[] = {0, 1}, later[] = {1, 2, 3}, others[] = {4};
    struct finding finding = {.kind = 0, .job = "4711", .user = -1, .ranks = first, .n_ranks = 2,
                              .sentence = (char *)""};
    const struct verdict verdict = {.findings = &finding, .n = 1};

    (void)state;
    next_job(5);
    look_with(&verdict, 0);
    next_job(5);
    finding.ranks = later;
    finding.n_ranks = 3;
    look_with(&verdict, 10);
    assert_false(history.findings[0].came);
    assert_true(history.findings[0].since == 0);
    next_job(5);
    finding.ranks = others;
    finding.n_ranks = 1;
    look_with(&verdict, 20);
    assert_true(history.findings[0].came);
    assert_int_equal(history.n_gone, 1);
    assert_true(history.gone[0].lasted == 10);
}

/* Each look finds others waiting for another one: nobody is stuck for longer than one look. */
static void finding_of_ranks_that_have_moved_is_another_one(void **state)
{
    long ranks[] = {1, 2};
    struct finding finding = {.kind = FINDING_BUSY, .job = "4711", .user = -1, .ranks = ranks, .n_ranks = 2,
                              .sentence = (char *)"Ranks 1,2 wait for rank 0."};
    const struct verdict verdict = {.findings = &finding, .n = 1};

    (void)state;
    for (int i = 0; i < 4; i++) {
        next_job(3);
        for (size_t k = 0; k < 3; k++)
            job_communicator_of(k, WORLD)->summary.n_sends = (unsigned long)(i == 3 ? 2 : i);
        look_with(&verdict, 10 * i);
        if (i > 0 && i < 3) {
            assert_true(history.findings[0].came && history.findings[0].since == 10 * i);
            assert_int_equal(history.n_gone, 0);
            assert_says(print_page, "Busy rank (possible), again: Ranks 1,2 wait");
            assert_never_says(print_changes, "Busy rank");
        }
    }
    assert_says(print_page, "Busy rank (possible), for 10 s: Ranks 1,2 wait");
    finding.sentence = (char *)"Ranks 1,2 wait for rank 3.";
    next_job(3);
    look_with(&verdict, 40);
    assert_int_equal(history.n_gone, 1);
    assert_says(print_changes, "went, after 10 s: Busy rank (possible). Ranks 1,2 wait for rank 0.");
    assert_says(print_changes, "came: Busy rank (possible). Ranks 1,2 wait for rank 3.");
}

/* A look at some of the ranks, with no finding. */
static void look_without(size_t n, bool whole, double now)
{
    next_job(0);
    job_end();
    job_start_ring(3);
    name_ranks();
    history_add(&history, job.witnesses, n, whole, &(struct verdict){.unclear = true}, now, now);
}

static void what_a_cut_look_does_not_find_has_not_gone(void **state)
{
    (void)state;
    ring_look(3, 0);
    ring_look(3, 10);
    for (int i = 2; i < 4; i++) {
        look_without(2, false, 10 * i);
        assert_int_equal(history.n_gone, 0);
        assert_never_says(print_changes, "went");
    }
    assert_says(print_page, "Deadlock, not seen for 10 s, there for 10 s: Ranks 0-2");
    assert_says(print_end, "the last findings were:\n  Deadlock");
    ring_look(3, 40);
    assert_int_equal(history.n_findings, 1);
    assert_says(print_changes, "again: Deadlock");
    assert_says(print_page, "Deadlock, for 40 s: ");
    look_without(2, false, 50);
    assert_says(print_changes, "not seen any more: Deadlock");
    look_without(3, true, 60);
    assert_says(print_changes, "went, after 40 s: Deadlock");
    assert_int_equal(history.n_findings, 0);
}

/* Who was not seen in between may have been elsewhere. */
static void finding_of_ranks_that_were_not_seen_is_another_one(void **state)
{
    (void)state;
    ring_look(2, 0);
    next_job(0);
    job_end();
    job_start_ring(2);
    job_forget(0);
    job_forget(1);
    look(10);
    assert_int_equal(history.n_gone, 0);
    ring_look(2, 20);
    assert_int_equal(history.n_findings, 1);
    assert_true(history.findings[0].since == 20);
    assert_says(print_page, "Deadlock, again: ");
}

/* A rank that had no processor time between two looks refutes nothing; one that has moved does. */
static void finding_goes_by_what_moves(void **state)
{
    (void)state;
    ring_look(3, 0);
    next_job(0);
    job_end();
    job_start_ring(3);
    job.witnesses[0].moved = job.witnesses[0].starved = true;
    look_with(&(struct verdict){0}, 10);
    assert_int_equal(history.n_gone, 0);
    assert_int_equal(history.n_findings, 1);
    next_job(0);
    job_end();
    job_start_ring(2);
    job_communicator_of(1, WORLD)->summary.n_receives++;
    name_ranks();
    history_add(&history, job.witnesses, 2, false, &(struct verdict){0}, 20, 20);
    assert_int_equal(history.n_gone, 1);
    assert_int_equal(history.n_findings, 0);
}

static void unseen_findings_are_bounded(void **state)
{
    (void)state;
    ring_look(2, 0);
    for (int i = 1; i < 200; i++) {
        long rank = i;
        struct finding finding = {.kind = FINDING_BUSY, .job = "4711", .user = -1, .ranks = &rank, .n_ranks = 1,
                                  .sentence = (char *)""};

        next_job(0);
        job_end();
        job_start_ring(2);
        name_ranks();
        history_add(&history, job.witnesses, 1, false, &(struct verdict){.findings = &finding, .n = 1}, i, i);
    }
    assert_true(history.n_findings <= 17);
}

static void no_more_than_some_findings_are_kept(void **state)
{
    struct finding finding = {.kind = 0, .job = "4711", .user = -1, .sentence = (char *)""};
    const struct verdict verdict = {.findings = &finding, .n = 1}, none = {0};

    (void)state;
    for (int i = 0; i < 100; i++) {
        next_job(2);
        look_with(i % 2 == 0 ? &verdict : &none, i);
    }
    assert_int_equal(history.n_gone, 16);
    assert_true(history.gone[15].went == 99);
}

/* Text. */

static size_t count_lines(const char *text, size_t most_columns)
{
    size_t n = 0;

    for (const char *end; (end = strchr(text, '\n')) != NULL; text = end + 1, n++)
        if ((size_t)(end - text) > most_columns)
            fail_msg("%zu columns: %.*s", (size_t)(end - text), (int)(end - text), text);
    return n;
}

/* Each rank at a place of its own, and each of them moves or not. */
static void make_many(size_t n, int turn)
{
    next_job(n);
    for (size_t i = 0; i < n; i++) {
        struct call *call = &job.calls[i].calls[0];

        free(call->function);
        call->function = format_text("function_%zu", i % 333);
        if (i % 2 == 0)
            job_communicator_of(i, WORLD)->summary.n_sends = (unsigned long)turn;
    }
}

static void thousand_ranks_fit_a_screen(void **state)
{
    struct verdict none = {0};
    char *text;

    (void)state;
    for (int i = 0; i < 3; i++) {
        make_many(1000, i);
        look_with(&none, 10 * i);
    }
    text = text_of(print_page);
    assert_in_range(count_lines(text, 80), 15, 22);
    free(text);
    assert_says(print_page, "1,000 ranks: 500 move, 500 outside of MPI");
    assert_says(print_page, "more ranks at ");
}

static void alternating_ranks_are_one_line(void **state)
{
    struct verdict none = {0};

    (void)state;
    for (int i = 0; i < 2; i++) {
        next_job(1000);
        for (size_t k = 0; k < 1000; k += 2)
            job_communicator_of(k, WORLD)->summary.n_sends = (unsigned long)i;
        look_with(&none, i);
    }
    assert_says(print_page, "ranks 0,2,...,998: outside of MPI, in work, moves");
}

static void page_fits_any_screen(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        ring_look(64, i);
    for (size_t columns = 40; columns <= 200; columns += 7) {
        char *text;

        terminal_set_columns(columns);
        text = text_of(print_page);
        count_lines(text, columns);
        free(text);
    }
    terminal_set_columns(1);
    assert_int_equal(terminal_columns(), 40);
    terminal_set_columns(80);
}

static void names_cannot_control_the_terminal(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        next_job(2);
        for (size_t k = 0; k < 2; k++) {
            free(job.calls[k].calls[0].function);
            job.calls[k].calls[0].function = copy_string("evil\033[2J\nname");
        }
        look(i);
        assert_never_says(print_page, "\033");
        assert_never_says(print_changes, "\033");
        assert_never_says(print_changes, "\nname");
    }
    for (int i = 2; i < 6; i++) {
        struct finding finding = {.kind = FINDING_BUSY, .job = "\033[2J", .user = -1,
                                  .sentence = (char *)"\033c\nline"};
        const struct verdict verdict = {.findings = &finding, .n = 1}, none = {0};

        next_job(2);
        look_with(i % 2 == 0 ? &verdict : &none, i);
        assert_never_says(print_page, "\033");
        assert_never_says(print_page, "\nline");
        assert_never_says(print_changes, "\033");
        assert_never_says(print_changes, "\nline");
        assert_never_says(print_end, "\033");
        assert_never_says(print_hostile_job, "\033");
    }
}

static void durations_are_short(void **state)
{
    static const struct {
        double seconds;
        const char *text;
    } cases[] = {{-1, "0 s"}, {0.9, "0 s"}, {59.9, "59 s"}, {60, "1:00"}, {3599, "59:59"}, {3600, "1:00:00"}, {7384, "2:03:04"},
                 {100 * 3600.0, "100:00:00"}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = duration_text(cases[i].seconds);

        assert_string_equal(text, cases[i].text);
        free(text);
    }
}

#define TEST(name) cmocka_unit_test_teardown(name, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(rank_that_started_nothing_stands),
        TEST(what_lasts_is_not_longer_than_what_is_proved),
        TEST(rank_whose_starts_are_not_counted_is_only_in_the_same_place),
        TEST(rank_that_has_started_something_moves_and_stands_again),
        TEST(rank_that_moved_during_the_look_moves),
        TEST(rank_without_processor_time_neither_moves_nor_stands),
        TEST(rank_outside_of_mpi_is_not_said_to_stand_still),
        TEST(rank_that_was_not_read_is_unknown),
        TEST(rank_with_a_window_is_only_in_the_same_place),
        TEST(collectives_without_messages_are_not_counted),
        TEST(calls_that_leave_no_trace_are_not_counted),
        TEST(rank_in_finalize_stands),
        TEST(rank_that_tests_here_and_there_is_not_in_the_same_place),
        TEST(rank_that_tests_and_receives_moves),
        TEST(what_a_cut_look_lacks_is_not_gone),
        TEST(ranks_appear_and_end),
        TEST(rank_of_another_process_moves),
        TEST(processes_that_claim_one_rank_stay_two),
        TEST(ranks_of_a_machine_that_does_not_answer_are_all_kept),
        TEST(process_stays_its_rank),
        TEST(nothing_changes_without_a_line),
        TEST(findings_come_and_go),
        TEST(finding_of_other_ranks_is_another_one),
        TEST(finding_of_ranks_that_have_moved_is_another_one),
        TEST(what_a_cut_look_does_not_find_has_not_gone),
        TEST(finding_of_ranks_that_were_not_seen_is_another_one),
        TEST(finding_goes_by_what_moves),
        TEST(unseen_findings_are_bounded),
        TEST(no_more_than_some_findings_are_kept),
        TEST(thousand_ranks_fit_a_screen),
        TEST(alternating_ranks_are_one_line),
        TEST(page_fits_any_screen),
        TEST(names_cannot_control_the_terminal),
        TEST(durations_are_short),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
