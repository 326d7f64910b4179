/* communicator.c - what is told of communicators and groups: members, topology, attributes. */
#include "mqd/dll/handle/object.h"

#include "mqd/dll/pml.h"
#include "mqd/dll/banned.h"

/* MPI_UNDEFINED and MPI_PROC_NULL are no ranks. */
static void tell_rank(struct mqd_process *process, struct mqd_view *view, enum mqd_path_id path)
{
    int64_t rank = mqd_int(view, path);

    if (view->rc == MQD_OK)
        mqd_fact_number(process, MQD_FACT_rank, 0, rank >= 0 ? rank : -1);
}

static void tell_numbers(struct mqd_process *process, enum mqd_handle_fact fact, enum mqd_fact_form form,
                         struct mqd_view *view, enum mqd_path_id path, int64_t n)
{
    if (mqd_has_path(process, path))
        mqd_fact_numbers(process, fact, form, mqd_address_at(view, path), n, MQD_KIND_i32);
}

static void tell_cartesian(struct mqd_process *process, struct mqd_view *cart)
{
    int64_t n = mqd_int(cart, MQD_PATH_cart_n_dims);

    if (cart->rc != MQD_OK) {
        mqd_fact_missing(process, cart->rc);
        return;
    }
    tell_numbers(process, MQD_FACT_dimension, MQD_FORM_number, cart, MQD_PATH_cart_dims, n);
    tell_numbers(process, MQD_FACT_periodic, MQD_FORM_truth, cart, MQD_PATH_cart_periods, n);
    tell_numbers(process, MQD_FACT_coordinate, MQD_FORM_number, cart, MQD_PATH_cart_coords, n);
}

/* The index of a graph counts the edges up to each node: the last one counts all of them. */
static void tell_graph(struct mqd_process *process, struct mqd_view *graph)
{
    int64_t n = mqd_int(graph, MQD_PATH_graph_n_nodes), n_edges = 0;
    mqd_taddr index_ta = mqd_address_at(graph, MQD_PATH_graph_index);

    if (graph->rc != MQD_OK || n < 0) {
        mqd_fact_missing(process, graph->rc != MQD_OK ? graph->rc : MQD_RC_bad_handle);
        return;
    }
    tell_numbers(process, MQD_FACT_graph_index, MQD_FORM_number, graph, MQD_PATH_graph_index, n);
    if (n > 0 && mqd_read_number(process, index_ta + (mqd_taddr)(n - 1) * 4, MQD_KIND_i32, &n_edges) != MQD_OK)
        mqd_fact_missing(process, MQD_RC_unreadable);
    else
        tell_numbers(process, MQD_FACT_graph_edge, MQD_FORM_number, graph, MQD_PATH_graph_edges, n_edges);
}

/* Weights are there only if the program has given some. */
static void tell_weights(struct mqd_process *process, enum mqd_handle_fact fact, struct mqd_view *graph,
                         enum mqd_path_id path, int64_t n)
{
    if (mqd_address_at(graph, path) != 0)
        tell_numbers(process, fact, MQD_FORM_number, graph, path, n);
}

static void tell_distributed(struct mqd_process *process, struct mqd_view *graph)
{
    int64_t n_in = mqd_int(graph, MQD_PATH_dist_graph_in_degree);
    int64_t n_out = mqd_int(graph, MQD_PATH_dist_graph_out_degree);

    if (graph->rc != MQD_OK) {
        mqd_fact_missing(process, graph->rc);
        return;
    }
    tell_numbers(process, MQD_FACT_source, MQD_FORM_number, graph, MQD_PATH_dist_graph_in, n_in);
    tell_weights(process, MQD_FACT_source_weight, graph, MQD_PATH_dist_graph_in_weights, n_in);
    tell_numbers(process, MQD_FACT_destination, MQD_FORM_number, graph, MQD_PATH_dist_graph_out, n_out);
    tell_weights(process, MQD_FACT_destination_weight, graph, MQD_PATH_dist_graph_out_weights, n_out);
}

static const struct {
    enum mqd_constant_id flag;
    enum mqd_topology topology;
    enum mqd_type_id type;
    void (*tell)(struct mqd_process *process, struct mqd_view *data);
} topologies[] = {
    {MQD_CONSTANT_comm_cartesian, MQD_TOPOLOGY_cartesian, MQD_TYPE_mca_topo_base_comm_cart_2_2_0_t, tell_cartesian},
    {MQD_CONSTANT_comm_graph, MQD_TOPOLOGY_graph, MQD_TYPE_mca_topo_base_comm_graph_2_2_0_t, tell_graph},
    {MQD_CONSTANT_comm_distributed_graph, MQD_TOPOLOGY_distributed_graph,
     MQD_TYPE_mca_topo_base_comm_dist_graph_2_2_0_t, tell_distributed},
};

static void tell_topology(struct mqd_process *process, struct mqd_view *communicator, uint64_t flags)
{
    struct mqd_object module, data;
    mqd_taddr topology_ta = mqd_address_at(communicator, MQD_PATH_comm_topology);

    for (size_t i = 0; i < sizeof topologies / sizeof topologies[0]; i++) {
        if (!mqd_has_flag(process, topologies[i].flag, flags))
            continue;
        mqd_fact_number(process, MQD_FACT_topology, 0, topologies[i].topology);
        if (topology_ta == 0 || !mqd_object_is(process, topology_ta, "mca_topo_base_module_t") ||
            mqd_read_object(process, MQD_TYPE_mca_topo_base_module_t, topology_ta, &module) != MQD_OK ||
            mqd_read_object(process, topologies[i].type, mqd_address_at(&module.view, MQD_PATH_topo_data), &data) !=
                MQD_OK) {
            mqd_fact_missing(process, MQD_RC_bad_handle);
            return;
        }
        mqd_fact_at(process, MQD_FACT_reorder, &module.view, MQD_PATH_topo_reorder);
        topologies[i].tell(process, &data.view);
        return;
    }
}

