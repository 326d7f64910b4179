/*
 * save.c - writes what was seen as a record.
 */
#include "mqd/dump/role/save.h"

#include <unistd.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/base/whole_file.h"
#include "mqd/dump/record/write.h"
#include "mqd/dump/show/report.h"

struct contents {
    const struct record_look *looks;
    size_t n_looks;
    const struct witness *witnesses;
    size_t n_witnesses;
    struct record_statistics statistics;
};

static void write_record(FILE *to, const struct contents *contents)
{
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
}

static bool save(const char *path, const struct contents *contents)
{
    struct whole_file file;
    char *why = NULL;

    if (is_standard_output(path)) {
        write_record(stdout, contents);
        return flush_output();
    }
    if (whole_file_open(&file, path, geteuid() == 0 ? PRIVATE_FILE : PUBLIC_FILE, &why)) {
        write_record(file.to, contents);
        if (whole_file_close(&file, &why))
            return true;
    }
    report_failure(why);
    return false;
}

bool save_record(const char *path, const struct record_look *look, const struct witness *witnesses, size_t n,
                 const struct record_statistics *statistics)
{
    RELEASED_BY(record_look_clear) struct record_look here = *look;
    struct contents contents = {.looks = &here, .n_looks = 1, .witnesses = witnesses, .n_witnesses = n,
                                .statistics = *statistics};

    record_look_set_here(&here);
    return save(path, &contents);
}

/* Of a look it is said what the report has of it: a rank that is in several looks is there once. */
bool save_records(const char *path, const struct records *records)
{
    OWNED struct record_look *looks = allocate_array(records->n_looks, sizeof *looks);
    struct contents contents = {.looks = looks, .n_looks = records->n_looks, .witnesses = records->witnesses,
                                .n_witnesses = records->n_witnesses, .statistics = records_statistics(records)};

    for (size_t i = 0; i < records->n_looks; i++) {
        looks[i] = *records->looks[i];
        looks[i].n_processes = 0;
        looks[i].has = records_content(records);
    }
    for (size_t i = 0; i < records->n_witnesses; i++)
        looks[records->witnesses[i].look].n_processes++;
    return save(path, &contents);
}
