/*
 * page_choice.c - buttons that choose ranks in all parts of a page.
 */
#include "mqd/dump/show/page/page_choice.h"

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/show/page/html_text.h"

/* Without scripts it does nothing: the script enables it. */
void page_choice_begin(FILE *to, const char *rows)
{
    fprintf(to, "<button type=button class=choose disabled data-rows=\"%s\">", rows);
}

void page_choice_end(FILE *to)
{
    fputs("</button>", to);
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
    page_choice_begin(to, list);
    html_text(to, shown);
    page_choice_end(to);
}
