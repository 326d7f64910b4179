/* test_dll_communicators.c - which communicators are listed, with which values and groups. */
#include "fake_test.h"

/* The first two communicators of every listing here. */
#define BOTH "0 MPI_COMM_WORLD, rank 1 of 4: 0 1 2 3\n1 MPI_COMM_SELF, rank 0 of 1: 1\n"
#define EXPECT(pattern) fake_expect_communicators(pattern)

static const int everybody[4] = { 0, 1, 2, 3 };

static struct fake_comm new_comm(uint32_t id, const char *name)
{
    fake_ta group = fake_group_of(JOB, everybody, 4);

    return fake_comm_new(JOB, id, name, group, group);
}

static struct fake_comm of_group(uint32_t id, const char *name, fake_ta group)
{
    return fake_comm_new(JOB, id, name, group, group);
}

static void put_name(const struct fake_comm *comm, const char *name, size_t size)
{
    char c_name[64] = "";

    memcpy(c_name, name, size);
    fake_image_put_bytes(IMAGE, AT(comm->ta, ompi_communicator_t, c_name), c_name, sizeof c_name);
}

SUITE(each, fake_setup, fake_teardown);

/* MPI_COMM_NULL is not listed. The program may rename the others. */
TEST(world_and_self_are_listed)
{
    EXPECT(BOTH);
    fake_comm_set_name(JOB, &JOB->world, "100 %s %n %");
    fake_comm_set_name(JOB, &JOB->self, "");
    EXPECT("0 100 %s %n %, rank 1 of 4: *\n1 , rank 0 of 1: 1\n");
}

TEST(freed_slots_are_passed_over)
{
    new_comm(3, "three");
    new_comm(4, "four");
    new_comm(20, "twenty");
    fake_slot_set(JOB, 3, 0);
    EXPECT(BOTH "4 four, *\n20 twenty, *\n");
}

/* Open MPI sets c_local_comm only in intercommunicators. Elsewhere it may hold an old pointer. */
TEST(intercommunicator_tells_its_local_group_and_hides_its_inner_one)
{
    fake_ta local = fake_group_of(JOB, (const int[]){ 3, 1 }, 2), remote = fake_group_of(JOB, (const int[]){ 0, 2 }, 2);

    fake_intercomm_new(JOB, 5, "inter", local, remote);
    PUT(new_comm(3, "three").ta, ompi_communicator_t, c_local_comm, new_comm(4, "four").ta);
    EXPECT(BOTH "3 three, *\n4 four, *\n5 inter, rank 1 of 2: 3 1\n");
    assert_int_equal(EXTENSION->show_internal(PROCESS, 1), mqs_ok);
    EXPECT(BOTH "3 three, *\n4 four, *\n5 inter, rank 1 of 2: 3 1\n6 *, rank * of 2: *\n");
}

/*
 * A communicator is freed, and a new one gets its address and number. The new one shows nothing of the old one. The
 * stock DLL keeps the old one: the counters that it looks at are the same as before.
 */
TEST(communicator_in_the_place_of_another_is_seen_anew)
{
    struct fake_comm old = new_comm(5, "old");
    fake_ta group, slot_free;

    fake_irecv(JOB, &old, &(struct fake_recv){ 2, 7, 1, JOB->mpi_int, 0x1000 });
    EXPECT(BOTH "5 old, rank 1 of 4: *\n");
    fake_expect_still(5, mqs_pending_receives, "*, tag 7, *\n");
    slot_free = GET(JOB->communicators, opal_pointer_array_t, lowest_free);
    group = fake_group_of(JOB, (const int[]){ 3, 1 }, 2);
    PUT(old.ta, ompi_communicator_t, c_local_group, group);
    PUT(old.ta, ompi_communicator_t, c_remote_group, group);
    PUT(old.ta, ompi_communicator_t, c_my_rank, 1);
    PUT(old.ta, ompi_communicator_t, c_pml_comm, of_group(6, "spare", group).pml);
    fake_slot_set(JOB, 6, 0);
    put_name(&old, "new", 3);
    assert_int_equal(GET(JOB->communicators, opal_pointer_array_t, lowest_free), slot_free);
    EXPECT(BOTH "5 new, rank 1 of 2: 3 1\n");
}

