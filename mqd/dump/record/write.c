/*
 * write.c - writes a record line by line.
 */
#include "mqd/dump/record/write.h"

#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/shared.h"
#include "mqd/dump/collect/target/system_call.h"
#include "mqd/dump/record/column.h"
#include "mqd/dump/record/fields.h"
#include "mqd/dump/record/format.h"
#include "mqd/dump/record/text.h"

/* Lines. */

/* So many digits are kept by a number that is read and written again: %.15g of a double. */
enum { REAL_DIGITS = 15 };

/* Writes a line of a kind, and frees it. */
static void write_line(struct record_writer *writer, const char *kind, json_t *line)
{
    json_t *whole = json_pack("{s:s}", "line", kind), *reduced;

    json_object_update(whole, line);
    reduced = like_reduce(&writer->likes, kind, whole);
    /* It may be written to a terminal, which acts on characters that are no ASCII, too. */
    json_dumpf(reduced, writer->to, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(REAL_DIGITS));
    putc('\n', writer->to);
    writer->n_lines++;
    json_decref(reduced);
    json_decref(whole);
    json_decref(line);
}

/* Returns the number of a definition, which is written if it is new, and freed. */
static size_t define_number(struct record_writer *writer, struct dictionary *dictionary, const char *kind,
                            json_t *definition)
{
    bool is_new;
    size_t number = dictionary_number(dictionary, json_dumps(definition, JSON_COMPACT), &is_new);

    if (!is_new) {
        json_decref(definition);
        return number;
    }
    json_object_set_new(definition, "number", json_integer((json_int_t)number));
    write_line(writer, kind, definition);
    return number;
}

static json_t *define(struct record_writer *writer, struct dictionary *dictionary, const char *kind, json_t *definition)
{
    return json_integer((json_int_t)define_number(writer, dictionary, kind, definition));
}

/* Looks. */

void record_begin(struct record_writer *writer, FILE *to, const struct record_look *first)
{
    json_t *line;

    json_memory_set();
    *writer = (struct record_writer){.to = to};
    line = json_pack("{s:s,s:i}", "record", RECORD_NAME, "format", RECORD_FORMAT);
    fields_write(line, &look_fields, first);
    write_line(writer, "header", line);
}

void record_write_look(struct record_writer *writer, const struct record_look *look)
{
    write_line(writer, "look", fields_object(&look_fields, look));
}

void record_write_warning(struct record_writer *writer, const char *text)
{
    json_t *line = json_object();

    json_object_set_new(line, "text", text_write(text, strnlen(text, MAX_STRING)));
    write_line(writer, "warning", line);
}

static void known_members_clear(struct known_members *known)
{
    for (size_t i = 0; i < known->arrays.n; i++)
        shared_release(known->all[i].array);
    free(known->all);
    dictionary_clear(&known->arrays);
    dictionary_clear(&known->texts);
}

void record_end(struct record_writer *writer, const struct record_statistics *statistics)
{
    json_t *line = json_pack("{s:I,s:I}", "ranks", (json_int_t)writer->n_ranks, "lines",
                             (json_int_t)writer->n_lines + 1);

    fields_write(line, &statistics_fields, statistics);
    write_line(writer, "end", line);
    likes_clear(&writer->likes);
    for (size_t i = 0; i < N_MEMBER_KINDS; i++)
        known_members_clear(&writer->members[i]);
    dictionary_clear(&writer->layouts);
    dictionary_clear(&writer->places);
    dictionary_clear(&writer->frames);
    dictionary_clear(&writer->stacks);
}

/* Layouts. */

static json_t *define_layout(struct record_writer *writer, const struct listing *listing)
{
    json_t *object = fields_object(&layout_fields, listing);

    json_object_set_new(object, "summary", fields_object(&layout_summary_fields, listing_layout(listing)));
    return define(writer, &writer->layouts, "layout", object);
}

/* Threads, and what a process does in the kernel. */

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
    json_t *place = fields_object(&place_fields, call), *object = json_object();

    chain_write(place, call);
    json_object_set_new(object, "place", define(writer, &writer->places, "place", place));
    fields_write(object, &call_fields, call);
    return object;
}

static json_t *frame_write(struct record_writer *writer, const char *text)
{
    json_t *frame = json_object();

    json_object_set_new(frame, "text", text_write(text, strnlen(text, MAX_FRAME_TEXT)));
    return define(writer, &writer->frames, "frame", frame);
}

_Static_assert((int)MAX_NAMED_FRAMES <= (int)MAX_STACK_FRAMES, "whole stacks are written");

static json_t *stack_write(struct record_writer *writer, const struct named_stack *stack)
{
    json_t *definition = json_object(), *frames = json_array(), *object = json_object();

    for (size_t i = 0; i < stack->n && i < MAX_STACK_FRAMES; i++)
        json_array_append_new(frames, frame_write(writer, stack->frames[i]));
    json_object_set_new(definition, "frames", frames);
    fields_write(object, &named_stack_fields, stack);
    json_object_set_new(object, "stack", define(writer, &writer->stacks, "stack", definition));
    return object;
}

static json_t *stacks_write(struct record_writer *writer, const struct calls *calls)
{
    json_t *stacks = json_array();

    for (size_t i = 0; i < calls->n_stacks && i < MAX_STACKS; i++)
        json_array_append_new(stacks, stack_write(writer, &calls->stacks[i]));
    return stacks;
}

