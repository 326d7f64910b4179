/* test_dll_walks.c - free lists of every geometry are seen whole, and listings cost few reads. */
#include "fake_test.h"

static void post(int tag)
{
    fake_irecv(JOB, &JOB->world, &(struct fake_recv){ 2, tag, 1, JOB->mpi_int, 0x1000 });
}

/* A job with these free lists has posted n receives: all of them must be listed, in order. */
static void assert_all_seen(const struct fake_options *options, int n)
{
    fake_begin(&fake, options);
    for (int i = 0; i < n; i++)
        post(i);
    fake_tagged(mqs_pending_receives, (size_t)n, 0);
}

SUITE(each, NULL, fake_teardown);

/* MCA parameters pml_ob1_free_list_num, _inc and _max; 0 is no maximum. */
TEST(every_geometry_is_seen_whole)
{
    static const size_t initial[] = { 0, 1, 4, 64, 100, 1000 }, increment[] = { 1, 3, 64, 100 };
    struct fake_options options = fake_options_of(NULL);

    for (size_t i = 0; i < sizeof initial / sizeof initial[0]; i++)
        for (size_t k = 0; k < sizeof increment / sizeof increment[0]; k++) {
            options.initial = initial[i];
            options.increment = increment[k];
            assert_all_seen(&options, 1);
            assert_all_seen(&options, 130);
            assert_all_seen(&options, (int)initial[i] + (int)increment[k] * 2);
        }
}

TEST(last_chunk_cut_to_the_maximum_is_seen_to_its_end)
{
    static const size_t maximum[] = { 5, 67, 68, 69, 100, 132, 133 };
    struct fake_options options = fake_options_of(NULL);

    for (size_t i = 0; i < sizeof maximum / sizeof maximum[0]; i++) {
        options.maximum = maximum[i];
        assert_all_seen(&options, (int)maximum[i]);
        assert_all_seen(&options, (int)maximum[i] - 1);
    }
}

TEST(every_alignment_is_honoured)
{
    struct fake_options options = fake_options_of(NULL);

    for (options.alignment = 8; options.alignment <= 4096; options.alignment *= 2)
        assert_all_seen(&options, 200);
}

/* The memory after the last chunk may look like one more element. */
TEST(memory_behind_a_chunk_is_not_taken_for_elements)
{
    struct fake_options options = fake_options_of(NULL);
    fake_ta behind;

    options.maximum = 10;
    fake_begin(&fake, &options);
    for (int i = 0; i < 10; i++)
        post(i);
    behind = fake_image_alloc(IMAGE, JOB->heap, 64 * 1024, 64);
    for (size_t offset = 0; offset < 64 * 1024; offset += 64)
        PUT(behind + offset, opal_object_t, obj_class, JOB->classes[FAKE_TYPE_mca_pml_ob1_recv_request_t]);
    fake_operations(mqs_pending_receives, 10);
}

SUITE(default_job, fake_setup, fake_teardown);

/* The growing thread writes fl_num_allocated last: until then the new chunk is in the list and does not count. */
TEST_ON(default_job, chunk_under_construction_is_not_looked_into)
{
    fake_ta chunk;

    post(1);
    chunk = fake_malloc(JOB, 64 * 1024);
    fake_construct(JOB, chunk, FAKE_TYPE_opal_free_list_item_t);
    fake_list_append(JOB, AT(JOB->recv_requests, opal_free_list_t, fl_allocations), chunk);
    fake_operations(mqs_pending_receives, 1);
}

/* Elements that cannot be read are not listed. The others are listed, and an error is returned. */
TEST_ON(default_job, unreadable_chunk_is_an_error_after_the_rest)
{
    const struct fake_queue *queue;

    for (int i = 0; i < 300; i++)
        post(i);
    fake_image_set_hidden(IMAGE, fake_free_list_take(JOB, JOB->recv_requests), 1, true);
    assert_int_equal(fake_look(&fake), mqs_ok);
    queue = fake_queue(&fake, 0, mqs_pending_receives);
    assert_int_equal(queue->setup, mqs_ok);
    assert_true(queue->n >= 100);
    assert_true(queue->error >= mqs_first_user_code);
}

/* pml/v puts its own class around ob1's: elements are larger, their class derives from ob1's. */
TEST_ON(default_job, elements_of_a_derived_class_are_listed)
{
    fake_ta class = fake_malloc(JOB, FAKE_SIZE(IMAGE, opal_class_t)), list = JOB->recv_requests;

    PUT(class, opal_class_t, cls_name,
        fake_image_put_string(IMAGE, JOB->heap, "mca_vprotocol_pessimist_recv_request_t"));
    PUT(class, opal_class_t, cls_parent, JOB->classes[FAKE_TYPE_mca_pml_ob1_recv_request_t]);
    PUT(class, opal_class_t, cls_sizeof, FAKE_SIZE(IMAGE, mca_pml_ob1_recv_request_t) + 64);
    fake_free_list_init(JOB, list, FAKE_TYPE_mca_pml_ob1_recv_request_t,
                        FAKE_SIZE(IMAGE, mca_pml_ob1_recv_request_t) + 64 + 96);
    PUT(list, opal_free_list_t, fl_frag_class, class);
    for (int i = 0; i < 5; i++)
        post(i);
    fake_operations(mqs_pending_receives, 5);
}

TEST_ON(default_job, ten_thousand_receives_cost_at_most_a_thousand_reads)
{
    enum { COMMS = 25, EACH = 400 };
    struct fake_comm comms[COMMS] = { JOB->world };
    fake_ta group = JOB->world.local_group;

    for (uint32_t i = 1; i < COMMS; i++)
        comms[i] = fake_comm_new(JOB, i + 2, "many", group, group);
    for (int i = 0; i < EACH; i++)
        for (int comm = 0; comm < COMMS; comm++)
            fake_irecv(JOB, &comms[comm], &(struct fake_recv){ 2, i, 1, JOB->mpi_int, 0x1000 });
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(fake.listing.n_comms, COMMS + 1);
    for (int comm = 0; comm < COMMS; comm++) {
        const struct fake_queue *queue = fake_queue(&fake, comms[comm].id, mqs_pending_receives);

        assert_int_equal(queue->n, EACH);
        assert_int_equal(queue->error, mqs_ok);
        for (int i = 0; i < EACH; i++)
            assert_int_equal(queue->operations[i].desired_tag, i);
    }
    print_message("10,000 receives: %ld reads, %zu bytes\n", HOST->n_reads, HOST->bytes_read);
    assert_in_range(HOST->n_reads, 1, 1000);
}

TEST_ON(default_job, twenty_thousand_messages_cost_at_most_five_hundred_reads)
{
    enum { N = 20000 };
    const mqs_pending_operation *ops;

    for (int i = 0; i < N; i++)
        fake_arrive(JOB, &JOB->world, &(struct fake_message){ i % 4, i / 4, 8, FAKE_HDR_MATCH });
    ops = fake_operations(mqs_unexpected_messages, N);
    for (int i = 0; i < N; i++) {
        assert_int_equal(ops[i].desired_tag, i % (N / 4));
        assert_int_equal(ops[i].desired_local_rank, (i / (N / 4) + 1) % 4);
    }
    print_message("20,000 messages: %ld reads, %zu bytes\n", HOST->n_reads, HOST->bytes_read);
    assert_in_range(HOST->n_reads, 1, 500);
}

TEST_ON(default_job, process_without_operations_costs_few_reads)
{
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_in_range(HOST->n_reads, 1, 130);
}
