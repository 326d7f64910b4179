/*
 * near_miss.h - finds the message that comes nearest to one that does not come.
 *
 * A message that fits in all but one thing is often the one that was meant, but it may also be one that the program
 * would ask for next. So a near miss is certain only if no other message can have been meant:
 *
 *   face to face  a receive and a send of two ranks differ in the tag or the communicator, and neither rank goes on
 *                 without this receive and without this send. Nothing that either does later can help.
 *   at the end    the message has another tag or communicator, and all that could send another one are in MPI_Finalize
 *                 or past it: they have sent all that they ever send.
 *
 * Everything else is possible only. A message of another source or destination is always only possible: a program that
 * receives from one rank after the other has such messages whenever one of them is late.
 */
#ifndef MQD_DUMP_VERDICT_NEAR_MISS_H
#define MQD_DUMP_VERDICT_NEAR_MISS_H

#include <stdbool.h>

#include "mqd/dump/verdict/conclusion.h"

/*
 * Adds findings about one operation of the program whose message a group of stuck ranks will not send: the message that
 * comes nearest or, in a group that also waits in collective operations, that there is none. They are at most as
 * certain as the caller is that the ranks are stuck. Those at the same place are one finding.
 */
void near_misses_find(struct conclusion *conclusion, const struct wait *wait, bool collective, bool certain);

/*
 * The same of a wait for a rank that has ended or left MPI. `all_left`: all who could send have left MPI. Returns
 * whether the finding is about the reason, so that nothing else has to be said of the wait.
 */
bool near_miss_of_gone(struct conclusion *conclusion, const struct wait *wait, bool certain, bool all_left);

#endif
