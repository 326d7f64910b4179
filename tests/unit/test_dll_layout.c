/* test_dll_layout.c - debuggers whose types are incomplete or of another build; see test_dll_rules.c. */
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

/* The listing of the populated job with the table only. All other ways to a layout must lead to the same listing. */
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

/* The process is refused, with a message for the user. Nothing is listed. */
static void assert_refused(void)
{
    assert_true(fake_look(&fake) >= mqs_first_user_code);
    assert_true(fake.listing.process_has_queues >= mqs_first_user_code);
    assert_true(strlen(fake.listing.message) > 10);
    assert_int_equal(fake.listing.n_comms, 0);
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

/*
 * The debugger gives a wrong offset for one member. It is used if it is possible. Then the listing may be wrong, or a
 * probe refuses the layout. The DLL must not crash or violate the interface.
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

/*
 * The rank of MPI_COMM_NULL is known in advance. So a wrong offset of this member is noticed. It is that of a member
 * which the DLL does not read: nothing overlaps.
 */
static void wrong_offset_that_a_probe_disproves_is_refused(void **state)
{
    const struct fake_member_info *before = &fake_release.members[FAKE_MEMBER_ompi_communicator_t__c_assertions];

    (void)state;
    fake_types_all(HOST, &fake_release);
    HOST->types.offset[FAKE_MEMBER_ompi_communicator_t__c_my_rank] = (int)(before->offset + before->size);
    assert_refused();
}

/* A site's own build, in which groups have one more member at their end. */
static void enlarge_groups(struct fake_fixture *site)
{
    uint64_t size = site->job.image.build->types[FAKE_TYPE_ompi_group_t].size + 8;

    FAKE_PUT(&site->job.image, site->job.classes[FAKE_TYPE_ompi_group_t], opal_class_t, cls_sizeof, size);
    site->host.types.size[FAKE_TYPE_ompi_group_t] = (int)size;
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
    assert_int_equal(fake_queue(&debug, 0, mqs_pending_receives)->n, 5);
    assert_string_equal(debug.listing.comms[0].communicator.name, "MPI_COMM_WORLD");
    assert_int_equal(ompi_mqd_extension(1)->describe_layout(&debug.host.process, &summary), mqs_ok);
    assert_string_equal(summary.source, "live");
    assert_string_equal(summary.family, "");
    assert_int_equal(fake_end(&debug), 0);
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

/* Descriptors that no symbol leads to are reached through objects; only of a datatype none is at a known place. */
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
    assert_int_equal(fake_queue(&fake, 0, mqs_pending_receives)->n, 5);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, fake_teardown)
    const struct CMUnitTest tests[] = {
        TEST(types_of_a_lazy_debugger_are_read_when_it_is_asked_for_a_function),
        TEST(types_of_libmpi_only_are_completed_by_the_table),
        TEST(any_one_type_may_be_missing),
        TEST(any_one_type_may_be_all_that_is_known),
        TEST(no_wrong_offset_does_harm),
        TEST(wrong_offset_that_a_probe_disproves_is_refused),
        TEST(build_that_no_table_fits_is_refused),
        TEST(build_that_no_table_fits_is_listed_by_its_own_types),
        TEST(message_never_passes_on_a_percent_of_the_target),
        TEST(without_any_symbol_of_a_class_all_but_receives_is_there),
        TEST(types_without_descriptors_are_right_or_an_error),
    };
    return cmocka_run_group_tests(tests, setup_truth, teardown_truth);
}
