/*
 * test_dll_handle.c - what handles stand for: each way to refuse one, objects that no Open MPI makes, and layouts that
 * do not have all of them. What is right of right objects is shown with a real Open MPI.
 */
#include <limits.h>
#include <time.h>

#include "fake_internal.h"
#include "fake_test.h"

#define SIZE(type) FAKE_SIZE(IMAGE, type)

enum { N_SLOTS = 16, TOLD_AT_MOST = 1024, HUGE_NUMBER = 1000000000, MANY_READS = 20000 };

static struct mqd_handle_summary summary;
static struct mqd_handle_item items[16 * TOLD_AT_MOST];
static int n_items;

SUITE(each, fake_setup, fake_teardown, FAKE_MACHINES);

static fake_ta object_of(enum fake_type type)
{
    fake_ta ta = fake_zeros(JOB, IMAGE->build->types[type].size);

    fake_construct(JOB, ta, type);
    return ta;
}

/* Asks for an object, and for all that is told of it. The code is that of the first answer but mqs_ok. */
static int ask(int kind, fake_ta value, int language)
{
    int code;

    n_items = 0;
    memset(&summary, 0, sizeof summary);
    code = EXTENSION->describe_handle(PROCESS, kind, value, language, &summary);
    while (code == mqs_ok && n_items < (int)(sizeof items / sizeof items[0])) {
        code = EXTENSION->describe_handle_item(PROCESS, n_items, &items[n_items]);
        n_items += code == mqs_ok;
    }
    return code;
}

static int describe(int kind, fake_ta value)
{
    fake_look_well();
    return ask(kind, value, MQD_LANGUAGE_c);
}

static const struct mqd_handle_item *item(int fact, long index)
{
    for (int i = 0; i < n_items; i++)
        if (items[i].fact == fact && items[i].index == index)
            return &items[i];
    return NULL;
}

static void expect_number(int fact, long index, long long number)
{
    assert_non_null(item(fact, index));
    assert_int_equal(item(fact, index)->number, number);
}

/* What the code of a refusal or of an end says. */
static void expect_text(int code, const char *pattern)
{
    assert_true(code >= mqs_first_user_code);
    if (strstr(mqs_dll_error_string(code), pattern) == NULL)
        fail_msg("'%s' does not say '%s'", mqs_dll_error_string(code), pattern);
}

/* The code comes once, and then the end. */
static void expect_end(int code, const char *pattern)
{
    struct mqd_handle_item last;

    expect_text(code, pattern);
    assert_int_equal(EXTENSION->describe_handle_item(PROCESS, n_items + 1, &last), mqs_end_of_list);
}

/* A table of handles by Fortran's INTEGER, with room for N_SLOTS. */
static fake_ta table_new(const char *symbol)
{
    fake_ta table = fake_symbol(JOB, symbol, JOB->mpi, SIZE(opal_pointer_array_t));

    fake_construct(JOB, table, FAKE_TYPE_opal_pointer_array_t);
    PUT(table, opal_pointer_array_t, size, N_SLOTS);
    PUT(table, opal_pointer_array_t, addr, fake_zeros(JOB, N_SLOTS * IMAGE->build->pointer_size));
    return table;
}

static void table_put(fake_ta table, unsigned slot, fake_ta value)
{
    fake_image_put_pointer(IMAGE, GET(table, opal_pointer_array_t, addr) + slot * IMAGE->build->pointer_size, value);
}

/* Refusals. */

TEST(missing_arguments_are_errors)
{
    struct mqd_handle_item one;
    mqs_taddr_t value = 7;
    long fortran = 0;

    fake_look_well();
    assert_int_equal(EXTENSION->reason_of(EXTENSION->describe_handle(PROCESS, 0, 0, 0, NULL)), MQD_REASON_caller);
    assert_int_equal(EXTENSION->reason_of(EXTENSION->describe_handle(NULL, 0, 0, 0, &summary)), MQD_REASON_caller);
    assert_int_equal(EXTENSION->reason_of(EXTENSION->describe_handle_item(PROCESS, 0, NULL)), MQD_REASON_caller);
    assert_int_equal(EXTENSION->reason_of(EXTENSION->describe_handle_item(NULL, 0, &one)), MQD_REASON_caller);
    assert_int_equal(EXTENSION->reason_of(EXTENSION->find_handle(PROCESS, 1, NULL, &value)), MQD_REASON_caller);
    assert_int_equal(EXTENSION->reason_of(EXTENSION->find_handle(PROCESS, 1, "x", NULL)), MQD_REASON_caller);
    assert_int_equal(EXTENSION->reason_of(EXTENSION->find_handle(NULL, 1, "x", &value)), MQD_REASON_caller);
    assert_int_equal(EXTENSION->reason_of(EXTENSION->next_handle(PROCESS, 1, NULL, &value)), MQD_REASON_caller);
    assert_int_equal(EXTENSION->reason_of(EXTENSION->next_handle(PROCESS, 1, &fortran, NULL)), MQD_REASON_caller);
    assert_int_equal(EXTENSION->reason_of(EXTENSION->next_handle(NULL, 1, &fortran, &value)), MQD_REASON_caller);
    assert_int_equal(EXTENSION->reason_of(EXTENSION->next_handle(PROCESS, 99, &fortran, &value)), MQD_REASON_caller);
    fortran = -1;
    assert_int_equal(EXTENSION->reason_of(EXTENSION->next_handle(PROCESS, 1, &fortran, &value)), MQD_REASON_caller);
    assert_int_equal(fortran, -1);
    /* Without a kind an INTEGER says nothing; there are no such kinds and languages; requests have no names. */
    assert_int_equal(EXTENSION->reason_of(ask(MQD_HANDLE_unknown, 0, MQD_LANGUAGE_fortran)), MQD_REASON_caller);
    assert_int_equal(EXTENSION->reason_of(ask(99, JOB->world.ta, MQD_LANGUAGE_c)), MQD_REASON_caller);
    assert_int_equal(EXTENSION->reason_of(ask(MQD_HANDLE_communicator, 0, 3)), MQD_REASON_caller);
    assert_int_equal(EXTENSION->reason_of(ask(MQD_HANDLE_communicator, 0, -1)), MQD_REASON_caller);
    assert_int_equal(EXTENSION->reason_of(EXTENSION->find_handle(PROCESS, MQD_HANDLE_request, "x", &value)),
                     MQD_REASON_caller);
    assert_int_equal(value, 7);
    assert_int_equal(EXTENSION->describe_handle_item(PROCESS, -1, &one), mqs_end_of_list);
}

TEST(nothing_is_told_before_the_first_update)
{
    mqs_taddr_t value;

    fake_setup_early(build);
    (void)fake_look(&fake);
    assert_true(ask(MQD_HANDLE_unknown, JOB->world.ta, MQD_LANGUAGE_c) >= mqs_first_user_code);
    assert_true(EXTENSION->find_handle(PROCESS, MQD_HANDLE_communicator, "x", &value) >= mqs_first_user_code);
    assert_true(EXTENSION->next_handle(PROCESS, MQD_HANDLE_communicator, &(long){0}, &value) >= mqs_first_user_code);
}

