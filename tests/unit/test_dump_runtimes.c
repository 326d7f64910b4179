/*
 * test_dump_runtimes.c - the tables of the runtimes of OpenMP: which there are, and the layouts that they make with and
 * without debug information. Numbers are those that were measured in probes compiled from the headers, on x86_64.
 */
#include "layout/runtimes.h"
#include "layout/places.h"
#include "unit_test.h"

static const char *const arches[] = {"x86_64", "aarch64", "ppc64le"};

struct expected {
    enum mqd_path_id path;
    uint32_t offset;
};

static const struct mqd_table *table_of(enum mqd_library library, unsigned major, const char *variant)
{
    for (const struct mqd_table *table = NULL; (table = mqd_next_runtime_table(library, "x86_64", table)) != NULL;)
        if (mqd_family_has_major(table, major) && strcmp(table->variant, variant) == 0)
            return table;
    fail_msg("no table of %s %u, %s", mqd_library_titles[library], major, variant);
    return NULL;
}

static void assert_places(const struct mqd_table *table, const struct expected *expected, size_t n)
{
    static struct mqd_layout layout;

    mqd_assume(table, &layout);
    for (size_t i = 0; i < n; i++) {
        const struct mqd_place *place = &layout.paths[expected[i].path];

        if (place->source != MQD_SOURCE_table || place->offset != expected[i].offset)
            fail_msg("%s of %s %s is at %u", mqd_path_specs[expected[i].path].name,
                     mqd_library_titles[table->library], table->first, (unsigned)place->offset);
    }
}
#define ASSERT_PLACES(table, ...) \
    assert_places(table, (const struct expected[]){__VA_ARGS__}, \
                  sizeof((const struct expected[]){__VA_ARGS__}) / sizeof(struct expected))

/* Each table is reached once, from its architecture. */
TEST(each_table_belongs_to_one_architecture)
{
    static const enum mqd_library libraries[] = {MQD_LIBRARY_gomp, MQD_LIBRARY_kmp};
    size_t n = 0;

    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < sizeof arches / sizeof arches[0]; j++) {
            const struct mqd_table *previous = NULL, *table;

            for (; (table = mqd_next_runtime_table(libraries[i], arches[j], previous)) != NULL; previous = table) {
                assert_int_equal(table->library, libraries[i]);
                assert_string_equal(table->arch, arches[j]);
                assert_ptr_not_equal(table, previous);
                n++;
            }
            assert_non_null(previous);
        }
    assert_int_equal(n, mqd_n_gomp_tables + mqd_n_kmp_tables);
    assert_null(mqd_next_runtime_table(MQD_LIBRARY_gomp, "x86", NULL));
    assert_null(mqd_next_runtime_table(MQD_LIBRARY_kmp, "", NULL));
}

/* What only a newer release or another architecture has is `extra`, so that no table lacks what a capability needs. */
TEST(each_table_is_possible_and_suffices_for_all_of_its_library)
{
    static struct mqd_layout layout;

    for (size_t i = 0; i < mqd_n_gomp_tables + mqd_n_kmp_tables; i++) {
        const struct mqd_table *table =
            i < mqd_n_gomp_tables ? mqd_gomp_tables[i] : mqd_kmp_tables[i - mqd_n_gomp_tables];

        mqd_assume(table, &layout);
        assert_int_equal(mqd_geometry_check(&layout), MQD_N_STEPS);
        for (unsigned can = 0; can < MQD_N_CAPABILITIES; can++)
            assert_int_equal(layout.can[can], mqd_capability_specs[can].library == table->library);
    }
}

TEST(a_release_is_of_the_family_of_its_major_version)
{
    const struct mqd_table *table = table_of(MQD_LIBRARY_gomp, 13, "default");

    assert_false(mqd_family_has_major(table, 12));
    assert_true(mqd_family_has_major(table, 16));
    assert_false(mqd_family_has_major(table, 17));
    for (unsigned major = 8; major <= 16; major++)
        assert_non_null(table_of(MQD_LIBRARY_gomp, major, "default"));
    for (unsigned major = 9; major <= 23; major++) {
        assert_non_null(table_of(MQD_LIBRARY_kmp, major, "default"));
        assert_ptr_not_equal(table_of(MQD_LIBRARY_kmp, major, "no-itt"), table_of(MQD_LIBRARY_kmp, major, "no-ompt"));
    }
}

