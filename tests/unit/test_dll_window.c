/*
 * test_dll_window.c - what the extension tells of windows: epochs and locks of osc/sm and osc/rdma, and nothing where
 * the module is not what it should be.
 */
#include "fake_fixture.h"
#include "fake_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#define PROCESS (&fake.host.process)
#define JOB (&fake.job)
#define IMAGE (&fake.job.image)
#define OWN (JOB->options.rank)
#define PUT(object, type, member, value) FAKE_PUT(IMAGE, object, type, member, value)
#define AT(object, type, member) FAKE_AT(IMAGE, object, type, member)
#define SIZE(type) FAKE_SIZE(IMAGE, type)

static const char sm[] = "ompi_osc_sm_module_template";
static const char rdma[] = "ompi_osc_rdma_module_rdma_template";
static const char pt2pt[] = "ompi_osc_pt2pt_module_template", ucx[] = "ompi_osc_ucx_module_template";

/* The slot of the window's communicator; more roles than a test has. */
enum { SLOT = 3, MAX_ROLES = 8, OTHER = 2, THIRD = 3, N_LOCK_KINDS = 4 };
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
static struct mqd_window_peer roles[MAX_ROLES];
static int n_roles;

static fake_ta zeros(size_t size)
{
    fake_ta ta = fake_malloc(JOB, size);

    fake_image_zero(IMAGE, ta, size);
    return ta;
}

/* The same, for hide_shared. */
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

/* The descriptor of a class that only windows of osc/rdma have. */
static void make_class(enum fake_type type, enum fake_type parent)
{
    const struct fake_type_info *info = &JOB->options.build->types[type];
    fake_ta ta = zeros(SIZE(opal_class_t));

    PUT(ta, opal_class_t, cls_name, fake_image_put_string(IMAGE, JOB->heap, info->name));
    PUT(ta, opal_class_t, cls_parent, JOB->classes[parent]);
    PUT(ta, opal_class_t, cls_sizeof, info->size);
    JOB->classes[type] = ta;
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
    window.module = zeros(size);
    PUT(window.module, ompi_osc_base_module_t, osc_free,
        FAKE_GET(IMAGE, made.module, ompi_osc_base_module_t, osc_free));
    PUT(window.win, ompi_win_t, w_osc_module, window.module);
}

static void make_sm(void)
{
    int n = JOB->options.n_procs;

    begin_window(sm, SIZE(ompi_osc_sm_module_t));
    window.states = shared_zeros((size_t)n * SIZE(ompi_osc_sm_node_state_t));
    window.locks = zeros((size_t)n * 4);
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
    fake_ta sync = zeros(SIZE(ompi_osc_rdma_sync_t));

    fake_construct(JOB, sync, FAKE_TYPE_ompi_osc_rdma_sync_t);
    PUT(sync, ompi_osc_rdma_sync_t, module, window.module);
    PUT(sync, ompi_osc_rdma_sync_t, type, type);
    return sync;
}

