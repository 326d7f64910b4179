/*
 * ended.h - concludes that ranks have ended or left MPI too early.
 */
#ifndef MQD_DUMP_VERDICT_ENDED_H
#define MQD_DUMP_VERDICT_ENDED_H

#include "mqd/dump/verdict/conclusion.h"

/* Add a finding about ended ranks that others wait for, and one about ranks in or past MPI_Finalize. */
void conclude_ended(struct conclusion *conclusion);
void conclude_finalized(struct conclusion *conclusion);

/* Adds a finding about ranks that have ended while others of their job are still in MPI. Runs after conclude_ended. */
void conclude_early_ends(struct conclusion *conclusion);

/* Adds findings about ranks that were killed by an error of their own. */
void conclude_crashes(struct conclusion *conclusion);

#endif
