/*
 * confine.c - gives up the rights and resources that reading one owner's processes does not need.
 */
#include "mqd/dump/collect/child/confine.h"

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef HAVE_LIBCAP
#include <sys/capability.h>
#endif

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/reason.h"
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

/* The number in hexadecimal digits of a line of /proc/self/status. */
static bool read_set(const char *text, const char *key, uint64_t *set)
{
    OWNED char *line = format_text("\n%s:", key);
    const char *found = strstr(text, line);

    if (found != NULL)
        *set = strtoull(found + strlen(line), NULL, 16);
    return found != NULL;
}

#ifdef HAVE_LIBCAP

/* Over setresuid; it is then reduced to the one. */
static bool keep_capabilities(bool keep)
{
    return prctl(PR_SET_KEEPCAPS, keep ? 1UL : 0UL, 0UL, 0UL, 0UL) == 0;
}

/* Keeps the right to trace, if it is there and wanted, and nothing else. */
static bool reduce_capabilities(bool keep)
{
    const cap_value_t kept = CAP_SYS_PTRACE;
    cap_t before = cap_get_proc(), after = cap_init();
    cap_flag_value_t has = CAP_CLEAR;
    bool good = before != NULL && after != NULL && cap_get_flag(before, kept, CAP_PERMITTED, &has) == 0 &&
                (!keep || has == CAP_CLEAR || (cap_set_flag(after, CAP_PERMITTED, 1, &kept, CAP_SET) == 0 &&
                                      cap_set_flag(after, CAP_EFFECTIVE, 1, &kept, CAP_SET) == 0)) &&
                cap_set_proc(after) == 0;
    int error = errno;

    cap_free(before);
    cap_free(after);
    errno = error;
    return good;
}

static const bool can_reduce = true;

#else

static bool keep_capabilities(bool keep)
{
    (void)keep;
    return true;
}

/* The kernel takes them from a process of root that becomes another user's. */
static bool reduce_capabilities(bool keep)
{
    (void)keep;
    return true;
}

static const bool can_reduce = false;

#endif

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

static bool are_ids(const struct owner *owner, bool changed)
{
    uid_t users[3];
    gid_t groups[3];

    if (getresuid(&users[0], &users[1], &users[2]) != 0 || getresgid(&groups[0], &groups[1], &groups[2]) != 0)
        return false;
    for (int i = 0; i < 3; i++)
        if (users[i] != owner->user || (changed && groups[i] != owner->group))
            return false;
    return true;
}

/* A process that is root keeps what belongs to root, and other users must not be able to become it. */
static bool can_be_root(const struct owner *owner)
{
    return owner->user != 0 && (setuid(0) == 0 || setresuid((uid_t)-1, 0, (uid_t)-1) == 0 ||
                                (owner->group != 0 && (setgid(0) == 0 || setgroups(0, NULL) == 0)));
}

static bool has_only(uint64_t capabilities, uid_t user)
{
    static const char *const keys[] = {"CapPrm", "CapEff", "CapInh", "CapAmb"};
    size_t size;
    OWNED char *text = proc_read_file("/proc/self/status", &size);
    bool good = text != NULL;
    uint64_t set;

    for (size_t i = 0; good && i < sizeof keys / sizeof *keys; i++) {
        bool is_kept = i < 2;

        /* Kernels before 4.3 have no ambient set. */
        if (read_set(text, keys[i], &set))
            good = (set & ~(is_kept ? capabilities : 0)) == 0;
        else
            good = i == 3;
    }
    return good || (!can_reduce && user == 0);
}

static bool verify(const struct owner *owner, bool changed, char **why)
{
    if (!are_ids(owner, changed) || can_be_root(owner) || !has_only(tracing, owner->user))
        return set_reason(why, "not all rights could be given up");
    if (prctl(PR_GET_NO_NEW_PRIVS, 0UL, 0UL, 0UL, 0UL) != 1 || prctl(PR_GET_DUMPABLE, 0UL, 0UL, 0UL, 0UL) != 0)
        return set_reason(why, "new rights could be had");
    return true;
}

static bool is_all(uid_t user)
{
    uid_t real, effective, saved;

    return getresuid(&real, &effective, &saved) == 0 && real == user && effective == user && saved == user;
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
    return has_only(0, getuid()) || set_reason(why, "the right to trace could not be given up");
}
