/* dump_findings.c - compares what a job's verdict says with what it should say. */
#include "dump_findings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Before CMocka, which has a macro of the name of a function there. */
#include "mqd/dump/base/memory.h"
#include <cmocka.h>

#include "dump_job.h"
#include "mqd/dump/base/ranges.h"

struct verdict verdict;

int findings_end(void **state)
{
    (void)state;
    job_end();
    verdict_clear(&verdict);
    return 0;
}

void check_ranks(const char *what, const long *ranks, size_t n, const char *expected)
{
    char *found = ranks_fold(ranks, n);

    if (strcmp(found, expected) != 0)
        fail_msg("%s are '%s', not '%s'", what, found, expected);
    free(found);
}

static void check_texts(const struct finding *finding)
{
    assert_non_null(finding->sentence);
    assert_true(strlen(finding->sentence) > 10);
    assert_int_equal(finding->sentence[strlen(finding->sentence) - 1], '.');
    for (size_t i = 0; i < finding->n_details; i++)
        assert_int_equal(finding->details[i][strlen(finding->details[i]) - 1], '.');
}

static void print_findings(void)
{
    for (size_t i = 0; i < verdict.n; i++)
        print_error("%s: %s\n", finding_kind_name(verdict.findings[i].kind), verdict.findings[i].sentence);
}

void check_findings(const struct expected *expected, size_t n)
{
    verdict_reach(&verdict, job.witnesses, job.n_ranks);
    if (verdict.n != n)
        print_findings();
    assert_int_equal(verdict.n, n);
    for (size_t i = 0; i < n; i++) {
        const struct finding *finding = &verdict.findings[i];

        assert_string_equal(finding_kind_name(finding->kind), finding_kind_name(expected[i].kind));
        assert_int_equal(finding->certain, expected[i].certain);
        check_ranks("the ranks", finding->ranks, finding->n_ranks, expected[i].ranks);
        check_ranks("the causes", finding->causes, finding->n_causes, expected[i].causes);
        check_texts(finding);
    }
}
void check_nothing(void)
{
    check_findings(NULL, 0);
}

void check_says(size_t finding, const char *text)
{
    if (strstr(verdict.findings[finding].sentence, text) != NULL)
        return;
    for (size_t i = 0; i < verdict.findings[finding].n_details; i++)
        if (strstr(verdict.findings[finding].details[i], text) != NULL)
            return;
    print_findings();
    fail_msg("'%s' is not said", text);
}

void check_note(const char *text)
{
    for (size_t i = 0; i < verdict.n_notes; i++)
        if (strstr(verdict.notes[i], text) != NULL)
            return;
    fail_msg("'%s' is not noted", text);
}

void check_time(clock_t start)
{
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;

    /* Under valgrind everything takes longer. */
    if (seconds > 1 && getenv("MQD_TEST_SLOW") == NULL)
        fail_msg("it took %.1f s", seconds);
}
