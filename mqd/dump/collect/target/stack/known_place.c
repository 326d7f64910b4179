/*
 * known_place.c - places that were looked up already, and which functions of MPI they are in.
 */
#include "mqd/dump/collect/target/stack/known_place.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/name_list.h"
#include "mqd/dump/collect/target/elf/function_name.h"

/* Names of MPI. */

/* The length of "MPI_", or of "MPIX_", with which extensions of MPI begin; 0: the name begins with neither. */
static size_t length_of_beginning(const char *name)
{
    static const char *const beginnings[] = {"MPI_", "MPIX_", "mpi_", "mpix_"};

    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (name_begins_with(name, beginnings[i]))
            return strlen(beginnings[i]);
    return 0;
}

/* Is it "pmpi_recv_", or Open MPI's "ompi_recv_f", when the first letter is left out? */
static bool is_fortran_name(const char *symbol, const char *name)
{
    size_t length = strlen(name), n = length_of_beginning(name);

    for (size_t i = 0; i < length; i++)
        if (!islower((unsigned char)name[i]) && !isdigit((unsigned char)name[i]) && name[i] != '_')
            return false;
    if (n == 0 || length <= n)
        return false;
    return symbol[0] == 'o' ? length > n + 2 && strcmp(name + length - 2, "_f") == 0 : name[length - 1] == '_';
}

/* Returns the length of a name without this suffix; its whole length if it does not have the suffix. */
static size_t length_without(const char *name, size_t length, const char *end)
{
    size_t n = strlen(end);

    return length > n && strncmp(name + length - n, end, n) == 0 ? length - n : length;
}

/* The functions of MPI 4 for large counts do the same as those with the same name without the suffix. */
static size_t length_without_count(const char *name, size_t length)
{
    size_t rest = length_without(name, length, "_c");

    return rest > length_of_beginning(name) ? rest : length;
}

/*
 * Fortran's: "mpi_recv_", "mpi_recv__", the modules' "mpi_recv_f08_", which ends in "ts_" where descriptors of arrays
 * are passed, and Open MPI's "mpi_recv_f".
 */
static char *from_fortran(const char *name)
{
    static const char *const ends[] = {"_f", "_f08", "_f08ts", "_fts"};
    size_t length = strlen(name), n = length_of_beginning(name);
    char *result;

    while (length > 0 && name[length - 1] == '_')
        length--;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        length = length_without(name, length, ends[i]);
    length = length_without_count(name, length);
    if (length <= n)
        return NULL;
    result = format_text("%.*s", (int)length, name);
    for (size_t i = 0; i <= n; i++)
        result[i] = (char)toupper((unsigned char)result[i]);
    return result;
}

/* A function that only calls one of the library's may jump to it, and is then not on the stack itself. */
static const char *behind_jump(const char *symbol)
{
    return strcmp(symbol, "ompi_mpi_finalize") == 0 ? "MPI_Finalize"
           : strcmp(symbol, "ompi_mpi_init") == 0   ? "MPI_Init"
                                                    : NULL;
}

char *mpi_written_name(const char *symbol)
{
    const char *name = symbol + (symbol[0] == 'P' ? 1 : 0);
    size_t n = length_of_beginning(name);

    if (behind_jump(symbol) != NULL)
        return copy_string(behind_jump(symbol));
    if (n > 0 && isupper((unsigned char)name[0]) && isupper((unsigned char)name[n]) &&
        islower((unsigned char)name[n + 1]))
        return copy_string(name);
    name = symbol + (symbol[0] == 'p' || symbol[0] == 'o' ? 1 : 0);
    return is_fortran_name(symbol, name) ? from_fortran(name) : NULL;
}

char *mpi_function_name(const char *symbol)
{
    char *name = mpi_written_name(symbol);

    if (name != NULL)
        name[length_without_count(name, strlen(name))] = '\0';
    return name;
}

/* Places. */

static bool ends_with(const char *text, const char *end)
{
    size_t n_text = strlen(text), n = strlen(end);

    return n <= n_text && strcasecmp(text + n_text - n, end) == 0;
}

/* In Fortran the main program, and procedures with bind(C), have another symbol than name. */
static char *say_function(const struct known_place *known, const struct source_place *source)
{
    OWNED char *said = NULL;

    if (known->function == NULL)
        return NULL;
    if (source->program != NULL && strcmp(known->function, "MAIN__") == 0)
        return function_said(source->program, true);
    said = function_said(known->function, source->is_fortran);
    if (!source->is_fortran || source->function == NULL || ends_with(said, source->function))
        return TAKEN(said);
    return procedure_said(source->module, source->function);
}

static void add_level(struct known_place *known, char *said, const char *path, int line)
{
    known->levels[known->n_levels++] = (struct place_level){
        .said = said, .source = path != NULL ? name_of_path(path) : NULL, .line = line,
        .in_header = path != NULL && is_header(path)};
}

void known_place_read_source(struct known_place *known)
{
    struct source_place source;
    const char *path;
    int line;

    if (known->n_levels > 0)
        return;
    elf_file_find_source(known->file, known->address, &source);
    known->levels = allocate_array(source.n_inlined + 1, sizeof *known->levels);
    path = source.path;
    line = source.line;
    for (size_t i = 0; i < source.n_inlined; i++) {
        const char *function = source.inlined[i].function;

        add_level(known, function != NULL ? function_said(function, source.is_fortran) : NULL, path, line);
        path = source.inlined[i].source;
        line = source.inlined[i].line;
    }
    add_level(known, say_function(known, &source), path, line);
    known->said = known->levels[source.n_inlined].said;
}

static struct known_place *add_place(struct place_cache *cache, const struct known_place *place)
{
    struct known_place *known = allocate_array(1, sizeof *known);

    *known = *place;
    known->function = elf_file_find_function(known->file, known->address, &known->offset);
    known->can_unwind = elf_file_can_unwind(known->file, known->address);
    if (known->function != NULL) {
        known->mpi = mpi_function_name(known->function);
        known->spelling = mpi_written_name(known->function);
    }
    name_index_add(&cache->keys, known->key, (uint32_t)cache->n);
    APPEND(cache->places, cache->n, cache->room, known);
    return known;
}

struct known_place *place_cache_find(struct place_cache *cache, struct elf_file *file, uint64_t address)
{
    struct known_place place = {.file = file, .address = address};
    uint32_t position;

    snprintf(place.key, sizeof place.key, "%" PRIxPTR ":%" PRIx64, (uintptr_t)file, address);
    return name_index_find(&cache->keys, place.key, &position) ? cache->places[position] : add_place(cache, &place);
}

void place_cache_clear(struct place_cache *cache)
{
    for (size_t i = 0; i < cache->n; i++) {
        struct known_place *place = cache->places[i];

        for (size_t k = 0; k < place->n_levels; k++)
            free(place->levels[k].said);
        for (size_t k = 0; k < place->n_frames; k++)
            free(place->frames[k]);
        FREE_ALL(place->mpi, place->spelling, place->levels, place->frames, place);
    }
    name_index_clear(&cache->keys);
    free(cache->places);
    *cache = (struct place_cache){0};
}
