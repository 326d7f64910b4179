/*
 * whole_file.h - output files that are replaced only when the new content is complete.
 */
#ifndef MQD_DUMP_BASE_WHOLE_FILE_H
#define MQD_DUMP_BASE_WHOLE_FILE_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* Who may use a new file, if the umask does not say otherwise: all, or the user alone. */
enum { PUBLIC_FILE = 0666, PRIVATE_FILE = 0600 };

/* What is written for root may tell of others' processes what is none of all users' business. */
mode_t mode_of_what_was_seen(void);

/* Is standard output meant? */
bool is_standard_output(const char *path);

/* Writes all buffered output. False, with a message, if that fails. */
bool flush_output(void);

/*
 * Has a document written to the file of that name as below, or to standard output. Returns what the writer returns;
 * false, with a message, if the document could not be written.
 */
typedef bool document_writer(FILE *to, const void *context);
bool document_write(const char *path, mode_t most, document_writer *write, const void *context);

struct whole_file {
    FILE *to;
    char *path;                    /* as the caller has named it */
    int directory;                 /* where it shall be, opened with O_PATH */
    char *name;                    /* in it */
    char *temporary;               /* the name by which it is moved there; NULL: it is written to directly */
    bool nameless;                 /* it has no name at all as yet */
    sigset_t signals;              /* that were blocked before */
};

/*
 * Opens a new file in the folder of the file of that name; whole_file_close moves it to that name. A link is followed
 * if it is the user's own or root's, and leads to something; else the file replaces the link. What is no file, and was
 * put by another user into a folder that all may write to, is refused. This is decided on what is found now; what
 * others put there later is replaced. The file has the mode of the user's own one that it replaces; a new one has at
 * most the mode `most`, of which the umask takes away. Signals that would end the program are blocked until then. If
 * `path` is no regular file (a pipe, /dev/stdout) it is written to directly. Returns false, with the reason in *why, on
 * failure.
 */
bool whole_file_open(struct whole_file *file, const char *path, mode_t most, char **why);

/* Moves the file to its name. On failure it removes the new file and returns false, with the reason in *why. */
bool whole_file_close(struct whole_file *file, char **why);

#endif
