/*
 * test_dump_job.c - which processes are the ranks of which job, in directories that look like /proc; and the table of a
 * launcher, which is in this program.
 */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define TEST_SETUP clock_stop()
#define TEST_TEARDOWN jobs_free(&fixture->jobs)
#define TEST_SECONDS 120
#define TEST_FIXTURE struct fixture
#include "unit_test.h"

#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/collect/job/absent_ranks.h"
#include "mqd/dump/collect/job/job.h"
#include "mqd/dump/collect/job/launcher.h"
#include "mqd/dump/show/text/job_list.h"
#include "tests/unit/fake_clock.h"

enum { ME = 1000, OTHER = 1001 };

#define OTHER_LIBRARY "7f0000000000-7f0000001000 r-xp 00000000 08:01 77 /usr/lib/libmpi.so.12.1.1"
#define LIBRARY_AS(suffix) \
    "7f0000000000-7f0000001000 r-xp 00000000 08:01 77 /usr/lib/libmpi.so.40.30.4" suffix "\n" \
    "7f0000002000-7f0000003000 r-xp 00000000 08:01 78 /usr/lib/libopen-pal.so.40.30.2"
#define LIBRARY LIBRARY_AS("")
#define LAUNCHED(job, rank) \
    "PATH=/bin\0PMIX_NAMESPACE=" job "\0PMIX_RANK=" rank "\0OMPI_COMM_WORLD_SIZE=4\0OMPI_COMM_WORLD_LOCAL_SIZE=3"

struct fixture {
    struct jobs jobs;
};

static void write_file(pid_t pid, const char *name, const void *content, size_t n)
{
    test_file(test_path("/%d/%s", (int)pid, name), content, n);
}

struct fake {
    pid_t pid, parent;
    const char *name, *environment;
    size_t size;               /* of the environment */
    const char *maps;          /* NULL: no MPI library in them */
    bool has_mpi;              /* the answer of the probe */
    uid_t user;                /* 0: ME */
    int start;                 /* 0: the pid */
};

#define ENV(block) .environment = block, .size = sizeof(block) - 1

static void add(const struct fake *fake)
{
    unsigned user = fake->user != 0 ? fake->user : ME;
    char *text;

    assert_int_equal(mkdir(test_path("/%d", (int)fake->pid), 0700), 0);
    assert_int_equal(symlink(test_text("/home/me/%s", fake->name), test_path("/%d/exe", (int)fake->pid)), 0);
    text = test_text("Name:\t%s\nState:\tS (sleeping)\nTgid:\t%d\nPPid:\t%d\nUid:\t%u\t%u\t%u\t%u\n", fake->name,
                     (int)fake->pid, (int)fake->parent, user, user, user, user);
    write_file(fake->pid, "status", text, strlen(text));
    text = test_text("%d (%s) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 %d 0", (int)fake->pid, fake->name,
                     fake->start != 0 ? fake->start : (int)fake->pid);
    write_file(fake->pid, "stat", text, strlen(text));
    text = test_text("400000-401000 r-xp 00000000 08:01 5 /home/me/%s\n%s\n", fake->name,
                     fake->maps != NULL ? fake->maps : "");
    write_file(fake->pid, "maps", text, strlen(text));
    write_file(fake->pid, "environ", fake->environment != NULL ? fake->environment : "", fake->size);
    if (fake->has_mpi)
        write_file(fake->pid, "mpi", "", 0);
}

#define ADD(...) add(&(struct fake){__VA_ARGS__})

static void probe(void *context, const struct jobs *jobs, struct job_process *const *processes, size_t n)
{
    (void)context;
    for (size_t i = 0; i < n; i++) {
        processes[i]->has_mpi = access(test_path("/%d/mpi", (int)processes[i]->pid), F_OK) == 0;
        assert_ptr_equal(jobs_process(jobs, processes[i]->pid), processes[i]);
    }
}

static void expect_gone(const struct fixture *fixture, pid_t pid, bool certain, int signal_number, const char *fate);

