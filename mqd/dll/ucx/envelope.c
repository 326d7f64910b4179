/* envelope.c - takes tags of the PML ucx apart. */
#include "mqd/dll/ucx/envelope.h"

#include "mqd/dll/banned.h"

static bool constant(const struct mqd_process *process, enum mqd_constant_id id, uint64_t *value)
{
    const struct mqd_constant *found = &process->layout.constants[id];

    *value = (uint64_t)found->value;
    return found->present;
}

enum mqd_rc mqd_ucx_envelope_of(const struct mqd_process *process, uint64_t tag, struct mqd_ucx_envelope *envelope)
{
    uint64_t tag_bits, rank_bits, context_bits;

    if (!constant(process, MQD_CONSTANT_pml_ucx_tag_bits, &tag_bits) ||
        !constant(process, MQD_CONSTANT_pml_ucx_rank_bits, &rank_bits) ||
        !constant(process, MQD_CONSTANT_pml_ucx_context_bits, &context_bits))
        return mqd_rc_unknown_constant(MQD_CONSTANT_pml_ucx_tag_bits);
    if (tag_bits == 0 || rank_bits == 0 || context_bits == 0 || tag_bits > 32 || rank_bits > 31 || context_bits > 31 ||
        tag_bits + rank_bits + context_bits != 64)
        return MQD_RC_contradiction;
    /* The tag is signed: collectives have negative ones. */
    envelope->tag = (int32_t)((int64_t)tag >> (rank_bits + context_bits));
    envelope->source = (int32_t)(tag >> context_bits & (((uint64_t)1 << rank_bits) - 1));
    envelope->context = (uint32_t)(tag & (((uint64_t)1 << context_bits) - 1));
    return MQD_OK;
}

struct mqd_ucx_wild mqd_ucx_wild_of(const struct mqd_process *process, uint64_t mask)
{
    struct mqd_ucx_wild wild = {.possible = false};
    uint64_t any_source, one_source, tags;

    if (!constant(process, MQD_CONSTANT_pml_ucx_any_source_mask, &any_source) ||
        !constant(process, MQD_CONSTANT_pml_ucx_source_mask, &one_source) ||
        !constant(process, MQD_CONSTANT_pml_ucx_tag_mask, &tags))
        return wild;
    wild.tag = (mask & tags) == 0;
    wild.source = (mask & ~tags) == any_source;
    wild.possible = ((mask & tags) == 0 || (mask & tags) == tags) && (wild.source || (mask & ~tags) == one_source);
    return wild;
}

/* Communicators are in the order of their slots. Those that only messages name follow, and are few. */
struct mqd_communicator *mqd_ucx_communicator(struct mqd_process *process, uint32_t context)
{
    size_t low = 0, high = mqd_ucx_of(process)->n_communicators;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        struct mqd_communicator *communicator = mqd_communicator_at(process, middle);

        if (communicator->index == context)
            return communicator;
        if (communicator->index < context)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = mqd_ucx_of(process)->n_communicators; i < process->snapshot.communicators.n_items; i++)
        if (mqd_communicator_at(process, i)->index == context)
            return mqd_communicator_at(process, i);
    return NULL;
}

/* A release in which members may have different indices for one communicator keeps the others' in it. */
bool mqd_ucx_sends_have_own_context(const struct mqd_process *process)
{
    return !mqd_has_path(process, MQD_PATH_comm_remote_indices);
}

uint32_t mqd_ucx_index_of(struct mqd_process *process, const struct mqd_communicator *communicator)
{
    return (uint32_t)(communicator - mqd_communicator_at(process, 0));
}
