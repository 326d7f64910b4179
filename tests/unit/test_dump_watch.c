/*
 * test_dump_watch.c - what several looks at a job show together, and how that is told. The looks are made by hand.
 */
#define TEST_TEARDOWN end()
#include "unit_test.h"

#include "dump_job.h"
#include "mqd/dump/base/terminal.h"
#include "mqd/dump/show/watch/history.h"
#include "mqd/dump/show/watch/watch_text.h"
#include "mqd/dump/verdict/movement.h"
#include "verdict_case.h"

static struct history history;
static struct dump_job before;

/* The job of the look before stays until the next look: that is what its history is compared with. */
static void next_job(const char *lines)
{
    struct dump_job latest = job;

    job = before;
    job_end();
    before = latest;
    job_make(lines);
}

/* The same with many ranks. */
static void next_ranks(size_t n)
{
    next_job(test_text("ranks %zu", n));
}

static void add(size_t n, bool whole, const struct explanation *said, double start, double end)
{
    for (size_t i = 0; i < n; i++)
        if (job.listings[i].job == NULL && job.listings[i].rank >= 0)
            job.listings[i].job = copy_string("4711");
    history_add(&history, job.witnesses, n, whole, said, start, end);
}

static void look_with(const struct explanation *said, double now)
{
    add(job.n_ranks, true, said, now, now);
}

/* A look that may have taken a while. */
static void look_between(double start, double end)
{
    struct explanation said = {0};

    explanation_reach(&said, job.witnesses, job.n_ranks);
    add(job.n_ranks, true, &said, start, end);
    explanation_clear(&said);
}

static void look(double now, const char *lines)
{
    next_job(lines);
    look_between(now, now);
}

/* Each rank waits in MPI_Recv for the one before; and what else is said. */
#define RING2 "ranks 2\n0,1: MPI_Recv from prev tag 7\n"
#define RING3 "ranks 3\n0-2: MPI_Recv from prev tag 7\n"
#define RING4 "ranks 4\n0-3: MPI_Recv from prev tag 7\n"

static void end(void)
{
    history_clear(&history);
    job_end();
    job = before;
    job_end();
    before = (struct dump_job){0};
}

/* The states of ranks, as "stands moves". */
static const char *states(void)
{
    static const char *const names[] = {
        [RANK_NEW] = "new", [RANK_MOVES] = "moves", [RANK_STANDS] = "stands", [RANK_SAME] = "same",
        [RANK_UNKNOWN] = "unknown", [RANK_ENDED] = "ended", [RANK_GONE] = "gone"};
    char *text = test_text("%s", "");

    for (long rank = 0; rank < (long)history.n; rank++)
        for (size_t i = 0; i < history.n; i++)
            if (history.ranks[i].rank == rank)
                text = test_text("%s%s%s", text, *text != '\0' ? " " : "", names[history.ranks[i].state]);
    return text;
}

static const char *page(void)
{
    return PRINTED(watch_print_page(test_to, &history,
                                    &(struct watch_page){.job = "job 4711", .time = "12:04:31", .interval = 2,
                                                         .n_lines = 22}));
}

static const char *changes(void)
{
    return PRINTED(watch_print_changes(test_to, &history, "12:04:31"));
}

static const char *ending(void)
{
    return PRINTED(watch_print_end(test_to, &history));
}

/* What two looks prove. */

TEST(rank_that_started_nothing_stands)
{
    for (int i = 0; i < 3; i++)
        look(100 + 40 * i, RING4);
    assert_string_equal(states(), "stands stands stands stands");
    assert_true(history.ranks[2].since == 100);
    assert_has(page(), "4 ranks: 4 have not moved");
    assert_has(page(), "ranks 0-3: MPI_Recv called from main+0x20, not moved for 1:20");
    assert_string_equal(changes(), "");
}

/* When in a look a rank was read is not known: a machine that does not answer may have kept the look for minutes. */
TEST(what_lasts_is_not_longer_than_what_is_proved)
{
    for (int i = 0; i < 3; i++) {
        next_job(RING2);
        look_between(100 * i, 100 * i + 60);
    }
    assert_has(page(), "MPI_Recv called from main+0x20, not moved for 2:20");
    assert_has(page(), "Deadlock, for 2:20: ");
    look(300, "ranks 2");
    assert_has(changes(), "ranks 0,1 move again, after 2:20");
    assert_has(changes(), "went, after 2:20: Deadlock");
}

