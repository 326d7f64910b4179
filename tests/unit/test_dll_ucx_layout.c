/*
 * test_dll_ucx_layout.c - which tables of UCX remain, what is shown where several do, and what is said where none does.
 */
#include "fake_test.h"

static enum mqd_reason reason_of_queue(mqs_op_class op_class)
{
    const struct fake_queue *queue = fake_queue(&fake, 0, op_class);

    return (enum mqd_reason)EXTENSION->reason_of(queue->setup != mqs_ok ? queue->setup : queue->error);
}

/* Why receives, sends and messages are not listed, or not all of them. */
static void expect_reasons(enum mqd_reason receives, enum mqd_reason sends, enum mqd_reason messages)
{
    assert_int_equal(reason_of_queue(mqs_pending_receives), receives);
    assert_int_equal(reason_of_queue(mqs_pending_sends), sends);
    assert_int_equal(reason_of_queue(mqs_unexpected_messages), messages);
}

static struct mqd_library_summary library(void)
{
    struct mqd_library_summary summary;

    memset(&summary, 0, sizeof summary);
    (void)EXTENSION->describe_library(PROCESS, 0, &summary);
    return summary;
}

/* The result of the probe whose name has these words. */
static const char *probe(const char *words)
{
    struct mqd_probe_description probe;

    for (int i = 0; EXTENSION->describe_probe(PROCESS, i, &probe) == mqs_ok; i++)
        if (strstr(probe.name, words) != NULL)
            return probe.result;
    fail_msg("there is no probe \"%s\"", words);
    return NULL;
}

static void look(void)
{
    assert_int_equal(fake_look(&fake), mqs_ok);
}

/* Which members decide: those that a listing reads, or that a probe reads. */
static bool is_read(int member)
{
    return member != FAKE_MEMBER_ucp_proto_config_t__operation && member != FAKE_MEMBER_ucp_worker_t__uuid;
}

static bool is_alike(const struct fake_build *one, const struct fake_build *other)
{
    for (int member = 0; member < FAKE_N_MEMBERS; member++)
        if (is_read(member) && one->members[member].offset != other->members[member].offset)
            return false;
    return one->types[FAKE_TYPE_ucp_request_t].size == other->types[FAKE_TYPE_ucp_request_t].size &&
           one->types[FAKE_TYPE_ucp_recv_desc_t].size == other->types[FAKE_TYPE_ucp_recv_desc_t].size;
}

/* Only tables with the same layout remain, once there are receives and messages. */
TEST_WITH(right_tables_remain, fake_ucx_setup_populated, fake_teardown, &fake_ucx_106, &fake_ucx_110, &fake_ucx_113,
          &fake_ucx_113_assert, &fake_ucx_113_data, &fake_ucx_113_assert_data, &fake_ucx_118, &fake_ucx_118_assert,
          &fake_ucx_122)
{
    int n = 0;

    for (size_t i = 0; i < mqd_n_ucx_tables; i++) {
        struct fake_build other = fake_ucx_of_table(mqd_ucx_tables[i]);

        n += is_alike(build, &other);
    }
    look();
    assert_in_range(n, 1, 30);
    assert_int_equal(library().n_fitting, n);
    assert_int_equal(library().version_in_family, 1);
    assert_true(fake_ucx_has_variant(library().variant, build->variant));
    assert_string_equal(probe("posted receives"), "passed");
}

SUITE(populated, fake_ucx_setup_populated, fake_teardown, &fake_ucx_113_assert);

TEST_ON(populated, probes_pass_in_a_populated_process)
{
    static const char *const probes[] = { "context of the PML", "operations of requests", "size of the pool's elements",
                                          "Open MPI's requests in", "free elements", "queues of posted",
                                          "lists of unexpected", "settings", "UCX: posted receives",
                                          "UCX: unexpected messages" };

    look();
    for (size_t i = 0; i < sizeof probes / sizeof probes[0]; i++)
        assert_string_equal(probe(probes[i]), "passed");
}

