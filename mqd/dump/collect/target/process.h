/*
 * process.h - a live process: stopped while it is read, let go afterwards; or one of which there is a core file.
 *
 * Processes are held with PTRACE_SEIZE, which sends them no signal. Whatever ends mqdump, Ctrl-C and SIGKILL included,
 * the kernel then lets them go as if they had not been stopped: what is stopped by job control stays stopped, and
 * signals that arrived meanwhile are delivered. So nothing here catches signals.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_PROCESS_H
#define MQD_DUMP_COLLECT_TARGET_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "mqd/dump/collect/target/core.h"
#include "mqd/dump/collect/target/proc.h"

struct thread {
    pid_t id;
    bool stopped;      /* it is held and can be read */
    bool gone;         /* it has ended or was let go: nothing is left to do with it */
    int signal;        /* arrived when it was stopped, to be delivered when it goes on; 0: none */
};

/* A process that was found, told from another one that is given the same number after its end. */
struct process_id {
    pid_t pid;
    uint64_t start;            /* as proc_read_start_time has it; 0: unknown, whoever has that number is meant */
};

struct process {
    struct core *core;         /* NULL: it is alive; else nothing of it is read but from this file */
    pid_t pid;                 /* 0: the core does not tell */
    uint64_t start;            /* as in its process_id; 0: unknown */
    pid_t reader;              /* the thread through which maps and memory are read */
    struct thread *threads;    /* those that are held or were */
    size_t n_threads, thread_room;
    double deadline;           /* by when all must have stopped */
    int memory;                /* /proc/PID/mem where process_vm_readv is not allowed, else -1 */
    bool runs;                 /* it is read while it runs: nobody stops it */
    bool dead;                 /* found to have died since it was held */
    int death_signal;          /* that killed it; 0: unknown */
};

enum read_result { READ_OK, READ_BAD_ADDRESS, READ_PROCESS_GONE };

/* Reasons that these functions give in *why are about "it", the process. */

/*
 * Takes up a process, without touching it. False if there is no such process, or if it can be told already that it
 * cannot be read: the reason is in *why. process_open_running takes it up to be read while it runs, which another tracer
 * does not mind.
 */
bool process_open(struct process *process, struct process_id id, char **why);
bool process_open_running(struct process *process, struct process_id id, char **why);

/* Opens a core file in place of a process. There is nothing to stop then, and it has not ended. */
bool process_open_core(struct process *process, const char *path, char **why);
void process_close(struct process *process);

/*
 * Stops all threads, unless there are none or the process is read while it runs: process_stop asks,
 * process_wait_stopped waits until all have, so that several processes stop at the same time. Both fail if another
 * process has the number now. After a failure of either the process must still be let go.
 */
bool process_stop(struct process *process, char **why);
bool process_wait_stopped(struct process *process, char **why);

/*
 * Lets all threads go on that are held. False if there are others, which have not stopped yet or are just dying: it is
 * then to be called again a little later, so that they do go on, or their parent learns of their end, before mqdump
 * ends. Does nothing if there is none.
 */
bool process_let_go(struct process *process);

/* Has the process, which had memory when it was taken up, none any more? */
bool process_has_ended(const struct process *process);

/* Is there no such process any more, or only its remains? */
bool process_is_gone(pid_t pid);

/*
 * Has another process, which is none of ours, its number now? The reason is in *why then. Never of one that is held,
 * whose number nobody else can get, and never of a core.
 */
bool process_was_replaced(const struct process *process, char **why);

/* How long the process has had a processor, in seconds; 0 if that cannot be told. */
double process_cpu_seconds(pid_t pid);

/* Reads `size` bytes at an address, all of them or none: the buffer's content is undefined unless READ_OK. */
enum read_result process_read(struct process *process, uint64_t address, void *buffer, size_t size);

/*
 * Why a process of this status may not be traced by `tracer_user`, as a text about "it", for free(): it is traced
 * already, belongs to somebody else, or the setting of kernel.yama.ptrace_scope (-1: the kernel has none) forbids it.
 */
char *process_explain_refusal(const struct proc_status *status, uid_t tracer_user, int ptrace_scope);

/* The same for a process that was refused, with what the system says now. */
char *process_explain(pid_t pid);

#endif
