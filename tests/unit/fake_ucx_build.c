#include "fake_ucx_build.h"

#include <string.h>

#include "fake_image.h"

#define FAKE_UCX_PASTE(build, type) FAKE_UCX_PASTE_EXPANDED(build, type)
#define FAKE_UCX_PASTE_EXPANDED(build, type) build##_##type

#define FAKE_UCX_BUILD fake_ucx_106
#define FAKE_UCX_RELEASE "1.6.1"
#define FAKE_UCX_FAMILY 106
#define FAKE_UCX_ASSERT 0
#define FAKE_UCX_DEBUG_DATA 0
#include "fake_ucx_define.h"

#define FAKE_UCX_BUILD fake_ucx_110
#define FAKE_UCX_RELEASE "1.10.0"
#define FAKE_UCX_FAMILY 110
#define FAKE_UCX_ASSERT 0
#define FAKE_UCX_DEBUG_DATA 0
#include "fake_ucx_define.h"

#define FAKE_UCX_BUILD fake_ucx_113
#define FAKE_UCX_RELEASE "1.13.1"
#define FAKE_UCX_FAMILY 113
#define FAKE_UCX_ASSERT 0
#define FAKE_UCX_DEBUG_DATA 0
#include "fake_ucx_define.h"

#define FAKE_UCX_BUILD fake_ucx_113_assert
#define FAKE_UCX_RELEASE "1.13.1"
#define FAKE_UCX_FAMILY 113
#define FAKE_UCX_ASSERT 1
#define FAKE_UCX_DEBUG_DATA 0
#include "fake_ucx_define.h"

#define FAKE_UCX_BUILD fake_ucx_113_data
#define FAKE_UCX_RELEASE "1.13.1"
#define FAKE_UCX_FAMILY 113
#define FAKE_UCX_ASSERT 0
#define FAKE_UCX_DEBUG_DATA 1
#include "fake_ucx_define.h"

#define FAKE_UCX_BUILD fake_ucx_113_assert_data
#define FAKE_UCX_RELEASE "1.13.1"
#define FAKE_UCX_FAMILY 113
#define FAKE_UCX_ASSERT 1
#define FAKE_UCX_DEBUG_DATA 1
#include "fake_ucx_define.h"

#define FAKE_UCX_BUILD fake_ucx_118
#define FAKE_UCX_RELEASE "1.18.1"
#define FAKE_UCX_FAMILY 118
#define FAKE_UCX_ASSERT 0
#define FAKE_UCX_DEBUG_DATA 0
#include "fake_ucx_define.h"

#define FAKE_UCX_BUILD fake_ucx_118_assert
#define FAKE_UCX_RELEASE "1.18.1"
#define FAKE_UCX_FAMILY 118
#define FAKE_UCX_ASSERT 1
#define FAKE_UCX_DEBUG_DATA 0
#include "fake_ucx_define.h"

#define FAKE_UCX_BUILD fake_ucx_122
#define FAKE_UCX_RELEASE "1.22.0"
#define FAKE_UCX_FAMILY 122
#define FAKE_UCX_ASSERT 0
#define FAKE_UCX_DEBUG_DATA 0
#include "fake_ucx_define.h"

