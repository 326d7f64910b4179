/*
 * test_dump_proc.c - what mqdump reads under /proc, and its reasons for not tracing a process.
 */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#include "mqd/dump/collect/target/proc.h"
#include "mqd/dump/collect/target/process.h"

/* A line of maps for a test, in memory that may be changed. */
static bool parse(struct map_line *map, const char *text)
{
    static char line[512];

    snprintf(line, sizeof line, "%s", text);
    return proc_parse_map_line(line, map);
}

static void map_line_of_a_library(void **state)
{
    struct map_line map;

    (void)state;
    assert_true(parse(&map, "7f0a1000-7f0a5000 r-xp 00002000 fe:11 1234567                    /usr/lib/libmpi.so.40"));
    assert_int_equal(map.start, 0x7f0a1000);
    assert_int_equal(map.end, 0x7f0a5000);
    assert_int_equal(map.offset, 0x2000);
    assert_int_equal(map.device, makedev(0xfe, 0x11));
    assert_int_equal(map.inode, 1234567);
    assert_true(map.executable);
    assert_false(map.deleted);
    assert_string_equal(map.path, "/usr/lib/libmpi.so.40");
}

static void map_line_with_spaces_and_newline_in_its_path(void **state)
{
    struct map_line map;

    (void)state;
    assert_true(parse(&map, "1000-2000 rw-p 00000000 00:01 5 /tmp/my job/a  b\\012c (deleted) d"));
    assert_string_equal(map.path, "/tmp/my job/a  b\nc (deleted) d");
    assert_false(map.deleted);
    assert_false(map.executable);
}

static void map_line_of_a_deleted_file(void **state)
{
    struct map_line map;

    (void)state;
    assert_true(parse(&map, "1000-2000 r--p 00000000 00:01 5 /tmp/my job/a.out (deleted)"));
    assert_string_equal(map.path, "/tmp/my job/a.out");
    assert_true(map.deleted);
}

static void map_line_without_a_file(void **state)
{
    struct map_line map;

    (void)state;
    assert_true(parse(&map, "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 "));
    assert_true(map.end == 0xffffffffff601000);
    assert_int_equal(map.inode, 0);
    assert_string_equal(map.path, "");
}

static void map_line_that_is_none(void **state)
{
    struct map_line map;

    (void)state;
    assert_false(parse(&map, ""));
    assert_false(parse(&map, "2000-1000 r--p 00000000 00:01 5 /tmp/x"));
    assert_false(parse(&map, "1000-2000 r--p 00000000"));
}

static void status_of_a_traced_thread(void **state)
{
    struct proc_status status;

    (void)state;
    assert_true(proc_parse_status("Name:\tmy solver\nState:\tt (tracing stop)\nTgid:\t17\nPid:\t18\nPPid:\t3\n"
                                  "TracerPid:\t99\nUid:\t1000\t1001\t1002\t1003\nThreads:\t4\n", &status));
    assert_string_equal(status.name, "my solver");
    assert_int_equal(status.state, 't');
    assert_int_equal(status.process, 17);
    assert_int_equal(status.parent, 3);
    assert_int_equal(status.tracer, 99);
    assert_int_equal(status.user, 1001);
    assert_int_equal(status.threads, 4);
}

static void status_text_that_is_cut(void **state)
{
    struct proc_status status;

    (void)state;
    assert_false(proc_parse_status("", &status));
    assert_false(proc_parse_status("Name:\tx\nState:\tS (sleeping)\n", &status));
    assert_false(proc_parse_status("Name:\tx\nState:\tS (sleeping)\nUid:\t", &status));
}

static void status_of_oneself(void **state)
{
    struct proc_status status;

    (void)state;
    assert_true(proc_read_status(getpid(), &status));
    assert_int_equal(status.process, getpid());
    assert_int_equal(status.user, geteuid());
    assert_false(proc_read_status(0x7fffffff, &status));
}

