/*
 * read_definition.c - definitions of a record, to which the lines of processes refer.
 */
#include "mqd/dump/record/read_definition.h"


#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/reason.h"
#include "mqd/dump/base/shared.h"
#include "mqd/dump/record/fields.h"
#include "mqd/dump/record/format.h"
#include "mqd/dump/record/members.h"
#include "mqd/dump/record/dictionary.h"
#include "mqd/dump/record/text.h"

/* They are numbered in their order. */
static bool check_number(const json_t *line, size_t expected, char **why)
{
    uint64_t number;

    if (!unsigned_read(json_object_get(line, "number"), SIZE_MAX, &number, why))
        return false;
    return number == expected || set_reason(why, "its number is not the next one, %zu", expected);
}

/* Members. */

typedef bool members_reader(const json_t *runs, size_t most, struct pooled *members, char **why);

static bool read_group(const json_t *runs, size_t most, struct pooled *members, char **why)
{
    int *group;

    if (!group_read(runs, most, &group, &members->n, why))
        return false;
    members->members = group;
    return true;
}

static bool read_peers(const json_t *runs, size_t most, struct pooled *members, char **why)
{
    struct mqd_process_name *peers;

    if (!peers_read(runs, most, &peers, &members->n, why))
        return false;
    members->members = peers;
    return true;
}

/* A run of one: most are MPI_COMM_SELF, and no two records name the same. */
static bool is_single(const json_t *runs)
{
    return json_array_size(runs) == 1 && json_array_size(json_array_get(runs, 0)) == 1;
}

/* What the pool has need not be read again. It counts all the same: what a record may have depends on no other. */
static bool members_read(struct record_reader *reader, struct member_pool *pool, const json_t *line,
                         members_reader *read, size_t size, struct pooled *members, char **why)
{
    const json_t *runs = json_object_get(line, "members");
    size_t most = MAX_MEMBERS - reader->n_members;
    struct pooled *known;

    if (!json_is_array(runs))
        return set_reason(why, "\"members\" is no list");
    known = pool != NULL && !is_single(runs) ? member_pool_place(pool, runs) : NULL;
    if (known != NULL && known->members != NULL && known->n <= most) {
        *members = (struct pooled){.members = shared_use(known->members), .n = known->n};
        record_reader_charge(reader, known->n * size, true);
    } else {
        if (!read(runs, most, members, why))
            return false;
        if (known != NULL)
            *known = (struct pooled){.members = shared_use(members->members), .n = members->n};
        record_reader_charge(reader, members->n * size, false);
    }
    reader->n_members += members->n;
    return true;
}

bool group_line_read(struct record_reader *reader, const json_t *line, char **why)
{
    struct record *record = reader->record;
    struct member_pool *pool = reader->pool != NULL ? &reader->pool->groups : NULL;
    struct pooled group;

    if (!check_number(line, record->n_groups, why) ||
        !members_read(reader, pool, line, read_group, sizeof(int), &group, why))
        return false;
    APPEND(record->groups, record->n_groups, record->group_room, (struct record_group){group.members, group.n});
    return true;
}

bool peers_line_read(struct record_reader *reader, const json_t *line, char **why)
{
    struct record *record = reader->record;
    struct member_pool *pool = reader->pool != NULL ? &reader->pool->peers : NULL;
    struct pooled peers;

    if (!check_number(line, record->n_peers, why) ||
        !members_read(reader, pool, line, read_peers, sizeof(struct mqd_process_name), &peers, why))
        return false;
    APPEND(record->peers, record->n_peers, record->peers_room, (struct record_peers){peers.members, peers.n});
    return true;
}

/* Layouts. */

/* A list of objects as an array of structures, whose number is *n also after a failure. An absent list is empty. */
static bool list_read(const json_t *list, const struct field_table *table, void **array, size_t *n, char **why)
{
    size_t size = json_array_size(list);

    if (list != NULL && !json_is_array(list))
        return set_reason(why, "a list of %s is none", table->name);
    *array = allocate_array(size, table->size);
    for (size_t i = 0; i < size; i++) {
        const json_t *object = json_array_get(list, i);

        *n = i + 1;
        if (!json_is_object(object))
            return set_reason(why, "an element of a list of %s is no object", table->name);
        if (!fields_read(object, table, (char *)*array + i * table->size, why))
            return false;
    }
    return true;
}

/* Texts that the tables are printed from. */
static bool details_are_named(const struct details *details, char **why)
{
    bool good = true;

    for (size_t i = 0; i < details->n_types; i++)
        good &= details->types[i].name != NULL && details->types[i].source != NULL;
    for (size_t i = 0; i < details->n_fields; i++)
        good &= details->fields[i].type != NULL && details->fields[i].member != NULL &&
                details->fields[i].kind != NULL && details->fields[i].source != NULL;
    for (size_t i = 0; i < details->n_probes; i++)
        good &= details->probes[i].name != NULL && details->probes[i].result != NULL;
    for (size_t i = 0; i < details->n_capabilities; i++)
        good &= details->capabilities[i].name != NULL && details->capabilities[i].text != NULL;
    return good || set_reason(why, "a part of \"details\" has no name");
}

