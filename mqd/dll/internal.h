/*
 * internal.h - communicators that Open MPI has made for itself.
 *
 * One is told from a user's by what points to it, never by its name: a user's duplicate of the same communicator has
 * the same group and a name of the same form. What cannot be proven is taken for the user's.
 */
#ifndef MQD_DLL_INTERNAL_H
#define MQD_DLL_INTERNAL_H

#include "mqd/dll/communicator.h"

/*
 * Hides those of the snapshot's communicators that are Open MPI's own, and notes what they are for: an
 * intercommunicator's over its local group, a window's, a file's, those of collectives on several nodes (coll/han) and
 * of partitioned communication. MQD_RC_no_memory, or MQD_OK: what cannot be read proves nothing.
 */
enum mqd_rc mqd_hide_internal(struct mqd_process *process) MQD_CHECKED;

#endif
