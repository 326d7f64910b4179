/*
 * fake_sweep.h - sweeps over a populated process in which something is wrong: each word, each read, each allocation.
 * The functions are tests for suite.h. Their fixture is `fake`, populated, with the truth about it
 * (fake_setup_populated, fake_ucx_setup_populated).
 *
 * A sweep takes strides, so that a test of the DLL takes a second or two. MQD_TEST_WHOLE in the environment makes it
 * leave out nothing; MQD_TEST_SLOW, under valgrind, makes it leave out more.
 */
#ifndef FAKE_SWEEP_H
#define FAKE_SWEEP_H

#include "fake_fixture.h"

/* How many of something one is taken of, if it is normally one of n. */
unsigned fake_stride(unsigned n);

/* The process is set up anew and looked at: the interface is kept, and no walk is without end. */
void fake_assert_no_harm(void);

/* After a new set-up the queue of MPI_COMM_WORLD tells an error, at once or after what could be read. */
void fake_assert_tells(mqs_op_class op_class);

/* So it does with each of these values in the object, one at a time. */
struct fake_wrong {
    enum fake_member member;
    uint64_t value;
};
void fake_assert_each_tells(fake_ta object, const struct fake_wrong *wrong, size_t n, mqs_op_class op_class);

/* Memory is corrupt: one word at a time, or several. The words are of all members, and of what has no name. */
void no_single_corrupt_word_does_harm(const struct fake_build *build);
void corrupt_words_together_do_no_harm(const struct fake_build *build);

/* One read fails, or all from one on; so do allocations. What is missing then is told, and nothing false is listed.
 * Of a read the reason is the debugger's own. */
void each_read_may_fail(const struct fake_build *build);
void all_reads_may_fail_from_any_one_on(const struct fake_build *build);
void each_allocation_may_fail(const struct fake_build *build);
void all_allocations_may_fail_from_any_one_on(const struct fake_build *build);

/* find_send with any address: no output is touched, and nothing is made up. */
void any_address_may_be_looked_for(const struct fake_build *build);

#endif
