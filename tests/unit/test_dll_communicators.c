/* test_dll_communicators.c - which communicators are listed, with which values and groups. */
#include "fake_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#define HOST (&fake.host)
#define PROCESS (&fake.host.process)
#define JOB (&fake.job)
#define IMAGE (&fake.job.image)
#define PUT(object, type, member, value) FAKE_PUT(IMAGE, object, type, member, value)
#define AT(object, type, member) FAKE_AT(IMAGE, object, type, member)

static const int everybody[4] = { 0, 1, 2, 3 };

/* Updates the listing. It must have exactly n communicators and no error. */
static void look(size_t n)
{
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(fake.listing.setup, mqs_ok);
    assert_int_equal(fake.listing.error, mqs_ok);
    assert_int_equal(fake.listing.n_comms, n);
}

static const struct fake_listed_comm *listed(mqs_taddr_t unique_id)
{
    const struct fake_listed_comm *comm = fake_listed(&fake.listing, unique_id);

    assert_non_null(comm);
    return comm;
}

static struct fake_comm new_comm(uint32_t id, const char *name)
{
    fake_ta group = fake_group_of(JOB, everybody, 4);

    return fake_comm_new(JOB, id, name, group, group);
}

static void put_name(const struct fake_comm *comm, const char *name, size_t size)
{
    char c_name[64] = "";

    memcpy(c_name, name, size);
    fake_image_put_bytes(IMAGE, AT(comm->ta, ompi_communicator_t, c_name), c_name, sizeof c_name);
}

static void world_and_self_are_listed_and_null_is_not(void **state)
{
    (void)state;
    look(2);
    assert_string_equal(fake.listing.comms[0].communicator.name, "MPI_COMM_WORLD");
    assert_int_equal(fake.listing.comms[0].communicator.unique_id, 0);
    assert_int_equal(fake.listing.comms[0].communicator.local_rank, 1);
    assert_int_equal(fake.listing.comms[0].communicator.size, 4);
    assert_string_equal(fake.listing.comms[1].communicator.name, "MPI_COMM_SELF");
    assert_int_equal(fake.listing.comms[1].communicator.unique_id, 1);
    assert_int_equal(fake.listing.comms[1].communicator.local_rank, 0);
    assert_int_equal(fake.listing.comms[1].communicator.size, 1);
}

static void program_may_rename_world_and_self(void **state)
{
    (void)state;
    fake_comm_set_name(JOB, &JOB->world, "everything");
    fake_comm_set_name(JOB, &JOB->self, "");
    look(2);
    assert_string_equal(listed(0)->communicator.name, "everything");
    assert_string_equal(listed(1)->communicator.name, "");
}

static void freed_slots_are_passed_over(void **state)
{
    (void)state;
    new_comm(3, "three");
    new_comm(4, "four");
    new_comm(20, "twenty");
    fake_slot_set(JOB, 3, 0);
    look(4);
    assert_null(fake_listed(&fake.listing, 3));
    assert_string_equal(listed(4)->communicator.name, "four");
    assert_string_equal(listed(20)->communicator.name, "twenty");
}

/* While the members agree on a slot, it holds the constant 1 (since 5.0.4) or the parent communicator (before). */
static void slot_that_is_being_agreed_on_is_no_communicator(void **state)
{
    (void)state;
    fake_slot_set(JOB, 4, JOB->world.ta);
    look(2);
}

static void intercommunicator_tells_its_local_group_and_hides_its_inner_one(void **state)
{
    const int local[2] = { 3, 1 }, remote[2] = { 0, 2 };
    const struct mqd_extension_v1 *extension = ompi_mqd_extension(MQD_EXTENSION_VERSION);
    const struct fake_listed_comm *inter;

    (void)state;
    fake_intercomm_new(JOB, 5, "inter", fake_group_of(JOB, local, 2), fake_group_of(JOB, remote, 2));
    look(3);
    inter = listed(5);
    assert_int_equal(inter->communicator.size, 2);
    assert_int_equal(inter->communicator.local_rank, 1);
    assert_int_equal(inter->group_rc, mqs_ok);
    assert_int_equal(inter->group[0], 3);
    assert_int_equal(inter->group[1], 1);
    assert_int_equal(extension->show_internal(&fake.host.process, 1), mqs_ok);
    look(4);
    assert_int_equal(listed(6)->communicator.size, 2);
}

