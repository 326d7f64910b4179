#include "fake_build.h"

#include <string.h>

#define FAKE_PTR uint64_t

#define FAKE_NAME(type) release_##type
#define FAKE_DEBUG 0
#include "fake_mirror.h"
#undef FAKE_NAME
#undef FAKE_DEBUG

#define FAKE_NAME(type) debug_##type
#define FAKE_DEBUG 1
#include "fake_mirror.h"
#undef FAKE_NAME
#undef FAKE_DEBUG

enum { FAKE_HAS_plain, FAKE_HAS_class };

const struct fake_build fake_release = {
    .name = "4.1 x86_64 release",
    .pointer_size = 8,
    .long_size = 8,
    .little_endian = true,
    .types = {
#define FAKE_TYPE(type, descriptor) { #type, FAKE_HAS_##descriptor, sizeof(release_##type) },
#define FAKE_MEMBER(type, member)
#include "fake_members.h"
#undef FAKE_TYPE
#undef FAKE_MEMBER
    },
    .members = {
#define FAKE_TYPE(type, descriptor)
#define FAKE_MEMBER(type, member) \
    { #member, FAKE_TYPE_##type, offsetof(release_##type, member), sizeof(((release_##type *)0)->member) },
#include "fake_members.h"
#undef FAKE_TYPE
#undef FAKE_MEMBER
    },
};

const struct fake_build fake_debug = {
    .name = "4.1 x86_64 debug",
    .pointer_size = 8,
    .long_size = 8,
    .little_endian = true,
    .types = {
#define FAKE_TYPE(type, descriptor) { #type, FAKE_HAS_##descriptor, sizeof(debug_##type) },
#define FAKE_MEMBER(type, member)
#include "fake_members.h"
#undef FAKE_TYPE
#undef FAKE_MEMBER
    },
    .members = {
#define FAKE_TYPE(type, descriptor)
#define FAKE_MEMBER(type, member) \
    { #member, FAKE_TYPE_##type, offsetof(debug_##type, member), sizeof(((debug_##type *)0)->member) },
#include "fake_members.h"
#undef FAKE_TYPE
#undef FAKE_MEMBER
    },
};

enum fake_type fake_type_named(const char *name)
{
    int type = 0;

    while (type < FAKE_N_TYPES && strcmp(fake_release.types[type].name, name) != 0)
        type++;
    return (enum fake_type)type;
}

enum fake_member fake_member_named(enum fake_type type, const char *name)
{
    int member = 0;

    while (member < FAKE_N_MEMBERS
           && (fake_release.members[member].type != type || strcmp(fake_release.members[member].name, name) != 0))
        member++;
    return (enum fake_member)member;
}
