/*
 * test_dll_clients.c - the DLL in existing debuggers: with their order of calls, and without what they lack.
 *
 * padb's helper program reads 256 bytes at a time, asks for its operations in an order of its own, keeps its image and
 * process in memory that it never initialised, and destroys nothing. MPICH's test client has no mqs_sizeof, knows
 * every type but none of its members, finds every function but no address, and calls next until get fails.
 */
#include "fake_test.h"

/* Two communicators of four processes, one with nothing pending, and MPI_COMM_SELF. */
static void populate(void)
{
    fake_ta group = fake_group_of(JOB, (const int[]){ 1, 0 }, 2);

    fake_irecv(JOB, &JOB->world, &(struct fake_recv){ 2, 11, 3, JOB->mpi_int, 0x1000 });
    fake_irecv(JOB, &JOB->world, &(struct fake_recv){ FAKE_ANY, FAKE_ANY, 5, JOB->mpi_int, 0x2000 });
    fake_isend(JOB, &JOB->world, &(struct fake_send){ 3, 12, 1000, JOB->mpi_double, 0x3000, FAKE_SYNCHRONOUS });
    fake_arrive(JOB, &JOB->world, &(struct fake_message){ 0, 13, 40, FAKE_HDR_MATCH });
    fake_comm_new(JOB, 4, "second", group, group);
}

SUITE(each, fake_setup, fake_teardown);

/* An image or process of the debugger may hold a wild pointer before its set-up. The DLL must not follow it. */
TEST(memory_that_was_never_initialised_is_not_believed)
{
    populate();
    HOST->image.info = (mqs_image_info *)(uintptr_t)0xdeadbeef;
    PROCESS->info = (mqs_process_info *)(uintptr_t)0xdeadbeef;
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(fake.listing.n_comms, 3);
}

TEST(what_was_destroyed_but_not_forgotten_is_not_believed)
{
    struct fake_out out;

    populate();
    assert_int_equal(fake_look(&fake), mqs_ok);
    mqs_destroy_image_info(HOST->image.info);
    fake_out_init(&out);
    assert_int_not_equal(mqs_update_communicator_list(PROCESS), mqs_ok);
    assert_int_not_equal(mqs_get_communicator(PROCESS, &out.out.communicator), mqs_ok);
    assert_true(fake_out_intact(&out));
    mqs_destroy_process_info(PROCESS->info);
    mqs_destroy_process_info(PROCESS->info);
    mqs_destroy_image_info(HOST->image.info);
    assert_int_equal(HOST->live_blocks, 0);
    fake.opened = false;
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(fake.listing.n_comms, 3);
}

/* Two processes of the debugger hold the same pointer, as after a copy. Setting up one does not destroy the other's. */
TEST(another_process_keeps_what_is_its_own)
{
    mqs_process other;

    assert_int_equal(fake_look(&fake), mqs_ok);
    fake_process_init(HOST, &other, &JOB->image);
    other.info = PROCESS->info;
    assert_int_equal(mqs_setup_process(&other, &HOST->process_callbacks), mqs_ok);
    assert_ptr_not_equal(other.info, PROCESS->info);
    assert_int_equal(fake_list(PROCESS, &fake.listing), mqs_ok);
    assert_int_equal(fake.listing.n_comms, 2);
    mqs_destroy_process_info(other.info);
}

/* padb. */

static int (*whole_fetch)(mqs_process *process, mqs_taddr_t ta, int size, void *buffer);

static int fetch_in_small_pieces(mqs_process *process, mqs_taddr_t ta, int size, void *buffer)
{
    int rc = ta != 0 ? mqs_ok : mqs_no_information;

    for (int done = 0, piece; done < size && rc == mqs_ok; done += piece) {
        piece = size - done < 256 ? size - done : 256;
        rc = whole_fetch(process, ta + (mqs_taddr_t)done, piece, (char *)buffer + done);
    }
    return rc == mqs_ok ? mqs_ok : mqs_no_information;
}

/* The queue is the reference listing's, operation by operation; any code but the end of the list is shown to people. */
static void walk_queue_as_padb(mqs_taddr_t id, int op_class)
{
    const struct fake_queue *expected = fake_queue(&fake, id, (mqs_op_class)op_class);
    mqs_pending_operation operation = { 0 };
    size_t n = 0;
    int rc = mqs_setup_operation_iterator(PROCESS, op_class);

    assert_int_equal(rc, expected->setup);
    while (rc == mqs_ok && (rc = mqs_next_operation(PROCESS, &operation)) == mqs_ok) {
        assert_true(n < expected->n);
        assert_memory_equal(&operation, &expected->operations[n++], sizeof operation);
        memset(&operation, 0, sizeof operation);
    }
    assert_int_equal(rc, mqs_end_of_list);
    assert_int_equal(n, expected->n);
}

