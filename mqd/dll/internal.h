/*
 * internal.h - communicators that Open MPI has made for itself.
 *
 * Such a communicator is recognised by a pointer of Open MPI's to it, never by its name: a user's duplicate of the same
 * communicator has the same group and a name of the same form. Without such a pointer the communicator is the user's.
 */
#ifndef MQD_DLL_INTERNAL_H
#define MQD_DLL_INTERNAL_H

#include "mqd/dll/communicator.h"

/*
 * Hides the communicators of the snapshot that are Open MPI's own, and records what they are for: that of an
 * intercommunicator over its local group, of a window, of a file, those of collectives on several nodes (coll/han) and
 * of partitioned communication. Returns MQD_OK or MQD_RC_no_memory. A pointer that cannot be read is no proof.
 */
enum mqd_rc mqd_hide_internal(struct mqd_process *process) MQD_CHECKED;

/*
 * For whom the communicator is. MQD_OWNER_unknown if it may be for a window or a file, and not all of these could be
 * looked at, or if it is not made yet in this process.
 */
enum mqd_owner mqd_owner_of(const struct mqd_process *process, const struct mqd_communicator *communicator);

/* Writes the name of the component of Open MPI that a file belongs to, "ompio"; false if it cannot be read. */
bool mqd_file_component(struct mqd_process *process, const struct mqd_view *file, char *name, size_t n_room);

#endif
