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

static int compare_name(const void *name, const void *listed)
{
    return strcmp(name, *(const char *const *)listed);
}

#define IS_IN(name, sorted) \
    (bsearch(name, sorted, sizeof(sorted) / sizeof *(sorted), sizeof *(sorted), compare_name) != NULL)

/* Functions that exchange nothing where all lengths are zero are not among those that ranks leave together. */
enum collective_kind collective_kind_of(const char *function)
{
    static const char *const together[] = {
        "Allgather", "Allreduce", "Alltoall", "Barrier", "Cart_create", "Cart_sub", "Comm_create", "Comm_disconnect",
        "Comm_dup", "Comm_dup_with_info", "Comm_split", "Comm_split_type", "Graph_create", "Reduce_scatter_block",
        "Win_allocate", "Win_allocate_shared", "Win_create", "Win_create_dynamic"};
    static const char *const rooted[] = {
        "Bcast", "Gather", "Gatherv", "Reduce", "Scatter", "Scatterv"};
    static const char *const parts[] = {
        "Allgatherv", "Alltoallv", "Alltoallw", "Comm_accept", "Comm_connect", "Comm_create_group", "Comm_free",
        "Comm_spawn", "Comm_spawn_multiple", "Dist_graph_create", "Dist_graph_create_adjacent", "Exscan", "File_close",
        "File_open", "File_preallocate", "File_read_all", "File_read_all_begin", "File_read_all_end",
        "File_read_at_all", "File_read_at_all_begin", "File_read_at_all_end", "File_read_ordered",
        "File_read_ordered_begin", "File_read_ordered_end", "File_seek_shared", "File_set_atomicity", "File_set_info",
        "File_set_size", "File_set_view", "File_sync", "File_write_all", "File_write_all_begin", "File_write_all_end",
        "File_write_at_all", "File_write_at_all_begin", "File_write_at_all_end", "File_write_ordered",
        "File_write_ordered_begin", "File_write_ordered_end", "Intercomm_create", "Intercomm_create_from_groups",
        "Intercomm_merge", "MPIX_Comm_agree", "MPIX_Comm_shrink", "Neighbor_allgather", "Neighbor_allgatherv",
        "Neighbor_alltoall", "Neighbor_alltoallv", "Neighbor_alltoallw", "Reduce_scatter", "Scan", "Win_fence",
        "Win_free"};
    const char *name = without_beginning(function, "MPI_");

    if (IS_IN(name, together))
        return COLLECTIVE_TOGETHER;
    if (IS_IN(name, rooted))
        return COLLECTIVE_ROOTED;
    return IS_IN(name, parts) ? COLLECTIVE_PARTS : COLLECTIVE_NONE;
}

bool call_makes_communicator(const char *function)
{
    static const char *const beginnings[] = {"MPI_Cart_", "MPI_Comm_", "MPI_Dist_", "MPI_File_open", "MPI_Graph_",
                                             "MPI_Intercomm_", "MPI_Win_allocate", "MPI_Win_create",
                                             "MPIX_Comm_shrink"};

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