/* Open MPI sets that member only in intercommunicators. Here it holds an old pointer to a user's communicator. */
static void inner_communicator_of_an_intracommunicator_means_nothing(void **state)
{
    (void)state;
    PUT(new_comm(3, "three").ta, ompi_communicator_t, c_local_comm, new_comm(4, "four").ta);
    look(4);
}

/* A communicator is freed, and a new one gets its address and number. The new one shows nothing of the old one. */
static void communicator_in_the_place_of_another_is_seen_anew(void **state)
{
    const int two[2] = { 3, 1 };
    struct fake_comm old;
    fake_ta group, slot_free;

    (void)state;
    old = new_comm(5, "old");
    fake_irecv(JOB, &old, &(struct fake_recv){ 2, 7, 1, JOB->mpi_int, 0x1000 });
    look(3);
    assert_int_equal(listed(5)->queues[mqs_pending_receives].n, 1);
    slot_free = FAKE_GET(IMAGE, JOB->communicators, opal_pointer_array_t, lowest_free);
    group = fake_group_of(JOB, two, 2);
    PUT(old.ta, ompi_communicator_t, c_local_group, group);
    PUT(old.ta, ompi_communicator_t, c_remote_group, group);
    PUT(old.ta, ompi_communicator_t, c_my_rank, 1);
    PUT(old.ta, ompi_communicator_t, c_pml_comm, fake_comm_new(JOB, 6, "spare", group, group).pml);
    fake_slot_set(JOB, 6, 0);
    put_name(&old, "new", 3);
    assert_int_equal(FAKE_GET(IMAGE, JOB->communicators, opal_pointer_array_t, lowest_free), slot_free);
    look(3);
    assert_string_equal(listed(5)->communicator.name, "new");
    assert_int_equal(listed(5)->communicator.size, 2);
    assert_int_equal(listed(5)->communicator.local_rank, 1);
    assert_int_equal(listed(5)->group[0], 3);
}

static void unnamed_duplicate_of_a_user_is_listed(void **state)
{
    (void)state;
    new_comm(3, NULL);
    look(3);
    assert_int_equal(listed(3)->communicator.size, 4);
}

static void name_of_63_bytes_is_whole(void **state)
{
    char name[64];
    struct fake_comm comm;

    (void)state;
    memset(name, 'n', 63);
    name[63] = '\0';
    comm = new_comm(3, "x");
    put_name(&comm, name, 63);
    look(3);
    assert_string_equal(listed(3)->communicator.name, name);
}

static void name_without_an_end_is_cut(void **state)
{
    char name[65];
    struct fake_comm comm;

    (void)state;
    memset(name, 'n', 64);
    name[64] = '\0';
    comm = new_comm(3, "x");
    put_name(&comm, name, 64);
    look(3);
    name[63] = '\0';
    assert_string_equal(listed(3)->communicator.name, name);
}

/* 32 characters of two bytes do not fit into 63 bytes. The name ends before the character that does not fit. */
static void utf_8_is_cut_between_characters(void **state)
{
    char name[65] = "";
    struct fake_comm comm;

    (void)state;
    for (int i = 0; i < 32; i++)
        memcpy(name + 2 * i, "\xc3\xa9", 2);
    comm = new_comm(3, "x");
    put_name(&comm, name, 64);
    look(3);
    name[62] = '\0';
    assert_string_equal(listed(3)->communicator.name, name);
}

/* Open MPI itself ends a name after 63 bytes, whatever these are. */
static void half_a_character_that_open_mpi_left_is_dropped(void **state)
{
    static const struct {
        size_t n_whole;
        const char *rest;
    } ends[] = { { 62, "\xc3" },         { 61, "\xe2\x82" },    { 62, "\xe2" },     { 60, "\xf0\x9f\x98" },
                 { 61, "\xf0\x9f" },     { 62, "\xf0" },        { 63, "" },         { 61, "\xc3\xa9" },
                 { 60, "\xe2\x82\xac" }, { 59, "\xf0\x9f\x98\x80" } };
    struct fake_comm comm = new_comm(3, "x");

    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        char name[65] = "";

        memset(name, 'n', ends[i].n_whole);
        strcat(name, ends[i].rest);
        assert_int_equal(strlen(name), 63);
        put_name(&comm, name, 64);
        look(3);
        if (i < 6)
            name[ends[i].n_whole] = '\0';
        assert_string_equal(listed(3)->communicator.name, name);
    }
    /* A shorter one is as the program gave it, UTF-8 or not. */
    put_name(&comm, "caf\xe9", 5);
    look(3);
    assert_string_equal(listed(3)->communicator.name, "caf\xe9");
}

