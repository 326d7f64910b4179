/* test_dump_handles.c - questions about handles, what a DLL answers, and what is printed of that. */
#define TEST_FIXTURE struct fixture
#define TEST_SETUP setup(fixture)
#define TEST_TEARDOWN handle_answer_clear(&fixture->answer)

#include "mqd/dump/collect/client/listing.h"

struct fixture {
    struct process process;
    mqs_process host;
    struct mqd_extension_v1 extension;
    struct dll dll;
    struct handle_answer answer;
};

#include "unit_test.h"

#include <unistd.h>

#include "mqd/dump/show/json.h"
#include "mqd/dump/show/text/listing_text.h"

/* A DLL. It has an object of each kind at FIRST + kind, and of communicators two more. */

enum { FIRST = 0x1000, SECOND = 0x2000, NULL_COMMUNICATOR = 0x3000 };

static mqs_taddr_t described;
static bool is_endless, has_abi;

static int describe_handle(mqs_process *process, int kind, mqs_taddr_t value, int language,
                           struct mqd_handle_summary *summary)
{
    (void)process;
    if (language == MQD_LANGUAGE_abi)
        value = !has_abi ? 0 : value == 16385 + 7 ? SECOND : value == 257 ? FIRST + (unsigned)kind : 0;
    if (language == MQD_LANGUAGE_fortran)
        value = value == 7 ? FIRST + (unsigned)kind : 0;
    if (value == 0)
        return mqs_no_information;
    if (value == FIRST)
        return mqs_first_user_code;
    described = value;
    *summary = (struct mqd_handle_summary){.kind = value < SECOND ? (int)value - FIRST : MQD_HANDLE_communicator,
                                           .object = value, .fortran = 7, .predefined = value == NULL_COMMUNICATOR};
    memset(summary->class_name, 'x', sizeof summary->class_name);
    memset(summary->name, 'y', sizeof summary->name);
    if (value == SECOND || value == FIRST + MQD_HANDLE_window)
        strcpy(summary->name, "edge");
    if (value == NULL_COMMUNICATOR)
        strcpy(summary->name, "MPI_COMM_NULL");
    return mqs_ok;
}

static int describe_handle_item(mqs_process *process, int index, struct mqd_handle_item *item)
{
    (void)process;
    if (index == 2 && !is_endless)
        return described == FIRST + MQD_HANDLE_datatype ? mqs_first_user_code : mqs_end_of_list;
    *item = (struct mqd_handle_item){.fact = index == 0 ? MQD_FACT_size : MQD_FACT_internal,
                                     .form = index == 0 || described == FIRST + MQD_HANDLE_group ? MQD_FORM_number
                                                                                                : MQD_FORM_truth,
                                     .number = index == 0 ? 4 : described == SECOND};
    memset(item->text, 'z', sizeof item->text);
    return mqs_ok;
}

static int next_handle(mqs_process *process, int kind, long *fortran, mqs_taddr_t *value)
{
    static const mqs_taddr_t communicators[] = {FIRST + MQD_HANDLE_communicator, SECOND, NULL_COMMUNICATOR};
    bool is_communicator = kind == MQD_HANDLE_communicator;

    (void)process;
    if (is_endless) {
        *value = FIRST + (unsigned)kind;
        return mqs_ok;
    }
    if (kind == MQD_HANDLE_session)
        return mqs_first_user_code;
    if (*fortran >= (is_communicator ? (long)N_OF(communicators) : 1))
        return mqs_end_of_list;
    *value = is_communicator ? communicators[*fortran] : FIRST + (unsigned)kind;
    return mqs_ok;
}

static int find_handle(mqs_process *process, int kind, const char *name, mqs_taddr_t *value)
{
    struct mqd_handle_summary summary;
    int code = mqs_end_of_list;

    for (long fortran = 0; next_handle(process, kind, &fortran, value) == mqs_ok; fortran++)
        if (describe_handle(process, kind, *value, MQD_LANGUAGE_c, &summary) == mqs_ok &&
            strncmp(summary.name, name, sizeof summary.name) == 0)
            code = mqs_ok;
    return code;
}

