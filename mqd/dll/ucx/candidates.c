/* candidates.c - tests each layout table of UCX in the process. */
#include "mqd/dll/ucx/candidates.h"

#include <string.h>

#include "mqd/dll/evidence.h"
#include "mqd/dll/text.h"
#include "mqd/dll/ucx/content.h"
#include "mqd/dll/ucx/matching.h"
#include "mqd/dll/ucx/pool.h"
#include "mqd/dll/ucx/search.h"
#include "mqd/dll/banned.h"

#define MQD_UCX_PROBE(name, text) text,
static const char *const probe_names[MQD_N_UCX_PROBES] = {
#include "mqd/dll/ucx/probes.def"
};
#undef MQD_UCX_PROBE

#define BIT(probe) (1u << MQD_UCX_PROBE_##probe)

/*
 * Probes that may fail for another reason than a wrong table. The settings of the context are used for nothing else: a
 * build that moves them alone is still readable. The queues may just be in change.
 */
#define ONLY_SETTINGS BIT(settings)
#define ONLY_QUEUES (BIT(expected) | BIT(unexpected))

/* A table of UCX and what contradicts it: bits by enum mqd_ucx_probe. */
struct candidate {
    const struct mqd_table *table;
    uint32_t failed, passed;
    enum mqd_rc unread;            /* a read that failed in the first probe that failed; MQD_OK: content contradicts it */
};

/* A search for the layout. */
struct trial {
    struct mqd_process *process;
    struct mqd_ucx *ucx;
    struct mqd_layout *layout;     /* of the table that is tested */
    struct mqd_vector candidates;  /* struct candidate */
    uint32_t allowed;              /* probes that a candidate may fail in */
};

static enum mqd_finding found(bool right)
{
    return right ? MQD_FINDING_passed : MQD_FINDING_failed;
}

static enum mqd_finding test_context(struct trial *trial)
{
    struct mqd_object worker;

    if (mqd_read_object(trial->process, MQD_TYPE_ucp_worker_t, trial->ucx->worker_ta, &worker) != MQD_OK)
        return MQD_FINDING_failed;
    return found(mqd_uint(&worker.view, MQD_PATH_ucx_worker_context) == trial->ucx->context_ta &&
                 worker.view.rc == MQD_OK);
}

static enum mqd_finding test_operations(struct trial *trial)
{
    struct mqd_ucx_pool pool;
    mqd_taddr operations_ta;

    if (mqd_ucx_pool_read(trial->process, trial->ucx, &pool) != MQD_OK)
        return MQD_FINDING_failed;
    if (!mqd_symbol(trial->process, "ucp_request_mpool_ops", &operations_ta))
        return MQD_FINDING_not_possible;
    return found(pool.operations_ta == operations_ta);
}

static enum mqd_finding test_element(struct trial *trial)
{
    uint64_t size = trial->process->layout.type_size[MQD_TYPE_ucp_request_t];
    struct mqd_ucx_pool pool;

    if (mqd_ucx_pool_read(trial->process, trial->ucx, &pool) != MQD_OK || size == 0)
        return MQD_FINDING_failed;
    if (trial->ucx->request_size != 0 && trial->ucx->request_size != size)
        return MQD_FINDING_failed;
    if (trial->ucx->ompi_request_size == 0)
        return MQD_FINDING_not_possible;
    return found(pool.element_size == pool.header + size + trial->ucx->ompi_request_size);
}

/* Is Open MPI's request behind UCX's, in the element at ta? All elements have one, also the free ones. */
static bool has_ompi_request(struct trial *trial, const struct mqd_ucx_pool *pool, mqd_taddr ta)
{
    mqd_taddr class_ta, object_ta = ta + pool->header + trial->process->layout.type_size[MQD_TYPE_ucp_request_t];

    return mqd_read_pointer(trial->process,
                            object_ta + trial->process->layout.paths[MQD_PATH_object_class].offset, &class_ta) == MQD_OK &&
           class_ta == trial->ucx->request_class_ta;
}

static enum mqd_finding test_requests(struct trial *trial)
{
    struct mqd_ucx_pool pool;
    struct mqd_ucx_chunk chunk;

