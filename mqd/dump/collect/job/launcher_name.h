/*
 * launcher_name.h - the names of commands that start MPI jobs.
 */
#ifndef MQD_DUMP_COLLECT_JOB_LAUNCHER_NAME_H
#define MQD_DUMP_COLLECT_JOB_LAUNCHER_NAME_H

#include <stdbool.h>

/* Is that the name of a command by which people start MPI jobs? */
bool launcher_name_is_command(const char *name);

/* Is it that of what such a command starts on other machines? */
bool launcher_name_is_daemon(const char *name);

#endif
