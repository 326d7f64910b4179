/*
 * test_dll_rules.c - how a layout comes into force, rule by rule, on processes of several releases and machines.
 *
 * The rules are those of resolve.c and evidence.c: 1 debug information of another build is not used; 2 a table is a
 * candidate if it has all sizes that the process states; 3 the debugger's answer wins; 4 without one, a table counts
 * where the process confirms it; 5 types contain each other; 6 known objects must be as they are known.
 */
#include "fake_sweep.h"
#include "fake_test.h"

/* Which of one in n a test takes: on each machine others, so that all are taken on some. */
static unsigned turn;

static bool is_taken(unsigned number, unsigned n)
{
    return (number + turn) % fake_stride(n) == 0;
}

static void setup(const struct fake_build *build)
{
    turn++;
    fake_setup_populated(build);
}

static const char *const outcomes[] = { "right", "told", "wrong" };

static enum fake_outcome look(void)
{
    (void)fake_look_anew(&fake);
    assert_string_equal(fake.listing.broken, "");
    return fake_judge(&fake.listing, &fake.truth);
}

static void assert_right(const char *source)
{
    assert_string_equal(outcomes[look()], "right");
    assert_string_equal(fake_summary().source, source);
}

/* All is refused, in a sentence that says this. */
static void assert_refused(const char *word)
{
    assert_string_equal(outcomes[look()], "told");
    assert_true(fake.listing.process_has_queues >= mqs_first_user_code);
    assert_int_equal(fake.listing.n_comms, 0);
    if (strstr(fake.listing.message, word) == NULL)
        fail_msg("no \"%s\" in \"%s\"", word, fake.listing.message);
}

/* Does Open MPI keep this type's size, and is it the same in all builds of a family? */
static bool has_exact_size(const struct fake_build *build, int type)
{
    return build->types[type].has_class && build->types[type].size > 0 && type != FAKE_TYPE_ompi_proc_t;
}

static void set_class_size(int type, uint64_t size)
{
    PUT(JOB->classes[type], opal_class_t, cls_sizeof, size);
}

/* Rule 1. */

SUITE(each, setup, fake_teardown, FAKE_MACHINES);

TEST(rule_1_one_contradicted_size_rejects_all_types_by_name)
{
    for (int type = 0; type < FAKE_N_TYPES; type++) {
        if (!has_exact_size(build, type))
            continue;
        fake_types_all(HOST, build);
        HOST->types.size[type] += 8;
        HOST->types.offset[FAKE_MEMBER_ompi_communicator_t__c_my_rank] += 4;
        assert_right("table");
        assert_string_equal(fake_summary().rejected, build->types[type].name);
    }
}

/* The tail of ompi_proc_t is what configure made it. */
TEST(rule_1_does_not_apply_to_a_size_that_may_differ)
{
    fake_types_all(HOST, build);
    HOST->types.size[FAKE_TYPE_ompi_proc_t] += 64;
    assert_right("table+live");
    assert_string_equal(fake_summary().rejected, "");
}

/* Every build's types, given for every other build's process. */
TEST(rule_1_debug_information_of_any_other_build_does_no_harm)
{
    for (int i = 0; i < FAKE_N_BUILDS; i++) {
        fake_types_all(HOST, fake_builds[i]);
        assert_string_equal(outcomes[look()], "right");
        assert_string_equal(fake_summary().source, fake_builds[i] == build ? "table+live" : "table");
        assert_true((fake_builds[i] == build) == (fake_summary().rejected[0] == '\0'));
    }
}

/* Without sizes another build's types cannot always be told; then a probe refuses. */
TEST(rule_1_nor_does_it_without_sizes)
{
    unsigned n[FAKE_N_OUTCOMES] = { 0 };

    fake_host_lack_callbacks(HOST);
    for (int i = 0; i < FAKE_N_BUILDS; i++) {
        fake_types_all(HOST, fake_builds[i]);
        n[look()]++;
    }
    assert_int_equal(n[FAKE_SILENT], 0);
    assert_true(n[FAKE_RIGHT] > n[FAKE_TOLD]);
}

/* Rule 2. */

