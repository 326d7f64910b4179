/*
 * test_dll_describe.c - what the DLL says of its layout: in detail through the extension, and in one sentence through
 * mqs_process_has_queues where something is refused or left out.
 */
#include "fake_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "layout/layout.h"

#define JOB (&fake.job)
#define IMAGE (&fake.job.image)
#define HOST (&fake.host)
#define PROCESS (&fake.host.process)
#define PUT(object, type, member, value) FAKE_PUT(IMAGE, object, type, member, value)
#define TO_MAKE_A_TABLE \
    "; a table for this build is made with mqdgen extract --prefix PREFIX -o TABLE and used after " \
    "./configure --with-openmpi-layout=TABLE"

static const struct mqd_extension_v1 *extension(void)
{
    return ompi_mqd_extension(MQD_EXTENSION_VERSION);
}

static int look_anew(void)
{
    fake.opened = false;
    return fake_look(&fake);
}

static struct mqd_layout_summary summary_now(int expected)
{
    struct mqd_layout_summary summary;

    memset(&summary, 0x5a, sizeof summary);
    assert_int_equal(extension()->describe_layout(PROCESS, &summary), expected);
    return summary;
}

static struct mqd_type_description type_named(const char *name)
{
    struct mqd_type_description type;

    for (int i = 0; extension()->describe_type(PROCESS, i, &type) == mqs_ok; i++)
        if (strcmp(type.name, name) == 0)
            return type;
    fail_msg("no type %s", name);
    return type;
}

static struct mqd_field_description field_named(const char *type, const char *member)
{
    struct mqd_field_description field;

    for (int i = 0; extension()->describe_field(PROCESS, i, &field) == mqs_ok; i++)
        if (strcmp(field.type, type) == 0 && strcmp(field.member, member) == 0)
            return field;
    fail_msg("no field %s.%s", type, member);
    return field;
}

static const char *result_of(const char *name)
{
    struct mqd_probe_description probe;

    for (int i = 0; extension()->describe_probe(PROCESS, i, &probe) == mqs_ok; i++)
        if (strcmp(probe.name, name) == 0)
            return probe.result;
    fail_msg("no probe %s", name);
    return NULL;
}

static struct mqd_capability_description capability_named(const char *name)
{
    struct mqd_capability_description capability;

    for (int i = 0; extension()->describe_capability(PROCESS, i, &capability) == mqs_ok; i++)
        if (strcmp(capability.name, name) == 0)
            return capability;
    fail_msg("no capability %s", name);
    return capability;
}

