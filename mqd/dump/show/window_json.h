/*
 * window_json.h - the windows of a process in JSON.
 */
#ifndef MQD_DUMP_SHOW_WINDOW_JSON_H
#define MQD_DUMP_SHOW_WINDOW_JSON_H

#include <stdio.h>

#include "mqd/dump/collect/client/window.h"

/* Prints a comma and the member `windows`; nothing if there are none. */
void window_json_print(FILE *to, const struct window *windows, size_t n);

#endif
