/*
 * tvtest_symbols.c - what MPICH's test of debugger interfaces (tvtest.c) asks of a file that knows MPICH's types. Here
 * it is about Open MPI's symbols, and no types are known.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

#include "include/mpi_interface.h"

mqs_type *dbgrI_find_type(mqs_image *image, char *name, mqs_lang_code language);
int dbgrI_field_offset(mqs_type *type, char *name);
int dbgrI_find_symbol(mqs_image *image, char *name, mqs_taddr_t *location);

mqs_type *dbgrI_find_type(mqs_image *image, char *name, mqs_lang_code language)
{
    (void)image;
    (void)name;
    (void)language;
    return NULL;
}

int dbgrI_field_offset(mqs_type *type, char *name)
{
    (void)type;
    (void)name;
    return -1;
}

/* The rank asks for its own symbols. */
int dbgrI_find_symbol(mqs_image *image, char *name, mqs_taddr_t *location)
{
    void *found = dlsym(RTLD_DEFAULT, name);

    (void)image;
    if (found != NULL && location != NULL)
        *location = (mqs_taddr_t)found;
    return found != NULL ? mqs_ok : mqs_first_user_code;
}
