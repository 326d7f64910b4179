/*
 * test_dll_mpihandles.c - the interface of Open MPI's sources for handles, on the fake process: set up, each kind of
 * query, and what is not known.
 */
#include "fake_internal.h"
#include "fake_test.h"
#include "mqd/dll/mpihandles/mpihandles.h"

enum { N_SLOTS = 8 };

#define SIZE(type) FAKE_SIZE(IMAGE, type)
#define OF &HOST->image, HOST->image.info, PROCESS, PROCESS->info

SUITE(each, fake_setup, fake_teardown, FAKE_MACHINES);

static struct mpidbg_handle_info_t types;

static void begin(void)
{
    assert_int_equal(mpidbg_init_once(&HOST->basic), MQD_MPIDBG_success);
    assert_int_equal(mpidbg_init_per_image(&HOST->image, &HOST->image_callbacks, &types), MQD_MPIDBG_success);
    assert_int_equal(mpidbg_init_per_process(PROCESS, &HOST->process_callbacks, &types), MQD_MPIDBG_success);
}

static void release(struct mpidbg_comm_info_t *info)
{
    void *const blocks[] = {info->local, info->remote, info->dimensions, info->periods, info->graph_index,
                            info->graph_edges, info->attributes, info->files, info};

    for (int i = 0; i < info->n_attributes; i++) {
        HOST->basic.mqs_free_fp(info->attributes[i].value);
        if (info->attributes[i].key_name != NULL)
            HOST->basic.mqs_free_fp(info->attributes[i].key_name);
    }
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        if (blocks[i] != NULL)
            HOST->basic.mqs_free_fp(blocks[i]);
}

static struct mpidbg_comm_info_t *query(fake_ta ta)
{
    struct mpidbg_comm_info_t *info = NULL;

    assert_int_equal(mpidbg_comm_query(OF, ta, &info), MQD_MPIDBG_success);
    assert_non_null(info);
    return info;
}

TEST(version_and_width_are_stated_and_nothing_can_be_done_before_set_up)
{
    struct mpidbg_comm_info_t *info = NULL;

    assert_int_equal(mpidbg_interface_version_compatibility(), 1);
    assert_int_equal(mpidbg_dll_taddr_width(), sizeof(mqs_taddr_t));
    assert_int_equal(mpidbg_dll_bitness, 8 * sizeof(void *));
    assert_string_equal(strchr(mpidbg_version_string(), ','), ", handles of Open MPI");
    assert_int_equal(mpidbg_init_once(NULL), MQD_MPIDBG_out_of_range);
    fake_host_use(HOST);
    assert_int_equal(mpidbg_comm_query(OF, JOB->world.ta, &info), MQD_MPIDBG_out_of_range);
    assert_int_equal(mpidbg_init_per_image(&HOST->image, NULL, &types), MQD_MPIDBG_out_of_range);
    assert_int_equal(mpidbg_init_per_process(PROCESS, NULL, &types), MQD_MPIDBG_out_of_range);
    assert_null(info);
}

static int no_symbol(mqs_image *image, char *name, mqs_taddr_t *ta)
{
    (void)image;
    (void)name;
    (void)ta;
    return mqs_first_user_code;
}

TEST(image_without_open_mpi_is_not_supported_and_leaves_nothing)
{
    HOST->image_callbacks.mqs_find_symbol_fp = no_symbol;
    assert_int_equal(mpidbg_init_once(&HOST->basic), MQD_MPIDBG_success);
    assert_int_equal(mpidbg_init_per_image(&HOST->image, &HOST->image_callbacks, &types), MQD_MPIDBG_not_supported);
    assert_null(HOST->image.info);
    assert_int_equal(HOST->live_blocks, 0);
}

