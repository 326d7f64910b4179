/*
 * test_dll_describe.c - what the DLL says of its layout: in detail through the extension, and in one sentence through
 * mqs_process_has_queues where something is refused or left out.
 */
#include "fake_test.h"

#define TO_MAKE_A_TABLE \
    "; a table for this build is made with mqdgen extract --prefix PREFIX -o TABLE and used after " \
    "./configure --with-openmpi-layout=TABLE"

static int look_anew(void)
{
    fake.opened = false;
    return fake_look(&fake);
}

/* A look that lists the process; what the user is told then. */
#define EXPECT_MESSAGE(text) \
    do { \
        assert_int_equal(look_anew(), mqs_ok); \
        assert_string_equal(fake.listing.message, text); \
    } while (0)

/* The summary as text: which Open MPI, which table, what decided, and how many of the classes and types agree. */
static void expect_summary(int rc, const char *expected)
{
    struct mqd_layout_summary summary;
    const char *known, *agreeing;
    char text[1000];

    memset(&summary, 0x5a, sizeof summary);
    assert_int_equal(EXTENSION->describe_layout(PROCESS, &summary), rc);
    known = summary.n_types_known == 0 ? "none" : summary.n_types_known > 30 ? "many" : "few";
    agreeing = summary.n_types_agreeing == 0                      ? "none"
               : summary.n_types_agreeing == summary.n_types_known ? "all"
                                                                   : "few";
    snprintf(text, sizeof text,
             "%s is %s %s %s %s by \"%s\" (%d), rejected \"%s\"; %d fit, \"%s\" decided, next \"%s\"; "
             "classes %d %d %d; %s types known, %s agree",
             summary.openmpi, summary.family, summary.variant, summary.arch, summary.abi, summary.source,
             summary.version_in_family, summary.rejected, summary.n_fitting,
             summary.decided, summary.next_best, summary.n_classes, summary.n_classes_read,
             summary.n_classes_agreeing, known, agreeing);
    assert_int_equal(summary.n_types, rc == mqs_ok ? MQD_TYPE_ucs_list_link_t : summary.n_types);
    fake_match(strdup(text), expected, __FILE__, __LINE__);
}

/* The item that the condition is true of, which there must be. */
#define FIND(describe, item, condition) \
    do { \
        int index = 0; \
\
        while (EXTENSION->describe(PROCESS, index, &(item)) == mqs_ok && !(condition)) \
            index++; \
        assert_int_equal(EXTENSION->describe(PROCESS, index, &(item)), mqs_ok); \
    } while (0)

/* Where a type comes from, and its sizes: in force, by the class descriptor, by the debugger, by the table. */
static void expect_type(const char *name, const char *expected)
{
    struct mqd_type_description type;
    char text[100];

    FIND(describe_type, type, strcmp(type.name, name) == 0);
    snprintf(text, sizeof text, "%s %ld, class %ld, live %ld, table %ld", type.source, (long)type.size,
             (long)type.class_size, (long)type.live_size, (long)type.table_size);
    assert_string_equal(text, expected);
}

/* The same of a member: its kind, its size, and its offsets. */
static void expect_field(const char *type, const char *member, const char *expected)
{
    struct mqd_field_description field;
    char text[100];

    FIND(describe_field, field, strcmp(field.type, type) == 0 && strcmp(field.member, member) == 0);
    snprintf(text, sizeof text, "%s %s %ld at %ld, live %ld, table %ld", field.source, field.kind, (long)field.size,
             (long)field.offset, (long)field.live_offset, (long)field.table_offset);
    assert_string_equal(text, expected);
}

/* Is this shown, and what is said of it? NULL: nothing. */
static void expect_capability(const char *name, bool on, const char *reason)
{
    struct mqd_capability_description capability;

    FIND(describe_capability, capability, strcmp(capability.name, name) == 0);
    assert_int_equal(capability.on, on);
    if (reason == NULL)
        assert_null(capability.reason);
    else
        fake_match(strdup(capability.reason), reason, __FILE__, __LINE__);
}

static void assert_all_on(void)
{
    struct mqd_capability_description capability;

    for (int i = 0; EXTENSION->describe_capability(PROCESS, i, &capability) == mqs_ok; i++) {
        assert_true(capability.on);
        assert_null(capability.reason);
        assert_true(strlen(capability.text) > 0);
    }
}

