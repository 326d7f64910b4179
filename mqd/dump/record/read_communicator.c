/*
 * read_communicator.c - communicators with their operations, windows, and answers about handles, of a record.
 */
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/shared.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/record/column.h"
#include "mqd/dump/record/fields.h"
#include "mqd/dump/record/format.h"
#include "mqd/dump/record/read.h"
#include "mqd/dump/record/text.h"

/* Members. */

/* Finds the members that a line names, as many as it needs, for a pointer. It stays NULL if they are not known. */
static bool find_members(const struct record *record, const json_t *line, enum member_kind kind, long size,
                         void *pointer, char **why)
{
    const struct members *found;
    size_t number;

    if (json_object_get(line, member_kinds[kind]) == NULL)
        return true;
    if (!reference_read(line, member_kinds[kind], record->members[kind].n, &number, why))
        return false;
    found = &record->members[kind].all[number];
    if (found->n != (size_t)size)
        return set_reason(why, kind == MEMBERS_group ? "\"size\" is %ld, its group has %zu members"
                                                     : "a communicator of %ld peers has %zu",
                          size, found->n);
    memcpy(pointer, &(void *){shared_use(found->all)}, sizeof(void *));
    return true;
}

/* Operations. */

/* Up to format 2 lines of text are a list. */
static bool texts_read(const json_t *list, struct queue *queue, struct queued *operation, char **why)
{
    if (list != NULL && !json_is_array(list))
        return set_reason(why, "\"extra_text\" is no list");
    if (json_array_size(list) > N_EXTRA_TEXTS)
        return set_reason(why, "\"extra_text\" has more than %d lines", N_EXTRA_TEXTS);
    for (size_t i = 0; i < json_array_size(list); i++) {
        OWNED char *reason = NULL, *text = NULL;

        if (!text_read(json_array_get(list, i), MAX_QUEUED_TEXT, &text, &reason))
            return set_reason(why, "a line of \"extra_text\" %s", reason);
        operation->extra_text[i] = texts_add(&queue->texts, text, strlen(text));
    }
    return true;
}

/* Up to format 2 an operation has an object. */
static bool operation_read(struct queue *queue, const json_t *object, const struct field_table *table, char **why)
{
    struct queued *operation = &queue->operations[queue->n];

    if (!json_is_object(object))
        return set_reason(why, "an operation is no object");
    return fields_read(object, table, operation, &queue->texts, why) &&
           texts_read(json_object_get(object, "extra_text"), queue, operation, why);
}

static bool operations_read(struct queue *queue, const json_t *list, size_t n, const struct field_table *table,
                            char **why)
{
    for (size_t i = 0; i < n; i++, queue->n++)
        if (!operation_read(queue, json_array_get(list, i), table, why))
            return false;
    return true;
}

static bool operation_columns_read(struct queue *queue, const json_t *columns, size_t n,
                                   const struct field_table *table, char **why)
{
    const struct column_place place = {(char *)&queue->operations[queue->n], sizeof *queue->operations, n};

    if (!json_is_object(columns))
        return set_reason(why, "\"columns\" is no object");
    if (!columns_read(columns, table, &place, &queue->texts, why))
        return false;
    queue->n += n;
    return true;
}

/* The queue of the last communicator. All its lines must agree in what is known of operations. */
static struct queue *queue_of_line(struct record_reader *reader, const json_t *line, bool described, char **why)
{
    struct listing *pending = &reader->pending;
    struct queue *queue;
    uint64_t class;
    OWNED char *reason = NULL;

    if (pending->n == 0) {
        set_reason(why, "operations come before their communicator");
        return NULL;
    }
    if (!unsigned_read(json_object_get(line, "queue"), N_QUEUES - 1, &class, &reason)) {
        set_reason(why, "\"queue\" of operations %s", reason);
        return NULL;
    }
    queue = &pending->communicators[pending->n - 1].queues[class];
    if (!queue->available || (queue->n > 0 && described != queue->described)) {
        set_reason(why, "operations contradict what was said of their queue");
        return NULL;
    }
    return queue;
}

/* How many operations a line has; 0, with the reason in *why, if that is no number that a line can have. */
static size_t n_operations_in(const json_t *line, char **why)
{
    const json_t *n = json_object_get(line, "n");
    size_t found = n == NULL ? json_array_size(json_object_get(line, "operations")) : (size_t)json_integer_value(n);

    if (found > 0 && found <= MAX_OPERATIONS_IN_LINE)
        return found;
    set_reason(why, "it has not 1 to %d operations", MAX_OPERATIONS_IN_LINE);
    return 0;
}

