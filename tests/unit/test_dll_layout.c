/* test_dll_layout.c - debuggers whose types are incomplete or of another build; see test_dll_rules.c. */
#include "fake_test.h"

/* The truth is the listing of the populated job with the table only. All other ways to a layout lead to it too. */
SUITE(each, fake_setup_populated, fake_teardown, &fake_release);

static void assert_truth(void)
{
    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    assert_text(LISTING, of_test(fake_text(&fake.truth, &fake.names)));
}

TEST(types_of_a_lazy_debugger_are_read_when_it_is_asked_for_a_function)
{
    fake_types_all(HOST, build);
    HOST->types.lazy = true;
    assert_truth();
    assert_string_equal(fake_summary().source, "table+live");
}

/* An unstripped default build: libmpi's types are known, ob1's are not. */
TEST(types_of_libmpi_only_are_completed_by_the_table)
{
    fake_types_all(HOST, build);
    for (int type = 0; type < FAKE_N_TYPES; type++)
        if (strncmp(build->types[type].name, "mca_pml_ob1_", 12) == 0)
            fake_types_set(HOST, (enum fake_type)type, FAKE_UNKNOWN_TYPE);
    assert_truth();
    assert_string_equal(fake_summary().source, "mixed");
}

TEST(any_one_type_may_be_missing_or_all_that_is_known)
{
    for (int type = 0; type < FAKE_N_TYPES; type++) {
        fake_types_all(HOST, build);
        fake_types_set(HOST, (enum fake_type)type, FAKE_UNKNOWN_TYPE);
        assert_truth();
        fake_types_none(HOST);
        fake_types_set(HOST, (enum fake_type)type, FAKE_KNOWN_TYPE);
        assert_truth();
    }
}

/*
 * The debugger gives a wrong offset for one member. It is used if it is possible. Then the listing may be wrong, or a
 * probe refuses the layout. The DLL must not crash or violate the interface.
 */
TEST(no_wrong_offset_does_harm)
{
    static const int errors[] = { -8, -4, 4, 8, 64, 1, 100000, 0x7fffffff };

    for (int member = 0; member < FAKE_N_MEMBERS; member++)
        for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
            uint32_t wrong = (uint32_t)build->members[member].offset + (uint32_t)errors[i];

            fake_types_all(HOST, build);
            HOST->types.offset[member] = (int)wrong;
            (void)fake_look_anew(&fake);
            assert_string_equal(fake.listing.broken, "");
            assert_int_equal(HOST->violations, 0);
            assert_in_range(HOST->n_reads, 0, 3000);
        }
}

/* A site's own build, in which groups have one more member at their end, is listed by its own types alone. */
TEST(build_that_no_table_fits_is_listed_by_its_own_types)
{
    uint64_t size = build->types[FAKE_TYPE_ompi_group_t].size + 8;

    fake_types_all(HOST, build);
    PUT(JOB->classes[FAKE_TYPE_ompi_group_t], opal_class_t, cls_sizeof, size);
    HOST->types.size[FAKE_TYPE_ompi_group_t] = (int)size;
    assert_truth();
    assert_string_equal(fake_summary().source, "live");
    assert_string_equal(fake_summary().family, "");
}
