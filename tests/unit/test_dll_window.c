/*
 * test_dll_window.c - what the extension tells of windows: epochs and locks of osc/sm and osc/rdma, and nothing where
 * the module is not what it should be.
 */
#include "fake_internal.h"
#include "fake_sweep.h"
#include "fake_test.h"

#define OWN (JOB->options.rank)
#define SIZE(type) FAKE_SIZE(IMAGE, type)

static const char sm[] = "ompi_osc_sm_module_template";
static const char rdma[] = "ompi_osc_rdma_module_rdma_template";
static const char pt2pt[] = "ompi_osc_pt2pt_module_template", ucx[] = "ompi_osc_ucx_module_template";

/* The slot of the window's communicator, and other ranks. */
enum { SLOT = 3, OTHER = 2, THIRD = 3, N_LOCK_KINDS = 4 };
enum { SM_UNCHECKED = 1, SM_EXCLUSIVE = 2, SM_SHARED = 3 };
enum { SYNC_NONE, SYNC_LOCK, SYNC_FENCE, SYNC_START };
enum { LOCK_EXCLUSIVE = 1, LOCK_SHARED = 2, PEER_LOCAL_STATE = 4 };

static struct {
    fake_ta win, module, comm;
    fake_ta states, locks;       /* osc/sm: arrays with an element for each process */
    fake_ta state, sync, peers;  /* osc/rdma */
    fake_ta shared;              /* the memory that the processes share */
    size_t shared_size;
} window;

static struct mqd_window_description seen;

/* Zeros, for hide_shared. */
static fake_ta shared_zeros(size_t size)
{
    window.shared_size = size;
    window.shared = fake_image_alloc_pages(IMAGE, JOB->heap, size);
    fake_image_zero(IMAGE, window.shared, size);
    return window.shared;
}

/* Leaves the image without the memory that the processes share, as cores may be. */
static void hide_shared(void)
{
    fake_image_set_hidden(IMAGE, window.shared, window.shared_size, true);
}

static fake_ta member_of(fake_ta array, int rank)
{
    return array + (fake_ta)rank * JOB->options.build->pointer_size;
}

/* A module of that size, as the component's template makes it, in place of the window's small one. */
static void begin_window(const char *template, size_t size)
{
    struct fake_comm comm = fake_comm_new(JOB, SLOT, NULL, JOB->world.local_group, JOB->world.local_group);
    struct fake_window made = fake_window_new(JOB, 1, template, &JOB->world, 0, comm.ta);

    window.win = made.ta;
    window.comm = comm.ta;
    window.module = fake_zeros(JOB, size);
    PUT(window.module, ompi_osc_base_module_t, osc_free,
        FAKE_GET(IMAGE, made.module, ompi_osc_base_module_t, osc_free));
    PUT(window.win, ompi_win_t, w_osc_module, window.module);
}

static void make_sm(void)
{
    int n = JOB->options.n_procs;

    begin_window(sm, SIZE(ompi_osc_sm_module_t));
    window.states = shared_zeros((size_t)n * SIZE(ompi_osc_sm_node_state_t));
    window.locks = fake_zeros(JOB, (size_t)n * 4);
    PUT(window.module, ompi_osc_sm_module_t, comm, window.comm);
    PUT(window.module, ompi_osc_sm_module_t, outstanding_locks, window.locks);
    PUT(window.module, ompi_osc_sm_module_t, node_states, window.states);
    PUT(window.module, ompi_osc_sm_module_t, my_node_state,
        window.states + (fake_ta)OWN * SIZE(ompi_osc_sm_node_state_t));
}

static void put_queue(int rank, uint32_t counter, uint32_t read, uint32_t write)
{
    fake_ta lock = AT(window.states + (fake_ta)rank * SIZE(ompi_osc_sm_node_state_t), ompi_osc_sm_node_state_t, lock);

    PUT(lock, ompi_osc_sm_lock_t, counter, counter);
    PUT(lock, ompi_osc_sm_lock_t, read, read);
    PUT(lock, ompi_osc_sm_lock_t, write, write);
}

