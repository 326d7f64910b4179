/*
 * test_dump_page.c - the pages of jobs that the test makes. tests/live/page.py opens pages in a browser.
 */
#define TEST_TEARDOWN end_test()
#include "unit_test.h"

#include "dump_job.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/show/graph/wait_picture.h"
#include "mqd/dump/show/graph/xml_text.h"
#include "mqd/dump/show/page/page.h"
#include "mqd/dump/show/page/page_rows.h"
#include "verdict_case.h"

static const char hostile[] = "\"><img src=x onerror=bad()>'</script>&\x01\xe2\x80\xae";

static struct picture picture;
static struct explanation explanation;
static struct record_look look, others[3];
static size_t n_looks = 1;
static const char *text;

static void end_test(void)
{
    job_end();
    picture_clear(&picture);
    explanation_clear(&explanation);
    look = (struct record_look){0};
    memset(others, 0, sizeof others);
    n_looks = 1;
    warnings_clear();
}

static struct page conclude(void)
{
    static const struct record_look *const looks[] = {&look, &others[0], &others[1], &others[2]};
    struct analysis analysis;

    for (size_t i = 0; i < job.n_ranks; i++)
        job.listings[i].calls = &job.calls[i];
    picture_clear(&picture);
    analysis_make(&analysis, job.witnesses, job.n_ranks);
    explanation_conclude(&explanation, &analysis);
    picture_draw(&picture, &analysis);
    analysis_clear(&analysis);
    return (struct page){.witnesses = job.witnesses, .n = job.n_ranks, .explanation = &explanation,
                         .picture = &picture, .looks = looks, .n_looks = n_looks};
}

/* Makes the page of the job. Returns its size. */
static size_t make(void)
{
    const struct page page = conclude();

    text = PRINTED(page_print(test_to, &page));
    return strlen(text);
}

static void check_has(const char *part, size_t n)
{
    assert_times(text, part, n);
}

TEST(page_has_one_script_and_one_style)
{
    job_start_ring(4);
    make();
    check_has("<script>", 1);
    check_has("</script>", 1);
    check_has("<style>", 1);
    check_has("</style>", 1);
    check_has("<!DOCTYPE html>", 1);
    check_has("</html>", 1);
    check_has("default-src 'none'; style-src 'sha256-", 1);
    check_has("<h3>Deadlock", 1);
    check_has("<section", 6);
    check_has("</section>", 6);
    check_has("<table", 3);
    check_has("</table>", 3);
}

TEST(names_are_text)
{
    struct communicator *communicator;

    job_start_ring(3);
    for (size_t i = 0; i < 3; i++) {
        job.listings[i].job = copy_string(hostile);
        job_set_call(i, 0, "MPI_Recv", hostile);
    }
    communicator = job_add_communicator(0, 5, hostile, NULL, 3);
    assert_non_null(communicator);
    job_send(0, 5, "Ssend", 1, 3);
    job.witnesses[0].host = hostile;
    job.witnesses[1].host = "other";
    look = (struct record_look){.host = (char *)hostile, .mqdump = (char *)hostile, .problem = (char *)hostile};
    strcpy(look.taken, "<b>");
    make();
    check_has("<img", 0);
    check_has("<b>\n", 0);
    check_has("</script>", 1);
    check_has("\x01", 0);
    check_has("\xe2\x80\xae", 0);
    assert_true(count_of(text, "&lt;img src=x onerror=bad()&gt;") >= 7);
    assert_true(count_of(text, "&quot;&gt;") >= 7);
}

TEST(large_page_has_a_bound)
{
    enum { N = 10000 };

    job_start_ring(N);
    assert_true(make() < 5000000);
    check_has("<tr data-row=9999>", 2);
}

static void check_rows(char *list, const char *expected)
{
    assert_string_equal(list, expected);
    free(list);
}

