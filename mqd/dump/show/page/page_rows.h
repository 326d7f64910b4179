/*
 * page_rows.h - what a page is made of: its ranks are in the order of its table, by which its parts refer to them.
 */
#ifndef MQD_DUMP_SHOW_PAGE_ROWS_H
#define MQD_DUMP_SHOW_PAGE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "mqd/dump/record/record.h"
#include "mqd/dump/record/witness.h"
#include "mqd/dump/show/graph/picture.h"
#include "mqd/dump/show/say/explanation.h"

/* What a page is made of. */
struct page {
    const struct witness *witnesses;
    size_t n;
    const struct explanation *explanation;
    const struct picture *picture;            /* drawn from the same witnesses */
    const struct record_look *const *looks;   /* that it rests on: a witness's `look` is a position here */
    size_t n_looks;
};

struct page_rows {
    const struct witness **witnesses;  /* in the order of jobs and ranks */
    size_t n;
    size_t *of_witness;            /* the row of each of the page's witnesses */
    size_t *nodes;                 /* of the picture, of each row; SIZE_MAX: it is in none */
    bool jobs, users, hosts;       /* there are several */
};

/* Release with page_rows_clear. The page must outlive them. */
void page_rows_find(struct page_rows *rows, const struct page *page);
void page_rows_clear(struct page_rows *rows);

/* The first row of a rank of a job, whose name is "" if it has none; `n` of the rows: there is none. */
size_t page_row_of_rank(const struct page_rows *rows, const char *job, long user, long rank);

/*
 * The rows as ranges, "0-63,70", for free(): of ranks of a job, whose name is "" if it has none, and of a node. Of a
 * node only those count that are marked, unless `marked` is NULL.
 */
char *page_rows_of_ranks(const struct page_rows *rows, const char *job, long user, const long *ranks, size_t n);
char *page_rows_of_node(const struct page_rows *rows, const struct picture_node *node, const bool *marked);

/* Buttons that choose ranks in all parts of a page. */

/* Prints a button for rows, "0-63,70". */
void page_choice_button(FILE *to, const char *rows, const char *text);

/* Prints a button for rows, in any order, that says which ranks they are: "ranks 0-63,70", "5 processes". */
void page_choice_print(FILE *to, const struct page_rows *rows, const size_t *positions, size_t n);

#endif