static void value_in_an_environment(void **state)
{
    static const char block[] = "PATH=/bin\0XPMIX_RANK=5\0PMIX_RANK=12\0PMIX_RANK=13\0EMPTY=\0CUT";

    (void)state;
    assert_string_equal(proc_environment_value(block, sizeof block, "PMIX_RANK"), "12");
    assert_string_equal(proc_environment_value(block, sizeof block, "EMPTY"), "");
    assert_null(proc_environment_value(block, sizeof block, "RANK"));
    assert_null(proc_environment_value(block, sizeof block, "CUT"));
    assert_null(proc_environment_value(block, 0, "PATH"));
}

#define LAUNCH(block) proc_parse_launch(block, sizeof(block) - 1)

static void launch_in_an_environment(void **state)
{
    struct proc_launch launch = LAUNCH("OMPI_COMM_WORLD_RANK=4\0PMIX_RANK=12\0OMPI_COMM_WORLD_SIZE=64\0"
                                       "PMIX_NAMESPACE=prterun-a-1@1\0");

    (void)state;
    assert_int_equal(launch.rank, 12);
    assert_int_equal(launch.size, 64);
    assert_string_equal(launch.job, "prterun-a-1@1");
    launch = LAUNCH("OMPI_COMM_WORLD_RANK=4\0PMIX_RANK=3x\0OMPI_COMM_WORLD_SIZE=\0PMIX_NAMESPACE=");
    assert_int_equal(launch.rank, 4);
    assert_int_equal(launch.size, -1);
    assert_string_equal(launch.job, "");
    launch = LAUNCH("PMIX_RANK=99999999999\0OMPI_COMM_WORLD_SIZE=-2");
    assert_int_equal(launch.rank, -1);
    assert_int_equal(launch.size, -1);
}

/* PMIx has no longer ones; a part of it could be another job's. */
static void namespace_that_is_too_long_is_none(void **state)
{
    char block[16 + 256] = "PMIX_NAMESPACE=";
    size_t length = strlen(block);

    (void)state;
    memset(block + length, 'x', 255);
    assert_int_equal(strlen(proc_parse_launch(block, length + 255).job), 255);
    block[length + 255] = 'x';
    assert_string_equal(proc_parse_launch(block, length + 256).job, "");
}

static void start_time_behind_a_misleading_name(void **state)
{
    (void)state;
    assert_int_equal(proc_parse_start_time("7 (a) 1 (b) S 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 777 21"), 777);
    assert_int_equal(proc_parse_start_time("7 (a) S 2 3"), 0);
    assert_int_equal(proc_parse_start_time(""), 0);
}

static void start_time_of_a_process(void **state)
{
    (void)state;
    assert_true(proc_read_start_time(getpid()) > 0);
    assert_true(proc_read_start_time(getppid()) <= proc_read_start_time(getpid()));
    assert_int_equal(proc_read_start_time(0x7fffffff), 0);
}

static void exit_status_is_the_last_number(void **state)
{
    (void)state;
    assert_int_equal(
        proc_parse_exit_status("7 (a) 1 (b) Z 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 "
                               "23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 "
                               "48 49 768\n"),
        768);
    assert_int_equal(proc_parse_exit_status("7 (a) Z 2 3"), -1);
    assert_int_equal(proc_parse_exit_status(""), -1);
}

static void state_behind_a_misleading_name(void **state)
{
    (void)state;
    assert_int_equal(proc_parse_state("7 (a) R (b) D 2 3 4"), 'D');
    assert_int_equal(proc_parse_state("7 (a)"), '\0');
    assert_int_equal(proc_parse_state("7 (a) "), '\0');
    assert_int_equal(proc_parse_state(""), '\0');
}

static void switches_of_both_kinds_are_counted(void **state)
{
    struct proc_status status;

    (void)state;
    assert_true(proc_parse_status("Name:\ta\nState:\tS (sleeping)\nUid:\t1\t1\t1\t1\n"
                                  "voluntary_ctxt_switches:\t40\nnonvoluntary_ctxt_switches:\t2\n", &status));
    assert_int_equal(status.switches, 42);
    assert_true(proc_parse_status("Name:\ta\nState:\tS (sleeping)\nUid:\t1\t1\t1\t1\n", &status));
    assert_int_equal(status.switches, 0);
}

