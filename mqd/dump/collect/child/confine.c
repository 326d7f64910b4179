/*
 * confine.c - gives up the rights and resources that reading one owner's processes does not need.
 */
#include "mqd/dump/collect/child/confine.h"

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef HAVE_LIBSECCOMP
#include <seccomp.h>
#endif

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/sanitizer.h"
#include "mqd/dump/collect/target/proc.h"

static const uint64_t tracing = UINT64_C(1) << CAP_SYS_PTRACE;

/* Limits. */

/* Zero is no limit. The hard limit is `more` above the other one. */
static bool set_limit(unsigned resource, const char *name, uint64_t value, uint64_t more, char **why)
{
    struct rlimit limit;

    if (value == 0)
        return true;
    if (getrlimit(resource, &limit) != 0)
        return set_reason(why, "no limit of %s: %s", name, strerror(errno));
    if (limit.rlim_max == RLIM_INFINITY || value + more < limit.rlim_max)
        limit.rlim_max = (rlim_t)(value + more);
    if (limit.rlim_cur == RLIM_INFINITY || value < limit.rlim_cur)
        limit.rlim_cur = (rlim_t)value;
    return setrlimit(resource, &limit) == 0 || set_reason(why, "no limit of %s: %s", name, strerror(errno));
}

/* Only root may exceed the hard limit. */
static void lift_number_of_processes(void)
{
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};

    if (setrlimit(RLIMIT_NPROC, &limit) == 0 || getrlimit(RLIMIT_NPROC, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NPROC, &limit);
}

bool confine_limit(const struct limits *limits, char **why)
{
    if (setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}) != 0)
        return set_reason(why, "no limit of core files: %s", strerror(errno));
    lift_number_of_processes();
    return (HAS_SANITIZER || set_limit(RLIMIT_AS, "memory", limits->memory, 0, why)) &&
           set_limit(RLIMIT_CPU, "processor time", limits->cpu_seconds, 1, why) &&
           set_limit(RLIMIT_NOFILE, "open files", limits->n_files, 0, why) &&
           set_limit(RLIMIT_FSIZE, "written files", limits->file_bytes, 0, why);
}

/* Capabilities. */

/* Over setresuid; it is then reduced to the one. */
static bool keep_capabilities(bool keep)
{
    return prctl(PR_SET_KEEPCAPS, keep ? 1UL : 0UL, 0UL, 0UL, 0UL) == 0;
}

/* Keeps the right to trace, if it is there and wanted, and nothing else. The sets are of 32 bits each, the lower first. */
static bool reduce_capabilities(bool keep)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {0};
    uint32_t kept;

    if (syscall(SYS_capget, &header, sets) != 0)
        return false;
    kept = keep ? sets[0].permitted & (uint32_t)tracing : 0;
    memset(sets, 0, sizeof sets);
    sets[0].permitted = sets[0].effective = kept;
    return syscall(SYS_capset, &header, sets) == 0;
}

/* What exec could give. Without the right to do this, no_new_privs does the same. */
static void empty_bounding_set(void)
{
    for (unsigned long i = 0; prctl(PR_CAPBSET_READ, i, 0UL, 0UL, 0UL) >= 0; i++)
        prctl(PR_CAPBSET_DROP, i, 0UL, 0UL, 0UL);
#ifdef PR_CAP_AMBIENT
    prctl(PR_CAP_AMBIENT, (unsigned long)PR_CAP_AMBIENT_CLEAR_ALL, 0UL, 0UL, 0UL);
#endif
}

/* What belongs to a user. */

/* Who leads a group of processes cannot begin a session, but can leave the terminal. */
static void leave_terminal(void)
{
    int terminal;

    if (setsid() >= 0)
        return;
    terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal < 0)
        return;
    ioctl(terminal, TIOCNOTTY);
    close(terminal);
}

/*
 * In a user namespace of its own, root may not be allowed to change the groups. If it stays the same user, these are
 * its own.
 */
static bool set_groups(const struct owner *owner)
{
    return setgroups(owner->n_groups, owner->groups) == 0 || (errno == EPERM && owner->user == getuid());
}

static bool change_ids(const struct owner *owner, char **why)
{
    empty_bounding_set();
    if (!keep_capabilities(true))
        return set_reason(why, "cannot keep the right to trace: %s", strerror(errno));
    if (owner->user != getuid())
        leave_terminal();
    if (!set_groups(owner))
        return set_reason(why, "cannot take on the supplementary groups of user %lu: %s", (unsigned long)owner->user,
                          strerror(errno));
    if (setresgid(owner->group, owner->group, owner->group) != 0)
        return set_reason(why, "cannot take on the group %lu: %s", (unsigned long)owner->group, strerror(errno));
    if (setresuid(owner->user, owner->user, owner->user) != 0)
        return set_reason(why, "cannot take on the user %lu: %s", (unsigned long)owner->user, strerror(errno));
    keep_capabilities(false);
    return true;
}

