/* spec.c - the lists as data. */
#include "layout/layout.h"

/* A type's steps end where those of the next type begin. */
#undef MQD_TYPE
#define MQD_TYPE(type, form, size, descriptor) MQD_FIRST_##type,
static const uint16_t first_steps[MQD_N_TYPES + 1] = {
#include MQD_LISTS
    MQD_N_STEPS
};
#undef MQD_TYPE

#define MQD_CLASS_SYMBOL_class(type) #type "_class"
#define MQD_CLASS_SYMBOL_plain(type) NULL
#define MQD_TYPE(type, form, size, descriptor) \
    {#type, MQD_CLASS_SYMBOL_##descriptor(type), MQD_FORM_##form, MQD_SIZE_##size, MQD_FIRST_##type, MQD_HERE},
const struct mqd_type_spec mqd_type_specs[MQD_N_TYPES] = {
#include MQD_LISTS
};
#undef MQD_TYPE
#define MQD_TYPE(type, form, size, descriptor)

#undef MQD_STEP
#undef MQD_EMBED
#undef MQD_NESTED
#define MQD_STEP(type, member, kind, rule) \
    {#member, NULL, MQD_TYPE_##type, MQD_KIND_##kind, MQD_N_TYPES, MQD_RULE_##rule},
#define MQD_EMBED(type, member, inner, rule) \
    {#member, NULL, MQD_TYPE_##type, MQD_KIND_struct, MQD_TYPE_##inner, MQD_RULE_##rule},
#define MQD_NESTED(type, member, ways, kind, rule) \
    {#member, ways, MQD_TYPE_##type, MQD_KIND_##kind, MQD_N_TYPES, MQD_RULE_##rule},
const struct mqd_step_spec mqd_step_specs[MQD_N_STEPS] = {
#include MQD_LISTS
};
#undef MQD_STEP
#undef MQD_EMBED
#undef MQD_NESTED
#define MQD_STEP(type, member, kind, rule)
#define MQD_EMBED(type, member, inner, rule)
#define MQD_NESTED(type, member, ways, kind, rule)

#undef MQD_PATH
#define MQD_PATH(path, parent, type, member, need) \
    [MQD_PATH_##path] = {#type "." #member, MQD_PATH_##parent, MQD_STEP_##type##__##member, MQD_CAN_##need, MQD_HERE},
const struct mqd_path_spec mqd_path_specs[MQD_N_PATHS] = {
    [MQD_PATH_root] = {"", MQD_PATH_root, MQD_N_STEPS, MQD_CAN_part, MQD_N_LIBRARIES},
#include MQD_LISTS
};
#undef MQD_PATH
#define MQD_PATH(path, parent, type, member, need)

#undef MQD_CONSTANT
#define MQD_CONSTANT(name, expression, kind, rule, need) {#name, #expression, MQD_CAN_##need, MQD_HERE},
const struct mqd_constant_spec mqd_constant_specs[MQD_N_CONSTANTS] = {
#include MQD_LISTS
};

#undef MQD_CONSTANT
#define MQD_CONSTANT(name, expression, kind, rule, need)

#undef MQD_CAPABILITY
#define MQD_CAPABILITY(name, text) {#name, text, MQD_HERE},
const struct mqd_capability_spec mqd_capability_specs[MQD_N_CAPABILITIES] = {
#include MQD_LISTS
};
#undef MQD_CAPABILITY
#define MQD_CAPABILITY(name, text)

#undef MQD_LIBRARY
#define MQD_LIBRARY(library, title) title,
const char *const mqd_library_titles[MQD_N_LIBRARIES] = {
#include MQD_LISTS
};
#undef MQD_LIBRARY
#define MQD_LIBRARY(library, title)

uint16_t mqd_type_end(enum mqd_type_id type)
{
    return first_steps[type + 1];
}
