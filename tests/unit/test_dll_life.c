/*
 * test_dll_life.c - processes at all moments: at exec, at any step of MPI_Init, before a plugin is mapped, after
 * dlopen; and several processes, images and libraries in one debugger.
 */
#include "fake_test.h"

/* There is no message, nothing is listed, and the code says that MPI is not initialised yet. */
static void assert_not_yet(int rc)
{
    assert_true(rc >= mqs_first_user_code);
    assert_int_equal(fake.listing.process_has_queues, mqs_ok);
    assert_string_equal(fake.listing.message, "");
    if (strstr(mqs_dll_error_string(rc), "not initialised") == NULL)
        fail_msg("%s", mqs_dll_error_string(rc));
    assert_string_equal(fake.listing.broken, "");
}

/* MPI_Init has gone on. The same process info then gives the same listing as a new one. */
static void assert_complete(void)
{
    const char *text;

    assert_int_equal(fake_look(&fake), mqs_ok);
    text = LISTING;
    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    assert_text(LISTING, text);
    assert_true(fake.listing.n_comms >= 2);
    for (int queue = 0; queue < FAKE_N_QUEUES; queue++)
        assert_int_equal(fake.listing.comms[0].queues[queue].setup, mqs_ok);
}

SUITE(each, fake_setup_early, fake_teardown, FAKE_MACHINES);
SUITE(with_sessions, fake_setup_early, fake_teardown, FAKE_WITH_SESSIONS);
SUITE(populated, fake_setup_populated, fake_teardown, FAKE_MACHINES);

/* The debugger knows the symbols from the file; of the process nothing can be read yet. */
TEST(at_exec_no_memory_is_no_contradiction)
{
    HOST->fail_reads_from = 0;
    assert_string_equal(mqs_dll_error_string(fake_look(&fake)), fake_read_error);
    assert_int_equal(fake.listing.process_has_queues, mqs_ok);
    assert_string_equal(fake.listing.message, "");
    HOST->fail_reads_from = FAKE_NEVER;
    assert_not_yet(fake_look(&fake));
    fake_job_init(JOB);
    assert_complete();
}

/* Data that are not relocated yet: class descriptors without a name, pointers that are zero. */
TEST(at_exec_memory_that_is_zero_is_no_contradiction)
{
    struct fake_options options = JOB->options;
    struct fake_image mapped;

    for (int i = 0; i < IMAGE->n_segments; i++)
        if (IMAGE->segments[i].size > 0)
            memset(IMAGE->segments[i].bytes, 0, IMAGE->segments[i].size);
    assert_not_yet(fake_look(&fake));
    /* Relocated. */
    mapped = JOB->image;
    fake_job_map(JOB, &options);
    fake_image_deinit(&mapped);
    assert_not_yet(fake_look(&fake));
    fake_job_init(JOB);
    assert_complete();
}

TEST(at_exec_memory_of_any_content_is_no_accident)
{
    for (int i = 0; i < IMAGE->n_segments; i++)
        if (IMAGE->segments[i].size > 0)
            memset(IMAGE->segments[i].bytes, 0x41, IMAGE->segments[i].size);
    assert_int_not_equal(fake_look(&fake), mqs_ok);
    assert_string_equal(fake.listing.broken, "");
}

/* A look after each word that MPI_Init writes, as if it had been stopped there. */
struct steps {
    unsigned n_looks, n_ready;
    bool anew;    /* each time as if it were the first */
};

static void look_inside(void *context)
{
    struct steps *steps = context;
    int rc;

    steps->n_looks++;
    rc = steps->anew ? fake_look_anew(&fake) : fake_look(&fake);
    if (rc != mqs_ok)
        assert_not_yet(rc);
    else
        steps->n_ready++;
    assert_int_equal(fake.listing.process_has_queues, mqs_ok);
    assert_int_equal(HOST->violations, 0);
}

static void look_at_each_step_of(void (*init)(struct fake_job *job), bool anew)
{
    struct steps steps = { .anew = anew };

    IMAGE->after_put = look_inside;
    IMAGE->context = &steps;
    init(JOB);
    IMAGE->after_put = NULL;
    assert_in_range(steps.n_looks, 250, 5000);
    assert_in_range(steps.n_ready, 1, steps.n_looks - 100);
}

