/*
 * process.h - a process that is read: a live one, or a core file of one. hold.h stops a live one meanwhile.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_PROCESS_H
#define MQD_DUMP_COLLECT_TARGET_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "mqd/dump/collect/target/core.h"
#include "mqd/dump/collect/target/proc.h"

/* A thread of a process that is held. */
struct thread {
    pid_t id;
    bool stopped;              /* it is held and can be read */
    uint64_t switches;         /* held by another debugger: as in struct proc_status, at the beginning */
    bool gone;                 /* it has ended */
    int signal;                /* arrived when it was stopped, to be delivered when it goes on; 0: none */
    size_t registers;          /* its general registers, as in a core (NT_PRSTATUS): where in process->registers */
    size_t n_register_bytes;   /* 0: not known */
    uint64_t signature;        /* bits of its return addresses that sign them and are not of the address */
    uint64_t pointer;          /* its thread pointer, of machines that keep it apart from those; 0: not known */
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
    pid_t holder;              /* mqdump's own process that stops it; 0: none has */
    pid_t debugger;            /* another tracer, which holds it in place of that; 0: none does */
    double used;               /* process_cpu_seconds, when it was found to be held by that one */
    struct thread *threads;    /* those that were held when it was stopped */
    size_t n_threads;
    unsigned char *registers;
    int memory;                /* /proc/PID/mem where process_vm_readv is not allowed, else -1 */
    bool runs;                 /* it is read while it runs: nobody stops it */
    bool dead;                 /* found to have died since it was held */
};

enum read_result { READ_OK, READ_BAD_ADDRESS, READ_PROCESS_GONE };

/* The reasons in *why are texts about "it", the process. */

/*
 * Opens a process, without touching it. Returns false, with the reason in *why, if there is no such process, or if it
 * is already known that it cannot be read. `runs`: it is to be read while it runs.
 */
bool process_open(struct process *process, struct process_id id, bool runs, char **why);

/* Opens a core file in place of a process. There is nothing to stop then, and it has not ended. */
bool process_open_core(struct process *process, const struct core_source *source, char **why);
void process_close(struct process *process);

/* Forgets what is known of the threads that were held. */
void process_forget_threads(struct process *process);

/* Has the process ended? It had memory when it was opened, and has none any more. */
bool process_has_ended(const struct process *process);

/* Is there no such process any more, or only a zombie? */
bool process_is_gone(pid_t pid);

/*
 * Has another process the pid of this one now? The reason is then in *why. Never true for a process that is held, whose
 * pid no other process can get, and never for a core.
 */
bool process_was_replaced(const struct process *process, char **why);

/* Is it a process of mqdump? */
bool process_is_mqdump(pid_t pid);

/*
 * Does the holder of another mqdump trace the thread? It lets go as soon as that one has read the process. Whoever
 * needs the process waits that long at most.
 */
#define SECONDS_FOR_ANOTHER 20.0
bool process_is_with_another(pid_t thread, pid_t own_holder);

/* Waits for that, until this time by seconds_now() at most. */
void process_await_another(pid_t thread, pid_t own_holder, double until);

/* The processor time that the process has used, in seconds; 0 if it is not known. */
double process_cpu_seconds(pid_t pid);

/* Reads `size` bytes at an address, all of them or none: the buffer's content is undefined unless READ_OK. */
enum read_result process_read(struct process *process, uint64_t address, void *buffer, size_t size);

/* Reads a number of 4 or 8 bytes, which is the size of its addresses. */
bool process_read_word(struct process *process, uint64_t address, size_t size, uint64_t *word);

/*
 * Returns why `tracer_user` may not trace a process with this status, as a text about "it", for free(): it is traced
 * already, it belongs to another user, or kernel.yama.ptrace_scope (-1: the kernel has no such setting) forbids it.
 */
char *process_explain_refusal(const struct proc_status *status, uid_t tracer_user, int ptrace_scope);

/* The same for a process that was refused; reads its status and the setting now. */
char *process_explain(pid_t pid);

/*
 * May the memory and the registers of a thread be read that another tracer has stopped? The rights that this needs are
 * those to trace it.
 */
bool process_may_read(pid_t thread, char **why);

/* "process 1234 (gdb)", for free(). */
char *process_phrase(pid_t pid);

#endif
