/*
 * fake_ucx_build.h - builds of UCX for the tests. Those of this file are the compiler's view of the structures in
 * fake_ucx_mirror.h; fake_ucx_of_table makes one of a generated table instead, so that every table can be tested.
 */
#ifndef FAKE_UCX_BUILD_H
#define FAKE_UCX_BUILD_H

#include "fake_build.h"

/* x86_64; without a variant in its name: a release build. */
extern const struct fake_build fake_ucx_106, fake_ucx_110, fake_ucx_113, fake_ucx_113_assert, fake_ucx_113_data,
    fake_ucx_113_assert_data, fake_ucx_118, fake_ucx_118_assert, fake_ucx_122;

enum { FAKE_N_UCX_BUILDS = 9 };
extern const struct fake_build *const fake_ucx_builds[FAKE_N_UCX_BUILDS];

/* Is this one of the variants that a table names? */
bool fake_ucx_has_variant(const char *variants, const char *variant);

/* The table of a build, of UCX or of Open MPI, among n; a test without one ends. */
const struct mqd_table *fake_table(const struct fake_build *build, const struct mqd_table *const *tables, size_t n);

/* What a table says, as a build. Offsets are taken one by one, and nothing is added up. */
struct fake_build fake_ucx_of_table(const struct mqd_table *table);

#endif