    if (mqd_ucx_pool_read(trial->process, trial->ucx, &pool) != MQD_OK)
        return MQD_FINDING_failed;
    if (pool.chunks_ta == 0 || trial->ucx->request_class_ta == 0)
        return MQD_FINDING_not_possible;
    if (mqd_ucx_chunk_read(trial->process, &pool, pool.chunks_ta, &chunk) != MQD_OK || chunk.n == 0)
        return MQD_FINDING_failed;
    return found(has_ompi_request(trial, &pool, chunk.elements_ta) &&
                 has_ompi_request(trial, &pool, chunk.elements_ta + (chunk.n - 1) * pool.stride));
}

/* Is the first free element one of a chunk? */
static enum mqd_finding test_free_elements(struct trial *trial)
{
    struct mqd_ucx_pool pool;

    if (mqd_ucx_pool_read(trial->process, trial->ucx, &pool) != MQD_OK)
        return MQD_FINDING_failed;
    if (pool.free_ta == 0)
        return MQD_FINDING_not_possible;
    return found(mqd_ucx_pool_has(trial->process, &pool, pool.free_ta + pool.header));
}

static enum mqd_finding test_expected(struct trial *trial)
{
    struct mqd_ucx_matching matching;

    if (mqd_ucx_matching_read(trial->process, trial->ucx, &matching) != MQD_OK)
        return MQD_FINDING_failed;
    return found(mqd_ucx_visit_queues(trial->process, &matching, NULL, NULL) == MQD_OK);
}

static enum mqd_finding test_unexpected(struct trial *trial)
{
    struct mqd_ucx_matching matching;

    if (mqd_ucx_matching_read(trial->process, trial->ucx, &matching) != MQD_OK)
        return MQD_FINDING_failed;
    return found(mqd_ucx_test_lists(trial->process, &matching) == MQD_OK);
}

static enum mqd_finding test_settings(struct trial *trial)
{
    const struct mqd_constant *mask = &trial->process->layout.constants[MQD_CONSTANT_pml_ucx_source_mask];
    struct mqd_object context;
    mqd_taddr init_ta;

    if (mqd_read_object(trial->process, MQD_TYPE_ucp_context_t, trial->ucx->context_ta, &context) != MQD_OK)
        return MQD_FINDING_failed;
    if (!mask->present || trial->ucx->ompi_request_size == 0)
        return MQD_FINDING_not_possible;
    return found(mqd_uint(&context.view, MQD_PATH_ucx_context_sender_mask) == (uint64_t)mask->value &&
                 mqd_uint(&context.view, MQD_PATH_ucx_context_request_size) == trial->ucx->ompi_request_size &&
                 (!mqd_symbol(trial->process, "mca_pml_ucx_request_init", &init_ta) ||
                  mqd_uint(&context.view, MQD_PATH_ucx_context_request_init) == init_ta) &&
                 context.view.rc == MQD_OK);
}

static enum mqd_finding test_receive(struct trial *trial)
{
    return mqd_ucx_test_receives(trial->process, trial->ucx);
}

static enum mqd_finding test_message(struct trial *trial)
{
    return mqd_ucx_test_messages(trial->process, trial->ucx);
}

/* It reads the whole pool: only where the layout of receives is not decided yet. */
static enum mqd_finding test_matched(struct trial *trial)
{
    return trial->candidates.n_items > 1 ? mqd_ucx_test_matched(trial->process, trial->ucx) : MQD_FINDING_not_possible;
}

#define MQD_UCX_PROBE(name, text) test_##name,
static enum mqd_finding (*const tests[MQD_N_UCX_PROBES])(struct trial *trial) = {
#include "mqd/dll/ucx/probes.def"
};
#undef MQD_UCX_PROBE

/* Makes a table's layout that of the process, as far as UCX is concerned. */
static void put_in_force(struct trial *trial, const struct mqd_layout *layout)
{
    mqd_add_library(&trial->process->layout, layout, MQD_LIBRARY_ucx);
    mqd_measure(trial->process);
}

/*
 * Tests one table. Without the worker and the pool the other tests would follow random pointers: then they are left
 * out, and the first contradiction is enough.
 */
static void test_table(struct trial *trial, struct candidate *candidate, unsigned first, unsigned end)
{
    mqd_assume_live(candidate->table, &trial->process->evidence, trial->layout);
    /* What the debugger says of one type does not go with what the table has of the others. */
    if (trial->layout->verdict != MQD_VERDICT_resolved) {
        candidate->failed |= BIT(context);
        return;
    }
    put_in_force(trial, trial->layout);
    for (unsigned probe = first; probe < end; probe++) {
        enum mqd_finding finding;

        mqd_begin_stage(trial->process);
        finding = tests[probe](trial);
        if (finding == MQD_FINDING_failed && candidate->failed == 0)
            candidate->unread = trial->process->unread;
        if (finding == MQD_FINDING_failed)
            candidate->failed |= 1u << probe;
        if (finding == MQD_FINDING_passed)
            candidate->passed |= 1u << probe;
        if (candidate->failed != 0 && probe < MQD_UCX_PROBE_expected)
            break;
    }
}

