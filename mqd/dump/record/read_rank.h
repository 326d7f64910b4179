/*
 * read_rank.h - a process of a record, with what came before its line.
 */
#ifndef MQD_DUMP_RECORD_READ_RANK_H
#define MQD_DUMP_RECORD_READ_RANK_H

#include "mqd/dump/record/reader.h"

bool rank_line_read(struct record_reader *reader, const json_t *line, char **why);

#endif