static json_t *calls_write(struct record_writer *writer, const struct calls *calls)
{
    json_t *object = fields_object(&calls_fields, calls), *threads = json_array();

    for (size_t i = 0; i < calls->n; i++)
        json_array_append_new(threads, call_write(writer, &calls->calls[i]));
    json_object_set_new(object, "threads", threads);
    if (calls->has_stacks)
        json_object_set_new(object, "stacks", stacks_write(writer, calls));
    return object;
}

static json_t *activity_write(const struct activity *activity)
{
    json_t *object = fields_object(&activity_fields, activity);
    const char *name = system_call_name(activity->call);

    if (name != NULL)
        json_object_set_new(object, "call_name", json_string(name));
    return object;
}

/* Communicators and windows. */

/* Adds the number of members. All ranks of a job have the same array, which may be long: it is looked at once. */
static void add_members(json_t *object, struct record_writer *writer, enum member_kind kind, void *array, size_t n)
{
    struct known_members *known = &writer->members[kind];
    const struct members members = {array, n};
    bool is_new;
    size_t at;

    if (array == NULL)
        return;
    at = dictionary_number(&known->arrays, format_text("%p %zu", array, n), &is_new);
    if (is_new) {
        json_t *definition = json_pack("{s:o}", "members", members_write(kind, &members));

        known->all = grow_array(known->all, at, &known->room, sizeof *known->all);
        known->all[at] = (struct known_array){
            shared_use(array), define_number(writer, &known->texts, member_kinds[kind], definition)};
    }
    json_object_set_new(object, member_kinds[kind], json_integer((json_int_t)known->all[at].number));
}

/* Operations. */

static void write_operations(struct record_writer *writer, int class, const struct queue *queue)
{
    const struct field_table *table = queue->described ? &operation_fields : &undescribed_fields;

    for (size_t first = 0; first < queue->n; first += MAX_OPERATIONS_IN_LINE) {
        size_t left = queue->n - first, n = left < MAX_OPERATIONS_IN_LINE ? left : MAX_OPERATIONS_IN_LINE;
        const struct column_place place = {(char *)&queue->operations[first], sizeof *queue->operations, n};
        json_t *line = json_object();

        json_object_set_new(line, "queue", json_integer(class));
        json_object_set_new(line, "described", json_boolean(queue->described));
        json_object_set_new(line, "n", json_integer((json_int_t)n));
        json_object_set_new(line, "columns", columns_write(table, &place));
        write_line(writer, "operations", line);
    }
}

/* Communicators. */

static void write_communicator(struct record_writer *writer, const struct communicator *communicator)
{
    json_t *line = fields_object(&communicator_fields, communicator);

    add_members(line, writer, MEMBERS_group, communicator->group, (size_t)communicator->size);
    add_members(line, writer, MEMBERS_peers, communicator->peers, (size_t)communicator_n_peers(communicator));
    write_line(writer, "communicator", line);
    for (int class = 0; class < N_QUEUES; class++)
        write_operations(writer, class, &communicator->queues[class]);
}

static void write_window(struct record_writer *writer, const struct window *window)
{
    json_t *line = fields_object(&window_fields, window);

    add_members(line, writer, MEMBERS_group, window->group, (size_t)window->size);
    write_line(writer, "window", line);
}

/* What handles stand for. */

static void write_handle(struct record_writer *writer, const struct handle *handle)
{
    const struct column_place place = {(char *)handle->items, sizeof *handle->items, handle->n};
    json_t *line = fields_object(&handle_fields, handle);

    if (handle->n > 0) {
        json_object_set_new(line, "n", json_integer((json_int_t)handle->n));
        json_object_set_new(line, "columns", columns_write(&handle_item_fields, &place));
    }
    write_line(writer, "handle", line);
}

static void write_answer(struct record_writer *writer, const struct handle_answer *answer)
{
    write_line(writer, "answer", fields_object(&handle_answer_fields, answer));
    for (size_t i = 0; i < answer->n; i++)
        write_handle(writer, &answer->handles[i]);
}

/* Processes. */

void record_write_witness(struct record_writer *writer, const struct witness *witness)
{
    const struct listing *listing = witness->listing;
    json_t *line;

    for (size_t i = 0; i < listing->n; i++)
        write_communicator(writer, &listing->communicators[i]);
    for (size_t i = 0; i < listing->n_windows; i++)
        write_window(writer, &listing->windows[i]);
    for (size_t i = 0; i < listing->n_answers; i++)
        write_answer(writer, &listing->answers[i]);
    line = fields_object(&listing_fields, listing);
    fields_write(line, &witness_fields, witness);
    if (witness->look > 0)
        json_object_set_new(line, "look", json_integer(witness->look));
    if (witness->missing != NULL)
        json_object_set_new(line, "missing", fields_object(&missing_rank_fields, witness->missing));
    json_object_set_new(line, "layout", define_layout(writer, listing));
    if (witness->calls != NULL)
        json_object_set_new(line, "calls", calls_write(writer, witness->calls));
    if (witness->openmp != NULL)
        json_object_set_new(line, "openmp", fields_object(&openmp_fields, witness->openmp));
    if (witness->activity != NULL)
        json_object_set_new(line, "activity", activity_write(witness->activity));
    write_line(writer, "rank", line);
    writer->n_ranks++;
}
