/* test_dll_entry.c - the entry points as a debugger calls them: versions, texts, images and processes. */
#include "fake_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "layout/layout.h"

#define JOB (&fake.job)
#define IMAGE (&fake.job.image)
#define HOST (&fake.host)
#define PROCESS (&fake.host.process)
#define PUT(object, type, member, value) FAKE_PUT(IMAGE, object, type, member, value)

static const struct mqd_extension_v1 *extension(void)
{
    return ompi_mqd_extension(MQD_EXTENSION_VERSION);
}

static void version_is_what_debuggers_accept(void **state)
{
    (void)state;
    assert_int_equal(mqs_version_compatibility(), 2);
    assert_int_equal(mqs_dll_taddr_width(), sizeof(mqs_taddr_t));
    assert_non_null(mqs_version_string());
    assert_true(strlen(mqs_version_string()) > 0);
}

static void every_code_has_a_text_even_unknown_ones(void **state)
{
    char *unknown;

    (void)state;
    for (int code = -300; code < 1000; code++) {
        char *text = mqs_dll_error_string(code);

        assert_non_null(text);
        assert_true(strlen(text) > 0);
        assert_null(strchr(text, '%'));
    }
    unknown = mqs_dll_error_string(1 << 30);
    assert_non_null(unknown);
    assert_string_not_equal(mqs_dll_error_string(mqs_first_user_code), unknown);
}

static void extension_is_there_in_its_version_only(void **state)
{
    (void)state;
    assert_non_null(extension());
    assert_true(extension()->size >= sizeof(struct mqd_extension_v1));
    assert_true(strlen(extension()->version) > 0);
    assert_null(ompi_mqd_extension(0));
    assert_null(ompi_mqd_extension(2));
    assert_null(ompi_mqd_extension(-1));
}

/* Whoever builds this may have given configure a table of their own that fits the fake process as well. */
static bool is_of_a_site(const char *variant)
{
    for (size_t i = 0; i < mqd_n_tables; i++)
        if (mqd_tables[i]->site && strcmp(mqd_tables[i]->variant, variant) == 0)
            return true;
    return false;
}

static void layout_is_described(void **state)
{
    struct fake_out out;

    (void)state;
    assert_int_equal(fake_look(&fake), mqs_ok);
    fake_out_init(&out);
    assert_int_equal(extension()->describe_layout(PROCESS, &out.out.summary), mqs_ok);
    assert_true(fake_out_within(&out, sizeof out.out.summary));
    assert_string_equal(out.out.summary.openmpi, "4.1.4");
    assert_string_equal(out.out.summary.source, "table");
    if (is_of_a_site(out.out.summary.variant))
        return;
    assert_string_equal(out.out.summary.family, "4.1.0-4.1.8");
    assert_string_equal(out.out.summary.variant, "release");
}

/* Debuggers load the DLL for a shell or for mpirun too. There is no message, which would open a window. */
static void image_without_open_mpi_is_an_error_without_a_message(void **state)
{
    int rc;

    (void)state;
    fake_image_set_symbol_hidden(IMAGE, "ompi_mpi_communicators", true);
    rc = fake_look(&fake);
    assert_true(rc >= mqs_first_user_code);
    assert_int_equal(fake.listing.image_has_queues, rc);
    assert_string_equal(fake.listing.message, "");
    assert_int_equal(HOST->n_reads, 0);
}

static void program_that_asks_to_be_ignored_is_ignored(void **state)
{
    int rc;

    (void)state;
    HOST->ignore_queues = "MPIR_Ignore_queues";
    rc = fake_look(&fake);
    assert_true(rc >= mqs_first_user_code);
    assert_int_equal(fake.listing.image_has_queues, rc);
    assert_int_equal(HOST->n_reads, 0);
}

static void image_is_judged_without_memory(void **state)
{
    char *message = (char *)"not written";

    (void)state;
    HOST->image.focus = IMAGE;
    assert_int_equal(mqs_setup_image(&HOST->image, &HOST->image_callbacks), mqs_ok);
    assert_non_null(HOST->image.info);
    assert_int_equal(mqs_image_has_queues(&HOST->image, &message), mqs_ok);
    assert_null(message);
    assert_int_equal(HOST->n_reads, 0);
}