/* Open MPI itself ends a name after 63 bytes, whatever these are; half a character that it left is dropped. */
TEST(name_is_cut_between_characters)
{
    static const struct {
        size_t n_whole;
        const char *rest;
        bool is_cut;
    } ends[] = {
        { 62, "\xc3", true },          { 61, "\xe2\x82", true },    { 62, "\xe2", true },
        { 60, "\xf0\x9f\x98", true },  { 61, "\xf0\x9f", true },    { 62, "\xf0", true },
        { 63, "", false },             { 61, "\xc3\xa9", false },   { 60, "\xe2\x82\xac", false },
        { 59, "\xf0\x9f\x98\x80", false },
        /* Without an end, and a character that does not fit into 63 bytes. */
        { 63, "n", true },             { 62, "\xc3\xa9", true },
    };
    struct fake_comm comm = new_comm(3, NULL);

    EXPECT(BOTH "3 *, rank 1 of 4: *\n");
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        char name[65] = "";

        memset(name, 'n', ends[i].n_whole);
        strcat(name, ends[i].rest);
        put_name(&comm, name, 64);
        fake_look_well();
        if (ends[i].is_cut)
            name[ends[i].n_whole] = '\0';
        assert_string_equal(fake_listed(&fake.listing, 3)->communicator.name, name);
    }
    /* A shorter one is as the program gave it, UTF-8 or not. */
    put_name(&comm, "caf\xe9", 5);
    fake_look_well();
    assert_string_equal(fake_listed(&fake.listing, 3)->communicator.name, "caf\xe9");
}

/* Since 6.0 names are as long as they are. */
TEST_WITH(name_behind_a_pointer_may_not_be_there, fake_setup, fake_teardown, &fake_release_60)
{
    struct fake_comm comm = new_comm(3, "x");

    EXPECT(BOTH "3 x, *\n");
    PUT(comm.ta, ompi_communicator_t, c_name, 0);
    EXPECT(BOTH "3 , *\n");
    PUT(comm.ta, ompi_communicator_t, c_name, fake_hidden_page());
    EXPECT(BOTH "error: *\n");
}

/* The same process is a sentinel in one group and an object in another: only names tell. */
TEST(group_is_translated_by_names_not_by_entries)
{
    fake_ta group = fake_group_new(JOB, 4, 2);

    assert_true(JOB->procs[0] != 0 && JOB->procs[2] == 0);
    fake_group_set(JOB, group, 0, fake_proc_new(JOB, JOB->options.jobid, 3));
    fake_group_set(JOB, group, 1, fake_sentinel(JOB, JOB->options.jobid, 2));
    fake_group_set(JOB, group, 2, JOB->procs[1]);
    fake_group_set(JOB, group, 3, fake_sentinel(JOB, JOB->options.jobid, 0));
    of_group(3, "reversed", group);
    EXPECT(BOTH "3 reversed, rank 2 of 4: 3 2 1 0\n");
}

/* Nor is the rank known of one that cannot be read. */
TEST(member_of_another_job_is_rank_minus_one)
{
    uint32_t same_family = JOB->options.jobid + 1, other_family = JOB->options.jobid ^ 0x10000;
    fake_ta group = fake_group_new(JOB, 7, 0);

    fake_group_set(JOB, group, 0, JOB->procs[1]);
    fake_group_set(JOB, group, 1, fake_sentinel(JOB, same_family, 1));
    fake_group_set(JOB, group, 2, fake_sentinel(JOB, other_family, 1));
    fake_group_set(JOB, group, 3, fake_proc_new(JOB, same_family, 0));
    fake_group_set(JOB, group, 4, fake_sentinel(JOB, JOB->options.jobid, 3));
    fake_group_set(JOB, group, 5, fake_hidden_page());
    fake_group_set(JOB, group, 6, 0);
    of_group(3, "spawned", group);
    EXPECT(BOTH "3 spawned, rank 0 of 7: 1 -1 -1 -1 3 -1 -1\n");
}

/* Which process it is stands in the text. */
TEST(operation_with_a_process_of_another_job_has_no_global_rank)
{
    fake_ta remote = fake_group_new(JOB, 2, FAKE_UNDEFINED), local = fake_group_of(JOB, (const int[]){ 1 }, 1);
    struct fake_comm inter;

    fake_group_set(JOB, remote, 0, fake_sentinel(JOB, JOB->options.jobid + 1, 0));
    fake_group_set(JOB, remote, 1, fake_sentinel(JOB, JOB->options.jobid + 1, 7));
    inter = fake_intercomm_new(JOB, 3, "MPI_COMM_PARENT", local, remote);
    fake_irecv(JOB, &inter, &(struct fake_recv){ 1, 2, 3, JOB->mpi_int, 0x1000 });
    fake_expect(3, mqs_pending_receives, "*: peer 1 (-1), *; peer is rank 7 of another job*\n");
}

