/*
 * fake_answers.h - all that a debugger can ask of a process, as one number: it shows that nothing has changed in what
 * the DLL makes of many wrong processes, of which no test states one by one what is right. Where the answers are to
 * change, MQD_TEST_ANSWERS=1 lets a sweep print a number for each process before and after: they tell which ones do.
 */
#ifndef FAKE_ANSWERS_H
#define FAKE_ANSWERS_H

#include <stdint.h>

/* Folds the answers about the process of `fake`, which was looked at, into a number. Lists it again, with what is internal. */
void fake_fold_answers(uint64_t *digest);

/* The number of a sweep must be one of those that are known. A program of another kind has other numbers. */
void fake_assert_known(uint64_t digest, const char *what);

#endif
