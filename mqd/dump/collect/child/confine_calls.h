/*
 * confine_calls.h - the system calls that a reader of processes still needs, and no others.
 */
#ifndef MQD_DUMP_COLLECT_CHILD_CONFINE_CALLS_H
#define MQD_DUMP_COLLECT_CHILD_CONFINE_CALLS_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * From now on the caller, all its threads and what they may start can only do what reading needs: open files for
 * reading, read the memory of processes (process_vm_readv, /proc/PID/mem), use memory and descriptors that are there,
 * wait, end. It cannot write to memory of other processes, trace, take descriptors of others, make sockets, files,
 * processes or threads, run programs, map code, or send signals to others than itself and the holder (0: none). What
 * is open stays usable: the socket to the holder, pipes. A forbidden call fails with EPERM, so that a library that
 * tries it goes on without; clone3 fails with ENOSYS, upon which the C library takes clone. A call as of another ABI
 * (32 bits), by which the rules could be got round, ends the process: no honest code has one.
 *
 * Libraries must be loaded before (the debug DLL). With `network` also what libdebuginfod needs, which loads libraries,
 * has threads and sockets, and keeps the files that it gets in the user's cache: for a user who looks at processes of
 * his own, not for root.
 *
 * Without libseccomp, and with a sanitizer, only new processes are forbidden, or nothing (sanitizer.h), and the result
 * is true. On failure returns false, with the reason in *why.
 */
bool confine_system_calls(pid_t holder, bool network, char **why);

/* Is there a libseccomp in this build, by which confine_system_calls works? */
bool confine_has_system_calls(void);

#endif
