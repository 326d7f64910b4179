/*
 * test_dll_use.c - what the extension tells beyond queues: the support for threads, for whom communicators are, the
 * numbers of nonblocking collective operations, and who waits for an operation. What is not proved is not known.
 */
#include "fake_internal.h"
#include "fake_test.h"

#define BUILD (fake.job.options.build)

static const char sm[] = "ompi_osc_sm_module_template";
static const char unknown[] = "ompi_osc_other_module_template";
enum { USERS = 3, OWN = 4 };

static struct fake_comm duplicate(uint32_t slot)
{
    return fake_comm_new(JOB, slot, NULL, JOB->world.local_group, JOB->world.local_group);
}

static struct mqd_communicator_use use_of(mqs_taddr_t unique_id)
{
    struct mqd_communicator_use use;

    memset(&use, 0xa5, sizeof use);
    fake_go_to(unique_id);
    assert_int_equal(EXTENSION->describe_use(PROCESS, &use), mqs_ok);
    return use;
}

/* Threads. */

static int level(void)
{
    struct mqd_process_description description = {.thread_level = 77};

    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    assert_int_equal(EXTENSION->describe_process(PROCESS, &description), mqs_ok);
    return description.thread_level;
}

SUITE(each, fake_setup, fake_teardown, &fake_release_31, &fake_release_40, &fake_release, &fake_i386, &fake_s390x,
      &fake_release_50, &fake_release_507, &fake_s390x_507, &fake_release_60);

/* Before 5.0 opal_uses_threads is set from MPI_THREAD_FUNNELED on, since then with MPI_THREAD_MULTIPLE. */
TEST(thread_level_is_what_three_variables_agree_on)
{
    int used = BUILD->family < 500;
    const struct {
        int provided, multiple, uses_threads, expected;
    } cases[] = {
        {0, 0, 0, 0},      {1, 0, used, 1},   {2, 0, used, 2},   {3, 1, 1, 3},
        {0, 0, 1, -1},     {1, 0, !used, -1}, {2, 0, !used, -1}, {3, 1, 0, -1},
        {3, 0, 1, -1},     {3, 0, 0, -1},     {0, 1, 1, -1},     {0, 1, 0, -1},
        {2, 1, used, -1},  {4, 0, used, -1},  {4, 1, 1, -1},     {-1, 0, 0, -1},
        {0, 2, 2, -1},     {0, 0, 2, -1},
    };

    assert_int_equal(level(), -1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fake_threads_set(JOB, cases[i].provided, cases[i].multiple, cases[i].uses_threads);
        assert_int_equal(level(), cases[i].expected);
    }
}

/* The variable stands at MPI_THREAD_SINGLE, whatever the session has. */
TEST_WITH(thread_level_of_a_session_is_not_known, fake_setup_early, fake_teardown, &fake_release_50, &fake_release_60)
{
    fake_job_session_init(JOB);
    fake_threads_set(JOB, 0, 0, 0);
    assert_int_equal(level(), -1);
}

TEST(process_before_mpi_init_is_not_described)
{
    struct mqd_process_description description = {.thread_level = 77};

    fake_setup_early(build);
    fake_threads_set(JOB, 0, 0, 0);
    (void)fake_look(&fake);
    assert_true(EXTENSION->describe_process(PROCESS, &description) >= mqs_first_user_code);
    assert_int_equal(description.thread_level, 77);
}

TEST(missing_arguments_are_errors)
{
    struct mqd_process_description description;
    struct mqd_communicator_use use;

    fake_go_to(0);
    assert_int_equal(EXTENSION->reason_of(EXTENSION->describe_process(PROCESS, NULL)), MQD_REASON_caller);
    assert_int_equal(EXTENSION->reason_of(EXTENSION->describe_process(NULL, &description)), MQD_REASON_caller);
    assert_int_equal(EXTENSION->reason_of(EXTENSION->describe_use(PROCESS, NULL)), MQD_REASON_caller);
    assert_int_equal(EXTENSION->reason_of(EXTENSION->describe_use(NULL, &use)), MQD_REASON_caller);
    assert_int_equal(EXTENSION->waiter_of(NULL), 0);
    assert_int_equal(EXTENSION->waiter_of(PROCESS), 0);
    assert_int_equal(EXTENSION->collective_number_of(NULL), 0);
    assert_int_equal(EXTENSION->collective_number_of(PROCESS), 0);
}

/* Owners. */

static void windows_begin(void)
{
    fake_internal_init(JOB);
    fake_template_add(JOB, sm);
    fake_template_add(JOB, unknown);
    (void)duplicate(USERS);
}

