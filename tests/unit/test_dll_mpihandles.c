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