/* The jobs as text: name[rank=pid<launcher, ...] for each. */
static void expect_for(struct fixture *fixture, uid_t user, const char *expected)
{
    char *text = test_text("%s", "");

    jobs_free(&fixture->jobs);
    assert_true(jobs_find(&fixture->jobs, test_directory(), user, probe, NULL, WHY));
    for (size_t i = 0; i < fixture->jobs.n; i++) {
        const struct job *job = &fixture->jobs.jobs[i];

        for (size_t k = 0; k < job->n; k++)
            text = test_text("%s%s%s%d=%d<%d%s", text, k == 0 ? job->name : "", k == 0 ? "[" : " ", job->ranks[k].rank,
                             (int)job->ranks[k].pid, (int)job->ranks[k].launcher, k + 1 == job->n ? "]" : "");
    }
    assert_string_equal(text, expected);
}

static void expect(struct fixture *fixture, const char *expected)
{
    expect_for(fixture, ME, expected);
}

TEST(ranks_of_a_launcher)
{
    ADD(100, 1, .name = "mpirun");
    ADD(103, 100, .name = "solver", ENV(LAUNCHED("a", "0")), .has_mpi = true);
    ADD(102, 100, .name = "solver", ENV(LAUNCHED("a", "1")), .has_mpi = true);
    ADD(110, 1, .name = "bash");
    expect(fixture, "a[0=103<100 1=102<100]");
    assert_int_equal(fixture->jobs.jobs[0].size, 4);
    assert_int_equal(fixture->jobs.jobs[0].local_size, 3);
    assert_int_equal(fixture->jobs.jobs[0].start, 102);
    assert_int_equal(fixture->jobs.jobs[0].ranks[0].start, 103);
    assert_string_equal(fixture->jobs.jobs[0].ranks[0].executable, "/home/me/solver");
    assert_true(job_has_launcher(&fixture->jobs.jobs[0], 100));
    assert_false(job_has_launcher(&fixture->jobs.jobs[0], 102));
    assert_true(job_has_rank(&fixture->jobs.jobs[0], 102));
    assert_false(job_has_rank(&fixture->jobs.jobs[0], 100));
    assert_int_equal(job_launcher(&fixture->jobs.jobs[0]), 100);
}

TEST(wrapper_is_no_rank)
{
    ADD(100, 1, .name = "mpirun");
    ADD(101, 100, .name = "bash", ENV(LAUNCHED("a", "0")));
    ADD(102, 101, .name = "time", ENV(LAUNCHED("a", "0")));
    ADD(103, 102, .name = "solver", ENV(LAUNCHED("a", "0")), .has_mpi = true);
    expect(fixture, "a[0=103<100]");
    assert_true(jobs_is_below(&fixture->jobs, 103, 100));
    assert_true(jobs_is_below(&fixture->jobs, 103, 101));
    assert_false(jobs_is_below(&fixture->jobs, 101, 103));
    assert_false(jobs_is_below(&fixture->jobs, 103, 103));
}

/* The process ids tell nothing: they start again from low ones. */
TEST(forked_child_is_not_the_rank)
{
    ADD(100, 1, .name = "mpirun");
    ADD(103, 100, .name = "solver", ENV(LAUNCHED("a", "0")), .has_mpi = true);
    ADD(102, 103, .name = "solver", ENV(LAUNCHED("a", "0")), .has_mpi = true, .start = 103);
    ADD(101, 102, .name = "solver", ENV(LAUNCHED("a", "0")), .has_mpi = true, .start = 104);
    expect(fixture, "a[0=103<100]");
}

TEST(child_whose_parent_has_ended_is_younger)
{
    ADD(100, 1, .name = "mpirun");
    ADD(103, 100, .name = "solver", ENV(LAUNCHED("a", "0")), .has_mpi = true);
    ADD(102, 1, .name = "solver", ENV(LAUNCHED("a", "0")), .has_mpi = true, .start = 200);
    expect(fixture, "a[0=103<100]");
}

TEST(jobs_are_told_apart)
{
    ADD(100, 1, .name = "prte");
    ADD(101, 100, .name = "solver", ENV(LAUNCHED("prte@2", "0")), .has_mpi = true, .start = 9);
    ADD(102, 100, .name = "solver", ENV(LAUNCHED("prte@1", "0")), .has_mpi = true, .start = 3);
    ADD(103, 100, .name = "master", ENV(LAUNCHED("prte@1", "1")), .has_mpi = true);
    expect(fixture, "prte@1[0=102<100 1=103<100]prte@2[0=101<100]");
}

