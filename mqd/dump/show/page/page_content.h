/*
 * page_content.h - what a page is made of.
 */
#ifndef MQD_DUMP_SHOW_PAGE_CONTENT_H
#define MQD_DUMP_SHOW_PAGE_CONTENT_H

#include <stddef.h>

#include "mqd/dump/record/header.h"
#include "mqd/dump/record/witness.h"
#include "mqd/dump/show/graph/picture.h"
#include "mqd/dump/verdict/verdict.h"

struct page {
    const struct witness *witnesses;
    size_t n;
    const struct verdict *verdict;
    const struct picture *picture;            /* drawn from the same witnesses */
    const struct record_look *const *looks;   /* that it rests on: a witness's `look` is a position here */
    size_t n_looks;
};

#endif
