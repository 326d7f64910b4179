/*
 * test_dump_found_send.c - sends that are found through the message at their receiver: what mqdump asks of the DLL, and
 * where it lists the answer. The library is a table of functions; the processes are listings that the test makes.
 */
#define TEST_TEARDOWN job_end()
#include "unit_test.h"

#include "dump_job.h"
#include "mqd/dump/collect/client/found_send.h"
#include "verdict_case.h"

enum { STACK = 0x7ff0, CODE_A = mqs_first_user_code, MAX_PROCESSES = 8 };

/* Functions of the interface get what they do not need here. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* What the library finds at the address STACK of any process. */
static struct answer {
    int code;
    mqs_taddr_t communicator;
    mqs_pending_operation operation;
    struct mqd_operation_description facts;
    struct mqd_unknown_description unknown;
} answer;

static mqs_process processes[MAX_PROCESSES];
static struct listed_process listed[MAX_PROCESSES];
static size_t n_asked, last_asked;

static int find_send(mqs_process *process, mqs_taddr_t request, mqs_taddr_t *communicator,
                     mqs_pending_operation *operation)
{
    n_asked++;
    last_asked = (size_t)(process - processes);
    if (request != STACK)
        return mqs_end_of_list;
    if (answer.code != mqs_ok)
        return answer.code;
    *communicator = answer.communicator;
    *operation = answer.operation;
    return mqs_ok;
}

static int describe_operation(mqs_process *process, struct mqd_operation_description *operation)
{
    *operation = answer.facts;
    return mqs_ok;
}

static int describe_unknown(mqs_process *process, struct mqd_unknown_description *unknown)
{
    *unknown = answer.unknown;
    return mqs_ok;
}

static mqs_taddr_t send_request_of(mqs_process *process)
{
    return 0;
}

static char *error_string(int code)
{
    static char text[] = "a page is missing";

    return text;
}

static int reason_of(int code)
{
    return code == CODE_A ? MQD_REASON_unreadable : MQD_REASON_unknown;
}

static struct mqd_extension_v1 extension = {
    .size = sizeof extension, .describe_operation = describe_operation, .describe_unknown = describe_unknown,
    .send_request_of = send_request_of, .find_send = find_send, .reason_of = reason_of,
};
static const struct dll library = {.dll_error_string = error_string, .extension = &extension};

static void make_job(const char *lines)
{
    job_make(lines);
    for (size_t i = 0; i < job.n_ranks; i++)
        listed[i] = (struct listed_process){&job.listings[i], &processes[i]};
    answer = (struct answer){.communicator = WORLD, .operation = {.desired_local_rank = 1, .desired_global_rank = 1,
                                                                  .desired_tag = 7, .desired_length = 80},
                             .facts = {.kind = MQD_OPERATION_send, .request = STACK, .sequence = -1, .has_peer = 1,
                                       .peer = job.listings[1].name}};
    n_asked = 0;
    extension.size = sizeof extension;
}

/* Says who has sent the n-th message at its receiver, and of which request. */
static void name_sender(size_t n, size_t sender, size_t receiver, mqs_taddr_t request)
{
    struct queue *queue = &job_communicator_of(receiver, WORLD)->queues[mqs_unexpected_messages];

    queue->operations[n].send_request = request;
    queue->operations[n].has_peer = 1;
    queue->operations[n].peer = job.listings[sender].name;
}

/* Rank 0 is in a blocking send to rank 1; nobody has its request but the message. And what else is said. */
static void make_send(const char *more)
{
    make_job(test_text("ranks 3\n1: message from 0 tag 7\n%s", more));
    name_sender(0, 0, 1, STACK);
}

static const struct queue *sends_of(size_t rank)
{
    return &job_communicator_of(rank, WORLD)->queues[mqs_pending_sends];
}

/* Sends of a rank, "6, 7 found named", or why there are none. */
static const char *said_of(size_t rank)
{
    const struct queue *sends = sends_of(rank);
    char *text = test_text("%s", sends->error != NULL ? sends->error : "");

    for (size_t i = 0; i < sends->n; i++)
        text = test_text("%s%s%ld%s%s", text, i > 0 ? ", " : "", sends->operations[i].desired_tag,
                         sends->operations[i].found ? " found" : "", sends->operations[i].named ? " named" : "");
    return text;
}

static const char *ask(void)
{
    found_sends_take(&library, listed, job.n_ranks, true);
    return said_of(0);
}

static const char *ask_about(const char *more)
{
    job_end();
    make_send(more);
    return ask();
}