static void expect_owner(mqs_taddr_t unique_id, int owner, fake_ta object, const char *name)
{
    struct mqd_communicator_use use = use_of(unique_id);

    assert_int_equal(use.owner, owner);
    assert_int_equal(use.object, object);
    assert_string_equal(use.name, name);
}

/* A path has no bound in Open MPI; what is told of it is UTF-8, cut at a character, or nothing if it is unreadable. */
TEST(owner_is_the_window_or_file_that_points_to_it)
{
    struct fake_window window;
    struct fake_file file;
    char name[400], cut[sizeof ((struct mqd_communicator_use *)0)->name];

    windows_begin();
    window = fake_window_new(JOB, 1, sm, &JOB->world, 0, duplicate(OWN).ta);
    file = fake_file_new(JOB, 1, "ompio", &JOB->world, duplicate(OWN + 1).ta);
    fake_window_set_name(JOB, &window, "halo");
    fake_file_set_name(JOB, &file, "/scratch/out.h5");
    expect_owner(OWN, MQD_OWNER_window, window.ta, "halo");
    expect_owner(OWN + 1, MQD_OWNER_file, file.ta, "/scratch/out.h5");
    expect_owner(0, MQD_OWNER_program, 0, "");
    expect_owner(USERS, MQD_OWNER_program, 0, "");
    for (size_t i = 0; i + 1 < sizeof name; i += 2)
        memcpy(name + i, "\xc3\xbc", 2);
    name[sizeof name - 2] = '\0';
    fake_file_set_name(JOB, &file, name);
    memcpy(cut, name, sizeof cut);
    cut[sizeof cut - 2] = '\0';
    expect_owner(OWN + 1, MQD_OWNER_file, file.ta, cut);
    PUT(file.ta, ompi_file_t, f_filename, 16);
    expect_owner(OWN + 1, MQD_OWNER_file, file.ta, "");
}

/* Any communicator without a name may be of the object that was not understood, but MPI_COMM_WORLD is not. */
static void assert_duplicate_is_of_unknown_owner(void)
{
    assert_int_equal(use_of(USERS).owner, MQD_OWNER_unknown);
    assert_int_equal(use_of(0).owner, MQD_OWNER_program);
}

TEST(owner_is_unknown_if_a_window_is_not_understood)
{
    struct fake_window window;

    windows_begin();
    window = fake_window_new(JOB, 1, unknown, &JOB->world, 0, 0);
    PUT(window.module, ompi_osc_base_module_t, osc_free, 8);
    assert_duplicate_is_of_unknown_owner();
    fake_window_free(JOB, &window);
    assert_int_equal(use_of(USERS).owner, MQD_OWNER_program);
    /* It is being made. */
    window = fake_window_new(JOB, 1, sm, &JOB->world, 0, 0);
    PUT(window.ta, ompi_win_t, w_osc_module, 0);
    assert_duplicate_is_of_unknown_owner();
}

/* Nor without the tables of windows and files. */
TEST(owner_is_unknown_if_a_file_is_not_understood)
{
    (void)duplicate(USERS);
    assert_duplicate_is_of_unknown_owner();
    fake_internal_init(JOB);
    assert_int_equal(use_of(USERS).owner, MQD_OWNER_program);
    fake_file_new(JOB, 1, "romio341", &JOB->world, duplicate(OWN).ta);
    assert_duplicate_is_of_unknown_owner();
}

TEST(local_part_of_an_intercommunicator_is_of_the_library)
{
    const int remote[] = {2, 3};
    struct fake_comm local = duplicate(OWN);
    struct fake_comm inter = fake_comm_new(JOB, OWN + 1, NULL, JOB->world.local_group, fake_group_of(JOB, remote, 2));

    windows_begin();
    PUT(inter.ta, ompi_communicator_t, c_flags, FAKE_COMM_INTER | FAKE_COMM_PML_ADDED);
    PUT(inter.ta, ompi_communicator_t, c_local_comm, local.ta);
    assert_int_equal(use_of(OWN).owner, MQD_OWNER_library);
    assert_int_equal(use_of(OWN).object, 0);
    assert_int_equal(use_of(OWN + 1).owner, MQD_OWNER_program);
}

/* Overtaking. */

