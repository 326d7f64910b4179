/*
 * test_dump_places.c - where ranks are whose threads are in MPI, wait for each other in OpenMP or for a mutex, or work:
 * in one line, in stacks and on the page. What is shown comes out of a record.
 */
#define TEST_TEARDOWN end()
#include "unit_test.h"

#include "dump_record.h"
#include "mqd/dump/base/hash.h"
#include "mqd/dump/base/text_stream.h"
#include "mqd/dump/show/graph/wait_picture.h"
#include "mqd/dump/show/page/page.h"
#include "mqd/dump/show/say/place.h"
#include "mqd/dump/show/text/stack_text.h"
#include "mqd/dump/show/text/verdict_text.h"

enum { MAX_RANKS = 64, MAX_TEAMS = 3, MAIN = 0, NONE = -1 };

/* A thread as a test says it. Without a size it is in no team. */
struct made {
    long team, number;
    int state;
    const char *place, *object, *name;
    const char *mpi, *outside;     /* the function that it is in; NULL: it sleeps elsewhere */
    size_t holder;                 /* the position of a thread, plus 1 */
    const char *frame;             /* of its stack, below "main"; NULL: it has none */
    bool unmade;                   /* it is there no more */
};

static struct rank {
    struct listing listing;
    struct calls calls;
    struct openmp openmp;
    struct openmp_team teams[MAX_TEAMS];
    struct witness witness;
} *ranks;
static size_t n_ranks;
static struct record record;
static const struct listing **listings;

static void end_ranks(void)
{
    for (size_t i = 0; i < n_ranks; i++) {
        calls_clear(&ranks[i].calls);
        free(ranks[i].listing.job);
        free(ranks[i].openmp.threads);
    }
    FREE_ALL(ranks, listings);
    ranks = NULL;
    listings = NULL;
    n_ranks = 0;
}

static void end(void)
{
    record_clear(&record);
    record = (struct record){0};
    end_ranks();
}

/* Ranks without threads, each with teams of so many. */
static void make_ranks(size_t n, long size)
{
    static struct openmp_runtime runtime = {.file = "libgomp.so.1", .name = "libgomp", .layout = "14.1.0-14.2.0"};
    static char region[] = "solve.c:5";

    end_ranks();
    n_ranks = n;
    ranks = allocate_array(n, sizeof *ranks);
    for (size_t i = 0; i < n; i++) {
        struct rank *rank = &ranks[i];

        rank->listing = (struct listing){.pid = (pid_t)(1000 * (i + 1)), .rank = (long)i, .job = copy_string("4711"),
                                         .user = -1, .executable = "/home/user/solver"};
        for (size_t k = 0; k < MAX_TEAMS; k++)
            rank->teams[k] = (struct openmp_team){.address = 16 * (k + 1), .size = size, .level = 1, .parent = NONE,
                                                  .parent_number = NONE, .awaited = NONE, .place = region};
        rank->openmp = (struct openmp){.runtimes = &runtime, .n_runtimes = 1, .teams = rank->teams, .n_teams = 1};
        rank->calls.complete = true;
        rank->witness = (struct witness){.listing = &rank->listing, .calls = &rank->calls, .openmp = &rank->openmp};
    }
}

static void add_call(struct rank *rank, pid_t thread, const struct made *made)
{
    struct call call = {.thread = thread, .is_main = thread == rank->listing.pid,
                        .state = made->mpi != NULL ? CALL_MPI : CALL_OUTSIDE, .has_source = true,
                        .function = copy_string(made->mpi != NULL ? made->mpi : made->outside),
                        .place = copy_string(made->place != NULL ? made->place : "?"), .mark = 7};

    APPEND(rank->calls.calls, rank->calls.n, rank->calls.room, call);
}

