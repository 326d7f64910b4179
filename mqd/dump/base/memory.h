/*
 * memory.h - memory that is never NULL, and texts in it.
 */
#ifndef MQD_DUMP_BASE_MEMORY_H
#define MQD_DUMP_BASE_MEMORY_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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
 * Keeps the first reason why something failed: sets *why to a text for free(), unless it has one already. Returns false:
 * functions of mqdump return this result when they fail.
 */
bool set_reason(char **why, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * For whoever has large arrays: begins before anything is allocated, so that they grow in place and leave no holes; and
 * gives back to the system what was freed, which the process would keep for later else.
 */
void memory_begin(void);
void memory_give_back(void);

/*
 * For calls of libraries that go on without what they had no memory for, and tell nobody: memory_check calls
 * out_of_memory if an allocation has failed since memory_watch. Nothing else that fails with ENOMEM may be done in
 * between. That an allocation has failed shows in errno only until something else fails: a function that such a library
 * calls begins with memory_note.
 */
void memory_watch(void);
void memory_note(void);
void memory_check(void);

/* The value of such a call, of which nothing is missing: WATCHED(elf_rawdata(section, NULL)). */
#define WATCHED(...)                                                                                                   \
    __extension__({                                                                                                    \
        memory_watch();                                                                                                \
        __auto_type watched_value = (__VA_ARGS__);                                                                     \
        memory_check();                                                                                                \
        watched_value;                                                                                                 \
    })

/*
 * Makes room for one more element in an array of *n_room elements of which n are used. Returns the array, which moves
 * if it was full. New elements are zeroed.
 */
void *grow_array(void *array, size_t n, size_t *n_room, size_t size)
    __attribute__((returns_nonnull, warn_unused_result));

/* Gives back what such an array has in reserve beyond n elements. Returns the array, which may move; NULL: n is 0. */
void *fit_array(void *array, size_t n, size_t size);

/* Adds an element to such an array: APPEND(list->items, list->n, list->room, (struct item){...}). */
#define APPEND(array, n, n_room, ...) \
    ((array) = grow_array((array), (n), &(n_room), sizeof *(array)), (array)[(n)++] = (__VA_ARGS__))

/* Frees several: FREE_ALL(rank->key, rank->job). */
#define FREE_ALL(...) free_each((void *const[]){__VA_ARGS__}, sizeof((void *const[]){__VA_ARGS__}) / sizeof(void *))
void free_each(void *const *memory, size_t n);

/* Appends to a text for free(), which moves. */
void append_text(char **text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * What a function owns is released where its variable ends, on each way out:
 *
 *     OWNED char *who = say_who(rank);                       free()
 *     RELEASED_BY(runs_clear) struct runs runs = {0};        runs_clear(&runs)
 *     return TAKEN(who);                                     the caller owns it: `who` is NULL from then on
 *
 * The variable is initialized where it is declared, at least with NULL or {0}. What it holds is returned, or stored
 * where it outlives the variable, only as TAKEN. What it owned before is freed by hand where it gets another value. A
 * variable of a loop's body is released at the end of each turn. clang warns of a variable that only owns. Processes
 * that end by exit() or _exit() release nothing. OWNED leaves errno as it is.
 */
#define RELEASED_BY(release) __attribute__((cleanup(release)))
#define OWNED RELEASED_BY(free_owned)
#define TAKEN(owner) ((__typeof__(owner))take_owned(&(owner)))

/* The object is a pointer of any type. */
static inline void *take_owned(void *owner)
{
    void *memory, *none = NULL;

    memcpy(&memory, owner, sizeof memory);
    memcpy(owner, &none, sizeof none);
    return memory;
}
static inline void free_owned(void *owner)
{
    int error = errno;

    free(take_owned(owner));
    errno = error;
}

#endif
