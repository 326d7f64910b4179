#include "fake_sweep.h"

#include <inttypes.h>

#include "fake_answers.h"
#include "fake_test.h"

enum { MAX_WORDS = 32768, MAX_CHANGES = 8, N_TOGETHER = 5000, N_VALUES = 9, SMALL = 1500, N_LOOKS = 2000 };

unsigned fake_stride(unsigned n)
{
    return getenv("MQD_TEST_WHOLE") != NULL ? 1 : getenv("MQD_TEST_SLOW") != NULL ? 4 * n : n;
}

/* A listing takes some hundreds of reads, of UCX with its hash tables some thousands. */
static long max_reads(void)
{
    return IMAGE->ucx != NULL ? 30000 : 5000;
}

void fake_assert_no_harm(void)
{
    assert_string_equal(fake.listing.broken, "");
    assert_int_equal(HOST->violations, 0);
    assert_in_range(HOST->n_reads, 0, max_reads());
}

void fake_assert_tells(mqs_op_class op_class)
{
    const struct fake_queue *queue;

    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    fake_assert_no_harm();
    queue = fake_queue(&fake, 0, op_class);
    assert_true(queue->setup >= mqs_first_user_code || queue->error >= mqs_first_user_code);
    for (size_t i = 0; i < queue->n; i++)
        assert_true(queue->operations[i].desired_length >= 0);
}

void fake_assert_each_tells(fake_ta object, const struct fake_wrong *wrong, size_t n, mqs_op_class op_class)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t old = fake_image_get_member(IMAGE, object, wrong[i].member);

        fake_image_put_member(IMAGE, object, wrong[i].member, wrong[i].value);
        fake_assert_tells(op_class);
        fake_image_put_member(IMAGE, object, wrong[i].member, old);
    }
}

static void assert_right_again(void)
{
    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    assert_int_equal(fake_judge(&fake.listing, &fake.truth), FAKE_RIGHT);
}

/* A look at UCX takes several times as long: tables of all releases are tried. */
static unsigned stride_of_looks(unsigned n)
{
    return fake_stride(IMAGE->ucx != NULL ? 4 * n : n);
}

/* A small image is swept whole. */
static bool is_small(void)
{
    size_t n = 0;

    for (fake_ta ta = fake_image_next_written(IMAGE, 0); ta != 0; ta = fake_image_next_written(IMAGE, ta + 8))
        n++;
    return n < SMALL;
}

/* Of the words that were written as the same member, the first, the fourth, the sixteenth and so on. */
static size_t words_of_image(fake_ta *words)
{
    static unsigned n_of[FAKE_N_MEMBERS + 1];
    bool is_whole = is_small() || fake_stride(2) == 1;
    size_t n = 0;

    memset(n_of, 0, sizeof n_of);
    for (fake_ta ta = fake_image_next_written(IMAGE, 0); ta != 0; ta = fake_image_next_written(IMAGE, ta + 8)) {
        unsigned before = n_of[fake_image_written_as(IMAGE, ta)]++;

        assert_true(n < MAX_WORDS);
        if (is_whole || ((before & (before + 1)) == 0 && before % 3 == 0))
            words[n++] = ta;
    }
    return n;
}

void no_single_corrupt_word_does_harm(const struct fake_build *build)
{
    static fake_ta words[MAX_WORDS];
    bool is_whole = fake_stride(2) == 1;
    size_t n_words = words_of_image(words), n_looks = 0;
    size_t stride = is_whole ? 1 : IMAGE->ucx != NULL ? N_VALUES : 1 + n_words * N_VALUES / N_LOOKS;
    uint64_t digest = 0;

    for (size_t n = 0; n < n_words; n++) {
        uint64_t old = fake_image_get(IMAGE, words[n], 8);
        const uint64_t values[N_VALUES] = { 0, UINT64_MAX, words[n], old + 8, 1, old ^ 0x80000000, UINT64_C(1) << 62,
                                          old + 1, old - 1 };

        for (size_t i = n % (stride < N_VALUES ? stride : N_VALUES); i < N_VALUES; i += stride, n_looks++) {
            fake_image_put(IMAGE, words[n], 8, values[i]);
            (void)fake_look_anew(&fake);
            if (fake.listing.broken[0] != '\0' || HOST->violations != 0 || HOST->n_reads > max_reads())
                print_message("word at %#" PRIx64 " set to %#" PRIx64 ": %ld reads, %s %s\n", words[n], values[i],
                              HOST->n_reads, fake.listing.broken, HOST->violation);
            fake_assert_no_harm();
            fake_fold_answers(&digest);
            if (getenv("MQD_TEST_ANSWERS") != NULL)
                print_message("%#" PRIx64 " = %#" PRIx64 ": %#" PRIx64 "\n", words[n], values[i], digest);
        }
        fake_image_put(IMAGE, words[n], 8, old);
    }
    if (!is_whole)
        fake_assert_known(digest, build != NULL ? build->name : "");
    print_message("%zu words, %zu listings\n", n_words, n_looks);
    assert_true(n_words > 100 / fake_stride(1));
    assert_right_again();
}

