/*
 * system_call.c - names of system calls by number.
 *
 * The numbers are those of the machine for which mqdump is compiled: a live process runs on it. Calls that only some
 * architectures have, or headers of later kernels, stand apart.
 */
#include "mqd/dump/collect/target/system_call.h"

#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>

struct system_call {
    long number;
    const char *name;
    enum system_call_kind kind;
};

#define CALL(name, kind) {SYS_##name, #name, CALL_##kind}
static const struct system_call table[] = {
    CALL(read, ON_FILE), CALL(write, ON_FILE), CALL(readv, ON_FILE), CALL(writev, ON_FILE), CALL(pread64, ON_FILE),
    CALL(pwrite64, ON_FILE), CALL(preadv, ON_FILE), CALL(pwritev, ON_FILE),
    CALL(fsync, ON_FILE), CALL(fdatasync, ON_FILE), CALL(close, ON_FILE),
    CALL(ftruncate, ON_FILE), CALL(fallocate, ON_FILE), CALL(flock, ON_FILE), CALL(fcntl, ON_FILE),
    CALL(ioctl, ON_FILE), CALL(lseek, ON_FILE), CALL(fstat, ON_FILE), CALL(getdents64, ON_FILE),
    CALL(fadvise64, ON_FILE), CALL(fchmod, ON_FILE), CALL(fchown, ON_FILE),
    CALL(recvfrom, ON_FILE), CALL(recvmsg, ON_FILE), CALL(recvmmsg, ON_FILE), CALL(sendto, ON_FILE),
    CALL(sendmsg, ON_FILE), CALL(sendmmsg, ON_FILE), CALL(sendfile, ON_FILE), CALL(splice, ON_FILE),
    CALL(accept, ON_FILE), CALL(accept4, ON_FILE), CALL(connect, ON_FILE), CALL(epoll_pwait, ON_FILE),
    CALL(openat, OTHER), CALL(newfstatat, OTHER), CALL(statfs, OTHER), CALL(faccessat, OTHER),
    CALL(mkdirat, OTHER), CALL(unlinkat, OTHER), CALL(readlinkat, OTHER),
    CALL(truncate, OTHER), CALL(chdir, OTHER), CALL(getcwd, OTHER), CALL(sync, OTHER),
    CALL(nanosleep, SLEEPS), CALL(clock_nanosleep, SLEEPS), CALL(ppoll, OTHER),
    CALL(pselect6, OTHER), CALL(futex, OTHER), CALL(wait4, OTHER), CALL(waitid, OTHER), CALL(clone, OTHER),
    CALL(execve, OTHER), CALL(exit_group, OTHER), CALL(exit, OTHER), CALL(mmap, OTHER), CALL(munmap, OTHER),
    CALL(mremap, OTHER), CALL(mprotect, OTHER), CALL(madvise, OTHER), CALL(msync, OTHER), CALL(mlock, OTHER),
    CALL(brk, OTHER), CALL(mbind, OTHER), CALL(migrate_pages, OTHER), CALL(move_pages, OTHER),
    CALL(process_vm_readv, OTHER), CALL(process_vm_writev, OTHER), CALL(io_getevents, OTHER),
    CALL(rt_sigsuspend, OTHER), CALL(rt_sigtimedwait, OTHER), CALL(sched_yield, OTHER),
    CALL(restart_syscall, RESTARTS),
#ifdef SYS_statx
    CALL(preadv2, ON_FILE), CALL(pwritev2, ON_FILE), CALL(copy_file_range, ON_FILE), CALL(statx, OTHER),
    CALL(renameat2, OTHER), CALL(getrandom, OTHER),
#endif
#ifdef SYS_semtimedop
    CALL(semop, OTHER), CALL(semtimedop, OTHER), CALL(msgrcv, OTHER), CALL(msgsnd, OTHER),
#endif
#ifdef SYS_open
    CALL(open, OTHER), CALL(stat, OTHER), CALL(lstat, OTHER), CALL(access, OTHER), CALL(mkdir, OTHER),
    CALL(rmdir, OTHER), CALL(unlink, OTHER), CALL(rename, OTHER), CALL(readlink, OTHER), CALL(creat, OTHER),
#endif
#ifdef SYS_poll
    CALL(poll, OTHER), CALL(epoll_wait, ON_FILE), CALL(pause, OTHER), CALL(fork, OTHER), CALL(vfork, OTHER),
    CALL(getdents, ON_FILE),
#endif
#ifdef SYS_select
    CALL(select, OTHER),
#endif
#ifdef SYS_recv
    CALL(recv, ON_FILE), CALL(send, ON_FILE),
#endif
#ifdef SYS_clone3
    CALL(clone3, OTHER),
#endif
#ifdef SYS_openat2
    CALL(openat2, OTHER),
#endif
#ifdef SYS_close_range
    CALL(close_range, OTHER),
#endif
#ifdef SYS_faccessat2
    CALL(faccessat2, OTHER),
#endif
#ifdef SYS_io_uring_enter
    CALL(io_uring_enter, ON_FILE),
#endif
#ifdef SYS_sync_file_range
    CALL(sync_file_range, ON_FILE),
#endif
#ifdef SYS_sync_file_range2
    CALL(sync_file_range2, ON_FILE),
#endif
#ifdef SYS_syncfs
    CALL(syncfs, ON_FILE),
#endif
#ifdef SYS_execveat
    CALL(execveat, OTHER),
#endif
};
#undef CALL

static const struct system_call *find(long number)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].number == number)
            return &table[i];
    return NULL;
}

const char *system_call_name(long number)
{
    const struct system_call *call = find(number);

    return call != NULL ? call->name : NULL;
}

long system_call_number(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].name, name) == 0)
            return table[i].number;
    return -1;
}

enum system_call_kind system_call_kind(long number)
{
    const struct system_call *call = find(number);

    return call != NULL ? call->kind : CALL_OTHER;
}
