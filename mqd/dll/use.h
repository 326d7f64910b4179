/*
 * use.h - for whom and how a communicator is used.
 */
#ifndef MQD_DLL_USE_H
#define MQD_DLL_USE_H

#include "mqd/dll/communicator.h"

/*
 * The name of an object: it holds the name, or a pointer to it; the size of the member tells. Writes it, whole or cut,
 * into MQD_NAME_BYTES bytes, which are left as they are if the object has no name or cannot be read.
 */
enum { MQD_NAME_BYTES = sizeof((struct mqd_communicator_use *)0)->name };
void mqd_object_name(struct mqd_process *process, enum mqd_type_id type, mqd_taddr ta, enum mqd_path_id path,
                     char *name);

/* Fills *use, as far as it is known. */
void mqd_describe_use(struct mqd_process *process, struct mqd_communicator *communicator,
                      struct mqd_communicator_use *use);

/*
 * MQD_RC_overtaking if the program lets the messages of a communicator overtake each other: then they have no numbers.
 * MQD_OK if not, or if it is not known.
 */
enum mqd_rc mqd_check_overtaking(struct mqd_process *process, const struct mqd_communicator *communicator) MQD_CHECKED;

#endif
