/*
 * test_dll_matching.c - builds with custom matching (--with-pml-ob1-matching): their queues, and how the DLL finds out
 * which kind they are. The state of each test is a build.
 */
#include "fake_test.h"

#include <inttypes.h>

/* More than two nodes of any kind hold. */
enum { N_MANY = 150, N_SOURCES = 4, FIRST_TAG = 100 };

static fake_ta arrive(int i)
{
    const struct fake_message message = { i * 7 % N_SOURCES, FIRST_TAG + i, 8, FAKE_HDR_MATCH };

    return fake_arrive(JOB, &JOB->world, &message);
}

static fake_ta post(int i)
{
    return fake_irecv(JOB, &JOB->world,
                      &(struct fake_recv){ i % 2 ? FAKE_ANY : 1, FIRST_TAG + i, 1, JOB->mpi_byte, 0x1000 });
}

/* What has decided, and for which build. */
static void expect_decision(const char *decided, const struct fake_build *build)
{
    assert_string_equal(fake_summary().decided, decided);
    if (build != NULL)
        assert_string_equal(fake_summary().variant, build->variant);
}

SUITE(each, fake_setup, fake_teardown, &fake_custom_507, &fake_arrays_507, &fake_fuzzy_507, &fake_vector_507);

TEST(messages_come_as_they_came_whoever_sent_them)
{
    const mqs_pending_operation *ops;

    for (int i = 0; i < N_MANY; i++)
        arrive(i);
    ops = fake_tagged(mqs_unexpected_messages, N_MANY, FIRST_TAG);
    for (int i = 0; i < N_MANY; i++)
        assert_int_equal(ops[i].desired_local_rank, i * 7 % N_SOURCES);
}

/* Every third value is matched, and all values of some nodes. The rest of the queue has holes. */
TEST(probe_is_found_behind_receives_of_which_some_are_matched)
{
    const mqs_pending_operation *ops;
    fake_ta requests[N_MANY];
    size_t n = 0;

    for (int i = 0; i < N_MANY; i++)
        requests[i] = post(i);
    fake_probe(JOB, &JOB->world, 2, 7);
    for (int i = 0; i < N_MANY; i++)
        if (i % 3 == 1 || i < 20) {
            fake_recv_match(JOB, requests[i], 1, FIRST_TAG + i, 1);
            n++;
        }
    ops = fake_operations(mqs_pending_receives, N_MANY + 1);
    assert_int_equal(ops[N_MANY].desired_tag, 7);
    assert_true(fake_says(&ops[N_MANY], "Probe"));
    for (size_t i = 0; i < N_MANY; i++)
        n -= ops[i].status == mqs_st_matched;
    assert_int_equal(n, 0);
}

TEST(build_is_told_by_what_stands_in_its_queues)
{
    fake_ta request;

    fake_operations(mqs_pending_receives, 0);
    expect_decision("first", NULL);
    /* Those of 5.0.11 have the same sizes: the last that is asked is the version. */
    assert_int_equal(fake_summary().n_fitting, 8);
    request = post(0);
    fake_operations(mqs_pending_receives, 1);
    expect_decision("version string", build);
    /* What is known stays known when the queues are empty again. */
    fake_recv_cancel(JOB, request);
    fake_operations(mqs_pending_receives, 1);
    expect_decision("version string", build);
}

TEST(build_is_told_by_its_messages_too)
{
    arrive(1);
    fake_operations(mqs_unexpected_messages, 1);
    expect_decision("version string", build);
}

TEST(debuggers_types_tell_the_build)
{
    fake_types_all(HOST, build);
    fake_operations(mqs_pending_receives, 0);
    expect_decision("version string", build);
    assert_string_equal(fake_summary().source, "table+live");
}

