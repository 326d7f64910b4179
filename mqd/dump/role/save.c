/*
 * save.c - writes records of what was seen, or of what records say.
 *
 * Records that are merged are not joined: a rank that is in several looks stays in all of them, so that a report of the
 * merged record can tell whether it has moved.
 */
#include "mqd/dump/role/save.h"

#include "mqd/dump/base/hash.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/base/whole_file.h"
#include "mqd/dump/record/format.h"
#include "mqd/dump/record/read.h"
#include "mqd/dump/record/write.h"

/* What was seen. */

struct contents {
    const struct record_look *looks;
    size_t n_looks;
    const struct witness *witnesses;
    size_t n_witnesses;
    struct record_statistics statistics;
};

static bool write_record(FILE *to, const void *context)
{
    const struct contents *contents = context;
    struct record_writer writer;
    const char *warning;

    record_begin(&writer, to, &contents->looks[0]);
    for (size_t i = 1; i < contents->n_looks; i++)
        record_write_look(&writer, &contents->looks[i]);
    for (size_t i = 0; i < contents->n_witnesses; i++)
        record_write_witness(&writer, &contents->witnesses[i]);
    for (size_t i = 0; (warning = warning_given(i)) != NULL; i++)
        record_write_warning(&writer, warning);
    record_end(&writer, &contents->statistics);
    return true;
}

bool save_look(const struct record_look *look, const struct witness *witnesses, size_t n,
               const struct record_statistics *statistics)
{
    RELEASED_BY(record_look_clear) struct record_look here = *look;
    const struct contents contents = {.looks = &here, .n_looks = 1, .witnesses = witnesses, .n_witnesses = n,
                                      .statistics = *statistics};

    record_look_set_here(&here);
    write_record(stdout, &contents);
    return flush_output();
}

/* Of a look it is said what the report has of it: a rank that is in several looks is there once. */
bool save_records(const char *path, const struct records *records)
{
    OWNED struct record_look *looks = allocate_array(records->n_looks, sizeof *looks);
    const struct contents contents = {.looks = looks, .n_looks = records->n_looks, .witnesses = records->witnesses,
                                      .n_witnesses = records->n_witnesses, .statistics = records_statistics(records)};

    for (size_t i = 0; i < records->n_looks; i++) {
        looks[i] = *records->looks[i];
        looks[i].n_processes = 0;
        looks[i].has = records_content(records);
    }
    for (size_t i = 0; i < records->n_witnesses; i++)
        looks[records->witnesses[i].look].n_processes++;
    return document_write(path, mode_of_what_was_seen(), write_record, &contents);
}

/* Several records as one. */

struct merge {
    const char *const *paths;
    size_t n_paths;
    struct record_writer writer;
    FILE *to;
    size_t n_looks;
    struct record_pool pool;       /* of what different records have */
    struct record_statistics statistics;
    struct dictionary warnings;
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
        dictionary_number(&merge->warnings, TAKEN(record->warnings[i]), NULL);
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
static bool write_merged(FILE *to, const void *context)
{
    struct merge merge = *(const struct merge *)context;

    merge.to = to;
    for (size_t i = 0; i < merge.n_paths; i++)
        merge_record(&merge, merge.paths[i]);
    for (size_t i = 0; i < merge.warnings.n; i++)
        record_write_warning(&merge.writer, merge.warnings.texts[i]);
    record_end(&merge.writer, &merge.statistics);
    dictionary_clear(&merge.warnings);
    record_pool_clear(&merge.pool);
    return merge.complete;
}

bool merge_records(const char *const *paths, size_t n, const char *path)
{
    const struct merge merge = {.paths = paths, .n_paths = n, .complete = true};

    return document_write(path, mode_of_what_was_seen(), write_merged, &merge);
}