static int reason_of(int code)
{
    return code == mqs_first_user_code ? MQD_REASON_damaged : MQD_REASON_unknown;
}

static char *error_string(int code)
{
    static char text[] = "it is damaged";

    (void)code;
    return text;
}

static void setup(struct fixture *fixture)
{
    is_endless = has_abi = false;
    fixture->process = (struct process){.pid = getpid(), .reader = getpid(), .memory = -1, .runs = true};
    fixture->host = (mqs_process){.process = &fixture->process, .is_64_bit = sizeof(void *) == 8};
    fixture->extension = (struct mqd_extension_v1){.size = sizeof fixture->extension, .reason_of = reason_of,
                                                   .describe_handle = describe_handle, .find_handle = find_handle,
                                                  .next_handle = next_handle,
                                                   .describe_handle_item = describe_handle_item};
    fixture->dll = (struct dll){.dll_error_string = error_string, .extension = &fixture->extension};
}

/* Questions. */

static void expect_question(const char *question, const char *expected)
{
    char *why = NULL;
    bool valid = handle_question_is_valid(question, &why);

    if (valid != (expected == NULL) || (!valid && strstr(why, expected) == NULL))
        fail_msg("'%s': %s", question, why != NULL ? why : "valid");
    free(why);
}

TEST(questions_that_can_be_asked)
{
    static const char *const values[] = {"0x1", "0xffffffffffffffff", "0x55d0:win", "0:comm", "2147483647:request",
                                         "2147483648", "2147483648:type", "MPI_COMM_WORLD", "a b:c", "a:comm", "-1",
                                         "x:", ":comm:comm", "/tmp/a:b.dat:file"};

    for (size_t i = 0; i < N_OF(values); i++)
        expect_question(test_text("--handle %s", values[i]), NULL);
    expect_question("--communicators", NULL);
    expect_question("--windows", NULL);
    expect_question("--files", NULL);
    expect_question("--requests 0x7f00,1", NULL);
    expect_question("--requests 0x7f00,4096", NULL);
    expect_question("--requests 0x7f00,2:fortran", NULL);
}

TEST(questions_that_cannot_be_asked_are_refused_with_what_to_write)
{
    static const char *const values[] = {"", "0", "17", "2147483647", "0x", "0xg", "0x1g", "0x10000000000000000",
                                         "1.5:comm", "9223372036854775808", "17 :comm", ":comm"};
    static const char *const arrays[] = {"", "0x10", "0x10,", "0x10,0", "0x10,4097", "16,2", "0x10,2,", "0x10, 2",
                                         "0x,2", "0x10,2:", "0x10,2:c", "0x10,2:fortran ", "0x10,9223372036854775808"};

    for (size_t i = 0; i < N_OF(values); i++)
        expect_question(test_text("--handle %s", values[i]),
                        test_text("'%s' is no handle: an address in C is", values[i]));
    expect_question("--handle 17:com", "'com' is no kind of handle: they are comm, type, group, request, win, file");
    expect_question("--handle 0x17:", "'' is no kind of handle");
    for (size_t i = 0; i < N_OF(arrays); i++)
        expect_question(test_text("--requests %s", arrays[i]), "--requests is the address of an array of MPI_Request");
    expect_question("--handles", "is no question");
    expect_question("--communicators ", "is no question");
}

/* Answers. */

static struct handle_answer *ask(struct fixture *fixture, const char *question)
{
    handle_answer_clear(&fixture->answer);
    fixture->answer = handle_answer_take(question, &fixture->dll, &fixture->host);
    assert_string_equal(fixture->answer.question, question);
    return &fixture->answer;
}

/* The only handle of the answer. */
static const struct handle *ask_one(struct fixture *fixture, const char *question)
{
    const struct handle_answer *answer = ask(fixture, question);

    assert_null(answer->error);
    assert_int_equal(answer->n, 1);
    assert_int_equal(answer->handles[0].position, -1);
    return &answer->handles[0];
}

