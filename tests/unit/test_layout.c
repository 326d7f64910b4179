/* test_layout.c - resolution and geometry as pure functions: evidence in, layout out. */
#include "suite.h"
#include "layout/layout.h"

#define STEP(type, member) MQD_STEP_##type##__##member
#define INNER_OFFSET(type, member) \
    (table()->types[MQD_TYPE_##type]->fields[STEP(type, member) - MQD_FIRST_##type].offset)

static struct mqd_evidence evidence;
static struct mqd_layout layout;

/* The real table of the 4.1 family, plain; tests that need another change a copy of it. */
static const struct mqd_table *table(void)
{
    for (size_t i = 0; i < mqd_n_tables; i++)
        if (strcmp(mqd_tables[i]->first, "4.1.0") == 0 && strcmp(mqd_tables[i]->arch, "x86_64") == 0 &&
            strcmp(mqd_tables[i]->variant, "release") == 0)
            return mqd_tables[i];
    fail_msg("there is no table of 4.1");
    return NULL;
}

static void evidence_classes(void)
{
    for (unsigned type = 0; type < MQD_N_TYPES; type++)
        if (mqd_type_specs[type].class_symbol != NULL && table()->types[type] != NULL)
            evidence.classes[type] = (struct mqd_class_evidence){true, table()->types[type]->size};
}

static void evidence_live_of(const struct mqd_table *of, unsigned type)
{
    if (of->types[type] == NULL)
        return;
    evidence.live[type] = (struct mqd_live_type){true, of->types[type]->size};
    for (unsigned step = mqd_type_specs[type].first_step; step < mqd_type_end((enum mqd_type_id)type); step++) {
        const struct mqd_field *field = &of->types[type]->fields[step - mqd_type_specs[type].first_step];

        /* No debugger is asked for a member of a member. */
        evidence.live_offset[step] = field->present && mqd_step_specs[step].ways == NULL ? (int32_t)field->offset : -1;
    }
}

static void evidence_live(unsigned type)
{
    evidence_live_of(table(), type);
}

static void evidence_all_live(void)
{
    for (unsigned type = 0; type < MQD_N_TYPES; type++)
        evidence_live(type);
}

static void setup(const struct fake_build *build __attribute__((unused)))
{
    memset(&evidence, 0, sizeof evidence);
    memset(&layout, 0xa5, sizeof layout);
    evidence.abi = table()->abi;
}

static void resolve(void)
{
    const struct mqd_table *tables[1] = {table()};

    mqd_resolve(tables, 1, &evidence, &layout);
}

/* A table of the test's own: a copy of the real one in which types can be replaced. */
struct own_table {
    struct mqd_table table;
    struct mqd_table_type types[MQD_N_TYPES];
    struct mqd_field fields[MQD_N_STEPS];
};

static const struct mqd_table *own(struct own_table *copy)
{
    copy->table = *table();
    for (unsigned type = 0; type < MQD_N_TYPES; type++) {
        unsigned first = mqd_type_specs[type].first_step, end = mqd_type_end((enum mqd_type_id)type);

        if (table()->types[type] == NULL)
            continue;
        memcpy(copy->fields + first, table()->types[type]->fields, (end - first) * sizeof copy->fields[0]);
        copy->types[type] = (struct mqd_table_type){table()->types[type]->size, copy->fields + first};
        copy->table.types[type] = &copy->types[type];
    }
    return &copy->table;
}

/* The tables' own constants, so that they can be changed. */
static struct mqd_constant *own_constants(struct own_table *copy, struct mqd_constant *constants)
{
    memcpy(constants, table()->constants, MQD_N_CONSTANTS * sizeof *constants);
    copy->table.constants = constants;
    return constants;
}

/* Does the family have all members on the way to that place? */
static bool family_has(enum mqd_path_id path)
{
    for (; path != MQD_PATH_root; path = mqd_path_specs[path].parent) {
        enum mqd_step_id step = mqd_path_specs[path].step;
        enum mqd_type_id type = mqd_step_specs[step].type;

        if (table()->types[type] == NULL ||
            !table()->types[type]->fields[step - mqd_type_specs[type].first_step].present)
            return false;
    }
    return true;
}

/* Open MPI's capabilities, all of them, and none of another library's. */
static void assert_all_capabilities_of_open_mpi(void)
{
    for (unsigned can = 0; can < MQD_N_CAPABILITIES; can++)
        assert_int_equal(layout.can[can], mqd_capability_specs[can].library == MQD_LIBRARY_openmpi);
}

/* The process states the sizes of its classes; the debugger knows all types too. */
static void setup_classes(const struct fake_build *build)
{
    setup(build);
    evidence_classes();
}

static void setup_types(const struct fake_build *build)
{
    setup_classes(build);
    evidence_all_live();
}

SUITE(each, setup, NULL);
SUITE(with_classes, setup_classes, NULL);
SUITE(with_types, setup_types, NULL);

TEST_ON(with_classes, class_sizes_of_a_family_select_its_table)
{
    resolve();
    assert_int_equal(layout.verdict, MQD_VERDICT_resolved);
    assert_ptr_equal(layout.table, table());
    assert_all_capabilities_of_open_mpi();
    for (unsigned path = MQD_PATH_root + 1; path < MQD_N_PATHS; path++)
        assert_int_equal(layout.paths[path].source,
                         family_has((enum mqd_path_id)path) ? MQD_SOURCE_table : MQD_SOURCE_absent);
    assert_false(family_has(MQD_PATH_comm_index));
    assert_true(family_has(MQD_PATH_comm_context_id));
}

TEST_ON(with_classes, a_path_is_the_sum_of_its_steps)
{
    resolve();
    assert_int_equal(layout.paths[MQD_PATH_frag_tag].offset,
                     INNER_OFFSET(mca_pml_ob1_recv_frag_t, hdr) + INNER_OFFSET(mca_pml_ob1_hdr_t, hdr_match) +
                         INNER_OFFSET(mca_pml_ob1_match_hdr_t, hdr_tag));
    assert_int_equal(layout.paths[MQD_PATH_frag_tag].kind, MQD_KIND_i32);
}

TEST(one_class_of_another_size_rejects_the_table)
{
    for (unsigned type = 0; type < MQD_N_TYPES; type++) {
        if (mqd_type_specs[type].class_symbol == NULL || mqd_type_specs[type].size_rule != MQD_SIZE_exact)
            continue;
        setup(NULL);
        evidence_classes();
        evidence.classes[type].size += 8;
        resolve();
        assert_int_equal(layout.verdict, MQD_VERDICT_no_table);
        assert_null(layout.table);
        assert_int_equal(layout.type_source[MQD_TYPE_ompi_communicator_t], MQD_SOURCE_absent);
    }
}

TEST_ON(with_classes, another_size_of_a_type_with_a_free_tail_is_no_objection)
{
    evidence.classes[MQD_TYPE_ompi_proc_t].size += 24;
    resolve();
    assert_ptr_equal(layout.table, table());
    assert_true(layout.can[MQD_CAN_groups]);
}

TEST(nothing_known_is_no_contradiction)
{
    resolve();
    assert_int_equal(layout.verdict, MQD_VERDICT_no_evidence);
    assert_null(layout.table);
    assert_false(layout.can[MQD_CAN_communicators]);
    assert_int_not_equal(layout.lacks[MQD_CAN_communicators], MQD_PATH_root);
}

TEST_ON(with_classes, a_plugin_that_is_not_mapped_yet_costs_only_what_needs_it)
{
    evidence.classes[MQD_TYPE_mca_pml_ob1_recv_request_t].readable = false;
    evidence.classes[MQD_TYPE_mca_pml_ob1_recv_frag_t].readable = false;
    resolve();
    assert_int_equal(layout.verdict, MQD_VERDICT_resolved);
    assert_true(layout.can[MQD_CAN_communicators] && layout.can[MQD_CAN_requests] && layout.can[MQD_CAN_sends]);
    assert_false(layout.can[MQD_CAN_receives]);
    assert_int_equal(mqd_step_specs[mqd_path_specs[layout.lacks[MQD_CAN_receives]].step].type,
                     MQD_TYPE_mca_pml_ob1_recv_request_t);
    assert_false(layout.can[MQD_CAN_unexpected]);
    assert_int_equal(mqd_step_specs[mqd_path_specs[layout.lacks[MQD_CAN_unexpected]].step].type,
                     MQD_TYPE_mca_pml_ob1_recv_frag_t);
    /* Nor is anything known of what lies in a type that is not. */
    assert_int_equal(layout.type_source[MQD_TYPE_mca_pml_ob1_match_hdr_t], MQD_SOURCE_absent);
    assert_int_equal(layout.type_source[MQD_TYPE_ompi_status_public_t], MQD_SOURCE_table);
    /* A descriptor that is not there says nothing, whatever the type lies in. */
    assert_int_equal(layout.type_source[MQD_TYPE_opal_lifo_t], MQD_SOURCE_table);
    evidence.classes[MQD_TYPE_opal_lifo_t].readable = false;
    resolve();
    assert_int_equal(layout.type_source[MQD_TYPE_opal_lifo_t], MQD_SOURCE_absent);
}

TEST_ON(with_types, types_that_agree_are_table_and_live)
{
    resolve();
    assert_int_equal(layout.verdict, MQD_VERDICT_resolved);
    for (unsigned path = MQD_PATH_root + 1; path < MQD_N_PATHS; path++)
        if (family_has((enum mqd_path_id)path))
            assert_int_equal(layout.paths[path].source, mqd_step_specs[mqd_path_specs[path].step].ways == NULL
                                                            ? MQD_SOURCE_both
                                                            : MQD_SOURCE_table);
}

TEST_ON(with_types, a_member_the_debugger_lacks_comes_from_the_table_if_the_rest_agrees)
{
    evidence.live_offset[STEP(ompi_communicator_t, c_my_rank)] = -1;
    resolve();
    assert_int_equal(layout.paths[MQD_PATH_comm_my_rank].source, MQD_SOURCE_table);
    assert_int_equal(layout.paths[MQD_PATH_comm_flags].source, MQD_SOURCE_both);
    assert_true(layout.can[MQD_CAN_communicators]);
}

TEST_ON(with_types, a_debugger_without_sizeof_still_validates_offsets)
{
    for (unsigned type = 0; type < MQD_N_TYPES; type++)
        evidence.live[type].size = 0;
    resolve();
    assert_false(layout.live_rejected);
    assert_int_equal(layout.paths[MQD_PATH_recv_received].source, MQD_SOURCE_both);
}

/* By its ompi_datatype 4.1.1 is told from 4.1.4, and not from a build of another family. */
TEST(without_class_descriptors_a_release_may_differ_in_a_member_that_is_by_release)
{
    enum mqd_step_id tag = STEP(mca_pml_ucx_persistent_request_t, tag);

    assert_int_equal(mqd_step_specs[tag].rule, MQD_RULE_by_release);
    evidence_all_live();
    evidence.live_offset[tag] -= 8;
    resolve();
    assert_int_equal(layout.verdict, MQD_VERDICT_resolved);
    assert_ptr_equal(layout.table, table());
    assert_int_equal(layout.steps[tag].source, MQD_SOURCE_live);
    assert_int_equal(layout.steps[tag].offset, INNER_OFFSET(mca_pml_ucx_persistent_request_t, tag) - 8);
    assert_int_equal(layout.steps[STEP(mca_pml_ucx_persistent_request_t, send_ep)].source, MQD_SOURCE_absent);
    evidence.live_offset[STEP(mca_pml_ucx_persistent_request_t, count)] -= 8;
    resolve();
    assert_null(layout.table);
}

/* A PML's module has no class descriptor and is embedded in types without one. Who reads it proves it. */
TEST_ON(with_classes, a_type_in_a_type_that_nothing_states_comes_from_the_table)
{
    resolve();
    assert_int_equal(layout.paths[MQD_PATH_pml_ucx_worker].source, MQD_SOURCE_table);
    assert_int_equal(layout.paths[MQD_PATH_module_irecv].source, MQD_SOURCE_table);
}

TEST_ON(with_classes, where_the_debugger_disagrees_its_answer_wins)
{
    uint32_t offset = INNER_OFFSET(opal_datatype_t, size);

    evidence_live(MQD_TYPE_opal_datatype_t);
    /* Where no member is that is read. */
    evidence.live_offset[STEP(opal_datatype_t, size)] = (int32_t)offset + 40;
    resolve();
    assert_int_equal(layout.verdict, MQD_VERDICT_resolved);
    assert_int_equal(layout.steps[STEP(opal_datatype_t, size)].source, MQD_SOURCE_live);
    assert_int_equal(layout.steps[STEP(opal_datatype_t, size)].offset, offset + 40);
    assert_int_equal(layout.steps[STEP(opal_datatype_t, size)].kind, MQD_KIND_size);
    assert_int_equal(layout.steps[STEP(ompi_group_t, grp_my_rank)].source, MQD_SOURCE_table);
}

TEST_ON(with_classes, of_a_type_that_disagrees_nothing_comes_from_the_table)
{
    evidence_live(MQD_TYPE_ompi_group_t);
    evidence.live_offset[STEP(ompi_group_t, sparse_data)] += 8;
    evidence.live_offset[STEP(ompi_group_t, grp_my_rank)] = -1;
    resolve();
    assert_int_equal(layout.steps[STEP(ompi_group_t, grp_my_rank)].source, MQD_SOURCE_absent);
    assert_false(layout.can[MQD_CAN_groups]);
    assert_int_equal(layout.lacks[MQD_CAN_groups], MQD_PATH_group_my_rank);
    assert_true(layout.can[MQD_CAN_communicators]);
}

TEST_ON(with_types, debug_information_of_another_build_is_not_used_at_all)
{
    evidence.live[MQD_TYPE_opal_object_t].size = 40;
    evidence.live_offset[STEP(ompi_group_t, grp_proc_count)] += 24;
    resolve();
    assert_true(layout.live_rejected);
    assert_int_equal(layout.live_rejected_by, MQD_TYPE_opal_object_t);
    assert_int_equal(layout.verdict, MQD_VERDICT_resolved);
    assert_int_equal(layout.paths[MQD_PATH_group_count].source, MQD_SOURCE_table);
    assert_int_equal(layout.paths[MQD_PATH_group_count].offset, INNER_OFFSET(ompi_group_t, grp_proc_count));
}

TEST_ON(with_types, without_tables_the_debugger_is_enough_but_for_kinds_that_vary)
{
    static struct own_table copy;
    const struct mqd_table *tables[1] = {own(&copy)};

    /* A table of another machine lends its constants only. */
    copy.table.abi.little_endian = false;
    mqd_resolve(tables, 1, &evidence, &layout);
    assert_int_equal(layout.verdict, MQD_VERDICT_no_family);
    assert_int_equal(layout.paths[MQD_PATH_group_count].source, MQD_SOURCE_live);
    assert_int_equal(layout.lacks[MQD_CAN_communicators], MQD_PATH_comm_context_id);
    assert_true(layout.can[MQD_CAN_receives]);
}

TEST(constants_are_those_of_the_chosen_table)
{
    static struct own_table copy;
    static struct mqd_constant own_ones[MQD_N_CONSTANTS];
    const struct mqd_table *tables[2] = {table(), own(&copy)};

    own_constants(&copy, own_ones)[MQD_CONSTANT_hdr_match].value = 99;
    own_ones[MQD_CONSTANT_send_ready].present = false;
    copy.table.first = copy.table.last = "4.2.0";
    evidence_classes();
    strcpy(evidence.version, "4.1.4");
    mqd_resolve(tables, 2, &evidence, &layout);
    assert_ptr_equal(layout.table, table());
    assert_memory_equal(layout.constants, table()->constants, sizeof layout.constants);
    assert_true(mqd_constant_is(&layout, MQD_CONSTANT_hdr_match, 65));
    assert_false(mqd_constant_is(&layout, MQD_CONSTANT_hdr_match, 99));
    assert_true(mqd_flag_is_set(&layout, MQD_CONSTANT_comm_inter, 0x1003));
    assert_false(mqd_flag_is_set(&layout, MQD_CONSTANT_comm_inter, 0x1002));
    strcpy(evidence.version, "4.2.0");
    mqd_resolve(tables, 2, &evidence, &layout);
    assert_ptr_equal(layout.table, &copy.table);
    assert_true(mqd_constant_is(&layout, MQD_CONSTANT_hdr_match, 99));
    /* What this release does not have is no number, 0 included. */
    assert_false(mqd_constant_is(&layout, MQD_CONSTANT_comm_global_index, 0));
    assert_false(mqd_flag_is_set(&layout, MQD_CONSTANT_comm_global_index, UINT64_MAX));
    /* What it must have and is not known is not made up: what needs it is off, and nothing else. */
    assert_false(layout.can[MQD_CAN_sends]);
    assert_int_equal(layout.lacks[MQD_CAN_sends], MQD_PATH_root);
    assert_int_equal(layout.lacks_constant[MQD_CAN_sends], MQD_CONSTANT_send_ready);
    for (unsigned can = 0; can < MQD_N_CAPABILITIES; can++)
        if (mqd_capability_specs[can].library == MQD_LIBRARY_openmpi) {
            assert_int_equal(layout.can[can], can != MQD_CAN_sends);
            assert_int_equal(layout.lacks_constant[can] == MQD_N_CONSTANTS, can != MQD_CAN_sends);
        }
}

TEST(without_a_table_constants_are_the_releases_or_what_all_agree_on)
{
    static struct own_table old, new;
    static struct mqd_constant old_ones[MQD_N_CONSTANTS], new_ones[MQD_N_CONSTANTS];
    const struct mqd_table *tables[2] = {own(&old), own(&new)};

    own_constants(&old, old_ones);
    own_constants(&new, new_ones)[MQD_CONSTANT_hdr_match].value = 99;
    new_ones[MQD_CONSTANT_hdr_cid] = (struct mqd_constant){true, 74};
    new.table.first = new.table.last = "9.0.0";
    /* Neither is for this machine. */
    old.table.abi.little_endian = new.table.abi.little_endian = false;
    evidence_classes();
    evidence_all_live();
    mqd_resolve(tables, 2, &evidence, &layout);
    assert_null(layout.table);
    assert_false(layout.constants[MQD_CONSTANT_hdr_match].present);
    assert_true(mqd_constant_is(&layout, MQD_CONSTANT_hdr_cid, 74));
    assert_true(mqd_constant_is(&layout, MQD_CONSTANT_hdr_rget, 67));
    assert_true(layout.can[MQD_CAN_receives]);
    assert_false(layout.can[MQD_CAN_unexpected]);
    assert_int_equal(layout.lacks_constant[MQD_CAN_unexpected], MQD_CONSTANT_hdr_match);
    strcpy(evidence.version, "4.1.2");
    mqd_resolve(tables, 2, &evidence, &layout);
    assert_true(mqd_constant_is(&layout, MQD_CONSTANT_hdr_match, 65));
    assert_false(layout.constants[MQD_CONSTANT_hdr_cid].present);
    assert_true(layout.can[MQD_CAN_unexpected]);
    strcpy(evidence.version, "9.0.0");
    mqd_resolve(tables, 2, &evidence, &layout);
    assert_true(mqd_constant_is(&layout, MQD_CONSTANT_hdr_match, 99));
    assert_true(layout.can[MQD_CAN_unexpected]);
}

TEST(of_no_constant_nothing_is_read)
{
    static struct own_table copy;
    const struct mqd_table *tables[1] = {own(&copy)};

    copy.table.constants = NULL;
    evidence_classes();
    mqd_resolve(tables, 1, &evidence, &layout);
    assert_int_not_equal(layout.verdict, MQD_VERDICT_resolved);
    assert_int_not_equal(layout.verdict, MQD_VERDICT_contradiction);
    assert_int_equal(layout.lacks[MQD_CAN_communicators], MQD_PATH_root);
    assert_int_equal(layout.lacks_constant[MQD_CAN_communicators], MQD_CONSTANT_proc_null);
}

/* Where they differ there is nothing that a layout of types alone could not do without. */
TEST_ON(with_types, all_tables_agree_on_what_capabilities_need)
{
    for (unsigned type = 0; type < MQD_N_TYPES; type++)
        evidence.classes[type].size += 8;
    mqd_resolve(mqd_tables, mqd_n_tables, &evidence, &layout);
    assert_null(layout.table);
    for (unsigned constant = 0; constant < MQD_N_CONSTANTS; constant++)
        if (!layout.constants[constant].present && mqd_constant_specs[constant].library == MQD_LIBRARY_openmpi)
            assert_int_equal(mqd_constant_specs[constant].need, MQD_CAN_extra);
    assert_false(layout.constants[MQD_CONSTANT_tag_scan].present);
    assert_true(layout.constants[MQD_CONSTANT_tag_barrier].present);
}

TEST_ON(with_types, a_build_of_its_own_is_read_with_its_familys_kinds)
{
    /* As --with-max-object-name=128 makes it. */
    evidence.classes[MQD_TYPE_ompi_communicator_t].size += 64;
    evidence.live[MQD_TYPE_ompi_communicator_t].size += 64;
    evidence.live_offset[STEP(ompi_communicator_t, c_my_rank)] += 64;
    for (unsigned step = STEP(ompi_communicator_t, c_contextid);
         step < mqd_type_end(MQD_TYPE_ompi_communicator_t); step++)
        if (evidence.live_offset[step] >= 0 && step != STEP(ompi_communicator_t, c_my_rank))
            evidence.live_offset[step] += 64;
    strcpy(evidence.version, "4.1.5");
    resolve();
    assert_null(layout.table);
    assert_int_equal(layout.verdict, MQD_VERDICT_resolved);
    assert_int_equal(layout.paths[MQD_PATH_comm_context_id].source, MQD_SOURCE_live);
    assert_int_equal(layout.paths[MQD_PATH_comm_context_id].kind, MQD_KIND_u32);
    assert_int_equal(layout.type_size[MQD_TYPE_ompi_communicator_t],
                     table()->types[MQD_TYPE_ompi_communicator_t]->size + 64);
}

TEST_ON(with_types, a_version_of_no_family_lends_no_kinds)
{
    static const char *const versions[] = {"4.2.0", "4.0.9", "vendor build", ""};

    evidence.classes[MQD_TYPE_ompi_group_t].size += 8;
    evidence.live[MQD_TYPE_ompi_group_t].size += 8;
    strcpy(evidence.version, "4.1.8");
    resolve();
    assert_int_equal(layout.verdict, MQD_VERDICT_resolved);
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        strcpy(evidence.version, versions[i]);
        resolve();
        assert_int_equal(layout.verdict, MQD_VERDICT_no_family);
    }
}

TEST_ON(with_types, a_family_with_other_members_does_not_lend_its_kinds)
{
    evidence.classes[MQD_TYPE_ompi_communicator_t].size += 64;
    evidence.live[MQD_TYPE_ompi_communicator_t].size += 64;
    evidence.live_offset[STEP(ompi_communicator_t, c_index)] = 300;
    strcpy(evidence.version, "4.1.5");
    resolve();
    assert_int_equal(layout.verdict, MQD_VERDICT_no_family);
    assert_int_equal(layout.lacks[MQD_CAN_communicators], MQD_PATH_comm_context_id);
}

/* How a table differs from the real one: releases, machine, whose it is; and whether it fits nothing here. */
struct other_than_real {
    const char *first, *last, *arch;
    bool site, has_another_abi, has_another_size;
};

static const struct mqd_table *made_of(struct own_table *copy, const struct other_than_real *other)
{
    (void)own(copy);
    copy->table.first = other->first != NULL ? other->first : copy->table.first;
    copy->table.last = other->last != NULL ? other->last : copy->table.last;
    copy->table.arch = other->arch != NULL ? other->arch : copy->table.arch;
    copy->table.site = other->site;
    copy->table.abi.pointer_size = other->has_another_abi ? 4 : 8;
    copy->types[MQD_TYPE_ompi_group_t].size += other->has_another_size ? 8 : 0;
    return &copy->table;
}

/* One of two tables is chosen by what tells them apart: sizes, then whose it is, the version, the machine. */
TEST(what_tells_tables_apart_decides)
{
    enum { NEITHER = -1, ONE, OTHER };
    static const struct {
        struct other_than_real tables[2];
        const char *version, *arch;      /* of the process */
        int chosen;
        unsigned n_fitting;
        enum mqd_decision decision;
    } rows[] = {
        { {{ 0 }, { 0 }}, "4.1.4", "x86_64", ONE, 2, MQD_DECISION_first },
        { {{ .arch = "other" }, { 0 }}, "4.1.4", "x86_64", OTHER, 2, MQD_DECISION_arch },
        { {{ .arch = "other" }, { 0 }}, "4.1.4", NULL, ONE, 2, MQD_DECISION_first },
        { {{ 0 }, { "9.0.0", "9.1.10", .site = false }}, "9.1.10", NULL, OTHER, 2, MQD_DECISION_version },
        { {{ 0 }, { "9.0.0", "9.1.10", .site = false }}, "9.1.11", NULL, ONE, 2, MQD_DECISION_first },
        { {{ 0 }, { "9.0.0", "9.1.10", .site = false }}, "vendor build", NULL, ONE, 2, MQD_DECISION_first },
        { {{ "9.0", "9.0", NULL, 0, 0, 0 }, { .arch = "other" }}, "4.1.4", "x86_64", OTHER, 2, MQD_DECISION_version },
        { {{ .arch = "other" }, { "9.9.9", "9.9.9", NULL, 0, 0, 0 }}, "4.1.4", "x86_64", ONE, 2, MQD_DECISION_version },
        /* A site's own, whatever the version. */
        { {{ "4.1.4", "4.1.4", "other", .site = true }, { 0 }}, "4.1.4", "x86_64", ONE, 2, MQD_DECISION_site },
        { {{ 0 }, { "4.1.4", "4.1.4", "other", .site = true }}, "4.1.4", "x86_64", OTHER, 2, MQD_DECISION_site },
        { {{ 0 }, { "4.1.4", "4.1.4", "other", .site = true }}, "4.1.5", "x86_64", OTHER, 2, MQD_DECISION_site },
        { {{ "4.1.4", "4.1.4", "other", .site = true }, { 0 }}, "vendor", "x86_64", ONE, 2, MQD_DECISION_site },
        { {{ .site = true, .has_another_size = true }, { 0 }}, "4.1.4", "x86_64", OTHER, 1, MQD_DECISION_classes },
        /* A version that lies does not outweigh sizes. */
        { {{ "9.0.0", "9.0.0", .has_another_size = true }, { 0 }}, "9.0.0", NULL, OTHER, 1, MQD_DECISION_classes },
        { {{ .has_another_abi = true }, { 0 }}, "4.1.4", NULL, OTHER, 1, MQD_DECISION_classes },
        { {{ .has_another_size = true }, { .has_another_abi = true }}, "4.1.4", NULL, NEITHER, 0, MQD_DECISION_none },
    };
    static struct own_table copies[2];

    evidence_classes();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct mqd_table *tables[2] = {made_of(&copies[0], &rows[i].tables[0]),
                                             made_of(&copies[1], &rows[i].tables[1])};

        strcpy(evidence.version, rows[i].version);
        evidence.arch = rows[i].arch;
        mqd_resolve(tables, 2, &evidence, &layout);
        assert_ptr_equal(layout.table, rows[i].chosen == NEITHER ? NULL : tables[rows[i].chosen]);
        assert_int_equal(layout.n_fitting, rows[i].n_fitting);
        assert_int_equal(layout.decision, rows[i].decision);
        assert_ptr_equal(layout.rival, rows[i].n_fitting < 2 ? NULL : tables[1 - rows[i].chosen]);
    }
}

