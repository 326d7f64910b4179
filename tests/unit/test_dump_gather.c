/*
 * test_dump_gather.c - what is taken from collectors, and what is said of those that fail.
 *
 * A collector is this program again. It does what MQD_TEST_GATHER names, whatever it is asked for.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define TEST_SETUP setup(fixture)
#define TEST_TEARDOWN teardown(fixture)
#define TEST_FIXTURE struct fixture
#include "unit_test.h"

#include "mqd/dump/ask/division.h"
#include "mqd/dump/ask/local.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/base/watch.h"
#include "mqd/dump/collect/child/child.h"
#include "mqd/dump/ask/request.h"
#include "mqd/dump/record/write.h"
#include "tests/unit/in_valgrind.h"

enum { N = 3 };

/* Collectors. */

static void say(struct record_writer *writer, pid_t pid, const char *job)
{
    struct listing listing = {.pid = pid, .rank = 0, .user = 4711, .job = (char *)(uintptr_t)job};
    struct witness witness = {.listing = &listing};

    record_write_witness(writer, &witness);
}

static void write_record(const struct request *request, const char *what)
{
    struct record_look look = {.n_processes = request->n_processes, .has = {.why = true, .queues = true}};
    struct record_writer writer;

    record_look_set_here(&look);
    record_begin(&writer, stdout, &look);
    if (strcmp(what, "others") == 0)
        say(&writer, 1, "of somebody else");
    for (size_t i = 0; i < request->n_processes && strcmp(what, "others") != 0; i++) {
        if (strcmp(what, "leaves one out") != 0 || i != 1)
            say(&writer, request->processes[i].pid, "job");
        if (strcmp(what, "twice") == 0)
            say(&writer, request->processes[i].pid, "again");
    }
    for (int i = 0; i < 1000 && strcmp(what, "warns") == 0; i++) {
        record_write_warning(&writer, test_text("warning %d", i));
    }
    record_end(&writer, &(struct record_statistics){.n_reads = 1, .n_bytes = 2});
    record_look_clear(&look);
    fflush(stdout);
}

static int act(const struct request *request, const char *what)
{
    for (size_t i = 0; i < request->n_processes; i++) {
        watch_set_process(request->processes[i].pid);
        if (strcmp(what, "crashes at one") == 0 && request->processes[i].pid == atoi(getenv("MQD_TEST_CULPRIT"))) {
            signal(SIGSEGV, SIG_DFL);
            raise(SIGSEGV);
        }
    }
    if (strcmp(what, "refuses") == 0)
        return CHILD_REFUSES;
    if (strcmp(what, "nothing") == 0)
        return 0;
    if (strcmp(what, "rubbish") == 0)
        return puts("{\"line\": \"rubbish\"}") < 0;
    while (strcmp(what, "no end") == 0)
        if (puts("no end of it") < 0)
            return 1;
    write_record(request, what);
    if (strcmp(what, "then crashes") == 0)
        abort();
    return 0;
}

static int collect(void)
{
    struct request request;
    int status = 98;

    watch_use(watch_map(CHILD_WATCH));
    if (request_receive(&request, WHY))
        status = act(&request, getenv("MQD_TEST_GATHER"));
    request_clear(&request);
    return status;
}

/* The front end. */

struct fixture {
    pid_t pids[N];
    struct process_id ids[N];
    struct wish wish;
    struct selection targets;
    struct records records;
};

static void setup(struct fixture *fixture)
{
    for (int i = 0; i < N; i++) {
        fixture->pids[i] = fork();
        if (fixture->pids[i] == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            for (;;)
                pause();
        }
        fixture->ids[i].pid = fixture->pids[i];
    }
    fixture->wish = (struct wish){.why = true, .queues = true, .limits.time = {true, 30}};
    fixture->targets = (struct selection){.processes = fixture->ids, .n_processes = N};
}

static void teardown(struct fixture *fixture)
{
    for (int i = 0; i < N; i++) {
        kill(fixture->pids[i], SIGKILL);
        waitpid(fixture->pids[i], NULL, 0);
    }
    warnings_clear();
    records_clear(&fixture->records);
}

static bool look(struct fixture *fixture, const char *what)
{
    setenv("MQD_TEST_GATHER", what, 1);
    return ask_local(&fixture->records, &fixture->wish, &fixture->targets);
}

/* The error of each process must have this part; NULL: there must be none. */
static void check(struct fixture *fixture, const char *const *parts)
{
    const struct records *records = &fixture->records;

    assert_int_equal(records->n_witnesses, N);
    for (int i = 0; i < N; i++) {
        const struct listing *listing = records->listings[i];

        assert_int_equal(listing->pid, fixture->pids[i]);
        assert_ptr_equal(records->witnesses[i].listing, listing);
        if (parts[i] == NULL)
            assert_null(listing->error);
        else if (listing->error == NULL || strstr(listing->error, parts[i]) == NULL)
            fail_msg("the error of process %d is '%s'", i, listing->error != NULL ? listing->error : "none");
    }
}

static void check_all(struct fixture *fixture, const char *what, const char *part)
{
    assert_true(look(fixture, what));
    check(fixture, (const char *[N]){part, part, part});
    records_clear(&fixture->records);
}

