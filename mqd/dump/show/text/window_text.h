/*
 * window_text.h - the state of a window in words.
 */
#ifndef MQD_DUMP_SHOW_WINDOW_TEXT_H
#define MQD_DUMP_SHOW_WINDOW_TEXT_H

#include <stdio.h>

#include "mqd/dump/collect/client/window.h"

/* Prints one line for the window, and one for each epoch and lock: at the first column, and at the second. */
void window_text_print(FILE *to, const struct window *window, size_t indent, size_t inner_indent);

#endif