static const struct mqd_table *debug_table(void)
{
    for (size_t i = 0; i < mqd_n_tables; i++)
        if (strcmp(mqd_tables[i]->first, "4.1.0") == 0 && strcmp(mqd_tables[i]->arch, "x86_64") == 0 &&
            strcmp(mqd_tables[i]->variant, "debug") == 0)
            return mqd_tables[i];
    fail_msg("there is no table of debug builds of 4.1");
    return NULL;
}

TEST(decision_without_descriptors_is_the_debuggers)
{
    const struct mqd_table *tables[2] = {debug_table(), table()};

    evidence_live(MQD_TYPE_ompi_group_t);
    evidence.live[MQD_TYPE_ompi_group_t].size = 0;
    mqd_resolve(tables, 2, &evidence, &layout);
    assert_ptr_equal(layout.table, table());
    assert_int_equal(layout.n_fitting, 1);
    assert_int_equal(layout.decision, MQD_DECISION_live);
}

/* Nothing that may still come changes that; where there is a table, descriptors may become readable. */
TEST(processor_without_any_table_is_refused)
{
    static struct own_table copy;
    const struct mqd_table *tables[2] = {table(), own(&copy)};

    evidence.abi = (struct mqd_abi){.pointer_size = 4, .long_size = 4, .little_endian = false};
    mqd_resolve(tables, 2, &evidence, &layout);
    assert_int_equal(layout.verdict, MQD_VERDICT_no_table);
    copy.table.abi = evidence.abi;
    mqd_resolve(tables, 2, &evidence, &layout);
    assert_int_equal(layout.verdict, MQD_VERDICT_no_evidence);
}

