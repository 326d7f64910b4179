/*
 * read_rank.c - a process of a record, with what came before its line, and the definitions to which that refers.
 */
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/shared.h"
#include "mqd/dump/collect/target/system_call.h"
#include "mqd/dump/record/fields.h"
#include "mqd/dump/record/format.h"
#include "mqd/dump/record/read.h"
#include "mqd/dump/record/text.h"

/* Definitions. */

/* They are numbered in their order. */
static bool is_next(const json_t *line, size_t expected, char **why)
{
    uint64_t number;

    if (!unsigned_read(json_object_get(line, "number"), SIZE_MAX, &number, why))
        return false;
    return number == expected || set_reason(why, "its number is not the next one, %zu", expected);
}

/* Adds a zeroed definition. NULL, with the reason in *why: the line does not define the next one. */
#define NEXT(list, line, why)                                                                                          \
    (!is_next((line), (list).n, (why))                                                                                 \
         ? NULL                                                                                                        \
         : ((list).all = grow_array((list).all, (list).n, &(list).room, sizeof *(list).all), &(list).all[(list).n++]))

/* Members. */

/* A run of one: most are MPI_COMM_SELF, and no two records name the same. */
static bool is_single(const json_t *runs)
{
    return json_array_size(runs) == 1 && json_array_size(json_array_get(runs, 0)) == 1;
}

/* What the pool has need not be read again. It counts all the same: what a record may have depends on no other. */
bool members_line_read(struct record_reader *reader, const json_t *line, char **why)
{
    const char *name = json_string_value(json_object_get(line, "line"));
    enum member_kind kind = strcmp(name, member_kinds[MEMBERS_peers]) == 0 ? MEMBERS_peers : MEMBERS_group;
    const json_t *runs = json_object_get(line, "members");
    size_t most = MAX_MEMBERS - reader->n_members;
    struct members *members = NEXT(reader->record->members[kind], line, why), *known = NULL;
    bool is_known;

    if (members == NULL)
        return false;
    if (!json_is_array(runs))
        return set_reason(why, "\"members\" is no list");
    if (reader->pool != NULL && !is_single(runs))
        known = member_pool_place(&reader->pool->members[kind], runs);
    is_known = known != NULL && known->all != NULL && known->n <= most;
    if (is_known)
        *members = (struct members){shared_use(known->all), known->n};
    else if (!members_read(kind, runs, most, members, why))
        return false;
    else if (known != NULL)
        *known = (struct members){shared_use(members->all), members->n};
    record_reader_charge(reader, members->n * member_size(kind), is_known);
    reader->n_members += members->n;
    return true;
}

/* Layouts. */

bool layout_line_read(struct record_reader *reader, const json_t *line, char **why)
{
    struct listing *layout = NEXT(reader->record->layouts, line, why);

    if (layout == NULL)
        return false;
    layout->layout = shared_allocate(1, sizeof *layout->layout);
    return fields_read(line, &layout_fields, layout, NULL, why) &&
           fields_read(json_object_get(line, "summary"), &layout_summary_fields, layout->layout, NULL, why);
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
    struct call *place = NEXT(reader->record->places, line, why);

    return place != NULL && fields_read(line, &place_fields, place, NULL, why) && check_place(place, why) &&
           chain_read(json_object_get(line, "chain"), place, why);
}

/* Stacks. */

bool frame_line_read(struct record_reader *reader, const json_t *line, char **why)
{
    char **frame = NEXT(reader->record->frames, line, why);
    OWNED char *reason = NULL;

    return frame != NULL && (text_read(json_object_get(line, "text"), MAX_FRAME_TEXT, frame, &reason) ||
                             set_reason(why, "\"text\" of a frame %s", reason));
}

bool stack_line_read(struct record_reader *reader, const json_t *line, char **why)
{
    const struct record *record = reader->record;
    const json_t *list = json_object_get(line, "frames");
    struct record_stack *stack = NEXT(reader->record->stacks, line, why);
    uint64_t number;

    if (stack == NULL)
        return false;
    if (!json_is_array(list) || json_array_size(list) > MAX_STACK_FRAMES)
        return set_reason(why, "\"frames\" is no list of at most %d frames", MAX_STACK_FRAMES);
    stack->n = json_array_size(list);
    stack->frames = allocate_array(stack->n, sizeof *stack->frames);
    record_reader_charge(reader, stack->n * sizeof *stack->frames, false);
    for (size_t i = 0; i < stack->n; i++) {
        if (!unsigned_read(json_array_get(list, i), SIZE_MAX, &number, why))
            return false;
        if (number >= record->frames.n)
            return set_reason(why, "\"frames\" names a frame that did not come before");
        stack->frames[i] = record->frames.all[number];
    }
    return true;
}

