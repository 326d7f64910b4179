/*
 * test_dump_picture.c - the pictures of who waits for whom, of jobs that the test makes.
 */
#include <sys/stat.h>
#include <unistd.h>

#define TEST_TEARDOWN end_test()
#include "unit_test.h"

#include "dump_job.h"
#include "mqd/dump/base/whole_file.h"
#include "mqd/dump/show/graph/picture_layout.h"
#include "mqd/dump/show/graph/picture_svg.h"
#include "mqd/dump/show/graph/wait_picture.h"
#include "verdict_case.h"

static struct picture picture;

static void end_test(void)
{
    job_end();
    picture_clear(&picture);
}

static void draw_witnesses(const struct witness *witnesses, size_t n)
{
    struct analysis analysis;

    picture_clear(&picture);
    analysis_make(&analysis, witnesses, n);
    picture_draw(&picture, &analysis);
    analysis_clear(&analysis);
}

static void draw(void)
{
    draw_witnesses(job.witnesses, job.n_ranks);
}

static const struct picture_node *node_of(const char *who)
{
    for (size_t i = 0; i < picture.n_nodes; i++)
        if (strcmp(picture.nodes[i].who, who) == 0)
            return &picture.nodes[i];
    for (size_t i = 0; i < picture.n_nodes; i++)
        print_error("node '%s'\n", picture.nodes[i].who);
    fail_msg("there is no node '%s'", who);
    return NULL;
}

static const struct picture_edge *edge_of(const char *from, const char *to)
{
    for (size_t i = 0; i < picture.n_edges; i++)
        if (&picture.nodes[picture.edges[i].from] == node_of(from) &&
            &picture.nodes[picture.edges[i].to] == node_of(to))
            return &picture.edges[i];
    fail_msg("'%s' does not wait for '%s'", from, to);
    return NULL;
}

static void check_prints(void (*print)(FILE *to, const struct picture *picture), const char *part, size_t n)
{
    assert_times(PRINTED(print(test_to, &picture)), part, n);
}

/* Makes a job, and draws it. */
static void draw_job(const char *lines)
{
    job_end();
    job_make(lines);
    draw();
}

TEST(ring_is_a_circle_and_does_not_fold)
{
    job_start_ring(4);
    draw();
    assert_int_equal(picture.n_nodes, 4);
    assert_int_equal(picture.n_edges, 4);
    assert_int_equal(picture.n_circles, 1);
    assert_int_equal(node_of("3")->state, PICTURE_STUCK);
    assert_int_equal(node_of("3")->circle, 1);
    assert_string_equal(node_of("3")->what, "MPI_Recv");
    assert_true(edge_of("0", "3")->in_circle);
    assert_false(edge_of("0", "3")->one_is_enough);
    assert_string_equal(edge_of("0", "3")->label, "recv tag 7 on MPI_COMM_WORLD");
    check_prints(picture_print_dot, "penwidth=3", 8);
    check_prints(picture_print_svg, "class=\"wait circle\"", 4);
    check_prints(picture_print_svg, "Not drawn", 0);
}

/* Ranks that wait for the same share a box. A rank that others wait for has a box of its own. */
TEST(ranks_that_wait_for_the_same_are_one)
{
    draw_job("ranks 9\n0-4,6,8: MPI_Ssend to 5 tag 3");
    assert_int_equal(picture.n_nodes, 3);
    assert_int_equal(picture.n_edges, 1);
    assert_int_equal(picture.n_circles, 0);
    assert_string_equal(edge_of("0-4,6,8", "5")->label, "Ssend tag 3 on MPI_COMM_WORLD");
    assert_int_equal(node_of("0-4,6,8")->state, PICTURE_WAITS);
    assert_int_equal(node_of("0-4,6,8")->n_ranks, 7);
    assert_int_equal(node_of("5")->state, PICTURE_BUSY);
    assert_string_equal(node_of("7")->what, "outside of MPI");
    check_prints(picture_print_dot, "penwidth", 0);
}

/* Ranks that wait for ranks in one box share a box too. */
TEST(tree_folds_from_its_root)
{
    draw_job("ranks 7\n1,2: MPI_Recv from 0 tag 1\n3,4: MPI_Recv from 1 tag 1\n5,6: MPI_Recv from 2 tag 1");
    assert_int_equal(picture.n_nodes, 3);
    edge_of("1,2", "0");
    edge_of("3-6", "1,2");
}

