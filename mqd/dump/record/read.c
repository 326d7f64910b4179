/*
 * read.c - reads a record line by line.
 */
#include "mqd/dump/record/read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/record/fields.h"
#include "mqd/dump/record/format.h"
#include "mqd/dump/record/text.h"

/* Lines. */

static bool warning_read(struct record_reader *reader, const json_t *line, char **why)
{
    struct record *record = reader->record;
    OWNED char *reason = NULL;
    char *text;

    if (!text_read(json_object_get(line, "text"), MAX_STRING, &text, &reason))
        return set_reason(why, "\"text\" of a warning %s", reason);
    APPEND(record->warnings, record->n_warnings, record->warning_room, text);
    return true;
}

static bool end_read(struct record_reader *reader, const json_t *line, char **why)
{
    uint64_t n_ranks, n_lines;

    if (!unsigned_read(json_object_get(line, "ranks"), SIZE_MAX, &n_ranks, why) ||
        !unsigned_read(json_object_get(line, "lines"), SIZE_MAX, &n_lines, why) ||
        !fields_read(line, &statistics_fields, &reader->record->statistics, NULL, why))
        return false;
    if (n_ranks != reader->record->n || n_lines != reader->n_lines)
        return set_reason(why, "lines are missing: it ends after %zu lines and %zu ranks, not %zu and %zu",
                          reader->n_lines, reader->record->n, (size_t)n_lines, (size_t)n_ranks);
    reader->ended = true;
    return true;
}

/* Looks. */

/* Without a time it has to be told why. */
static bool look_is_valid(const struct record_look *look, char **why)
{
    if (look->taken[0] == '\0' && look->problem != NULL)
        return true;
    return record_time_is_valid(look->taken) || set_reason(why, "\"taken\" is no time");
}

/* Before there were lines of looks a header had no problem. */
static bool add_look(struct record_reader *reader, const json_t *line, char **why)
{
    RELEASED_BY(record_look_clear) struct record_look look = {0};

    if (!fields_read(line, &look_fields, &look, NULL, why))
        return false;
    if (reader->format < FIRST_FORMAT_WITH_LOOKS)
        free(TAKEN(look.problem));
    if (!look_is_valid(&look, why))
        return false;
    record_add_look(reader->record, &look);
    return true;
}

static bool look_line_read(struct record_reader *reader, const json_t *line, char **why)
{
    if (reader->format < FIRST_FORMAT_WITH_LOOKS)
        return true;
    if (reader->record->n_looks >= MAX_LOOKS)
        return set_reason(why, "there are more than %d looks", MAX_LOOKS);
    return add_look(reader, line, why);
}

static const struct {
    const char *kind;
    line_reader *read;
} kinds[] = {
    {"look", look_line_read},
    {"group", members_line_read},
    {"peers", members_line_read},
    {"layout", layout_line_read},
    {"place", place_line_read},
    {"frame", frame_line_read},
    {"stack", stack_line_read},
    {"communicator", communicator_line_read},
    {"operations", operations_line_read},
    {"window", window_line_read},
    {"answer", answer_line_read},
    {"handle", handle_line_read},
    {"rank", rank_line_read},
    {"warning", warning_read},
    {"end", end_read},
};

/* Newer programs may have more members in a header: only the number of the format says what a record is. */
static bool header_read(struct record_reader *reader, const json_t *line, char **why)
{
    const char *record = json_string_value(json_object_get(line, "record"));
    int64_t format;

    if (record == NULL || strcmp(record, RECORD_NAME) != 0)
        return set_reason(why, "it is no record of mqdump");
    if (!signed_read(json_object_get(line, "format"), 1, INT_MAX, &format, why))
        return false;
    if (format > RECORD_FORMAT) {
        const char *version = json_string_value(json_object_get(line, "mqdump"));

        return set_reason(why, "its format is %d, of mqdump %.40s: this mqdump reads formats up to %d", (int)format,
                          version != NULL ? version : "of unknown version", RECORD_FORMAT);
    }
    reader->format = (int)format;
    return add_look(reader, line, why);
}

static bool whole_line_read(struct record_reader *reader, const char *kind, json_t *line, line_reader *read, char **why)
{
    json_t *whole;
    bool good;

    if (reader->format < FIRST_FORMAT_WITH_LIKE)
        return read(reader, line, why);
    whole = like_expand(&reader->likes, kind, line, why);
    if (whole == NULL)
        return false;
    good = read(reader, whole, why);
    json_decref(whole);
    return good;
}

static bool object_read(struct record_reader *reader, json_t *line, char **why)
{
    const char *kind = json_string_value(json_object_get(line, "line"));

    if (kind == NULL)
        return set_reason(why, reader->n_lines == 1 ? "it is no record of mqdump" : "it does not say what it is");
    if (reader->n_lines == 1)
        return header_read(reader, line, why);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kind, kinds[i].kind) == 0)
            return whole_line_read(reader, kind, line, kinds[i].read, why);
    return true;
}

