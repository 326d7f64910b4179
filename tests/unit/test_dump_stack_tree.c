/* test_dump_stack_tree.c - stacks of many ranks as a tree, and as text that fits a terminal. */
#define TEST_TEARDOWN end()
#include "unit_test.h"

#include "mqd/dump/collect/target/stack/stack.h"
#include "mqd/dump/show/text/stack_text.h"
#include "mqd/dump/show/text/stack_tree.h"
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
    struct stack_tree tree;
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
    stack_tree_clear(&fixture.tree);
    free(fixture.made);
    free(fixture.listings);
    fixture = (struct fixture){0};
}

static void build(void)
{
    stack_tree_clear(&fixture.tree);
    stack_tree_build(&fixture.tree, fixture.listings, fixture.n);
}

/* The node at a path, "main step"; each has to be there. */
static const struct stack_node *node_at(const char *path)
{
    char *copy = test_text("%s", path);
    size_t at = 0;

    for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " ")) {
        for (at = fixture.tree.nodes[at].first_child; at != SIZE_MAX; at = fixture.tree.nodes[at].next_sibling)
            if (strcmp(fixture.tree.nodes[at].frame, word) == 0)
                break;
        if (at == SIZE_MAX)
            fail_msg("there is no %s", path);
    }
    return &fixture.tree.nodes[at];
}

static const char *print(void)
{
    const char *text = PRINTED(stacks_print(test_to, fixture.listings, fixture.n));

    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") <= 80);
    return text;
}

TEST(equal_stacks_are_one_path)
{
    make_ranks(3);
    for (size_t i = 0; i < 3; i++)
        add_stack(i, "main step MPI_Recv");
    build();
    assert_int_equal(fixture.tree.n, 4);
    assert_int_equal(fixture.tree.nodes[0].n_ranks, 3);
    assert_int_equal(node_at("main step MPI_Recv")->n_ranks, 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(node_at("main step")->ranks[i], i);
    assert_string_equal(print(), "\nStacks\n  ranks 0-2:\n    main\n    step\n    MPI_Recv\n");
}

TEST(odd_one_is_told)
{
    make_ranks(8);
    for (size_t i = 0; i < 8; i++)
        add_stack(i, i == 5 ? "main save MPI_Barrier" : "main step MPI_Recv");
    build();
    assert_true(node_at("main save")->odd);
    assert_false(node_at("main save MPI_Barrier")->odd);
    assert_false(node_at("main step")->odd);
    assert_int_equal(node_at("main save")->ranks[0], 5);
    assert_string_equal(print(), "\nStacks\n  ranks 0-7:\n    main\n    ranks 0-4,6,7:\n      step\n      MPI_Recv\n"
                                 "    rank 5 (odd):\n      save\n      MPI_Barrier\n");
}

/* Three of eight are too many. */
TEST(many_are_not_odd)
{
    make_ranks(8);
    for (size_t i = 0; i < 8; i++)
        add_stack(i, i < 3 ? "main left" : "main right");
    build();
    assert_false(node_at("main left")->odd || node_at("main right")->odd);
}

/* Half and half is not odd, and neither is where MPI just is. */
TEST(others_are_not_odd)
{
    make_ranks(8);
    for (size_t i = 0; i < 8; i++)
        add_stack(i, i < 4 ? "main left" : i == 4 ? "main MPI_Recv poll" : "main MPI_Recv yield");
    build();
    for (size_t i = 0; i < fixture.tree.n; i++)
        assert_false(fixture.tree.nodes[i].odd);
}

/* A thread may end where others go on; a rank is there once, whatever its threads do. */
TEST(threads_of_one_rank)
{
    make_ranks(2);
    for (size_t i = 0; i < 2; i++) {
        add_stack(i, "main step");
        add_stack(i, "clone work");
        add_stack(i, "clone work wait");
    }
    build();
    assert_int_equal(node_at("clone work")->n_threads, 4);
    assert_int_equal(node_at("clone work")->n_ranks, 2);
    assert_int_equal(node_at("clone work wait")->n_threads, 2);
    /* The main threads come first. */
    assert_string_equal(fixture.tree.nodes[fixture.tree.nodes[0].first_child].frame, "main");
    assert_string_equal(print(), "\nStacks\n  ranks 0,1:\n    main\n    step\n  ranks 0,1, 4 threads:\n    clone\n"
                                 "    work\n    ranks 0,1:\n      wait\n");
}

TEST(nothing_is_known)
{
    make_ranks(2);
    fixture.made[0].listing.calls = NULL;
    add_stack(1, "");
    build();
    assert_int_equal(fixture.tree.n, 1);
    assert_string_equal(print(), "\nStacks\n  No stack is known.\n"
                                 "  Not known at all: the stack of 1 thread.\n");
}

TEST(processes_without_rank)
{
    make_ranks(3);
    for (size_t i = 0; i < 3; i++)
        add_stack(i, "main");
    fixture.made[0].listing.rank = -1;
    assert_string_equal(print(), "\nStacks\n  process 100, ranks 1,2:\n    main\n");
}

/* Parents come before children, lists agree with counts, children with their parent. */
static void check_tree(void)
{
    for (size_t i = 1; i < fixture.tree.n; i++) {
        const struct stack_node *node = &fixture.tree.nodes[i];

        assert_true(node->parent < i);
        assert_true(node->n_ranks > 0 && node->n_ranks <= node->n_threads);
        assert_true(node->n_threads <= fixture.tree.nodes[node->parent].n_threads);
        for (size_t k = 1; k < node->n_ranks; k++)
            assert_true(node->ranks[k - 1] < node->ranks[k]);
    }
}

/* As many branches as ranks, and branches as deep as stacks are. */
TEST(many_ranks)
{
    make_ranks(MANY);
    for (size_t i = 0; i < MANY; i++) {
        add_stack(i, test_text("start main step%zu at%zu", i % 7, i));
        add_stack(i, "clone poll");
    }
    build();
    check_tree();
    assert_int_equal(fixture.tree.n, 1 + 2 + 7 + MANY + 2);
    assert_int_equal(node_at("start main")->n_ranks, MANY);
    assert_int_equal(node_at("clone poll")->n_ranks, MANY);
    print();
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
    build();
    check_tree();
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
    const struct verdict nothing = {0};

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
    assert_has(PRINTED(json_print(test_to, &listed, 1)),
               "\"place\":null,\"chain\":[\"\\\"main\\\"\"]}],\"stacks\":[{\"thread\":0,"
               "\"main\":true,\"ended\":true,\"frames\":[\"MPI_Recv\",\"main\"]}]");
}
