/*
 * read_rank.c - a process of a record, with what came before its line.
 */
#include "mqd/dump/record/read_rank.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/reason.h"
#include "mqd/dump/base/shared.h"
#include "mqd/dump/collect/target/system_call.h"
#include "mqd/dump/record/fields.h"
#include "mqd/dump/record/format.h"
#include "mqd/dump/record/text.h"

/* Threads. */

static bool thread_read(const struct record *record, const json_t *object, struct call *call, char **why)
{
    size_t place;

    if (!reference_read(object, "place", record->n_places, &place, why))
        return false;
    *call = record->places[place];
    return fields_read(object, &call_fields, call, why);
}

static bool stack_read(const struct record *record, const json_t *object, struct named_stack *named, char **why)
{
    size_t stack;

    if (!reference_read(object, "stack", record->n_stacks, &stack, why))
        return false;
    named->frames = record->stacks[stack].frames;
    named->n = record->stacks[stack].n;
    return fields_read(object, &named_stack_fields, named, why);
}

static bool stacks_read(const struct record *record, const json_t *list, struct calls *calls, char **why)
{
    if (list == NULL)
        return true;
    if (json_array_size(list) > MAX_STACKS) {
        set_reason(why, "it has more than %d stacks", MAX_STACKS);
        return false;
    }
    calls->stacks = allocate_array(json_array_size(list), sizeof *calls->stacks);
    calls->n_stacks = json_array_size(list);
    for (size_t i = 0; i < calls->n_stacks; i++)
        if (!stack_read(record, json_array_get(list, i), &calls->stacks[i], why))
            return false;
    return true;
}

static bool calls_read(const struct record *record, const json_t *object, struct calls *calls, char **why)
{
    const json_t *threads = json_object_get(object, "threads");
    size_t n = json_array_size(threads);

    if (n == 0)
        return set_reason(why, "\"calls\" has no threads");
    calls->calls = allocate_array(n, sizeof *calls->calls);
    calls->n = calls->room = n;
    for (size_t i = 0; i < n; i++)
        if (!thread_read(record, json_array_get(threads, i), &calls->calls[i], why))
            return false;
    return fields_read(object, &calls_fields, calls, why) &&
           stacks_read(record, json_object_get(object, "stacks"), calls, why) &&
           fields_read(json_object_get(object, "libraries"), &library_calls_fields, &calls->libraries, why);
}

/* The number of a system call may be another one on another machine. */
static bool activity_read(const json_t *object, struct activity *activity, char **why)
{
    const char *name = json_string_value(json_object_get(object, "call_name"));

    if (!fields_read(object, &activity_fields, activity, why))
        return false;
    if (name != NULL)
        activity->call = system_call_number(name);
    return activity->thread > 0 || set_reason(why, "\"activity\" is of no thread");
}

/* The process. */

/* Takes over an array that was grown, without what it has in reserve. */
static void *take_array(void *array, size_t n, size_t size)
{
    void *taken;

    if (n == 0) {
        free(array);
        return NULL;
    }
    taken = reallocarray(array, n, size);
    return taken != NULL ? taken : array;
}

static void take_pending(struct listing *listing, struct listing *pending)
{
    listing->n = listing->room = pending->n;
    listing->communicators = take_array(pending->communicators, pending->n, sizeof *pending->communicators);
    listing->n_windows = listing->window_room = pending->n_windows;
    listing->windows = take_array(pending->windows, pending->n_windows, sizeof *pending->windows);
    *pending = (struct listing){0};
}

/* The record keeps what the pointers are to. */
static void take_layout(struct listing *listing, const struct listing *layout)
{
    listing->has_layout = layout->has_layout;
    listing->layout = shared_use(layout->layout);
    listing->layout_error = layout->layout_error;
    listing->layout_reason = layout->layout_reason;
    listing->libraries = layout->libraries;
    listing->n_libraries = layout->n_libraries;
    memcpy(listing->gaps, layout->gaps, sizeof listing->gaps);
    listing->has_details = layout->has_details;
    listing->details = layout->details;
}

static bool listing_read(const struct record *record, const json_t *line, struct listing *listing, char **why)
{
    size_t layout;

    if (!reference_read(line, "layout", record->n_layouts, &layout, why) ||
        !fields_read(line, &listing_fields, listing, why) ||
        !fields_read(json_object_get(line, "name"), &process_name_fields, &listing->name, why))
        return false;
    take_layout(listing, &record->layouts[layout]);
    if (listing->n > 0 && !listing->has_communicators)
        return set_reason(why, "it has communicators that it has not");
    return true;
}

static bool missing_read(const json_t *object, struct missing_rank *missing, char **why)
{
    if (!fields_read(object, &missing_rank_fields, missing, why))
        return false;
    return (missing->job != NULL && missing->fate != NULL) || set_reason(why, "\"missing\" has no job, or no fate");
}

static bool parts_read(const struct record *record, const json_t *line, struct record_rank *rank, char **why)
{
    struct witness *witness = &rank->witness;
    const json_t *calls = json_object_get(line, "calls"), *activity = json_object_get(line, "activity");
    const json_t *missing = json_object_get(line, "missing");

    if (calls != NULL && !calls_read(record, calls, &rank->calls, why))
        return false;
    if (activity != NULL && !activity_read(activity, &rank->activity, why))
        return false;
    if (missing != NULL && !missing_read(missing, &rank->missing, why))
        return false;
    witness->calls = calls != NULL ? &rank->calls : NULL;
    witness->activity = activity != NULL ? &rank->activity : NULL;
    witness->missing = missing != NULL ? &rank->missing : NULL;
    return true;
}

/* Absent: it is the first one. */
static bool look_reference_read(const struct record_reader *reader, const json_t *line, struct record_rank *rank,
                                char **why)
{
    size_t look;

    if (reader->format < FIRST_FORMAT_WITH_LOOKS || json_object_get(line, "look") == NULL)
        return true;
    if (!reference_read(line, "look", reader->record->n_looks, &look, why))
        return false;
    rank->witness.look = (int)look;
    return true;
}

bool rank_line_read(struct record_reader *reader, const json_t *line, char **why)
{
    struct record *record = reader->record;
    struct record_rank *rank;

    record->ranks = grow_array(record->ranks, record->n, &record->room, sizeof *record->ranks);
    record->ranks[record->n] = rank = allocate_array(1, sizeof *rank);
    take_pending(&rank->listing, &reader->pending);
    if (!listing_read(record, line, &rank->listing, why) || !fields_read(line, &witness_fields, &rank->witness, why) ||
        !parts_read(record, line, rank, why) || !look_reference_read(reader, line, rank, why)) {
        record_rank_free(rank);
        return false;
    }
    record_rank_connect(rank);
    record->n++;
    record_reader_charge(reader, sizeof *rank + rank->calls.n_stacks * sizeof *rank->calls.stacks, false);
    return true;
}
