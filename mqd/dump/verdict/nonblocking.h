/*
 * nonblocking.h - nonblocking collective operations that lock themselves.
 *
 * Each rank's part of such an operation gets on whenever the rank calls MPI, whatever else it waits for. If the part of
 * one rank waits for the part of another one and, directly or through others, that one for the first, none of them ever
 * ends; neither does one that waits for a part which has ended without doing what it waits for. Functions of MPI that
 * all ranks call alike do not come to that: so the functions differ, or their roots, or their lengths.
 */
#ifndef MQD_DUMP_VERDICT_NONBLOCKING_H
#define MQD_DUMP_VERDICT_NONBLOCKING_H

#include "mqd/dump/verdict/conclusion.h"

/*
 * Which parts never end. LOCKED: parts of the same operation wait for each other; LOCKED_IF_ENDED: or for one that seems
 * to have ended, unless it is a persistent operation that its rank has yet to start. Of each operation that is the first
 * open one of its part; N_LOCKS for the rest. For free().
 */
enum { LOCKED, LOCKED_IF_ENDED, N_LOCKS };
unsigned char *model_find_locked(const struct model *model);

/* Does a rank of the collective have a part there that waits with others for each other? */
bool collective_is_locked(const struct conclusion *conclusion, const struct collective *collective);

#endif
