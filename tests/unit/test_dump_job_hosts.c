/*
 * test_dump_job_hosts.c - on which machines the ranks of jobs are, as launchers say, and what is known of those that
 * were not found here.
 */
#include <sys/stat.h>
#include <unistd.h>

#define TEST_SETUP setup(fixture)
#define TEST_TEARDOWN teardown(fixture)
#define TEST_FIXTURE struct fixture
#include "unit_test.h"

#include "mqd/dump/ask/request.h"
#include "mqd/dump/collect/job/absent_ranks.h"
#include "mqd/dump/collect/job/launcher.h"
#include "mqd/dump/collect/job/launchers.h"
#include "mqd/dump/collect/job/pmix.h"

/* No system has a process of that number. */
enum { NOBODY = 2000000000 };

/* Ranks of one job, and what is not there of them. */
struct fixture {
    struct jobs jobs;
    struct job job;
    struct job_rank ranks[4];
    struct job_process processes[2];
    struct job_hosts hosts;
    struct absent_ranks absent;
};

/* Hosts. */

PLAIN_TEST(own_name_with_and_without_domain)
{
    char name[256] = "", other[300];

    assert_int_equal(gethostname(name, sizeof name - 1), 0);
    assert_true(host_is_here(name));
    name[strcspn(name, ".")] = '\0';
    snprintf(other, sizeof other, "%s.some.domain", name);
    assert_true(host_is_here(other));
    snprintf(other, sizeof other, "%sx", name);
    assert_false(host_is_here(other));
    assert_true(host_is_here("localhost"));
    assert_false(host_is_here("localhost2"));
    assert_true(host_is_here("127.0.0.1"));
    assert_false(host_is_here(""));
}

PLAIN_TEST(each_host_is_there_once)
{
    struct job_hosts hosts = {0};

    for (int i = 0; i < 3000; i++) {
        char *name = test_text("n%d", i % 1000);
        struct job_host *host = job_hosts_add(&hosts, name);

        assert_string_equal(host->name, name);
        assert_ptr_equal(host, &hosts.hosts[i % 1000]);
        job_host_expect(host, (struct expected_rank){.rank = i});
    }
    assert_int_equal(hosts.n, 1000);
    assert_int_equal(hosts.hosts[7].n, 3);
    assert_int_equal(hosts.hosts[7].ranks[2].rank, 2007);
    assert_null(job_hosts_find(&hosts, "n1000"));
    assert_null(job_hosts_add(&hosts, "-n"));
    assert_null(job_hosts_add(&hosts, "a$b"));
    assert_true(job_hosts_are_elsewhere(&hosts));
    job_hosts_clear(&hosts);
    assert_int_equal(hosts.n, 0);
    job_hosts_add(&hosts, "localhost");
    assert_false(job_hosts_are_elsewhere(&hosts));
    job_hosts_clear(&hosts);
}

/* Namespaces. */

PLAIN_TEST(jobs_of_one_launcher)
{
    assert_true(job_family_is_one("3912695809", "3912695810"));
    assert_true(job_family_is_one("3912695808", "3912695809"));
    assert_false(job_family_is_one("3912695809", "3912761345"));
    assert_false(job_family_is_one("3912695809", "39126958090"));
    assert_true(job_family_is_one("prterun-n01-17@1", "prterun-n01-17@2"));
    assert_false(job_family_is_one("prterun-n01-17@1", "prterun-n01-170@1"));
    assert_false(job_family_is_one("prterun-n01-17@1", "prterun-n01-1@1"));
    assert_false(job_family_is_one("slurm.pmix.12.0", "slurm.pmix.12.1"));
    assert_false(job_family_is_one("@1", "@2"));
    assert_false(job_family_is_one("", ""));
    assert_false(job_family_is_one("12", "prterun@12"));
    assert_text(of_test(job_family_first("3912695810")), "3912695809");
    assert_text(of_test(job_family_first("prterun-n01-17@3")), "prterun-n01-17@1");
    assert_text(of_test(job_family_first("slurm.pmix.12.0")), NULL);
    assert_text(of_test(job_family_first("4294967296")), NULL);
}