static void hide_classes(void)
{
    for (int i = 0; i < IMAGE->n_symbols; i++)
        if (strstr(IMAGE->symbols[i].name, "_t_class") != NULL)
            IMAGE->symbols[i].hidden = true;
}

static void resize_class(enum fake_type type, uint64_t size)
{
    PUT(JOB->classes[type], opal_class_t, cls_sizeof, size);
}

SUITE(each, fake_setup, fake_teardown);
SUITE(early, fake_setup_early, fake_teardown);

/* The summary. */

#define OPEN_MPI "4.1.4 is 4.1.0-4.1.8 release x86_64 64-bit little-endian by "

/* A heterogeneous build has the same sizes. The two cannot be told apart, and the summary says so. */
TEST(table_alone_is_described)
{
    EXPECT_MESSAGE("");
    expect_summary(mqs_ok, OPEN_MPI "\"table\" (1), rejected \"\"; 2 fit, \"first\" decided, "
                           "next \"4.1.0-4.1.8 release heterogeneous x86_64\"; classes 22 22 22; none types known, "
                           "none agree");
    assert_all_on();
    /* What the family lacks is absent. */
    expect_type("ompi_comm_extended_cid_t", "absent -1, class -1, live -1, table -1");
    expect_field("ompi_communicator_t", "c_index", "absent none -1 at -1, live -1, table -1");
}

TEST(debuggers_types_are_counted)
{
    fake_types_all(HOST, &fake_release);
    EXPECT_MESSAGE("");
    expect_summary(mqs_ok, OPEN_MPI "\"table+live\" (1), rejected \"\"; *; many types known, all agree");
    expect_type("ompi_communicator_t", "table+live 352, class 352, live 352, table 352");
    expect_field("ompi_communicator_t", "c_my_rank", "table+live i32 4 at 228, live 228, table 228");
    /* The layout does not rest on what only adds to a listing. */
    fake_types_set(HOST, FAKE_TYPE_ompi_win_t, FAKE_UNKNOWN_TYPE);
    EXPECT_MESSAGE("");
    expect_summary(mqs_ok, OPEN_MPI "\"table+live\" *");
}

TEST(types_of_another_build_are_shown_but_not_used)
{
    fake_types_all(HOST, &fake_debug);
    EXPECT_MESSAGE("");
    expect_summary(mqs_ok, OPEN_MPI "\"table\" (1), rejected \"opal_object_t\"; *; many types known, none agree");
    expect_type("opal_object_t", "table 16, class 16, live 40, table 16");
}

TEST(difference_between_debugger_and_table_is_shown)
{
    fake_types_all(HOST, &fake_release);
    HOST->types.offset[FAKE_MEMBER_mca_pml_ob1_comm_t__last_probed] = 224;
    HOST->types.offset[FAKE_MEMBER_mca_pml_ob1_comm_t__num_procs] = 232;
    (void)fake_look(&fake);
    expect_summary(mqs_ok, OPEN_MPI "\"mixed\" *");
    expect_type("mca_pml_ob1_comm_t", "live 240, class 240, live 240, table 240");
    expect_field("mca_pml_ob1_comm_t", "num_procs", "live size 8 at 232, live 232, table 224");
    expect_field("mca_pml_ob1_comm_t", "super", "live struct -1 at 0, live 0, table 0");
    expect_field("ompi_group_t", "grp_my_rank", "table+live i32 4 at 20, live 20, table 20");
}

TEST(every_type_and_field_comes_once_in_order)
{
    struct mqd_field_description field;
    struct mqd_type_description type;
    int n_types = 0, n_fields = 0;

    EXPECT_MESSAGE("");
    for (; EXTENSION->describe_type(PROCESS, n_types, &type) == mqs_ok; n_types++)
        assert_string_equal(type.name, mqd_type_specs[n_types].name);
    for (; EXTENSION->describe_field(PROCESS, n_fields, &field) == mqs_ok; n_fields++) {
        assert_string_equal(field.member, mqd_step_specs[n_fields].member);
        assert_string_equal(field.type, mqd_type_specs[mqd_step_specs[n_fields].type].name);
    }
    /* The process does not use UCX, whose types follow those of Open MPI. */
    assert_int_equal(n_types, MQD_TYPE_ucs_list_link_t);
    assert_int_equal(n_fields, MQD_FIRST_ucs_list_link_t);
}