TEST(rank_that_has_started_something_moves_and_stands_again)
{
    look(0, RING4);
    look(10, RING4);
    look(20, RING4 "3: on world n_receives=1");
    assert_string_equal(states(), "stands stands stands moves");
    assert_has(changes(), "12:04:31 rank 3 moves again, after 10 s: MPI_Recv");
    assert_has(page(), "1 moves, 3 have not moved");
    look(35, RING4 "3: on world n_receives=1");
    assert_string_equal(states(), "stands stands stands stands");
    assert_true(history.ranks[3].since == 20);
    assert_has(page(), "not moved for 15 s to 35 s");
}

/* Looks every 10 s, what the last one shows, and what is told then; NULL: it does not matter. */
#define FINALIZE "ranks 1\n0: MPI_Finalize; unread"
#define IPROBE "ranks 1\n0: MPI_Iprobe at a.c:20; "
#define TESTS "ranks 2 counted\n0: MPI_Iprobe; "
static const struct {
    const char *looks[3], *states, *page, *not_on_page, *changes;
} histories[] = {
    /* Starts that are not counted: it is only in the same place. */
    {{RING4, RING4 "2: on world has_activity=0", RING4 "2: on world has_activity=0"}, "stands stands same stands",
     "rank 2: MPI_Recv called from main+0x20, same place for 20 s", "ranks 0-3", NULL},
    {{RING2, RING2 "1: moved"}, "stands moves", NULL, NULL, NULL},
    /* Without processor time it has not been seen to move, and what it would do with some is not known. */
    {{RING2, RING2 "1: moved starved"}, "stands same", NULL, NULL, NULL},
    {{RING2, RING2 "1: unread"}, "stands unknown", "1 cannot be seen", NULL, NULL},
    {{RING2, RING2 "1: unread", RING2}, "stands new", NULL, NULL, NULL},
    /* Another process. */
    {{RING2, RING2 "1: pid=4444"}, "stands moves", NULL, NULL, NULL},
    /* Accesses to windows are not counted: a rank that spins on a lock may get it each time. */
    {{RING2, RING2 "1: on world for-window"}, "stands same", NULL, NULL, NULL},
    {{"ranks 2", "ranks 2"}, "stands stands", "ranks 0,1: outside of MPI, in work, nothing started in MPI for 10 s",
     "not moved", NULL},
    /* Its communicators are gone, but it is known where it is. */
    {{FINALIZE}, "new", NULL, NULL, NULL},
    {{FINALIZE, FINALIZE}, "stands", "MPI_Finalize called from main+0x20, not moved for 10 s", NULL, NULL},
    /* "The same place" is not said of a rank that was elsewhere in between. */
    {{"ranks 1\n0: MPI_Iprobe at a.c:10", IPROBE "on world n_receives=1"}, "same", "1 rank: 1 not seen to move", NULL,
     "rank 0 is not seen to move: MPI_Iprobe"},
    {{"ranks 1\n0: MPI_Iprobe at a.c:10", IPROBE "on world n_receives=1", IPROBE "on world n_receives=2"}, "same",
     "a.c:20, not seen to move for 20 s", NULL, NULL},
    /* Its tests are no movement, but it has received what has arrived. */
    {{TESTS "arrived 0 from 1", TESTS "arrived 0 from 1; on world n_receives=10"}, "same stands", NULL, NULL, NULL},
    {{TESTS "arrived 0 from 1", TESTS "arrived 0 from 1; on world n_receives=10",
      TESTS "arrived 1 from 1; on world n_receives=20"}, "moves stands", NULL, NULL, NULL},
};

TEST(looks_show_what_a_rank_does)
{
    for (size_t i = 0; i < N_OF(histories); i++) {
        for (int k = 0; k < 3 && histories[i].looks[k] != NULL; k++)
            look(10 * k, histories[i].looks[k]);
        assert_string_equal(states(), histories[i].states);
        if (histories[i].page != NULL)
            assert_has(page(), histories[i].page);
        if (histories[i].changes != NULL)
            assert_has(changes(), histories[i].changes);
        if (histories[i].not_on_page != NULL)
            assert_lacks(page(), histories[i].not_on_page);
        end();
    }
}

/* They may run over shared memory: who is in MPI_Barrier each time may be in another one each time. */
TEST(collectives_without_messages_are_not_counted)
{
    for (int i = 0; i < 2; i++)
        look(10 * i, "ranks 3\n0,1: MPI_Barrier from 2");
    assert_string_equal(states(), "stands stands stands");
    for (int i = 2; i < 5; i++)
        look(10 * i, "ranks 3\n0,1: MPI_Barrier");
    assert_string_equal(states(), "same same same");
    for (int i = 5; i < 7; i++)
        look(10 * i, RING3);
    assert_string_equal(states(), "stands stands stands");
    for (int i = 7; i < 9; i++)
        look(10 * i, "ranks 3");
    assert_string_equal(states(), "same same same");
}