TEST(inside_mpi_init_each_look_and_the_only_look_is_no_contradiction)
{
    look_at_each_step_of(fake_job_init, false);
    assert_complete();
    fake_setup_early(build);
    look_at_each_step_of(fake_job_init, true);
    assert_complete();
}

TEST(inside_mpi_init_types_do_no_harm)
{
    fake_types_all(HOST, build);
    look_at_each_step_of(fake_job_init, false);
    assert_complete();
}

/* MPI_Session_init does not change ompi_mpi_state. So nothing shows that it is running. */
TEST_ON(with_sessions, inside_mpi_session_init_nothing_is_a_contradiction)
{
    look_at_each_step_of(fake_job_session_init, false);
    fake_look_well();
    fake_setup_early(build);
    look_at_each_step_of(fake_job_session_init, true);
    fake_look_well();
}

/* ob1 is a plugin up to 4.1: its memory, its symbols, its types come when MPI_Init is under way. */
TEST_ON(populated, before_a_plugin_is_mapped_communicators_are_there_and_the_rest_comes)
{
    fake.opened = false;
    fake_image_set_mapped(IMAGE, JOB->ob1_so, false);
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(fake.listing.process_has_queues, mqs_ok);
    assert_int_equal(fake.listing.n_comms, fake.truth.n_comms);
    assert_int_equal(fake_judge(&fake.listing, &fake.truth), FAKE_TOLD);
    fake_image_set_mapped(IMAGE, JOB->ob1_so, true);
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(fake_judge(&fake.listing, &fake.truth), FAKE_RIGHT);
}

/* Its types too: all that the debugger knows now counts, though the image was set up before. */
TEST_ON(populated, types_of_a_plugin_come_with_it)
{
    fake.opened = false;
    fake_image_set_mapped(IMAGE, JOB->ob1_so, false);
    fake_types_all(HOST, build);
    for (int type = 0; type < FAKE_N_TYPES; type++)
        if (strncmp(build->types[type].name, "mca_pml_ob1_", 12) == 0)
            fake_types_set(HOST, (enum fake_type)type, FAKE_UNKNOWN_TYPE);
    assert_int_equal(fake_look(&fake), mqs_ok);
    fake_image_set_mapped(IMAGE, JOB->ob1_so, true);
    fake_types_all(HOST, build);
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(fake_judge(&fake.listing, &fake.truth), FAKE_RIGHT);
    assert_string_equal(fake_summary().source, "table+live");
}

/* A debugger that reads a plugin's symbols late, its types still later: each update takes what there is. */
TEST_ON(populated, symbols_and_types_that_come_late_are_used)
{
    fake_image_set_symbol_hidden(IMAGE, "mca_pml_base_send_requests", true);
    fake_image_set_symbol_hidden(IMAGE, "mca_pml_ob1", true);
    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    assert_int_equal(fake_judge(&fake.listing, &fake.truth), FAKE_TOLD);
    assert_has(mqs_dll_error_string(fake_queue(&fake, 0, mqs_pending_sends)->setup), "mca_pml_base_send_requests");
    fake_image_set_symbol_hidden(IMAGE, "mca_pml_base_send_requests", false);
    fake_image_set_symbol_hidden(IMAGE, "mca_pml_ob1", false);
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(fake_judge(&fake.listing, &fake.truth), FAKE_RIGHT);
    fake_types_all(HOST, build);
    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    assert_string_equal(fake_summary().source, "table+live");
}

/* A debugger may drop an image's types after mqs_image_has_queues. Its earlier answers are used for the processes. */
TEST(types_that_the_image_told_are_kept)
{
    char *message;

    fake_job_init(JOB);
    fake_types_all(HOST, build);
    assert_int_equal(mqs_setup_image(&HOST->image, &HOST->image_callbacks), mqs_ok);
    assert_int_equal(mqs_image_has_queues(&HOST->image, &message), mqs_ok);
    fake_types_none(HOST);
    assert_int_equal(mqs_setup_process(PROCESS, &HOST->process_callbacks), mqs_ok);
    assert_int_equal(mqs_process_has_queues(PROCESS, &message), mqs_ok);
    assert_string_equal(fake_summary().source, "table+live");
}

