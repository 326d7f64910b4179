/*
 * fail_call.c - runs a command of which one call fails: fail_call KIND[+] N DIRECTORY LIBRARY COMMAND [ARGUMENT]...
 *
 * The N-th call of a kind fails that the command and all processes that it starts make together; with "+" all that
 * follow, too. The kernel asks here about each system call (seccomp's user notification), so that those of the C
 * library itself are met. LIBRARY is fail_memory.so, which lets allocations fail.
 *
 * If MQD_TEST_WATCHER is the number of a connected socket, no call fails. Instead the N-th one waits: "COMMAND
 * CALLER" is written to the socket, two process ids in a line, and the call is made when a character comes back.
 * After "n" the next call waits in the same way, after any other one none does any more.
 *
 * Afterwards DIRECTORY/report says how many calls there were, how the command ended (a status, -SIGNAL, or "hung"), and
 * how many of its processes were left behind. Those are killed. The exit status is 0 if all that could be found out.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fail_call.h"

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

/* Whoever needs as long hangs: no machine is so slow. */
enum { MAX_CALLS = 24, MILLISECONDS_TO_END = 120000 };

/* What is not known on every machine has no number here. */
enum {
    NONE = -1,
#ifdef SYS_open
    OPEN = SYS_open, FORK = SYS_fork, VFORK = SYS_vfork, PIPE = SYS_pipe, POLL = SYS_poll, RENAME = SYS_rename,
    LINK = SYS_link, UNLINK = SYS_unlink, READLINK = SYS_readlink,
#else
    OPEN = NONE, FORK = NONE, VFORK = NONE, PIPE = NONE, POLL = NONE, RENAME = NONE, LINK = NONE, UNLINK = NONE,
    READLINK = NONE,
#endif
#ifdef SYS_clone3
    CLONE3 = SYS_clone3,
#else
    CLONE3 = NONE,
#endif
#ifdef SYS_newfstatat
    STAT_AT = SYS_newfstatat,
#else
    STAT_AT = NONE,
#endif
};

struct kind {
    const char *name;
    int error;
    size_t n;
    int calls[MAX_CALLS];
};

#define CALLS(...) .n = sizeof(int[]){__VA_ARGS__} / sizeof(int), .calls = {__VA_ARGS__}

static const struct kind kinds[] = {
    {"memory", ENOMEM, .n = 0},
    {"map", ENOMEM, CALLS(SYS_mmap, SYS_mremap, SYS_mprotect)},
    {"open", EMFILE, CALLS(OPEN, SYS_openat)},
    {"read", EIO, CALLS(SYS_read, SYS_pread64, SYS_readv, SYS_getdents64, READLINK, SYS_readlinkat)},
    {"target", EFAULT, CALLS(SYS_process_vm_readv)},
    {"receive", ENOMEM, CALLS(SYS_recvfrom, SYS_recvmsg)},
    {"write", ENOSPC, CALLS(SYS_write, SYS_pwrite64, SYS_writev)},
    {"send", EPIPE, CALLS(SYS_sendto, SYS_sendmsg)},
    {"fork", EAGAIN, CALLS(FORK, VFORK, SYS_clone, CLONE3)},
    {"pipe", EMFILE, CALLS(PIPE, SYS_pipe2, SYS_socketpair, SYS_eventfd2, SYS_memfd_create, SYS_dup, SYS_dup3,
                           SYS_fcntl)},
    {"rights", EPERM, CALLS(SYS_setuid, SYS_setgid, SYS_setresuid, SYS_setresgid, SYS_setgroups, SYS_setrlimit,
                            SYS_prlimit64, SYS_prctl, SYS_capset, SYS_seccomp, SYS_setpgid, SYS_setsid)},
    {"exec", EACCES, CALLS(SYS_execve, SYS_execveat)},
    {"poll", ENOMEM, CALLS(POLL, SYS_ppoll, SYS_epoll_pwait)},
    {"interrupt", EINTR, CALLS(POLL, SYS_ppoll, SYS_recvfrom, SYS_recvmsg, SYS_sendto, SYS_sendmsg, SYS_wait4,
                               SYS_waitid, SYS_rt_sigtimedwait, SYS_clock_nanosleep)},
    {"file", EIO, CALLS(RENAME, SYS_renameat, SYS_renameat2, LINK, SYS_linkat, UNLINK, SYS_unlinkat, SYS_fchmod,
                        SYS_fsync, SYS_ftruncate, SYS_lseek)},
    {"stat", EIO, CALLS(STAT_AT, SYS_fstat, SYS_statx, SYS_fstatfs, SYS_statfs)},
    {"trace", EPERM, CALLS(SYS_ptrace)},
    {"any", EIO, CALLS(OPEN, SYS_openat, SYS_read, SYS_pread64, SYS_mmap, SYS_process_vm_readv, SYS_ptrace, SYS_recvmsg,
                       SYS_sendmsg, SYS_write, FORK, VFORK, SYS_clone, CLONE3, SYS_execve, SYS_kill, POLL, SYS_ppoll,
                       SYS_wait4, SYS_waitid, SYS_prctl, SYS_setresuid, SYS_exit_group)},
};