TEST(rule_2_each_size_that_the_process_states_counts)
{
    for (int type = 0; type < FAKE_N_TYPES; type++) {
        if (!has_exact_size(build, type))
            continue;
        /* No other build has such a size either. */
        set_class_size(type, build->types[type].size + 1);
        assert_refused(build->version);
        set_class_size(type, build->types[type].size - 1);
        assert_refused(build->version);
        set_class_size(type, build->types[type].size);
    }
    assert_right("table");
}

TEST(rule_2_a_size_that_may_differ_does_not)
{
    set_class_size(FAKE_TYPE_ompi_proc_t, build->types[FAKE_TYPE_ompi_proc_t].size + 64);
    assert_right("table");
    /* As long as all that is read is in it. */
    set_class_size(FAKE_TYPE_ompi_proc_t, build->types[FAKE_TYPE_opal_proc_t].size - 1);
    assert_refused(build->version);
}

/* A descriptor that says more than any type has is none; the others, or the debugger, have to do. */
TEST(rule_2_an_absurd_size_is_no_size)
{
    uint64_t size = build->types[FAKE_TYPE_mca_pml_ob1_recv_frag_t].size;

    if (build->pointer_size == 8)
        size |= UINT64_C(1) << 32;
    else
        size = UINT32_MAX;
    set_class_size(FAKE_TYPE_mca_pml_ob1_recv_frag_t, size);
    assert_string_equal(outcomes[look()], "told");
    assert_int_equal(fake.listing.process_has_queues, mqs_ok);
    assert_int_equal(fake_queue(&fake, 0, mqs_pending_receives)->n, 5);
    fake_types_all(HOST, build);
    assert_right("table+live");
}

static void set_version(const char *version)
{
    char text[8] = "";

    memcpy(text, version, strnlen(version, sizeof text - 1));
    fake_image_put_bytes(IMAGE, JOB->version, text, strlen(JOB->options.version) + 1);
}

/* Vendors put what they like there. */
TEST(rule_2_a_version_that_lies_does_not_outweigh_sizes)
{
    struct mqd_layout_summary honest;

    assert_right("table");
    honest = fake_summary();
    assert_true(fake_is_of_family(build, honest.family));
    for (int i = 0; i < FAKE_N_BUILDS; i++) {
        set_version(fake_builds[i]->version);
        assert_right("table");
        assert_string_equal(fake_summary().family, honest.family);
        assert_string_equal(fake_summary().variant, honest.variant);
    }
}

SUITE(tied, setup, fake_teardown, &fake_i386_31, &fake_i386_40);

/* 3.1 and 4.0 for i386 differ in nothing: what is said is what the version says, what is shown is the same. */
TEST_ON(tied, rule_2_the_version_breaks_a_tie)
{
    static const struct {
        const char *version, *family;
    } ties[] = { { "3.1.6", "3.1.0-3.1.6" }, { "4.0.0", "4.0.0-4.0.0" }, { "4.0.1", "4.0.1-4.0.7" },
                 { "4.0.7", "4.0.1-4.0.7" }, { "vendo", "3.1.0-3.1.6" }, { "4.1.4", "3.1.0-3.1.6" } };

    for (size_t i = 0; i < sizeof ties / sizeof ties[0]; i++) {
        set_version(ties[i].version);
        assert_right("table");
        assert_string_equal(fake_summary().family, ties[i].family);
    }
}

SUITE(debug, setup, fake_teardown, &fake_debug);

/* Its version string is the same as that of a release build. */
TEST_ON(debug, rule_2_a_debug_build_is_told_by_its_sizes)
{
    assert_right("table");
    assert_string_equal(fake_summary().variant, "debug");
    fake_types_all(HOST, &fake_release);
    assert_right("table");
    assert_string_equal(fake_summary().variant, "debug");
    fake_types_all(HOST, build);
    assert_right("table+live");
}

/* Rule 3. */

/* A build of the site's own in which two members have changed places: no size tells. */
static void swap(struct fake_build *build, int one, int other)
{
    size_t offset = build->members[one].offset;

    build->members[one].offset = build->members[other].offset;
    build->members[other].offset = offset;
}

