/*
 * fork.c - copies of the calling process, and what they have open.
 */
#include "mqd/dump/base/fork.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of kernels that cannot close ranges. */
enum { MOST_DESCRIPTORS = 1024 };

pid_t fork_tied(int signal)
{
    pid_t caller = getpid(), pid = fork();

    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, signal);
        if (getppid() != caller)
            _exit(1);
    }
    return pid;
}

/* Where vm.memfd_noexec is 2 the kernel demands this flag. Kernels before 6.3 do not know it. */
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8U
#endif

int memory_file(const char *name)
{
    int descriptor = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);

    return descriptor >= 0 || errno != EINVAL ? descriptor : memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

void close_from(int first)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, (unsigned)first, ~0U, 0) == 0)
        return;
#endif
    for (int i = first; i < MOST_DESCRIPTORS; i++)
        close(i);
}

void close_one(int *descriptor)
{
    int error = errno;

    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
    errno = error;
}