static void before_mpi_init_the_answer_is_not_yet(void **state)
{
    int rc;

    (void)state;
    rc = fake_look(&fake);
    assert_int_equal(fake.listing.process_has_queues, mqs_ok);
    assert_true(rc >= mqs_first_user_code);
    assert_non_null(strstr(mqs_dll_error_string(rc), "not initialised"));
    assert_int_equal(mqs_setup_communicator_iterator(PROCESS), rc);
    fake_job_init(JOB);
    fake_irecv(JOB, &JOB->world, &(struct fake_recv){ 2, 7, 1, JOB->mpi_int, 0x1000 });
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(fake.listing.n_comms, 2);
    assert_int_equal(fake_queue(&fake, 0, mqs_pending_receives)->n, 1);
}

/* The state is 1, and MPI_Init has done only a part of its work. This is not taken for a contradiction. */
static void inside_mpi_init_the_answer_is_not_yet(void **state)
{
    (void)state;
    fake_job_init(JOB);
    fake_image_put(IMAGE, JOB->state, 4, 1);
    fake_slot_set(JOB, 1, 0);
    fake_slot_set(JOB, 0, 0);
    assert_true(fake_look(&fake) >= mqs_first_user_code);
    assert_int_equal(fake.listing.process_has_queues, mqs_ok);
    assert_non_null(strstr(mqs_dll_error_string(fake.listing.update), "not initialised"));
    /* World is there, and its group's table not yet. */
    fake_slot_set(JOB, 0, JOB->world.ta);
    PUT(JOB->world.ta, ompi_communicator_t, c_flags, 0);
    PUT(JOB->world.ta, ompi_communicator_t, c_local_group, 0);
    assert_true(fake_look(&fake) >= mqs_first_user_code);
    assert_non_null(strstr(mqs_dll_error_string(fake.listing.update), "not initialised"));
}

static void after_mpi_finalize_the_answer_is_finalized(void **state)
{
    int rc;

    (void)state;
    assert_int_equal(fake_look(&fake), mqs_ok);
    fake_job_finalize(JOB);
    rc = fake_look(&fake);
    assert_true(rc >= mqs_first_user_code);
    assert_non_null(strstr(mqs_dll_error_string(rc), "finalized"));
    assert_int_equal(fake.listing.n_comms, 0);
}

static void attaching_after_mpi_finalize_is_no_contradiction(void **state)
{
    (void)state;
    fake_job_finalize(JOB);
    assert_true(fake_look(&fake) >= mqs_first_user_code);
    assert_int_equal(fake.listing.process_has_queues, mqs_ok);
    assert_non_null(strstr(mqs_dll_error_string(fake.listing.update), "finalized"));
}

/* With copy relocations the symbols name libmpi's own objects, which the program does not use. */
static void dead_copies_of_predefined_objects_are_not_looked_at(void **state)
{
    fake_ta dead;

    (void)state;
    assert_true(fake_image_find_symbol(IMAGE, "ompi_mpi_comm_world", &dead));
    assert_int_equal(FAKE_GET(IMAGE, dead, opal_object_t, obj_class), 0);
    assert_true(dead != JOB->world.ta);
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_string_equal(fake.listing.comms[0].communicator.name, "MPI_COMM_WORLD");
}

static void callbacks_that_clients_lack_are_not_missed(void **state)
{
    (void)state;
    fake_host_lack_callbacks(HOST);
    fake_types_all(HOST, &fake_release);
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(fake.listing.n_comms, 2);
}

static void five_type_sizes_are_enough_and_seven_do_no_harm(void **state)
{
    (void)state;
    HOST->n_type_sizes = 5;
    assert_int_equal(fake_look(&fake), mqs_ok);
    HOST->n_type_sizes = 7;
    fake.opened = false;
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(fake.listing.n_comms, 2);
}

static void nothing_is_printed_into_the_debugger(void **state)
{
    (void)state;
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(HOST->n_printed, 0);
}

/* Debuggers reload an image, or attach again: the second set-up replaces the first. */
static void second_set_up_frees_the_first(void **state)
{
    long live;

    (void)state;
    assert_int_equal(fake_look(&fake), mqs_ok);
    live = HOST->live_blocks;
    for (int i = 0; i < 5; i++) {
        fake.opened = false;
        assert_int_equal(fake_look(&fake), mqs_ok);
        assert_int_equal(HOST->live_blocks, live);
    }
}

