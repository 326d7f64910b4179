/*
 * fuzz.h - runs a harness on many inputs, which are made at random from a seed.
 *
 * Inputs run in a child. If one ends the child, takes too long or too much memory, its seed and number are reported, it
 * is written to a file of the current directory, and a new child goes on with the next.
 *
 *     HARNESS [--seed N] [--seconds S] [--count N] [--first N] [FILE...]
 *
 * The files run first, as they are. They are also what the others are made of, with what the harness adds. Without
 * limits only the files run. The last line counts the inputs in the form that tests/count.py reads. Exit status 1 if
 * any did harm.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include "tests/fuzz/mutate.h"

struct harness {
    const char *name;
    /* Makes what all inputs have in common, once; may call fuzz_add. NULL: nothing. */
    void (*begin)(void);
    /* Makes the i-th input of two that there are, of which the first was copied. NULL: it is mutated. */
    void (*make)(struct input *input, const struct input *other, uint64_t i, struct numbers *numbers);
    mutation *mutate;
    /* Uses an input. */
    void (*run)(const unsigned char *bytes, size_t n);
};

int fuzz_main(const struct harness *harness, int argc, char **argv);

/* One more input to make others of. The bytes are copied. */
void fuzz_add(const void *bytes, size_t n);

uint64_t fuzz_seed(void);

/* Files. What cannot be read or written ends the program. The bytes are for free(). */
struct input fuzz_read(const char *path);
void fuzz_write(const char *path, const void *bytes, size_t n);

/* A directory of this run, which is empty at first and removed at the end. */
const char *fuzz_directory(void);

/* Reports that something is not as it has to be, and ends the child. */
_Noreturn void fuzz_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
