/* begin.c - finds the worker of UCX for a snapshot, and releases what was read of it. */
#include "mqd/dll/ucx/begin.h"

#include <string.h>

#include "mqd/dll/ucx/callbacks.h"
#include "mqd/dll/ucx/candidates.h"
#include "mqd/dll/ucx/message.h"
#include "mqd/dll/ucx/module.h"
#include "mqd/dll/ucx/version.h"
#include "mqd/dll/banned.h"

void mqd_ucx_begin(struct mqd_process *process)
{
    struct mqd_ucx *ucx = dbgr_alloc(sizeof *ucx);
    enum mqd_rc rc;

    memset(&process->second, 0, sizeof process->second);
    process->second.in_use = true;
    process->second.library = MQD_LIBRARY_ucx;
    process->second.rc = MQD_RC_no_memory;
    process->snapshot.pml_state = ucx;
    if (ucx == NULL)
        return;
    memset(ucx, 0, sizeof *ucx);
    ucx->pool.item_size = sizeof(struct mqd_ucx_request);
    ucx->messages.item_size = sizeof(struct mqd_ucx_message);
    ucx->n_communicators = process->snapshot.communicators.n_items;
    mqd_ucx_version(process, process->second.version, sizeof process->second.version);
    mqd_begin_stage(process);
    rc = mqd_because(process, mqd_ucx_read_module(process, ucx));
    if (rc == MQD_OK) {
        mqd_ucx_find_callbacks(process, ucx);
        mqd_ucx_find_layout(process, ucx);
    } else {
        process->second.rc = rc;
    }
}

void mqd_ucx_end(struct mqd_process *process)
{
    struct mqd_ucx *ucx = mqd_ucx_of(process);

    if (ucx != NULL) {
        mqd_vector_release(&ucx->pool);
        mqd_vector_release(&ucx->messages);
    }
    dbgr_release(ucx);
    process->snapshot.pml_state = NULL;
}

enum mqd_rc mqd_ucx_misses_sends(struct mqd_process *process)
{
    return process->second.rc == MQD_OK ? MQD_RC_ucx_stack_sends : MQD_OK;
}
