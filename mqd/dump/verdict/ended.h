/*
 * ended.h - ranks that have ended or left MPI too early.
 */
#ifndef MQD_DUMP_VERDICT_ENDED_H
#define MQD_DUMP_VERDICT_ENDED_H

#include "mqd/dump/verdict/conclusion.h"

/* Findings about ranks that have ended, and those that are in MPI_Finalize or past it, for which others wait. */
void conclude_ended(struct conclusion *conclusion);
void conclude_finalized(struct conclusion *conclusion);

/* A finding about other ranks that have ended while some of their job are still in MPI; after conclude_ended. */
void conclude_early_ends(struct conclusion *conclusion);

#endif