/*
 * libmpi comes by dlopen (Python, Julia): the image that is set up first has no Open MPI. Debuggers set it up again
 * when libraries are loaded; some keep the old information and ask the process again.
 */
static void set_symbols_hidden(bool hidden)
{
    for (int i = 0; i < IMAGE->n_symbols; i++)
        IMAGE->symbols[i].hidden = hidden;
}

TEST(open_mpi_that_is_loaded_late_is_found_when_the_image_is_set_up_again)
{
    set_symbols_hidden(true);
    for (int i = 0; i < 2; i++) {
        assert_int_not_equal(fake_look(&fake), mqs_ok);
        assert_true(fake.listing.image_has_queues >= mqs_first_user_code);
        assert_string_equal(fake.listing.message, "");
    }
    assert_int_equal(HOST->n_reads, 0);
    set_symbols_hidden(false);
    assert_not_yet(fake_look(&fake));
    fake_job_init(JOB);
    assert_complete();
}

TEST(process_of_an_image_that_had_no_open_mpi_is_right_once_it_has)
{
    char *message = (char *)"not written";
    int rc;

    set_symbols_hidden(true);
    assert_int_not_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(mqs_setup_process(PROCESS, &HOST->process_callbacks), mqs_ok);
    (void)mqs_process_has_queues(PROCESS, &message);
    assert_null(message);
    rc = fake_list(PROCESS, &fake.listing);
    assert_true(rc >= mqs_first_user_code);
    assert_int_equal(mqs_setup_communicator_iterator(PROCESS), rc);
    fake_job_init(JOB);
    set_symbols_hidden(false);
    fake_types_all(HOST, build);
    assert_int_equal(mqs_process_has_queues(PROCESS, &message), mqs_ok);
    assert_null(message);
    assert_int_equal(fake_list(PROCESS, &fake.listing), mqs_ok);
    assert_int_equal(fake.listing.n_comms, 2);
}

/* Since 5.0 with Sessions only: MPI_COMM_NULL stays in the slots of the other predefined communicators. */
TEST_ON(with_sessions, process_that_uses_sessions_only_is_listed)
{
    struct fake_comm comm;
    fake_ta group;

    fake_job_session_init(JOB);
    fake_expect_communicators("");
    assert_int_equal(fake.listing.process_has_queues, mqs_ok);
    assert_int_equal(fake.listing.setup, mqs_end_of_list);
    group = fake_group_of(JOB, (const int[]){ 1, 2 }, 2);
    comm = fake_comm_new(JOB, 3, "from a group", group, group);
    PUT(comm.ta, ompi_communicator_t, c_flags, FAKE_COMM_PML_ADDED | FAKE_COMM_NAMEISSET);
    PUT(AT(comm.ta, ompi_communicator_t, c_contextid), ompi_comm_extended_cid_t, cid_base, 0x123456789abcdef0);
    fake_irecv(JOB, &comm, &(struct fake_recv){ 1, 7, 3, JOB->mpi_int, 0x1000 });
    fake_expect_communicators("* from a group, rank 0 of 2: 1 2\n");
    assert_true(fake.listing.comms[0].communicator.unique_id >= (mqs_taddr_t)1 << 52);
    fake_expect_still(fake.listing.comms[0].communicator.unique_id, mqs_pending_receives, "*: peer 1 (2), *\n");
}

/* The slot of a communicator that is being made: it holds the number 1 since 5.0.4, another communicator before. */
TEST(slot_under_construction_is_no_communicator)
{
    fake_job_init(JOB);
    if (build->family >= 500)
        fake_slot_set(JOB, 3, 1);
    fake_slot_set(JOB, 4, JOB->world.ta);
    fake_slot_set(JOB, 5, JOB->null.ta);
    fake_expect_communicators("0 *\n1 *\n");
}

