/*
 * test_dump_files.c - reading files whose names and contents come from others; and writing files.
 */
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/fs.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define TEST_SECONDS 120
#include "unit_test.h"

#include "mqd/dump/base/plain_file.h"
#include "mqd/dump/base/whole_file.h"
#include "mqd/dump/collect/target/elf/elf_image.h"
#include "tests/unit/made_elf.h"

/* Files that are read. */

/* What a link in the root with that text leads to: "inside", the file of the root, or "" if it leads to none. */
static const char *linked_to(const char *target)
{
    static char text[16];
    char *path = test_path("/root/link");
    ssize_t size = 0;
    int file;

    assert_int_equal(symlink(target, path), 0);
    file = plain_file_open(test_path("/root"), "/a/../link", WHY);
    if (file >= 0) {
        size = read(file, text, sizeof text - 1);
        close(file);
    }
    text[size > 0 ? size : 0] = '\0';
    assert_int_equal(unlink(path), 0);
    return text;
}

TEST(hostile_links_stay_in_the_root)
{
    char *outside = test_path("/outside");

    assert_int_equal(mkdir(test_path("/root"), 0700) | mkdir(test_path("/root/a"), 0700), 0);
    test_file(outside, "outside", 7);
    test_file(test_path("/root/file"), "inside", 6);
    assert_string_equal(linked_to("/file"), "inside");
    assert_string_equal(linked_to("a/../file"), "inside");
    assert_string_equal(linked_to("../../../file"), "inside");
    assert_string_equal(linked_to("/a/../../../../file"), "inside");
    assert_string_equal(linked_to(outside), "");
    assert_string_equal(linked_to("../outside"), "");
    assert_string_equal(linked_to(test_text("/proc/self/root%s", outside)), "");
    assert_string_equal(linked_to("link"), "");
    assert_string_equal(linked_to("link/x"), "");
    /* Neither do names, though without a root they lead there. */
    assert_int_equal(plain_file_open(test_path("/root"), "../outside", WHY), -1);
    assert_int_equal(plain_file_open(test_path("/root"), test_text("../../../../../..%s", outside), WHY), -1);
    assert_int_equal(symlink(outside, test_path("/root/link")), 0);
    assert_true(plain_file_open(NULL, test_path("/root/link"), WHY) >= 0);
    /* The kernel's own links are texts too, though they would lead somewhere else than these say. */
    assert_int_equal(plain_file_open("/proc/self", "cwd/COPYING", WHY), -1);
    assert_int_equal(plain_file_open("/proc/self", "root/etc/passwd", WHY), -1);
    assert_int_equal(plain_file_open("/proc/self", "exe", WHY), -1);
}

/* Files that wait or act when they are opened are not opened. */
TEST(only_plain_files_are_opened)
{
    static const char *const others[] = {"/dev/zero", "/dev/tty", "/proc/kmsg", "/proc/self/environ", "/proc/self/mem",
                                         "/sys/kernel/uevent_seqnum", "/"};
    char *path = test_path("/fifo");

    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(plain_file_open(NULL, path, WHY), -1);
    assert_int_equal(plain_file_open(test_directory(), "fifo", WHY), -1);
    assert_string_equal(why(), "it is no regular file");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_int_equal(plain_file_open(NULL, others[i], WHY), -1);
        assert_int_equal(plain_file_open("/", others[i], WHY), -1);
    }
}

/* The owner of a file can take a lease on it. The kernel then lets others wait for up to a minute, and open it. */
TEST(lease_is_not_waited_for)
{
    char *path = test_path("/leased");
    int file = open(path, O_RDWR | O_CREAT, 0600);

    assert_true(file >= 0);
    signal(SIGIO, SIG_IGN);
    if (fcntl(file, F_SETLEASE, F_WRLCK) != 0)
        skip_because("no lease on a file");
    assert_int_equal(plain_file_open(NULL, path, WHY), -1);
    close(file);
}

/* Parts of files. */

/* A library that the test makes. Its file is longer than what it has. */
enum { SIZE = 200000 };

static char *make_library(const char *path)
{
    struct made_elf *elf = made_elf_begin();

    made_elf_symbol(elf, "made", 64);
    unlink(path);
    made_elf_write(elf, path);
    assert_int_equal(truncate(path, SIZE), 0);
    return test_text("%s", path);
}