#define WATCHER "MQD_TEST_WATCHER"

static struct fail_page *page;
static int watcher = -1;   /* the socket of who decides when a call is made; -1: nobody */

static _Noreturn void give_up(const char *what)
{
    perror(what);
    exit(1);
}

static const struct kind *find_kind(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strlen(kinds[i].name) == length && strncmp(kinds[i].name, name, length) == 0)
            return &kinds[i];
    fprintf(stderr, "no kind of call: %s\n", name);
    exit(1);
}

static void make_page(const char *path, unsigned long first, bool on, bool memory)
{
    int descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    /* A process of the command may become another user. */
    if (descriptor < 0 || fchmod(descriptor, 0666) != 0 || ftruncate(descriptor, sizeof *page) != 0)
        give_up(path);
    page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (page == MAP_FAILED)
        give_up(path);
    close(descriptor);
    page->first = first;
    page->on = on;
    page->memory = memory;
    page->trace = getenv("MQD_TEST_TRACE") != NULL;
}

/* Has the kernel ask the returned descriptor about the calls of a kind, from now on. */
static int install_filter(const struct kind *kind)
{
    struct sock_filter program[2 * MAX_CALLS + 2];
    struct sock_fprog filter = {.filter = program};
    unsigned long flags = SECCOMP_FILTER_FLAG_NEW_LISTENER;
    long descriptor;
    size_t n = 0;

    program[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < kind->n; i++) {
        program[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)kind->calls[i], 0, 1);
        program[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
    }
    program[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter.len = (unsigned short)n;
    /* Only root may do without. */
    if (geteuid() != 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        give_up("no_new_privs");
    /* An older kernel asks twice about a call that a signal interrupts meanwhile. */
    descriptor = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &filter);
    if (descriptor < 0)
        descriptor = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &filter);
    return (int)descriptor;
}

/* Afterwards the kernel asks about the child's calls, so it tells its parent by the page that they share. */
static _Noreturn void run_command(const struct kind *kind, const char *library, char **command)
{
    setenv("LD_PRELOAD", library, 1);
    if (kind->n > 0) {
        atomic_store(&page->listener, install_filter(kind));
        while (atomic_load(&page->listener) >= 0)
            sched_yield();
    }
    execvp(command[0], command);
    _exit(127);
}

static int take_listener(pid_t child)
{
    static const struct timespec pause = {.tv_nsec = 100000};
    int descriptor = (int)syscall(SYS_pidfd_open, child, 0), listener = -1;

    while (atomic_load(&page->listener) == 0 && waitpid(child, NULL, WNOHANG) == 0)
        nanosleep(&pause, NULL);
    if (atomic_load(&page->listener) > 0)
        listener = (int)syscall(SYS_pidfd_getfd, descriptor, atomic_load(&page->listener), 0);
    if (listener < 0)
        give_up("seccomp");
    close(descriptor);
    atomic_store(&page->listener, TAKEN);
    return listener;
}

/* Lets the watcher decide when a call is made. */
static void await_watcher(pid_t command, pid_t caller)
{
    char line[64], word;
    int length = snprintf(line, sizeof line, "%d %d\n", (int)command, (int)caller);

    if (send(watcher, line, (size_t)length, MSG_NOSIGNAL) != length || read(watcher, &word, 1) != 1 || word != 'n')
        page->on = false;
}