/* With copy relocations the names of predefined objects lead to libmpi's own, which are not used. */
TEST_ON(populated, dead_copies_of_predefined_objects_are_never_asked_for)
{
    static const char *const dead[] = { "ompi_mpi_comm_world", "ompi_mpi_comm_null", "ompi_mpi_int",
                                        "ompi_request_null" };
    const char *with;

    assert_int_equal(fake_look(&fake), mqs_ok);
    with = LISTING;
    for (size_t i = 0; i < sizeof dead / sizeof dead[0]; i++) {
        fake_ta ta;

        assert_true(fake_image_find_symbol(IMAGE, dead[i], &ta));
        assert_int_equal(FAKE_GET(IMAGE, ta, opal_object_t, obj_class), 0);
        fake_image_set_symbol_hidden(IMAGE, dead[i], true);
    }
    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    assert_text(LISTING, with);
}

/* The symbols of 6.0 lie in another library: none may be asked for by a library's name. */
static mqs_find_symbol_ft find_symbol;
static mqs_find_function_ft find_function;

static void assert_no_library_in(const char *name)
{
    if (strstr(name, ".so") != NULL || strstr(name, "lib") != NULL || strpbrk(name, "/`@:!") != NULL)
        fail_msg("a symbol is looked up by \"%s\"", name);
}

static int find_watched_symbol(mqs_image *image, char *name, mqs_taddr_t *ta)
{
    assert_no_library_in(name);
    return find_symbol(image, name, ta);
}

static int find_watched_function(mqs_image *image, char *name, mqs_lang_code language, mqs_taddr_t *ta)
{
    assert_no_library_in(name);
    return find_function(image, name, language, ta);
}

TEST_ON(populated, no_look_up_names_a_library)
{
    find_symbol = HOST->image_callbacks.mqs_find_symbol_fp;
    find_function = HOST->image_callbacks.mqs_find_function_fp;
    HOST->image_callbacks.mqs_find_symbol_fp = find_watched_symbol;
    HOST->image_callbacks.mqs_find_function_fp = find_watched_function;
    fake_types_all(HOST, build);
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_true(HOST->n_symbol_lookups > 10);
}

/*
 * Two libmpi in one process, of which one was never initialised: the debugger decides whose symbols it finds. The wrong
 * one's say that MPI is not initialised, and nothing else; with the right one's all is there.
 */
TEST_ON(populated, library_that_was_never_initialised_is_not_initialised_yet)
{
    struct fake_job never;

    JOB->options.slide += 0x2000000;
    fake_job_map(&never, &JOB->options);
    JOB->options.slide -= 0x2000000;
    /* What is read then is the data of that one. */
    HOST->image.focus = &never.image;
    PROCESS->memory = &never.image;
    for (int round = 0; round < 2; round++) {
        fake.opened = fake.opened && round > 0;
        assert_not_yet(round == 0 ? fake_look_anew(&fake) : fake_look(&fake));
        assert_int_equal(fake.listing.n_comms, 0);
    }
    HOST->image.focus = IMAGE;
    PROCESS->memory = IMAGE;
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(fake_judge(&fake.listing, &fake.truth), FAKE_RIGHT);
    fake_job_unmap(&never);
}

/* The process calls exec, and the debugger does not tell. It is now another release at the same addresses. */
static void run_program_of(const struct fake_build *build)
{
    struct fake_options options = fake_options_of(build);
    struct fake_job old = fake.job;

    fake_job_map(JOB, &options);
    fake_job_unmap(&old);
    fake.names.n = 0;
}

TEST(process_that_runs_another_release_by_now_is_read_anew)
{
    fake_job_init(JOB);
    assert_int_equal(fake_look(&fake), mqs_ok);
    /* In the second round it is looked at before MPI_Init as well. */
    for (int early = 0; early < 2; early++)
        for (int i = 0; i < FAKE_N_BUILDS; i++) {
            if (fake_builds[i]->pointer_size != build->pointer_size
                || fake_builds[i]->little_endian != build->little_endian)
                continue;
            run_program_of(fake_builds[i]);
            if (early == 1)
                assert_not_yet(fake_look(&fake));
            fake_job_init(JOB);
            fake_populate(JOB, &fake.names);
            assert_complete();
        }
}

SUITE(once, fake_setup_early, fake_teardown, &fake_release);