static void assert_name(const struct mqd_process_name *name, uint32_t job, uint32_t rank)
{
    assert_int_equal(name->job, job);
    assert_int_equal(name->rank, rank);
}

/* The extension tells who they are; of an intercommunicator those of the remote group. */
TEST(processes_have_names)
{
    static const int none[] = { 1, 2, -1 };
    struct mqd_process_name name = { .job = 1, .rank = 1 };
    uint32_t job = JOB->options.jobid;
    fake_ta remote = fake_group_new(JOB, 2, FAKE_UNDEFINED), local = fake_group_of(JOB, (const int[]){ 1 }, 1);

    fake_group_set(JOB, remote, 0, fake_proc_new(JOB, job ^ 0x10000, 3));
    fake_group_set(JOB, remote, 1, 0);
    fake_intercomm_new(JOB, 3, "MPI_COMM_PARENT", local, remote);
    EXPECT(BOTH "3 *\n");
    assert_int_equal(mqs_update_communicator_list(PROCESS), mqs_ok);
    assert_true(EXTENSION->describe_member(PROCESS, 0, &name) >= mqs_first_user_code);
    assert_int_equal(EXTENSION->describe_self(PROCESS, &name), mqs_ok);
    assert_name(&name, job, (uint32_t)JOB->options.rank);
    assert_int_equal(mqs_setup_communicator_iterator(PROCESS), mqs_ok);
    assert_int_equal(EXTENSION->describe_member(PROCESS, 2, &name), mqs_ok);
    assert_name(&name, job, 2);
    assert_int_equal(mqs_next_communicator(PROCESS), mqs_ok);
    assert_int_equal(mqs_next_communicator(PROCESS), mqs_ok);
    assert_int_equal(EXTENSION->describe_member(PROCESS, 0, &name), mqs_ok);
    assert_name(&name, job ^ 0x10000, 3);
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        assert_true(EXTENSION->describe_member(PROCESS, none[i], &name) >= mqs_first_user_code);
    assert_name(&name, job ^ 0x10000, 3);
}

/* Groups in sparse storage say which members of another group they have. */

static void setup_wide(const struct fake_build *build)
{
    struct fake_options options = fake_options_of(build);

    options.n_procs = 32;
    fake_begin(&fake, &options);
}

SUITE(wide, setup_wide, fake_teardown);

static fake_ta strided(fake_ta parent, int count, int offset, int stride)
{
    fake_ta group = fake_group_sparse(JOB, parent, count, FAKE_UNDEFINED, FAKE_GROUP_STRIDED);
    fake_ta data = AT(group, ompi_group_t, sparse_data);

    PUT(data, ompi_group_strided_data_t, grp_strided_offset, offset);
    PUT(data, ompi_group_strided_data_t, grp_strided_stride, stride);
    return group;
}

static fake_ta sporadic(fake_ta parent, int count, int n_ranges, const int (*ranges)[2])
{
    fake_ta group = fake_group_sparse(JOB, parent, count, FAKE_UNDEFINED, FAKE_GROUP_SPORADIC);
    fake_ta data = AT(group, ompi_group_t, sparse_data);
    size_t size = FAKE_SIZE(IMAGE, ompi_group_sporadic_list_t);
    fake_ta list = fake_malloc(JOB, (size_t)n_ranges * size);

    PUT(data, ompi_group_sporadic_data_t, grp_sporadic_list, list);
    PUT(data, ompi_group_sporadic_data_t, grp_sporadic_list_len, n_ranges);
    for (int i = 0; i < n_ranges; i++) {
        PUT(list + (size_t)i * size, ompi_group_sporadic_list_t, rank_first, ranges[i][0]);
        PUT(list + (size_t)i * size, ompi_group_sporadic_list_t, length, ranges[i][1]);
    }
    return group;
}