/* Of several that are contradicted as little the preferred one, else the first. */
TEST_ON(with_classes, nearest_table_may_be_preferred)
{
    static struct own_table copy;
    const struct mqd_table *const orders[2][2] = {{own(&copy), table()}, {table(), &copy.table}};

    strcpy(evidence.version, "4.1.4");
    for (int order = 0; order < 2; order++)
        assert_ptr_equal(mqd_nearest(orders[order], 2, &evidence), orders[order][0]);
    copy.table.first = copy.table.last = "9.0.0";
    for (int order = 0; order < 2; order++)
        assert_ptr_equal(mqd_nearest(orders[order], 2, &evidence), table());
    strcpy(evidence.version, "9.0.0");
    copy.types[MQD_TYPE_ompi_group_t].size += 8;
    for (int order = 0; order < 2; order++)
        assert_ptr_equal(mqd_nearest(orders[order], 2, &evidence), table());
}

TEST_ON(with_classes, nearest_table_has_the_fewest_other_sizes)
{
    const struct mqd_table *tables[2] = {debug_table(), table()};

    evidence.classes[MQD_TYPE_ompi_group_t].size += 8;
    assert_ptr_equal(mqd_nearest(tables, 2, &evidence), table());
    evidence.abi.pointer_size = 4;
    assert_null(mqd_nearest(tables, 2, &evidence));
    evidence.abi.pointer_size = 8;
    memset(evidence.classes, 0, sizeof evidence.classes);
    assert_null(mqd_nearest(tables, 2, &evidence));
}