/* A receive that a message has matched, and that is not complete: nothing tells where its tag is. */
static fake_ta matched_receive(void)
{
    fake_ta request = fake_ucx_irecv(UCX, &JOB->world, &(struct fake_recv){ 2, 3, 9, JOB->mpi_int, 0x1000 });

    fake_ucx_match(UCX, request, &JOB->world, 2, 3, 8);
    return request;
}

SUITE(undecided, fake_ucx_setup_undecided, fake_teardown, &fake_ucx_113_assert, &fake_ucx_118);

/* A build with data for debugging has another place for tags, which only a receive or a message can show. */
TEST_ON(undecided, nothing_to_list_needs_no_decision)
{
    look();
    assert_in_range(library().n_fitting, 2, 30);
    assert_string_not_equal(library().next_best, "");
    assert_string_equal(probe("UCX: posted receives"), "not possible");
    for (int op = 0; op < FAKE_N_QUEUES; op++) {
        assert_int_equal(reason_of_queue((mqs_op_class)op), MQD_REASON_none);
        assert_int_equal(fake_queue(&fake, 0, (mqs_op_class)op)->n, 0);
    }
}

TEST_WITH(receive_that_decides_nothing_is_not_listed, fake_ucx_setup_undecided, fake_teardown, &fake_ucx_113,
          &fake_ucx_113_assert_data)
{
    struct fake_ucx_send send = { .destination = 2, .tag = 7, .count = 5, .datatype = JOB->mpi_int, .buffer = 0x4000,
                                  .callback = FAKE_UCX_SEND };

    matched_receive();
    fake_ucx_isend(UCX, &JOB->world, &send);
    look();
    assert_int_equal(reason_of_queue(mqs_pending_receives), MQD_REASON_undecided);
    assert_int_equal(fake_queue(&fake, 0, mqs_pending_sends)->n, 1);
    assert_int_equal(fake_queue(&fake, 0, mqs_pending_sends)->operations[0].desired_tag, 7);
    assert_int_equal(fake_queue(&fake, 0, mqs_pending_sends)->operations[0].desired_length, 20);
    fake_ucx_decide();
    look();
    assert_int_equal(reason_of_queue(mqs_pending_receives), MQD_REASON_none);
    assert_int_equal(fake_queue(&fake, 0, mqs_pending_receives)->n, 1);
}

/* UCX and Open MPI both have the envelope of what has arrived. */
TEST_WITH(complete_receive_decides, fake_ucx_setup_undecided, fake_teardown, &fake_ucx_113_assert,
          &fake_ucx_113_assert_data, &fake_ucx_118)
{
    fake_ucx_complete(UCX, matched_receive(), FAKE_UCX_OK, 0);
    look();
    assert_int_equal(reason_of_queue(mqs_pending_receives), MQD_REASON_none);
    assert_int_equal(fake_queue(&fake, 0, mqs_pending_receives)->n, 1);
    assert_int_equal(fake_queue(&fake, 0, mqs_pending_receives)->operations[0].actual_length, 8);
    assert_true(fake_ucx_has_variant(library().variant, build->variant));
    assert_string_equal(probe("UCX: receives in the pool"), "passed");
}

SUITE(undecided_assert, fake_ucx_setup_undecided, fake_teardown, &fake_ucx_113_assert, &fake_ucx_113_assert_data);

/* One of the two contents decides both: the variant has both or none. */
TEST_ON(undecided_assert, receive_alone_decides)
{
    fake_ucx_irecv(UCX, &JOB->world, &(struct fake_recv){ 2, 3, 1, JOB->mpi_int, 0x1000 });
    look();
    assert_int_equal(fake_queue(&fake, 0, mqs_pending_receives)->n, 1);
    assert_true(fake_ucx_has_variant(library().variant, build->variant));
    assert_int_equal(reason_of_queue(mqs_unexpected_messages), MQD_REASON_none);
}

