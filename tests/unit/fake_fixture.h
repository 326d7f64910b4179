/*
 * fake_fixture.h - what each test of the DLL stands on: a job, a debugger that looks at it, and what it has seen.
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

/* A job after MPI_Init (options NULL: the default one) and a debugger that has not looked at it yet. */
void fake_begin(struct fake_fixture *fixture, const struct fake_options *options);

/* The same before MPI_Init. */
void fake_begin_early(struct fake_fixture *fixture, const struct fake_options *options);

/* The same after MPI_Init, and populated. */
void fake_begin_populated(struct fake_fixture *fixture, const struct fake_options *options);

/* Lets the debugger look: the first time it sets everything up, then it lists. The first code that is not mqs_ok. */
int fake_look(struct fake_fixture *fixture);

/* The same from the very start: nothing learnt before helps. */
int fake_look_anew(struct fake_fixture *fixture);

/* Looks, and keeps that as the truth about the job for fake_judge. What fake_look returned. */
int fake_know_truth(struct fake_fixture *fixture);

/* 0 if the DLL has kept the rules until the end, what it allocated freed; else what it broke goes to stderr. */
int fake_end(struct fake_fixture *fixture);

/* A queue of the last look: an empty one if the communicator was not listed. */
const struct fake_queue *fake_queue(const struct fake_fixture *fixture, mqs_taddr_t unique_id, mqs_op_class op_class);

/* For cmocka: a fixture that all tests of a program use in turn. */
extern struct fake_fixture fake;
int fake_setup(void **state);
int fake_setup_early(void **state);
int fake_teardown(void **state);

/* The state is a struct fake_build: a populated job of that build, and the truth about it. */
int fake_setup_populated(void **state);

#endif
