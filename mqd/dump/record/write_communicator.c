/*
 * write_communicator.c - communicators with their operations, and windows, in a record.
 */
#include "mqd/dump/record/write_communicator.h"

#include "mqd/dump/record/column.h"
#include "mqd/dump/record/fields.h"
#include "mqd/dump/record/format.h"
#include "mqd/dump/record/members.h"

/* Members. */

static size_t define_members(struct record_writer *writer, struct dictionary *dictionary, const char *kind,
                             json_t *members)
{
    json_t *definition = json_object();

    json_object_set_new(definition, "members", members);
    return record_define(writer, dictionary, kind, definition);
}

/* All ranks of a job have the same array, which may be long. */
static void add_group(json_t *object, struct record_writer *writer, int *group, size_t n)
{
    size_t number;

    if (group == NULL)
        return;
    if (!array_index_find(&writer->group_arrays, group, n, &number)) {
        number = define_members(writer, &writer->groups, "group", group_write(group, n));
        array_index_add(&writer->group_arrays, group, n, number);
    }
    json_object_set_new(object, "group", json_integer((json_int_t)number));
}

static void add_peers(json_t *object, struct record_writer *writer, const struct communicator *communicator)
{
    size_t number, n = (size_t)communicator_n_peers(communicator);

    if (communicator->peers == NULL)
        return;
    if (!array_index_find(&writer->peer_arrays, communicator->peers, n, &number)) {
        number = define_members(writer, &writer->peers, "peers", peers_write(communicator->peers, n));
        array_index_add(&writer->peer_arrays, communicator->peers, n, number);
    }
    json_object_set_new(object, "peers", json_integer((json_int_t)number));
}

/* An object that has nothing says nothing. */
static void set_part(json_t *object, const char *key, json_t *value)
{
    if (json_object_size(value) > 0)
        json_object_set(object, key, value);
    json_decref(value);
}

static void add_part(json_t *object, const char *key, const struct field_table *table, const void *from)
{
    json_t *value = json_object();

    fields_write(value, table, from);
    set_part(object, key, value);
}

/* Operations. */

static void write_operations(struct record_writer *writer, int class, const struct queue *queue)
{
    const struct field_table *table = queue->described ? &operation_fields : &undescribed_fields;

    for (size_t first = 0; first < queue->n; first += MAX_OPERATIONS_IN_LINE) {
        size_t left = queue->n - first, n = left < MAX_OPERATIONS_IN_LINE ? left : MAX_OPERATIONS_IN_LINE;
        const struct column_place place = {(char *)&queue->operations[first], sizeof *queue->operations, n};
        json_t *line = json_object(), *columns = json_object();

        columns_write(columns, table, &place);
        json_object_set_new(line, "queue", json_integer(class));
        json_object_set_new(line, "described", json_boolean(queue->described));
        json_object_set_new(line, "n", json_integer((json_int_t)n));
        json_object_set_new(line, "columns", columns);
        record_write_line(writer, "operations", line);
    }
}

/* Communicators. */

/* [PEER, SENT, ARRIVED], by peer. What is known of some peers only is written too. */
static void add_traffic(json_t *object, const struct communicator *communicator)
{
    json_t *list;

    if (communicator->n_traffic == 0)
        return;
    list = json_array();
    for (size_t i = 0; i < communicator->n_traffic; i++)
        json_array_append_new(list, json_pack("[I,i,i]", (json_int_t)communicator->traffic[i].peer,
                                              (int)communicator->traffic[i].n_sent,
                                              (int)communicator->traffic[i].n_arrived));
    json_object_set_new(object, "traffic", list);
}

static void add_queues(json_t *object, const struct communicator *communicator)
{
    json_t *queues = json_array();

    for (int class = 0; class < N_QUEUES; class++) {
        json_t *queue = json_object();

        fields_write(queue, &queue_fields, &communicator->queues[class]);
        json_array_append_new(queues, queue);
    }
    json_object_set_new(object, "queues", queues);
}

void record_write_communicator(struct record_writer *writer, const struct communicator *communicator)
{
    json_t *line = json_object();

    fields_write(line, &communicator_fields, communicator);
    add_group(line, writer, communicator->group, (size_t)communicator->size);
    add_peers(line, writer, communicator);
    add_part(line, "summary", &summary_fields, &communicator->summary);
    add_part(line, "use", &use_fields, &communicator->use);
    add_traffic(line, communicator);
    add_queues(line, communicator);
    record_write_line(writer, "communicator", line);
    for (int class = 0; class < N_QUEUES; class++)
        write_operations(writer, class, &communicator->queues[class]);
}

void record_write_window(struct record_writer *writer, const struct window *window)
{
    json_t *line = json_object(), *peers = json_array();

    fields_write(line, &window_fields, window);
    add_group(line, writer, window->group, (size_t)window->size);
    add_part(line, "description", &window_description_fields, &window->description);
    for (size_t i = 0; i < window->n_peers; i++) {
        json_t *peer = json_object();

        fields_write(peer, &window_peer_fields, &window->peers[i]);
        json_array_append_new(peers, peer);
    }
    json_object_set_new(line, "peers", peers);
    record_write_line(writer, "window", line);
}