TEST_ON(undecided_assert, message_alone_decides)
{
    fake_ucx_arrive(UCX, 0, &(struct fake_ucx_message){ 2, 4, 8, 0, FAKE_UCX_ONLY, 0 });
    look();
    assert_int_equal(fake_queue(&fake, 0, mqs_unexpected_messages)->n, 1);
    assert_true(fake_ucx_has_variant(library().variant, build->variant));
    assert_int_equal(reason_of_queue(mqs_pending_receives), MQD_REASON_none);
}

/* A release that no table is for: a member of the worker is elsewhere. */

static struct fake_build newer;

static void setup_newer(const struct fake_build *build)
{
    newer = fake_ucx_122;
    newer.version = build->version;
    newer.members[FAKE_MEMBER_ucp_worker_t__tm].offset += 40;
    newer.members[FAKE_MEMBER_ucp_worker_t__req_mp].offset += 24;
    fake_ucx_begin(&fake_release, &newer);
    fake_ucx_decide();
}

static const struct fake_build release_130 = { .version = "1.30.0" };

TEST_WITH(newer_release_is_refused_and_told, setup_newer, fake_teardown, &release_130)
{
    struct mqd_field_description field;
    char place[64];

    look();
    for (int i = 0; EXTENSION->describe_field(PROCESS, i, &field) == mqs_ok; i++)
        assert_int_equal(strncmp(field.type, "ucp_", 4) == 0 && strcmp(field.source, "absent") != 0, 0);
    expect_reasons(MQD_REASON_no_library_layout, MQD_REASON_no_library_layout, MQD_REASON_no_library_layout);
    assert_int_equal(EXTENSION->reason_of(EXTENSION->describe_library(PROCESS, 0,
                                                                          &(struct mqd_library_summary){ .name = "" })),
                     MQD_REASON_no_library_layout);
    assert_string_equal(library().version, "1.30.0");
    assert_string_equal(library().family, "");
    snprintf(place, sizeof place, "tag matching at %zu", newer.members[FAKE_MEMBER_ucp_worker_t__tm].offset);
    assert_has(library().found, place);
    snprintf(place, sizeof place, "its requests at %zu", newer.members[FAKE_MEMBER_ucp_worker_t__req_mp].offset);
    assert_has(library().found, place);
    snprintf(place, sizeof place, "its context at %zu", newer.members[FAKE_MEMBER_ucp_worker_t__context].offset);
    assert_has(library().found, place);
    assert_has(library().found, "newer than any table");
    assert_int_equal(strncmp(library().found, "its worker has ", 15), 0);
    assert_times(library().found, "its worker has ", 1);
    assert_has(fake.listing.message, library().found);
    assert_has(fake.listing.message, "UCX 1.30.0");
    assert_has(fake.listing.message, "--with-ucx-layout");
    assert_string_equal(probe("context of the PML"), "passed");
}

TEST_WITH(known_release_with_another_layout_is_not_said_to_be_newer, setup_newer, fake_teardown, &fake_ucx_118)
{
    look();
    assert_int_equal(reason_of_queue(mqs_pending_receives), MQD_REASON_no_library_layout);
    assert_lacks(library().found, "newer");
    assert_has(library().found, "unlike in any table");
}

/* The settings of the context are in other places in nearly each release, and are needed for nothing else. */
TEST_WITH(moved_settings_alone_are_no_reason_to_refuse, NULL, fake_teardown, &fake_ucx_118_assert)
{
    struct fake_build moved = *build;

    moved.members[FAKE_MEMBER_ucp_context_t__tag_sender_mask].offset += 320;
    moved.members[FAKE_MEMBER_ucp_context_t__request_size].offset += 320;
    moved.members[FAKE_MEMBER_ucp_context_t__request_init].offset += 320;
    fake_ucx_begin(&fake_release, &moved);
    fake_ucx_decide();
    look();
    assert_int_equal(reason_of_queue(mqs_pending_receives), MQD_REASON_none);
    assert_int_equal(reason_of_queue(mqs_unexpected_messages), MQD_REASON_none);
    assert_string_equal(probe("settings"), "failed");
    assert_true(fake_ucx_has_variant(library().variant, moved.variant));
}

