/*
 * known_place.h - places that were looked up already: many ranks of a job are at the same place.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_KNOWN_PLACE_H
#define MQD_DUMP_COLLECT_TARGET_KNOWN_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mqd/dump/base/hash.h"
#include "mqd/dump/collect/target/modules.h"

/* A function that has the code of a place, and where in it that is, or it calls the one of the level before. */
struct place_level {
    char *said;                /* for people; NULL: not known */
    const char *source;        /* the file's name without directories; NULL: not known */
    int line;
    bool in_header;            /* `source` is a header of some library, as far as its path tells */
};

struct known_place {
    char key[40];              /* the file and the address, as text */
    struct elf_file *file;
    uint64_t address;
    const char *function;      /* its symbol; NULL: not known */
    uint64_t offset;           /* from the start of that */
    bool can_unwind;           /* the file tells how to find the caller */
    char *mpi;                 /* the name of the MPI function that it is in, NULL if it is in none */
    char *spelling;            /* the same as the program writes it */

    /* What known_place_read_source finds. */
    struct place_level *levels;        /* the innermost first: those that the compiler has put there, and the function */
    size_t n_levels;           /* 0: nobody has asked */
    const char *said;          /* the function, of the last level */
    char **frames;             /* all of it, as frames of a stack, the innermost first; NULL: nobody has asked */
    size_t n_frames;
};

/* A zeroed cache is empty. */
struct place_cache {
    struct known_place **places;
    size_t n, room;
    struct name_index keys;    /* to positions in `places` */
};

/* One frame of a stack. */
struct frame {
    enum frame_kind {
        FRAME_PROGRAM,             /* code of the program */
        FRAME_HELPER,              /* of a library that never calls MPI by itself, or Open MPI's */
        FRAME_MPI,                 /* a function of MPI, Open MPI's own */
        FRAME_BINDING,             /* of another language, which may as well be a wrapper's */
        FRAME_WRAPPER              /* a function with the name of one of MPI's */
    } kind;
    bool is_executable;                /* it is in the file of the program itself */
    const struct module *module;       /* NULL: none has it */
    struct known_place *known;         /* NULL too */
};

/* Returns what lies at an address as linked, as long as the cache is there. */
struct known_place *place_cache_find(struct place_cache *cache, struct elf_file *file, uint64_t address);
void place_cache_clear(struct place_cache *cache);

/* Finds what the source has there, once. */
void known_place_read_source(struct known_place *known);

/*
 * The name of an MPI function as C writes it, for free(), whatever the binding and the layer of the symbol: "MPI_Recv"
 * for "PMPI_Recv", "mpi_recv_" and, with MPI 4's large counts, "MPI_Recv_c" too. NULL if the symbol is no function of
 * MPI.
 */
char *mpi_function_name(const char *symbol);

/*
 * The same as a program writes it: "MPI_Recv_c" for "PMPI_Recv_c". Fortran's modules have one name for both counts, the
 * compiler chooses the symbol: "MPI_Recv" for "mpi_recv_c_f08_".
 */
char *mpi_written_name(const char *symbol);

#endif
