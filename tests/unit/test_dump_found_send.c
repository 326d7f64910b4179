/*
 * test_dump_found_send.c - sends that are found through the message at their receiver: what mqdump asks of the DLL, and
 * where it lists the answer. The library is a table of functions; the processes are listings that the test makes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Before CMocka, which has a macro of the name of a function there. */
#include "mqd/dump/base/memory.h"
#include <cmocka.h>

#include "dump_job.h"
#include "mqd/dump/collect/client/found_send.h"

enum { STACK = 0x7ff0, CODE_A = mqs_first_user_code, MAX_PROCESSES = 8 };

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
    (void)process;
    *operation = answer.facts;
    return mqs_ok;
}

static int describe_unknown(mqs_process *process, struct mqd_unknown_description *unknown)
{
    (void)process;
    *unknown = answer.unknown;
    return mqs_ok;
}

static mqs_taddr_t send_request_of(mqs_process *process)
{
    (void)process;
    return 0;
}

static char *error_string(int code)
{
    static char text[] = "a page is missing";

    (void)code;
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
static const struct dll library = {.error_string = error_string, .extension = &extension};

/* Rank 0 is in a blocking send to rank 1; nobody has its request but the message. */
static int setup(void **state)
{
    (void)state;
    job_start(3);
    for (size_t i = 0; i < job.n_ranks; i++)
        listed[i] = (struct listed_process){&job.listings[i], &processes[i]};
    answer = (struct answer){.communicator = WORLD, .operation = {.desired_local_rank = 1, .desired_global_rank = 1,
                                                                  .desired_tag = 7, .desired_length = 80},
                             .facts = {.kind = MQD_OPERATION_send, .request = STACK, .sequence = -1, .has_peer = 1,
                                       .peer = job.listings[1].name}};
    n_asked = 0;
    extension.size = sizeof extension;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    job_end();
    return 0;
}

static mqs_pending_operation *message_from(size_t sender, size_t receiver, mqs_taddr_t request)
{
    mqs_pending_operation *message = job_message(receiver, WORLD, (long)sender, 7);

    job_extra(message)->send_request = request;
    job_facts(message)->has_peer = 1;
    job_facts(message)->peer = job.listings[sender].name;
    return message;
}

static void ask(void)
{
    found_sends_take(&library, listed, job.n_ranks, true);
}

static const struct queue *sends_of(size_t rank)
{
    return &job_communicator_of(rank, WORLD)->queues[mqs_pending_sends];
}

static void send_is_listed_in_its_process(void **state)
{
    (void)state;
    message_from(0, 1, STACK);
    answer.unknown.buffer = 1;
    ask();
    assert_int_equal(n_asked, 1);
    assert_int_equal(last_asked, 0);
    assert_int_equal(sends_of(0)->n, 1);
    assert_int_equal(sends_of(0)->operations[0].desired_tag, 7);
    assert_int_equal(queue_facts(sends_of(0), 0)->request, STACK);
    assert_true(queue_extra(sends_of(0), 0)->unknown.buffer);
    assert_true(queue_extra(sends_of(0), 0)->found);
    assert_true(queue_extra(sends_of(0), 0)->named);
    assert_int_equal(queue_extra(sends_of(0), 0)->found_at.job, job.listings[1].name.job);
    assert_int_equal(queue_extra(sends_of(0), 0)->found_at.rank, 1);
    assert_int_equal(sends_of(1)->n + sends_of(2)->n, 0);
    assert_null(sends_of(0)->error);
}

/* A handle is not the address that messages name: it tells that two sends are the same. */
static void send_that_is_listed_is_known_better(void **state)
{
    (void)state;
    job_send(0, WORLD, "Send", 1, 6);
    answer.facts.request = job_facts(job_send(0, WORLD, "Send", 1, 7))->request;
    answer.facts.progress = MQD_PROGRESS_unmatched;
    answer.facts.needs_receiver = 1;
    message_from(0, 1, STACK);
    ask();
    assert_int_equal(sends_of(0)->n, 2);
    assert_false(queue_extra(sends_of(0), 0)->named);
    assert_true(queue_extra(sends_of(0), 1)->named);
    assert_false(queue_extra(sends_of(0), 1)->found);
    assert_int_equal(queue_facts(sends_of(0), 1)->progress, MQD_PROGRESS_unmatched);
}

/* One that is not comes behind those that are. */
static void send_that_is_not_listed_comes_last(void **state)
{
    (void)state;
    job_send(0, WORLD, "Send", 1, 7);
    message_from(0, 1, STACK);
    ask();
    assert_int_equal(sends_of(0)->n, 2);
    assert_false(queue_extra(sends_of(0), 0)->named);
    assert_true(queue_extra(sends_of(0), 1)->named);
    assert_true(queue_extra(sends_of(0), 1)->found);
}

static void each_send_is_asked_for_once(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++)
        message_from(0, 1, STACK);
    ask();
    assert_int_equal(n_asked, 1);
    assert_int_equal(sends_of(0)->n, 1);
}

static void messages_that_name_nothing_cost_nothing(void **state)
{
    (void)state;
    message_from(0, 1, 0);
    ask();
    assert_int_equal(n_asked, 0);
}

