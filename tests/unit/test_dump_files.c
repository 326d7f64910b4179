/*
 * test_dump_files.c - reading files whose names and contents come from others; and writing files.
 */
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/fs.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mqd/dump/base/memory.h"

#include <cmocka.h>

#include "mqd/dump/base/plain_file.h"
#include "mqd/dump/base/whole_file.h"
#include "mqd/dump/collect/target/elf_file.h"

/* What takes so long will never come: an alarm ends the test. */
enum { SECONDS = 120 };

struct fixture {
    char directory[32];
    char *why;
};

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);

    strcpy(fixture->directory, "/tmp/test_dump_files.XXXXXX");
    *state = fixture;
    alarm(SECONDS);
    return mkdtemp(fixture->directory) != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    char *command = format_text("rm -rf '%s' '%s.outside'", fixture->directory, fixture->directory);
    int status = system(command);

    alarm(0);
    free(command);
    free(fixture->why);
    free(fixture);
    return status;
}

/* Files that are read. */

/* What a link in the root with that text leads to: "inside", the file of the root, or "" if it leads to none. */
static const char *linked_to(struct fixture *fixture, const char *target)
{
    static char text[16];
    char *path = format_text("%s/link", fixture->directory), *why = NULL;
    ssize_t size = 0;
    int file;

    assert_int_equal(symlink(target, path), 0);
    file = plain_file_open(fixture->directory, "/a/../link", &why);
    if (file >= 0) {
        size = read(file, text, sizeof text - 1);
        close(file);
    }
    text[size > 0 ? size : 0] = '\0';
    assert_int_equal(unlink(path), 0);
    free(path);
    free(why);
    return text;
}

static void hostile_links_stay_in_the_root(void **state)
{
    struct fixture *fixture = *state;
    char *outside = format_text("%s.outside", fixture->directory), *directory = format_text("%s/a", fixture->directory);
    char *inside = format_text("%s/file", fixture->directory), *text;
    FILE *to;

    assert_int_equal(mkdir(directory, 0700), 0);
    assert_non_null(to = fopen(outside, "w"));
    fputs("outside", to);
    fclose(to);
    assert_non_null(to = fopen(inside, "w"));
    fputs("inside", to);
    fclose(to);
    assert_string_equal(linked_to(fixture, "/file"), "inside");
    assert_string_equal(linked_to(fixture, "a/../file"), "inside");
    assert_string_equal(linked_to(fixture, "../../../file"), "inside");
    assert_string_equal(linked_to(fixture, "/a/../../../../file"), "inside");
    assert_string_equal(linked_to(fixture, outside), "");
    text = format_text("../%s", strrchr(outside, '/') + 1);
    assert_string_equal(linked_to(fixture, text), "");
    free(text);
    text = format_text("/proc/self/root%s", outside);
    assert_string_equal(linked_to(fixture, text), "");
    assert_string_equal(linked_to(fixture, "link"), "");
    assert_string_equal(linked_to(fixture, "link/x"), "");
    free(text);
    /* The kernel's own links are texts too, though they would lead somewhere else than these say. */
    free(inside);
    assert_int_equal(plain_file_open("/proc/self", "cwd/COPYING", &fixture->why), -1);
    assert_int_equal(plain_file_open("/proc/self", "root/etc/passwd", &fixture->why), -1);
    assert_int_equal(plain_file_open("/proc/self", "exe", &fixture->why), -1);
    unlink(outside);
    free(outside);
    free(directory);
}

/* Files that wait or act when they are opened are not opened. */
static void only_plain_files_are_opened(void **state)
{
    static const char *const others[] = {"/dev/zero", "/dev/tty", "/proc/kmsg", "/proc/self/environ", "/proc/self/mem",
                                         "/sys/kernel/uevent_seqnum", "/"};
    struct fixture *fixture = *state;
    char *path = format_text("%s/fifo", fixture->directory);

    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(plain_file_open(NULL, path, &fixture->why), -1);
    assert_int_equal(plain_file_open(fixture->directory, "fifo", &fixture->why), -1);
    assert_string_equal(fixture->why, "it is no regular file");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_int_equal(plain_file_open(NULL, others[i], &fixture->why), -1);
        assert_int_equal(plain_file_open("/", others[i], &fixture->why), -1);
    }
    free(path);
}

