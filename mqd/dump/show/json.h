/*
 * json.h - listings, and what was concluded from them, for programs.
 */
#ifndef MQD_DUMP_SHOW_JSON_H
#define MQD_DUMP_SHOW_JSON_H

#include <stddef.h>
#include <stdio.h>

#include "mqd/dump/collect/client/listing.h"
#include "mqd/dump/show/text/source.h"
#include "mqd/dump/verdict/verdict.h"

/*
 * Prints one JSON document on one line. It is valid UTF-8 whatever the listings have: invalid bytes become U+FFFD. What
 * is not known is null.
 */
void json_print(FILE *to, const struct listing *const *listings, size_t n);

/* Prints the same with the verdict, which may be NULL, and the records that the listings are from. */
void json_print_with_verdict(FILE *to, const struct listing *const *listings, size_t n, const struct verdict *verdict,
                             const struct source *sources, size_t n_sources);

#endif
