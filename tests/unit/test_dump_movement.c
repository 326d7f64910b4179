/*
 * test_dump_movement.c - what shows that a process has moved between two looks, and what two looks that show the same
 * do not prove.
 */
#include "unit_test.h"

#include "mqd/dump/verdict/movement.h"

/* What a look shows of a process with one receive, for which its main thread waits. */
struct look {
    struct witness witness;
    struct listing listing;
    struct communicator world;
    int group[2];
    struct traffic traffic;
    struct queued receive;
    struct window window;
    struct calls calls;
    struct call thread[2];         /* the second one is outside of MPI */
};
static struct look before, after;

static void start(struct look *look)
{
    *look = (struct look){
        .listing = {.pid = 100, .has_communicators = true, .communicators = &look->world, .n = 1,
                    .windows = &look->window},
        .world = {.size = 2, .group = look->group, .has_summary = true, .summary = {.has_activity = 1},
                  .traffic = &look->traffic, .n_traffic = 1},
        .receive = {.status = mqs_st_pending, .kind = MQD_OPERATION_recv, .datatype = "", .purpose = ""},
        .calls = {.complete = true, .calls = look->thread, .n = 2},
        .thread = {{.thread = 100, .is_main = true, .state = CALL_MPI, .function = (char *)"MPI_Recv"},
                   {.thread = 101, .state = CALL_OUTSIDE}},
        .witness = {.listing = &look->listing, .calls = &look->calls},
    };
    for (int class = 0; class < N_QUEUES; class++)
        look->world.queues[class].available = true;
    look->world.queues[mqs_pending_receives] = (struct queue){.available = true, .operations = &look->receive, .n = 1};
}

static void start_both(void)
{
    start(&before);
    start(&after);
}

#define QUEUE(class) world.queues[class]
#define FUNCTION(name) thread[0].function = (char *)(name)

/* Members: whether the process has moved if one of them differs. */

static const struct {
    const char *name;
    size_t at;
    bool moved;
} members[] = {
#define MOVED(member) {#member, offsetof(struct look, member), true}
#define SAME(member) {#member, offsetof(struct look, member), false}
    MOVED(receive.status), MOVED(receive.desired_local_rank), MOVED(receive.desired_tag), MOVED(receive.tag_wild),
    MOVED(receive.desired_length), MOVED(receive.buffer), MOVED(receive.actual_local_rank), MOVED(receive.actual_tag),
    MOVED(receive.actual_length), SAME(receive.system_buffer), SAME(receive.extra_text),
    MOVED(receive.kind), MOVED(receive.protocol), MOVED(receive.progress), MOVED(receive.persistent), MOVED(receive.freed),
    MOVED(receive.error_class), MOVED(receive.sequence), MOVED(receive.request), MOVED(receive.arrived), MOVED(receive.count),
    MOVED(receive.has_peer), MOVED(receive.peer.job), MOVED(receive.peer.rank),
    SAME(receive.mode), MOVED(receive.send_request), SAME(receive.named),
    MOVED(QUEUE(mqs_pending_sends).available), MOVED(QUEUE(mqs_pending_receives).n), MOVED(world.unique_id),
    MOVED(world.size), MOVED(world.has_summary), MOVED(world.summary.n_sends), MOVED(world.summary.n_receives),
    SAME(world.summary.has_activity), SAME(traffic.n_arrived),
    MOVED(listing.has_communicators), MOVED(listing.n), MOVED(listing.n_windows), SAME(listing.pid),
    MOVED(thread[0].thread), MOVED(thread[0].mark), MOVED(thread[0].state), SAME(thread[0].stack_low),
    SAME(thread[1].mark), MOVED(witness.ended), SAME(witness.tested),
};

TEST(members_show_that_it_has_moved)
{
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        start_both();
        assert_false(witness_has_moved(&before.witness, &after.witness));
        *((char *)&after + members[i].at) ^= 1;
        if (witness_has_moved(&before.witness, &after.witness) != members[i].moved)
            fail_msg("%s: it has %smoved", members[i].name, members[i].moved ? "not " : "");
        if (members[i].moved && witness_has_tested(&before.witness, &after.witness))
            fail_msg("%s: it has only tested", members[i].name);
    }
}

