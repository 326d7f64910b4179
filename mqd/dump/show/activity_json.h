/*
 * activity_json.h - what a process does in the kernel, for programs.
 */
#ifndef MQD_DUMP_SHOW_ACTIVITY_JSON_H
#define MQD_DUMP_SHOW_ACTIVITY_JSON_H

#include <stdio.h>

#include "mqd/dump/collect/target/activity.h"

/* Prints ',"kernel":{...}'. */
void activity_json(FILE *to, const struct activity *activity);

#endif