TEST(a_handle_says_itself_what_it_is)
{
    const struct handle *handle = ask_one(fixture, "--handle 0x1001");

    assert_null(handle->error);
    assert_int_equal(handle->summary.kind, MQD_HANDLE_communicator);
    assert_int_equal(strlen(handle->summary.name), sizeof handle->summary.name - 1);
    assert_int_equal(strlen(handle->summary.class_name), sizeof handle->summary.class_name - 1);
    assert_int_equal(handle->n, 2);
    assert_int_equal(strlen(handle->items[0].text), sizeof((struct mqd_handle_item *)0)->text);
    assert_int_equal(handle_number(handle, MQD_FACT_size, -1), 4);
    assert_int_equal(handle_number(handle, MQD_FACT_rank, -1), -1);
    assert_true(handle_answer_is_complete(&fixture->answer));
    handle = ask_one(fixture, "--handle 7:op");
    assert_int_equal(handle->summary.kind, MQD_HANDLE_op);
    assert_int_equal(handle->value, 7);
}

/* What is no integer of the ABI is an INTEGER of Fortran. */
TEST(integers_of_the_abi_come_first)
{
    has_abi = true;
    assert_int_equal(ask_one(fixture, "--handle 257:comm")->summary.object, FIRST + MQD_HANDLE_communicator);
    assert_int_equal(ask_one(fixture, "--handle 16392:comm")->summary.object, SECOND);
    assert_int_equal(ask_one(fixture, "--handle 16392:comm")->value, 16385 + 7);
    assert_int_equal(ask_one(fixture, "--handle 7:comm")->summary.object, FIRST + MQD_HANDLE_communicator);
    assert_has(ask_one(fixture, "--handle 8:comm")->error, "no MPI object lies there");
    has_abi = false;
    assert_has(ask_one(fixture, "--handle 257:comm")->error, "no MPI object lies there");
}

TEST(what_is_no_object_or_another_or_damaged_is_said)
{
    const struct handle *handle = ask_one(fixture, "--handle 0x0");

    assert_has(handle->error, "no MPI object lies there: it was freed, or there never was one");
    assert_int_equal(handle->summary.kind, MQD_HANDLE_unknown);
    assert_int_equal(handle->summary.fortran, -1);
    assert_false(handle_answer_is_complete(&fixture->answer));
    assert_has(ask_one(fixture, "--handle 8:comm")->error, "no MPI object lies there");
    handle = ask_one(fixture, "--handle 0x1000");
    assert_string_equal(handle->error, "it is damaged");
    assert_int_equal(handle->reason, MQD_REASON_damaged);
    handle = ask_one(fixture, "--handle 0x1001:type");
    assert_string_equal(handle->error, "it is of kind comm, not type");
    assert_int_equal(handle->n, 2);
    handle = ask_one(fixture, "--handle 0x1002");
    assert_string_equal(handle->error, "it is damaged");
    assert_int_equal(handle->n, 2);
}

TEST(fact_in_another_form_is_said_and_left_out)
{
    const struct handle *handle = ask_one(fixture, "--handle 0x1003");

    assert_string_equal(handle->error, "the debugging library tells fact 5 in form 1, which it cannot have");
    assert_int_equal(handle->n, 1);
}

/* What cannot have been asked of Fortran's table is none of its handles. */
TEST(negative_integer_is_no_name)
{
    const struct handle *handle = ask_one(fixture, "--handle -1:comm");

    assert_has(handle->error, "no MPI object lies there");
    assert_int_equal(handle->value, (mqs_taddr_t)-1);
    assert_has(ask(fixture, "--handle -1")->error, "nothing with the name '-1' is found");
    assert_has(ask(fixture, "--handle -1x:comm")->error, "nothing with the name '-1x' is found");
}

TEST(all_of_a_kind_but_what_stands_for_none)
{
    struct handle_answer *answer = ask(fixture, "--communicators");

    assert_int_equal(answer->n, 2);
    assert_int_equal(answer->handles[1].value, SECOND);
    handle_answer_hide_internal(answer);
    assert_int_equal(answer->n, 1);
    assert_int_equal(answer->handles[0].value, FIRST + MQD_HANDLE_communicator);
    assert_int_equal(ask(fixture, "--windows")->n, 1);
    handle_answer_hide_internal(&fixture->answer);
    assert_int_equal(fixture->answer.n, 1);
}

