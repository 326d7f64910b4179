/*
 * candidates.h - which layout tables of UCX fit the process.
 *
 * Nothing in a process states the sizes of UCX's structs. So each table is a candidate until something contradicts it:
 * the worker, its pool and its queues (at any time), or the operations and messages that they hold. What all remaining
 * candidates agree on is the layout in force.
 */
#ifndef MQD_DLL_UCX_CANDIDATES_H
#define MQD_DLL_UCX_CANDIDATES_H

#include "mqd/dll/ucx/state.h"

/* How a table is tested; probes.def has the names and the order. */
#define MQD_UCX_PROBE(name, text) MQD_UCX_PROBE_##name,
enum mqd_ucx_probe {
#include "mqd/dll/ucx/probes.def"
    MQD_N_UCX_PROBES
};
#undef MQD_UCX_PROBE

_Static_assert((int)MQD_N_UCX_PROBES <= (int)MQD_MAX_LIBRARY_PROBES, "there is room for the results");

/*
 * Finds the layout, and adds it to that of the process: fills process->second, whose rc says why there is none. Where UCX
 * was just changing its queues ucx->receives_changing and ->messages_changing say so.
 */
void mqd_ucx_find_layout(struct mqd_process *process, struct mqd_ucx *ucx);

/* Why something of UCX cannot be read: there is no layout, or its candidates do not agree. MQD_OK if it can. */
enum mqd_rc mqd_ucx_can(struct mqd_process *process, enum mqd_capability can) MQD_CHECKED;

#endif
