/*
 * test_dump_proc.c - what mqdump reads under /proc, and its reasons for not tracing a process.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "unit_test.h"

#include "mqd/dump/collect/target/proc.h"
#include "mqd/dump/collect/target/process.h"

/* Linux has no larger numbers of processes. */
enum { NOBODY = (1 << 22) + 1 };

static const char *map_of(const char *text)
{
    struct map_line map;

    if (!proc_parse_map_line(test_text("%s", text), &map))
        return NULL;
    return test_text("%lx-%lx+%lx %x:%x %lu%s%s '%s'", (unsigned long)map.start, (unsigned long)map.end,
                     (unsigned long)map.offset, major(map.device), minor(map.device), (unsigned long)map.inode,
                     map.executable ? " executable" : "", map.deleted ? " deleted" : "", map.path);
}

TEST(lines_of_maps)
{
    static const char *const lines[][2] = {
        {"7f0a1000-7f0a5000 r-xp 00002000 fe:11 1234567                    /usr/lib/libmpi.so.40",
         "7f0a1000-7f0a5000+2000 fe:11 1234567 executable '/usr/lib/libmpi.so.40'"},
        {"1000-2000 rw-p 00000000 00:01 5 /tmp/my job/a  b\\012c (deleted) d",
         "1000-2000+0 0:1 5 '/tmp/my job/a  b\nc (deleted) d'"},
        {"1000-2000 r--p 00000000 00:01 5 /tmp/my job/a.out (deleted)",
         "1000-2000+0 0:1 5 deleted '/tmp/my job/a.out'"},
        {"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 ",
         "ffffffffff600000-ffffffffff601000+0 0:0 0 executable ''"},
        {""}, {"2000-1000 r--p 00000000 00:01 5 /tmp/x"}, {"1000-2000 r--p 00000000"},
    };

    for (size_t i = 0; i < N_OF(lines); i++)
        assert_text(map_of(lines[i][0]), lines[i][1]);
}

static const char *status_of(const char *text)
{
    struct proc_status status;

    if (!proc_parse_status(text, &status))
        return NULL;
    return test_text("'%s' %c process %d parent %d tracer %d user %d threads %lu switches %lu", status.name,
                     status.state, (int)status.process, (int)status.parent, (int)status.tracer, (int)status.user,
                     (unsigned long)status.threads, (unsigned long)status.switches);
}

TEST(texts_of_status)
{
    static const char *const texts[][2] = {
        {"Name:\tmy solver\nState:\tt (tracing stop)\nTgid:\t17\nPid:\t18\nPPid:\t3\nTracerPid:\t99\n"
         "Uid:\t1000\t1001\t1002\t1003\nThreads:\t4\n",
         "'my solver' t process 17 parent 3 tracer 99 user 1001 threads 4 switches 0"},
        /* Those of both kinds are counted. */
        {"Name:\t%d\nState:\tS (sleeping)\nUid:\t1\t1\t1\t1\nvoluntary_ctxt_switches:\t40\n"
         "nonvoluntary_ctxt_switches:\t2\n", "'%d' S process 0 parent 0 tracer 0 user 1 threads 0 switches 42"},
        {"Name:\ta\nState:\tS (sleeping)\nUid:\t1\t1\t1\t1\n",
         "'a' S process 0 parent 0 tracer 0 user 1 threads 0 switches 0"},
        {""}, {"Name:\tx\nState:\tS (sleeping)\n"}, {"Name:\tx\nState:\tS (sleeping)\nUid:\t"},
    };

    for (size_t i = 0; i < N_OF(texts); i++)
        assert_text(status_of(texts[i][0]), texts[i][1]);
}

TEST(status_of_oneself)
{
    struct proc_status status;

    assert_true(proc_read_status(getpid(), &status));
    assert_int_equal(status.process, getpid());
    assert_int_equal(status.user, geteuid());
    assert_false(proc_read_status(0x7fffffff, &status));
}

TEST(value_in_an_environment)
{
    static const char block[] = "PATH=/bin\0XPMIX_RANK=5\0PMIX_RANK=12\0PMIX_RANK=13\0EMPTY=\0CUT";

    assert_string_equal(proc_environment_value(block, sizeof block, "PMIX_RANK"), "12");
    assert_string_equal(proc_environment_value(block, sizeof block, "EMPTY"), "");
    assert_null(proc_environment_value(block, sizeof block, "RANK"));
    assert_null(proc_environment_value(block, sizeof block, "CUT"));
    assert_null(proc_environment_value(block, 0, "PATH"));
}

#define LAUNCH(block) proc_parse_launch(block, sizeof(block) - 1)

