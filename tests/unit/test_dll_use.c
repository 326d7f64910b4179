/*
 * test_dll_use.c - what the extension tells beyond queues: the support for threads, for whom communicators are, the
 * numbers of nonblocking collective operations, and who waits for an operation. What is not proved is not known.
 */
#include "fake_fixture.h"
#include "fake_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define PROCESS (&fake.host.process)
#define JOB (&fake.job)
#define IMAGE (&fake.job.image)
#define PUT(object, type, member, value) FAKE_PUT(IMAGE, object, type, member, value)
#define BUILD (fake.job.options.build)

static const char sm[] = "ompi_osc_sm_module_template";
static const char unknown[] = "ompi_osc_other_module_template";
enum { USERS = 3, OWN = 4 };

static const struct mqd_extension_v1 *extension(void)
{
    return ompi_mqd_extension(MQD_EXTENSION_VERSION);
}

static int setup(void **state)
{
    struct fake_options options = fake_options_of(*state);

    fake_begin(&fake, &options);
    return 0;
}

static struct fake_comm duplicate(uint32_t slot)
{
    return fake_comm_new(JOB, slot, NULL, JOB->world.local_group, JOB->world.local_group);
}

/* Makes the communicator current, Open MPI's own too. */
static void go_to(mqs_taddr_t unique_id)
{
    mqs_communicator found;

    if (!fake.opened)
        assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(extension()->show_internal(PROCESS, 1), mqs_ok);
    assert_int_equal(mqs_update_communicator_list(PROCESS), mqs_ok);
    assert_int_equal(mqs_setup_communicator_iterator(PROCESS), mqs_ok);
    while (mqs_get_communicator(PROCESS, &found) == mqs_ok && found.unique_id != unique_id)
        assert_int_equal(mqs_next_communicator(PROCESS), mqs_ok);
    assert_int_equal(found.unique_id, unique_id);
}

static struct mqd_communicator_use use_of(mqs_taddr_t unique_id)
{
    struct mqd_communicator_use use;

    memset(&use, 0xa5, sizeof use);
    go_to(unique_id);
    assert_int_equal(extension()->describe_use(PROCESS, &use), mqs_ok);
    return use;
}

/* Threads. */

static int level(void)
{
    struct mqd_process_description description = {.thread_level = 77};

    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    assert_int_equal(extension()->describe_process(PROCESS, &description), mqs_ok);
    return description.thread_level;
}

/* Before 5.0 opal_uses_threads is set from MPI_THREAD_FUNNELED on, since then with MPI_THREAD_MULTIPLE. */
static void thread_level_is_what_three_variables_agree_on(void **state)
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

    (void)state;
    assert_int_equal(level(), -1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fake_threads_set(JOB, cases[i].provided, cases[i].multiple, cases[i].uses_threads);
        assert_int_equal(level(), cases[i].expected);
    }
}

/* The variable stands at MPI_THREAD_SINGLE, whatever the session has. */
static void thread_level_of_a_session_is_not_known(void **state)
{
    struct fake_options options = fake_options_of(*state);

    fake_begin_early(&fake, &options);
    fake_job_session_init(JOB);
    fake_threads_set(JOB, 0, 0, 0);
    assert_int_equal(level(), -1);
}

static void process_before_mpi_init_is_not_described(void **state)
{
    struct mqd_process_description description = {.thread_level = 77};
    struct fake_options options = fake_options_of(*state);
    int rc;

    fake_begin_early(&fake, &options);
    fake_threads_set(JOB, 0, 0, 0);
    (void)fake_look(&fake);
    rc = extension()->describe_process(PROCESS, &description);
    assert_true(rc >= mqs_first_user_code);
    assert_int_equal(description.thread_level, 77);
}