TEST(traffic_is_refused_where_messages_may_overtake_each_other)
{
    struct mqd_traffic_description traffic = {.n_sent = 77};
    struct mqd_communicator_summary summary;
    struct fake_comm users = duplicate(USERS);
    int rc;

    assert_int_equal(use_of(USERS).allow_overtaking, 0);
    assert_int_equal(EXTENSION->describe_traffic(PROCESS, 0, &traffic), mqs_ok);
    assert_int_equal(EXTENSION->describe_communicator(PROCESS, &summary), mqs_ok);
    assert_int_equal(summary.has_activity, 1);
    /* The other assertions change nothing. */
    PUT(users.ta, ompi_communicator_t, c_assertions, 7);
    assert_int_equal(use_of(USERS).allow_overtaking, 0);
    PUT(users.ta, ompi_communicator_t, c_assertions, 8);
    assert_int_equal(use_of(USERS).allow_overtaking, 1);
    traffic.n_sent = 77;
    rc = EXTENSION->describe_traffic(PROCESS, 0, &traffic);
    assert_int_equal(EXTENSION->reason_of(rc), MQD_REASON_overtaking);
    assert_int_equal(traffic.n_sent, 77);
    assert_int_equal(EXTENSION->describe_communicator(PROCESS, &summary), mqs_ok);
    assert_int_equal(summary.has_activity, 0);
    assert_int_equal(use_of(0).allow_overtaking, 0);
}

/* Nonblocking collective operations. */

static bool has_count(void)
{
    return BUILD->family >= 410;
}

static void set_count(const struct fake_comm *comm, int32_t n)
{
    if (has_count())
        PUT(comm->ta, ompi_communicator_t, c_nbc_tag, (uint32_t)(fake_nonblocking_base(JOB) - n));
}

static void assert_count(long n)
{
    struct mqd_communicator_use use = use_of(USERS);

    assert_int_equal(use.has_nonblocking, has_count() && n >= 0);
    assert_int_equal(use.n_nonblocking, use.has_nonblocking ? n : 0);
}

TEST(nonblocking_collectives_are_counted_by_their_tags)
{
    static const int32_t counts[] = {0, 1, 2, 31051, 31052, 1000000000};
    struct fake_comm users = duplicate(USERS);

    set_count(&users, 5);
    assert_count(-1);
    fake_libnbc_new(JOB, &users);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        set_count(&users, counts[i]);
        assert_count(counts[i]);
    }
    /* Tags that are none of the range. */
    set_count(&users, -1);
    assert_count(-1);
    set_count(&users, INT32_MAX / 2);
    assert_count(-1);
}

/* A component that takes several tags for an operation, or none, has the functions of some operations. */
TEST(nonblocking_collectives_of_another_component_are_not_counted)
{
    size_t width = BUILD->pointer_size;
    struct fake_comm users = duplicate(USERS);
    struct fake_coll coll = fake_libnbc_new(JOB, &users);
    fake_ta other = fake_malloc(JOB, BUILD->types[FAKE_TYPE_mca_coll_han_module_t].size);

    fake_construct(JOB, other, FAKE_TYPE_mca_coll_han_module_t);
    set_count(&users, 3);
    for (size_t i = 0; i < 17; i++) {
        fake_ta place = coll.nonblocking_at + (2 * i + 1) * width;

        fake_image_put_pointer(IMAGE, place, other);
        assert_count(-1);
        /* An intercommunicator lacks some. */
        fake_image_put_pointer(IMAGE, place, 0);
        assert_count(3);
        fake_image_put_pointer(IMAGE, place, 4096);
        assert_count(-1);
        fake_image_put_pointer(IMAGE, place, coll.module);
    }
    assert_count(3);
}

static unsigned long number_of(mqs_taddr_t unique_id, mqs_op_class class)
{
    fake_go_to_operation(unique_id, class);
    return EXTENSION->collective_number_of(PROCESS);
}

TEST(operation_of_a_nonblocking_collective_has_its_number)
{
    struct fake_comm users = duplicate(USERS);
    int base = fake_nonblocking_base(JOB);
    fake_ta request = fake_irecv(JOB, &users, &(struct fake_recv){1, base, 0, JOB->mpi_byte, 0});

    assert_int_equal(number_of(USERS, mqs_pending_receives), 0);
    fake_libnbc_new(JOB, &users);
    assert_int_equal(number_of(USERS, mqs_pending_receives), 1);
    PUT(request, mca_pml_base_request_t, req_tag, (uint32_t)(base - 2));
    assert_int_equal(number_of(USERS, mqs_pending_receives), 3);
    fake_arrive(JOB, &users, &(struct fake_message){2, base - 9, 4, 0});
    assert_int_equal(number_of(USERS, mqs_unexpected_messages), 10);
}

/* Blocking collectives, up to 5.0.10 MPI_Dist_graph_create, up to 4.1 the creation of communicators, and the user's. */
TEST(operation_of_no_nonblocking_collective_has_no_number)
{
    int base = fake_nonblocking_base(JOB);
    const int tags[] = {0, 5, -16, -17, base + 1, BUILD->family < 600 ? -50 : -9, BUILD->family < 600 ? -51 : -9,
                        BUILD->family < 500 ? -31080 : -9};
    struct fake_comm users = duplicate(USERS);
    fake_ta request = fake_irecv(JOB, &users, &(struct fake_recv){1, base, 0, JOB->mpi_byte, 0});

    fake_libnbc_new(JOB, &users);
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
        PUT(request, mca_pml_base_request_t, req_tag, (uint32_t)tags[i]);
        assert_int_equal(number_of(USERS, mqs_pending_receives), 0);
    }
}