static bool equal_types(const struct mqd_table_type *a, const struct mqd_table_type *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a->fields[i].present != b->fields[i].present || a->fields[i].kind != b->fields[i].kind ||
            a->fields[i].offset != b->fields[i].offset || a->fields[i].size != b->fields[i].size)
            return false;
    return a->size == b->size;
}

/* Families differ in little: what they have in common is there once. */
TEST(equal_types_of_tables_are_one)
{
    unsigned n_shared = 0;

    for (size_t i = 0; i < mqd_n_tables; i++)
        for (size_t j = 0; j < i; j++)
            for (unsigned type = 0; type < MQD_N_TYPES; type++) {
                const struct mqd_table_type *a = mqd_tables[i]->types[type], *b = mqd_tables[j]->types[type];

                if (a == NULL || b == NULL ||
                    !equal_types(a, b, mqd_type_end((enum mqd_type_id)type) - mqd_type_specs[type].first_step))
                    continue;
                assert_ptr_equal(a, b);
                n_shared++;
            }
    assert_true(n_shared > mqd_n_tables);
}

/* By its queues, or after these by the version: families may have equal sizes. */
static bool has_decided_matching(void)
{
    return layout.decision == MQD_DECISION_matching || layout.decision == MQD_DECISION_version;
}

/* Every table is found by its own class sizes, but for those that nothing in the sizes tells apart from another. */
TEST(every_table_is_chosen_by_its_own_sizes)
{
    unsigned n_own = 0;

    for (size_t i = 0; i < mqd_n_tables; i++) {
        const struct mqd_table *it = mqd_tables[i];

        memset(&evidence, 0, sizeof evidence);
        evidence.abi = it->abi;
        evidence.arch = it->arch;
        strcpy(evidence.version, it->first);
        for (unsigned type = 0; type < MQD_N_TYPES; type++)
            if (mqd_type_specs[type].class_symbol != NULL && it->types[type] != NULL)
                evidence.classes[type] = (struct mqd_class_evidence){true, it->types[type]->size};
        mqd_resolve(mqd_tables, mqd_n_tables, &evidence, &layout);
        assert_int_equal(layout.verdict, MQD_VERDICT_resolved);
        assert_non_null(layout.table);
        /* Of ways of matching only what stands in their queues tells. */
        if (mqd_same_matching(it, it)) {
            assert_true(layout.n_fitting > 1);
            evidence.matching = it;
            mqd_resolve(mqd_tables, mqd_n_tables, &evidence, &layout);
            assert_ptr_equal(layout.table, it);
            assert_true(has_decided_matching());
            /* Of a debugger that has one kind of nodes only it is not asked. */
            for (int node = 0; node < 2; node++) {
                memset(evidence.live, 0, sizeof evidence.live);
                memset(evidence.live_offset, 0, sizeof evidence.live_offset);
                evidence_live_of(it, node == 0 ? MQD_TYPE_custom_match_prq_node : MQD_TYPE_custom_match_umq_node);
                mqd_resolve(mqd_tables, mqd_n_tables, &evidence, &layout);
                assert_ptr_equal(layout.table, it);
                assert_true(has_decided_matching());
            }
        }
        assert_string_equal(layout.table->first, it->first);
        assert_string_equal(layout.table->arch, it->arch);
        if (layout.table == it)
            n_own++;
        else
            assert_true(strstr(it->variant, "heterogeneous") != NULL ||
                        strcmp(layout.table->variant, it->variant) == 0);
    }
    print_message("%u of %u tables are told by class sizes, version and architecture\n", n_own,
                  (unsigned)mqd_n_tables);
}

