/* fake_clock.c - a clock that a test can stop. */
#include "fake_clock.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/collect/target/proc.h"

/* Where time stands still, who waits looks so often whether it was moved. */
enum { MILLISECONDS_TO_LOOK = 5 };

/* In memory that the test shares with the processes that it forks. */
static struct {
    bool stands;
    double now;
    char states[8];            /* those in which processes rest; "": time does not pass by itself */
} *fake;

static double real_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

double seconds_now(void)
{
    return fake != NULL && fake->stands ? fake->now : real_now();
}

void clock_stop(void)
{
    if (fake == NULL) {
        void *page = mmap(NULL, sizeof *fake, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

        if (page == MAP_FAILED)
            abort();
        fake = page;
    }
    fake->states[0] = '\0';
    fake->now = seconds_now();
    fake->stands = true;
}

void clock_move(double seconds)
{
    fake->now += seconds;
}

static char *children_of(pid_t pid)
{
    return proc_read("/proc/%d/task/%d/children", (int)pid, (int)pid);
}

void clock_skip_waits(const char *states)
{
    char *listed = children_of(getpid());

    fake->stands = listed != NULL;
    strncpy(fake->states, states, sizeof fake->states - 1);
    free(listed);
}

/* What the processes below one do: as long as nothing of that changes, none of them runs. */
struct tally {
    size_t n;
    uint64_t switches;
    bool rest;
};

static void add_below(struct tally *tally, pid_t pid)
{
    char *text = children_of(pid), *at = text;
    pid_t child;

    while (text != NULL && (child = (pid_t)strtol(at, &at, 10)) > 0) {
        struct proc_status status = {.state = '?'};

        tally->rest &= proc_read_status(child, &status) && strchr(fake->states, status.state) != NULL;
        tally->switches += status.switches;
        tally->n++;
        add_below(tally, child);
    }
    free(text);
}

/* One look finds each at another time. Between two that find the same there was a time at which all of them rested. */
static bool all_rest(void)
{
    struct tally first = {.rest = true}, second = {.rest = true};

    add_below(&first, getpid());
    add_below(&second, getpid());
    return first.rest && second.rest && first.n == second.n && first.switches == second.switches;
}

int seconds_poll(struct pollfd *files, size_t n, double seconds)
{
    bool skips;
    int n_ready;

    if (seconds <= 0 || fake == NULL || !fake->stands)
        return poll(files, (nfds_t)n, seconds > 0 ? (int)(seconds * 1000) + 1 : 0);
    skips = fake->states[0] != '\0' && all_rest();
    n_ready = poll(files, (nfds_t)n, skips ? 0 : MILLISECONDS_TO_LOOK);
    if (n_ready == 0 && skips)
        clock_move(seconds + 0.001);
    return n_ready;
}
