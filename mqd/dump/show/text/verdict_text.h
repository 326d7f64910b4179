/*
 * verdict_text.h - findings, and where each rank is, for people.
 */
#ifndef MQD_DUMP_SHOW_VERDICT_TEXT_H
#define MQD_DUMP_SHOW_VERDICT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "mqd/dump/verdict/verdict.h"

/* Prints the findings, and where each rank is. Ranks at the same place are in one line. */
void verdict_print(FILE *to, const struct verdict *verdict, const struct listing *const *listings, size_t n);

/*
 * Where a process is, for free(): its main thread, and the others without their numbers, so that ranks can be compared.
 * Why that is not known, if it is not.
 */
char *say_calls(const struct listing *listing);

/* The first words about a finding, "Deadlock, job 4711 of user 1000 (possible).", for free(). */
char *finding_title(const struct finding *finding, bool name_job);

#endif
