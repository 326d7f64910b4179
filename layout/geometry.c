/* geometry.c - is a layout possible? */
#include "layout/layout.h"

enum mqd_type_id mqd_inner_type(const struct mqd_layout *layout, enum mqd_step_id step)
{
    return layout->steps[step].kind == MQD_KIND_struct ? mqd_step_specs[step].inner : MQD_N_TYPES;
}

/* The bytes that a step covers. A step whose extent is not known covers at least one. */
static uint32_t extent(const struct mqd_layout *layout, enum mqd_step_id step)
{
    const struct mqd_place *place = &layout->steps[step];
    enum mqd_type_id inner = mqd_inner_type(layout, step);

    if (place->size > 0)
        return place->size;
    if (inner != MQD_N_TYPES && layout->type_size[inner] > 0)
        return layout->type_size[inner];
    return 1;
}

/*
 * A step's address is a multiple of this. Numbers of eight bytes need the alignment of a pointer only: that is the rule
 * of the i386 ABI. Other ABIs of 32 bits demand eight, but testing for it would find no more errors.
 */
static uint32_t alignment(const struct mqd_layout *layout, enum mqd_step_id step, const uint32_t *type_alignment)
{
    enum mqd_type_id inner = mqd_inner_type(layout, step);
    uint32_t size;

    if (inner != MQD_N_TYPES)
        return type_alignment[inner];
    size = mqd_kind_size((enum mqd_kind)layout->steps[step].kind, &layout->abi);
    if (size > layout->abi.pointer_size)
        size = layout->abi.pointer_size;
    return size > 0 ? size : 1;
}

static bool overlap(const struct mqd_layout *layout, enum mqd_step_id a, enum mqd_step_id b)
{
    uint64_t a_first = layout->steps[a].offset, b_first = layout->steps[b].offset;

    return a_first < b_first + extent(layout, b) && b_first < a_first + extent(layout, a);
}

/* Do two ways differ in a member before the last one of each? They may then lead into different structs of one union. */
static bool part_early(const char *a, const char *b)
{
    while (*a == *b && *a != '\0' && *a != ' ')
        a++, b++;
    while (*a != '.' && *a != ' ' && *a != '\0')
        a++;
    while (*b != '.' && *b != ' ' && *b != '\0')
        b++;
    return *a == '.' && *b == '.';
}

static const char *next_way(const char *way)
{
    while (*way != ' ' && *way != '\0')
        way++;
    return *way == ' ' ? way + 1 : NULL;
}

/* May these two lie in the same bytes? The steps of a union may, and nested steps one of whose ways part early. */
static bool may_overlap(enum mqd_step_id a, enum mqd_step_id b)
{
    if (mqd_type_specs[mqd_step_specs[a].type].form == MQD_FORM_union)
        return true;
    for (const char *to_a = mqd_step_specs[a].ways; to_a != NULL; to_a = next_way(to_a))
        for (const char *to_b = mqd_step_specs[b].ways; to_b != NULL; to_b = next_way(to_b))
            if (part_early(to_a, to_b))
                return true;
    return false;
}

static bool step_fits(const struct mqd_layout *layout, enum mqd_step_id step, uint32_t align)
{
    const struct mqd_place *place = &layout->steps[step];
    enum mqd_type_id type = mqd_step_specs[step].type, inner = mqd_inner_type(layout, step);
    uint32_t type_size = layout->type_size[type];

    if (place->offset % align != 0)
        return false;
    if (type_size > 0 && (uint64_t)place->offset + extent(layout, step) > type_size)
        return false;
    if (inner != MQD_N_TYPES && place->size > 0 && layout->type_size[inner] > 0 &&
        place->size % layout->type_size[inner] != 0 && mqd_type_specs[inner].form != MQD_FORM_union)
        return false;
    return true;
}

enum mqd_step_id mqd_geometry_check(const struct mqd_layout *layout)
{
    uint32_t type_alignment[MQD_N_TYPES];

    /* A type comes before those that embed it, so its alignment is known when they need it. */
    for (unsigned type = 0; type < MQD_N_TYPES; type++) {
        unsigned first = mqd_type_specs[type].first_step, end = mqd_type_end((enum mqd_type_id)type);

        type_alignment[type] = 1;
        for (unsigned step = first; step < end; step++) {
            uint32_t align;

            if (layout->steps[step].source == MQD_SOURCE_absent)
                continue;
            align = alignment(layout, (enum mqd_step_id)step, type_alignment);
            if (align > type_alignment[type])
                type_alignment[type] = align;
            if (!step_fits(layout, (enum mqd_step_id)step, align))
                return (enum mqd_step_id)step;
            for (unsigned other = first; other < step; other++)
                if (layout->steps[other].source != MQD_SOURCE_absent &&
                    overlap(layout, (enum mqd_step_id)other, (enum mqd_step_id)step) &&
                    !may_overlap((enum mqd_step_id)other, (enum mqd_step_id)step))
                    return (enum mqd_step_id)step;
        }
    }
    return MQD_N_STEPS;
}