static void walk_as_padb(size_t n_expected)
{
    static const int order[] = { mqs_pending_receives, mqs_unexpected_messages, mqs_pending_sends };
    size_t n_comms = 0;

    /* Its declaration of the function that follows returns nothing. */
    (void)mqs_update_communicator_list(PROCESS);
    assert_int_equal(mqs_setup_communicator_iterator(PROCESS), mqs_ok);
    do {
        mqs_communicator communicator = { 0 };
        int group[FAKE_MAX_PROCS];

        /* It exits if this fails, at any time. */
        assert_int_equal(mqs_get_communicator(PROCESS, &communicator), mqs_ok);
        n_comms++;
        if (communicator.size <= 1)
            continue;
        assert_int_equal(mqs_get_comm_group(PROCESS, group), mqs_ok);
        for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
            walk_queue_as_padb(communicator.unique_id, order[i]);
    } while (mqs_next_communicator(PROCESS) == mqs_ok);
    assert_int_equal(n_comms, n_expected);
}

TEST(padb_sees_all_that_there_is)
{
    struct fake_listing opened;

    fake_listing_init(&opened);
    populate();
    assert_int_equal(fake_look(&fake), mqs_ok);
    mqs_destroy_process_info(PROCESS->info);
    mqs_destroy_image_info(HOST->image.info);

    whole_fetch = HOST->process_callbacks.mqs_fetch_data_fp;
    HOST->process_callbacks.mqs_fetch_data_fp = fetch_in_small_pieces;
    HOST->has_one_key = true;
    HOST->n_type_sizes = 5;
    assert_int_equal(fake_open(HOST, PROCESS, &opened), mqs_ok);
    walk_as_padb(3);
    HOST->process_callbacks.mqs_fetch_data_fp = whole_fetch;
    fake_listing_deinit(&opened);
}

SUITE(early, fake_setup_early, fake_teardown);

TEST_ON(early, padb_before_mpi_init_is_told_so_at_the_iterator)
{
    assert_int_equal(fake_open(HOST, PROCESS, &fake.listing), mqs_ok);
    (void)mqs_update_communicator_list(PROCESS);
    assert_int_not_equal(mqs_setup_communicator_iterator(PROCESS), mqs_ok);
}

/* MPICH's test client. */

static int find_any_function(mqs_image *image, char *name, mqs_lang_code language, mqs_taddr_t *ta)
{
    (void)image;
    (void)name;
    (void)language;
    (void)ta;
    return mqs_ok;
}

static mqs_type *find_any_type(mqs_image *image, char *name, mqs_lang_code language)
{
    static mqs_type any;

    (void)image;
    (void)name;
    (void)language;
    return &any;
}

static int find_no_member(mqs_type *type, char *name)
{
    (void)type;
    (void)name;
    return -1;
}

static void become_mpich_client(void)
{
    fake_host_lack_callbacks(HOST);
    HOST->n_type_sizes = 5;
    HOST->image_callbacks.mqs_find_function_fp = find_any_function;
    HOST->image_callbacks.mqs_find_type_fp = find_any_type;
    HOST->image_callbacks.mqs_field_offset_fp = find_no_member;
}

static size_t count_operations(int op_class)
{
    mqs_pending_operation operation;
    size_t n = 0;

    if (mqs_setup_operation_iterator(PROCESS, op_class) == mqs_ok)
        while (n < 1000 && mqs_next_operation(PROCESS, &operation) == mqs_ok)
            n++;
    return n;
}

TEST(mpich_client_sees_all_that_there_is)
{
    size_t n_comms = 0, n_operations = 0;
    mqs_communicator communicator;

    populate();
    become_mpich_client();
    assert_int_equal(fake_open(HOST, PROCESS, &fake.listing), mqs_ok);
    (void)mqs_update_communicator_list(PROCESS);
    (void)mqs_setup_communicator_iterator(PROCESS);
    while (n_comms < 100 && mqs_get_communicator(PROCESS, &communicator) == mqs_ok) {
        n_comms++;
        n_operations += count_operations(mqs_pending_receives);
        n_operations += count_operations(mqs_unexpected_messages);
        n_operations += count_operations(mqs_pending_sends);
        (void)mqs_next_communicator(PROCESS);
    }
    assert_int_equal(n_comms, 3);
    assert_int_equal(n_operations, 4);
}