static bool is_for(const struct mqd_table *table, const struct mqd_abi *abi)
{
    return table->abi.pointer_size == abi->pointer_size && table->abi.long_size == abi->long_size &&
           table->abi.little_endian == abi->little_endian;
}

/* Takes all tables for the process's ABI; of these only the ones that the debugger's types agree with, if there are any. */
static enum mqd_rc gather(struct trial *trial)
{
    const struct mqd_evidence *evidence = &trial->process->evidence;
    bool any_agrees = false;

    for (size_t i = 0; i < mqd_n_ucx_tables; i++)
        any_agrees |= is_for(mqd_ucx_tables[i], &evidence->abi) && mqd_agrees_live(mqd_ucx_tables[i], evidence);
    for (size_t i = 0; i < mqd_n_ucx_tables; i++) {
        struct candidate *candidate;

        if (!is_for(mqd_ucx_tables[i], &evidence->abi) ||
            (any_agrees && !mqd_agrees_live(mqd_ucx_tables[i], evidence)))
            continue;
        candidate = mqd_vector_append(&trial->candidates);
        if (candidate == NULL)
            return MQD_RC_no_memory;
        candidate->table = mqd_ucx_tables[i];
    }
    return MQD_OK;
}

static struct candidate *candidate_at(const struct trial *trial, size_t i)
{
    return mqd_vector_at(&trial->candidates, i);
}

/* Keeps the candidates that failed in nothing but what `allowed` has. Keeps all, and returns false, if there is none. */
static bool keep(struct trial *trial, uint32_t allowed)
{
    size_t n = 0;

    for (size_t i = 0; i < trial->candidates.n_items; i++) {
        struct candidate *candidate = candidate_at(trial, i);

        if ((candidate->failed & ~allowed) == 0)
            *candidate_at(trial, n++) = *candidate;
    }
    if (n > 0)
        trial->candidates.n_items = n;
    return n > 0;
}

/* The candidate that passed most. */
static const struct candidate *best_of(const struct trial *trial)
{
    const struct candidate *best = NULL;
    unsigned most = 0;

    for (size_t i = 0; i < trial->candidates.n_items; i++) {
        const struct candidate *candidate = candidate_at(trial, i);
        unsigned n = 0;

        for (unsigned probe = 0; probe < MQD_N_UCX_PROBES; probe++)
            n += candidate->passed >> probe & 1;
        if (best == NULL || n > most) {
            best = candidate;
            most = n;
        }
    }
    return best;
}

static void tell_probes(struct mqd_second *second, const struct candidate *candidate)
{
    second->probe_names = probe_names;
    second->n_probes = MQD_N_UCX_PROBES;
    for (unsigned probe = 0; probe < MQD_N_UCX_PROBES; probe++)
        second->probes[probe] = candidate == NULL                       ? MQD_FINDING_not_reached
                                : (candidate->failed >> probe & 1) != 0 ? MQD_FINDING_failed
                                : (candidate->passed >> probe & 1) != 0 ? MQD_FINDING_passed
                                                                        : MQD_FINDING_not_possible;
}

/* The table that is named: of those that remain the one of the stated release and the likely architecture. */
static size_t preferred_of(const struct trial *trial)
{
    const struct mqd_process *process = trial->process;
    size_t preferred = 0;
    unsigned best = 0;

    for (size_t i = 0; i < trial->candidates.n_items; i++) {
        const struct mqd_table *table = candidate_at(trial, i)->table;
        unsigned n = (table->site ? 4u : 0u) + (mqd_family_has_version(table, process->second.version) ? 2u : 0u) +
                     (process->evidence.arch != NULL && strcmp(table->arch, process->evidence.arch) == 0 ? 1u : 0u);

        if (n > best) {
            best = n;
            preferred = i;
        }
    }
    return preferred;
}

