/* test_dll_layout.c - which layout comes into force: class descriptors, types of the debugger, tables. */
#include "fake_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define JOB (&fake.job)
#define IMAGE (&fake.job.image)
#define HOST (&fake.host)
#define PROCESS (&fake.host.process)
#define PUT(object, type, member, value) FAKE_PUT(IMAGE, object, type, member, value)
#define GET(object, type, member) FAKE_GET(IMAGE, object, type, member)

/* What the populated job is, seen with the table only: what all other ways to a layout must agree with. */
static struct fake_listing truth;

static int setup_truth(void **state)
{
    struct fake_fixture fixture;

    (void)state;
    fake_begin_populated(&fixture, NULL);
    if (fake_look(&fixture) != mqs_ok)
        return -1;
    truth = fixture.listing;
    fake_listing_init(&fixture.listing);
    return fake_end(&fixture);
}

static int teardown_truth(void **state)
{
    (void)state;
    fake_listing_deinit(&truth);
    return 0;
}

static int setup(void **state)
{
    int rc = fake_setup(state);

    fake_populate(JOB, &fake.names);
    return rc;
}

static void assert_source(const char *source)
{
    struct mqd_layout_summary summary;

    assert_int_equal(ompi_mqd_extension(1)->describe_layout(PROCESS, &summary), mqs_ok);
    assert_string_equal(summary.source, source);
}

static void assert_truth(const char *source)
{
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_true(fake_same(&fake.listing, &truth));
    assert_source(source);
}

/* The process is refused, and the user told why; nothing is listed. */
static void assert_refused(void)
{
    assert_true(fake_look(&fake) >= mqs_first_user_code);
    assert_true(fake.listing.process_has_queues >= mqs_first_user_code);
    assert_true(strlen(fake.listing.message) > 10);
    assert_int_equal(fake.listing.n_comms, 0);
}

static void truth_has_something_of_everything(void **state)
{
    (void)state;
    assert_int_equal(truth.n_comms, 6);
    for (int queue = 0; queue < FAKE_N_QUEUES; queue++)
        assert_true(truth.comms[0].queues[queue].n > 0);
    assert_int_equal(fake_listed(&truth, 3)->queues[mqs_pending_receives].n, 2);
}

static void without_types_the_table_is_in_force(void **state)
{
    (void)state;
    assert_truth("table");
}

static void complete_types_confirm_the_table(void **state)
{
    (void)state;
    fake_types_all(HOST, &fake_release);
    assert_truth("table+live");
}

static void types_of_a_lazy_debugger_are_read_when_it_is_asked_for_a_function(void **state)
{
    (void)state;
    fake_types_all(HOST, &fake_release);
    HOST->types.lazy = true;
    assert_truth("table+live");
}

/* An unstripped default build: libmpi's types are known, ob1's are not. */
static void types_of_libmpi_only_are_completed_by_the_table(void **state)
{
    (void)state;
    fake_types_all(HOST, &fake_release);
    for (int type = 0; type < FAKE_N_TYPES; type++)
        if (strncmp(fake_release.types[type].name, "mca_pml_ob1_", 12) == 0)
            fake_types_set(HOST, (enum fake_type)type, FAKE_UNKNOWN_TYPE);
    assert_truth("mixed");
}

static void any_one_type_may_be_missing(void **state)
{
    (void)state;
    for (int type = 0; type < FAKE_N_TYPES; type++) {
        fake_types_all(HOST, &fake_release);
        fake_types_set(HOST, (enum fake_type)type, FAKE_UNKNOWN_TYPE);
        fake.opened = false;
        assert_int_equal(fake_look(&fake), mqs_ok);
        assert_true(fake_same(&fake.listing, &truth));
    }
}

static void any_one_type_may_be_all_that_is_known(void **state)
{
    (void)state;
    for (int type = 0; type < FAKE_N_TYPES; type++) {
        fake_types_none(HOST);
        fake_types_set(HOST, (enum fake_type)type, FAKE_KNOWN_TYPE);
        fake.opened = false;
        assert_int_equal(fake_look(&fake), mqs_ok);
        assert_true(fake_same(&fake.listing, &truth));
    }
}

/* A handle, but no size and no member: a program that only saw `struct ompi_communicator_t;`. */
static void forward_declarations_are_no_knowledge(void **state)
{
    (void)state;
    for (int type = 0; type < FAKE_N_TYPES; type++)
        fake_types_set(HOST, (enum fake_type)type, FAKE_FORWARD_TYPE);
    assert_truth("table");
}

