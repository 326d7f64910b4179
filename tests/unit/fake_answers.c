/* fake_answers.c - all that a debugger can ask of a process, as one number. */
#include "fake_answers.h"

#include <inttypes.h>

#include "fake_test.h"

/* FNV-1a. */
static void fold(uint64_t *digest, const void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        *digest = (*digest ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
}

static void fold_text(uint64_t *digest, const char *text)
{
    fold(digest, text != NULL ? text : "", text != NULL ? strlen(text) + 1 : 1);
}

static void fold_numbers(uint64_t *digest, const long *numbers, size_t n)
{
    fold(digest, numbers, n * sizeof *numbers);
}
#define NUMBERS(...) fold_numbers(digest, (const long[]){__VA_ARGS__}, sizeof (const long[]){__VA_ARGS__} / sizeof(long))

/* Folds what a function of the extension fills in for each index, until it says that there is no more. */
#define EACH(type, function, ...) \
    for (int i = 0, code = mqs_ok; code == mqs_ok; i++) { \
        struct type is; \
        memset(&is, 0, sizeof is); \
        code = EXTENSION->function(PROCESS, i, &is); \
        NUMBERS(code, __VA_ARGS__); \
    }
/* The same of one that has no index, and no padding but zeros. */
#define ONE(type, function) \
    do { \
        struct type is; \
        memset(&is, 0, sizeof is); \
        NUMBERS(EXTENSION->function(PROCESS, &is)); \
        fold(digest, &is, sizeof is); \
    } while (false)

/* Without types and members: there are more with each that is read. */
static void fold_layout(uint64_t *digest)
{
    ONE(mqd_layout_summary, describe_layout);
    ONE(mqd_process_name, describe_self);
    ONE(mqd_process_description, describe_process);
    EACH(mqd_probe_description, describe_probe, (fold_text(digest, is.result), 0))
    EACH(mqd_capability_description, describe_capability, (fold_text(digest, is.reason), is.on))
    EACH(mqd_limit_description, describe_limit, is.shown, is.reason, is.hindrance)
    EACH(mqd_library_summary, describe_library, (fold(digest, &is, sizeof is), 0))
}

static void fold_window(uint64_t *digest)
{
    struct mqd_window_description is = {0};
    int code = EXTENSION->describe_window(PROCESS, &is);

    fold_text(digest, is.component);
    NUMBERS(code, (long)is.object, is.access, is.exposed, is.n_posted_to_it, is.n_completed, is.locked_exclusively,
            is.n_shared, is.n_waiting, is.n_pending);
    EACH(mqd_window_peer, describe_window_peer, is.rank, is.role, is.held, is.n_pending)
}

static void fold_queue(uint64_t *digest, int op_class)
{
    mqs_pending_operation operation;
    int code = mqs_setup_operation_iterator(PROCESS, op_class);

    NUMBERS(code, EXTENSION->reason_of(code));
    for (;;) {
        memset(&operation, 0, sizeof operation);
        code = mqs_next_operation(PROCESS, &operation);
        NUMBERS(code, EXTENSION->reason_of(code));
        if (code == mqs_end_of_list)
            break;
        fold(digest, &operation, sizeof operation);
        ONE(mqd_operation_description, describe_operation);
        ONE(mqd_unknown_description, describe_unknown);
        NUMBERS((long)EXTENSION->send_request_of(PROCESS), (long)EXTENSION->waiter_of(PROCESS),
                (long)EXTENSION->collective_number_of(PROCESS));
    }
}

static void fold_communicator(uint64_t *digest)
{
    int group[FAKE_MAX_PROCS] = {0};
    mqs_communicator communicator = {0};
    int code = mqs_get_communicator(PROCESS, &communicator);

    NUMBERS(code, (long)communicator.unique_id, communicator.local_rank,
            communicator.size);
    fold_text(digest, communicator.name);
    if (communicator.size <= FAKE_MAX_PROCS)
        NUMBERS(mqs_get_comm_group(PROCESS, group));
    fold(digest, group, sizeof group);
    ONE(mqd_communicator_summary, describe_communicator);
    ONE(mqd_communicator_use, describe_use);
    EACH(mqd_traffic_description, describe_traffic, is.global_rank, is.n_sent, is.n_arrived)
    EACH(mqd_process_name, describe_member, (long)is.job, is.rank)
    fold_window(digest);
    for (int op_class = 0; op_class < FAKE_N_QUEUES; op_class++)
        fold_queue(digest, op_class);
}

void fake_fold_answers(uint64_t *digest)
{
    int code;

    fold_text(digest, fake.listing.message);
    NUMBERS(fake.listing.setup_image, fake.listing.image_has_queues, fake.listing.setup_process,
            fake.listing.process_has_queues, fake.listing.update, fake.listing.setup, fake.listing.error);
    fold_layout(digest);
    NUMBERS(EXTENSION->show_internal(PROCESS, 1));
    NUMBERS(mqs_update_communicator_list(PROCESS));
    code = mqs_setup_communicator_iterator(PROCESS);
    for (int i = 0; code == mqs_ok && i < FAKE_MAX_COMMS; i++) {
        fold_communicator(digest);
        code = mqs_next_communicator(PROCESS);
    }
    NUMBERS(code);
}

/* Of processes with a wrong word, as a program of 64 bits on a machine with little-endian numbers sees them. */
static const uint64_t known[] = {
    UINT64_C(0x5151b29cf3441ac4), /* ob1 4.1.0-4.1.8 x86_64 */
    UINT64_C(0x6f13f7d8957eb818), /* ob1 3.1.0-3.1.6 x86_64 */
    UINT64_C(0x939a50c44f407b34), /* ob1 5.0.7-5.0.10 x86_64 */
    UINT64_C(0x1f3f99d199dbe3e6), /* ob1 6.0.0-6.0.0 x86_64 */
    UINT64_C(0x8e3ae0514624d05f), /* ob1 5.0.7-5.0.10 s390x */
    UINT64_C(0x4f7ceaf622e73d1b), /* ob1 4.1.0-4.1.8 i386 */
    UINT64_C(0xb017050cb9cff258), /* UCX 1.10.0-1.10.1 x86_64 */
    UINT64_C(0xd4217aa1bef495b8), /* UCX 1.18.0-1.18.1 x86_64 */
    UINT64_C(0x414c23f7b4b07d61), /* cm 5.0.0-5.0.6 x86_64 */
    UINT64_C(0x5b5201a7072dbcd7), /* cm */
    UINT64_C(0xa114e74133bea812), /* windows 4.1.0-4.1.8 x86_64 */
    UINT64_C(0xd06226c760017f36), /* windows 4.1.0-4.1.8 s390x */
    UINT64_C(0xa8310d4e46b7a11e), /* windows 4.1.0-4.1.8 x86_64 */
    UINT64_C(0x970e2bcd4ce237f3), /* windows 5.0.7-5.0.10 x86_64 */
    UINT64_C(0x3ae1f72b8ff5651a), /* internal 4.1.0-4.1.8 x86_64 */
    UINT64_C(0x64e048661175cd4e), /* internal 5.0.7-5.0.10 x86_64 */
    UINT64_C(0xc31f1b45476aae28), /* internal 6.0.0-6.0.0 x86_64 */
};

void fake_assert_known(uint64_t digest, const char *what)
{
    const uint16_t one = 1;

    if (sizeof(long) < 8 || *(const unsigned char *)&one == 0)
        return;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i] == digest)
            return;
    fail_msg("%s: other answers than before: %#" PRIx64, what, digest);
}
