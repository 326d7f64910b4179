/*
 * json.h - listings, and what was concluded from them, for programs.
 */
#ifndef MQD_DUMP_SHOW_JSON_H
#define MQD_DUMP_SHOW_JSON_H

#include <stddef.h>
#include <stdio.h>

#include "mqd/dump/collect/client/listing.h"
#include "mqd/dump/record/source.h"
#include "mqd/dump/show/say/explanation.h"

/*
 * Prints one JSON document on one line, with the explanation, which may be NULL, and the records that the listings are
 * from. It is valid UTF-8 whatever the listings have: invalid bytes become U+FFFD. What is not known is null.
 */
void json_print(FILE *to, const struct listing *const *listings, size_t n, const struct explanation *explanation,
                const struct source *sources, size_t n_sources);

/* Prints "conclusion", "findings" and "notes" of the document, each after a comma. */
void json_print_findings(FILE *to, const struct explanation *explanation);

#endif
