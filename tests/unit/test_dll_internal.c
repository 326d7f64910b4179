/*
 * test_dll_internal.c - communicators that Open MPI makes for itself are hidden if a pointer of their owner proves it.
 * A user's communicator is never hidden: a duplicate that a user has made of the same parent also has the same group,
 * and no name.
 */
#include "fake_internal.h"
#include "fake_sweep.h"
#include "fake_test.h"

static const char sm[] = "ompi_osc_sm_module_template";
static const char rdma[] = "ompi_osc_rdma_module_rdma_template";
static const char unknown[] = "ompi_osc_other_module_template";

/* Slots: the user's duplicate, and Open MPI's. */
enum { USERS = 3, OWN = 4, OWN_TOO = 5 };

static struct fake_comm duplicate(uint32_t slot)
{
    return fake_comm_new(JOB, slot, NULL, JOB->world.local_group, JOB->world.local_group);
}

static void setup(const struct fake_build *build)
{
    fake_setup(build);
    fake_internal_init(JOB);
    fake_template_add(JOB, sm);
    fake_template_add(JOB, rdma);
    fake_template_add(JOB, unknown);
    (void)duplicate(USERS);
}

static bool is_listed(uint32_t slot)
{
    return fake_listed(&fake.listing, slot) != NULL;
}

static void look(void)
{
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(fake.listing.error, mqs_ok);
    assert_true(is_listed(0) && is_listed(1) && is_listed(USERS));
}

static void assert_hidden(uint32_t slot, const char *name)
{

    look();
    assert_false(is_listed(slot));
    assert_int_equal(EXTENSION->show_internal(&fake.host.process, 1), mqs_ok);
    look();
    assert_true(is_listed(slot));
    assert_string_equal(fake_listed(&fake.listing, slot)->communicator.name, name);
    assert_string_equal(fake_listed(&fake.listing, USERS)->communicator.name, "MPI COMMUNICATOR 3 DUP FROM 0");
    assert_int_equal(EXTENSION->show_internal(&fake.host.process, 0), mqs_ok);
}

static void assert_shown(uint32_t slot)
{
    look();
    assert_true(is_listed(slot));
    assert_string_equal(fake_listed(&fake.listing, slot)->communicator.name, "MPI COMMUNICATOR 3 DUP FROM 0");
}

SUITE(each, setup, fake_teardown, &fake_release, &fake_i386, &fake_s390x, &fake_release_31, &fake_release_50,
      &fake_debug_507, &fake_s390x_507, &fake_release_60);

TEST(communicator_of_a_window_is_hidden)
{
    fake_window_new(JOB, 1, sm, &JOB->world, 0, duplicate(OWN).ta);
    fake_window_new(JOB, 4, rdma, &JOB->world, 31, duplicate(OWN_TOO).ta);
    assert_hidden(OWN, "MPI COMMUNICATOR 3 DUP FROM 0 (for a window)");
    assert_hidden(OWN_TOO, "MPI COMMUNICATOR 3 DUP FROM 0 (for a window)");
}

/* The next word is a stale pointer. A user's communicator lies there by now. */
TEST(only_the_first_communicator_of_a_module_is_its_own)
{
    struct fake_window window = fake_window_new(JOB, 1, rdma, &JOB->world, 20, duplicate(OWN).ta);

    fake_image_put_pointer(IMAGE, window.comm_at + JOB->options.build->pointer_size, duplicate(OWN_TOO).ta);
    look();
    assert_false(is_listed(OWN));
    assert_true(is_listed(OWN_TOO));
}

/* One with a name is the user's; and what has other processes than the window is not the window's communicator. */
TEST(communicator_over_another_group_or_with_a_name_is_shown)
{
    fake_ta group = fake_group_of(JOB, (const int[]){ 0, 1, 2, 3 }, 4);

    fake_window_new(JOB, 1, sm, &JOB->world, 0, fake_comm_new(JOB, OWN, NULL, group, group).ta);
    assert_shown(OWN);
    fake_window_new(JOB, 4, sm, &JOB->world, 0,
                    fake_comm_new(JOB, OWN_TOO, "steps", JOB->world.local_group, JOB->world.local_group).ta);
    look();
    assert_true(is_listed(OWN_TOO));
}

TEST(window_of_an_unknown_component_proves_nothing)
{
    fake_window_new(JOB, 1, unknown, &JOB->world, 0, duplicate(OWN).ta);
    assert_shown(OWN);
}

