/*
 * merge.c - several records as one record.
 *
 * Nothing is joined here: a rank that is in several looks stays in all of them, so that a report of the merged record
 * can tell whether it has moved.
 */
#include "mqd/dump/role/merge.h"

#include <stdlib.h>
#include <unistd.h>

#include "mqd/dump/base/hash.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/base/whole_file.h"
#include "mqd/dump/record/format.h"
#include "mqd/dump/record/read.h"
#include "mqd/dump/record/write.h"
#include "mqd/dump/show/report.h"

struct merge {
    struct record_writer writer;
    FILE *to;
    size_t n_looks;
    struct record_pool pool;       /* of what different records have */
    struct record_statistics statistics;
    char **warnings;               /* each once */
    size_t n_warnings, warning_room;
    struct name_index known;       /* of the warnings */
    bool complete;
};

static void write_looks(struct merge *merge, const struct record *record)
{
    for (size_t i = 0; i < record->n_looks; i++) {
        if (merge->n_looks + i == 0)
            record_begin(&merge->writer, merge->to, &record->looks[i]);
        else
            record_write_look(&merge->writer, &record->looks[i]);
    }
}

static void write_ranks(struct merge *merge, const struct record *record)
{
    for (size_t i = 0; i < record->n; i++) {
        struct witness witness = record->ranks[i]->witness;

        witness.look += (int)merge->n_looks;
        record_write_witness(&merge->writer, &witness);
    }
}

/* They come at the end: the memory for them is that of different ones. */
static void take_warnings(struct merge *merge, struct record *record)
{
    for (size_t i = 0; i < record->n_warnings; i++)
        if (name_index_add(&merge->known, record->warnings[i], 0))
            APPEND(merge->warnings, merge->n_warnings, merge->warning_room, TAKEN(record->warnings[i]));
}

/* A look without a host has to name the file, which nobody will know then. */
static void tell_problem(struct merge *merge, struct record *record)
{
    OWNED char *problem = NULL;

    if (record->problem == NULL)
        return;
    merge->complete = false;
    notice_give("%s: %s", record->name, record->problem);
    problem = format_text("%s: %s", record->name, record->problem);
    if (record->n_looks == 0)
        record_add_look(record, &(struct record_look){.problem = problem});
    record_settle_problem(record);
}

static void merge_record(struct merge *merge, const char *path)
{
    RELEASED_BY(record_clear) struct record record = {0};

    (void)record_read_file(&record, path, &merge->pool);
    tell_problem(merge, &record);
    if (merge->n_looks + record.n_looks > MAX_LOOKS) {
        notice_give("%s: it is left out: there are more than %d looks", record.name, MAX_LOOKS);
        merge->complete = false;
    } else {
        write_looks(merge, &record);
        write_ranks(merge, &record);
        take_warnings(merge, &record);
        merge->n_looks += record.n_looks;
        merge->statistics.n_reads += record.statistics.n_reads;
        merge->statistics.n_bytes += record.statistics.n_bytes;
    }
}

/* Returns whether all records were complete. */
static bool merge_all(FILE *to, const char *const *paths, size_t n)
{
    struct merge merge = {.to = to, .known = {.any_length = true}, .complete = true};

    for (size_t i = 0; i < n; i++)
        merge_record(&merge, paths[i]);
    for (size_t i = 0; i < merge.n_warnings; i++) {
        record_write_warning(&merge.writer, merge.warnings[i]);
        free(merge.warnings[i]);
    }
    record_end(&merge.writer, &merge.statistics);
    free(merge.warnings);
    name_index_clear(&merge.known);
    record_pool_clear(&merge.pool);
    return merge.complete;
}

bool merge_records(const char *const *paths, size_t n, const char *save)
{
    struct whole_file file;
    char *why = NULL;
    bool complete;

    if (save == NULL || is_standard_output(save)) {
        complete = merge_all(stdout, paths, n);
        return flush_output() && complete;
    }
    if (whole_file_open(&file, save, geteuid() == 0 ? PRIVATE_FILE : PUBLIC_FILE, &why)) {
        complete = merge_all(file.to, paths, n);
        if (whole_file_close(&file, &why))
            return complete;
    }
    report_failure(why);
    return false;
}