/* Ranks 0-2 of job "a" and 0-1 of job "b"; in the table the first one has no number and is last of its job. */
TEST(rows_are_those_of_the_job)
{
    struct page page;
    struct page_rows rows;

    job_start(6);
    job_split(4);
    job.listings[0].rank = -1;
    page = conclude();
    page_rows_find(&rows, &page);
    assert_true(rows.jobs);
    assert_ptr_equal(rows.witnesses[0], &job.witnesses[1]);
    assert_ptr_equal(rows.witnesses[3], &job.witnesses[0]);
    assert_int_equal(rows.of_witness[4], 4);
    check_rows(page_rows_of_ranks(&rows, "a", -1, (const long[]){1, 2, 3}, 3), "0-2");
    check_rows(page_rows_of_ranks(&rows, "b", -1, (const long[]){0, 1, 2}, 3), "4,5");
    check_rows(page_rows_of_ranks(&rows, "a", -1, (const long[]){0}, 1), "");
    check_rows(page_rows_of_ranks(&rows, "c", -1, (const long[]){0}, 1), "");
    page_rows_clear(&rows);
}

/* Of a record without whole stacks: the places at borders, the outermost first, and who is elsewhere. */
TEST(places_at_borders_are_a_tree)
{
    struct call *odd, *nested;

    job_start(8);
    for (size_t i = 0; i < 8; i++)
        job_set_call(i, 0, i == 3 ? "MPI_Barrier" : "MPI_Allreduce", i == 3 ? "save.c:9" : "step.c:7");
    odd = &job.calls[3].calls[0];
    odd->n_chain = 2;
    odd->chain[0] = copy_string("H5Dwrite in libhdf5");
    odd->chain[1] = copy_string("save.c:9");
    job.calls[5].calls[0].state = CALL_UNKNOWN;
    make();
    check_has("only the function of MPI is known", 1);
    check_has("data-rows=\"0-2,4,6,7\">ranks 0-2,4,6,7</button>\n<ol class=frames><li>step.c:7<li>MPI_Allreduce</ol>",
              1);
    check_has("rank 3</button> <b class=odd>odd</b>\n"
              "<ol class=frames><li>save.c:9<li>H5Dwrite in libhdf5<li>MPI_Barrier</ol>", 1);
    check_has("No stack is known of <button type=button class=choose disabled data-rows=\"5\">rank 5</button>", 1);
    nested = &job.calls[0].calls[0];
    nested->outer = copy_string("MPI_Finalize");
    nested->called_back = true;
    nested->wrapper = copy_string("libwrap.so");
    job.calls[1].calls[0].state = CALL_OUTSIDE;
    make();
    check_has("<ol class=frames><li>libwrap.so<li>MPI_Finalize<li>a callback<li>MPI_Allreduce</ol>", 1);
    check_has("<ol class=frames><li>MPI_Allreduce<li>outside of MPI</ol>", 1);
}

/* Whole stacks are preferred to borders; what of them is not known is said. */
TEST(whole_stacks_come_first)
{
    static const char *frames[] = {"MPI_Recv in libmpi.so", "main"};
    struct named_stack *stacks = allocate_array(2, sizeof *stacks);

    job_start_ring(2);
    stacks[0] = (struct named_stack){.is_main = true, .frames = allocate_array(2, sizeof *frames), .n = 2};
    memcpy(stacks[0].frames, frames, sizeof frames);
    job.calls[1].stacks = stacks;
    job.calls[1].n_stacks = 2;
    make();
    check_has("rank 1</button>\n<ol class=frames><li>main<li>MPI_Recv in libmpi.so</ol>", 1);
    check_has("<p>Of <button type=button class=choose disabled data-rows=\"0\">rank 0</button> only", 1);
    check_has("<p>Not to the end: the stack of 1 thread. Not known at all: the stack of 1 thread.</p>", 1);
    check_has("No stack is known of", 0);
}

