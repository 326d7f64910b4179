/*
 * common.h - memory, messages and time, for all of mqdump.
 */
#ifndef MQD_DUMP_COMMON_H
#define MQD_DUMP_COMMON_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Memory that is never NULL: where there is none the program ends with a message and status 1, and the kernel lets go
 * of every process that is held: by `out_of_memory`. `allocate` gives n zeroed elements; `copy_string` and `format` give
 * strings; all are for free().
 */
_Noreturn void out_of_memory(void);
void *allocate(size_t n, size_t size) __attribute__((returns_nonnull, warn_unused_result));
char *copy_string(const char *text) __attribute__((returns_nonnull, warn_unused_result));
char *format(const char *fmt, ...) __attribute__((format(printf, 1, 2), returns_nonnull, warn_unused_result));

/*
 * Room for one element more in an array of *n_room elements of which n are used: returns the array, moved if it was
 * full. What is added is zeroed.
 */
void *grow(void *array, size_t n, size_t *n_room, size_t size) __attribute__((returns_nonnull, warn_unused_result));

/*
 * Sets *why, unless it has a text already (the first reason is the one that counts), and returns false: the way in
 * which a function here says that it failed. The text is for free().
 */
bool fail(char **why, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A clock for durations, in seconds. */
double seconds_now(void);

#endif
