/*
 * file_image.h - the content of a file, in private memory, as far as it is needed.
 *
 * Whoever owns a file can change it at any time. A mapping of a file that becomes shorter would end mqdump with SIGBUS,
 * so files are read. What was not loaded reads as zeros. No descriptor stays open: the file is opened again, and must
 * be the same file, if more of it is needed. That fails while files are sealed (file_seal.h).
 */
#ifndef MQD_DUMP_COLLECT_TARGET_FILE_IMAGE_H
#define MQD_DUMP_COLLECT_TARGET_FILE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a file is. */
struct file_source {
    const char *root;          /* the directory below which `path` is looked up; NULL: "/" */
    const char *path;
    const char *direct;        /* a path under /proc that leads to the file whatever its name is; NULL: none */
};

struct file_image;

/*
 * Takes over an open file. NULL, with the reason in *why, if it is larger than any program, or if there is no memory
 * for it.
 */
struct file_image *file_image_open(int descriptor, const struct file_source *source, char **why);
void file_image_close(struct file_image *image);

/*
 * Loads a part of the file. Bytes behind its end are zeros. False, with the reason in *why, if it cannot be read, was
 * changed since it was opened, or if all files together would need more memory than they may. `rest` closes the
 * descriptor until more is loaded.
 */
bool file_image_load(struct file_image *image, uint64_t offset, uint64_t size, char **why);
void file_image_rest(struct file_image *image);

/* The memory and the size of the file. The memory may be written to where it was loaded. */
unsigned char *file_image_memory(const struct file_image *image);
size_t file_image_size(const struct file_image *image);

const struct file_source *file_image_source(const struct file_image *image);

#endif
