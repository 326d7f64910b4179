/*
 * mutate.c - changes inputs at random.
 */
#include "tests/fuzz/mutate.h"

#include <ctype.h>
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers (splitmix64: any seed is a good one). */

struct numbers numbers_of(uint64_t seed, uint64_t i)
{
    struct numbers numbers = {seed};

    numbers.state = next_number(&numbers) + i;
    return numbers;
}

uint64_t next_number(struct numbers *numbers)
{
    uint64_t mixed = numbers->state += 0x9e3779b97f4a7c15u;

    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    return mixed ^ mixed >> 31;
}

size_t number_below(struct numbers *numbers, size_t n)
{
    uint64_t number = next_number(numbers);

    return n > 0 ? (size_t)(number % n) : 0;
}

bool once_in(struct numbers *numbers, size_t n)
{
    return number_below(numbers, n) == 0;
}

uint64_t awkward_number(struct numbers *numbers)
{
    static const uint64_t limits[] = {
        0, 1, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff,
        0x100000000, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff, 16000000, 1u << 24, 1u << 26};
    uint64_t limit = limits[number_below(numbers, sizeof limits / sizeof *limits)];

    switch (number_below(numbers, 4)) {
    case 0:
        return limit;
    case 1:
        return limit + next_number(numbers) % 17 - 8;
    case 2:
        return next_number(numbers) % 64;
    default:
        return next_number(numbers) >> next_number(numbers) % 64;
    }
}

/* Bytes. */

static void *get_memory(void *old, size_t n)
{
    void *memory = realloc(old, n > 0 ? n : 1);

    if (memory == NULL)
        abort();
    return memory;
}

struct input input_copy(const unsigned char *bytes, size_t n)
{
    struct input input = {get_memory(NULL, n), n};

    if (n > 0)
        memcpy(input.bytes, bytes, n);
    return input;
}

void input_replace(struct input *input, size_t at, size_t n_old, const void *bytes, size_t n)
{
    size_t n_behind = input->n - at - n_old;
    unsigned char *copy;

    if (input->n - n_old + n > MAX_INPUT)
        return;
    copy = get_memory(NULL, n);
    /* The bytes may be a part of the input. */
    if (n > 0)
        memcpy(copy, bytes, n);
    if (n > n_old)
        input->bytes = get_memory(input->bytes, input->n - n_old + n);
    memmove(input->bytes + at + n, input->bytes + at + n_old, n_behind);
    if (n > 0)
        memcpy(input->bytes + at, copy, n);
    input->n += n - n_old;
    free(copy);
}

/* Writes a number of `size` bytes where it fits. */
static void put_number(struct input *input, size_t at, size_t size, uint64_t value)
{
    if (at <= input->n && size <= input->n - at)
        memcpy(input->bytes + at, &value, size);
}

static uint64_t get_number(const struct input *input, size_t at, size_t size)
{
    uint64_t value = 0;

    if (at <= input->n && size <= input->n - at)
        memcpy(&value, input->bytes + at, size);
    return value;
}

/* Mostly short, now and then as long as there can be. */
static size_t some_length(struct numbers *numbers, size_t n)
{
    return n == 0 ? 0 : 1 + number_below(numbers, once_in(numbers, 8) || n < 32 ? n : 32);
}

static void change_number(struct input *input, size_t at, size_t size, struct numbers *numbers)
{
    uint64_t step = next_number(numbers) % 33 - 16;

    put_number(input, at, size, once_in(numbers, 2) ? awkward_number(numbers) : get_number(input, at, size) + step);
}

struct part {
    size_t at, n;
};

/* Changes a bit, a byte or a number in a part. */
static void change_part(struct input *input, struct part part, struct numbers *numbers)
{
    size_t at = part.at + number_below(numbers, part.n), size = (size_t)1 << number_below(numbers, 4);

    if (part.n == 0 || at >= input->n)
        return;
    switch (number_below(numbers, 5)) {
    case 0:
    case 1:
        input->bytes[at] ^= (unsigned char)(1 << number_below(numbers, 8));
        break;
    case 2:
        input->bytes[at] = (unsigned char)next_number(numbers);
        break;
    default:
        change_number(input, once_in(numbers, 2) ? at - at % size : at, size, numbers);
    }
}

static void copy_part(struct input *input, const struct input *other, struct numbers *numbers)
{
    size_t from = number_below(numbers, other->n), to = number_below(numbers, input->n);
    size_t n = some_length(numbers, other->n - from);
    size_t n_old = once_in(numbers, 2) ? (n < input->n - to ? n : input->n - to) : 0;

    input_replace(input, to, n_old, other->bytes + from, n);
}

