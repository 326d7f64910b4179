/* test_dump_stack_tree.c - stacks of many ranks as a tree, and as text that fits a terminal. */
#define TEST_TEARDOWN end()
#include "unit_test.h"

#include "mqd/dump/collect/target/stack/stack.h"
#include "mqd/dump/show/text/stack_text.h"
#include "mqd/dump/show/text/verdict_text.h"
#include "mqd/dump/show/json.h"

enum { MANY = 10000, MAX_FRAMES = 300 };

/* A rank with threads; frames are given from the outermost one on, as one text: "main step recv". */
struct made {
    struct listing listing;
    struct calls calls;
};

static struct fixture {
    struct made *made;
    const struct listing **listings;
    size_t n;
    struct calls calls[2];         /* in place of those that are freed */
} fixture;

static void make_ranks(size_t n)
{
    fixture.n = n;
    fixture.made = allocate_array(n, sizeof *fixture.made);
    fixture.listings = allocate_array(n, sizeof *fixture.listings);
    for (size_t i = 0; i < n; i++) {
        fixture.made[i].listing = (struct listing){.rank = (int)i, .pid = 100 + (int)i,
                                                   .calls = &fixture.made[i].calls};
        fixture.made[i].calls.stacks = allocate_array(4, sizeof *fixture.made[i].calls.stacks);
        fixture.made[i].calls.has_stacks = true;
        fixture.listings[i] = &fixture.made[i].listing;
    }
}

static void add_stack(size_t rank, const char *frames)
{
    struct calls *calls = &fixture.made[rank].calls;
    struct named_stack *stack = &calls->stacks[calls->n_stacks];
    const char *words[MAX_FRAMES];
    size_t room = MAX_FRAMES * sizeof(char *), n = 0;
    char *text;

    *stack = (struct named_stack){.is_main = calls->n_stacks == 0, .ended = true};
    stack->frames = allocate_array(1, room + strlen(frames) + 1);
    text = strcpy((char *)stack->frames + room, frames);
    for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " "))
        words[n++] = word;
    for (size_t i = 0; i < n; i++)
        stack->frames[i] = words[n - 1 - i];
    stack->n = n;
    calls->n_stacks++;
}

static void end(void)
{
    for (size_t i = 0; i < fixture.n; i++)
        calls_clear(&fixture.made[i].calls);
    free(fixture.made);
    free(fixture.listings);
    fixture = (struct fixture){0};
}

static const char *print(void)
{
    const char *text = PRINTED(stacks_print(test_to, fixture.listings, fixture.n));

    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") <= 80);
    return text;
}

/* Ranks from the i-th one on have the i-th stack. */
static const struct {
    size_t n;
    const char *stacks[8], *text;
} shapes[] = {
    {3, {"main step MPI_Recv"}, "  ranks 0-2:\n    main\n    step\n    MPI_Recv\n"},
    /* One of eight is odd; three are too many, half and half is not odd, and neither is where MPI just is. */
    {8, {"main step MPI_Recv", [5] = "main save MPI_Barrier", "main step MPI_Recv"},
     "  ranks 0-7:\n    main\n    ranks 0-4,6,7:\n      step\n      MPI_Recv\n"
     "    rank 5 (odd):\n      save\n      MPI_Barrier\n"},
    {8, {"main left", [3] = "main right"},
     "  ranks 0-7:\n    main\n    ranks 3-7:\n      right\n    ranks 0-2:\n      left\n"},
    {8, {"main left", [4] = "main MPI_Recv poll", "main MPI_Recv yield"},
     "  ranks 0-7:\n    main\n    ranks 0-3:\n      left\n    ranks 4-7:\n      MPI_Recv\n"
     "      ranks 5-7:\n        yield\n      rank 4:\n        poll\n"},
    {1, {""}, "  No stack is known.\n  Not known at all: the stack of 1 thread.\n"},
};

TEST(ranks_part_where_their_stacks_do)
{
    for (size_t i = 0; i < N_OF(shapes); i++) {
        const char *stack = "";

        make_ranks(shapes[i].n);
        for (size_t rank = 0; rank < shapes[i].n; rank++) {
            stack = shapes[i].stacks[rank] != NULL ? shapes[i].stacks[rank] : stack;
            add_stack(rank, stack);
        }
        assert_string_equal(print(), test_text("\nStacks\n%s", shapes[i].text));
        end();
    }
}