const struct fake_ucx_build *const fake_ucx_builds[FAKE_N_UCX_BUILDS] = {
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

const struct mqd_table *fake_ucx_table(const struct fake_ucx_build *build)
{
    for (size_t i = 0; i < mqd_n_ucx_tables; i++) {
        const struct mqd_table *table = mqd_ucx_tables[i];

        if (mqd_family_has_version(table, build->version) && fake_ucx_has_variant(table->variant, build->variant) &&
            strcmp(table->arch, "x86_64") == 0)
            return table;
    }
    return NULL;
}

static enum mqd_type_id type_named(const char *name)
{
    for (unsigned type = 0; type < MQD_N_TYPES; type++)
        if (strcmp(mqd_type_specs[type].name, name) == 0)
            return (enum mqd_type_id)type;
    fake_die("ucx.def has no type %s", name);
}

/* The table's field for a member, NULL if this release does not have it. */
static const struct mqd_field *field_named(const struct mqd_table *table, const char *type_name, const char *member)
{
    enum mqd_type_id type = type_named(type_name);
    unsigned first = mqd_type_specs[type].first_step;

    for (unsigned step = first; step < mqd_type_end(type); step++)
        if (strcmp(mqd_step_specs[step].member, member) == 0)
            return table->types[type] != NULL && table->types[type]->fields[step - first].present
                       ? &table->types[type]->fields[step - first]
                       : NULL;
    fake_die("ucx.def has no member %s of %s", member, type_name);
}

static const struct mqd_constant *constant_named(const struct mqd_table *table, const char *name)
{
    for (unsigned i = 0; i < MQD_N_CONSTANTS; i++)
        if (strcmp(mqd_constant_specs[i].name, name) == 0)
            return &table->constants[i];
    fake_die("ucx.def has no constant %s", name);
}

#define FAKE_UCX_TYPE(type) #type,
#define FAKE_UCX_MEMBER(type, member, way)
#define FAKE_UCX_NO_MEMBER(type, member)
#define FAKE_UCX_CONSTANT(name, value)
#define FAKE_UCX_NO_CONSTANT(name)
static const char *const types[] = {
#include "fake_ucx_members.h"
};
#undef FAKE_UCX_TYPE
#undef FAKE_UCX_MEMBER
#undef FAKE_UCX_NO_MEMBER
#undef FAKE_UCX_CONSTANT
#undef FAKE_UCX_NO_CONSTANT

#define FAKE_UCX_TYPE(type)
#define FAKE_UCX_MEMBER(type, member, way) { #type, #member },
#define FAKE_UCX_NO_MEMBER(type, member) { #type, #member },
#define FAKE_UCX_CONSTANT(name, value)
#define FAKE_UCX_NO_CONSTANT(name)
static const struct {
    const char *type, *member;
} members[] = {
#include "fake_ucx_members.h"
};
#undef FAKE_UCX_MEMBER
#undef FAKE_UCX_NO_MEMBER
#undef FAKE_UCX_CONSTANT
#undef FAKE_UCX_NO_CONSTANT

#define FAKE_UCX_MEMBER(type, member, way)
#define FAKE_UCX_NO_MEMBER(type, member)
#define FAKE_UCX_CONSTANT(name, value) #name,
#define FAKE_UCX_NO_CONSTANT(name) #name,
static const char *const constants[] = {
#include "fake_ucx_members.h"
};
#undef FAKE_UCX_TYPE
#undef FAKE_UCX_MEMBER
#undef FAKE_UCX_NO_MEMBER
#undef FAKE_UCX_CONSTANT
#undef FAKE_UCX_NO_CONSTANT

struct fake_ucx_build fake_ucx_of_table(const struct mqd_table *table)
{
    struct fake_ucx_build build = { .version = table->last, .variant = table->variant };

    for (int i = 0; i < FAKE_UCX_N_TYPES; i++) {
        const struct mqd_table_type *type = table->types[type_named(types[i])];

        build.sizes[i] = type != NULL ? type->size : 0;
    }
    for (int i = 0; i < FAKE_UCX_N_MEMBERS; i++) {
        const struct mqd_field *field = field_named(table, members[i].type, members[i].member);

        build.places[i].offset = field != NULL ? field->offset : FAKE_ABSENT;
        build.places[i].size = field != NULL ? field->size : 0;
    }
    for (int i = 0; i < FAKE_UCX_N_CONSTANTS; i++) {
        const struct mqd_constant *constant = constant_named(table, constants[i]);

        build.constants[i].present = constant->present;
        build.constants[i].value = (uint64_t)constant->value;
    }
    return build;
}