TEST(send_is_listed_in_its_process)
{
    make_send("");
    answer.unknown.buffer = 1;
    assert_string_equal(ask(), "7 found named");
    assert_int_equal(n_asked, 1);
    assert_int_equal(last_asked, 0);
    assert_int_equal(sends_of(0)->operations[0].request, STACK);
    assert_true(sends_of(0)->operations[0].unknown.buffer);
    assert_int_equal(sends_of(0)->operations[0].found_at.job, job.listings[1].name.job);
    assert_int_equal(sends_of(0)->operations[0].found_at.rank, 1);
    assert_int_equal(sends_of(1)->n + sends_of(2)->n, 0);
    assert_null(sends_of(0)->error);
}

/* A handle is not the address that messages name: it tells that two sends are the same. */
TEST(send_that_is_listed_is_known_better)
{
    make_send("0: Send to 1 tag 6; Send to 1 tag 7");
    answer.facts.request = sends_of(0)->operations[1].request;
    answer.facts.progress = MQD_PROGRESS_unmatched;
    answer.facts.needs_receiver = 1;
    assert_string_equal(ask(), "6, 7 named");
    assert_int_equal(sends_of(0)->operations[1].progress, MQD_PROGRESS_unmatched);
    /* One that is not listed comes behind those that are. */
    assert_string_equal(ask_about("0: Send to 1 tag 7"), "7, 7 found named");
}

TEST(each_send_is_asked_for_once)
{
    make_send("1: message from 0 tag 7 times 99");
    for (size_t i = 1; i < 100; i++)
        name_sender(i, 0, 1, STACK);
    assert_string_equal(ask(), "7 found named");
    assert_int_equal(n_asked, 1);
}

/* Messages that name nothing, or a sender that is not read or not known; and a copy made by fork has the same name. */
TEST(nobody_is_asked_in_vain)
{
    make_send("");
    name_sender(0, 0, 1, 0);
    ask();
    name_sender(0, 0, 1, STACK);
    found_sends_take(&library, listed + 1, 2, true);
    job_communicator_of(1, WORLD)->queues[mqs_unexpected_messages].operations[0].has_peer = 0;
    ask();
    assert_int_equal(n_asked, 0);
    job_end();
    make_send("");
    job.listings[2].name = job.listings[0].name;
    assert_string_equal(ask(), "");
    assert_int_equal(n_asked, 0);
}

/* The same address in another process is another send. */
TEST(addresses_are_those_of_a_process)
{
    make_send("2: Send to 1 tag 7");
    sends_of(2)->operations->request = STACK;
    ask();
    assert_int_equal(n_asked, 1);
    assert_int_equal(last_asked, 0);
    assert_int_equal(sends_of(2)->n, 1);
}

TEST(processes_are_named_by_job_and_rank)
{
    make_job("ranks 2+2\na0: message from 1 tag 7");
    name_sender(0, 3, 0, STACK);
    answer.facts.peer = job.listings[0].name;
    ask();
    assert_int_equal(n_asked, 1);
    assert_int_equal(last_asked, 3);
    assert_string_equal(said_of(3), "7 found named");
    assert_int_equal(sends_of(3)->operations[0].found_at.job, job.listings[0].name.job);
}

/* What is at the address now may be anything. */
TEST(another_send_at_the_address_is_not_taken)
{
    make_send("");
    answer.operation.desired_tag = 8;
    ask();
    answer.operation.desired_tag = 7;
    answer.facts.peer = job.listings[2].name;
    ask();
    answer.facts.peer = job.listings[1].name;
    answer.communicator = 99;
    assert_string_equal(ask(), "");
    assert_int_equal(n_asked, 3);
    answer.communicator = WORLD;
    assert_string_equal(ask(), "7 found named");
}

TEST(librarys_own_are_listed_on_request)
{
    make_send("");
    answer.facts.internal = 1;
    found_sends_take(&library, listed, job.n_ranks, false);
    assert_string_equal(said_of(0), "");
    assert_string_equal(ask(), "7 found named");
}

TEST(failure_is_told_at_the_sender)
{
    make_send("");
    answer.code = mqs_end_of_list;
    assert_string_equal(ask(), "");
    answer.code = CODE_A;
    assert_string_equal(ask(), "a send that waits at its receiver cannot be read: a page is missing");
    assert_int_equal(sends_of(0)->reason, MQD_REASON_unreadable);
    assert_null(sends_of(1)->error);
    /* A queue that is not known stays so. */
    assert_string_equal(ask_about("0: on world sends unknown"), "");
}

TEST(library_without_the_function_is_not_asked)
{
    struct dll plain = library;

    make_send("");
    extension.size = offsetof(struct mqd_extension_v1, find_send);
    ask();
    plain.extension = NULL;
    found_sends_take(&plain, listed, job.n_ranks, true);
    assert_int_equal(n_asked, 0);
}
