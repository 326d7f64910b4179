/*
 * fake_define.h - defines one struct fake_build: a template, included by fake_build.c once for each, with
 *   FAKE_BUILD     the variable's name
 *   FAKE_RELEASES, FAKE_FAMILY   which releases have this layout: "4.1.0-4.1.8"; the first of them as a number: 410
 *   FAKE_VERSION   one of them
 *   FAKE_ARCH, FAKE_POINTER, FAKE_LITTLE, FAKE_PTR, FAKE_U64, FAKE_CAS128   the machine; see fake_mirror.h
 *   FAKE_DEBUG, FAKE_ENDPOINTS   how it was configured; FAKE_CUSTOM too, unless it is 0
 * What differs from one build to the next of the same machine is undefined again.
 */
#define FAKE_NAME(type) FAKE_PASTE(FAKE_BUILD, type)
#ifndef FAKE_CUSTOM
#define FAKE_CUSTOM 0
#endif
#include "fake_mirror.h"

const struct fake_build FAKE_BUILD = {
    .name = FAKE_RELEASES " " FAKE_ARCH,
    .version = FAKE_VERSION,
    .releases = FAKE_RELEASES,
    .family = FAKE_FAMILY,
    .variant = FAKE_DEBUG         ? "debug"
               : FAKE_CUSTOM == 1 ? "release no-ft matching-default"
               : FAKE_CUSTOM == 2 ? "release no-ft matching-arrays"
               : FAKE_CUSTOM == 3 ? "release no-ft matching-fuzzy"
               : FAKE_CUSTOM == 4 ? "release no-ft matching-vector"
                                  : "release",
    .custom_matching = FAKE_CUSTOM,
    .arch = FAKE_ARCH,
    .pointer_size = FAKE_POINTER,
    .long_size = FAKE_POINTER,
    .little_endian = FAKE_LITTLE,
    .types = {
#define FAKE_TYPE(type, descriptor) { #type, FAKE_HAS_##descriptor, sizeof(FAKE_NAME(type)) },
#define FAKE_NO_TYPE(type, descriptor) { #type, FAKE_HAS_##descriptor, 0 },
#define FAKE_MEMBER(type, member)
#define FAKE_NESTED(type, member, way)
#define FAKE_NO_MEMBER(type, member)
#include "fake_members.h"
#undef FAKE_TYPE
#undef FAKE_NO_TYPE
#undef FAKE_MEMBER
#undef FAKE_NESTED
#undef FAKE_NO_MEMBER
    },
    .members = {
#define FAKE_TYPE(type, descriptor)
#define FAKE_NO_TYPE(type, descriptor)
#define FAKE_MEMBER(type, member) \
    { #member, FAKE_TYPE_##type, offsetof(FAKE_NAME(type), member), sizeof(((FAKE_NAME(type) *)0)->member), false },
#define FAKE_NESTED(type, member, way) \
    { #member, FAKE_TYPE_##type, offsetof(FAKE_NAME(type), way), sizeof(((FAKE_NAME(type) *)0)->way), true },
#define FAKE_NO_MEMBER(type, member) { #member, FAKE_TYPE_##type, FAKE_ABSENT, 0, false },
#include "fake_members.h"
#undef FAKE_TYPE
#undef FAKE_NO_TYPE
#undef FAKE_MEMBER
#undef FAKE_NESTED
#undef FAKE_NO_MEMBER
    },
};

#undef FAKE_NAME
#undef FAKE_BUILD
#undef FAKE_RELEASES
#undef FAKE_FAMILY
#undef FAKE_VERSION
#undef FAKE_DEBUG
#undef FAKE_CUSTOM
#undef FAKE_ENDPOINTS