/* Answers about a launcher. */

#define HEAD                                                                                                           \
    "{\"server\":\"prterun-n01-17@0.0;tcp4://10.0.0.1:4711\",\"problem\":\"it is asleep\",\"means\":null,"             \
    "\"daemons\":\"prterun-n01-17@0\",\"complete\":true,\"slurm_job\":12}\n"
#define HOST(ranks) "{\"host\":[\"a\"" ranks "]}\n"

PLAIN_TEST(table_is_read_as_it_was_written)
{
    static const char text[] = HEAD "{\"job\":\"prterun-n01-17@1\"}\n{\"job\":\"a job\"}\n"
                               "{\"host\":[\"n01\",[0,0,100],[0,2,0]]}\n{\"host\":[\"n02\",[1,1,2147483647]]}\n"
                               "{\"host\":[\"n03\"]}\n";
    RELEASED_BY(launcher_table_clear) struct launcher_table table = {0};

    table_read(&table, test_text("%s", text));
    assert_string_equal(PRINTED(table_write(&table, test_to)), text);
    assert_string_equal(table.server, "prterun-n01-17@0.0;tcp4://10.0.0.1:4711");
    assert_string_equal(table.problem, "it is asleep");
    assert_string_equal(table.jobs.words[1], "a job");
    assert_true(table.hosts.complete && table.hosts.slurm_job == 12);
    assert_int_equal(table.hosts.n, 3);
    assert_int_equal(table.hosts.hosts[0].ranks[1].rank, 2);
    assert_int_equal(table.hosts.hosts[1].ranks[0].job, 1);
    assert_int_equal(table.hosts.hosts[1].ranks[0].pid, INT32_MAX);
}

/* A line never has so many ranks that it is not believed. */
PLAIN_TEST(host_with_many_ranks)
{
    RELEASED_BY(launcher_table_clear) struct launcher_table table = {0};
    struct job_host *host = job_hosts_add(&table.hosts, "n01");
    char *text;

    for (long i = 0; i < 10000; i++)
        job_host_expect(host, (struct expected_rank){.rank = MAX_EXPECTED_RANKS - 1 - i, .pid = INT32_MAX});
    text = PRINTED(table_write(&table, test_to));
    launcher_table_clear(&table);
    table_read(&table, text);
    assert_int_equal(table.hosts.n, 1);
    assert_int_equal(table.hosts.hosts[0].n, 10000);
    assert_int_equal(table.hosts.hosts[0].ranks[9999].rank, MAX_EXPECTED_RANKS - 10000);
}

/* Who reads a launcher may be in its user's hands. */
PLAIN_TEST(nothing_is_believed_after_a_bad_line)
{
    static const struct {
        const char *text;
        size_t n_jobs, n_hosts, n_ranks;
    } cases[] = {
        {"", 0, 0, 0},
        {HOST(",[0,0,1],[0,1,2]"), 0, 1, 2},
        {HOST(",[0,0,1]") "{\"host\":[\"-b\"]}\n{\"host\":[\"c\"]}\n", 0, 1, 1},
        {HOST(",[0,0,1]") HOST(",[0,1,1]"), 0, 1, 2},
        {HOST(",[1,0,1],[0,0,1]"), 0, 1, 0},
        {"{\"job\":\"x\"}\n{\"job\":\"y\"}\n" HOST(",[1,0,1],[2,0,1],[0,0,1]"), 2, 1, 1},
        {"{\"job\":\"x\"}\n" HOST("") "{\"job\":\"y\"}\n" HOST(",[0,0,1]"), 1, 1, 0},
        {"{\"job\":\"\"}\n" HOST(""), 0, 0, 0},
        {"{\"job\":null}\n" HOST(""), 0, 0, 0},
        {"{\"job\":\"a\\tb\"}\n" HOST(""), 0, 0, 0},
        {HOST(",[0,-1,1],[0,0,1]"), 0, 1, 0},
        {HOST(",[0,16000000,1],[0,0,1]"), 0, 1, 0},
        {HOST(",[0,0,2147483648],[0,0,1]"), 0, 1, 0},
        {HOST(",[0,0],[0,0,1]"), 0, 1, 0},
        {HOST(",[0,0,1.5],[0,0,1]"), 0, 1, 0},
        {HOST(",0"), 0, 1, 0},
        {"{\"host\":\"a\"}\n" HOST(""), 0, 0, 0},
        {"\n" HOST(""), 0, 0, 0},
        {"[]\n" HOST(""), 0, 0, 0},
        {"{\"other\":1}\n" HOST(""), 0, 0, 0},
        {"{\"server\":\"a;tcp4://b\"}\n" HOST(""), 0, 0, 0},
        {"{\"slurm_job\":-1}\n" HOST(""), 0, 0, 0},
        {"{\"problem\":\"x\"}\n{\"problem\":\"y\"}\n" HOST(""), 0, 1, 0},
    };

    table_read(&(struct launcher_table){0}, NULL);
    for (size_t i = 0; i < N_OF(cases); i++) {
        RELEASED_BY(launcher_table_clear) struct launcher_table table = {0};
        size_t n = 0;

        table_read(&table, test_text("%s", cases[i].text));
        for (size_t k = 0; k < table.hosts.n; k++)
            n += table.hosts.hosts[k].n;
        if (table.jobs.n != cases[i].n_jobs || table.hosts.n != cases[i].n_hosts || n != cases[i].n_ranks)
            fail_msg("of %s %zu jobs, %zu hosts, %zu ranks", cases[i].text, table.jobs.n, table.hosts.n, n);
    }
}

