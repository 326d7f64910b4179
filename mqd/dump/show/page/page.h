/*
 * page.h - all that is known of a job as one page for a browser, in one file.
 *
 * The page loads nothing. Its policy allows only its own script and style, by their hashes. Text of processes, files
 * and machines is text in it, whatever it is.
 */
#ifndef MQD_DUMP_SHOW_PAGE_H
#define MQD_DUMP_SHOW_PAGE_H

#include <stdio.h>

#include "mqd/dump/show/page/page_rows.h"

void page_print(FILE *to, const struct page *page);

#endif
