/*
 * test_dump_queues.c - operations that differ only in what runs on regularly are one line, and so are ranks with equal
 * queues; and nothing else is.
 */
#define TEST_SETUP setup()
#define TEST_TEARDOWN teardown()
#include "unit_test.h"

#include "mqd/dump/base/number.h"
#include "mqd/dump/show/text/listing_text.h"
#include "mqd/dump/show/text/queue_run.h"
#include "mqd/dump/show/text/queue_text.h"

/* Queues that are made up. */

static struct queue queue;

static void setup(void)
{
    queue = (struct queue){.available = true};
}

static void teardown(void)
{
    queue_clear(&queue);
}

static struct queued *post(long peer, long tag, long bytes)
{
    struct queued operation = {
        .status = mqs_st_pending, .desired_local_rank = peer, .desired_global_rank = peer, .desired_tag = tag,
        .desired_length = bytes, .buffer = 0x7f0000001000 + 0x130 * queue.n};

    char line[MAX_QUEUED_TEXT];

    snprintf(line, sizeof line, "Irecv, request 0x%zx; 1 x MPI_INT;", 0x55c000 + 64 * queue.n);
    operation.extra_text[0] = line;
    operation.extra_text[1] = "posted, waiting for a message";
    queue_add(&queue, &operation);
    return &queue.operations[queue.n - 1];
}

static void post_many(size_t n, long peer, long tag, long step)
{
    for (size_t i = 0; i < n; i++)
        post(peer, tag + (long)i * step, 4);
}

/* The runs as "10 1 8/2": numbers of operations, and periods that are not 1. */
static const char *runs_of(int class)
{
    static char text[400];
    struct runs runs;
    size_t length = 0, next = 0;

    runs_find(&runs, class, &queue);
    *text = '\0';
    for (size_t i = 0; i < runs.n; i++) {
        const struct run *run = &runs.runs[i];
        bool shows_period = run->n > 1 && run->period > 1;

        assert_int_equal(run->first, next);
        next += run->n;
        if (length < sizeof text - 60)
            length += (size_t)sprintf(text + length, shows_period ? "%s%zu/%zu" : "%s%zu", i > 0 ? " " : "", run->n,
                                      run->period);
    }
    assert_int_equal(next, queue.n);
    runs_clear(&runs);
    return text;
}

static const char *phrase_of_first(int class)
{
    static const struct row_view view = {0};
    const char *text;
    struct runs runs;

    runs_find(&runs, class, &queue);
    text = of_test(run_phrase(&runs.runs[0], class, &queue, &view));
    runs_clear(&runs);
    return text;
}

/* Runs. */

TEST(tags_that_run_on_are_one_run)
{
    post_many(99990, 0, 10, 1);
    assert_string_equal(runs_of(mqs_pending_receives), "99990");
    assert_string_equal(phrase_of_first(mqs_pending_receives),
                        "99,990 receives from rank 0, tags 10-99,999, 4 bytes each, 399,960 in all");
}

TEST(seven_operations_are_no_run)
{
    post_many(LEAST_RUN - 1, 0, 10, 1);
    assert_string_equal(runs_of(mqs_pending_receives), "1 1 1 1 1 1 1");
    post_many(1, 0, 10 + LEAST_RUN - 1, 1);
    assert_string_equal(runs_of(mqs_pending_receives), "8");
}

