/*
 * page_stacks.h - the stacks of all ranks as a tree, in a page.
 */
#ifndef MQD_DUMP_SHOW_PAGE_STACKS_H
#define MQD_DUMP_SHOW_PAGE_STACKS_H

#include <stdio.h>

#include "mqd/dump/show/page/page_rows.h"

void page_stacks_print(FILE *to, const struct page_rows *rows);

#endif
