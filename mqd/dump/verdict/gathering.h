/*
 * gathering.h - who is missing in a collective operation, and how it is said.
 */
#ifndef MQD_DUMP_VERDICT_GATHERING_H
#define MQD_DUMP_VERDICT_GATHERING_H

#include "mqd/dump/verdict/attendance.h"
#include "mqd/dump/verdict/finding.h"

/*
 * The ids of the ranks whose part is missing there, in order. Ranks that may be done with their part, and ranks of
 * which too little is known, are not among them.
 */
struct rank_set gathering_missing(const struct attendances *attendances, const struct model *model, size_t gathering);

/* Texts for free(): "3 of 4 ranks are in MPI_Barrier on MPI_COMM_WORLD", and the same with "; rank 1 is missing." */
char *say_gathering(const struct attendances *attendances, const struct model *model, size_t gathering);
char *say_gathering_missing(const struct attendances *attendances, const struct model *model, size_t gathering);

#endif
