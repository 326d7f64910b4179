/*
 * fake_ucx_define.h - defines one struct fake_ucx_build: a template, included by fake_ucx_build.c once for each, with
 *   FAKE_UCX_BUILD   the variable's name
 *   FAKE_UCX_RELEASE, FAKE_UCX_FAMILY   the release, and as a number: 113
 *   FAKE_UCX_ASSERT, FAKE_UCX_DEBUG_DATA   how it was configured
 * All of these are undefined again.
 */
#define FAKE_UCX_NAME(type) FAKE_UCX_PASTE(FAKE_UCX_BUILD, type)
#include "fake_ucx_mirror.h"

const struct fake_ucx_build FAKE_UCX_BUILD = {
    .version = FAKE_UCX_RELEASE,
    .variant = FAKE_UCX_ASSERT ? FAKE_UCX_DEBUG_DATA ? "assert debug-data" : "assert"
               : FAKE_UCX_DEBUG_DATA ? "debug-data"
                                     : "release",
    .sizes = {
#define FAKE_UCX_TYPE(type) sizeof(FAKE_UCX_NAME(type)),
#define FAKE_UCX_MEMBER(type, member, way)
#define FAKE_UCX_NO_MEMBER(type, member)
#define FAKE_UCX_CONSTANT(name, value)
#define FAKE_UCX_NO_CONSTANT(name)
#include "fake_ucx_members.h"
#undef FAKE_UCX_TYPE
#undef FAKE_UCX_MEMBER
#undef FAKE_UCX_NO_MEMBER
    },
    .places = {
#define FAKE_UCX_TYPE(type)
#define FAKE_UCX_MEMBER(type, member, way) \
    { offsetof(FAKE_UCX_NAME(type), way), sizeof(((FAKE_UCX_NAME(type) *)0)->way) },
#define FAKE_UCX_NO_MEMBER(type, member) { FAKE_ABSENT, 0 },
#include "fake_ucx_members.h"
#undef FAKE_UCX_MEMBER
#undef FAKE_UCX_NO_MEMBER
#undef FAKE_UCX_CONSTANT
#undef FAKE_UCX_NO_CONSTANT
    },
    .constants = {
#define FAKE_UCX_MEMBER(type, member, way)
#define FAKE_UCX_NO_MEMBER(type, member)
#define FAKE_UCX_CONSTANT(name, value) { true, value },
#define FAKE_UCX_NO_CONSTANT(name) { false, 0 },
#include "fake_ucx_members.h"
#undef FAKE_UCX_TYPE
#undef FAKE_UCX_MEMBER
#undef FAKE_UCX_NO_MEMBER
#undef FAKE_UCX_CONSTANT
#undef FAKE_UCX_NO_CONSTANT
    },
};

#undef FAKE_UCX_NAME
#undef FAKE_UCX_BUILD
#undef FAKE_UCX_RELEASE
#undef FAKE_UCX_FAMILY
#undef FAKE_UCX_ASSERT
#undef FAKE_UCX_DEBUG_DATA
