/*
 * held.c - a process whose threads the calling process holds.
 */
#include "mqd/dump/collect/hold/held.h"

#include <ctype.h>
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/collect/target/proc.h"

/* How often new threads are searched. Each round stops all threads that it finds, which may have made others before. */
enum { MAX_ROUNDS = 1000 };

enum { MAX_REFUSALS = 50 };

/* Between two looks for what has ended, while the kernel keeps the holder at a thread. */
enum { MICROSECONDS_PER_ALARM = 5000 };

/* What the handler of SIGALRM needs. */
static struct {
    struct held *held;                 /* NULL: the holder waits for nothing */
    double until;
    sigjmp_buf out;
} attaching;

/* Threads. */

/* The kernel lists threads in the order in which they were found before: *hint is where the next one may be. */
static struct thread *find_thread(struct held *held, pid_t id, size_t *hint)
{
    for (size_t i = 0; i < held->n; i++, ++*hint) {
        if (*hint >= held->n)
            *hint = 0;
        if (held->threads[*hint].id == id)
            return &held->threads[(*hint)++];
    }
    return NULL;
}

static struct thread *main_thread(struct held *held)
{
    size_t hint = 0;

    return find_thread(held, held->pid, &hint);
}

static bool fail(struct held *held, enum held_state state, pid_t culprit)
{
    held->state = state;
    held->culprit = culprit;
    return false;
}

static void note_end(struct held *held, struct thread *thread, int status)
{
    thread->gone = true;
    thread->stopped = false;
    held->dead |= WIFSIGNALED(status) || thread->id == held->pid;
}

/* Is a thread of which this is believed really stopped? The kernel has no message for one that runs. */
static bool is_stopped(pid_t thread)
{
    unsigned long message;

    return ptrace(PTRACE_GETEVENTMSG, thread, NULL, &message) == 0;
}

/*
 * A thread that is not there any more, without an end of which the kernel would have told, has called exec: it is the
 * main thread now, and what was known of that one holds no longer.
 */
static void note_exec(struct held *held, struct thread *thread)
{
    struct thread *first = thread->id != held->pid ? main_thread(held) : NULL;

    thread->gone = true;
    thread->stopped = false;
    if (first != NULL)
        *first = (struct thread){.id = first->id, .stopped = is_stopped(first->id)};
}

/* Asks waitpid about a thread, and records the answer. A signal handler calls this too. */
static void look_at(struct held *held, struct thread *thread)
{
    int status;
    pid_t got = waitpid(thread->id, &status, __WALL | WNOHANG);

    if (got < 0 && errno == ECHILD) {
        note_exec(held, thread);
    } else if (got == thread->id && WIFSTOPPED(status)) {
        thread->stopped = true;
        /* A stop without a ptrace event is for a signal, which has not been delivered yet. */
        thread->signal = status >> 16 == 0 ? WSTOPSIG(status) : 0;
    } else if (got == thread->id) {
        note_end(held, thread, status);
    }
}

void held_reap(struct held *held)
{
    for (size_t i = held->n; i-- > 0;)
        if (!held->threads[i].gone)
            look_at(held, &held->threads[i]);
}

/* Attaching. */

/*
 * The kernel begins PTRACE_SEIZE again after this, unless it has ended, so that the handler decides whether the wait
 * goes on.
 */
static void look_while_attaching(int number)
{
    int error = errno;

    (void)number;
    if (attaching.held == NULL)
        return;
    held_reap(attaching.held);
    if (seconds_now() > attaching.until)
        siglongjmp(attaching.out, 1);
    errno = error;
}

static void set_alarm(suseconds_t microseconds)
{
    const struct timeval every = {.tv_usec = microseconds};

    setitimer(ITIMER_REAL, &(struct itimerval){every, every}, NULL);
}

void held_prepare(void)
{
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = look_while_attaching, .sa_flags = SA_RESTART}, NULL);
    set_alarm(MICROSECONDS_PER_ALARM);
}

void held_finish(void)
{
    set_alarm(0);
}

