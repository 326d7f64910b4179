/*
 * collective_call.c - MPI's collective functions, and when a rank may leave them.
 */
#include "mqd/dump/verdict/collective_call.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/name_list.h"

struct row {
    const char *name;
    enum collective_sort sort;
};

/* By name. Functions that exchange nothing where all lengths are zero are not among those that ranks leave together. */
static const struct row rows[] = {
    {"Allgather", SORT_TOGETHER},
    {"Allgatherv", SORT_PARTS},
    {"Allreduce", SORT_TOGETHER},
    {"Alltoall", SORT_TOGETHER},
    {"Alltoallv", SORT_PARTS},
    {"Alltoallw", SORT_PARTS},
    {"Barrier", SORT_TOGETHER},
    {"Bcast", SORT_ROOTED},
    {"Cart_create", SORT_TOGETHER},
    {"Cart_sub", SORT_TOGETHER},
    {"Comm_accept", SORT_PARTS},
    {"Comm_connect", SORT_PARTS},
    {"Comm_create", SORT_TOGETHER},
    {"Comm_create_group", SORT_PARTS},
    {"Comm_disconnect", SORT_TOGETHER},
    {"Comm_dup", SORT_TOGETHER},
    {"Comm_dup_with_info", SORT_TOGETHER},
    {"Comm_free", SORT_PARTS},
    {"Comm_spawn", SORT_PARTS},
    {"Comm_spawn_multiple", SORT_PARTS},
    {"Comm_split", SORT_TOGETHER},
    {"Comm_split_type", SORT_TOGETHER},
    {"Dist_graph_create", SORT_PARTS},
    {"Dist_graph_create_adjacent", SORT_PARTS},
    {"Exscan", SORT_PARTS},
    {"File_close", SORT_PARTS},
    {"File_open", SORT_PARTS},
    {"File_preallocate", SORT_PARTS},
    {"File_read_all", SORT_PARTS},
    {"File_read_all_begin", SORT_PARTS},
    {"File_read_all_end", SORT_PARTS},
    {"File_read_at_all", SORT_PARTS},
    {"File_read_at_all_begin", SORT_PARTS},
    {"File_read_at_all_end", SORT_PARTS},
    {"File_read_ordered", SORT_PARTS},
    {"File_read_ordered_begin", SORT_PARTS},
    {"File_read_ordered_end", SORT_PARTS},
    {"File_seek_shared", SORT_PARTS},
    {"File_set_atomicity", SORT_PARTS},
    {"File_set_info", SORT_PARTS},
    {"File_set_size", SORT_PARTS},
    {"File_set_view", SORT_PARTS},
    {"File_sync", SORT_PARTS},
    {"File_write_all", SORT_PARTS},
    {"File_write_all_begin", SORT_PARTS},
    {"File_write_all_end", SORT_PARTS},
    {"File_write_at_all", SORT_PARTS},
    {"File_write_at_all_begin", SORT_PARTS},
    {"File_write_at_all_end", SORT_PARTS},
    {"File_write_ordered", SORT_PARTS},
    {"File_write_ordered_begin", SORT_PARTS},
    {"File_write_ordered_end", SORT_PARTS},
    {"Gather", SORT_ROOTED},
    {"Gatherv", SORT_ROOTED},
    {"Graph_create", SORT_TOGETHER},
    {"Intercomm_create", SORT_PARTS},
    {"Intercomm_create_from_groups", SORT_PARTS},
    {"Intercomm_merge", SORT_PARTS},
    {"Neighbor_allgather", SORT_PARTS},
    {"Neighbor_allgatherv", SORT_PARTS},
    {"Neighbor_alltoall", SORT_PARTS},
    {"Neighbor_alltoallv", SORT_PARTS},
    {"Neighbor_alltoallw", SORT_PARTS},
    {"Reduce", SORT_ROOTED},
    {"Reduce_scatter", SORT_PARTS},
    {"Reduce_scatter_block", SORT_TOGETHER},
    {"Scan", SORT_PARTS},
    {"Scatter", SORT_ROOTED},
    {"Scatterv", SORT_ROOTED},
    {"Win_allocate", SORT_TOGETHER},
    {"Win_allocate_shared", SORT_TOGETHER},
    {"Win_create", SORT_TOGETHER},
    {"Win_create_dynamic", SORT_TOGETHER},
    {"Win_fence", SORT_PARTS},
    {"Win_free", SORT_PARTS},
};

static int compare_name(const void *name, const void *row)
{
    return strcmp(name, ((const struct row *)row)->name);
}

enum collective_sort call_sort_of(const char *function)
{
    const char *name = without_beginning(function, "MPI_");
    const struct row *row = bsearch(name, rows, sizeof rows / sizeof *rows, sizeof *rows, compare_name);

    return row != NULL ? row->sort : SORT_NONE;
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
    if (call->outer != NULL && !call->called_back && call_sort_of(call->outer) != SORT_NONE)
        return call->outer;
    return call->function != NULL && call_sort_of(call->function) != SORT_NONE ? call->function : NULL;
}

const char *call_collective_shown(const struct call *call)
{
    const char *function = call_collective(call);

    return function == call->function ? call_shown(call) : function;
}