static void infos_may_be_destroyed_image_first(void **state)
{
    (void)state;
    assert_int_equal(fake_look(&fake), mqs_ok);
    mqs_destroy_image_info(HOST->image.info);
    HOST->image.info = NULL;
    mqs_destroy_process_info(HOST->process.info);
    HOST->process.info = NULL;
    assert_int_equal(HOST->live_blocks, 0);
}

static void infos_may_be_destroyed_process_first(void **state)
{
    (void)state;
    assert_int_equal(fake_look(&fake), mqs_ok);
    mqs_destroy_process_info(HOST->process.info);
    HOST->process.info = NULL;
    mqs_destroy_image_info(HOST->image.info);
    HOST->image.info = NULL;
    assert_int_equal(HOST->live_blocks, 0);
}

static void destroying_nothing_is_allowed(void **state)
{
    (void)state;
    mqs_destroy_image_info(NULL);
    mqs_destroy_process_info(NULL);
    assert_int_equal(HOST->live_blocks, 0);
}

/* Process functions return errors after the image's information has been destroyed. */
static void process_survives_the_end_of_its_image(void **state)
{
    (void)state;
    assert_int_equal(fake_look(&fake), mqs_ok);
    mqs_destroy_image_info(HOST->image.info);
    HOST->image.info = NULL;
    (void)fake_list(PROCESS, &fake.listing);
    assert_int_equal(mqs_setup_image(&HOST->image, &HOST->image_callbacks), mqs_ok);
    assert_int_equal(fake_list(PROCESS, &fake.listing), mqs_ok);
    assert_int_equal(fake.listing.n_comms, 2);
}

static void functions_before_any_set_up_are_errors(void **state)
{
    struct fake_out out;
    char *message = (char *)"not written";

    (void)state;
    fake_out_init(&out);
    assert_true(mqs_image_has_queues(&HOST->image, &message) >= mqs_first_user_code);
    assert_true(mqs_process_has_queues(PROCESS, &message) >= mqs_first_user_code);
    assert_null(message);
    assert_true(mqs_update_communicator_list(PROCESS) >= mqs_first_user_code);
    assert_true(mqs_setup_communicator_iterator(PROCESS) >= mqs_first_user_code);
    assert_true(mqs_get_communicator(PROCESS, &out.out.communicator) >= mqs_first_user_code);
    assert_true(mqs_get_comm_group(PROCESS, out.out.ints) >= mqs_first_user_code);
    assert_int_not_equal(mqs_next_communicator(PROCESS), mqs_ok);
    assert_true(mqs_setup_operation_iterator(PROCESS, mqs_pending_sends) >= mqs_first_user_code);
    assert_int_not_equal(mqs_next_operation(PROCESS, &out.out.operation), mqs_ok);
    assert_true(extension()->show_internal(PROCESS, 1) >= mqs_first_user_code);
    assert_true(extension()->describe_layout(PROCESS, &out.out.summary) >= mqs_first_user_code);
    assert_true(fake_out_intact(&out));
}

static void missing_arguments_are_errors(void **state)
{
    (void)state;
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(mqs_setup_communicator_iterator(PROCESS), mqs_ok);
    assert_int_equal(mqs_setup_operation_iterator(PROCESS, mqs_pending_sends), mqs_ok);
    assert_true(mqs_get_communicator(PROCESS, NULL) >= mqs_first_user_code);
    assert_true(mqs_get_comm_group(PROCESS, NULL) >= mqs_first_user_code);
    assert_int_not_equal(mqs_next_operation(PROCESS, NULL), mqs_ok);
    assert_true(extension()->describe_layout(PROCESS, NULL) >= mqs_first_user_code);
    assert_true(extension()->describe_communicator(PROCESS, NULL) >= mqs_first_user_code);
    assert_true(extension()->describe_self(PROCESS, NULL) >= mqs_first_user_code);
    assert_true(extension()->describe_member(PROCESS, 0, NULL) >= mqs_first_user_code);
    assert_true(mqs_update_communicator_list(NULL) >= mqs_first_user_code);
    assert_true(mqs_setup_image(NULL, &HOST->image_callbacks) >= mqs_first_user_code);
    assert_true(mqs_setup_image(&HOST->image, NULL) >= mqs_first_user_code);
    assert_true(mqs_setup_process(NULL, &HOST->process_callbacks) >= mqs_first_user_code);
    assert_true(mqs_setup_process(PROCESS, NULL) >= mqs_first_user_code);
    assert_int_equal(mqs_image_has_queues(&HOST->image, NULL), mqs_ok);
    assert_int_equal(mqs_process_has_queues(PROCESS, NULL), mqs_ok);
}