/* What a rank starts has its environment, but what an mpirun in it starts gets one of its own. */
TEST(job_inside_a_rank_has_its_own_launcher)
{
    ADD(100, 1, .name = "mpirun");
    ADD(101, 100, .name = "outer", ENV(LAUNCHED("a", "0")), .has_mpi = true);
    ADD(102, 101, .name = "mpirun", ENV(LAUNCHED("a", "0")));
    ADD(103, 102, .name = "inner", ENV(LAUNCHED("b", "0")), .has_mpi = true);
    expect(fixture, "a[0=101<100]b[0=103<102]");
}

TEST(others_are_for_root_only)
{
    ADD(101, 1, .name = "mine", ENV(LAUNCHED("a", "0")), .has_mpi = true);
    ADD(102, 1, .name = "theirs", ENV(LAUNCHED("a", "1")), .has_mpi = true, .user = OTHER);
    ADD(103, 101, .name = "fake", ENV(LAUNCHED("a", "0")), .has_mpi = true, .user = OTHER);
    expect(fixture, "a[0=101<0]");
    expect_for(fixture, OTHER, "a[0=103<101 1=102<0]");
    expect_for(fixture, 0, "a[0=101<0]a[0=103<101 1=102<0]");
}

/* The launcher of slurm is root's. */
TEST(launcher_may_be_somebody_elses)
{
    ADD(100, 1, .name = "slurmstepd", .user = OTHER);
    ADD(101, 100, .name = "solver", ENV(LAUNCHED("slurm.pmix.1.0", "5")), .has_mpi = true);
    expect(fixture, "slurm.pmix.1.0[5=101<100]");
}

TEST(launcher_that_has_ended_is_not_known)
{
    ADD(1, 0, .name = "init");
    ADD(50, 1, .name = "systemd");
    ADD(101, 50, .name = "solver", ENV(LAUNCHED("a", "0")), .has_mpi = true);
    ADD(102, 1, .name = "solver", ENV(LAUNCHED("a", "1")), .has_mpi = true);
    ADD(103, 60, .name = "solver", ENV(LAUNCHED("a", "2")), .has_mpi = true);
    expect(fixture, "a[0=101<0 1=102<0 2=103<0]");
    assert_int_equal(job_launcher(&fixture->jobs.jobs[0]), 0);
}

TEST(launcher_may_be_the_first_process_of_a_container)
{
    ADD(1, 0, .name = "mpirun");
    ADD(7, 1, .name = "solver", ENV(LAUNCHED("a", "0")), .has_mpi = true);
    ADD(8, 1, .name = "sh", ENV(LAUNCHED("a", "1")));
    ADD(9, 8, .name = "solver", ENV(LAUNCHED("a", "1")), .has_mpi = true);
    expect(fixture, "a[0=7<1 1=9<1]");
    assert_true(job_has_launcher(&fixture->jobs.jobs[0], 1));
    assert_true(jobs_is_below(&fixture->jobs, 9, 1));
    assert_false(jobs_is_below(&fixture->jobs, 1, 9));
}

TEST(processes_without_a_launcher_are_single)
{
    ADD(101, 1, .name = "solver", .maps = LIBRARY);
    ADD(102, 101, .name = "solver", .maps = LIBRARY);
    ADD(103, 101, .name = "other", .maps = LIBRARY);
    ADD(104, 1, .name = "intel", .maps = OTHER_LIBRARY, .has_mpi = true);
    ADD(105, 1, .name = "static", .has_mpi = true);
    expect(fixture, "[-1=101<0][-1=103<0]");
}

/* Only a name is looked at. MPIR is also a library of large numbers. */
TEST(other_mpi_libraries_are_told_by_their_names)
{
    static const struct {
        const char *name;
        bool is_other;
    } files[] = {{"libmpi.so.12.1.1", true}, {"libmpich.so.12", true}, {"libmpi_abi_mpich.so.1.0.0", true},
                 {"libmpi_abi.so.1", true}, {"libmpifort.so.12", true}, {"libmpir.so.23", false}, {"libm.so.6", false}};
    char maps[sizeof files / sizeof *files][100];

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(maps[i], sizeof maps[i], "7f0000000000-7f0000001000 r-xp 00000000 08:01 77 /usr/lib/%s", files[i].name);
        ADD(101 + (pid_t)i, 1, .name = "solver", .maps = maps[i]);
    }
    ADD(201, 1, .name = "ours", .maps = LIBRARY);
    expect(fixture, "[-1=201<0]");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        assert_int_equal(jobs_process(&fixture->jobs, 101 + (pid_t)i)->has_other_mpi, files[i].is_other);
    assert_false(jobs_process(&fixture->jobs, 201)->has_other_mpi);
}