PLAIN_TEST(processes_that_were_probed)
{
    struct probed one = {0};
    char *text = PRINTED((probed_write(&(struct probed){7, true}, test_to),
                          probed_write(&(struct probed){8, false}, test_to)));

    assert_string_equal(text, "{\"pid\":7,\"mpi\":true}\n{\"pid\":8,\"mpi\":false}\n");
    assert_true(probed_read(&one, &text) && one.pid == 7 && one.has_mpi);
    assert_true(probed_read(&one, &text) && one.pid == 8 && !one.has_mpi);
    assert_false(probed_read(&one, &text));
}

/* Where launchers listen. */

static void write_status(unsigned user)
{
    char *text = test_text("Name:\tprterun\nState:\tS (sleeping)\nTgid:\t99\nPPid:\t1\nUid:\t%u\t%u\t%u\t%u\n"
                           "NSpid:\t99\t4711\nThreads:\t1\n", user, user, user, user);

    test_file(test_path("/status"), text, strlen(text));
}

/* A directory as /proc/PID, with a root of its own. */
static void make_launcher(void)
{
    static const char environment[] = "A=b\0TMPDIR=/scratch\0C=d";

    write_status((unsigned)getuid());
    test_file(test_path("/environ"), environment, sizeof environment);
    test_file(test_path("/root/scratch/else"), "", 0);
}

static void write_session(const char *name, const char *text)
{
    test_file(test_path("/root/scratch/%s", name), text, strlen(text));
}

static void expect_server(const char *expected)
{
    assert_text(of_test(pmix_find(test_directory(), WHY)), expected);
    assert_text(why(), expected == NULL ? "it has left no file for tools below /scratch" : NULL);
}

TEST_BETWEEN(launcher_is_found_by_its_file, make_launcher(), (void)0)
{
    static const char *const sessions[] = {"prterun.n01.4711.0", "ompi.4711", "prte.n01.4711"};

    expect_server(NULL);
    for (size_t i = 0; i < N_OF(sessions); i++) {
        char *line = test_text("prterun-n01-4711@0.0;tcp4://10.0.0.1:%zu", i);

        write_session(test_text("%s/pmix.n01.tool.4711", sessions[i]), test_text("%s\n5.0.7\n", line));
        expect_server(line);
        usleep(20000);
    }
}

static const char address[] = "prterun-n01-4711@0.0;tcp4://10.0.0.1:1";

