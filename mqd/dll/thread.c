/* thread.c - the level of thread support. */
#include "mqd/dll/thread.h"

#include "mqd/dll/evidence.h"
#include "mqd/dll/target.h"
#include "mqd/dll/banned.h"

/* The levels in MPI's order, which is Open MPI's numbering too. */
enum { SINGLE, FUNNELED, SERIALIZED, MULTIPLE };

/* Reads a global variable; false also if its value is none from 0 to `last`. */
static bool read_variable(struct mqd_process *process, const char *name, enum mqd_kind kind, int64_t last,
                          int64_t *value)
{
    mqd_taddr ta;

    return mqd_symbol(process, name, &ta) && mqd_read_number(process, ta, kind, value) == MQD_OK && *value >= 0 &&
           *value <= last;
}

/*
 * Does a process set opal_uses_threads whose MPI_Init has provided this level? Before 5.0, which has other context ids
 * too, any level but the lowest did.
 */
static bool sets_uses_threads(const struct mqd_process *process, int64_t level)
{
    bool since_5 = process->layout.paths[MQD_PATH_comm_context_id].kind == MQD_KIND_struct;

    return level == MULTIPLE || (level != SINGLE && !since_5);
}

/*
 * The level stands at 0 until MPI_Init sets it, and MPI_Session_init leaves it there: MPI_COMM_WORLD shows that
 * MPI_Init came so far. A session with MPI_THREAD_MULTIPLE, a progress thread of a transport and a detector of failures
 * set opal_uses_threads too: then threads may be in Open MPI whatever MPI_Init has provided.
 */
int mqd_thread_level(struct mqd_process *process)
{
    int64_t level, is_multiple, uses_threads;

    if (process->findings.probes[MQD_PROBE_comm_world] != MQD_FINDING_passed ||
        !read_variable(process, "ompi_mpi_thread_provided", MQD_KIND_i32, MULTIPLE, &level) ||
        !read_variable(process, "ompi_mpi_thread_multiple", MQD_KIND_bool, 1, &is_multiple) ||
        !read_variable(process, "opal_uses_threads", MQD_KIND_bool, 1, &uses_threads))
        return -1;
    return is_multiple == (level == MULTIPLE) && uses_threads == sets_uses_threads(process, level) ? (int)level : -1;
}
