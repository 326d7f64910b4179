/* dump_findings.c - what a job's verdict says. */
#include "dump_findings.h"

#include "unit_test.h"

#include "dump_job.h"
#include "mqd/dump/base/ranges.h"

struct explanation explanation;

void findings_end(void)
{
    job_end();
    explanation_clear(&explanation);
}

/* "0-3"; with jobs "a:0,1+b:0"; of a job that has a user besides its name "a/5:0" */
static char *add_ranks(char *all, const struct finding *finding, const char *job_name, const long *ranks, size_t n)
{
    char *user = finding->user >= 0 ? test_text("/%ld", finding->user) : "";

    return n == 0 ? all : test_text("%s%s%s%s%s%s", all, *all != '\0' ? "+" : "", job_name, user,
                                    *job_name != '\0' ? ":" : "", (char *)of_test(ranks_fold(ranks, n)));
}

const char *say_finding(const struct finding *finding)
{
    char *ranks = add_ranks("", finding, finding->job, finding->ranks, finding->n_ranks);
    char *causes = add_ranks("", finding, finding->job, finding->causes, finding->n_causes);

    for (size_t i = 0; i < finding->n_others; i++) {
        const struct finding_share *other = &finding->others[i];

        ranks = add_ranks(ranks, finding, other->job, other->ranks, other->n_ranks);
        causes = add_ranks(causes, finding, other->job, other->causes, other->n_causes);
    }
    return test_text("=> %s %s %s%s%s", finding_kind_name(finding->kind), finding->certain ? "certain" : "possible",
                     ranks, *causes != '\0' ? " for " : "", causes);
}

const char *conclude(void)
{
    char *text = test_text("%s", "");

    explanation_reach(&explanation, job.witnesses, job.n_ranks);
    for (size_t i = 0; i < explanation.verdict.n; i++) {
        const struct explained *said = &explanation.findings[i];

        text = test_text("%s%s\n%s\n%s\n", text, say_finding(&explanation.verdict.findings[i]), said->sentence,
                         test_join((const char *const *)said->details, said->n_details, "\n"));
    }
    return test_text("%s%s", text, test_join((const char *const *)explanation.notes, explanation.n_notes, "\n"));
}

void check_time(clock_t start)
{
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;

    /* It is a small part of a second, on a machine ten times slower than those of today some seconds. */
    if (seconds > 20 && getenv("MQD_TEST_SLOW") == NULL)
        fail_msg("it took %.1f s of a processor", seconds);
}