/*
 * Numbers of the same width in the same type. Not in class descriptors, which have to be read before anything is known;
 * not in headers, which begin with what they have in common and are as long as where their last member ends.
 */
static bool may_swap(const struct fake_build *build, int one, int other)
{
    const struct fake_member_info *a = &build->members[one], *b = &build->members[other];

    return a->type == b->type && a->size == b->size && a->size > 0 && a->size <= 8
           && a->type != FAKE_TYPE_opal_class_t && a->type != FAKE_TYPE_mca_pml_ob1_match_hdr_t
           && a->type != FAKE_TYPE_mca_pml_ob1_rendezvous_hdr_t && a->type != FAKE_TYPE_mca_pml_ob1_cid_hdr_t;
}

static void look_at_site(const struct fake_build *site)
{
    struct fake_options options = fake_options_of(site);

    fake_begin_populated(&fake, &options);
    fake_types_all(HOST, site);
    (void)fake_look(&fake);
}

TEST(rule_3_members_that_moved_are_found_where_the_debugger_says)
{
    const char *truth = of_test(fake_text(&fake.truth, &fake.names));
    static struct fake_build site;
    unsigned n = 0;

    for (int one = 0; one < FAKE_N_MEMBERS; one++)
        for (int other = one + 1; other < FAKE_N_MEMBERS; other++) {
            if (!may_swap(build, one, other) || !is_taken(n++, 3))
                continue;
            site = *build;
            swap(&site, one, other);
            look_at_site(&site);
            if (strcmp(LISTING, truth) != 0)
                fail_msg("%s and %s of %s have changed places, and the listing is another:\n%s%s",
                         build->members[one].name, build->members[other].name,
                         build->types[build->members[one].type].name, LISTING, fake.listing.message);
        }
    assert_in_range(n, 100, 1000);
}

TEST(rule_3_it_is_said_that_table_and_debugger_differ)
{
    static struct fake_build site;

    site = *build;
    swap(&site, FAKE_MEMBER_ompi_group_t__grp_proc_count, FAKE_MEMBER_ompi_group_t__grp_my_rank);
    look_at_site(&site);
    assert_int_equal(fake.listing.update, mqs_ok);
    assert_string_equal(fake_summary().source, "mixed");
    assert_string_equal(fake_summary().rejected, "");
    /* Also if that is the only type that the debugger has. */
    for (int type = 0; type < FAKE_N_TYPES; type++)
        if (type != FAKE_TYPE_ompi_group_t)
            fake_types_set(HOST, (enum fake_type)type, FAKE_UNKNOWN_TYPE);
    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    assert_string_equal(fake_summary().source, "mixed");
}

TEST(rule_3_a_member_the_debugger_lacks_comes_from_the_table_if_the_rest_agrees)
{
    fake_types_all(HOST, build);
    for (int member = 0; member < FAKE_N_MEMBERS; member++) {
        if (build->members[member].offset == FAKE_ABSENT)
            continue;
        HOST->types.offset[member] = -1;
        assert_string_equal(outcomes[look()], "right");
        HOST->types.offset[member] = (int)build->members[member].offset;
    }
}

/* Else it is absent, and what needs it is off. */
TEST(rule_3_of_a_type_that_differs_nothing_comes_from_the_table)
{
    static struct fake_build site;

    site = *build;
    swap(&site, FAKE_MEMBER_ompi_group_t__grp_proc_count, FAKE_MEMBER_ompi_group_t__grp_my_rank);
    look_at_site(&site);
    fake_types_all(HOST, &site);
    HOST->types.offset[FAKE_MEMBER_ompi_group_t__grp_proc_pointers] = -1;
    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    assert_int_equal(fake.listing.comms[0].communicator.size, 4);
    assert_has(mqs_dll_error_string(fake.listing.comms[0].group_rc), "ompi_group_t.grp_proc_pointers");
    assert_int_equal(fake_queue(&fake, 0, mqs_pending_receives)->n, 5);
}