TEST(launch_in_an_environment)
{
    struct proc_launch launch = LAUNCH("OMPI_COMM_WORLD_RANK=4\0PMIX_RANK=12\0OMPI_COMM_WORLD_SIZE=64\0"
                                       "PMIX_NAMESPACE=prterun-a-1@1\0");

    assert_int_equal(launch.rank, 12);
    assert_int_equal(launch.size, 64);
    assert_string_equal(launch.job, "prterun-a-1@1");
    launch = LAUNCH("OMPI_COMM_WORLD_RANK=4\0PMIX_RANK=3x\0OMPI_COMM_WORLD_SIZE=\0PMIX_NAMESPACE=");
    assert_int_equal(launch.rank, 4);
    assert_int_equal(launch.size, -1);
    assert_string_equal(launch.job, "");
    assert_string_equal(LAUNCH("PMIX_NAMESPACE=%d%%").job, "%d%%");
    launch = LAUNCH("PMIX_RANK=99999999999\0OMPI_COMM_WORLD_SIZE=-2");
    assert_int_equal(launch.rank, -1);
    assert_int_equal(launch.size, -1);
    assert_int_equal(LAUNCH("PMIX_RANK=2147483648").rank, -1);
    assert_int_equal(LAUNCH("PMIX_RANK=2147483647").rank, 2147483647);
    /* srun tells the size of a step. */
    assert_int_equal(LAUNCH("PMIX_NAMESPACE=slurm.pmix.1.0\0SLURM_STEP_NUM_TASKS=8").size, 8);
    assert_int_equal(LAUNCH("PMIX_NAMESPACE=prterun-a-1@1\0SLURM_STEP_NUM_TASKS=8").size, -1);
    assert_int_equal(LAUNCH("SLURM_STEP_NUM_TASKS=8").size, -1);
    assert_int_equal(
        LAUNCH("PMIX_NAMESPACE=slurm.pmix.1.0\0SLURM_STEP_NUM_TASKS=8\0OMPI_COMM_WORLD_SIZE=4").size, 4);
}

TEST(files_of_a_process)
{
    static const char block[] = "PMIX_RANK=3\0OMPI_COMM_WORLD_LOCAL_SIZE=2";
    struct proc_launch launch = {.rank = 11};
    size_t size;

    assert_false(proc_read_launch(test_directory(), &launch));
    assert_int_equal(launch.rank, 11);
    test_file(test_path("/environ"), block, sizeof block);
    assert_true(proc_read_launch(test_directory(), &launch));
    assert_int_equal(launch.rank, 3);
    assert_int_equal(launch.local_size, 2);
    assert_null(proc_executable(test_directory()));
    assert_int_equal(symlink("/home/me/solver (deleted)", test_path("/exe")), 0);
    assert_text(of_test(proc_executable(test_directory())), "/home/me/solver");
    assert_text(of_test(proc_read_block(SIZE_MAX, &size, "%s", test_file(test_path("/one"), "1", 1))), "1");
    assert_int_equal(size, 1);
    assert_false(proc_has_ended(getpid()));
    errno = 0;
    assert_null(proc_read_block(20, &size, "%s", test_directory()));
    assert_int_equal(errno, EISDIR);
    errno = 0;
    assert_null(proc_read("/proc/%d/status", 0x7fffffff));
    assert_int_equal(errno, ENOENT);
}

/* Where the system does not let the memory be read at once, its file is: here it has four bytes. */
TEST(memory_through_a_file)
{
    struct process process = {.pid = getpid(), .reader = getpid()};
    char text[8] = "";

    process.memory = open(test_file(test_path("/mem"), "abcd", 4), O_RDONLY);
    assert_int_equal(process_read(&process, 1, text, 2), READ_OK);
    assert_string_equal(text, "bc");
    assert_int_equal(process_read(&process, 3, text, 2), READ_BAD_ADDRESS);
    assert_int_equal(process_read(&process, 4, text, 0), READ_OK);
    assert_int_equal(process_read(&process, UINT64_MAX, text, 1), READ_BAD_ADDRESS);
    assert_false(process.dead);
    assert_int_equal(process_read(&process, 4, text, 1), READ_PROCESS_GONE);
    assert_true(process.dead);
    process_close(&process);
    assert_int_equal(process.memory, -1);
    assert_true(process_cpu_seconds(NOBODY) == 0 && process_cpu_seconds(getpid()) > 0);
}

/* PMIx has no longer ones; a part of it could be another job's. */
TEST(namespace_that_is_too_long_is_none)
{
    char block[16 + 256] = "PMIX_NAMESPACE=";
    size_t length = strlen(block);

    memset(block + length, 'x', 255);
    assert_int_equal(strlen(proc_parse_launch(block, length + 255).job), 255);
    block[length + 255] = 'x';
    assert_string_equal(proc_parse_launch(block, length + 256).job, "");
}

