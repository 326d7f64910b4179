/*
 * memory.h - memory that is never NULL, and texts in it.
 */
#ifndef MQD_DUMP_BASE_MEMORY_H
#define MQD_DUMP_BASE_MEMORY_H

#include <stdarg.h>
#include <stddef.h>

/*
 * If there is no memory these functions call `out_of_memory`, which ends the program with a message and status 1, or
 * that of memory_set_exit_status; the kernel then lets go of every process that is held. `allocate_array` returns n
 * zeroed elements. The caller releases what is returned with free().
 */
void out_of_memory(void) __attribute__((noreturn));
void memory_set_exit_status(int status);
void *allocate_array(size_t n, size_t size) __attribute__((returns_nonnull, warn_unused_result));
char *copy_string(const char *text) __attribute__((returns_nonnull, warn_unused_result));
char *format_text(const char *fmt, ...) __attribute__((format(printf, 1, 2), returns_nonnull, warn_unused_result));
char *format_list(const char *fmt, va_list list)
    __attribute__((format(printf, 1, 0), returns_nonnull, warn_unused_result));

/*
 * For calls of libraries that go on without what they had no memory for, and tell nobody: memory_check calls
 * out_of_memory if an allocation has failed since memory_watch. Nothing else that fails with ENOMEM may be done in
 * between. That an allocation has failed shows in errno only until something else fails: a function that such a library
 * calls begins with memory_note.
 */
void memory_watch(void);
void memory_note(void);
void memory_check(void);

/*
 * Makes room for one more element in an array of *n_room elements of which n are used. Returns the array, which moves
 * if it was full. New elements are zeroed.
 */
void *grow_array(void *array, size_t n, size_t *n_room, size_t size)
    __attribute__((returns_nonnull, warn_unused_result));

#endif