/* A thread may end where others go on; a rank is there once, whatever its threads do. Main threads come first. */
TEST(threads_of_one_rank)
{
    make_ranks(2);
    for (size_t i = 0; i < 2; i++) {
        add_stack(i, "main step");
        add_stack(i, "clone work");
        add_stack(i, "clone work wait");
    }
    assert_string_equal(print(), "\nStacks\n  ranks 0,1:\n    main\n    step\n  ranks 0,1, 4 threads:\n    clone\n"
                                 "    work\n    ranks 0,1:\n      wait\n");
}

TEST(processes_without_rank)
{
    make_ranks(3);
    for (size_t i = 0; i < 3; i++)
        add_stack(i, "main");
    fixture.made[0].listing.rank = -1;
    assert_string_equal(print(), "\nStacks\n  process 100, ranks 1,2:\n    main\n");
}

/* As many branches as ranks, and branches as deep as stacks are. */
TEST(many_ranks)
{
    const char *text;

    make_ranks(MANY);
    for (size_t i = 0; i < MANY; i++) {
        add_stack(i, test_text("start main step%zu at%zu", i % 7, i));
        add_stack(i, "clone poll");
    }
    text = print();
    assert_has(text, "\n  ranks 0-9999:\n    start\n    main\n    ranks 0,7,...,9996:\n      step0\n      rank 0:\n");
    assert_has(text, "\n  ranks 0-9999:\n    clone\n    poll\n");
    assert_int_equal(count_of(text, "\n"), 2 + 3 + 3 + 7 * 2 + 2 * MANY);
}

TEST(deep_branches)
{
    char frames[3 * MAX_FRAMES] = "a";

    make_ranks(200);
    for (size_t i = 0; i < 200; i++) {
        strcat(frames, " a");
        add_stack(i, frames);
        add_stack(i, "b");
    }
    print();
}

/* What is longer than a line goes over several, and controls of terminals do not come through. */
TEST(hostile_frames)
{
    char frame[300];

    memset(frame, 'x', sizeof frame - 1);
    frame[sizeof frame - 1] = '\0';
    make_ranks(2);
    add_stack(0, frame);
    add_stack(1, "\033[31mred");
    assert_null(strchr(print(), '\033'));
}

/* Where the program is follows the call; without a chain there is the one place as ever. */
TEST(chain_is_told_where_one_place_does_not)
{
    static char function[] = "MPI_File_write_at_all", library[] = "H5Dwrite in libhdf5_openmpi",
                program[] = "save_state main.c:214", inside[] = "H5FD__mpio_write+0x1a";
    struct call call = {.is_main = true, .state = CALL_MPI, .function = function, .place = inside,
                        .chain = {library, program}, .n_chain = 2};
    const struct explanation nothing = {0};

    make_ranks(2);
    for (size_t i = 0; i < 2; i++) {
        fixture.made[i].listing.calls = &fixture.calls[i];
        fixture.calls[i] = (struct calls){.calls = &call, .n = 1};
    }
    assert_has(PRINTED(verdict_print(test_to, &nothing, fixture.listings, fixture.n)),
               "\nWhere\n  ranks 0,1: MPI_File_write_at_all, from H5Dwrite in libhdf5_openmpi, from\n"
               "    save_state main.c:214\n");
    call.n_chain = 0;
    assert_has(PRINTED(verdict_print(test_to, &nothing, fixture.listings, fixture.n)),
               "\nWhere\n  ranks 0,1: MPI_File_write_at_all called from H5FD__mpio_write+0x1a\n");
}

TEST(json_has_chains_and_stacks)
{
    static char function[] = "MPI_Recv", program[] = "\"main\"";
    struct call call = {.thread = 7, .is_main = true, .state = CALL_MPI, .function = function, .chain = {program},
                        .n_chain = 1};
    struct listing listing;
    const struct listing *listed = &listing;

    make_ranks(1);
    add_stack(0, "main MPI_Recv");
    fixture.calls[0] = fixture.made[0].calls;
    fixture.calls[0].calls = &call;
    fixture.calls[0].n = 1;
    listing = (struct listing){.calls = &fixture.calls[0]};
    assert_has(PRINTED(json_print(test_to, &listed, 1, NULL, NULL, 0)),
               "\"place\":null,\"chain\":[\"\\\"main\\\"\"]}],\"stacks\":[{\"thread\":0,"
               "\"main\":true,\"ended\":true,\"frames\":[\"MPI_Recv\",\"main\"]}]");
}