static void percent_in_a_name_is_left_alone(void **state)
{
    (void)state;
    new_comm(3, "100 %s %n %");
    look(3);
    assert_string_equal(listed(3)->communicator.name, "100 %s %n %");
}

static void group_of_pointers_and_sentinels_gives_world_ranks(void **state)
{
    const struct fake_listed_comm *world;

    (void)state;
    assert_true(JOB->procs[0] != 0 && JOB->procs[2] == 0);
    look(2);
    world = listed(0);
    assert_int_equal(world->group_rc, mqs_ok);
    for (int rank = 0; rank < 4; rank++)
        assert_int_equal(world->group[rank], rank);
    assert_int_equal(listed(1)->group[0], 1);
}

/* The same process is a sentinel in one group and an object in another: only names tell. */
static void group_is_translated_by_names_not_by_entries(void **state)
{
    const struct fake_listed_comm *comm;
    fake_ta group;

    (void)state;
    group = fake_group_new(JOB, 4, 2);
    fake_group_set(JOB, group, 0, fake_proc_new(JOB, JOB->options.jobid, 3));
    fake_group_set(JOB, group, 1, fake_sentinel(JOB, JOB->options.jobid, 2));
    fake_group_set(JOB, group, 2, JOB->procs[1]);
    fake_group_set(JOB, group, 3, fake_sentinel(JOB, JOB->options.jobid, 0));
    fake_comm_new(JOB, 3, "reversed", group, group);
    look(3);
    comm = listed(3);
    assert_int_equal(comm->communicator.local_rank, 2);
    for (int rank = 0; rank < 4; rank++)
        assert_int_equal(comm->group[rank], 3 - rank);
}

static void member_of_another_job_is_rank_minus_one(void **state)
{
    const struct fake_listed_comm *comm;
    uint32_t same_family, other_family;
    fake_ta group;

    (void)state;
    same_family = JOB->options.jobid + 1;
    other_family = JOB->options.jobid ^ 0x10000;
    group = fake_group_new(JOB, 5, 0);
    fake_group_set(JOB, group, 0, JOB->procs[1]);
    fake_group_set(JOB, group, 1, fake_sentinel(JOB, same_family, 1));
    fake_group_set(JOB, group, 2, fake_sentinel(JOB, other_family, 1));
    fake_group_set(JOB, group, 3, fake_proc_new(JOB, same_family, 0));
    fake_group_set(JOB, group, 4, fake_sentinel(JOB, JOB->options.jobid, 3));
    fake_comm_new(JOB, 3, "spawned", group, group);
    look(3);
    comm = listed(3);
    assert_int_equal(comm->group_rc, mqs_ok);
    assert_int_equal(comm->group[0], 1);
    assert_int_equal(comm->group[1], -1);
    assert_int_equal(comm->group[2], -1);
    assert_int_equal(comm->group[3], -1);
    assert_int_equal(comm->group[4], 3);
}

static void operation_with_a_process_of_another_job_has_no_global_rank(void **state)
{
    const int local[1] = { 1 };
    const struct fake_queue *queue;
    fake_ta remote;
    struct fake_comm inter;

    (void)state;
    remote = fake_group_new(JOB, 2, FAKE_UNDEFINED);
    fake_group_set(JOB, remote, 0, fake_sentinel(JOB, JOB->options.jobid + 1, 0));
    fake_group_set(JOB, remote, 1, fake_sentinel(JOB, JOB->options.jobid + 1, 7));
    inter = fake_intercomm_new(JOB, 3, "MPI_COMM_PARENT", fake_group_of(JOB, local, 1), remote);
    fake_irecv(JOB, &inter, &(struct fake_recv){ 1, 2, 3, JOB->mpi_int, 0x1000 });
    look(3);
    queue = fake_queue(&fake, 3, mqs_pending_receives);
    assert_int_equal(queue->n, 1);
    assert_int_equal(queue->operations[0].desired_local_rank, 1);
    assert_int_equal(queue->operations[0].desired_global_rank, -1);
    /* Which process it is stands in the text. */
    assert_true(fake_says(&queue->operations[0], "job"));
    assert_true(fake_says(&queue->operations[0], "7"));
}