static void make_rdma(void)
{
    fake_ta peer;

    make_class(FAKE_TYPE_ompi_osc_rdma_peer_t, FAKE_TYPE_opal_list_item_t);
    make_class(FAKE_TYPE_ompi_osc_rdma_sync_t, FAKE_TYPE_opal_object_t);
    begin_window(rdma, SIZE(ompi_osc_rdma_module_t));
    window.state = shared_zeros(SIZE(ompi_osc_rdma_state_t));
    window.locks = zeros((size_t)JOB->options.n_procs * 8);
    window.peers = zeros((size_t)JOB->options.n_procs * 8);
    peer = zeros(SIZE(ompi_osc_rdma_peer_t));
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

static int setup(void **state)
{
    struct fake_options options = fake_options_of(*state);

    fake_begin(&fake, &options);
    fake_internal_init(JOB);
    fake_template_add(JOB, sm);
    fake_template_add(JOB, rdma);
    fake_template_add(JOB, pt2pt);
    fake_template_add(JOB, ucx);
    n_roles = 0;
    return 0;
}

/* Makes the window's communicator current. */
static void find_communicator(void)
{
    mqs_communicator communicator;
    int code = mqs_setup_communicator_iterator(PROCESS);

    for (; code == mqs_ok; code = mqs_next_communicator(PROCESS)) {
        assert_int_equal(mqs_get_communicator(PROCESS, &communicator), mqs_ok);
        if (communicator.unique_id == SLOT)
            return;
    }
    fail_msg("the window's communicator is not listed");
}

/* What describe_window answers after a new look. */
static int look_at_window(void)
{
    const struct mqd_extension_v1 *extension = ompi_mqd_extension(MQD_EXTENSION_VERSION);
    int code;

    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(extension->show_internal(PROCESS, 1), mqs_ok);
    assert_int_equal(mqs_update_communicator_list(PROCESS), mqs_ok);
    find_communicator();
    memset(&seen, 0x5a, sizeof seen);
    code = extension->describe_window(PROCESS, &seen);
    for (n_roles = 0; code == mqs_ok && n_roles < MAX_ROLES; n_roles++)
        if (extension->describe_window_peer(PROCESS, n_roles, &roles[n_roles]) != mqs_ok)
            break;
    return code;
}

static void assert_role(int index, int rank, int role, int held)
{
    assert_in_range(index, 0, n_roles - 1);
    assert_int_equal(roles[index].rank, rank);
    assert_int_equal(roles[index].role, role);
    assert_int_equal(roles[index].held, held);
}

static void assert_not_told(void)
{
    struct mqd_window_description untouched;

    memset(&untouched, 0x5a, sizeof untouched);
    assert_true(look_at_window() >= mqs_first_user_code);
    assert_memory_equal(&seen, &untouched, sizeof seen);
}

/* osc/sm. */

static void idle_window_of_sm_has_no_roles(void **state)
{
    (void)state;
    make_sm();
    assert_int_equal(look_at_window(), mqs_ok);
    assert_string_equal(seen.component, "sm");
    assert_int_equal(seen.object, window.win);
    assert_int_equal(seen.access, MQD_ACCESS_unknown);
    assert_int_equal(seen.exposed, 0);
    assert_int_equal(seen.locked_exclusively, 0);
    assert_int_equal(seen.n_shared, 0);
    assert_int_equal(seen.n_waiting, 0);
    assert_int_equal(n_roles, 0);
}

/* Numbers 5 to 8 are given out. Those below write are over, those from write to read are held, the rest waits. */
static void queue_of_sm_tells_holders_and_waiters(void **state)
{
    (void)state;
    make_sm();
    put_queue(OWN, 8, 5, 5);
    assert_int_equal(look_at_window(), mqs_ok);
    assert_int_equal(seen.locked_exclusively, 1);
    assert_int_equal(seen.n_shared, 0);
    assert_int_equal(seen.n_waiting, 2);
    put_queue(OWN, 8, 7, 5);
    assert_int_equal(look_at_window(), mqs_ok);
    assert_int_equal(seen.locked_exclusively, 0);
    assert_int_equal(seen.n_shared, 2);
    assert_int_equal(seen.n_waiting, 1);
    put_queue(OWN, 1, UINT32_MAX, UINT32_MAX);
    assert_int_equal(look_at_window(), mqs_ok);
    assert_int_equal(seen.locked_exclusively, 1);
    assert_int_equal(seen.n_waiting, 1);
}

static void lock_of_sm_is_held_if_the_queue_leaves_no_choice(void **state)
{
    static const struct {
        int kind;
        uint32_t counter, read; /* write is 0 */
        int role, held;
    } cases[] = {
        { SM_EXCLUSIVE, 1, 0, MQD_ROLE_exclusive, 1 },
        { SM_EXCLUSIVE, 2, 0, MQD_ROLE_exclusive, -1 },
        { SM_EXCLUSIVE, 2, 1, MQD_ROLE_exclusive, 0 },
        { SM_SHARED, 2, 0, MQD_ROLE_shared, 0 },
        { SM_SHARED, 1, 1, MQD_ROLE_shared, 1 },
        { SM_SHARED, 2, 1, MQD_ROLE_shared, -1 },
        { SM_UNCHECKED, 2, 1, MQD_ROLE_unchecked, -1 },
    };

    (void)state;
    make_sm();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        put_lock(OTHER, cases[i].kind);
        put_queue(OTHER, cases[i].counter, cases[i].read, 0);
        assert_int_equal(look_at_window(), mqs_ok);
        assert_int_equal(seen.access, MQD_ACCESS_lock);
        assert_int_equal(n_roles, 1);
        assert_role(0, OTHER, cases[i].role, cases[i].held);
    }
}

static void groups_of_sm_are_told(void **state)
{
    (void)state;
    make_sm();
    PUT(window.module, ompi_osc_sm_module_t, start_group, group_of(OTHER));
    PUT(window.module, ompi_osc_sm_module_t, post_group, group_of(THIRD));
    PUT(window.states + (fake_ta)OWN * SIZE(ompi_osc_sm_node_state_t), ompi_osc_sm_node_state_t, complete_count, 1);
    assert_int_equal(look_at_window(), mqs_ok);
    assert_int_equal(seen.access, MQD_ACCESS_start);
    assert_int_equal(seen.exposed, 1);
    assert_int_equal(seen.n_completed, 1);
    assert_int_equal(n_roles, 2);
    assert_role(0, OTHER, MQD_ROLE_started, -1);
    assert_role(1, THIRD, MQD_ROLE_posted, -1);
}

