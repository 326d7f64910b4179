/*
 * save.c - writes what was seen as a record.
 */
#include "mqd/dump/save.h"

#include <stdlib.h>
#include <unistd.h>

#include "mqd/dump/base/warning.h"
#include "mqd/dump/base/whole_file.h"
#include "mqd/dump/record/write.h"
#include "mqd/dump/report.h"

static void write_record(FILE *to, struct record_header header, const struct witness *witnesses, size_t n,
                         const struct record_statistics *statistics)
{
    struct record_writer writer;
    const char *warning;

    record_header_set_here(&header);
    record_begin(&writer, to, &header);
    for (size_t i = 0; i < n; i++)
        record_write_witness(&writer, &witnesses[i]);
    for (size_t i = 0; (warning = warning_given(i)) != NULL; i++)
        record_write_warning(&writer, warning);
    record_end(&writer, statistics);
    record_header_clear(&header);
}

bool save_record(const char *path, const struct record_header *header, const struct witness *witnesses, size_t n,
                 const struct record_statistics *statistics)
{
    struct whole_file file;
    char *why = NULL;

    if (is_standard_output(path)) {
        write_record(stdout, *header, witnesses, n, statistics);
        return flush_output();
    }
    if (whole_file_open(&file, path, geteuid() == 0 ? PRIVATE_FILE : PUBLIC_FILE, &why)) {
        write_record(file.to, *header, witnesses, n, statistics);
        if (whole_file_close(&file, &why))
            return true;
    }
    report_failure(why);
    return false;
}
