/*
 * pending_communicator.h - messages for communicators that this process has not made yet.
 *
 * A member that has come out of the call that makes a communicator sends on it while another is still in that call:
 * there ob1 keeps the message apart until the communicator is ready.
 */
#ifndef MQD_DLL_OB1_PENDING_COMMUNICATOR_H
#define MQD_DLL_OB1_PENDING_COMMUNICATOR_H

#include "mqd/dll/ob1/fragment.h"

/*
 * Appends to the snapshot, once all communicators are in it, one without members for each that such messages are for.
 * It is hidden while all of them are Open MPI's own. What cannot be read is told with the messages; MQD_RC_no_memory.
 */
enum mqd_rc mqd_find_pending_communicators(struct mqd_process *process) MQD_CHECKED;

/*
 * Shows `visit` each such message with the communicator in the snapshot that it is for, in the order of arrival.
 * MQD_OK; what `visit` returned, which ends it; or what is wrong with the list.
 */
enum mqd_rc mqd_visit_pending_messages(struct mqd_process *process, const struct mqd_vector *fragments,
                                       enum mqd_rc (*visit)(const struct mqd_fragment *fragment, size_t communicator,
                                                            void *context),
                               void *context) MQD_CHECKED;

#endif