TEST(communicators_are_told)
{
    struct mpidbg_comm_info_t *info;

    begin();
    info = query(JOB->world.ta);
    assert_string_equal(info->name, "MPI_COMM_WORLD");
    assert_int_equal(info->flags, MQD_COMM_IS_predefined);
    assert_int_equal(info->rank, JOB->options.rank);
    assert_int_equal(info->size, JOB->options.n_procs);
    assert_int_equal(info->n_local, JOB->options.n_procs);
    for (int i = 0; i < info->n_local; i++)
        assert_int_equal(info->local[i].world_rank, i);
    assert_int_equal(info->c_handle, JOB->world.ta);
    assert_int_equal(info->fortran_handle, GET(JOB->world.ta, ompi_communicator_t, c_f_to_c_index));
    assert_true(info->n_remote == 0 && info->remote == NULL && info->dimensions == NULL && info->graph_index == NULL);
    /* Neither is kept by Open MPI, and this job has no table of files. */
    assert_true(info->n_requests == MQD_MPIDBG_not_supported && info->n_windows == MQD_MPIDBG_not_supported);
    assert_true(info->n_files == MQD_MPIDBG_not_supported && info->files == NULL);
    release(info);
    info = query(JOB->null.ta);
    assert_int_equal(info->flags, MQD_COMM_IS_predefined | MQD_COMM_IS_null);
    assert_string_equal(info->name, "MPI_COMM_NULL");
    assert_int_equal(info->size, 0);
    release(info);
    assert_int_equal(mpidbg_comm_capabilities, MQD_COMM_CAN_basic | MQD_COMM_CAN_names | MQD_COMM_CAN_files);
}

TEST(what_is_no_communicator_is_not_found_and_writes_nothing)
{
    struct mpidbg_comm_info_t *info = NULL;
    struct mpidbg_request_info_t *request = NULL;
    struct mpidbg_errhandler_info_t *errhandler = NULL;
    struct mpidbg_status_info_t *status = NULL;
    mqs_taddr_t c_handle = 7;

    begin();
    assert_int_equal(mpidbg_comm_query(OF, fake_zeros(JOB, 64), &info), MQD_MPIDBG_not_found);
    assert_int_equal(mpidbg_comm_query(OF, JOB->mpi_int, &info), MQD_MPIDBG_not_found);
    assert_int_equal(mpidbg_request_query(OF, JOB->world.ta, &request), MQD_MPIDBG_not_found);
    assert_int_equal(mpidbg_errhandler_query(OF, JOB->world.ta, &errhandler), MQD_MPIDBG_not_found);
    assert_int_equal(mpidbg_comm_query(OF, JOB->world.ta, NULL), MQD_MPIDBG_out_of_range);
    assert_int_equal(mpidbg_status_query(OF, JOB->world.ta, &status), MQD_MPIDBG_not_supported);
    assert_int_equal(mpidbg_status_f2c(OF, 0, &c_handle), MQD_MPIDBG_not_supported);
    assert_int_equal(mpidbg_comm_cxx2c(OF, JOB->world.ta, 0, &c_handle), MQD_MPIDBG_not_supported);
    assert_int_equal(mpidbg_comm_f2c(OF, 0, &c_handle), MQD_MPIDBG_not_supported);
    HOST->fail_reads_from = HOST->n_reads;
    assert_int_equal(mpidbg_comm_query(OF, JOB->world.ta, &info), MQD_MPIDBG_unavailable);
    assert_true(info == NULL && request == NULL && errhandler == NULL && status == NULL && c_handle == 7);
}

TEST(requests_are_told_and_stale_ones_are_not_found)
{
    struct mpidbg_request_info_t *info = NULL;
    fake_ta stale = fake_zeros(JOB, SIZE(ompi_request_t));

    begin();
    assert_int_equal(mpidbg_request_query(OF, JOB->request_null, &info), MQD_MPIDBG_success);
    assert_int_equal(info->flags, MQD_REQUEST_IS_predefined);
    assert_int_equal(info->c_handle, JOB->request_null);
    HOST->basic.mqs_free_fp(info);
    info = NULL;
    fake_construct(JOB, stale, FAKE_TYPE_ompi_request_t);
    PUT(stale, ompi_request_t, req_state, FAKE_INVALID);
    assert_int_equal(mpidbg_request_query(OF, stale, &info), MQD_MPIDBG_not_found);
    assert_null(info);
    PUT(stale, ompi_request_t, req_state, FAKE_ACTIVE);
    PUT(stale, ompi_request_t, req_f_to_c_index, FAKE_UNDEFINED);
    assert_int_equal(mpidbg_request_query(OF, stale, &info), MQD_MPIDBG_success);
    assert_int_equal(info->flags, 0);
    assert_int_equal(info->fortran_handle, MQD_MPIDBG_unavailable);
    HOST->basic.mqs_free_fp(info);
}