/* They do not show how many values a node can hold. */
TEST(debuggers_types_do_without_a_table)
{
    size_t size = build->types[FAKE_TYPE_ompi_group_t].size + 8;

    fake_types_all(HOST, build);
    PUT(JOB->classes[FAKE_TYPE_ompi_group_t], opal_class_t, cls_sizeof, size);
    HOST->types.size[FAKE_TYPE_ompi_group_t] = (int)size;
    for (int i = 0; i < N_MANY; i++)
        arrive(i);
    fake_tagged(mqs_unexpected_messages, N_MANY, FIRST_TAG);
    assert_string_equal(fake_summary().source, "live");
}

static void assert_refused(mqs_op_class op_class, size_t n)
{
    const struct fake_queue *queue;

    fake_look_well();
    queue = fake_queue(&fake, 0, op_class);
    assert_int_equal(queue->n, n);
    assert_true(queue->error >= mqs_first_user_code);
    assert_has(mqs_dll_error_string(queue->error), "--with-pml-ob1-matching");
}

/* The queue states its number of values. If there are fewer or more, this is an error. */
TEST(queue_of_another_length_than_it_says_is_told)
{
    fake_ta umq = GET(JOB->world.pml, mca_pml_ob1_comm_t, umq);

    for (int i = 0; i < 4; i++)
        arrive(i);
    fake_operations(mqs_unexpected_messages, 4);
    PUT(umq, custom_match_umq, size, 5);
    assert_refused(mqs_unexpected_messages, 4);
    PUT(umq, custom_match_umq, size, -1);
    assert_refused(mqs_unexpected_messages, 0);
}

/* The queue states a large size, and every node is valid. Without a count the walk would never end. */
TEST(node_that_comes_twice_refuses_the_queue)
{
    enum { N_LAST = 40 };
    static const struct {
        mqs_op_class op_class;
        size_t n;                  /* operations that are listed all the same */
    } queues[] = {{mqs_unexpected_messages, 0}, {mqs_pending_receives, N_LAST}};
    fake_ta umq = GET(JOB->world.pml, mca_pml_ob1_comm_t, umq), prq = GET(JOB->world.pml, mca_pml_ob1_comm_t, prq);
    fake_ta nodes[2][N_LAST];
    size_t n_nodes[2] = {0, 0};

    for (int i = 0; i < N_LAST; i++) {
        arrive(i);
        post(i);
    }
    for (fake_ta node = GET(umq, custom_match_umq, head); node != 0; node = GET(node, custom_match_umq_node, next))
        nodes[0][n_nodes[0]++] = node;
    for (fake_ta node = GET(prq, custom_match_prq, head); node != 0; node = GET(node, custom_match_prq_node, next))
        nodes[1][n_nodes[1]++] = node;
    PUT(umq, custom_match_umq, size, 1000000);
    PUT(prq, custom_match_prq, size, 1000000);
    for (size_t back = 0; back < n_nodes[0] || back < n_nodes[1]; back++) {
        long n_reads;

        if (back < n_nodes[0])
            PUT(nodes[0][n_nodes[0] - 1], custom_match_umq_node, next, nodes[0][back]);
        if (back < n_nodes[1])
            PUT(nodes[1][n_nodes[1] - 1], custom_match_prq_node, next, nodes[1][back]);
        n_reads = HOST->n_reads;
        for (int i = 0; i < 2; i++)
            assert_refused(queues[i].op_class, queues[i].n);
        assert_true(HOST->n_reads - n_reads < 1000);
    }
}

/* One message or receive is in a queue twice. The length of the queue is as it states. */
TEST(value_that_comes_twice_refuses_the_queue)
{
    fake_ta umq = GET(JOB->world.pml, mca_pml_ob1_comm_t, umq);
    fake_ta fragment = 0;

    for (int i = 0; i < N_MANY; i++)
        fragment = arrive(i);
    fake_image_put_pointer(IMAGE, AT(GET(umq, custom_match_umq, head), custom_match_umq_node, value), fragment);
    assert_refused(mqs_unexpected_messages, 0);
}

