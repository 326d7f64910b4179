/*
 * test_dump_rank_claim.c - which process is which rank of which job, where launchers have given names or not.
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
#include "mqd/dump/show/verdict_text.h"
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

/* Users. */

/* Two ranks of "a" that wait for each other, and somebody's process that says it is rank 0 of "a" too, number and all. */
static void start_with_impostor(void)
{
    job_start(3);
    job_split(2);
    for (size_t i = 0; i < 2; i++) {
        job_in(i, "MPI_Recv");
        job_mark_waited(job_receive(i, WORLD, (long)(1 - i), 5));
    }
    for (size_t i = 0; i < 3; i++) {
        job.witnesses[i].job = "a";
        job.witnesses[i].job_number = "7";
    }
    job.listings[2].name.job = 7;
    job.listings[2].user = job.witnesses[2].user = 54321;
}

static void nobody_claims_a_rank_of_another_users_job(void **state)
{
    (void)state;
    start_with_impostor();
    take();
    assert_int_equal(n_claims, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(claims[i].job, "a");
        assert_int_equal(claims[i].user, i < 2 ? 0 : 54321);
        assert_true(claims[i].name_users);
    }
    assert_int_equal(rank_claims_end(claims, n_claims, 0), 2);
}

/* It says that it has a communicator with the others' job. */
static void jobs_of_different_users_are_not_connected(void **state)
{
    static const int self[1] = {0};

    (void)state;
    start_with_impostor();
    job.witnesses[2].job = "b";
    job.listings[2].name.job = 8;
    job_add_communicator(2, 9, "", self, 1);
    job_set_peers(2, 9, true, (const size_t[]){0, 1}, 2);
    take();
    assert_int_equal(n_claims, 3);
    assert_int_equal(rank_claims_end(claims, n_claims, 0), 2);
    assert_false(claims[0].name_users);
}

/* The environment of another user's process could not be read; it has the number of the job. */
static void number_leads_to_no_other_users_job(void **state)
{
    (void)state;
    start_with_impostor();
    job.witnesses[2].job = NULL;
    job.listings[2].rank = 1;
    take();
    assert_int_equal(n_claims, 3);
    assert_string_equal(claims[0].job, "7");
    assert_int_equal(claims[0].user, 54321);
    assert_string_equal(claims[1].job, "a");
}

/* Rank 1 has ended. That somebody else's process is there too makes no difference. */
static void rank_that_has_ended_is_inferred_beside_another_users_job(void **state)
{
    (void)state;
    start_with_impostor();
    job.listings[1].rank = -1;
    job.witnesses[1].ended = true;
    job.listings[2].rank = 1;
    take();
    assert_int_equal(n_claims, 3);
    assert_true(claims[1].inferred && claims[1].world == 1 && claims[1].user == 0);
}

/* The same of one user is what it was: it is not known which is the rank. */
static void two_of_one_user_that_claim_one_rank_are_dropped(void **state)
{
    (void)state;
    start_with_impostor();
    job.witnesses[2].user = 0;
    take();
    assert_int_equal(n_claims, 1);
    assert_int_equal(claims[0].world, 1);
    assert_false(claims[0].name_users);
}

/* A record of an earlier version does not say whose its ranks are. */
static void rank_of_unknown_user_is_of_the_job_of_its_name(void **state)
{
    (void)state;
    start_with_impostor();
    job.witnesses[2].job = "b";
    job.witnesses[1].user = -1;
    take();
    assert_int_equal(n_claims, 3);
    assert_int_equal(claims[1].world, 1);
    assert_string_equal(claims[1].job, "a");
    assert_int_equal(claims[1].user, 0);
    free(claims);
    job.witnesses[0].user = job.witnesses[2].user = -1;
    take();
    assert_int_equal(n_claims, 3);
    assert_true(claims[0].user == -1 && claims[2].user == -1);
}

/* Two jobs of one name that both have something to tell. */
static void findings_name_users_where_names_are_the_same(void **state)
{
    size_t size;
    char *text = NULL;
    FILE *to = open_memstream(&text, &size);
    const struct listing *listings[3];

    (void)state;
    assert_non_null(to);
    start_with_impostor();
    for (size_t i = 0; i < 3; i++) {
        job.listings[i].job = copy_string("a");
        listings[i] = &job.listings[i];
    }
    verdict_reach(&verdict, job.witnesses, job.n_ranks);
    verdict_print(to, &verdict, listings, 3);
    fclose(to);
    assert_non_null(strstr(text, "Deadlock, job a of user 0. Ranks 0,1 wait"));
    assert_non_null(strstr(text, "rank 0 of job a of user 54321: "));
    free(text);
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
        TEST(nobody_claims_a_rank_of_another_users_job),
        TEST(jobs_of_different_users_are_not_connected),
        TEST(number_leads_to_no_other_users_job),
        TEST(rank_that_has_ended_is_inferred_beside_another_users_job),
        TEST(two_of_one_user_that_claim_one_rank_are_dropped),
        TEST(rank_of_unknown_user_is_of_the_job_of_its_name),
        TEST(findings_name_users_where_names_are_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