static void any_one_member_may_be_missing(void **state)
{
    (void)state;
    fake_types_all(HOST, &fake_release);
    for (int member = 0; member < FAKE_N_MEMBERS; member++) {
        HOST->types.offset[member] = -1;
        fake.opened = false;
        assert_int_equal(fake_look(&fake), mqs_ok);
        assert_true(fake_same(&fake.listing, &truth));
        HOST->types.offset[member] = (int)fake_release.members[member].offset;
    }
}

/* Types of unknown size (-1, 0, or no mqs_sizeof at all) are no contradiction. */
static void sizes_may_be_unknown(void **state)
{
    (void)state;
    for (int size = -1; size <= 0; size++) {
        fake_types_all(HOST, &fake_release);
        for (int type = 0; type < FAKE_N_TYPES; type++)
            HOST->types.size[type] = size;
        fake.opened = false;
        assert_truth("table+live");
    }
    HOST->image_callbacks.mqs_sizeof_fp = NULL;
    fake.opened = false;
    assert_truth("table+live");
}

static void types_of_another_build_are_rejected(void **state)
{
    (void)state;
    fake_types_all(HOST, &fake_debug);
    assert_truth("table");
}

/* One type whose size the process contradicts shows that all of them are of another build. */
static void one_contradicted_size_rejects_all_types(void **state)
{
    (void)state;
    fake_types_all(HOST, &fake_release);
    HOST->types.size[FAKE_TYPE_mca_pml_ob1_comm_proc_t] += 8;
    HOST->types.offset[FAKE_MEMBER_ompi_communicator_t__c_my_rank] += 4;
    assert_truth("table");
}

/*
 * One member of one type is said to lie elsewhere. The debugger's word counts if it is possible: then the listing may
 * differ from the truth, or a probe refuses. Never an accident, never a broken protocol.
 */
static void no_wrong_offset_does_harm(void **state)
{
    static const int errors[] = { -8, -4, 4, 8, 64, 1, 100000, 0x7fffffff };

    (void)state;
    for (int member = 0; member < FAKE_N_MEMBERS; member++)
        for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
            uint32_t wrong = (uint32_t)fake_release.members[member].offset + (uint32_t)errors[i];

            fake_types_all(HOST, &fake_release);
            HOST->types.offset[member] = (int)wrong;
            HOST->n_reads = 0;
            fake.opened = false;
            (void)fake_look(&fake);
            assert_string_equal(fake.listing.broken, "");
            assert_int_equal(HOST->violations, 0);
            assert_in_range(HOST->n_reads, 0, 3000);
        }
}

/* MPI_COMM_NULL's rank is known in advance: a wrong place of it cannot go unnoticed. */
static void wrong_offset_that_a_probe_disproves_is_refused(void **state)
{
    (void)state;
    fake_types_all(HOST, &fake_release);
    HOST->types.offset[FAKE_MEMBER_ompi_communicator_t__c_my_rank] =
        (int)fake_release.members[FAKE_MEMBER_ompi_communicator_t__c_assertions].offset;
    assert_refused();
}

