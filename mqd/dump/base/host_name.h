/*
 * host_name.h - is a text the name of a machine, that may become an argument of a command?
 */
#ifndef MQD_DUMP_BASE_HOST_NAME_H
#define MQD_DUMP_BASE_HOST_NAME_H

#include <stdbool.h>

/* Bytes of the longest name, without the NUL at its end. */
enum { MAX_HOST_NAME = 255 };

/*
 * A letter or digit, and then letters, digits and ".", "_", ":" and "-": names and addresses. So no name is an option,
 * none has a user or a path in it, and none means anything to a shell. Who starts a job chooses the names in its
 * launcher's table.
 */
bool host_name_is_valid(const char *name);

#endif
