/*
 * whole_file.h - output files that are replaced only when the new content is complete.
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
 * Opens a new file in the folder of the file of that name; whole_file_close moves it to that name. A link is followed.
 * Signals that would end the program are blocked until then. If `path` is no regular file (a pipe, /dev/stdout) it is
 * written to directly. Returns false, with the reason in *why, on failure.
 */
bool whole_file_open(struct whole_file *file, const char *path, char **why);

/* Moves the file to its name. On failure it removes the new file and returns false, with the reason in *why. */
bool whole_file_close(struct whole_file *file, char **why);

#endif
