/*
 * verdict_text.h - where each rank is, and what is wrong, for people.
 */
#ifndef MQD_DUMP_SHOW_VERDICT_TEXT_H
#define MQD_DUMP_SHOW_VERDICT_TEXT_H

#include <stddef.h>
#include <stdio.h>

#include "mqd/dump/verdict/verdict.h"

/* The findings, and where each rank is, with those that are at the same place in one line. */
void verdict_print(FILE *to, const struct verdict *verdict, const struct listing *const *listings, size_t n);

#endif
