/*
 * watch.c - what mqdump's processes see of each other: a page of memory that some of them share.
 */
#include "mqd/dump/base/watch.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mqd/dump/base/fork.h"

struct watch {
    _Atomic pid_t front, process;
    atomic_bool expired;
    atomic_uint stage, n, of;
};

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
        atomic_store(&watch->front, getpid());
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

pid_t watch_front(void)
{
    return atomic_load(&used->front);
}

void watch_set_process(pid_t pid)
{
    atomic_store_explicit(&used->process, pid, memory_order_relaxed);
}

pid_t watch_process(const struct watch *watch)
{
    return watch != NULL ? atomic_load(&watch->process) : 0;
}

void watch_set_expired(bool expired)
{
    atomic_store(&used->expired, expired);
}

bool watch_expired(const struct watch *watch)
{
    return watch != NULL && atomic_load(&watch->expired);
}

void watch_set_progress(enum watch_stage stage, size_t n, size_t of)
{
    atomic_store(&used->n, (unsigned)n);
    atomic_store(&used->of, (unsigned)of);
    atomic_store(&used->stage, stage);
}

enum watch_stage watch_progress(const struct watch *watch, size_t *n, size_t *of)
{
    unsigned stage = watch != NULL ? atomic_load(&watch->stage) : WATCH_STARTS;

    *n = watch != NULL ? atomic_load(&watch->n) : 0;
    *of = watch != NULL ? atomic_load(&watch->of) : 0;
    return stage <= WATCH_READS ? (enum watch_stage)stage : WATCH_STARTS;
}