TEST(value_that_is_no_object_is_none_of_mpi)
{
    fake_ta zeros = fake_zeros(JOB, 256), list = object_of(FAKE_TYPE_opal_list_t);

    fake_look_well();
    assert_int_equal(ask(MQD_HANDLE_unknown, 0, MQD_LANGUAGE_c), mqs_no_information);
    assert_int_equal(ask(MQD_HANDLE_unknown, 8, MQD_LANGUAGE_c), mqs_no_information);
    assert_int_equal(ask(MQD_HANDLE_unknown, zeros, MQD_LANGUAGE_c), mqs_no_information);
    assert_int_equal(ask(MQD_HANDLE_unknown, list, MQD_LANGUAGE_c), mqs_no_information);
    assert_int_equal(ask(MQD_HANDLE_unknown, UINT64_MAX - 7, MQD_LANGUAGE_c), mqs_no_information);
    assert_int_equal(summary.kind, 0);
    /* A class that derives from itself. */
    PUT(zeros, opal_object_t, obj_class, JOB->classes[FAKE_TYPE_opal_list_t]);
    PUT(JOB->classes[FAKE_TYPE_opal_list_t], opal_class_t, cls_parent, JOB->classes[FAKE_TYPE_opal_list_t]);
    assert_int_equal(ask(MQD_HANDLE_unknown, zeros, MQD_LANGUAGE_c), mqs_no_information);
}

TEST(handle_of_another_kind_is_said_to_be_one)
{
    assert_int_equal(describe(MQD_HANDLE_communicator, JOB->world.ta), mqs_end_of_list);
    assert_string_equal(summary.name, "MPI_COMM_WORLD");
    assert_string_equal(summary.class_name, "ompi_communicator_t");
    assert_int_equal(summary.predefined, 1);
    expect_number(MQD_FACT_size, 0, JOB->options.n_procs);
    expect_number(MQD_FACT_rank, 0, JOB->options.rank);
    expect_text(ask(MQD_HANDLE_datatype, JOB->world.ta, MQD_LANGUAGE_c), "of another kind");
    expect_text(ask(MQD_HANDLE_communicator, JOB->mpi_int, MQD_LANGUAGE_c), "of another kind");
}

TEST(object_of_another_size_is_refused)
{
    fake_ta file = object_of(FAKE_TYPE_ompi_file_t);

    assert_int_equal(describe(MQD_HANDLE_file, file), mqs_end_of_list);
    PUT(JOB->classes[FAKE_TYPE_ompi_file_t], opal_class_t, cls_sizeof, SIZE(ompi_file_t) + 8);
    expect_text(describe(MQD_HANDLE_file, file), "not as this Open MPI's layout says");
    assert_int_equal(summary.kind, 0);
}

/* An operation may have functions for more predefined types than the table's. */
TEST(operation_may_be_longer_but_not_shorter)
{
    fake_ta op;

    fake_class_new(JOB, FAKE_TYPE_ompi_op_t, FAKE_TYPE_opal_object_t);
    op = object_of(FAKE_TYPE_ompi_op_t);
    PUT(op, ompi_op_t, o_flags, 1);
    PUT(op, ompi_op_t, o_f_to_c_index, 3);
    fake_name_put(JOB, AT(op, ompi_op_t, o_name), false, "MPI_SUM");
    PUT(JOB->classes[FAKE_TYPE_ompi_op_t], opal_class_t, cls_sizeof, SIZE(ompi_op_t) + 64);
    assert_int_equal(describe(MQD_HANDLE_op, op), mqs_end_of_list);
    assert_string_equal(summary.name, "MPI_SUM");
    PUT(JOB->classes[FAKE_TYPE_ompi_op_t], opal_class_t, cls_sizeof, 80);
    expect_text(describe(MQD_HANDLE_op, op), "not as this Open MPI's layout says");
}

/* Tables that were made before a type was listed do not have it: as those of 3.1, which has no sessions. */
TEST_WITH(kind_without_a_layout_is_said_to_be_one, fake_setup, fake_teardown, &fake_release_31, &fake_i386)
{
    fake_ta object = fake_zeros(JOB, 512), table = fake_zeros(JOB, SIZE(opal_hash_table_t));

    fake_class_new(JOB, FAKE_TYPE_ompi_instance_t, FAKE_TYPE_opal_object_t);
    fake_construct(JOB, object, FAKE_TYPE_ompi_instance_t);
    expect_text(describe(MQD_HANDLE_session, object), "layout of this kind of object is not known");
    if (build->family >= 400)
        return;
    /* Attributes: what is known is told before the reason. */
    fake_class_new(JOB, FAKE_TYPE_opal_hash_table_t, FAKE_TYPE_opal_object_t);
    fake_construct(JOB, table, FAKE_TYPE_opal_hash_table_t);
    PUT(table, opal_hash_table_t, ht_capacity, 1);
    PUT(table, opal_hash_table_t, ht_table, object);
    PUT(object, opal_hash_element_t, valid, 1);
    PUT(JOB->world.ta, ompi_communicator_t, c_keyhash, table);
    assert_true(describe(MQD_HANDLE_communicator, JOB->world.ta) >= mqs_first_user_code);
    expect_number(MQD_FACT_size, 0, JOB->options.n_procs);
}

/* Fortran, and the ABI. */

TEST(integer_is_an_index_of_the_table_of_its_kind)
{
    fake_ta table, op_table, op;

    fake_look_well();
    expect_text(ask(MQD_HANDLE_communicator, 0, MQD_LANGUAGE_fortran), "no table of Fortran's handles");
    table = table_new("ompi_comm_f_to_c_table");
    table_put(table, 0, JOB->world.ta);
    table_put(table, 3, JOB->self.ta);
    assert_int_equal(ask(MQD_HANDLE_communicator, 3, MQD_LANGUAGE_fortran), mqs_end_of_list);
    assert_int_equal(summary.object, JOB->self.ta);
    assert_int_equal(ask(MQD_HANDLE_communicator, 4, MQD_LANGUAGE_fortran), mqs_no_information);
    assert_int_equal(ask(MQD_HANDLE_communicator, N_SLOTS, MQD_LANGUAGE_fortran), mqs_no_information);
    assert_int_equal(ask(MQD_HANDLE_communicator, UINT64_MAX, MQD_LANGUAGE_fortran), mqs_no_information);
    table_put(table, 4, JOB->mpi_int);
    fake_look_well();
    expect_text(ask(MQD_HANDLE_communicator, 4, MQD_LANGUAGE_fortran), "of another kind");
    PUT(table, opal_pointer_array_t, size, HUGE_NUMBER);
    fake_look_well();
    expect_text(ask(MQD_HANDLE_communicator, 3, MQD_LANGUAGE_fortran), "");
    /* That of operations is behind a pointer. */
    op_table = fake_symbol(JOB, "ompi_op_f_to_c_table", JOB->mpi, IMAGE->build->pointer_size);
    expect_text(ask(MQD_HANDLE_op, 0, MQD_LANGUAGE_fortran), "");
    fake_class_new(JOB, FAKE_TYPE_ompi_op_t, FAKE_TYPE_opal_object_t);
    op = object_of(FAKE_TYPE_ompi_op_t);
    PUT(table, opal_pointer_array_t, size, N_SLOTS);
    table_put(table, 5, op);
    fake_image_put_pointer(IMAGE, op_table, table);
    fake_look_well();
    assert_int_equal(ask(MQD_HANDLE_op, 5, MQD_LANGUAGE_fortran), mqs_end_of_list);
    assert_int_equal(summary.object, op);
}