static fake_ta bitmap(fake_ta parent, int count, const unsigned char *bits, int n_bytes)
{
    fake_ta group = fake_group_sparse(JOB, parent, count, FAKE_UNDEFINED, FAKE_GROUP_BITMAP);
    fake_ta data = AT(group, ompi_group_t, sparse_data), array = fake_malloc(JOB, (size_t)n_bytes);

    PUT(data, ompi_group_bitmap_data_t, grp_bitmap_array, array);
    PUT(data, ompi_group_bitmap_data_t, grp_bitmap_array_len, n_bytes);
    fake_image_put_bytes(IMAGE, array, bits, (size_t)n_bytes);
    return group;
}

/* A sparse group, which is that of the only other communicator, has these members; or there is an error. */
static void expect_group(fake_ta group, const char *members)
{
    char pattern[256];

    of_group(3, "sparse", group);
    snprintf(pattern, sizeof pattern, "0 *\n1 *\n3 sparse, *:%s\n", members);
    EXPECT(pattern);
}

/* Of 10 12 14 ... 28: 2, 3, 4, 7, 8; of these the first, the third and the last. */
TEST_ON(wide, sparse_groups_give_world_ranks)
{
    static const int ranges[][2] = { { 20, 3 }, { 0, 1 }, { 7, 4 } }, of_strided[][2] = { { 2, 3 }, { 7, 2 } };
    static const unsigned char bits[] = { 0x82, 0x00, 0x11, 0x80 }, of_sporadic[] = { 0x15 };
    fake_ta world = JOB->world.local_group;

    expect_group(strided(world, 5, 2, 3), " 2 5 8 11 14");
    expect_group(sporadic(world, 8, 3, ranges), " 20 21 22 0 7 8 9 10");
    expect_group(bitmap(world, 5, bits, sizeof bits), " 1 7 16 20 31");
    expect_group(bitmap(sporadic(strided(world, 10, 10, 2), 5, 2, of_strided), 3, of_sporadic, 1), " 14 18 26");
}

TEST_ON(wide, peers_in_a_sparse_group_have_world_ranks)
{
    struct fake_comm comm = of_group(3, "sparse", strided(JOB->world.local_group, 5, 1, 4));

    fake_irecv(JOB, &comm, &(struct fake_recv){ 3, 2, 3, JOB->mpi_int, 0x1000 });
    fake_expect(3, mqs_pending_receives, "*: peer 3 (13), *\n");
}

/* The members contradict this process's own rank. Then none of them is believed. */
TEST_ON(wide, group_with_another_process_at_our_rank_is_an_error)
{
    fake_ta group = strided(JOB->world.local_group, 5, 2, 3);

    PUT(group, ompi_group_t, grp_my_rank, 1);
    expect_group(group, " error: *");
}

/*
 * A member with a rank that the parent does not have is unknown. The other members are known. What stands behind the
 * parent's end is as good an entry as any.
 */
TEST_ON(wide, sparse_group_with_a_wrong_member_tells_the_others)
{
    int everybody_wide[32];
    fake_ta parent;

    for (int rank = 0; rank < 32; rank++)
        everybody_wide[rank] = rank;
    parent = fake_group_of(JOB, everybody_wide, 32);
    PUT(parent, ompi_group_t, grp_proc_count, 12);
    expect_group(strided(parent, 3, 2, 10), " 2 -1 -1");
}

/* The next allocation begins near the start of a page that has no other contents. */
static void start_page(void)
{
    fake_malloc(JOB, 2 * FAKE_PAGE - fake_malloc(JOB, 16) % FAKE_PAGE);
}

/* With two pages of its own each: what a listing comes to again is not read again. */
TEST(idle_communicators_cost_three_reads_each)
{
    enum { N_COMMUNICATORS = 1005, SOME = 100 };
    struct mqd_communicator_summary summary;
    mqs_pending_operation operation;
    int group[4], n = 0;
    long n_reads;

    fake_look_well();
    for (uint32_t id = 3; id < N_COMMUNICATORS + 1; id++) {
        fake_ta members;

        start_page();
        members = fake_group_of(JOB, (const int[]){ 1, 2 }, 2);
        start_page();
        of_group(id, NULL, members);
    }
    n_reads = HOST->n_reads;
    assert_int_equal(mqs_update_communicator_list(PROCESS), mqs_ok);
    assert_int_equal(mqs_setup_communicator_iterator(PROCESS), mqs_ok);
    do {
        assert_int_equal(mqs_get_comm_group(PROCESS, group), mqs_ok);
        assert_int_equal(EXTENSION->describe_communicator(PROCESS, &summary), mqs_ok);
        for (int op_class = 0; op_class < FAKE_N_QUEUES; op_class++) {
            assert_int_equal(mqs_setup_operation_iterator(PROCESS, op_class), mqs_ok);
            assert_int_equal(mqs_next_operation(PROCESS, &operation), mqs_end_of_list);
        }
        n++;
    } while (mqs_next_communicator(PROCESS) == mqs_ok);
    assert_int_equal(n, N_COMMUNICATORS);
    assert_in_range(HOST->n_reads - n_reads, N_COMMUNICATORS, 3 * N_COMMUNICATORS + SOME);
}

