/*
 * whole_file.h - output files that are there whole or not at all.
 */
#ifndef MQD_DUMP_BASE_WHOLE_FILE_H
#define MQD_DUMP_BASE_WHOLE_FILE_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

struct whole_file {
    FILE *to;
    char *path;                    /* where it shall be */
    char *temporary;               /* the name by which it is moved there; NULL: it is written to directly */
    bool nameless;                 /* it has no name at all as yet */
    sigset_t signals;              /* that were blocked before */
};

/*
 * Opens a file beside the one of that name, which is replaced when it is closed; a link is followed. Signals that end
 * the program wait so long. What is no regular file (a pipe, /dev/stdout) is written to itself. False, with the reason
 * in *why, if that cannot be.
 */
bool whole_file_open(struct whole_file *file, const char *path, char **why);

/* Puts it in its place, or leaves nothing behind: false, with the reason in *why. */
bool whole_file_close(struct whole_file *file, char **why);

#endif