/* jansson bounds the depth, and refuses what is no UTF-8 and the character NUL. */
static bool line_read(struct record_reader *reader, char **why)
{
    json_error_t error;
    json_t *line;
    bool good;

    reader->n_lines++;
    if (reader->ended)
        return set_reason(why, "it comes after the end");
    line = json_loadb(reader->line, reader->length, JSON_REJECT_DUPLICATES, &error);
    if (line == NULL)
        return set_reason(why, reader->n_lines == 1 ? "it is no record of mqdump: %s" : "%s", error.text);
    good = object_read(reader, line, why);
    json_decref(line);
    return good;
}

/* Streams. */

void record_reader_start(struct record_reader *reader, struct record *record, const char *name,
                         struct record_pool *pool)
{
    json_memory_set();
    *reader = (struct record_reader){.record = record, .pool = pool};
    record->name = copy_string(name);
}

void record_reader_charge(struct record_reader *reader, uint64_t bytes, bool shared)
{
    reader->memory += bytes;
    if (reader->pool != NULL && !shared)
        reader->pool->memory += bytes;
}

static bool is_small_enough(const struct record_reader *reader, char **why)
{
    const struct record_pool *pool = reader->pool;

    if (reader->max_memory > 0 && reader->memory > reader->max_memory)
        return set_reason(why, "it needs more memory than it may (--limit memory=SIZE)");
    if (pool != NULL && pool->max_memory > 0 && pool->memory > pool->max_memory)
        return set_reason(why, "all that was read needs more than half of the memory that this machine has");
    return true;
}

static size_t count_processes(const struct record *record)
{
    size_t n = 0;

    for (size_t i = 0; i < record->n_looks; i++)
        n += record->looks[i].n_processes;
    return n;
}

static void fail(struct record_reader *reader, size_t line, const char *why)
{
    if (reader->record->problem == NULL)
        reader->record->problem = format_text("line %zu: %s", line, why);
}

static bool append(struct record_reader *reader, const char *bytes, size_t n)
{
    if (n > MAX_LINE - reader->length) {
        OWNED char *why = format_text("it is longer than %d bytes", MAX_LINE);

        fail(reader, reader->n_lines + 1, why);
        return false;
    }
    /* There is room even if the first line is empty. */
    while (reader->room <= reader->length + n)
        reader->line = grow_array(reader->line, reader->room, &reader->room, 1);
    memcpy(reader->line + reader->length, bytes, n);
    reader->length += n;
    return true;
}

static bool end_line(struct record_reader *reader)
{
    OWNED char *why = NULL;
    bool good = line_read(reader, &why);

    /* Texts are there twice for a while, as JSON. */
    record_reader_charge(reader, 2 * reader->length, false);
    good = good && is_small_enough(reader, &why);
    reader->length = 0;
    if (!good)
        fail(reader, reader->n_lines, why);
    return good;
}

bool record_reader_take(struct record_reader *reader, const char *bytes, size_t n)
{
    while (n > 0 && reader->record->problem == NULL) {
        const char *end = memchr(bytes, '\n', n);
        size_t length = end != NULL ? (size_t)(end - bytes) : n, used = length + (end != NULL);

        if (!append(reader, bytes, length) || (end != NULL && !end_line(reader)))
            break;
        bytes += used;
        n -= used;
    }
    return reader->record->problem == NULL;
}

void record_reader_finish(struct record_reader *reader)
{
    struct record *record = reader->record;

    if (record->problem == NULL && reader->n_lines == 0)
        record->problem = copy_string("line 1: it is no record of mqdump: it is empty, or has no line");
    else if (record->problem == NULL && (!reader->ended || reader->length > 0))
        record->problem = format_text("line %zu: the end is missing; %zu of %zu processes are there",
                                      reader->n_lines + 1, record->n, count_processes(record));
    record->complete = record->problem == NULL;
    record_trim(record);
    listing_free(&reader->pending);
    likes_clear(&reader->likes);
    free(reader->line);
    *reader = (struct record_reader){0};
}

static bool read_stream(struct record *record, FILE *from, const char *name, struct record_pool *pool)
{
    enum { PIECE = 64 * 1024 };
    OWNED char *piece = allocate_array(PIECE, 1);
    struct record_reader reader;
    bool more = true;
    int error = 0;

    record_reader_start(&reader, record, name, pool);
    while (more) {
        size_t n = fread(piece, 1, PIECE, from);

        /* What was read before may still be taken; at the end of it errno is of something else. */
        if (ferror(from) && error == 0)
            error = errno;
        more = n > 0 && record_reader_take(&reader, piece, n);
    }
    if (error != 0 && record->problem == NULL)
        record->problem = format_text("cannot be read: %s", strerror(error));
    record_reader_finish(&reader);
    return record->n_looks > 0;
}

bool record_read_file(struct record *record, const char *path, struct record_pool *pool)
{
    bool is_input = strcmp(path, "-") == 0, good;
    FILE *from = is_input ? stdin : fopen(path, "re");

    if (from == NULL) {
        record->name = copy_string(path);
        record->problem = format_text("cannot be read: %s", strerror(errno));
        return false;
    }
    good = read_stream(record, from, is_input ? "standard input" : path, pool);
    if (!is_input)
        fclose(from);
    return good;
}