/* UCX is stopped in the middle of a change. */

static fake_ta tm(void)
{
    return AT(UCX->worker, ucp_worker_t, tm);
}

SUITE(each, fake_ucx_setup, fake_teardown, &fake_ucx_113_assert);

TEST(changing_queue_is_refused_and_the_others_are_shown)
{
    PUT(tm(), ucp_tag_match_t, sw_all_count, 17);
    look();
    assert_int_equal(reason_of_queue(mqs_pending_receives), MQD_REASON_damaged);
    assert_has(mqs_dll_error_string(fake_queue(&fake, 0, mqs_pending_receives)->setup), "look again");
    assert_int_equal(reason_of_queue(mqs_unexpected_messages), MQD_REASON_none);
    assert_int_equal(reason_of_queue(mqs_pending_sends), MQD_REASON_none);
    assert_string_equal(probe("queues of posted receives"), "failed");
    PUT(tm(), ucp_tag_match_t, sw_all_count, 1);
    look();
    assert_int_equal(reason_of_queue(mqs_pending_receives), MQD_REASON_none);
}

TEST(changing_list_is_refused_and_the_others_are_shown)
{
    fake_ta all = AT(tm(), ucp_tag_match_t, unexpected_all);
    fake_ta first = GET(all, ucs_list_link_t, next);

    PUT(first, ucs_list_link_t, prev, first);
    look();
    expect_reasons(MQD_REASON_none, MQD_REASON_none, MQD_REASON_damaged);
    PUT(first, ucs_list_link_t, prev, all);
    look();
    assert_int_equal(reason_of_queue(mqs_unexpected_messages), MQD_REASON_none);
}

/* No candidate passes the test of receives then. Messages decide all the same. */
TEST_WITH(damaged_receive_leaves_messages_decided, fake_ucx_setup_undecided, fake_teardown, &fake_ucx_113_assert)
{
    fake_ta request = fake_ucx_irecv(UCX, &JOB->world, &(struct fake_recv){ 2, 3, 1, JOB->mpi_int, 0x1000 });

    PUT(request, ucp_request_t, recv_worker, 8);
    fake_ucx_arrive(UCX, 0, &(struct fake_ucx_message){ 2, 4, 8, 0, FAKE_UCX_ONLY, 0 });
    look();
    assert_int_equal(reason_of_queue(mqs_pending_receives), MQD_REASON_damaged);
    assert_int_equal(reason_of_queue(mqs_unexpected_messages), MQD_REASON_none);
    assert_int_equal(fake_queue(&fake, 0, mqs_unexpected_messages)->n, 1);
}

/* Which PML is in force, and where its worker is. */

TEST(no_worker_is_told)
{
    PUT(UCX->module, mca_pml_ucx_module_t, ucp_worker, 0);
    look();
    for (int op = 0; op < FAKE_N_QUEUES; op++)
        assert_int_not_equal(reason_of_queue((mqs_op_class)op), MQD_REASON_none);
    assert_has(fake.listing.message, "worker");
}

TEST(no_module_is_told)
{
    fake_image_set_symbol_hidden(IMAGE, "ompi_pml_ucx", true);
    look();
    assert_int_equal(reason_of_queue(mqs_pending_receives), MQD_REASON_no_symbol);
    assert_has(fake.listing.message, "ompi_pml_ucx");
}

/* A send is known by its callback: where none is found no empty queue may look like nothing pending. */
TEST(sends_without_their_callbacks_are_an_error)
{
    static const char *const names[] = { "mca_pml_ucx_bsend_completion", "mca_pml_ucx_bsend_nbx_completion",
                                         "mca_pml_ucx_send_completion",  "mca_pml_ucx_send_nbx_completion",
                                         "mca_pml_ucx_psend_completion", "mca_pml_ucx_send_completion_empty" };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        fake_image_set_symbol_hidden(IMAGE, names[i], true);
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(reason_of_queue(mqs_pending_sends), MQD_REASON_no_symbol);
    assert_int_equal(reason_of_queue(mqs_pending_receives), MQD_REASON_none);
}