static void add_stack(struct calls *calls, pid_t thread, bool is_main, const char *frame)
{
    struct named_stack stack = {.thread = thread, .is_main = is_main, .ended = true, .n = 2};

    stack.frames = allocate_array(2, sizeof *stack.frames);
    stack.frames[0] = frame;
    stack.frames[1] = "main";
    calls->stacks = reallocarray(calls->stacks, calls->n_stacks + 1, sizeof *calls->stacks);
    calls->stacks[calls->n_stacks++] = stack;
    calls->has_stacks = true;
}

static void add(size_t at, const struct made made)
{
    struct rank *rank = &ranks[at];
    pid_t thread = rank->listing.pid + (pid_t)rank->openmp.n_threads;
    bool ended = made.state == OPENMP_ended;

    APPEND(rank->openmp.threads, rank->openmp.n_threads, rank->openmp.thread_room, (struct openmp_thread){
        .thread = ended ? 0 : thread, .name = (char *)(uintptr_t)made.name,
        .runtime = made.team == NONE ? NONE : 0, .team = made.team, .number = made.number, .state = made.state,
        .object_name = (char *)(uintptr_t)made.object, .place = (char *)(uintptr_t)made.place, .children = NONE,
        .holder = made.holder > 0 ? rank->listing.pid + (pid_t)made.holder - 1 : 0});
    if (made.mpi != NULL || made.outside != NULL)
        add_call(rank, thread, &made);
    if (made.frame != NULL)
        add_stack(&rank->calls, thread, thread == rank->listing.pid, made.frame);
}

/* Threads first to last of the first team. */
#define TEAM(at, first, last, ...)                                                                                     \
    for (long number_ = (first); number_ <= (last); number_++)                                                         \
        add((at), (struct made){.number = number_, __VA_ARGS__})
#define ALONE(at, ...) add((at), (struct made){.team = NONE, .number = NONE, __VA_ARGS__})

/* What is known of the ranks goes through a record. */
static const struct witness *through_record(void)
{
    struct witness *all = of_test(allocate_array(n_ranks, sizeof *all));
    const char *text;

    for (size_t i = 0; i < n_ranks; i++)
        all[i] = ranks[i].witness;
    text = of_test(record_text(all, n_ranks));
    record_clear(&record);
    record_take(&record, text, strlen(text), 4096);
    assert_null(record.problem);
    assert_int_equal(record.n, n_ranks);
    free(listings);
    listings = allocate_array(n_ranks, sizeof *listings);
    for (size_t i = 0; i < n_ranks; i++) {
        all[i] = record.ranks[i]->witness;
        listings[i] = all[i].listing;
    }
    return all;
}

static const char *where_in_lines(void)
{
    const struct explanation nothing = {0};
    const char *text;

    through_record();
    text = PRINTED(verdict_print(test_to, &nothing, listings, n_ranks));
    return strstr(text, "\nWhere\n") + strlen("\nWhere\n");
}

/* The same, with each of them in one line. */
static const char *where(void)
{
    char *text = test_text("%s", where_in_lines());

    for (char *at = text; (at = strstr(at, "\n    ")) != NULL;)
        memmove(at + 1, at + strlen("\n    "), strlen(at + strlen("\n    ")) + 1), *at = ' ';
    return text;
}

static const char *stacks(void)
{
    through_record();
    return PRINTED(stacks_print(test_to, listings, n_ranks));
}

#define BARRIER .state = OPENMP_wait_barrier, .place = "solve.c:9"
#define RECEIVE .state = OPENMP_work_parallel, .mpi = "MPI_Recv", .place = "solve.c:8"

/* One line. */

TEST(thread_in_mpi_comes_first_and_the_rest_of_its_team_is_one)
{
    make_ranks(1, 4);
    TEAM(0, 0, 2, BARRIER);
    TEAM(0, 3, 3, RECEIVE);
    assert_string_equal(where(), "  rank 0: MPI_Recv from solve.c:8 in thread 3 of 4; 3 threads: OpenMP barrier at "
                                 "solve.c:9\n");
}