/* MPI_Lookup_name asks the launcher: in a loop it shows no trace. Tests for messages start nothing. */
TEST(calls_that_leave_no_trace_are_not_counted)
{
    static const char *const cases[][2] = {{"MPI_Lookup_name", "same"}, {"MPI_Open_port", "same"},
                                           {"MPI_Test", "stands"},      {"MPI_Recv", "stands"},
                                           {"MPI_Waitall", "same"},     {"MPI_Finalize", "stands"}};

    for (size_t i = 0; i < N_OF(cases); i++) {
        for (int k = 0; k < 2; k++)
            look(10 * k, test_text("ranks 1\n0: %s", cases[i][0]));
        assert_string_equal(states(), cases[i][1]);
        history_clear(&history);
    }
}

/* A machine that could not be asked says nothing of its ranks. */
TEST(what_a_cut_look_lacks_is_not_gone)
{
    const struct explanation said = {.verdict = {.unclear = true}};

    look(0, RING3);
    next_job(RING2);
    add(2, false, &said, 10, 10);
    assert_string_equal(states(), "moves moves unknown");
    assert_false(history_is_over(&history));
    next_job(RING2);
    add(2, true, &said, 20, 20);
    assert_string_equal(states(), "stands stands gone");
    history_end(&history, 30);
    assert_has(ending(), "why ranks waited last could not be");
}

/* Who is there. */

TEST(ranks_appear_and_end)
{
    look(0, RING2);
    assert_has(changes(), "ranks 0,1 are there: MPI_Recv");
    look(10, RING3);
    assert_string_equal(states(), "moves moves new");
    assert_has(changes(), "rank 2 is there: MPI_Recv");
    look(20, RING2 "1: ended");
    assert_string_equal(states(), "moves ended gone");
    assert_has(changes(), "rank 1: ended");
    assert_has(changes(), "rank 2 is not there any more");
    assert_has(page(), "2 have ended");
    assert_false(history_is_over(&history));
    history_end(&history, 30);
    assert_true(history_is_over(&history));
    assert_has(states(), " ended ");
}

/* A process may say that it is any rank. */
TEST(processes_that_claim_one_rank_stay_two)
{
    for (int i = 0; i < 5; i++) {
        look(10 * i, RING3 "2: rank=1");
        assert_int_equal(history.n, 3);
        assert_int_equal(history_count(&history, RANK_GONE), 0);
        assert_int_equal(history_count(&history, RANK_STANDS), i > 0 ? 3 : 0);
    }
}

/* Also if there are more of them than ranks that have ended are kept. */
TEST(ranks_of_a_machine_that_does_not_answer_are_all_kept)
{
    const struct explanation said = {.verdict = {.unclear = true}};

    next_ranks(4000);
    look_with(&said, 0);
    next_ranks(4000);
    add(1, false, &said, 10, 10);
    assert_int_equal(history.n, 4000);
    assert_int_equal(history_count(&history, RANK_UNKNOWN), 3999);
    for (int i = 2; i < 5; i++) {
        next_ranks(4000);
        for (size_t k = 0; k < job.n_ranks; k++)
            job.listings[k].rank += 4000 * i;
        add(4000, false, &said, 10 * i, 10 * i);
        assert_true(history.n <= 2 * 4000);
    }
}

/* Of what could not be read it is not known which rank it is, as of one that was named by its pid and has ended. */
TEST(process_stays_its_rank)
{
    look(0, RING3);
    next_job(RING3 "2: unread ended rank=-1");
    look_with(&(struct explanation){0}, 10);
    assert_int_equal(history.n, 3);
    assert_string_equal(states(), "stands stands ended");
    assert_has(changes(), "rank 2: ended\n");
    assert_has(page(), "rank 2: ended, 0 s ago\n");
}

/* Threads. */

