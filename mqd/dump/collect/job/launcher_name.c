/*
 * launcher_name.c - the names of commands that start MPI jobs.
 */
#include "mqd/dump/collect/job/launcher_name.h"

#include <stddef.h>
#include <string.h>

static bool is_one_of(const char *name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

bool launcher_name_is_command(const char *name)
{
    static const char *const names[] = {"mpirun", "mpiexec", "orterun", "oshrun", "prun", "prterun", "prte", "srun"};

    return is_one_of(name, names, sizeof names / sizeof *names);
}

bool launcher_name_is_daemon(const char *name)
{
    static const char *const names[] = {"orted", "prted", "slurmstepd"};

    return is_one_of(name, names, sizeof names / sizeof *names);
}