/* The same address in another process is another send. */
static void addresses_are_those_of_a_process(void **state)
{
    (void)state;
    job_facts(job_send(2, WORLD, "Send", 1, 7))->request = STACK;
    message_from(0, 1, STACK);
    ask();
    assert_int_equal(n_asked, 1);
    assert_int_equal(last_asked, 0);
    assert_int_equal(sends_of(2)->n, 1);
}

static void sender_that_is_not_read_is_not_asked(void **state)
{
    (void)state;
    message_from(0, 1, STACK);
    found_sends_take(&library, listed + 1, 2, true);
    assert_int_equal(n_asked, 0);
    job_facts(&job_communicator_of(1, WORLD)->queues[mqs_unexpected_messages].operations[0])->has_peer = 0;
    ask();
    assert_int_equal(n_asked, 0);
}

/* A copy made by fork has the same name: it cannot be told which of them has sent. */
static void two_processes_of_one_name_are_not_asked(void **state)
{
    (void)state;
    message_from(0, 1, STACK);
    job.listings[2].name = job.listings[0].name;
    ask();
    assert_int_equal(n_asked, 0);
}

static void processes_are_named_by_job_and_rank(void **state)
{
    (void)state;
    job_end();
    job_start(4);
    job_split(2);
    for (size_t i = 0; i < job.n_ranks; i++)
        listed[i] = (struct listed_process){&job.listings[i], &processes[i]};
    job_extra(job_message(0, WORLD, 1, 7))->send_request = STACK;
    job_facts(job_communicator_of(0, WORLD)->queues[mqs_unexpected_messages].operations)->has_peer = 1;
    job_facts(job_communicator_of(0, WORLD)->queues[mqs_unexpected_messages].operations)->peer = job.listings[3].name;
    answer.facts.peer = job.listings[0].name;
    ask();
    assert_int_equal(n_asked, 1);
    assert_int_equal(last_asked, 3);
    assert_int_equal(sends_of(3)->n, 1);
    assert_int_equal(queue_extra(sends_of(3), 0)->found_at.job, job.listings[0].name.job);
}

/* What is at the address now may be anything. */
static void another_send_at_the_address_is_not_taken(void **state)
{
    (void)state;
    message_from(0, 1, STACK);
    answer.operation.desired_tag = 8;
    ask();
    answer.operation.desired_tag = 7;
    answer.facts.peer = job.listings[2].name;
    ask();
    answer.facts.peer = job.listings[1].name;
    answer.communicator = 99;
    ask();
    assert_int_equal(n_asked, 3);
    assert_int_equal(sends_of(0)->n, 0);
    answer.communicator = WORLD;
    ask();
    assert_int_equal(sends_of(0)->n, 1);
}

static void librarys_own_are_listed_on_request(void **state)
{
    (void)state;
    message_from(0, 1, STACK);
    answer.facts.internal = 1;
    found_sends_take(&library, listed, job.n_ranks, false);
    assert_int_equal(sends_of(0)->n, 0);
    ask();
    assert_int_equal(sends_of(0)->n, 1);
}

static void nothing_found_is_no_error(void **state)
{
    (void)state;
    message_from(0, 1, STACK);
    answer.code = mqs_end_of_list;
    ask();
    assert_int_equal(sends_of(0)->n, 0);
    assert_null(sends_of(0)->error);
}

static void failure_is_told_at_the_sender(void **state)
{
    (void)state;
    message_from(0, 1, STACK);
    answer.code = CODE_A;
    ask();
    assert_int_equal(sends_of(0)->n, 0);
    assert_string_equal(sends_of(0)->error, "a send that waits at its receiver cannot be read: a page is missing");
    assert_int_equal(sends_of(0)->reason, MQD_REASON_unreadable);
    assert_null(sends_of(1)->error);
}

static void queue_that_is_not_known_stays_so(void **state)
{
    (void)state;
    message_from(0, 1, STACK);
    job_communicator_of(0, WORLD)->queues[mqs_pending_sends].available = false;
    ask();
    assert_int_equal(sends_of(0)->n, 0);
}

static void library_without_the_function_is_not_asked(void **state)
{
    struct dll plain = library;

    (void)state;
    message_from(0, 1, STACK);
    extension.size = offsetof(struct mqd_extension_v1, find_send);
    ask();
    plain.extension = NULL;
    found_sends_take(&plain, listed, job.n_ranks, true);
    assert_int_equal(n_asked, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(send_is_listed_in_its_process),
        TEST(send_that_is_listed_is_known_better),
        TEST(send_that_is_not_listed_comes_last),
        TEST(each_send_is_asked_for_once),
        TEST(messages_that_name_nothing_cost_nothing),
        TEST(addresses_are_those_of_a_process),
        TEST(sender_that_is_not_read_is_not_asked),
        TEST(two_processes_of_one_name_are_not_asked),
        TEST(processes_are_named_by_job_and_rank),
        TEST(another_send_at_the_address_is_not_taken),
        TEST(librarys_own_are_listed_on_request),
        TEST(nothing_found_is_no_error),
        TEST(failure_is_told_at_the_sender),
        TEST(queue_that_is_not_known_stays_so),
        TEST(library_without_the_function_is_not_asked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
