/*
 * report.h - where each rank is, and what is wrong, for people and for programs.
 */
#ifndef MQD_DUMP_REPORT_H
#define MQD_DUMP_REPORT_H

#include <stddef.h>
#include <stdio.h>

#include "mqd/dump/verdict.h"

/* The findings, and where each rank is, with those that are at the same place in one line. */
void report_print(FILE *to, const struct verdict *verdict, const struct listing *const *listings, size_t n);

/* Members of an object, each after a comma: "findings" and "notes" of the document, "threads" of a process. */
void report_json_findings(FILE *to, const struct verdict *verdict);
void report_json_calls(FILE *to, const struct calls *calls);

#endif
