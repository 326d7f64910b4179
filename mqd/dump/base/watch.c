/*
 * watch.c - what mqdump's processes see of each other: a page of memory that they share.
 */
#include "mqd/dump/base/watch.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

struct watch {
    _Atomic pid_t process;
    atomic_bool expired;
};

static struct watch own, *watch = &own;
static pid_t front;

void watch_open(void)
{
    void *page = mmap(NULL, sizeof *watch, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (page != MAP_FAILED)
        watch = page;
    front = getpid();
}

pid_t watch_front(void)
{
    return front;
}

void watch_set_process(pid_t pid)
{
    atomic_store_explicit(&watch->process, pid, memory_order_relaxed);
}

pid_t watch_process(void)
{
    return atomic_load(&watch->process);
}

void watch_set_expired(bool expired)
{
    atomic_store(&watch->expired, expired);
}

bool watch_expired(void)
{
    return atomic_load(&watch->expired);
}