/* Who waits for whom in it is the affair of the MPI library, and hides who is in another one. */
TEST(ranks_in_one_collective_call_are_one)
{
    char *lines = test_text("ranks 64");

    for (int i = 0; i < 64; i++)
        lines = test_text("%s\n%d: %s from %d", lines, i, i == 16 ? "MPI_Barrier" : "MPI_Allreduce",
                          (i + 1 + i % 3) % 64);
    draw_job(lines);
    assert_int_equal(picture.n_nodes, 2);
    assert_int_equal(picture.n_edges, 2);
    assert_string_equal(edge_of("0-15,17-63", "16")->label, "MPI_Allreduce on MPI_COMM_WORLD");
    assert_string_equal(edge_of("16", "0-15,17-63")->label, "MPI_Barrier on MPI_COMM_WORLD");
    assert_true(edge_of("0-15,17-63", "16")->in_circle && edge_of("16", "0-15,17-63")->in_circle);
    assert_int_equal(node_of("0-15,17-63")->circle, node_of("16")->circle);
    assert_string_equal(node_of("0-15,17-63")->hosts, "");
    assert_int_equal(node_of("0-15,17-63")->n_witnesses, 63);
    assert_string_equal(picture.waits[5], "MPI_Allreduce on MPI_COMM_WORLD: rank 8");
}

/* Calls of one name on two communicators are two, also where these have one name. */
TEST(calls_on_two_communicators_are_two)
{
    draw_job("ranks 6\ncommunicator half: of 0-2\ncommunicator half: of 3-5\n0,3: MPI_Barrier from 1 on half\n"
             "1,4: MPI_Barrier from 2 on half\n2,5: MPI_Barrier from 0 on half");
    assert_int_equal(picture.n_nodes, 2);
    assert_int_equal(picture.n_edges, 0);
    assert_int_not_equal(node_of("0-2")->circle, 0);
    assert_int_not_equal(node_of("3-5")->circle, 0);
    assert_int_equal(node_of("3-5")->state, PICTURE_STUCK);
    check_prints(picture_print_svg, "<g class=\"stuck circle\"", 2);
}

/* What others test for is not in the picture: that rank 0 has a part of it does not take it out of its call. */
TEST(rank_with_a_part_that_another_one_tests_for_stays_in_its_call)
{
    draw_job("ranks 3\n0: MPI_Barrier from 1; part 1 from 1\n1: MPI_Barrier from 0\n2: MPI_Test; part 1 from 0");
    assert_int_equal(picture.n_nodes, 2);
    assert_int_equal(node_of("0,1")->n_ranks, 2);
}

/* A rank that another one receives from is named, and so is one that waits for something else too. */
TEST(ranks_with_other_ties_are_apart_from_their_collective_call)
{
    draw_job("ranks 8\n0: MPI_Recv from 7 tag 9\n1,2: MPI_Bcast from 0\n3,4: MPI_Bcast from 1\n5,6: MPI_Bcast from 2\n"
             "7: MPI_Bcast from 3");
    assert_int_equal(picture.n_nodes, 3);
    assert_true(edge_of("0", "7")->in_circle);
    assert_true(edge_of("7", "1-6")->in_circle);
    assert_true(edge_of("1-6", "0")->in_circle);
    job_set_call(3, 1, "MPI_Recv", "helper");
    job_mark_waited(job_receive(3, WORLD, 5, 8));
    draw();
    assert_int_equal(picture.n_nodes, 5);
    edge_of("3", "5");
    edge_of("1,2,4,6", "0");
}

TEST(what_is_not_read_is_dashed)
{
    job_start_ring(6);
    draw_witnesses(job.witnesses + 1, 2);
    assert_int_equal(node_of("0")->state, PICTURE_NOT_READ);
    assert_int_equal(node_of("3-5")->state, PICTURE_NOT_READ);
    assert_int_equal(node_of("3-5")->n_ranks, 3);
    assert_int_equal(node_of("1")->state, PICTURE_WAITS);
    edge_of("1", "0");
    edge_of("2", "1");
    check_prints(picture_print_dot, "dashed", 2);
    check_prints(picture_print_svg, "class=\"absent\"", 2);
}

