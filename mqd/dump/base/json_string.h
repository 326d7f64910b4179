/*
 * json_string.h - strings of any origin in JSON.
 */
#ifndef MQD_DUMP_SHOW_JSON_STRING_H
#define MQD_DUMP_SHOW_JSON_STRING_H

#include <stdio.h>

/* Prints a JSON string with its quotation marks. It is valid UTF-8 whatever the text has. */
void json_print_string(FILE *to, const char *text);

/* Prints a string, null if the text is NULL or empty; _text as the value of a member, which is not the first. */
void json_print_string_or_null(FILE *to, const char *text);
void json_print_text(FILE *to, const char *key, const char *text);

#endif