/* Answers one question of the kernel's. */
static void answer(pid_t command, int listener, int error)
{
    struct seccomp_notif *question = calloc(1, 4096);
    struct seccomp_notif_resp reply = {0};

    if (question == NULL)
        give_up("calloc");
    /* Who asked may have been killed meanwhile. */
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, question) == 0) {
        reply.id = question->id;
        if (!fail_next(page))
            reply.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
        else if (watcher < 0)
            reply.error = -error;
        else {
            await_watcher(command, (pid_t)question->pid);
            reply.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
        }
        ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
    }
    free(question);
}

static long milliseconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Reads the first child of this process; 0: there is none. Those that lose their parent become children of it. */
static pid_t first_child(void)
{
    char path[64], line[32] = "";
    FILE *file;

    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    file = fopen(path, "r");
    if (file == NULL)
        give_up(path);
    if (fgets(line, sizeof line, file) == NULL)
        line[0] = '\0';
    fclose(file);
    return (pid_t)atoi(line);
}

struct end {
    bool ended;
    int status;            /* as of waitpid */
    int n_left;
};

/* Collects what has ended. Returns false if there is no process of the command any more. */
static bool reap(pid_t command, struct end *end)
{
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG | __WALL)) > 0) {
        if (pid == command) {
            end->ended = true;
            end->status = status;
        }
    }
    return pid == 0;
}

/* Answers for all processes of the command, until there are none, or there should not be any. */
static void serve(pid_t command, int listener, int error, struct end *end)
{
    struct pollfd asks = {.fd = listener, .events = POLLIN};
    long until = milliseconds_now() + MILLISECONDS_TO_END;
    bool ended = false;

    while (reap(command, end) && milliseconds_now() < until) {
        if (end->ended && !ended) {
            ended = true;
            until = milliseconds_now() + MILLISECONDS_TO_END;
        }
        if (poll(&asks, 1, 2) > 0 && (asks.revents & POLLIN) != 0)
            answer(command, listener, error);
        else if (asks.revents != 0)
            asks.fd = -1;
    }
}

static void kill_what_is_left(struct end *end)
{
    pid_t pid;

    while ((pid = first_child()) > 0) {
        end->n_left++;
        kill(pid, SIGKILL);
        if (waitpid(pid, NULL, __WALL) < 0)
            give_up("waitpid");
    }
}

static void report(const char *path, const struct end *end)
{
    FILE *file = fopen(path, "w");

    if (file == NULL)
        give_up(path);
    fprintf(file, "%lu ", atomic_load(&page->n_calls));
    if (!end->ended)
        fputs("hung", file);
    else
        fprintf(file, "%d", WIFSIGNALED(end->status) ? -WTERMSIG(end->status) : WEXITSTATUS(end->status));
    fprintf(file, " %d\n", end->n_left);
    if (fclose(file) != 0)
        give_up(path);
}

/* The command does not have it. */
static void take_watcher(void)
{
    const char *number = getenv(WATCHER);

    if (number == NULL)
        return;
    watcher = atoi(number);
    if (fcntl(watcher, F_SETFD, FD_CLOEXEC) != 0)
        give_up(WATCHER);
    unsetenv(WATCHER);
}

int main(int argc, char **argv)
{
    const struct kind *kind;
    struct end end = {0};
    int listener = -1;
    char path[4096];
    size_t length;
    pid_t child;

    if (argc < 6) {
        fputs("usage: fail_call KIND[+] N DIRECTORY LIBRARY COMMAND [ARGUMENT]...\n", stderr);
        return 1;
    }
    length = strcspn(argv[1], "+");
    kind = find_kind(argv[1], length);
    snprintf(path, sizeof path, "%s/page", argv[3]);
    take_watcher();
    make_page(path, strtoul(argv[2], NULL, 10), argv[1][length] == '+' || watcher >= 0, kind->n == 0);
    setenv(FAIL_PAGE, path, 1);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    child = fork();
    if (child < 0)
        give_up("fork");
    if (child == 0)
        run_command(kind, argv[4], argv + 5);
    if (kind->n > 0)
        listener = take_listener(child);
    serve(child, listener, kind->error, &end);
    kill_what_is_left(&end);
    snprintf(path, sizeof path, "%s/report", argv[3]);
    report(path, &end);
    return 0;
}
