/*
 * fake_define.h - defines one struct fake_build: a template, which fake_build.c and fake_ucx_build.c include once for
 * each. They define what all their builds have in common. Each has
 *   FAKE_BUILD     the variable's name
 *   FAKE_FAMILY    the first release that has this layout, as a number: 410
 *   how it was configured, as far as it is not 0: FAKE_DEBUG, FAKE_CUSTOM; of UCX FAKE_ASSERT, FAKE_DEBUG_DATA
 * All these are undefined again.
 */
#ifndef FAKE_DEBUG
#define FAKE_DEBUG 0
#endif
#ifndef FAKE_CUSTOM
#define FAKE_CUSTOM 0
#endif
#ifndef FAKE_ASSERT
#define FAKE_ASSERT 0
#endif
#ifndef FAKE_DEBUG_DATA
#define FAKE_DEBUG_DATA 0
#endif
#define FAKE_NAME(type) FAKE_PASTE(FAKE_PASTE(FAKE_BUILD, _), type)
#include FAKE_MIRROR

const struct fake_build FAKE_BUILD = {
    .name = FAKE_PASTE(FAKE_RELEASES_, FAKE_FAMILY) " " FAKE_ARCH,
    .version = FAKE_PASTE(FAKE_VERSION_, FAKE_FAMILY),
    .releases = FAKE_PASTE(FAKE_RELEASES_, FAKE_FAMILY),
    .family = FAKE_FAMILY,
    .variant = FAKE_VARIANT,
    .custom_matching = FAKE_CUSTOM,
    .arch = FAKE_ARCH,
    .pointer_size = FAKE_POINTER,
    .long_size = FAKE_POINTER,
    .little_endian = FAKE_LITTLE,
    .constants = FAKE_CONSTANTS,
    .types = {
#define FAKE_TYPE(library, type, descriptor) { #type, FAKE_HAS_##descriptor, FAKE_SIZE_##library(type) },
#include "fake_members.h"
    },
    .members = {
#define FAKE_MEMBER(library, type, member, nested) \
    { #member, FAKE_TYPE_##type, FAKE_PLACE_##library(type, member), nested },
#include "fake_members.h"
    },
};

#undef FAKE_NAME
#undef FAKE_BUILD
#undef FAKE_FAMILY
#undef FAKE_DEBUG
#undef FAKE_CUSTOM
#undef FAKE_ASSERT
#undef FAKE_DEBUG_DATA
