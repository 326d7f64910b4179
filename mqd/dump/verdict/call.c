/*
 * call.c - what MPI functions wait for.
 */
#include "mqd/dump/verdict/call.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/name_list.h"

enum call_kind call_kind_of(const char *function)
{
    static const char *const receives[] = {"Recv", "Mrecv"};
    static const char *const sends[] = {"Send", "Ssend", "Rsend", "Bsend"};
    static const char *const both[] = {"Sendrecv", "Sendrecv_replace"};
    static const char *const probes[] = {"Probe", "Mprobe"};
    static const char *const any[] = {"Waitany", "Waitsome"};
    static const char *const windows[] = {"Win_complete", "Win_flush", "Win_flush_all", "Win_flush_local",
                                          "Win_flush_local_all", "Win_lock", "Win_lock_all", "Win_start",
                                          "Win_unlock", "Win_unlock_all", "Win_wait"};
    const char *name = without_beginning(function, "MPI_");

    if (IS_ONE_OF(name, receives))
        return CALL_RECEIVE;
    if (IS_ONE_OF(name, sends))
        return CALL_SEND;
    if (IS_ONE_OF(name, both))
        return CALL_SENDRECV;
    if (IS_ONE_OF(name, probes))
        return CALL_PROBE;
    if (IS_ONE_OF(name, any))
        return CALL_WAIT_ANY;
    if (IS_ONE_OF(name, windows))
        return CALL_WINDOW;
    if (strcmp(name, "Wait") == 0)
        return CALL_WAIT;
    if (strcmp(name, "Waitall") == 0)
        return CALL_WAIT_ALL;
    if (strcmp(name, "Finalize") == 0)
        return CALL_FINALIZE;
    return collective_kind_of(function) != COLLECTIVE_NONE ? CALL_COLLECTIVE : CALL_LOCAL;
}

bool call_polls_for_any(const char *function)
{
    static const char *const names[] = {"MPI_Iprobe", "MPI_Improbe"};

    return IS_ONE_OF(function, names);
}

bool call_polls(const char *function)
{
    static const char *const names[] = {"MPI_Request_get_status", "MPI_Request_get_status_all",
                                        "MPI_Request_get_status_any", "MPI_Request_get_status_some", "MPI_Test",
                                        "MPI_Testall", "MPI_Testany", "MPI_Testsome"};

    return IS_ONE_OF(function, names) || call_polls_for_any(function);
}

bool call_never_waits(const char *function)
{
    static const char *const beginnings[] = {"MPI_Aint_", "MPI_Error_", "MPI_Get_address", "MPI_Get_count",
                                             "MPI_Get_elements", "MPI_Get_processor_name", "MPI_Group_", "MPI_Info_",
                                             "MPI_Status_", "MPI_Type_"};
    static const char *const names[] = {"MPI_Comm_compare", "MPI_Comm_get_attr", "MPI_Comm_get_name",
                                        "MPI_Comm_group", "MPI_Comm_rank", "MPI_Comm_remote_size", "MPI_Comm_size",
                                        "MPI_Comm_test_inter", "MPI_Finalized", "MPI_Initialized",
                                        "MPI_Is_thread_main", "MPI_Pack", "MPI_Pack_size", "MPI_Query_thread",
                                        "MPI_Unpack", "MPI_Wtick", "MPI_Wtime"};

    return BEGINS_WITH_ANY(function, beginnings) || IS_ONE_OF(function, names);
}

bool call_awaits_program(const char *function)
{
    static const char *const names[] = {"MPI_Comm_accept", "MPI_Comm_connect", "MPI_Comm_join"};

    return IS_ONE_OF(function, names);
}

bool call_may_hide_send(const char *function)
{
    static const char *const names[] = {"MPI_Send", "MPI_Rsend", "MPI_Sendrecv", "MPI_Sendrecv_replace"};

    return IS_ONE_OF(function, names) || call_kind_of(function) == CALL_COLLECTIVE;
}

static bool is_same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

bool is_same_place(const struct call *a, const struct call *b)
{
    return is_same_text(a->function, b->function) && is_same_text(a->outer, b->outer) &&
           is_same_text(a->place, b->place);
}

/* MPI's collective functions, and when a rank may leave them. */

struct row {
    const char *name;
    enum collective_kind kind;
};

