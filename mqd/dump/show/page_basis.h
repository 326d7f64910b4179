/*
 * page_basis.h - what a page rests on: looks, machines, layouts, and what could not be read.
 */
#ifndef MQD_DUMP_SHOW_PAGE_BASIS_H
#define MQD_DUMP_SHOW_PAGE_BASIS_H

#include <stdio.h>

#include "mqd/dump/show/page_rows.h"

void page_basis_print(FILE *to, const struct page *page, const struct page_rows *rows);

#endif
