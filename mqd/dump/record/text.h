/*
 * text.h - strings and numbers without sign in a record.
 */
#ifndef MQD_DUMP_RECORD_TEXT_H
#define MQD_DUMP_RECORD_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A string of n bytes; {"bytes": ...} if they are no valid UTF-8. */
json_t *text_write(const char *text, size_t n);

/* Puts a string of at most `most` bytes, for free(), into *text. False, with the reason in *why, if it is none. */
bool text_read(const json_t *value, size_t most, char **text, char **why);

/* All programs read integers up to this one exactly: 2^53. */
extern const uint64_t largest_integer;

/* What a digit of a hexadecimal number stands for; -1 if it is none of 0-9 and a-f. */
int digit_value(char digit);

/* "0x7f00". address_text returns its length; of a million operations printf would take much longer. */
enum { ADDRESS_TEXT_SIZE = sizeof "0x0123456789abcdef" };
size_t address_text(char text[ADDRESS_TEXT_SIZE], uint64_t address);
json_t *address_write(uint64_t address);

/* An integer, or the same as an address if not all programs could read it. */
json_t *unsigned_write(uint64_t number);

/* Reads both. `most` is the largest number that is allowed. */
bool unsigned_read(const json_t *value, uint64_t most, uint64_t *number, char **why);

/* Reads an integer between `least` and `most`. */
bool signed_read(const json_t *value, int64_t least, int64_t most, int64_t *number, char **why);

/* Reads a reference to one of n definitions into *number. False, with the reason in *why, if it is to none of them. */
bool reference_read(const json_t *object, const char *key, size_t n, size_t *number, char **why);

/* Lets jansson end the program where there is no memory, as memory.h does. */
void json_memory_set(void);

#endif
