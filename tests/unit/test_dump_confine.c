/*
 * test_dump_confine.c - who owns what is looked at, and what a process that has become the owner can do no more.
 *
 * Nothing that is given up can be had again, so that each case is a process of its own. Changes of user are tested as
 * root only; the cases that need root are skipped else.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit_test.h"

#include "config.h"

#include "mqd/dump/base/sanitizer.h"
#include "mqd/dump/collect/child/confine.h"
#include "mqd/dump/collect/target/proc.h"
#include "tests/unit/in_valgrind.h"

/* Nobody else has these ids. */
enum { USER = 54321, OTHER = 54322, GROUP = 54331, GROUP_A = 54341, GROUP_B = 54342, NOBODY = 65534 };

static const unsigned long tracing = 1UL << 19;    /* CAP_SYS_PTRACE */

static volatile uint64_t word = 4711;

/* Processes. */

/* In a process that is to fail the test: says where, and ends. */
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, strerror(errno));                      \
            _exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)

typedef void body(void);

/* Runs it in a process of its own. Returns the signal that ends it, or less: 0 if all is well. */
static int end_of(body *function)
{
    int status = -1;
    pid_t child;

    test_directory();
    child = fork();
    if (child == 0) {
        /* CMocka's handler would go on with the other tests, in the child. */
        signal(SIGSEGV, SIG_DFL);
        function();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

static bool is_root(void)
{
    return geteuid() == 0;
}

/* A macro would be its number in the reason for a skip. */
static bool has_sanitizer(void)
{
    return HAS_SANITIZER;
}

/* A test that is a process of its own, in which CHECK fails it. Of the second kind are those that a signal must end. */
#define TEST_IN_CHILD(name, condition) TEST_ENDED_BY(0, name, condition)
#define TEST_ENDED_BY(number, name, condition)                                                                         \
    static void do_##name(void);                                                                                       \
    TEST(name)                                                                                                         \
    {                                                                                                                  \
        if (!(condition))                                                                                              \
            skip_because("it needs " #condition);                                                                      \
        assert_int_equal(end_of(do_##name), number);                                                                   \
    }                                                                                                                  \
    static void do_##name(void)

/* A process, of another user if that is not 0, that has a word of its own and ends with the caller. */
static pid_t start_target(uid_t user)
{
    int ready[2], end[2];
    char byte;
    pid_t target;

    CHECK(pipe(ready) == 0 && pipe(end) == 0);
    target = fork();
    if (target == 0) {
        CHECK(user == 0 || (setgroups(0, NULL) == 0 && setresgid(user, user, user) == 0 &&
                            setresuid(user, user, user) == 0));
        close(end[1]);
        word = 4712;
        CHECK(write(ready[1], "", 1) == 1);
        _exit((int)read(end[0], &byte, 1));
    }
    CHECK(read(ready[0], &byte, 1) == 1);
    close(end[0]);
    return target;
}

static uint64_t read_word(pid_t pid)
{
    uint64_t value = 0;
    struct iovec here = {&value, sizeof value}, there = {(void *)(uintptr_t)&word, sizeof value};

    return process_vm_readv(pid, &here, 1, &there, 1, 0) == sizeof value ? value : 0;
}

/* A line of /proc/self/status, without its key and with one blank for each row of blanks. */
static char *own_line(const char *key)
{
    static char line[256];
    char *text, *found, *to = line, start[32];

    snprintf(start, sizeof start, "\n%s:", key);
    text = of_test(proc_read("/proc/self/status"));
    CHECK(text != NULL);
    found = strstr(text, start);
    CHECK(found != NULL);
    for (found += strlen(start); *found != '\n' && to < line + sizeof line - 1; found++)
        if (*found != '\t' && *found != ' ')
            *to++ = *found;
        else if (to > line && to[-1] != ' ')
            *to++ = ' ';
    *to = '\0';
    return line;
}

static unsigned long own_set(const char *key)
{
    return strtoul(own_line(key), NULL, 16);
}

/* "UID:GID:GROUP,GROUP" */
static struct owner owner_of(const char *text)
{
    struct owner owner = {.groups = of_test(allocate_array(8, sizeof *owner.groups))};
    int n;

    CHECK(sscanf(text, "%u:%u:%n", &owner.user, &owner.group, &n) == 2);
    for (text += n; sscanf(text, "%u%n", &owner.groups[owner.n_groups], &n) == 1; owner.n_groups++)
        text += n + (text[n] == ',');
    return owner;
}

static char *owner_text(const struct owner *owner)
{
    char *text = test_text("%u:%u:", owner->user, owner->group);

    for (size_t i = 0; i < owner->n_groups; i++)
        text = test_text("%s%s%u", text, i > 0 ? "," : "", owner->groups[i]);
    return text;
}

static void become(const char *text)
{
    struct owner owner = owner_of(text);

    if (!confine_become(&owner, WHY)) {
        fprintf(stderr, "%s\n", why());
        _exit(1);
    }
    CHECK(why() == NULL);
}

static void check_cannot_become(const char *text, const char *part)
{
    struct owner owner = owner_of(text);

    CHECK(!confine_become(&owner, WHY));
    CHECK(why() != NULL && strstr(why(), part) != NULL);
}

/* Without checks of the ids: the state from which a case starts. */
static void set_users(uid_t real, uid_t effective, uid_t saved)
{
    CHECK(setresuid(real, effective, saved) == 0);
}

/* Owners. */

static void check_join(const char *one, const char *other, const char *expected)
{
    struct owner a = owner_of(one), b = owner_of(other);

    a.groups = memcpy(allocate_array(8, sizeof *a.groups), a.groups, 8 * sizeof *a.groups);
    owner_join(&a, &b);
    assert_string_equal(owner_text(&a), expected);
    owner_clear(&a);
}

TEST(joined_owners_have_the_groups_of_both)
{
    check_join("1:2:3,4,5", "1:2:4,5,6", "1:2:4,5");
    check_join("1:2:3,5,7", "1:2:2,4,6,8", "1:2:");
    check_join("1:2:", "1:2:3", "1:2:");
    check_join("1:2:3", "1:2:", "1:2:");
    check_join("1:2:1,9", "1:2:1,2,3,9", "1:2:1,9");
}

TEST(owners_are_equal_by_user_and_group)
{
    struct owner owner = {.user = 1, .group = 2}, user = {.user = 3, .group = 2}, group = {.user = 1, .group = 3};
    gid_t some[] = {5};
    struct owner groups = {.user = 1, .group = 2, .groups = some, .n_groups = 1};

    assert_true(owners_equal(&owner, &groups));
    assert_false(owners_equal(&owner, &user));
    assert_false(owners_equal(&owner, &group));
}

TEST(own_process_is_the_callers)
{
    struct owner process, caller;

    assert_true(owner_of_process(&process, getpid(), WHY));
    owner_of_caller(&caller);
    assert_string_equal(owner_text(&process), owner_text(&caller));
    assert_int_equal(process.user, getuid());
    assert_int_equal(process.group, getgid());
    owner_clear(&process);
    owner_clear(&caller);
}

TEST(process_of_another_owner_is_refused)
{
    const struct owner other = {.user = getuid() + 1, .group = getgid()};
    struct owner caller;
    pid_t child = fork();

    if (child == 0)
        _exit(0);
    owner_of_caller(&caller);
    assert_true(owner_owns(&caller, getpid(), WHY));
    assert_null(why());
    assert_false(owner_owns(&other, getpid(), WHY));
    assert_has(why(), "belongs to another user");
    owner_clear(&caller);

    /* Who opens it says that it has ended. */
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_true(owner_owns(&other, child, WHY));
    assert_null(why());
}

TEST(process_that_has_ended_has_no_owner)
{
    struct owner owner = {.user = 11};
    pid_t child = fork();

    if (child == 0)
        _exit(0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_false(owner_of_process(&owner, child, WHY));
    assert_string_equal(why(), "it has ended");
    assert_int_equal(owner.user, 11);
}

static void give_groups(void)
{
    gid_t groups[] = {GROUP_B, GROUP_A};

    CHECK(setgroups(2, groups) == 0);
}

/* Real, effective and saved ids; -1: that of root. */
static const struct ids {
    gid_t groups[3];
    uid_t users[3];
    const char *owner;
    bool is_file_server, has_no_groups;
} kinds[] = {
    {{GROUP, GROUP, GROUP}, {USER, USER, USER}, "54321:54331:54341,54342", false, false},
    /* Started by USER, and the file belongs to root: as su is in the middle of its work, with another one's groups. */
    {{GROUP, GROUP, GROUP}, {USER, 0, 0}, "54321:65534:", false, false},
    {{-1U, -1U, -1U}, {USER, OTHER, OTHER}, "54321:65534:", false, false},
    {{GROUP, GROUP_A, GROUP_A}, {USER, USER, USER}, "54321:65534:", false, false},
    {{-1U, -1U, -1U}, {-1U, -1U, -1U}, "0:0:54341,54342", false, false},
    /* Daemons at work for a user, and one that has only saved his id: root decides only alone. */
    {{GROUP, GROUP, 0}, {0, USER, 0}, "54321:65534:", false, true},
    {{-1U, -1U, -1U}, {0, 0, USER}, "54321:65534:", false, true},
    {{-1U, -1U, -1U}, {-1U, -1U, -1U}, "54321:65534:", true, true},
};
static const struct ids *kind;

static void be_of_a_kind(void)
{
    struct owner owner;

    if (!kind->has_no_groups)
        give_groups();
    CHECK(setresgid(kind->groups[0], kind->groups[1], kind->groups[2]) == 0);
    set_users(kind->users[0], kind->users[1], kind->users[2]);
    if (kind->is_file_server)
        setfsuid(USER);
    CHECK(owner_of_process(&owner, getpid(), WHY));
    if (strcmp(owner_text(&owner), kind->owner) != 0)
        fprintf(stderr, "the owner is not %s\n", kind->owner);
    CHECK(strcmp(owner_text(&owner), kind->owner) == 0);
    owner_clear(&owner);
}

TEST(real_ids_decide_whose_a_process_is)
{
    if (!is_root())
        skip_because("only root can be another user");
    for (kind = kinds; kind < kinds + N_OF(kinds); kind++)
        assert_int_equal(end_of(be_of_a_kind), 0);
}

/* Files. */

static char *make_file(const char *name, uid_t user, mode_t mode)
{
    char *path = test_path("/%s", name);
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);

    assert_true(file >= 0);
    assert_int_equal(write(file, "secret", 6), 6);
    close(file);
    if (user != getuid())
        assert_int_equal(chown(path, user, GROUP), 0);
    return path;
}

static char *make_link(const char *name, const char *target, uid_t user)
{
    char *path = test_path("/%s", name);

    assert_int_equal(symlink(target, path), 0);
    if (user != getuid())
        assert_int_equal(lchown(path, user, GROUP), 0);
    return path;
}

/* Whose it is, or why that is not told: then the owner is not changed. */
static void check_file(const char *path, const char *expected)
{
    struct owner owner = {.user = 11};
    bool is_told = owner_of_file(&owner, path, WHY);

    assert_true(is_told || owner.user == 11);
    assert_text(is_told ? owner_text(&owner) : why(), expected);
    if (is_told)
        owner_clear(&owner);
}

TEST(own_file_is_the_callers)
{
    struct owner caller;
    char *path = make_file("own", getuid(), 0600);

    owner_of_caller(&caller);
    check_file(path, owner_text(&caller));
    owner_clear(&caller);
}

/* Opening a pipe would wait for ever. */
TEST(only_regular_files_have_an_owner)
{
    char *pipe_path = test_path("/pipe"), *link = make_link("link", pipe_path, getuid());

    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    check_file(pipe_path, "it is no regular file");
    check_file(link, "it is no regular file");
    check_file("/dev/null", "it is no regular file");
    check_file(test_directory(), "it is no regular file");
    assert_int_equal(unlink(pipe_path), 0);
    check_file(link, "No such file or directory");
}

TEST(file_of_another_user_is_his_and_links_to_it_are_refused)
{
    char *own, *users;

    if (!is_root())
        skip_because("only root can be another user");
    own = make_file("own", 0, 0600);
    users = make_file("users", USER, 0600);
    check_file(users, "54321:65534:");
    check_file(make_link("root-users", users, 0), "54321:65534:");
    check_file(make_link("users-users", users, USER), "54321:65534:");
    check_file(make_link("users-root", own, USER), "it is a link of one user to a file of another one");
    check_file(make_link("others-users", users, OTHER), "it is a link of one user to a file of another one");
}

/* Limits. */

static void limit(struct limits limits)
{
    CHECK(confine_limit(&limits, WHY));
    CHECK(why() == NULL);
}

static struct rlimit limit_now(unsigned resource)
{
    struct rlimit now;

    CHECK(getrlimit(resource, &now) == 0);
    return now;
}

TEST_IN_CHILD(memory_is_limited, !has_sanitizer() && !is_in_valgrind())
{
    /* A compiler may leave out an allocation that nobody uses, and take it for good. */
    void *volatile memory;

    limit((struct limits){.memory = UINT64_C(1) << 30});
    CHECK(mmap(NULL, 3U << 30, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED);
    CHECK(errno == ENOMEM);
    memory = malloc((size_t)2 << 30);
    CHECK(memory == NULL);
}

static void spend_time(void)
{
    limit((struct limits){.cpu_seconds = 1});
    alarm(60);
    for (;;)
        word++;
}

TEST_ENDED_BY(SIGXCPU, processor_time_is_limited, true)
{
    spend_time();
}

TEST_ENDED_BY(SIGKILL, processor_time_is_limited_in_spite_of_the_signal, true)
{
    signal(SIGXCPU, SIG_IGN);
    spend_time();
}

TEST_IN_CHILD(open_files_are_limited, !is_in_valgrind())
{
    int file, last = -1;

    limit((struct limits){.n_files = 20});
    while ((file = open("/dev/null", O_RDONLY)) >= 0)
        last = file;
    CHECK(errno == EMFILE);
    CHECK(last == 19);
}

TEST_ENDED_BY(SIGXFSZ, written_files_are_limited, true)
{
    char bytes[100] = {0}, *path = test_path("/large");
    int file, pipes[2];

    limit((struct limits){.file_bytes = 50});
    file = open(path, O_WRONLY | O_CREAT, 0600);
    CHECK(file >= 0 && pipe(pipes) == 0);
    CHECK(write(pipes[1], bytes, 100) == 100);
    CHECK(write(file, bytes, 100) == 50);
    CHECK(unlink(path) == 0);
    CHECK(write(file, bytes, 100) == 50);
}

TEST_IN_CHILD(without_limits_only_core_files_are_forbidden, true)
{
    static const unsigned resources[] = {RLIMIT_AS, RLIMIT_CPU, RLIMIT_NOFILE, RLIMIT_FSIZE};
    struct rlimit before[4];

    for (int i = 0; i < 4; i++)
        before[i] = limit_now(resources[i]);
    limit((struct limits){0});
    for (int i = 0; i < 4; i++)
        CHECK(limit_now(resources[i]).rlim_cur == before[i].rlim_cur &&
              limit_now(resources[i]).rlim_max == before[i].rlim_max);
    CHECK(limit_now(RLIMIT_CORE).rlim_cur == 0 && limit_now(RLIMIT_CORE).rlim_max == 0);
}

TEST_IN_CHILD(limits_are_never_raised, true)
{
    CHECK(setrlimit(RLIMIT_FSIZE, &(struct rlimit){1000, 2000}) == 0);
    limit((struct limits){.file_bytes = 3000});
    CHECK(limit_now(RLIMIT_FSIZE).rlim_cur == 1000 && limit_now(RLIMIT_FSIZE).rlim_max == 2000);
    limit((struct limits){.file_bytes = 1500});
    CHECK(limit_now(RLIMIT_FSIZE).rlim_cur == 1000 && limit_now(RLIMIT_FSIZE).rlim_max == 1500);
}

/* As a user with more processes than he may have: they do not count for what root has started. */
TEST_IN_CHILD(number_of_processes_is_lifted, true)
{
    struct rlimit all = limit_now(RLIMIT_NPROC);

    CHECK(setrlimit(RLIMIT_NPROC, &(struct rlimit){0, all.rlim_max}) == 0);
    limit((struct limits){0});
    CHECK(limit_now(RLIMIT_NPROC).rlim_cur == limit_now(RLIMIT_NPROC).rlim_max);
    CHECK(limit_now(RLIMIT_NPROC).rlim_cur >= all.rlim_max);
}

/* Becoming the owner. */

/* A file of root's that nobody else may read, in a directory that all may enter. */
static char *make_secret(void)
{
    char *path = test_path("/secret");

    close(open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    CHECK(open(path, O_RDONLY | O_CLOEXEC) >= 0 && chmod(test_directory(), 0755) == 0);
    return path;
}

TEST_IN_CHILD(root_becomes_the_owner, is_root())
{
    const char *secret = make_secret();
    pid_t parent = getppid(), session = getsid(0);
    int at_death = 0;

    CHECK(prctl(PR_SET_PDEATHSIG, SIGUSR1) == 0);
    become("54321:54331:54341,54342");
    CHECK(strcmp(own_line("Uid"), "54321 54321 54321 54321") == 0);
    CHECK(strcmp(own_line("Gid"), "54331 54331 54331 54331") == 0);
    CHECK(strcmp(own_line("Groups"), "54341 54342 ") == 0);
    CHECK(open(secret, O_RDONLY) < 0 && errno == EACCES);
    CHECK(setuid(0) < 0 && setresuid(0, 0, 0) < 0 && setgid(0) < 0 && setgroups(0, NULL) < 0);
    CHECK(prctl(PR_GET_PDEATHSIG, &at_death) == 0 && at_death == SIGUSR1);
    CHECK(getppid() == parent && getsid(0) == getpid() && getsid(0) != session);
}

static void check_rights(unsigned long kept)
{
    CHECK(own_set("CapPrm") == kept);
    CHECK(own_set("CapEff") == kept);
    CHECK(own_set("CapInh") == 0);
    CHECK(own_set("CapAmb") == 0);
    CHECK(own_set("NoNewPrivs") == 1);
    CHECK(prctl(PR_GET_DUMPABLE) == 0);
}

/* With what a program could have been given to keep over exec. */
static void give_inheritable_rights(void)
{
    struct { uint32_t version; int pid; } header = {0x20080522, 0};
    struct { uint32_t effective, permitted, inheritable; } sets[2];

    CHECK(syscall(SYS_capget, &header, sets) == 0);
    sets[0].inheritable = sets[0].permitted;
    CHECK(syscall(SYS_capset, &header, sets) == 0);
    CHECK(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, 1UL, 0UL, 0UL) == 0);
}

static unsigned long kept_rights(void)
{
    return own_set("CapPrm") & tracing;
}

TEST_IN_CHILD(root_that_becomes_the_owner_gives_up_rights, is_root())
{
    unsigned long kept = kept_rights();

    give_inheritable_rights();
    become("54321:54331:");
    check_rights(kept);
    CHECK(own_set("CapBnd") == 0);
}

TEST_IN_CHILD(root_that_stays_root_gives_up_rights, is_root())
{
    const char *secret = make_secret();
    unsigned long kept = kept_rights();

    become("0:0:54341");
    CHECK(strcmp(own_line("Groups"), "54341 ") == 0);
    check_rights(kept);
    CHECK(open(secret, O_RDONLY) >= 0);
}

TEST_IN_CHILD(root_keeps_the_right_to_trace, is_root())
{
    bool may = kept_rights() != 0;
    pid_t other = start_target(OTHER);

    become("54321:54331:");
    CHECK(read_word(other) == (may ? 4712 : 0));
}

/* What the dynamic loader is not told, a program of root would still do with the rights that it gives. */
TEST_IN_CHILD(set_user_program_is_not_run, is_root())
{
    const char *program = make_secret();

    become("54321:54331:");
    execl(program, program, (char *)NULL);
    CHECK(errno == EACCES);
}

TEST_IN_CHILD(root_cannot_become_nobody_nor_a_set_user_program_the_owner, is_root())
{
    struct owner nobody = {.user = (uid_t)-1}, group = {.group = (gid_t)-1};

    CHECK(!confine_become(&nobody, WHY));
    CHECK(!confine_become(&group, WHY));
    set_users(USER, 0, 0);
    check_cannot_become("54321:54331:", "set-user-ID");
}

static void become_oneself(void)
{
    become(test_text("%lu:%lu:", (unsigned long)getuid(), (unsigned long)getgid()));
    check_rights(0);
    check_cannot_become("0:0:", "only root");
    check_cannot_become("54322:54331:", "only root");
}

/* Whoever is no root stays who he is. */
static void be_a_user(void)
{
    if (!is_root())
        return;
    give_groups();
    CHECK(setresgid(GROUP, GROUP, GROUP) == 0);
    set_users(USER, USER, USER);
}

TEST_IN_CHILD(user_becomes_only_himself, true)
{
    bool was_root = is_root();

    be_a_user();
    become_oneself();
    CHECK(!was_root || strcmp(own_line("Groups"), "54341 54342 ") == 0);
}

/* As the owner: tries all ways into the process. */
static void attack(pid_t victim)
{
    char path[64];

    CHECK(read_word(victim) == 0 && errno == EPERM);
    CHECK(ptrace(PTRACE_SEIZE, victim, NULL, NULL) < 0 && errno == EPERM);
    snprintf(path, sizeof path, "/proc/%d/mem", (int)victim);
    CHECK(open(path, O_RDWR) < 0 && errno == EACCES);
    snprintf(path, sizeof path, "/proc/%d/environ", (int)victim);
    CHECK(open(path, O_RDONLY) < 0 && errno == EACCES);
}

/* Forks an attacker that waits, becomes the owner (from which state says the caller), and has itself attacked. */
static void be_attacked(body *start)
{
    int go[2], status = -1;
    char byte = 0;
    pid_t victim = getpid(), attacker;

    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    CHECK(pipe(go) == 0);
    attacker = fork();
    if (attacker == 0) {
        close(go[1]);
        be_a_user();
        CHECK(read(go[0], &byte, 1) == 1);
        attack(victim);
        _exit(0);
    }
    start();
    CHECK(write(go[1], &byte, 1) == 1);
    CHECK(waitpid(attacker, &status, 0) == attacker && status == 0);
}

static void become_the_attacker(void)
{
    become("54321:54331:");
}

TEST_IN_CHILD(owner_cannot_look_into_root, is_root() && !is_in_valgrind())
{
    be_attacked(become_the_attacker);
}

TEST_IN_CHILD(owner_cannot_look_into_another_process_of_his, !is_in_valgrind())
{
    be_a_user();
    be_attacked(become_oneself);
}

/* System calls. */

static void confine_calls(pid_t holder, bool network)
{
    if (!confine_system_calls(holder, network, WHY))
        fprintf(stderr, "%s\n", why());
    CHECK(why() == NULL);
}

#define FORBIDDEN(call)                                                                                                \
    do {                                                                                                               \
        errno = 0;                                                                                                     \
        CHECK((call) == -1 && errno == EPERM);                                                                         \
    } while (0)

static bool can_be_tested(void)
{
#ifdef HAVE_LIBSECCOMP
    return !HAS_SANITIZER && !is_in_valgrind();
#else
    return false;
#endif
}

/* Each of these is possible before: a call that fails anyway would prove nothing. */
TEST_IN_CHILD(files_are_opened_for_reading_only, can_be_tested())
{
    char *path = test_path("/file"), *other = test_path("/new");
    int file = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    char byte;

    CHECK(file >= 0 && write(file, "12345", 5) == 5);
    confine_calls(0, false);
    FORBIDDEN(open(path, O_RDWR));
    FORBIDDEN(open(path, O_WRONLY));
    FORBIDDEN(open(path, O_RDONLY | O_TRUNC));
    FORBIDDEN(open(other, O_RDONLY | O_CREAT, 0600));
    FORBIDDEN(open(test_directory(), O_RDWR | O_TMPFILE, 0600));
#ifdef SYS_open
    FORBIDDEN(syscall(SYS_open, path, O_RDWR));
    FORBIDDEN(syscall(SYS_open, path, O_RDONLY | O_TRUNC));
    CHECK(syscall(SYS_open, path, O_RDONLY) >= 0);
#endif
#ifdef SYS_openat2
    FORBIDDEN(syscall(SYS_openat2, AT_FDCWD, path, (uint64_t[3]){O_RDONLY}, sizeof(uint64_t[3])));
#endif
    FORBIDDEN(unlink(path));
    FORBIDDEN(rename(path, other));
    FORBIDDEN(mkdir(other, 0700));
    FORBIDDEN(link(path, other));
    FORBIDDEN(symlink(path, other));
    FORBIDDEN(chmod(path, 0666));
    FORBIDDEN(fchmod(file, 0666));
    FORBIDDEN(ftruncate(file, 0));
    FORBIDDEN(truncate(path, 0));
    FORBIDDEN(mknod(other, S_IFIFO | 0600, 0));
    FORBIDDEN(memfd_create("name", 0));
    FORBIDDEN(chdir("/"));
    CHECK(open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) >= 0 && open(path, O_PATH | O_NOFOLLOW) >= 0);
    CHECK(access(path, R_OK) == 0 && lseek(file, 1, SEEK_SET) == 1);
    CHECK(read(file, &byte, 1) == 1 && byte == '2' && pread(file, &byte, 1, 4) == 1 && byte == '5');
}

TEST_IN_CHILD(other_processes_can_only_be_read, can_be_tested())
{
    uint64_t value = 1;
    pid_t target = start_target(0), other = start_target(0);
    struct iovec here = {&value, sizeof value}, there = {(void *)(uintptr_t)&word, sizeof value};

    CHECK(process_vm_writev(target, &here, 1, &there, 1, 0) == sizeof value);
    confine_calls(target, false);
    CHECK(read_word(target) == 1);
    FORBIDDEN(process_vm_writev(target, &here, 1, &there, 1, 0));
    FORBIDDEN((int)ptrace(PTRACE_SEIZE, target, NULL, NULL));
#ifdef SYS_pidfd_open
    FORBIDDEN(syscall(SYS_pidfd_open, target, 0));
    FORBIDDEN(syscall(SYS_pidfd_getfd, 0, 0, 0));
    FORBIDDEN(syscall(SYS_pidfd_send_signal, 0, SIGKILL, NULL, 0));
#endif
    FORBIDDEN(kill(other, SIGTERM));
    FORBIDDEN(kill(-1, SIGTERM));
    FORBIDDEN(kill(0, SIGTERM));
    FORBIDDEN(syscall(SYS_tgkill, target, target, SIGTERM));
    FORBIDDEN(syscall(SYS_tkill, other, SIGTERM));
    FORBIDDEN(syscall(SYS_rt_sigqueueinfo, target, SIGTERM, NULL));
    FORBIDDEN(prlimit(target, RLIMIT_CORE, &(struct rlimit){0, 0}, NULL));
    FORBIDDEN(setpriority(PRIO_PROCESS, (id_t)target, 19));
    FORBIDDEN(prctl(PR_SET_DUMPABLE, 1UL, 0UL, 0UL, 0UL));
    FORBIDDEN(setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}));
    FORBIDDEN(setuid(getuid()));
    /* The signal 0 only tells whether there is such a process. */
    CHECK(kill(other, 0) == 0);
    CHECK(kill(getpid(), 0) == 0 && getppid() > 0 && limit_now(RLIMIT_CORE).rlim_max != 1);
    CHECK(kill(target, SIGKILL) == 0 && waitpid(target, NULL, 0) == target);
}

TEST_IN_CHILD(no_process_and_no_socket_is_made, can_be_tested())
{
    int pair[2], two[2], terminal = open("/dev/null", O_RDONLY);
    char byte = 7, *const arguments[] = {(char []){"/bin/true"}, NULL};
    struct sockaddr address = {.sa_family = AF_UNIX};

    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    confine_calls(0, false);
    FORBIDDEN(socket(AF_UNIX, SOCK_STREAM, 0));
    FORBIDDEN(socket(AF_INET, SOCK_STREAM, 0));
    FORBIDDEN(socketpair(AF_UNIX, SOCK_STREAM, 0, two));
    FORBIDDEN(pipe(two));
    FORBIDDEN(connect(pair[0], &address, sizeof address));
    FORBIDDEN((int)sendto(pair[0], &byte, 1, 0, &address, sizeof address));
    FORBIDDEN((int)sendmsg(pair[0], &(struct msghdr){0}, 0));
    FORBIDDEN(fork());
    FORBIDDEN(syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL));
#ifdef SYS_vfork
    FORBIDDEN(syscall(SYS_vfork));
#endif
    FORBIDDEN(execv(arguments[0], arguments));
    FORBIDDEN(unshare(CLONE_NEWUSER));
    FORBIDDEN(ioctl(terminal, TIOCSTI, &byte));
    FORBIDDEN(fcntl(terminal, F_SETOWN, getpid()));
    FORBIDDEN(fcntl(terminal, F_SETLEASE, F_RDLCK));
    CHECK(send(pair[0], &byte, 1, MSG_NOSIGNAL) == 1);
    byte = 0;
    CHECK(recv(pair[1], &byte, 1, MSG_DONTWAIT) == 1 && byte == 7);
    CHECK(fcntl(terminal, F_DUPFD_CLOEXEC, 0) > terminal && !isatty(terminal) && errno == ENOTTY);
}

TEST_IN_CHILD(no_code_is_mapped, can_be_tested())
{
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *large;

    CHECK(page != MAP_FAILED);
    confine_calls(0, false);
    FORBIDDEN(mprotect(page, 4096, PROT_READ | PROT_EXEC));
    FORBIDDEN((intptr_t)mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    CHECK(mprotect(page, 4096, PROT_READ) == 0);
    page = mremap(page, 4096, 8192, MREMAP_MAYMOVE);
    CHECK(page != MAP_FAILED && munmap(page, 8192) == 0 && sbrk(4096) != (void *)-1);
    large = malloc(100 << 20);
    CHECK(large != NULL);
    large = realloc(large, 200 << 20);
    CHECK(large != NULL);
    free(large);
}

TEST_ENDED_BY(SIGABRT, confined_process_can_abort, can_be_tested())
{
    limit((struct limits){0});
    confine_calls(0, false);
    abort();
}

#ifdef __x86_64__

/* getpid as of the other ABIs of the processor. */
static void call_as_32_bits(void)
{
    long result = 20;

    __asm__ volatile("int $0x80" : "+a"(result) : : "r8", "r9", "r10", "r11", "memory");
    CHECK(result == getpid());
}

TEST_ENDED_BY(SIGSYS, calls_of_x32_end_the_process, can_be_tested())
{
    confine_calls(0, false);
    syscall(0x40000000 | SYS_getpid);
}

static bool has_calls_of_32_bits(void)
{
    return end_of(call_as_32_bits) == 0;
}

TEST_ENDED_BY(SIGSYS, calls_of_32_bits_end_the_process, can_be_tested() && has_calls_of_32_bits())
{
    confine_calls(0, false);
    call_as_32_bits();
}

#endif

static void *set_word(void *context)
{
    word = 4713;
    return context;
}

/* libcurl looks up names in threads, and keeps what it has got in files. */
TEST_IN_CHILD(debuginfod_can_be_asked, can_be_tested())
{
    char *path = test_path("/cache");
    pthread_t thread;
    uint64_t value = 1;
    struct iovec here = {&value, sizeof value}, there = {(void *)(uintptr_t)&word, sizeof value};
    char *const arguments[] = {(char []){"/bin/true"}, NULL};
    int file, two[2];

    confine_calls(0, true);
    CHECK(socket(AF_UNIX, SOCK_STREAM, 0) >= 0 && pipe2(two, O_CLOEXEC) == 0);
    file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    CHECK(file >= 0 && unlink(path) == 0);
    CHECK(pthread_create(&thread, NULL, set_word, NULL) == 0 && pthread_join(thread, NULL) == 0 && word == 4713);
    CHECK(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
    FORBIDDEN(fork());
    FORBIDDEN(execv(arguments[0], arguments));
    FORBIDDEN(process_vm_writev(getpid(), &here, 1, &there, 1, 0));
    FORBIDDEN((int)ptrace(PTRACE_TRACEME, 0, NULL, NULL));
    FORBIDDEN(kill(getppid(), SIGCONT));
}

/* Also where there is no libseccomp. Processes of root are not counted. */
TEST_IN_CHILD(number_of_processes_is_limited, !has_sanitizer() && !is_in_valgrind())
{
    confine_calls(0, false);
    CHECK(limit_now(RLIMIT_NPROC).rlim_cur == 0 && limit_now(RLIMIT_NPROC).rlim_max == 0);
}
