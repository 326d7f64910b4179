#include "fake_ucx_build.h"

#include <string.h>

#include "fake_image.h"
#include "fake_place.h"

#define FAKE_RELEASES_106 "1.6.0-1.6.1"
#define FAKE_VERSION_106 "1.6.1"
#define FAKE_RELEASES_110 "1.10.0-1.10.1"
#define FAKE_VERSION_110 "1.10.0"
#define FAKE_RELEASES_113 "1.13.0-1.13.1"
#define FAKE_VERSION_113 "1.13.1"
#define FAKE_RELEASES_118 "1.18.0-1.18.1"
#define FAKE_VERSION_118 "1.18.1"
#define FAKE_RELEASES_122 "1.22.0-1.22.0"
#define FAKE_VERSION_122 "1.22.0"

#define FAKE_MIRROR "fake_ucx_mirror.h"
#define FAKE_CONSTANTS FAKE_NAME(constants)
#define FAKE_SIZE_openmpi(type) 0
#define FAKE_PLACE_openmpi(type, member) FAKE_ABSENT, 0
#define FAKE_SIZE_ucx(type) sizeof(FAKE_NAME(type))
#define FAKE_PLACE_ucx(type, member) FAKE_PLACE(type, member)
#define FAKE_VARIANT \
    (FAKE_ASSERT ? FAKE_DEBUG_DATA ? "assert debug-data" : "assert" : FAKE_DEBUG_DATA ? "debug-data" : "release")

#define FAKE_ARCH "x86_64"
#define FAKE_POINTER 8
#define FAKE_LITTLE true

#define FAKE_BUILD fake_ucx_106
#define FAKE_FAMILY 106
#include "fake_define.h"

#define FAKE_BUILD fake_ucx_110
#define FAKE_FAMILY 110
#include "fake_define.h"

#define FAKE_BUILD fake_ucx_113
#define FAKE_FAMILY 113
#include "fake_define.h"

#define FAKE_BUILD fake_ucx_113_assert
#define FAKE_FAMILY 113
#define FAKE_ASSERT 1
#include "fake_define.h"

#define FAKE_BUILD fake_ucx_113_data
#define FAKE_FAMILY 113
#define FAKE_DEBUG_DATA 1
#include "fake_define.h"

#define FAKE_BUILD fake_ucx_113_assert_data
#define FAKE_FAMILY 113
#define FAKE_ASSERT 1
#define FAKE_DEBUG_DATA 1
#include "fake_define.h"

#define FAKE_BUILD fake_ucx_118
#define FAKE_FAMILY 118
#include "fake_define.h"

#define FAKE_BUILD fake_ucx_118_assert
#define FAKE_FAMILY 118
#define FAKE_ASSERT 1
#include "fake_define.h"

#define FAKE_BUILD fake_ucx_122
#define FAKE_FAMILY 122
#include "fake_define.h"

const struct fake_build *const fake_ucx_builds[FAKE_N_UCX_BUILDS] = {
    &fake_ucx_106,      &fake_ucx_110,             &fake_ucx_113, &fake_ucx_113_assert, &fake_ucx_113_data,
    &fake_ucx_113_assert_data, &fake_ucx_118, &fake_ucx_118_assert, &fake_ucx_122,
};

/* Equal tables are one, which names all its variants: "release/assert+debug-data". */
bool fake_ucx_has_variant(const char *variants, const char *variant)
{
    const char *at = variants;

    while (at != NULL) {
        size_t n = 0;

        while (at[n] != '\0' && (at[n] == variant[n] || (at[n] == '+' && variant[n] == ' ')))
            n++;
        if (variant[n] == '\0' && (at[n] == '/' || at[n] == '\0'))
            return true;
        at = strchr(at, '/');
        at += at != NULL;
    }
    return false;
}

const struct mqd_table *fake_table(const struct fake_build *build, const struct mqd_table *const *tables, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (mqd_family_has_version(tables[i], build->version) &&
            fake_ucx_has_variant(tables[i]->variant, build->variant) && strcmp(tables[i]->arch, build->arch) == 0)
            return tables[i];
    fake_die("there is no table for %s %s %s", build->version, build->arch, build->variant);
}

struct fake_build fake_ucx_of_table(const struct mqd_table *table)
{
    struct fake_build build = fake_ucx_113;

    build.version = table->last;
    build.variant = table->variant;
    build.constants = table->constants;
    for (unsigned type = 0; type < MQD_N_TYPES; type++)
        build.types[type].size = table->types[type] != NULL ? table->types[type]->size : 0;
    for (unsigned step = 0; step < MQD_N_STEPS; step++) {
        const struct mqd_table_type *type = table->types[mqd_step_specs[step].type];
        const struct mqd_field *field =
            type != NULL ? &type->fields[step - mqd_type_specs[mqd_step_specs[step].type].first_step] : NULL;

        build.members[step].offset = field != NULL && field->present ? field->offset : FAKE_ABSENT;
        build.members[step].size = field != NULL && field->present ? field->size : 0;
    }
    return build;
}