/* The main thread may look for the others of its team, outside of any call that is known to wait. */
TEST(runtime_knows_more_than_the_stack)
{
    make_ranks(1, 4);
    TEAM(0, 0, 2, BARRIER, .outside = "gomp_team_barrier_wait_end");
    TEAM(0, 3, 3, RECEIVE);
    assert_has(where(), "rank 0: MPI_Recv from solve.c:8 in thread 3 of 4; 3 threads: OpenMP barrier at");
}

TEST(numbers_are_told_where_threads_do_several_things)
{
    make_ranks(1, 8);
    TEAM(0, 0, 0, RECEIVE);
    TEAM(0, 1, 5, BARRIER);
    TEAM(0, 6, 6, .state = OPENMP_work_parallel, .outside = "compute");
    TEAM(0, 7, 7, .state = OPENMP_ended);
    assert_string_equal(where(), "  rank 0: MPI_Recv from solve.c:8 in thread 0 of 8; threads 1-5: OpenMP barrier at "
                                 "solve.c:9; thread 7: ended; thread 6: outside of MPI, in compute\n");
}

/* Of no MPI: the main thread's team has numbers in front. */
TEST(locks_and_who_has_them)
{
    make_ranks(1, 2);
    TEAM(0, 0, 0, .state = OPENMP_wait_lock, .object = "faces", .place = "2_locks.c:12", .holder = 2,
         .outside = "omp_set_lock");
    TEAM(0, 1, 1, .state = OPENMP_wait_lock, .object = "cells", .place = "2_locks.c:12", .holder = 1);
    assert_string_equal(where(), "  rank 0: thread 0 of 2: OpenMP lock \"faces\" at 2_locks.c:12, held by thread 1; "
                                 "thread 1: OpenMP lock \"cells\" at 2_locks.c:12, held by thread 0\n");
}

/* Each kind of wait, of threads that are no others' rest. */
TEST(waits_are_told_in_words_of_the_standard)
{
    static const struct {
        int state;
        const char *object, *text;
    } waits[] = {
        {OPENMP_wait_barrier, NULL, "OpenMP barrier at a.c:1"},
        {OPENMP_wait_barrier_explicit, NULL, "OpenMP barrier at a.c:1"},
        {OPENMP_wait_barrier_implicit_workshare, NULL, "implicit OpenMP barrier at a.c:1"},
        {OPENMP_wait_barrier_implicit_parallel, NULL, "OpenMP barrier at the end of the region of solve.c:5"},
        {OPENMP_wait_taskwait, NULL, "OpenMP taskwait at a.c:1"},
        {OPENMP_wait_taskgroup, NULL, "end of an OpenMP taskgroup at a.c:1"},
        {OPENMP_wait_mutex, NULL, "mutex at a.c:1"},
        {OPENMP_wait_lock, NULL, "OpenMP lock at a.c:1"},
        {OPENMP_wait_critical, "update", "OpenMP critical region \"update\" at a.c:1"},
        {OPENMP_wait_atomic, NULL, "OpenMP atomic region at a.c:1"},
        {OPENMP_wait_ordered, NULL, "OpenMP ordered region at a.c:1"},
        {OPENMP_overhead, NULL, "in the OpenMP runtime, at a.c:1"},
        {OPENMP_work_parallel, NULL, "in the parallel region, at a.c:1"},
    };

    for (size_t i = 0; i < N_OF(waits); i++) {
        make_ranks(1, 2);
        TEAM(0, 0, 0, RECEIVE);
        TEAM(0, 1, 1, .state = waits[i].state, .object = waits[i].object, .place = "a.c:1");
        through_record();
        assert_string_equal(of_test(place_say_one(listings[0])),
                            test_text("MPI_Recv from solve.c:8 in thread 0 of 2; thread 1: %s", waits[i].text));
    }
}