TEST_ON(with_classes, a_table_of_another_abi_is_no_candidate)
{
    evidence.abi.little_endian = !evidence.abi.little_endian;
    resolve();
    assert_null(layout.table);
    evidence.abi = table()->abi;
    evidence.abi.pointer_size = 4;
    resolve();
    assert_null(layout.table);
    evidence.abi = table()->abi;
    evidence.abi.long_size = 4;
    resolve();
    assert_null(layout.table);
}

/* The table is of 4.1.0 to 4.1.8; is the version in it, or not behind it at least? A number too long for an integer does not become a small one. */
TEST(versions_of_a_family_are_compared_as_numbers)
{
    static const struct { const char *text; bool is_in, is_not_behind; } cases[] = {
        { "4.1.0", true, true }, { "4.1.8", true, true }, { "4.1.9", false, false }, { "4.0.9", false, true },
        { "4.1", true, true }, { "4.1.8rc1", true, true }, { "4.1.10", false, false }, { "4.1.000009", false, false },
        { "4.4294967297.0", false, false }, { "5.1.0", false, false }, { "", false, false }, { "v4.1.0", false, false },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(mqd_family_has_version(table(), cases[i].text), cases[i].is_in);
        assert_int_equal(mqd_family_is_not_before(table(), cases[i].text), cases[i].is_not_behind);
    }
}

