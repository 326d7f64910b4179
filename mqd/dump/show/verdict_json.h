/*
 * verdict_json.h - where each rank is, and what is wrong, for programs.
 */
#ifndef MQD_DUMP_SHOW_VERDICT_JSON_H
#define MQD_DUMP_SHOW_VERDICT_JSON_H

#include <stdio.h>

#include "mqd/dump/verdict/verdict.h"

/* Members of an object, each after a comma: "findings" and "notes" of the document, "threads" of a process. */
void verdict_json_findings(FILE *to, const struct verdict *verdict);
void verdict_json_calls(FILE *to, const struct calls *calls);

#endif
