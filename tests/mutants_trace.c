/*
 * mutants_trace.c - part of a library that is compiled with -fsanitize-coverage=trace-pc: notes in the file TRACE_FILE
 * which of its blocks are executed. A byte of the file is an address of the library. All processes share the file, so
 * children count that are killed, or that may not write.
 */
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

extern const char __ehdr_start[] __attribute__((visibility("hidden"))); /* where the library begins, says the linker */
static unsigned char *seen;
static uintptr_t n_seen;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
    uintptr_t offset = (uintptr_t)__builtin_return_address(0) - (uintptr_t)__ehdr_start;

    if (offset < n_seen)
        seen[offset] = 1;
}

static __attribute__((constructor)) void begin(void)
{
    struct stat status;
    int fd = open(TRACE_FILE, O_RDWR | O_CLOEXEC);
    void *map;

    if (fd < 0)
        return;
    if (fstat(fd, &status) == 0) {
        map = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (map != MAP_FAILED) {
            seen = map;
            n_seen = (uintptr_t)status.st_size;
        }
    }
    close(fd);
}
