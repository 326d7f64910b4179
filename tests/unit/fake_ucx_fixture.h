/*
 * fake_ucx_fixture.h - what tests of the PML ucx use besides fake_fixture.h: UCX in the process, and contents for it.
 */
#ifndef FAKE_UCX_FIXTURE_H
#define FAKE_UCX_FIXTURE_H

#include "fake_fixture.h"
#include "fake_ucx_messages.h"

/* UCX in the job of `fake`. */
extern struct fake_ucx fake_ucx;

/* A job of 4 processes of this release of Open MPI, with a build of UCX. */
void fake_ucx_begin(const struct fake_build *openmpi, const struct fake_build *build);

/*
 * Adds a receive and a message to MPI_COMM_SELF. Where nothing is posted and nothing has come several tables fit, and
 * disagree about what is not there.
 */
void fake_ucx_decide(void);

/* A build of UCX with Open MPI 4.1. With _setup the layout is decided. */
void fake_ucx_setup_undecided(const struct fake_build *build);
void fake_ucx_setup(const struct fake_build *build);
void fake_ucx_setup_populated(const struct fake_build *build);

/*
 * Adds receives, sends and messages of all kinds that the build can have. All numbers are different, so that every
 * wrong offset shows. Each address in the listing gets a name: listings of all builds have equal texts.
 */
void fake_ucx_populate(struct fake_names *names);

#endif