TEST_BETWEEN(other_files_are_not_its_own, make_launcher(), (void)0)
{
    static const char *const others[] = {
        "prterun.n01.47110.0/pmix.n01.tool.4711", "prterun.n01.14711.0/pmix.n01.tool.4711",
        "prterun.n01.4711.0/pmix.n01.tool.471", "prterun.n01.4711.0/pmix.n01.tool.14711",
        "prterun.n01.4711.0/xmix.n01.tool.4711", "prterun.n02.4711.0/pmix.n01.tool.4711/directory"};

    for (size_t i = 0; i < N_OF(others); i++)
        write_session(others[i], test_text("%s\n", address));
    write_session("prterun.n01.4711.0/pmix.n01.tool.4711", "a.0;unix:/x\n");
    expect_server(NULL);
}

TEST_BETWEEN(file_of_another_user_is_not_believed, make_launcher(), (void)0)
{
    write_session("prterun.n01.4711.0/pmix.n01.tool.4711", test_text("%s\n", address));
    write_status((unsigned)getuid() + 1);
    expect_server(NULL);
    write_status((unsigned)getuid());
    expect_server(address);
}

TEST_BETWEEN(pipe_is_not_waited_for, make_launcher(), (void)0)
{
    write_session("ompi.4711/other", "");
    assert_int_equal(mkfifo(test_path("/root/scratch/ompi.4711/pmix.n01.tool.4711"), 0600), 0);
    expect_server(NULL);
}

PLAIN_TEST(addresses_that_are_none)
{
    static const char *const bad[] = {"", "a", "a.0", "a;tcp4://b", "a.0;tcp4:/b", "a.0;file://b", "-a.0;tcp4://b",
                                      "a b.0;tcp4://b", "a.0;tcp4://b$c", "a.0;tcp4://b\n", "a;.tcp4://b"};

    for (size_t i = 0; i < N_OF(bad); i++)
        assert_false(pmix_address_is_valid(bad[i]));
    assert_true(pmix_address_is_valid("a.0;tcp4://b"));
    assert_true(pmix_address_is_valid("prterun-n01-1@0.0;tcp6://[fd00::2]:35629"));
    assert_text(of_test(pmix_namespace("prterun-n01.cluster-1@0.0;tcp4://b.c:1")), "prterun-n01.cluster-1@0");
}

/* The nodes as Open MPI up to 4.1 writes them. */

static void check_nodes(const char *text, const char *expected)
{
    struct dictionary list = {0};

    assert_int_equal(node_regex_read(&list, text), expected != NULL);
    assert_string_equal(test_join((const char *const *)list.texts, list.n, " "), expected != NULL ? expected : "");
    dictionary_clear(&list);
}

PLAIN_TEST(nodes_of_open_mpi_4)
{
    check_nodes("login,n[2:1-4]@0(5)", "login n01 n02 n03 n04");
    check_nodes("vm,n[2:2-3]@0(3)", "vm n02 n03");
    check_nodes("n[1:9],n[2:10-11]-ib,x@0(4)", "n9 n10-ib n11-ib x");
    check_nodes("n[3:1-2,7].site@0,1(2)", "n001.site n002.site n007.site");
    check_nodes("[2:7-8],a@0(3)", "07 08 a");
    check_nodes("a,b,c,d@0,-1(2),1", "a d");
    check_nodes("a@0", "a");
}

PLAIN_TEST(nodes_that_cannot_be)
{
    static const char *const bad[] = {
        "", "a", "@0", "a@", "a@0(2)", "a,b@0", "a,@0(2)", ",a@0(2)", "n[2:1-4@0(4)", "n[2:4-1]@0(4)", "n[:1]@0",
        "n[2:]@0", "n[2:x]@0", "n[2:1]@0(1", "n[2:1]@x", "a@0(0)", "-a@0", "a b@0", "n[300:1]@0", "n[2:1]]@0",
        "n[9:0-99999999999999999999]@0", "n[9:1-2147483640]@0(2147483640)"};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check_nodes(bad[i], NULL);
}

/* Commands that start daemons. */
#define WORDS(words) words, sizeof words

static void check_daemon(const char *words, size_t n, const char *hosts, const char *name, long n_daemons)
{
    struct daemon_arguments arguments;

    assert_true(daemon_arguments_read(&arguments, words, n));
    assert_text(arguments.hosts, hosts);
    assert_text(arguments.name, name);
    assert_int_equal(arguments.n_daemons, n_daemons);
    daemon_arguments_clear(&arguments);
}