TEST(numbers_behind_misleading_names)
{
    static const struct {
        const char *text;
        int state, start, exit_status;
    } texts[] = {
        {"7 (a) 1 (b) Z 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 777 21 22 23 24 25 26 27 28 29 30 31 32 33 34 "
         "35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 768\n", 'Z', 777, 768},
        {"7 (a) R (b) D 2 3 4", 'D', 0, -1}, {"7 (a)", '\0', 0, -1}, {"7 (a) ", '\0', 0, -1}, {"", '\0', 0, -1},
    };

    for (size_t i = 0; i < N_OF(texts); i++) {
        struct proc_stat stat;

        test_file(test_path("/stat"), texts[i].text, strlen(texts[i].text));
        assert_true(proc_read_stat(test_directory(), &stat));
        assert_int_equal(stat.state, texts[i].state);
        assert_int_equal(stat.start, texts[i].start);
        assert_int_equal(stat.exit_status, texts[i].exit_status);
    }
}

TEST(start_time_of_a_process)
{
    assert_true(proc_read_start_time(getpid()) > 0);
    assert_true(proc_read_start_time(getppid()) <= proc_read_start_time(getpid()));
    assert_int_equal(proc_read_start_time(0x7fffffff), 0);
}

TEST(file_is_read_up_to_a_limit)
{
    size_t size = 0;
    char *text = of_test(proc_read_block(20, &size, "/proc/self/status"));

    assert_non_null(text);
    assert_int_equal(size, 20);
    assert_int_equal(strlen(text), 20);
    assert_null(proc_read_block(20, &size, "/proc/no/such"));
    assert_non_null(of_test(proc_read_block(100, &size, "/dev/zero")));
    assert_int_equal(size, 100);
}

static void check_refusal(const struct proc_status *status, uid_t user, int scope, const char *part)
{
    assert_has(of_test(process_explain_refusal(status, user, scope)), part);
}

TEST(refusal_names_its_cause)
{
    struct proc_status mine = {.user = 1000}, traced = {.user = 1000, .tracer = getpid()};

    struct proc_status roots = {.user = 0}, by_nobody = {.user = 1000, .tracer = 0x7fffffff};

    /* Under valgrind the name is another one than the program's. */
    assert_int_equal(prctl(PR_SET_NAME, "tracer"), 0);
    check_refusal(&traced, 1000, 1, test_text("traced by process %d (tracer)", (int)getpid()));
    check_refusal(&by_nobody, 1000, 1, "traced by process 2147483647 (unknown)");
    check_refusal(&roots, 1000, 1, "it belongs to the user root: ");
    check_refusal(&mine, 54321, 1, "it belongs to the user ");
    check_refusal(&mine, 1000, 1, "lets only ancestors of a process do that");
    assert_lacks(of_test(process_explain_refusal(&mine, 1000, 2)), "sysctl");
    assert_string_equal(of_test(process_explain(0x7fffffff)), "it has ended");
    check_refusal(&mine, 1000, 1, "kernel.yama.ptrace_scope is 1");
    check_refusal(&mine, 1000, 1, "set it to 0 with sysctl");
    check_refusal(&mine, 1000, 2, "lets only root do that");
    check_refusal(&mine, 0, 3, "forbids that to everybody");
    check_refusal(&mine, 1001, 0, "run mqdump as that user or as root");
    check_refusal(&mine, 0, 1, "SYS_PTRACE");
    check_refusal(&mine, 1000, -1, "SYS_PTRACE");
}

/* Without a descriptor nothing under /proc can be read. That is no end, and a number that nobody has is one. */
TEST(what_cannot_be_read_has_not_ended)
{
    struct proc_status status;
    struct process process;
    struct rlimit before;
    bool ended, gone, read, opened;
    int error;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &(struct rlimit){.rlim_max = before.rlim_max}), 0);
    read = proc_read_status(getpid(), &status);
    error = errno;
    ended = proc_has_ended(getpid());
    gone = process_is_gone(getpid());
    opened = process_open(&process, (struct process_id){.pid = getppid()}, false, WHY);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_false(read);
    assert_int_equal(error, EMFILE);
    assert_false(ended || gone || opened);
    assert_string_equal(why(), "its status cannot be read: Too many open files");
    assert_true(proc_exists(getpid()));
    assert_false(proc_exists(0));
    assert_false(proc_exists(INT_MAX));
    assert_true(proc_has_ended(INT_MAX));
}
