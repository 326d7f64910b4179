/*
 * test_dump_fake_dll.c - an MPI debugging library for tests of mqdump: it knows every process and says what the
 * environment variable MQD_FAKE_DLL wants of it, words separated by commas:
 *
 *   version     has another version of the interface
 *   width       has addresses of four bytes
 *   no_image    refuses the image without a word
 *   image_text  refuses the image with a text for printf
 *   unready     knows the process, but no communicators yet
 *   early       says "examining", and waits before any process is stopped
 *   late        waits with the process stopped, before it answers
 *   watch       says "watching", and reads the process until that fails, or until it need not wait
 *   page        reads the variable page_that_never_comes
 *   broken      gives an error in the middle of a queue, and no group
 *
 * It waits until there is the file that MQD_FAKE_GATE names.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "include/mpi_interface.h"

/* Functions of the interface get what they do not need here. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

enum { CODE_REFUSED = mqs_first_user_code, CODE_UNREADY, CODE_BROKEN };

static const mqs_basic_callbacks *basic;
static const mqs_image_callbacks *image_callbacks;
static const mqs_process_callbacks *process_callbacks;
static int queue, position;

struct _mqs_image_info {
    int unused;
};
struct _mqs_process_info {
    int unused;
};

static bool wants(const char *word)
{
    const char *words = getenv("MQD_FAKE_DLL");

    return words != NULL && strstr(words, word) != NULL;
}

static void rest(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 5 * 1000 * 1000}, NULL);
}

static bool must_wait(void)
{
    const char *gate = getenv("MQD_FAKE_GATE");

    return gate != NULL && access(gate, F_OK) != 0;
}

static void await_gate(void)
{
    while (must_wait())
        rest();
}

void mqs_setup_basic_callbacks(const mqs_basic_callbacks *callbacks)
{
    basic = callbacks;
}

char *mqs_version_string(void)
{
    static char text[] = "a library for tests";

    return text;
}

int mqs_version_compatibility(void)
{
    return wants("version") ? MQS_INTERFACE_COMPATIBILITY - 1 : MQS_INTERFACE_COMPATIBILITY;
}

int mqs_dll_taddr_width(void)
{
    return wants("width") ? 4 : (int)sizeof(mqs_taddr_t);
}

char *mqs_dll_error_string(int code)
{
    static char refused[] = "refused", unready[] = "MPI is not initialised yet", broken[] = "a request cannot be read",
                empty[] = "";

    switch (code) {
    case CODE_REFUSED:
        return refused;
    case CODE_UNREADY:
        return unready;
    case CODE_BROKEN:
        return broken;
    default:
        return empty;
    }
}

int mqs_setup_image(mqs_image *image, const mqs_image_callbacks *callbacks)
{
    image_callbacks = callbacks;
    basic->mqs_put_image_info_fp(image, basic->mqs_malloc_fp(sizeof(mqs_image_info)));
    return mqs_ok;
}

int mqs_image_has_queues(mqs_image *image, char **message)
{
    static char text[] = "100%% sure that %s has none %s";

    if (wants("early")) {
        basic->mqs_dprints_fp("examining");
        await_gate();
    }
    *message = wants("image_text") ? text : NULL;
    return wants("no_image") || wants("image_text") ? CODE_REFUSED : mqs_ok;
}

int mqs_destroy_image_info(mqs_image_info *info)
{
    basic->mqs_free_fp(info);
    return mqs_ok;
}

int mqs_setup_process(mqs_process *process, const mqs_process_callbacks *callbacks)
{
    process_callbacks = callbacks;
    basic->mqs_put_process_info_fp(process, basic->mqs_malloc_fp(sizeof(mqs_process_info)));
    return mqs_ok;
}

static int watch(mqs_process *process)
{
    static char name[] = "environ";
    mqs_taddr_t address;
    char word[4];
    bool waits;

    if (image_callbacks->mqs_find_symbol_fp(process_callbacks->mqs_get_image_fp(process), name, &address) != mqs_ok)
        return CODE_BROKEN;
    basic->mqs_dprints_fp("watching");
    do {
        waits = must_wait();
        if (process_callbacks->mqs_fetch_data_fp(process, address, sizeof word, word) != mqs_ok)
            return CODE_BROKEN;
        rest();
    } while (waits);
    return mqs_ok;
}

static void read_page(mqs_process *process)
{
    static char name[] = "page_that_never_comes";
    mqs_taddr_t address;
    char word[4];

    if (image_callbacks->mqs_find_symbol_fp(process_callbacks->mqs_get_image_fp(process), name, &address) == mqs_ok)
        process_callbacks->mqs_fetch_data_fp(process, address, sizeof word, word);
}

int mqs_process_has_queues(mqs_process *process, char **message)
{
    *message = NULL;
    if (wants("late"))
        await_gate();
    if (wants("page"))
        read_page(process);
    return wants("watch") ? watch(process) : mqs_ok;
}

int mqs_destroy_process_info(mqs_process_info *info)
{
    basic->mqs_free_fp(info);
    return mqs_ok;
}

int mqs_update_communicator_list(mqs_process *process)
{
    return wants("unready") ? CODE_UNREADY : mqs_ok;
}

int mqs_setup_communicator_iterator(mqs_process *process)
{
    return mqs_ok;
}

int mqs_get_communicator(mqs_process *process, mqs_communicator *communicator)
{
    *communicator = (mqs_communicator){.unique_id = 0, .local_rank = 1, .size = 3, .name = "MPI_COMM_WORLD"};
    return mqs_ok;
}

int mqs_get_comm_group(mqs_process *process, int *group)
{
    for (int i = 0; i < 3; i++)
        group[i] = i;
    return wants("broken") ? CODE_BROKEN : mqs_ok;
}

int mqs_next_communicator(mqs_process *process)
{
    return mqs_end_of_list;
}

int mqs_setup_operation_iterator(mqs_process *process, int op)
{
    queue = op;
    position = 0;
    return op == mqs_unexpected_messages ? mqs_no_information : mqs_ok;
}

/* Two receives; in a broken queue an error after the first. */
int mqs_next_operation(mqs_process *process, mqs_pending_operation *operation)
{
    if (queue != mqs_pending_receives)
        return mqs_end_of_list;
    position++;
    if (wants("broken") && position > 1)
        return position == 2 ? CODE_BROKEN : mqs_end_of_list;
    if (position > 2)
        return mqs_end_of_list;
    *operation = (mqs_pending_operation){.desired_local_rank = position, .desired_global_rank = position,
                                         .desired_tag = 7, .desired_length = 400, .buffer = 0x1000,
                                         .extra_text = {"Recv", "100 MPI_INT"}};
    return mqs_ok;
}
