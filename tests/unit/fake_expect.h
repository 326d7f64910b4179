/*
 * fake_expect.h - what a new look at the job of `fake` shows, as text that a test compares with a pattern. In a pattern
 * * stands for any text within a line, as in a shell.
 *
 * A queue is a line for each operation and, behind what could be read, one for the error:
 *   pending: peer 2, tag 77, 40 bytes at 0x1000; Recv, request recv1; 10 x MPI_INT; posted, waiting for a message
 *   matched: peer -1, any tag, 8 bytes at 0x1000 (system), got peer 3 (5), tag 9, 4 bytes; ...
 *   error: the memory of the process could not be read
 * What was got is left out of pending receives, and where it is what was asked for. In parentheses stands the rank in
 * MPI_COMM_WORLD, if it is another one. Addresses have their names in `fake.names`.
 *
 * A communicator is a line too:
 *   0 MPI_COMM_WORLD, rank 1 of 4: 0 1 2 3
 *   3 torn, rank 0 of 2: error: ...
 */
#ifndef FAKE_EXPECT_H
#define FAKE_EXPECT_H

#include "fake_fixture.h"

/* A queue of a communicator after a new look; the same in the last look. */
#define fake_expect(unique_id, op_class, pattern) (fake_look_well(), fake_expect_still(unique_id, op_class, pattern))
#define fake_expect_still(unique_id, op_class, pattern) \
    fake_match(fake_queue_text(unique_id, op_class), pattern, __FILE__, __LINE__)

/* All communicators after a new look; those that the library made for itself among them, if they are shown. */
#define fake_expect_communicators(pattern) \
    (fake_look_well(), fake_match(fake_communicators_text(), pattern, __FILE__, __LINE__))

/* All that was listed last, as text with names for addresses: equal jobs have equal texts. It is of the test. */
#define LISTING ((char *)of_test(fake_text(&fake.listing, &fake.names)))

/* What these macros are made of. A text is for free(); it is freed by the comparison. */
void fake_look_well(void);
char *fake_queue_text(mqs_taddr_t unique_id, mqs_op_class op_class);
char *fake_communicators_text(void);
void fake_match(char *text, const char *pattern, const char *file, int line);

#endif
