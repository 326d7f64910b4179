/*
 * process.h - a live process, which is stopped while it is read and let go afterwards; or a core file of a process.
 *
 * Processes are held with PTRACE_SEIZE, which sends them no signal. When mqdump ends for whatever reason, also by
 * Ctrl-C or SIGKILL, the kernel lets the processes go as if they had not been stopped: a process that job control has
 * stopped stays stopped, and signals that have arrived meanwhile are delivered. So nothing here catches signals.
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
    double deadline;           /* all must have stopped by this time */
    int memory;                /* /proc/PID/mem where process_vm_readv is not allowed, else -1 */
    bool runs;                 /* it is read while it runs: nobody stops it */
    bool dead;                 /* found to have died since it was held */
    int death_signal;          /* that killed it; 0: unknown */
};

enum read_result { READ_OK, READ_BAD_ADDRESS, READ_PROCESS_GONE };

/* The reasons in *why are texts about "it", the process. */

/*
 * Opens a process, without touching it. Returns false, with the reason in *why, if there is no such process, or if it
 * is already known that it cannot be read. process_open_running opens it to be read while it runs; this is possible
 * also if another tracer holds it.
 */
bool process_open(struct process *process, struct process_id id, char **why);
bool process_open_running(struct process *process, struct process_id id, char **why);

/* Opens a core file in place of a process. There is nothing to stop then, and it has not ended. */
bool process_open_core(struct process *process, const char *path, char **why);
void process_close(struct process *process);

/*
 * Stop all threads. process_stop requests it and process_wait_stopped waits until all have stopped, so that several
 * processes stop at the same time. For a core, and for a process that is read while it runs, they do nothing. Both fail
 * if another process has the pid now. After a failure of either the process must still be let go.
 */
bool process_stop(struct process *process, char **why);
bool process_wait_stopped(struct process *process, char **why);

/*
 * Lets all held threads go on. Returns false if there are threads that have not stopped yet or are just ending. Call it
 * then again a little later: otherwise these threads stay held until mqdump ends, or their parent does not learn of
 * their end. Does nothing if there are no threads.
 */
bool process_let_go(struct process *process);

/* Has the process ended? It had memory when it was opened, and has none any more. */
bool process_has_ended(const struct process *process);

/* Is there no such process any more, or only a zombie? */
bool process_is_gone(pid_t pid);

/*
 * Has another process the pid of this one now? The reason is then in *why. Never true for a process that is held, whose
 * pid no other process can get, and never for a core.
 */
bool process_was_replaced(const struct process *process, char **why);

/* The processor time that the process has used, in seconds; 0 if it is not known. */
double process_cpu_seconds(pid_t pid);

/* Reads `size` bytes at an address, all of them or none: the buffer's content is undefined unless READ_OK. */
enum read_result process_read(struct process *process, uint64_t address, void *buffer, size_t size);

/*
 * Returns why `tracer_user` may not trace a process with this status, as a text about "it", for free(): it is traced
 * already, it belongs to another user, or kernel.yama.ptrace_scope (-1: the kernel has no such setting) forbids it.
 */
char *process_explain_refusal(const struct proc_status *status, uid_t tracer_user, int ptrace_scope);

/* The same for a process that was refused; reads its status and the setting now. */
char *process_explain(pid_t pid);

#endif