static void put_lock(int rank, int kind)
{
    fake_image_put(IMAGE, window.locks + (fake_ta)rank * 4, 4, (uint64_t)kind);
}

static fake_ta new_sync(int type)
{
    fake_ta sync = fake_zeros(JOB, SIZE(ompi_osc_rdma_sync_t));

    fake_construct(JOB, sync, FAKE_TYPE_ompi_osc_rdma_sync_t);
    PUT(sync, ompi_osc_rdma_sync_t, module, window.module);
    PUT(sync, ompi_osc_rdma_sync_t, type, type);
    return sync;
}

static void make_rdma(void)
{
    fake_ta peer;

    fake_class_new(JOB, FAKE_TYPE_ompi_osc_rdma_peer_t, FAKE_TYPE_opal_list_item_t);
    fake_class_new(JOB, FAKE_TYPE_ompi_osc_rdma_sync_t, FAKE_TYPE_opal_object_t);
    begin_window(rdma, SIZE(ompi_osc_rdma_module_t));
    window.state = shared_zeros(SIZE(ompi_osc_rdma_state_t));
    window.locks = fake_zeros(JOB, (size_t)JOB->options.n_procs * 8);
    window.peers = fake_zeros(JOB, (size_t)JOB->options.n_procs * 8);
    peer = fake_zeros(JOB, SIZE(ompi_osc_rdma_peer_t));
    fake_construct(JOB, peer, FAKE_TYPE_ompi_osc_rdma_peer_t);
    PUT(peer, ompi_osc_rdma_peer_t, rank, OWN);
    PUT(peer, ompi_osc_rdma_peer_t, flags, PEER_LOCAL_STATE);
    fake_image_put_pointer(IMAGE, member_of(window.peers, OWN), peer);
    PUT(window.module, ompi_osc_rdma_module_t, win, window.win);
    PUT(window.module, ompi_osc_rdma_module_t, comm, window.comm);
    PUT(window.module, ompi_osc_rdma_module_t, my_peer, peer);
    PUT(window.module, ompi_osc_rdma_module_t, state, window.state);
    PUT(window.module, ompi_osc_rdma_module_t, outstanding_lock_array, window.locks);
    PUT(window.module, ompi_osc_rdma_module_t, peer_array, window.peers);
    window.sync = AT(window.module, ompi_osc_rdma_module_t, all_sync);
    fake_construct(JOB, window.sync, FAKE_TYPE_ompi_osc_rdma_sync_t);
    PUT(window.sync, ompi_osc_rdma_sync_t, module, window.module);
}

static void hold_lock(int rank, int kind)
{
    fake_ta lock = new_sync(SYNC_LOCK);

    PUT(lock, ompi_osc_rdma_sync_t, lock_target, rank);
    PUT(lock, ompi_osc_rdma_sync_t, lock_type, kind);
    fake_image_put_pointer(IMAGE, member_of(window.locks, rank), lock);
}

static fake_ta group_of(int rank)
{
    return fake_group_of(JOB, &rank, 1);
}

static void setup(const struct fake_build *build)
{
    fake_setup(build);
    fake_internal_init(JOB);
    fake_template_add(JOB, sm);
    fake_template_add(JOB, rdma);
    fake_template_add(JOB, pt2pt);
    fake_template_add(JOB, ucx);
}

/* What describe_window answers after a new look. */
static int look_at_window(void)
{
    fake_look_well();
    fake_go_to(SLOT);
    memset(&seen, 0x5a, sizeof seen);
    return EXTENSION->describe_window(PROCESS, &seen);
}

/*
 * The window as text, "sm start exposed 1 (1 posted, -1 completed), lock 0 0 0: 2 exclusive 1, ...": the lock has an
 * exclusive holder, so many that share it, and so many that wait. Behind the colon are ranks, their roles, and whether
 * these are held.
 */
