/*
 * argument.h - texts as words that no shell changes.
 *
 * What starts a program on another machine hands its command to a shell there: sh, csh, fish or another. So a word has
 * only characters that mean nothing to any of them, wherever they stand in it.
 */
#ifndef MQD_DUMP_ASK_ARGUMENT_H
#define MQD_DUMP_ASK_ARGUMENT_H

#include <stdbool.h>

/* Returns the text, for free(), with %XX in place of each byte that is no letter, digit or one of "._@:+,/-". */
char *argument_write(const char *text) __attribute__((returns_nonnull, warn_unused_result));

/* Returns the text that argument_write has made a word of, for free(). NULL if it is no such word, or has a NUL. */
char *argument_read(const char *word) __attribute__((warn_unused_result));

/* Can the text be the name of a program in a command for any shell? */
bool argument_is_program(const char *text);

#endif
