/*
 * page_choice.h - buttons that choose ranks in all parts of a page.
 */
#ifndef MQD_DUMP_SHOW_PAGE_CHOICE_H
#define MQD_DUMP_SHOW_PAGE_CHOICE_H

#include <stddef.h>
#include <stdio.h>

#include "mqd/dump/show/page/page_rows.h"

/* Begins a button for rows, "0-63,70"; its text and page_choice_end follow. */
void page_choice_begin(FILE *to, const char *rows);
void page_choice_end(FILE *to);

/* Prints a button for rows, in any order, that says which ranks they are: "ranks 0-63,70", "5 processes". */
void page_choice_print(FILE *to, const struct page_rows *rows, const size_t *positions, size_t n);

#endif
