/*
 * fake_ucx_build.h - builds of UCX for the tests. Those of this file are the compiler's view of the structures in
 * fake_ucx_mirror.h; fake_ucx_of_table makes one of a generated table instead, so that every table can be tested.
 */
#ifndef FAKE_UCX_BUILD_H
#define FAKE_UCX_BUILD_H

#include "fake_build.h"
#include "layout/layout.h"

#define FAKE_UCX_TYPE(type) FAKE_UCX_TYPE_##type,
#define FAKE_UCX_MEMBER(type, member, way)
#define FAKE_UCX_NO_MEMBER(type, member)
#define FAKE_UCX_CONSTANT(name, value)
#define FAKE_UCX_NO_CONSTANT(name)
enum fake_ucx_type {
#include "fake_ucx_members.h"
    FAKE_UCX_N_TYPES
};
#undef FAKE_UCX_TYPE
#undef FAKE_UCX_MEMBER
#undef FAKE_UCX_NO_MEMBER
#undef FAKE_UCX_CONSTANT
#undef FAKE_UCX_NO_CONSTANT

#define FAKE_UCX_TYPE(type)
#define FAKE_UCX_MEMBER(type, member, way) FAKE_UCX_MEMBER_##type##__##member,
#define FAKE_UCX_NO_MEMBER(type, member) FAKE_UCX_MEMBER_##type##__##member,
#define FAKE_UCX_CONSTANT(name, value)
#define FAKE_UCX_NO_CONSTANT(name)
enum fake_ucx_member {
#include "fake_ucx_members.h"
    FAKE_UCX_N_MEMBERS
};
#undef FAKE_UCX_MEMBER
#undef FAKE_UCX_NO_MEMBER
#undef FAKE_UCX_CONSTANT
#undef FAKE_UCX_NO_CONSTANT

#define FAKE_UCX_MEMBER(type, member, way)
#define FAKE_UCX_NO_MEMBER(type, member)
#define FAKE_UCX_CONSTANT(name, value) FAKE_UCX_CONSTANT_##name,
#define FAKE_UCX_NO_CONSTANT(name) FAKE_UCX_CONSTANT_##name,
enum fake_ucx_constant {
#include "fake_ucx_members.h"
    FAKE_UCX_N_CONSTANTS
};
#undef FAKE_UCX_TYPE
#undef FAKE_UCX_MEMBER
#undef FAKE_UCX_NO_MEMBER
#undef FAKE_UCX_CONSTANT
#undef FAKE_UCX_NO_CONSTANT

/* One build of UCX. The offset of a member that it does not have is FAKE_ABSENT. */
struct fake_ucx_build {
    const char *version;    /* "1.13.1" */
    const char *variant;    /* as in tables: "assert debug-data" */
    size_t sizes[FAKE_UCX_N_TYPES];
    struct {
        size_t offset, size;
    } places[FAKE_UCX_N_MEMBERS];
    struct {
        bool present;
        uint64_t value;
    } constants[FAKE_UCX_N_CONSTANTS];
};

/* x86_64; without a variant in its name: a release build. */
extern const struct fake_ucx_build fake_ucx_106, fake_ucx_110, fake_ucx_113, fake_ucx_113_assert, fake_ucx_113_data,
    fake_ucx_113_assert_data, fake_ucx_118, fake_ucx_118_assert, fake_ucx_122;

enum { FAKE_N_UCX_BUILDS = 9 };
extern const struct fake_ucx_build *const fake_ucx_builds[FAKE_N_UCX_BUILDS];

/* Is this one of the variants that a table names? */
bool fake_ucx_has_variant(const char *variants, const char *variant);

/* The table of a build; NULL if this DLL has none. */
const struct mqd_table *fake_ucx_table(const struct fake_ucx_build *build);

/* What a table says, as a build. Offsets are taken by the names of types and members, and nothing is added up. */
struct fake_ucx_build fake_ucx_of_table(const struct mqd_table *table);

#endif
