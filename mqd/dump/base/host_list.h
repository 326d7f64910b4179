/*
 * host_list.h - names of machines as people and batch systems write them: "n[001-128,130],login,@FILE".
 */
#ifndef MQD_DUMP_BASE_HOST_LIST_H
#define MQD_DUMP_BASE_HOST_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/base/hash.h"

/* isalnum() would ask the locale, in which more are letters. */
#define ALPHANUMERIC "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

/* Bytes of the longest name, without the NUL at its end. */
enum { MAX_HOST_NAME = 255 };

/*
 * A letter or digit, and then letters, digits and ".", "_", ":" and "-": names and addresses. So no name is an option,
 * none has a user or a path in it, and none means anything to a shell. Who starts a job chooses the names in its
 * launcher's table.
 */
bool host_name_is_valid(const char *name);

/* More hosts are refused: no machine has so many, and a range is written quickly. */
enum { MAX_LISTED_HOSTS = 1024 * 1024 };

/*
 * Adds the hosts of a text to those that are there: words between commas, blanks and ends of lines. A word is a valid
 * name, in which brackets stand for several names ("r[1-2]n[08-11]": eight hosts, numbers with as many digits as the
 * first one of their range), or @FILE. A file has one host per line: the first word, which may have brackets too; the
 * rest of the line is ignored, as "slots=4" in hostfiles, and so is what follows a #. Returns false, with the reason,
 * which names the word, in *why, if something is no such list, or has no host, or too many, or a file cannot be read;
 * hosts may have been added then. With `with_files` unset, for a text that another program has chosen, "@" is no file.
 */
bool host_list_read(struct dictionary *hosts, const char *text, bool with_files, char **why);

/*
 * Returns names in the order of their letters and numbers, each once, with brackets for neighbours, for people and
 * for host_list_read: "login,n[001-128,130]". For free().
 */
char *host_list_fold(const char *const *names, size_t n) __attribute__((returns_nonnull, warn_unused_result));

#endif