/* 257 is MPI_COMM_WORLD, 258 MPI_COMM_SELF, 259 nothing; MPI_Comm_toint gives 16385 and Fortran's INTEGER. */
TEST(handle_of_the_abi_is_a_number_of_the_standard_or_an_address)
{
    fake_ta table = table_new("ompi_comm_f_to_c_table");

    table_put(table, 0, JOB->world.ta);
    table_put(table, 1, JOB->self.ta);
    fake_look_well();
    /* Only in a process with libmpi_abi. */
    assert_int_equal(ask(MQD_HANDLE_unknown, 257, MQD_LANGUAGE_c), mqs_no_information);
    assert_int_equal(ask(MQD_HANDLE_communicator, 257, MQD_LANGUAGE_abi), mqs_no_information);
    assert_int_equal(ask(MQD_HANDLE_communicator, 16385 + 1, MQD_LANGUAGE_abi), mqs_no_information);
    fake_symbol(JOB, "PMPI_Aint_add", JOB->mpi, 1);
    assert_int_equal(ask(MQD_HANDLE_unknown, 257, MQD_LANGUAGE_c), mqs_end_of_list);
    assert_int_equal(summary.object, JOB->world.ta);
    expect_text(ask(MQD_HANDLE_datatype, 257, MQD_LANGUAGE_c), "of another kind");
    assert_int_equal(ask(MQD_HANDLE_unknown, 259, MQD_LANGUAGE_c), mqs_no_information);
    assert_int_equal(ask(MQD_HANDLE_communicator, 16385 + 1, MQD_LANGUAGE_c), mqs_no_information);
    assert_int_equal(ask(MQD_HANDLE_communicator, JOB->self.ta, MQD_LANGUAGE_c), mqs_end_of_list);
    assert_int_equal(ask(MQD_HANDLE_communicator, 1, MQD_LANGUAGE_fortran), mqs_end_of_list);
    assert_int_equal(ask(MQD_HANDLE_communicator, 257, MQD_LANGUAGE_fortran), mqs_no_information);
    assert_int_equal(ask(MQD_HANDLE_unknown, 257, MQD_LANGUAGE_abi), mqs_end_of_list);
    assert_int_equal(summary.object, JOB->world.ta);
    assert_int_equal(ask(MQD_HANDLE_communicator, 258, MQD_LANGUAGE_abi), mqs_end_of_list);
    assert_int_equal(summary.object, JOB->self.ta);
    assert_int_equal(ask(MQD_HANDLE_unknown, 259, MQD_LANGUAGE_abi), mqs_no_information);
    expect_text(ask(MQD_HANDLE_datatype, 257, MQD_LANGUAGE_abi), "of another kind");
    expect_text(ask(MQD_HANDLE_datatype, 521, MQD_LANGUAGE_abi), "no table of Fortran's handles");
    assert_int_equal(ask(MQD_HANDLE_communicator, 16385 + 1, MQD_LANGUAGE_abi), mqs_end_of_list);
    assert_int_equal(summary.object, JOB->self.ta);
    assert_int_equal(ask(MQD_HANDLE_communicator, 16385 + 2, MQD_LANGUAGE_abi), mqs_no_information);
    assert_int_equal(ask(MQD_HANDLE_unknown, 16385 + 1, MQD_LANGUAGE_abi), mqs_no_information);
    assert_int_equal(ask(MQD_HANDLE_communicator, JOB->self.ta, MQD_LANGUAGE_abi), mqs_end_of_list);
    assert_int_equal(summary.object, JOB->self.ta);
}

TEST(name_is_sought_among_the_handles_of_its_kind)
{
    fake_ta table = table_new("ompi_comm_f_to_c_table");
    mqs_taddr_t value = 7;
    long fortran = 2;

    table_put(table, 1, JOB->world.ta);
    table_put(table, 2, 8);
    table_put(table, 3, JOB->self.ta);
    fake_look_well();
    assert_int_equal(EXTENSION->find_handle(PROCESS, MQD_HANDLE_communicator, "MPI_COMM_SELF", &value), mqs_ok);
    assert_int_equal(value, JOB->self.ta);
    value = 7;
    assert_int_equal(EXTENSION->find_handle(PROCESS, MQD_HANDLE_communicator, "halo", &value), mqs_end_of_list);
    expect_text(EXTENSION->find_handle(PROCESS, MQD_HANDLE_datatype, "MPI_INT", &value), "no table of Fortran's");
    assert_int_equal(value, 7);
    /* All of a kind: places without an object are passed over, and what lies there is not looked at. */
    assert_int_equal(EXTENSION->next_handle(PROCESS, MQD_HANDLE_communicator, &fortran, &value), mqs_ok);
    assert_true(fortran == 2 && value == 8);
    fortran++;
    assert_int_equal(EXTENSION->next_handle(PROCESS, MQD_HANDLE_communicator, &fortran, &value), mqs_ok);
    assert_true(fortran == 3 && value == JOB->self.ta);
    fortran++;
    assert_int_equal(EXTENSION->next_handle(PROCESS, MQD_HANDLE_communicator, &fortran, &value), mqs_end_of_list);
    expect_text(EXTENSION->next_handle(PROCESS, MQD_HANDLE_datatype, &fortran, &value), "no table of Fortran's");
    assert_true(fortran == 4 && value == JOB->self.ta);
    fortran = LONG_MAX;
    assert_int_equal(EXTENSION->next_handle(PROCESS, MQD_HANDLE_communicator, &fortran, &value), mqs_end_of_list);
}

/* Open MPI's own names of them are other ones, or none; MPI_MESSAGE_NULL has not even a class. */
TEST(predefined_handle_that_stands_for_nothing_has_its_name)
{
    fake_ta table = table_new("ompi_message_f_to_c_table"), null = fake_zeros(JOB, 256), op;
    mqs_taddr_t value = 7;

    table_put(table, 0, null);
    fake_look_well();
    if (IMAGE->build->types[FAKE_TYPE_ompi_message_t].size != 0) {
        assert_int_equal(ask(MQD_HANDLE_unknown, null, MQD_LANGUAGE_c), mqs_end_of_list);
        assert_string_equal(summary.name, "MPI_MESSAGE_NULL");
        assert_string_equal(summary.class_name, "ompi_message_t");
        assert_int_equal(summary.kind, MQD_HANDLE_message);
        assert_int_equal(n_items, 0);
        assert_int_equal(ask(MQD_HANDLE_message, 0, MQD_LANGUAGE_fortran), mqs_end_of_list);
    }
    assert_int_equal(EXTENSION->find_handle(PROCESS, MQD_HANDLE_message, "MPI_MESSAGE_NULL", &value), mqs_ok);
    assert_int_equal(value, null);
    assert_int_equal(ask(MQD_HANDLE_unknown, fake_zeros(JOB, 256), MQD_LANGUAGE_c), mqs_no_information);
    fake_class_new(JOB, FAKE_TYPE_ompi_op_t, FAKE_TYPE_opal_object_t);
    op = object_of(FAKE_TYPE_ompi_op_t);
    PUT(op, ompi_op_t, o_flags, 1);
    fake_name_put(JOB, AT(op, ompi_op_t, o_name), false, "MPI_NULL");
    table = table_new("another_table");
    table_put(table, 0, op);
    value = fake_symbol(JOB, "ompi_op_f_to_c_table", JOB->mpi, IMAGE->build->pointer_size);
    fake_image_put_pointer(IMAGE, value, table);
    fake_look_well();
    assert_int_equal(ask(MQD_HANDLE_unknown, op, MQD_LANGUAGE_c), mqs_end_of_list);
    assert_string_equal(summary.name, "MPI_OP_NULL");
    assert_int_equal(EXTENSION->find_handle(PROCESS, MQD_HANDLE_op, "MPI_OP_NULL", &value), mqs_ok);
    assert_int_equal(value, op);
}

