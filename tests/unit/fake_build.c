#include "fake_build.h"

#include <string.h>

enum { FAKE_HAS_plain, FAKE_HAS_class };

#define FAKE_PASTE(build, type) FAKE_PASTE_EXPANDED(build, type)
#define FAKE_PASTE_EXPANDED(build, type) build##_##type

/* Numbers of 8 bytes as the targets align them, whatever this machine does: with i386 at 4. */
typedef uint64_t u64_at_8 __attribute__((aligned(8)));
typedef uint64_t u64_at_4 __attribute__((aligned(4)));

#define FAKE_ARCH "x86_64"
#define FAKE_POINTER 8
#define FAKE_LITTLE true
#define FAKE_PTR u64_at_8
#define FAKE_U64 u64_at_8
#define FAKE_CAS128 1

#define FAKE_BUILD fake_release_31
#define FAKE_RELEASES "3.1.0-3.1.6"
#define FAKE_FAMILY 310
#define FAKE_VERSION "3.1.6"
#define FAKE_DEBUG 0
#define FAKE_ENDPOINTS 4
#include "fake_define.h"

#define FAKE_BUILD fake_release_40
#define FAKE_RELEASES "4.0.1-4.0.7"
#define FAKE_FAMILY 401
#define FAKE_VERSION "4.0.7"
#define FAKE_DEBUG 0
#define FAKE_ENDPOINTS 4
#include "fake_define.h"

#define FAKE_BUILD fake_release
#define FAKE_RELEASES "4.1.0-4.1.8"
#define FAKE_FAMILY 410
#define FAKE_VERSION "4.1.4"
#define FAKE_DEBUG 0
#define FAKE_ENDPOINTS 4
#include "fake_define.h"

#define FAKE_BUILD fake_debug
#define FAKE_RELEASES "4.1.0-4.1.8"
#define FAKE_FAMILY 410
#define FAKE_VERSION "4.1.4"
#define FAKE_DEBUG 1
#define FAKE_ENDPOINTS 4
#include "fake_define.h"

#define FAKE_BUILD fake_release_50
#define FAKE_RELEASES "5.0.0-5.0.6"
#define FAKE_FAMILY 500
#define FAKE_VERSION "5.0.6"
#define FAKE_DEBUG 0
#define FAKE_ENDPOINTS 4
#include "fake_define.h"

#define FAKE_BUILD fake_release_507
#define FAKE_RELEASES "5.0.7-5.0.10"
#define FAKE_FAMILY 507
#define FAKE_VERSION "5.0.7"
#define FAKE_DEBUG 0
#define FAKE_ENDPOINTS 4
#include "fake_define.h"

#define FAKE_BUILD fake_custom_507
#define FAKE_RELEASES "5.0.7-5.0.10"
#define FAKE_FAMILY 507
#define FAKE_VERSION "5.0.7"
#define FAKE_DEBUG 0
#define FAKE_CUSTOM 1
#define FAKE_ENDPOINTS 4
#include "fake_define.h"

#define FAKE_BUILD fake_arrays_507
#define FAKE_RELEASES "5.0.7-5.0.10"
#define FAKE_FAMILY 507
#define FAKE_VERSION "5.0.7"
#define FAKE_DEBUG 0
#define FAKE_CUSTOM 2
#define FAKE_ENDPOINTS 4
#include "fake_define.h"

#define FAKE_BUILD fake_fuzzy_507
#define FAKE_RELEASES "5.0.7-5.0.10"
#define FAKE_FAMILY 507
#define FAKE_VERSION "5.0.7"
#define FAKE_DEBUG 0
#define FAKE_CUSTOM 3
#define FAKE_ENDPOINTS 4
#include "fake_define.h"

#define FAKE_BUILD fake_vector_507
#define FAKE_RELEASES "5.0.7-5.0.10"
#define FAKE_FAMILY 507
#define FAKE_VERSION "5.0.7"
#define FAKE_DEBUG 0
#define FAKE_CUSTOM 4
#define FAKE_ENDPOINTS 4
#include "fake_define.h"

#define FAKE_BUILD fake_debug_507
#define FAKE_RELEASES "5.0.7-5.0.10"
#define FAKE_FAMILY 507
#define FAKE_VERSION "5.0.7"
#define FAKE_DEBUG 1
#define FAKE_ENDPOINTS 4
#include "fake_define.h"

#define FAKE_BUILD fake_release_60
#define FAKE_RELEASES "6.0.0-6.0.0"
#define FAKE_FAMILY 600
#define FAKE_VERSION "6.0.0"
#define FAKE_DEBUG 0
#define FAKE_ENDPOINTS 5
#include "fake_define.h"

#undef FAKE_ARCH
#undef FAKE_LITTLE
#undef FAKE_CAS128
#define FAKE_ARCH "s390x"
#define FAKE_LITTLE false
#define FAKE_CAS128 0

#define FAKE_BUILD fake_s390x
#define FAKE_RELEASES "4.1.0-4.1.8"
#define FAKE_FAMILY 410
#define FAKE_VERSION "4.1.4"
#define FAKE_DEBUG 0
#define FAKE_ENDPOINTS 2
#include "fake_define.h"

#define FAKE_BUILD fake_s390x_507
#define FAKE_RELEASES "5.0.7-5.0.8"
#define FAKE_FAMILY 507
#define FAKE_VERSION "5.0.7"
#define FAKE_DEBUG 0
#define FAKE_ENDPOINTS 2
#include "fake_define.h"

#undef FAKE_ARCH
#undef FAKE_POINTER
#undef FAKE_LITTLE
#undef FAKE_PTR
#undef FAKE_U64
#define FAKE_ARCH "i386"
#define FAKE_POINTER 4
#define FAKE_LITTLE true
#define FAKE_PTR uint32_t
#define FAKE_U64 u64_at_4

#define FAKE_BUILD fake_i386_31
#define FAKE_RELEASES "3.1.0-3.1.6"
#define FAKE_FAMILY 310
#define FAKE_VERSION "3.1.6"
#define FAKE_DEBUG 0
#define FAKE_ENDPOINTS 2
#include "fake_define.h"

#define FAKE_BUILD fake_i386_40
#define FAKE_RELEASES "4.0.1-4.0.7"
#define FAKE_FAMILY 401
#define FAKE_VERSION "4.0.7"
#define FAKE_DEBUG 0
#define FAKE_ENDPOINTS 2
#include "fake_define.h"

#define FAKE_BUILD fake_i386
#define FAKE_RELEASES "4.1.0-4.1.8"
#define FAKE_FAMILY 410
#define FAKE_VERSION "4.1.4"
#define FAKE_DEBUG 0
#define FAKE_ENDPOINTS 2
#include "fake_define.h"

const struct fake_build *const fake_builds[FAKE_N_BUILDS] = {
    &fake_release,    &fake_debug,     &fake_release_31, &fake_release_40, &fake_release_50, &fake_release_507,
    &fake_debug_507,  &fake_custom_507, &fake_arrays_507, &fake_fuzzy_507, &fake_vector_507, &fake_release_60,
    &fake_s390x,      &fake_s390x_507, &fake_i386_31,    &fake_i386_40,    &fake_i386,
};

bool fake_is_of_family(const struct fake_build *build, const char *family)
{
    return strncmp(build->releases, family, strcspn(build->releases, "-") + 1) == 0;
}

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
