/*
 * fuzz_dll.c - the debug DLL over images in which several words are wrong, with a debugger that answers anything.
 *
 * An input is a number of the build, and changes. Equal bytes mean the same on every machine.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tests/unit/fake_cm.h"
#include "tests/unit/fake_ucx_fixture.h"

#define JOB (&fake.job)
#define IMAGE (&fake.job.image)
#define HOST (&fake.host)

/* A listing of such a job ends within so many reads; see test_dll_hostile.c. */
enum { MAX_READS = 5000 + 2 * 65536 };

/* Changes that are taken from one input, and words of an image. */
enum { MAX_CHANGES = 64, MAX_WORDS = 32768 };

/* Builds: of Open MPI with ob1, with cm and the MTL ofi in each of its ways, and with each UCX. */
enum { N_CM = 4, N_BUILDS = FAKE_N_BUILDS + N_CM + FAKE_N_UCX_BUILDS };

struct change {
    unsigned char kind, size;
    uint16_t which;                    /* a type, or a member */
    uint32_t at;                       /* a word of the image */
    uint64_t value;
};
_Static_assert(sizeof(struct change) == 16, "it is in the inputs");

enum kind {
    PUT_VALUE,                         /* a word is another one */
    PUT_POINTER,                       /* a word is the address of another one */
    PUT_OTHER,                         /* a word is what another one is */
    PUT_NEAR,                          /* a word is somewhat more or less */
    HIDE_PAGE,                         /* a page cannot be read */
    KNOW_TYPE, SET_SIZE, SET_OFFSET, KNOW_ALL,
    FAIL_READ, FAIL_READS, FAIL_ALLOCATION, FEW_TYPE_SIZES, LACK_CALLBACKS, LAZY,
    N_KINDS
};

/* The job that is there. */

static int build = -1;
static struct fake_host good_host;     /* as it was before any change */
static fake_ta words[MAX_WORDS];
static size_t n_words;
static char *truth;

static void populate_cm(int how)
{
    const struct fake_comm *world = &JOB->world;
    struct fake_recv recv = {FAKE_ANY, 5, 7, JOB->mpi_int, 0x1000};
    struct fake_send send = {2, 6, 9, JOB->mpi_double, 0x2000, FAKE_SYNCHRONOUS};
    struct fake_ofi ofi;
    fake_ta request;

    if (how == 0) {
        fake_cm_init(JOB);
    } else {
        fake_ofi_init(JOB, (enum fake_ofi_tags)(how - 1), &ofi);
        (void)fake_ofi_irecv(JOB, &ofi, world, &(struct fake_recv){1, 8, 3, JOB->mpi_int, 0x4000}, 0);
    }
    (void)fake_cm_irecv(JOB, world, &recv);
    (void)fake_cm_recv_start(JOB, world, &(struct fake_recv){1, 7, 3, JOB->mpi_int, 0x3000});
    request = fake_cm_irecv(JOB, &JOB->self, &recv);
    fake_cm_recv_complete(JOB, request, 0, 5, 20, 0);
    (void)fake_cm_isend(JOB, world, &send);
    (void)fake_cm_send_start(JOB, world, &send);
    (void)fake_cm_ibsend(JOB, world, &send, 0x5000);
}

static void begin_job(int number)
{
    struct fake_options options;

    if (number < FAKE_N_BUILDS) {
        options = fake_options_of(fake_builds[number]);
        fake_begin_populated(&fake, &options);
    } else if (number < FAKE_N_BUILDS + N_CM) {
        fake_setup(NULL);
        populate_cm(number - FAKE_N_BUILDS);
    } else {
        fake_ucx_begin(&fake_release, fake_ucx_builds[number - FAKE_N_BUILDS - N_CM]);
        fake_ucx_populate(&fake.names);
    }
}

static char *look(void)
{
    (void)fake_look_anew(&fake);
    return fake_text(&fake.listing, &fake.names);
}