static void module_of_sm_that_contradicts_itself_is_not_told(void **state)
{
    (void)state;
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
}

/* What the process has of its own is told, and nothing of the rest. */
static void sm_without_shared_memory_tells_of_the_process(void **state)
{
    (void)state;
    make_sm();
    put_lock(OTHER, SM_EXCLUSIVE);
    put_queue(OTHER, 1, 0, 0);
    PUT(window.module, ompi_osc_sm_module_t, post_group, group_of(THIRD));
    hide_shared();
    assert_int_equal(look_at_window(), mqs_ok);
    assert_int_equal(seen.access, MQD_ACCESS_lock);
    assert_int_equal(seen.exposed, 1);
    assert_int_equal(seen.n_completed, -1);
    assert_int_equal(seen.locked_exclusively, -1);
    assert_int_equal(seen.n_shared, -1);
    assert_int_equal(seen.n_waiting, -1);
    assert_int_equal(n_roles, 2);
    assert_role(0, OTHER, MQD_ROLE_exclusive, -1);
    assert_role(1, THIRD, MQD_ROLE_posted, -1);
    put_lock(OTHER, N_LOCK_KINDS);
    assert_not_told();
}

/* osc/rdma. */

static void locks_of_rdma_are_those_that_it_holds(void **state)
{
    (void)state;
    make_rdma();
    assert_int_equal(look_at_window(), mqs_ok);
    assert_string_equal(seen.component, "rdma");
    assert_int_equal(seen.access, MQD_ACCESS_none);
    assert_int_equal(n_roles, 0);
    hold_lock(OTHER, LOCK_EXCLUSIVE);
    hold_lock(THIRD, LOCK_SHARED);
    PUT(window.state, ompi_osc_rdma_state_t, local_lock, UINT64_C(1) << 63);
    assert_int_equal(look_at_window(), mqs_ok);
    assert_int_equal(seen.access, MQD_ACCESS_lock);
    assert_int_equal(seen.locked_exclusively, 1);
    assert_int_equal(seen.n_shared, -1);
    assert_int_equal(n_roles, 2);
    assert_role(0, OTHER, MQD_ROLE_exclusive, 1);
    assert_role(1, THIRD, MQD_ROLE_shared, 1);
}

static void epochs_of_rdma_are_told(void **state)
{
    (void)state;
    make_rdma();
    PUT(window.sync, ompi_osc_rdma_sync_t, type, SYNC_START);
    PUT(window.sync, ompi_osc_rdma_sync_t, start_group, group_of(OTHER));
    PUT(window.sync, ompi_osc_rdma_sync_t, num_peers, 1);
    PUT(window.module, ompi_osc_rdma_module_t, pw_group, group_of(THIRD));
    PUT(window.state, ompi_osc_rdma_state_t, num_post_msgs, 1);
    assert_int_equal(look_at_window(), mqs_ok);
    assert_int_equal(seen.access, MQD_ACCESS_start);
    assert_int_equal(seen.exposed, 1);
    assert_int_equal(seen.n_posted_to_it, 1);
    assert_int_equal(seen.n_completed, 0);
    assert_role(0, OTHER, MQD_ROLE_started, -1);
    assert_role(1, THIRD, MQD_ROLE_posted, -1);
    PUT(window.sync, ompi_osc_rdma_sync_t, num_peers, 2);
    assert_not_told();
    PUT(window.sync, ompi_osc_rdma_sync_t, type, SYNC_FENCE);
    assert_int_equal(look_at_window(), mqs_ok);
    assert_int_equal(seen.access, MQD_ACCESS_fence);
    PUT(window.sync, ompi_osc_rdma_sync_t, type, SYNC_LOCK);
    assert_int_equal(look_at_window(), mqs_ok);
    assert_int_equal(seen.access, MQD_ACCESS_lock_all);
    PUT(window.module, ompi_osc_rdma_module_t, locking_mode, 1);
    assert_int_equal(look_at_window(), mqs_ok);
    assert_int_equal(seen.access, MQD_ACCESS_unknown);
}

