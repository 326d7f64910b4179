/*
 * known_place.h - places that were looked up already: many ranks of a job are at the same place.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_KNOWN_PLACE_H
#define MQD_DUMP_COLLECT_TARGET_KNOWN_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mqd/dump/collect/target/elf/elf_file.h"

/* A function that the compiler has put into another one. */
struct known_inlined {
    char *said;                /* for people; NULL: not known */
    const char *source;        /* where the next one calls it: the file's name without directories; NULL: not known */
    int line;
    bool in_header;            /* as in struct elf_place */
};

struct known_place {
    struct elf_file *file;     /* NULL: free */
    uint64_t address;
    bool with_source;
    struct elf_place place;
    bool can_unwind;           /* the file tells how to find the caller */
    char *mpi;                 /* the name of the MPI function that it is in, NULL if it is in none */
    char *spelling;            /* the same as the program writes it */
    char *said;                /* with_source: the function that has this code, for people; NULL: not known */
    struct known_inlined *inlined;     /* with_source: those that the compiler has put there, the innermost first */
    size_t n_inlined;
    char **frames;             /* all of it, as frames of a stack, the innermost first; NULL: nobody has asked */
    size_t n_frames;
};

/* A zeroed cache is empty. */
struct place_cache {
    struct known_place *places;
    size_t n, n_room;
};

/* Returns what lies at an address as linked, until the next place is looked up. */
struct known_place *place_cache_find(struct place_cache *cache, struct elf_file *file, uint64_t address,
                                     bool with_source);
void place_cache_clear(struct place_cache *cache);

#endif