TEST_ON(with_classes, a_container_is_not_in_force_if_what_it_embeds_has_another_size)
{
    /* A type without a descriptor, so only the debugger can tell that it is different here. */
    evidence_live(MQD_TYPE_ompi_status_public_t);
    evidence.live[MQD_TYPE_ompi_status_public_t].size += 8;
    resolve();
    assert_int_equal(layout.type_source[MQD_TYPE_ompi_status_public_t], MQD_SOURCE_live);
    assert_int_equal(layout.type_source[MQD_TYPE_ompi_request_t], MQD_SOURCE_absent);
    assert_false(layout.can[MQD_CAN_requests]);
    assert_true(layout.can[MQD_CAN_communicators]);
}

/* The layout of the real table, for the geometry check to be falsified. */
static void real_layout(void)
{
    setup(NULL);
    evidence_classes();
    resolve();
    assert_int_equal(mqd_geometry_check(&layout), MQD_N_STEPS);
    /* Members of a union. */
    assert_int_equal(layout.steps[STEP(mca_pml_ob1_hdr_t, hdr_match)].offset,
                     layout.steps[STEP(mca_pml_ob1_hdr_t, hdr_rndv)].offset);
}

static void put_place(int step, int kind, uint32_t offset, uint32_t size)
{
    layout.steps[step] = (struct mqd_place){MQD_SOURCE_table, (uint8_t)kind, offset, size};
}

