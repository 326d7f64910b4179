/*
 * test_fake.c - the fakes themselves: their structures are those of the generated tables, and their memory and their
 * debugger do what the tests of the DLL assume.
 */
#include "fake_test.h"

static void assert_same_member(const struct fake_build *build, const struct mqd_field *field, unsigned step)
{
    const struct fake_member_info *mirrored = &build->members[step];

    assert_string_equal(mirrored->name, mqd_step_specs[step].member);
    if (!field->present && mirrored->offset != FAKE_ABSENT)
        fail_msg("%s: has %s, the table has not", build->name, mirrored->name);
    if (field->present && (mirrored->offset != field->offset || mirrored->size != field->size))
        fail_msg("%s: %s is %zd+%zu, by the table %u+%u", build->name, mirrored->name, (ssize_t)mirrored->offset,
                 mirrored->size, field->offset, field->size);
}

static void assert_same_type(const struct fake_build *build, const struct mqd_table *table, unsigned type)
{
    const struct fake_type_info *mirrored = &build->types[type];
    unsigned first = mqd_type_specs[type].first_step, end = mqd_type_end((enum mqd_type_id)type);

    assert_string_equal(mirrored->name, mqd_type_specs[type].name);
    if (table->types[type] == NULL) {
        assert_int_equal(mirrored->size, 0);
        return;
    }
    /* Of UCX's types the ends differ that nobody reads. */
    if (mirrored->size != table->types[type]->size &&
        (table->library != MQD_LIBRARY_ucx || mqd_type_specs[type].size_rule == MQD_SIZE_exact))
        fail_msg("%s: %s has %zu bytes, by the table %u", build->name, mirrored->name, mirrored->size,
                 table->types[type]->size);
    for (unsigned step = first; step < end; step++)
        assert_same_member(build, &table->types[type]->fields[step - first], step);
}

static void assert_same(const struct fake_build *build, const struct mqd_table *table)
{
    assert_int_equal(build->pointer_size, table->abi.pointer_size);
    assert_int_equal(build->long_size, table->abi.long_size);
    assert_int_equal(build->little_endian, table->abi.little_endian);
    for (unsigned type = 0; type < MQD_N_TYPES; type++)
        if (mqd_type_specs[type].library == table->library)
            assert_same_type(build, table, type);
    for (unsigned constant = 0; constant < MQD_N_CONSTANTS && build->constants != NULL; constant++) {
        const struct mqd_constant *mirrored = &build->constants[constant], *stated = &table->constants[constant];

        if (mirrored->present != stated->present || (stated->present && mirrored->value != stated->value))
            fail_msg("%s: %s is another number in the table", build->name, mqd_constant_specs[constant].name);
    }
}

SUITE(each, fake_setup, fake_teardown);

/* The compiler's layout of the mirrors, and the one that was extracted: neither knows of the other. */
TEST(mirrored_structures_are_those_of_the_tables)
{
    for (int i = 0; i < FAKE_N_BUILDS; i++)
        assert_same(fake_builds[i], fake_table(fake_builds[i], mqd_tables, mqd_n_tables));
    for (int i = 0; i < FAKE_N_UCX_BUILDS; i++)
        assert_same(fake_ucx_builds[i], fake_table(fake_ucx_builds[i], mqd_ucx_tables, mqd_n_ucx_tables));
}

/* The descriptors that the job has are those that the list names. */
TEST(types_with_descriptors_have_them)
{
    for (int type = 0; type < MQD_N_TYPES; type++)
        if (fake_release.types[type].has_class && JOB->classes[type] == 0)
            fail_msg("%s has no descriptor", fake_release.types[type].name);
}

TEST(memory_is_read_whole_or_not_at_all)
{
    unsigned char bytes[3 * FAKE_PAGE];
    fake_ta ta = fake_image_alloc_pages(IMAGE, JOB->heap, 3 * FAKE_PAGE);

    fake_image_put(IMAGE, ta + 2 * FAKE_PAGE, 8, 77);
    assert_true(fake_image_read(IMAGE, ta, sizeof bytes, bytes));
    assert_int_equal(bytes[2 * FAKE_PAGE], 77);
    fake_image_set_hidden(IMAGE, ta + FAKE_PAGE + 100, 1, true);
    assert_false(fake_image_read(IMAGE, ta, sizeof bytes, bytes));
    assert_false(fake_image_read(IMAGE, ta + FAKE_PAGE - 1, 2, bytes));
    assert_true(fake_image_read(IMAGE, ta, FAKE_PAGE, bytes));
    assert_true(fake_image_read(IMAGE, ta + 2 * FAKE_PAGE, FAKE_PAGE, bytes));
    fake_image_set_hidden(IMAGE, ta + FAKE_PAGE, FAKE_PAGE, false);
    assert_true(fake_image_read(IMAGE, ta, sizeof bytes, bytes));
    assert_false(fake_image_read(IMAGE, 0, 1, bytes));
    assert_false(fake_image_read(IMAGE, UINT64_MAX - 3, 8, bytes));
}

