/*
 * look_apart.c - a look that a process of its own takes.
 */
#include "mqd/dump/look/look_apart.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/fork.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/record/read.h"

/* Longer messages are cut: they are of any origin. */
enum { MAX_SAID = 64 * 1024 };

/* It ends its children before itself. After so many seconds it is ended as they would be if it were killed. */
static const double seconds_to_end = 10;

/* The process. */

static bool choose_descriptors(int result, int messages)
{
    int nothing = open("/dev/null", O_RDONLY);

    return nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 && dup2(result, STDOUT_FILENO) >= 0 &&
           dup2(messages, STDERR_FILENO) >= 0;
}

/* A stop that was meant for the caller's group came before this process left it: it would last for ever. */
static void forget_stop(void)
{
    struct sigaction before, ignore = {.sa_handler = SIG_IGN};

    if (sigaction(SIGTSTP, &ignore, &before) == 0)
        sigaction(SIGTSTP, &before, NULL);
}

/*
 * In a group of its own it has nothing to do with keys that send signals to all of the caller's: the caller decides. It
 * ends without what the caller does at its end.
 */
static _Noreturn void look(look_taker *take, const void *context, const sigset_t *mask, int result, int messages)
{
    bool good;

    setpgid(0, 0);
    forget_stop();
    if (!choose_descriptors(result, messages))
        _exit(1);
    sigprocmask(SIG_SETMASK, mask, NULL);
    good = take(context) && fflush(stdout) == 0;
    fflush(stderr);
    _exit(!good);
}

/* The caller. */

bool look_start(struct look_apart *apart, look_taker *take, const void *context, const sigset_t *mask, char **why)
{
    int ends[2] = {-1, -1}, result = memory_file("mqdump-look");
    pid_t pid = -1;

    fflush(NULL);
    if (result >= 0 && pipe2(ends, O_CLOEXEC) == 0)
        pid = fork_tied(SIGTERM);
    if (pid == 0)
        look(take, context, mask, result, ends[1]);
    if (pid < 0) {
        set_reason(why, "it cannot be looked: %s", strerror(errno));
        close_one(&result);
        close_one(&ends[0]);
    }
    close_one(&ends[1]);
    *apart = (struct look_apart){.pid = pid > 0 ? pid : 0, .result = result, .messages = ends[0]};
    if (apart->messages >= 0)
        fcntl(apart->messages, F_SETFL, O_NONBLOCK);
    return pid > 0;
}

static void add_said(struct look_apart *apart, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n && apart->n_said < MAX_SAID; i++) {
        apart->said = grow_array(apart->said, apart->n_said + 1, &apart->room, 1);
        apart->said[apart->n_said++] = bytes[i];
        apart->said[apart->n_said] = '\0';
    }
}

static void tell_signal(struct look_apart *apart, int number)
{
    OWNED char *text = format_text("mqdump: the process that took the look was ended by signal %d (%s)\n", number,
                             strsignal(number));

    add_said(apart, text, strlen(text));
}

void look_listen(struct look_apart *apart)
{
    char bytes[4096];
    ssize_t length;

    while (apart->messages >= 0 && (length = read(apart->messages, bytes, sizeof bytes)) != 0) {
        if (length < 0 && errno != EINTR)
            return;
        add_said(apart, bytes, length > 0 ? (size_t)length : 0);
    }
    close_one(&apart->messages);
}

bool look_has_ended(struct look_apart *apart)
{
    int status;

    if (apart->pid == 0 || waitpid(apart->pid, &status, WNOHANG) != apart->pid)
        return apart->pid == 0;
    apart->pid = 0;
    look_listen(apart);
    apart->broken = WIFSIGNALED(status);
    if (apart->broken)
        tell_signal(apart, WTERMSIG(status));
    return true;
}

/* It is of this moment and in no file. */
void look_read(const struct look_apart *apart, struct records *records)
{
    OWNED char *path = format_text("/proc/self/fd/%d", apart->result);

    *records = (struct records){.n = 1, .now = true, .complete = true};
    records->records = allocate_array(1, sizeof *records->records);
    (void)record_read_file(&records->records[0], path, &records->pool);
    records_join(records);
    records->complete = records->records[0].complete;
}

void look_pass_text(const struct look_apart *apart)
{
    char bytes[4096];
    ssize_t length;

    for (off_t at = 0; (length = pread(apart->result, bytes, sizeof bytes, at)) > 0; at += length) {
        if (at == 0 && bytes[0] == '{')
            return;
        fwrite(bytes, 1, (size_t)length, stdout);
    }
}

void look_clear(struct look_apart *apart)
{
    double end = seconds_now() + seconds_to_end;

    if (apart->pid > 0)
        kill(apart->pid, SIGTERM);
    while (apart->pid > 0 && waitpid(apart->pid, NULL, WNOHANG) == 0) {
        if (seconds_now() > end)
            kill(apart->pid, SIGKILL);
        nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
    }
    close_one(&apart->messages);
    close_one(&apart->result);
    free(apart->said);
    *apart = NO_LOOK;
}
