/*
 * library_calls.h - in which libraries threads are: how many wait in OpenMP, and what the main thread calls.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_LIBRARY_CALLS_H
#define MQD_DUMP_COLLECT_TARGET_LIBRARY_CALLS_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/collect/target/stack/known_place.h"
#include "mqd/dump/collect/target/stack/unwind.h"

struct library_calls {
    size_t n_in_barrier, n_at_lock;    /* threads that wait in OpenMP: for the others of a region; for a lock */
    size_t n_in_openmp;                /* threads that wait there for one or the other: it cannot be told */
    char openmp[32];                   /* the library that they wait in: "libgomp"; "": none does */
    char system[48];                   /* the system call that the main thread is in, by its stack; "": none */
    char library[64];                  /* of the main thread's innermost other function; "": the program, or OpenMP */
    char function[64];                 /* that function; "": not known */
};

/* Adds what the stack of one thread shows, which has these frames. The caller zeroes `*calls` before the first. */
void library_calls_add(struct library_calls *calls, const struct stack *stack, const struct frame *frames,
                       bool is_main);

/* Is it the C library, or one that comes with it? */
bool module_is_system(const struct module *module);

#endif
