/*
 * dictionary.c - what was written once and is referred to by number.
 */
#include "mqd/dump/record/dictionary.h"

#include <stdlib.h>

#include "mqd/dump/base/memory.h"

size_t dictionary_number(struct dictionary *dictionary, char *text, bool *is_new)
{
    uint32_t known;

    /* Layouts and groups may be longer than any name. */
    dictionary->index.any_length = true;
    *is_new = !name_index_find(&dictionary->index, text, &known);
    if (!*is_new) {
        free(text);
        return known;
    }
    dictionary->texts =
        grow_array(dictionary->texts, dictionary->n, &dictionary->room, sizeof *dictionary->texts);
    dictionary->texts[dictionary->n] = text;
    name_index_add(&dictionary->index, text, (uint32_t)dictionary->n);
    return dictionary->n++;
}

void dictionary_clear(struct dictionary *dictionary)
{
    for (size_t i = 0; i < dictionary->n; i++)
        free(dictionary->texts[i]);
    free(dictionary->texts);
    name_index_clear(&dictionary->index);
    *dictionary = (struct dictionary){0};
}
