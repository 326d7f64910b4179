/*
 * page_basis.h - what a page rests on: looks, machines, layouts, what could not be read, and warnings.
 */
#ifndef MQD_DUMP_SHOW_PAGE_BASIS_H
#define MQD_DUMP_SHOW_PAGE_BASIS_H

#include <stdio.h>

#include "mqd/dump/show/page/page_rows.h"

void page_basis_print(FILE *to, const struct page *page, const struct page_rows *rows);

/* How many looks are not whole. */
size_t page_n_problems(const struct page *page);

#endif
