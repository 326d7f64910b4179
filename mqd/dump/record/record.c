/*
 * record.c - a record that was read.
 */
#include "mqd/dump/record/record.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "config.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/shared.h"
#include "mqd/dump/record/fields.h"

/* Looks. */

static void set_time(struct record_look *look)
{
    struct timespec now = {0};
    struct tm date = {0};
    char seconds[24];

    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &date);
    strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", &date);
    snprintf(look->taken, sizeof look->taken, "%s.%06uZ", seconds,
             (unsigned)(now.tv_nsec / 1000) % 1000000u);
}

void record_look_set_here(struct record_look *look)
{
    char host[256] = "";

    look->mqdump = copy_string(PACKAGE_VERSION);
    if (gethostname(host, sizeof host - 1) == 0 && host[0] != '\0')
        look->host = copy_string(host);
    set_time(look);
}

static char *copy(const char *text)
{
    return text != NULL ? copy_string(text) : NULL;
}

struct record_look record_look_copy(const struct record_look *look)
{
    struct record_look own = *look;

    own.host = copy(look->host);
    own.mqdump = copy(look->mqdump);
    own.problem = copy(look->problem);
    return own;
}

void record_look_clear(struct record_look *look)
{
    FREE_ALL(look->host, look->mqdump, look->problem);
    *look = (struct record_look){0};
}

bool record_time_is_valid(const char *taken)
{
    static const char form[] = "0000-00-00T00:00:00.000000Z";

    if (strlen(taken) != sizeof form - 1)
        return false;
    for (size_t i = 0; form[i] != '\0'; i++)
        if (form[i] == '0' ? !isdigit((unsigned char)taken[i]) : taken[i] != form[i])
            return false;
    return true;
}

/* Ranks. */

void record_rank_connect(struct record_rank *rank)
{
    struct witness *witness = &rank->witness;
    struct listing *listing = &rank->listing;

    listing->calls = witness->calls;
    listing->activity = witness->activity;
    listing->openmp = witness->openmp;
    witness->listing = listing;
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
    fields_free(&openmp_fields, &rank->openmp);
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

#define TRIM(array, n, n_room) ((array) = fit_array((array), (n), sizeof *(array)), (n_room) = (n))
#define TRIM_LIST(list) TRIM((list).all, (list).n, (list).room)

void record_trim(struct record *record)
{
    TRIM(record->ranks, record->n, record->room);
    TRIM(record->looks, record->n_looks, record->look_room);
    for (size_t i = 0; i < N_MEMBER_KINDS; i++)
        TRIM_LIST(record->members[i]);
    TRIM_LIST(record->layouts);
    TRIM_LIST(record->places);
    TRIM_LIST(record->frames);
    TRIM_LIST(record->stacks);
}

void record_clear_looks(struct record *record)
{
    for (size_t i = 0; i < record->n_looks; i++)
        record_look_clear(&record->looks[i]);
    record->n_looks = 0;
}

static void clear_definitions(struct record *record)
{
    for (size_t kind = 0; kind < N_MEMBER_KINDS; kind++) {
        for (size_t i = 0; i < record->members[kind].n; i++)
            shared_release(record->members[kind].all[i].all);
        free(record->members[kind].all);
    }
    for (size_t i = 0; i < record->layouts.n; i++) {
        struct listing *layout = &record->layouts.all[i];

        fields_free(&layout_fields, layout);
        shared_release(layout->layout);
    }
    for (size_t i = 0; i < record->places.n; i++) {
        fields_free(&place_fields, &record->places.all[i]);
        for (size_t k = 0; k < record->places.all[i].n_chain; k++)
            free(record->places.all[i].chain[k]);
    }
    for (size_t i = 0; i < record->frames.n; i++)
        free(record->frames.all[i]);
    for (size_t i = 0; i < record->stacks.n; i++)
        free(record->stacks.all[i].frames);
    FREE_ALL(record->layouts.all, record->places.all, record->frames.all, record->stacks.all);
}

void record_clear(struct record *record)
{
    record_clear_looks(record);
    for (size_t i = 0; i < record->n; i++)
        record_rank_free(record->ranks[i]);
    for (size_t i = 0; i < record->n_warnings; i++)
        free(record->warnings[i]);
    clear_definitions(record);
    FREE_ALL(record->looks, record->ranks, record->warnings, record->name, record->problem);
    *record = (struct record){0};
}
