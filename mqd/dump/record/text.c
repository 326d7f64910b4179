/*
 * text.c - strings and numbers without sign in a record.
 */
#include "mqd/dump/record/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"

const uint64_t largest_integer = (uint64_t)1 << 53;

static const char bytes_key[] = "bytes";
static const char digits[] = "0123456789abcdef";

static json_t *bytes_write(const char *text, size_t n)
{
    OWNED char *hexadecimal = allocate_array(2 * n + 1, 1);

    for (size_t i = 0; i < n; i++) {
        hexadecimal[2 * i] = digits[(unsigned char)text[i] >> 4];
        hexadecimal[2 * i + 1] = digits[(unsigned char)text[i] & 0xf];
    }
    return json_pack("{s:s}", bytes_key, hexadecimal);
}

json_t *text_write(const char *text, size_t n)
{
    json_t *value = json_stringn(text, n);

    return value != NULL ? value : bytes_write(text, n);
}

int digit_value(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/* A byte that is zero would end the text. */
static bool bytes_read(const char *hexadecimal, size_t most, char **text, char **why)
{
    size_t length = strlen(hexadecimal);
    OWNED char *bytes = NULL;

    if (length % 2 != 0 || length / 2 > most)
        return set_reason(why, "is too long, or has half a byte");
    bytes = allocate_array(length / 2 + 1, 1);
    for (size_t i = 0; i < length / 2; i++) {
        int high = digit_value(hexadecimal[2 * i]), low = digit_value(hexadecimal[2 * i + 1]);

        if (high < 0 || low < 0 || high + low == 0)
            return set_reason(why, "has bytes that are none");
        bytes[i] = (char)(high << 4 | low);
    }
    *text = TAKEN(bytes);
    return true;
}

bool text_read(const json_t *value, size_t most, char **text, char **why)
{
    const json_t *bytes = json_object_get(value, bytes_key);

    if (json_is_string(bytes))
        return bytes_read(json_string_value(bytes), most, text, why);
    if (!json_is_string(value))
        return set_reason(why, "is no string");
    if (json_string_length(value) > most)
        return set_reason(why, "is longer than %zu bytes", most);
    *text = copy_string(json_string_value(value));
    return true;
}

size_t address_text(char text[ADDRESS_TEXT_SIZE], uint64_t address)
{
    char *to = stpcpy(text, "0x");
    int shift = 60;

    while (shift > 0 && address >> shift == 0)
        shift -= 4;
    for (; shift >= 0; shift -= 4)
        *to++ = digits[address >> shift & 0xf];
    *to = '\0';
    return (size_t)(to - text);
}

json_t *address_write(uint64_t address)
{
    char text[ADDRESS_TEXT_SIZE];

    address_text(text, address);
    return json_string(text);
}

json_t *unsigned_write(uint64_t number)
{
    return number <= largest_integer ? json_integer((json_int_t)number) : address_write(number);
}

/* No other form: no sign, no space. */
static bool address_read(const char *text, uint64_t *number)
{
    char *end;

    if (strncmp(text, "0x", 2) != 0 || digit_value(text[2]) < 0)
        return false;
    errno = 0;
    *number = strtoull(text, &end, 16);
    return errno == 0 && *end == '\0';
}

bool unsigned_read(const json_t *value, uint64_t most, uint64_t *number, char **why)
{
    uint64_t found = 0;

    if (json_is_integer(value) && json_integer_value(value) >= 0)
        found = (uint64_t)json_integer_value(value);
    else if (!json_is_string(value) || !address_read(json_string_value(value), &found))
        return set_reason(why, "is no number without sign");
    if (found > most)
        return set_reason(why, "is larger than %" PRIu64, most);
    *number = found;
    return true;
}

bool signed_read(const json_t *value, int64_t least, int64_t most, int64_t *number, char **why)
{
    if (!json_is_integer(value))
        return set_reason(why, "is no integer");
    if (json_integer_value(value) < least || json_integer_value(value) > most)
        return set_reason(why, "is not between %" PRId64 " and %" PRId64, least, most);
    *number = json_integer_value(value);
    return true;
}

bool reference_read(const json_t *object, const char *key, size_t n, size_t *number, char **why)
{
    const json_t *value = json_object_get(object, key);
    OWNED char *reason = NULL;
    uint64_t found;

    if (value != NULL && n > 0 && unsigned_read(value, n - 1, &found, &reason)) {
        *number = (size_t)found;
        return true;
    }
    return set_reason(why, "\"%s\" names nothing that came before", key);
}

/* Memory of jansson. */

static void *allocate(size_t size)
{
    void *memory = malloc(size);

    if (memory == NULL)
        out_of_memory();
    return memory;
}

void json_memory_set(void)
{
    json_set_alloc_funcs(allocate, free);
}