/* Communicators. */

/* The reference of the handle and those of requests; the fixture's requests count themselves nowhere. */
TEST(communicator_is_freed_if_only_requests_hold_it)
{
    struct fake_comm comm = fake_comm_new(JOB, 3, "halo", JOB->world.local_group, JOB->world.local_group);

    PUT(comm.ta, ompi_communicator_t, c_keyhash, 0);
    assert_int_equal(describe(MQD_HANDLE_communicator, comm.ta), mqs_end_of_list);
    assert_null(item(MQD_FACT_freed, 0));
    fake_irecv(JOB, &comm, &(struct fake_recv){2, 5, 1, JOB->mpi_int, 0x1000});
    assert_int_equal(describe(MQD_HANDLE_communicator, comm.ta), mqs_end_of_list);
    expect_number(MQD_FACT_freed, 0, 1);
    PUT(comm.ta, opal_object_t, obj_reference_count, 2);
    assert_int_equal(describe(MQD_HANDLE_communicator, comm.ta), mqs_end_of_list);
    assert_null(item(MQD_FACT_freed, 0));
    fake_isend(JOB, &comm, &(struct fake_send){2, 3, 500, JOB->mpi_int, 0x3000, FAKE_SYNCHRONOUS});
    assert_int_equal(describe(MQD_HANDLE_communicator, comm.ta), mqs_end_of_list);
    expect_number(MQD_FACT_freed, 0, 1);
    /* A program frees none that is predefined. */
    fake_irecv(JOB, &JOB->world, &(struct fake_recv){2, 5, 1, JOB->mpi_int, 0x1000});
    PUT(JOB->world.ta, opal_object_t, obj_reference_count, 1);
    assert_int_equal(describe(MQD_HANDLE_communicator, JOB->world.ta), mqs_end_of_list);
    assert_null(item(MQD_FACT_freed, 0));
}

/* A topology with that data, which the flags announce. */
static void topology_put(uint32_t flag, fake_ta data)
{
    fake_ta module;

    fake_class_new(JOB, FAKE_TYPE_mca_topo_base_module_t, FAKE_TYPE_opal_object_t);
    module = object_of(FAKE_TYPE_mca_topo_base_module_t);
    PUT(module, mca_topo_base_module_t, mtc, data);
    PUT(JOB->self.ta, ompi_communicator_t, c_topo, module);
    PUT(JOB->self.ta, ompi_communicator_t, c_flags, GET(JOB->self.ta, ompi_communicator_t, c_flags) | flag);
}

enum { CART = 0x100, GRAPH = 0x200, DIST_GRAPH = 0x400 };

static fake_ta numbers_new(int n)
{
    fake_ta array = fake_zeros(JOB, (size_t)n * 4);

    for (int i = 0; i < n; i++)
        fake_image_put(IMAGE, array + (fake_ta)i * 4, 4, (uint64_t)i);
    return array;
}

TEST(cartesian_topology_has_bounds)
{
    fake_ta cart = fake_zeros(JOB, SIZE(mca_topo_base_comm_cart_2_2_0_t)), numbers = numbers_new(TOLD_AT_MOST + 8);

    topology_put(CART, cart);
    PUT(cart, mca_topo_base_comm_cart_2_2_0_t, ndims, 3);
    PUT(cart, mca_topo_base_comm_cart_2_2_0_t, dims, numbers);
    PUT(cart, mca_topo_base_comm_cart_2_2_0_t, periods, numbers);
    PUT(cart, mca_topo_base_comm_cart_2_2_0_t, coords, numbers + 4);
    assert_int_equal(describe(MQD_HANDLE_communicator, JOB->self.ta), mqs_end_of_list);
    expect_number(MQD_FACT_topology, 0, MQD_TOPOLOGY_cartesian);
    expect_number(MQD_FACT_dimension, 2, 2);
    expect_number(MQD_FACT_periodic, 2, 1);
    expect_number(MQD_FACT_coordinate, 2, 3);
    assert_null(item(MQD_FACT_dimension, 3));
    PUT(cart, mca_topo_base_comm_cart_2_2_0_t, ndims, HUGE_NUMBER);
    expect_end(describe(MQD_HANDLE_communicator, JOB->self.ta), "longer lists than are told");
    assert_non_null(item(MQD_FACT_dimension, TOLD_AT_MOST - 1));
    assert_null(item(MQD_FACT_dimension, TOLD_AT_MOST));
    PUT(cart, mca_topo_base_comm_cart_2_2_0_t, ndims, -1);
    expect_end(describe(MQD_HANDLE_communicator, JOB->self.ta), "not as this Open MPI's layout says");
    PUT(cart, mca_topo_base_comm_cart_2_2_0_t, ndims, 1);
    PUT(cart, mca_topo_base_comm_cart_2_2_0_t, dims, 0);
    expect_end(describe(MQD_HANDLE_communicator, JOB->self.ta), "not as this Open MPI's layout says");
    expect_number(MQD_FACT_periodic, 0, 0);
    PUT(JOB->self.ta, ompi_communicator_t, c_topo, numbers);
    expect_end(describe(MQD_HANDLE_communicator, JOB->self.ta), "not as this Open MPI's layout says");
}

/* A listing asks for this of each communicator: only the communicator is read if it has no topology. */
TEST(arrangement_is_told_of_the_current_communicator)
{
    fake_ta cart = fake_zeros(JOB, SIZE(mca_topo_base_comm_cart_2_2_0_t)), numbers = numbers_new(8);
    struct mqd_handle_item one;

    fake_look_well();
    assert_int_equal(EXTENSION->reason_of(EXTENSION->describe_arrangement(NULL)), MQD_REASON_caller);
    assert_int_equal(mqs_setup_communicator_iterator(PROCESS), mqs_ok);
    HOST->n_reads = 0;
    assert_int_equal(EXTENSION->describe_arrangement(PROCESS), mqs_ok);
    assert_true(HOST->n_reads <= 1);
    if (EXTENSION->describe_handle_item(PROCESS, 0, &one) == mqs_ok)
        assert_int_equal(one.fact, MQD_FACT_revoked);
    topology_put(CART, cart);
    PUT(cart, mca_topo_base_comm_cart_2_2_0_t, ndims, 1);
    PUT(cart, mca_topo_base_comm_cart_2_2_0_t, dims, numbers + 4);
    PUT(cart, mca_topo_base_comm_cart_2_2_0_t, periods, numbers);
    PUT(cart, mca_topo_base_comm_cart_2_2_0_t, coords, numbers);
    fake_look_well();
    for (int code = mqs_setup_communicator_iterator(PROCESS); code == mqs_ok; code = mqs_next_communicator(PROCESS)) {
        mqs_communicator communicator;
        int n = 0, fact = 0;

        assert_int_equal(mqs_get_communicator(PROCESS, &communicator), mqs_ok);
        assert_int_equal(EXTENSION->describe_arrangement(PROCESS), mqs_ok);
        while (EXTENSION->describe_handle_item(PROCESS, n, &one) == mqs_ok && ++n > 0)
            fact |= one.fact == MQD_FACT_dimension && one.number == 1;
        assert_int_equal(fact, communicator.unique_id == 1);
    }
    assert_int_not_equal(EXTENSION->describe_arrangement(PROCESS), mqs_ok);
}