TEST(nearest_table_is_named_where_none_fits)
{
    int rc;

    resize_class(FAKE_TYPE_ompi_group_t, 80);
    rc = fake_look(&fake);
    assert_true(rc >= mqs_first_user_code);
    expect_summary(rc, "4.1.4 is    64-bit little-endian by \"\" (-1), rejected \"\"; 0 fit, \"\" decided, "
                       "next \"4.1.0-4.1.8 release x86_64\"; classes 22 22 21; *");
    expect_type("ompi_group_t", "absent -1, class 80, live -1, table 72");
    expect_field("ompi_group_t", "grp_my_rank", "absent none -1 at -1, live -1, table -1");
    expect_capability("communicators", false, mqs_dll_error_string(rc));
}

/* A layout that a probe has disproved is described, together with the code that says so. */
TEST(layout_that_a_probe_disproves_is_not_in_force)
{
    int rc;

    PUT(JOB->null.ta, ompi_communicator_t, c_my_rank, 0);
    rc = fake_look(&fake);
    assert_true(rc >= mqs_first_user_code);
    expect_summary(rc, OPEN_MPI "*");
    assert_string_equal(fake_probe_result("MPI_COMM_NULL"), "failed");
    assert_string_equal(fake_probe_result("MPI_COMM_WORLD"), "not reached");
    expect_capability("names", false, "*");
}

TEST(version_of_another_family_is_noticed)
{
    fake_image_put_bytes(IMAGE, JOB->version, "5.0.7", 6);
    EXPECT_MESSAGE("");
    expect_summary(mqs_ok, "5.0.7 is 4.1.0-4.1.8 * by \"table\" (0), *");
    fake_image_put_bytes(IMAGE, JOB->version, "", 1);
    EXPECT_MESSAGE("");
    expect_summary(mqs_ok, " is 4.1.0-4.1.8 * by \"table\" (-1), *");
}

/* Before MPI_Init most is known already; what can be shown is not, yet. */
TEST_ON(early, process_before_mpi_init_is_described)
{
    int rc = fake_look(&fake);

    assert_true(rc >= mqs_first_user_code);
    assert_string_equal(fake.listing.message, "");
    expect_summary(mqs_ok, OPEN_MPI "*; classes 22 *");
    assert_string_equal(fake_probe_result("MPI_COMM_NULL"), "not reached");
    expect_capability("sends", false, mqs_dll_error_string(rc));
}

TEST(process_that_was_only_set_up_is_not_described)
{
    struct mqd_layout_summary summary = {.source = "none"};

    assert_int_equal(mqs_setup_image(&HOST->image, &HOST->image_callbacks), mqs_ok);
    assert_int_equal(mqs_setup_process(PROCESS, &HOST->process_callbacks), mqs_ok);
    assert_true(EXTENSION->describe_layout(PROCESS, &summary) >= mqs_first_user_code);
    assert_string_equal(summary.source, "");
    assert_string_equal(summary.family, "");
    expect_type("ompi_group_t", "absent -1, class -1, live -1, table -1");
    expect_field("ompi_group_t", "grp_my_rank", "absent none -1 at -1, live -1, table -1");
    assert_string_equal(fake_probe_result("MPI_COMM_NULL"), "not reached");
    expect_capability("communicators", false, "*");
}

/* Arguments. */

TEST(describing_reads_nothing)
{
    struct mqd_layout_summary summary;
    struct mqd_type_description type;
    struct mqd_field_description field;
    long n_reads;

    assert_int_equal(fake_look(&fake), mqs_ok);
    n_reads = HOST->n_reads;
    assert_int_equal(EXTENSION->describe_layout(PROCESS, &summary), mqs_ok);
    for (int i = 0; EXTENSION->describe_type(PROCESS, i, &type) == mqs_ok; i++)
        ;
    for (int i = 0; EXTENSION->describe_field(PROCESS, i, &field) == mqs_ok; i++)
        ;
    (void)fake_probe_result("MPI_REQUEST_NULL");
    expect_capability("unexpected", true, NULL);
    assert_int_equal(HOST->n_reads, n_reads);
}

