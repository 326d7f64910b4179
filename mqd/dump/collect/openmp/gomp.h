/*
 * gomp.h - reads what libgomp, the OpenMP runtime of GCC, knows of the threads of a process.
 */
#ifndef MQD_DUMP_COLLECT_OPENMP_GOMP_H
#define MQD_DUMP_COLLECT_OPENMP_GOMP_H

#include "mqd/dump/collect/openmp/runtime.h"

/*
 * Adds the teams, and sets the rows of the threads that it knows: openmp->threads has one for each of the list. Ends at
 * the first contradiction.
 */
void gomp_read(struct runtime *runtime, struct openmp *openmp);

#endif
