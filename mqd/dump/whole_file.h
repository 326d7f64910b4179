/*
 * whole_file.h - output files that are there whole or not at all.
 */
#ifndef MQD_DUMP_WHOLE_FILE_H
#define MQD_DUMP_WHOLE_FILE_H

#include <stdbool.h>
#include <stdio.h>

struct whole_file {
    FILE *to;
    char *path;                    /* where it shall be */
    char *temporary;               /* where it is until it is whole; NULL: it is written to directly */
};

/*
 * Opens a file beside the one of that name, which is replaced when it is closed; a link is followed. What is no regular
 * file (a pipe, /dev/stdout) is written to itself. False, with the reason in *why, if that cannot be.
 */
bool whole_file_open(struct whole_file *file, const char *path, char **why);

/* Puts it in its place, or leaves nothing behind: false, with the reason in *why. */
bool whole_file_close(struct whole_file *file, char **why);

#endif
