/*
 * handle_text.h - what handles stand for, and the state of windows, in words.
 */
#ifndef MQD_DUMP_SHOW_HANDLE_TEXT_H
#define MQD_DUMP_SHOW_HANDLE_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "mqd/dump/collect/client/handle.h"
#include "mqd/dump/collect/client/window.h"

/*
 * Prints the answer to a question, NULL if there is none, at a column. A text that is only compared with that of
 * another process lacks what is the process's own: rank, coordinates and addresses.
 */
void answer_text_print(FILE *to, const char *question, const struct handle_answer *answer, bool compared,
                       size_t indent);

/* The same without the question. */
void answer_objects_print(FILE *to, const struct handle_answer *answer, bool compared, size_t indent);

/* Prints one line for the window, and one for each epoch and lock: at the first column, and at the second. */
void window_text_print(FILE *to, const struct window *window, size_t indent, size_t inner_indent);

#endif
