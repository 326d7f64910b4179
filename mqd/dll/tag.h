/*
 * tag.h - what Open MPI sends with tags of its own, which are negative.
 */
#ifndef MQD_DLL_TAG_H
#define MQD_DLL_TAG_H

#include "mqd/dll/state.h"

/*
 * The call that messages with this tag belong to in the release that the process runs, "MPI_Barrier"; static. A
 * collective may be made of others, as MPI_Allreduce of MPI_Reduce and MPI_Bcast.
 */
const char *mqd_tag_text(const struct mqd_process *process, int32_t tag);

/* The major version, 4 for 4.1.4: that which the process states, else that of the layout; 0 if neither is known. */
unsigned mqd_major_version(const struct mqd_process *process);

#endif