/* The extension tells who they are; of an intercommunicator those of the remote group. */
static void processes_have_names(void **state)
{
    const struct mqd_extension_v1 *extension = ompi_mqd_extension(MQD_EXTENSION_VERSION);
    const int local[1] = { 1 };
    struct mqd_process_name name = { .job = 1, .rank = 1 };
    fake_ta remote;

    (void)state;
    remote = fake_group_new(JOB, 2, FAKE_UNDEFINED);
    fake_group_set(JOB, remote, 0, fake_proc_new(JOB, JOB->options.jobid ^ 0x10000, 3));
    fake_group_set(JOB, remote, 1, 0);
    fake_intercomm_new(JOB, 3, "MPI_COMM_PARENT", fake_group_of(JOB, local, 1), remote);
    look(3);
    assert_int_equal(mqs_update_communicator_list(PROCESS), mqs_ok);
    assert_true(extension->describe_member(PROCESS, 0, &name) >= mqs_first_user_code);
    assert_int_equal(extension->describe_self(PROCESS, &name), mqs_ok);
    assert_int_equal(name.job, JOB->options.jobid);
    assert_int_equal(name.rank, JOB->options.rank);
    assert_int_equal(mqs_setup_communicator_iterator(PROCESS), mqs_ok);
    assert_int_equal(extension->describe_member(PROCESS, 2, &name), mqs_ok);
    assert_int_equal(name.job, JOB->options.jobid);
    assert_int_equal(name.rank, 2);
    assert_int_equal(mqs_next_communicator(PROCESS), mqs_ok);
    assert_int_equal(mqs_next_communicator(PROCESS), mqs_ok);
    assert_int_equal(extension->describe_member(PROCESS, 0, &name), mqs_ok);
    assert_int_equal(name.job, JOB->options.jobid ^ 0x10000);
    assert_int_equal(name.rank, 3);
    assert_true(extension->describe_member(PROCESS, 1, &name) >= mqs_first_user_code);
    assert_true(extension->describe_member(PROCESS, 2, &name) >= mqs_first_user_code);
    assert_true(extension->describe_member(PROCESS, -1, &name) >= mqs_first_user_code);
    assert_int_equal(name.rank, 3);
}

static void unreadable_member_is_minus_one_and_the_others_are_there(void **state)
{
    const struct fake_listed_comm *comm;
    fake_ta group, hidden;

    (void)state;
    hidden = fake_image_alloc_pages(IMAGE, JOB->heap, FAKE_PAGE);
    fake_image_set_hidden(IMAGE, hidden, FAKE_PAGE, true);
    group = fake_group_new(JOB, 3, 0);
    fake_group_set(JOB, group, 0, JOB->procs[1]);
    fake_group_set(JOB, group, 1, hidden);
    fake_group_set(JOB, group, 2, 0);
    fake_comm_new(JOB, 3, "torn", group, group);
    look(3);
    comm = listed(3);
    assert_int_equal(comm->group_rc, mqs_ok);
    assert_int_equal(comm->group[0], 1);
    assert_int_equal(comm->group[1], -1);
    assert_int_equal(comm->group[2], -1);
}

/* Groups in sparse storage say which members of another group they have. */

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

static void begin_wide(void)
{
    struct fake_options options = fake_options_default();

    assert_int_equal(fake_end(&fake), 0);
    options.n_procs = 32;
    fake_begin(&fake, &options);
}

static void assert_group(fake_ta group, int count, const int *expected)
{
    const struct fake_listed_comm *comm;

    fake_comm_new(JOB, 3, "sparse", group, group);
    look(3);
    comm = listed(3);
    assert_int_equal(comm->communicator.size, count);
    assert_int_equal(comm->group_rc, mqs_ok);
    for (int rank = 0; rank < count; rank++)
        assert_int_equal(comm->group[rank], expected[rank]);
}

static void strided_group_gives_world_ranks(void **state)
{
    const int expected[] = { 2, 5, 8, 11, 14 };

    (void)state;
    begin_wide();
    assert_group(strided(JOB->world.local_group, 5, 2, 3), 5, expected);
}

static void sporadic_group_gives_world_ranks(void **state)
{
    const int ranges[][2] = { { 20, 3 }, { 0, 1 }, { 7, 4 } };
    const int expected[] = { 20, 21, 22, 0, 7, 8, 9, 10 };

    (void)state;
    begin_wide();
    assert_group(sporadic(JOB->world.local_group, 8, 3, ranges), 8, expected);
}

