/*
 * mutants_trace.c - part of a test whose library is compiled with -fsanitize-coverage=trace-pc: notes in the file
 * TRACE_FILE which code runs. A byte of the file is an address of the program. All processes share the file, so those
 * count that are killed, or that may not write.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

extern const char __ehdr_start[] __attribute__((visibility("hidden"))); /* where the program begins, says the linker */
static char *seen = MAP_FAILED;     /* as where there is no room for it */

void __sanitizer_cov_trace_pc(void)
{
    if (seen != MAP_FAILED)
        seen[(const char *)__builtin_return_address(0) - __ehdr_start] = 1;
}

static __attribute__((constructor)) void begin(void)
{
    int fd = open(TRACE_FILE, O_RDWR);

    seen = mmap(NULL, TRACE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
}