TEST(graphs_have_bounds)
{
    fake_ta graph = fake_zeros(JOB, SIZE(mca_topo_base_comm_graph_2_2_0_t)), numbers = numbers_new(64);

    topology_put(GRAPH, graph);
    PUT(graph, mca_topo_base_comm_graph_2_2_0_t, nnodes, 4);
    PUT(graph, mca_topo_base_comm_graph_2_2_0_t, index, numbers);
    PUT(graph, mca_topo_base_comm_graph_2_2_0_t, edges, numbers);
    assert_int_equal(describe(MQD_HANDLE_communicator, JOB->self.ta), mqs_end_of_list);
    assert_non_null(item(MQD_FACT_graph_edge, 2));
    assert_null(item(MQD_FACT_graph_edge, 3));
    PUT(graph, mca_topo_base_comm_graph_2_2_0_t, nnodes, HUGE_NUMBER);
    HOST->n_reads = 0;
    assert_true(describe(MQD_HANDLE_communicator, JOB->self.ta) >= mqs_first_user_code);
    assert_true(HOST->n_reads < MANY_READS);
    PUT(graph, mca_topo_base_comm_graph_2_2_0_t, nnodes, -4);
    expect_end(describe(MQD_HANDLE_communicator, JOB->self.ta), "not as this Open MPI's layout says");
}

TEST(distributed_graph_of_huge_degree_is_cut)
{
    fake_ta graph = fake_zeros(JOB, SIZE(mca_topo_base_comm_dist_graph_2_2_0_t)), numbers = numbers_new(2000);

    topology_put(DIST_GRAPH, graph);
    PUT(graph, mca_topo_base_comm_dist_graph_2_2_0_t, in, numbers);
    PUT(graph, mca_topo_base_comm_dist_graph_2_2_0_t, out, numbers);
    PUT(graph, mca_topo_base_comm_dist_graph_2_2_0_t, outw, numbers + 4);
    PUT(graph, mca_topo_base_comm_dist_graph_2_2_0_t, indegree, HUGE_NUMBER);
    PUT(graph, mca_topo_base_comm_dist_graph_2_2_0_t, outdegree, 2);
    HOST->n_reads = 0;
    expect_end(describe(MQD_HANDLE_communicator, JOB->self.ta), "longer lists than are told");
    assert_true(HOST->n_reads < MANY_READS);
    expect_number(MQD_FACT_source, TOLD_AT_MOST - 1, TOLD_AT_MOST - 1);
    assert_null(item(MQD_FACT_source_weight, 0));
    expect_number(MQD_FACT_destination_weight, 1, 2);
}

/* Attributes. */

static fake_ta hash_new(uint64_t capacity, fake_ta elements)
{
    fake_ta table = fake_zeros(JOB, SIZE(opal_hash_table_t));

    fake_class_new(JOB, FAKE_TYPE_opal_hash_table_t, FAKE_TYPE_opal_object_t);
    fake_construct(JOB, table, FAKE_TYPE_opal_hash_table_t);
    PUT(table, opal_hash_table_t, ht_capacity, capacity);
    PUT(table, opal_hash_table_t, ht_size, 1);
    PUT(table, opal_hash_table_t, ht_table, elements);
    PUT(JOB->self.ta, ompi_communicator_t, c_keyhash, table);
    return table;
}

TEST(attributes_come_by_key_and_hash_tables_have_bounds)
{
    fake_ta elements = fake_zeros(JOB, 8 * SIZE(opal_hash_element_t)), table = hash_new(8, elements);

    fake_class_new(JOB, FAKE_TYPE_attribute_key_value_t, FAKE_TYPE_opal_object_t);
    for (int i = 0; i < 3; i++) {
        fake_ta attribute = object_of(FAKE_TYPE_attribute_key_value_t);
        fake_ta element = elements + (fake_ta)(2 * i) * SIZE(opal_hash_element_t);

        PUT(element, opal_hash_element_t, valid, 1);
        PUT(element, opal_hash_element_t, value, attribute);
        PUT(attribute, attribute_key_value_t, av_key, 30 - i);
        /* The other half of the union has what was there before. */
        PUT(attribute, attribute_key_value_t, av_value, UINT64_MAX);
        fake_image_put(IMAGE, AT(attribute, attribute_key_value_t, av_value), 4, (uint64_t)-2);
        PUT(attribute, attribute_key_value_t, av_set_from, 1);
    }
    assert_int_equal(describe(MQD_HANDLE_communicator, JOB->self.ta), mqs_end_of_list);
    assert_int_equal(items[n_items - 3].index, 28);
    expect_number(MQD_FACT_attribute, 30, -2);
    assert_int_equal(item(MQD_FACT_attribute, 30)->form, MQD_FORM_number);
    PUT(elements, opal_hash_element_t, value, elements);
    expect_end(describe(MQD_HANDLE_communicator, JOB->self.ta), "not as this Open MPI's layout says");
    PUT(table, opal_hash_table_t, ht_capacity, HUGE_NUMBER);
    HOST->n_reads = 0;
    expect_end(describe(MQD_HANDLE_communicator, JOB->self.ta), "not as this Open MPI's layout says");
    assert_true(HOST->n_reads < MANY_READS);
    PUT(table, opal_hash_table_t, ht_capacity, 4);
    PUT(table, opal_hash_table_t, ht_size, 5);
    expect_end(describe(MQD_HANDLE_communicator, JOB->self.ta), "not as this Open MPI's layout says");
    PUT(JOB->self.ta, ompi_communicator_t, c_keyhash, elements);
    expect_end(describe(MQD_HANDLE_communicator, JOB->self.ta), "not as this Open MPI's layout says");
}

/* MPI_WIN_BASE is an address, and MPI_WIN_SIZE a number: in another form they are none. */
TEST_WITH(fact_of_a_window_in_another_form_is_refused, fake_setup, fake_teardown, &fake_release, &fake_release_507,
          &fake_release_60)
{
    fake_ta elements = fake_zeros(JOB, SIZE(opal_hash_element_t)), attribute;

    hash_new(1, elements);
    fake_class_new(JOB, FAKE_TYPE_attribute_key_value_t, FAKE_TYPE_opal_object_t);
    attribute = object_of(FAKE_TYPE_attribute_key_value_t);
    PUT(elements, opal_hash_element_t, valid, 1);
    PUT(elements, opal_hash_element_t, value, attribute);
    PUT(attribute, attribute_key_value_t, av_key, 7);
    assert_int_equal(describe(MQD_HANDLE_communicator, JOB->self.ta), mqs_end_of_list);
    assert_int_equal(item(MQD_FACT_base, 0)->form, MQD_FORM_address);
    PUT(attribute, attribute_key_value_t, av_key, 8);
    expect_end(describe(MQD_HANDLE_communicator, JOB->self.ta), "not as this Open MPI's layout says");
    assert_null(item(MQD_FACT_window_size, 0));
    PUT(attribute, attribute_key_value_t, av_set_from, 1);
    assert_int_equal(describe(MQD_HANDLE_communicator, JOB->self.ta), mqs_end_of_list);
    assert_int_equal(item(MQD_FACT_window_size, 0)->form, MQD_FORM_number);
    PUT(attribute, attribute_key_value_t, av_key, 7);
    expect_end(describe(MQD_HANDLE_communicator, JOB->self.ta), "not as this Open MPI's layout says");
    assert_null(item(MQD_FACT_base, 0));
}