TEST(odd_operation_is_shown)
{
    post_many(50, 0, 10, 1);
    queue.operations[20].desired_tag = 7;
    assert_string_equal(runs_of(mqs_pending_receives), "20 1 29");
    queue.operations[20].desired_tag = 30;
    assert_string_equal(runs_of(mqs_pending_receives), "50");
    queue.operations[20].desired_length = 8;
    assert_string_equal(runs_of(mqs_pending_receives), "20 1 29");
    queue.operations[20].desired_length = 4;
    queue.operations[20].extra_text[1] = "Posted, waiting for a message";
    assert_string_equal(runs_of(mqs_pending_receives), "20 1 29");
    queue.operations[20].extra_text[1] = "posted, waiting for a message";
    queue.operations[20].status = mqs_st_matched;
    assert_string_equal(runs_of(mqs_pending_receives), "20 1 29");
    queue.operations[20].status = mqs_st_pending;
    queue.operations[20].tag_wild = 1;
    assert_string_equal(runs_of(mqs_pending_receives), "20 1 29");
    queue.operations[20].tag_wild = 0;
    queue.operations[20].buffer = 0;
    assert_string_equal(runs_of(mqs_pending_receives), "20 1 29");
    queue.operations[20].buffer = 0x10;
    assert_string_equal(runs_of(mqs_pending_receives), "50");
    queue.operations[20].desired_local_rank = queue.operations[20].desired_global_rank = -1;
    assert_string_equal(runs_of(mqs_pending_receives), "20 1 29");
}

/* The hash does not have the rank in MPI_COMM_WORLD: the comparison of what is folded finds it. */
TEST(rank_of_world_alone_is_odd)
{
    post_many(30, 0, 10, 1);
    queue.operations[12].desired_global_rank = 5;
    assert_string_equal(runs_of(mqs_pending_receives), "12 1 17");
}

TEST(sources_that_run_on_are_one_run)
{
    for (long rank = 1; rank < 1024; rank++)
        post(rank, 5, 8);
    assert_string_equal(runs_of(mqs_unexpected_messages), "1023");
    assert_string_equal(phrase_of_first(mqs_unexpected_messages),
                        "1,023 messages from ranks 1-1023, tag 5, 8 bytes each, 8,184 in all");
}

TEST(loop_is_one_run)
{
    for (long step = 0; step < 1000; step++)
        for (long neighbour = 0; neighbour < 6; neighbour++)
            post(neighbour * neighbour, step, 8 * (neighbour + 1));
    assert_string_equal(runs_of(mqs_pending_sends), "6000/6");
    assert_string_equal(phrase_of_first(mqs_pending_sends),
                        "6,000 sends to ranks 0,1,4,9,16,25, tags 0-999, 8-48 bytes each, 168,000 in all");
}

/* Messages of a few ranks, in the order in which they have arrived. */
TEST(series_in_any_order_are_one_run_each)
{
    long tags[4] = {0, 500, 0, 7};
    const char *runs;

    srand(3);
    for (int i = 0; i < 4500; i++) {
        int rank = rand() % 4;

        post(rank, tags[rank]++, rank == 3 ? 16 : 8);
    }
    post(1, 7, 4);
    runs = runs_of(mqs_unexpected_messages);
    assert_int_equal(strspn(runs, "0123456789 "), strlen(runs));
    assert_int_equal(strlen(runs), strlen("1125 1125 1125 1125 1"));
    assert_string_equal(runs + strlen(runs) - 2, " 1");
}

/* Each rank has sent once, and the messages have arrived in any order. */
TEST(sources_in_any_order_are_one_run)
{
    for (long i = 1; i < 1009; i++)
        post(i * i % 1009 * (i * i % 1009) % 1009 * i % 1009, 5, 8);
    assert_string_equal(runs_of(mqs_unexpected_messages), "1008");
    assert_string_equal(phrase_of_first(mqs_unexpected_messages),
                        "1,008 messages from ranks 1-1008, tag 5, 8 bytes each, 8,064 in all");
}

/* What fits a screen stays in its order, and so does what is no shorter in another one. */
TEST(order_is_kept_where_nothing_is_won)
{
    struct runs runs;

    srand(4);
    for (int i = 0; i < 40; i++)
        post(rand() % 2, 5, 8);
    runs_find(&runs, mqs_unexpected_messages, &queue);
    assert_null(runs.order);
    runs_clear(&runs);
    for (int i = 0; i < 500; i++)
        post(rand() % 2, rand() % 1000, 8);
    runs_find(&runs, mqs_unexpected_messages, &queue);
    assert_null(runs.order);
    runs_clear(&runs);
}

