/*
 * fail_memory.c - a library to be preloaded: says that a program's own code has begun, and lets allocations fail.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fail_call.h"

enum { MAX_FRAMES = 40 };

static struct fail_page *page;

/* glibc's own names of what is replaced here. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static void show_where(void)
{
    void *frames[MAX_FRAMES];
    struct fail_page *own = page;

    page = NULL;
    backtrace_symbols_fd(frames, backtrace(frames, MAX_FRAMES), STDERR_FILENO);
    page = own;
}

static bool fails(void)
{
    if (page == NULL || !page->memory || !fail_next(page))
        return false;
    if (page->trace)
        show_where();
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *memory, size_t size)
{
    return fails() ? NULL : __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size)
{
    return fails() ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    void *got = fails() ? NULL : __libc_memalign(alignment, size);

    if (got == NULL)
        return ENOMEM;
    *memory = got;
    return 0;
}

__attribute__((constructor)) static void start(void)
{
    const char *path = getenv(FAIL_PAGE);
    int descriptor = path != NULL ? open(path, O_RDWR | O_CLOEXEC) : -1;
    void *mapped;

    if (descriptor < 0)
        return;
    mapped = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (mapped == MAP_FAILED)
        return;
    page = mapped;
    atomic_store(&page->started, true);
}
