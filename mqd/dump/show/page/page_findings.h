/*
 * page_findings.h - why a job does not get on, in a page.
 */
#ifndef MQD_DUMP_SHOW_PAGE_FINDINGS_H
#define MQD_DUMP_SHOW_PAGE_FINDINGS_H

#include <stdio.h>

#include "mqd/dump/show/page/page_rows.h"

void page_findings_print(FILE *to, const struct page *page, const struct page_rows *rows);

#endif
