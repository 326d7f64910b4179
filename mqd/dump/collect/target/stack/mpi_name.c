/*
 * mpi_name.c - which function of MPI a symbol is.
 */
#include "mqd/dump/collect/target/stack/mpi_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "mqd/dump/base/memory.h"

/* Is it "pmpi_recv_", or Open MPI's "ompi_recv_f", when the first letter is left out? */
static bool is_fortran_name(const char *symbol, const char *name)
{
    size_t length = strlen(name);

    for (size_t i = 0; i < length; i++)
        if (!islower((unsigned char)name[i]) && !isdigit((unsigned char)name[i]) && name[i] != '_')
            return false;
    if (strncmp(name, "mpi_", 4) != 0 || length <= strlen("mpi_"))
        return false;
    return symbol[0] == 'o' ? length > 6 && strcmp(name + length - 2, "_f") == 0 : name[length - 1] == '_';
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

    return rest > strlen("MPI_") ? rest : length;
}

/*
 * Fortran's: "mpi_recv_", "mpi_recv__", the modules' "mpi_recv_f08_", which ends in "ts_" where descriptors of arrays
 * are passed, and Open MPI's "mpi_recv_f".
 */
static char *from_fortran(const char *name)
{
    static const char *const ends[] = {"_f", "_f08", "_f08ts", "_fts"};
    size_t length = strlen(name);
    char *result;

    while (length > 0 && name[length - 1] == '_')
        length--;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        length = length_without(name, length, ends[i]);
    length = length_without_count(name, length);
    if (length <= strlen("mpi_"))
        return NULL;
    result = format_text("MPI_%.*s", (int)(length - strlen("mpi_")), name + strlen("mpi_"));
    result[strlen("MPI_")] = (char)toupper((unsigned char)result[strlen("MPI_")]);
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

    if (behind_jump(symbol) != NULL)
        return copy_string(behind_jump(symbol));
    if (strncmp(name, "MPI_", 4) == 0 && isupper((unsigned char)name[4]) && islower((unsigned char)name[5]))
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
