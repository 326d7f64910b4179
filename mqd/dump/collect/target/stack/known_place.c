/*
 * known_place.c - places that were looked up already.
 */
#include "mqd/dump/collect/target/stack/known_place.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/collect/target/elf/function_name.h"
#include "mqd/dump/collect/target/stack/mpi_name.h"

static size_t slot_of(const struct place_cache *cache, const struct elf_file *file, uint64_t address)
{
    return (size_t)(((uint64_t)(uintptr_t)file / 64 + address) * 0x9e3779b97f4a7c15u >> 20) % cache->n_room;
}

static struct known_place *find_slot(struct place_cache *cache, const struct elf_file *file, uint64_t address)
{
    size_t slot = slot_of(cache, file, address);

    while (cache->places[slot].file != NULL &&
           (cache->places[slot].file != file || cache->places[slot].address != address))
        slot = (slot + 1) % cache->n_room;
    return &cache->places[slot];
}

static void make_room(struct place_cache *cache)
{
    struct place_cache old = *cache;

    if (cache->n_room > 0 && cache->n < cache->n_room / 2)
        return;
    cache->n_room = cache->n_room > 0 ? 2 * cache->n_room : 1024;
    cache->places = allocate_array(cache->n_room, sizeof *cache->places);
    for (size_t i = 0; i < old.n_room; i++)
        if (old.places[i].file != NULL)
            *find_slot(cache, old.places[i].file, old.places[i].address) = old.places[i];
    free(old.places);
}

static void read_names(struct known_place *known)
{
    elf_file_find_place(known->file, known->address, known->with_source, &known->place);
    known->can_unwind = elf_file_can_unwind(known->file, known->address);
    if (known->place.function == NULL)
        return;
    known->mpi = mpi_function_name(known->place.function);
    known->spelling = mpi_written_name(known->place.function);
}

static bool ends_with(const char *text, const char *end)
{
    size_t n_text = strlen(text), n = strlen(end);

    return n <= n_text && strcasecmp(text + n_text - n, end) == 0;
}

/* In Fortran the main program, and procedures with bind(C), have another symbol than name. */
static char *say_function(const struct elf_place *place, const struct routine *routine)
{
    OWNED char *said = NULL;

    if (place->function == NULL)
        return NULL;
    if (place->program != NULL && strcmp(place->function, "MAIN__") == 0)
        return function_said(place->program, true);
    said = function_said(place->function, place->is_fortran);
    if (!place->is_fortran || routine->name == NULL || ends_with(said, routine->name))
        return TAKEN(said);
    return procedure_said(routine->module, routine->name);
}

static void read_inlined(struct known_place *known, const struct routine *routine)
{
    known->n_inlined = routine->n_inlined;
    known->inlined = allocate_array(routine->n_inlined + 1, sizeof *known->inlined);
    for (size_t i = 0; i < routine->n_inlined; i++) {
        const struct inlined *inlined = &routine->inlined[i];
        const char *directory = inlined->source != NULL ? strrchr(inlined->source, '/') : NULL;

        known->inlined[i] = (struct known_inlined){
            .said = inlined->function != NULL ? function_said(inlined->function, known->place.is_fortran) : NULL,
            .source = directory != NULL ? directory + 1 : inlined->source, .line = inlined->line,
            .in_header = inlined->source != NULL && is_header(inlined->source)};
    }
}

static void read_source(struct known_place *known)
{
    struct routine routine;

    known->with_source = true;
    elf_file_find_place(known->file, known->address, true, &known->place);
    elf_file_find_routine(known->file, known->address, &routine);
    known->said = say_function(&known->place, &routine);
    read_inlined(known, &routine);
}

struct known_place *place_cache_find(struct place_cache *cache, struct elf_file *file, uint64_t address,
                                     bool with_source)
{
    struct known_place *known;

    make_room(cache);
    known = find_slot(cache, file, address);
    if (known->file == NULL) {
        *known = (struct known_place){.file = file, .address = address};
        read_names(known);
        cache->n++;
    }
    if (with_source && !known->with_source)
        read_source(known);
    return known;
}

void place_cache_clear(struct place_cache *cache)
{
    for (size_t i = 0; i < cache->n_room; i++) {
        struct known_place *place = &cache->places[i];

        for (size_t k = 0; k < place->n_inlined; k++)
            free(place->inlined[k].said);
        for (size_t k = 0; k < place->n_frames; k++)
            free(place->frames[k]);
        FREE_ALL(place->mpi, place->spelling, place->said, place->inlined, place->frames);
    }
    free(cache->places);
    *cache = (struct place_cache){0};
}