static void release(void)
{
    if (HOST->process.info != NULL)
        mqs_destroy_process_info(HOST->process.info);
    if (HOST->image.info != NULL)
        mqs_destroy_image_info(HOST->image.info);
    HOST->process.info = NULL;
    HOST->image.info = NULL;
    fake.opened = false;
}

static void use_build(int number)
{
    if (number == build)
        return;
    if (build >= 0 && fake_end(&fake) != 0)
        fuzz_fail("build %d: %s", build, HOST->violation);
    free(truth);
    build = number;
    begin_job(number);
    n_words = 0;
    for (fake_ta ta = fake_image_next_written(IMAGE, 0); ta != 0; ta = fake_image_next_written(IMAGE, ta + 8))
        if (n_words < MAX_WORDS)
            words[n_words++] = ta;
    truth = look();
    release();
    if (HOST->violations != 0 || HOST->live_blocks != 0 || fake.listing.broken[0] != '\0')
        fuzz_fail("build %d without a change: %s %s", build, HOST->violation, fake.listing.broken);
    good_host = *HOST;
}

/* Changes. */

/* What was changed last comes back first. */
struct undo {
    fake_ta ta[MAX_CHANGES], hidden[MAX_CHANGES];
    uint64_t value[MAX_CHANGES];
    size_t n, n_hidden;
};

static void put(struct undo *undo, fake_ta ta, size_t size, uint64_t value)
{
    undo->ta[undo->n] = ta;
    undo->value[undo->n++] = fake_image_get(IMAGE, ta, 8);
    fake_image_put(IMAGE, ta, size, value);
}

static void change_types(const struct change *change)
{
    struct fake_types *types = &HOST->types;
    enum fake_type type = change->which % FAKE_N_TYPES;

    if (change->kind == KNOW_ALL)
        fake_types_all(HOST, fake_builds[change->at % FAKE_N_BUILDS]);
    else if (change->kind == KNOW_TYPE)
        fake_types_set(HOST, type, (enum fake_knowledge)(change->value % 3));
    else if (change->kind == SET_SIZE)
        types->size[type] = (int)(uint32_t)change->value;
    else
        types->offset[change->which % FAKE_N_MEMBERS] = (int)(uint32_t)change->value;
}

static void change_debugger(const struct change *change)
{
    long number = (long)(change->value % 2000);

    switch (change->kind) {
    case FAIL_READ:
        HOST->fail_read = number;
        break;
    case FAIL_READS:
        HOST->fail_reads_from = number;
        break;
    case FAIL_ALLOCATION:
        HOST->fail_allocation = number % 100;
        break;
    case FEW_TYPE_SIZES:
        HOST->n_type_sizes = 5;
        break;
    case LACK_CALLBACKS:
        fake_host_lack_callbacks(HOST);
        break;
    default:
        HOST->types.lazy = true;
    }
}

static void apply(const struct change *change, struct undo *undo)
{
    fake_ta ta = words[change->at % n_words], other = words[change->value % n_words];
    size_t size = (size_t)1 << change->size % 4;

    switch (change->kind) {
    case PUT_VALUE:
        put(undo, ta, size, change->value);
        break;
    case PUT_POINTER:
        put(undo, ta, 8, other);
        break;
    case PUT_OTHER:
        put(undo, ta, 8, fake_image_get(IMAGE, other, 8));
        break;
    case PUT_NEAR:
        put(undo, ta, 8, fake_image_get(IMAGE, ta, 8) + change->value % 65 - 32);
        break;
    case HIDE_PAGE:
        undo->hidden[undo->n_hidden++] = ta;
        fake_image_set_hidden(IMAGE, ta, 1, true);
        break;
    case KNOW_TYPE:
    case SET_SIZE:
    case SET_OFFSET:
    case KNOW_ALL:
        change_types(change);
        break;
    default:
        change_debugger(change);
    }
}