/* Who waits for a region, and who has executed none, is not told. */
TEST(idle_threads_are_left_out)
{
    make_ranks(1, 4);
    ALONE(0, .state = OPENMP_work_serial, .mpi = "MPI_Recv", .place = "solve.c:8");
    for (size_t i = 0; i < 3; i++)
        ALONE(0, .state = OPENMP_idle, .outside = "do_spin");
    ALONE(0, .state = OPENMP_unknown);
    assert_string_equal(where(), "  rank 0: MPI_Recv from solve.c:8\n");
}

/* With several teams numbers do not tell who it is. */
TEST(threads_of_several_teams_are_counted)
{
    make_ranks(1, 3);
    ranks[0].openmp.n_teams = 2;
    add(0, (struct made){.team = 0, .number = 0, RECEIVE});
    TEAM(0, 1, 2, BARRIER);
    add(0, (struct made){.team = 1, .number = 0, BARRIER});
    add(0, (struct made){.team = 1, .number = 1, .state = OPENMP_wait_taskwait, .place = "solve.c:20"});
    assert_string_equal(where(), "  rank 0: MPI_Recv from solve.c:8 in thread 0 of 3; 3 threads: OpenMP barrier at "
                                 "solve.c:9; another thread: OpenMP taskwait at solve.c:20\n");
}

/* POSIX threads. */

TEST(names_that_the_program_has_given)
{
    make_ranks(1, 1);
    ALONE(0, .name = "solver", .mpi = "MPI_Recv", .place = "solve.c:8");
    ALONE(0, .name = "writer", .outside = "write_out");
    ALONE(0, .name = "solver", .outside = "helper");
    assert_string_equal(where(), "  rank 0: MPI_Recv from solve.c:8; another thread: outside of MPI, in helper; "
                                 "thread \"writer\": outside of MPI, in write_out\n");
    make_ranks(1, 1);
    ALONE(0, .name = "python3", .mpi = "MPI_Recv", .place = "solve.c:8");
    for (long i = 0; i < 4; i++)
        ALONE(0, .name = test_text("io-%ld", i), .outside = "write_out");
    ALONE(0, .name = "a b", .outside = "poll_a");
    ALONE(0, .name = "c/d", .outside = "poll_a");
    ALONE(0, .name = "worker", .outside = "poll_b");
    ALONE(0, .name = "worker", .outside = "poll_b");
    assert_string_equal(where(), "  rank 0: MPI_Recv from solve.c:8; threads \"a b\", \"c/d\": outside of MPI, in "
                                 "poll_a; 2 threads \"worker\": outside of MPI, in poll_b; threads \"io-[0-3]\": "
                                 "outside of MPI, in write_out\n");
}

/* A thread has the name of the one that has started it, until somebody gives it one. */
TEST(names_that_nobody_has_given)
{
    make_ranks(1, 1);
    ALONE(0, .name = "boss", .mpi = "MPI_Recv", .place = "solve.c:8");
    ALONE(0, .name = "boss", .outside = "f");
    ALONE(0, .name = "solver", .outside = "g");
    assert_has(where(), "; another thread: outside of MPI, in f; another thread: outside of MPI, in g\n");
    /* Of a long name the kernel has the beginning. */
    ranks[0].listing.executable = "/home/user/much-too-long-a-name";
    ranks[0].openmp.threads[2].name = "much-too-long-a";
    assert_has(where(), "; another thread: outside of MPI, in f; another thread: outside of MPI, in g\n");
    ranks[0].openmp.threads[2].name = "much-too-long-b";
    assert_has(where(), "; thread \"much-too-long-b\": outside of MPI, in g\n");
}