TEST(receive_from_anybody_goes_through_anybody)
{
    draw_job("ranks 3\n0-2: MPI_Recv from any tag any");
    assert_int_equal(picture.n_nodes, 2);
    assert_int_equal(node_of("any rank")->state, PICTURE_ANYBODY);
    assert_string_equal(node_of("any rank")->what, "MPI_COMM_WORLD");
    assert_string_equal(edge_of("0-2", "any rank")->label, "recv any tag on MPI_COMM_WORLD");
    assert_true(edge_of("any rank", "0-2")->in_circle);
    assert_true(edge_of("any rank", "0-2")->one_is_enough);
}

TEST(all_that_one_waits_for_is_beside_one_arrow)
{
    draw_job("ranks 2\n0: MPI_Waitall; receive from 1 tag 1 marked; receive from 1 tag 2 marked; "
             "receive from 1 tag 3 marked; receive from 1 tag 4 marked; receive from 1 tag 5 marked");
    assert_int_equal(picture.n_edges, 1);
    assert_string_equal(edge_of("0", "1")->label, "recv tag 1 on MPI_COMM_WORLD\nrecv tag 2 on MPI_COMM_WORLD\n"
                                                  "recv tag 3 on MPI_COMM_WORLD\nand 2 more");
    assert_false(edge_of("0", "1")->one_is_enough);
}

TEST(send_to_oneself_is_a_loop)
{
    draw_job("ranks 1\n0: MPI_Ssend to 0 tag 7");
    assert_true(edge_of("0", "0")->in_circle);
    assert_int_equal(picture.n_circles, 1);
}

TEST(ended_rank_is_gone)
{
    draw_job("ranks 2\n0: MPI_Recv from 1 tag 1\n1: ended");
    assert_int_equal(node_of("1")->state, PICTURE_GONE);
    assert_string_equal(node_of("1")->what, "has ended");
    assert_int_equal(node_of("0")->state, PICTURE_STUCK);
    assert_false(edge_of("0", "1")->in_circle);
}

/* A name can hold anything. */
TEST(names_are_escaped)
{
    job_start(2);
    job_add_communicator(0, 5, "a\"b\\c<&>\x1b\xff\xe2\x80\xae\xc3\xa9\n", NULL, 2);
    job_add_communicator(1, 5, "", NULL, 2);
    job_in(0, "MPI_Recv");
    job_receive(0, 5, 1, 1);
    draw();
    assert_string_equal(edge_of("0", "1")->label,
                        "recv tag 1 on a\"b\\c<&>\\x1b\\xff\\xe2\\x80\\xae\xc3\xa9\\x0a");
    check_prints(picture_print_dot, "a\\\"b\\\\c<&amp;>\\\\x1b\\\\xff\\\\xe2\\\\x80\\\\xae\xc3\xa9\\\\x0a\"", 1);
    check_prints(picture_print_svg, "a&quot;b\\c&lt;&amp;&gt;\\x1b\\xff\\xe2\\x80\\xae\xc3\xa9\\x0a</title>", 1);
}

/* A drawing has at most so many boxes, and says what it leaves out. The output for Graphviz has all. */
TEST(drawing_has_a_bound)
{
    job_start_ring(70);
    for (size_t rank = 0; rank < 70; rank += 2)
        job_in(rank, "MPI_Sendrecv");
    job_in(20, "MPI_Iprobe");
    draw();
    assert_int_equal(picture.n_nodes, 70);
    check_prints(picture_print_svg, "<g class=", 64);
    check_prints(picture_print_svg, "Not drawn: 6 more boxes, of 6 ranks.", 1);
    check_prints(picture_print_dot, "fillcolor", 70);
}