/* Threads. */

static bool thread_read(const struct record *record, const json_t *object, struct call *call, char **why)
{
    size_t place;

    if (!reference_read(object, "place", record->places.n, &place, why))
        return false;
    *call = record->places.all[place];
    return fields_read(object, &call_fields, call, NULL, why);
}

static bool stack_read(const struct record *record, const json_t *object, struct named_stack *named, char **why)
{
    size_t stack;

    if (!reference_read(object, "stack", record->stacks.n, &stack, why))
        return false;
    named->frames = record->stacks.all[stack].frames;
    named->n = record->stacks.all[stack].n;
    return fields_read(object, &named_stack_fields, named, NULL, why);
}

static bool stacks_read(const struct record *record, const json_t *list, struct calls *calls, char **why)
{
    if (list == NULL)
        return true;
    if (json_array_size(list) > MAX_STACKS)
        return set_reason(why, "it has more than %d stacks", MAX_STACKS);
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
    return fields_read(object, &calls_fields, calls, NULL, why) &&
           stacks_read(record, json_object_get(object, "stacks"), calls, why);
}

static bool is_position(long position, size_t n)
{
    return position < 0 || (size_t)position < n;
}

static bool openmp_read(const json_t *object, struct openmp *openmp, char **why)
{
    bool good = fields_read(object, &openmp_fields, openmp, NULL, why);

    if (!good)
        return false;
    for (size_t i = 0; i < openmp->n_teams; i++)
        good &= is_position(openmp->teams[i].runtime, openmp->n_runtimes) &&
                is_position(openmp->teams[i].parent, openmp->n_teams);
    for (size_t i = 0; i < openmp->n_threads; i++)
        good &= is_position(openmp->threads[i].runtime, openmp->n_runtimes) &&
                is_position(openmp->threads[i].team, openmp->n_teams);
    return good || set_reason(why, "\"openmp\" names a team or a runtime that is not there");
}

/* The number of a system call may be another one on another machine. */
static bool activity_read(const json_t *object, struct activity *activity, char **why)
{
    const char *name = json_string_value(json_object_get(object, "call_name"));

    if (!fields_read(object, &activity_fields, activity, NULL, why))
        return false;
    if (name != NULL)
        activity->call = system_call_number(name);
    return true;
}

/* The process. */

static void take_pending(struct listing *listing, struct listing *pending)
{
    listing->n = listing->room = pending->n;
    listing->communicators = fit_array(pending->communicators, pending->n, sizeof *pending->communicators);
    listing->n_windows = listing->window_room = pending->n_windows;
    listing->windows = fit_array(pending->windows, pending->n_windows, sizeof *pending->windows);
    listing->n_answers = listing->answer_room = pending->n_answers;
    listing->answers = fit_array(pending->answers, pending->n_answers, sizeof *pending->answers);
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

    if (!reference_read(line, "layout", record->layouts.n, &layout, why) ||
        !fields_read(line, &listing_fields, listing, NULL, why))
        return false;
    take_layout(listing, &record->layouts.all[layout]);
    if (listing->n > 0 && !listing->has_communicators)
        return set_reason(why, "it has communicators that it has not");
    return true;
}

static bool parts_read(const struct record *record, const json_t *line, struct record_rank *rank, char **why)
{
    struct witness *witness = &rank->witness;
    const json_t *calls = json_object_get(line, "calls"), *activity = json_object_get(line, "activity");
    const json_t *missing = json_object_get(line, "missing"), *openmp = json_object_get(line, "openmp");

    if (calls != NULL && !calls_read(record, calls, &rank->calls, why))
        return false;
    if (activity != NULL && !activity_read(activity, &rank->activity, why))
        return false;
    if (openmp != NULL && !openmp_read(openmp, &rank->openmp, why))
        return false;
    if (missing != NULL && !fields_read(missing, &missing_rank_fields, &rank->missing, NULL, why))
        return false;
    witness->calls = calls != NULL ? &rank->calls : NULL;
    witness->openmp = openmp != NULL ? &rank->openmp : NULL;
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
    if (!listing_read(record, line, &rank->listing, why) || !fields_read(line, &witness_fields, &rank->witness, NULL, why) ||
        !parts_read(record, line, rank, why) || !look_reference_read(reader, line, rank, why)) {
        record_rank_free(rank);
        return false;
    }
    record_rank_connect(rank);
    record->n++;
    record_reader_charge(reader, sizeof *rank + rank->calls.n_stacks * sizeof *rank->calls.stacks +
                                     rank->openmp.n_runtimes * sizeof *rank->openmp.runtimes +
                                     rank->openmp.n_teams * sizeof *rank->openmp.teams +
                                     rank->openmp.n_threads * sizeof *rank->openmp.threads, false);
    return true;
}
