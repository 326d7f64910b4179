/*
 * kmp.h - reads what libomp, the OpenMP runtime of LLVM, knows of the threads of a process. Runtimes of vendors derive
 * from it.
 */
#ifndef MQD_DUMP_COLLECT_OPENMP_KMP_H
#define MQD_DUMP_COLLECT_OPENMP_KMP_H

#include "mqd/dump/collect/openmp/runtime.h"

/*
 * Finds the variables of the library that may be __kmp_threads, whatever the layout: each is followed by another one,
 * and they lead to two arrays that lie one behind the other. Returns how many.
 */
size_t kmp_find_variables(struct runtime_memory *memory, const struct runtime_image *image,
                          uint64_t variables[MAX_VARIABLES]);

/* As gomp_read. runtime->entry is what the code says, 0 if it says nothing; the data must agree. */
void kmp_read(struct runtime *runtime, struct openmp *openmp);

#endif