TEST(integers_and_names_lead_to_handles)
{
    fake_ta table = fake_symbol(JOB, "ompi_comm_f_to_c_table", JOB->mpi, SIZE(opal_pointer_array_t));
    fake_ta slots = fake_zeros(JOB, N_SLOTS * IMAGE->build->pointer_size);
    mqs_taddr_t c_handle = 7;

    fake_construct(JOB, table, FAKE_TYPE_opal_pointer_array_t);
    PUT(table, opal_pointer_array_t, size, N_SLOTS);
    PUT(table, opal_pointer_array_t, addr, slots);
    fake_image_put_pointer(IMAGE, slots, JOB->world.ta);
    fake_image_put_pointer(IMAGE, slots + IMAGE->build->pointer_size, JOB->self.ta);
    begin();
    assert_int_equal(mpidbg_comm_f2c(OF, 1, &c_handle), MQD_MPIDBG_success);
    assert_int_equal(c_handle, JOB->self.ta);
    assert_int_equal(mpidbg_comm_f2c(OF, N_SLOTS, &c_handle), MQD_MPIDBG_not_found);
    assert_int_equal(mpidbg_comm_f2c(OF, 1, NULL), MQD_MPIDBG_out_of_range);
    assert_string_equal(mpidbg_comm_name_map[0].name, "MPI_COMM_WORLD");
    assert_int_equal(mpidbg_comm_name_map[0].handle, JOB->world.ta);
    assert_string_equal(mpidbg_comm_name_map[1].name, "MPI_COMM_SELF");
    assert_null(mpidbg_comm_name_map[2].name);
    assert_null(mpidbg_errhandler_name_map);
    mpidbg_finalize_per_process(PROCESS, PROCESS->info);
    mpidbg_finalize_per_image(&HOST->image, HOST->image.info);
    PROCESS->info = NULL;
    HOST->image.info = NULL;
    assert_int_equal(HOST->live_blocks, 0);
}

/* Corrupt memory may have a communicator with the id of a larger one. */
TEST(processes_are_those_of_a_communicator_of_the_same_size)
{
    const int own = JOB->options.rank;
    fake_ta group = fake_group_of(JOB, &own, 1);
    fake_ta comms[2] = { fake_comm_new(JOB, 6, "large", JOB->world.local_group, JOB->world.local_group).ta,
                         fake_comm_new(JOB, 7, "small", group, group).ta };
    struct mpidbg_comm_info_t *info;

    begin();
    for (size_t i = 0; i < 2 && IMAGE->build->family >= 500; i++) {
        PUT(AT(comms[i], ompi_communicator_t, c_contextid), ompi_comm_extended_cid_t, cid_base, 5);
        PUT(AT(comms[i], ompi_communicator_t, c_contextid), ompi_comm_extended_cid_t, cid_sub, 5);
        PUT(comms[i], ompi_communicator_t, c_flags,
            GET(comms[i], ompi_communicator_t, c_flags) & ~(uint64_t)FAKE_COMM_GLOBAL_INDEX);
    }
    info = query(comms[1]);
    assert_int_equal(info->size, 1);
    assert_int_equal(info->local[0].world_rank, own);
    release(info);
}

