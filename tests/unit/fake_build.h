/*
 * fake_build.h - builds of Open MPI for the tests: what lies where in its objects, as the compiler says of the
 * structures in fake_mirror.h. Nothing here knows the tables or the code that reads them.
 */
#ifndef FAKE_BUILD_H
#define FAKE_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fake_type {
#define FAKE_TYPE(type, descriptor) FAKE_TYPE_##type,
#define FAKE_MEMBER(type, member)
#include "fake_members.h"
#undef FAKE_TYPE
#undef FAKE_MEMBER
    FAKE_N_TYPES
};

enum fake_member {
#define FAKE_TYPE(type, descriptor)
#define FAKE_MEMBER(type, member) FAKE_MEMBER_##type##__##member,
#include "fake_members.h"
#undef FAKE_TYPE
#undef FAKE_MEMBER
    FAKE_N_MEMBERS
};

struct fake_type_info {
    const char *name;
    bool has_class;         /* Open MPI keeps a class descriptor of it */
    size_t size;
};

struct fake_member_info {
    const char *name;
    enum fake_type type;
    size_t offset, size;
};

/* One build of Open MPI: its byte order, its pointers, its structures. */
struct fake_build {
    const char *name;
    size_t pointer_size, long_size;
    bool little_endian;
    struct fake_type_info types[FAKE_N_TYPES];
    struct fake_member_info members[FAKE_N_MEMBERS];
};

/* 4.1 for x86_64, as Debian and any default configure make it, and the same configured with --enable-debug. */
extern const struct fake_build fake_release;
extern const struct fake_build fake_debug;

/* The type or member of that name, FAKE_N_TYPES or FAKE_N_MEMBERS if there is none. */
enum fake_type fake_type_named(const char *name);
enum fake_member fake_member_named(enum fake_type type, const char *name);

#endif
