/*
 * page_graph.h - who waits for whom, in a page.
 */
#ifndef MQD_DUMP_SHOW_PAGE_GRAPH_H
#define MQD_DUMP_SHOW_PAGE_GRAPH_H

#include <stdio.h>

#include "mqd/dump/show/page/page_rows.h"

void page_graph_print(FILE *to, const struct page *page, const struct page_rows *rows);

#endif