/* The window is freed, and a user's duplicate gets the address, the number and the group of its communicator. */
TEST(communicator_in_the_place_of_a_freed_windows_is_shown)
{
    struct fake_comm comm = duplicate(OWN);
    struct fake_window window = fake_window_new(JOB, 1, sm, &JOB->world, 0, comm.ta);

    assert_hidden(OWN, "MPI COMMUNICATOR 3 DUP FROM 0 (for a window)");
    fake_window_free(JOB, &window);
    assert_shown(OWN);
    /* Even if the module's memory has the old pointer still. */
    fake_image_put_pointer(IMAGE, window.comm_at, comm.ta);
    assert_shown(OWN);
}

/* A window of another size is of another release, which has the members at other places. */
TEST(object_that_is_no_window_or_of_another_size_proves_nothing)
{
    struct fake_window window = fake_window_new(JOB, 1, sm, &JOB->world, 0, duplicate(OWN).ta);
    fake_ta class_ta = JOB->classes[FAKE_TYPE_ompi_win_t];

    PUT(class_ta, opal_class_t, cls_sizeof, FAKE_SIZE(IMAGE, ompi_win_t) + 8);
    assert_shown(OWN);
    PUT(class_ta, opal_class_t, cls_sizeof, FAKE_SIZE(IMAGE, ompi_win_t));
    fake_construct(JOB, window.ta, FAKE_TYPE_ompi_file_t);
    PUT(JOB->classes[FAKE_TYPE_ompi_file_t], opal_class_t, cls_sizeof, FAKE_SIZE(IMAGE, ompi_win_t));
    assert_shown(OWN);
}

TEST(unreadable_windows_prove_nothing)
{
    struct fake_window window = fake_window_new(JOB, 1, sm, &JOB->world, 0, duplicate(OWN).ta);
    fake_ta page = fake_hidden_page(), array;

    PUT(window.ta, ompi_win_t, w_osc_module, page);
    assert_shown(OWN);
    PUT(window.ta, ompi_win_t, w_osc_module, 0);
    assert_shown(OWN);
    assert_true(fake_image_find_symbol(IMAGE, "ompi_mpi_windows", &array));
    PUT(array, opal_pointer_array_t, addr, page);
    assert_shown(OWN);
    PUT(array, opal_pointer_array_t, size, 0x7fffffff);
    assert_shown(OWN);
}

TEST(duplicate_that_ompio_keeps_is_hidden)
{
    struct fake_comm parent = duplicate(OWN_TOO);

    fake_file_new(JOB, 1, "ompio", &parent, duplicate(OWN).ta);
    assert_hidden(OWN, "MPI COMMUNICATOR 3 DUP FROM 0 (for a file)");
    assert_true(is_listed(OWN_TOO));
}

TEST(file_without_a_duplicate_or_of_another_component_hides_nothing)
{
    struct fake_comm parent = duplicate(OWN);

    fake_file_new(JOB, 1, "ompio", &parent, parent.ta);
    fake_file_new(JOB, 2, "romio321", &JOB->world, duplicate(OWN_TOO).ta);
    assert_shown(OWN);
    assert_shown(OWN_TOO);
}

SUITE(since_5, setup, fake_teardown, &fake_release_50, &fake_debug_507, &fake_s390x_507, &fake_release_60);

/* The requests on them are named when they are shown. */
TEST_ON(since_5, duplicates_for_partitioned_communication_are_hidden)
{
    static const char name[] = "MPI COMMUNICATOR 3 DUP FROM 0 (for partitioned communication)";
    struct fake_comm comm = duplicate(OWN), set_up = duplicate(OWN_TOO);
    const struct fake_queue *queue;

    fake_irecv(JOB, &comm, &(struct fake_recv){ 2, 5, 3, JOB->mpi_int, 0x1000 });
    fake_partitioned(JOB, 1, comm.ta, set_up.ta);
    assert_hidden(OWN, name);
    assert_hidden(OWN_TOO, name);
    assert_int_equal(EXTENSION->show_internal(&fake.host.process, 1), mqs_ok);
    look();
    queue = fake_queue(&fake, OWN, mqs_pending_receives);
    assert_int_equal(queue->n, 1);
    assert_string_equal(queue->operations[0].extra_text[3], "for partitioned communication");
}

