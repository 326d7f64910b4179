/*
 * read_records.c - several records from files as one report.
 */
#include "mqd/dump/look/read_records.h"

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/look/join.h"
#include "mqd/dump/record/read.h"

/* What whoever has written or merged the record knew to be missing. */
static void notice_problem(struct records *records, const struct record *record, const struct record_look *look)
{
    if (look->problem == NULL)
        return;
    notice_give("%s: %s%s%s", record->name, look->host != NULL ? look->host : "", look->host != NULL ? ": " : "",
                look->problem);
    records->complete = false;
}

static void read_one(struct records *records, size_t i, const char *path)
{
    struct record *record = &records->records[i];

    (void)record_read_file(record, path, &records->pool);
    if (record->problem != NULL)
        notice_give("%s: %s", record->name, record->problem);
    for (size_t k = 0; k < record->n_looks; k++)
        notice_problem(records, record, &record->looks[k]);
    for (size_t k = 0; k < record->n_warnings; k++)
        warning_give("%s", record->warnings[k]);
    records->complete &= record->complete;
}

void records_read(struct records *records, const char *const *paths, size_t n)
{
    *records = (struct records){.n = n, .complete = true};
    records->records = allocate_array(n, sizeof *records->records);
    for (size_t i = 0; i < n; i++)
        read_one(records, i, paths[i]);
    records_join(records);
}
