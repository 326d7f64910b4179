/*
 * version.h - which release of UCX the process has. It is for messages: no layout rests on it.
 */
#ifndef MQD_DLL_UCX_VERSION_H
#define MQD_DLL_UCX_VERSION_H

#include "mqd/dll/target.h"

/* Writes the release into n_room bytes, "1.13.1"; "" if it cannot be found out. */
void mqd_ucx_version(struct mqd_process *process, char *version, size_t n_room);

#endif