TEST(all_that_have_a_name)
{
    const struct handle_answer *answer = ask(fixture, "--handle edge");
    char name[150];

    assert_int_equal(answer->n, 2);
    assert_int_equal(answer->handles[0].value, SECOND);
    assert_int_equal(answer->handles[1].value, FIRST + MQD_HANDLE_window);
    assert_int_equal(ask_one(fixture, "--handle edge:win")->value, FIRST + MQD_HANDLE_window);
    assert_int_equal(ask_one(fixture, "--handle MPI_COMM_NULL")->value, NULL_COMMUNICATOR);
    answer = ask(fixture, "--handle edg");
    assert_has(answer->error, "nothing with the name 'edg' is found: give the handle's value");
    assert_false(handle_answer_is_complete(answer));
    assert_has(ask(fixture, "--handle edges:comm")->error, "nothing with the name 'edges' is found");
    /* A name that is longer than what the DLL tells of it. */
    memset(name, 'y', sizeof name);
    assert_int_equal(ask(fixture, test_text("--handle %.150s:op", name))->n, 1);
    assert_int_equal(ask(fixture, test_text("--handle %.126s:op", name))->n, 0);
}

TEST(what_does_not_end_is_cut)
{
    const struct handle_answer *answer;

    is_endless = true;
    answer = ask(fixture, "--handle 0x1004");
    assert_int_equal(answer->handles[0].n, MAX_HANDLE_ITEMS);
    assert_has(answer->handles[0].error, "tells more than 20000 facts");
}

TEST(an_array_of_requests)
{
    void *const array[] = {(void *)(FIRST + MQD_HANDLE_request), NULL, (void *)(FIRST + MQD_HANDLE_op)};
    const struct handle_answer *answer = ask(fixture, test_text("--requests %p,3", (const void *)array));

    assert_null(answer->error);
    assert_int_equal(answer->n, 3);
    assert_null(answer->handles[0].error);
    assert_string_equal(answer->handles[1].error, "no MPI object lies there: it was freed, or there never was one");
    assert_string_equal(answer->handles[2].error, "it is of kind op, not request");
    assert_int_equal(answer->handles[2].position, 2);
    answer = ask(fixture, "--requests 0x10,2");
    assert_int_equal(answer->n, 0);
    assert_has(answer->error, "entry 0 cannot be read: the process has no memory at 0x10");
    answer = ask(fixture, test_text("--requests %p,2:fortran", (const void *)(const int32_t[]){7, -1}));
    assert_null(answer->handles[0].error);
    assert_int_equal(answer->handles[0].summary.kind, MQD_HANDLE_request);
    assert_has(answer->handles[1].error, "no MPI object lies there");
    fixture->host.is_64_bit = false;
    answer = ask(fixture, test_text("--requests %p,1", (const void *)(const uint32_t[]){FIRST + MQD_HANDLE_request}));
    assert_null(answer->handles[0].error);
}

TEST(a_library_that_tells_nothing_of_handles)
{
    fixture->extension.size = offsetof(struct mqd_extension_v1, next_handle);
    assert_has(ask(fixture, "--windows")->error, "this debugging library tells nothing of handles");
    fixture->dll.extension = NULL;
    assert_has(ask(fixture, "--windows")->error, "this debugging library tells nothing of handles");
}

/* What is printed. */