TEST(rule_3_a_forward_declaration_is_no_knowledge)
{
    for (int type = 0; type < FAKE_N_TYPES; type++) {
        if (build->types[type].size == 0)
            continue;
        fake_types_all(HOST, build);
        fake_types_set(HOST, (enum fake_type)type, FAKE_FORWARD_TYPE);
        assert_string_equal(outcomes[look()], "right");
        assert_string_equal(fake_summary().rejected, "");
    }
    for (int type = 0; type < FAKE_N_TYPES; type++)
        fake_types_set(HOST, (enum fake_type)type, FAKE_FORWARD_TYPE);
    assert_right("table");
}

TEST(rule_3_sizes_may_be_unknown)
{
    fake_types_all(HOST, build);
    for (int size = -1; size <= 0; size++) {
        for (int type = 0; type < FAKE_N_TYPES; type++)
            HOST->types.size[type] = size;
        assert_right("table+live");
    }
    HOST->image_callbacks.mqs_sizeof_fp = NULL;
    assert_right("table+live");
}

/*
 * The program has a type of its own by one of these names: some members, elsewhere, and mostly of another size. Where
 * Open MPI keeps no size of the type, only geometry and probes are left.
 */
TEST(rule_3_a_type_of_the_users_of_the_same_name_does_no_harm)
{
    unsigned n[FAKE_N_OUTCOMES] = { 0 };

    for (int type = 0; type < FAKE_N_TYPES; type++)
        for (int shape = 0; shape < 3; shape++) {
            enum fake_outcome outcome;

            if (build->types[type].size == 0 || !is_taken((unsigned)(type + shape), 3))
                continue;
            fake_types_none(HOST);
            fake_types_set(HOST, (enum fake_type)type, FAKE_KNOWN_TYPE);
            HOST->types.size[type] = shape == 0 ? 8 : (int)build->types[type].size + 24;
            for (int member = 0; member < FAKE_N_MEMBERS; member++)
                if (build->members[member].type == (enum fake_type)type)
                    HOST->types.offset[member] = shape == 2 ? 0 : (int)build->members[member].offset + 8;
            outcome = look();
            n[outcome]++;
            if (outcome == FAKE_SILENT)
                fail_msg("%s of the user's, shape %d: wrong and silent", build->types[type].name, shape);
            if (has_exact_size(build, type))
                assert_string_equal(fake_summary().rejected, build->types[type].name);
        }
    assert_true(n[FAKE_RIGHT] > n[FAKE_TOLD]);
}

/* Debuggers whose types are incomplete or wrong, all of them on one machine. */

SUITE(once, setup, fake_teardown, &fake_release);

TEST_ON(once, types_of_a_lazy_debugger_are_read_when_it_is_asked_for_a_function)
{
    fake_types_all(HOST, build);
    HOST->types.lazy = true;
    assert_right("table+live");
}

/* An unstripped default build: libmpi's types are known, ob1's are not. */
TEST_ON(once, types_of_libmpi_only_are_completed_by_the_table)
{
    fake_types_all(HOST, build);
    for (int type = 0; type < FAKE_N_TYPES; type++)
        if (strncmp(build->types[type].name, "mca_pml_ob1_", 12) == 0)
            fake_types_set(HOST, (enum fake_type)type, FAKE_UNKNOWN_TYPE);
    assert_right("mixed");
}

TEST_ON(once, any_one_type_may_be_missing_or_all_that_is_known)
{
    for (int type = 0; type < FAKE_N_TYPES; type++) {
        fake_types_all(HOST, build);
        fake_types_set(HOST, (enum fake_type)type, FAKE_UNKNOWN_TYPE);
        assert_string_equal(outcomes[look()], "right");
        fake_types_none(HOST);
        fake_types_set(HOST, (enum fake_type)type, FAKE_KNOWN_TYPE);
        assert_string_equal(outcomes[look()], "right");
    }
}

/*
 * The debugger gives a wrong offset for one member. It is used if it is possible. Then the listing may be wrong, or a
 * probe refuses the layout. The DLL must not crash or violate the interface.
 */
