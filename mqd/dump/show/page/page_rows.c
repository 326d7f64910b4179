/*
 * page_rows.c - the ranks of a page in the order of its table.
 */
#include "mqd/dump/show/page/page_rows.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/show/graph/xml_text.h"

static const char *job_of(const struct witness *witness)
{
    return witness->listing->job != NULL ? witness->listing->job : "";
}

/*
 * A process of which no rank is known comes last. Users come after ranks: whose a rank is may not be asked for, and jobs
 * of several users hardly have one name.
 */
static int compare_witnesses(const void *a, const void *b)
{
    const struct witness *x = *(const struct witness *const *)a, *y = *(const struct witness *const *)b;
    long rank = x->listing->rank, other = y->listing->rank;

    return strcmp(job_of(x), job_of(y)) ?: (rank < 0) - (other < 0) ?: ORDER(rank, other) ?:
           ORDER(x->listing->user, y->listing->user) ?: ORDER(x, y);
}

static void find_several(struct page_rows *rows)
{
    const char *host = NULL;

    for (size_t i = 0; i < rows->n; i++) {
        const struct witness *witness = rows->witnesses[i];

        rows->jobs |= i > 0 && strcmp(job_of(witness), job_of(rows->witnesses[i - 1])) != 0;
        rows->users |= i > 0 && witness->listing->user != rows->witnesses[i - 1]->listing->user;
        rows->hosts |= host != NULL && witness->host != NULL && strcmp(host, witness->host) != 0;
        host = witness->host != NULL ? witness->host : host;
    }
}

void page_rows_find(struct page_rows *rows, const struct page *page)
{
    *rows = (struct page_rows){.witnesses = allocate_array(page->n + 1, sizeof *rows->witnesses), .n = page->n,
                               .of_witness = allocate_array(page->n + 1, sizeof *rows->of_witness),
                               .nodes = allocate_array(page->n + 1, sizeof *rows->nodes)};
    for (size_t i = 0; i < page->n; i++)
        rows->witnesses[i] = &page->witnesses[i];
    SORT(rows->witnesses, page->n, compare_witnesses);
    for (size_t i = 0; i < page->n; i++) {
        rows->of_witness[rows->witnesses[i] - page->witnesses] = i;
        rows->nodes[i] = SIZE_MAX;
    }
    for (size_t i = 0; i < page->picture->n_nodes; i++)
        for (size_t k = 0; k < page->picture->nodes[i].n_witnesses; k++)
            rows->nodes[rows->of_witness[page->picture->nodes[i].witnesses[k]]] = i;
    find_several(rows);
}

void page_rows_clear(struct page_rows *rows)
{
    FREE_ALL(rows->witnesses, rows->of_witness, rows->nodes);
    *rows = (struct page_rows){0};
}

struct rank_key {
    const char *job;
    long rank, user;               /* the user counts only where it is known */
};

static int compare_key(const void *a, const void *b)
{
    const struct rank_key *key = a;
    const struct witness *witness = *(const struct witness *const *)b;
    long rank = witness->listing->rank;

    return strcmp(key->job, job_of(witness)) ?: (key->rank < 0) - (rank < 0) ?: ORDER(key->rank, rank) ?:
           (key->user >= 0 ? ORDER(key->user, witness->listing->user) : 0);
}

size_t page_row_of_rank(const struct page_rows *rows, const char *job, long user, long rank)
{
    const struct rank_key key = {job, rank, user};
    size_t row = search_first(&key, rows->witnesses, rows->n, sizeof(struct witness *), compare_key);

    return row < rows->n && compare_key(&key, &rows->witnesses[row]) == 0 ? row : rows->n;
}

char *page_rows_of_ranks(const struct page_rows *rows, const char *job, long user, const long *ranks, size_t n)
{
    OWNED long *found = allocate_array(n + 1, sizeof *found);
    size_t n_found = 0;

    for (size_t i = 0; i < n; i++) {
        size_t row = page_row_of_rank(rows, job, user, ranks[i]);

        if (row < rows->n)
            found[n_found++] = (long)row;
    }
    return ranks_fold(found, ranks_sort(found, n_found));
}

char *page_rows_of_node(const struct page_rows *rows, const struct picture_node *node, const bool *marked)
{
    OWNED long *found = allocate_array(node->n_witnesses + 1, sizeof *found);
    size_t n = 0;

    for (size_t i = 0; i < node->n_witnesses; i++) {
        size_t row = rows->of_witness[node->witnesses[i]];

        if (marked == NULL || marked[row])
            found[n++] = (long)row;
    }
    return ranks_fold(found, ranks_sort(found, n));
}

/* Buttons. */

/* Without scripts it does nothing: the script enables it. */
void page_choice_button(FILE *to, const char *rows, const char *text)
{
    fprintf(to, "<button type=button class=choose disabled data-rows=\"%s\">", rows);
    html_element(to, "", text, "</button>");
}

void page_choice_print(FILE *to, const struct page_rows *rows, const size_t *positions, size_t n)
{
    OWNED long *chosen = allocate_array(n, sizeof *chosen), *ranks = allocate_array(n, sizeof *ranks);
    size_t n_ranks = 0, n_chosen;
    OWNED char *list = NULL, *phrase = NULL, *shown = NULL;

    for (size_t i = 0; i < n; i++)
        chosen[i] = (long)positions[i];
    n_chosen = ranks_sort(chosen, n);
    for (size_t i = 0; i < n_chosen; i++) {
        long rank = rows->witnesses[chosen[i]]->listing->rank;

        if (rank >= 0)
            ranks[n_ranks++] = rank;
    }
    n_ranks = ranks_sort(ranks, n_ranks);
    list = ranks_fold(chosen, n_chosen);
    /* Ranks of several jobs have the same numbers. */
    phrase = !rows->jobs && n_ranks == n_chosen
                 ? ranks_phrase(ranks, n_ranks, "", "")
                 : format_text("%s process%s", NUMBER(n_chosen), n_chosen == 1 ? "" : "es");
    shown = ranks_shorten(phrase, HTML_MAX_LIST);
    page_choice_button(to, list, shown);
}
