/*
 * page_tables.h - the ranks, the operations, the windows, and what handles stand for, as tables of a page.
 */
#ifndef MQD_DUMP_SHOW_PAGE_TABLES_H
#define MQD_DUMP_SHOW_PAGE_TABLES_H

#include <stdbool.h>
#include <stdio.h>

#include "mqd/dump/show/page/page_rows.h"

/* Prints those that have something to show, and links to them. */
void page_tables_print(FILE *to, const struct page *page, const struct page_rows *rows);
void page_tables_print_links(FILE *to, const struct page_rows *rows);

/* Finds the first answer of a row that tells of a communicator, by its unique id: its id in the page is handle-ROW-I. */
bool page_handles_find(const struct page_rows *rows, size_t row, mqs_taddr_t communicator, size_t *answer);

#endif