TEST_ON(once, no_wrong_offset_does_harm)
{
    static const int errors[] = { -8, -4, 4, 8, 64, 1, 100000, 0x7fffffff };

    for (int member = 0; member < FAKE_N_MEMBERS; member++)
        for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
            uint32_t wrong = (uint32_t)build->members[member].offset + (uint32_t)errors[i];

            fake_types_all(HOST, build);
            HOST->types.offset[member] = (int)wrong;
            (void)look();
            assert_int_equal(HOST->violations, 0);
            assert_in_range(HOST->n_reads, 0, 3000);
        }
}

/* A site's own build, in which groups have one more member at their end, is listed by its own types alone. */
TEST_ON(once, build_that_no_table_fits_is_listed_by_its_own_types)
{
    uint64_t size = build->types[FAKE_TYPE_ompi_group_t].size + 8;

    fake_types_all(HOST, build);
    PUT(JOB->classes[FAKE_TYPE_ompi_group_t], opal_class_t, cls_sizeof, size);
    HOST->types.size[FAKE_TYPE_ompi_group_t] = (int)size;
    assert_right("live");
    assert_string_equal(fake_summary().family, "");
}

/* Rule 4. */

/* No way leads to the size of this type any more: its descriptor has no name. */
static void break_descriptor(int type)
{
    PUT(JOB->classes[type], opal_class_t, cls_name, 8);
}

static void mend_descriptor(int type)
{
    const struct fake_build *build = JOB->options.build;

    PUT(JOB->classes[type], opal_class_t, cls_name, fake_image_put_string(IMAGE, JOB->heap, build->types[type].name));
}

TEST(rule_4_what_is_not_confirmed_is_off_with_the_reason)
{
    const struct fake_queue *queue;

    break_descriptor(FAKE_TYPE_mca_pml_ob1_recv_frag_t);
    assert_string_equal(outcomes[look()], "told");
    queue = fake_queue(&fake, 0, mqs_unexpected_messages);
    assert_true(queue->setup >= mqs_first_user_code);
    assert_has(mqs_dll_error_string(queue->setup), "mca_pml_ob1_recv_frag_t.");
    assert_int_equal(fake_queue(&fake, 0, mqs_pending_sends)->setup, mqs_ok);
    assert_int_equal(fake_queue(&fake, 0, mqs_pending_receives)->n, 5);
    /* A declaration without members confirms nothing. */
    fake_types_set(HOST, FAKE_TYPE_mca_pml_ob1_recv_frag_t, FAKE_FORWARD_TYPE);
    assert_string_equal(outcomes[look()], "told");
    assert_has(mqs_dll_error_string(fake_queue(&fake, 0, mqs_unexpected_messages)->setup), "mca_pml_ob1_recv_frag_t.");
    mend_descriptor(FAKE_TYPE_mca_pml_ob1_recv_frag_t);
    assert_right("table");
}

/* Makes those descriptors unreachable whose bits are set, in the order of types: by their symbol or by their name. */
static void break_descriptors(unsigned which, bool by_name)
{
    for (int type = 0; type < FAKE_N_TYPES; type++) {
        char symbol[64];

        if (JOB->classes[type] == 0)
            continue;
        snprintf(symbol, sizeof symbol, "%s_class", JOB->options.build->types[type].name);
        if ((which & 1) != 0 && by_name)
            break_descriptor(type);
        else if ((which & 1) != 0)
            fake_image_set_symbol_hidden(IMAGE, symbol, true);
        which >>= 1;
    }
}

static void mend_descriptors(void)
{
    for (int type = 0; type < FAKE_N_TYPES; type++)
        if (JOB->classes[type] != 0)
            mend_descriptor(type);
    for (int i = 0; i < IMAGE->n_symbols; i++)
        IMAGE->symbols[i].hidden = false;
}

/*
 * Each single one and each half, without and with types; but for the two of datatypes, without which sends do not name
 * theirs.
 */
