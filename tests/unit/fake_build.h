/*
 * fake_build.h - builds of Open MPI for the tests: sizes and offsets of its objects, which the compiler takes from the
 * structures in fake_mirror.h. Which types and members there are is known from the lists. Nothing here uses the tables
 * or the code that reads them.
 */
#ifndef FAKE_BUILD_H
#define FAKE_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layout/layout.h"

/* The first ones have the numbers of layout.h. */
enum fake_type {
#define FAKE_TYPE(library, type, descriptor) FAKE_TYPE_##type,
#include "fake_members.h"
    FAKE_N_TYPES
};

enum fake_member {
#define FAKE_MEMBER(library, type, member, nested) FAKE_MEMBER_##type##__##member,
#include "fake_members.h"
    FAKE_N_MEMBERS
};

/* The offset of a member that a build does not have. */
#define FAKE_ABSENT ((size_t)-1)

struct fake_type_info {
    const char *name;
    bool has_class;         /* Open MPI keeps a class descriptor of it */
    size_t size;            /* 0: this build does not have it */
};

struct fake_member_info {
    const char *name;
    enum fake_type type;
    size_t offset, size;
    bool nested;            /* its name is this list's: no debugger knows it */
};

/* One build of Open MPI or of UCX: its release, its machine, its structures. It has no types of the other library. */
struct fake_build {
    const char *name;
    const char *version;    /* "4.1.4" */
    const char *releases;   /* that have the same structures: "4.1.0-4.1.8" */
    int family;             /* the first of them: 410 */
    const char *variant, *arch;
    size_t pointer_size, long_size;
    bool little_endian;
    bool custom_matching;
    const struct mqd_constant *constants;   /* of UCX */
    struct fake_type_info types[FAKE_N_TYPES];
    struct fake_member_info members[FAKE_N_MEMBERS];
};

/*
 * x86_64 as any default configure makes them, two configured with --enable-debug and four with custom matching
 * (default, arrays, fuzzy, vector); without a number: 4.1. s390x is big-endian, i386 has pointers of 4 bytes.
 */
extern const struct fake_build fake_release, fake_debug, fake_release_31, fake_release_40, fake_release_50,
    fake_release_507, fake_debug_507, fake_custom_507, fake_arrays_507, fake_fuzzy_507, fake_vector_507,
    fake_release_60, fake_s390x, fake_s390x_507, fake_i386, fake_i386_31, fake_i386_40;

/* All of them, fake_release first. */
enum { FAKE_N_BUILDS = 17 };
extern const struct fake_build *const fake_builds[FAKE_N_BUILDS];

/* Is this family, "4.1.0-4.1.9", the build's? It may have grown by releases since the build was mirrored. */
bool fake_is_of_family(const struct fake_build *build, const char *family);

/* The type or member of that name, FAKE_N_TYPES or FAKE_N_MEMBERS if there is none in any build. */
enum fake_type fake_type_named(const char *name);
enum fake_member fake_member_named(enum fake_type type, const char *name);

#endif