/* No two wait for the same rank, but all do the same. What each waits for is not that of the row. */
TEST(ring_is_a_row_between_two_ranks)
{
    job_start_ring(1000);
    draw();
    assert_int_equal(picture.n_nodes, 3);
    assert_int_equal(picture.n_edges, 3);
    assert_int_equal(picture.n_circles, 1);
    assert_int_equal(node_of("2-999")->n_witnesses, 998);
    assert_string_equal(node_of("2-999")->hosts, "in a row");
    assert_string_equal(node_of("0")->hosts, "");
    assert_string_equal(edge_of("0", "2-999")->label, "recv tag 7 on MPI_COMM_WORLD");
    assert_string_equal(edge_of("2-999", "1")->label, "recv tag 7 on MPI_COMM_WORLD");
    assert_string_equal(picture.waits[500], "recv tag 7 on MPI_COMM_WORLD: rank 499");
    assert_string_equal(picture.waits[0], "recv tag 7 on MPI_COMM_WORLD: rank 999");
    check_prints(picture_print_svg, "<g class=", 3);
}

/* An odd one in a row is seen, and what is left of the row is one on each side. */
TEST(odd_rank_divides_a_row)
{
    job_start_ring(100);
    job_in(40, "MPI_Sendrecv");
    draw();
    for (size_t i = 0; i < picture.n_nodes; i++)
        if (strcmp(picture.nodes[i].who, "40") == 0)
            assert_string_equal(picture.nodes[i].what, "MPI_Sendrecv");
    check_prints(picture_print_svg, ">MPI_Sendrecv</text>", 1);
    assert_in_range(picture.n_nodes, 4, 8);
    assert_int_equal(picture.n_edges, picture.n_nodes);
}

/* Up to twelve it is drawn as it is. */
TEST(short_ring_is_no_row)
{
    job_start_ring(12);
    draw();
    assert_int_equal(picture.n_nodes, 12);
    job_end();
    job_start_ring(13);
    draw();
    assert_int_equal(picture.n_nodes, 3);
}

/* Arrows from below do not go through other boxes of the circle. */
TEST(whom_others_wait_for_is_the_lowest_of_a_circle)
{
    struct picture_layout layout;
    size_t foot;

    draw_job("ranks 6\n0: MPI_Recv from 1 tag 0\n1: MPI_Recv from 2 tag 1\n2: MPI_Recv from 0 tag 2\n"
             "3: MPI_Recv from 1 tag 3\n4: MPI_Recv from 1 tag 4\n5: MPI_Recv from 1 tag 5");
    foot = (size_t)(node_of("1") - picture.nodes);
    layout = picture_layout_make(&picture);
    for (size_t i = 0; i < picture.n_nodes; i++)
        if (i != foot && picture.nodes[i].circle > 0)
            assert_true(layout.y[i] < layout.y[foot]);
        else if (i != foot)
            assert_true(layout.y[i] > layout.y[foot]);
    picture_layout_clear(&layout);
}

/* Round, it would be as wide as four screens. */
TEST(long_circle_winds)
{
    job_start_ring(64);
    for (size_t rank = 0; rank < 64; rank += 2)
        job_in(rank, "MPI_Sendrecv");
    draw();
    assert_int_equal(picture.n_circles, 1);
    check_prints(picture_print_svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1928\" ", 1);
    check_prints(picture_print_svg, "class=\"wait circle\"", 64);
}

/* Of many arrows the labels say only what differs. */
TEST(many_labels_are_short)
{
    job_start_ring(14);
    for (size_t rank = 0; rank < 14; rank += 2)
        job_in(rank, "MPI_Sendrecv");
    draw();
    assert_string_equal(edge_of("1", "0")->label, "recv tag 7");
    assert_string_equal(picture.on, "MPI_COMM_WORLD");
    assert_string_equal(picture.waits[1], "recv tag 7 on MPI_COMM_WORLD: rank 0");
    check_prints(picture_print_svg, ">All waits are on MPI_COMM_WORLD.</text>", 1);
    check_prints(picture_print_dot, "label=\"All waits are on MPI_COMM_WORLD\"", 1);
    job_add_communicator(3, 5, "other on MPI_COMM_WORLD", NULL, 14);
    job_mark_waited(job_receive(3, 5, 2, 1));
    draw();
    assert_null(picture.on);
    assert_string_equal(edge_of("1", "0")->label, "recv tag 7 on MPI_COMM_WORLD");
}

