/*
 * page.h - all that is known of a job as one page for a browser, in one file.
 *
 * The page loads nothing. Its policy allows only its own script and style, by their hashes. Text of processes, files
 * and machines is text in it, whatever it is.
 */
#ifndef MQD_DUMP_SHOW_PAGE_H
#define MQD_DUMP_SHOW_PAGE_H

#include <stddef.h>
#include <stdio.h>

#include "mqd/dump/record/header.h"
#include "mqd/dump/record/witness.h"
#include "mqd/dump/show/picture.h"
#include "mqd/dump/verdict/verdict.h"

struct page {
    const struct witness *witnesses;
    size_t n;
    const struct verdict *verdict;
    const struct picture *picture;            /* drawn from the same witnesses */
    const struct record_look *const *looks;   /* that it rests on: a witness's `look` is a position here */
    size_t n_looks;
};

void page_print(FILE *to, const struct page *page);

#endif
