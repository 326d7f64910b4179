/*
 * texts.h - many small texts that stay where they are until all of them are released together.
 */
#ifndef MQD_DUMP_BASE_TEXTS_H
#define MQD_DUMP_BASE_TEXTS_H

#include <stddef.h>

/* Texts with several users. NULL has none yet. */
struct texts;

/* Returns a copy of n bytes, which a NUL follows. It lives as long as *texts, which are made for the first one. */
const char *texts_add(struct texts **texts, const char *text, size_t n) __attribute__((returns_nonnull));

/* About the memory that they need, in bytes. */
size_t texts_size(const struct texts *texts);

/* Returns the texts, which have one user more; takes one user away, after the last of whom they are freed. */
struct texts *texts_use(struct texts *texts);
void texts_release(struct texts *texts);

#endif