/* It is opened again by any of its names, if nothing has changed it. */
TEST(files_that_are_opened_again)
{
    enum { NOTHING, TIME, LENGTH, FILE_ITSELF };
    char *path = make_library(test_path("/file"));
    const struct {
        struct file_source source;
        int change;
        const char *reason;
    } cases[] = {
        {{.path = path}, NOTHING, NULL}, {{.root = test_directory(), .path = "/file"}, NOTHING, NULL},
        {{.direct = path, .path = "/no/such"}, NOTHING, NULL}, {{.root = "/no/such", .path = path}, NOTHING, NULL},
        {{.path = "/no/such"}, NOTHING, "it was changed or replaced while it was read: No such file or directory"},
        {{.path = path}, TIME, "it was changed or replaced while it was read"},
        {{.path = path}, LENGTH, "it was changed or replaced while it was read"},
        {{.path = path}, FILE_ITSELF, "it was changed or replaced while it was read"},
    };

    for (size_t i = 0; i < N_OF(cases); i++) {
        struct elf_image image;
        const struct file_source *source = &image.source;
        struct stat info;
        char bytes[4];

        assert_true(elf_image_open(&image, open(path, O_RDONLY | O_CLOEXEC), &cases[i].source, WHY));
        assert_text(source->root, cases[i].source.root);
        assert_text(source->path, cases[i].source.path);
        assert_text(source->direct, cases[i].source.direct);
        assert_int_equal(stat(path, &info), 0);
        if (cases[i].change == TIME)
            info.st_mtim.tv_nsec ^= 1;
        if (cases[i].change == LENGTH)
            assert_int_equal(truncate(path, SIZE + 1), 0);
        if (cases[i].change == FILE_ITSELF)
            assert_int_equal(rename(path, test_path("/old")) | (make_library(path) == NULL), 0);
        assert_int_equal(utimensat(AT_FDCWD, path, (struct timespec[]){info.st_atim, info.st_mtim}, 0), 0);
        assert_int_equal(elf_image_read(&image, 1, bytes, 3, WHY), cases[i].reason == NULL);
        assert_text(why(), cases[i].reason);
        assert_true(cases[i].reason != NULL || memcmp(bytes, "ELF", 3) == 0);
        elf_image_close(&image);
        assert_int_equal(truncate(path, SIZE), 0);
    }
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
TEST(nothing_is_left_of_a_file_that_is_not_whole)
{
    char *path = test_path("/picture");
    int probe = open(test_directory(), O_TMPFILE | O_WRONLY, 0600), status;
    pid_t child;

    if (probe < 0)
        skip_because("no file without a name");
    close(probe);
    for (int there = 0; there < 2; there++) {
        child = fork();
        if (child == 0) {
            struct whole_file file;

            if (!whole_file_open(&file, path, PUBLIC_FILE, WHY) || fputs("half", file.to) < 0 ||
                fflush(file.to) != 0)
                _exit(1);
            raise(SIGKILL);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(count_files(test_directory()), there);
        if (there == 0)
            close(open(path, O_WRONLY | O_CREAT, 0600));
    }
}

/* Signals that end the program do so before or after a name is given. */
TEST(signals_wait_for_the_end_of_a_file)
{
    char *path = test_path("/picture");
    struct whole_file file;
    sigset_t blocked;

    assert_true(whole_file_open(&file, path, PUBLIC_FILE, WHY));
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    assert_true(sigismember(&blocked, SIGINT) && sigismember(&blocked, SIGTERM) && sigismember(&blocked, SIGHUP));
    assert_true(whole_file_close(&file, WHY));
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    assert_false(sigismember(&blocked, SIGINT) || sigismember(&blocked, SIGTERM) || sigismember(&blocked, SIGHUP));
    /* A reader of a pipe may let one wait. */
    assert_true(whole_file_open(&file, "/dev/null", PUBLIC_FILE, WHY));
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    assert_false(sigismember(&blocked, SIGINT));
    assert_true(whole_file_close(&file, WHY));
}

/* A file that somebody else has made meanwhile is replaced too. */
TEST(file_that_appears_meanwhile_is_replaced)
{
    char *path = test_path("/picture"), text[8] = "";
    struct whole_file file;
    int found;

    assert_true(whole_file_open(&file, path, PUBLIC_FILE, WHY));
    fputs("ours", file.to);
    found = open(path, O_WRONLY | O_CREAT, 0600);
    assert_int_equal(write(found, "theirs", 6), 6);
    close(found);
    assert_true(whole_file_close(&file, WHY));
    found = open(path, O_RDONLY);
    assert_int_equal(read(found, text, sizeof text - 1), 4);
    assert_string_equal(text, "ours");
    close(found);
    assert_int_equal(count_files(test_directory()), 1);
}

static void write_file(const char *path, mode_t most, const char *text, mode_t mode)
{
    struct whole_file file;
    struct stat status;

    if (!whole_file_open(&file, path, most, WHY))
        fail_msg("%s", why());
    fputs(text, file.to);
    assert_true(whole_file_close(&file, WHY));
    assert_int_equal(lstat(path, &status), 0);
    assert_true(S_ISREG(status.st_mode));
    assert_int_equal(status.st_mode & 0777, mode);
    assert_int_equal(status.st_uid, geteuid());
}

/* The umask takes away of what the caller allows; the mode of the user's own file stays. */
TEST(new_file_has_at_most_the_mode_that_is_asked_for)
{
    char *path = test_path("/picture");
    mode_t mask = umask(022);

    write_file(path, PUBLIC_FILE, "first", 0644);
    write_file(path, PRIVATE_FILE, "second", 0644);
    assert_int_equal(unlink(path), 0);
    write_file(path, PRIVATE_FILE, "third", 0600);
    umask(mask);
}

/* What another user has put into a folder that all may write to is not followed, not waited for, and gives no rights. */
TEST(what_others_have_planted_is_not_written_to)
{
    char *path = test_path("/picture"), *own = test_path("/own");
    struct whole_file file;
    mode_t mask = umask(022);
    struct stat status;

    if (geteuid() != 0)
        skip_because("only root can make files of others");
    write_file(own, PUBLIC_FILE, "own", 0644);
    assert_int_equal(chmod(test_directory(), 01777), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(i == 0 ? symlink(own, path) : mkfifo(path, 0666), 0);
        assert_int_equal(lchown(path, 65533, 65533), 0);
        assert_false(whole_file_open(&file, path, PUBLIC_FILE, WHY));
        assert_has(why(), "another user has put it there");
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
    assert_true(whole_file_open(&file, path, PUBLIC_FILE, WHY));
    assert_true(whole_file_close(&file, WHY));
    assert_int_equal(stat(own, &status), 0);
    assert_int_equal(status.st_size, 0);
    umask(mask);
}

/* Nobody else says by a link where the user's file is written, in a folder that he alone may write to either. */
TEST(link_of_another_user_is_replaced)
{
    char *path = test_path("/picture");
    char *victim = test_path("/victim");
    mode_t mask = umask(022);
    struct stat status;

    if (geteuid() != 0)
        skip_because("only root can make files of others");
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
    assert_int_equal(count_files(test_directory()), 2);
    umask(mask);
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
    bool good = whole_file_open(&file, path, PUBLIC_FILE, WHY);

    if (good) {
        fputs("ours", file.to);
        good = whole_file_close(&file, WHY);
    }
    tries->n_written += good;
    tries->n_failed += !good;
    if (lstat(path, &status) == 0 && status.st_uid == 0)
        unlink(path);
}

TEST(link_that_comes_and_goes_is_never_followed)
{
    char *path = test_path("/picture"), *decoy = test_path("/decoy");
    char *victim = test_path("/victim");
    enum { ENOUGH = 500 };
    struct stat before, after;
    struct tries tries = {0};
    pid_t child;

    if (geteuid() != 0)
        skip_because("only root can make files of others");
    write_file(victim, PRIVATE_FILE, "victim", 0600);
    assert_int_equal(stat(victim, &before), 0);
    write_file(path, PRIVATE_FILE, "", 0600);
    write_file(decoy, PRIVATE_FILE, "", 0600);
    if (!exchange(path, decoy))
        skip_because("no exchange of names");
    assert_int_equal(unlink(path) | unlink(decoy) | chmod(test_directory(), 01777), 0);
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
}