PLAIN_TEST(commands_that_start_daemons)
{
    check_daemon(WORDS("/usr/bin/ssh\0-x\0n01\0 orted\0-mca\0ess\0\"env\"\0-mca\0ess_base_jobid\0\"81199104\"\0-mca\0"
                       "ess_base_num_procs\0\"5\"\0-mca\0orte_node_regex\0\"login,n[2:1-4]@0(5)\""),
                 "n01", "81199104", 5);
    check_daemon(WORDS("ssh\0-p\0002222\0me@n01.site\0PRTE_PREFIX=/usr;export PRTE_PREFIX;/usr/bin/prted\0--prtemca\0"
                       "ess_base_nspace\0\"prterun-login-45@0\"\0--prtemca\0ess_base_num_procs\0\"3\""),
                 "n01.site", "prterun-login-45@0", 3);
    check_daemon(WORDS("rsh\0n01\0 orted -mca ess_base_jobid \"7\" -mca ess_base_num_procs \"2\""), "n01", "7", 2);
    check_daemon(WORDS("srun\0--ntasks-per-node=1\0--nodes=2\0--nodelist=n02,n03\0--ntasks=2\0orted\0-mca\0"
                       "ess_base_jobid\0001500577792\0-mca\0ess_base_num_procs\0003"),
                 "n02,n03", "1500577792", 3);
    check_daemon(WORDS("/usr/bin/prted\0--prtemca\0ess_base_nspace\0prterun-a-1@0"), NULL, "prterun-a-1@0", 0);
    check_daemon(WORDS("sh\0-c\0 orted -mca ess_base_jobid 7"), NULL, "7", 0);
    check_daemon(WORDS("srun\0orted"), NULL, NULL, 0);
    check_daemon(WORDS("ssh\0a$b\0orted\0-mca\0ess_base_num_procs\0-3"), NULL, NULL, 0);
    check_daemon(WORDS("ssh\0n01\0orted\0ess_base_jobid"), "n01", NULL, 0);
}

PLAIN_TEST(commands_that_do_not)
{
    struct daemon_arguments arguments;

    assert_false(daemon_arguments_read(&arguments, "", 0));
    assert_false(daemon_arguments_read(&arguments, WORDS("ssh\0n01\0ls\0aborted")));
    assert_false(daemon_arguments_read(&arguments, WORDS("solver\0--restarted\0prtedx")));
    assert_false(daemon_arguments_read(&arguments, WORDS("\0\0\0")));
}

/* Ranks that were not found here. */

/* Rank 0 of four is here. */
static void setup(struct fixture *fixture)
{
    fixture->processes[0] = (struct job_process){.pid = 100, .parent = 1, .launch = proc_no_launch()};
    fixture->processes[1] = (struct job_process){.pid = 101, .parent = 100, .launch = proc_no_launch()};
    fixture->jobs = (struct jobs){.processes = fixture->processes, .n_processes = 2};
    fixture->ranks[0] = (struct job_rank){.rank = 0, .pid = 101, .launcher = 100};
    fixture->job = (struct job){.name = "a", .size = 4, .local_size = 1, .ranks = fixture->ranks, .n = 1};
}

static void teardown(struct fixture *fixture)
{
    absent_ranks_clear(&fixture->absent);
    job_hosts_clear(&fixture->hosts);
}

static void expect(struct fixture *fixture, const char *host, long rank, pid_t pid, uint32_t job)
{
    job_host_expect(job_hosts_add(&fixture->hosts, host),
                    (struct expected_rank){.rank = rank, .pid = pid, .job = job});
}

/* The notes, one in a line. */
static void check_notes(struct fixture *fixture, uint32_t number, size_t n_missing, const char *expected)
{
    char *text = test_text("%s", "");

    absent_ranks_find(&fixture->absent, &fixture->jobs, &fixture->job, &fixture->hosts, number, 100);
    for (size_t i = 0; i < fixture->absent.n_notes; i++)
        text = test_text("%s%s\n", text, fixture->absent.notes[i]);
    assert_string_equal(text, expected);
    assert_int_equal(fixture->absent.n_missing, n_missing);
}

