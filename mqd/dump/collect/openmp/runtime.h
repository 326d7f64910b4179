/*
 * runtime.h - one OpenMP runtime of a process, for those who read its structures: memory, threads, a layout, a proof.
 *
 * Readers take bytes through a function, and threads from a list: they serve memory of any kind. Each reads the whole
 * runtime by one layout, and counts what agrees with that layout and what cannot be. A null where something must be
 * cannot be: memory at wrong places is often zero.
 */
#ifndef MQD_DUMP_COLLECT_OPENMP_RUNTIME_H
#define MQD_DUMP_COLLECT_OPENMP_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "layout/runtimes.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/collect/openmp/facts.h"

/* Teams of more threads, and regions deeper in each other, are no real ones. */
enum { MAX_TEAM_SIZE = 1 << 16, MAX_NESTING = 64 };

/* In libomp 14 and 15 some ten variables may be the one. */
enum { MAX_VARIABLES = 64 };

/* A thread of the process. */
struct runtime_thread {
    pid_t id;
    uint64_t pointer;              /* its thread pointer; 0: not known */
    uint64_t futex;                /* that it waits for; 0: none */
    uint32_t futex_value;          /* that it has as long as the thread waits */
    bool in_runtime;               /* it is in the runtime, or in a system library that this has called */
    bool is_innermost;             /* the runtime's code itself is where it is */
    bool without_program;          /* no code of the program is on its stack */
    bool without_runtime;          /* none of the runtime is */
    size_t depth;                  /* the innermost frame of the runtime; SIZE_MAX: it has none */
    uint64_t stack_pointer;        /* 0: not known */
    const uint64_t *registers;
    size_t n_registers;
};

struct runtime_memory {
    bool (*read)(void *context, uint64_t address, void *buffer, size_t size);
    void *context;
    struct runtime_page *pages;    /* that were read; NULL: none is kept */
};

struct runtime {
    struct runtime_memory *memory;
    const struct runtime_thread *threads;
    size_t n_threads;
    bool has_all_threads;          /* the list is complete */
    const struct mqd_layout *layout;
    uint64_t entry;                /* libgomp: what to add to a thread pointer; libomp: the address of __kmp_threads; 0:
                                      not known */
    const uint64_t *variables;     /* libomp: those that may be __kmp_threads, as its data has it */
    size_t n_variables;
    size_t n_held, n_broken;       /* what agrees with the layout, and what contradicts it */
};

/* Reads memory, all of it or none, by whole pages that are kept until runtime_memory_clear. */
bool runtime_read(struct runtime_memory *memory, uint64_t address, void *buffer, size_t size);
bool runtime_read_word(struct runtime_memory *memory, uint64_t address, uint64_t *word);
void runtime_memory_clear(struct runtime_memory *memory);

/* The address of a part of an object; 0: the layout has not got it, or there is no object. */
uint64_t runtime_part(const struct runtime *runtime, uint64_t object, enum mqd_path_id path);

/* Reads a number. False, and *value untouched, if the layout has not got it, or if it cannot be read. */
bool runtime_get(const struct runtime *runtime, uint64_t object, enum mqd_path_id path, uint64_t *value);

/* The same of what must be there; 0, and a contradiction, if it is not. */
uint64_t runtime_need(struct runtime *runtime, uint64_t object, enum mqd_path_id path);

/* Counts something that must be true of memory that has this layout. Returns it. */
bool runtime_demand(struct runtime *runtime, bool holds);

/* A constant; 0: the layout has not got it. */
uint64_t runtime_constant(const struct runtime *runtime, enum mqd_constant_id constant);

/* The position of the thread with that thread pointer; n_threads: there is none. */
size_t runtime_find_thread(const struct runtime *runtime, uint64_t pointer);

/* Where a team has how many threads it has, and whether it was cancelled. */
struct runtime_team_paths {
    enum mqd_path_id size, cancelled;
};

/* The team of an address, which is read and added if it is not there yet. Its position. */
size_t runtime_find_team(struct runtime *runtime, struct openmp *openmp, uint64_t address,
                         const struct runtime_team_paths *paths, bool *is_new);

/* Adds the threads of a team that are there no more, of which `has` says which are; n is its size. */
void openmp_add_ended(struct openmp *openmp, size_t team, const bool *has, size_t n);

/* What a library tells of itself, in memory: where its variables are, how it is linked. */
struct runtime_image {
    uint64_t bias;
    uint64_t data, data_end;       /* its writable part */
    uint64_t dynamic, n_dynamic;   /* of bytes */
    uint64_t tls_size, tls_align;
    unsigned machine;
};

/* Is the value one of n? */
static inline bool runtime_has_value(const uint64_t *all, size_t n, uint64_t value)
{
    return ANY(i, n, all[i] == value);
}

/* Reads the headers of the file that is loaded with its first byte at `start`. */
bool runtime_image_read(struct runtime_image *image, struct runtime_memory *memory, uint64_t start, uint64_t bias);

/*
 * libgomp keeps what it knows of a thread in a variable of each thread, which it finds by an entry that the dynamic
 * linker fills: the distance from the thread pointer.
 */
bool runtime_find_tls(const struct runtime_image *image, struct runtime_memory *memory, uint64_t *distance);

/* The same of a static program, from the value of its symbol. False if the machine is not known here. */
bool runtime_static_tls(const struct runtime_image *image, uint64_t value, uint64_t *distance);

/*
 * The address of the variable that a function of this machine's code names first after it has called another one; 0:
 * none.
 */
uint64_t runtime_variable_of(struct runtime_memory *memory, unsigned machine, uint64_t function);

/*
 * The function that was called by the instruction before a return address, also through a stub of the linker; 0: not
 * known.
 */
uint64_t runtime_called(struct runtime_memory *memory, unsigned machine, uint64_t return_address);

#endif