static void missing_arguments_are_errors(void **state)
{
    struct mqd_process_description description;
    struct mqd_communicator_use use;

    (void)state;
    go_to(0);
    assert_int_equal(extension()->reason_of(extension()->describe_process(PROCESS, NULL)), MQD_REASON_caller);
    assert_int_equal(extension()->reason_of(extension()->describe_process(NULL, &description)), MQD_REASON_caller);
    assert_int_equal(extension()->reason_of(extension()->describe_use(PROCESS, NULL)), MQD_REASON_caller);
    assert_int_equal(extension()->reason_of(extension()->describe_use(NULL, &use)), MQD_REASON_caller);
    assert_int_equal(extension()->waiter_of(NULL), 0);
    assert_int_equal(extension()->waiter_of(PROCESS), 0);
    assert_int_equal(extension()->collective_number_of(NULL), 0);
    assert_int_equal(extension()->collective_number_of(PROCESS), 0);
}

/* Owners. */

static void windows_begin(void)
{
    fake_internal_init(JOB);
    fake_template_add(JOB, sm);
    fake_template_add(JOB, unknown);
    (void)duplicate(USERS);
}

static void owner_is_the_window_or_file_that_points_to_it(void **state)
{
    struct fake_window window;
    struct fake_file file;
    struct mqd_communicator_use use;

    (void)state;
    windows_begin();
    window = fake_window_new(JOB, 1, sm, &JOB->world, 0, duplicate(OWN).ta);
    file = fake_file_new(JOB, 1, "ompio", &JOB->world, duplicate(OWN + 1).ta);
    fake_window_set_name(JOB, &window, "halo");
    fake_file_set_name(JOB, &file, "/scratch/out.h5");
    use = use_of(OWN);
    assert_int_equal(use.owner, MQD_OWNER_window);
    assert_int_equal(use.object, window.ta);
    assert_string_equal(use.name, "halo");
    use = use_of(OWN + 1);
    assert_int_equal(use.owner, MQD_OWNER_file);
    assert_int_equal(use.object, file.ta);
    assert_string_equal(use.name, "/scratch/out.h5");
    for (mqs_taddr_t id = 0; id <= USERS; id += USERS) {
        use = use_of(id);
        assert_int_equal(use.owner, MQD_OWNER_program);
        assert_int_equal(use.object, 0);
        assert_string_equal(use.name, "");
    }
}

/* A path has no bound in Open MPI; what is told of it is UTF-8. */
static void long_name_is_cut_at_a_character(void **state)
{
    char name[400];
    struct mqd_communicator_use use;
    struct fake_file file;

    (void)state;
    for (size_t i = 0; i + 1 < sizeof name; i += 2)
        memcpy(name + i, "\xc3\xbc", 2);
    name[sizeof name - 2] = '\0';
    windows_begin();
    file = fake_file_new(JOB, 1, "ompio", &JOB->world, duplicate(OWN).ta);
    fake_file_set_name(JOB, &file, name);
    use = use_of(OWN);
    assert_int_equal(strlen(use.name), sizeof use.name - 2);
    assert_memory_equal(use.name, name, sizeof use.name - 2);
}

static void name_that_cannot_be_read_is_empty(void **state)
{
    struct fake_file file;

    (void)state;
    windows_begin();
    file = fake_file_new(JOB, 1, "ompio", &JOB->world, duplicate(OWN).ta);
    PUT(file.ta, ompi_file_t, f_filename, 16);
    assert_string_equal(use_of(OWN).name, "");
    assert_int_equal(use_of(OWN).owner, MQD_OWNER_file);
}

/* Any communicator without a name may be of the object that was not understood, but MPI_COMM_WORLD is not. */
static void assert_duplicate_is_of_unknown_owner(void)
{
    assert_int_equal(use_of(USERS).owner, MQD_OWNER_unknown);
    assert_int_equal(use_of(0).owner, MQD_OWNER_program);
}