static void file_is_read_up_to_a_limit(void **state)
{
    size_t size = 0;
    char *text = proc_read_start("/proc/self/status", 20, &size);

    (void)state;
    assert_non_null(text);
    assert_int_equal(size, 20);
    assert_int_equal(strlen(text), 20);
    free(text);
    assert_null(proc_read_start("/proc/no/such", 20, &size));
    text = proc_read_start("/dev/zero", 100, &size);
    assert_non_null(text);
    assert_int_equal(size, 100);
    free(text);
}

static void check_refusal(const struct proc_status *status, uid_t user, int scope, const char *part)
{
    char *text = process_explain_refusal(status, user, scope);

    if (strstr(text, part) == NULL)
        fail_msg("no '%s' in '%s'", part, text);
    free(text);
}

static void refusal_names_its_cause(void **state)
{
    struct proc_status mine = {.user = 1000}, traced = {.user = 1000, .tracer = getpid()};

    (void)state;
    check_refusal(&traced, 1000, 1, "traced by process");
    check_refusal(&mine, 1000, 1, "kernel.yama.ptrace_scope is 1");
    check_refusal(&mine, 1000, 1, "set it to 0 with sysctl");
    check_refusal(&mine, 1000, 2, "lets only root do that");
    check_refusal(&mine, 0, 3, "forbids that to everybody");
    check_refusal(&mine, 1001, 0, "run mqdump as that user or as root");
    check_refusal(&mine, 0, 1, "SYS_PTRACE");
    check_refusal(&mine, 1000, -1, "SYS_PTRACE");
}

/* Without a descriptor nothing under /proc can be read. That is no end, and a number that nobody has is one. */
static void what_cannot_be_read_has_not_ended(void **state)
{
    struct proc_status status;
    struct process process;
    struct rlimit before;
    char *why = NULL;
    bool ended, gone, read, opened;
    int error;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &(struct rlimit){.rlim_max = before.rlim_max}), 0);
    read = proc_read_status(getpid(), &status);
    error = errno;
    ended = proc_has_ended(getpid());
    gone = process_is_gone(getpid());
    opened = process_open(&process, (struct process_id){.pid = getppid()}, &why);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_false(read);
    assert_int_equal(error, EMFILE);
    assert_false(ended || gone || opened);
    assert_string_equal(why, "its status cannot be read: Too many open files");
    free(why);
    assert_true(proc_exists(getpid()));
    assert_false(proc_exists(0));
    assert_false(proc_exists(INT_MAX));
    assert_true(proc_has_ended(INT_MAX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(map_line_of_a_library),
        cmocka_unit_test(map_line_with_spaces_and_newline_in_its_path),
        cmocka_unit_test(map_line_of_a_deleted_file),
        cmocka_unit_test(map_line_without_a_file),
        cmocka_unit_test(map_line_that_is_none),
        cmocka_unit_test(status_of_a_traced_thread),
        cmocka_unit_test(status_text_that_is_cut),
        cmocka_unit_test(status_of_oneself),
        cmocka_unit_test(what_cannot_be_read_has_not_ended),
        cmocka_unit_test(value_in_an_environment),
        cmocka_unit_test(launch_in_an_environment),
        cmocka_unit_test(namespace_that_is_too_long_is_none),
        cmocka_unit_test(start_time_behind_a_misleading_name),
        cmocka_unit_test(start_time_of_a_process),
        cmocka_unit_test(exit_status_is_the_last_number),
        cmocka_unit_test(state_behind_a_misleading_name),
        cmocka_unit_test(switches_of_both_kinds_are_counted),
        cmocka_unit_test(file_is_read_up_to_a_limit),
        cmocka_unit_test(refusal_names_its_cause),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