TEST(fresh_memory_is_not_zero)
{
    fake_ta ta = fake_malloc(JOB, 64);

    assert_int_equal(fake_image_get(IMAGE, ta + 8, 8), UINT64_C(0xd5d5d5d5d5d5d5d5));
}

TEST(symbols_go_with_their_library)
{
    fake_ta ta = 0;

    assert_true(fake_image_find_symbol(IMAGE, "mca_pml_ob1", &ta));
    assert_int_equal(ta, JOB->ob1);
    fake_image_set_mapped(IMAGE, JOB->ob1_so, false);
    assert_false(fake_image_find_symbol(IMAGE, "mca_pml_ob1", &ta));
    assert_false(fake_image_read(IMAGE, JOB->ob1, 8, &ta));
    fake_image_set_mapped(IMAGE, JOB->ob1_so, true);
    fake_image_set_symbol_hidden(IMAGE, "mca_pml_ob1", true);
    assert_false(fake_image_find_symbol(IMAGE, "mca_pml_ob1", &ta));
    assert_true(fake_image_read(IMAGE, JOB->ob1, 8, &ta));
}

/* Elements on the LIFO of free ones, which must end at the ghost. */
static size_t count_free(fake_ta list)
{
    fake_ta ghost = AT(list, opal_lifo_t, opal_lifo_ghost), element = GET(list, opal_lifo_t, opal_lifo_head_item);
    size_t n = 0;

    for (; element != ghost; element = GET(element, opal_list_item_t, opal_list_next))
        n++;
    return n;
}

TEST(free_list_grows_as_open_mpis_does)
{
    fake_ta chunks, chunk, list = JOB->recv_requests;

    chunks = AT(list, opal_free_list_t, fl_allocations);
    assert_int_equal(GET(list, opal_free_list_t, fl_num_allocated), 4);
    assert_int_equal(count_free(list), 4);
    assert_int_equal(GET(list, opal_free_list_t, fl_frag_size), 744);
    for (int i = 0; i < 5; i++) {
        fake_ta element = fake_free_list_take(JOB, list);

        assert_int_equal(element % 64, 0);
        assert_int_equal(GET(element, opal_object_t, obj_class), GET(list, opal_free_list_t, fl_frag_class));
    }
    assert_int_equal(GET(list, opal_free_list_t, fl_num_allocated), 68);
    assert_int_equal(count_free(list), 63);
    assert_int_equal(GET(chunks, opal_list_t, opal_list_length), 2);
    chunk = GET(AT(chunks, opal_list_t, opal_list_sentinel), opal_list_item_t, opal_list_next);
    assert_int_equal(GET(chunk, opal_object_t, obj_class), JOB->classes[FAKE_TYPE_opal_free_list_item_t]);
}

TEST(posted_receives_are_linked_for_matching)
{
    fake_ta one = fake_irecv(JOB, &JOB->world, &(struct fake_recv){ 2, 1, 1, JOB->mpi_int, 0x1000 });
    fake_ta two = fake_irecv(JOB, &JOB->world, &(struct fake_recv){ FAKE_ANY, 1, 1, JOB->mpi_int, 0x1000 });
    fake_ta specific = AT(fake_peer(JOB, &JOB->world, 2), mca_pml_ob1_comm_proc_t, specific_receives);
    fake_ta wild = AT(JOB->world.pml, mca_pml_ob1_comm_t, wild_receives);

    assert_int_equal(GET(AT(specific, opal_list_t, opal_list_sentinel), opal_list_item_t, opal_list_next), one);
    assert_int_equal(GET(AT(wild, opal_list_t, opal_list_sentinel), opal_list_item_t, opal_list_next), two);
    assert_int_equal(GET(two, mca_pml_base_request_t, req_sequence), 1);
    fake_recv_match(JOB, one, 2, 1, 4);
    assert_int_equal(GET(specific, opal_list_t, opal_list_length), 0);
    assert_int_equal(GET(wild, opal_list_t, opal_list_length), 1);
}

TEST(slots_count_what_is_free)
{
    assert_int_equal(GET(JOB->communicators, opal_pointer_array_t, lowest_free), 3);
    assert_int_equal(GET(JOB->communicators, opal_pointer_array_t, number_free), 13);
    fake_slot_set(JOB, 70, JOB->world.ta);
    assert_int_equal(GET(JOB->communicators, opal_pointer_array_t, size), 128);
    assert_int_equal(GET(JOB->communicators, opal_pointer_array_t, lowest_free), 3);
    assert_int_equal(GET(JOB->communicators, opal_pointer_array_t, number_free), 124);
}

/* Violations that a test provokes are taken back, or the fixture's teardown would fail it. */
static void forgive(long expected)
{
    assert_int_equal(HOST->violations, expected);
    HOST->violations = 0;
}

