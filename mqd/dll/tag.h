/*
 * tag.h - what Open MPI sends with tags of its own, which are negative.
 */
#ifndef MQD_DLL_TAG_H
#define MQD_DLL_TAG_H

#include "mqd/dll/state.h"

/*
 * The call that messages with this tag belong to in the release of the layout in force, "MPI_Barrier"; static. A
 * collective may be made of others, as MPI_Allreduce of MPI_Reduce and MPI_Bcast.
 */
const char *mqd_tag_text(const struct mqd_process *process, int32_t tag);

/* Is it one of those that nonblocking collective operations take, and no others that the constants name? */
bool mqd_tag_is_nonblocking(const struct mqd_process *process, int32_t tag);

#endif
