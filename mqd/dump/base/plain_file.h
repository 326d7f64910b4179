/*
 * plain_file.h - opens files whose names come from elsewhere.
 */
#ifndef MQD_DUMP_BASE_PLAIN_FILE_H
#define MQD_DUMP_BASE_PLAIN_FILE_H

/*
 * Opens a regular file for reading: anything else, a device, a pipe or what the kernel has under /proc and the like, is
 * not touched, since that alone could have effects; nor is one waited for on which somebody has a lease. With a root,
 * the path is one below that directory, and links in it do not lead out of it. -1, with the reason in *why, if there is
 * no such file.
 */
int plain_file_open(const char *root, const char *path, char **why);

#endif