/*
 * Open MPI sets no flag when the program frees a communicator that is in use. Its handle is one reference, and each
 * request of some PMLs is one. Others have references too: only if all are those of requests, the handle's is gone for
 * certain.
 */
static bool is_freed(struct mqd_process *process, struct mqd_view *communicator, const struct mqd_communicator *listed)
{
    uint64_t flags = mqd_uint(communicator, MQD_PATH_comm_flags);
    size_t n;

    if (!mqd_has_path(process, MQD_PATH_object_references) || process->snapshot.pml == NULL ||
        !process->snapshot.pml->has_references || listed->hidden ||
        mqd_has_flag(process, MQD_CONSTANT_comm_intrinsic, flags))
        return false;
    n = mqd_count_operations(process, listed);
    return n > 0 && mqd_uint(communicator, MQD_PATH_object_references) == n && communicator->rc == MQD_OK;
}

void mqd_tell_arrangement(struct mqd_process *process, struct mqd_view *communicator,
                          const struct mqd_communicator *listed)
{
    if (listed != NULL && is_freed(process, communicator, listed))
        mqd_fact_truth(process, MQD_FACT_freed, true);
    mqd_fact_at(process, MQD_FACT_revoked, communicator, MQD_PATH_comm_revoked);
    tell_topology(process, communicator, mqd_uint(communicator, MQD_PATH_comm_flags));
}

void mqd_tell_communicator(struct mqd_process *process, struct mqd_view *communicator)
{
    mqd_taddr local_ta = mqd_uint(communicator, MQD_PATH_comm_local_group);
    mqd_taddr remote_ta = mqd_uint(communicator, MQD_PATH_comm_remote_group);
    uint64_t flags = mqd_uint(communicator, MQD_PATH_comm_flags);
    const struct mqd_communicator *listed = mqd_find_communicator(process, communicator->ta);
    int32_t n;

    if (listed != NULL) {
        mqd_fact_address(process, MQD_FACT_unique_id, listed->unique_id);
        mqd_fact_truth(process, MQD_FACT_internal, listed->hidden);
    }
    if (mqd_group_count(process, local_ta, &n) == MQD_OK)
        mqd_fact_number(process, MQD_FACT_size, 0, n);
    else
        mqd_fact_missing(process, MQD_RC_bad_group);
    tell_rank(process, communicator, MQD_PATH_comm_my_rank);
    if (mqd_has_flag(process, MQD_CONSTANT_comm_inter, flags) && mqd_group_count(process, remote_ta, &n) == MQD_OK)
        mqd_fact_number(process, MQD_FACT_remote_size, 0, n);
    mqd_tell_arrangement(process, communicator, listed);
    mqd_fact_at(process, MQD_FACT_collectives_revoked, communicator, MQD_PATH_comm_collectives_revoked);
    mqd_fact_handle(process, MQD_FACT_group, 0, MQD_HANDLE_group, local_ta);
    mqd_fact_handle(process, MQD_FACT_session, 0, MQD_HANDLE_session,
                    mqd_address_at(communicator, MQD_PATH_comm_session));
    mqd_fact_handle(process, MQD_FACT_error_handler, 0, MQD_HANDLE_errhandler,
                    mqd_address_at(communicator, MQD_PATH_comm_error_handler));
    mqd_tell_attributes(process, mqd_address_at(communicator, MQD_PATH_comm_attributes));
}

static void tell_members(struct mqd_process *process, mqd_taddr ta, int32_t n)
{
    struct mqd_member *members = dbgr_alloc((size_t)n * sizeof *members);
    long n_told;

    if (members == NULL) {
        mqd_fact_missing(process, MQD_RC_no_memory);
        return;
    }
    if (mqd_group_members(process, ta, n, members) != MQD_OK)
        mqd_fact_missing(process, MQD_RC_bad_group);
    n_told = mqd_count_told(process, ta, n);
    for (long i = 0; i < n_told; i++) {
        bool ours = members[i].known && process->snapshot.own_name_known &&
                    members[i].name.jobid == process->snapshot.own_jobid;

        mqd_fact_number(process, MQD_FACT_member, i, ours ? (long long)members[i].name.vpid : -1);
    }
    dbgr_release(members);
}

void mqd_tell_group(struct mqd_process *process, struct mqd_view *group)
{
    int32_t n;

    if (mqd_group_count(process, group->ta, &n) != MQD_OK) {
        mqd_fact_missing(process, MQD_RC_bad_group);
        return;
    }
    mqd_fact_number(process, MQD_FACT_size, 0, n);
    tell_rank(process, group, MQD_PATH_group_my_rank);
    mqd_fact_handle(process, MQD_FACT_session, 0, MQD_HANDLE_session, mqd_address_at(group, MQD_PATH_group_session));
    if (n > 0)
        tell_members(process, group->ta, n);
}