static void bitmap_group_gives_world_ranks(void **state)
{
    const unsigned char bits[] = { 0x82, 0x00, 0x11, 0x80 };
    const int expected[] = { 1, 7, 16, 20, 31 };

    (void)state;
    begin_wide();
    assert_group(bitmap(JOB->world.local_group, 5, bits, sizeof bits), 5, expected);
}

static void sparse_groups_of_sparse_groups_give_world_ranks(void **state)
{
    /* 10 12 14 ... 28; of these 2, 3, 4, 7, 8; of these the first, the third and the last. */
    const int ranges[][2] = { { 2, 3 }, { 7, 2 } };
    const unsigned char bits[] = { 0x15 };
    const int expected[] = { 14, 18, 26 };

    (void)state;
    begin_wide();
    assert_group(bitmap(sporadic(strided(JOB->world.local_group, 10, 10, 2), 5, 2, ranges), 3, bits, 1), 3, expected);
}

static void peers_in_a_sparse_group_have_world_ranks(void **state)
{
    const struct fake_queue *queue;
    struct fake_comm comm;
    fake_ta group;

    (void)state;
    begin_wide();
    group = strided(JOB->world.local_group, 5, 1, 4);
    comm = fake_comm_new(JOB, 3, "sparse", group, group);
    fake_irecv(JOB, &comm, &(struct fake_recv){ 3, 2, 3, JOB->mpi_int, 0x1000 });
    look(3);
    queue = fake_queue(&fake, 3, mqs_pending_receives);
    assert_int_equal(queue->n, 1);
    assert_int_equal(queue->operations[0].desired_global_rank, 13);
}

/* The members contradict this process's own rank. Then none of them is believed. */
static void group_with_another_process_at_our_rank_is_an_error(void **state)
{
    fake_ta group;

    (void)state;
    begin_wide();
    group = strided(JOB->world.local_group, 5, 2, 3);
    PUT(group, ompi_group_t, grp_my_rank, 1);
    fake_comm_new(JOB, 3, "sparse", group, group);
    look(3);
    assert_true(listed(3)->group_rc >= mqs_first_user_code);
}

/* A member with a rank that the parent does not have is unknown. The other members are known. */
static void sparse_group_with_a_wrong_member_tells_the_others(void **state)
{
    const int expected[] = { 2, -1, -1 };
    int everybody_wide[32];
    fake_ta parent;

    (void)state;
    begin_wide();
    for (int rank = 0; rank < 32; rank++)
        everybody_wide[rank] = rank;
    /* What stands behind its end is as good an entry as any. */
    parent = fake_group_of(JOB, everybody_wide, 32);
    PUT(parent, ompi_group_t, grp_proc_count, 12);
    assert_group(strided(parent, 3, 2, 10), 3, expected);
}

/* The next allocation begins near the start of a page that has no other contents. */
static void start_page(void)
{
    fake_malloc(JOB, 2 * FAKE_PAGE - fake_malloc(JOB, 16) % FAKE_PAGE);
}

/* With two pages of its own each: what a listing comes to again is not read again. */
static void idle_communicators_cost_three_reads_each(void **state)
{
    enum { N_COMMUNICATORS = 1005, SOME = 100 };
    struct mqd_communicator_summary summary;
    mqs_pending_operation operation;
    int group[4], n = 0;
    long n_reads;

    (void)state;
    assert_int_equal(fake_look(&fake), mqs_ok);
    for (uint32_t id = 3; id < N_COMMUNICATORS + 1; id++) {
        const int two[2] = {1, 2};
        fake_ta members;

        start_page();
        members = fake_group_of(JOB, two, 2);
        start_page();
        fake_comm_new(JOB, id, NULL, members, members);
    }
    n_reads = HOST->n_reads;
    assert_int_equal(mqs_update_communicator_list(PROCESS), mqs_ok);
    assert_int_equal(mqs_setup_communicator_iterator(PROCESS), mqs_ok);
    do {
        assert_int_equal(mqs_get_comm_group(PROCESS, group), mqs_ok);
        assert_int_equal(ompi_mqd_extension(1)->describe_communicator(PROCESS, &summary), mqs_ok);
        for (int op_class = 0; op_class < FAKE_N_QUEUES; op_class++) {
            assert_int_equal(mqs_setup_operation_iterator(PROCESS, op_class), mqs_ok);
            assert_int_equal(mqs_next_operation(PROCESS, &operation), mqs_end_of_list);
        }
        n++;
    } while (mqs_next_communicator(PROCESS) == mqs_ok);
    assert_int_equal(n, N_COMMUNICATORS);
    assert_in_range(HOST->n_reads - n_reads, N_COMMUNICATORS, 3 * N_COMMUNICATORS + SOME);
}

