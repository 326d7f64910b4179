/*
 * fake_test.h - what tests of the DLL are written with: CMocka, and short names for the parts of the fixture.
 */
#ifndef FAKE_TEST_H
#define FAKE_TEST_H

#include "fake_expect.h"
#include "fake_ucx_fixture.h"
#include "suite.h"

#define JOB (&fake.job)
#define UCX (&fake_ucx)
#define IMAGE (&fake.job.image)
#define HOST (&fake.host)
#define PROCESS (&fake.host.process)
#define EXTENSION ompi_mqd_extension(1)

/* Members of objects of Open MPI and of UCX. */
#define PUT(object, type, member, value) FAKE_PUT(IMAGE, object, type, member, value)
#define GET(object, type, member) FAKE_GET(IMAGE, object, type, member)
#define AT(object, type, member) FAKE_AT(IMAGE, object, type, member)

/* Releases on machines of all widths and byte orders; those that have MPI_Session_init. */
#define FAKE_MACHINES \
    &fake_release, &fake_release_507, &fake_release_60, &fake_i386, &fake_s390x, &fake_s390x_507
#define FAKE_WITH_SESSIONS &fake_release_50, &fake_release_507, &fake_release_60, &fake_s390x_507

#endif
