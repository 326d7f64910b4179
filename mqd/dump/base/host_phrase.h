/*
 * host_phrase.h - machines in a sentence.
 */
#ifndef MQD_DUMP_BASE_HOST_PHRASE_H
#define MQD_DUMP_BASE_HOST_PHRASE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Returns " on n02", " on n[01-16]", for free(); " on 5120 hosts" where that would be longer than anybody reads; "" if
 * there are none, or one of them is NULL: it is not known. Names may be there several times.
 */
char *host_phrase(const char *const *names, size_t n) __attribute__((returns_nonnull, warn_unused_result));

/*
 * Returns names for a list, "n[01-16]", for free(). Of one that would be longer than `max_length` the first ones and
 * how many there are: "n[01,03,07],... (5120 hosts)".
 */
char *host_phrase_list(const char *const *names, size_t n, size_t max_length)
    __attribute__((returns_nonnull, warn_unused_result));

/* Returns why nothing is known of a process: "it is on n03, which could not be reached: ..." for free(). */
char *host_error(const char *name, const char *problem) __attribute__((returns_nonnull, warn_unused_result));

/*
 * Returns what is wrong with a machine, or with a process of it, so that the same is said of all machines, for free():
 * "the host could not be reached: ssh: connect to host HOST port 22" of host_error's "it is on n03, which could not be
 * reached: ssh: connect to host n03 port 22." With the name in place of HOST for one machine: `only`. Without a dot at
 * the end.
 */
char *host_reason(const char *reason, const char *name, bool only) __attribute__((returns_nonnull, warn_unused_result));

#endif