/* Nodes of an unknown way of matching. They are not read; receives are found in their free list. */
TEST(nodes_of_an_unknown_kind_are_refused_by_name)
{
    fake_ta prq = GET(JOB->world.pml, mca_pml_ob1_comm_t, prq), umq = GET(JOB->world.pml, mca_pml_ob1_comm_t, umq);
    fake_ta node = fake_malloc(JOB, 2048);

    arrive(0);
    post(0);
    for (size_t i = 0; i < 2048; i += 8)
        fake_image_put_pointer(IMAGE, node + i, node + i);
    PUT(prq, custom_match_prq, head, node);
    PUT(umq, custom_match_umq, head, node);
    assert_refused(mqs_unexpected_messages, 0);
    assert_refused(mqs_pending_receives, 1);
    expect_decision("first", NULL);
    fake_image_put_pointer(IMAGE, node, 0);
    fake_image_zero(IMAGE, node, 2048);
    assert_refused(mqs_unexpected_messages, 0);
    assert_refused(mqs_pending_receives, 1);
}

TEST(value_of_another_class_proves_nothing)
{
    fake_ta umq = GET(JOB->world.pml, mca_pml_ob1_comm_t, umq);

    arrive(0);
    fake_image_put_pointer(IMAGE, AT(GET(umq, custom_match_umq, head), custom_match_umq_node, value), JOB->world.ta);
    assert_refused(mqs_unexpected_messages, 0);
    expect_decision("first", NULL);
}

/* One queue that is being changed does not make the others another build's. */
TEST(one_broken_queue_does_not_change_the_build)
{
    arrive(0);
    post(1);
    PUT(GET(JOB->world.pml, mca_pml_ob1_comm_t, umq), custom_match_umq, size, 2);
    assert_refused(mqs_unexpected_messages, 1);
    fake_operations(mqs_pending_receives, 1);
    assert_string_equal(fake_summary().variant, build->variant);
}

/* Changes each word from there on, one at a time: what is listed then is right, or it is told. */
static void falsify(fake_ta start, size_t size)
{
    for (fake_ta ta = start; ta < start + size; ta += 8) {
        uint64_t old = fake_image_get(IMAGE, ta, 8);
        const uint64_t values[] = { 0, 1, UINT64_MAX, ta, start, old + 1, old + 8, old ^ 0x80000000, old << 32 };

        for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
            fake_image_put(IMAGE, ta, 8, values[i]);
            fake_look_anew(&fake);
            assert_string_equal(fake.listing.broken, "");
            if (fake_judge(&fake.listing, &fake.truth) == FAKE_SILENT)
                fail_msg("word %zu of the object at %#" PRIx64 ", set to %#" PRIx64, (size_t)(ta - start) / 8, start,
                         values[i]);
        }
        fake_image_put(IMAGE, ta, 8, old);
    }
}

TEST(no_false_word_of_a_queue_goes_unnoticed)
{
    fake_ta prq = GET(JOB->world.pml, mca_pml_ob1_comm_t, prq), umq = GET(JOB->world.pml, mca_pml_ob1_comm_t, umq);

    for (int i = 0; i < 5; i++) {
        arrive(i);
        post(i);
    }
    fake_probe(JOB, &JOB->world, 2, 7);
    fake_know_truth(&fake);
    falsify(prq, build->types[FAKE_TYPE_custom_match_prq].size);
    falsify(umq, build->types[FAKE_TYPE_custom_match_umq].size);
    for (fake_ta node = GET(prq, custom_match_prq, head); node != 0; node = GET(node, custom_match_prq_node, next))
        falsify(node, build->types[FAKE_TYPE_custom_match_prq_node].size);
    for (fake_ta node = GET(umq, custom_match_umq, head); node != 0; node = GET(node, custom_match_umq_node, next))
        falsify(node, build->types[FAKE_TYPE_custom_match_umq_node].size);
}
