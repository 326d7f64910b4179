/*
 * fake_fixture.h - what each test of the DLL uses: a job, a debugger that reads it, and the last listing.
 */
#ifndef FAKE_FIXTURE_H
#define FAKE_FIXTURE_H

#include "fake_content.h"

struct fake_fixture {
    struct fake_job job;
    struct fake_names names;
    struct fake_host host;
    struct fake_listing listing;
    struct fake_listing truth;     /* see fake_know_truth */
    bool opened;
};

/* Makes a job after MPI_Init and a debugger that has not read it yet. */
void fake_begin(struct fake_fixture *fixture, const struct fake_options *options);

/* The same before MPI_Init. */
void fake_begin_early(struct fake_fixture *fixture, const struct fake_options *options);

/* The same after MPI_Init, and populated. */
void fake_begin_populated(struct fake_fixture *fixture, const struct fake_options *options);

/* Lets the debugger list the job; the first time it sets everything up before. Returns the first code but mqs_ok. */
int fake_look(struct fake_fixture *fixture);

/* The same with a new set-up: nothing that was found before is used. */
int fake_look_anew(struct fake_fixture *fixture);

/* Looks, and keeps the listing as the truth about the job for fake_judge. */
void fake_know_truth(struct fake_fixture *fixture);

/* Returns 0 if the DLL has broken no rule and has released all memory; else prints the violations on stderr. */
int fake_end(struct fake_fixture *fixture);

/* A queue of the last look: an empty one if the communicator was not listed. */
const struct fake_queue *fake_queue(const struct fake_fixture *fixture, mqs_taddr_t unique_id, mqs_op_class op_class);

/* The n operations of a queue of MPI_COMM_WORLD in a new look, all of which must be readable; with tags from one on. */
const mqs_pending_operation *fake_operations(mqs_op_class op_class, size_t n);
const mqs_pending_operation *fake_tagged(mqs_op_class op_class, size_t n, mqs_tword_t first);

/* Updates the list, and makes a communicator current, Open MPI's own too; and the first operation of its queue. */
void fake_go_to(mqs_taddr_t unique_id);
void fake_go_to_operation(mqs_taddr_t unique_id, mqs_op_class op_class);

/* The n-th operation of a queue of the first communicator in the last look, from 0, and all that is said of it. */
struct fake_described {
    struct mqd_operation_description is;
    struct mqd_unknown_description unknown;
    mqs_taddr_t waiter, send;
};
struct fake_described fake_described(mqs_op_class op_class, unsigned n);

/* What the DLL says of the layout of `fake`, whose process it knows. */
struct mqd_layout_summary fake_summary(void);

/* The result of the probe of that name: "passed". */
const char *fake_probe_result(const char *name);

/* A page of `fake` that cannot be read. */
fake_ta fake_hidden_page(void);

/*
 * The fixture that all tests of a program use in turn: a job of that build, of 4.1 for x86_64 if it is NULL. What was
 * there before is ended.
 */
extern struct fake_fixture fake;
void fake_setup(const struct fake_build *build);
int fake_teardown(void);

/* The same before MPI_Init; the same populated, and the truth about it. */
void fake_setup_early(const struct fake_build *build);
void fake_setup_populated(const struct fake_build *build);

#endif
