/*
 * test_dump_proc.c - what mqdump reads under /proc, and its reasons for not tracing a process.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#include "mqd/dump/proc.h"
#include "mqd/dump/process.h"

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
                                  "TracerPid:\t99\nUid:\t1000\t1001\t1002\t1003\n", &status));
    assert_string_equal(status.name, "my solver");
    assert_int_equal(status.state, 't');
    assert_int_equal(status.process, 17);
    assert_int_equal(status.parent, 3);
    assert_int_equal(status.tracer, 99);
    assert_int_equal(status.user, 1001);
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

static void rank_in_an_environment(void **state)
{
    static const char block[] = "PATH=/bin\0XPMIX_RANK=5\0PMIX_RANK=12\0OMPI_COMM_WORLD_RANK=3x\0EMPTY=\0"
                                "BIG=99999999999";

    (void)state;
    assert_int_equal(proc_environment_number(block, sizeof block, "PMIX_RANK"), 12);
    assert_int_equal(proc_environment_number(block, sizeof block, "OMPI_COMM_WORLD_RANK"), -1);
    assert_int_equal(proc_environment_number(block, sizeof block, "EMPTY"), -1);
    assert_int_equal(proc_environment_number(block, sizeof block, "BIG"), -1);
    assert_int_equal(proc_environment_number(block, sizeof block, "RANK"), -1);
    assert_int_equal(proc_environment_number(block, 0, "PATH"), -1);
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
        cmocka_unit_test(rank_in_an_environment),
        cmocka_unit_test(refusal_names_its_cause),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