static void assert_bad_group(fake_ta group)
{
    fake_comm_new(JOB, 3, "sparse", group, group);
    look(3);
    assert_true(listed(3)->group_rc >= mqs_first_user_code);
}

static void sparse_group_that_is_its_own_parent_is_an_error(void **state)
{
    fake_ta group;

    (void)state;
    group = strided(JOB->world.local_group, 3, 0, 1);
    PUT(group, ompi_group_t, grp_parent_group_ptr, group);
    assert_bad_group(group);
}

/* The circle is recognised early. Only to count steps would let millions of them keep the debugger for seconds. */
static void circle_of_sparse_groups_ends_after_a_few_of_them(void **state)
{
    fake_ta groups[7];
    long n_allocations;

    (void)state;
    groups[0] = strided(JOB->world.local_group, 3, 0, 1);
    for (int i = 1; i < 7; i++)
        groups[i] = strided(groups[i - 1], 3, 0, 1);
    PUT(groups[2], ompi_group_t, grp_parent_group_ptr, groups[6]);
    n_allocations = HOST->n_allocations;
    assert_bad_group(groups[6]);
    assert_in_range(HOST->n_allocations - n_allocations, 5, 100);
}

/* One without members has no entries, and says nothing of how it is stored; under valgrind nothing of it is used. */
static void sparse_group_of_an_empty_one_is_an_error(void **state)
{
    fake_ta parent = fake_group_sparse(JOB, JOB->world.local_group, 0, FAKE_UNDEFINED, FAKE_GROUP_DENSE);

    (void)state;
    assert_bad_group(strided(parent, 3, 0, 1));
}

static void sparse_group_of_unknown_storage_is_an_error(void **state)
{
    (void)state;
    assert_bad_group(fake_group_sparse(JOB, JOB->world.local_group, 3, 0, FAKE_GROUP_DENSE));
}

static void sparse_group_with_too_few_members_is_an_error(void **state)
{
    const unsigned char bits[] = { 0x03 };

    (void)state;
    assert_bad_group(bitmap(JOB->world.local_group, 3, bits, 1));
}

/* Since 5.0: an id that the members agree on, while each has its own slot for the communicator. */

static uint64_t id_with(uint64_t base, uint64_t sub, uint32_t slot)
{
    struct fake_options options = fake_options_of(&fake_release_507);
    struct fake_comm comm;
    fake_ta group, id;

    assert_int_equal(fake_end(&fake), 0);
    fake_begin(&fake, &options);
    group = fake_group_of(JOB, everybody, 4);
    comm = fake_comm_new(JOB, slot, "from a group", group, group);
    id = AT(comm.ta, ompi_communicator_t, c_contextid);
    if (base != 0)
        PUT(comm.ta, ompi_communicator_t, c_flags, FAKE_COMM_PML_ADDED);
    PUT(id, ompi_comm_extended_cid_t, cid_base, base);
    PUT(id, ompi_comm_extended_cid_t, cid_sub, sub);
    look(3);
    return (uint64_t)fake.listing.comms[2].communicator.unique_id;
}

static void extended_id_is_the_same_in_any_slot_and_told_apart_by_both_halves(void **state)
{
    const uint64_t one = id_with(UINT64_MAX - 7, 0, 3);

    (void)state;
    assert_true(one < (uint64_t)1 << 53);
    assert_true(one == id_with(UINT64_MAX - 7, 0, 9));
    assert_true(one != id_with(UINT64_MAX - 8, 0, 3));
    assert_true(one != id_with(UINT64_MAX - 7, 0x01000000, 3));
    assert_true(one > 65535);
    assert_int_equal(id_with(0, 5, 5), 5);
}