TEST(rule_4_any_descriptors_may_be_unreadable)
{
    enum { N_CLASSES = 22, OF_DATATYPES = 0x1800 };
    static const unsigned halves[] = { 0x0007ff, 0x3fe000, 0x155555, 0x2aaaaa, 0x1c71c7, 0x238e38, 0x333333, 0x3fffff };
    enum { N_PATTERNS = N_CLASSES + sizeof halves / sizeof halves[0] };
    unsigned n[2][FAKE_N_OUTCOMES] = { { 0 } };

    for (int by_name = 0; by_name < 2; by_name++)
        for (unsigned i = 0; i < 2 * N_PATTERNS; i++) {
            unsigned which = i / 2 < N_CLASSES ? 1u << i / 2 : halves[i / 2 - N_CLASSES];
            enum fake_outcome outcome;

            if (!is_taken(i, 3))
                continue;
            if (i % 2 == 0)
                fake_types_none(HOST);
            else
                fake_types_all(HOST, build);
            break_descriptors(which & ~(unsigned)OF_DATATYPES, by_name == 1);
            outcome = look();
            if (outcome == FAKE_SILENT)
                fail_msg("descriptors %#x unreadable: wrong and silent", which);
            n[by_name][outcome]++;
            mend_descriptors();
        }
    /* Objects lead to almost all that symbols do not; nothing leads to a descriptor that cannot be read. */
    assert_true(fake_stride(1) > 1 || n[0][FAKE_RIGHT] > 4 * n[0][FAKE_TOLD]);
    assert_true(fake_stride(1) > 1 || n[1][FAKE_TOLD] > n[1][FAKE_RIGHT]);
}

TEST(rule_4_without_datatypes_receives_are_refused_and_sends_lack_a_name)
{
    const struct fake_queue *sends;

    break_descriptor(FAKE_TYPE_ompi_datatype_t);
    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    assert_has(mqs_dll_error_string(fake_queue(&fake, 0, mqs_pending_receives)->setup), "ompi_datatype_t.");
    sends = fake_queue(&fake, 0, mqs_pending_sends);
    assert_int_equal(sends->n, 2);
    assert_int_equal(sends->operations[1].desired_length, 2000);
    assert_true(fake_says(&sends->operations[1], "500 x elements"));
}

TEST(rule_4_a_descriptor_with_another_name_is_no_evidence)
{
    PUT(JOB->classes[FAKE_TYPE_ompi_group_t], opal_class_t, cls_name,
        fake_image_put_string(IMAGE, JOB->heap, "ompi_gruop_t"));
    assert_string_equal(outcomes[look()], "told");
}

/* Rule 5. */

/* A build of the site's own with a larger MPI_Status, which only the debugger knows: no descriptor has it. */
TEST(rule_5_a_container_is_not_in_force_if_what_it_embeds_has_another_size)
{
    const struct fake_queue *queue;

    fake_types_set(HOST, FAKE_TYPE_ompi_status_public_t, FAKE_KNOWN_TYPE);
    HOST->types.size[FAKE_TYPE_ompi_status_public_t] = (int)build->types[FAKE_TYPE_ompi_status_public_t].size + 8;
    assert_string_equal(outcomes[look()], "told");
    assert_int_equal(fake.listing.n_comms, fake.truth.n_comms);
    queue = fake_queue(&fake, 0, mqs_pending_receives);
    assert_true(queue->setup >= mqs_first_user_code);
    assert_has(mqs_dll_error_string(queue->setup), "ompi_request_t.");
}

/* What cannot be, while the process vouches for a table, is an error of the debugger's. */
TEST(rule_5_an_impossible_answer_gives_way_to_a_confirmed_table)
{
    fake_types_all(HOST, build);
    HOST->types.offset[FAKE_MEMBER_ompi_group_t__grp_my_rank] =
        (int)build->members[FAKE_MEMBER_ompi_group_t__grp_proc_count].offset;
    assert_right("table");
    assert_string_equal(fake_summary().rejected, "ompi_group_t");
}

/* Without such a table it is refused, and the member named. */
TEST(rule_5_an_impossible_answer_alone_is_refused_by_name)
{
    fake_types_all(HOST, build);
    HOST->types.offset[FAKE_MEMBER_ompi_group_t__grp_my_rank] =
        (int)build->members[FAKE_MEMBER_ompi_group_t__grp_proc_count].offset;
    set_class_size(FAKE_TYPE_ompi_group_t, build->types[FAKE_TYPE_ompi_group_t].size + 8);
    HOST->types.size[FAKE_TYPE_ompi_group_t] += 8;
    assert_refused("ompi_group_t.grp_my_rank");
}