static struct handle_item grid_items[] = {
    {.fact = MQD_FACT_size, .form = MQD_FORM_number, .number = 4, .text = ""},
    {.fact = MQD_FACT_rank, .form = MQD_FORM_number, .number = 2, .text = ""},
    {.fact = MQD_FACT_revoked, .form = MQD_FORM_truth, .number = 1, .text = ""},
    {.fact = MQD_FACT_topology, .form = MQD_FORM_number, .number = MQD_TOPOLOGY_cartesian, .text = ""},
    {.fact = MQD_FACT_dimension, .form = MQD_FORM_number, .number = 2, .text = ""},
    {.fact = MQD_FACT_dimension, .form = MQD_FORM_number, .index = 1, .number = 2, .text = ""},
    {.fact = MQD_FACT_periodic, .form = MQD_FORM_truth, .number = 1, .text = ""},
    {.fact = MQD_FACT_periodic, .form = MQD_FORM_truth, .index = 1, .text = ""},
    {.fact = MQD_FACT_coordinate, .form = MQD_FORM_number, .number = 1, .text = ""},
    {.fact = MQD_FACT_coordinate, .form = MQD_FORM_number, .index = 1, .text = ""},
    {.fact = MQD_FACT_error_handler, .form = MQD_FORM_handle, .address = 0x99, .text = "MPI_ERRORS_RETURN"},
    {.fact = MQD_FACT_attribute, .form = MQD_FORM_number, .index = 0, .number = 32767, .text = "MPI_TAG_UB"},
    {.fact = MQD_FACT_attribute, .form = MQD_FORM_address, .index = 12, .address = 0x77, .text = ""},
    {.fact = 9999, .form = MQD_FORM_number, .text = ""},
};
static struct handle_item receive_items[] = {
    {.fact = MQD_FACT_request_state, .form = MQD_FORM_number, .number = MQD_REQUEST_active, .text = ""},
    {.fact = MQD_FACT_persistent, .form = MQD_FORM_truth, .number = 1, .text = ""},
    {.fact = MQD_FACT_operation, .form = MQD_FORM_number, .number = MQD_OPERATION_recv, .text = ""},
    {.fact = MQD_FACT_progress, .form = MQD_FORM_number, .number = MQD_PROGRESS_waited_for, .text = ""},
    {.fact = MQD_FACT_object, .form = MQD_FORM_handle, .address = 0x88, .text = ""},
    {.fact = MQD_FACT_peer, .form = MQD_FORM_number, .number = -1, .text = ""},
    {.fact = MQD_FACT_tag, .form = MQD_FORM_number, .number = 1234, .text = ""},
    {.fact = MQD_FACT_bytes, .form = MQD_FORM_number, .number = 40, .text = ""},
};
static struct handle_item type_items[] = {
    {.fact = MQD_FACT_committed, .form = MQD_FORM_truth, .text = ""},
    {.fact = MQD_FACT_combiner, .form = MQD_FORM_number, .number = MQD_COMBINER_hindexed_block, .text = ""},
    {.fact = MQD_FACT_internal, .form = MQD_FORM_truth, .text = ""},
    {.fact = MQD_FACT_access_mode, .form = MQD_FORM_number, .number = 9, .text = ""},
    {.fact = MQD_FACT_function, .form = MQD_FORM_address, .address = 0x4711, .text = ""},
    {.fact = MQD_FACT_integer, .form = MQD_FORM_number, .number = 3, .text = ""},
    {.fact = MQD_FACT_integer, .form = MQD_FORM_number, .index = 1, .number = 2, .text = ""},
};
static struct handle_item collective_items[] = {
    {.fact = MQD_FACT_request_state, .form = MQD_FORM_number, .number = MQD_REQUEST_complete, .text = ""},
    {.fact = MQD_FACT_request_kind, .form = MQD_FORM_number, .number = MQD_REQUEST_OF_collective, .text = ""},
};

static struct handle_item info_items[] = {
    {.fact = MQD_FACT_key, .form = MQD_FORM_text, .text = "a key"},
    {.fact = MQD_FACT_key, .form = MQD_FORM_text, .index = 1, .text = "b"},
    {.fact = MQD_FACT_key, .form = MQD_FORM_text, .index = 2, .text = "c"},
    {.fact = MQD_FACT_value, .form = MQD_FORM_text, .text = "two\nlines  \"q\"\\"},
    {.fact = MQD_FACT_value, .form = MQD_FORM_text, .index = 1, .text = ""},
};

