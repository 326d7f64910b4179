/*
 * number.c - numbers as people read them, and as programs write them.
 */
#include "mqd/dump/base/number.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool number_take(const char **text, int64_t most, int64_t *number)
{
    char *end;
    int64_t value;

    errno = 0;
    value = isdigit((unsigned char)**text) ? strtoll(*text, &end, 10) : -1;
    if (value < 0 || value > most || errno != 0)
        return false;
    *text = end;
    *number = value;
    return true;
}

int64_t number_of(const char *text, int64_t most)
{
    int64_t number;

    return number_take(&text, most, &number) && *text == '\0' ? number : -1;
}

const char *number_write(number_chars text, long number)
{
    enum { GROUP = 3 };
    number_chars digits;
    char *to = text;
    size_t n_digits, sign = number < 0;

    snprintf(digits, sizeof digits, "%ld", number);
    n_digits = strlen(digits);
    for (size_t i = 0; i < n_digits; i++) {
        if (i > sign && (n_digits - i) % GROUP == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return text;
}

const char *sum_write(number_chars text, double sum)
{
    if (sum < 9e15 && sum > -9e15)
        return number_write(text, (long)sum);
    snprintf(text, sizeof(number_chars), "too many");
    return text;
}
