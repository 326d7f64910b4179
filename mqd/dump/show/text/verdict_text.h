/*
 * verdict_text.h - findings, and where each rank is, for people.
 */
#ifndef MQD_DUMP_SHOW_VERDICT_TEXT_H
#define MQD_DUMP_SHOW_VERDICT_TEXT_H

#include <stddef.h>
#include <stdio.h>

#include "mqd/dump/show/say/explanation.h"

/* Prints the findings, and where each rank is. Ranks at the same place are in one line. */
void verdict_print(FILE *to, const struct explanation *explanation, const struct listing *const *listings, size_t n);

#endif