TEST(mutexes_and_who_has_them)
{
    make_ranks(1, 1);
    ALONE(0, .name = "solver", .mpi = "MPI_Recv", .place = "solve.c:8");
    for (size_t i = 0; i < 2; i++)
        ALONE(0, .name = "solver", .state = OPENMP_wait_mutex, .object = "m", .holder = 1);
    ALONE(0, .name = "solver", .state = OPENMP_wait_mutex, .object = "n", .holder = 3, .place = "io.c:4");
    ALONE(0, .name = "writer", .state = OPENMP_wait_mutex, .object = "o", .holder = 5, .place = "io.c:9");
    assert_string_equal(where(), "  rank 0: MPI_Recv from solve.c:8; 2 threads: mutex \"m\" held by the main thread; "
                                 "another thread: mutex \"n\" at io.c:4, held by thread 1002; thread \"writer\": "
                                 "mutex \"o\" at io.c:9, held by thread \"writer\"\n");
}

/* Without a runtime. Who waits for a condition in no code of the program is a helper. */
TEST(conditions_of_the_program)
{
    make_ranks(1, 1);
    ranks[0].openmp = (struct openmp){0};
    ALONE(0, .name = "solver", .mpi = "MPI_Recv", .place = "solve.c:8");
    ALONE(0, .name = "solver", .state = OPENMP_wait_condition);
    for (long i = 0; i < 3; i++)
        ALONE(0, .name = test_text("io-%ld", i), .state = OPENMP_wait_condition, .place = "pool.c:33");
    ALONE(0, .name = "solver", .state = OPENMP_wait_condition, .object = "ready");
    assert_string_equal(where(), "  rank 0: MPI_Recv from solve.c:8; another thread: condition \"ready\"; threads "
                                 "\"io-[0-2]\": condition at pool.c:33\n");
    assert_has(stacks(), "\nThreads\n  rank 0:\n    threads \"io-[0-2]\" waiting for a condition: pool.c:33\n"
                         "    a thread waiting for a condition (ready)\n");
    make_ranks(1, 1);
    ranks[0].openmp = (struct openmp){0};
    ALONE(0, .name = "solver", .mpi = "MPI_Recv", .place = "solve.c:8");
    ALONE(0, .name = "solver", .state = OPENMP_wait_condition);
    assert_lacks(stacks(), "Threads\n");
}

/* Several ranks. */

TEST(ranks_whose_threads_do_the_same_are_one_line)
{
    make_ranks(4, 4);
    for (size_t i = 0; i < 4; i++) {
        TEAM(i, 0, 2, BARRIER);
        TEAM(i, 3, 3, RECEIVE);
    }
    assert_string_equal(where(), "  ranks 0-3: MPI_Recv from solve.c:8 in thread 3 of 4; 3 threads: OpenMP barrier at "
                                 "solve.c:9\n");
}

/* Which thread of a team comes first is chance. */
TEST(ranks_fold_whichever_of_their_threads_is_where)
{
    make_ranks(3, 8);
    for (long i = 0; i < 3; i++) {
        TEAM((size_t)i, 0, i, RECEIVE);
        TEAM((size_t)i, i + 1, 6, BARRIER);
        TEAM((size_t)i, 7, 7, .state = OPENMP_wait_mutex, .object = "m", .holder = (size_t)i + 1);
    }
    assert_string_equal(where(), "  ranks 0-2: MPI_Recv from solve.c:8 in 1-3 threads of 8; 4-6 threads: OpenMP "
                                 "barrier at solve.c:9; thread 7: mutex \"m\" held by another thread\n");
}

TEST(one_thread_of_each_rank_is_a_thread)
{
    make_ranks(2, 4);
    for (long i = 0; i < 2; i++) {
        TEAM((size_t)i, i, i, RECEIVE);
        TEAM((size_t)i, 2, 3, BARRIER);
        TEAM((size_t)i, 1 - i, 1 - i, BARRIER);
    }
    assert_has(where(), "ranks 0,1: MPI_Recv from solve.c:8 in a thread of 4; 3 threads: OpenMP barrier at");
}

