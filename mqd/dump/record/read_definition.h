/*
 * read_definition.h - definitions of a record, to which the lines of processes refer.
 */
#ifndef MQD_DUMP_RECORD_READ_DEFINITION_H
#define MQD_DUMP_RECORD_READ_DEFINITION_H

#include "mqd/dump/record/reader.h"

bool group_line_read(struct record_reader *reader, const json_t *line, char **why);
bool peers_line_read(struct record_reader *reader, const json_t *line, char **why);
bool layout_line_read(struct record_reader *reader, const json_t *line, char **why);
bool place_line_read(struct record_reader *reader, const json_t *line, char **why);
bool frame_line_read(struct record_reader *reader, const json_t *line, char **why);
bool stack_line_read(struct record_reader *reader, const json_t *line, char **why);

#endif