/* Of rank 0: the main thread is in MPI, the others of its team do as it is told of them. */
static void look_at_threads(double now, const char *lines, int first, int second)
{
    static struct openmp_runtime runtime = {.file = "libgomp.so.1", .name = "libgomp"};
    static struct openmp_team team = {.size = 3, .level = 1, .parent = -1, .awaited = -1};
    const int states[] = {OPENMP_work_parallel, first, second};
    struct openmp *openmp = of_test(allocate_array(1, sizeof *openmp));
    struct openmp_thread *threads = of_test(allocate_array(N_OF(states), sizeof *threads));

    for (size_t i = 0; i < N_OF(states); i++)
        threads[i] = (struct openmp_thread){.thread = 100 + (pid_t)i, .number = (long)i, .state = states[i]};
    *openmp = (struct openmp){.runtimes = &runtime, .n_runtimes = 1, .teams = &team, .n_teams = 1,
                              .threads = threads, .n_threads = N_OF(states)};
    next_job(lines);
    job.listings[0].openmp = openmp;
    look_between(now, now);
}

/* The rank does not move in MPI, but its threads do. */
TEST(thread_that_changes_its_state_shows)
{
    look_at_threads(0, RING2, OPENMP_wait_barrier, OPENMP_work_parallel);
    assert_has(changes(), "rank 0 is there: MPI_Recv called from main+0x20 in thread 0 of 3; thread 1: OpenMP barrier");
    look_at_threads(10, RING2, OPENMP_wait_barrier, OPENMP_work_parallel);
    assert_string_equal(states(), "stands stands");
    assert_has(page(), "; thread 1: OpenMP\n    barrier; thread 2: in the parallel region, not moved for 10 s\n");
    look_at_threads(20, RING2, OPENMP_wait_barrier, OPENMP_wait_taskwait);
    assert_string_equal(states(), "stands stands");
    assert_string_equal(changes(), "12:04:31 rank 0 does not move, but what its threads wait for changes: MPI_Recv "
                                   "called from main+0x20 in thread 0 of 3; thread 1: OpenMP barrier; thread 2: OpenMP "
                                   "taskwait\n");
    assert_has(page(), ", not moved for 20 s, what its threads\n    wait for changed 0 s ago\n");
    look_at_threads(30, RING2, OPENMP_wait_barrier, OPENMP_wait_taskwait);
    assert_has(changes(), "12:04:31 rank 0 does not move, and its threads wait as before: MPI_Recv");
    assert_has(page(), "what its threads\n    wait for changed 10 s ago\n");
    assert_has(page(), "rank 1: MPI_Recv called from main+0x20, not moved for 30 s\n");
    look_at_threads(50, RING2, OPENMP_wait_barrier, OPENMP_wait_taskwait);
    assert_string_equal(changes(), "");
    assert_has(page(), ", not moved for 50 s, what its threads\n    wait for changed 30 s ago\n");
    /* Once it moves nothing of that counts. */
    look_at_threads(60, RING2 "0: on world n_receives=1", OPENMP_wait_barrier, OPENMP_wait_taskwait);
    look_at_threads(70, RING2 "0: on world n_receives=1", OPENMP_wait_barrier, OPENMP_wait_taskwait);
    assert_has(page(), "taskwait, not moved for 10 s\n");
}

/* Threads of a rank that computes wait for each other all the time: only the page tells. */
TEST(threads_of_a_rank_outside_of_mpi_are_no_news)
{
    look_at_threads(0, "ranks 2", OPENMP_wait_barrier, OPENMP_work_parallel);
    look_at_threads(10, "ranks 2", OPENMP_wait_barrier, OPENMP_work_parallel);
    look_at_threads(20, "ranks 2", OPENMP_work_parallel, OPENMP_wait_barrier);
    assert_string_equal(changes(), "");
    assert_has(page(), ", what its\n    threads wait for changed 0 s ago\n");
}

/* Findings. */

TEST(findings_come_and_go)
{
    look(0, RING4);
    assert_has(changes(), "12:04:31 came: Deadlock");
    assert_has(page(), "Deadlock, new: ");
    look(75, RING4);
    assert_lacks(changes(), "Deadlock");
    assert_has(page(), ", for 1:15: ");
    assert_has(ending(), "The job has ended. It was watched for 1:15; the last findings were:");
    look(80, "ranks 4");
    assert_int_equal(history.n_findings, 0);
    assert_has(changes(), "went, after 1:15: Deadlock");
    assert_has(page(), "Nothing suspicious.\n  gone 0 s ago, after 1:15: Deadlock");
    assert_has(ending(), "For 1:15 there was: Deadlock");
    look(85, "ranks 4");
    assert_has(page(), "gone 5 s ago");
    assert_lacks(changes(), "Deadlock");
    look(80 + 601, "ranks 4");
    assert_lacks(page(), "Deadlock");
}

