/* test_dll_entry.c - the entry points as a debugger calls them: versions, texts, images and processes. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake_test.h"
#include "mqd/dll/info.h"

SUITE(each, fake_setup, fake_teardown);

TEST(version_is_what_debuggers_accept)
{
    assert_int_equal(mqs_version_compatibility(), 2);
    assert_int_equal(mqs_dll_taddr_width(), sizeof(mqs_taddr_t));
    assert_non_null(mqs_version_string());
    assert_true(strlen(mqs_version_string()) > 0);
}

TEST(every_code_has_a_text_even_unknown_ones)
{
    char *unknown;

    for (int code = -300; code < 1000; code++) {
        char *text = mqs_dll_error_string(code);

        assert_non_null(text);
        assert_true(strlen(text) > 0);
        assert_null(strchr(text, '%'));
    }
    unknown = mqs_dll_error_string(1 << 15);
    assert_non_null(unknown);
    assert_string_not_equal(mqs_dll_error_string(mqs_first_user_code), unknown);
}

TEST(extension_is_there_in_its_version_only)
{
    assert_non_null(EXTENSION);
    assert_true(EXTENSION->size >= sizeof(struct mqd_extension_v1));
    assert_true(strlen(EXTENSION->version) > 0);
    assert_null(ompi_mqd_extension(0));
    assert_null(ompi_mqd_extension(2));
    assert_null(ompi_mqd_extension(-1));
}

TEST(program_that_asks_to_be_ignored_is_ignored)
{
    int rc;

    HOST->ignore_queues = "MPIR_Ignore_queues";
    rc = fake_look(&fake);
    assert_true(rc >= mqs_first_user_code);
    assert_int_equal(fake.listing.image_has_queues, rc);
    assert_int_equal(HOST->n_reads, 0);
}

TEST(image_is_judged_without_memory)
{
    char *message = (char *)"not written";

    HOST->image.focus = IMAGE;
    assert_int_equal(mqs_setup_image(&HOST->image, &HOST->image_callbacks), mqs_ok);
    assert_non_null(HOST->image.info);
    assert_int_equal(mqs_image_has_queues(&HOST->image, &message), mqs_ok);
    assert_null(message);
    assert_int_equal(HOST->n_reads, 0);
}

/* Also where the first look comes after it. */
TEST(after_mpi_finalize_the_answer_is_finalized)
{
    assert_int_equal(fake_look(&fake), mqs_ok);
    fake_job_finalize(JOB);
    for (int i = 0; i < 2; i++) {
        int rc = i == 0 ? fake_look(&fake) : fake_look_anew(&fake);

        assert_true(rc >= mqs_first_user_code);
        assert_has(mqs_dll_error_string(rc), "finalized");
        assert_int_equal(fake.listing.process_has_queues, mqs_ok);
        assert_int_equal(fake.listing.n_comms, 0);
    }
}

/* Five sizes of types are enough, and seven do no harm. Nothing is printed into the debugger. */
TEST(callbacks_and_sizes_that_clients_lack_are_not_missed)
{
    for (HOST->n_type_sizes = 5; HOST->n_type_sizes <= 7; HOST->n_type_sizes += 2) {
        fake.opened = false;
        fake_expect_communicators("0 *\n1 *\n");
    }
    HOST->n_type_sizes = 6;
    fake_host_lack_callbacks(HOST);
    fake_types_all(HOST, &fake_release);
    fake.opened = false;
    fake_expect_communicators("0 *\n1 *\n");
    assert_int_equal(HOST->n_printed, 0);
}

/* Debuggers reload an image, or attach again: the second set-up replaces the first. */
TEST(second_set_up_frees_the_first)
{
    long live;

    assert_int_equal(fake_look(&fake), mqs_ok);
    live = HOST->live_blocks;
    for (int i = 0; i < 5; i++) {
        fake.opened = false;
        assert_int_equal(fake_look(&fake), mqs_ok);
        assert_int_equal(HOST->live_blocks, live);
    }
}

/* Nor does the debugger need to know the first: another image may have its place in the debugger's memory. */
TEST(set_up_asks_for_no_information_that_was_never_put)
{
    long live;

    assert_int_equal(fake_look(&fake), mqs_ok);
    live = HOST->live_blocks;
    HOST->image.info = NULL;
    PROCESS->info = NULL;
    HOST->image.is_set_up = PROCESS->is_set_up = fake.opened = false;
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_string_equal(fake.listing.broken, "");
    assert_int_equal(HOST->live_blocks, live);
}

/* Each is what it was set up as, whatever the debugger hands over. */
TEST(info_of_a_process_is_none_of_an_image)
{
    mqs_image_info *image;
    long live;

    assert_int_equal(fake_look(&fake), mqs_ok);
    live = HOST->live_blocks;
    assert_int_equal(mqs_destroy_image_info((mqs_image_info *)PROCESS->info), mqs_ok);
    assert_int_equal(mqs_destroy_process_info((mqs_process_info *)HOST->image.info), mqs_ok);
    assert_int_equal(HOST->live_blocks, live);
    image = HOST->image.info;
    HOST->image.info = (mqs_image_info *)PROCESS->info;
    assert_has(mqs_dll_error_string(mqs_update_communicator_list(PROCESS)), "mqs_setup_image");
    HOST->image.info = image;
    assert_int_equal(mqs_update_communicator_list(PROCESS), mqs_ok);
}

