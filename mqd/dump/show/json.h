/*
 * json.h - listings, and what was concluded from them, for programs.
 */
#ifndef MQD_DUMP_SHOW_JSON_H
#define MQD_DUMP_SHOW_JSON_H

#include <stddef.h>
#include <stdio.h>

#include "mqd/dump/collect/client/listing.h"
#include "mqd/dump/verdict/verdict.h"

/*
 * One line with one JSON document. It is valid UTF-8 whatever the listings hold: bytes that are none become U+FFFD.
 * What is not known is null.
 */
void json_print(FILE *to, const struct listing *const *listings, size_t n);

/* The same with what was concluded from them; the verdict may be NULL. */
void json_print_with_verdict(FILE *to, const struct listing *const *listings, size_t n, const struct verdict *verdict);

#endif