/* One finding, and what is said of it. */
struct made {
    struct finding finding;
    struct explained explained;
};

static struct explanation make(struct made *made, enum finding_kind kind, long *ranks, size_t n, const char *sentence)
{
    *made = (struct made){{.kind = kind, .job = "4711", .user = -1, .ranks = ranks, .n_ranks = n},
                          {.sentence = (char *)(uintptr_t)sentence}};
    return (struct explanation){.verdict = {.findings = &made->finding, .n = 1}, .findings = &made->explained};
}

TEST(finding_of_other_ranks_is_another_one)
{
    static long sets[3][3] = {{0, 1}, {1, 2, 3}, {4}};
    struct made made;

    for (int i = 0; i < 3; i++) {
        const struct explanation said = make(&made, 0, sets[i], (size_t[]){2, 3, 1}[i], "");

        next_ranks(5);
        look_with(&said, 10 * i);
        assert_true(history.findings[0].came == (i != 1));
    }
    assert_int_equal(history.n_gone, 1);
    assert_true(history.gone[0].lasted == 10);
}

/* Each look finds others waiting for another one: nobody is stuck for longer than one look. */
TEST(finding_of_ranks_that_have_moved_is_another_one)
{
    long ranks[] = {1, 2};
    struct made made;
    struct explanation said = make(&made, FINDING_BUSY, ranks, 2, "Ranks 1,2 wait for rank 0.");

    for (int i = 0; i < 4; i++) {
        next_job(test_text("ranks 3\n0-2: on world n_sends=%d", i == 3 ? 2 : i));
        look_with(&said, 10 * i);
        if (i > 0 && i < 3) {
            assert_true(history.findings[0].came && history.findings[0].since == 10 * i);
            assert_int_equal(history.n_gone, 0);
            assert_has(page(), "Busy rank (possible), again: Ranks 1,2 wait");
            assert_lacks(changes(), "Busy rank");
        }
    }
    assert_has(page(), "Busy rank (possible), for 10 s: Ranks 1,2 wait");
    made.explained.sentence = (char *)"Ranks 1,2 wait for rank 3.";
    next_ranks(3);
    look_with(&said, 40);
    assert_int_equal(history.n_gone, 1);
    assert_has(changes(), "went, after 10 s: Busy rank (possible). Ranks 1,2 wait for rank 0.");
    assert_has(changes(), "came: Busy rank (possible). Ranks 1,2 wait for rank 3.");
}

/* A look at some of the ranks, with no finding. */
static void look_without(size_t n, bool whole, double now)
{
    next_job(RING3);
    add(n, whole, &(struct explanation){.verdict = {.unclear = true}}, now, now);
}

TEST(what_a_cut_look_does_not_find_has_not_gone)
{
    look(0, RING3);
    look(10, RING3);
    for (int i = 2; i < 4; i++) {
        look_without(2, false, 10 * i);
        assert_int_equal(history.n_gone, 0);
        assert_lacks(changes(), "went");
    }
    assert_has(page(), "Deadlock, not seen for 10 s, there for 10 s: Ranks 0-2");
    assert_has(ending(), "the last findings were:\n  Deadlock");
    look(40, RING3);
    assert_int_equal(history.n_findings, 1);
    assert_has(changes(), "again: Deadlock");
    assert_has(page(), "Deadlock, for 40 s: ");
    look_without(2, false, 50);
    assert_has(changes(), "not seen any more: Deadlock");
    look_without(3, true, 60);
    assert_has(changes(), "went, after 40 s: Deadlock");
    assert_int_equal(history.n_findings, 0);
}

/* Who was not seen in between may have been elsewhere. */
TEST(finding_of_ranks_that_were_not_seen_is_another_one)
{
    look(0, RING2);
    look(10, RING2 "0,1: unread");
    assert_int_equal(history.n_gone, 0);
    look(20, RING2);
    assert_int_equal(history.n_findings, 1);
    assert_true(history.findings[0].since == 20);
    assert_has(page(), "Deadlock, again: ");
}

/* A rank that had no processor time between two looks refutes nothing; one that has moved does. */
TEST(finding_goes_by_what_moves)
{
    look(0, RING3);
    next_job(RING3 "0: moved starved");
    look_with(&(struct explanation){0}, 10);
    assert_int_equal(history.n_gone, 0);
    assert_int_equal(history.n_findings, 1);
    next_job(RING2 "1: on world n_receives=1");
    add(2, false, &(struct explanation){0}, 20, 20);
    assert_int_equal(history.n_gone, 1);
    assert_int_equal(history.n_findings, 0);
}