/* It may have moved, and is not seen to. */
TEST(stack_that_cannot_be_told_is_no_movement)
{
    static struct look *const looks[] = {&before, &after};

    for (size_t i = 0; i < 2; i++) {
        start_both();
        looks[i]->thread[0].state = CALL_UNKNOWN;
        assert_true(witness_has_moved(&before.witness, &after.witness));
        assert_false(witness_is_seen_to_move(&before.witness, &after.witness));
        start_both();
        looks[i]->calls.n = 0;
        assert_true(witness_is_seen_to_move(&before.witness, &after.witness));
        looks[i]->calls.complete = false;
        assert_false(witness_is_seen_to_move(&before.witness, &after.witness));
        after.receive.sequence++;
        assert_true(witness_is_seen_to_move(&before.witness, &after.witness));
    }
}

TEST(windows_and_functions_show_that_it_has_moved)
{
    start_both();
    after.listing.n_windows = before.listing.n_windows = 1;
    assert_false(witness_has_moved(&before.witness, &after.witness));
    after.window.unique_id = 1;
    assert_true(witness_has_moved(&before.witness, &after.witness));
    start_both();
    after.FUNCTION("MPI_Ssend");
    assert_true(witness_has_moved(&before.witness, &after.witness));
}

/* What of both looks proves. A case begins with looks that are equal; a change is to one of them, or to both. */

#define BOTH(change) (before.change, after.change)
#define CASE(expected, ...)                                                                                            \
    (start_both(), (void)(__VA_ARGS__), assert_int_equal(witness_movement(&before.witness, &after.witness), expected))
#define NOT_SEEN(...) CASE(MOVEMENT_NOT_SEEN, __VA_ARGS__)
#define NONE(...) CASE(MOVEMENT_NONE, __VA_ARGS__)
#define FOUND(...) CASE(MOVEMENT_FOUND, __VA_ARGS__)
#define UNKNOWN(...) CASE(MOVEMENT_UNKNOWN, __VA_ARGS__)

TEST(what_is_not_counted_may_have_moved)
{
    NONE(0);
    /* Either look decides. */
    NOT_SEEN(before.listing.was_running = true);
    NOT_SEEN(after.listing.was_running = true);
    NOT_SEEN(BOTH(calls.complete = false));
    NOT_SEEN(BOTH(listing.n_windows = 1));
    NOT_SEEN(BOTH(QUEUE(mqs_pending_sends).available = false));
    NOT_SEEN(BOTH(listing.error = (char *)"?"));
    NOT_SEEN(BOTH(world.has_summary = false));
    NOT_SEEN(BOTH(world.summary.has_activity = 0));
    NOT_SEEN(BOTH(world.use.allow_overtaking = 1));
    NOT_SEEN(BOTH(world.use.allow_overtaking = -1));
    NOT_SEEN(BOTH(world.use.owner = MQD_OWNER_window));
    NOT_SEEN(BOTH(world.use.owner = MQD_OWNER_file));
    NONE(BOTH(world.use.owner = MQD_OWNER_program));
    NOT_SEEN(BOTH(thread[1].state = CALL_UNKNOWN));
    NOT_SEEN(BOTH(thread[1].state = CALL_MPI), BOTH(thread[1].function = (char *)"MPI_Win_lock"));
}

