/*
 * page_tables.h - the ranks, the operations and the windows, as tables of a page.
 */
#ifndef MQD_DUMP_SHOW_PAGE_TABLES_H
#define MQD_DUMP_SHOW_PAGE_TABLES_H

#include <stdbool.h>
#include <stdio.h>

#include "mqd/dump/show/page/page_rows.h"

void page_ranks_print(FILE *to, const struct page *page, const struct page_rows *rows);
void page_operations_print(FILE *to, const struct page_rows *rows);

/* Nothing is printed if there are none. */
void page_windows_print(FILE *to, const struct page_rows *rows);
bool page_has_windows(const struct page_rows *rows);

#endif