TEST(libgomp_is_laid_out_as_was_measured)
{
    ASSERT_PLACES(table_of(MQD_LIBRARY_gomp, 10, "default"), {MQD_PATH_gomp_thread_team, 16},
                  {MQD_PATH_gomp_thread_team_id, 40}, {MQD_PATH_gomp_thread_task, 80},
                  {MQD_PATH_gomp_thread_release, 88}, {MQD_PATH_gomp_thread_pool, 96},
                  {MQD_PATH_gomp_team_master_release, 72}, {MQD_PATH_gomp_team_awaited, 192},
                  {MQD_PATH_gomp_task_kind, 200}, {MQD_PATH_gomp_taskgroup_sem, 52});
    ASSERT_PLACES(table_of(MQD_LIBRARY_gomp, 8, "default"), {MQD_PATH_gomp_thread_pool, 96},
                  {MQD_PATH_gomp_in_taskgroup_wait, 40}, {MQD_PATH_gomp_taskgroup_sem, 44});
    ASSERT_PLACES(table_of(MQD_LIBRARY_gomp, 12, "default"), {MQD_PATH_gomp_thread_task, 88},
                  {MQD_PATH_gomp_thread_pool, 104}, {MQD_PATH_gomp_team_ordered_release, 88},
                  {MQD_PATH_gomp_task_kind, 208});
    ASSERT_PLACES(table_of(MQD_LIBRARY_gomp, 16, "default"), {MQD_PATH_gomp_thread_task, 88},
                  {MQD_PATH_gomp_team_prev_team, 8}, {MQD_PATH_gomp_team_prev_team_id, 32},
                  {MQD_PATH_gomp_team_generation, 132}, {MQD_PATH_gomp_team_awaited_final, 196},
                  {MQD_PATH_gomp_team_cancelled, 1336}, {MQD_PATH_gomp_task_kind, 216},
                  {MQD_PATH_gomp_pool_generation, 68});
}

TEST(libomp_is_laid_out_as_was_measured)
{
    ASSERT_PLACES(table_of(MQD_LIBRARY_kmp, 9, "default"), {MQD_PATH_kmp_thread_pthread, 24},
                  {MQD_PATH_kmp_thread_gtid, 36}, {MQD_PATH_kmp_thread_spin_here, 392},
                  {MQD_PATH_kmp_thread_sleep_loc, 400}, {MQD_PATH_kmp_thread_task, 432},
                  {MQD_PATH_kmp_thread_arrived, 512 + 64}, {MQD_PATH_kmp_thread_next_waiting, 1088},
                  {MQD_PATH_kmp_flag_address, 0});
    ASSERT_PLACES(table_of(MQD_LIBRARY_kmp, 15, "default"), {MQD_PATH_kmp_thread_task, 440},
                  {MQD_PATH_kmp_flag_address, 40});
    ASSERT_PLACES(table_of(MQD_LIBRARY_kmp, 16, "default"), {MQD_PATH_kmp_thread_task, 504},
                  {MQD_PATH_kmp_thread_next_waiting, 1152});
    ASSERT_PLACES(table_of(MQD_LIBRARY_kmp, 18, "default"), {MQD_PATH_kmp_thread_task, 512},
                  {MQD_PATH_kmp_thread_next_waiting, 1152});
    ASSERT_PLACES(table_of(MQD_LIBRARY_kmp, 23, "default"), {MQD_PATH_kmp_thread_spin_here, 528},
                  {MQD_PATH_kmp_thread_ident, 552}, {MQD_PATH_kmp_thread_task, 576},
                  {MQD_PATH_kmp_thread_arrived, 640 + 64}, {MQD_PATH_kmp_thread_next_waiting, 1216},
                  {MQD_PATH_kmp_team_arrived, 64}, {MQD_PATH_kmp_team_threads, 832}, {MQD_PATH_kmp_team_level, 848},
                  {MQD_PATH_kmp_team_cancel_request, 1992}, {MQD_PATH_kmp_task_children, 132},
                  {MQD_PATH_kmp_root_hot_team, 16}, {MQD_PATH_kmp_lock_owner, 32});
}

