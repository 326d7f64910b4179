/*
 * plain_file.h - opens files whose names come from a process or a core.
 */
#ifndef MQD_DUMP_BASE_PLAIN_FILE_H
#define MQD_DUMP_BASE_PLAIN_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Opens a regular file for reading. It does not open anything else (a device, a pipe, a file of the kernel as under
 * /proc), since opening alone may have effects. It does not wait for a file on which another process has a lease. With
 * a root, the path is relative to that directory, and links do not lead out of the directory. Returns -1, with the
 * reason in *why and in errno, if there is no such file, and with EBUSY while files are sealed.
 */
int plain_file_open(const char *root, const char *path, char **why);

/*
 * The same without following a link: a path that has one is refused. It is for paths in which the kernel has already
 * followed all links, as those of mapped files. Without a root the path is absolute.
 */
int plain_file_open_without_links(const char *root, const char *path, char **why);

/*
 * Reads n bytes from an offset on. Returns how many there are: fewer at the end of the file, where errno is 0, and on
 * failure, with the reason in errno.
 */
size_t plain_file_read(int descriptor, uint64_t offset, void *buffer, size_t n);

/*
 * From `true` until `false` no file that processes name is opened, as long as they are held: a file server takes as long
 * as it likes to answer, and the processes stand still meanwhile. What they need was read before.
 */
void file_seal_set(bool sealed);

/*
 * Asked before such a file is opened or read. True, with the reason in *why and in errno, if that is not allowed: then
 * what the caller wants cannot be had, and is counted.
 */
bool file_seal_refuses(char **why);

/* How often that was since the program started. If it was, somebody does not have all that he asked for. */
size_t file_seal_n_refused(void);

#endif