TEST(unseen_findings_are_bounded)
{
    look(0, RING2);
    for (long rank = 1; rank < 200; rank++) {
        struct made made;
        const struct explanation said = make(&made, FINDING_BUSY, &rank, 1, "");

        next_job(RING2);
        add(1, false, &said, (double)rank, (double)rank);
    }
    assert_true(history.n_findings <= 17);
}

TEST(no_more_than_some_findings_are_kept)
{
    struct made made;
    const struct explanation said = make(&made, 0, NULL, 0, ""), none = {0};

    for (int i = 0; i < 100; i++) {
        next_ranks(2);
        look_with(i % 2 == 0 ? &said : &none, i);
    }
    assert_int_equal(history.n_gone, 16);
    assert_true(history.gone[15].went == 99);
}

/* Text. */

static size_t count_lines(const char *text, size_t most_columns)
{
    size_t n = 0;

    for (const char *end_of; (end_of = strchr(text, '\n')) != NULL; text = end_of + 1, n++)
        if ((size_t)(end_of - text) > most_columns)
            fail_msg("%zu columns: %.*s", (size_t)(end_of - text), (int)(end_of - text), text);
    return n;
}

/* Each rank at a place of its own, and each of them moves or not. */
TEST(thousand_ranks_fit_a_screen)
{
    const struct explanation none = {0};

    for (unsigned long turn = 0; turn < 3; turn++) {
        next_ranks(1000);
        for (size_t i = 0; i < 1000; i++) {
            struct call *call = &job.calls[i].calls[0];

            free(call->function);
            call->function = format_text("function_%zu", i % 333);
            if (i % 2 == 0)
                job_communicator_of(i, WORLD)->summary.n_sends = turn;
        }
        look_with(&none, 10 * (double)turn);
    }
    assert_in_range(count_lines(page(), 80), 15, 22);
    assert_has(page(), "1,000 ranks: 500 move, 500 outside of MPI");
    assert_has(page(), "more ranks at ");
}

TEST(alternating_ranks_are_one_line)
{
    const struct explanation none = {0};

    for (unsigned long i = 0; i < 2; i++) {
        next_ranks(1000);
        for (size_t k = 0; k < 1000; k += 2)
            job_communicator_of(k, WORLD)->summary.n_sends = i;
        look_with(&none, (double)i);
    }
    assert_has(page(), "ranks 0,2,...,998: outside of MPI, in work, moves");
}

TEST(page_fits_any_screen)
{
    for (int i = 0; i < 2; i++)
        look(i, "ranks 64\n0-63: MPI_Recv from prev tag 7");
    for (size_t columns = 40; columns <= 200; columns += 7) {
        terminal_set_columns(columns);
        count_lines(page(), columns);
    }
    terminal_set_columns(1);
    assert_int_equal(terminal_columns(), 40);
    terminal_set_columns(80);
}

static void check_harmless(const char *text)
{
    assert_lacks(text, "\033");
    assert_lacks(text, "\nname");
    assert_lacks(text, "\nline");
}

TEST(names_cannot_control_the_terminal)
{
    for (int i = 0; i < 6; i++) {
        struct made made;
        const struct explanation said = make(&made, FINDING_BUSY, NULL, 0, "\033c\nline"), none = {0};

        made.finding.job = "\033[2J";
        next_ranks(2);
        for (size_t k = 0; k < 2 && i < 2; k++) {
            free(job.calls[k].calls[0].function);
            job.calls[k].calls[0].function = copy_string("evil\033[2J\nname");
        }
        look_with(i >= 2 && i % 2 == 0 ? &said : &none, i);
        check_harmless(page());
        check_harmless(changes());
        check_harmless(ending());
    }
    check_harmless(PRINTED(watch_print_page(test_to, &history, &(struct watch_page){.job = "job \033]0;x\a", .time = "",
                                                                                    .n_lines = 1})));
}

TEST(durations_are_short)
{
    static const struct {
        double seconds;
        const char *text;
    } cases[] = {{-1, "0 s"}, {0.9, "0 s"}, {59.9, "59 s"}, {60, "1:00"}, {3599, "59:59"}, {3600, "1:00:00"},
                 {7384, "2:03:04"}, {100 * 3600.0, "100:00:00"}};

    for (size_t i = 0; i < N_OF(cases); i++)
        assert_string_equal(of_test(duration_text(cases[i].seconds)), cases[i].text);
}