/* Returns 0, or the kernel's error; ETIMEDOUT: it could not be attached to in time. */
static int seize(struct held *held, pid_t id)
{
    int error = 0;

    if (sigsetjmp(attaching.out, 1) == 0) {
        attaching.held = held;
        if (ptrace(PTRACE_SEIZE, id, NULL, NULL) != 0)
            error = errno;
        attaching.held = NULL;
        return error;
    }
    /* It may have been attached to at the very last moment: then it is interrupted by this. */
    attaching.held = NULL;
    return ptrace(PTRACE_INTERRUPT, id, NULL, NULL) == 0 ? 0 : ETIMEDOUT;
}

/* Is the holder its tracer already? Then that is why it cannot attach. */
static bool is_own(pid_t id)
{
    struct proc_status status;

    return proc_read_status(id, &status) && status.tracer == getpid();
}

/*
 * The kernel lets the holder wait until exec is over, and then refuses a main thread whose place was taken by the one
 * that called exec. There is a new one by then. The holder must not rest: it may be the next to call exec.
 */
static int seize_for_good(struct held *held, pid_t id)
{
    int error = seize(held, id);

    for (int i = 0; i < MAX_REFUSALS && error == EPERM && !is_own(id) && !proc_has_ended(id); i++)
        error = seize(held, id);
    return error;
}

/* Attaches to a thread that has an entry in the list already, or none. */
static bool attach(struct held *held, struct thread *thread, pid_t id, size_t *n_new)
{
    int error = seize_for_good(held, id);

    if (error == ETIMEDOUT)
        return fail(held, HELD_NOT_ATTACHED, id);
    if (error != 0 && !is_own(id)) {
        held->error = error;
        return proc_has_ended(id) || fail(held, HELD_REFUSED, id);
    }
    if (thread == NULL) {
        APPEND(held->threads, held->n, held->room, (struct thread){0});
        thread = &held->threads[held->n - 1];
    }
    *thread = (struct thread){.id = id};
    ++*n_new;
    /*
     * This fails if the thread has just ended; waitpid tells of that. Or it has got the number of the main thread by
     * exec while the holder waited.
     */
    if (ptrace(PTRACE_INTERRUPT, id, NULL, NULL) != 0)
        ptrace(PTRACE_INTERRUPT, held->pid, NULL, NULL);
    return true;
}

/* errno says why the threads cannot be listed. */
static bool fail_list(struct held *held)
{
    held->error = errno;
    return fail(held, proc_exists(held->pid) ? HELD_NOT_LISTED : HELD_ENDED, held->pid);
}

/* Attaches to every thread that is not held yet. *n_new counts them. */
static bool attach_all(struct held *held, double until, size_t *n_new)
{
    bool good = true, first = held->n == 0;
    const struct dirent *entry;
    size_t hint = 0;
    char path[64];
    DIR *threads;

    *n_new = 0;
    attaching.until = until;
    snprintf(path, sizeof path, "/proc/%d/task", (int)held->pid);
    threads = opendir(path);
    if (threads == NULL)
        return fail_list(held);
    while (good && (errno = 0, entry = readdir(threads)) != NULL) {
        pid_t id = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : 0;
        struct thread *thread = id > 0 && !first ? find_thread(held, id, &hint) : NULL;

        if (id > 0 && (thread == NULL || thread->gone))
            good = attach(held, thread, id, n_new);
    }
    if (good && errno != 0)
        good = fail_list(held);
    closedir(threads);
    return good;
}

void held_attach(struct held *held, double until)
{
    size_t n_new;

    held->state = HELD;
    held->dead = false;
    attach_all(held, until, &n_new);
    held->deadline = seconds_now() + SECONDS_TO_STOP;
}

/* Waiting. */

/* The end of a main thread is reported only after all others have ended and have been waited for. */
static bool is_awaited(const struct held *held, const struct thread *thread)
{
    return !thread->stopped && !thread->gone && !(thread->id == held->pid && proc_has_ended(thread->id));
}

/*
 * Asks waitpid about all threads, since they may wait for each other. Returns the first that has not stopped yet, NULL
 * if all have. The main thread, which is usually the first, comes last.
 */
static const struct thread *look_at_all(struct held *held)
{
    const struct thread *awaited = NULL;

    for (size_t i = held->n; i-- > 0;) {
        struct thread *thread = &held->threads[i];

        if (!thread->stopped && !thread->gone)
            look_at(held, thread);
        if (is_awaited(held, thread))
            awaited = thread;
    }
    return awaited;
}

