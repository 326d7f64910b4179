/* pml.c - lists the known PMLs, and finds out which of them a process uses. */
#include "mqd/dll/pml.h"

#include <string.h>

#include "mqd/dll/evidence.h"
#include "mqd/dll/ob1/match.h"
#include "mqd/dll/ob1/pending_communicator.h"
#include "mqd/dll/ob1/request.h"
#include "mqd/dll/ob1/unexpected.h"
#include "mqd/dll/banned.h"

/*
 * One row for each PML's folder. The last row is also taken if the process uses none of them. Its functions then return
 * the reason why the process has no such messages.
 */
static const struct mqd_pml pmls[] = {
    {
        .component = "ob1",
        .is_used = mqd_uses_ob1,
        .settle_layout = mqd_settle_matching,
        .find_pending_communicators = mqd_find_pending_communicators,
        .can_index = {[mqs_pending_sends] = mqd_can_list_sends,
                      [mqs_pending_receives] = mqd_can_list_receives,
                      [mqs_unexpected_messages] = mqd_can_list_unexpected},
        .index = {[mqs_pending_sends] = mqd_index_sends,
                  [mqs_pending_receives] = mqd_index_receives,
                  [mqs_unexpected_messages] = mqd_index_unexpected},
        .can_sweep_messages = mqd_can_sweep_fragments,
        .read_activity = mqd_read_activity,
        .read_traffic = mqd_read_traffic,
    },
};

/* The PMLs of Open MPI that have no row above. Those that only watch another PML (monitoring, v) need no entry. */
static const struct {
    const char *component;
    enum mqd_rc rc;
} unknown_pmls[] = {
    {"cm", MQD_RC_pml_cm}, {"ucx", MQD_RC_pml_ucx}, {"yalla", MQD_RC_pml_yalla}, {"ubcl", MQD_RC_pml_ubcl}};

/* Returns the code for a PML without a row: the one that names this PML or, if it is not known, MQD_RC_not_ob1. */
static enum mqd_rc unknown_pml(struct mqd_process *process)
{
    struct mqd_object component;
    char name[MQD_TEXT_BYTES];
    mqd_taddr ta;

    if (!mqd_symbol(process, "mca_pml_base_selected_component", &ta) ||
        mqd_read_object(process, MQD_TYPE_mca_base_component_t, ta, &component) != MQD_OK)
        return MQD_RC_not_ob1;
    mqd_text(process, &component.view, MQD_PATH_component_name, name, sizeof name);
    for (size_t i = 0; i < sizeof unknown_pmls / sizeof unknown_pmls[0]; i++)
        if (strcmp(name, unknown_pmls[i].component) == 0)
            return unknown_pmls[i].rc;
    return MQD_RC_not_ob1;
}

/* Returns a PML's result. If the messages belong to another PML, the code names that PML. */
static enum mqd_rc explain(struct mqd_process *process, enum mqd_rc rc)
{
    return rc == MQD_RC_not_this_pml ? unknown_pml(process) : rc;
}

static const struct mqd_pml *choose(struct mqd_process *process)
{
    const struct mqd_pml *pml = pmls, *last = pmls + sizeof pmls / sizeof pmls[0] - 1;

    while (pml < last && pml->is_used(process) != MQD_OK)
        pml++;
    return pml;
}

enum mqd_rc mqd_pml_begin(struct mqd_process *process)
{
    const struct mqd_pml *pml = choose(process);

    process->snapshot.pml = pml;
    if (pml->settle_layout != NULL)
        pml->settle_layout(process);
    return pml->find_pending_communicators != NULL ? pml->find_pending_communicators(process) : MQD_OK;
}

enum mqd_rc mqd_pml_can_index(struct mqd_process *process, int op)
{
    return explain(process, process->snapshot.pml->can_index[op](process));
}

enum mqd_rc mqd_pml_index(struct mqd_process *process, int op, struct mqd_queue *queue)
{
    return explain(process, process->snapshot.pml->index[op](process, queue));
}

enum mqd_rc mqd_pml_can_sweep_messages(struct mqd_process *process)
{
    const struct mqd_pml *pml = process->snapshot.pml;

    return pml->can_sweep_messages != NULL ? pml->can_sweep_messages(process) : MQD_OK;
}

enum mqd_rc mqd_pml_read_activity(struct mqd_process *process, const struct mqd_communicator *communicator,
                                  uint32_t *n_receives, uint32_t *n_sends)
{
    const struct mqd_pml *pml = process->snapshot.pml;

    if (pml->read_activity == NULL)
        return MQD_RC_not_this_pml;
    return pml->read_activity(process, communicator, n_receives, n_sends);
}

enum mqd_rc mqd_pml_read_traffic(struct mqd_process *process, const struct mqd_communicator *communicator,
                                 uint32_t rank, uint16_t *n_sent, uint16_t *n_arrived)
{
    const struct mqd_pml *pml = process->snapshot.pml;

    if (pml->read_traffic == NULL)
        return MQD_RC_not_this_pml;
    return pml->read_traffic(process, communicator, rank, n_sent, n_arrived);
}