void mutate_bytes(struct input *input, const struct input *other, struct numbers *numbers)
{
    size_t at = number_below(numbers, input->n);

    if (input->n == 0)
        return;
    switch (number_below(numbers, 8)) {
    case 0:
        input_replace(input, at, some_length(numbers, input->n - at), "", 0);
        break;
    case 1:
        copy_part(input, input, numbers);
        break;
    case 2:
        copy_part(input, other, numbers);
        break;
    default:
        change_part(input, (struct part){0, input->n}, numbers);
    }
}

/* Records: lines. */

/* The line that has a byte, with its end. */
static struct part line_at(const struct input *input, size_t at)
{
    size_t start = at, end = at;

    while (start > 0 && input->bytes[start - 1] != '\n')
        start--;
    while (end < input->n && input->bytes[end] != '\n')
        end++;
    return (struct part){start, end - start + (end < input->n)};
}

static void change_lines(struct input *input, const struct input *other, struct numbers *numbers)
{
    struct part line = line_at(input, number_below(numbers, input->n));
    struct part to = line_at(input, number_below(numbers, input->n));
    struct part from = line_at(other, number_below(numbers, other->n));

    switch (number_below(numbers, 4)) {
    case 0:
        input_replace(input, line.at, line.n, "", 0);
        break;
    case 1:
        input_replace(input, to.at, 0, input->bytes + line.at, line.n);
        break;
    case 2:
        input_replace(input, to.at, once_in(numbers, 2) ? to.n : 0, other->bytes + from.at, from.n);
        break;
    default:
        input_replace(input, line.at + number_below(numbers, line.n), 0, "\n", 1);
    }
}

/* Records: values. */

/* The end of a JSON value that starts there; it may as well be broken. */
static size_t end_of_value(const struct input *input, size_t at)
{
    size_t depth = 0;
    bool quoted = false;

    for (; at < input->n && input->bytes[at] != '\n'; at++) {
        unsigned char byte = input->bytes[at];

        if (quoted && byte == '\\') {
            at += at + 1 < input->n;
        } else if (byte == '"') {
            quoted = !quoted;
        } else if (!quoted && (byte == '[' || byte == '{')) {
            depth++;
        } else if (!quoted && (byte == ']' || byte == '}' || byte == ',')) {
            if (depth == 0)
                return at;
            depth -= byte != ',';
        }
    }
    return at;
}

/* The next value behind a byte: of a member, or an element of an array. */
static struct part value_behind(const struct input *input, size_t at)
{
    while (at < input->n && strchr(":[,", input->bytes[at]) == NULL)
        at++;
    at += at < input->n;
    return (struct part){at, end_of_value(input, at) - at};
}

static struct part some_value(const struct input *input, struct numbers *numbers)
{
    return value_behind(input, number_below(numbers, input->n));
}

/* Another number near this one: what refers to something refers to something else then. */
static int write_near(char *text, size_t size, const struct input *input, struct part value, struct numbers *numbers)
{
    char digits[32] = "";

    memcpy(digits, input->bytes + value.at, value.n < sizeof digits ? value.n : sizeof digits - 1);
    return snprintf(text, size, "%lld", strtoll(digits, NULL, 10) / 2 + (long long)number_below(numbers, 5) - 2 +
                                            strtoll(digits, NULL, 10) / 2);
}

static void put_value(struct input *input, struct part value, struct numbers *numbers)
{
    static const char *const texts[] = {
        "null", "true", "false", "\"\"", "[]", "{}", "-1", "1e300", "-0.5", "[[0,1]]", "[[0,50000]]", "[[-1,3]]",
        "\"0xffffffffffffffff\"", "\"0x0\"", "\"\\u001b[31m%s%n\"", "{\"bytes\":\"ff1b\"}", "\"MPI_Recv\"",
        "\"MPI_Wait\"", "\"MPI_Barrier\"", "\"MPI_Finalize\"", "\"\xe2\x80\xae\"", "\"<&>'\\\"\""};
    char text[64];
    int n = value.n > 0 && (isdigit(input->bytes[value.at]) || input->bytes[value.at] == '-')
                ? (int)number_below(numbers, 3) : 3;

    if (n == 0)
        n = write_near(text, sizeof text, input, value, numbers);
    else if (n == 1)
        n = snprintf(text, sizeof text, "%zu", number_below(numbers, 12));
    else if (n == 2)
        n = snprintf(text, sizeof text, "%" PRId64, (int64_t)awkward_number(numbers));
    else
        n = snprintf(text, sizeof text, "%s", texts[number_below(numbers, sizeof texts / sizeof *texts)]);
    input_replace(input, value.at, value.n, text, (size_t)n);
}