/* Without symbols of UCX the content decides alone. */
TEST_WITH(symbols_of_ucx_are_not_needed, fake_ucx_setup, fake_teardown, &fake_ucx_113_assert, &fake_ucx_118)
{
    fake_image_set_symbol_hidden(IMAGE, "ucp_request_mpool_ops", true);
    fake_image_set_symbol_hidden(IMAGE, "ucp_get_version", true);
    fake_image_set_symbol_hidden(IMAGE, "mca_pml_ucx_request_init", true);
    look();
    assert_int_equal(reason_of_queue(mqs_pending_receives), MQD_REASON_none);
    assert_string_equal(probe("operations of requests"), "not possible");
    assert_string_equal(library().version, "");
    assert_int_equal(library().version_in_family, -1);
}

TEST(other_code_states_no_version)
{
    fake_ta code;

    assert_true(fake_image_find_symbol(IMAGE, "ucp_get_version", &code));
    /* All bytes of a number count. */
    fake_image_put(IMAGE, code + 2, 4, 0x04030201);
    look();
    assert_string_equal(library().version, "67305985.13.1");
    fake_image_put(IMAGE, code + 6, 1, 0x90);
    fake.opened = false;
    look();
    assert_string_equal(library().version, "");
    assert_int_equal(reason_of_queue(mqs_pending_receives), MQD_REASON_none);
}

TEST_WITH(version_after_an_entry_mark_is_read, fake_ucx_setup, fake_teardown, &fake_ucx_122)
{
    unsigned char bytes[18];
    fake_ta code;

    assert_true(fake_image_find_symbol(IMAGE, "ucp_get_version", &code));
    fake_image_get_bytes(IMAGE, code, bytes, sizeof bytes);
    fake_image_put_bytes(IMAGE, code + 4, bytes, sizeof bytes);
    fake_image_put_bytes(IMAGE, code, "\xf3\x0f\x1e\xfa", 4);
    look();
    assert_string_equal(library().version, build->version);
}

/* The PML monitoring puts itself before the one that it watches. */
TEST(monitored_pml_is_recognised)
{
    fake_ta selected, real = fake_malloc(JOB, FAKE_SIZE(IMAGE, mca_pml_base_module_t)), irecv;

    assert_true(fake_image_find_symbol(IMAGE, "mca_pml", &selected));
    assert_true(fake_image_find_symbol(IMAGE, "mca_pml_ucx_irecv", &irecv));
    fake_select_pml(JOB, "monitoring");
    PUT(selected, mca_pml_base_module_t, pml_irecv, irecv + 8);
    PUT(real, mca_pml_base_module_t, pml_irecv, irecv);
    look();
    assert_int_not_equal(reason_of_queue(mqs_pending_receives), MQD_REASON_none);
    fake_image_add_symbol(IMAGE, "pml_selected_module", UCX->so, real);
    look();
    assert_int_equal(reason_of_queue(mqs_pending_receives), MQD_REASON_none);
    assert_string_equal(library().name, "UCX");
}

/* What is described. */