/*
 * A main thread whose place was taken by one that is not held is not held either. waitpid tells that to all but the
 * parent of the process.
 */
static void check_main_thread(struct held *held)
{
    struct thread *first = main_thread(held);

    if (first != NULL && !first->stopped && !first->gone && !is_own(first->id))
        first->gone = true;
}

/*
 * A thread that calls exec ends all others, those that have stopped too, and does not stop before they are laid to
 * rest. This is rare, so that it is looked for only if a thread takes long to stop.
 */
static bool wait_stopped(struct held *held)
{
    struct timespec pause = {.tv_nsec = 20000};
    const struct thread *awaited;

    while ((awaited = look_at_all(held)) != NULL && seconds_now() <= held->deadline) {
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 5000000) {
            pause.tv_nsec *= 2;
        } else {
            held_reap(held);
            check_main_thread(held);
        }
    }
    return awaited == NULL || fail(held, HELD_NOT_STOPPED, awaited->id);
}

/* A main thread that has ended may be one that another thread takes the place of. */
static bool process_lives(pid_t pid)
{
    struct proc_status status;

    return !proc_has_ended(pid) || (proc_read_status(pid, &status) && status.threads > 1);
}

/*
 * A thread that calls exec takes the place of the main thread, and runs, though that one was stopped or had ended. No
 * other thread goes on by itself.
 */
static bool has_new_main_thread(struct held *held)
{
    struct thread *first = main_thread(held);

    if (first == NULL || !first->stopped)
        return !ANY(i, held->n, held->threads[i].stopped) && process_lives(held->pid);
    first->stopped = is_stopped(first->id);
    return !first->stopped;
}

void held_wait(struct held *held, double until)
{
    bool again = true;
    size_t n_new;

    for (int round = 0; held->state == HELD && again; round++) {
        if (round == MAX_ROUNDS)
            fail(held, HELD_TOO_MANY, held->pid);
        else if (wait_stopped(held) && attach_all(held, until, &n_new))
            again = n_new > 0 || (has_new_main_thread(held) && (seconds_now() <= held->deadline ||
                                                                fail(held, HELD_NOT_STOPPED, held->pid)));
    }
}

/* Letting go. */

/*
 * A thread that was killed while it was held cannot be detached; waiting for it tells its parent of its end. A thread
 * that stops only now may have a signal to be delivered, so waitpid is asked first.
 */
static void let_go(struct held *held, struct thread *thread)
{
    if (!thread->stopped)
        look_at(held, thread);
    if (!thread->stopped)
        return;
    thread->gone = ptrace(PTRACE_DETACH, thread->id, NULL, (void *)(intptr_t)thread->signal) == 0;
    thread->stopped = false;
    if (!thread->gone)
        look_at(held, thread);
}

bool held_let_go(struct held *held)
{
    bool all = true;

    for (size_t i = held->n; i-- > 0;) {
        struct thread *thread = &held->threads[i];

        if (!thread->gone)
            let_go(held, thread);
        all &= !is_awaited(held, thread);
    }
    if (all)
        held->n = 0;
    return all;
}

void held_clear(struct held *held)
{
    free(held->threads);
    *held = (struct held){0};
}

/* Registers. */

static size_t read_set(const struct thread *thread, uintptr_t set, void *buffer, size_t size)
{
    struct iovec part = {.iov_base = buffer, .iov_len = size};

    return ptrace(PTRACE_GETREGSET, thread->id, (void *)set, &part) == 0 ? part.iov_len : 0;
}

void held_take_registers(struct thread *thread, unsigned char *registers)
{
#ifdef __aarch64__
    enum { PAC_MASK = 0x406 };             /* NT_ARM_PAC_MASK, which older headers do not have */
    uint64_t masks[2];                     /* of data and of code */
    uint64_t pointers[2];                  /* newer machines have another one behind the thread pointer */

    thread->signature = read_set(thread, PAC_MASK, masks, sizeof masks) == sizeof masks ? masks[1] : 0;
    thread->pointer = read_set(thread, NT_ARM_TLS, pointers, sizeof pointers) >= sizeof *pointers ? pointers[0] : 0;
#endif
    thread->n_register_bytes = read_set(thread, NT_PRSTATUS, registers, MAX_REGISTER_BYTES);
}
