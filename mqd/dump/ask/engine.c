/*
 * engine.c - asks processes of mqdump's own, on this machine and on others.
 */
#include "mqd/dump/ask/engine.h"

#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/record/read.h"

bool answer_take(void *context, const char *bytes, size_t n)
{
    struct answer *answer = context;

    answer->unreadable = !record_reader_take(&answer->reader, bytes, n);
    return !answer->unreadable;
}

void answer_prepare(struct answer *answer, const struct request *request, struct record_pool *pool)
{
    record_clear(answer->record);
    record_reader_start(&answer->reader, answer->record, "", pool);
    answer->unreadable = false;
    answer->input = request_write(request);
    answer->child = (struct child){.take = answer_take, .context = answer};
}

void answers_run(struct answer *const *answers, size_t n, const struct patience *patience)
{
    OWNED struct child *children = allocate_array(n, sizeof *children);

    for (size_t i = 0; i < n; i++)
        children[i] = answers[i]->child;
    children_run(children, n, patience);
    for (size_t i = 0; i < n; i++)
        answers[i]->child = children[i];
}

void answer_clear(struct answer *answer)
{
    free(TAKEN(answer->input));
    child_clear(&answer->child);
}

struct record_rank *record_add_unread(struct record *record, const struct listing *listing)
{
    struct record_rank *rank = allocate_array(1, sizeof *rank);

    rank->listing = *listing;
    rank->witness.listing = &rank->listing;
    APPEND(record->ranks, record->n, record->room, rank);
    return rank;
}
