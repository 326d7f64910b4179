/*
 * pending_communicator.h - messages for communicators that this process has not made yet.
 *
 * One member may return from the call that makes a communicator, and send on it, while another member is still in that
 * call. ob1 keeps the message of the first in a list of its own until the communicator of the second is ready.
 */
#ifndef MQD_DLL_OB1_PENDING_COMMUNICATOR_H
#define MQD_DLL_OB1_PENDING_COMMUNICATOR_H

#include "mqd/dll/ob1/fragment.h"

/*
 * Appends to the snapshot a communicator without members for each communicator that such messages are for. Call it when
 * all other communicators are in the snapshot. The new one is hidden if all its messages are Open MPI's own. Returns
 * MQD_OK or MQD_RC_no_memory; mqd_visit_pending_messages returns what cannot be read.
 */
enum mqd_rc mqd_find_pending_communicators(struct mqd_process *process) MQD_CHECKED;

/*
 * Calls `visit` with each such message and the communicator in the snapshot that it is for, in the order of arrival. A
 * failure of `visit` ends the walk and is returned. Another code says what is wrong with the list.
 */
enum mqd_rc mqd_visit_pending_messages(struct mqd_process *process, const struct mqd_vector *fragments,
                                       enum mqd_rc (*visit)(const struct mqd_fragment *fragment, size_t communicator,
                                                            void *context),
                               void *context) MQD_CHECKED;

#endif