/* Before the first request the pointers are those of an instance of MPI that was finalized (Sessions). */
TEST_ON(since_5, old_pointers_of_partitioned_communication_prove_nothing)
{
    fake_ta part = fake_partitioned(JOB, -1, duplicate(OWN).ta, duplicate(OWN_TOO).ta);

    assert_shown(OWN);
    assert_shown(OWN_TOO);
    PUT(part, ompi_part_persist_t, init_world, 0);
    assert_shown(OWN);
    PUT(part, ompi_part_persist_t, init_world, 1);
    look();
    assert_false(is_listed(OWN) || is_listed(OWN_TOO));
}

enum { LOW = 8, UP, SINGLE, OTHER };

/* One over two of the processes, as MPI_Comm_split makes it. */
static struct fake_comm split(uint32_t slot)
{
    const int two[2] = { 0, 1 };
    fake_ta group = fake_group_of(JOB, two, 2);

    return fake_comm_new(JOB, slot, NULL, group, group);
}

TEST_ON(since_5, parts_for_collectives_are_hidden)
{
    fake_ta low = split(LOW).ta, up = split(UP).ta, single = split(SINGLE).ta, other = split(OTHER).ta;
    bool has_third = build->family >= 600;
    struct fake_comm owner = duplicate(OWN);

    fake_han_new(JOB, &owner, (const fake_ta[3]){ low, low, other }, (const fake_ta[3]){ up, up, 0 }, single);
    look();
    assert_true(is_listed(OWN));
    assert_false(is_listed(LOW) || is_listed(UP) || is_listed(SINGLE));
    assert_int_equal(is_listed(OTHER), !has_third);
    assert_hidden(LOW, "MPI COMMUNICATOR 3 DUP FROM 0 (for collectives)");
}

TEST_ON(since_5, part_of_more_processes_than_the_whole_is_none)
{
    struct fake_comm owner = split(OWN);
    fake_ta low = duplicate(LOW).ta;

    fake_han_new(JOB, &owner, (const fake_ta[3]){ low, low, 0 }, (const fake_ta[3]){ 0 }, low);
    assert_shown(LOW);
}

TEST_ON(since_5, what_a_module_for_collectives_has_of_the_users_is_shown)
{
    struct fake_comm owner = duplicate(OWN);
    struct fake_comm named = fake_comm_new(JOB, SINGLE, "steps", JOB->self.local_group, JOB->self.local_group);
    fake_ta other = duplicate(OTHER).ta, low = split(LOW).ta;
    struct fake_han han = fake_han_new(JOB, &owner, (const fake_ta[3]){ low, 0x1000, 0 },
                                       (const fake_ta[3]){ owner.ta, other, 0 }, named.ta);

    look();
    assert_true(is_listed(OWN) && is_listed(OTHER) && is_listed(SINGLE));
    /* The module of another component, with the same in the same places. */
    fake_image_put_pointer(IMAGE, han.low_array + JOB->options.build->pointer_size, low);
    look();
    assert_false(is_listed(LOW));
    fake_construct(JOB, han.module, FAKE_TYPE_ompi_group_t);
    assert_shown(LOW);
    fake_image_set_symbol_hidden(IMAGE, "mca_coll_han_module_t_class", true);
    assert_shown(LOW);
}

/* Words far behind the beginning of a module are not its arrays. They are not taken for pointers to communicators. */
TEST_ON(since_5, what_a_module_for_collectives_points_to_further_on_is_not_looked_at)
{
    struct fake_comm owner = duplicate(OWN);
    fake_ta low = split(LOW).ta, others;
    struct fake_han han = fake_han_new(JOB, &owner, (const fake_ta[3]){ low, low, low }, (const fake_ta[3]){ 0 }, 0);

    PUT(han.module, mca_coll_han_module_t, cached_low_comms, 0);
    others = FAKE_AT(IMAGE, han.module, mca_coll_han_module_t, others);
    fake_image_put_pointer(IMAGE, others + 10 * JOB->options.build->pointer_size, han.low_array);
    assert_shown(LOW);
}