TEST(what_was_asked_for_is_taken)
{
    assert_true(look(fixture, "all"));
    check(fixture, (const char *[N]){NULL, NULL, NULL});
    assert_true(records_content(&fixture->records).why && records_content(&fixture->records).queues);
    assert_false(records_content(&fixture->records).layout);
    assert_int_equal(records_statistics(&fixture->records).n_bytes, 2);
    for (int i = 0; i < N; i++) {
        assert_string_equal(fixture->records.listings[i]->job, "job");
        assert_int_equal(fixture->records.witnesses[i].listing->user, getuid());
    }
}

TEST(what_was_not_asked_for_is_not_taken)
{
    check_all(fixture, "others", "has said nothing of it");
    assert_true(look(fixture, "leaves one out"));
    check(fixture, (const char *[N]){NULL, "has said nothing of it", NULL});
    records_clear(&fixture->records);

    /* Only the first answer counts, and the second is that of no other process. */
    assert_true(look(fixture, "twice"));
    check(fixture, (const char *[N]){NULL, "has said nothing of it", "has said nothing of it"});
    assert_string_equal(fixture->records.listings[0]->job, "job");
}

TEST(answers_that_nobody_can_read_are_told)
{
    check_all(fixture, "nothing", "line 1: it is no record");
    check_all(fixture, "rubbish", "what nobody can read: line 1: it is no record");
    check_all(fixture, "no end", "what nobody can read: line 1: it is no record");
}

TEST(answer_before_a_crash_is_taken)
{
    check_all(fixture, "then crashes", NULL);
}

TEST(others_are_read_without_the_one_that_ends_the_reader)
{
    setenv("MQD_TEST_CULPRIT", test_text("%d", (int)fixture->pids[1]), 1);
    assert_true(look(fixture, "crashes at one"));
    check(fixture, (const char *[N]){NULL, "was ended by signal 11", NULL});
}

TEST(refusal_ends_it_all)
{
    assert_false(look(fixture, "refuses"));
}

TEST(process_that_is_not_there_is_told)
{
    kill(fixture->pids[2], SIGKILL);
    waitpid(fixture->pids[2], NULL, 0);
    assert_true(look(fixture, "all"));
    check(fixture, (const char *[N]){NULL, NULL, "no such process"});
}

TEST(ranks_that_are_missing_come_last)
{
    struct missing_rank missing = {.rank = 3, .job = "job", .user = 77, .pid = 17, .fate = "has ended"};

    fixture->targets.absent.missing = &missing;
    fixture->targets.absent.n_missing = 1;
    assert_true(look(fixture, "all"));
    assert_int_equal(fixture->records.n_witnesses, N + 1);
    assert_non_null(fixture->records.witnesses[N].missing);
    assert_int_equal(fixture->records.listings[N]->rank, 3);
    assert_int_equal(fixture->records.listings[N]->user, 77);
    assert_string_equal(fixture->records.listings[N]->error, "it has ended");
}

/* What does not answer may well run: it is a rank that was not read, and none that has ended. */
TEST(missing_rank_of_unknown_fate_has_not_ended)
{
    struct missing_rank missing = {.rank = 3, .job = "job", .pid = 17, .unknown = true, .fate = "is not known"};

    fixture->targets.absent.missing = &missing;
    fixture->targets.absent.n_missing = 1;
    assert_true(look(fixture, "all"));
    assert_int_equal(fixture->records.n_witnesses, N + 1);
    assert_null(fixture->records.witnesses[N].missing);
    assert_int_equal(fixture->records.listings[N]->rank, 3);
    assert_string_equal(fixture->records.listings[N]->error, "it is not known");
}

TEST(not_all_of_very_many_warnings_are_given)
{
    assert_true(look(fixture, "warns"));
    assert_non_null(warning_given(63));
    assert_null(warning_given(64));
}

/* What somebody offers of another one's is read by nobody, not by root either; what is not there is the caller's. */
TEST(link_to_a_core_of_another_user_is_in_no_part)
{
    char *cores[] = {test_path("/missing"), test_path("/link"), test_path("/core")};
    struct division division;
    char *problems[3];

    if (geteuid() != 0)
        skip_because("only root can be several users");
    close(open(cores[2], O_WRONLY | O_CREAT, 0600));
    assert_int_equal(chown(cores[2], 65532, 65532) | symlink(cores[2], cores[1]) | lchown(cores[1], 65533, 65533), 0);
    divide_cores(&division, cores, 3, problems);
    assert_null(problems[0]);
    assert_string_equal(problems[1], "it is a link of one user to a file of another one");
    assert_null(problems[2]);
    assert_int_equal(division.n, 2);
    assert_int_equal(division.owned[0].n, 1);
    assert_int_equal(division.owned[0].members[0], 0);
    assert_int_equal(division.owned[1].owner.user, 65532);
    assert_int_equal(division.owned[1].n, 1);
    assert_int_equal(division.owned[1].members[0], 2);
    division_clear(&division);
    free(problems[1]);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], COLLECT_OPTION) == 0)
        return collect();
    if (is_in_valgrind())
        return skip_all("not under valgrind");
    return unit_tests_run(NULL, NULL);
}