static void expect_window(const char *pattern)
{
    static const char *const accesses[] = { "unknown", "none", "fence", "start", "lock", "lock_all" };
    static const char *const roles[] = { "unknown", "started", "posted", "exclusive", "shared", "unchecked" };
    struct mqd_window_peer peer;
    char *text = calloc(1, 1000);
    size_t n;

    assert_int_equal(look_at_window(), mqs_ok);
    assert_int_equal(seen.object, window.win);
    n = (size_t)snprintf(text, 200, "%s %s exposed %d (%ld posted, %ld completed), lock %d %ld %ld:", seen.component,
                         accesses[seen.access], seen.exposed, seen.n_posted_to_it, seen.n_completed,
                         seen.locked_exclusively, seen.n_shared, seen.n_waiting);
    for (int i = 0; EXTENSION->describe_window_peer(PROCESS, i, &peer) == mqs_ok; i++)
        n += (size_t)snprintf(text + n, 50, " %d %s %d,", peer.rank, roles[peer.role], peer.held);
    fake_match(text, pattern, __FILE__, __LINE__);
}

static void assert_not_told(void)
{
    struct mqd_window_description untouched;

    memset(&untouched, 0x5a, sizeof untouched);
    assert_true(look_at_window() >= mqs_first_user_code);
    assert_memory_equal(&seen, &untouched, sizeof seen);
}

/* osc/sm. */

SUITE(each, setup, fake_teardown, &fake_release, &fake_release_31, &fake_release_507, &fake_debug_507, &fake_release_60,
      &fake_s390x);

/* Numbers 5 to 8 are given out. Those below write are over, those from write to read are held, the rest waits. */
TEST(queue_of_sm_tells_holders_and_waiters)
{
    make_sm();
    expect_window("sm unknown exposed 0 (*), lock 0 0 0:");
    put_queue(OWN, 8, 5, 5);
    expect_window("sm *, lock 1 0 2:");
    put_queue(OWN, 8, 7, 5);
    expect_window("sm *, lock 0 2 1:");
    put_queue(OWN, 1, UINT32_MAX, UINT32_MAX);
    expect_window("sm *, lock 1 0 1:");
    /* All of them. */
    put_queue(OWN, 5 + (uint32_t)JOB->options.n_procs, 5, 5);
    expect_window("sm *, lock 1 0 3:");
}

TEST(lock_of_sm_is_held_if_the_queue_leaves_no_choice)
{
    static const struct {
        int kind;
        uint32_t counter, read; /* write is 0 */
        const char *expected;
    } cases[] = {
        { SM_EXCLUSIVE, 1, 0, "sm lock *: 2 exclusive 1," },
        { SM_EXCLUSIVE, 2, 0, "sm lock *: 2 exclusive -1," },
        { SM_EXCLUSIVE, 2, 1, "sm lock *: 2 exclusive 0," },
        { SM_SHARED, 2, 0, "sm lock *: 2 shared 0," },
        { SM_SHARED, 1, 1, "sm lock *: 2 shared 1," },
        { SM_SHARED, 2, 1, "sm lock *: 2 shared -1," },
        { SM_UNCHECKED, 2, 1, "sm lock *: 2 unchecked -1," },
    };

    make_sm();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        put_lock(OTHER, cases[i].kind);
        put_queue(OTHER, cases[i].counter, cases[i].read, 0);
        expect_window(cases[i].expected);
    }
}

TEST(groups_of_sm_are_told)
{
    make_sm();
    PUT(window.module, ompi_osc_sm_module_t, start_group, group_of(OTHER));
    PUT(window.module, ompi_osc_sm_module_t, post_group, group_of(THIRD));
    PUT(window.states + (fake_ta)OWN * SIZE(ompi_osc_sm_node_state_t), ompi_osc_sm_node_state_t, complete_count, 1);
    expect_window("sm start exposed 1 (*, 1 completed), *: 2 started -1, 3 posted -1,");
}

