/*
 * write.c - writes a record line by line.
 */
#include "mqd/dump/record/write.h"

#include <string.h>

#include "mqd/dump/record/fields.h"
#include "mqd/dump/record/format.h"
#include "mqd/dump/record/json_memory.h"
#include "mqd/dump/record/text.h"
#include "mqd/dump/record/write_calls.h"
#include "mqd/dump/record/write_communicator.h"
#include "mqd/dump/record/write_layout.h"

void record_begin(struct record_writer *writer, FILE *to, const struct record_look *first)
{
    json_t *line;

    json_memory_set();
    *writer = (struct record_writer){.to = to};
    line = json_pack("{s:s,s:i}", "record", RECORD_NAME, "format", RECORD_FORMAT);
    fields_write(line, &look_fields, first);
    record_write_line(writer, "header", line);
}

void record_write_look(struct record_writer *writer, const struct record_look *look)
{
    json_t *line = json_object();

    fields_write(line, &look_fields, look);
    record_write_line(writer, "look", line);
}

void record_write_warning(struct record_writer *writer, const char *text)
{
    json_t *line = json_object();

    json_object_set_new(line, "text", text_write(text, strnlen(text, MAX_STRING)));
    record_write_line(writer, "warning", line);
}

void record_end(struct record_writer *writer, const struct record_statistics *statistics)
{
    json_t *line = json_pack("{s:I,s:I}", "ranks", (json_int_t)writer->n_ranks, "lines",
                             (json_int_t)writer->n_lines + 1);

    fields_write(line, &statistics_fields, statistics);
    record_write_line(writer, "end", line);
    likes_clear(&writer->likes);
    array_index_clear(&writer->group_arrays);
    array_index_clear(&writer->peer_arrays);
    dictionary_clear(&writer->groups);
    dictionary_clear(&writer->peers);
    dictionary_clear(&writer->layouts);
    dictionary_clear(&writer->places);
    dictionary_clear(&writer->frames);
    dictionary_clear(&writer->stacks);
}

/* Processes. */

static void add_part(json_t *line, const char *key, const struct field_table *table, const void *from)
{
    json_t *object = json_object();

    fields_write(object, table, from);
    json_object_set_new(line, key, object);
}

void record_write_witness(struct record_writer *writer, const struct witness *witness)
{
    const struct listing *listing = witness->listing;
    json_t *line = json_object();

    for (size_t i = 0; i < listing->n; i++)
        record_write_communicator(writer, &listing->communicators[i]);
    for (size_t i = 0; i < listing->n_windows; i++)
        record_write_window(writer, &listing->windows[i]);
    fields_write(line, &listing_fields, listing);
    fields_write(line, &witness_fields, witness);
    if (witness->look > 0)
        json_object_set_new(line, "look", json_integer(witness->look));
    if (listing->has_name)
        add_part(line, "name", &process_name_fields, &listing->name);
    if (witness->missing != NULL)
        add_part(line, "missing", &missing_rank_fields, witness->missing);
    json_object_set_new(line, "layout", json_integer((json_int_t)record_define_layout(writer, listing)));
    if (witness->calls != NULL)
        json_object_set_new(line, "calls", calls_write(writer, witness->calls));
    if (witness->activity != NULL)
        json_object_set_new(line, "activity", activity_write(witness->activity));
    record_write_line(writer, "rank", line);
    writer->n_ranks++;
}
