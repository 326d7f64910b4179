/*
 * test_dump_rank_claim.c - which process is which rank of which job, where launchers have given names or not.
 */
#define TEST_TEARDOWN end_test()
#include "unit_test.h"

#include "dump_job.h"
#include "mqd/dump/show/text/verdict_text.h"
#include "mqd/dump/verdict/rank_claim.h"
#include "verdict_case.h"

static struct rank_claim *claims;
static size_t n_claims;
static struct verdict verdict;

static void end_test(void)
{
    free(claims);
    claims = NULL;
    verdict_clear(&verdict);
    job_end();
}

/* Claims of witnesses as "7:0 a/54321:1*": jobs, users that are named, ranks, and * for those that are inferred. */
static const char *take(void)
{
    char *text = test_text("%s", "");

    free(claims);
    claims = rank_claims_take(job.witnesses, job.n_ranks, &n_claims);
    for (size_t i = 0; i < n_claims; i++)
        text = test_text("%s%s%s%s:%ld%s", text, i > 0 ? " " : "", claims[i].job,
                         claims[i].name_users ? test_text("/%ld", claims[i].user) : "", claims[i].world,
                         claims[i].inferred ? "*" : "");
    return text;
}

static const char *take_of(const char *lines)
{
    job_end();
    job_make(lines);
    return take();
}

/* Two processes that were started without a launcher: each is rank 0 of a job of its own. */
#define ALONE "ranks 1+1\na0,b0: job=\"\"\n"

TEST(numbers_tell_jobs_without_names_apart)
{
    assert_string_equal(take_of(ALONE), "7:0 8:0");
    assert_int_equal(rank_claims_end(claims, n_claims, 0), 1);
    /* Two that claim one rank of one job are dropped, and those that nothing tells apart. */
    assert_string_equal(take_of(ALONE "b0: run 7"), "");
    assert_string_equal(take_of(ALONE "a0,b0: has_name=0"), "");
    /* A process of another number is not of the only job that has a name. */
    assert_string_equal(take_of(ALONE "a0: job=a"), "8:0 a:0");
    /* Ranks of one number need no name. */
    assert_string_equal(take_of("ranks 3"), ":0 :1 :2");
    /* A number leads to the name of the job, if the environment of a rank could not be read. */
    assert_string_equal(take_of("ranks 2+2\nb1: job=\"\""), "a:0 a:1 b:0 b:1");
}

/* Users. */

/* Two ranks of "a" that wait for each other, and somebody's process that says it is rank 0 of "a" too, number and all. */
#define IMPOSTOR \
    "ranks 2+1\na0: MPI_Recv from 1 tag 5 marked\na1: MPI_Recv from 0 tag 5 marked\n" \
    "a0,a1: user=0\nb0: job=a run 7 user=54321\n"

TEST(nobody_claims_a_rank_of_another_users_job)
{
    assert_string_equal(take_of(IMPOSTOR), "a/0:0 a/0:1 a/54321:0");
    assert_int_equal(rank_claims_end(claims, n_claims, 0), 2);
}

/* It says that it has a communicator with the others' job. */
TEST(jobs_of_different_users_are_not_connected)
{
    assert_string_equal(take_of(IMPOSTOR "communicator both: of b0 / a0,a1 at b0\nb0: job=b run 8"), "a:0 a:1 b:0");
    assert_int_equal(rank_claims_end(claims, n_claims, 0), 2);
}

/* The environment of another user's process could not be read; it has the number of the job. */
TEST(number_leads_to_no_other_users_job)
{
    assert_string_equal(take_of(IMPOSTOR "b0: job=\"\" rank=1"), "7:1 a:0 a:1");
    assert_int_equal(claims[0].user, 54321);
}

/* Rank 1 has ended. That somebody else's process is there too makes no difference. */
TEST(rank_that_has_ended_is_inferred_beside_another_users_job)
{
    assert_string_equal(take_of(IMPOSTOR "a1: rank=-1 ended\nb0: rank=1"), "a/0:0 a/0:1* a/54321:1");
}

/* The same of one user is what it was: it is not known which is the rank. */
TEST(two_of_one_user_that_claim_one_rank_are_dropped)
{
    assert_string_equal(take_of(IMPOSTOR "b0: user=0"), "a:1");
}

/* A record of an earlier version does not say whose its ranks are. */
TEST(rank_of_unknown_user_is_of_the_job_of_its_name)
{
    assert_string_equal(take_of(IMPOSTOR "b0: job=b\na1: user=-1"), "a:0 a:1 b:0");
    assert_int_equal(claims[1].user, 0);
    job.witnesses[0].user = job.witnesses[2].user = -1;
    assert_string_equal(take(), "a:0 a:1 b:0");
    assert_true(claims[0].user == -1 && claims[2].user == -1);
}

/* Two jobs of one name that both have something to tell. */
TEST(findings_name_users_where_names_are_the_same)
{
    const struct listing *listings[3];
    const char *text;

    job_make(IMPOSTOR);
    for (size_t i = 0; i < 3; i++)
        listings[i] = &job.listings[i];
    verdict_reach(&verdict, job.witnesses, job.n_ranks);
    text = PRINTED(verdict_print(test_to, &verdict, listings, 3));
    assert_has(text, "Deadlock, job a of user 0. Ranks 0,1 wait");
    assert_has(text, "rank 0 of job a of user 54321: ");
}
