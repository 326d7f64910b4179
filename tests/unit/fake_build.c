#include "fake_place.h"

#include <string.h>

/* Numbers of 8 bytes as the targets align them, whatever this machine does: with i386 at 4. */
typedef uint64_t u64_at_8 __attribute__((aligned(8)));
typedef uint64_t u64_at_4 __attribute__((aligned(4)));

/* The releases of a family, and one of them. */
#define FAKE_RELEASES_310 "3.1.0-3.1.6"
#define FAKE_VERSION_310 "3.1.6"
#define FAKE_RELEASES_401 "4.0.1-4.0.7"
#define FAKE_VERSION_401 "4.0.7"
#define FAKE_RELEASES_410 "4.1.0-4.1.8"
#define FAKE_VERSION_410 "4.1.4"
#define FAKE_RELEASES_500 "5.0.0-5.0.6"
#define FAKE_VERSION_500 "5.0.6"
#define FAKE_RELEASES_507 "5.0.7-5.0.10"
#define FAKE_VERSION_507 "5.0.7"
#define FAKE_RELEASES_600 "6.0.0-6.0.0"
#define FAKE_VERSION_600 "6.0.0"

#define FAKE_MIRROR "fake_mirror.h"
#define FAKE_CONSTANTS NULL
#define FAKE_SIZE_openmpi(type) sizeof(FAKE_NAME(type))
#define FAKE_PLACE_openmpi(type, member) FAKE_PLACE(type, member)
#define FAKE_SIZE_ucx(type) 0
#define FAKE_PLACE_ucx(type, member) FAKE_ABSENT, 0
#define FAKE_VARIANT \
    (FAKE_DEBUG         ? "debug" \
     : FAKE_CUSTOM == 1 ? "release no-ft matching-default" \
     : FAKE_CUSTOM == 2 ? "release no-ft matching-arrays" \
     : FAKE_CUSTOM == 3 ? "release no-ft matching-fuzzy" \
     : FAKE_CUSTOM == 4 ? "release no-ft matching-vector" \
                        : "release")

#define FAKE_ARCH "x86_64"
#define FAKE_POINTER 8
#define FAKE_LITTLE true
#define FAKE_PTR u64_at_8
#define FAKE_U64 u64_at_8
#define FAKE_CAS128 1
#define FAKE_ENDPOINTS (FAKE_FAMILY >= 600 ? 5 : 4)

#define FAKE_BUILD fake_release_31
#define FAKE_FAMILY 310
#include "fake_define.h"

#define FAKE_BUILD fake_release_40
#define FAKE_FAMILY 401
#include "fake_define.h"

#define FAKE_BUILD fake_release
#define FAKE_FAMILY 410
#include "fake_define.h"

#define FAKE_BUILD fake_debug
#define FAKE_FAMILY 410
#define FAKE_DEBUG 1
#include "fake_define.h"

#define FAKE_BUILD fake_release_50
#define FAKE_FAMILY 500
#include "fake_define.h"

#define FAKE_BUILD fake_release_507
#define FAKE_FAMILY 507
#include "fake_define.h"

#define FAKE_BUILD fake_custom_507
#define FAKE_FAMILY 507
#define FAKE_CUSTOM 1
#include "fake_define.h"

#define FAKE_BUILD fake_arrays_507
#define FAKE_FAMILY 507
#define FAKE_CUSTOM 2
#include "fake_define.h"

#define FAKE_BUILD fake_fuzzy_507
#define FAKE_FAMILY 507
#define FAKE_CUSTOM 3
#include "fake_define.h"

#define FAKE_BUILD fake_vector_507
#define FAKE_FAMILY 507
#define FAKE_CUSTOM 4
#include "fake_define.h"

#define FAKE_BUILD fake_debug_507
#define FAKE_FAMILY 507
#define FAKE_DEBUG 1
#include "fake_define.h"

#define FAKE_BUILD fake_release_60
#define FAKE_FAMILY 600
#include "fake_define.h"

#undef FAKE_ARCH
#undef FAKE_LITTLE
#undef FAKE_CAS128
#undef FAKE_ENDPOINTS
#define FAKE_ARCH "s390x"
#define FAKE_LITTLE false
#define FAKE_CAS128 0
#define FAKE_ENDPOINTS 2

#define FAKE_BUILD fake_s390x
#define FAKE_FAMILY 410
#include "fake_define.h"

#define FAKE_BUILD fake_s390x_507
#define FAKE_FAMILY 507
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
#define FAKE_FAMILY 310
#include "fake_define.h"

#define FAKE_BUILD fake_i386_40
#define FAKE_FAMILY 401
#include "fake_define.h"

#define FAKE_BUILD fake_i386
#define FAKE_FAMILY 410
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

/* The type's members of the lists are side by side. */
enum fake_member fake_member_named(enum fake_type type, const char *name)
{
    const struct fake_member_info *members = fake_release.members;
    int member = (int)type < MQD_N_TYPES ? mqd_type_specs[type].first_step : MQD_N_STEPS;

    while (member < FAKE_N_MEMBERS && (members[member].type != type || strcmp(members[member].name, name) != 0))
        member = members[member].type == type || member >= MQD_N_STEPS ? member + 1 : MQD_N_STEPS;
    return (enum fake_member)member;
}
