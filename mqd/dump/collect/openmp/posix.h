/*
 * posix.h - what threads wait for in the C library: mutexes and conditions of POSIX, which those of C++ and C11 are
 * too.
 */
#ifndef MQD_DUMP_COLLECT_OPENMP_POSIX_H
#define MQD_DUMP_COLLECT_OPENMP_POSIX_H

#include "mqd/dump/collect/openmp/runtime.h"
#include "mqd/dump/collect/target/stack/unwind.h"

/*
 * Sets what memory shows of the i-th of these threads of a 64-bit process. Whether the thread does sleep there is shown
 * by the function that it is in, which openmp_name looks at.
 */
void posix_find(struct openmp_sleep *sleep, struct runtime_memory *memory, const struct stacks *stacks, size_t i,
                int stack_pointer);

#endif
