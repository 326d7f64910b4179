/*
 * tag.h - what Open MPI sends with tags of its own, which are negative.
 */
#ifndef MQD_DLL_TAG_H
#define MQD_DLL_TAG_H

#include "mqd/dll/state.h"

/*
 * What messages with this tag belong to in the release that the layout in force is of, "MPI_Barrier"; static. A
 * collective may be made of others, as MPI_Allreduce of MPI_Reduce and MPI_Bcast.
 */
const char *mqd_tag_text(const struct mqd_process *process, int32_t tag);

#endif