static void owner_is_unknown_if_a_window_is_not_understood(void **state)
{
    struct fake_window window;

    (void)state;
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

static void owner_is_unknown_if_a_file_is_not_understood(void **state)
{
    (void)state;
    windows_begin();
    fake_file_new(JOB, 1, "romio341", &JOB->world, duplicate(OWN).ta);
    assert_duplicate_is_of_unknown_owner();
}

static void owner_is_unknown_without_the_tables_of_windows_and_files(void **state)
{
    (void)state;
    (void)duplicate(USERS);
    assert_duplicate_is_of_unknown_owner();
}

static void local_part_of_an_intercommunicator_is_of_the_library(void **state)
{
    const int remote[] = {2, 3};
    struct fake_comm local = duplicate(OWN);
    struct fake_comm inter = fake_comm_new(JOB, OWN + 1, NULL, JOB->world.local_group, fake_group_of(JOB, remote, 2));

    (void)state;
    windows_begin();
    PUT(inter.ta, ompi_communicator_t, c_flags, FAKE_COMM_INTER | FAKE_COMM_PML_ADDED);
    PUT(inter.ta, ompi_communicator_t, c_local_comm, local.ta);
    assert_int_equal(use_of(OWN).owner, MQD_OWNER_library);
    assert_int_equal(use_of(OWN).object, 0);
    assert_int_equal(use_of(OWN + 1).owner, MQD_OWNER_program);
}

/* Overtaking. */

static void traffic_is_refused_where_messages_may_overtake_each_other(void **state)
{
    struct mqd_traffic_description traffic = {.n_sent = 77};
    struct mqd_communicator_summary summary;
    struct fake_comm users = duplicate(USERS);
    int rc;

    (void)state;
    assert_int_equal(use_of(USERS).allow_overtaking, 0);
    assert_int_equal(extension()->describe_traffic(PROCESS, 0, &traffic), mqs_ok);
    assert_int_equal(extension()->describe_communicator(PROCESS, &summary), mqs_ok);
    assert_int_equal(summary.has_activity, 1);
    /* The other assertions change nothing. */
    PUT(users.ta, ompi_communicator_t, c_assertions, 7);
    assert_int_equal(use_of(USERS).allow_overtaking, 0);
    PUT(users.ta, ompi_communicator_t, c_assertions, 8);
    assert_int_equal(use_of(USERS).allow_overtaking, 1);
    traffic.n_sent = 77;
    rc = extension()->describe_traffic(PROCESS, 0, &traffic);
    assert_int_equal(extension()->reason_of(rc), MQD_REASON_overtaking);
    assert_int_equal(traffic.n_sent, 77);
    assert_int_equal(extension()->describe_communicator(PROCESS, &summary), mqs_ok);
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

static void nonblocking_collectives_are_counted_by_their_tags(void **state)
{
    static const int32_t counts[] = {0, 1, 2, 31051, 31052, 1000000000};
    struct fake_comm users = duplicate(USERS);

    (void)state;
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
static void nonblocking_collectives_of_another_component_are_not_counted(void **state)
{
    size_t width = BUILD->pointer_size;
    struct fake_comm users = duplicate(USERS);
    struct fake_coll coll = fake_libnbc_new(JOB, &users);
    fake_ta other = fake_malloc(JOB, BUILD->types[FAKE_TYPE_mca_coll_han_module_t].size);

    (void)state;
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
    mqs_pending_operation operation;

    go_to(unique_id);
    assert_int_equal(mqs_setup_operation_iterator(PROCESS, (int)class), mqs_ok);
    assert_int_equal(mqs_next_operation(PROCESS, &operation), mqs_ok);
    return extension()->collective_number_of(PROCESS);
}

static void operation_of_a_nonblocking_collective_has_its_number(void **state)
{
    struct fake_comm users = duplicate(USERS);
    fake_ta request;
    int base = fake_nonblocking_base(JOB);

    (void)state;
    request = fake_irecv(JOB, &users, &(struct fake_recv){1, base, 0, JOB->mpi_byte, 0});
    assert_int_equal(number_of(USERS, mqs_pending_receives), 0);
    fake_libnbc_new(JOB, &users);
    assert_int_equal(number_of(USERS, mqs_pending_receives), 1);
    PUT(request, mca_pml_base_request_t, req_tag, (uint32_t)(base - 2));
    assert_int_equal(number_of(USERS, mqs_pending_receives), 3);
    fake_arrive(JOB, &users, &(struct fake_message){2, base - 9, 4, 0});
    assert_int_equal(number_of(USERS, mqs_unexpected_messages), 10);
}

/* Blocking collectives, MPI_Dist_graph_create, up to 4.1 the creation of communicators, and the user's messages. */
static void operation_of_no_nonblocking_collective_has_no_number(void **state)
{
    int base = fake_nonblocking_base(JOB);
    const int tags[] = {0, 5, -16, -17, base + 1, -50, -51, BUILD->family < 500 ? -31080 : -9};
    struct fake_comm users = duplicate(USERS);
    fake_ta request = fake_irecv(JOB, &users, &(struct fake_recv){1, base, 0, JOB->mpi_byte, 0});

    (void)state;
    fake_libnbc_new(JOB, &users);
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
        PUT(request, mca_pml_base_request_t, req_tag, (uint32_t)tags[i]);
        assert_int_equal(number_of(USERS, mqs_pending_receives), 0);
    }
}

/* Waiting. */

static void waiter_is_what_the_request_points_to(void **state)
{
    fake_ta receive = fake_irecv(JOB, &JOB->world, &(struct fake_recv){1, 5, 1, JOB->mpi_int, 0x1000});
    fake_ta send = fake_isend(JOB, &JOB->world, &(struct fake_send){2, 6, 1, JOB->mpi_int, 0x1000, FAKE_STANDARD});
    mqs_pending_operation operation;

    (void)state;
    for (int op = mqs_pending_sends; op <= mqs_pending_receives; op++) {
        fake_ta request = op == mqs_pending_sends ? send : receive;

        go_to(0);
        assert_int_equal(mqs_setup_operation_iterator(PROCESS, op), mqs_ok);
        assert_int_equal(mqs_next_operation(PROCESS, &operation), mqs_ok);
        assert_int_equal(extension()->waiter_of(PROCESS), 0);
        PUT(request, ompi_request_t, req_complete, 0x7fdbe610);
        go_to(0);
        assert_int_equal(extension()->waiter_of(PROCESS), 0);
        assert_int_equal(mqs_setup_operation_iterator(PROCESS, op), mqs_ok);
        assert_int_equal(mqs_next_operation(PROCESS, &operation), mqs_ok);
        assert_int_equal(extension()->waiter_of(PROCESS), 0x7fdbe610);
    }
    PUT(send, ompi_request_t, req_complete, 1);
    go_to(0);
    assert_int_equal(mqs_setup_operation_iterator(PROCESS, mqs_pending_sends), mqs_ok);
    assert_int_equal(mqs_next_operation(PROCESS, &operation), mqs_ok);
    assert_int_equal(extension()->waiter_of(PROCESS), 0);
}

int main(void)
{
#define TEST(function, build) \
    { #function ", " #build, function, setup, fake_teardown, (void *)&build }
#define EARLY_TEST(function, build) \
    { #function ", " #build, function, NULL, fake_teardown, (void *)&build }
#define TESTS(build) \
    TEST(thread_level_is_what_three_variables_agree_on, build), \
        EARLY_TEST(process_before_mpi_init_is_not_described, build), TEST(missing_arguments_are_errors, build), \
        TEST(owner_is_the_window_or_file_that_points_to_it, build), TEST(long_name_is_cut_at_a_character, build), \
        TEST(name_that_cannot_be_read_is_empty, build), \
        TEST(owner_is_unknown_if_a_window_is_not_understood, build), \
        TEST(owner_is_unknown_if_a_file_is_not_understood, build), \
        TEST(owner_is_unknown_without_the_tables_of_windows_and_files, build), \
        TEST(local_part_of_an_intercommunicator_is_of_the_library, build), \
        TEST(traffic_is_refused_where_messages_may_overtake_each_other, build), \
        TEST(nonblocking_collectives_are_counted_by_their_tags, build), \
        TEST(nonblocking_collectives_of_another_component_are_not_counted, build), \
        TEST(operation_of_a_nonblocking_collective_has_its_number, build), \
        TEST(operation_of_no_nonblocking_collective_has_no_number, build), \
        TEST(waiter_is_what_the_request_points_to, build)
    const struct CMUnitTest tests[] = {
        TESTS(fake_release_31), TESTS(fake_release_40), TESTS(fake_release), TESTS(fake_i386), TESTS(fake_s390x),
        TESTS(fake_release_50), TESTS(fake_release_507), TESTS(fake_s390x_507), TESTS(fake_release_60),
        EARLY_TEST(thread_level_of_a_session_is_not_known, fake_release_50),
        EARLY_TEST(thread_level_of_a_session_is_not_known, fake_release_60),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
