/*
 * memory.h - memory that is never NULL, and texts in it.
 */
#ifndef MQD_DUMP_BASE_MEMORY_H
#define MQD_DUMP_BASE_MEMORY_H

#include <stdarg.h>
#include <stddef.h>

/*
 * Where there is no memory the program ends with a message and status 1, by `out_of_memory`, and the kernel lets go of
 * every process that is held. `allocate_array` gives n zeroed elements. All that is returned is for free().
 */
_Noreturn void out_of_memory(void);
void *allocate_array(size_t n, size_t size) __attribute__((returns_nonnull, warn_unused_result));
char *copy_string(const char *text) __attribute__((returns_nonnull, warn_unused_result));
char *format_text(const char *fmt, ...) __attribute__((format(printf, 1, 2), returns_nonnull, warn_unused_result));
char *format_list(const char *fmt, va_list list)
    __attribute__((format(printf, 1, 0), returns_nonnull, warn_unused_result));

/*
 * Room for one element more in an array of *n_room elements of which n are used: returns the array, moved if it was
 * full. What is added is zeroed.
 */
void *grow_array(void *array, size_t n, size_t *n_room, size_t size)
    __attribute__((returns_nonnull, warn_unused_result));

#endif