/* Objects whose content Open MPI fixes: if one of them holds anything else, what says so is wrong. */
static void known_objects_that_are_not_as_known_are_refused(void **state)
{
    const struct {
        fake_ta object;
        enum fake_member member;
        uint64_t value;
    } wrong[] = {
        { JOB->null.ta, FAKE_MEMBER_ompi_communicator_t__c_contextid, 3 },
        { JOB->null.ta, FAKE_MEMBER_ompi_communicator_t__c_my_rank, 0 },
        { JOB->null.ta, FAKE_MEMBER_ompi_communicator_t__c_pml_comm, JOB->world.pml },
        { JOB->null.local_group, FAKE_MEMBER_ompi_group_t__grp_proc_count, 1 },
        { JOB->world.ta, FAKE_MEMBER_ompi_communicator_t__c_contextid, 9 },
        { JOB->world.ta, FAKE_MEMBER_ompi_communicator_t__c_my_rank, 4 },
        { JOB->world.ta, FAKE_MEMBER_ompi_communicator_t__c_my_rank, 2 },
        { JOB->world.ta, FAKE_MEMBER_ompi_communicator_t__c_flags, FAKE_COMM_PML_ADDED },
        { JOB->world.ta, FAKE_MEMBER_ompi_communicator_t__c_f_to_c_index, 5 },
        { JOB->world.ta, FAKE_MEMBER_ompi_communicator_t__c_remote_group, JOB->self.local_group },
        { JOB->world.local_group, FAKE_MEMBER_ompi_group_t__grp_my_rank, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        uint64_t old = fake_image_get_member(IMAGE, wrong[i].object, wrong[i].member);

        fake_image_put_member(IMAGE, wrong[i].object, wrong[i].member, wrong[i].value);
        fake.opened = false;
        if (fake_look(&fake) == mqs_ok)
            fail_msg("wrong content %zu was not noticed", i);
        assert_true(fake.listing.process_has_queues >= mqs_first_user_code);
        assert_true(strlen(fake.listing.message) > 10);
        fake_image_put_member(IMAGE, wrong[i].object, wrong[i].member, old);
    }
    fake.opened = false;
    assert_truth("table");
}

/* Where our rank stands in MPI_COMM_WORLD's group there must be our own name. */
static void group_of_world_without_our_name_is_refused(void **state)
{
    const fake_ta others[] = { fake_sentinel(JOB, JOB->options.jobid, 2), fake_sentinel(JOB, JOB->options.jobid + 1, 1),
                               JOB->procs[0], 0, 0x123456789000 };

    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        fake_group_set(JOB, JOB->world.local_group, 1, others[i]);
        fake.opened = false;
        assert_refused();
    }
    fake_group_set(JOB, JOB->world.local_group, 1, fake_sentinel(JOB, JOB->options.jobid, 1));
    fake.opened = false;
    assert_truth("table");
}

/* What only requests are made of is judged when requests are asked for: communicators are listed all the same. */
static void null_request_that_is_not_as_known_refuses_requests(void **state)
{
    (void)state;
    PUT(JOB->request_null, ompi_request_t, req_state, FAKE_ACTIVE);
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(fake.listing.n_comms, truth.n_comms);
    for (int queue = 0; queue < FAKE_N_QUEUES; queue++) {
        assert_true(fake.listing.comms[0].queues[queue].setup >= mqs_first_user_code);
        assert_int_equal(fake.listing.comms[0].queues[queue].n, 0);
    }
}

/* The layout may be new to the table: members that moved without a change of any size. The debugger knows. */
static void live_offset_wins_over_the_table(void **state)
{
    enum fake_member last_probed = FAKE_MEMBER_mca_pml_ob1_comm_t__last_probed;
    enum fake_member num_procs = FAKE_MEMBER_mca_pml_ob1_comm_t__num_procs;
    const struct fake_queue *queue;

    (void)state;
    fake_types_all(HOST, &fake_release);
    HOST->types.offset[last_probed] = (int)fake_release.members[num_procs].offset;
    HOST->types.offset[num_procs] = (int)fake_release.members[last_probed].offset;
    /* Each is what the table takes for the other. */
    PUT(JOB->world.pml, mca_pml_ob1_comm_t, num_procs, 2);
    PUT(JOB->world.pml, mca_pml_ob1_comm_t, last_probed, 4);
    fake_arrive(JOB, &JOB->world, &(struct fake_message){ 0, 20, 0, FAKE_HDR_MATCH });
    assert_int_equal(fake_look(&fake), mqs_ok);
    queue = fake_queue(&fake, 0, mqs_unexpected_messages);
    assert_int_equal(queue->n, 7);
    assert_int_equal(queue->operations[0].desired_local_rank, 3);
    assert_int_equal(queue->operations[2].desired_local_rank, 0);
    assert_source("mixed");
}

static void descriptor_of_another_size_is_refused_with_a_message(void **state)
{
    (void)state;
    PUT(JOB->classes[FAKE_TYPE_ompi_communicator_t], opal_class_t, cls_sizeof, 360);
    assert_refused();
    assert_non_null(strstr(fake.listing.message, "4.1.4"));
}

/* A build of the site's own: its groups have a member more at their end. */
static void enlarge_groups(struct fake_fixture *site)
{
    uint64_t size = site->job.image.build->types[FAKE_TYPE_ompi_group_t].size + 8;

    FAKE_PUT(&site->job.image, site->job.classes[FAKE_TYPE_ompi_group_t], opal_class_t, cls_sizeof, size);
    site->host.types.size[FAKE_TYPE_ompi_group_t] = (int)size;
}