/* Steps through two processes in turn: neither moves the other's cursors. */
static void assert_walks_are_independent(mqs_process *other)
{
    mqs_process *const both[2] = { PROCESS, other };
    mqs_pending_operation operation;
    mqs_communicator communicator;

    for (int i = 0; i < 2; i++)
        assert_int_equal(mqs_setup_communicator_iterator(both[i]), mqs_ok);
    for (int i = 0; i < 2; i++)
        assert_int_equal(mqs_setup_operation_iterator(both[i], mqs_pending_receives), mqs_ok);
    assert_int_equal(mqs_next_communicator(other), mqs_ok);
    assert_int_equal(mqs_get_communicator(PROCESS, &communicator), mqs_ok);
    assert_int_equal(communicator.unique_id, 0);
    assert_int_equal(mqs_get_communicator(other, &communicator), mqs_ok);
    assert_int_equal(communicator.unique_id, 1);
    assert_int_equal(mqs_next_operation(PROCESS, &operation), mqs_ok);
    assert_int_equal(operation.desired_tag, 11);
    assert_int_equal(mqs_next_operation(other, &operation), mqs_end_of_list);
}

/* One image, two processes: nothing of one's addresses or memory is used for the other. */
static void look_at_two_processes(const struct fake_build *build, uint64_t slide)
{
    struct fake_options options = fake_options_of(build);
    struct fake_listing listing;
    struct fake_job other;
    mqs_process process;

    fake_job_init(JOB);
    options.slide = slide;
    options.rank = 3;
    fake_job_map(&other, &options);
    fake_job_init(&other);
    fake_irecv(&other, &other.world, &(struct fake_recv){ 2, 99, 1, other.mpi_int, 0x1000 });
    fake_irecv(JOB, &JOB->world, &(struct fake_recv){ 2, 11, 1, JOB->mpi_int, 0x1000 });
    fake_listing_init(&listing);
    fake_process_init(HOST, &process, &other.image);
    assert_int_equal(fake_look(&fake), mqs_ok);
    fake_host_focus(HOST, &process);
    assert_int_equal(mqs_setup_process(&process, &HOST->process_callbacks), mqs_ok);
    for (int round = 0; round < 3; round++) {
        fake_host_focus(HOST, &process);
        assert_int_equal(fake_list(&process, &listing), mqs_ok);
        assert_int_equal(listing.comms[0].communicator.local_rank, 3);
        assert_int_equal(listing.comms[0].queues[mqs_pending_receives].operations[0].desired_tag, 99);
        fake_host_focus(HOST, PROCESS);
        assert_int_equal(fake_look(&fake), mqs_ok);
        assert_int_equal(fake.listing.comms[0].communicator.local_rank, 1);
        assert_int_equal(fake_queue(&fake, 0, mqs_pending_receives)->operations[0].desired_tag, 11);
    }
    assert_walks_are_independent(&process);
    assert_string_equal(listing.broken, "");
    mqs_destroy_process_info(process.info);
    fake_listing_deinit(&listing);
    fake_job_unmap(&other);
}

/* At the same addresses as after fork, or where addresses are not randomised. */
TEST(processes_of_one_image_at_different_or_the_same_addresses)
{
    look_at_two_processes(build, 0x1234000);
    fake_setup_early(build);
    look_at_two_processes(build, 0);
}

/* Images of all releases and machines in one debugger, in turns: nothing of one's layout is used for another. */
TEST_ON(once, several_releases_in_one_debugger)
{
    static struct fake_fixture fixtures[FAKE_N_BUILDS];
    const char *truth = NULL;

    for (int i = 0; i < FAKE_N_BUILDS; i++) {
        struct fake_options options = fake_options_of(fake_builds[i]);

        fake_begin_populated(&fixtures[i], &options);
        if (i % 2 == 0)
            fake_types_all(&fixtures[i].host, fake_builds[i]);
    }
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < FAKE_N_BUILDS; i++) {
            const char *text;

            fake_host_use(&fixtures[i].host);
            assert_int_equal(fake_look(&fixtures[i]), mqs_ok);
            text = of_test(fake_text(&fixtures[i].listing, &fixtures[i].names));
            truth = truth != NULL ? truth : text;
            assert_text(text, truth);
        }
    for (int i = 0; i < FAKE_N_BUILDS; i++)
        assert_int_equal(fake_end(&fixtures[i]), 0);
    fake_host_use(HOST);
}
