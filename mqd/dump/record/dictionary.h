/*
 * dictionary.h - what was written once and is referred to by number.
 */
#ifndef MQD_DUMP_RECORD_DICTIONARY_H
#define MQD_DUMP_RECORD_DICTIONARY_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/base/hash.h"

/* A zeroed one is empty. */
struct dictionary {
    char **texts;
    size_t n, room;
    struct name_index index;
};

/* Returns the number of a text, which is taken over. *is_new: it was not there, and is now. */
size_t dictionary_number(struct dictionary *dictionary, char *text, bool *is_new);
void dictionary_clear(struct dictionary *dictionary);

#endif