bool operations_line_read(struct record_reader *reader, const json_t *line, char **why)
{
    const json_t *list = json_object_get(line, "operations");
    bool described = json_is_true(json_object_get(line, "described"));
    struct queue *queue = queue_of_line(reader, line, described, why);
    size_t n = queue != NULL ? n_operations_in(line, why) : 0, size;
    const struct field_table *table = described ? &operation_fields : &undescribed_fields;
    bool good;

    if (n == 0)
        return false;
    queue->described = described;
    queue_enlarge(queue, n);
    size = texts_size(queue->texts);
    good = list != NULL ? operations_read(queue, list, n, table, why)
                        : operation_columns_read(queue, json_object_get(line, "columns"), n, table, why);
    record_reader_charge(reader, n * sizeof *queue->operations + texts_size(queue->texts) - size, false);
    return good;
}

/* Communicators. */

/* It is searched in. */
static bool is_in_order(const struct traffic *traffic, size_t n, char **why)
{
    return !ANY(i, n, i > 0 && traffic[i].peer <= traffic[i - 1].peer) || set_reason(why, "\"traffic\" is not in order");
}

bool communicator_line_read(struct record_reader *reader, const json_t *line, char **why)
{
    struct listing *pending = &reader->pending;
    struct communicator *communicator;

    APPEND(pending->communicators, pending->n, pending->room, (struct communicator){0});
    communicator = &pending->communicators[pending->n - 1];
    record_reader_charge(reader, sizeof *communicator, false);
    if (!fields_read(line, &communicator_fields, communicator, NULL, why))
        return false;
    record_reader_charge(reader, communicator->arrangement.n_dimensions * sizeof *communicator->arrangement.dimensions,
                         false);
    return find_members(reader->record, line, MEMBERS_group, communicator->size, &communicator->group, why) &&
           find_members(reader->record, line, MEMBERS_peers, communicator_n_peers(communicator), &communicator->peers,
                        why) &&
           is_in_order(communicator->traffic, communicator->n_traffic, why);
}

/* Windows. */

bool window_line_read(struct record_reader *reader, const json_t *line, char **why)
{
    struct listing *pending = &reader->pending;
    struct window *window;

    APPEND(pending->windows, pending->n_windows, pending->window_room, (struct window){0});
    window = &pending->windows[pending->n_windows - 1];
    if (!fields_read(line, &window_fields, window, NULL, why) ||
        !find_members(reader->record, line, MEMBERS_group, window->size, &window->group, why))
        return false;
    if (ANY(i, window->n_peers, window->peers[i].rank >= window->size))
        return set_reason(why, "\"peers\" of a window has a rank that it has not");
    return window->group != NULL || set_reason(why, "a window has no group");
}

/* What handles stand for. */

bool answer_line_read(struct record_reader *reader, const json_t *line, char **why)
{
    struct listing *pending = &reader->pending;

    APPEND(pending->answers, pending->n_answers, pending->answer_room, (struct handle_answer){0});
    record_reader_charge(reader, sizeof *pending->answers, false);
    return fields_read(line, &handle_answer_fields, &pending->answers[pending->n_answers - 1], NULL, why);
}

static bool forms_are_possible(const struct handle *handle, char **why)
{
    for (size_t i = 0; i < handle->n; i++)
        if (!handle_item_has_its_form(&handle->items[i]))
            return set_reason(why, "fact %d of a handle cannot have form %d", handle->items[i].fact,
                              handle->items[i].form);
    return true;
}

/* A line of few runs may stand for many items. */
static bool handle_items_read(struct handle_answer *answer, struct handle *handle, const json_t *line, char **why)
{
    const json_t *columns = json_object_get(line, "columns");
    uint64_t n;
    OWNED char *reason = NULL;

    if (columns == NULL)
        return true;
    if (!unsigned_read(json_object_get(line, "n"), MAX_HANDLE_ITEMS, &n, &reason))
        return set_reason(why, "\"n\" of a handle %s", reason);
    if (!json_is_object(columns) || n == 0)
        return set_reason(why, "\"columns\" of a handle is no object, or has nothing");
    handle->items = allocate_array((size_t)n, sizeof *handle->items);
    handle->n = handle->room = (size_t)n;
    return columns_read(columns, &handle_item_fields,
                        &(struct column_place){(char *)handle->items, sizeof *handle->items, handle->n}, &answer->texts,
                        why) && forms_are_possible(handle, why);
}

bool handle_line_read(struct record_reader *reader, const json_t *line, char **why)
{
    struct listing *pending = &reader->pending;
    struct handle_answer *answer;
    struct handle *handle;
    size_t size;
    bool good;

    if (pending->n_answers == 0)
        return set_reason(why, "a handle comes before its answer");
    answer = &pending->answers[pending->n_answers - 1];
    APPEND(answer->handles, answer->n, answer->room, (struct handle){0});
    handle = &answer->handles[answer->n - 1];
    size = texts_size(answer->texts);
    good = fields_read(line, &handle_fields, handle, NULL, why) &&
           handle_items_read(answer, handle, line, why);
    record_reader_charge(reader, sizeof *handle + handle->n * sizeof *handle->items + texts_size(answer->texts) - size,
                         false);
    return good;
}