/* Of a release before 4.1.4: the value is a pointer, to which others lead. */
static fake_ta old_attribute_new(uint64_t key, uint64_t set_from, uint64_t number)
{
    fake_ta attribute = fake_zeros(JOB, 128), members = attribute + SIZE(opal_object_t);
    fake_ta word = IMAGE->build->pointer_size, half = IMAGE->build->little_endian ? 0 : word - 4;

    fake_construct(JOB, attribute, FAKE_TYPE_attribute_key_value_t);
    fake_image_put(IMAGE, members, 4, key);
    fake_image_put_pointer(IMAGE, members + word, number);
    fake_image_put_pointer(IMAGE, members + 2 * word, members + word + half);
    fake_image_put_pointer(IMAGE, members + 3 * word, members + word + half);
    fake_image_put_pointer(IMAGE, members + 4 * word, members + word);
    fake_image_put(IMAGE, members + 5 * word, 4, set_from);
    return attribute;
}

TEST_WITH(attributes_before_4_1_4_have_pointers_to_their_values, fake_setup, fake_teardown, FAKE_MACHINES,
          &fake_debug, &fake_release_31, &fake_i386_31, &fake_release_40)
{
    fake_ta elements = fake_zeros(JOB, 4 * SIZE(opal_hash_element_t)), word = IMAGE->build->pointer_size, last = 0;

    hash_new(4, elements);
    fake_class_new(JOB, FAKE_TYPE_attribute_key_value_t, FAKE_TYPE_opal_object_t);
    PUT(JOB->classes[FAKE_TYPE_attribute_key_value_t], opal_class_t, cls_name,
        fake_image_put_string(IMAGE, JOB->heap, "attribute_value_t"));
    for (uint64_t set_from = 0; set_from < 4; set_from++) {
        fake_ta element = elements + set_from * SIZE(opal_hash_element_t);

        /* What is set from 32 bits has these, and zeros. */
        last = old_attribute_new(20 + set_from, set_from, set_from == 1 || set_from == 2 ? 0xfffffffe : (uint64_t)-3);
        PUT(element, opal_hash_element_t, valid, 1);
        PUT(element, opal_hash_element_t, value, last);
    }
    assert_int_equal(describe(MQD_HANDLE_communicator, JOB->self.ta), mqs_end_of_list);
    assert_int_equal(item(MQD_FACT_attribute, 20)->form, MQD_FORM_address);
    assert_true(item(MQD_FACT_attribute, 20)->address == (word == 4 ? UINT32_MAX - 2 : UINT64_MAX - 2));
    expect_number(MQD_FACT_attribute, 21, -2);
    expect_number(MQD_FACT_attribute, 22, -2);
    expect_number(MQD_FACT_attribute, 23, -3);
    /* Each of the pointers proves the layout. */
    for (fake_ta i = 2; i <= 4; i++) {
        fake_ta pointer = last + SIZE(opal_object_t) + i * word;
        uint64_t before = fake_image_get(IMAGE, pointer, word);

        fake_image_put_pointer(IMAGE, pointer, before + word);
        expect_end(describe(MQD_HANDLE_communicator, JOB->self.ta), "not as this Open MPI's layout says");
        assert_null(item(MQD_FACT_attribute, 23));
        fake_image_put_pointer(IMAGE, pointer, before);
    }
    assert_int_equal(describe(MQD_HANDLE_communicator, JOB->self.ta), mqs_end_of_list);
}

/* Datatypes. */

/* A type made of itself: no program can do that. Each answer goes one level down, so it ends. */
TEST(type_tree_is_told_level_by_level)
{
    fake_ta type = fake_datatype_new(JOB, "ring", 8), arguments = fake_zeros(JOB, SIZE(ompi_datatype_args_t));
    fake_ta types = fake_zeros(JOB, 2 * IMAGE->build->pointer_size);

    PUT(type, ompi_datatype_t, d_keyhash, 0);
    PUT(type, ompi_datatype_t, args, arguments);
    PUT(arguments, ompi_datatype_args_t, create_type, 1);
    PUT(arguments, ompi_datatype_args_t, cd, 2);
    PUT(arguments, ompi_datatype_args_t, d, types);
    fake_image_put_pointer(IMAGE, types, type);
    fake_image_put_pointer(IMAGE, types + IMAGE->build->pointer_size, JOB->mpi_int);
    assert_int_equal(describe(MQD_HANDLE_datatype, type), mqs_end_of_list);
    expect_number(MQD_FACT_combiner, 0, MQD_COMBINER_dup);
    assert_int_equal(item(MQD_FACT_datatype, 0)->address, type);
    assert_string_equal(item(MQD_FACT_datatype, 0)->text, "ring");
    assert_string_equal(item(MQD_FACT_datatype, 1)->text, "MPI_INT");
    PUT(arguments, ompi_datatype_args_t, cd, HUGE_NUMBER);
    assert_true(describe(MQD_HANDLE_datatype, type) >= mqs_first_user_code);
    PUT(arguments, ompi_datatype_args_t, cd, -1);
    expect_end(describe(MQD_HANDLE_datatype, type), "not as this Open MPI's layout says");
    PUT(arguments, ompi_datatype_args_t, cd, 0);
    PUT(arguments, ompi_datatype_args_t, ci, 1);
    expect_end(describe(MQD_HANDLE_datatype, type), "not as this Open MPI's layout says");
    PUT(type, ompi_datatype_t, args, 16);
    expect_end(describe(MQD_HANDLE_datatype, type), "");
    expect_number(MQD_FACT_type_size, 0, 8);
}

/* As MPI_LONG_DOUBLE_INT. What ompio duplicates for itself was not made by a call either, but has no INTEGER. */
TEST(type_that_no_call_has_made_is_predefined_if_it_has_an_integer)
{
    fake_ta type = fake_datatype_new(JOB, "MPI_LONG_DOUBLE_INT", 20);

    PUT(type, ompi_datatype_t, d_keyhash, 0);
    PUT(type, ompi_datatype_t, args, 0);
    PUT(type, opal_datatype_t, flags, 0);
    PUT(type, ompi_datatype_t, d_f_to_c_index, 50);
    assert_int_equal(describe(MQD_HANDLE_datatype, type), mqs_end_of_list);
    assert_int_equal(summary.predefined, 1);
    expect_number(MQD_FACT_combiner, 0, MQD_COMBINER_named);
    PUT(type, ompi_datatype_t, d_f_to_c_index, -1);
    assert_int_equal(describe(MQD_HANDLE_datatype, type), mqs_end_of_list);
    assert_int_equal(summary.predefined, 0);
    assert_null(item(MQD_FACT_combiner, 0));
}

/* Requests and messages. */

