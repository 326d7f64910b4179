/*
 * confine_calls.c - the system calls that a reader of processes still needs, and no others.
 */
#include "mqd/dump/collect/child/confine_calls.h"

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mqd/dump/base/reason.h"
#include "mqd/dump/base/sanitizer.h"

#if defined HAVE_LIBSECCOMP && !HAS_SANITIZER

#include <seccomp.h>

/*
 * By name: not every machine has each, nor does every libseccomp know each. Those that concern other processes are in
 * the tables of rules below.
 */
static const char *const harmless[] = {
    /* files and descriptors that are open */
    "read", "readv", "pread64", "preadv", "write", "writev", "pwrite64", "lseek", "_llseek", "close", "dup", "dup2",
    "dup3", "fstat", "fstat64", "fstatfs", "fstatfs64", "getdents", "getdents64", "fadvise64", "poll", "ppoll",
    "select", "_newselect", "pselect6", "shutdown",
    /* finding files */
    "stat", "stat64", "lstat", "lstat64", "newfstatat", "fstatat64", "statx", "statfs", "statfs64", "access",
    "faccessat", "faccessat2", "readlink", "readlinkat", "getcwd",
    /* memory */
    "brk", "munmap", "mremap", "madvise", "process_vm_readv",
    /* itself */
    "getpid", "getppid", "gettid", "getuid", "geteuid", "getgid", "getegid", "getresuid", "getresgid", "getgroups",
    "getpgrp", "getpgid", "getsid", "getrusage", "getrlimit", "ugetrlimit", "times", "uname", "sysinfo", "getcpu",
    "sched_yield", "sched_getaffinity", "getrandom", "futex", "futex_time64", "get_robust_list", "membarrier",
    /* time, signals, the end */
    "clock_gettime", "clock_gettime64", "clock_getres", "gettimeofday", "time", "nanosleep", "clock_nanosleep",
    "clock_nanosleep_time64", "restart_syscall", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigtimedwait",
    "rt_sigtimedwait_time64", "rt_sigpending", "rt_sigsuspend", "sigaltstack", "pause", "wait4", "waitid", "exit",
    "exit_group",
};

/* What libdebuginfod, libcurl, the resolver and the dynamic loader need besides. */
static const char *const of_network[] = {
    "socket", "socketpair", "connect", "bind", "getsockname", "getpeername", "getsockopt", "setsockopt", "sendto",
    "sendmsg", "sendmmsg", "recvfrom", "recvmsg", "recvmmsg", "epoll_create", "epoll_create1", "epoll_ctl",
    "epoll_wait", "epoll_pwait", "eventfd2", "pipe", "pipe2", "fcntl", "fcntl64", "ioctl", "open", "openat", "mmap",
    "mmap2", "mprotect", "rename", "renameat", "renameat2", "unlink", "unlinkat", "rmdir", "mkdir", "mkdirat", "chmod",
    "fchmod", "fchmodat", "ftruncate", "fsync", "fdatasync", "flock", "utimensat", "umask", "set_robust_list", "rseq",
    "set_tid_address", "sched_setaffinity", "sched_getparam", "sched_getscheduler",
};

/* TCGETS2, whose type clashes with those of the C library. */
#define GET_TERMIOS2 _IOC(_IOC_READ, 'T', 0x2a, 44)

/* Calls of which one argument must have some bits clear, or a certain value in 32 bits. */
struct rule {
    const char *name;
    unsigned argument;
    uint64_t mask, value;
};

static const uint64_t all_bits = UINT32_MAX;

/* For reading, and a file that is there. Without a flag for writing O_TRUNC would still cut it. */
#define NOT_TO_WRITE (O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY))

static const struct rule bounded[] = {
    {"open", 1, NOT_TO_WRITE, O_RDONLY},
    {"openat", 2, NOT_TO_WRITE, O_RDONLY},
    {"mmap", 2, PROT_EXEC, 0},
    {"mmap2", 2, PROT_EXEC, 0},
    {"mprotect", 2, PROT_EXEC, 0},
    /* Only over sockets that are connected: no address. */
    {"sendto", 4, UINT64_MAX, 0},
    {"recvfrom", 4, UINT64_MAX, 0},
    /* Only asking: no new value. */
    {"prlimit64", 2, UINT64_MAX, 0},
    /* Not those that have signals sent, or that block others who open a file. */
    {"fcntl", 1, UINT32_MAX, F_DUPFD},
    {"fcntl", 1, UINT32_MAX, F_DUPFD_CLOEXEC},
    {"fcntl", 1, UINT32_MAX, F_GETFD},
    {"fcntl", 1, UINT32_MAX, F_SETFD},
    {"fcntl", 1, UINT32_MAX, F_GETFL},
    {"fcntl", 1, UINT32_MAX, F_SETFL},
    {"fcntl64", 1, UINT32_MAX, F_DUPFD_CLOEXEC},
    {"fcntl64", 1, UINT32_MAX, F_GETFD},
    {"fcntl64", 1, UINT32_MAX, F_SETFD},
    {"fcntl64", 1, UINT32_MAX, F_GETFL},
    {"fcntl64", 1, UINT32_MAX, F_SETFL},
    /* Is it a terminal, and how wide? Not typing for it. From glibc 2.42 on isatty asks with TCGETS2. */
    {"ioctl", 1, UINT32_MAX, TCGETS},
    {"ioctl", 1, UINT32_MAX, GET_TERMIOS2},
    {"ioctl", 1, UINT32_MAX, TIOCGWINSZ},
    {"ioctl", 1, UINT32_MAX, FIONREAD},
};