/* Two rounds do not show that something runs on. */
TEST(two_rounds_are_no_run)
{
    for (long round = 0; round < 2; round++)
        for (long i = 0; i < 10; i++)
            post(i * i, 0, 4);
    assert_string_equal(runs_of(mqs_pending_receives), "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1");
    for (long i = 0; i < 10; i++)
        post(i * i, 0, 4);
    assert_string_equal(runs_of(mqs_pending_receives), "30/10");
}

TEST(tags_with_gaps_are_counted)
{
    post_many(50000, 3, 0, 2);
    assert_string_equal(phrase_of_first(mqs_pending_receives),
                        "50,000 receives from rank 3, 50,000 tags from 0 to 99,998, 4 bytes each, 200,000 in all");
}

TEST(wildcards_and_unknowns_are_said)
{
    for (int i = 0; i < 9; i++)
        post(-1, 0, 1)->tag_wild = 1;
    assert_string_equal(runs_of(mqs_pending_receives), "9");
    assert_string_equal(phrase_of_first(mqs_pending_receives),
                        "9 receives from any rank, any tag, 1 byte each, 9 in all");
}

/* Numbers of a hostile process. */
TEST(extreme_numbers_do_not_overflow)
{
    for (int i = 0; i < 20; i++)
        post(i % 2 == 0 ? INT64_MAX : INT64_MIN, i % 2 == 0 ? INT64_MIN : INT64_MAX, INT64_MAX);
    runs_of(mqs_pending_receives);
    phrase_of_first(mqs_pending_receives);
    for (int i = 0; i < 20; i++)
        queue.operations[i].desired_local_rank = INT64_MAX - i;
    runs_of(mqs_pending_receives);
    assert_has(phrase_of_first(mqs_pending_sends), "too many in all");
}

/* Another letter in a text of an operation. */
static void change_text(const char **text)
{
    static char changed[MAX_QUEUED_TEXT + 1];

    snprintf(changed, sizeof changed, "%s", *text);
    changed[rand() % 6] ^= 1;
    *text = changed;
}

/* No operation is hidden that cannot be told from what is shown: a change of one is seen, whatever it is. */
TEST(random_change_is_never_hidden)
{
    srand(5);
    post_many(200, 2, 100, 3);
    for (int round = 0; round < 2000; round++) {
        struct queued *operation = &queue.operations[1 + rand() % 198], saved = *operation;

        switch (rand() % 4) {
        case 0:
            operation->desired_tag += 1 + rand() % 5;
            break;
        case 1:
            operation->desired_length ^= 1 << rand() % 20;
            break;
        case 2:
            operation->desired_local_rank += 1 + rand() % 3;
            break;
        default:
            change_text(&operation->extra_text[rand() % 2]);
            break;
        }
        assert_string_not_equal(runs_of(mqs_pending_receives), "200");
        *operation = saved;
    }
    assert_string_equal(runs_of(mqs_pending_receives), "200");
}

/* Each kind of a period is shown: what is pending among what is complete may be why the rank hangs. */
TEST(each_kind_of_a_run_is_shown)
{
    struct communicator world = {.size = 4, .name = "MPI_COMM_WORLD"};
    struct listing listing = {.pid = 100, .user = -1, .has_communicators = true, .communicators = &world, .n = 1};
    const struct listing *listed = &listing;
    const char *text;

    for (int i = 0; i < 30; i++) {
        struct queued *operation = post(2, i, 4);

        if (i % 3 != 1) {
            operation->status = mqs_st_complete;
            operation->actual_local_rank = operation->actual_global_rank = 2;
            operation->actual_tag = i;
            operation->actual_length = 4;
        }
    }
    assert_string_equal(runs_of(mqs_pending_receives), "30/3");
    for (int class = 0; class < N_QUEUES; class++)
        world.queues[class].available = true;
    world.queues[mqs_pending_receives] = queue;
    text = PRINTED(text_print(test_to, &listed, 1, &(struct words){0}, false));
    assert_times(text, "      pending", 2);
    assert_has(text, "rounds");
}

