/*
 * json_string.h - strings of any origin in JSON.
 */
#ifndef MQD_DUMP_SHOW_JSON_STRING_H
#define MQD_DUMP_SHOW_JSON_STRING_H

#include <stdio.h>

/* Prints a JSON string with its quotation marks. It is valid UTF-8 whatever the text has. */
void json_print_string(FILE *to, const char *text);

#endif
