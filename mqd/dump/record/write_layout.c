/*
 * write_layout.c - what the listing of a process rests on, in a record.
 */
#include "mqd/dump/record/write_layout.h"

#include "mqd/dump/record/fields.h"

static json_t *object_of(const struct field_table *table, const void *from)
{
    json_t *object = json_object();

    fields_write(object, table, from);
    return object;
}

/* An array of structures as a list of objects. */
static json_t *list_of(const struct field_table *table, const void *array, size_t n)
{
    json_t *list = json_array();

    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, object_of(table, (const char *)array + i * table->size));
    return list;
}

static json_t *libraries_of(const struct listing *listing)
{
    json_t *list = list_of(&library_fields, listing->libraries, listing->n_libraries);

    for (size_t i = 0; i < listing->n_libraries; i++)
        json_object_set_new(json_array_get(list, i), "summary",
                            object_of(&library_summary_fields, &listing->libraries[i].summary));
    return list;
}

static json_t *details_of(const struct details *details)
{
    json_t *object = json_object();

    json_object_set_new(object, "types", list_of(&type_fields, details->types, details->n_types));
    json_object_set_new(object, "fields", list_of(&layout_field_fields, details->fields, details->n_fields));
    json_object_set_new(object, "probes", list_of(&probe_fields, details->probes, details->n_probes));
    json_object_set_new(object, "capabilities",
                        list_of(&capability_fields, details->capabilities, details->n_capabilities));
    json_object_set_new(object, "limits", list_of(&limit_fields, details->limits, details->n_limits));
    return object;
}

size_t record_define_layout(struct record_writer *writer, const struct listing *listing)
{
    json_t *object = object_of(&layout_fields, listing);

    json_object_set_new(object, "summary", object_of(&layout_summary_fields, listing_layout(listing)));
    json_object_set_new(object, "libraries", libraries_of(listing));
    json_object_set_new(object, "gaps", list_of(&gap_fields, listing->gaps, N_QUEUES));
    if (listing->has_details)
        json_object_set_new(object, "details", details_of(&listing->details));
    return record_define(writer, &writer->layouts, "layout", object);
}
