/*
 * write_calls.c - where the threads of a process are, and what it does in the kernel, in a record.
 */
#include "mqd/dump/record/write_calls.h"

#include <string.h>

#include "mqd/dump/collect/target/system_call.h"
#include "mqd/dump/record/fields.h"
#include "mqd/dump/record/format.h"
#include "mqd/dump/record/text.h"

static void chain_write(json_t *place, const struct call *call)
{
    json_t *chain = json_array();

    for (size_t i = 0; i < call->n_chain; i++)
        json_array_append_new(chain, text_write(call->chain[i], strnlen(call->chain[i], MAX_STRING)));
    if (call->n_chain > 0)
        json_object_set(place, "chain", chain);
    json_decref(chain);
}

static json_t *call_write(struct record_writer *writer, const struct call *call)
{
    json_t *place = json_object(), *object = json_object();

    fields_write(place, &place_fields, call);
    chain_write(place, call);
    json_object_set_new(object, "place",
                        json_integer((json_int_t)record_define(writer, &writer->places, "place", place)));
    fields_write(object, &call_fields, call);
    return object;
}

static json_t *frame_write(struct record_writer *writer, const char *text)
{
    json_t *frame = json_object();

    json_object_set_new(frame, "text", text_write(text, strnlen(text, MAX_FRAME_TEXT)));
    return json_integer((json_int_t)record_define(writer, &writer->frames, "frame", frame));
}

_Static_assert((int)MAX_NAMED_FRAMES <= (int)MAX_STACK_FRAMES, "whole stacks are written");

static json_t *stack_write(struct record_writer *writer, const struct named_stack *stack)
{
    json_t *definition = json_object(), *frames = json_array(), *object = json_object();

    for (size_t i = 0; i < stack->n && i < MAX_STACK_FRAMES; i++)
        json_array_append_new(frames, frame_write(writer, stack->frames[i]));
    json_object_set_new(definition, "frames", frames);
    fields_write(object, &named_stack_fields, stack);
    json_object_set_new(object, "stack",
                        json_integer((json_int_t)record_define(writer, &writer->stacks, "stack", definition)));
    return object;
}

static json_t *stacks_write(struct record_writer *writer, const struct calls *calls)
{
    json_t *stacks = json_array();

    for (size_t i = 0; i < calls->n_stacks && i < MAX_STACKS; i++)
        json_array_append_new(stacks, stack_write(writer, &calls->stacks[i]));
    return stacks;
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
    if (calls->has_stacks)
        json_object_set_new(object, "stacks", stacks_write(writer, calls));
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