static bool details_read(const json_t *object, struct details *details, char **why)
{
    void *types = NULL, *fields = NULL, *probes = NULL, *capabilities = NULL, *limits = NULL;
    bool good = list_read(json_object_get(object, "types"), &type_fields, &types, &details->n_types, why) &&
                list_read(json_object_get(object, "fields"), &layout_field_fields, &fields, &details->n_fields, why) &&
                list_read(json_object_get(object, "probes"), &probe_fields, &probes, &details->n_probes, why) &&
                list_read(json_object_get(object, "capabilities"), &capability_fields, &capabilities,
                          &details->n_capabilities, why) &&
                list_read(json_object_get(object, "limits"), &limit_fields, &limits, &details->n_limits, why);

    details->types = types;
    details->fields = fields;
    details->probes = probes;
    details->capabilities = capabilities;
    details->limits = limits;
    return good && details_are_named(details, why);
}

static bool libraries_read(const json_t *list, struct listing *layout, char **why)
{
    void *libraries = NULL;
    bool good = list_read(list, &library_fields, &libraries, &layout->n_libraries, why);

    layout->libraries = libraries;
    for (size_t i = 0; good && i < layout->n_libraries; i++)
        good = fields_read(json_object_get(json_array_get(list, i), "summary"), &library_summary_fields,
                           &layout->libraries[i].summary, why);
    return good;
}

static bool gaps_read(const json_t *list, struct listing *layout, char **why)
{
    if (json_array_size(list) != N_QUEUES)
        return set_reason(why, "\"gaps\" has not %d elements", N_QUEUES);
    for (size_t i = 0; i < N_QUEUES; i++)
        if (!fields_read(json_array_get(list, i), &gap_fields, &layout->gaps[i], why))
            return false;
    return true;
}

bool layout_line_read(struct record_reader *reader, const json_t *line, char **why)
{
    struct record *record = reader->record;
    struct listing *layout;

    if (!check_number(line, record->n_layouts, why))
        return false;
    record->layouts = grow_array(record->layouts, record->n_layouts, &record->layout_room, sizeof *record->layouts);
    layout = &record->layouts[record->n_layouts++];
    layout->layout = shared_allocate(1, sizeof *layout->layout);
    return fields_read(line, &layout_fields, layout, why) &&
           fields_read(json_object_get(line, "summary"), &layout_summary_fields, layout->layout, why) &&
           libraries_read(json_object_get(line, "libraries"), layout, why) &&
           gaps_read(json_object_get(line, "gaps"), layout, why) &&
           details_read(json_object_get(line, "details"), &layout->details, why);
}

/* Places. */

/* Who reads a place expects a function in MPI, and in a wrapper. */
static bool check_place(const struct call *place, char **why)
{
    if ((unsigned)place->state > CALL_MPI)
        return set_reason(why, "\"state\" of a place is none");
    if (place->function == NULL && (place->state == CALL_MPI || place->wrapper != NULL))
        return set_reason(why, "a place in MPI has no function");
    return true;
}

/* Records of programs that know no chains have none. */
static bool chain_read(const json_t *list, struct call *place, char **why)
{
    if (list != NULL && (!json_is_array(list) || json_array_size(list) > MAX_CHAIN))
        return set_reason(why, "\"chain\" of a place is no list of at most %d texts", MAX_CHAIN);
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (!text_read(json_array_get(list, i), MAX_STRING, &place->chain[i], why))
            return false;
        place->n_chain++;
    }
    return true;
}

bool place_line_read(struct record_reader *reader, const json_t *line, char **why)
{
    struct record *record = reader->record;
    struct call *place;

    if (!check_number(line, record->n_places, why))
        return false;
    record->places = grow_array(record->places, record->n_places, &record->place_room, sizeof *record->places);
    place = &record->places[record->n_places++];
    return fields_read(line, &place_fields, place, why) && check_place(place, why) &&
           chain_read(json_object_get(line, "chain"), place, why);
}

/* Stacks. */

bool frame_line_read(struct record_reader *reader, const json_t *line, char **why)
{
    struct record *record = reader->record;
    OWNED char *reason = NULL;
    char *text;

    if (!check_number(line, record->n_frames, why))
        return false;
    if (!text_read(json_object_get(line, "text"), MAX_FRAME_TEXT, &text, &reason))
        return set_reason(why, "\"text\" of a frame %s", reason);
    APPEND(record->frames, record->n_frames, record->frame_room, text);
    return true;
}

static bool frames_read(const struct record *record, const json_t *list, struct record_stack *stack, char **why)
{
    uint64_t number;

    for (size_t i = 0; i < json_array_size(list); i++) {
        if (!unsigned_read(json_array_get(list, i), SIZE_MAX, &number, why))
            return false;
        if (number >= record->n_frames)
            return set_reason(why, "\"frames\" names a frame that did not come before");
        stack->frames[i] = record->frames[number];
    }
    return true;
}

bool stack_line_read(struct record_reader *reader, const json_t *line, char **why)
{
    struct record *record = reader->record;
    const json_t *list = json_object_get(line, "frames");
    struct record_stack *stack;

    if (!check_number(line, record->n_stacks, why))
        return false;
    if (!json_is_array(list) || json_array_size(list) > MAX_STACK_FRAMES)
        return set_reason(why, "\"frames\" is no list of at most %d frames", MAX_STACK_FRAMES);
    record->stacks = grow_array(record->stacks, record->n_stacks, &record->stack_room, sizeof *record->stacks);
    stack = &record->stacks[record->n_stacks++];
    stack->n = json_array_size(list);
    stack->frames = allocate_array(stack->n, sizeof *stack->frames);
    record_reader_charge(reader, stack->n * sizeof *stack->frames, false);
    return frames_read(record, list, stack, why);
}