/* Rule 6. */

static enum fake_member slot_member(const struct fake_build *build)
{
    return build->family < 500 ? FAKE_MEMBER_ompi_communicator_t__c_contextid
                               : FAKE_MEMBER_ompi_communicator_t__c_index;
}

TEST(rule_6_what_is_not_as_it_is_known_is_refused)
{
    const struct {
        fake_ta object;
        enum fake_member member;
        uint64_t value;
        const char *word;
    } wrong[] = {
        { JOB->null.ta, slot_member(build), 3, "MPI_COMM_NULL" },
        { JOB->null.ta, FAKE_MEMBER_ompi_communicator_t__c_my_rank, 0, "MPI_COMM_NULL" },
        { JOB->null.ta, FAKE_MEMBER_ompi_communicator_t__c_pml_comm, JOB->world.pml, "MPI_COMM_NULL" },
        { JOB->null.local_group, FAKE_MEMBER_ompi_group_t__grp_proc_count, 1, "MPI_COMM_NULL" },
        { JOB->null.ta, FAKE_MEMBER_opal_object_t__obj_class, JOB->classes[FAKE_TYPE_ompi_group_t], "MPI_COMM_NULL" },
        { JOB->world.ta, FAKE_MEMBER_opal_object_t__obj_class, JOB->classes[FAKE_TYPE_ompi_group_t], "MPI_COMM_WORLD" },
        { JOB->world.ta, slot_member(build), 9, "MPI_COMM_WORLD" },
        { JOB->world.ta, FAKE_MEMBER_ompi_communicator_t__c_my_rank, 4, "MPI_COMM_WORLD" },
        { JOB->world.ta, FAKE_MEMBER_ompi_communicator_t__c_my_rank, 2, "ompi_proc_local_proc" },
        { JOB->world.ta, FAKE_MEMBER_ompi_communicator_t__c_flags, FAKE_COMM_PML_ADDED, "MPI_COMM_WORLD" },
        { JOB->world.ta, FAKE_MEMBER_ompi_communicator_t__c_flags,
          FAKE_COMM_INTRINSIC | FAKE_COMM_NAMEISSET | FAKE_COMM_INTER, "MPI_COMM_WORLD" },
        { JOB->world.ta, FAKE_MEMBER_ompi_communicator_t__c_f_to_c_index, 5, "MPI_COMM_WORLD" },
        { JOB->world.ta, FAKE_MEMBER_ompi_communicator_t__c_remote_group, JOB->self.local_group, "MPI_COMM_WORLD" },
        { JOB->world.local_group, FAKE_MEMBER_ompi_group_t__grp_my_rank, 0, "ompi_proc_local_proc" },
        { JOB->communicators, FAKE_MEMBER_opal_pointer_array_t__number_free, 9999, "ompi_mpi_communicators" },
        { JOB->communicators, FAKE_MEMBER_opal_pointer_array_t__lowest_free, 9999, "ompi_mpi_communicators" },
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        uint64_t old = fake_image_get_member(IMAGE, wrong[i].object, wrong[i].member);

        fake_image_put_member(IMAGE, wrong[i].object, wrong[i].member, wrong[i].value);
        assert_refused(wrong[i].word);
        fake_image_put_member(IMAGE, wrong[i].object, wrong[i].member, old);
    }
    assert_right("table");
}

TEST(rule_6_our_own_name_must_be_in_our_own_group)
{
    const fake_ta others[] = { fake_sentinel(JOB, JOB->options.jobid, 2), JOB->procs[0],
                               fake_proc_new(JOB, JOB->options.jobid + 1, 1), 0 };

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        fake_group_set(JOB, JOB->world.local_group, 1, others[i]);
        assert_refused("ompi_proc_local_proc");
    }
    /* What cannot be read may be right. */
    fake_group_set(JOB, JOB->world.local_group, 1, 0x12345678);
    assert_string_equal(outcomes[look()], "told");
    assert_int_equal(fake.listing.process_has_queues, mqs_ok);
    assert_has(fake.listing.message, "memory of the process could not be read: the debugger has lost 100? of its wire");
    fake_group_set(JOB, JOB->world.local_group, 1, fake_sentinel(JOB, JOB->options.jobid, 1));
    assert_right("table");
}

