/*
 * module.h - the module of Open MPI's PML ucx: does the process use it, and where UCX's worker is.
 */
#ifndef MQD_DLL_UCX_MODULE_H
#define MQD_DLL_UCX_MODULE_H

#include "mqd/dll/ucx/state.h"

/* MQD_OK if the PML of the process is ucx, also if another PML watches it. */
enum mqd_rc mqd_uses_ucx(struct mqd_process *process) MQD_CHECKED;

/*
 * Fills in of *ucx what Open MPI's module states: where it lies, its worker and context, and the sizes of the requests.
 * MQD_RC_ucx_no_module, MQD_RC_ucx_no_worker, or the code of a member whose place is not known.
 */
enum mqd_rc mqd_ucx_read_module(struct mqd_process *process, struct mqd_ucx *ucx) MQD_CHECKED;

/* The free list of persistent requests; MQD_RC_bad_free_list if it is not found in the module. */
enum mqd_rc mqd_ucx_find_persistent(struct mqd_process *process, const struct mqd_ucx *ucx, mqd_taddr *list_ta)
    MQD_CHECKED;

#endif