/* The owner of a file can take a lease on it. The kernel then lets others wait for up to a minute, and open it. */
static void lease_is_not_waited_for(void **state)
{
    struct fixture *fixture = *state;
    char *path = format_text("%s/leased", fixture->directory);
    int file = open(path, O_RDWR | O_CREAT, 0600);

    assert_true(file >= 0);
    signal(SIGIO, SIG_IGN);
    if (fcntl(file, F_SETLEASE, F_WRLCK) != 0)
        skip();
    assert_int_equal(plain_file_open(NULL, path, &fixture->why), -1);
    close(file);
    free(path);
}

/* A file of the largest possible size that has only the magic number of a program. */
static void program_file_that_is_all_hole(void **state)
{
    struct fixture *fixture = *state;
    char *path = format_text("%s/sparse", fixture->directory);
    int file = open(path, O_RDWR | O_CREAT, 0600);

    assert_int_equal(write(file, "\177ELF\2\1\1", 7), 7);
    if (ftruncate(file, (off_t)1 << 43) != 0)
        assert_int_equal(ftruncate(file, (off_t)1 << 40), 0);
    close(file);
    file = plain_file_open(NULL, path, &fixture->why);
    assert_true(file >= 0);
    assert_null(elf_file_open(file, &(struct file_source){.path = path}, false, &fixture->why));
    assert_non_null(strstr(fixture->why, "more than any program"));
    free(path);
}

/* Files that are written. */

static int count_files(const char *directory)
{
    DIR *files = opendir(directory);
    const struct dirent *entry;
    int n = 0;

    assert_non_null(files);
    while ((entry = readdir(files)) != NULL)
        n += entry->d_name[0] != '.';
    closedir(files);
    return n;
}

