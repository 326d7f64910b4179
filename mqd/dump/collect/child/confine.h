/*
 * confine.h - how a process of mqdump's own gives up what it does not need to read the processes of one owner.
 *
 * In this order: confine_limit as root; confine_become; start the holder; confine_system_calls; then read. Nothing of a
 * process may be opened before.
 */
#ifndef MQD_DUMP_COLLECT_CHILD_CONFINE_H
#define MQD_DUMP_COLLECT_CHILD_CONFINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "mqd/dump/collect/child/process_owner.h"

/*
 * What a collector, and each process that it starts, may spend; 0: no other limit than before. A limit never exceeds
 * the one that was there.
 */
struct limits {
    uint64_t memory;           /* bytes of address space: then allocations fail */
    uint64_t cpu_seconds;      /* of processor time: then SIGXCPU, and SIGKILL one second later if that is ignored */
    uint64_t n_files;          /* descriptors from 0 on: then EMFILE */
    uint64_t file_bytes;       /* of a file that it writes, standard error too: then SIGXFSZ; not of pipes, sockets */
};

/*
 * Sets the limits, and that there are no core files: in these would be what was read of others. The number of processes
 * that the owner may have is lifted as far as the caller may do that, so that an owner who has as many as he may have
 * does not keep a collector from starting its holder: this is why it is to be called while the caller is root still.
 * confine_system_calls forbids new processes altogether.
 *
 * With a sanitizer, which reserves terabytes, there is no limit of memory.
 *
 * On failure returns false, with the reason in *why.
 */
bool confine_limit(const struct limits *limits, char **why);

/*
 * Makes the caller, which has one thread, the owner: user, group and supplementary groups, all of them for good.
 *
 * Of the capabilities only CAP_SYS_PTRACE is kept, permitted and effective, if the caller has it: neither inheritable
 * nor ambient, and nothing can be regained by exec (no_new_privs, and an empty bounding set where the caller may empty
 * it). A caller that has it not cannot read processes that are not dumpable, and none that it has not started where
 * kernel.yama.ptrace_scope is 1 or more.
 *
 * CAP_SYS_PTRACE is more than what an owner has: whoever takes over this process can read the memory of any process
 * with it, and without confine_system_calls also write it.
 *
 * Processes of the owner can neither trace this one nor read its memory (it is not dumpable, which also means that
 * there is no core, even for a program that the kernel pipes cores to). They can still send it signals.
 *
 * If the user changes, the process leaves its session and with it the terminal: the terminal's signals do not reach it
 * any more. The signal at the death of its parent (PR_SET_PDEATHSIG), which the kernel resets on such a change, is set
 * again.
 *
 * A caller that is not root can only become itself: it keeps its groups, and of its capabilities what is said above.
 *
 * Verifies all this from what the kernel says. On failure returns false, with the reason in *why: the caller must end
 * then, because it may be halfway.
 */
bool confine_become(const struct owner *owner, char **why);

/*
 * After confine_become, gives up CAP_SYS_PTRACE too: the caller then has the rights of its owner and no others, so that
 * an owner who takes it over gains nothing. On failure returns false, with the reason in *why.
 */
bool confine_forget_tracing(char **why);

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

#endif