static void debug_build_is_listed_by_its_own_table(void **state)
{
    struct fake_options options = fake_options_default();
    struct fake_fixture debug;
    struct mqd_layout_summary summary;

    (void)state;
    options.build = &fake_debug;
    fake_begin_populated(&debug, &options);
    assert_int_equal(fake_look(&debug), mqs_ok);
    assert_int_equal(debug.listing.n_comms, truth.n_comms);
    for (size_t comm = 0; comm < truth.n_comms; comm++)
        for (int queue = 0; queue < FAKE_N_QUEUES; queue++)
            assert_int_equal(debug.listing.comms[comm].queues[queue].n, truth.comms[comm].queues[queue].n);
    assert_int_equal(ompi_mqd_extension(1)->describe_layout(&debug.host.process, &summary), mqs_ok);
    assert_string_equal(summary.source, "table");
    assert_string_equal(summary.variant, "debug");
    assert_int_equal(fake_end(&debug), 0);
}

static void build_that_no_table_fits_is_refused(void **state)
{
    struct fake_options options = fake_options_default();
    struct fake_fixture debug;

    (void)state;
    options.build = &fake_debug;
    fake_begin_populated(&debug, &options);
    enlarge_groups(&debug);
    assert_true(fake_look(&debug) >= mqs_first_user_code);
    assert_true(debug.listing.process_has_queues >= mqs_first_user_code);
    assert_true(strlen(debug.listing.message) > 10);
    assert_int_equal(fake_end(&debug), 0);
}

/* The same build with its own types is listed by these alone. */
static void build_that_no_table_fits_is_listed_by_its_own_types(void **state)
{
    struct fake_options options = fake_options_default();
    struct fake_fixture debug;
    struct mqd_layout_summary summary;

    (void)state;
    options.build = &fake_debug;
    fake_begin_populated(&debug, &options);
    fake_types_all(&debug.host, &fake_debug);
    enlarge_groups(&debug);
    assert_int_equal(fake_look(&debug), mqs_ok);
    assert_int_equal(debug.listing.n_comms, truth.n_comms);
    assert_int_equal(fake_queue(&debug, 0, mqs_pending_receives)->n, 4);
    assert_string_equal(debug.listing.comms[0].communicator.name, "MPI_COMM_WORLD");
    assert_int_equal(ompi_mqd_extension(1)->describe_layout(&debug.host.process, &summary), mqs_ok);
    assert_string_equal(summary.source, "live");
    assert_string_equal(summary.family, "");
    assert_int_equal(fake_end(&debug), 0);
}

/* The size of ompi_proc_t depends on how Open MPI was configured; what is read of it does not. */
static void size_of_processes_does_not_matter(void **state)
{
    (void)state;
    PUT(JOB->classes[FAKE_TYPE_ompi_proc_t], opal_class_t, cls_sizeof, 96);
    assert_truth("table");
}

/* Vendors put what they like into it. */
static void version_string_decides_nothing(void **state)
{
    static const char *const versions[] = { "5.0.7", "Vendor MPI 9 100%s %n", "", "\xff\xfe" };

    (void)state;
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        char text[6] = "";

        memcpy(text, versions[i], strnlen(versions[i], 5));
        fake_image_put_bytes(IMAGE, JOB->version, text, sizeof text);
        fake.opened = false;
        assert_truth("table");
    }
}

static void message_never_passes_on_a_percent_of_the_target(void **state)
{
    struct fake_options options = fake_options_default();
    struct fake_fixture vendor;

    (void)state;
    options.version = "100% %s %n %%";
    fake_begin(&vendor, &options);
    FAKE_PUT(&vendor.job.image, vendor.job.classes[FAKE_TYPE_ompi_group_t], opal_class_t, cls_sizeof, 80);
    assert_true(fake_look(&vendor) >= mqs_first_user_code);
    assert_true(strlen(vendor.listing.message) > 10);
    /* fake_open has looked for conversions. */
    assert_int_equal(fake_end(&vendor), 0);
}

/* Names lead to a size only if the descriptor is of the class that it is looked up for. */
static void descriptor_with_another_name_is_no_evidence(void **state)
{
    fake_ta class = JOB->classes[FAKE_TYPE_ompi_group_t];

    (void)state;
    PUT(class, opal_class_t, cls_name, fake_image_put_string(IMAGE, JOB->mpi, "ompi_gruop_t"));
    (void)fake_look(&fake);
    assert_true(fake.listing.process_has_queues != mqs_ok || fake.listing.update != mqs_ok
                || fake.listing.error != mqs_ok || fake.listing.n_comms == 0);
}