/* What others have counted must fit the epoch. Without one the counters are those of the last epoch. */
static void counters_of_rdma_fit_the_epoch(void **state)
{
    static const struct {
        bool started, exposed, is_told;
        int n_posted, n_completed, n_too_many; /* n_too_many: of shared locks, of which each process may have one */
        int told_posted, told_completed;
    } cases[] = {
        { false, false, true, 7, 7, 0, -1, -1 },
        { true, false, true, 1, 7, 0, 1, -1 },
        { true, false, false, 2, 0, 0, 0, 0 },
        { false, true, true, 7, 1, 0, -1, 1 },
        { false, true, false, 0, 2, 0, 0, 0 },
        { false, false, false, 0, 0, 1, 0, 0 },
    };
    fake_ta start, post;

    (void)state;
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
        if (!cases[i].is_told) {
            assert_not_told();
            continue;
        }
        assert_int_equal(look_at_window(), mqs_ok);
        assert_int_equal(seen.n_posted_to_it, cases[i].told_posted);
        assert_int_equal(seen.n_completed, cases[i].told_completed);
        assert_int_equal(seen.locked_exclusively, 0);
        assert_int_equal(seen.n_shared, JOB->options.n_procs);
    }
}

static void rdma_without_shared_memory_tells_of_the_process(void **state)
{
    (void)state;
    make_rdma();
    hold_lock(OTHER, LOCK_EXCLUSIVE);
    PUT(window.module, ompi_osc_rdma_module_t, pw_group, group_of(THIRD));
    hide_shared();
    assert_int_equal(look_at_window(), mqs_ok);
    assert_int_equal(seen.access, MQD_ACCESS_lock);
    assert_int_equal(seen.exposed, 1);
    assert_int_equal(seen.n_completed, -1);
    assert_int_equal(seen.locked_exclusively, -1);
    assert_int_equal(n_roles, 2);
    assert_role(0, OTHER, MQD_ROLE_exclusive, 1);
    assert_role(1, THIRD, MQD_ROLE_posted, -1);
}

/* As in a release of the family that has one number more before them. */
static void members_of_rdma_that_have_moved_are_found(void **state)
{
    fake_ta first, end;
    unsigned char bytes[4096];

    (void)state;
    make_rdma();
    hold_lock(OTHER, LOCK_SHARED);
    first = AT(window.module, ompi_osc_rdma_module_t, my_peer);
    end = AT(window.module, ompi_osc_rdma_module_t, peer_array) + JOB->options.build->pointer_size;
    assert_true(end - first <= sizeof bytes);
    fake_image_get_bytes(IMAGE, first, bytes, (size_t)(end - first));
    fake_image_put_bytes(IMAGE, first + 8, bytes, (size_t)(end - first));
    assert_int_equal(look_at_window(), mqs_ok);
    assert_int_equal(n_roles, 1);
    assert_role(0, OTHER, MQD_ROLE_shared, 1);
}

static void module_of_rdma_that_is_not_proved_is_not_told(void **state)
{
    fake_ta peer;

    (void)state;
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
}

/* Components that are not read. */

static void check_reason(const char *template, const char *component)
{
    size_t size = SIZE(ompi_osc_base_module_t);

    begin_window(template, size + JOB->options.build->pointer_size);
    fake_image_put_pointer(IMAGE, window.module + size, window.comm);
    assert_not_told();
    assert_non_null(strstr(mqs_dll_error_string(look_at_window()), component));
}

static void pt2pt_is_not_told(void **state)
{
    (void)state;
    check_reason(pt2pt, "osc/pt2pt keeps");
}

static void ucx_is_not_told(void **state)
{
    (void)state;
    check_reason(ucx, "osc/ucx keeps");
}

int main(void)
{
#define TEST(function, build) \
    { #function ", " #build, function, setup, fake_teardown, (void *)&build }
#define TESTS(build) \
    TEST(idle_window_of_sm_has_no_roles, build), TEST(queue_of_sm_tells_holders_and_waiters, build), \
        TEST(lock_of_sm_is_held_if_the_queue_leaves_no_choice, build), TEST(groups_of_sm_are_told, build), \
        TEST(module_of_sm_that_contradicts_itself_is_not_told, build), \
        TEST(locks_of_rdma_are_those_that_it_holds, build), TEST(epochs_of_rdma_are_told, build), \
        TEST(counters_of_rdma_fit_the_epoch, build), \
        TEST(members_of_rdma_that_have_moved_are_found, build), \
        TEST(module_of_rdma_that_is_not_proved_is_not_told, build), \
        TEST(sm_without_shared_memory_tells_of_the_process, build), \
        TEST(rdma_without_shared_memory_tells_of_the_process, build), TEST(pt2pt_is_not_told, build), \
        TEST(ucx_is_not_told, build)
    const struct CMUnitTest tests[] = {
        TESTS(fake_release), TESTS(fake_release_31), TESTS(fake_release_507), TESTS(fake_debug_507),
        TESTS(fake_release_60), TESTS(fake_s390x),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