/* The C library makes threads with clone once clone3 is not there. Flags in registers of clone3 cannot be seen. */
static const struct rule of_threads[] = {
    {"clone", 0, CLONE_THREAD | CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET, CLONE_THREAD},
};

static bool add(scmp_filter_ctx filter, uint32_t action, const char *name, const struct scmp_arg_cmp *condition)
{
    int number = seccomp_syscall_resolve_name(name);
    int result;

    if (number == __NR_SCMP_ERROR)
        return true;
    result = seccomp_rule_add_array(filter, action, number, condition != NULL ? 1 : 0, condition);
    errno = -result;
    return result == 0;
}

static bool add_names(scmp_filter_ctx filter, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!add(filter, SCMP_ACT_ALLOW, names[i], NULL))
            return false;
    return true;
}

static bool add_rules(scmp_filter_ctx filter, const struct rule *rules, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct scmp_arg_cmp condition = SCMP_CMP(rules[i].argument, SCMP_CMP_MASKED_EQ, rules[i].mask,
                                                       rules[i].value);

        if (!add(filter, SCMP_ACT_ALLOW, rules[i].name, &condition))
            return false;
    }
    return true;
}

#define ADD_NAMES(filter, names) add_names(filter, names, sizeof(names) / sizeof *(names))
#define ADD_RULES(filter, rules) add_rules(filter, rules, sizeof(rules) / sizeof *(rules))

/* The signal 0 only tells whether there is such a process, and anybody may ask that. */
static bool add_signals(scmp_filter_ctx filter, pid_t holder)
{
    const struct rule rules[] = {
        {"kill", 1, all_bits, 0},
        {"kill", 0, all_bits, (uint32_t)getpid()},
        {"tgkill", 0, all_bits, (uint32_t)getpid()},
        {"kill", 0, all_bits, (uint32_t)holder},
    };

    return add_rules(filter, rules, holder > 0 ? 4 : 3);
}

static bool set_attributes(scmp_filter_ctx filter)
{
    if (seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) != 0 ||
        seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1) != 0)
        return false;
#if SCMP_VER_MAJOR > 2 || (SCMP_VER_MAJOR == 2 && SCMP_VER_MINOR >= 5)
    /* A tree in place of a list: memory is read by very many calls. */
    seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
#endif
    return true;
}

static bool fill(scmp_filter_ctx filter, pid_t holder, bool network)
{
    return set_attributes(filter) && ADD_NAMES(filter, harmless) && add_signals(filter, holder) &&
           (network ? ADD_NAMES(filter, of_network) && ADD_RULES(filter, of_threads) : ADD_RULES(filter, bounded)) &&
           add(filter, SCMP_ACT_ERRNO(ENOSYS), "clone3", NULL);
}

static bool load(pid_t holder, bool network, char **why)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    int result;

    if (filter == NULL)
        return set_reason(why, "cannot give up system calls: no memory");
    if (!fill(filter, holder, network)) {
        seccomp_release(filter);
        return set_reason(why, "cannot give up system calls: libseccomp does not know one");
    }
    result = seccomp_load(filter);
    seccomp_release(filter);
    return result == 0 || set_reason(why, "cannot give up system calls: %s", strerror(-result));
}

bool confine_has_system_calls(void)
{
    return true;
}

#else

static bool load(pid_t holder, bool network, char **why)
{
    (void)holder;
    (void)network;
    (void)why;
    return true;
}

bool confine_has_system_calls(void)
{
    return false;
}

#endif

/* Root's processes are not bound by it. */
static bool forbid_processes(char **why)
{
    return setrlimit(RLIMIT_NPROC, &(struct rlimit){0, 0}) == 0 ||
           set_reason(why, "cannot forbid new processes: %s", strerror(errno));
}

bool confine_system_calls(pid_t holder, bool network, char **why)
{
    return (network || HAS_SANITIZER || forbid_processes(why)) && load(holder, network, why);
}
