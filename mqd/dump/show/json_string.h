/*
 * json_string.h - strings from elsewhere in JSON.
 */
#ifndef MQD_DUMP_SHOW_JSON_STRING_H
#define MQD_DUMP_SHOW_JSON_STRING_H

#include <stdio.h>

/* A string as JSON has it, with its quotation marks: valid UTF-8 whatever it holds. */
void json_print_string(FILE *to, const char *text);

#endif
