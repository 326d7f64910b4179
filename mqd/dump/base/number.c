/*
 * number.c - numbers as people read them.
 */
#include "mqd/dump/base/number.h"

#include <stdio.h>
#include <string.h>

#include "mqd/dump/base/memory.h"

char *number_text(long number)
{
    enum { GROUP = 3 };
    char digits[32], *text, *to;
    size_t n_digits, sign = number < 0;

    snprintf(digits, sizeof digits, "%ld", number);
    n_digits = strlen(digits);
    text = to = allocate_array(2 * n_digits + 1, 1);
    for (size_t i = 0; i < n_digits; i++) {
        if (i > sign && (n_digits - i) % GROUP == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    return text;
}