static void assert_all_on(void)
{
    struct mqd_capability_description capability;

    for (int i = 0; extension()->describe_capability(PROCESS, i, &capability) == mqs_ok; i++) {
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

/* The summary. */

static void table_alone_is_described(void **state)
{
    struct mqd_layout_summary summary;

    (void)state;
    assert_int_equal(fake_look(&fake), mqs_ok);
    summary = summary_now(mqs_ok);
    assert_string_equal(summary.openmpi, "4.1.4");
    assert_string_equal(summary.family, "4.1.0-4.1.8");
    assert_string_equal(summary.variant, "release");
    assert_string_equal(summary.arch, "x86_64");
    assert_string_equal(summary.abi, "64-bit little-endian");
    assert_string_equal(summary.source, "table");
    assert_string_equal(summary.rejected, "");
    assert_int_equal(summary.version_in_family, 1);
    assert_int_equal(summary.n_classes, 22);
    assert_int_equal(summary.n_classes_read, 22);
    assert_int_equal(summary.n_classes_agreeing, 22);
    assert_int_equal(summary.n_types, MQD_TYPE_ucs_list_link_t);
    assert_int_equal(summary.n_types_known, 0);
    assert_int_equal(summary.n_types_agreeing, 0);
    assert_all_on();
}

/* A heterogeneous build has the same sizes. The two cannot be told apart, and the summary says so. */
static void tables_that_nothing_tells_apart_are_named(void **state)
{
    struct mqd_layout_summary summary;

    (void)state;
    assert_int_equal(fake_look(&fake), mqs_ok);
    summary = summary_now(mqs_ok);
    assert_int_equal(summary.n_fitting, 2);
    assert_string_equal(summary.decided, "first");
    assert_string_equal(summary.next_best, "4.1.0-4.1.8 release heterogeneous x86_64");
}

static void debuggers_types_are_counted(void **state)
{
    struct mqd_layout_summary summary;
    struct mqd_field_description field;
    struct mqd_type_description type;

    (void)state;
    fake_types_all(HOST, &fake_release);
    assert_int_equal(fake_look(&fake), mqs_ok);
    summary = summary_now(mqs_ok);
    assert_string_equal(summary.source, "table+live");
    assert_in_range(summary.n_types_known, 30, MQD_TYPE_ucs_list_link_t);
    assert_int_equal(summary.n_types_agreeing, summary.n_types_known);
    type = type_named("ompi_communicator_t");
    assert_string_equal(type.source, "table+live");
    assert_int_equal(type.size, 352);
    assert_int_equal(type.class_size, 352);
    assert_int_equal(type.live_size, 352);
    assert_int_equal(type.table_size, 352);
    field = field_named("ompi_communicator_t", "c_my_rank");
    assert_string_equal(field.kind, "i32");
    assert_string_equal(field.source, "table+live");
    assert_int_equal(field.offset, 228);
    assert_int_equal(field.size, 4);
    assert_int_equal(field.live_offset, 228);
    assert_int_equal(field.table_offset, 228);
}

static void types_of_another_build_are_shown_but_not_used(void **state)
{
    struct mqd_layout_summary summary;
    struct mqd_type_description type;

    (void)state;
    fake_types_all(HOST, &fake_debug);
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_string_equal(fake.listing.message, "");
    summary = summary_now(mqs_ok);
    assert_string_equal(summary.rejected, "opal_object_t");
    assert_string_equal(summary.source, "table");
    assert_true(summary.n_types_known > 30);
    assert_int_equal(summary.n_types_agreeing, 0);
    type = type_named("opal_object_t");
    assert_string_equal(type.source, "table");
    assert_int_equal(type.size, 16);
    assert_int_equal(type.class_size, 16);
    assert_int_equal(type.live_size, (long)fake_debug.types[FAKE_TYPE_opal_object_t].size);
}

static void difference_between_debugger_and_table_is_shown(void **state)
{
    struct mqd_field_description field;

    (void)state;
    fake_types_all(HOST, &fake_release);
    HOST->types.offset[FAKE_MEMBER_mca_pml_ob1_comm_t__last_probed] = 224;
    HOST->types.offset[FAKE_MEMBER_mca_pml_ob1_comm_t__num_procs] = 232;
    (void)fake_look(&fake);
    assert_string_equal(summary_now(mqs_ok).source, "mixed");
    assert_string_equal(type_named("mca_pml_ob1_comm_t").source, "live");
    field = field_named("mca_pml_ob1_comm_t", "num_procs");
    assert_string_equal(field.source, "live");
    assert_int_equal(field.offset, 232);
    assert_int_equal(field.live_offset, 232);
    assert_int_equal(field.table_offset, 224);
    assert_string_equal(field_named("ompi_group_t", "grp_my_rank").source, "table+live");
}

static void what_a_family_lacks_is_absent(void **state)
{
    struct mqd_field_description field;
    struct mqd_type_description type;

    (void)state;
    assert_int_equal(fake_look(&fake), mqs_ok);
    type = type_named("ompi_comm_extended_cid_t");
    assert_string_equal(type.source, "absent");
    assert_int_equal(type.size, -1);
    assert_int_equal(type.table_size, -1);
    field = field_named("ompi_communicator_t", "c_index");
    assert_string_equal(field.source, "absent");
    assert_string_equal(field.kind, "none");
    assert_int_equal(field.offset, -1);
    assert_int_equal(field.size, -1);
    assert_int_equal(field.live_offset, -1);
    assert_int_equal(field.table_offset, -1);
}

static void every_type_and_field_comes_once_in_order(void **state)
{
    struct mqd_field_description field;
    struct mqd_type_description type;
    int n_types = 0, n_fields = 0;

    (void)state;
    assert_int_equal(fake_look(&fake), mqs_ok);
    for (; extension()->describe_type(PROCESS, n_types, &type) == mqs_ok; n_types++)
        assert_string_equal(type.name, mqd_type_specs[n_types].name);
    for (; extension()->describe_field(PROCESS, n_fields, &field) == mqs_ok; n_fields++) {
        assert_string_equal(field.member, mqd_step_specs[n_fields].member);
        assert_string_equal(field.type, mqd_type_specs[mqd_step_specs[n_fields].type].name);
    }
    /* The process does not use UCX, whose types follow those of Open MPI. */
    assert_int_equal(n_types, MQD_TYPE_ucs_list_link_t);
    assert_int_equal(n_fields, MQD_FIRST_ucs_list_link_t);
}

static void nearest_table_is_named_where_none_fits(void **state)
{
    struct mqd_layout_summary summary;
    struct mqd_type_description type;
    int rc;

    (void)state;
    resize_class(FAKE_TYPE_ompi_group_t, 80);
    rc = fake_look(&fake);
    assert_true(rc >= mqs_first_user_code);
    summary = summary_now(rc);
    assert_string_equal(summary.openmpi, "4.1.4");
    assert_string_equal(summary.family, "");
    assert_string_equal(summary.variant, "");
    assert_string_equal(summary.arch, "");
    assert_string_equal(summary.source, "");
    assert_string_equal(summary.decided, "");
    assert_string_equal(summary.next_best, "4.1.0-4.1.8 release x86_64");
    assert_int_equal(summary.n_fitting, 0);
    assert_int_equal(summary.version_in_family, -1);
    assert_int_equal(summary.n_classes_read, 22);
    assert_int_equal(summary.n_classes_agreeing, 21);
    type = type_named("ompi_group_t");
    assert_string_equal(type.source, "absent");
    assert_int_equal(type.size, -1);
    assert_int_equal(type.class_size, 80);
    assert_int_equal(type.table_size, 72);
    assert_int_equal(field_named("ompi_group_t", "grp_my_rank").offset, -1);
    assert_false(capability_named("communicators").on);
    assert_string_equal(capability_named("communicators").reason, mqs_dll_error_string(rc));
}

/* A layout that a probe has disproved is described, together with the code that says so. */
static void layout_that_a_probe_disproves_is_not_in_force(void **state)
{
    int rc;

    (void)state;
    PUT(JOB->null.ta, ompi_communicator_t, c_my_rank, 0);
    rc = fake_look(&fake);
    assert_true(rc >= mqs_first_user_code);
    assert_string_equal(summary_now(rc).family, "4.1.0-4.1.8");
    assert_string_equal(result_of("MPI_COMM_NULL"), "failed");
    assert_string_equal(result_of("MPI_COMM_WORLD"), "not reached");
    assert_false(capability_named("names").on);
}

static void version_of_another_family_is_noticed(void **state)
{
    (void)state;
    fake_image_put_bytes(IMAGE, JOB->version, "5.0.7", 6);
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(summary_now(mqs_ok).version_in_family, 0);
    fake_image_put_bytes(IMAGE, JOB->version, "", 1);
    assert_int_equal(look_anew(), mqs_ok);
    assert_int_equal(summary_now(mqs_ok).version_in_family, -1);
    assert_string_equal(fake.listing.message, "");
}

/* Before MPI_Init most is known already; what can be shown is not, yet. */
static void process_before_mpi_init_is_described(void **state)
{
    struct mqd_layout_summary summary;
    int rc;

    (void)state;
    rc = fake_look(&fake);
    assert_true(rc >= mqs_first_user_code);
    assert_string_equal(fake.listing.message, "");
    summary = summary_now(mqs_ok);
    assert_string_equal(summary.family, "4.1.0-4.1.8");
    assert_true(summary.n_classes_read > 10 && summary.n_classes_read < summary.n_classes);
    assert_string_equal(result_of("MPI_COMM_NULL"), "not reached");
    assert_false(capability_named("sends").on);
    assert_string_equal(capability_named("sends").reason, mqs_dll_error_string(rc));
}

static void process_that_was_only_set_up_is_not_described(void **state)
{
    (void)state;
    assert_int_equal(mqs_setup_image(&HOST->image, &HOST->image_callbacks), mqs_ok);
    assert_int_equal(mqs_setup_process(PROCESS, &HOST->process_callbacks), mqs_ok);
    assert_true(extension()->describe_layout(PROCESS, &(struct mqd_layout_summary){.n_types = 1}) >=
                mqs_first_user_code);
    assert_string_equal(type_named("ompi_group_t").source, "absent");
    assert_int_equal(type_named("ompi_group_t").class_size, -1);
    assert_int_equal(field_named("ompi_group_t", "grp_my_rank").live_offset, -1);
    assert_string_equal(result_of("MPI_COMM_NULL"), "not reached");
    assert_false(capability_named("communicators").on);
    assert_non_null(capability_named("communicators").reason);
}

/* Arguments. */

static void describing_reads_nothing(void **state)
{
    long n_reads;

    (void)state;
    assert_int_equal(fake_look(&fake), mqs_ok);
    n_reads = HOST->n_reads;
    (void)summary_now(mqs_ok);
    (void)type_named("mca_pml_ob1_t");
    (void)field_named("mca_pml_ob1_t", "recv_frags");
    (void)result_of("MPI_REQUEST_NULL");
    (void)capability_named("unexpected");
    assert_int_equal(HOST->n_reads, n_reads);
}

static void items_end_and_touch_nothing_then(void **state)
{
    static const int beyond[] = {-1, 1000000, INT32_MAX, INT32_MIN};
    struct fake_out out;

    (void)state;
    assert_int_equal(fake_look(&fake), mqs_ok);
    fake_out_init(&out);
    for (size_t i = 0; i < sizeof beyond / sizeof beyond[0]; i++) {
        assert_int_equal(extension()->describe_type(PROCESS, beyond[i], (void *)out.out.bytes), mqs_end_of_list);
        assert_int_equal(extension()->describe_field(PROCESS, beyond[i], (void *)out.out.bytes), mqs_end_of_list);
        assert_int_equal(extension()->describe_probe(PROCESS, beyond[i], (void *)out.out.bytes), mqs_end_of_list);
        assert_int_equal(extension()->describe_capability(PROCESS, beyond[i], (void *)out.out.bytes), mqs_end_of_list);
    }
    assert_true(fake_out_intact(&out));
    assert_int_equal(extension()->describe_field(PROCESS, 0, (void *)out.out.bytes), mqs_ok);
    assert_true(fake_out_within(&out, sizeof(struct mqd_field_description)));
}

static void missing_arguments_are_errors(void **state)
{
    struct fake_out out;

    (void)state;
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_true(extension()->describe_type(PROCESS, 0, NULL) >= mqs_first_user_code);
    assert_true(extension()->describe_field(PROCESS, 0, NULL) >= mqs_first_user_code);
    assert_true(extension()->describe_probe(PROCESS, 0, NULL) >= mqs_first_user_code);
    assert_true(extension()->describe_capability(PROCESS, 0, NULL) >= mqs_first_user_code);
    fake_out_init(&out);
    assert_true(extension()->describe_type(NULL, 0, (void *)out.out.bytes) >= mqs_first_user_code);
    assert_true(extension()->describe_field(NULL, 0, (void *)out.out.bytes) >= mqs_first_user_code);
    assert_true(extension()->describe_probe(NULL, 0, (void *)out.out.bytes) >= mqs_first_user_code);
    assert_true(extension()->describe_capability(NULL, 0, (void *)out.out.bytes) >= mqs_first_user_code);
    assert_true(fake_out_intact(&out));
}

/* Probes. */

static void probes_that_passed(void **state)
{
    (void)state;
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_string_equal(result_of("MPI_COMM_NULL"), "passed");
    assert_string_equal(result_of("MPI_COMM_WORLD"), "passed");
    assert_string_equal(result_of("own entry in group"), "passed");
    assert_string_equal(result_of("MPI_REQUEST_NULL"), "passed");
}

/* With Sessions MPI_COMM_NULL is in the slot of MPI_COMM_WORLD. The library hides the symbol of MPI_REQUEST_NULL. */
static void probes_that_are_not_possible(void **state)
{
    (void)state;
    fake_slot_set(JOB, 0, JOB->null.ta);
    fake_image_set_symbol_hidden(IMAGE, "ompi_request_null_addr", true);
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_string_equal(result_of("MPI_COMM_NULL"), "passed");
    assert_string_equal(result_of("MPI_COMM_WORLD"), "not possible");
    assert_string_equal(result_of("own entry in group"), "not possible");
    assert_string_equal(result_of("MPI_REQUEST_NULL"), "not possible");
}

static void findings_are_those_of_the_last_update(void **state)
{
    (void)state;
    PUT(JOB->request_null, ompi_request_t, req_state, FAKE_ACTIVE);
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_string_equal(result_of("MPI_REQUEST_NULL"), "failed");
    assert_false(capability_named("requests").on);
    PUT(JOB->request_null, ompi_request_t, req_state, FAKE_INACTIVE);
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_string_equal(result_of("MPI_REQUEST_NULL"), "passed");
    assert_all_on();
    fake_job_finalize(JOB);
    assert_true(fake_look(&fake) >= mqs_first_user_code);
    assert_string_equal(result_of("MPI_REQUEST_NULL"), "not reached");
    assert_non_null(strstr(capability_named("requests").reason, "finalized"));
}

/* Capabilities that are off at run time, and the sentence about them. */

static void assert_off(const char *name, const char *reason)
{
    struct mqd_capability_description capability = capability_named(name);

    assert_false(capability.on);
    assert_string_equal(capability.reason, reason);
}

static void nothing_is_said_when_all_is_well(void **state)
{
    (void)state;
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_string_equal(fake.listing.message, "");
    fake_types_all(HOST, &fake_release);
    assert_int_equal(look_anew(), mqs_ok);
    assert_string_equal(fake.listing.message, "");
    fake_types_all(HOST, &fake_debug);
    assert_int_equal(look_anew(), mqs_ok);
    assert_string_equal(fake.listing.message, "");
}

static void list_without_a_symbol_switches_off_what_it_holds(void **state)
{
    static const char reason[] = "the symbol mca_pml_base_send_requests was not found";

    (void)state;
    fake_image_set_symbol_hidden(IMAGE, "mca_pml_base_send_requests", true);
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_string_equal(fake.listing.message,
                        "Open MPI 4.1.4: send operations are not shown, since the symbol mca_pml_base_send_requests "
                        "was not found");
    assert_off("sends", reason);
    assert_true(capability_named("receives").on);
    assert_true(capability_named("unexpected").on);
    assert_int_equal(fake_queue(&fake, 0, mqs_pending_receives)->setup, mqs_ok);
    assert_string_equal(mqs_dll_error_string(fake_queue(&fake, 0, mqs_pending_sends)->setup), reason);
}

static void another_pml_switches_off_all_queues(void **state)
{
    static const char reason[] =
        "this process does not use the ob1 PML: run with --mca pml ob1 to see its messages";

    (void)state;
    PUT(JOB->recv_requests, opal_free_list_t, fl_frag_class, JOB->classes[FAKE_TYPE_mca_pml_base_recv_request_t]);
    PUT(JOB->send_requests, opal_free_list_t, fl_frag_class, JOB->classes[FAKE_TYPE_mca_pml_base_send_request_t]);
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_string_equal(fake.listing.message,
                        "Open MPI 4.1.4: receive operations, send operations and unexpected messages are not shown, "
                        "since this process does not use the ob1 PML: run with --mca pml ob1 to see its messages");
    assert_off("receives", reason);
    assert_off("sends", reason);
    assert_off("unexpected", reason);
    assert_true(capability_named("requests").on);
    assert_true(capability_named("communicators").on);
}

static void without_the_list_of_fragments_messages_are_read_one_by_one(void **state)
{
    struct mqd_capability_description unexpected;

    (void)state;
    fake_image_set_symbol_hidden(IMAGE, "mca_pml_ob1", true);
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_string_equal(fake.listing.message, "");
    unexpected = capability_named("unexpected");
    assert_true(unexpected.on);
    assert_string_equal(unexpected.reason,
                        "the symbol mca_pml_ob1 was not found: messages are read one at a time");
}

/* Not `requests` by themselves, which nobody asks for. */
static void null_request_that_is_wrong_switches_off_all_queues(void **state)
{
    (void)state;
    PUT(JOB->request_null, ompi_request_t, req_state, FAKE_ACTIVE);
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_string_equal(fake.listing.message,
                        "Open MPI 4.1.4: receive operations, send operations and unexpected messages are not shown, "
                        "since ompi_request_null does not look like MPI_REQUEST_NULL: the layout is not this Open "
                        "MPI's");
    assert_false(capability_named("requests").on);
    assert_true(capability_named("datatypes").on);
}

/* The PML has not made its lists yet. This is not reported as a limit, because it will change. */
static void nothing_is_said_of_lists_that_are_yet_to_be_made(void **state)
{
    (void)state;
    PUT(JOB->recv_requests, opal_free_list_t, fl_frag_class, 0);
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_string_equal(fake.listing.message, "");
    assert_off("receives", "MPI is not initialised yet");
    assert_true(capability_named("sends").on);
}

/* Descriptors without symbols are reached through objects; no object leads to a datatype's, so receives are off. */
static void members_that_are_not_known_are_named(void **state)
{
    (void)state;
    hide_classes();
    fake_arrive(JOB, &JOB->world, &(struct fake_message){ 3, 10, 40, FAKE_HDR_MATCH });
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_string_equal(fake.listing.message,
                        "Open MPI 4.1.4: receive operations and datatypes are not shown, since the place of "
                        "ompi_datatype_t.super in this build of Open MPI is not known");
    assert_off("datatypes", "the place of ompi_datatype_t.super in this build of Open MPI is not known");
}

/* Several reasons, and types that would have helped but are another build's. */
static void every_reason_is_in_the_sentence(void **state)
{
    (void)state;
    hide_classes();
    fake_types_all(HOST, &fake_debug);
    fake_image_set_symbol_hidden(IMAGE, "mca_pml_base_send_requests", true);
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_string_equal(fake.listing.message,
                        "Open MPI 4.1.4: receive operations and datatypes are not shown, since the place of "
                        "ompi_datatype_t.super in this build of Open MPI is not known; send operations are not shown, "
                        "since the symbol mca_pml_base_send_requests was not found; unexpected messages are not shown, "
                        "since the place of mca_pml_ob1_comm_proc_t.frags_cant_match in this build of Open MPI is not "
                        "known; the debugger's type information is another build's, as opal_object_t shows, and is "
                        "not used");
}

/* During MPI_Init plugins and symbols may still be loaded. So there is no message, which would open a window. */
static void nothing_is_said_inside_mpi_init(void **state)
{
    (void)state;
    fake_image_put(IMAGE, JOB->state, 4, 1);
    fake_image_set_symbol_hidden(IMAGE, "mca_pml_base_send_requests", true);
    hide_classes();
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_string_equal(fake.listing.message, "");
    assert_false(capability_named("sends").on);
}

/* Refusals. */

static void assert_refusal(const char *message)
{
    assert_true(look_anew() >= mqs_first_user_code);
    assert_true(fake.listing.process_has_queues >= mqs_first_user_code);
    assert_string_equal(fake.listing.message, message);
}

static void refusal_names_release_sizes_and_remedy(void **state)
{
    (void)state;
    resize_class(FAKE_TYPE_ompi_group_t, 80);
    assert_refusal("No message queues: no layout table fits this build of Open MPI, and the debugger does not have its "
                   "types (Open MPI 4.1.4, ompi_communicator_t has 352 bytes, mca_pml_ob1_recv_request_t has 648 "
                   "bytes, ompi_group_t has 80 bytes and not 72 as in the nearest table, 4.1.0-4.1.8 release)"
                   TO_MAKE_A_TABLE);
    resize_class(FAKE_TYPE_ompi_group_t, 72);
    resize_class(FAKE_TYPE_ompi_communicator_t, 360);
    assert_refusal("No message queues: no layout table fits this build of Open MPI, and the debugger does not have its "
                   "types (Open MPI 4.1.4, mca_pml_ob1_recv_request_t has 648 bytes, ompi_communicator_t has 360 bytes "
                   "and not 352 as in the nearest table, 4.1.0-4.1.8 release)" TO_MAKE_A_TABLE);
}

static void refusal_says_that_the_debuggers_types_are_of_no_use(void **state)
{
    (void)state;
    resize_class(FAKE_TYPE_ompi_group_t, 80);
    fake_types_all(HOST, &fake_debug);
    assert_refusal("No message queues: no layout table fits this build of Open MPI, and the debugger does not have its "
                   "types (Open MPI 4.1.4, ompi_communicator_t has 352 bytes, mca_pml_ob1_recv_request_t has 648 "
                   "bytes, ompi_group_t has 80 bytes and not 72 as in the nearest table, 4.1.0-4.1.8 release); the "
                   "debugger's type information is another build's, as opal_object_t shows, and is not used"
                   TO_MAKE_A_TABLE);
}

static void refusal_by_a_probe_names_the_table(void **state)
{
    (void)state;
    PUT(JOB->null.ta, ompi_communicator_t, c_my_rank, 0);
    assert_refusal("No message queues: slot 2 of ompi_mpi_communicators does not look like MPI_COMM_NULL: the layout "
                   "is not this Open MPI's (Open MPI 4.1.4, table 4.1.0-4.1.8 release)" TO_MAKE_A_TABLE);
}

/* The debugger's type information is wrong. A table would not help, so the message names the type instead. */
/* The member behind c_assertions is one that the DLL does not read. So nothing overlaps. */
static void refusal_by_a_probe_names_the_type_in_which_the_debugger_is_wrong(void **state)
{
    const struct fake_member_info *before = &fake_release.members[FAKE_MEMBER_ompi_communicator_t__c_assertions];

    (void)state;
    fake_types_all(HOST, &fake_release);
    HOST->types.offset[FAKE_MEMBER_ompi_communicator_t__c_my_rank] = (int)(before->offset + before->size);
    assert_refusal("No message queues: slot 2 of ompi_mpi_communicators does not look like MPI_COMM_NULL: the layout "
                   "is not this Open MPI's (Open MPI 4.1.4, table 4.1.0-4.1.8 release, which the debugger's type "
                   "information contradicts in ompi_communicator_t.c_my_rank)");
}

/* Types of a build that no table fits, with a member outside its type. */
static void refusal_names_the_member_that_cannot_be(void **state)
{
    (void)state;
    fake_types_all(HOST, &fake_release);
    resize_class(FAKE_TYPE_ompi_group_t, 80);
    HOST->types.size[FAKE_TYPE_ompi_group_t] = 80;
    HOST->types.offset[FAKE_MEMBER_ompi_group_t__grp_my_rank] = 4000;
    assert_refusal("No message queues: the layout found for this Open MPI is impossible: members overlap or exceed "
                   "their type (Open MPI 4.1.4, ompi_communicator_t has 352 bytes, mca_pml_ob1_recv_request_t has 648 "
                   "bytes, ompi_group_t has 80 bytes and not 72 as in the nearest table, 4.1.0-4.1.8 release, "
                   "ompi_group_t.grp_my_rank)" TO_MAKE_A_TABLE);
}

static void version_of_the_target_does_no_harm(void **state)
{
    (void)state;
    resize_class(FAKE_TYPE_ompi_group_t, 80);
    fake_image_put_bytes(IMAGE, JOB->version, "%n%s\n", 6);
    assert_true(look_anew() >= mqs_first_user_code);
    assert_non_null(strstr(fake.listing.message, "(Open MPI ?n?s?, "));
    fake_image_put_bytes(IMAGE, JOB->version, "", 1);
    assert_true(look_anew() >= mqs_first_user_code);
    assert_non_null(strstr(fake.listing.message, "(Open MPI of unknown version, "));
}

static void message_lives_as_long_as_the_process(void **state)
{
    struct mqd_layout_summary summary;
    char *message = NULL, copy[1536];

    (void)state;
    fake_image_set_symbol_hidden(IMAGE, "mca_pml_base_send_requests", true);
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(mqs_process_has_queues(PROCESS, &message), mqs_ok);
    assert_non_null(message);
    snprintf(copy, sizeof copy, "%s", message);
    assert_int_equal(fake_look(&fake), mqs_ok);
    (void)extension()->describe_layout(PROCESS, &summary);
    mqs_destroy_image_info(HOST->image.info);
    HOST->image.info = NULL;
    assert_string_equal(message, copy);
}

/* What decided between tables; made of two copies of one that fits. */

static struct mqd_table one, other;
static const struct mqd_table *const both[] = {&one, &other};

static const struct mqd_table *table_of(const char *first, const char *variant, const char *arch)
{
    for (size_t i = 0; i < mqd_n_tables; i++)
        if (strcmp(mqd_tables[i]->first, first) == 0 && strcmp(mqd_tables[i]->variant, variant) == 0 &&
            strcmp(mqd_tables[i]->arch, arch) == 0)
            return mqd_tables[i];
    fail_msg("no table %s %s %s", first, variant, arch);
    return NULL;
}

static struct mqd_evidence evidence_for(const struct mqd_table *table)
{
    struct mqd_evidence evidence = {.abi = table->abi, .arch = "x86_64"};

    strcpy(evidence.version, "4.1.4");
    for (unsigned type = 0; type < MQD_N_TYPES; type++)
        if (mqd_type_specs[type].class_symbol != NULL && table->types[type] != NULL)
            evidence.classes[type] = (struct mqd_class_evidence){.readable = true, .size = table->types[type]->size};
    return evidence;
}

static void assert_decision(const struct mqd_evidence *evidence, const struct mqd_table *chosen, unsigned n_fitting,
                            enum mqd_decision decision)
{
    static struct mqd_layout layout;

    mqd_resolve(both, 2, evidence, &layout);
    assert_ptr_equal(layout.table, chosen);
    assert_int_equal(layout.n_fitting, n_fitting);
    assert_int_equal(layout.decision, decision);
    assert_ptr_equal(layout.rival, n_fitting < 2 ? NULL : chosen == &one ? &other : &one);
}

static void decision_is_what_told_the_tables_apart(void **state)
{
    struct mqd_evidence evidence;

    (void)state;
    one = other = *table_of("4.1.0", "release", "x86_64");
    evidence = evidence_for(&one);
    assert_decision(&evidence, &one, 2, MQD_DECISION_first);
    one.arch = "aarch64";
    assert_decision(&evidence, &other, 2, MQD_DECISION_arch);
    other.first = other.last = "9.9.9";
    assert_decision(&evidence, &one, 2, MQD_DECISION_version);
    other.site = true;
    assert_decision(&evidence, &other, 2, MQD_DECISION_site);
    other.site = false;
    one.abi.pointer_size = 4;
    assert_decision(&evidence, &other, 1, MQD_DECISION_classes);
    evidence.classes[MQD_TYPE_ompi_group_t].size += 8;
    assert_decision(&evidence, NULL, 0, MQD_DECISION_none);
}

static void decision_without_descriptors_is_the_debuggers(void **state)
{
    struct mqd_evidence evidence;
    unsigned step = mqd_type_specs[MQD_TYPE_ompi_group_t].first_step;

    (void)state;
    one = *table_of("4.1.0", "debug", "x86_64");
    other = *table_of("4.1.0", "release", "x86_64");
    evidence = evidence_for(&one);
    memset(evidence.classes, 0, sizeof evidence.classes);
    evidence.live[MQD_TYPE_ompi_group_t] = (struct mqd_live_type){.known = true};
    for (; step < mqd_type_end(MQD_TYPE_ompi_group_t); step++)
        evidence.live_offset[step] =
            (int32_t)other.types[MQD_TYPE_ompi_group_t]->fields[step - MQD_FIRST_ompi_group_t].offset;
    assert_decision(&evidence, &other, 1, MQD_DECISION_live);
}

/* Nothing that may still come changes that; where there is a table, descriptors may become readable. */
static void processor_without_any_table_is_refused(void **state)
{
    static struct mqd_layout layout;
    struct mqd_evidence evidence = {.abi = {.pointer_size = 4, .long_size = 4, .little_endian = false}};

    (void)state;
    one = other = *table_of("4.1.0", "release", "x86_64");
    mqd_resolve(both, 2, &evidence, &layout);
    assert_int_equal(layout.verdict, MQD_VERDICT_no_table);
    other.abi = evidence.abi;
    mqd_resolve(both, 2, &evidence, &layout);
    assert_int_equal(layout.verdict, MQD_VERDICT_no_evidence);
}

static void nearest_table_has_the_fewest_other_sizes(void **state)
{
    struct mqd_evidence evidence;

    (void)state;
    one = *table_of("4.1.0", "debug", "x86_64");
    other = *table_of("4.1.0", "release", "x86_64");
    evidence = evidence_for(&other);
    evidence.classes[MQD_TYPE_ompi_group_t].size += 8;
    assert_ptr_equal(mqd_nearest(both, 2, &evidence), &other);
    evidence.abi.pointer_size = 4;
    assert_null(mqd_nearest(both, 2, &evidence));
    evidence.abi.pointer_size = 8;
    memset(evidence.classes, 0, sizeof evidence.classes);
    assert_null(mqd_nearest(both, 2, &evidence));
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, fake_setup, fake_teardown)
#define EARLY_TEST(function) cmocka_unit_test_setup_teardown(function, fake_setup_early, fake_teardown)
    const struct CMUnitTest tests[] = {
        TEST(table_alone_is_described),
        TEST(tables_that_nothing_tells_apart_are_named),
        TEST(debuggers_types_are_counted),
        TEST(types_of_another_build_are_shown_but_not_used),
        TEST(difference_between_debugger_and_table_is_shown),
        TEST(what_a_family_lacks_is_absent),
        TEST(every_type_and_field_comes_once_in_order),
        TEST(nearest_table_is_named_where_none_fits),
        TEST(layout_that_a_probe_disproves_is_not_in_force),
        TEST(version_of_another_family_is_noticed),
        EARLY_TEST(process_before_mpi_init_is_described),
        TEST(process_that_was_only_set_up_is_not_described),
        TEST(describing_reads_nothing),
        TEST(items_end_and_touch_nothing_then),
        TEST(missing_arguments_are_errors),
        TEST(probes_that_passed),
        TEST(probes_that_are_not_possible),
        TEST(findings_are_those_of_the_last_update),
        TEST(nothing_is_said_when_all_is_well),
        TEST(list_without_a_symbol_switches_off_what_it_holds),
        TEST(another_pml_switches_off_all_queues),
        TEST(without_the_list_of_fragments_messages_are_read_one_by_one),
        TEST(null_request_that_is_wrong_switches_off_all_queues),
        TEST(nothing_is_said_of_lists_that_are_yet_to_be_made),
        TEST(members_that_are_not_known_are_named),
        TEST(every_reason_is_in_the_sentence),
        TEST(nothing_is_said_inside_mpi_init),
        TEST(refusal_names_release_sizes_and_remedy),
        TEST(refusal_says_that_the_debuggers_types_are_of_no_use),
        TEST(refusal_by_a_probe_names_the_table),
        TEST(refusal_by_a_probe_names_the_type_in_which_the_debugger_is_wrong),
        TEST(refusal_names_the_member_that_cannot_be),
        TEST(version_of_the_target_does_no_harm),
        TEST(message_lives_as_long_as_the_process),
        cmocka_unit_test(decision_is_what_told_the_tables_apart),
        cmocka_unit_test(decision_without_descriptors_is_the_debuggers),
        cmocka_unit_test(processor_without_any_table_is_refused),
        cmocka_unit_test(nearest_table_has_the_fewest_other_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
