/*
 * verdict_json.h - findings, and where each rank is, for programs.
 */
#ifndef MQD_DUMP_SHOW_VERDICT_JSON_H
#define MQD_DUMP_SHOW_VERDICT_JSON_H

#include <stdio.h>

#include "mqd/dump/verdict/verdict.h"

/* Prints "conclusion", "findings" and "notes" of the document, each after a comma. */
void verdict_json_findings(FILE *to, const struct verdict *verdict);

#endif
