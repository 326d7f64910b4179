/* pml.c - lists the known PMLs, and finds out which of them a process uses. */
#include "mqd/dll/pml.h"

#include <string.h>

#include "mqd/dll/cm/request.h"
#include "mqd/dll/evidence.h"
#include "mqd/dll/ob1/match.h"
#include "mqd/dll/ob1/pending_communicator.h"
#include "mqd/dll/ob1/request.h"
#include "mqd/dll/ob1/unexpected.h"
#include "mqd/dll/ucx/begin.h"
#include "mqd/dll/ucx/module.h"
#include "mqd/dll/ucx/receive.h"
#include "mqd/dll/ucx/send.h"
#include "mqd/dll/ucx/unexpected.h"
#include "mqd/dll/banned.h"

/*
 * One row for each PML's folder. The last row is also taken if the process uses none of them. Its functions then return
 * the reason why the process has no such messages.
 */
static const struct mqd_pml pmls[] = {
    {
        .component = "ucx",
        .is_used = mqd_uses_ucx,
        .settle_layout = mqd_ucx_begin,
        .end = mqd_ucx_end,
        .find_pending_communicators = mqd_ucx_find_pending_communicators,
        .can_index = {[mqs_pending_sends] = mqd_ucx_can_list_sends,
                      [mqs_pending_receives] = mqd_ucx_can_list_receives,
                      [mqs_unexpected_messages] = mqd_ucx_can_list_unexpected},
        .index = {[mqs_pending_sends] = mqd_ucx_index_sends,
                  [mqs_pending_receives] = mqd_ucx_index_receives,
                  [mqs_unexpected_messages] = mqd_ucx_index_unexpected},
        .hindrance = {[mqs_pending_sends] = mqd_ucx_misses_sends,
                      [mqs_unexpected_messages] = mqd_ucx_misses_messages},
        .find_send = mqd_ucx_find_send,
    },
    {
        .component = "cm",
        .is_used = mqd_uses_cm,
        .can_index = {[mqs_pending_sends] = mqd_cm_can_list_sends,
                      [mqs_pending_receives] = mqd_cm_can_list_receives,
                      [mqs_unexpected_messages] = mqd_cm_can_list_unexpected},
        .index = {[mqs_pending_sends] = mqd_cm_index_sends,
                  [mqs_pending_receives] = mqd_cm_index_receives,
                  [mqs_unexpected_messages] = mqd_cm_index_unexpected},
        .hindrance = {[mqs_pending_sends] = mqd_cm_hindrance, [mqs_pending_receives] = mqd_cm_hindrance},
    },
    {
        .component = "ob1",
        .has_references = true,
        .is_used = mqd_uses_ob1,
        .settle_layout = mqd_settle_matching,
        .find_pending_communicators = mqd_find_pending_communicators,
        .can_index = {[mqs_pending_sends] = mqd_can_list_sends,
                      [mqs_pending_receives] = mqd_can_list_receives,
                      [mqs_unexpected_messages] = mqd_can_list_unexpected},
        .index = {[mqs_pending_sends] = mqd_index_sends,
                  [mqs_pending_receives] = mqd_index_receives,
                  [mqs_unexpected_messages] = mqd_index_unexpected},
        .hindrance = {[mqs_unexpected_messages] = mqd_can_sweep_fragments},
        .read_activity = mqd_read_activity,
        .read_traffic = mqd_read_traffic,
    },
};

/* The PMLs of Open MPI whose messages are not shown, or not with every layout. Those that only watch another PML (monitoring, v) need no entry. */
static const struct {
    const char *component;
    enum mqd_rc rc;
} unknown_pmls[] = {
    {"cm", MQD_RC_pml_cm}, {"yalla", MQD_RC_pml_yalla}, {"ubcl", MQD_RC_pml_ubcl}};

/* Returns the code for a PML without a row: the one that names this PML or, if it is not known, MQD_RC_not_ob1. */
static enum mqd_rc unknown_pml(struct mqd_process *process)
{
    char name[MQD_TEXT_BYTES];