/* Two members of a type, and where another type embeds it. A row differs from one beside it by what alone decides. */
TEST(geometry_has_sharp_edges)
{
    enum { A = STEP(opal_process_name_t, jobid), B = STEP(opal_process_name_t, vpid), OK = MQD_N_STEPS };
    enum { OUTER = STEP(opal_proc_t, proc_name), OUTER_SIZE = 64 };
    enum { U8 = MQD_KIND_u8, U16 = MQD_KIND_u16, U32 = MQD_KIND_u32, U64 = MQD_KIND_u64, BYTES = MQD_KIND_bytes };
    static const struct {
        int wrong;
        uint8_t pointer_size;
        struct { int kind; uint32_t offset, size; } a, b; /* size 0: not known */
        uint32_t type_size, outer_offset, outer_size;
    } cases[] = {
        { OK, 8, {U8, 0, 1}, {U8, 1, 1}, 2, 0, 0 }, /* the end of the type */
        { B, 8, {U8, 0, 1}, {U8, 2, 1}, 2, 0, 0 },
        { OK, 8, {U8, 0, 1}, {U8, 2, 1}, 0, 0, 0 },
        { B, 8, {U8, 0, 2}, {U8, 1, 1}, 4, 0, 0 }, /* one in the other, in either order */
        { OK, 8, {U8, 0, 2}, {U8, 2, 1}, 4, 0, 0 },
        { B, 8, {U8, 1, 1}, {U8, 0, 2}, 4, 0, 0 },
        { OK, 8, {U8, 1, 1}, {U8, 0, 1}, 4, 0, 0 },
        { OK, 8, {BYTES, 0, 0}, {U8, 1, 1}, 4, 0, 0 }, /* of unknown size: at least one byte */
        { B, 8, {BYTES, 0, 0}, {U8, 0, 1}, 4, 0, 0 },
        { B, 8, {U16, 0, 2}, {U16, 3, 2}, 8, 0, 0 }, /* alignment */
        { OK, 8, {BYTES, 0, 3}, {BYTES, 3, 3}, 8, 0, 0 },
        { B, 8, {U64, 0, 8}, {U64, 12, 8}, 32, 0, 0 },
        { OK, 4, {U64, 0, 8}, {U64, 12, 8}, 32, 0, 0 },
        { OK, 8, {U32, 0, 4}, {U8, 4, 1}, 8, 4, 0 }, /* that of a member is that of its type, wherever this is */
        { OUTER, 8, {U32, 0, 4}, {U8, 4, 1}, 8, 2, 0 },
        { OK, 8, {U8, 0, 1}, {U8, 4, 1}, 8, 1, 0 },
        { OK, 8, {U8, 0, 1}, {U8, 4, 1}, 8, OUTER_SIZE - 8, 0 }, /* as long as its type */
        { OUTER, 8, {U8, 0, 1}, {U8, 4, 1}, 8, OUTER_SIZE - 7, 0 },
        { OK, 8, {U8, 0, 1}, {U8, 4, 1}, 0, OUTER_SIZE - 1, 0 }, /* at least one byte */
        { OUTER, 8, {U8, 0, 1}, {U8, 4, 1}, 0, OUTER_SIZE, 0 },
        { OK, 8, {U8, 0, 1}, {U8, 4, 1}, 8, 0, 16 }, /* whole elements of an array */
        { OUTER, 8, {U8, 0, 1}, {U8, 4, 1}, 8, 0, 12 },
        { OUTER, 8, {U8, 0, 1}, {U8, 1, 1}, 2, 0, 1 },
        { OK, 8, {U8, 0, 1}, {U8, 4, 1}, 0, 0, 12 },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        memset(&layout, 0, sizeof layout);
        layout.abi = (struct mqd_abi){cases[i].pointer_size, 8, true};
        layout.type_size[MQD_TYPE_opal_process_name_t] = cases[i].type_size;
        layout.type_size[MQD_TYPE_opal_proc_t] = OUTER_SIZE;
        put_place(A, cases[i].a.kind, cases[i].a.offset, cases[i].a.size);
        put_place(B, cases[i].b.kind, cases[i].b.offset, cases[i].b.size);
        put_place(OUTER, MQD_KIND_struct, cases[i].outer_offset, cases[i].outer_size);
        assert_int_equal(mqd_geometry_check(&layout), cases[i].wrong);
        layout.steps[B].source = MQD_SOURCE_absent;
        assert_int_equal(mqd_geometry_check(&layout), cases[i].wrong == B ? OK : cases[i].wrong);
    }
}

/* Nested members may share bytes if their ways part in a struct before the last member: these may be in a union. */
TEST(nested_members_may_overlap_where_their_ways_part_early)
{
#define PAIR(type, first, second) STEP(type, first), STEP(type, second)
    static const struct { int first, second; bool may; } cases[] = {
        { PAIR(ompi_osc_rdma_sync_t, lock_target, start_group), true },
        { PAIR(ompi_osc_rdma_sync_t, lock_target, lock_type), false },
        { PAIR(ompi_osc_rdma_sync_t, lock_type, lock_assert), false },
        { PAIR(mca_pml_ucx_persistent_request_t, send_ep, recv_tag_mask), true },
        { PAIR(mca_pml_ucx_persistent_request_t, send_mode, send_ep), false },
        /* by the second way only */
        { PAIR(mca_pml_ucx_persistent_request_t, ompi_datatype, send_ep), true },
        /* only one of them is deeper */
        { PAIR(ucp_request_t, send_ep, send_tag), false },
        { PAIR(ucp_request_t, send_iter_class, send_proto), false },
        { PAIR(ucp_request_t, send_tag, send_iter_class), true },
    };
#undef PAIR

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        memset(&layout, 0, sizeof layout);
        put_place(cases[i].first, MQD_KIND_bytes, 0, 8);
        put_place(cases[i].second, MQD_KIND_bytes, 0, 8);
        assert_int_equal(mqd_geometry_check(&layout), cases[i].may ? (int)MQD_N_STEPS : cases[i].second);
    }
}

TEST_ON(with_classes, an_impossible_live_layout_gives_way_to_a_confirmed_table)
{
    evidence_live(MQD_TYPE_ompi_group_t);
    evidence.live_offset[STEP(ompi_group_t, grp_my_rank)] += 1;
    resolve();
    assert_int_equal(layout.verdict, MQD_VERDICT_resolved);
    assert_true(layout.live_rejected);
    assert_int_equal(layout.live_rejected_by, MQD_TYPE_ompi_group_t);
    assert_int_equal(layout.paths[MQD_PATH_group_my_rank].source, MQD_SOURCE_table);
    assert_int_equal(layout.paths[MQD_PATH_group_my_rank].offset, INNER_OFFSET(ompi_group_t, grp_my_rank));
}

TEST(an_impossible_live_layout_is_refused_by_name)
{
    evidence_all_live();
    evidence.live_offset[STEP(ompi_group_t, grp_my_rank)] += 1;
    resolve();
    assert_int_equal(layout.verdict, MQD_VERDICT_contradiction);
    assert_int_equal(layout.contradicted, STEP(ompi_group_t, grp_my_rank));
}

