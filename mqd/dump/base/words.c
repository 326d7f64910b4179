/*
 * words.c - a command as a text, divided into words as a shell does, but nothing in it is expanded or executed.
 */
#include "mqd/dump/base/words.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"

static const char blanks[] = " \t\r\n";

/* What is between quotes, from after the first one. Returns what is after the second one, NULL if there is none. */
static const char *take_quoted(const char *at, char quote, char **to)
{
    for (; *at != quote; at++) {
        if (*at == '\0')
            return NULL;
        if (quote == '"' && *at == '\\' && at[1] != '\0' && strchr("\"\\$`", at[1]) != NULL)
            at++;
        *(*to)++ = *at;
    }
    return at + 1;
}

/* Copies one word. Returns what is after it; NULL if it has no end. */
static const char *take_word(const char *at, char *to)
{
    while (at != NULL && *at != '\0' && strchr(blanks, *at) == NULL) {
        if (*at == '\'' || *at == '"') {
            at = take_quoted(at + 1, *at, &to);
        } else {
            at += *at == '\\';
            if (*at == '\0')
                return NULL;
            *to++ = *at++;
        }
    }
    return at;
}

void words_add(struct words *words, char *word)
{
    words->words = grow_array(words->words, words->n, &words->room, sizeof *words->words);
    words->words[words->n] = word;
    words->n += word != NULL;
}

bool words_split(struct words *words, const char *text, char **why)
{
    const char *at = text;

    while (*(at += strspn(at, blanks)) != '\0') {
        char *word = allocate_array(strlen(at) + 1, 1);

        at = take_word(at, word);
        words_add(words, word);
        if (at == NULL)
            return set_reason(why, "a quote or backslash has no end");
    }
    return true;
}

void words_clear(struct words *words)
{
    for (size_t i = 0; i < words->n; i++)
        free(words->words[i]);
    free(words->words);
    *words = (struct words){0};
}
