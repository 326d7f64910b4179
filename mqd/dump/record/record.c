/*
 * record.c - a record that was read.
 */
#include "mqd/dump/record/record.h"

#include <stdio.h>
#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/shared.h"
#include "mqd/dump/record/fields.h"

static void free_all(const struct field_table *table, void *array, size_t n)
{
    for (size_t i = 0; i < n; i++)
        fields_free(table, (char *)array + i * table->size);
}

/* listing_free does not free what belongs to a DLL elsewhere. */
static void free_layout(struct listing *layout)
{
    struct details *details = &layout->details;

    free_all(&gap_fields, layout->gaps, N_QUEUES);
    free_all(&type_fields, details->types, details->n_types);
    free_all(&layout_field_fields, details->fields, details->n_fields);
    free_all(&probe_fields, details->probes, details->n_probes);
    free_all(&capability_fields, details->capabilities, details->n_capabilities);
    listing_free(layout);
}

void record_rank_connect(struct record_rank *rank)
{
    struct witness *witness = &rank->witness;
    struct listing *listing = &rank->listing;

    listing->calls = witness->calls;
    listing->activity = witness->activity;
    witness->listing = listing;
    witness->job = listing->job;
    witness->user = listing->user;
    witness->job_number = NULL;
    if (!listing->has_name)
        return;
    snprintf(rank->job_number, sizeof rank->job_number, "%lu", listing->name.job);
    witness->job_number = rank->job_number;
}

void record_rank_free(struct record_rank *rank)
{
    struct listing *listing = &rank->listing;

    /* These are the record's. */
    listing->layout_error = NULL;
    listing->libraries = NULL;
    listing->n_libraries = 0;
    listing->details = (struct details){0};
    free((char *)listing->core);
    listing_free(listing);
    fields_free(&missing_rank_fields, &rank->missing);
    FREE_ALL(rank->calls.calls, rank->calls.stacks, rank);
}

void record_add_look(struct record *record, const struct record_look *look)
{
    APPEND(record->looks, record->n_looks, record->look_room, record_look_copy(look));
}

const struct record_look *record_first_look(const struct record *record)
{
    static const struct record_look none;

    return record->n_looks > 0 ? &record->looks[0] : &none;
}

void record_settle_problem(struct record *record)
{
    struct record_look *last;

    if (record->n_looks == 0)
        record_add_look(record, &(struct record_look){.problem = record->problem});
    last = &record->looks[record->n_looks - 1];
    if (last->problem == NULL && record->problem != NULL)
        last->problem = copy_string(record->problem);
}

static void *trim(void *array, size_t n, size_t *room, size_t size)
{
    void *smaller = n > 0 && n < *room ? reallocarray(array, n, size) : NULL;

    if (smaller != NULL)
        *room = n;
    return smaller != NULL ? smaller : array;
}

void record_trim(struct record *record)
{
    record->ranks = trim(record->ranks, record->n, &record->room, sizeof *record->ranks);
    record->looks = trim(record->looks, record->n_looks, &record->look_room, sizeof *record->looks);
    record->groups = trim(record->groups, record->n_groups, &record->group_room, sizeof *record->groups);
    record->peers = trim(record->peers, record->n_peers, &record->peers_room, sizeof *record->peers);
    record->layouts = trim(record->layouts, record->n_layouts, &record->layout_room, sizeof *record->layouts);
    record->places = trim(record->places, record->n_places, &record->place_room, sizeof *record->places);
    record->frames = trim(record->frames, record->n_frames, &record->frame_room, sizeof *record->frames);
    record->stacks = trim(record->stacks, record->n_stacks, &record->stack_room, sizeof *record->stacks);
}

void record_clear_looks(struct record *record)
{
    for (size_t i = 0; i < record->n_looks; i++)
        record_look_clear(&record->looks[i]);
    record->n_looks = 0;
}

static void clear_places(struct record *record)
{
    for (size_t i = 0; i < record->n_places; i++)
        for (size_t k = 0; k < record->places[i].n_chain; k++)
            free(record->places[i].chain[k]);
    free_all(&place_fields, record->places, record->n_places);
    free(record->places);
}

static void clear_stacks(struct record *record)
{
    for (size_t i = 0; i < record->n_stacks; i++)
        free(record->stacks[i].frames);
    for (size_t i = 0; i < record->n_frames; i++)
        free(record->frames[i]);
    FREE_ALL(record->stacks, record->frames);
}

void record_clear(struct record *record)
{
    record_clear_looks(record);
    for (size_t i = 0; i < record->n; i++)
        record_rank_free(record->ranks[i]);
    for (size_t i = 0; i < record->n_warnings; i++)
        free(record->warnings[i]);
    for (size_t i = 0; i < record->n_groups; i++)
        shared_release(record->groups[i].members);
    for (size_t i = 0; i < record->n_peers; i++)
        shared_release(record->peers[i].members);
    for (size_t i = 0; i < record->n_layouts; i++)
        free_layout(&record->layouts[i]);
    clear_places(record);
    clear_stacks(record);
    FREE_ALL(record->looks, record->ranks, record->warnings, record->groups, record->peers, record->layouts,
             record->name, record->problem);
    *record = (struct record){0};
}