static struct handle handles[] = {
    {.position = -1, .value = 0x55, .items = grid_items, .n = N_OF(grid_items),
     .summary = {.kind = MQD_HANDLE_communicator, .object = 0x55, .class_name = "ompi_communicator_t", .fortran = 3,
                 .name = "grid"}},
    {.position = 0, .value = 0x66, .items = receive_items, .n = N_OF(receive_items),
     .summary = {.kind = MQD_HANDLE_request, .object = 0x66, .class_name = "a_t", .fortran = -1}},
    {.position = 1, .value = 0x67, .items = collective_items, .n = N_OF(collective_items),
     .summary = {.kind = MQD_HANDLE_request, .object = 0x67, .class_name = "b_t", .fortran = -1}},
    {.position = 2, .value = 0x68, .error = (char *)"no MPI object lies there", .summary.fortran = -1},
};

static struct listing asked_listing(struct handle_answer *answer, int rank)
{
    return (struct listing){.rank = rank, .pid = 10 + rank, .user = -1, .executable = (char *)"/bin/p",
                            .answers = answer, .n_answers = 1};
}

static const char *printed(const char *question, struct handle_answer *answer, size_t n_ranks)
{
    struct words questions = {.words = (char *[]){(char *)(uintptr_t)question}, .n = 1};
    struct listing listings[2] = {asked_listing(answer, 0), asked_listing(answer, 1)};
    const struct listing *shown[] = {&listings[0], &listings[1]};

    return PRINTED(text_print(test_to, shown, n_ranks, &questions, false));
}

TEST(a_communicator_in_words)
{
    struct handle_answer answer = {.question = (char *)"--handle 0x55", .handles = handles, .n = 1};

    assert_text(printed("--handle 0x55", &answer, 2),
                "Rank 0, process 10: /bin/p\n"
                "  --handle 0x55:\n"
                "    grid (communicator, ompi_communicator_t at 0x55, Fortran 3), rank 2 of 4\n"
                "      Cartesian 2 x 2, periodic in x, this rank at (1,0)\n"
                "      revoked; error handler MPI_ERRORS_RETURN; attribute MPI_TAG_UB 32,767;\n"
                "        attribute 12 0x77\n"
                "Rank 1, process 11: the same as rank 0, with its own rank, coordinates and\n"
                "  addresses\n");
    answer.n = 0;
    assert_text(printed("--handle 0x55", &answer, 1), "Rank 0, process 10: /bin/p\n  --handle 0x55:\n    none\n");
    assert_text(printed("--files", &answer, 1), "Rank 0, process 10: /bin/p\n  --files: not asked\n");
}

TEST(other_objects_in_words)
{
    struct handle type = {.position = -1, .value = 0x55, .items = type_items, .n = N_OF(type_items),
                          .summary = {.kind = MQD_HANDLE_datatype, .object = 0x55, .class_name = "c_t", .fortran = -1}};
    struct handle null = {.position = -1, .value = 0x9, .items = &receive_items[1], .n = 0, .error = (char *)"e",
                          .summary = {.kind = MQD_HANDLE_group, .object = 9, .class_name = "g_t", .fortran = 0}};
    struct handle_answer answer = {.question = (char *)"--handle 0x55", .handles = &type, .n = 1};

    assert_text(printed("--handle 0x55", &answer, 1),
                "Rank 0, process 10: /bin/p\n"
                "  --handle 0x55:\n"
                "    datatype (c_t at 0x55)\n"
                "      not committed; combiner hindexed block;\n"
                "        access mode MPI_MODE_CREATE MPI_MODE_RDWR; function 0x4711; integer 3 2\n");
    answer.handles = &null;
    assert_text(printed("--handle 0x55", &answer, 1),
                "Rank 0, process 10: /bin/p\n"
                "  --handle 0x55:\n"
                "    group (g_t at 0x9, Fortran 0)\n"
                "      error: e\n");
    answer.handles = &(struct handle){.position = -1, .items = info_items, .n = N_OF(info_items),
                                      .summary = {.kind = MQD_HANDLE_info, .class_name = "i_t", .fortran = -1}};
    assert_text(printed("--handle 0x55", &answer, 1),
                "Rank 0, process 10: /bin/p\n"
                "  --handle 0x55:\n"
                "    info (i_t at 0x0)\n"
                "      \"a key\" = \"two\\x0alines  \\\"q\\\"\\\\\"\n"
                "      \"b\" = \"\"\n"
                "      \"c\" = ?\n");
    answer.handles = &(struct handle){.position = -1, .items = &collective_items[0], .n = 1,
                                      .summary = {.kind = MQD_HANDLE_request, .class_name = "r_t", .fortran = -1}};
    assert_text(printed("--handle 0x55", &answer, 1),
                "Rank 0, process 10: /bin/p\n"
                "  --handle 0x55:\n"
                "    request (r_t at 0x0)\n"
                "      complete: the request of all operations that ended as soon as they began,\n"
                "        as those with MPI_PROC_NULL\n");
    answer.handles = &handles[1];
    handles[1].position = -1;
    assert_text(printed("--handle 0x55", &answer, 1),
                "Rank 0, process 10: /bin/p\n"
                "  --handle 0x55:\n"
                "    request (a_t at 0x66)\n"
                "      active: persistent receive from any source, tag 1,234, on 0x88, 40 bytes:\n"
                "        waited for\n");
    handles[1].position = 0;
}