    mqd_selected_pml(process, name, sizeof name);
    for (size_t i = 0; i < sizeof unknown_pmls / sizeof unknown_pmls[0]; i++)
        if (strcmp(name, unknown_pmls[i].component) == 0)
            return unknown_pmls[i].rc;
    return MQD_RC_not_ob1;
}

/*
 * Returns a PML's result. If the messages belong to another PML, the code names that PML. If a read has failed, now or
 * when the PML was chosen, nobody knows whose the messages are.
 */
static enum mqd_rc explain(struct mqd_process *process, enum mqd_rc rc)
{
    if (rc == MQD_RC_not_this_pml && process->snapshot.pml_unread != MQD_OK)
        return process->snapshot.pml_unread;
    return mqd_because(process, rc == MQD_RC_not_this_pml ? unknown_pml(process) : rc);
}

static const struct mqd_pml *choose(struct mqd_process *process)
{
    const struct mqd_pml *pml = pmls, *last = pmls + sizeof pmls / sizeof pmls[0] - 1;

    while (pml < last && pml->is_used(process) != MQD_OK)
        pml++;
    return pml;
}

void mqd_pml_begin(struct mqd_process *process)
{
    const struct mqd_pml *pml;

    mqd_begin_stage(process);
    pml = choose(process);
    process->snapshot.pml_unread = process->unread;
    process->snapshot.pml = pml;
    if (pml->settle_layout != NULL)
        pml->settle_layout(process);
}

enum mqd_rc mqd_pml_find_pending_communicators(struct mqd_process *process)
{
    const struct mqd_pml *pml = process->snapshot.pml;

    mqd_begin_stage(process);
    return pml->find_pending_communicators != NULL ? pml->find_pending_communicators(process) : MQD_OK;
}

enum mqd_rc mqd_pml_can_index(struct mqd_process *process, int op)
{
    mqd_begin_stage(process);
    return explain(process, process->snapshot.pml->can_index[op](process));
}

enum mqd_rc mqd_pml_index(struct mqd_process *process, int op, struct mqd_queue *queue)
{
    mqd_begin_stage(process);
    return explain(process, process->snapshot.pml->index[op](process, queue));
}

enum mqd_rc mqd_pml_hindrance(struct mqd_process *process, int op)
{
    const struct mqd_pml *pml = process->snapshot.pml;

    mqd_begin_stage(process);
    return mqd_because(process, pml->hindrance[op] != NULL ? pml->hindrance[op](process) : MQD_OK);
}

enum mqd_rc mqd_pml_read_activity(struct mqd_process *process, const struct mqd_communicator *communicator,
                                  uint32_t *n_receives, uint32_t *n_sends)
{
    const struct mqd_pml *pml = process->snapshot.pml;

    if (pml->read_activity == NULL)
        return MQD_RC_not_this_pml;
    mqd_begin_stage(process);
    return mqd_because(process, pml->read_activity(process, communicator, n_receives, n_sends));
}

enum mqd_rc mqd_pml_read_traffic(struct mqd_process *process, const struct mqd_communicator *communicator,
                                 uint32_t rank, uint16_t *n_sent, uint16_t *n_arrived)
{
    const struct mqd_pml *pml = process->snapshot.pml;

    if (pml->read_traffic == NULL)
        return MQD_RC_not_this_pml;
    mqd_begin_stage(process);
    return mqd_because(process, pml->read_traffic(process, communicator, rank, n_sent, n_arrived));
}

enum mqd_rc mqd_pml_find_send(struct mqd_process *process, mqd_taddr request_ta, struct mqd_operation *operation)
{
    const struct mqd_pml *pml = process->snapshot.pml;

    if (pml->find_send == NULL)
        return MQD_RC_no_operation;
    return pml->find_send(process, request_ta, operation);
}

void mqd_pml_end(struct mqd_process *process)
{
    const struct mqd_pml *pml = process->snapshot.pml;

    if (pml != NULL && pml->end != NULL)
        pml->end(process);
}