static void group_of_nobody_is_allowed(void **state)
{
    fake_ta group;

    (void)state;
    group = fake_group_new(JOB, 0, FAKE_UNDEFINED);
    fake_comm_new(JOB, 3, "nobody", group, group);
    look(3);
    assert_int_equal(listed(3)->communicator.size, 0);
    assert_int_equal(listed(3)->group_rc, mqs_ok);
}

/* One communicator cannot be read. The others are listed, and the error is returned once. */
static void unreadable_communicator_is_told_once_after_the_others(void **state)
{
    fake_ta hidden;

    (void)state;
    hidden = fake_image_alloc_pages(IMAGE, JOB->heap, FAKE_PAGE);
    fake_image_set_hidden(IMAGE, hidden, FAKE_PAGE, true);
    fake_slot_set(JOB, 3, hidden);
    new_comm(4, "four");
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(fake.listing.n_comms, 3);
    assert_string_equal(listed(4)->communicator.name, "four");
    assert_true(fake.listing.error >= mqs_first_user_code);
}

static void slot_with_another_kind_of_object_is_an_error(void **state)
{
    (void)state;
    fake_slot_set(JOB, 3, JOB->mpi_int);
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(fake.listing.n_comms, 2);
    assert_true(fake.listing.error >= mqs_first_user_code);
}

/* As many as fit the table that fits 16 bits of context id: reads stay within what debuggers allow. */
static void many_slots_are_read_in_allowed_pieces(void **state)
{
    (void)state;
    new_comm(20000, "far out");
    look(3);
    assert_string_equal(listed(20000)->communicator.name, "far out");
}

static void sessions_only_process_has_no_world(void **state)
{
    (void)state;
    /* As 5.0 leaves it where only MPI_Session_init was called. */
    fake_slot_set(JOB, 0, JOB->null.ta);
    fake_slot_set(JOB, 1, JOB->null.ta);
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_null(fake_listed(&fake.listing, 0));
    assert_int_equal(fake.listing.n_comms, 0);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, fake_setup, fake_teardown)
    const struct CMUnitTest tests[] = {
        TEST(world_and_self_are_listed_and_null_is_not),
        TEST(program_may_rename_world_and_self),
        TEST(freed_slots_are_passed_over),
        TEST(slot_that_is_being_agreed_on_is_no_communicator),
        TEST(intercommunicator_tells_its_local_group_and_hides_its_inner_one),
        TEST(inner_communicator_of_an_intracommunicator_means_nothing),
        TEST(communicator_in_the_place_of_another_is_seen_anew),
        TEST(unnamed_duplicate_of_a_user_is_listed),
        TEST(name_of_63_bytes_is_whole),
        TEST(name_without_an_end_is_cut),
        TEST(utf_8_is_cut_between_characters),
        TEST(half_a_character_that_open_mpi_left_is_dropped),
        TEST(percent_in_a_name_is_left_alone),
        TEST(group_of_pointers_and_sentinels_gives_world_ranks),
        TEST(group_is_translated_by_names_not_by_entries),
        TEST(member_of_another_job_is_rank_minus_one),
        TEST(operation_with_a_process_of_another_job_has_no_global_rank),
        TEST(processes_have_names),
        TEST(unreadable_member_is_minus_one_and_the_others_are_there),
        TEST(strided_group_gives_world_ranks),
        TEST(sporadic_group_gives_world_ranks),
        TEST(bitmap_group_gives_world_ranks),
        TEST(sparse_groups_of_sparse_groups_give_world_ranks),
        TEST(peers_in_a_sparse_group_have_world_ranks),
        TEST(group_with_another_process_at_our_rank_is_an_error),
        TEST(sparse_group_with_a_wrong_member_tells_the_others),
        TEST(sparse_group_that_is_its_own_parent_is_an_error),
        TEST(circle_of_sparse_groups_ends_after_a_few_of_them),
        TEST(idle_communicators_cost_three_reads_each),
        TEST(sparse_group_of_an_empty_one_is_an_error),
        TEST(sparse_group_of_unknown_storage_is_an_error),
        TEST(sparse_group_with_too_few_members_is_an_error),
        TEST(extended_id_is_the_same_in_any_slot_and_told_apart_by_both_halves),
        TEST(group_of_nobody_is_allowed),
        TEST(unreadable_communicator_is_told_once_after_the_others),
        TEST(slot_with_another_kind_of_object_is_an_error),
        TEST(many_slots_are_read_in_allowed_pieces),
        TEST(sessions_only_process_has_no_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