static void undo_all(const struct undo *undo)
{
    for (size_t i = undo->n_hidden; i-- > 0;)
        fake_image_set_hidden(IMAGE, undo->hidden[i], 1, false);
    for (size_t i = undo->n; i-- > 0;)
        fake_image_put(IMAGE, undo->ta[i], 8, undo->value[i]);
}

/* One debugger looks twice: the second look uses what the first has found. */
static void look_and_check(void)
{
    (void)fake_look_anew(&fake);
    if (fake.opened)
        (void)fake_look(&fake);
    if (fake.listing.broken[0] != '\0')
        fuzz_fail("build %d: %s", build, fake.listing.broken);
    if (HOST->n_reads > 2 * MAX_READS)
        fuzz_fail("build %d: %ld reads", build, HOST->n_reads);
    release();
    if (HOST->live_blocks != 0)
        fuzz_fail("build %d: %ld blocks were not freed", build, HOST->live_blocks);
    if (HOST->violations != 0)
        fuzz_fail("build %d: %s", build, HOST->violation);
}

static void check_that_nothing_stayed(void)
{
    char *text = look();

    release();
    if (strcmp(text, truth) != 0)
        fuzz_fail("build %d: without the changes the listing is not what it was", build);
    free(text);
}

static void run(const unsigned char *bytes, size_t n)
{
    static unsigned n_runs;
    struct undo undo = {.n = 0};
    struct change change;

    if (n == 0)
        return;
    use_build(bytes[0] % N_BUILDS);
    for (size_t i = 0; i < MAX_CHANGES && 1 + (i + 1) * sizeof change <= n; i++) {
        memcpy(&change, bytes + 1 + i * sizeof change, sizeof change);
        change.kind %= N_KINDS;
        apply(&change, &undo);
    }
    look_and_check();
    undo_all(&undo);
    *HOST = good_host;
    fake_host_use(HOST);
    if (n_runs++ % 16 == 0)
        check_that_nothing_stayed();
}

/* Inputs. */

static struct change some_change(struct numbers *numbers)
{
    static const unsigned char kinds[] = {
        PUT_VALUE, PUT_VALUE, PUT_VALUE, PUT_POINTER, PUT_POINTER, PUT_OTHER, PUT_OTHER, PUT_NEAR, PUT_NEAR, PUT_NEAR,
        HIDE_PAGE, KNOW_TYPE, KNOW_TYPE, SET_SIZE, SET_OFFSET, SET_OFFSET, KNOW_ALL};
    struct change change = {.kind = kinds[number_below(numbers, sizeof kinds)], .which = (uint16_t)next_number(numbers),
                            .at = (uint32_t)next_number(numbers), .value = awkward_number(numbers)};

    change.size = (unsigned char)number_below(numbers, 4);
    if (once_in(numbers, 24))
        change.kind = (unsigned char)number_below(numbers, N_KINDS);
    if (change.kind == PUT_POINTER || change.kind == PUT_OTHER || change.kind == PUT_NEAR)
        change.value = next_number(numbers);
    return change;
}

/* A job is used for a while: to make one takes longer than to look at it. */
enum { INPUTS_OF_A_JOB = 64 };

static void make(struct input *input, const struct input *other, uint64_t i, struct numbers *numbers)
{
    struct numbers of_job = numbers_of(fuzz_seed(), i / INPUTS_OF_A_JOB);
    unsigned char number = (unsigned char)number_below(&of_job, N_BUILDS);
    struct change change;

    (void)other;
    input_replace(input, 0, input->n, &number, 1);
    for (size_t n = 1 + number_below(numbers, once_in(numbers, 4) ? 24 : 6); n > 0; n--) {
        change = some_change(numbers);
        input_replace(input, input->n, 0, &change, sizeof change);
    }
}

int main(int argc, char **argv)
{
    const struct harness harness = {.name = "dll", .make = make, .run = run};

    return fuzz_main(&harness, argc, argv);
}
