/* spec.c - openmpi.def as data. */
#include "layout/layout.h"

/* How many steps a type has follows from where the next one's begin. */
#undef MQD_TYPE
#define MQD_TYPE(type, form, size, descriptor) MQD_FIRST_##type,
static const uint16_t first_steps[MQD_N_TYPES + 1] = {
#include "layout/openmpi.def"
    MQD_N_STEPS
};
#undef MQD_TYPE

#define MQD_CLASS_SYMBOL_class(type) #type "_class"
#define MQD_CLASS_SYMBOL_plain(type) NULL
#define MQD_TYPE(type, form, size, descriptor) \
    {#type, MQD_CLASS_SYMBOL_##descriptor(type), MQD_FORM_##form, MQD_SIZE_##size, MQD_FIRST_##type},
const struct mqd_type_spec mqd_type_specs[MQD_N_TYPES] = {
#include "layout/openmpi.def"
};
#undef MQD_TYPE
#define MQD_TYPE(type, form, size, descriptor)

#undef MQD_STEP
#undef MQD_EMBED
#define MQD_STEP(type, member, kind, rule) {#member, MQD_TYPE_##type, MQD_KIND_##kind, MQD_N_TYPES, MQD_RULE_##rule},
#define MQD_EMBED(type, member, inner, rule) \
    {#member, MQD_TYPE_##type, MQD_KIND_struct, MQD_TYPE_##inner, MQD_RULE_##rule},
const struct mqd_step_spec mqd_step_specs[MQD_N_STEPS] = {
#include "layout/openmpi.def"
};
#undef MQD_STEP
#undef MQD_EMBED
#define MQD_STEP(type, member, kind, rule)
#define MQD_EMBED(type, member, inner, rule)

#undef MQD_PATH
#define MQD_PATH(path, parent, type, member, need) \
    [MQD_PATH_##path] = {#type "." #member, MQD_PATH_##parent, MQD_STEP_##type##__##member, MQD_CAN_##need},
const struct mqd_path_spec mqd_path_specs[MQD_N_PATHS] = {
    [MQD_PATH_root] = {"", MQD_PATH_root, MQD_N_STEPS, MQD_CAN_part},
#include "layout/openmpi.def"
};
#undef MQD_PATH
#define MQD_PATH(path, parent, type, member, need)

#undef MQD_CONSTANT
#define MQD_CONSTANT(name, expression, kind, rule, need) {#name, #expression, MQD_CAN_##need},
const struct mqd_constant_spec mqd_constant_specs[MQD_N_CONSTANTS] = {
#include "layout/openmpi.def"
};

uint16_t mqd_type_end(enum mqd_type_id type)
{
    return first_steps[type + 1];
}