TEST(module_of_sm_that_contradicts_itself_is_not_told)
{
    make_sm();
    put_queue(OWN, 1, 0, 1);
    assert_not_told();
    put_queue(OWN, (uint32_t)JOB->options.n_procs + 1, 0, 0);
    assert_not_told();
    put_queue(OWN, 0, 0, 0);
    put_lock(OTHER, N_LOCK_KINDS);
    assert_not_told();
    put_lock(OTHER, 0);
    PUT(window.module, ompi_osc_sm_module_t, my_node_state, window.states + SIZE(ompi_osc_sm_node_state_t) * 3);
    assert_not_told();
    PUT(window.module, ompi_osc_sm_module_t, my_node_state, SIZE(ompi_osc_sm_node_state_t) * (size_t)OWN);
    PUT(window.module, ompi_osc_sm_module_t, node_states, 0);
    assert_not_told();
}

/* The debugger has the lock otherwise than the table, and not all of it. */
TEST(lock_of_sm_whose_members_are_not_known_is_not_told)
{
    make_sm();
    fake_types_all(HOST, build);
    HOST->types.offset[FAKE_MEMBER_ompi_osc_sm_lock_t__read] =
        (int)build->members[FAKE_MEMBER_ompi_osc_sm_lock_t__write].offset;
    HOST->types.offset[FAKE_MEMBER_ompi_osc_sm_lock_t__write] =
        (int)build->members[FAKE_MEMBER_ompi_osc_sm_lock_t__read].offset;
    expect_window("sm *");
    HOST->types.offset[FAKE_MEMBER_ompi_osc_sm_lock_t__counter] = -1;
    fake.opened = false;
    assert_not_told();
}

/* What the process has of its own is told, and nothing of the rest. */
TEST(sm_without_shared_memory_tells_of_the_process)
{
    make_sm();
    put_lock(OTHER, SM_EXCLUSIVE);
    put_queue(OTHER, 1, 0, 0);
    PUT(window.module, ompi_osc_sm_module_t, post_group, group_of(THIRD));
    hide_shared();
    expect_window("sm lock exposed 1 (*, -1 completed), lock -1 -1 -1: 2 exclusive -1, 3 posted -1,");
    put_lock(OTHER, N_LOCK_KINDS);
    assert_not_told();
}

/* osc/rdma. */

TEST(locks_of_rdma_are_those_that_it_holds)
{
    make_rdma();
    expect_window("rdma none *:");
    hold_lock(OTHER, LOCK_EXCLUSIVE);
    hold_lock(THIRD, LOCK_SHARED);
    PUT(window.state, ompi_osc_rdma_state_t, local_lock, UINT64_C(1) << 63);
    expect_window("rdma lock *, lock 1 -1 *: 2 exclusive 1, 3 shared 1,");
}

TEST(epochs_of_rdma_are_told)
{
    make_rdma();
    PUT(window.sync, ompi_osc_rdma_sync_t, type, SYNC_START);
    PUT(window.sync, ompi_osc_rdma_sync_t, start_group, group_of(OTHER));
    PUT(window.sync, ompi_osc_rdma_sync_t, num_peers, 1);
    PUT(window.module, ompi_osc_rdma_module_t, pw_group, group_of(THIRD));
    PUT(window.state, ompi_osc_rdma_state_t, num_post_msgs, 1);
    expect_window("rdma start exposed 1 (1 posted, 0 completed), *: 2 started -1, 3 posted -1,");
    PUT(window.sync, ompi_osc_rdma_sync_t, num_peers, 2);
    assert_not_told();
    PUT(window.sync, ompi_osc_rdma_sync_t, start_group, fake_hidden_page());
    assert_string_equal(mqs_dll_error_string(look_at_window()), fake_read_error);
    PUT(window.sync, ompi_osc_rdma_sync_t, type, SYNC_FENCE);
    expect_window("rdma fence *");
    PUT(window.sync, ompi_osc_rdma_sync_t, type, SYNC_LOCK);
    expect_window("rdma lock_all *");
    PUT(window.module, ompi_osc_rdma_module_t, locking_mode, 1);
    expect_window("rdma unknown *");
}