/* A debugger of many threads forks while some of them set up images. The child has none of these threads. */
static void *set_up_images(void *context)
{
    const _Atomic bool *is_over = context;

    while (!*is_over) {
        struct mqd_info info;

        mqd_info_add(&info, &info, MQD_INFO_image);
        (void)mqd_info_remove(&info, MQD_INFO_image);
    }
    return NULL;
}

TEST(child_of_a_fork_waits_for_no_thread_of_its_parent)
{
    _Atomic bool is_over = false;
    pthread_t thread;
    int status;

    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(pthread_create(&thread, NULL, set_up_images, &is_over), 0);
    for (int i = 0; i < 200; i++) {
        pid_t child = fork();

        /* At an exit valgrind would look for leaks, and what the parent frees later is none. */
        if (child == 0) {
            alarm(20);
            (void)kill(getpid(), mqd_info_is(HOST->image.info, MQD_INFO_image) ? SIGKILL : SIGTERM);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
            fail_msg("child %d ended with status %#x", i, (unsigned)status);
    }
    is_over = true;
    assert_int_equal(pthread_join(thread, NULL), 0);
}

/* In either order; and what was never made. */
TEST(infos_may_be_destroyed)
{
    for (int image_first = 0; image_first < 2; image_first++) {
        fake.opened = false;
        assert_int_equal(fake_look(&fake), mqs_ok);
        if (image_first)
            mqs_destroy_image_info(HOST->image.info);
        mqs_destroy_process_info(PROCESS->info);
        if (!image_first)
            mqs_destroy_image_info(HOST->image.info);
        HOST->image.info = NULL;
        PROCESS->info = NULL;
        assert_int_equal(HOST->live_blocks, 0);
        mqs_destroy_image_info(NULL);
        mqs_destroy_process_info(NULL);
        assert_int_equal(HOST->live_blocks, 0);
    }
}

/* Process functions return errors after the image's information has been destroyed. */
TEST(process_survives_the_end_of_its_image)
{
    assert_int_equal(fake_look(&fake), mqs_ok);
    mqs_destroy_image_info(HOST->image.info);
    HOST->image.info = NULL;
    (void)fake_list(PROCESS, &fake.listing);
    assert_int_equal(mqs_setup_image(&HOST->image, &HOST->image_callbacks), mqs_ok);
    assert_int_equal(fake_list(PROCESS, &fake.listing), mqs_ok);
    assert_int_equal(fake.listing.n_comms, 2);
}

TEST(functions_before_any_set_up_are_errors)
{
    struct fake_out out;
    char *message = (char *)"not written";

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
    assert_true(EXTENSION->show_internal(PROCESS, 1) >= mqs_first_user_code);
    assert_true(EXTENSION->describe_layout(PROCESS, &out.out.summary) >= mqs_first_user_code);
    assert_true(fake_out_intact(&out));
}

TEST(missing_arguments_are_errors)
{
    assert_int_equal(fake_look(&fake), mqs_ok);
    assert_int_equal(mqs_setup_communicator_iterator(PROCESS), mqs_ok);
    assert_int_equal(mqs_setup_operation_iterator(PROCESS, mqs_pending_sends), mqs_ok);
    assert_true(mqs_get_communicator(PROCESS, NULL) >= mqs_first_user_code);
    assert_true(mqs_get_comm_group(PROCESS, NULL) >= mqs_first_user_code);
    assert_int_not_equal(mqs_next_operation(PROCESS, NULL), mqs_ok);
    assert_true(EXTENSION->describe_layout(PROCESS, NULL) >= mqs_first_user_code);
    assert_true(EXTENSION->describe_communicator(PROCESS, NULL) >= mqs_first_user_code);
    assert_true(EXTENSION->describe_self(PROCESS, NULL) >= mqs_first_user_code);
    assert_true(EXTENSION->describe_member(PROCESS, 0, NULL) >= mqs_first_user_code);
    assert_true(mqs_update_communicator_list(NULL) >= mqs_first_user_code);
    assert_true(mqs_setup_image(NULL, &HOST->image_callbacks) >= mqs_first_user_code);
    assert_true(mqs_setup_image(&HOST->image, NULL) >= mqs_first_user_code);
    assert_true(mqs_setup_process(NULL, &HOST->process_callbacks) >= mqs_first_user_code);
    assert_true(mqs_setup_process(PROCESS, NULL) >= mqs_first_user_code);
    assert_int_equal(mqs_image_has_queues(&HOST->image, NULL), mqs_ok);
    assert_int_equal(mqs_process_has_queues(PROCESS, NULL), mqs_ok);
}

/* The rest of the DLL needs the image's callbacks: a process of an image that nobody set up has none. */
TEST(process_of_an_unknown_image_is_an_error)
{
    char *message = (char *)"not written";

    assert_int_equal(mqs_setup_process(PROCESS, &HOST->process_callbacks), mqs_ok);
    assert_non_null(HOST->process.info);
    assert_int_not_equal(mqs_update_communicator_list(PROCESS), mqs_ok);
    (void)mqs_process_has_queues(PROCESS, &message);
    assert_int_not_equal(mqs_update_communicator_list(PROCESS), mqs_ok);
}
