/*
 * argument.c - texts as words that no shell changes.
 */
#include "mqd/dump/ask/argument.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "mqd/dump/base/memory.h"

#define ALPHANUMERIC "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

static const char plain[] = ALPHANUMERIC "._@:+,/-";
static const char digits[] = "0123456789ABCDEF";

char *argument_write(const char *text)
{
    char *word = allocate_array(3 * strlen(text) + 1, 1), *to = word;

    for (; *text != '\0'; text++) {
        if (strchr(plain, *text) != NULL) {
            *to++ = *text;
            continue;
        }
        *to++ = '%';
        *to++ = digits[(unsigned char)*text >> 4];
        *to++ = digits[(unsigned char)*text & 15];
    }
    return word;
}

static int digit(char character)
{
    const char *at = character != '\0' ? strchr(digits, character) : NULL;

    return at != NULL ? (int)(at - digits) : -1;
}

char *argument_read(const char *word)
{
    OWNED char *text = allocate_array(strlen(word) + 1, 1);
    char *to = text;

    for (; *word != '\0'; word++) {
        int high = 0, low = 0;

        if (strchr(plain, *word) != NULL) {
            *to++ = *word;
            continue;
        }
        if (*word == '%' && (high = digit(word[1])) >= 0 && (low = digit(word[2])) >= 0 && high + low > 0) {
            *to++ = (char)(16 * high + low);
            word += 2;
            continue;
        }
        return NULL;
    }
    return TAKEN(text);
}

/* With "=" it would set a variable, and with "-" or "@" in front it would be an option or a command of a shell. */
bool argument_is_program(const char *text)
{
    return strspn(text, ALPHANUMERIC "./_") > 0 && text[strspn(text, ALPHANUMERIC "._@:+,/-")] == '\0';
}