TEST(request_tells_its_state_and_what_it_is_for)
{
    fake_ta request = fake_irecv(JOB, &JOB->world, &(struct fake_recv){2, 5, 7, JOB->mpi_int, 0x1000});
    fake_ta inactive = fake_recv_init(JOB, &JOB->world, &(struct fake_recv){FAKE_ANY, FAKE_ANY, 3, JOB->mpi_int, 0});
    fake_ta ssend = fake_send_init(JOB, &JOB->world, &(struct fake_send){3, 9, 4, JOB->mpi_int, 0, FAKE_SYNCHRONOUS});

    assert_int_equal(describe(MQD_HANDLE_unknown, request), mqs_end_of_list);
    assert_int_equal(summary.kind, MQD_HANDLE_request);
    expect_number(MQD_FACT_request_state, 0, MQD_REQUEST_active);
    expect_number(MQD_FACT_tag, 0, 5);
    assert_int_equal(item(MQD_FACT_object, 0)->address, JOB->world.ta);
    assert_int_equal(describe(MQD_HANDLE_request, inactive), mqs_end_of_list);
    expect_number(MQD_FACT_request_state, 0, MQD_REQUEST_inactive);
    expect_number(MQD_FACT_operation, 0, MQD_OPERATION_recv);
    expect_number(MQD_FACT_peer, 0, -1);
    assert_null(item(MQD_FACT_tag, 0));
    expect_number(MQD_FACT_elements, 0, 3);
    assert_int_equal(describe(MQD_HANDLE_request, ssend), mqs_end_of_list);
    expect_number(MQD_FACT_operation, 0, MQD_OPERATION_ssend);
    expect_number(MQD_FACT_peer, 0, 3);
    expect_number(MQD_FACT_tag, 0, 9);
    PUT(request, ompi_request_t, req_state, FAKE_INVALID);
    assert_int_equal(describe(MQD_HANDLE_request, request), mqs_end_of_list);
    expect_number(MQD_FACT_request_state, 0, MQD_REQUEST_invalid);
    assert_int_equal(n_items, 1);
    assert_int_equal(describe(MQD_HANDLE_request, JOB->request_null), mqs_end_of_list);
    expect_number(MQD_FACT_request_state, 0, MQD_REQUEST_null);
    assert_int_equal(summary.predefined, 1);
}