static bool boxes_meet(const struct picture_layout *layout, size_t a, size_t b)
{
    double dx = layout->x[a] - layout->x[b], dy = layout->y[a] - layout->y[b];

    return dx < BOX_WIDTH && -dx < BOX_WIDTH && dy < BOX_HEIGHT && -dy < BOX_HEIGHT;
}

/* No box lies over another one or out of the drawing, and who is in no circle is below whom it waits for. */
static void check_places(unsigned seed)
{
    struct picture_layout layout;

    layout = picture_layout_make(&picture);
    for (size_t i = 0; i < picture.n_nodes; i++) {
        if (!layout.drawn[i])
            continue;
        for (size_t k = 0; k < i; k++)
            if (layout.drawn[k] && boxes_meet(&layout, i, k))
                fail_msg("seed %u: %s lies over %s", seed, picture.nodes[i].who, picture.nodes[k].who);
        if (layout.x[i] < BOX_WIDTH / 2 || layout.x[i] > layout.width - BOX_WIDTH / 2 ||
            layout.y[i] < BOX_HEIGHT / 2 || layout.y[i] > layout.top - BOX_HEIGHT / 2)
            fail_msg("seed %u: %s is outside", seed, picture.nodes[i].who);
    }
    for (size_t i = 0; i < picture.n_edges; i++) {
        const struct picture_edge *edge = &picture.edges[i];

        if (picture_layout_has(&layout, edge) && picture.nodes[edge->from].circle == 0 &&
            layout.y[edge->from] <= layout.y[edge->to])
            fail_msg("seed %u: %s is not below %s", seed, picture.nodes[edge->from].who, picture.nodes[edge->to].who);
    }
    picture_layout_clear(&layout);
}

/* Each rank waits for one rank by chance, or computes: there are circles, trees and many leaves of one node. */
TEST(places_are_apart)
{
    for (unsigned seed = 0; seed < 60; seed++) {
        size_t n = 2 + seed;
        unsigned random = seed * 2654435761u + 1;

        job_start(n);
        for (size_t i = 0; i < n; i++) {
            random = random * 1103515245u + 12345u;
            if (random >> 16 & 7)
                job_receive(i, WORLD, (long)((random >> 19) % (seed % 3 == 0 ? 3 : n)), (long)i);
            job_in(i, random >> 16 & 7 ? "MPI_Recv" : "MPI_Test");
        }
        draw();
        check_places(seed);
        job_end();
    }
}

/* Files. */

static void check_text(const char *path, const char *expected)
{
    char text[100] = "";
    FILE *from = fopen(path, "r");

    assert_non_null(from);
    assert_true(fread(text, 1, sizeof text - 1, from) < sizeof text - 1);
    fclose(from);
    assert_string_equal(text, expected);
}

/* What was there stays until the new one is whole; a link goes on to lead to it. */
PLAIN_TEST(file_is_replaced_when_it_is_whole)
{
    char *path = test_path("/picture"), *link_path = test_path("/link");
    struct whole_file file;
    struct stat status;

    assert_int_equal(symlink(path, link_path), 0);
    assert_true(whole_file_open(&file, path, PUBLIC_FILE, WHY));
    fputs("first", file.to);
    assert_int_equal(access(path, F_OK), -1);
    assert_true(whole_file_close(&file, WHY));
    check_text(path, "first");
    assert_int_equal(chmod(path, 0640), 0);
    assert_true(whole_file_open(&file, link_path, PUBLIC_FILE, WHY));
    fputs("second", file.to);
    fflush(file.to);
    check_text(path, "first");
    assert_true(whole_file_close(&file, WHY));
    check_text(path, "second");
    assert_int_equal(lstat(link_path, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    assert_int_equal(unlink(path) | unlink(link_path), 0);
    /* It would not be empty if a temporary file were left. */
    assert_int_equal(rmdir(test_directory()), 0);
}

PLAIN_TEST(device_is_written_to_itself)
{
    struct whole_file file;

    if (access("/dev/full", W_OK) != 0)
        skip_because("no /dev/full");
    assert_true(whole_file_open(&file, "/dev/full", PUBLIC_FILE, WHY));
    fputs("text", file.to);
    assert_false(whole_file_close(&file, WHY));
    assert_has(why(), "cannot write '/dev/full': ");
}