/* All items of one kind: beyond them, and with arguments that are missing, nothing is written. */
#define ASSERT_ITEMS(describe, size) \
    do { \
        static const int beyond[] = {-1, 1000000, INT32_MAX, INT32_MIN}; \
        struct fake_out out; \
\
        fake_out_init(&out); \
        for (size_t i = 0; i < sizeof beyond / sizeof beyond[0]; i++) \
            assert_int_equal(EXTENSION->describe(PROCESS, beyond[i], (void *)out.out.bytes), mqs_end_of_list); \
        assert_true(EXTENSION->describe(PROCESS, 0, NULL) >= mqs_first_user_code); \
        assert_true(EXTENSION->describe(NULL, 0, (void *)out.out.bytes) >= mqs_first_user_code); \
        assert_true(fake_out_intact(&out)); \
        assert_int_equal(EXTENSION->describe(PROCESS, 0, (void *)out.out.bytes), mqs_ok); \
        assert_true(fake_out_within(&out, size)); \
    } while (0)

TEST(items_end_and_touch_nothing_then)
{
    struct fake_out out;

    assert_int_equal(fake_look(&fake), mqs_ok);
    fake_out_init(&out);
    assert_int_equal(EXTENSION->describe_layout(PROCESS, &out.out.summary), mqs_ok);
    assert_true(fake_out_within(&out, sizeof out.out.summary));
    ASSERT_ITEMS(describe_type, sizeof(struct mqd_type_description));
    ASSERT_ITEMS(describe_field, sizeof(struct mqd_field_description));
    ASSERT_ITEMS(describe_probe, sizeof(struct mqd_probe_description));
    ASSERT_ITEMS(describe_capability, sizeof(struct mqd_capability_description));
}

/* Probes: with Sessions MPI_COMM_NULL is in the slot of MPI_COMM_WORLD; a library may hide MPI_REQUEST_NULL. */
TEST(probes_pass_or_are_not_possible)
{
    static const char *const names[] = { "MPI_COMM_NULL", "MPI_COMM_WORLD", "own entry in group", "MPI_REQUEST_NULL" };

    assert_int_equal(fake_look(&fake), mqs_ok);
    for (int i = 0; i < 4; i++)
        assert_string_equal(fake_probe_result(names[i]), "passed");
    /* A communicator has its next tag since 4.1. */
    assert_string_equal(fake_probe_result("collective tags"), JOB->options.build->family >= 410 ? "passed" : "not possible");
    fake_slot_set(JOB, 0, JOB->null.ta);
    fake_image_set_symbol_hidden(IMAGE, "ompi_request_null_addr", true);
    assert_int_equal(look_anew(), mqs_ok);
    for (int i = 0; i < 4; i++)
        assert_string_equal(fake_probe_result(names[i]), i == 0 ? "passed" : "not possible");
}

TEST(findings_are_those_of_the_last_update)
{
    PUT(JOB->request_null, ompi_request_t, req_state, FAKE_ACTIVE);
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_string_equal(fake_probe_result("MPI_REQUEST_NULL"), "failed");
    expect_capability("requests", false, "*");
    PUT(JOB->request_null, ompi_request_t, req_state, FAKE_INACTIVE);
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_string_equal(fake_probe_result("MPI_REQUEST_NULL"), "passed");
    assert_all_on();
    fake_job_finalize(JOB);
    assert_true(fake_look(&fake) >= mqs_first_user_code);
    assert_string_equal(fake_probe_result("MPI_REQUEST_NULL"), "not reached");
    expect_capability("requests", false, "*finalized*");
}

/* Capabilities that are off at run time, and the sentence about them. */

TEST(list_without_a_symbol_switches_off_what_it_holds)
{
    static const char reason[] = "the symbol mca_pml_base_send_requests was not found";

    fake_image_set_symbol_hidden(IMAGE, "mca_pml_base_send_requests", true);
    EXPECT_MESSAGE("Open MPI 4.1.4: send operations are not shown, since the symbol mca_pml_base_send_requests was not "
                   "found");
    expect_capability("sends", false, reason);
    expect_capability("receives", true, NULL);
    expect_capability("unexpected", true, NULL);
    fake_expect_still(0, mqs_pending_receives, "");
    fake_expect_still(0, mqs_pending_sends, "error: the symbol mca_pml_base_send_requests was not found\n");
}

TEST(another_pml_switches_off_all_queues)
{
    static const char reason[] = "this process does not use the ob1 PML: run with --mca pml ob1 to see its messages";

    PUT(JOB->recv_requests, opal_free_list_t, fl_frag_class, JOB->classes[FAKE_TYPE_mca_pml_base_recv_request_t]);
    PUT(JOB->send_requests, opal_free_list_t, fl_frag_class, JOB->classes[FAKE_TYPE_mca_pml_base_send_request_t]);
    EXPECT_MESSAGE("Open MPI 4.1.4: receive operations, send operations and unexpected messages are not shown, since "
                   "this process does not use the ob1 PML: run with --mca pml ob1 to see its messages");
    expect_capability("receives", false, reason);
    expect_capability("sends", false, reason);
    expect_capability("unexpected", false, reason);
    expect_capability("requests", true, NULL);
    expect_capability("communicators", true, NULL);
}