/* A count that cannot be one is not known. */
TEST(accesses_of_rdma_that_are_not_complete_are_counted)
{
    static const struct {
        uint64_t count;
        long told;
    } cases[] = { { 0, 0 }, { 3, 3 }, { UINT64_MAX, -1 }, { UINT64_C(1) << 40, -1 } };
    struct mqd_window_peer peer;
    fake_ta lock;

    make_rdma();
    hold_lock(OTHER, LOCK_SHARED);
    lock = fake_image_get(IMAGE, member_of(window.locks, OTHER), JOB->options.build->pointer_size);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        PUT(lock, ompi_osc_rdma_sync_t, outstanding, cases[i].count);
        PUT(window.sync, ompi_osc_rdma_sync_t, outstanding, 2);
        expect_window("*: 2 shared 1,");
        assert_int_equal(seen.n_pending, 2);
        assert_int_equal(EXTENSION->describe_window_peer(PROCESS, 0, &peer), mqs_ok);
        assert_int_equal(peer.n_pending, cases[i].told);
    }
}

/* What others have counted must fit the epoch. Without one the counters are those of the last epoch. */
TEST(counters_of_rdma_fit_the_epoch)
{
    static const struct {
        bool started, exposed;
        int n_posted, n_completed, n_too_many; /* n_too_many: of shared locks, of which each process may have one */
        const char *expected;                  /* NULL: nothing is told */
    } cases[] = {
        { false, false, 7, 7, 0, "*(-1 posted, -1 completed), lock 0 4 *" },
        { true, false, 1, 7, 0, "*(1 posted, -1 completed), lock 0 4 *" },
        { true, false, 2, 0, 0, NULL },
        { false, true, 7, 1, 0, "*(-1 posted, 1 completed), lock 0 4 *" },
        { false, true, 0, 2, 0, NULL },
        { false, false, 0, 0, 1, NULL },
    };
    fake_ta start, post;

    make_rdma();
    start = group_of(OTHER);
    post = group_of(THIRD);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        PUT(window.sync, ompi_osc_rdma_sync_t, type, cases[i].started ? SYNC_START : SYNC_NONE);
        PUT(window.sync, ompi_osc_rdma_sync_t, start_group, cases[i].started ? start : 0);
        PUT(window.sync, ompi_osc_rdma_sync_t, num_peers, cases[i].started);
        PUT(window.module, ompi_osc_rdma_module_t, pw_group, cases[i].exposed ? post : 0);
        PUT(window.state, ompi_osc_rdma_state_t, num_post_msgs, cases[i].n_posted);
        PUT(window.state, ompi_osc_rdma_state_t, num_complete_msgs, cases[i].n_completed);
        PUT(window.state, ompi_osc_rdma_state_t, local_lock, JOB->options.n_procs + cases[i].n_too_many);
        if (cases[i].expected == NULL)
            assert_not_told();
        else
            expect_window(cases[i].expected);
    }
}

TEST(rdma_without_shared_memory_tells_of_the_process)
{
    make_rdma();
    hold_lock(OTHER, LOCK_EXCLUSIVE);
    PUT(window.module, ompi_osc_rdma_module_t, pw_group, group_of(THIRD));
    hide_shared();
    expect_window("rdma lock exposed 1 (*, -1 completed), lock -1 *: 2 exclusive 1, 3 posted -1,");
}

/* As in a release of the family that has one number more before them. */
TEST(members_of_rdma_that_have_moved_are_found)
{
    fake_ta first, end;
    unsigned char bytes[4096];

    make_rdma();
    hold_lock(OTHER, LOCK_SHARED);
    first = AT(window.module, ompi_osc_rdma_module_t, my_peer);
    end = AT(window.module, ompi_osc_rdma_module_t, peer_array) + JOB->options.build->pointer_size;
    assert_true(end - first <= sizeof bytes);
    fake_image_get_bytes(IMAGE, first, bytes, (size_t)(end - first));
    fake_image_put_bytes(IMAGE, first + 8, bytes, (size_t)(end - first));
    expect_window("*: 2 shared 1,");
}

