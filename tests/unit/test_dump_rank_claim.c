/*
 * test_dump_rank_claim.c - which process is which rank of which job, where launchers have given names or not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Before CMocka, which has a macro of the name of a function there. */
#include "mqd/dump/base/memory.h"
#include <cmocka.h>

#include "dump_job.h"
#include "mqd/dump/verdict/rank_claim.h"

static struct rank_claim *claims;
static size_t n_claims;
static struct verdict verdict;

static int end_test(void **state)
{
    (void)state;
    free(claims);
    claims = NULL;
    verdict_clear(&verdict);
    job_end();
    return 0;
}

/* Two processes that were started without a launcher: each is rank 0 of a job of its own. */
static void start_two_alone(void)
{
    job_start(2);
    job_split(1);
    for (size_t i = 0; i < 2; i++) {
        job.witnesses[i].job = NULL;
        job.witnesses[i].job_number = i == 0 ? "7" : "8";
    }
}

static void take(void)
{
    claims = rank_claims_take(job.witnesses, job.n_ranks, &n_claims);
}

static void numbers_tell_jobs_without_names_apart(void **state)
{
    (void)state;
    start_two_alone();
    take();
    assert_int_equal(n_claims, 2);
    assert_string_equal(claims[0].job, "7");
    assert_string_equal(claims[1].job, "8");
    assert_true(claims[0].world == 0 && claims[1].world == 0);
    assert_int_equal(rank_claims_end(claims, n_claims, 0), 1);
}

static void two_that_claim_one_rank_of_one_job_are_dropped(void **state)
{
    (void)state;
    start_two_alone();
    job.listings[1].name.job = 7;
    job.witnesses[1].job_number = "7";
    take();
    assert_int_equal(n_claims, 0);
}

static void without_numbers_nothing_tells_them_apart(void **state)
{
    (void)state;
    start_two_alone();
    for (size_t i = 0; i < 2; i++) {
        job.listings[i].has_name = false;
        job.witnesses[i].job_number = NULL;
    }
    take();
    assert_int_equal(n_claims, 0);
}

static void ranks_of_one_number_need_no_name(void **state)
{
    (void)state;
    job_start(3);
    for (size_t i = 0; i < 3; i++)
        job.witnesses[i].job_number = "7";
    take();
    assert_int_equal(n_claims, 3);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(claims[i].job, "");
}

/* The environment of one rank could not be read. */
static void number_leads_to_the_name_of_the_job(void **state)
{
    (void)state;
    job_start(4);
    job_split(2);
    for (size_t i = 0; i < 4; i++)
        job.witnesses[i].job_number = i < 2 ? "7" : "8";
    job.witnesses[3].job = NULL;
    take();
    assert_int_equal(n_claims, 4);
    assert_string_equal(claims[3].job, "b");
    assert_int_equal(claims[3].world, 1);
}

static void process_of_another_number_is_not_of_the_only_named_job(void **state)
{
    (void)state;
    start_two_alone();
    job.witnesses[0].job = "a";
    take();
    assert_int_equal(n_claims, 2);
    assert_string_equal(claims[0].job, "8");
    assert_string_equal(claims[1].job, "a");
}

/* They found each other by a port, and both receive. */
static void deadlock_across_two_jobs_without_names(void **state)
{
    static const int self[1] = {0};

    (void)state;
    start_two_alone();
    for (size_t i = 0; i < 2; i++)
        job_add_communicator(i, 9, "", self, 1);
    job_set_peers(0, 9, true, (const size_t[]){1}, 1);
    job_set_peers(1, 9, true, (const size_t[]){0}, 1);
    for (size_t i = 0; i < 2; i++) {
        job_in(i, "MPI_Recv");
        job_receive(i, 9, 0, 5);
    }
    verdict_reach(&verdict, job.witnesses, job.n_ranks);
    assert_int_equal(verdict.n, 1);
    assert_string_equal(finding_kind_name(verdict.findings[0].kind), "deadlock");
    assert_true(verdict.findings[0].certain);
    assert_string_equal(verdict.findings[0].job, "7");
    assert_int_equal(verdict.findings[0].n_others, 1);
    assert_string_equal(verdict.findings[0].others[0].job, "8");
    assert_non_null(strstr(verdict.findings[0].sentence, "rank 0 of job 7"));
}

#define TEST(function) cmocka_unit_test_teardown(function, end_test)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(numbers_tell_jobs_without_names_apart),
        TEST(two_that_claim_one_rank_of_one_job_are_dropped),
        TEST(without_numbers_nothing_tells_them_apart),
        TEST(ranks_of_one_number_need_no_name),
        TEST(number_leads_to_the_name_of_the_job),
        TEST(process_of_another_number_is_not_of_the_only_named_job),
        TEST(deadlock_across_two_jobs_without_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