TEST(without_the_list_of_fragments_messages_are_read_one_by_one)
{
    fake_image_set_symbol_hidden(IMAGE, "mca_pml_ob1", true);
    EXPECT_MESSAGE("");
    expect_capability("unexpected", true, "the symbol mca_pml_ob1 was not found: messages are read one at a time");
}

/* Not `requests` by themselves, which nobody asks for. */
TEST(null_request_that_is_wrong_switches_off_all_queues)
{
    PUT(JOB->request_null, ompi_request_t, req_state, FAKE_ACTIVE);
    EXPECT_MESSAGE("Open MPI 4.1.4: receive operations, send operations and unexpected messages are not shown, since "
                   "ompi_request_null does not look like MPI_REQUEST_NULL: the layout is not this Open MPI's");
    expect_capability("requests", false, "*");
    expect_capability("datatypes", true, NULL);
}

/* The PML has not made its lists yet. This is not reported as a limit, because it will change. */
TEST(nothing_is_said_of_lists_that_are_yet_to_be_made)
{
    fake_image_zero(IMAGE, JOB->recv_requests, FAKE_SIZE(IMAGE, opal_free_list_t));
    EXPECT_MESSAGE("");
    expect_capability("receives", false, "MPI is not initialised yet");
    expect_capability("sends", true, NULL);
}

/* Descriptors without symbols are reached through objects; no object leads to a datatype's, so receives are off. */
TEST(members_that_are_not_known_are_named)
{
    hide_classes();
    fake_arrive(JOB, &JOB->world, &(struct fake_message){ 3, 10, 40, FAKE_HDR_MATCH });
    EXPECT_MESSAGE("Open MPI 4.1.4: receive operations and datatypes are not shown, since the place of "
                   "ompi_datatype_t.name in this build of Open MPI is not known");
    expect_capability("datatypes", false, "the place of ompi_datatype_t.name in this build of Open MPI is not known");
}

/* Several reasons, and types that would have helped but are another build's. */
TEST(every_reason_is_in_the_sentence)
{
    hide_classes();
    fake_types_all(HOST, &fake_debug);
    fake_image_set_symbol_hidden(IMAGE, "mca_pml_base_send_requests", true);
    EXPECT_MESSAGE("Open MPI 4.1.4: receive operations and datatypes are not shown, since the place of "
                   "ompi_datatype_t.name in this build of Open MPI is not known; send operations are not shown, "
                   "since the symbol mca_pml_base_send_requests was not found; unexpected messages are not shown, "
                   "since the place of mca_pml_ob1_comm_proc_t.frags_cant_match in this build of Open MPI is not "
                   "known; the debugger's type information is another build's, as opal_object_t shows, and is "
                   "not used");
}

/* During MPI_Init plugins and symbols may still be loaded. So there is no message, which would open a window. */
TEST(nothing_is_said_inside_mpi_init)
{
    fake_image_put(IMAGE, JOB->state, 4, 1);
    fake_image_set_symbol_hidden(IMAGE, "mca_pml_base_send_requests", true);
    hide_classes();
    EXPECT_MESSAGE("");
    expect_capability("sends", false, "*");
}

/* Refusals. */

static void assert_refusal(const char *message)
{
    assert_true(look_anew() >= mqs_first_user_code);
    assert_true(fake.listing.process_has_queues >= mqs_first_user_code);
    fake_match(strdup(fake.listing.message), message, __FILE__, __LINE__);
}

#define NO_TABLE \
    "No message queues: no layout table fits this build of Open MPI, and the debugger does not have its types "
#define SIZES_OF_OTHERS "(Open MPI 4.1.4, ompi_communicator_t has 352 bytes, mca_pml_ob1_recv_request_t has 648 bytes, "
#define SIZE_OF_GROUP "ompi_group_t has 80 bytes and not 72 as in the nearest table, 4.1.0-4.1.8 release"
#define OF_ANOTHER_BUILD "; the debugger's type information is another build's, as opal_object_t shows, and is not used"

