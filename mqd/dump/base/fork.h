/*
 * fork.h - copies of the calling process, and what they have open.
 */
#ifndef MQD_DUMP_BASE_FORK_H
#define MQD_DUMP_BASE_FORK_H

#include <sys/types.h>

/* As fork(). The kernel sends the copy this signal when the caller ends; if that was before, the copy has ended. */
pid_t fork_tied(int signal);

/* Opens a file in memory that nobody can execute and that can be sealed. -1, with errno, if there can be none. */
int memory_file(const char *name);

/* Closes all descriptors from this one on. */
void close_from(int first);

/* Closes a descriptor, unless it is -1, which it is then. Keeps errno. */
void close_one(int *descriptor);

#endif
