/*
 * routine.h - the functions that a source has at an address: the compiler puts the code of one into another.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_ROUTINE_H
#define MQD_DUMP_COLLECT_TARGET_ROUTINE_H

#include <stddef.h>

#include <elfutils/libdw.h>

/* Of more the innermost ones are told. */
enum { MAX_INLINED = 32 };

/* A function that stands in another one. */
struct inlined {
    const char *function;      /* its symbol, or its name as written if it has none; NULL: not known */
    const char *source;        /* the path of the file where it is called; NULL: not known */
    int line;                  /* of the call; 0: not known */
};

/* What lies at an address. The strings live as long as the debug information. */
struct routine {
    const char *name;          /* as written, of the function that has the code; NULL: not known */
    const char *module;        /* the module of Fortran that has this function; NULL: none */
    struct inlined inlined[MAX_INLINED];   /* the innermost first */
    size_t n_inlined;
};

/* Finds what lies at an address as linked in the code of one source. Files of the unit are read. */
void routine_find(struct routine *routine, Dwarf_Die *unit, Dwarf_Addr address);

#endif
