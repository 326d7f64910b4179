/*
 * words.h - a command as a text, divided into words as a shell does, but nothing in it is expanded or executed.
 */
#ifndef MQD_DUMP_BASE_WORDS_H
#define MQD_DUMP_BASE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

struct words {
    char **words;
    size_t n, room;
};

/*
 * Divides a text at blanks. '...', "..." and \ keep what is in them or after them together, as in sh: in "..." a \ is
 * one unless ", \, $ or ` follows. Returns false, with the reason in *why, if a quote has no end. A zeroed struct is
 * empty; release the result with words_clear in any case.
 */
bool words_split(struct words *words, const char *text, char **why);

/* Adds a word, which is taken over. NULL may be added as the end, and is not counted. */
void words_add(struct words *words, char *word);
void words_clear(struct words *words);

#endif