/* Of a processor. So many questions take many times as long as what clock() can tell. */
static double seconds_to_ask(fake_ta request)
{
    clock_t start = clock();

    for (int i = 0; i < 10000; i++)
        assert_int_equal(ask(MQD_HANDLE_request, request, MQD_LANGUAGE_c), mqs_end_of_list);
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

/* The last of many operations is found as fast as the first one. */
TEST_WITH(request_is_found_among_many, fake_setup, fake_teardown, &fake_release)
{
    enum { N = 40000 };
    const struct fake_recv recv = {2, 5, 7, JOB->mpi_int, 0x1000};
    fake_ta first = fake_irecv(JOB, &JOB->world, &recv), last = first;
    double seconds;

    for (int i = 1; i < N; i++)
        last = fake_irecv(JOB, &JOB->world, &recv);
    fake_look_well();
    (void)seconds_to_ask(first);
    seconds = seconds_to_ask(first);
    assert_true(seconds_to_ask(last) < 4 * seconds);
    expect_number(MQD_FACT_tag, 0, 5);
}

/* The tag of a request of another size lies elsewhere: it has no number then. */
TEST_WITH(collective_request_of_another_size_has_no_number, fake_setup, fake_teardown, &fake_release,
          &fake_release_507, &fake_release_60)
{
    struct fake_comm comm = fake_comm_new(JOB, 3, "halo", JOB->world.local_group, JOB->world.local_group);
    fake_ta request;

    (void)fake_libnbc_new(JOB, &comm);
    fake_class_new(JOB, FAKE_TYPE_ompi_coll_libnbc_request_t, FAKE_TYPE_ompi_request_t);
    request = object_of(FAKE_TYPE_ompi_coll_libnbc_request_t);
    PUT(request, ompi_request_t, req_type, 4);
    PUT(request, ompi_request_t, req_state, FAKE_ACTIVE);
    PUT(AT(request, ompi_request_t, req_mpi_object), ompi_mpi_object_t, comm, comm.ta);
    PUT(request, ompi_coll_libnbc_request_t, tag, fake_nonblocking_base(JOB) - 4);
    assert_int_equal(describe(MQD_HANDLE_request, request), mqs_end_of_list);
    expect_number(MQD_FACT_request_kind, 0, MQD_REQUEST_OF_collective);
    expect_number(MQD_FACT_collective_number, 0, 5);
    assert_int_equal(item(MQD_FACT_object, 0)->address, comm.ta);
    PUT(JOB->classes[FAKE_TYPE_ompi_coll_libnbc_request_t], opal_class_t, cls_sizeof,
        SIZE(ompi_coll_libnbc_request_t) + 8);
    assert_int_equal(describe(MQD_HANDLE_request, request), mqs_end_of_list);
    assert_null(item(MQD_FACT_collective_number, 0));
}

/* A request of a class of its own; what its other members say is the caller's. */
static fake_ta derived_request(enum fake_type type, int req_type)
{
    fake_ta request;

    fake_class_new(JOB, type, FAKE_TYPE_ompi_request_t);
    request = object_of(type);
    PUT(request, ompi_request_t, req_type, req_type);
    PUT(request, ompi_request_t, req_state, FAKE_ACTIVE);
    return request;
}

TEST(request_of_osc_rdma_tells_its_peer)
{
    fake_ta request = derived_request(FAKE_TYPE_ompi_osc_rdma_request_t, 3), peer;

    fake_class_new(JOB, FAKE_TYPE_ompi_osc_rdma_peer_t, FAKE_TYPE_opal_list_item_t);
    peer = object_of(FAKE_TYPE_ompi_osc_rdma_peer_t);
    PUT(peer, ompi_osc_rdma_peer_t, rank, 2);
    PUT(request, ompi_osc_rdma_request_t, peer, peer);
    assert_int_equal(describe(MQD_HANDLE_request, request), mqs_end_of_list);
    expect_number(MQD_FACT_request_kind, 0, MQD_REQUEST_OF_window);
    expect_number(MQD_FACT_peer, 0, 2);
    PUT(request, ompi_osc_rdma_request_t, peer, JOB->world.ta);
    assert_int_equal(describe(MQD_HANDLE_request, request), mqs_end_of_list);
    assert_null(item(MQD_FACT_peer, 0));
}

TEST(request_of_partitions_tells_its_peer_and_tag)
{
    static const struct {
        enum fake_type type;
        int operation;
    } cases[] = { { FAKE_TYPE_mca_part_persist_psend_request_t, MQD_OPERATION_send },
                  { FAKE_TYPE_mca_part_persist_precv_request_t, MQD_OPERATION_recv } };

    for (size_t i = 0; IMAGE->build->family >= 500 && i < sizeof cases / sizeof cases[0]; i++) {
        fake_ta request = derived_request(cases[i].type, 8);

        PUT(request, mca_part_persist_request_t, req_comm, JOB->self.ta);
        PUT(request, mca_part_persist_request_t, req_peer, 3);
        PUT(request, mca_part_persist_request_t, req_tag, 77);
        assert_int_equal(describe(MQD_HANDLE_request, request), mqs_end_of_list);
        expect_number(MQD_FACT_request_kind, 0, MQD_REQUEST_OF_partitions);
        expect_number(MQD_FACT_operation, 0, cases[i].operation);
        expect_number(MQD_FACT_peer, 0, 3);
        expect_number(MQD_FACT_tag, 0, 77);
        assert_int_equal(item(MQD_FACT_object, 0)->address, JOB->self.ta);
        PUT(JOB->classes[cases[i].type], opal_class_t, cls_sizeof, SIZE(mca_part_persist_request_t) + 8);
        assert_int_equal(describe(MQD_HANDLE_request, request), mqs_end_of_list);
        assert_null(item(MQD_FACT_tag, 0));
    }
}

/* Files and info objects. */

TEST(file_of_ompio_leads_back_to_it)
{
    fake_ta data, ta, word;

    fake_internal_init(JOB);
    ta = fake_file_new(JOB, 1, "ompio", &JOB->world, JOB->self.ta).ta;
    if (!FAKE_HAS(IMAGE, ompio_file_t, f_fh)) {
        assert_int_equal(describe(MQD_HANDLE_file, ta), mqs_end_of_list);
        assert_null(item(MQD_FACT_split_collective, 0));
        return;
    }
    data = fake_zeros(JOB, SIZE(ompio_file_t));
    PUT(ta, ompi_file_t, f_io_selected_data, data);
    expect_end(describe(MQD_HANDLE_file, ta), "not as this Open MPI's layout says");
    assert_null(item(MQD_FACT_split_collective, 0));
    PUT(data, ompio_file_t, f_fh, ta);
    PUT(data, ompio_file_t, f_split_coll_in_use, 1);
    PUT(data, ompio_file_t, view_displacement, 4096);
    PUT(data, ompio_file_t, f_etype, JOB->mpi_int);
    expect_end(describe(MQD_HANDLE_file, ta), "not as this Open MPI's layout says");
    assert_null(item(MQD_FACT_view_etype, 0));
    PUT(data, ompio_file_t, f_orig_filetype, JOB->mpi_int);
    assert_int_equal(describe(MQD_HANDLE_file, ta), mqs_end_of_list);
    expect_number(MQD_FACT_split_collective, 0, 1);
    expect_number(MQD_FACT_view_displacement, 0, 4096);
    assert_string_equal(item(MQD_FACT_view_etype, 0)->text, "MPI_INT");
    assert_string_equal(item(MQD_FACT_component, 0)->text, "ompio");
    /* Before 4.1.3 these members lie one pointer earlier. What lies in their place now is no type, and not 0. */
    word = IMAGE->build->pointer_size;
    fake_image_put_pointer(IMAGE, AT(data, ompio_file_t, f_etype) - word, JOB->mpi_int);
    fake_image_put_pointer(IMAGE, AT(data, ompio_file_t, f_orig_filetype) - word, JOB->mpi_int);
    fake_image_put(IMAGE, AT(data, ompio_file_t, f_atomicity) - word, 4, 1);
    PUT(data, ompio_file_t, f_orig_filetype, 8);
    fake_image_put(IMAGE, AT(data, ompio_file_t, f_split_coll_in_use) - word, 1, 0);
    assert_int_equal(describe(MQD_HANDLE_file, ta), mqs_end_of_list);
    expect_number(MQD_FACT_split_collective, 0, 0);
    expect_number(MQD_FACT_atomic, 0, 1);
    expect_number(MQD_FACT_view_displacement, 0, 4096);
    assert_string_equal(item(MQD_FACT_view_filetype, 0)->text, "MPI_INT");
    /* ROMIO has other data. */
    fake_component_set_name(JOB, AT(ta, ompi_file_t, f_io_selected_component), "romio321");
    assert_int_equal(describe(MQD_HANDLE_file, ta), mqs_end_of_list);
    assert_string_equal(item(MQD_FACT_component, 0)->text, "romio321");
    assert_null(item(MQD_FACT_split_collective, 0));
}

TEST(list_of_an_info_object_has_bounds)
{
    fake_ta info, first = 0;

    fake_class_new(JOB, FAKE_TYPE_ompi_info_t, FAKE_TYPE_opal_list_t);
    info = object_of(FAKE_TYPE_ompi_info_t);
    fake_list_init(JOB, info);
    fake_construct(JOB, info, FAKE_TYPE_ompi_info_t);
    assert_int_equal(describe(MQD_HANDLE_info, info), mqs_end_of_list);
    for (int i = 0; i < TOLD_AT_MOST + 1; i++) {
        fake_ta entry = object_of(FAKE_TYPE_opal_list_item_t);

        entry = fake_zeros(JOB, SIZE(opal_info_entry_t));
        fake_list_append(JOB, info, entry);
        if (FAKE_HAS(IMAGE, opal_info_entry_t, ie_internal))
            PUT(entry, opal_info_entry_t, ie_internal, i == 0);
        else
            PUT(entry, opal_info_entry_t, ie_value, fake_image_put_string(IMAGE, JOB->heap, "green"));
        first = first != 0 ? first : entry;
    }
    HOST->n_reads = 0;
    assert_true(describe(MQD_HANDLE_info, info) >= mqs_first_user_code);
    assert_true(HOST->n_reads < MANY_READS);
    if (!FAKE_HAS(IMAGE, opal_info_entry_t, ie_internal)) {
        expect_number(MQD_FACT_value, TOLD_AT_MOST - 1, 0);
        assert_int_equal(items[TOLD_AT_MOST].fact, MQD_FACT_key);
        assert_int_equal(items[TOLD_AT_MOST + 1].fact, MQD_FACT_value);
        assert_string_equal(item(MQD_FACT_value, 5)->text, "green");
    }
    /* The list does not come back. */
    PUT(first, opal_list_item_t, opal_list_next, first);
    PUT(first, opal_list_item_t, opal_list_prev, first);
    HOST->n_reads = 0;
    assert_true(describe(MQD_HANDLE_info, info) >= mqs_first_user_code);
    assert_true(HOST->n_reads < MANY_READS);
}

/* A debugger that cannot read, or has no memory. */

TEST(failed_read_leaves_the_summary_as_it_was)
{
    static const struct mqd_handle_summary untouched;

    fake_irecv(JOB, &JOB->world, &(struct fake_recv){2, 5, 7, JOB->mpi_int, 0x1000});
    for (long n = 0;; n++) {
        int code;

        fake_look_well();
        HOST->n_reads = 0;
        HOST->fail_read = n;
        code = ask(MQD_HANDLE_communicator, JOB->world.ta, MQD_LANGUAGE_c);
        HOST->fail_read = FAKE_NEVER;
        if (HOST->n_reads <= n) {
            assert_int_equal(code, mqs_end_of_list);
            break;
        }
        if (n_items == 0 && code != mqs_end_of_list)
            assert_memory_equal(&summary, &untouched, sizeof summary);
    }
}

TEST(failed_allocation_is_said)
{
    for (long n = 0;; n++) {
        int code;

        fake_look_well();
        HOST->n_allocations = 0;
        HOST->fail_allocation = n;
        code = ask(MQD_HANDLE_group, JOB->world.local_group, MQD_LANGUAGE_c);
        HOST->fail_allocation = FAKE_NEVER;
        if (HOST->n_allocations <= n) {
            assert_int_equal(code, mqs_end_of_list);
            break;
        }
        /* Pages that cannot be kept are read again. */
        assert_true(code == mqs_end_of_list || code >= mqs_first_user_code);
    }
}