/* What is wrong with machines is said once of all of them; n2 comes before n10. */
TEST(looks_that_are_not_whole_are_told)
{
    job_start_ring(2);
    look = (struct record_look){.host = (char *)"n1", .taken = "2024-05-31T17:08:59.123456Z"};
    others[0] = (struct record_look){.host = (char *)"n10", .problem = (char *)"n10 cannot be reached"};
    others[1] = (struct record_look){.host = (char *)"n2", .problem = (char *)"n2 cannot be reached"};
    others[2] = (struct record_look){.host = (char *)"n3", .taken = "2024-05-31T17:09:00.123456Z"};
    make();
    check_has("All that was asked for could be read.", 1);
    n_looks = 4;
    make();
    check_has("All that was asked for could be read.", 0);
    check_has("<li>n[2,10]: HOST cannot be reached</li>", 1);
    check_has(">2 of 4 looks are not whole</a>", 1);
    check_has("looked at on 2024-05-31 between 17:08:59 and 17:09:00 UTC", 1);
    check_has("<td class=time>2024-05-31 17:08:59.123<td>", 1);
    assert_true(strstr(text, "<td>n2<") < strstr(text, "<td>n10<"));
    others[1].problem = NULL;
    make();
    check_has("<li>n10: n10 cannot be reached</li>", 1);
}

/* Jobs, and what is once on their pages. */
static const struct {
    const char *lines, *parts[5];
} jobs[] = {
    {"ranks 2",
     {"Nothing suspicious.", "<title>mqdump: a job</title>", "There are no operations.",
      "2 ranks, all of which were read"}},
    /* The button of a finding about one job has that job's rows. */
    {"ranks 2+2\nb0: MPI_Recv from 1 tag 7\nb1: MPI_Recv from 0 tag 7",
     {"<h3>Deadlock of job b", "data-rows=\"2,3\">Show ranks 0,1 of job b</button>"}},
    {"ranks 3\n0-2: MPI_Recv from prev tag 7\n2: unread error=\"no memory <b>of it</b>\"",
     {"3 ranks, of which 2 were read", "</button>: no memory &lt;b&gt;of it&lt;/b&gt;", "<td>not known\n"}},
    /* Jobs of two users may have one name. */
    {"ranks 4\n0,1: user=1000 job=a\n2,3: user=1001 job=a\n2: rank=0\n3: rank=1\n"
     "0,2: MPI_Recv from 1 tag 7\n1,3: MPI_Recv from 0 tag 7",
     {"<title>mqdump: why these jobs wait</title>", "<h3>Deadlock of user 1000 ", "<h3>Deadlock of user 1001 ",
      "data-rows=\"1,3\">Show ranks 0,1 of user 1001</button>"}},
    {"ranks 2\n0: core=core<0> pid=0", {"<td>?, core core&lt;0&gt;<td>"}},
    /* The title is cut between characters. */
    {"ranks 1\n0: job=1234567890123456789012345678901234567890123456789012345678\xe2\x82\xac\xe2\x82\xac",
     {"<title>mqdump: job 1234567890123456789012345678901234567890123456789012345678...</title>"}},
    {"ranks 2\n1: window <win> exclusive 1 held unique_id=3 local_rank=0 component=sm; "
     "window \"\" unread \"osc/ucx is not read\" unique_id=4 local_rank=0",
     {"<a href=\"#windows\">Windows</a>",
      "<tr data-row=1><td>1<td>osc/sm<td class=lines>&lt;win&gt; (window of osc/sm, id 3), rank 0 of 2\n"
      "  holds an exclusive lock at rank 1\n",
      "its epochs and locks are not known: osc/ucx is not read",
      "</button>: window without a name: osc/ucx is not read</li>"}},
};

TEST(page_tells_its_job)
{
    for (size_t i = 0; i < N_OF(jobs); i++) {
        job_make(jobs[i].lines);
        make();
        for (size_t k = 0; k < N_OF(jobs[i].parts) && jobs[i].parts[k] != NULL; k++)
            check_has(jobs[i].parts[k], 1);
        check_has("job b</text>", strstr(jobs[i].lines, "b0") != NULL ? 2 : 0);
        check_has("#windows", strstr(jobs[i].lines, "window") != NULL);
        end_test();
    }
}