/* Makes the layout on which all remaining candidates agree. */
static void agree(struct trial *trial)
{
    struct mqd_second *second = &trial->process->second;
    size_t preferred = preferred_of(trial);

    mqd_assume_live(candidate_at(trial, preferred)->table, &trial->process->evidence, &second->layout);
    for (size_t i = 0; i < trial->candidates.n_items; i++) {
        if (i == preferred)
            continue;
        mqd_assume_live(candidate_at(trial, i)->table, &trial->process->evidence, trial->layout);
        mqd_keep_agreed(&second->layout, trial->layout);
    }
    tell_probes(second, candidate_at(trial, preferred));
    put_in_force(trial, &second->layout);
}

/* No table fits. Takes the places of the tested tables out of the layout, and says what could be found. */
static void refuse(struct trial *trial)
{
    struct mqd_second *second = &trial->process->second;
    const struct candidate *best = best_of(trial);

    tell_probes(second, best);
    memset(&second->layout, 0, sizeof second->layout);
    put_in_force(trial, &second->layout);
    /* The table that comes closest may be the right one, if only a read has failed. */
    second->rc = best != NULL && best->unread != MQD_OK ? best->unread : MQD_RC_ucx_no_table;
    mqd_ucx_search(trial->process, trial->ucx, second->found, sizeof second->found);
}

/*
 * Tests all candidates by some probes, and keeps those that pass. A probe that none passes does not count: a damaged list
 * of messages does not make receives undecided. The listing finds out what is wrong.
 */
static void test_tables(struct trial *trial, unsigned first, unsigned end)
{
    for (unsigned probe = first; probe < end; probe++) {
        for (size_t i = 0; i < trial->candidates.n_items; i++)
            test_table(trial, candidate_at(trial, i), probe, probe + 1);
        if (!keep(trial, trial->allowed))
            trial->allowed |= 1u << probe;
    }
}

static void settle(struct trial *trial)
{
    for (size_t i = 0; i < trial->candidates.n_items; i++)
        test_table(trial, candidate_at(trial, i), 0, MQD_UCX_PROBE_receive);
    if (!keep(trial, 0) && !keep(trial, ONLY_SETTINGS) && !keep(trial, ONLY_QUEUES)) {
        refuse(trial);
        return;
    }
    trial->ucx->receives_changing = (candidate_at(trial, 0)->failed & BIT(expected)) != 0;
    trial->ucx->messages_changing = (candidate_at(trial, 0)->failed & BIT(unexpected)) != 0;
    /* What operations and messages hold. The last test is for what the others have not decided. */
    test_tables(trial, MQD_UCX_PROBE_receive, MQD_UCX_PROBE_matched);
    agree(trial);
    if (trial->process->layout.can[MQD_CAN_ucx_receives])
        return;
    test_tables(trial, MQD_UCX_PROBE_matched, MQD_N_UCX_PROBES);
    agree(trial);
}

void mqd_ucx_find_layout(struct mqd_process *process, struct mqd_ucx *ucx)
{
    struct trial trial = {.process = process, .ucx = ucx, .candidates = {.item_size = sizeof(struct candidate)},
                          .allowed = ONLY_SETTINGS | ONLY_QUEUES};
    struct mqd_second *second = &process->second;

    trial.layout = dbgr_alloc(sizeof *trial.layout);
    second->rc = trial.layout != NULL ? gather(&trial) : MQD_RC_no_memory;
    if (second->rc == MQD_OK && trial.candidates.n_items > 0)
        settle(&trial);
    else if (second->rc == MQD_OK)
        refuse(&trial);
    mqd_vector_release(&trial.candidates);
    dbgr_release(trial.layout);
}

/* Why a capability of UCX is off. */
static enum mqd_rc capability_rc(const struct mqd_process *process, enum mqd_capability can)
{
    if (process->layout.can[can])
        return MQD_OK;
    return process->second.layout.n_fitting > 1 ? MQD_RC_ucx_undecided : mqd_capability_rc(process, can);
}

enum mqd_rc mqd_ucx_can(struct mqd_process *process, enum mqd_capability can)
{
    enum mqd_rc rc = mqd_ucx_of(process) != NULL ? process->second.rc : MQD_RC_no_memory;

    if (rc == MQD_OK)
        rc = capability_rc(process, MQD_CAN_ucx_worker);
    if (rc == MQD_OK)
        rc = capability_rc(process, MQD_CAN_ucx_pool);
    return rc == MQD_OK ? capability_rc(process, can) : rc;
}