/* Receives of the same kind that have got messages of different lengths: no run is tried at each of them. */
TEST(time_is_that_of_reading)
{
    for (long i = 0; i < 100000; i++) {
        struct queued *operation = post(0, i, 64);

        operation->status = mqs_st_complete;
        operation->actual_local_rank = operation->actual_global_rank = 0;
        operation->actual_tag = i;
        operation->actual_length = i * i % 61;
    }
    runs_of(mqs_pending_receives);
}

/* Steps that wrap around would not follow from the first and the last number. */
TEST(numbers_beyond_those_of_mpi_are_no_run)
{
    for (long i = 0; i < 10; i++)
        post(0, INT32_MAX + i, 4);
    assert_string_equal(runs_of(mqs_pending_receives), "1 1 1 1 1 1 1 1 1 1");
}

/* What a rank is called in MPI_COMM_WORLD does not change from one operation to the next. */
TEST(rank_of_world_that_changes_is_odd)
{
    post_many(30, 7, 10, 1);
    for (int i = 0; i < 30; i++)
        queue.operations[i].desired_global_rank = i == 12 ? 6 : 5;
    assert_string_equal(runs_of(mqs_pending_receives), "12 1 17");
}

/* Regular at first for each period, and never in the end: the search must not try them all at each place. */
TEST(time_is_bounded)
{
    for (long i = 0; i < 60000; i++)
        post(0, i % 131 < 70 ? 0 : i * i % 97, 4);
    runs_of(mqs_pending_receives);
}