TEST(answers_about_handles_are_a_table)
{
    struct handle handle = {.position = -1, .value = 16, .error = (char *)"no <object>", .summary.fortran = -1};
    struct handle_answer answer = {.question = (char *)"--handle <b>", .handles = &handle, .n = 1};

    job_make("ranks 2");
    make();
    check_has("#handles", 0);
    job.listings[1].answers = &answer;
    job.listings[1].n_answers = 1;
    make();
    check_has("<a href=\"#handles\">Handles</a>", 1);
    check_has("<tr data-row=1><td>1<td id=handle-1-0>--handle &lt;b&gt;<td class=lines>0x10: error: no &lt;object&gt;\n",
              1);
    job.listings[1].answers = NULL;
    job.listings[1].n_answers = 0;
}

/* The first rank of the finding that has told of its communicator, not of another one or of a window. */
TEST(finding_leads_to_what_is_known_of_its_communicator)
{
    struct handle_item id = {.fact = MQD_FACT_unique_id, .form = MQD_FORM_number, .number = 4, .text = ""};
    struct handle handles[] = {{.position = -1, .items = &id, .n = 1, .summary.kind = MQD_HANDLE_window},
                               {.position = -1, .items = &id, .n = 1, .summary.kind = MQD_HANDLE_communicator}};
    struct handle_answer answers[] = {{.question = (char *)"--windows", .handles = handles, .n = 1},
                                      {.question = (char *)"--communicators", .handles = handles, .n = 2}};
    static const char link[] = "<p><a class=about data-rows=1 href=\"#handle-1-1\">The communicator ";

    job_start_ring(3);
    for (size_t i = 1; i < 3; i++) {
        job.listings[i].answers = answers;
        job.listings[i].n_answers = 2;
    }
    make();
    check_has("class=about", 0);
    id.number = (long)explanation.verdict.findings[0].communicator;
    make();
    check_has(link, 1);
    check_has("<td id=handle-1-1>--communicators", 1);
    assert_has(text, "as rank 1 has it</a></p>\n");
    job.listings[1].n_answers = 1;
    make();
    check_has(link, 0);
    check_has("href=\"#handle-2-1\"", 1);
    for (size_t i = 1; i < 3; i++) {
        job.listings[i].answers = NULL;
        job.listings[i].n_answers = 0;
    }
}

/* In the page each text is text, and what is no text is seen. */
TEST(characters_of_texts)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {{"a<b>&\"'", "a&lt;b&gt;&amp;&quot;&#39;"}, {"\xe2\x82\xac\xf0\x9f\x98\x80", NULL},
                 {"\n\x7f", "\\x0a\\x7f"}, {"\xc2\x85", "\\xc2\\x85"}, {"\xff\xc2", "\\xff\\xc2"},
                 {"\xe2\x80\xae<", "\\xe2\\x80\\xae&lt;"}, {"\xef\xbf\xbf", "\\xef\\xbf\\xbf"},
                 {"\xed\xa0\x80", "\\xed\\xa0\\x80"}, {"", NULL}};

    for (size_t i = 0; i < N_OF(cases); i++)
        assert_string_equal(PRINTED(html_text(test_to, cases[i].text)),
                            cases[i].expected != NULL ? cases[i].expected : cases[i].text);
}

TEST(page_without_ranks)
{
    job_start(0);
    make();
    check_has("<p>No ranks.</p>", 1);
    check_has("No process was read.", 1);
    check_has("could be read", 0);
    check_has("No stack is known.", 1);
}

TEST(warnings_are_on_the_page)
{
    job_start(1);
    make();
    check_has("<h3>Warnings</h3>", 0);
    warnings_keep();
    warning_give("no <b>symbols</b>");
    make();
    check_has("<h3>Warnings</h3>\n<ul>\n<li>no &lt;b&gt;symbols&lt;/b&gt;</li>\n</ul>", 1);
}