TEST_WITH(types_and_members_of_ucx_are_described, fake_ucx_setup, fake_teardown, &fake_ucx_118_assert)
{
    struct mqd_type_description type;
    struct mqd_field_description field;
    bool has_type = false, has_field = false;

    look();
    for (int i = 0; EXTENSION->describe_type(PROCESS, i, &type) == mqs_ok; i++) {
        if (strcmp(type.name, "ucp_request_t") != 0)
            continue;
        has_type = true;
        assert_string_equal(type.source, "table");
        assert_int_equal(type.size, build->types[FAKE_TYPE_ucp_request_t].size);
        assert_int_equal(type.live_size, -1);
    }
    for (int i = 0; EXTENSION->describe_field(PROCESS, i, &field) == mqs_ok; i++) {
        if (strcmp(field.type, "ucp_request_t") != 0 || strcmp(field.member, "recv_tag_mask") != 0)
            continue;
        has_field = true;
        assert_int_equal(field.offset, build->members[FAKE_MEMBER_ucp_request_t__recv_tag_mask].offset);
        assert_int_equal(field.table_offset, field.offset);
        assert_int_equal(field.size, 8);
    }
    assert_true(has_type && has_field);
}

TEST_WITH(process_without_ucx_describes_none, fake_setup, fake_teardown)
{
    struct mqd_library_summary summary;
    struct mqd_type_description type;

    look();
    assert_int_equal(EXTENSION->describe_library(PROCESS, 0, &summary), mqs_end_of_list);
    for (int i = 0; EXTENSION->describe_type(PROCESS, i, &type) == mqs_ok; i++)
        assert_int_not_equal(strncmp(type.name, "ucp_", 4), 0);
}

/* The debugger has the types of UCX that the build's table has, or only one of them. */
static void know(const struct fake_build *build, enum fake_type only)
{
    static struct fake_build known;

    known = fake_ucx_of_table(fake_table(build, mqd_ucx_tables, mqd_n_ucx_tables));
    fake_types_all(HOST, &known);
    for (int type = 0; type < FAKE_N_TYPES && only != FAKE_N_TYPES; type++)
        if (type != (int)only)
            fake_types_set(HOST, (enum fake_type)type, FAKE_UNKNOWN_TYPE);
}

static void assert_right(void)
{
    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    assert_int_equal(fake_judge(&fake.listing, &fake.truth), FAKE_RIGHT);
}

TEST_WITH(types_that_agree_are_used, fake_ucx_setup_populated, fake_teardown, &fake_ucx_113_assert, &fake_ucx_118)
{
    know(build, FAKE_N_TYPES);
    assert_right();
    assert_in_range(library().n_types_known, 15, 40);
    assert_string_equal(library().source, "table+live");
    know(build, FAKE_TYPE_ucp_worker_t);
    assert_right();
    assert_int_equal(library().n_types_known, 1);
    know(build, FAKE_TYPE_ucp_recv_desc_t);
    HOST->types.size[FAKE_TYPE_ucp_recv_desc_t] = -1;
    assert_right();
    /* What one library's layout rests on is not what the other's does. */
    fake_types_all(HOST, &fake_release);
    assert_right();
    assert_string_equal(fake_summary().source, "table+live");
    assert_string_equal(library().source, "table");
}

/* The sizes of types decide what only content does otherwise. */
TEST_ON(undecided, types_decide)
{
    matched_receive();
    know(build, FAKE_N_TYPES);
    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    assert_int_equal(reason_of_queue(mqs_pending_receives), MQD_REASON_none);
    assert_int_equal(fake_queue(&fake, 0, mqs_pending_receives)->n, 1);
    assert_int_equal(fake_queue(&fake, 0, mqs_pending_receives)->operations[0].actual_length, 8);
}

/* They may be another build's. Then nothing may be listed otherwise than it is, without a word. */
TEST_ON(populated, types_that_differ_are_told)
{
    know(&fake_ucx_122, FAKE_N_TYPES);
    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    assert_int_not_equal(fake_judge(&fake.listing, &fake.truth), FAKE_SILENT);
    know(build, FAKE_N_TYPES);
    HOST->types.offset[FAKE_MEMBER_ucp_worker_t__tm] += 8;
    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    assert_int_not_equal(fake_judge(&fake.listing, &fake.truth), FAKE_SILENT);
    assert_int_not_equal(reason_of_queue(mqs_pending_receives), MQD_REASON_none);
    /* No table agrees with them, so all are tried. */
    assert_string_equal(probe("context of the PML"), "passed");
}