/* By name. Functions that exchange nothing where all lengths are zero are not among those that ranks leave together. */
static const struct row rows[] = {
    {"Allgather", COLLECTIVE_TOGETHER},
    {"Allgatherv", COLLECTIVE_PARTS},
    {"Allreduce", COLLECTIVE_TOGETHER},
    {"Alltoall", COLLECTIVE_TOGETHER},
    {"Alltoallv", COLLECTIVE_PARTS},
    {"Alltoallw", COLLECTIVE_PARTS},
    {"Barrier", COLLECTIVE_TOGETHER},
    {"Bcast", COLLECTIVE_ROOTED},
    {"Cart_create", COLLECTIVE_TOGETHER},
    {"Cart_sub", COLLECTIVE_TOGETHER},
    {"Comm_accept", COLLECTIVE_PARTS},
    {"Comm_connect", COLLECTIVE_PARTS},
    {"Comm_create", COLLECTIVE_TOGETHER},
    {"Comm_create_group", COLLECTIVE_PARTS},
    {"Comm_disconnect", COLLECTIVE_TOGETHER},
    {"Comm_dup", COLLECTIVE_TOGETHER},
    {"Comm_dup_with_info", COLLECTIVE_TOGETHER},
    {"Comm_free", COLLECTIVE_PARTS},
    {"Comm_spawn", COLLECTIVE_PARTS},
    {"Comm_spawn_multiple", COLLECTIVE_PARTS},
    {"Comm_split", COLLECTIVE_TOGETHER},
    {"Comm_split_type", COLLECTIVE_TOGETHER},
    {"Dist_graph_create", COLLECTIVE_PARTS},
    {"Dist_graph_create_adjacent", COLLECTIVE_PARTS},
    {"Exscan", COLLECTIVE_PARTS},
    {"File_close", COLLECTIVE_PARTS},
    {"File_open", COLLECTIVE_PARTS},
    {"File_preallocate", COLLECTIVE_PARTS},
    {"File_read_all", COLLECTIVE_PARTS},
    {"File_read_all_begin", COLLECTIVE_PARTS},
    {"File_read_all_end", COLLECTIVE_PARTS},
    {"File_read_at_all", COLLECTIVE_PARTS},
    {"File_read_at_all_begin", COLLECTIVE_PARTS},
    {"File_read_at_all_end", COLLECTIVE_PARTS},
    {"File_read_ordered", COLLECTIVE_PARTS},
    {"File_read_ordered_begin", COLLECTIVE_PARTS},
    {"File_read_ordered_end", COLLECTIVE_PARTS},
    {"File_seek_shared", COLLECTIVE_PARTS},
    {"File_set_atomicity", COLLECTIVE_PARTS},
    {"File_set_info", COLLECTIVE_PARTS},
    {"File_set_size", COLLECTIVE_PARTS},
    {"File_set_view", COLLECTIVE_PARTS},
    {"File_sync", COLLECTIVE_PARTS},
    {"File_write_all", COLLECTIVE_PARTS},
    {"File_write_all_begin", COLLECTIVE_PARTS},
    {"File_write_all_end", COLLECTIVE_PARTS},
    {"File_write_at_all", COLLECTIVE_PARTS},
    {"File_write_at_all_begin", COLLECTIVE_PARTS},
    {"File_write_at_all_end", COLLECTIVE_PARTS},
    {"File_write_ordered", COLLECTIVE_PARTS},
    {"File_write_ordered_begin", COLLECTIVE_PARTS},
    {"File_write_ordered_end", COLLECTIVE_PARTS},
    {"Gather", COLLECTIVE_ROOTED},
    {"Gatherv", COLLECTIVE_ROOTED},
    {"Graph_create", COLLECTIVE_TOGETHER},
    {"Intercomm_create", COLLECTIVE_PARTS},
    {"Intercomm_create_from_groups", COLLECTIVE_PARTS},
    {"Intercomm_merge", COLLECTIVE_PARTS},
    {"Neighbor_allgather", COLLECTIVE_PARTS},
    {"Neighbor_allgatherv", COLLECTIVE_PARTS},
    {"Neighbor_alltoall", COLLECTIVE_PARTS},
    {"Neighbor_alltoallv", COLLECTIVE_PARTS},
    {"Neighbor_alltoallw", COLLECTIVE_PARTS},
    {"Reduce", COLLECTIVE_ROOTED},
    {"Reduce_scatter", COLLECTIVE_PARTS},
    {"Reduce_scatter_block", COLLECTIVE_TOGETHER},
    {"Scan", COLLECTIVE_PARTS},
    {"Scatter", COLLECTIVE_ROOTED},
    {"Scatterv", COLLECTIVE_ROOTED},
    {"Win_allocate", COLLECTIVE_TOGETHER},
    {"Win_allocate_shared", COLLECTIVE_TOGETHER},
    {"Win_create", COLLECTIVE_TOGETHER},
    {"Win_create_dynamic", COLLECTIVE_TOGETHER},
    {"Win_fence", COLLECTIVE_PARTS},
    {"Win_free", COLLECTIVE_PARTS},
};

static int compare_name(const void *name, const void *row)
{
    return strcmp(name, ((const struct row *)row)->name);
}

enum collective_kind collective_kind_of(const char *function)
{
    const char *name = without_beginning(function, "MPI_");
    const struct row *row = bsearch(name, rows, sizeof rows / sizeof *rows, sizeof *rows, compare_name);

    return row != NULL ? row->kind : COLLECTIVE_NONE;
}

bool call_makes_communicator(const char *function)
{
    static const char *const beginnings[] = {"MPI_Cart_", "MPI_Comm_", "MPI_Dist_", "MPI_File_open", "MPI_Graph_",
                                             "MPI_Intercomm_", "MPI_Win_allocate", "MPI_Win_create"};

    return BEGINS_WITH_ANY(function, beginnings);
}

bool call_uses_what_it_makes(const char *function)
{
    static const char *const beginnings[] = {"MPI_Comm_accept", "MPI_Comm_connect", "MPI_Comm_spawn", "MPI_Dist_",
                                             "MPI_File_open", "MPI_Intercomm_", "MPI_Win_allocate", "MPI_Win_create"};

    return BEGINS_WITH_ANY(function, beginnings);
}

const char *call_collective(const struct call *call)
{
    if (call->outer != NULL && !call->called_back && collective_kind_of(call->outer) != COLLECTIVE_NONE)
        return call->outer;
    return call->function != NULL && collective_kind_of(call->function) != COLLECTIVE_NONE ? call->function : NULL;
}

const char *call_collective_shown(const struct call *call)
{
    const char *function = call_collective(call);

    return function == call->function ? call_shown(call) : function;
}
