/*
 * file_seal.h - whether files that processes name may be opened and read now.
 *
 * While processes are held they may not: a file server takes as long as it likes to answer, and the processes stand
 * still meanwhile. What they need was read before.
 */
#ifndef MQD_DUMP_BASE_FILE_SEAL_H
#define MQD_DUMP_BASE_FILE_SEAL_H

#include <stdbool.h>
#include <stddef.h>

/* From `true` until `false` nothing is opened. */
void file_seal_set(bool sealed);

/*
 * Asked before a file is opened. True, with the reason in *why, if that is not allowed: then what the caller wants
 * cannot be had, and is counted.
 */
bool file_seal_refuses(char **why);

/* How often that was since the program started. If it was, somebody does not have all that he asked for. */
size_t file_seal_n_refused(void);

#endif
