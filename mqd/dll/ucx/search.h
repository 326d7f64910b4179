/*
 * search.h - what can be found in a worker whose layout no table has.
 */
#ifndef MQD_DLL_UCX_SEARCH_H
#define MQD_DLL_UCX_SEARCH_H

#include "mqd/dll/ucx/state.h"

/*
 * Searches the worker for what every release has: the context, the pool of requests, and tag matching. Writes a sentence
 * into n_room bytes that says where they are; "" if nothing was found. It tells a newer release from a broken process.
 */
void mqd_ucx_search(struct mqd_process *process, const struct mqd_ucx *ucx, char *text, size_t n_room);

#endif