static void change_values(struct input *input, const struct input *other, struct numbers *numbers)
{
    struct part value = some_value(input, numbers), from = some_value(other, numbers);

    switch (number_below(numbers, 6)) {
    case 0:
        input_replace(input, value.at, value.n, other->bytes + from.at, from.n);
        break;
    case 1:
        from = some_value(input, numbers);
        input_replace(input, value.at, value.n, input->bytes + from.at, from.n);
        break;
    case 2:
        /* With its comma: an element of an array disappears, or comes twice. */
        value.n += value.at + value.n < input->n && input->bytes[value.at + value.n] == ',';
        input_replace(input, value.at, once_in(numbers, 2) ? value.n : 0, input->bytes + value.at,
                      once_in(numbers, 2) ? value.n : 0);
        break;
    default:
        put_value(input, value, numbers);
    }
}

void mutate_lines(struct input *input, const struct input *other, struct numbers *numbers)
{
    if (input->n == 0)
        return;
    if (once_in(numbers, 10))
        mutate_bytes(input, other, numbers);
    else if (once_in(numbers, 4))
        change_lines(input, other, numbers);
    else
        change_values(input, other, numbers);
}

/* ELF files. */

/* A field of a table of n rows. */
static size_t field_of(struct numbers *numbers, uint64_t table, uint64_t row, uint64_t n)
{
    size_t field = row >= 56 && row <= 64 ? 8 * number_below(numbers, row / 8) : number_below(numbers, row);

    return (size_t)(table + row * number_below(numbers, n > 0 && n < 1000 ? n : 1) + field);
}

static struct part table_part(const struct input *input, size_t header, size_t at_offset, size_t at_size)
{
    uint64_t offset = get_number(input, header + at_offset, 8), n = get_number(input, header + at_size, 8);

    if (offset > input->n)
        offset = 0;
    return (struct part){(size_t)offset, n > input->n - offset ? input->n - (size_t)offset : (size_t)n};
}

/* The content of a section, or of a segment. */
static struct part some_content(const struct input *input, struct numbers *numbers)
{
    uint64_t sections = get_number(input, offsetof(Elf64_Ehdr, e_shoff), 8);
    uint64_t segments = get_number(input, offsetof(Elf64_Ehdr, e_phoff), 8);
    size_t n_sections = get_number(input, offsetof(Elf64_Ehdr, e_shnum), 2) % 1000;
    size_t n_segments = get_number(input, offsetof(Elf64_Ehdr, e_phnum), 2) % 1000;

    if (n_sections > 0 && sections < input->n && !once_in(numbers, 5))
        return table_part(input, (size_t)sections + sizeof(Elf64_Shdr) * number_below(numbers, n_sections),
                          offsetof(Elf64_Shdr, sh_offset), offsetof(Elf64_Shdr, sh_size));
    if (n_segments > 0 && segments < input->n)
        return table_part(input, (size_t)segments + sizeof(Elf64_Phdr) * number_below(numbers, n_segments),
                          offsetof(Elf64_Phdr, p_offset), offsetof(Elf64_Phdr, p_filesz));
    return (struct part){0, input->n};
}

/* Changes something in one section: sections that are small are changed as often as large ones. */
static void change_content(struct input *input, struct numbers *numbers)
{
    struct part content = some_content(input, numbers), from = some_content(input, numbers);
    size_t at = content.at + number_below(numbers, content.n), n = some_length(numbers, from.n);

    if (!once_in(numbers, 5))
        change_part(input, content, numbers);
    else if (content.n > 0 && at < input->n && from.at <= input->n && n <= input->n - from.at && n <= input->n - at)
        memmove(input->bytes + at, input->bytes + from.at, n);
}

void mutate_elf(struct input *input, const struct input *other, struct numbers *numbers)
{
    uint64_t sections = get_number(input, offsetof(Elf64_Ehdr, e_shoff), 8);
    uint64_t segments = get_number(input, offsetof(Elf64_Ehdr, e_phoff), 8);
    size_t size = (size_t)1 << (1 + number_below(numbers, 3)), at;

    switch (number_below(numbers, 8)) {
    case 0:
        at = number_below(numbers, sizeof(Elf64_Ehdr));
        break;
    case 1:
        at = field_of(numbers, sections, sizeof(Elf64_Shdr), get_number(input, offsetof(Elf64_Ehdr, e_shnum), 2));
        break;
    case 2:
        at = field_of(numbers, segments, sizeof(Elf64_Phdr), get_number(input, offsetof(Elf64_Ehdr, e_phnum), 2));
        break;
    case 3:
        mutate_bytes(input, other, numbers);
        return;
    default:
        change_content(input, numbers);
        return;
    }
    change_number(input, at, size, numbers);
}