/* The rest of the DLL needs the image's callbacks: a process of an image that nobody set up has none. */
static void process_of_an_unknown_image_is_an_error(void **state)
{
    char *message = (char *)"not written";

    (void)state;
    assert_int_equal(mqs_setup_process(PROCESS, &HOST->process_callbacks), mqs_ok);
    assert_non_null(HOST->process.info);
    assert_int_not_equal(mqs_update_communicator_list(PROCESS), mqs_ok);
    (void)mqs_process_has_queues(PROCESS, &message);
    assert_int_not_equal(mqs_update_communicator_list(PROCESS), mqs_ok);
}

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

/* Two processes of one image are loaded at different addresses. Each is read at its own addresses. */
static void processes_of_one_image_at_different_addresses(void **state)
{
    struct fake_options options = fake_options_default();
    struct fake_listing other_listing;
    static struct fake_job other;
    mqs_process other_process;

    (void)state;
    options.slide = 0x12345000;
    options.rank = 3;
    fake_job_map(&other, &options);
    fake_job_init(&other);
    fake_irecv(&other, &other.world, &(struct fake_recv){ 2, 99, 1, other.mpi_int, 0x1000 });
    fake_irecv(JOB, &JOB->world, &(struct fake_recv){ 2, 11, 1, JOB->mpi_int, 0x1000 });
    fake_listing_init(&other_listing);
    fake_process_init(HOST, &other_process, &other.image);

    assert_int_equal(fake_look(&fake), mqs_ok);
    fake_host_focus(HOST, &other_process);
    assert_int_equal(mqs_setup_process(&other_process, &HOST->process_callbacks), mqs_ok);
    for (int round = 0; round < 2; round++) {
        fake_host_focus(HOST, &other_process);
        assert_int_equal(fake_list(&other_process, &other_listing), mqs_ok);
        assert_int_equal(other_listing.comms[0].communicator.local_rank, 3);
        assert_int_equal(other_listing.comms[0].queues[mqs_pending_receives].n, 1);
        assert_int_equal(other_listing.comms[0].queues[mqs_pending_receives].operations[0].desired_tag, 99);
        fake_host_focus(HOST, PROCESS);
        assert_int_equal(fake_look(&fake), mqs_ok);
        assert_int_equal(fake.listing.comms[0].communicator.local_rank, 1);
        assert_int_equal(fake_queue(&fake, 0, mqs_pending_receives)->operations[0].desired_tag, 11);
    }
    assert_walks_are_independent(&other_process);
    assert_string_equal(other_listing.broken, "");
    mqs_destroy_process_info(other_process.info);
    fake_listing_deinit(&other_listing);
    fake_job_unmap(&other);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, fake_setup, fake_teardown)
#define EARLY_TEST(function) cmocka_unit_test_setup_teardown(function, fake_setup_early, fake_teardown)
    const struct CMUnitTest tests[] = {
        TEST(version_is_what_debuggers_accept),
        TEST(every_code_has_a_text_even_unknown_ones),
        TEST(extension_is_there_in_its_version_only),
        TEST(layout_is_described),
        TEST(image_without_open_mpi_is_an_error_without_a_message),
        TEST(program_that_asks_to_be_ignored_is_ignored),
        TEST(image_is_judged_without_memory),
        EARLY_TEST(before_mpi_init_the_answer_is_not_yet),
        EARLY_TEST(inside_mpi_init_the_answer_is_not_yet),
        TEST(after_mpi_finalize_the_answer_is_finalized),
        TEST(attaching_after_mpi_finalize_is_no_contradiction),
        TEST(dead_copies_of_predefined_objects_are_not_looked_at),
        TEST(callbacks_that_clients_lack_are_not_missed),
        TEST(five_type_sizes_are_enough_and_seven_do_no_harm),
        TEST(nothing_is_printed_into_the_debugger),
        TEST(second_set_up_frees_the_first),
        TEST(infos_may_be_destroyed_image_first),
        TEST(infos_may_be_destroyed_process_first),
        TEST(destroying_nothing_is_allowed),
        TEST(process_survives_the_end_of_its_image),
        TEST(functions_before_any_set_up_are_errors),
        TEST(missing_arguments_are_errors),
        TEST(process_of_an_unknown_image_is_an_error),
        TEST(processes_of_one_image_at_different_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
