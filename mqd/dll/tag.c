/* tag.c - what tags of Open MPI's own are for. */
#include "mqd/dll/tag.h"

#include "mqd/dll/banned.h"

/* Tags from `first` down to `last`. Where ranges overlap the first counts. */
static const struct {
    enum mqd_constant_id first, last;
    const char *text;
} ranges[] = {
    {MQD_CONSTANT_tag_allgather, MQD_CONSTANT_tag_allgather, "MPI_Allgather"},
    {MQD_CONSTANT_tag_allgatherv, MQD_CONSTANT_tag_allgatherv, "MPI_Allgatherv"},
    {MQD_CONSTANT_tag_allreduce, MQD_CONSTANT_tag_allreduce, "MPI_Allreduce"},
    {MQD_CONSTANT_tag_alltoall, MQD_CONSTANT_tag_alltoall, "MPI_Alltoall"},
    {MQD_CONSTANT_tag_alltoallv, MQD_CONSTANT_tag_alltoallv, "MPI_Alltoallv"},
    {MQD_CONSTANT_tag_alltoallw, MQD_CONSTANT_tag_alltoallw, "MPI_Alltoallw"},
    {MQD_CONSTANT_tag_barrier, MQD_CONSTANT_tag_barrier, "MPI_Barrier"},
    {MQD_CONSTANT_tag_bcast, MQD_CONSTANT_tag_bcast, "MPI_Bcast"},
    {MQD_CONSTANT_tag_exscan, MQD_CONSTANT_tag_exscan, "MPI_Exscan"},
    {MQD_CONSTANT_tag_gather, MQD_CONSTANT_tag_gather, "MPI_Gather"},
    {MQD_CONSTANT_tag_gatherv, MQD_CONSTANT_tag_gatherv, "MPI_Gatherv"},
    {MQD_CONSTANT_tag_reduce, MQD_CONSTANT_tag_reduce, "MPI_Reduce"},
    {MQD_CONSTANT_tag_reduce_scatter, MQD_CONSTANT_tag_reduce_scatter, "MPI_Reduce_scatter"},
    {MQD_CONSTANT_tag_reduce_scatter_block, MQD_CONSTANT_tag_reduce_scatter_block, "MPI_Reduce_scatter_block"},
    {MQD_CONSTANT_tag_scan, MQD_CONSTANT_tag_scan, "MPI_Scan"},
    {MQD_CONSTANT_tag_scatter, MQD_CONSTANT_tag_scatter, "MPI_Scatter"},
    {MQD_CONSTANT_tag_scatterv, MQD_CONSTANT_tag_scatterv, "MPI_Scatterv"},
    {MQD_CONSTANT_tag_ft_first, MQD_CONSTANT_tag_ft_last, "fault tolerance"},
    {MQD_CONSTANT_tag_edge_in, MQD_CONSTANT_tag_edge_out, "MPI_Dist_graph_create"},
    {MQD_CONSTANT_tag_nonblocking_first, MQD_CONSTANT_tag_nonblocking_last,
     "non-blocking collective or communicator creation"},
    {MQD_CONSTANT_tag_neighbor_first, MQD_CONSTANT_tag_neighbor_last, "neighborhood collective"},
    /* In 4.1 UCC's tag is the first of these; later it stands among those that are listed above. */
    {MQD_CONSTANT_tag_nonblocking_last, MQD_CONSTANT_tag_hcoll_last, "collective of UCC or hcoll"},
    {MQD_CONSTANT_tag_ucc, MQD_CONSTANT_tag_ucc, "collective of UCC"},
};

static bool is_in(const struct mqd_process *process, int32_t tag, enum mqd_constant_id first, enum mqd_constant_id last)
{
    const struct mqd_constant *from = &process->layout.constants[first], *to = &process->layout.constants[last];

    return from->present && to->present && tag <= from->value && tag >= to->value;
}

static bool is_of_creation(const struct mqd_process *process, int32_t tag)
{
    return mqd_is(process, MQD_CONSTANT_tag_comm_allgather, tag) ||
           mqd_is(process, MQD_CONSTANT_tag_comm_barrier, tag) ||
           mqd_is(process, MQD_CONSTANT_tag_comm_allreduce, tag);
}

bool mqd_tag_is_nonblocking(const struct mqd_process *process, int32_t tag)
{
    return is_in(process, tag, MQD_CONSTANT_tag_nonblocking_first, MQD_CONSTANT_tag_nonblocking_last) &&
           !is_of_creation(process, tag);
}

const char *mqd_tag_text(const struct mqd_process *process, int32_t tag)
{
    /* Up to 4.1 these three lie among the others. */
    if (is_of_creation(process, tag))
        return is_in(process, tag, MQD_CONSTANT_tag_nonblocking_first, MQD_CONSTANT_tag_nonblocking_last)
                   ? "communicator creation or a non-blocking collective"
                   : "communicator creation";
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (is_in(process, tag, ranges[i].first, ranges[i].last))
            return ranges[i].text;
    return "Open MPI's own";
}
