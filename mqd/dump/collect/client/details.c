/*
 * details.c - everything that a debug DLL with the extension reports about the layout of one process.
 */
#include "mqd/dump/collect/client/details.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"

/* A bound for a DLL that never ends a list. Ours has some hundred fields. */
enum { MAX_ITEMS = 100 * 1000 };

/* The lists have different items, but are asked for in the same way. */
#define TAKE(items, n_items, describe)                                                              \
    do {                                                                                            \
        size_t room = 0;                                                                            \
                                                                                                    \
        for (int i = 0; i < MAX_ITEMS; i++) {                                                       \
            (items) = grow_array((items), (n_items), &room, sizeof *(items));                       \
            if (describe(process, i, &(items)[i]) != mqs_ok)                                        \
                break;                                                                              \
            (n_items)++;                                                                            \
        }                                                                                           \
    } while (false)

void details_take(struct details *details, const struct dll *dll, mqs_process *process)
{
    const struct mqd_extension_v1 *extension = dll->extension;

    TAKE(details->types, details->n_types, extension->describe_type);
    TAKE(details->fields, details->n_fields, extension->describe_field);
    TAKE(details->probes, details->n_probes, extension->describe_probe);
    TAKE(details->capabilities, details->n_capabilities, extension->describe_capability);
    TAKE(details->limits, details->n_limits, extension->describe_limit);
}

/* Compares two texts. Either may be NULL. */
static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool same_type(const struct mqd_type_description *a, const struct mqd_type_description *b)
{
    return same_text(a->name, b->name) && same_text(a->source, b->source) && a->size == b->size &&
           a->class_size == b->class_size && a->live_size == b->live_size && a->table_size == b->table_size;
}

static bool same_field(const struct mqd_field_description *a, const struct mqd_field_description *b)
{
    return same_text(a->type, b->type) && same_text(a->member, b->member) && same_text(a->kind, b->kind) &&
           same_text(a->source, b->source) && a->offset == b->offset && a->size == b->size &&
           a->live_offset == b->live_offset && a->table_offset == b->table_offset;
}

static bool same_probe(const struct mqd_probe_description *a, const struct mqd_probe_description *b)
{
    return same_text(a->name, b->name) && same_text(a->result, b->result);
}

static bool same_capability(const struct mqd_capability_description *a, const struct mqd_capability_description *b)
{
    return same_text(a->name, b->name) && same_text(a->text, b->text) && a->on == b->on &&
           same_text(a->reason, b->reason);
}

bool details_are_same(const struct details *a, const struct details *b)
{
    if (a->n_types != b->n_types || a->n_fields != b->n_fields || a->n_probes != b->n_probes ||
        a->n_capabilities != b->n_capabilities)
        return false;
    for (size_t i = 0; i < a->n_types; i++)
        if (!same_type(&a->types[i], &b->types[i]))
            return false;
    for (size_t i = 0; i < a->n_fields; i++)
        if (!same_field(&a->fields[i], &b->fields[i]))
            return false;
    for (size_t i = 0; i < a->n_probes; i++)
        if (!same_probe(&a->probes[i], &b->probes[i]))
            return false;
    for (size_t i = 0; i < a->n_capabilities; i++)
        if (!same_capability(&a->capabilities[i], &b->capabilities[i]))
            return false;
    return true;
}

void details_free(struct details *details)
{
    FREE_ALL(details->types, details->fields, details->probes, details->capabilities, details->limits);
    *details = (struct details){0};
}
