/*
 * worker.c - does work in a process of its own, which can be left behind.
 */
#include "mqd/dump/collect/child/worker.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/base/watch.h"
#include "mqd/dump/collect/target/proc.h"

/* A file server that is replaced by another one answers within half a minute, a dead one never. */
const struct patience worker_patience = {.in_kernel = 30, .after_expiry = 5, .after_signal = 2};

/* The worker's end is told at once; its state is looked at so often. */
static const struct timespec pause_to_look = {.tv_nsec = 250000000};

struct worker {
    pid_t pid;
    const struct patience *patience;
    sigset_t signals;          /* that are waited for */
    double waits_since;        /* in the kernel, without having run; 0: it does not */
    uint64_t switches;
    double expired_since;      /* 0: it has not */
    int passed;                /* the signal that was passed on; 0: none was */
    double passed_at;
};

static const int ending[] = {SIGINT, SIGQUIT, SIGHUP, SIGTERM};

/* Signals that the caller ignores, as under nohup, are ignored by the worker too. */
static void choose_signals(sigset_t *signals)
{
    sigemptyset(signals);
    sigaddset(signals, SIGCHLD);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        struct sigaction now;

        if (sigaction(ending[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(signals, ending[i]);
    }
}

static _Noreturn void run(worker_function *work, void *context, pid_t parent, const sigset_t *mask)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigprocmask(SIG_SETMASK, mask, NULL);
    if (getppid() != parent)
        _exit(0);
    exit(work(context));
}

/* A process that was never given a processor meanwhile has waited all the time. */
static double seconds_in_kernel(struct worker *worker)
{
    struct proc_status status;

    if (!proc_read_status(worker->pid, &status) || status.state != 'D' || status.switches == 0) {
        worker->waits_since = 0;
    } else if (worker->waits_since == 0 || worker->switches != status.switches) {
        worker->waits_since = seconds_now();
        worker->switches = status.switches;
    }
    return worker->waits_since > 0 ? seconds_now() - worker->waits_since : 0;
}

static double seconds_since_expiry(struct worker *worker)
{
    if (!watch_expired())
        worker->expired_since = 0;
    else if (worker->expired_since == 0)
        worker->expired_since = seconds_now();
    return worker->expired_since > 0 ? seconds_now() - worker->expired_since : 0;
}

static bool is_hopeless(struct worker *worker)
{
    if (seconds_in_kernel(worker) > worker->patience->in_kernel) {
        notice_give("process %d: reading it waits in the kernel, for a device or a file server that does not answer: "
                    "mqdump's process %d is left behind; nothing is held", (int)watch_process(), (int)worker->pid);
        return true;
    }
    if (seconds_since_expiry(worker) > worker->patience->after_expiry) {
        notice_give("process %d: reading it took too long: it was let go before it was read", (int)watch_process());
        return true;
    }
    return worker->passed != 0 && seconds_now() - worker->passed_at > worker->patience->after_signal;
}

/* Returns true, with its status, if it has ended; false if it is hopeless to wait longer. */
static bool await(struct worker *worker, int *status)
{
    for (;;) {
        int number = sigtimedwait(&worker->signals, NULL, &pause_to_look);

        if (number > 0 && number != SIGCHLD) {
            worker->passed = number;
            worker->passed_at = seconds_now();
            kill(worker->pid, number);
        }
        if (waitpid(worker->pid, status, WNOHANG) == worker->pid)
            return true;
        if (is_hopeless(worker))
            return false;
    }
}

/* Ends the caller as the worker was ended, if users and programs end others so. */
static void end_likewise(int number)
{
    sigset_t one;

    for (size_t i = 0; i < sizeof ending / sizeof *ending + 1; i++) {
        if (number != (i < sizeof ending / sizeof *ending ? ending[i] : SIGPIPE))
            continue;
        sigemptyset(&one);
        sigaddset(&one, number);
        signal(number, SIG_DFL);
        raise(number);
        sigprocmask(SIG_UNBLOCK, &one, NULL);
    }
}

static int result_of(const struct worker *worker, int status, int failure)
{
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    end_likewise(WTERMSIG(status));
    notice_give("mqdump's process %d was ended by signal %d (%s) while it read process %d", (int)worker->pid,
                WTERMSIG(status), strsignal(WTERMSIG(status)), (int)watch_process());
    return failure;
}

int worker_run(worker_function *work, void *context, const struct patience *patience, int failure)
{
    struct worker worker = {.patience = patience};
    pid_t own = getpid();
    sigset_t before;
    int status;

    signal(SIGCHLD, SIG_DFL);
    choose_signals(&worker.signals);
    sigprocmask(SIG_BLOCK, &worker.signals, &before);
    worker.pid = fork();
    if (worker.pid == 0)
        run(work, context, own, &before);
    if (worker.pid < 0) {
        notice_give("no process of mqdump's own: %s", strerror(errno));
        return failure;
    }
    if (await(&worker, &status))
        return result_of(&worker, status, failure);
    kill(worker.pid, SIGKILL);
    if (worker.passed != 0)
        end_likewise(worker.passed);
    return failure;
}