/*
 * 5.0.11, as far as its branch tells: two more tags of collectives, the layout and the sizes of 5.0.10. The first tag of
 * 5.0.10 is one of MPI_Dist_graph_create's there. What is built from the branch may still state 5.0.10. Its numbers are
 * nobody's then; all else is listed.
 */
TEST_WITH(release_with_more_tags_is_told_from_those_of_the_table, NULL, fake_teardown)
{
    struct fake_options options = fake_options_of(&fake_release_507);
    struct mqd_operation_description facts;
    fake_ta request;
    struct fake_comm users;

    options.version = "5.0.10";
    options.n_more_tags = 1;
    fake_begin(&fake, &options);
    users = duplicate(USERS);
    fake_libnbc_new(JOB, &users);
    request = fake_irecv(JOB, &users, &(struct fake_recv){1, -33, 0, JOB->mpi_byte, 0});
    for (int tag = -35; tag <= -27; tag++) {
        PUT(request, mca_pml_base_request_t, req_tag, (uint32_t)tag);
        assert_int_equal(number_of(USERS, mqs_pending_receives), 0);
        assert_int_equal(EXTENSION->describe_operation(PROCESS, &facts), mqs_ok);
        assert_string_equal(facts.purpose, "Open MPI's own");
        set_count(&users, -33 - tag);
        assert_int_equal(use_of(USERS).has_nonblocking, 0);
    }
    PUT(request, mca_pml_base_request_t, req_tag, (uint32_t)-26);
    fake_go_to_operation(USERS, mqs_pending_receives);
    assert_int_equal(EXTENSION->describe_operation(PROCESS, &facts), mqs_ok);
    assert_string_equal(facts.purpose, "MPI_Scatterv");
    assert_string_equal(fake_summary().family, "5.0.7-5.0.10");
    assert_int_equal(fake_summary().version_in_family, 1);
    assert_string_equal(fake_probe_result("collective tags"), "failed");
    /* The same process info finds the tags if they come to be right. */
    PUT(JOB->null.ta, ompi_communicator_t, c_nbc_tag, (uint32_t)-33);
    PUT(request, mca_pml_base_request_t, req_tag, (uint32_t)-33);
    assert_int_equal(number_of(USERS, mqs_pending_receives), 1);
    assert_string_equal(fake_probe_result("collective tags"), "passed");
}

TEST_WITH(release_with_more_tags_that_says_so_has_its_own_numbers, NULL, fake_teardown)
{
    struct fake_options options = fake_options_of(&fake_release_507);
    struct fake_comm users;

    options.version = "5.0.11";
    options.n_more_tags = 1;
    fake_begin(&fake, &options);
    users = duplicate(USERS);
    fake_libnbc_new(JOB, &users);
    fake_irecv(JOB, &users, &(struct fake_recv){1, -34, 0, JOB->mpi_byte, 0});
    assert_int_equal(number_of(USERS, mqs_pending_receives), 1);
    assert_string_equal(fake_summary().family, "5.0.11-5.0.11");
    assert_string_equal(fake_probe_result("collective tags"), "passed");
}

/* Waiting: nobody is known before the operation was given. */

static mqs_taddr_t waiter_of(int op_class)
{
    fake_go_to(0);
    assert_int_equal(EXTENSION->waiter_of(PROCESS), 0);
    fake_go_to_operation(0, (mqs_op_class)op_class);
    return EXTENSION->waiter_of(PROCESS);
}

TEST(waiter_is_what_the_request_points_to)
{
    fake_ta receive = fake_irecv(JOB, &JOB->world, &(struct fake_recv){1, 5, 1, JOB->mpi_int, 0x1000});
    fake_ta send = fake_isend(JOB, &JOB->world, &(struct fake_send){2, 6, 1, JOB->mpi_int, 0x1000, FAKE_STANDARD});

    for (int op = mqs_pending_sends; op <= mqs_pending_receives; op++) {
        fake_ta request = op == mqs_pending_sends ? send : receive;

        assert_int_equal(waiter_of(op), 0);
        PUT(request, ompi_request_t, req_complete, 0x7fdbe610);
        assert_int_equal(waiter_of(op), 0x7fdbe610);
    }
    PUT(send, ompi_request_t, req_complete, 1);
    assert_int_equal(waiter_of(mqs_pending_sends), 0);
}