TEST(library_that_was_deleted_is_known_by_its_name)
{
    ADD(101, 1, .name = "solver", ENV(LAUNCHED("a", "0")), .maps = LIBRARY_AS(" (deleted)"));
    ADD(102, 1, .name = "solver", ENV(LAUNCHED("a", "1")), .maps = OTHER_LIBRARY);
    ADD(103, 1, .name = "single", .maps = LIBRARY_AS(" (deleted)"));
    expect(fixture, "a[0=101<0]");
}

/* Opening the pipe takes until somebody writes to it, as reading memory that is on a file server that is down. */
static void make_stuck(pid_t pid, uid_t user)
{
    char *path = test_path("/%d/environ", (int)pid);

    ADD(pid, 1, .name = "stuck", .user = user);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
}

TEST(process_that_does_not_answer)
{
    const struct job_process *silent;

    ADD(101, 1, .name = "solver", ENV(LAUNCHED("a", "0")), .maps = LIBRARY);
    make_stuck(102, ME);
    ADD(103, 1, .name = "solver", ENV(LAUNCHED("a", "2")), .maps = LIBRARY);
    clock_skip_waits("SZ");
    expect(fixture, "a[0=101<0 2=103<0]");
    assert_int_equal(fixture->jobs.n_silent, 1);
    silent = jobs_silent_process(&fixture->jobs, ME);
    assert_non_null(silent);
    assert_int_equal(silent->pid, 102);
    assert_null(jobs_silent_process(&fixture->jobs, OTHER));
    expect_gone(fixture, 0, false, 0, "is not known: process 102 (stuck) may be it, and does not answer (it waits for a "
                                      "device or a file server)");
}

/* Those of two users take as long as those of one. */
TEST(users_do_not_wait_for_each_other)
{
    double begin = seconds_now();

    clock_skip_waits("SZ");
    for (pid_t pid = 101; pid <= 109; pid++) {
        make_stuck(pid, ME);
        make_stuck(pid + 100, OTHER);
    }
    ADD(301, 1, .name = "solver", ENV(LAUNCHED("a", "0")), .maps = LIBRARY, .user = OTHER + 1);
    expect_for(fixture, 0, "a[0=301<0]");
    assert_true(seconds_now() - begin > 10 && seconds_now() - begin < 11);
    assert_int_equal(fixture->jobs.n_not_asked, 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(fixture->jobs.not_asked[i].user, ME + i);
        assert_int_equal(fixture->jobs.not_asked[i].n, 4);
    }
    assert_int_equal(fixture->jobs.not_asked[0].n + fixture->jobs.not_asked[1].n + fixture->jobs.n_silent, 18);
    assert_true(jobs_process(&fixture->jobs, 101)->is_silent);
    assert_false(jobs_process(&fixture->jobs, 101)->is_not_asked);
    assert_true(jobs_process(&fixture->jobs, 109)->is_not_asked);
    assert_false(jobs_process(&fixture->jobs, 109)->is_silent);
}

TEST(nonsense_is_harmless)
{
    char *path = test_path("/107");

    ADD(101, 102, .name = "loop", ENV(LAUNCHED("a", "0")), .has_mpi = true);
    ADD(102, 101, .name = "loop", ENV(LAUNCHED("a", "1")), .has_mpi = true);
    ADD(103, 103, .name = "own", ENV(LAUNCHED("b", "2147483647")), .has_mpi = true);
    ADD(104, 1, .name = "huge", .has_mpi = true, ENV("PMIX_NAMESPACE=c\0PMIX_RANK=0\0OMPI_COMM_WORLD_SIZE=2147483647"));
    ADD(105, 1, .name = "bad", ENV("\0\0=\0PMIX_RANK\0PMIX_NAMESPACE"), .has_mpi = true);
    ADD(106, 1, .name = "minus", ENV(LAUNCHED("d", "-1")), .has_mpi = true);
    assert_int_equal(mkdir(path, 0700), 0);
    expect(fixture, "a[0=101<0 1=102<0]b[2147483647=103<0]c[0=104<0]");
    assert_int_equal(fixture->jobs.jobs[2].size, -1);
    assert_false(jobs_is_below(&fixture->jobs, 101, 999));
}

