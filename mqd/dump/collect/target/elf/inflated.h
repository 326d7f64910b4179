/*
 * inflated.h - symbols that a library keeps compressed (.gnu_debugdata).
 */
#ifndef MQD_DUMP_COLLECT_TARGET_INFLATED_H
#define MQD_DUMP_COLLECT_TARGET_INFLATED_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Inflates n bytes in the format xz into memory that the caller frees; *n_bytes counts it. Returns NULL, with the
 * reason in *why, if they are not in this format or need more memory than they may; without a reason if mqdump was
 * built without liblzma.
 */
char *inflate_xz(const void *compressed, size_t n, size_t *n_bytes, char **why);

#endif