static void ask_all(void)
{
    struct mpidbg_comm_info_t *comm = NULL;
    struct mpidbg_request_info_t *request = NULL;
    struct mpidbg_errhandler_info_t *errhandler = NULL;
    mqs_taddr_t c_handle;

    if (mpidbg_comm_query(OF, JOB->world.ta, &comm) == MQD_MPIDBG_success)
        release(comm);
    if (mpidbg_comm_query(OF, JOB->self.ta, &comm) == MQD_MPIDBG_success)
        release(comm);
    if (mpidbg_request_query(OF, JOB->request_null, &request) == MQD_MPIDBG_success)
        HOST->basic.mqs_free_fp(request);
    if (mpidbg_errhandler_query(OF, JOB->world.ta, &errhandler) == MQD_MPIDBG_success)
        HOST->basic.mqs_free_fp(errhandler);
    (void)mpidbg_comm_f2c(OF, 0, &c_handle);
}

/* A Cartesian topology, and a session's processes, in which one word at a time is another. */
TEST(corrupt_words_do_no_harm)
{
    enum { N_DIMENSIONS = 2, CART = 0x100, MAX_READS = 5000 };
    fake_ta cart = fake_zeros(JOB, SIZE(mca_topo_base_comm_cart_2_2_0_t)), numbers = fake_zeros(JOB, 64), module;
    size_t n_asked = 0;

    fake_class_new(JOB, FAKE_TYPE_mca_topo_base_module_t, FAKE_TYPE_opal_object_t);
    module = fake_zeros(JOB, SIZE(mca_topo_base_module_t));
    fake_construct(JOB, module, FAKE_TYPE_mca_topo_base_module_t);
    PUT(module, mca_topo_base_module_t, mtc, cart);
    PUT(cart, mca_topo_base_comm_cart_2_2_0_t, ndims, N_DIMENSIONS);
    PUT(cart, mca_topo_base_comm_cart_2_2_0_t, dims, numbers);
    PUT(cart, mca_topo_base_comm_cart_2_2_0_t, periods, numbers + 16);
    PUT(cart, mca_topo_base_comm_cart_2_2_0_t, coords, numbers + 32);
    PUT(JOB->self.ta, ompi_communicator_t, c_topo, module);
    PUT(JOB->self.ta, ompi_communicator_t, c_flags, GET(JOB->self.ta, ompi_communicator_t, c_flags) | CART);
    begin();
    for (fake_ta ta = fake_image_next_written(IMAGE, 0); ta != 0; ta = fake_image_next_written(IMAGE, ta + 8)) {
        uint64_t old = fake_image_get(IMAGE, ta, 8);
        const uint64_t values[] = { 0, UINT64_MAX, ta, old + 8, old ^ 0x80000000, UINT64_C(1) << 62, old + 1 };

        fake_image_put(IMAGE, ta, 8, values[n_asked++ % (sizeof values / sizeof values[0])]);
        HOST->n_reads = 0;
        ask_all();
        fake_image_put(IMAGE, ta, 8, old);
        assert_int_equal(HOST->violations, 0);
        assert_in_range(HOST->n_reads, 0, MAX_READS);
    }
    assert_true(n_asked > 100);
    ask_all();
    mpidbg_finalize_per_process(PROCESS, PROCESS->info);
    mpidbg_finalize_per_image(&HOST->image, HOST->image.info);
    PROCESS->info = NULL;
    HOST->image.info = NULL;
    assert_int_equal(HOST->live_blocks, 0);
}

/* The n-th allocation fails, for each n until all succeed: nothing is left behind. */
TEST(no_memory_is_said_and_nothing_leaks)
{
    struct mpidbg_comm_info_t *info = NULL;
    int code = MQD_MPIDBG_no_memory;
    long n = 0, before;

    begin();
    release(query(JOB->world.ta));
    before = HOST->live_blocks;
    for (; code != MQD_MPIDBG_success && n < 1000; n++) {
        HOST->fail_allocation = HOST->n_allocations + n;
        code = mpidbg_comm_query(OF, JOB->world.ta, &info);
        HOST->fail_allocation = FAKE_NEVER;
        if (code != MQD_MPIDBG_success) {
            assert_null(info);
            assert_int_equal(code, MQD_MPIDBG_no_memory);
            assert_true(HOST->live_blocks <= before);
        }
    }
    assert_int_equal(code, MQD_MPIDBG_success);
    assert_true(n > 2);
    release(info);
}