/* 64 ranks of 128 threads, each of which is at a place of its own. */
TEST(lines_are_bounded)
{
    static char places[128][16];

    make_ranks(MAX_RANKS, 128);
    for (size_t i = 0; i < MAX_RANKS; i++) {
        TEAM(i, 0, 0, RECEIVE);
        for (long k = 1; k < 128; k++) {
            snprintf(places[k], sizeof places[k], "solve.c:%ld", 100 + k);
            TEAM(i, k, k, .state = OPENMP_wait_barrier, .place = places[k]);
        }
    }
    assert_has(where(), "ranks 0-63: MPI_Recv from solve.c:8 in thread 0 of 128; thread 1: OpenMP barrier at");
    assert_has(where(), "; threads 6-127: elsewhere\n");
    assert_true(count_lines(where_in_lines()) <= 5);
    /* Each second one waits. */
    make_ranks(MAX_RANKS, 128);
    for (size_t i = 0; i < MAX_RANKS; i++)
        for (long k = 0; k < 128; k++)
            if ((k * k + (long)i) % 7 < 3)
                TEAM(i, k, k, BARRIER);
            else
                TEAM(i, k, k, .state = OPENMP_work_parallel, .outside = "compute");
    assert_true(count_lines(where_in_lines()) <= 6);
    make_ranks(1, 128);
    for (long k = 0; k < 128; k++)
        TEAM(0, k, k, .state = k == 0 ? OPENMP_work_parallel : OPENMP_wait_critical, .outside = k * k % 7 < 3 ? "a" : "b");
    assert_true(count_lines(where_in_lines()) <= 3);
}

/* Names are of the target's choice. */
TEST(hostile_names)
{
    static char wide[3000];

    memset(wide, 'x', sizeof wide - 1);
    make_ranks(1, 1);
    ALONE(0, .name = "solver", .mpi = "MPI_Recv", .place = "solve.c:8");
    ALONE(0, .name = "\n  rank 9: free\033[31m", .outside = "f");
    ALONE(0, .name = "solver", .state = OPENMP_wait_mutex, .object = "m\n  rank 9: free\033[31m", .holder = 2);
    ALONE(0, .name = "solver", .state = OPENMP_wait_mutex, .object = wide);
    assert_lacks(where(), "\033");
    assert_lacks(where_in_lines(), "\n  rank 9");
    assert_true(count_lines(where_in_lines()) <= 6);
    assert_lacks(stacks(), "\033");
    assert_lacks(stacks(), "\n  rank 9");
    assert_true(count_lines(stacks()) <= 15);
}

/* Stacks. */

TEST(stacks_name_the_threads)
{
    make_ranks(2, 8);
    for (size_t i = 0; i < 2; i++) {
        TEAM(i, 0, 0, RECEIVE, .frame = "MPI_Recv");
        TEAM(i, 1, 7, BARRIER, .frame = "barrier");
        ALONE(i, .name = "writer", .frame = "write_out");
    }
    assert_has(stacks(), "\nStacks\n  ranks 0,1, 18 threads:\n    main\n    ranks 0,1, thread 0 of 8:\n      MPI_Recv\n"
                         "    ranks 0,1, threads 1-7 of 8:\n      barrier\n"
                         "    ranks 0,1, thread \"writer\":\n      write_out\n");
    assert_has(stacks(), "\nThreads\n  ranks 0,1:\n    team of 8 threads, region at solve.c:5\n"
                         "      thread 0 in the region: solve.c:8\n      threads 1-7 at a barrier: solve.c:9\n");
}

TEST(stacks_count_threads_that_differ_by_rank)
{
    make_ranks(2, 8);
    for (size_t i = 0; i < 2; i++) {
        TEAM(i, 0, (long)i + 1, RECEIVE, .frame = "MPI_Recv");
        TEAM(i, (long)i + 2, 7, BARRIER, .frame = "barrier");
    }
    assert_has(stacks(), "    ranks 0,1, 5 threads:\n      MPI_Recv\n    ranks 0,1, 11 threads:\n      barrier\n");
}