/* Nothing more can be got, and nobody but root can look into this process. */
static bool close_up(char **why)
{
    if (!reduce_capabilities(true))
        return set_reason(why, "cannot give up capabilities: %s", strerror(errno));
    if (prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) != 0 || prctl(PR_SET_DUMPABLE, 0UL, 0UL, 0UL, 0UL) != 0)
        return set_reason(why, "cannot give up rights: %s", strerror(errno));
    return true;
}

/* Verifying. */

static bool is_all(uid_t user)
{
    uid_t real, effective, saved;

    return getresuid(&real, &effective, &saved) == 0 && real == user && effective == user && saved == user;
}

static bool is_all_groups(gid_t group)
{
    gid_t real, effective, saved;

    return getresgid(&real, &effective, &saved) == 0 && real == group && effective == group && saved == group;
}

/* A process that is root keeps what belongs to root, and other users must not be able to become it. */
static bool can_be_root(const struct owner *owner)
{
    return owner->user != 0 && (setuid(0) == 0 || setresuid((uid_t)-1, 0, (uid_t)-1) == 0 ||
                                (owner->group != 0 && (setgid(0) == 0 || setgroups(0, NULL) == 0)));
}

static bool has_only(uint64_t capabilities)
{
    static const char *const keys[] = {"CapPrm", "CapEff", "CapInh", "CapAmb"};
    OWNED char *text = proc_read("/proc/self/status");
    bool good = text != NULL;

    for (size_t i = 0; good && i < sizeof keys / sizeof *keys; i++) {
        const char *set = proc_status_value(text, keys[i]);
        bool is_kept = i < 2;

        /* In hexadecimal digits. Kernels before 4.3 have no ambient set. */
        good = set != NULL ? (strtoull(set, NULL, 16) & ~(is_kept ? capabilities : 0)) == 0 : i == 3;
    }
    return good;
}

static bool verify(const struct owner *owner, bool changed, char **why)
{
    if (!is_all(owner->user) || (changed && !is_all_groups(owner->group)) || can_be_root(owner) || !has_only(tracing))
        return set_reason(why, "not all rights could be given up");
    if (prctl(PR_GET_NO_NEW_PRIVS, 0UL, 0UL, 0UL, 0UL) != 1 || prctl(PR_GET_DUMPABLE, 0UL, 0UL, 0UL, 0UL) != 0)
        return set_reason(why, "new rights could be had");
    return true;
}

bool confine_become(const struct owner *owner, char **why)
{
    bool changes = is_all(0);
    pid_t parent = getppid();
    int signal_at_death = 0;

    if (owner->user == (uid_t)-1 || owner->group == (gid_t)-1)
        return set_reason(why, "there is no such user");
    if (!changes && geteuid() == 0)
        return set_reason(why, "mqdump must not be a set-user-ID program");
    if (!changes && !is_all(owner->user))
        return set_reason(why, "only root can look at processes of other users");
    prctl(PR_GET_PDEATHSIG, &signal_at_death);
    /* In between, others could trace a process that has the rights of root still. */
    prctl(PR_SET_DUMPABLE, 0UL, 0UL, 0UL, 0UL);
    if ((changes && !change_ids(owner, why)) || !close_up(why) || !verify(owner, changes, why))
        return false;
    if (signal_at_death != 0 && (prctl(PR_SET_PDEATHSIG, (unsigned long)signal_at_death) != 0 || getppid() != parent))
        return set_reason(why, "the process that started this one has ended");
    return true;
}

bool confine_forget_tracing(char **why)
{
    if (!reduce_capabilities(false))
        return set_reason(why, "cannot give up the right to trace: %s", strerror(errno));
    return has_only(0) || set_reason(why, "the right to trace could not be given up");
}

/* System calls. */

#if defined HAVE_LIBSECCOMP && !HAS_SANITIZER

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

#else

static bool load(pid_t holder, bool network, char **why)
{
    (void)holder;
    (void)network;
    (void)why;
    return true;
}

#endif

/* Root's processes are not bound by the limit. */
bool confine_system_calls(pid_t holder, bool network, char **why)
{
    if (!network && !HAS_SANITIZER && setrlimit(RLIMIT_NPROC, &(struct rlimit){0, 0}) != 0)
        return set_reason(why, "cannot forbid new processes: %s", strerror(errno));
    return load(holder, network, why);
}