TEST(missing_proc_is_an_error)
{
    assert_false(jobs_find(&fixture->jobs, "/no/such/proc", ME, probe, NULL, WHY));
    assert_has(why(), "/no/such/proc");
    expect(fixture, "");
}

/* Lists. */

TEST(list_has_a_line_for_each_job)
{
    char *text;

    ADD(100, 1, .name = "mpirun");
    ADD(101, 100, .name = "one", ENV(LAUNCHED("a\033[2J\nb", "0")), .has_mpi = true);
    ADD(102, 100, .name = "two", ENV(LAUNCHED("a\033[2J\nb", "1")), .has_mpi = true);
    ADD(103, 100, .name = "two", ENV(LAUNCHED("a\033[2J\nb", "3")), .has_mpi = true);
    ADD(104, 1, .name = "alone", .maps = LIBRARY, .has_mpi = true);
    expect(fixture, "a\033[2J\nb[0=101<100 1=102<100 3=103<100][-1=104<0]");
    text = PRINTED(job_list_text(test_to, &fixture->jobs));
    assert_has(text, "JOB");
    assert_has(text, "a\\x1b[2J\\x0ab  mpirun 100  0,1,3 of 4  ");
    assert_has(text, "/home/me/one and others\n");
    assert_has(text, "\n104 ");
    assert_has(text, "/home/me/alone\n");
    assert_null(strchr(text, '\033'));
    text = PRINTED(job_list_json(test_to, &fixture->jobs));
    assert_has(text, "\"jobs\":[{\"job\":\"a\\u001b[2J\\u000ab\",\"launcher\":100,\"size\":4,\"user\":");
    assert_has(text, "\"ranks\":[{\"rank\":0,\"pid\":101,\"executable\":\"/home/me/one\"},");
    assert_has(text, "{\"job\":null,\"launcher\":null,\"size\":null,\"user\":");
    assert_has(text, "\"ranks\":[{\"rank\":null,\"pid\":104,");
}

/* Of a rank whose program cannot be read nothing is said: neither that it runs the same one, nor another. */
TEST(unknown_program_is_not_another_one)
{
    ADD(100, 1, .name = "mpirun");
    ADD(101, 100, .name = "one", ENV(LAUNCHED("a", "0")), .has_mpi = true);
    ADD(102, 100, .name = "one", ENV(LAUNCHED("a", "1")), .has_mpi = true);
    expect(fixture, "a[0=101<100 1=102<100]");
    fixture->jobs.jobs[0].ranks[0].executable = NULL;
    assert_has(PRINTED(job_list_text(test_to, &fixture->jobs)), "/home/me/one\n");
}

TEST(nothing_to_list)
{
    expect(fixture, "");
    assert_string_equal(PRINTED(job_list_text(test_to, &fixture->jobs)), "");
    assert_has(PRINTED(job_list_json(test_to, &fixture->jobs)), "\"jobs\":[]}\n");
}

/* Ranks that are not found. */

static bool is_named_child(pid_t pid)
{
    struct proc_status status;

    return proc_read_status(pid, &status) && strcmp(status.name, "child") == 0;
}

/* A child that waits; or that has ended, by that signal or of itself. */
static pid_t start_child(int signal_number, int status)
{
    pid_t pid = fork();

    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prctl(PR_SET_NAME, "child");
        while (status < 0)
            pause();
        if (signal_number != 0)
            raise(signal_number);
        _exit(status);
    }
    while (status < 0 && !is_named_child(pid))
        usleep(2000);
    if (status >= 0)
        waitid(P_PID, (id_t)pid, &(siginfo_t){.si_pid = 0}, WEXITED | WNOWAIT);
    return pid;
}