TEST(refusal_names_release_sizes_and_remedy)
{
    resize_class(FAKE_TYPE_ompi_group_t, 80);
    assert_refusal(NO_TABLE SIZES_OF_OTHERS SIZE_OF_GROUP ")" TO_MAKE_A_TABLE);
    /* The debugger's types may be of no use. */
    fake_types_all(HOST, &fake_debug);
    assert_refusal(NO_TABLE SIZES_OF_OTHERS SIZE_OF_GROUP ")" OF_ANOTHER_BUILD TO_MAKE_A_TABLE);
    fake_types_none(HOST);
    /* The version is the target's. */
    fake_image_put_bytes(IMAGE, JOB->version, "%n%s\n", 6);
    assert_refusal("*");
    assert_has(fake.listing.message, "(Open MPI ?n?s?, ");
    fake_image_put_bytes(IMAGE, JOB->version, "09/:azAZ`{@[_+-", 16);
    assert_refusal("*");
    assert_has(fake.listing.message, "(Open MPI 09??azAZ????_+-, ");
    fake_image_put_bytes(IMAGE, JOB->version, "", 1);
    assert_refusal("*(Open MPI of unknown version, *");
}

TEST(refusal_names_the_communicators_size)
{
    resize_class(FAKE_TYPE_ompi_communicator_t, 360);
    assert_refusal(NO_TABLE "(Open MPI 4.1.4, mca_pml_ob1_recv_request_t has 648 bytes, ompi_communicator_t has 360 "
                   "bytes and not 352 as in the nearest table, 4.1.0-4.1.8 release)" TO_MAKE_A_TABLE);
}

/*
 * If the debugger's type information is wrong a table would not help, so the message names the type instead. The member
 * behind c_assertions is one that the DLL does not read. So nothing overlaps.
 */
TEST(refusal_by_a_probe_names_the_table_or_the_type_in_which_the_debugger_is_wrong)
{
    const struct fake_member_info *before = &fake_release.members[FAKE_MEMBER_ompi_communicator_t__c_assertions];
    uint64_t rank = GET(JOB->null.ta, ompi_communicator_t, c_my_rank);

    PUT(JOB->null.ta, ompi_communicator_t, c_my_rank, 0);
    assert_refusal("No message queues: slot 2 of ompi_mpi_communicators does not look like MPI_COMM_NULL: the layout "
                   "is not this Open MPI's (Open MPI 4.1.4, table 4.1.0-4.1.8 release)" TO_MAKE_A_TABLE);
    PUT(JOB->null.ta, ompi_communicator_t, c_my_rank, rank);
    fake_types_all(HOST, &fake_release);
    HOST->types.offset[FAKE_MEMBER_ompi_communicator_t__c_my_rank] = (int)(before->offset + before->size);
    assert_refusal("No message queues: slot 2 of ompi_mpi_communicators does not look like MPI_COMM_NULL: the layout "
                   "is not this Open MPI's (Open MPI 4.1.4, table 4.1.0-4.1.8 release, which the debugger's type "
                   "information contradicts in ompi_communicator_t.c_my_rank)");
}

/* Types of a build that no table fits, with a member outside its type. */
TEST(refusal_names_the_member_that_cannot_be)
{
    fake_types_all(HOST, &fake_release);
    resize_class(FAKE_TYPE_ompi_group_t, 80);
    HOST->types.size[FAKE_TYPE_ompi_group_t] = 80;
    HOST->types.offset[FAKE_MEMBER_ompi_group_t__grp_my_rank] = 4000;
    assert_refusal("No message queues: the layout found for this Open MPI is impossible: members overlap or exceed "
                   "their type " SIZES_OF_OTHERS SIZE_OF_GROUP ", ompi_group_t.grp_my_rank)" TO_MAKE_A_TABLE);
}

TEST(message_lives_as_long_as_the_process)
{
    struct mqd_layout_summary summary;
    char *message = NULL, copy[1536];

    fake_image_set_symbol_hidden(IMAGE, "mca_pml_base_send_requests", true);
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(mqs_process_has_queues(PROCESS, &message), mqs_ok);
    assert_non_null(message);
    snprintf(copy, sizeof copy, "%s", message);
    assert_int_equal(fake_look(&fake), mqs_ok);
    (void)EXTENSION->describe_layout(PROCESS, &summary);
    mqs_destroy_image_info(HOST->image.info);
    HOST->image.info = NULL;
    assert_string_equal(message, copy);
}