TEST(calls_that_are_not_counted)
{
    NOT_SEEN(BOTH(FUNCTION("MPI_Win_lock")));
    NOT_SEEN(BOTH(FUNCTION("MPI_Publish_name")));
    NONE(BOTH(FUNCTION("MPI_Testall")));
    NONE(BOTH(FUNCTION("MPI_Comm_size")));
    NONE(BOTH(FUNCTION("MPI_Probe")));
    /* A collective operation and a wait are counted if the process has an operation for them. */
    NOT_SEEN(BOTH(FUNCTION("MPI_Barrier")));
    NONE(BOTH(FUNCTION("MPI_Barrier")), BOTH(receive.collective = 1));
    NOT_SEEN(BOTH(FUNCTION("MPI_Barrier")), BOTH(receive.collective = 1), BOTH(receive.status = mqs_st_complete));
    NONE(BOTH(FUNCTION("MPI_Wait")));
    NONE(BOTH(FUNCTION("MPI_Waitall")));
    NONE(BOTH(FUNCTION("MPI_Waitany")));
    NOT_SEEN(BOTH(FUNCTION("MPI_Wait")), BOTH(receive.status = mqs_st_complete));
    NOT_SEEN(BOTH(FUNCTION("MPI_Waitall")), BOTH(QUEUE(mqs_pending_receives).n = 0));
    NOT_SEEN(BOTH(FUNCTION("MPI_Waitany")), BOTH(QUEUE(mqs_pending_receives).n = 0));
    NONE(BOTH(FUNCTION("MPI_Wait")), BOTH(QUEUE(mqs_pending_sends) = before.QUEUE(mqs_pending_receives)),
         BOTH(QUEUE(mqs_pending_receives).n = 0));
    NOT_SEEN(BOTH(FUNCTION("MPI_Wait")), BOTH(QUEUE(mqs_unexpected_messages) = before.QUEUE(mqs_pending_receives)),
             BOTH(QUEUE(mqs_pending_receives).n = 0));
}

TEST(other_knowledge_of_a_move)
{
    FOUND(after.listing.pid++);
    FOUND(after.thread[0].mark++);
    FOUND(after.witness.moved = true);
    NOT_SEEN(after.witness.moved = after.witness.starved = true);
    NOT_SEEN(after.witness.starved = true);
    NOT_SEEN(after.witness.went_on = true);
    NOT_SEEN(after.witness.tested = true);
    /* In calls that wait for nothing too. */
    NOT_SEEN(BOTH(FUNCTION("MPI_Comm_size")), after.thread[0].mark++);
    NOT_SEEN(BOTH(FUNCTION("MPI_Iprobe")));
}

TEST(what_is_not_shown_may_have_done_anything)
{
    UNKNOWN(before.witness.calls = NULL);
    UNKNOWN(after.witness.calls = NULL);
    UNKNOWN(before.witness.outdated = true);
    UNKNOWN(after.witness.outdated = true);
    UNKNOWN(BOTH(listing.has_communicators = false));
    /* Whoever is in MPI_Finalize starts nothing, whatever is counted. */
    NONE(BOTH(listing.has_communicators = false), BOTH(FUNCTION("MPI_Finalize")));
    NONE(BOTH(calls.complete = false), BOTH(FUNCTION("MPI_Finalize")), after.witness.starved = true);
    FOUND(BOTH(calls.complete = false), after.FUNCTION("MPI_Finalize"));
    UNKNOWN(BOTH(listing.has_communicators = false), BOTH(FUNCTION("MPI_Finalize")),
            BOTH(thread[0].state = CALL_OUTSIDE));
}

/* Tests for messages are no moves: they are known by arrivals, and without them by the call. */

static bool has_tested(void)
{
    return witness_has_tested(&before.witness, &after.witness);
}

static bool has_moved(void)
{
    return witness_has_moved(&before.witness, &after.witness);
}

#define TESTED(expected, ...)                                                                                          \
    (start_both(), (void)(__VA_ARGS__), assert_int_equal(has_tested(), expected),                                      \
     assert_int_equal(has_moved(), !(expected)))
#define COUNTED BOTH(world.has_traffic = true)
#define RECEIVED after.world.summary.n_receives++

TEST(tests_for_messages_are_no_moves)
{
    TESTED(true, COUNTED, RECEIVED);
    TESTED(false, RECEIVED);
    TESTED(false, before.world.has_traffic = true, RECEIVED);
    TESTED(false, after.world.has_traffic = true, RECEIVED);
    TESTED(false, COUNTED, RECEIVED, after.world.summary.n_sends++);
    TESTED(false, COUNTED, RECEIVED, after.traffic.n_arrived++);
    TESTED(false, COUNTED, RECEIVED, after.traffic.peer++);
    TESTED(false, COUNTED, RECEIVED, after.world.n_traffic = 0);
    TESTED(false, COUNTED, RECEIVED, after.receive.buffer++);
    TESTED(true, COUNTED, RECEIVED, BOTH(thread[1].state = CALL_MPI),
           BOTH(thread[1].function = (char *)"MPI_Improbe"));
    TESTED(true, BOTH(FUNCTION("MPI_Iprobe")), RECEIVED);
    TESTED(true, before.FUNCTION("MPI_Iprobe"), before.thread[0].state = CALL_MPI, after.thread[0].state = CALL_OUTSIDE,
           RECEIVED);
    TESTED(true, after.FUNCTION("MPI_Iprobe"), before.thread[0].state = CALL_OUTSIDE, RECEIVED);
    TESTED(false, BOTH(FUNCTION("MPI_Test")), RECEIVED);
}