/* What only requests are made of refuses only them. */
TEST(rule_6_a_probe_refuses_no_more_than_it_disproves)
{
    PUT(JOB->request_null, ompi_request_t, req_state, FAKE_ACTIVE);
    assert_string_equal(outcomes[look()], "told");
    assert_int_equal(fake.listing.process_has_queues, mqs_ok);
    assert_int_equal(fake.listing.n_comms, fake.truth.n_comms);
    for (int queue = 0; queue < FAKE_N_QUEUES; queue++)
        assert_has(mqs_dll_error_string(fake.listing.comms[0].queues[queue].setup), "MPI_REQUEST_NULL");
    PUT(JOB->request_null, ompi_request_t, req_state, FAKE_INACTIVE);
    PUT(JOB->recv_requests, opal_free_list_t, fl_num_allocated,
        GET(JOB->recv_requests, opal_free_list_t, fl_num_allocated) + 1);
    assert_string_equal(outcomes[look()], "told");
    assert_has(mqs_dll_error_string(fake_queue(&fake, 0, mqs_pending_receives)->error), "add up");
    assert_int_equal(fake_queue(&fake, 0, mqs_pending_sends)->error, mqs_ok);
}

/* MPI_BYTE has one byte, whoever uses it; a library whose own is not even initialised proves nothing. */
TEST(rule_6_the_size_of_a_byte_is_known)
{
    PUT(JOB->dead_byte, opal_datatype_t, size, 2);
    assert_string_equal(outcomes[look()], "told");
    assert_has(mqs_dll_error_string(fake_queue(&fake, 0, mqs_pending_receives)->setup), "MPI_BYTE");
    assert_int_equal(fake_queue(&fake, 0, mqs_pending_sends)->n, 2);
    fake_image_zero(IMAGE, JOB->dead_byte, FAKE_SIZE(IMAGE, ompi_datatype_t));
    assert_right("table");
    fake_image_set_symbol_hidden(IMAGE, "ompi_mpi_byte", true);
    assert_right("table");
}

SUITE(with_ids, setup, fake_teardown, FAKE_WITH_SESSIONS);

/* Since 5.0: the flag says that the slot's number is the same everywhere, so the context id only repeats it. */
TEST_ON(with_ids, rule_6_a_context_id_that_cannot_be_is_no_communicator)
{
    const struct fake_comm comms[] = { JOB->world, JOB->self };

    for (size_t i = 0; i < sizeof comms / sizeof comms[0]; i++) {
        fake_ta id = fake_image_at(IMAGE, comms[i].ta, FAKE_MEMBER_ompi_communicator_t__c_contextid);

        PUT(id, ompi_comm_extended_cid_t, cid_base, 7);
        assert_string_equal(outcomes[look()], "told");
        PUT(id, ompi_comm_extended_cid_t, cid_base, 0);
    }
    assert_right("table");
}

/* Programs may rename what they like but MPI_COMM_NULL. */
TEST(rule_6_names_are_no_probes)
{
    const struct fake_queue *queue;

    fake_comm_set_name(JOB, &JOB->world, "ocean");
    fake_comm_set_name(JOB, &JOB->self, "");
    fake_datatype_set_name(JOB, JOB->mpi_double, "temperature");
    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    assert_int_equal(fake.listing.process_has_queues, mqs_ok);
    assert_int_equal(fake.listing.error, mqs_ok);
    assert_string_equal(fake.listing.comms[0].communicator.name, "ocean");
    assert_string_equal(fake.listing.comms[1].communicator.name, "");
    queue = fake_queue(&fake, 0, mqs_pending_receives);
    assert_true(fake_says(&queue->operations[0], "7 x temperature"));
    fake_comm_set_name(JOB, &JOB->null, "nothing");
    assert_refused("MPI_COMM_NULL");
}