static void end_child(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* What is told of rank 1 of the first job, of which 100 is the launcher. */
static void expect_gone(const struct fixture *fixture, pid_t pid, bool certain, int signal_number, const char *fate)
{
    const struct job *job = &fixture->jobs.jobs[0];
    RELEASED_BY(absent_ranks_clear) struct absent_ranks absent = {0};
    const struct missing_rank *gone;

    absent_ranks_expect(&absent, &fixture->jobs, job, &(struct expected_rank){.rank = 1, .pid = pid}, 1, 100);
    assert_int_equal(absent.n_missing, 1);
    gone = &absent.missing[0];
    assert_int_equal(gone->rank, 1);
    assert_int_equal(gone->pid, pid);
    assert_string_equal(gone->job, "a");
    assert_int_equal(gone->user, job->user);
    assert_int_equal(gone->certain, certain);
    assert_int_equal(gone->signal, signal_number);
    assert_int_equal(gone->unknown, strncmp(fate, "is not known", strlen("is not known")) == 0);
    assert_string_equal(gone->fate, fate);
}

static void add_job_without_rank_1(void)
{
    ADD(100, 1, .name = "mpirun");
    ADD(101, 100, .name = "solver", ENV(LAUNCHED("a", "0")), .has_mpi = true);
}

TEST(process_of_a_rank_that_has_ended)
{
    pid_t killed = start_child(SIGKILL, 0), failed = start_child(0, 3);

    add_job_without_rank_1();
    expect(fixture, "a[0=101<100]");
    expect_gone(fixture, killed, true, SIGKILL, "has ended: killed by signal 9 (Killed)");
    expect_gone(fixture, failed, true, 0, "has ended with exit status 3");
    end_child(killed);
    end_child(failed);
    expect_gone(fixture, failed, true, 0, "has ended: there is no such process any more");
}

/* Started by the launcher it is a shell around the rank, else, if it does not claim to be of the job, another one. */
TEST(process_that_has_a_rank_s_pid)
{
    pid_t shell = start_child(0, -1), other = start_child(0, -1), heir = start_child(0, -1);
    static const char fate[] = "has probably ended: process %d (child) was started as this rank and shows no Open MPI";
    char *text = test_text(fate, (int)shell);

    add_job_without_rank_1();
    ADD(shell, 100, .name = "sh");
    ADD(other, 1, .name = "editor");
    ADD(heir, 1, .name = "sh", ENV(LAUNCHED("a", "1")));
    expect(fixture, "a[0=101<100]");
    expect_gone(fixture, shell, false, 0, text);
    expect_gone(fixture, other, true, 0, "has ended: its process id was given to another process (editor) since");
    expect_gone(fixture, heir, false, 0, test_text(fate, (int)heir));
    end_child(shell);
    end_child(other);
    end_child(heir);
}

TEST(rank_of_which_no_pid_is_known)
{
    add_job_without_rank_1();
    expect(fixture, "a[0=101<100]");
    expect_gone(fixture, 0, false, 0, "has probably ended: it was started on this machine, and no process here says "
                                      "that it is this rank");
    ADD(102, 100, .name = "sh", ENV(LAUNCHED("b", "1")));
    ADD(103, 100, .name = "sh", ENV(LAUNCHED("a", "1")));
    expect(fixture, "a[0=101<100]");
    expect_gone(fixture, 0, false, 0, "has probably ended: process 103 (sh) was started as this rank and shows no Open "
                                      "MPI");
}

/* The table of a launcher: this program's own. */

struct entry {
    const char *host, *executable;
    int pid;
};
extern struct entry *MPIR_proctable;
extern int MPIR_proctable_size;
struct entry *MPIR_proctable;
int MPIR_proctable_size;

static bool read_own_table(struct launcher_table *table, struct entry *entries, int n)
{
    struct process process = {.pid = getpid(), .reader = getpid(), .memory = -1};
    struct modules modules = {0};
    struct files files = {0};
    bool good;

    MPIR_proctable = entries;
    MPIR_proctable_size = n;
    good = modules_read(&modules, &files, &process, NULL, NULL, WHY) && proctable_read(table, &process, &modules, WHY);

    modules_clear(&modules);
    files_close(&files);
    return good;
}

PLAIN_TEST(table_of_a_launcher)
{
    struct entry entries[3000];
    struct launcher_table table = {0};
    const struct job_hosts *hosts = &table.hosts;

    for (int i = 0; i < 3000; i++)
        entries[i] = (struct entry){i % 3 < 2 ? "node1" : "node2.cluster", "solver", 1000 + i};
    assert_true(read_own_table(&table, entries, 3000));
    assert_int_equal(hosts->n, 2);
    assert_string_equal(hosts->hosts[0].name, "node1");
    assert_string_equal(hosts->hosts[1].name, "node2.cluster");
    assert_int_equal(hosts->hosts[0].n, 2000);
    assert_int_equal(hosts->hosts[1].n, 1000);
    for (int i = 0; i < 3000; i++) {
        const struct expected_rank *rank = &hosts->hosts[i % 3 / 2].ranks[i % 3 < 2 ? i / 3 * 2 + i % 3 : i / 3];

        assert_int_equal(rank->rank, i);
        assert_int_equal(rank->pid, 1000 + i);
        assert_int_equal(rank->job, 0);
    }
    launcher_table_clear(&table);
}

/* mpirun lets srun start its daemons: these are no ranks. */
PLAIN_TEST(tables_without_ranks)
{
    struct entry daemons[] = {{"n01", "/usr/bin/orted", 10}, {"n02", "/usr/bin/orted", 10}}, entry = {0};
    const struct {
        struct entry *entries;
        int size;
        const char *reason;    /* NULL: it can be read */
    } cases[] = {
        {daemons, 2, NULL}, {NULL, 7, NULL}, {&entry, -1, "MPIR_proctable_size is -1"},
        {&entry, 2147483647, "MPIR_proctable_size is 2147483647"}, {(struct entry *)16, 1, "cannot be read"},
        {(struct entry *)UINTPTR_MAX, 1000 * 1000, "cannot be read"},
    };

    for (size_t i = 0; i < N_OF(cases); i++) {
        struct launcher_table table = {0};

        assert_int_equal(read_own_table(&table, cases[i].entries, cases[i].size), cases[i].reason == NULL);
        assert_int_equal(table.hosts.n, 0);
        if (cases[i].reason != NULL)
            assert_has(why(), cases[i].reason);
    }
}

/* What srun has besides. */
extern const char *totalview_jobid, *totalview_stepid;
const char *totalview_jobid, *totalview_stepid;

PLAIN_TEST(table_of_slurm)
{
    struct entry entries[] = {{"n01", "./ring", 10}, {"n02", "./ring", 10}};
    struct launcher_table table = {0};

    totalview_jobid = "12";
    totalview_stepid = "3";
    assert_true(read_own_table(&table, entries, 2));
    assert_int_equal(table.jobs.n, 1);
    assert_string_equal(table.jobs.words[0], "slurm.pmix.12.3");
    assert_int_equal(table.hosts.slurm_job, 12);
    assert_int_equal(table.hosts.n, 2);
    launcher_table_clear(&table);
    totalview_jobid = "12;ls";
    assert_true(read_own_table(&table, entries, 2));
    assert_int_equal(table.jobs.n, 0);
    assert_int_equal(table.hosts.slurm_job, 0);
    launcher_table_clear(&table);
    totalview_jobid = totalview_stepid = NULL;
}

/* A name may become an argument of a command. */
PLAIN_TEST(hosts_that_cannot_be)
{
    static char long_name[1000];
    struct entry entries[] = {
        {NULL, NULL, 1}, {(const char *)8, NULL, 2}, {(const char *)UINTPTR_MAX, NULL, 3}, {long_name, NULL, 4},
        {"-oProxyCommand=x", NULL, 5}, {"a b", NULL, 6}, {"", NULL, 7}, {"node1", NULL, -8}};
    struct launcher_table table = {0};
    const struct job_hosts *hosts = &table.hosts;

    memset(long_name, 'x', sizeof long_name);
    assert_true(read_own_table(&table, entries, sizeof entries / sizeof *entries));
    assert_int_equal(hosts->n, 1);
    assert_string_equal(hosts->hosts[0].name, "node1");
    assert_int_equal(hosts->hosts[0].n, 1);
    assert_int_equal(hosts->hosts[0].ranks[0].rank, 7);
    assert_int_equal(hosts->hosts[0].ranks[0].pid, 0);
    launcher_table_clear(&table);
}
