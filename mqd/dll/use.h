/*
 * use.h - for whom and how a communicator is used.
 */
#ifndef MQD_DLL_USE_H
#define MQD_DLL_USE_H

#include "mqd/dll/communicator.h"

/* Fills *use, as far as it is known. */
void mqd_describe_use(struct mqd_process *process, struct mqd_communicator *communicator,
                      struct mqd_communicator_use *use);

/*
 * MQD_RC_overtaking if the program lets the messages of a communicator overtake each other: then they have no numbers.
 * MQD_OK if not, or if it is not known.
 */
enum mqd_rc mqd_check_overtaking(struct mqd_process *process, const struct mqd_communicator *communicator) MQD_CHECKED;

#endif
