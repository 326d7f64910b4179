/*
 * members.h - arrays of ranks and of processes in a record, as runs: most groups are short that way.
 */
#ifndef MQD_DUMP_RECORD_MEMBERS_H
#define MQD_DUMP_RECORD_MEMBERS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "include/mqd_extension.h"

/* n ranks, as int: [[FIRST, COUNT, STEP]...]. COUNT and STEP are left away where they are 1. */
json_t *group_write(const void *group, size_t n);

/* n of struct mqd_process_name: [[JOB, FIRST, COUNT]...], ranks that follow each other. */
json_t *peers_write(const void *peers, size_t n);

/*
 * Read them into an array of shared.h with at most `most` elements, whose number is put into *n. False, with the reason
 * in *why, on failure.
 */
bool group_read(const json_t *runs, size_t most, int **group, size_t *n, char **why);
bool peers_read(const json_t *runs, size_t most, struct mqd_process_name **peers, size_t *n, char **why);

#endif