/* Calls that wait. */

#define WAITS(function, expected, ...)                                                                                 \
    (start(&after), (void)(__VA_ARGS__), assert_int_equal(function(&after.witness), expected))

TEST(waits_that_are_counted_or_not)
{
    WAITS(witness_waits_counted, true, 0);
    WAITS(witness_waits_counted, false, after.thread[0].is_main = false);
    WAITS(witness_waits_counted, false, after.thread[0].state = CALL_OUTSIDE);
    WAITS(witness_waits_counted, false, after.FUNCTION(NULL));
    WAITS(witness_waits_counted, false, after.FUNCTION("MPI_Comm_size"));
    WAITS(witness_waits_counted, false, after.FUNCTION("MPI_Barrier"));
    WAITS(witness_waits_counted, false, after.witness.calls = NULL);
    WAITS(witness_waits_uncounted, true, after.FUNCTION("MPI_Barrier"));
    WAITS(witness_waits_uncounted, false, after.FUNCTION("MPI_Barrier"), after.receive.collective = 1);
    WAITS(witness_waits_uncounted, false, after.FUNCTION("MPI_Barrier"), after.thread[0].state = CALL_OUTSIDE);
    WAITS(witness_waits_uncounted, false, after.FUNCTION("MPI_Win_lock"));
    WAITS(witness_waits_uncounted, false, after.FUNCTION(NULL));
    WAITS(witness_waits_uncounted, false, after.witness.calls = NULL);
}

/* Threads that wait for others of their process. */

enum { N_THREADS = 2 };
static struct openmp_thread threads[2][N_THREADS];
static struct openmp_team teams[2];
static struct openmp openmp[2];

static void start_threads(void)
{
    for (size_t i = 0; i < 2; i++) {
        teams[i] = (struct openmp_team){.address = 0x100, .size = 2};
        threads[i][0] = (struct openmp_thread){.thread = 1, .team = 0, .state = OPENMP_wait_lock, .object = 0x10};
        threads[i][1] = (struct openmp_thread){.thread = 2, .team = 0, .state = OPENMP_work_parallel, .object = 0x20};
        openmp[i] = (struct openmp){.threads = threads[i], .n_threads = N_THREADS, .teams = &teams[i], .n_teams = 1};
    }
    start_both();
    before.witness.openmp = &openmp[0];
    after.witness.openmp = &openmp[1];
}

#define THREADS(expected, ...)                                                                                         \
    (start_threads(), (void)(__VA_ARGS__),                                                                             \
     assert_int_equal(witness_threads_have_moved(&before.witness, &after.witness), expected),                          \
     assert_int_equal(has_moved(), false))

TEST(threads_that_wait_for_something_else)
{
    THREADS(false, 0);
    THREADS(true, threads[1][0].object = 0x18);
    THREADS(true, threads[1][0].holder = 2);
    THREADS(true, threads[1][0].task = 0x30);
    THREADS(true, threads[0][0].state = OPENMP_work_parallel);
    THREADS(true, threads[0][0].thread = 3);
    THREADS(true, teams[0].address = 0x200);
    THREADS(true, before.witness.openmp = NULL);
    /* Of those that do not wait now nothing follows. */
    THREADS(false, threads[1][0].state = OPENMP_work_parallel);
    THREADS(false, threads[1][1].object = 0x18);
    THREADS(false, threads[1][1].state = OPENMP_idle);
    THREADS(false, after.witness.openmp = NULL);
}