PLAIN_TEST(numbers_have_commas)
{
    static const struct {
        long number;
        const char *text;
    } rows[] = {{0, "0"}, {7, "7"}, {999, "999"}, {1000, "1,000"}, {-999, "-999"}, {-1000, "-1,000"},
                {123456789, "123,456,789"}, {INT64_MIN, "-9,223,372,036,854,775,808"}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(NUMBER(rows[i].number), rows[i].text);
    assert_string_equal(SUM(533344.), "533,344");
    assert_string_equal(SUM(1e300), "too many");
}

/* The folded text, unfolded. */

enum { MAX_BLOCKS = 1000 };

/* A row with the lines below it, or the phrase of a run, as words. What a row has nothing for is left out. */
struct block {
    char words[400];
};

static void add_words(struct block *block, char *line)
{
    for (char *word = strtok(line, " "); word != NULL; word = strtok(NULL, " "))
        if (strcmp(word, "-") != 0) {
            strcat(block->words, word);
            strcat(block->words, " ");
        }
}

/* Takes a text apart below its heading. Says whether it tells that it is not in order. */
static size_t take_blocks(struct block *blocks, bool each, bool *sorted)
{
    static const struct mqd_process_name here;
    const struct queue_view view = {.each = each, .here = &here};
    char *text = PRINTED(queue_text_print(test_to, mqs_pending_receives, &queue, &view)), *line;
    size_t n = 0;

    *sorted = strstr(text, "no regular order") != NULL;
    text = strchr(strstr(text, "status"), '\n') + 1;
    while (*(line = strsep(&text, "\n")) != '\0') {
        if (line[6] != ' ') {
            assert_true(n < MAX_BLOCKS);
            blocks[n++] = (struct block){""};
        }
        add_words(&blocks[n - 1], line);
    }
    return n;
}

static size_t position_of(const struct run *run, size_t i)
{
    size_t place = run->first + i * run->stride;

    return run->order != NULL ? run->order[place] : place;
}

/* Without what may be another one in each operation of a run. */
static struct queued kind_of(const struct queued *operation)
{
    struct queued kind = *operation;

    kind.desired_local_rank = kind.desired_global_rank = kind.actual_local_rank = kind.actual_global_rank = 0;
    kind.desired_tag = kind.actual_tag = 0;
    kind.buffer = operation->buffer != 0;
    kind.extra_text[0] = kind.extra_text[1] = NULL;
    return kind;
}

/* The i-th operation of a run follows from the first and the last one at its place of a round. */
static void check_operation(const struct run *run, size_t i)
{
    size_t place = i % run->period, n_steps = (run->n - 1 - place) / run->period;
    const struct queued *first = &queue.operations[position_of(run, place)];
    const struct queued *last = &queue.operations[position_of(run, place + n_steps * run->period)];
    const struct queued *this = &queue.operations[position_of(run, i)];
    const struct queued kinds[] = {kind_of(first), kind_of(this)};
    long steps = (long)n_steps, at = (long)(i / run->period);
    long far = last->desired_local_rank - first->desired_local_rank, more = last->desired_tag - first->desired_tag;

    assert_memory_equal(&kinds[0], &kinds[1], sizeof *kinds);
    assert_string_equal(first->extra_text[1], this->extra_text[1]);
    assert_true(far % steps == 0 && this->desired_local_rank == first->desired_local_rank + far / steps * at);
    assert_true(more % steps == 0 && this->desired_tag == first->desired_tag + more / steps * at);
}

/* "99 receives ... in rounds of 3: ..." */
static void check_phrase(const char *phrase, const struct run *run)
{
    const char *rounds = strstr(phrase, "in rounds of ");

    assert_true(run->n >= LEAST_RUN && run->period <= MAX_PERIOD);
    assert_int_equal(strtoul(phrase, NULL, 10), run->n);
    assert_int_equal(rounds != NULL ? strtoul(rounds + strlen("in rounds of "), NULL, 10) : 1, run->period);
}

/* The folded text has the first and the last round of each run, as the whole text has them, and each operation once. */
static void check_folded(size_t *n_rows, size_t *n_sorted)
{
    static struct block folded[MAX_BLOCKS], whole[MAX_BLOCKS];
    bool seen[MAX_BLOCKS] = {false}, sorted;
    size_t n_whole = take_blocks(whole, true, &sorted), n_folded = take_blocks(folded, false, &sorted), at = 0;
    struct runs runs;

    assert_int_equal(n_whole, queue.n);
    runs_find(&runs, mqs_pending_receives, &queue);
    assert_true(sorted == (runs.order != NULL));
    for (size_t i = 0; i < runs.n; i++) {
        const struct run *run = &runs.runs[i];
        size_t n_told = run->n > 1 ? 2 * run->period : 1;

        if (run->n > 1)
            check_phrase(folded[at++].words, run);
        for (size_t k = 0; k < n_told; k++) {
            size_t position = position_of(run, 2 * k < n_told ? k : run->n - n_told + k);

            assert_string_equal(folded[at++].words, whole[position].words);
        }
        for (size_t k = 0; k < run->n; k++) {
            assert_false(seen[position_of(run, k)]);
            seen[position_of(run, k)] = true;
            if (run->n > 1)
                check_operation(run, k);
        }
        *n_rows += n_told;
    }
    assert_int_equal(at, n_folded);
    for (size_t i = 0; i < queue.n; i++)
        assert_true(seen[i]);
    *n_sorted += sorted;
    runs_clear(&runs);
}

/* Makes it odd, or leaves it as it is. */
static void spoil(struct queued *operation)
{
    switch (rand() % 8) {
    case 0:
        operation->tag_wild = 1;
        break;
    case 1:
        operation->desired_local_rank = operation->desired_global_rank = -1;
        break;
    case 2:
        operation->status = rand() % 2 != 0 ? mqs_st_complete : mqs_st_matched;
        operation->actual_local_rank = operation->actual_global_rank = operation->desired_local_rank;
        operation->actual_tag = operation->desired_tag;
        operation->actual_length = 4;
        break;
    case 3:
        operation->extra_text[1] = "matched, 8 bytes of it have arrived";
        break;
    case 4:
        operation->desired_length += 4;
        break;
    case 5:
        operation->desired_tag++;
        break;
    case 6:
        operation->buffer = 0;
        break;
    default:
        break;
    }
}

/* Posts series that alternate, each with its own steps, and with an odd one among them. */
static void post_series(void)
{
    struct { long peer, tag, step, far, bytes; } series[7];
    int n = 1 + rand() % 7, odd = rand() % 40;
    bool irregular = rand() % 3 == 0;

    for (int i = 0; i < n; i++) {
        series[i].peer = rand() % 50;
        series[i].tag = rand() % 3 * 1000;
        series[i].step = rand() % 7 - 3;
        series[i].far = rand() % 4 == 0 ? 1 : 0;
        series[i].bytes = 4 << rand() % 3;
    }
    for (int i = 0, many = rand() % 150; i < many; i++) {
        int k = irregular ? rand() % n : i % n;
        struct queued *operation = post(series[k].peer, series[k].tag, series[k].bytes);

        series[k].peer += series[k].far;
        series[k].tag += series[k].step;
        if (i == odd)
            spoil(operation);
    }
}

TEST(folded_text_tells_each_operation)
{
    size_t n_all = 0, n_rows = 0, n_sorted = 0;

    srand(11);
    for (int round = 0; round < 300; round++) {
        queue.n = 0;
        for (int i = rand() % 5; i >= 0 || queue.n == 0; i--)
            post_series();
        check_folded(&n_rows, &n_sorted);
        n_all += queue.n;
    }
    assert_true(n_rows < n_all / 2);
    assert_in_range(n_sorted, 10, 290);
}

/* Of tags and lengths the rows have the same commas as the lines above them; ranks have none anywhere. */
TEST(numbers_of_rows_are_those_of_lines)
{
    static const struct mqd_process_name here;
    const struct queue_view view = {.here = &here};
    const char *text;

    for (long i = 0; i < 2000; i++)
        post(1000 + i, 97000 + i, 4000);
    text = PRINTED(queue_text_print(test_to, mqs_pending_receives, &queue, &view));
    assert_has(text, "2,000 receives from ranks 1000-2999, tags 97,000-98,999, 4,000 bytes each,");
    assert_has(text, "pending  2999  98,999  4,000  0x");
}

/* Ranks. */

enum { N_RANKS = 8 };
static struct listing listings[N_RANKS];
static const struct listing *shown[N_RANKS];
static struct communicator worlds[N_RANKS];
static struct queued receives[N_RANKS];
static char program[] = "/ring";

/* Each rank receives from the one that is `distance` away; the others' numbers are as of a ring. */
static void make_ring(long distance, long only_from)
{
    for (int i = 0; i < N_RANKS; i++) {
        long peer = only_from >= 0 ? only_from : (i + distance + N_RANKS) % N_RANKS;

        receives[i] = (struct queued){.desired_local_rank = peer, .desired_global_rank = peer,
                                              .desired_tag = 3, .desired_length = 4, .buffer = 0x1000u + (unsigned)i};
        worlds[i] = (struct communicator){.local_rank = i, .size = N_RANKS, .name = "MPI_COMM_WORLD"};
        for (int class = 0; class < N_QUEUES; class++)
            worlds[i].queues[class].available = true;
        worlds[i].queues[mqs_pending_receives].operations = &receives[i];
        worlds[i].queues[mqs_pending_receives].n = 1;
        listings[i] = (struct listing){.pid = 100 + i, .rank = i, .user = -1, .executable = program,
                                       .has_communicators = true, .communicators = &worlds[i], .n = 1};
        shown[i] = &listings[i];
    }
}

static const char *print_all(bool each)
{
    return PRINTED(text_print(test_to, shown, N_RANKS, &(struct words){0}, each));
}

PLAIN_TEST(ring_is_one_rank)
{
    make_ring(1, -1);
    assert_has(print_all(false), "\nRanks 1-7, processes 101-107: the same as rank 0, each from its right "
               "neighbour\n");
    assert_times(print_all(false), "Receives", 1);
    assert_times(print_all(true), "Receives", N_RANKS);
    assert_lacks(print_all(true), "the same");
    make_ring(-1, -1);
    assert_has(print_all(false), "each from its left neighbour\n");
    make_ring(3, -1);
    assert_has(print_all(false), "each from its own rank + 3\n");
    make_ring(0, -1);
    assert_has(print_all(false), "each from itself\n");
}

PLAIN_TEST(same_peer_is_said_without_neighbours)
{
    make_ring(0, 2);
    assert_has(print_all(false), "\nRanks 1-7, processes 101-107: the same as rank 0\n");
}

PLAIN_TEST(odd_rank_is_shown)
{
    const char *text;

    make_ring(1, -1);
    receives[4].desired_tag = 4;
    text = print_all(false);
    assert_has(text, "\nRanks 1-3,5-7, processes 101-103,105-107: the same as rank 0, each from");
    assert_has(text, "\nRank 4, process 104: /ring\n");
    make_ring(1, -1);
    listings[4].was_running = true;
    assert_has(print_all(false), "\nRank 4, process 104: /ring\n");
    make_ring(1, -1);
    listings[7].error = program;
    assert_has(print_all(false), "\nRank 7, process 107: /ring\n");
    make_ring(1, -1);
    worlds[5].unique_id = 3;
    assert_has(print_all(false), "\nRank 5, process 105: /ring\n");
}

/* What is between the first and the last of a run is compared too. */
PLAIN_TEST(runs_of_equal_ends_are_told_apart)
{
    static const long sources[2][6] = {{1, 1001, 2002, 3003, 4004, 9999}, {1, 1002, 2002, 3003, 4004, 9999}};
    static struct queued rounds[N_RANKS][60];

    make_ring(1, -1);
    for (int i = 0; i < N_RANKS; i++) {
        worlds[i].size = 10000;
        for (int k = 0; k < 60; k++) {
            long source = sources[i == 3][k % 6];

            rounds[i][k] = (struct queued){.desired_local_rank = source, .desired_global_rank = source,
                                                   .desired_tag = k / 6, .desired_length = 4, .buffer = 0x1000};
        }
        worlds[i].queues[mqs_pending_receives].operations = rounds[i];
        worlds[i].queues[mqs_pending_receives].n = 60;
    }
    assert_has(print_all(false), "\nRank 3, process 103: /ring\n");
    assert_has(print_all(false), "\nRanks 1,2,4-7, processes 101,102,104-107: the same as rank 0\n");
}

/* Ranks of one communicator, as of a row of a grid, are others in MPI_COMM_WORLD for each row. */
PLAIN_TEST(neighbours_in_rows_of_a_grid_are_the_same)
{
    enum { ROW = N_RANKS / 2 };

    make_ring(1, -1);
    for (int i = 0; i < N_RANKS; i++) {
        long peer = (i % ROW + 1) % ROW;

        worlds[i].local_rank = i % ROW;
        worlds[i].size = ROW;
        receives[i].desired_local_rank = peer;
        receives[i].desired_global_rank = i / ROW * ROW + peer;
    }
    assert_has(print_all(false), "\nRanks 1-7, processes 101-107: the same as rank 0, each from its right "
               "neighbour\n");
}

PLAIN_TEST(two_equal_ranks_are_said_in_the_singular)
{
    make_ring(1, -1);
    for (int i = 2; i < N_RANKS; i++)
        receives[i].desired_tag = 10 + i;
    assert_has(print_all(false), "\nRank 1, process 101: the same as rank 0, from its right neighbour\n");
}

/* Peers that no communicator has. */
PLAIN_TEST(peers_beyond_the_communicator_are_compared_as_they_are)
{
    static struct queued sends[N_RANKS][LEAST_RUN];

    make_ring(1, -1);
    for (int i = 0; i < N_RANKS; i++) {
        for (int k = 0; k < LEAST_RUN; k++)
            sends[i][k] = (struct queued){.desired_local_rank = INT64_MAX, .desired_global_rank = 1};
        worlds[i].queues[mqs_pending_sends].operations = sends[i];
        worlds[i].queues[mqs_pending_sends].n = LEAST_RUN;
    }
    assert_has(print_all(false), "the same as rank 0, each from its right neighbour");
}

/* Ranks of two machines are told with their machines. */
PLAIN_TEST(machines_of_the_others_are_named)
{
    make_ring(1, -1);
    for (int i = 0; i < N_RANKS; i++)
        listings[i].host = i < 4 ? "n01" : "n02";
    assert_has(print_all(false), "\nRanks 1-7 on n[01-02]: the same as rank 0, each from");
}
