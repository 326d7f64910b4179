/*
 * write_calls.c - where the threads of a process are, and what it does in the kernel, in a record.
 */
#include "mqd/dump/record/write_calls.h"

#include "mqd/dump/collect/target/system_call.h"
#include "mqd/dump/record/fields.h"

static json_t *call_write(struct record_writer *writer, const struct call *call)
{
    json_t *place = json_object(), *object = json_object();

    fields_write(place, &place_fields, call);
    json_object_set_new(object, "place",
                        json_integer((json_int_t)record_define(writer, &writer->places, "place", place)));
    fields_write(object, &call_fields, call);
    return object;
}

json_t *calls_write(struct record_writer *writer, const struct calls *calls)
{
    json_t *object = json_object(), *threads = json_array(), *libraries = json_object();

    fields_write(object, &calls_fields, calls);
    fields_write(libraries, &library_calls_fields, &calls->libraries);
    for (size_t i = 0; i < calls->n; i++)
        json_array_append_new(threads, call_write(writer, &calls->calls[i]));
    json_object_set_new(object, "libraries", libraries);
    json_object_set_new(object, "threads", threads);
    return object;
}

json_t *activity_write(const struct activity *activity)
{
    json_t *object = json_object();
    const char *name = system_call_name(activity->call);

    fields_write(object, &activity_fields, activity);
    if (name != NULL)
        json_object_set_new(object, "call_name", json_string(name));
    return object;
}