/* Whatever single descriptor cannot be found by its name: what it would confirm is right, or an error, never wrong. */
static void any_one_descriptor_may_be_missing(void **state)
{
    (void)state;
    for (int i = 0; i < IMAGE->n_symbols; i++) {
        const char *name = IMAGE->symbols[i].name;

        if (strstr(name, "_t_class") == NULL)
            continue;
        fake_image_set_symbol_hidden(IMAGE, name, true);
        fake.opened = false;
        if (fake_look(&fake) == mqs_ok && !fake_same(&fake.listing, &truth))
            for (size_t comm = 0; comm < fake.listing.n_comms; comm++)
                for (int queue = 0; queue < FAKE_N_QUEUES; queue++) {
                    const struct fake_queue *got = &fake.listing.comms[comm].queues[queue];

                    assert_true(got->setup >= mqs_first_user_code || got->error >= mqs_first_user_code
                                || got->n == truth.comms[comm].queues[queue].n);
                }
        fake_image_set_symbol_hidden(IMAGE, name, false);
    }
}

/* Descriptors that no symbol leads to are reached through objects; only of a datatype there is none at a known place. */
static void without_any_symbol_of_a_class_all_but_receives_is_there(void **state)
{
    (void)state;
    for (int i = 0; i < IMAGE->n_symbols; i++)
        if (strstr(IMAGE->symbols[i].name, "_t_class") != NULL)
            IMAGE->symbols[i].hidden = true;
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(fake.listing.n_comms, truth.n_comms);
    for (size_t comm = 0; comm < truth.n_comms; comm++) {
        assert_string_equal(fake.listing.comms[comm].communicator.name, truth.comms[comm].communicator.name);
        assert_true(fake.listing.comms[comm].queues[mqs_pending_receives].setup >= mqs_first_user_code);
        assert_int_equal(fake.listing.comms[comm].queues[mqs_pending_sends].n,
                         truth.comms[comm].queues[mqs_pending_sends].n);
        assert_int_equal(fake.listing.comms[comm].queues[mqs_unexpected_messages].n,
                         truth.comms[comm].queues[mqs_unexpected_messages].n);
    }
}

/* Types alone, where the library hides its descriptors: enough for all that needs no table. */
static void types_without_descriptors_are_right_or_an_error(void **state)
{
    (void)state;
    fake_types_all(HOST, &fake_release);
    for (int i = 0; i < IMAGE->n_symbols; i++)
        if (strstr(IMAGE->symbols[i].name, "_t_class") != NULL)
            IMAGE->symbols[i].hidden = true;
    if (fake_look(&fake) != mqs_ok)
        return;
    assert_int_equal(fake.listing.n_comms, truth.n_comms);
    assert_int_equal(fake_queue(&fake, 0, mqs_pending_receives)->n, 4);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, fake_teardown)
    const struct CMUnitTest tests[] = {
        TEST(truth_has_something_of_everything),
        TEST(without_types_the_table_is_in_force),
        TEST(complete_types_confirm_the_table),
        TEST(types_of_a_lazy_debugger_are_read_when_it_is_asked_for_a_function),
        TEST(types_of_libmpi_only_are_completed_by_the_table),
        TEST(any_one_type_may_be_missing),
        TEST(any_one_type_may_be_all_that_is_known),
        TEST(forward_declarations_are_no_knowledge),
        TEST(any_one_member_may_be_missing),
        TEST(sizes_may_be_unknown),
        TEST(types_of_another_build_are_rejected),
        TEST(one_contradicted_size_rejects_all_types),
        TEST(no_wrong_offset_does_harm),
        TEST(wrong_offset_that_a_probe_disproves_is_refused),
        TEST(known_objects_that_are_not_as_known_are_refused),
        TEST(group_of_world_without_our_name_is_refused),
        TEST(null_request_that_is_not_as_known_refuses_requests),
        TEST(live_offset_wins_over_the_table),
        TEST(descriptor_of_another_size_is_refused_with_a_message),
        TEST(debug_build_is_listed_by_its_own_table),
        TEST(build_that_no_table_fits_is_refused),
        TEST(build_that_no_table_fits_is_listed_by_its_own_types),
        TEST(size_of_processes_does_not_matter),
        TEST(version_string_decides_nothing),
        TEST(message_never_passes_on_a_percent_of_the_target),
        TEST(descriptor_with_another_name_is_no_evidence),
        TEST(any_one_descriptor_may_be_missing),
        TEST(without_any_symbol_of_a_class_all_but_receives_is_there),
        TEST(types_without_descriptors_are_right_or_an_error),
    };
    return cmocka_run_group_tests(tests, setup_truth, teardown_truth);
}
