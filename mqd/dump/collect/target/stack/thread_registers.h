/*
 * thread_registers.h - the registers of a thread, by the numbers that an unwinder uses.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_THREAD_REGISTERS_H
#define MQD_DUMP_COLLECT_TARGET_THREAD_REGISTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mqd/dump/collect/target/core.h"

enum { MAX_REGISTERS = 32 };

/* Numbers of registers are those of DWARF, which each machine's ABI gives. */
struct thread_registers {
    uint64_t values[MAX_REGISTERS];    /* those from 0 on */
    unsigned n;
    uint32_t known;                    /* a bit of each whose value is known */
    int link;                          /* the number of one more, which holds a return address; -1: none */
    uint64_t link_value;
    uint64_t pc;
    bool in_futex;                     /* as in struct stack; false if the machine does not leave it in registers */
    uint64_t futex;                    /* the same */
    uint32_t futex_value;
    uint64_t thread_pointer;           /* what the thread's own variables are found by; 0: not known */
};

/*
 * Those of a thread in a core. False if the core does not have all of them, or if the architecture of its machine is not
 * known here.
 */
bool thread_registers_of_core(struct thread_registers *registers, const struct core *core,
                              const struct core_thread *thread);

/*
 * Those of a thread that is stopped, from n bytes of its general registers, as the kernel gives them to who holds it.
 * `machine` is its executable's (EM_X86_64 and so on). What only the kernel tells of a live thread is not set: in_futex.
 * False as for a core.
 */
bool thread_registers_of_live(struct thread_registers *registers, unsigned machine, const void *bytes, size_t n);

/*
 * The same of a thread of which only its stack pointer and its pc are known. False if the machine is not known here.
 */
bool thread_registers_of_pointers(struct thread_registers *registers, unsigned machine, uint64_t stack_pointer,
                                  uint64_t pc);

/* The number of the stack pointer; -1 if the machine (EM_X86_64 and so on) is not known here. */
int stack_pointer_number(unsigned machine);

/* Does a thread wait that calls futex with this operation? Others wake those that wait. */
bool is_futex_wait(uint64_t operation);

#endif
