/*
 * number.c - numbers as people read them.
 */
#include "mqd/dump/base/number.h"

#include <stdio.h>
#include <string.h>

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