/* While it is written it has no name, where the file system can do that: whatever ends the process, it is gone then. */
static void nothing_is_left_of_a_file_that_is_not_whole(void **state)
{
    struct fixture *fixture = *state;
    char *path = format_text("%s/picture", fixture->directory);
    int probe = open(fixture->directory, O_TMPFILE | O_WRONLY, 0600), status;
    pid_t child;

    if (probe < 0)
        skip();
    close(probe);
    for (int there = 0; there < 2; there++) {
        child = fork();
        if (child == 0) {
            struct whole_file file;

            if (!whole_file_open(&file, path, PUBLIC_FILE, &fixture->why) || fputs("half", file.to) < 0 ||
                fflush(file.to) != 0)
                _exit(1);
            raise(SIGKILL);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(count_files(fixture->directory), there);
        if (there == 0)
            close(open(path, O_WRONLY | O_CREAT, 0600));
    }
    free(path);
}

/* Signals that end the program do so before or after a name is given. */
static void signals_wait_for_the_end_of_a_file(void **state)
{
    struct fixture *fixture = *state;
    char *path = format_text("%s/picture", fixture->directory);
    struct whole_file file;
    sigset_t blocked;

    assert_true(whole_file_open(&file, path, PUBLIC_FILE, &fixture->why));
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    assert_true(sigismember(&blocked, SIGINT) && sigismember(&blocked, SIGTERM) && sigismember(&blocked, SIGHUP));
    assert_true(whole_file_close(&file, &fixture->why));
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    assert_false(sigismember(&blocked, SIGINT) || sigismember(&blocked, SIGTERM) || sigismember(&blocked, SIGHUP));
    /* A reader of a pipe may let one wait. */
    assert_true(whole_file_open(&file, "/dev/null", PUBLIC_FILE, &fixture->why));
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    assert_false(sigismember(&blocked, SIGINT));
    assert_true(whole_file_close(&file, &fixture->why));
    free(path);
}

/* A file that somebody else has made meanwhile is replaced too. */
static void file_that_appears_meanwhile_is_replaced(void **state)
{
    struct fixture *fixture = *state;
    char *path = format_text("%s/picture", fixture->directory), text[8] = "";
    struct whole_file file;
    int found;

    assert_true(whole_file_open(&file, path, PUBLIC_FILE, &fixture->why));
    fputs("ours", file.to);
    found = open(path, O_WRONLY | O_CREAT, 0600);
    assert_int_equal(write(found, "theirs", 6), 6);
    close(found);
    assert_true(whole_file_close(&file, &fixture->why));
    found = open(path, O_RDONLY);
    assert_int_equal(read(found, text, sizeof text - 1), 4);
    assert_string_equal(text, "ours");
    close(found);
    assert_int_equal(count_files(fixture->directory), 1);
    free(path);
}

static void write_file(const char *path, mode_t most, const char *text, mode_t mode)
{
    struct whole_file file;
    struct stat status;
    char *why = NULL;

    if (!whole_file_open(&file, path, most, &why))
        fail_msg("%s", why);
    fputs(text, file.to);
    assert_true(whole_file_close(&file, &why));
    assert_int_equal(lstat(path, &status), 0);
    assert_true(S_ISREG(status.st_mode));
    assert_int_equal(status.st_mode & 0777, mode);
    assert_int_equal(status.st_uid, geteuid());
}

/* The umask takes away of what the caller allows; the mode of the user's own file stays. */
static void new_file_has_at_most_the_mode_that_is_asked_for(void **state)
{
    struct fixture *fixture = *state;
    char *path = format_text("%s/picture", fixture->directory);
    mode_t mask = umask(022);

    write_file(path, PUBLIC_FILE, "first", 0644);
    write_file(path, PRIVATE_FILE, "second", 0644);
    assert_int_equal(unlink(path), 0);
    write_file(path, PRIVATE_FILE, "third", 0600);
    umask(mask);
    free(path);
}

/* What another user has put into a folder that all may write to is not followed, not waited for, and gives no rights. */
static void what_others_have_planted_is_not_written_to(void **state)
{
    struct fixture *fixture = *state;
    char *path = format_text("%s/picture", fixture->directory), *own = format_text("%s/own", fixture->directory);
    struct whole_file file;
    mode_t mask = umask(022);
    struct stat status;

    if (geteuid() != 0)
        skip();
    write_file(own, PUBLIC_FILE, "own", 0644);
    assert_int_equal(chmod(fixture->directory, 01777), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(i == 0 ? symlink(own, path) : mkfifo(path, 0666), 0);
        assert_int_equal(lchown(path, 65533, 65533), 0);
        assert_false(whole_file_open(&file, path, PUBLIC_FILE, &fixture->why));
        assert_non_null(strstr(fixture->why, "another user has put it there"));
        free(fixture->why);
        fixture->why = NULL;
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(stat(own, &status), 0);
    assert_int_equal(status.st_size, 3);
    /* A file is replaced: neither who owns it nor who may read it stays. */
    close(open(path, O_WRONLY | O_CREAT, 0666));
    assert_int_equal(chmod(path, 0666) | chown(path, 65533, 65533), 0);
    write_file(path, PRIVATE_FILE, "ours", 0600);
    /* The user's own link is followed. */
    assert_int_equal(unlink(path) | symlink(own, path), 0);
    assert_true(whole_file_open(&file, path, PUBLIC_FILE, &fixture->why));
    assert_true(whole_file_close(&file, &fixture->why));
    assert_int_equal(stat(own, &status), 0);
    assert_int_equal(status.st_size, 0);
    umask(mask);
    free(own);
    free(path);
}

/* Nobody else says by a link where the user's file is written, in a folder that he alone may write to either. */
static void link_of_another_user_is_replaced(void **state)
{
    struct fixture *fixture = *state;
    char *path = format_text("%s/picture", fixture->directory);
    char *victim = format_text("%s/victim", fixture->directory);
    mode_t mask = umask(022);
    struct stat status;

    if (geteuid() != 0)
        skip();
    write_file(victim, PUBLIC_FILE, "victim", 0644);
    assert_int_equal(symlink(victim, path) | lchown(path, 65533, 65533), 0);
    write_file(path, PUBLIC_FILE, "ours", 0644);
    assert_int_equal(stat(victim, &status), 0);
    assert_int_equal(status.st_size, 6);
    /* A link that leads to nothing is replaced, and not what the links to it are. */
    assert_int_equal(unlink(victim) | unlink(path) | symlink("victim", path) | symlink("nothing", victim), 0);
    write_file(path, PUBLIC_FILE, "ours", 0644);
    assert_int_equal(lstat(victim, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(count_files(fixture->directory), 2);
    umask(mask);
    free(victim);
    free(path);
}

static bool exchange(const char *a, const char *b)
{
    return syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE) == 0;
}

static void offer(const char *path, const char *decoy, const char *victim)
{
    unlink(path);
    unlink(decoy);
    close(open(path, O_WRONLY | O_CREAT | O_EXCL, 0666));
    if (symlink(victim, decoy) != 0)
        return;
    for (int i = 0; i < 64; i++)
        exchange(path, decoy);
}

/* Has a file of another user, and a link of his, change places all the time. */
static pid_t start_to_exchange(const char *path, const char *decoy, const char *victim)
{
    pid_t child = fork();

    if (child != 0)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (setgroups(0, NULL) != 0 || setresgid(65533, 65533, 65533) != 0 || setresuid(65533, 65533, 65533) != 0)
        _exit(1);
    for (;;)
        offer(path, decoy, victim);
}

struct tries {
    int n_written, n_failed;
};

/* One that is replaced or refused is made anew, and offered again. */
static void write_and_remove(const char *path, struct tries *tries)
{
    struct whole_file file;
    struct stat status;
    char *why = NULL;
    bool good = whole_file_open(&file, path, PUBLIC_FILE, &why);

    if (good) {
        fputs("ours", file.to);
        good = whole_file_close(&file, &why);
    }
    tries->n_written += good;
    tries->n_failed += !good;
    if (lstat(path, &status) == 0 && status.st_uid == 0)
        unlink(path);
    free(why);
}

static void link_that_comes_and_goes_is_never_followed(void **state)
{
    struct fixture *fixture = *state;
    char *path = format_text("%s/picture", fixture->directory), *decoy = format_text("%s/decoy", fixture->directory);
    char *victim = format_text("%s.outside", fixture->directory);
    enum { ENOUGH = 500 };
    struct stat before, after;
    struct tries tries = {0};
    pid_t child;

    if (geteuid() != 0)
        skip();
    write_file(victim, PRIVATE_FILE, "victim", 0600);
    assert_int_equal(stat(victim, &before), 0);
    write_file(path, PRIVATE_FILE, "", 0600);
    write_file(decoy, PRIVATE_FILE, "", 0600);
    if (!exchange(path, decoy))
        skip();
    assert_int_equal(unlink(path) | unlink(decoy) | chmod(fixture->directory, 01777), 0);
    child = start_to_exchange(path, decoy, victim);
    do {
        write_and_remove(path, &tries);
        assert_int_equal(stat(victim, &after), 0);
    } while ((tries.n_written < ENOUGH || tries.n_failed < ENOUGH) && after.st_ino == before.st_ino &&
             after.st_size == before.st_size);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_int_equal(after.st_ino, before.st_ino);
    assert_int_equal(after.st_size, before.st_size);
    free(victim);
    free(decoy);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(hostile_links_stay_in_the_root, setup, teardown),
        cmocka_unit_test_setup_teardown(only_plain_files_are_opened, setup, teardown),
        cmocka_unit_test_setup_teardown(lease_is_not_waited_for, setup, teardown),
        cmocka_unit_test_setup_teardown(program_file_that_is_all_hole, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_is_left_of_a_file_that_is_not_whole, setup, teardown),
        cmocka_unit_test_setup_teardown(signals_wait_for_the_end_of_a_file, setup, teardown),
        cmocka_unit_test_setup_teardown(file_that_appears_meanwhile_is_replaced, setup, teardown),
        cmocka_unit_test_setup_teardown(new_file_has_at_most_the_mode_that_is_asked_for, setup, teardown),
        cmocka_unit_test_setup_teardown(what_others_have_planted_is_not_written_to, setup, teardown),
        cmocka_unit_test_setup_teardown(link_of_another_user_is_replaced, setup, teardown),
        cmocka_unit_test_setup_teardown(link_that_comes_and_goes_is_never_followed, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
