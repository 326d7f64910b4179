/*
 * writer.c - a record that is being written, for those who write its lines.
 */
#include "mqd/dump/record/writer.h"

/* So many digits are kept by a number that is read and written again: %.15g of a double. */
enum { REAL_DIGITS = 15 };

void record_write_line(struct record_writer *writer, const char *kind, json_t *line)
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

size_t record_define(struct record_writer *writer, struct dictionary *dictionary, const char *kind, json_t *definition)
{
    bool is_new;
    size_t number = dictionary_number(dictionary, json_dumps(definition, JSON_COMPACT), &is_new);

    if (!is_new) {
        json_decref(definition);
        return number;
    }
    json_object_set_new(definition, "number", json_integer((json_int_t)number));
    record_write_line(writer, kind, definition);
    return number;
}
