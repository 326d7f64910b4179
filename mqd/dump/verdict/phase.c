/*
 * phase.c - whether a rank may get on by itself.
 */
#include "mqd/dump/verdict/phase.h"

#include "mqd/dump/verdict/thread.h"

static bool is_finalize(const char *function)
{
    return function != NULL && call_kind_of(function) == CALL_FINALIZE;
}

/*
 * Chooses the call of a thread that waits or polls, else the main thread's; but one that crashed before all. Returns
 * that of the thread in MPI_Finalize. It may be in another MPI function there, which a function of the program has
 * called.
 */
static const struct call *look_at_calls(struct model_rank *rank)
{
    const struct calls *calls = rank->witness->calls;
    const struct call *finalize = NULL;

    for (size_t i = 0; calls != NULL && i < calls->n; i++) {
        const struct call *call = &calls->calls[i], *chosen = rank->call;

        rank->n_in_mpi += call->state == CALL_MPI;
        rank->n_outside += call->state == CALL_OUTSIDE;
        rank->n_unknown += call->state == CALL_UNKNOWN;
        rank->n_idle += call->state == CALL_MPI && !call->runs;
        rank->n_running += call->runs && !threads_has_waiting(rank->threads, call->thread);
        if (chosen == NULL || (!chosen->crashed && (call->crashed || (call->state == CALL_MPI &&
                                                                      chosen->state != CALL_MPI))))
            rank->call = call;
        if (finalize == NULL && call->state == CALL_MPI && (is_finalize(call->function) || is_finalize(call->outer)))
            finalize = call;
    }
    return finalize;
}

/*
 * Where only one thread may be in MPI at a time, one that waits there keeps all others from calling MPI. A rank without
 * a thread in MPI is blocked if some wait for each other, and all others sleep until they are woken, or wait too.
 */
static enum phase phase_of_threads(const struct model_rank *rank)
{
    if (rank->witness->listing->one_caller && rank->n_idle == 1)
        return PHASE_BLOCKED;
    if (rank->n_unknown > 0)
        return PHASE_UNKNOWN;
    return rank->n_running == 0 && (rank->n_in_mpi > 0 || threads_are_locked(rank->threads)) ? PHASE_BLOCKED
                                                                                             : PHASE_BUSY;
}

/* The phase as far as it does not depend on other ranks: what a rank waits for is found later. */
static enum phase first_phase(struct model_rank *rank, const struct call *finalize)
{
    const struct witness *witness = rank->witness;

    if (witness->ended || witness->crashed || witness->missing != NULL)
        return PHASE_ENDED;
    rank->past_finalize = witness->listing->reason == MQD_REASON_finalized && finalize == NULL;
    /* MPI_Finalize first deletes the attributes of MPI_COMM_SELF: the program's functions for that may still send. */
    if (finalize != NULL && finalize->runs)
        return PHASE_BUSY;
    if (rank->past_finalize || (finalize != NULL && is_finalize(finalize->function)))
        return PHASE_FINALIZED;
    if (witness->calls == NULL || !witness->calls->complete || !witness->listing->has_communicators)
        return rank->call != NULL && rank->call->state != CALL_UNKNOWN && witness->calls->complete ? PHASE_BUSY
                                                                                                    : PHASE_UNKNOWN;
    return witness->moved || rank->halted ? PHASE_BUSY : phase_of_threads(rank);
}

void phases_find(struct model *model)
{
    for (size_t i = 0; i < model->n_ranks; i++) {
        struct model_rank *rank = &model->ranks[i];

        rank->threads = threads_find(rank->witness);
        rank->phase = first_phase(rank, look_at_calls(rank));
    }
}

void phases_clear(struct model *model)
{
    for (size_t i = 0; i < model->n_ranks; i++)
        threads_free(model->ranks[i].threads);
}