/* Numbers that are the same in every run (xorshift). */
static uint64_t next_number(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Mostly words from elsewhere in the image: pointers to objects of other types, or too large counts. */
static uint64_t false_value(const fake_ta *words, size_t n, uint64_t *state)
{
    uint64_t other = words[next_number(state) % n];

    switch (next_number(state) % 4) {
    case 0:
        return other;
    case 1:
        return next_number(state) >> next_number(state) % 64;
    case 2:
        return fake_image_get(IMAGE, other, 8) + next_number(state) % 17 - 8;
    default:
        return fake_image_get(IMAGE, other, 8);
    }
}

/* A pointer that leads to the wrong object does more when a count is wrong too. */
void corrupt_words_together_do_no_harm(const struct fake_build *build __attribute__((unused)))
{
    static fake_ta words[MAX_WORDS];
    const char *times = getenv("MQD_TEST_TIMES");
    long n_looks = times != NULL ? atol(times) : N_TOGETHER / (long)stride_of_looks(50);
    size_t n = words_of_image(words);
    uint64_t numbers = UINT64_C(88172645463325252);

    for (long look = 0; look < n_looks; look++) {
        size_t n_changes = 2 + next_number(&numbers) % (MAX_CHANGES - 1);
        fake_ta where[MAX_CHANGES];
        uint64_t before[MAX_CHANGES];

        for (size_t i = 0; i < n_changes; i++) {
            where[i] = words[next_number(&numbers) % n];
            before[i] = fake_image_get(IMAGE, where[i], 8);
            fake_image_put(IMAGE, where[i], 8, false_value(words, n, &numbers));
        }
        (void)fake_look_anew(&fake);
        if (fake.listing.broken[0] != '\0' || HOST->violations != 0)
            print_message("look %ld: %s %s\n", look, fake.listing.broken, HOST->violation);
        assert_string_equal(fake.listing.broken, "");
        assert_int_equal(HOST->violations, 0);
        /* An array of communicators may have as many slots as there can be, with rubbish in each: two more a slot. */
        assert_in_range(HOST->n_reads, 0, max_reads() + 2 * 65536);
        for (size_t i = n_changes; i-- > 0;)
            fake_image_put(IMAGE, where[i], 8, before[i]);
    }
    assert_right_again();
}

/* A member whose name cannot be read is rank -1, which is no error; nor is a destination that is said to be unknown. */
static bool lacks_a_rank(const struct fake_listing *listing)
{
    for (size_t i = 0; i < listing->n_comms; i++) {
        const struct fake_queue *sends = &listing->comms[i].queues[mqs_pending_sends];

        for (mqs_tword_t rank = 0; rank < listing->comms[i].communicator.size; rank++)
            if (listing->comms[i].group[rank] == -1)
                return true;
        for (size_t send = 0; send < sends->n; send++)
            if (fake_says(&sends->operations[send], "not known: destination"))
                return true;
    }
    return false;
}

static void assert_debuggers(int code, int truth, const char *what, long n)
{
    if (code >= mqs_first_user_code && code != truth && (EXTENSION->reason_of(code) != MQD_REASON_unreadable
                                        || strcmp(mqs_dll_error_string(code), fake_read_error) != 0))
        fail_msg("%s %ld fails, and the reason is \"%s\"", what, n, mqs_dll_error_string(code));
}

/* Whatever is not listed is not since the debugger could not read it. It says so itself, and nobody else is blamed. */
static void assert_debuggers_reason(const char *what, long n)
{
    const struct fake_listing *listing = &fake.listing;

    assert_debuggers(listing->update, mqs_ok, what, n);
    assert_debuggers(listing->setup, mqs_ok, what, n);
    assert_debuggers(listing->error, mqs_ok, what, n);
    assert_int_equal(listing->process_has_queues, mqs_ok);
    for (size_t i = 0; i < listing->n_comms; i++) {
        assert_debuggers(listing->comms[i].group_rc, mqs_ok, what, n);
        for (int queue = 0; queue < FAKE_N_QUEUES; queue++) {
            const struct fake_queue *truth = &fake.truth.comms[0].queues[queue];

            assert_debuggers(listing->comms[i].queues[queue].setup, truth->setup, what, n);
            assert_debuggers(listing->comms[i].queues[queue].error, truth->error, what, n);
        }
    }
}

static void assert_told(const char *what, long n)
{
    fake_assert_no_harm();
    if (fake_judge(&fake.listing, &fake.truth) != FAKE_SILENT || lacks_a_rank(&fake.listing))
        return;
    print_message("%s\n%s\n", fake.listing.message, (const char *)LISTING);
    fail_msg("%s %ld fails, and nobody notices", what, n);
}

static long reads_of_a_look(void)
{
    assert_right_again();
    assert_in_range(HOST->n_reads, 10, max_reads() / 5);
    return HOST->n_reads;
}

void each_read_may_fail(const struct fake_build *build __attribute__((unused)))
{
    long n_reads = reads_of_a_look();

    for (long n = 0; n < n_reads; n += fake_stride(1)) {
        HOST->fail_read = n;
        (void)fake_look_anew(&fake);
        assert_told("read", n);
        assert_debuggers_reason("read", n);
    }
    HOST->fail_read = FAKE_NEVER;
    assert_right_again();
}

/* The process dies while it is listed. */
void all_reads_may_fail_from_any_one_on(const struct fake_build *build __attribute__((unused)))
{
    long n_reads = reads_of_a_look();

    for (long n = 0; n < n_reads; n += fake_stride(1 + (unsigned)n / 40)) {
        HOST->fail_reads_from = n;
        (void)fake_look_anew(&fake);
        assert_told("each read from", n);
        assert_debuggers_reason("each read from", n);
        for (size_t comm = 0; comm < fake.listing.n_comms; comm++)
            for (int queue = 0; queue < FAKE_N_QUEUES; queue++)
                assert_true(fake.listing.comms[comm].queues[queue].n <= fake.truth.comms[comm].queues[queue].n);
    }
    HOST->fail_reads_from = FAKE_NEVER;
}

/* A page that cannot be kept costs reads only. */
void each_allocation_may_fail(const struct fake_build *build __attribute__((unused)))
{
    long n_failed = 0;

    for (;; n_failed++) {
        HOST->fail_allocation = n_failed;
        (void)fake_look_anew(&fake);
        fake_assert_no_harm();
        if (HOST->n_allocations <= n_failed)
            break;
        if (fake.listing.setup_image == mqs_ok && fake.listing.setup_process == mqs_ok)
            assert_told("allocation", n_failed);
    }
    assert_in_range(n_failed, 5, 1000);
    HOST->fail_allocation = FAKE_NEVER;
    assert_right_again();
}

/* A debugger that has no memory left from some moment on. */
void all_allocations_may_fail_from_any_one_on(const struct fake_build *build __attribute__((unused)))
{
    for (long n = 0; n < 40; n++) {
        mqs_pending_operation operation;

        HOST->fail_allocation = n;
        (void)fake_look_anew(&fake);
        for (int queue = 0; queue < FAKE_N_QUEUES && PROCESS->info != NULL; queue++) {
            HOST->fail_allocation = HOST->n_allocations;
            if (mqs_setup_operation_iterator(PROCESS, queue) == mqs_ok)
                (void)mqs_next_operation(PROCESS, &operation);
        }
        fake_assert_no_harm();
    }
    HOST->fail_allocation = FAKE_NEVER;
}

void any_address_may_be_looked_for(const struct fake_build *build __attribute__((unused)))
{
    uint64_t numbers = UINT64_C(88172645463325252);
    static fake_ta words[MAX_WORDS];
    size_t n = words_of_image(words);

    assert_int_equal(fake_look_anew(&fake), mqs_ok);
    for (int i = 0; i < 3000; i++) {
        fake_ta ta = false_value(words, n, &numbers);
        mqs_taddr_t communicator = 99;
        struct fake_out out;
        int rc;

        fake_out_init(&out);
        rc = EXTENSION->find_send(PROCESS, ta, &communicator, &out.out.operation);
        if (rc == mqs_ok)
            continue;
        assert_int_equal(rc, mqs_end_of_list);
        assert_true(fake_out_intact(&out));
        assert_int_equal(communicator, 99);
    }
    assert_int_equal(HOST->violations, 0);
}
