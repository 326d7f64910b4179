/*
 * start.c - starts a program that gets nothing of its caller but what is meant for it.
 */
#include "mqd/dump/collect/child/start.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <linux/keyctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mqd/dump/base/fork.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/name_list.h"
#include "mqd/dump/base/warning.h"

extern char **environ;

bool variable_is_harmless(const char *variable)
{
    static const char *const starts[] = {"LD_", "LC_", "LANG", "TZ=", "MALLOC_", "GLIBC_TUNABLES=", "ASAN_OPTIONS=",
                                         "LSAN_OPTIONS=", "UBSAN_OPTIONS=", "MQD_TEST_"};

    return BEGINS_WITH_ANY(variable, starts);
}

/* Without a terminal ssh, which others may start, would ask by a window. */
static bool asks_user(const char *variable)
{
    return strncmp(variable, "SSH_ASKPASS_REQUIRE=", strlen("SSH_ASKPASS_REQUIRE=")) == 0;
}

static char **choose_environment(const struct start *start)
{
    static char never_ask[] = "SSH_ASKPASS_REQUIRE=never", no_home[] = "HOME=/";
    size_t n = 0, n_chosen = 0;
    char **chosen;

    while (environ != NULL && environ[n] != NULL)
        n++;
    chosen = allocate_array(n + 3, sizeof *chosen);
    for (size_t i = 0; i < n; i++)
        if ((start->keeps == NULL || start->keeps(environ[i])) && (start->program == NULL || !asks_user(environ[i])))
            chosen[n_chosen++] = environ[i];
    if (start->program != NULL)
        chosen[n_chosen++] = never_ask;
    /* Where there is none, libraries ask who the user is, for settings of his, and some crash if nobody knows. */
    if (start->keeps == variable_is_harmless)
        chosen[n_chosen++] = no_home;
    return chosen;
}

static char **all_arguments(const struct start *start)
{
    static char own_name[] = "mqdump";
    size_t n = 0;
    char **all;

    while (start->arguments[n] != NULL)
        n++;
    all = allocate_array(n + 2, sizeof *all);
    all[0] = start->program != NULL ? (char *)start->program : own_name;
    memcpy(all + 1, start->arguments, n * sizeof *all);
    return all;
}

/* No descriptor of the caller is left but these; a closed one would be taken for the next file that is opened. */
static bool choose_descriptors(const struct start *start)
{
    int nothing = open("/dev/null", O_RDWR), last = start->program == NULL ? CHILD_WATCH : STDERR_FILENO;

    /* What is open under a standard number may be this one. */
    if (nothing < 0 || dup2(start->input >= 0 ? start->input : nothing, STDIN_FILENO) < 0 ||
        dup2(start->output, STDOUT_FILENO) < 0 || dup2(start->messages, STDERR_FILENO) < 0)
        return false;
    if (last == CHILD_WATCH && dup2(start->watch >= 0 ? start->watch : nothing, CHILD_WATCH) < 0)
        return false;
    close_from(last + 1);
    return true;
}

/*
 * The owner may trace what runs as him: the caller's keys must not be there, which a session keyring leads to. Kernels
 * without keyrings have none.
 */
static bool become_owner(const struct owner *owner)
{
    if (owner == NULL)
        return true;
    syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && setgroups(owner->n_groups, owner->groups) == 0 &&
           setresgid(owner->group, owner->group, owner->group) == 0 &&
           setresuid(owner->user, owner->user, owner->user) == 0;
}

/* Who becomes another user forgets what was asked of the kernel. The caller may have ended before that was asked. */
static bool stand_alone(const struct start *start, pid_t caller)
{
    if (!become_owner(start->owner))
        return false;
    prctl(PR_SET_PDEATHSIG, start->guard->to >= 0 ? SIGTERM : SIGKILL);
    if (getppid() != caller)
        _exit(CHILD_REFUSES);
    return true;
}

static _Noreturn void become(const struct start *start, pid_t caller, char **arguments, char **environment)
{
    const char *name = start->program != NULL ? start->program : "mqdump itself (/proc/self/exe)";

    if (start->program != NULL)
        guard_enter(start->guard);
    if (choose_descriptors(start) && (start->program == NULL || stand_alone(start, caller))) {
        sigprocmask(SIG_SETMASK, start->mask, NULL);
        if (start->program != NULL)
            execvpe(start->program, arguments, environment);
        else
            execve("/proc/self/exe", arguments, environment);
    }
    notice_give("%s cannot be started: %s", name, strerror(errno));
    _exit(CHILD_REFUSES);
}

/*
 * Without a copy of the caller's memory, which may be large and would be copied for each of many programs. The caller
 * waits until the program is executed, and has no thread and no handler of signals that could see what is done
 * meanwhile. Who becomes another user changes something of the memory that both have, and of mqdump itself there are
 * few. No other function may be merged with this one, whose variables both have.
 */
static __attribute__((noinline)) pid_t divide(const struct start *start, pid_t caller, char **arguments,
                                              char **environment)
{
    pid_t pid = start->program != NULL && start->owner == NULL ? vfork() : fork();

    if (pid == 0)
        become(start, caller, arguments, environment);
    return pid;
}

pid_t start_program(const struct start *start)
{
    OWNED char **arguments = all_arguments(start), **environment = choose_environment(start);

    return divide(start, getpid(), arguments, environment);
}
