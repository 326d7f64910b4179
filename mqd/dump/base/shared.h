/*
 * shared.h - memory with several users: the members of a communicator are the same in all of its processes.
 */
#ifndef MQD_DUMP_BASE_SHARED_H
#define MQD_DUMP_BASE_SHARED_H

#include <stdbool.h>
#include <stddef.h>

/* Returns a zeroed array of n elements, with one user. It never returns NULL. */
void *shared_allocate(size_t n, size_t size) __attribute__((returns_nonnull, warn_unused_result));

/*
 * Gives an array that has one user, or NULL, room for n elements; new ones are not zeroed. It may move. It never returns
 * NULL.
 */
void *shared_resize(void *array, size_t n, size_t size) __attribute__((returns_nonnull, warn_unused_result));

/* Has somebody else the array too? */
bool shared_has_others(const void *array);

/* Returns the array, which has one user more. NULL stays NULL. */
void *shared_use(void *array);

/* Takes one user away. The array is freed after the last one. NULL is allowed. */
void shared_release(void *array);

/* Many small texts, which stay where they are until all are released together. NULL has none yet. */
struct texts;

/* Returns a copy of n bytes, which a NUL follows. It lives as long as *texts, which are made for the first one. */
const char *texts_add(struct texts **texts, const char *text, size_t n) __attribute__((returns_nonnull));

/* About the memory that they need, in bytes. */
size_t texts_size(const struct texts *texts);

/* Returns the texts, which have one user more; takes one user away, after the last of whom they are freed. */
struct texts *texts_use(struct texts *texts);
void texts_release(struct texts *texts);

#endif