TEST(threads_outside_of_regions_are_folded_with_their_names)
{
    make_ranks(1, 1);
    ranks[0].openmp.n_teams = 0;
    ALONE(0, .name = "solver", .mpi = "MPI_Recv", .place = "solve.c:8");
    for (long i = 0; i < 3; i++)
        ALONE(0, .name = test_text("io-%ld", i), .state = OPENMP_wait_mutex, .object = "m", .holder = 1);
    for (long i = 0; i < 2; i++)
        ALONE(0, .name = "solver", .state = OPENMP_wait_mutex, .object = "n", .holder = 2);
    assert_has(stacks(), "Threads\n  rank 0:\n"
                         "    threads \"io-[0-2]\" waiting for a mutex (m), which the main thread has\n"
                         "    2 threads waiting for a mutex (n), which thread \"io-0\" has\n");
}

/* Ids of threads tell ranks apart. */
TEST(ranks_whose_threads_wait_for_the_same_are_told_once)
{
    make_ranks(2, 1);
    for (size_t i = 0; i < 2; i++) {
        ranks[i].openmp.n_teams = 0;
        ALONE(i, .mpi = "MPI_Recv", .place = "solve.c:8");
        ALONE(i, .outside = "hold");
        ALONE(i, .state = OPENMP_wait_mutex, .object = "m", .holder = 2);
    }
    assert_has(stacks(), "Threads\n  ranks 0,1:\n"
                         "    a thread waiting for a mutex (m), which another thread has\n");
}

/* The page. */

static const char *page(void)
{
    static const struct record_look look = {.taken = "2024-05-31T17:08:59.123456Z"};
    static const struct record_look *const looks[] = {&look};
    const struct witness *witnesses = through_record();
    struct explanation explanation = {0};
    struct picture picture = {0};
    struct analysis analysis;
    const char *text;

    analysis_make(&analysis, witnesses, n_ranks);
    explanation_conclude(&explanation, &analysis);
    picture_draw(&picture, &analysis);
    text = PRINTED(page_print(test_to, &(struct page){.witnesses = witnesses, .n = n_ranks, .explanation = &explanation,
                                                      .picture = &picture, .looks = looks, .n_looks = 1}));
    analysis_clear(&analysis);
    picture_clear(&picture);
    explanation_clear(&explanation);
    return text;
}

TEST(page_has_threads_in_its_table_and_its_stacks)
{
    make_ranks(2, 8);
    for (size_t i = 0; i < 2; i++) {
        TEAM(i, 0, 6, .state = OPENMP_wait_lock, .object = "<b>\n", .place = "solve.c:9", .frame = "lock");
        TEAM(i, 7, 7, RECEIVE, .frame = "MPI_Recv");
    }
    assert_times(page(), "<td>MPI_Recv from solve.c:8 in thread 7 of 8; 7 threads: OpenMP lock &quot;&lt;b&gt;\\x0a&quot; "
                         "at solve.c:9", 2);
    assert_has(page(), "</button> threads 0-6 of 8\n<ol class=frames><li>lock</ol>");
    assert_has(page(), "<h3>Threads</h3>\n<ul class=tree>\n<li><button");
    assert_has(page(), "</button>\n<ol class=frames><li>team of 8 threads, region at solve.c:5"
                       "<li class=inner>threads 0-6 waiting for a lock (&lt;b&gt; ): solve.c:9"
                       "<li class=inner>thread 7 in the region: solve.c:8</ol>\n</ul>");
    /* Without facts of threads there is nothing of them. */
    make_ranks(1, 1);
    ALONE(0, .mpi = "MPI_Recv", .place = "solve.c:8", .frame = "MPI_Recv");
    ranks[0].witness.openmp = NULL;
    assert_lacks(page(), "<h3>Threads");
}