TEST(sizes_and_constants_are_those_of_the_family)
{
    static struct mqd_layout layout;

    mqd_assume(table_of(MQD_LIBRARY_gomp, 9, "default"), &layout);
    assert_int_equal(layout.type_size[MQD_TYPE_gomp_task], 208);
    assert_true(mqd_constant_is(&layout, MQD_CONSTANT_gomp_implicit_task, 1344));
    assert_false(layout.constants[MQD_CONSTANT_gomp_kind_detached].present);
    mqd_assume(table_of(MQD_LIBRARY_gomp, 14, "default"), &layout);
    assert_int_equal(layout.type_size[MQD_TYPE_gomp_task], 224);
    assert_true(mqd_constant_is(&layout, MQD_CONSTANT_gomp_kind_detached, 5));
    mqd_assume(table_of(MQD_LIBRARY_kmp, 14, "default"), &layout);
    assert_int_equal(layout.type_size[MQD_TYPE_kmp_balign_t], 192);
    assert_int_equal(layout.type_size[MQD_TYPE_kmp_taskdata], 320);
    assert_true(mqd_flag_is_set(&layout, MQD_CONSTANT_kmp_task_explicit, 1u << 16));
    assert_false(mqd_flag_is_set(&layout, MQD_CONSTANT_kmp_task_explicit, 1u << 17));
    assert_true(mqd_constant_is(&layout, MQD_CONSTANT_kmp_lock_critical, 1));
}

/* Debug information about one type: what it says of its members counts, with the kinds of the list. */
static void describe(struct mqd_evidence *evidence, const struct mqd_table *table, enum mqd_type_id type, int32_t shift)
{
    memset(evidence, 0, sizeof *evidence);
    evidence->abi = table->abi;
    for (unsigned step = 0; step < MQD_N_STEPS; step++)
        evidence->live_offset[step] = -1;
    evidence->live[type].known = true;
    evidence->live[type].size = table->types[type]->size;
    for (unsigned step = mqd_type_specs[type].first_step; step < mqd_type_end(type); step++)
        evidence->live_offset[step] = (int32_t)mqd_table_field(table, (enum mqd_step_id)step)->offset + shift;
}

TEST(debug_information_wins_where_it_differs)
{
    static struct mqd_layout layout;
    static struct mqd_evidence evidence;
    const struct mqd_table *table = table_of(MQD_LIBRARY_gomp, 12, "default");

    describe(&evidence, table, MQD_TYPE_gomp_thread_pool, 0);
    assert_true(mqd_agrees_live(table, &evidence));
    mqd_assume_live(table, &evidence, &layout);
    assert_int_equal(layout.verdict, MQD_VERDICT_resolved);
    assert_int_equal(layout.paths[MQD_PATH_gomp_pool_used].source, MQD_SOURCE_both);
    assert_int_equal(layout.paths[MQD_PATH_gomp_thread_task].source, MQD_SOURCE_table);

    describe(&evidence, table, MQD_TYPE_gomp_thread_pool, 64);
    assert_false(mqd_agrees_live(table, &evidence));
    mqd_assume_live(table, &evidence, &layout);
    assert_int_equal(layout.paths[MQD_PATH_gomp_pool_used].source, MQD_SOURCE_live);
    assert_int_equal(layout.paths[MQD_PATH_gomp_pool_used].offset, 12 + 64);
    assert_int_equal(layout.paths[MQD_PATH_gomp_pool_used].kind, MQD_KIND_u32);
    assert_true(layout.can[MQD_CAN_gomp_teams]);
}

TEST(impossible_debug_information_is_a_contradiction)
{
    static struct mqd_layout layout;
    static struct mqd_evidence evidence;
    const struct mqd_table *table = table_of(MQD_LIBRARY_gomp, 12, "default");

    describe(&evidence, table, MQD_TYPE_gomp_task, 1);
    mqd_assume_live(table, &evidence, &layout);
    assert_int_equal(layout.verdict, MQD_VERDICT_contradiction);
    assert_int_equal(layout.contradicted, MQD_STEP_gomp_task__parent);
}