/* The circle is recognised early. Only to count steps would let millions of them keep the debugger for seconds. */
TEST(circle_of_sparse_groups_ends_after_a_few_of_them)
{
    fake_ta groups[7], own = strided(JOB->world.local_group, 3, 0, 1);
    long n_allocations;

    PUT(own, ompi_group_t, grp_parent_group_ptr, own);
    expect_group(own, " error: *");
    groups[0] = strided(JOB->world.local_group, 3, 0, 1);
    for (int i = 1; i < 7; i++)
        groups[i] = strided(groups[i - 1], 3, 0, 1);
    PUT(groups[2], ompi_group_t, grp_parent_group_ptr, groups[6]);
    n_allocations = HOST->n_allocations;
    expect_group(groups[6], " error: *");
    assert_in_range(HOST->n_allocations - n_allocations, 5, 100);
}

/* A group without members has no entries, and says nothing of how it is stored: valgrind would tell. */
TEST(sparse_group_of_an_empty_or_too_small_one_or_of_unknown_storage_is_an_error)
{
    const unsigned char bits[] = { 0x03 };
    fake_ta world = JOB->world.local_group;

    expect_group(strided(fake_group_sparse(JOB, world, 0, FAKE_UNDEFINED, FAKE_GROUP_DENSE), 3, 0, 1), " error: *");
    expect_group(fake_group_sparse(JOB, world, 3, 0, FAKE_GROUP_DENSE), " error: *");
    expect_group(bitmap(world, 3, bits, 1), " error: *");
    expect_group(fake_group_new(JOB, 0, FAKE_UNDEFINED), "");
}

/* Since 5.0: an id that the members agree on, while each has its own slot for the communicator. */

static uint64_t id_with(uint64_t base, uint64_t sub, uint32_t slot)
{
    struct fake_comm comm;
    fake_ta id;

    fake_setup(&fake_release_507);
    comm = new_comm(slot, "from a group");
    id = AT(comm.ta, ompi_communicator_t, c_contextid);
    if (base != 0)
        PUT(comm.ta, ompi_communicator_t, c_flags, FAKE_COMM_PML_ADDED);
    PUT(id, ompi_comm_extended_cid_t, cid_base, base);
    PUT(id, ompi_comm_extended_cid_t, cid_sub, sub);
    EXPECT(BOTH "* from a group, *\n");
    return (uint64_t)fake.listing.comms[2].communicator.unique_id;
}

TEST(extended_id_is_the_same_in_any_slot_and_told_apart_by_both_halves)
{
    const uint64_t one = id_with(UINT64_MAX - 7, 0, 3);

    assert_true(one < (uint64_t)1 << 53);
    assert_true(one == id_with(UINT64_MAX - 7, 0, 9));
    assert_true(one != id_with(UINT64_MAX - 8, 0, 3));
    assert_true(one != id_with(UINT64_MAX - 7, 0x01000000, 3));
    assert_true(one > 65535);
    assert_int_equal(id_with(0, 5, 5), 5);
}

/* The others are listed, and the error is returned once. */
TEST(unreadable_communicator_or_another_kind_of_object_is_told_once_after_the_others)
{
    fake_slot_set(JOB, 3, fake_hidden_page());
    new_comm(4, "four");
    EXPECT(BOTH "4 four, *\nerror: *\n");
    fake_slot_set(JOB, 3, JOB->mpi_int);
    EXPECT(BOTH "4 four, *\nerror: *\n");
}

/* As many as fit the table that fits 16 bits of context id: reads stay within what debuggers allow. */
TEST(many_slots_are_read_in_allowed_pieces)
{
    new_comm(65535, "far out");
    EXPECT(BOTH "65535 far out, *\n");
}
