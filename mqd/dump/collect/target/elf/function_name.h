/*
 * function_name.h - functions and files as people name them.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_FUNCTION_NAME_H
#define MQD_DUMP_COLLECT_TARGET_FUNCTION_NAME_H

#include <stdbool.h>

/* Longer names are cut: those of C++ templates may be longer than a screen. */
enum { MAX_SAID_NAME = 60 };

/*
 * The function of a symbol as its program writes it, for free(): "exchange" of "exchange.constprop.0", of C++ as
 * cxx_name() has it, of Fortran "halo::exchange" of "__halo_MOD_exchange". `is_fortran`: it is in code of Fortran,
 * where "exchange_" is "exchange" too.
 */
char *function_said(const char *symbol, bool is_fortran);

/*
 * The name of a procedure of Fortran in a module, for free(), as its source has them: "halo::exchange". `module`: NULL
 * if it is in none; of a submodule "halo.details".
 */
char *procedure_said(const char *module, const char *name);

/* Is this path of a source that of an installed header, "/usr/include/boost/mpi/communicator.hpp"? */
bool is_header(const char *path);

/*
 * A file of a program as people call it, for free(): "libhdf5_openmpi", "Python" for its interpreter and "mpi4py's MPI"
 * for a module of that; "solver" for any other. *is_python: it is the interpreter.
 */
char *file_said(const char *path, bool *is_python);

#endif