TEST(module_of_rdma_that_is_not_proved_is_not_told)
{
    fake_ta peer;

    make_rdma();
    peer = FAKE_GET(IMAGE, window.module, ompi_osc_rdma_module_t, my_peer);
    PUT(peer, ompi_osc_rdma_peer_t, flags, 0);
    assert_not_told();
    PUT(peer, ompi_osc_rdma_peer_t, flags, PEER_LOCAL_STATE);
    PUT(peer, ompi_osc_rdma_peer_t, rank, OTHER);
    assert_not_told();
    PUT(peer, ompi_osc_rdma_peer_t, rank, OWN);
    PUT(window.module, ompi_osc_rdma_module_t, win, window.comm);
    assert_not_told();
    PUT(window.module, ompi_osc_rdma_module_t, win, window.win);
    fake_image_put_pointer(IMAGE, member_of(window.locks, OTHER), window.sync);
    assert_not_told();
    fake_image_put_pointer(IMAGE, member_of(window.locks, OTHER), 0);
    PUT(window.sync, ompi_osc_rdma_sync_t, module, window.win);
    assert_not_told();
    PUT(window.sync, ompi_osc_rdma_sync_t, module, window.module);
    assert_int_equal(look_at_window(), mqs_ok);
    /* Without an array locks are in a hash table, which is not read. */
    PUT(window.module, ompi_osc_rdma_module_t, outstanding_lock_array, 0);
    assert_int_equal(EXTENSION->reason_of(look_at_window()), MQD_REASON_elsewhere);
}

/* Components that are not read. */

static void check_reason(const char *template, const char *component)
{
    size_t size = SIZE(ompi_osc_base_module_t);

    begin_window(template, size + JOB->options.build->pointer_size);
    fake_image_put_pointer(IMAGE, window.module + size, window.comm);
    assert_not_told();
    assert_has(mqs_dll_error_string(look_at_window()), component);
}

TEST(components_that_are_not_read_are_named)
{
    check_reason(build->family < 500 ? pt2pt : ucx, build->family < 500 ? "osc/pt2pt keeps" : "osc/ucx keeps");
}

/* Corrupt memory. */

static void setup_sm(const struct fake_build *build)
{
    setup(build);
    make_sm();
    put_lock(OTHER, SM_EXCLUSIVE);
    put_queue(OTHER, 2, 1, 0);
    put_queue(OWN, 8, 7, 5);
    PUT(window.module, ompi_osc_sm_module_t, start_group, group_of(OTHER));
    PUT(window.module, ompi_osc_sm_module_t, post_group, group_of(THIRD));
    fake_know_truth(&fake);
}

static void setup_rdma(const struct fake_build *build)
{
    setup(build);
    make_rdma();
    hold_lock(OTHER, LOCK_EXCLUSIVE);
    hold_lock(THIRD, LOCK_SHARED);
    PUT(window.module, ompi_osc_rdma_module_t, pw_group, group_of(THIRD));
    fake_know_truth(&fake);
}

static void setup_rdma_epoch(const struct fake_build *build)
{
    setup(build);
    make_rdma();
    PUT(window.sync, ompi_osc_rdma_sync_t, type, SYNC_START);
    PUT(window.sync, ompi_osc_rdma_sync_t, start_group, group_of(OTHER));
    PUT(window.sync, ompi_osc_rdma_sync_t, num_peers, 1);
    fake_know_truth(&fake);
}

SUITE(window_of_sm, setup_sm, fake_teardown, &fake_release, &fake_s390x);
TEST_ALSO(window_of_sm, no_single_corrupt_word_does_harm)
SUITE(window_of_rdma, setup_rdma, fake_teardown, &fake_release);
TEST_ALSO(window_of_rdma, no_single_corrupt_word_does_harm)
SUITE(epoch_of_rdma, setup_rdma_epoch, fake_teardown, &fake_release_507);
TEST_ALSO(epoch_of_rdma, no_single_corrupt_word_does_harm)