TEST(ranks_are_where_the_launcher_says)
{
    expect(fixture, "localhost", 0, 101, 0);
    expect(fixture, "n02", 1, 102, 0);
    expect(fixture, "localhost", 2, NOBODY, 0);
    expect(fixture, "n02", 3, 104, 0);
    check_notes(fixture, 0, 1, "job a: rank 2 not found: ended\njob a: ranks 1,3 not on this machine, but on n02\n");
    assert_int_equal(fixture->absent.missing[0].rank, 2);
    assert_true(fixture->absent.missing[0].certain);
}

TEST(ranks_of_another_job_are_not_this_one_s)
{
    expect(fixture, "n02", 1, 102, 0);
    expect(fixture, "n03", 2, 102, 1);
    check_notes(fixture, 1, 0, "job a: rank 2 not on this machine, but on n03\njob a: ranks 1,3 not found: on other "
                               "machines, ended, or without Open MPI (as yet)\n");
}

TEST(without_a_launcher_nobody_knows)
{
    expect(fixture, "n02", 1, 102, 0);
    check_notes(fixture, NO_JOB_NUMBER, 0,
                "job a: ranks 1-3 not found: on other machines, ended, or without Open MPI (as yet)\n");
}

TEST(job_that_is_here_as_a_whole)
{
    fixture->job.local_size = 4;
    check_notes(fixture, NO_JOB_NUMBER, 3, "job a: ranks 1-3 not found: ended, or without Open MPI (as yet)\n");
}

/* A launcher's user chooses what is in its memory. */
TEST(numbers_of_a_hostile_launcher)
{
    fixture->job.size = INT32_MAX;
    expect(fixture, "n02", 15999999, 1, 0);
    expect(fixture, "n02", 5, 1, 0);
    expect(fixture, "n03", 5, 1, 0);
    check_notes(fixture, 0, 0, "job a: rank 5 not on this machine, but on n03\njob a: ranks 1-4 not found: on other "
                               "machines, ended, or without Open MPI (as yet)\n");
}

TEST(node_misses_what_is_expected_there)
{
    const struct expected_rank ranks[] = {{.rank = 0, .pid = 101}, {.rank = 2, .pid = NOBODY}, {.rank = 3}};
    const struct job unknown = {.name = "b", .user = 7, .size = -1, .local_size = -1};

    absent_ranks_expect(&fixture->absent, &fixture->jobs, &fixture->job, ranks, 3, 100);
    assert_int_equal(fixture->absent.n_missing, 2);
    assert_int_equal(fixture->absent.missing[0].rank, 2);
    assert_true(fixture->absent.missing[0].certain);
    assert_string_equal(fixture->absent.missing[0].job, "a");
    assert_int_equal(fixture->absent.missing[1].rank, 3);
    assert_false(fixture->absent.missing[1].certain);
    absent_ranks_expect(&fixture->absent, &fixture->jobs, &unknown, ranks, 1, 0);
    assert_int_equal(fixture->absent.n_missing, 3);
    assert_string_equal(fixture->absent.missing[2].job, "b");
}

/* A launcher may call each rank's machine another name: it is asked once, for all of them. */
PLAIN_TEST(machine_of_several_names_is_one)
{
    struct job_hosts hosts = {0};

    for (long i = 0; i < 5; i++) {
        struct job_host *host = job_hosts_add(&hosts, test_text("n%ld", i));

        host->is_here = i % 2 == 1;
        job_host_expect(host, (struct expected_rank){.rank = i});
    }
    job_hosts_join_here(&hosts);
    assert_int_equal(hosts.n, 4);
    assert_string_equal(hosts.hosts[1].name, "n1");
    assert_int_equal(hosts.hosts[1].n, 2);
    assert_int_equal(hosts.hosts[1].ranks[1].rank, 3);
    assert_ptr_equal(job_hosts_find(&hosts, "n4"), &hosts.hosts[3]);
    assert_null(job_hosts_find(&hosts, "n3"));
    job_hosts_clear(&hosts);
}
