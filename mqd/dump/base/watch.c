/*
 * watch.c - what mqdump's processes see of each other: a page of memory that some of them share.
 */
#include "mqd/dump/base/watch.h"

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mqd/dump/base/fork.h"

static struct watch own, *used = &own;

static struct watch *map(int descriptor)
{
    void *page = mmap(NULL, sizeof(struct watch), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);

    return page != MAP_FAILED ? page : NULL;
}

/* Sealed, since who makes a file shorter ends those with SIGBUS who have mapped it. */
struct watch *watch_new(int *descriptor)
{
    struct watch *watch = NULL;

    *descriptor = memory_file("mqdump");
    if (*descriptor >= 0 && ftruncate(*descriptor, sizeof *watch) == 0 &&
        fcntl(*descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        watch = map(*descriptor);
    if (watch != NULL) {
        watch->front = getpid();
        return watch;
    }
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
    return NULL;
}

/* Whatever else is open under that number is not mapped, and stays open. */
struct watch *watch_map(int descriptor)
{
    struct watch *watch;
    struct stat info;

    if (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size != (off_t)sizeof *watch)
        return NULL;
    watch = map(descriptor);
    close(descriptor);
    return watch;
}

void watch_free(struct watch *watch)
{
    if (watch != NULL)
        munmap(watch, sizeof *watch);
}

void watch_use(struct watch *watch)
{
    used = watch != NULL ? watch : &own;
}

struct watch *watch_own(void)
{
    return used;
}

bool watch_end_with_front(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    return used->front == 0 || getppid() == used->front;
}

void watch_set_process(pid_t pid)
{
    atomic_store_explicit(&used->process, pid, memory_order_relaxed);
}

void watch_set_progress(enum watch_stage stage, size_t n, size_t of)
{
    used->n = (unsigned)n;
    used->of = (unsigned)of;
    used->stage = stage;
}