TEST(debugger_counts_and_refuses_reads)
{
    mqs_fetch_data_ft fetch = HOST->process_callbacks.mqs_fetch_data_fp;
    static unsigned char bytes[FAKE_MAX_READ + 1];

    assert_int_equal(fetch(PROCESS, JOB->ob1, 8, bytes), mqs_ok);
    assert_int_not_equal(fetch(PROCESS, 0x10, 8, bytes), mqs_ok);
    assert_int_equal(bytes[0], 0xee);
    assert_int_equal(HOST->n_reads, 2);
    assert_int_equal(HOST->bytes_read, 8);
    assert_int_not_equal(fetch(PROCESS, JOB->ob1, FAKE_MAX_READ + 1, bytes), mqs_ok);
    assert_int_not_equal(fetch(PROCESS, JOB->ob1, 0, bytes), mqs_ok);
    forgive(2);
    HOST->fail_read = 4;
    assert_int_not_equal(fetch(PROCESS, JOB->ob1, 8, bytes), mqs_ok);
    assert_int_equal(fetch(PROCESS, JOB->ob1, 8, bytes), mqs_ok);
    HOST->fail_reads_from = 6;
    assert_int_not_equal(fetch(PROCESS, JOB->ob1, 8, bytes), mqs_ok);
    assert_int_not_equal(fetch(PROCESS, JOB->ob1, 8, bytes), mqs_ok);
}

TEST(debugger_watches_its_memory)
{
    unsigned char *block = HOST->basic.mqs_malloc_fp(10);

    assert_int_equal(block[9], 0xa7);
    assert_int_equal(HOST->live_blocks, 1);
    HOST->fail_allocation = 1;
    assert_null(HOST->basic.mqs_malloc_fp(10));
    assert_null(HOST->basic.mqs_malloc_fp(0));
    forgive(1);
    block[10] = 0;
    HOST->basic.mqs_free_fp(block);
    HOST->basic.mqs_free_fp(NULL);
    forgive(2);
    assert_int_equal(HOST->live_blocks, 0);
}

TEST(debugger_tells_types_as_it_is_told_to)
{
    mqs_image_callbacks *ask = &HOST->image_callbacks;
    mqs_image *image = &HOST->image;
    mqs_type *type;

    assert_null(ask->mqs_find_type_fp(image, (char *)"ompi_group_t", mqs_lang_c));
    fake_types_all(HOST, &fake_release);
    assert_null(ask->mqs_find_type_fp(image, (char *)"no_such_t", mqs_lang_c));
    type = ask->mqs_find_type_fp(image, (char *)"ompi_group_t", mqs_lang_c);
    assert_int_equal(ask->mqs_sizeof_fp(type), 72);
    assert_int_equal(ask->mqs_field_offset_fp(type, (char *)"grp_my_rank"), 20);
    assert_int_equal(ask->mqs_field_offset_fp(type, (char *)"no_such_member"), -1);
    fake_types_set(HOST, FAKE_TYPE_ompi_group_t, FAKE_FORWARD_TYPE);
    assert_int_equal(ask->mqs_sizeof_fp(type), 0);
    forgive(1);
    type = ask->mqs_find_type_fp(image, (char *)"ompi_group_t", mqs_lang_c);
    assert_non_null(type);
    assert_int_equal(ask->mqs_field_offset_fp(type, (char *)"grp_my_rank"), -1);
    assert_int_equal(ask->mqs_sizeof_fp(type), 0);
}

TEST(lazy_debugger_knows_a_library_after_a_function_of_it)
{
    mqs_image_callbacks *ask = &HOST->image_callbacks;
    mqs_image *image = &HOST->image;

    fake_types_all(HOST, &fake_release);
    HOST->types.lazy = true;
    assert_null(ask->mqs_find_type_fp(image, (char *)"ompi_group_t", mqs_lang_c));
    assert_int_equal(ask->mqs_find_function_fp(image, (char *)"ompi_debugger_setup_dlls", mqs_lang_c, NULL), mqs_ok);
    assert_non_null(ask->mqs_find_type_fp(image, (char *)"ompi_group_t", mqs_lang_c));
    assert_null(ask->mqs_find_type_fp(image, (char *)"mca_pml_ob1_comm_t", mqs_lang_c));
    assert_int_equal(ask->mqs_find_function_fp(image, (char *)"mca_pml_ob1_irecv", mqs_lang_c, NULL), mqs_ok);
    assert_non_null(ask->mqs_find_type_fp(image, (char *)"mca_pml_ob1_comm_t", mqs_lang_c));
}

TEST(guards_see_every_byte_that_is_written)
{
    struct fake_out out;

    fake_out_init(&out);
    assert_true(fake_out_intact(&out));
    out.out.communicator.name[3] = 'x';
    assert_false(fake_out_intact(&out));
    assert_true(fake_out_within(&out, sizeof out.out.communicator));
    out.after[0] = 0;
    assert_false(fake_out_within(&out, sizeof out.out.communicator));
    fake_out_init(&out);
    out.before[63] = 0;
    assert_false(fake_out_intact(&out));
}
