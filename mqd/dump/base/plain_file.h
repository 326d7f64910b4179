/*
 * plain_file.h - opens files whose names come from a process or a core.
 */
#ifndef MQD_DUMP_BASE_PLAIN_FILE_H
#define MQD_DUMP_BASE_PLAIN_FILE_H

/*
 * Opens a regular file for reading. It does not open anything else (a device, a pipe, a file of the kernel as under
 * /proc), since opening alone may have effects. It does not wait for a file on which another process has a lease. With
 * a root, the path is relative to that directory, and links do not lead out of the directory. Returns -1, with the
 * reason in *why and in errno, if there is no such file, and with EBUSY while files are sealed (file_seal.h).
 */
int plain_file_open(const char *root, const char *path, char **why);

/*
 * The same without following a link: a path that has one is refused. It is for paths in which the kernel has already
 * followed all links, as those of mapped files. Without a root the path is absolute.
 */
int plain_file_open_without_links(const char *root, const char *path, char **why);

#endif