TEST(an_array_of_requests_in_words)
{
    struct handle_answer answer = {.question = (char *)"--requests 0x1,3", .handles = &handles[1], .n = 3,
                                   .error = (char *)"entry 3 cannot be read"};

    assert_text(printed("--requests 0x1,3", &answer, 1),
                "Rank 0, process 10: /bin/p\n"
                "  --requests 0x1,3:\n"
                "    1 of 3 requests is not complete, and of 1 it is not known:\n"
                "      [0] persistent receive from any source, tag 1,234, on 0x88, 40 bytes:\n"
                "        waited for\n"
                "    1 is complete: [1]\n"
                "    [2] 0x68: error: no MPI object lies there\n"
                "    error: entry 3 cannot be read\n");
}

TEST(answers_as_json)
{
    struct handle_answer answer = {.question = (char *)"--handle 0x55", .handles = handles, .n = 1};
    const struct listing listing = asked_listing(&answer, 0), *shown = &listing;
    const char *text = PRINTED(json_print(test_to, &shown, 1, NULL, NULL, 0));

    assert_has(text, "\"answers\":[{\"question\":\"--handle 0x55\",\"handles\":[{\"value\":\"0x55\","
                     "\"kind\":\"communicator\",\"object\":\"0x55\",\"class\":\"ompi_communicator_t\","
                     "\"predefined\":false,\"fortran\":3,"
                     "\"name\":\"grid\",\"facts\":{\"size\":4,\"rank\":2,\"revoked\":true,\"topology\":\"cartesian\","
                     "\"dimension\":[2,2],\"periodic\":[true,false],\"coordinate\":[1,0],"
                     "\"error_handler\":{\"address\":\"0x99\",\"name\":\"MPI_ERRORS_RETURN\"},"
                     "\"attribute\":[{\"key\":0,\"name\":\"MPI_TAG_UB\",\"value\":32767},"
                     "{\"key\":12,\"name\":null,\"value\":\"0x77\"}]}}]}]");
    answer = (struct handle_answer){.question = (char *)"--requests 0x1,1", .handles = &handles[3], .n = 1,
                                    .error = (char *)"e", .reason = MQD_REASON_damaged};
    text = PRINTED(json_print(test_to, &shown, 1, NULL, NULL, 0));
    assert_has(text, "\"answers\":[{\"question\":\"--requests 0x1,1\",\"error\":\"e\",\"cause\":\"damaged\","
                     "\"handles\":[{\"position\":2,\"value\":\"0x68\",\"kind\":null,\"object\":null,\"class\":null,"
                     "\"predefined\":false,\"fortran\":null,\"name\":null,\"facts\":{},"
                     "\"error\":\"no MPI object lies there\"}]}]");
}
