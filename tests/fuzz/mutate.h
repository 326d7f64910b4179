/*
 * mutate.h - changes inputs at random: bytes, the lines and values of records, the fields of ELF files.
 *
 * Everything follows from the numbers: equal numbers make equal inputs on every machine.
 */
#ifndef TESTS_FUZZ_MUTATE_H
#define TESTS_FUZZ_MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Inputs do not grow beyond this. */
enum { MAX_INPUT = 256 * 1024 };

/* A sequence of numbers. */
struct numbers {
    uint64_t state;
};

/* The sequence of the i-th input of a seed. */
struct numbers numbers_of(uint64_t seed, uint64_t i);
uint64_t next_number(struct numbers *numbers);

/* A number below n, which must not be 0; 0 if it is. True once in n times. */
size_t number_below(struct numbers *numbers, size_t n);
bool once_in(struct numbers *numbers, size_t n);

/* A number that programs get wrong: a limit of some type, or near one, or a small one. */
uint64_t awkward_number(struct numbers *numbers);

struct input {
    unsigned char *bytes;              /* for free() */
    size_t n;
};

struct input input_copy(const unsigned char *bytes, size_t n);

/* Puts n bytes in place of n_old at a position. */
void input_replace(struct input *input, size_t at, size_t n_old, const void *bytes, size_t n);

/* Each changes one thing. `other` is an input from which parts may be taken. */
typedef void mutation(struct input *input, const struct input *other, struct numbers *numbers);
mutation mutate_bytes, mutate_lines, mutate_elf;

#endif