/* If the debugger is wrong about a member, an internal communicator may be shown. A user's one is never hidden. */
TEST(false_offset_hides_nothing_of_the_users)
{
    static const enum fake_member members[] = {
        FAKE_MEMBER_ompi_win_t__w_group, FAKE_MEMBER_ompi_win_t__w_osc_module,
        FAKE_MEMBER_ompi_osc_base_module_t__osc_free, FAKE_MEMBER_ompi_file_t__f_comm,
        FAKE_MEMBER_ompi_file_t__f_io_selected_component, FAKE_MEMBER_ompi_file_t__f_io_selected_data,
    };

    fake_types_all(&fake.host, build);
    fake_window_new(JOB, 1, sm, &JOB->world, 0, duplicate(OWN).ta);
    fake_file_new(JOB, 1, "ompio", &JOB->world, duplicate(OWN_TOO).ta);
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        for (int amount = -64; amount <= 64; amount += 4) {
            fake.host.types.offset[members[i]] += amount;
            assert_int_equal(fake_look_anew(&fake), mqs_ok);
            assert_true(is_listed(USERS));
            fake.host.types.offset[members[i]] -= amount;
        }
    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    assert_false(is_listed(OWN) || is_listed(OWN_TOO));
}

/* However many windows there are, each component is looked for once. */
TEST_ON(since_5, windows_are_told_without_a_look_up_each)
{
    long n_lookups = 0, n_one = 0;

    fake_internal_init(JOB);
    fake_template_add(JOB, sm);
    assert_int_equal(fake_look(&fake), mqs_ok);
    for (uint32_t i = 0; i < 40; i++) {
        struct fake_comm dup = fake_comm_new(JOB, 10 + i, NULL, JOB->world.local_group, JOB->world.local_group);

        fake_window_new(JOB, 1 + i, sm, &JOB->world, 2, dup.ta);
        n_lookups = HOST->n_symbol_lookups;
        assert_int_equal(mqs_update_communicator_list(PROCESS), mqs_ok);
        n_lookups = HOST->n_symbol_lookups - n_lookups;
        n_one = i == 0 ? n_lookups : n_one;
    }
    assert_int_equal(n_lookups, n_one);
}

/* All of them, with operations, in corrupt memory. */
static void setup_populated(const struct fake_build *build)
{
    struct fake_comm users, own, parent;
    struct fake_window made;
    struct fake_file file;
    int base;

    setup(build);
    users = fake_comm_new(JOB, 12, "users", JOB->world.local_group, JOB->world.local_group);
    own = duplicate(OWN);
    parent = duplicate(OWN_TOO);
    made = fake_window_new(JOB, 1, sm, &JOB->world, 3, own.ta);
    fake_window_set_name(JOB, &made, "halo");
    file = fake_file_new(JOB, 1, "ompio", &parent, duplicate(6).ta);
    fake_file_set_name(JOB, &file, "/scratch/output");
    fake_threads_set(JOB, 3, 1, 1);
    base = fake_nonblocking_base(JOB);
    fake_libnbc_new(JOB, &users);
    fake_irecv(JOB, &users, &(struct fake_recv){ 2, base - 2, 0, JOB->mpi_byte, 0 });
    fake_irecv(JOB, &JOB->world, &(struct fake_recv){ 2, -16, 4, JOB->mpi_int, 0x1000 });
    fake_arrive(JOB, &users, &(struct fake_message){ 2, base - 9, 4, 0 });
    fake_probe(JOB, &JOB->world, 2, 5);
    fake_mprobe(JOB, &users, 3, 6);
    fake_arrive_pending_communicator(JOB, 77, &(struct fake_message){ 2, 7, 4, 0 });
    PUT(fake_irecv(JOB, &JOB->world, &(struct fake_recv){ 2, 8, 4, JOB->mpi_int, 0x1000 }), ompi_request_t,
        req_complete, 0x7fdbe610);
    if (build->family >= 500) {
        fake_ta low = split(LOW).ta, up = split(UP).ta, single = split(SINGLE).ta, other = split(OTHER).ta;
        fake_ta comm = duplicate(13).ta, set_up = duplicate(14).ta;

        fake_partitioned(JOB, 1, comm, set_up);
        fake_han_new(JOB, &own, (const fake_ta[3]){ low, other, 0 }, (const fake_ta[3]){ up, 0, 0 }, single);
    }
    fake_know_truth(&fake);
}

SUITE(populated, setup_populated, fake_teardown, &fake_release, &fake_release_507, &fake_release_60);
TEST_ALSO(populated, no_single_corrupt_word_does_harm)