TEST(types_alone_that_are_too_few_are_no_contradiction)
{
    /* mpi.h has MPI_Status, so any program built with -g knows this one. */
    evidence_live(MQD_TYPE_ompi_status_public_t);
    resolve();
    assert_int_equal(layout.verdict, MQD_VERDICT_no_evidence);
}

TEST_ON(with_classes, classes_that_fit_but_are_too_few_are_no_contradiction)
{
    evidence.classes[MQD_TYPE_ompi_communicator_t].readable = false;
    resolve();
    assert_ptr_equal(layout.table, table());
    assert_int_equal(layout.verdict, MQD_VERDICT_no_evidence);
}

TEST(one_class_that_fits_chooses_the_table)
{
    uint32_t size = table()->types[MQD_TYPE_ompi_group_t]->size;

    evidence.classes[MQD_TYPE_ompi_group_t] = (struct mqd_class_evidence){true, size};
    resolve();
    assert_ptr_equal(layout.table, table());
    assert_int_equal(layout.decision, MQD_DECISION_classes);
}

TEST_ON(with_classes, a_type_with_a_free_tail_still_has_all_that_is_read)
{
    evidence.classes[MQD_TYPE_ompi_proc_t].size = table()->types[MQD_TYPE_opal_proc_t]->size - 1;
    resolve();
    assert_int_equal(layout.verdict, MQD_VERDICT_no_table);
}

TEST(absurd_offsets_are_no_offsets)
{
    evidence_all_live();
    evidence.live_offset[STEP(ompi_group_t, grp_my_rank)] = INT32_MAX;
    resolve();
    assert_int_equal(layout.steps[STEP(ompi_group_t, grp_my_rank)].source, MQD_SOURCE_absent);
}

TEST(an_assumed_table_is_whole)
{
    mqd_assume(table(), &layout);
    assert_int_equal(layout.paths[MQD_PATH_comm_my_rank].offset, INNER_OFFSET(ompi_communicator_t, c_my_rank));
    assert_all_capabilities_of_open_mpi();
    assert_int_not_equal(layout.verdict, MQD_VERDICT_resolved);
}

/* How much of a wrong table geometry alone gives away; the rest is for the probes. The share is printed. */
/* What two tables of UCX do not agree on is absent, and so is what needs it; the first place is told. */
TEST(what_tables_do_not_agree_on_switches_off_what_needs_it)
{
    static struct mqd_layout layout, other;
    static struct mqd_evidence nothing;
    unsigned n_off = 0;

    for (size_t i = 1; i < mqd_n_ucx_tables; i++) {
        nothing.abi = mqd_ucx_tables[i]->abi;
        mqd_assume_live(mqd_ucx_tables[0], &nothing, &layout);
        mqd_assume_live(mqd_ucx_tables[i], &nothing, &other);
        mqd_keep_agreed(&layout, &other);
        assert_ptr_equal(layout.rival, mqd_ucx_tables[i]);
        for (unsigned path = MQD_PATH_root + 1; path < MQD_N_PATHS; path++) {
            enum mqd_capability need = mqd_path_specs[path].need;

            if (mqd_path_specs[path].library != MQD_LIBRARY_ucx || need >= MQD_N_CAPABILITIES ||
                layout.paths[path].source != MQD_SOURCE_absent)
                continue;
            assert_false(layout.can[need]);
            n_off++;
        }
    }
    assert_true(n_off > 0);
}

TEST(most_single_wrong_offsets_are_impossible)
{
    static const int shifts[] = {-16, -8, -4, -2, -1, 1, 2, 4, 8, 16};
    unsigned n = 0, n_caught = 0;

    real_layout();
    for (unsigned step = 0; step < MQD_N_STEPS; step++) {
        struct mqd_place good = layout.steps[step];

        for (size_t i = 0; i < sizeof shifts / sizeof shifts[0] && good.source != MQD_SOURCE_absent; i++) {
            if (shifts[i] < 0 && good.offset < (uint32_t)-shifts[i])
                continue;
            layout.steps[step].offset = (uint32_t)((int)good.offset + shifts[i]);
            n++;
            if (mqd_geometry_check(&layout) != MQD_N_STEPS)
                n_caught++;
            layout.steps[step] = good;
        }
    }
    print_message("geometry alone rejects %u of %u single falsified offsets\n", n_caught, n);
    assert_true(n_caught * 10 >= n * 7);
}

TEST(widths_of_kinds_follow_the_abi)
{
    static const struct { enum mqd_kind kind; uint32_t narrow, wide; } cases[] = {
        { MQD_KIND_i8, 1, 1 }, { MQD_KIND_u8, 1, 1 }, { MQD_KIND_bool, 1, 1 },
        { MQD_KIND_i16, 2, 2 }, { MQD_KIND_u16, 2, 2 },
        { MQD_KIND_i32, 4, 4 }, { MQD_KIND_u32, 4, 4 }, { MQD_KIND_enum, 4, 4 },
        { MQD_KIND_i64, 8, 8 }, { MQD_KIND_u64, 8, 8 },
        { MQD_KIND_ptr, 4, 8 }, { MQD_KIND_size, 4, 8 },
        { MQD_KIND_none, 0, 0 }, { MQD_KIND_chars, 0, 0 }, { MQD_KIND_bytes, 0, 0 }, { MQD_KIND_struct, 0, 0 },
    };
    struct mqd_abi narrow = {4, 4, true}, wide = {8, 8, false};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(mqd_kind_size(cases[i].kind, &narrow), cases[i].narrow);
        assert_int_equal(mqd_kind_size(cases[i].kind, &wide), cases[i].wide);
    }
}

/* The class descriptors are read by this one type before any table is chosen. */
TEST(all_tables_of_an_abi_agree_on_class_descriptors)
{
    assert_true(mqd_n_tables > 0);
    for (size_t i = 0; i < mqd_n_tables; i++) {
        const struct mqd_table_type *type = mqd_tables[i]->types[MQD_TYPE_opal_class_t];
        uint32_t pointer = mqd_tables[i]->abi.pointer_size;

        assert_non_null(type);
        assert_int_equal(type->fields[0].offset, 0);
        assert_int_equal(type->fields[1].offset, pointer);
        assert_int_equal(type->fields[2].offset + pointer, type->size);
    }
}
