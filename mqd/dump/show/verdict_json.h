/*
 * verdict_json.h - findings, and where each rank is, for programs.
 */
#ifndef MQD_DUMP_SHOW_VERDICT_JSON_H
#define MQD_DUMP_SHOW_VERDICT_JSON_H

#include <stdio.h>

#include "mqd/dump/verdict/verdict.h"

/*
 * Print members of a JSON object, each after a comma: _findings prints "findings" and "notes" of the document, _calls
 * prints "threads" of a process.
 */
void verdict_json_findings(FILE *to, const struct verdict *verdict);
void verdict_json_calls(FILE *to, const struct calls *calls);

#endif
