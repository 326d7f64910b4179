/*
 * handles.c - a program that has handles of MPI, and asks the DLL what they stand for. It is its own debugger: its
 * memory is the target's. What the DLL says is compared with what MPI's own functions say of the same handles.
 *
 *     mpirun -n 2 handles DLL [hostile]
 *
 * Prints "N facts" and ends with status 0 if all agree, else each difference, and 1. With "hostile" every word of some
 * objects, and of what they point to, has other values when the DLL reads it: what it says then may be wrong, but it
 * comes to an end, with a bounded number of items.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>

#include <mpi.h>

#include "include/mqd_extension.h"
#include "own_debugger.h"

static int n_facts, n_wrong;

static const struct mqd_extension_v1 *extension;
static char *(*error_string)(int code);
static int (*update)(mqs_process *process);

static void begin(const char *path)
{
    void *dll = open_dll(path);
    char *message = NULL;

    CALL(dll, "mqs_setup_basic_callbacks", void (*)(const mqs_basic_callbacks *), &basic);
    CALL(dll, "mqs_setup_image", int (*)(mqs_image *, const mqs_image_callbacks *), image, &of_image);
    CALL(dll, "mqs_image_has_queues", int (*)(mqs_image *, char **), image, &message);
    CALL(dll, "mqs_setup_process", int (*)(mqs_process *, const mqs_process_callbacks *), process, &of_process);
    CALL(dll, "mqs_process_has_queues", int (*)(mqs_process *, char **), process, &message);
    extension = CALL(dll, "ompi_mqd_extension", const struct mqd_extension_v1 *(*)(int), MQD_EXTENSION_VERSION);
    *(void **)&update = of_dll(dll, "mqs_update_communicator_list");
    *(void **)&error_string = of_dll(dll, "mqs_dll_error_string");
}

/* What the DLL says. */

static struct mqd_handle_item items[8192];
static int n_items;
static struct mqd_handle_summary summary;
static const char *about;

static void wrong(const char *what, long long got, long long expected)
{
    n_wrong++;
    printf("%s: %s: %lld, not %lld\n", about, what, got, expected);
}

static void expect(const char *what, long long got, long long expected)
{
    n_facts++;
    if (got != expected)
        wrong(what, got, expected);
}

static int describe(const char *what, int kind, uintptr_t value, int language)
{
    int code;

    about = what;
    n_items = 0;
    update(process);
    code = extension->describe_handle(process, kind, value, language, &summary);
    while (code == mqs_ok && n_items < 8192 &&
           (code = extension->describe_handle_item(process, n_items, &items[n_items])) == mqs_ok)
        n_items++;
    if (n_items > 0 && code != mqs_end_of_list) {
        n_wrong++;
        printf("%s: after %d items: %s\n", about, n_items, error_string(code));
    }
    return code;
}

/* What is told of a handle in C, and of its INTEGER in Fortran if it has one: that is the same. */
static void told(const char *what, int kind, uintptr_t value)
{
    int code = describe(what, MQD_HANDLE_unknown, value, MQD_LANGUAGE_c), n = n_items;

    if (code == mqs_end_of_list && summary.fortran >= 0) {
        code = describe(what, kind, (uintptr_t)summary.fortran, MQD_LANGUAGE_fortran);
        expect("object", (long long)summary.object, (long long)value);
        expect("items", n_items, n);
    }
    if (code != mqs_end_of_list)
        printf("%s: %s\n", about, error_string(code));
    expect("code", code, mqs_end_of_list);
    expect("kind", summary.kind, kind);
}

static const struct mqd_handle_item *item(int fact, long index)
{
    for (int i = 0; i < n_items; i++)
        if (items[i].fact == fact && items[i].index == index)
            return &items[i];
    return NULL;
}

static void fact(const char *what, int fact, long index, long long expected)
{
    const struct mqd_handle_item *found = item(fact, index);

    if (found == NULL) {
        n_wrong++;
        printf("%s: %s %ld: not told\n", about, what, index);
    } else
        expect(what, found->form == MQD_FORM_address ? (long long)found->address : found->number, expected);
}

static void no_fact(const char *what, int fact, long index)
{
    n_facts++;
    if (item(fact, index) != NULL)
        wrong(what, item(fact, index)->number, -1);
}

static void text(const char *what, const char *got, const char *expected)
{
    n_facts++;
    if (strcmp(got, expected) != 0) {
        n_wrong++;
        printf("%s: %s: '%s', not '%s'\n", about, what, got, expected);
    }
}

static void handle(const char *what, int fact, long index, uintptr_t expected, const char *name)
{
    const struct mqd_handle_item *found = item(fact, index);

    if (found == NULL) {
        n_wrong++;
        printf("%s: %s %ld: not told\n", about, what, index);
        return;
    }
    expect(what, (long long)found->address, (long long)expected);
    if (name != NULL)
        text(what, found->text, name);
}

#define VALUE(handle) ((uintptr_t)(handle))

/* Communicators, groups. */

static void check_communicator(const char *what, MPI_Comm comm)
{
    char name[MPI_MAX_OBJECT_NAME];
    int rank, size, length, inter, topology;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Comm_get_name(comm, name, &length);
    MPI_Comm_test_inter(comm, &inter);
    MPI_Topo_test(comm, &topology);
    told(what, MQD_HANDLE_communicator, VALUE(comm));
    /* MPI does not tell the names that it has given itself. */
    if (length > 0)
        text("name", summary.name, name);
    expect("Fortran", summary.fortran, MPI_Comm_c2f(comm));
    expect("predefined", summary.predefined, comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF);
    fact("rank", MQD_FACT_rank, 0, rank);
    fact("size", MQD_FACT_size, 0, size);
    if (inter) {
        MPI_Comm_remote_size(comm, &size);
        fact("remote size", MQD_FACT_remote_size, 0, size);
    } else
        no_fact("remote size", MQD_FACT_remote_size, 0);
    if (topology == MPI_UNDEFINED)
        no_fact("topology", MQD_FACT_topology, 0);
}

static void check_cartesian(void)
{
    int dims[2] = {2, 1}, periods[2] = {0, 1}, coords[2];
    MPI_Comm cart;

    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
    MPI_Comm_set_name(cart, "grid");
    MPI_Cart_get(cart, 2, dims, periods, coords);
    check_communicator("cartesian", cart);
    fact("topology", MQD_FACT_topology, 0, MQD_TOPOLOGY_cartesian);
    fact("reorder", MQD_FACT_reorder, 0, 0);
    for (int i = 0; i < 2; i++) {
        fact("dimension", MQD_FACT_dimension, i, dims[i]);
        fact("periodic", MQD_FACT_periodic, i, periods[i]);
        fact("coordinate", MQD_FACT_coordinate, i, coords[i]);
    }
    no_fact("dimension", MQD_FACT_dimension, 2);
    MPI_Comm_free(&cart);
}

static void check_graph(void)
{
    int index[2] = {1, 3}, edges[3] = {1, 0, 1};
    MPI_Comm graph;

    MPI_Graph_create(MPI_COMM_WORLD, 2, index, edges, 1, &graph);
    check_communicator("graph", graph);
    fact("topology", MQD_FACT_topology, 0, MQD_TOPOLOGY_graph);
    for (int i = 0; i < 2; i++)
        fact("index", MQD_FACT_graph_index, i, index[i]);
    for (int i = 0; i < 3; i++)
        fact("edge", MQD_FACT_graph_edge, i, edges[i]);
    no_fact("edge", MQD_FACT_graph_edge, 3);
    MPI_Comm_free(&graph);
}

static void check_distributed(int rank, bool weighted)
{
    int peer = 1 - rank, weight[1] = {7 + rank}, in[4], in_weights[4], out[4], out_weights[4], n_in, n_out, has_weights;
    MPI_Comm graph;

    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &peer, weighted ? weight : MPI_UNWEIGHTED, 1, &peer,
                                   weighted ? weight : MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    MPI_Dist_graph_neighbors_count(graph, &n_in, &n_out, &has_weights);
    MPI_Dist_graph_neighbors(graph, n_in, in, weighted ? in_weights : MPI_UNWEIGHTED, n_out, out,
                             weighted ? out_weights : MPI_UNWEIGHTED);
    check_communicator(weighted ? "weighted graph" : "distributed graph", graph);
    fact("topology", MQD_FACT_topology, 0, MQD_TOPOLOGY_distributed_graph);
    fact("source", MQD_FACT_source, 0, in[0]);
    fact("destination", MQD_FACT_destination, 0, out[0]);
    if (weighted) {
        fact("weight", MQD_FACT_source_weight, 0, in_weights[0]);
        fact("weight", MQD_FACT_destination_weight, 0, out_weights[0]);
    } else
        no_fact("weight", MQD_FACT_source_weight, 0);
    MPI_Comm_free(&graph);
}

static void check_attributes(void)
{
    static int thing;
    int pointer, flag, *ub;
    MPI_Comm comm;
    MPI_Errhandler handler;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &pointer, NULL);
    MPI_Comm_set_attr(comm, pointer, &thing);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_get_errhandler(comm, &handler);
    check_communicator("attributes", comm);
    if (item(MQD_FACT_attribute, pointer) == NULL)
        printf("# this release's attributes are not told\n");
    else
        fact("attribute", MQD_FACT_attribute, pointer, (long long)(uintptr_t)&thing);
    handle("error handler", MQD_FACT_error_handler, 0, VALUE(handler), "MPI_ERRORS_RETURN");
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &ub, &flag);
    check_communicator("world", MPI_COMM_WORLD);
    if (item(MQD_FACT_attribute, MPI_TAG_UB) != NULL) {
        fact("MPI_TAG_UB", MQD_FACT_attribute, MPI_TAG_UB, *ub);
        text("name of a key", item(MQD_FACT_attribute, MPI_TAG_UB)->text, "MPI_TAG_UB");
    }
    MPI_Comm_free_keyval(&pointer);
    MPI_Comm_free(&comm);
}

static void check_groups(int rank)
{
    MPI_Group world, one;
    int list[1] = {1};

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, list, &one);
    told("group", MQD_HANDLE_group, VALUE(one));
    expect("Fortran", summary.fortran, MPI_Group_c2f(one));
    expect("predefined", summary.predefined, 0);
    fact("size", MQD_FACT_size, 0, 1);
    fact("rank", MQD_FACT_rank, 0, rank == 1 ? 0 : -1);
    fact("member", MQD_FACT_member, 0, 1);
    no_fact("member", MQD_FACT_member, 1);
    told("empty group", MQD_HANDLE_group, VALUE(MPI_GROUP_EMPTY));
    expect("predefined", summary.predefined, 1);
    fact("size", MQD_FACT_size, 0, 0);
    MPI_Group_free(&one);
    MPI_Group_free(&world);
}

/* Datatypes. */

static const struct {
    int combiner, told;
} combiners[] = {{MPI_COMBINER_NAMED, MQD_COMBINER_named},       {MPI_COMBINER_DUP, MQD_COMBINER_dup},
                 {MPI_COMBINER_CONTIGUOUS, MQD_COMBINER_contiguous}, {MPI_COMBINER_VECTOR, MQD_COMBINER_vector},
                 {MPI_COMBINER_HVECTOR, MQD_COMBINER_hvector},   {MPI_COMBINER_INDEXED, MQD_COMBINER_indexed},
                 {MPI_COMBINER_STRUCT, MQD_COMBINER_struct},     {MPI_COMBINER_SUBARRAY, MQD_COMBINER_subarray},
                 {MPI_COMBINER_RESIZED, MQD_COMBINER_resized},
                 {MPI_COMBINER_INDEXED_BLOCK, MQD_COMBINER_indexed_block}};

static void check_datatype(const char *what, MPI_Datatype type, int committed)
{
    char name[MPI_MAX_OBJECT_NAME];
    int size, length, n_integers, n_addresses, n_types, combiner, integers[16];
    MPI_Aint lb, extent, true_lb, true_extent, addresses[16];
    MPI_Datatype types[16];

    MPI_Type_size(type, &size);
    MPI_Type_get_extent(type, &lb, &extent);
    MPI_Type_get_true_extent(type, &true_lb, &true_extent);
    MPI_Type_get_name(type, name, &length);
    MPI_Type_get_envelope(type, &n_integers, &n_addresses, &n_types, &combiner);
    told(what, MQD_HANDLE_datatype, VALUE(type));
    text("name", summary.name, name);
    /* It has a number only after this call, unless it is predefined. */
    if (combiner == MPI_COMBINER_NAMED || summary.fortran >= 0)
        expect("Fortran", summary.fortran, MPI_Type_c2f(type));
    expect("predefined", summary.predefined, combiner == MPI_COMBINER_NAMED);
    fact("size", MQD_FACT_type_size, 0, size);
    fact("lower bound", MQD_FACT_lower_bound, 0, lb);
    fact("extent", MQD_FACT_extent, 0, extent);
    fact("true lower bound", MQD_FACT_true_lower_bound, 0, true_lb);
    fact("true extent", MQD_FACT_true_extent, 0, true_extent);
    if (committed >= 0)
        fact("committed", MQD_FACT_committed, 0, committed);
    if (item(MQD_FACT_combiner, 0) == NULL) {
        printf("# this release does not tell how datatypes are made\n");
        return;
    }
    for (size_t i = 0; i < sizeof combiners / sizeof *combiners; i++)
        if (combiners[i].combiner == combiner)
            fact("combiner", MQD_FACT_combiner, 0, combiners[i].told);
    if (combiner == MPI_COMBINER_NAMED)
        return;
    MPI_Type_get_contents(type, n_integers, n_addresses, n_types, integers, addresses, types);
    for (int i = 0; i < n_integers; i++)
        fact("integer", MQD_FACT_integer, i, integers[i]);
    for (int i = 0; i < n_addresses; i++)
        fact("address", MQD_FACT_address, i, addresses[i]);
    for (int i = 0; i < n_types; i++)
        if (item(MQD_FACT_datatype, i) == NULL)
            handle("datatype", MQD_FACT_datatype, i, 0, NULL);
    no_fact("integer", MQD_FACT_integer, n_integers);
    no_fact("address", MQD_FACT_address, n_addresses);
    no_fact("datatype", MQD_FACT_datatype, n_types);
}

static void check_datatypes(void)
{
    int lengths[2] = {1, 3}, sizes[2] = {4, 6}, parts[2] = {2, 3}, starts[2] = {1, 2};
    MPI_Aint places[2] = {0, 16};
    MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE}, vector, structure, resized, part;

    check_datatype("MPI_DOUBLE", MPI_DOUBLE, 1);
    check_datatype("MPI_LONG_DOUBLE_INT", MPI_LONG_DOUBLE_INT, -1);
    MPI_Type_vector(3, 2, 5, MPI_FLOAT, &vector);
    check_datatype("vector", vector, 0);
    handle("datatype", MQD_FACT_datatype, 0, VALUE(MPI_FLOAT), "MPI_FLOAT");
    MPI_Type_commit(&vector);
    MPI_Type_set_name(vector, "a column");
    check_datatype("named vector", vector, 1);
    MPI_Type_create_struct(2, lengths, places, types, &structure);
    check_datatype("struct", structure, 0);
    MPI_Type_create_resized(vector, -4, 128, &resized);
    check_datatype("resized", resized, -1);
    handle("datatype", MQD_FACT_datatype, 0, VALUE(vector), "a column");
    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &part);
    check_datatype("subarray", part, 0);
    MPI_Type_free(&vector);
    MPI_Type_free(&structure);
    MPI_Type_free(&resized);
    MPI_Type_free(&part);
}

/* Requests and messages. */

/* The program may free a communicator that is in use: then only its requests hold it. */
static void check_freed(int rank)
{
    int got;
    uintptr_t value;
    MPI_Comm comm;
    MPI_Request request;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    value = VALUE(comm);
    MPI_Irecv(&got, 1, MPI_INT, 1 - rank, 1, comm, &request);
    check_communicator("in use", comm);
    no_fact("freed", MQD_FACT_freed, 0);
    MPI_Send(&rank, 1, MPI_INT, 1 - rank, 1, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check_communicator("not in use", comm);
    no_fact("freed", MQD_FACT_freed, 0);
    MPI_Irecv(&got, 1, MPI_INT, 1 - rank, 2, comm, &request);
    MPI_Barrier(comm);
    MPI_Send(&rank, 1, MPI_INT, 1 - rank, 3, comm);
    MPI_Comm_free(&comm);
    told("freed", MQD_HANDLE_communicator, value);
    fact("freed", MQD_FACT_freed, 0, 1);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Persistent requests that are not started are in no listing. */
static void check_inactive(void)
{
    double data[4] = {0};
    MPI_Request request;

    MPI_Ssend_init(data, 4, MPI_DOUBLE, 0, 12, MPI_COMM_SELF, &request);
    told("inactive send", MQD_HANDLE_request, VALUE(request));
    fact("state", MQD_FACT_request_state, 0, MQD_REQUEST_inactive);
    fact("operation", MQD_FACT_operation, 0, MQD_OPERATION_ssend);
    fact("peer", MQD_FACT_peer, 0, 0);
    fact("tag", MQD_FACT_tag, 0, 12);
    fact("elements", MQD_FACT_elements, 0, 4);
    handle("datatype", MQD_FACT_datatype, 0, VALUE(MPI_DOUBLE), "MPI_DOUBLE");
    handle("communicator", MQD_FACT_object, 0, VALUE(MPI_COMM_SELF), "MPI_COMM_SELF");
    MPI_Request_free(&request);
    MPI_Recv_init(data, 2, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &request);
    told("inactive receive", MQD_HANDLE_request, VALUE(request));
    fact("operation", MQD_FACT_operation, 0, MQD_OPERATION_recv);
    fact("peer", MQD_FACT_peer, 0, -1);
    no_fact("tag", MQD_FACT_tag, 0);
    MPI_Request_free(&request);
}

static int query(void *state, MPI_Status *status)
{
    (void)state;
    (void)status;
    return MPI_SUCCESS;
}
static int forget(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}
static int cancel(void *state, int complete)
{
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

/* Requests that no PML makes. */
static void check_other_requests(int rank)
{
    const struct mqd_handle_item *number;
    MPI_Request request, second;
    MPI_Comm comm, made;

    MPI_Grequest_start(query, forget, cancel, NULL, &request);
    told("generalized", MQD_HANDLE_request, VALUE(request));
    fact("kind", MQD_FACT_request_kind, 0, MQD_REQUEST_OF_program);
    fact("function", MQD_FACT_function, 0, (long long)(uintptr_t)query);
    MPI_Grequest_complete(request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (rank == 0)
        MPI_Recv(NULL, 0, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Ibarrier(comm, &request);
    MPI_Ibarrier(comm, &second);
    told("first Ibarrier", MQD_HANDLE_request, VALUE(request));
    number = item(MQD_FACT_collective_number, 0);
    if (number != NULL && rank == 1) {
        fact("number", MQD_FACT_collective_number, 0, 1);
        handle("communicator", MQD_FACT_object, 0, VALUE(comm), NULL);
        told("second Ibarrier", MQD_HANDLE_request, VALUE(second));
        fact("number", MQD_FACT_collective_number, 0, 2);
    } else if (rank == 1)
        printf("# this release's nonblocking collectives have no numbers\n");
    if (rank == 1)
        MPI_Send(NULL, 0, MPI_INT, 0, 7, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Wait(&second, MPI_STATUS_IGNORE);
    /* Of the duplicate with its two collectives it never ends in 5.0.7. */
    MPI_Comm_idup(MPI_COMM_WORLD, &made, &request);
    told("MPI_Comm_idup", MQD_HANDLE_request, VALUE(request));
    fact("kind", MQD_FACT_request_kind, 0, MQD_REQUEST_OF_communicator);
    if (item(MQD_FACT_context, 0) != NULL)
        text("context", item(MQD_FACT_context, 0)->text, "ompi_comm_idup_with_info_context_t");
    else
        printf("# what MPI_Comm_idup works with is not told\n");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&made);
    MPI_Comm_free(&comm);
}

/* osc/rdma has a request of its own; other components may have ended at once, or have another one. */
static void check_window_request(int rank)
{
    int memory = 0, peer = 1 - rank;
    MPI_Request request;
    MPI_Win win;

    MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    MPI_Rput(&rank, 1, MPI_INT, peer, 0, 1, MPI_INT, win, &request);
    told("MPI_Rput", MQD_HANDLE_request, VALUE(request));
    if (strcmp(summary.class_name, "ompi_osc_rdma_request_t") == 0) {
        fact("kind", MQD_FACT_request_kind, 0, MQD_REQUEST_OF_window);
        fact("peer", MQD_FACT_peer, 0, peer);
    } else {
        printf("# the request of MPI_Rput is of class %s\n", summary.class_name);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

static void check_partitions_of(const char *what, MPI_Request request, int operation, int peer)
{
    told(what, MQD_HANDLE_request, VALUE(request));
    fact("kind", MQD_FACT_request_kind, 0, MQD_REQUEST_OF_partitions);
    fact("operation", MQD_FACT_operation, 0, operation);
    fact("peer", MQD_FACT_peer, 0, peer);
    fact("tag", MQD_FACT_tag, 0, 21);
    fact("persistent", MQD_FACT_persistent, 0, 1);
    handle("communicator", MQD_FACT_object, 0, VALUE(MPI_COMM_WORLD), "MPI_COMM_WORLD");
}

/* The header that this is compiled with is older than the functions. */
static void check_partitions(int rank)
{
    typedef int initialiser(const void *, int, long long, MPI_Datatype, int, int, MPI_Comm, MPI_Info, MPI_Request *);
    initialiser *send_init = (initialiser *)(uintptr_t)dlsym(RTLD_DEFAULT, "MPI_Psend_init");
    initialiser *receive_init = (initialiser *)(uintptr_t)dlsym(RTLD_DEFAULT, "MPI_Precv_init");
    int (*ready)(int, MPI_Request) = (int (*)(int, MPI_Request))(uintptr_t)dlsym(RTLD_DEFAULT, "MPI_Pready");
    int got = 0, peer = 1 - rank;
    MPI_Request requests[2];

    if (send_init == NULL || receive_init == NULL || ready == NULL) {
        printf("# this release has no partitioned communication\n");
        return;
    }
    send_init(&rank, 1, 1, MPI_INT, peer, 21, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    receive_init(&got, 1, 1, MPI_INT, peer, 21, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    check_partitions_of("MPI_Psend_init", requests[0], MQD_OPERATION_send, peer);
    fact("state", MQD_FACT_request_state, 0, MQD_REQUEST_inactive);
    check_partitions_of("MPI_Precv_init", requests[1], MQD_OPERATION_recv, peer);
    MPI_Startall(2, requests);
    check_partitions_of("started", requests[1], MQD_OPERATION_recv, peer);
    fact("state", MQD_FACT_request_state, 0, MQD_REQUEST_active);
    ready(0, requests[0]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    expect("received", got, peer);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static void check_requests(int rank)
{
    int peer = 1 - rank, got, sent = rank;
    MPI_Request request, stale;
    MPI_Message message;

    told("MPI_REQUEST_NULL", MQD_HANDLE_request, VALUE(MPI_REQUEST_NULL));
    fact("state", MQD_FACT_request_state, 0, MQD_REQUEST_null);
    /* What has ended when it is called has Open MPI's empty request. */
    MPI_Irecv(&got, 1, MPI_INT, MPI_PROC_NULL, 33, MPI_COMM_WORLD, &request);
    told("receive from MPI_PROC_NULL", MQD_HANDLE_request, VALUE(request));
    fact("state", MQD_FACT_request_state, 0, MQD_REQUEST_complete);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Irecv(&got, 1, MPI_INT, peer, 33, MPI_COMM_WORLD, &request);
    told("receive", MQD_HANDLE_request, VALUE(request));
    fact("state", MQD_FACT_request_state, 0, MQD_REQUEST_active);
    fact("kind", MQD_FACT_request_kind, 0, MQD_REQUEST_OF_message);
    fact("operation", MQD_FACT_operation, 0, MQD_OPERATION_recv);
    fact("peer", MQD_FACT_peer, 0, peer);
    fact("tag", MQD_FACT_tag, 0, 33);
    fact("elements", MQD_FACT_elements, 0, 1);
    fact("persistent", MQD_FACT_persistent, 0, 0);
    handle("datatype", MQD_FACT_datatype, 0, VALUE(MPI_INT), "MPI_INT");
    handle("communicator", MQD_FACT_object, 0, VALUE(MPI_COMM_WORLD), "MPI_COMM_WORLD");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&sent, 1, MPI_INT, peer, 33, MPI_COMM_WORLD);
    stale = request;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    told("stale", MQD_HANDLE_request, VALUE(stale));
    fact("state", MQD_FACT_request_state, 0, MQD_REQUEST_invalid);
    MPI_Recv_init(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &request);
    told("inactive", MQD_HANDLE_request, VALUE(request));
    fact("state", MQD_FACT_request_state, 0, MQD_REQUEST_inactive);
    fact("persistent", MQD_FACT_persistent, 0, 1);
    no_fact("tag", MQD_FACT_tag, 0);
    MPI_Start(&request);
    told("started", MQD_HANDLE_request, VALUE(request));
    fact("state", MQD_FACT_request_state, 0, MQD_REQUEST_active);
    fact("peer", MQD_FACT_peer, 0, -1);
    no_fact("tag", MQD_FACT_tag, 0);
    MPI_Send(&sent, 1, MPI_INT, 0, 5, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    told("Ibarrier", MQD_HANDLE_request, VALUE(request));
    fact("kind", MQD_FACT_request_kind, 0, MQD_REQUEST_OF_collective);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&sent, 1, MPI_INT, peer, 1, &got, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&sent, 1, MPI_INT, peer, 9, MPI_COMM_WORLD);
    MPI_Mprobe(peer, 9, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    told("message", MQD_HANDLE_message, VALUE(message));
    fact("peer", MQD_FACT_peer, 0, peer);
    fact("bytes", MQD_FACT_bytes, 0, sizeof got);
    handle("communicator", MQD_FACT_object, 0, VALUE(MPI_COMM_WORLD), "MPI_COMM_WORLD");
    MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
}

/* Windows, files and the rest. */

/* The datatypes of a view are Open MPI's duplicates of the program's. */
static void check_same_type(const char *what, uintptr_t value, MPI_Datatype type)
{
    int size;
    MPI_Aint lb, extent;

    MPI_Type_size(type, &size);
    MPI_Type_get_extent(type, &lb, &extent);
    told(what, MQD_HANDLE_datatype, value);
    fact("size", MQD_FACT_type_size, 0, size);
    fact("extent", MQD_FACT_extent, 0, extent);
}

static void check_window(int rank)
{
    double memory[64];
    MPI_Win window;

    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_set_name(window, "halo");
    told("window", MQD_HANDLE_window, VALUE(window));
    text("name", summary.name, "halo");
    expect("Fortran", summary.fortran, MPI_Win_c2f(window));
    expect("predefined", summary.predefined, 0);
    if (item(MQD_FACT_base, 0) != NULL) {
        fact("base", MQD_FACT_base, 0, (long long)(uintptr_t)memory);
        fact("size", MQD_FACT_window_size, 0, sizeof memory);
        fact("unit", MQD_FACT_displacement_unit, 0, sizeof *memory);
        fact("flavor", MQD_FACT_flavor, 0, 1);
    } else
        printf("# this release's windows do not tell their memory\n");
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
    told("locked window", MQD_HANDLE_window, VALUE(window));
    if (item(MQD_FACT_component, 0) != NULL) {
        fact("access", MQD_FACT_access, 0, MQD_ACCESS_lock);
        fact("locked", MQD_FACT_locked_exclusively, 0, 1);
    } else
        printf("# this window's component is not read\n");
    MPI_Win_unlock(rank, window);
    MPI_Win_free(&window);
}

/* What ompio keeps of a file. */
static void check_view(MPI_File file)
{
    double data[4] = {0};
    MPI_Datatype vector;

    MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &vector);
    MPI_Type_commit(&vector);
    MPI_File_set_view(file, 24, MPI_DOUBLE, vector, "native", MPI_INFO_NULL);
    MPI_File_set_atomicity(file, 1);
    told("view", MQD_HANDLE_file, VALUE(file));
    if (item(MQD_FACT_view_displacement, 0) == NULL) {
        printf("# this release's files do not tell their view\n");
        return;
    }
    text("component", item(MQD_FACT_component, 0)->text, "ompio");
    fact("displacement", MQD_FACT_view_displacement, 0, 24);
    fact("atomic", MQD_FACT_atomic, 0, 1);
    fact("split", MQD_FACT_split_collective, 0, 0);
    check_same_type("etype", (uintptr_t)item(MQD_FACT_view_etype, 0)->address, MPI_DOUBLE);
    told("view", MQD_HANDLE_file, VALUE(file));
    check_same_type("filetype", (uintptr_t)item(MQD_FACT_view_filetype, 0)->address, vector);
    MPI_File_set_atomicity(file, 0);
    MPI_File_write_all_begin(file, data, 2, MPI_DOUBLE);
    told("split", MQD_HANDLE_file, VALUE(file));
    fact("split", MQD_FACT_split_collective, 0, 1);
    fact("atomic", MQD_FACT_atomic, 0, 0);
    MPI_File_write_all_end(file, data, MPI_STATUS_IGNORE);
    told("split", MQD_HANDLE_file, VALUE(file));
    fact("split", MQD_FACT_split_collective, 0, 0);
    MPI_Type_free(&vector);
}

static void check_file_requests(MPI_File file)
{
    double data[4] = {0};
    MPI_Request request;

    MPI_File_iwrite_at(file, 0, data, 4, MPI_DOUBLE, &request);
    told("write", MQD_HANDLE_request, VALUE(request));
    fact("kind", MQD_FACT_request_kind, 0, MQD_REQUEST_OF_file);
    if (item(MQD_FACT_file_operation, 0) != NULL)
        fact("operation", MQD_FACT_file_operation, 0, MQD_FILE_write);
    else
        printf("# requests of this release's files are not told\n");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void check_file(void)
{
    char path[64] = "/tmp/mqd-handles-XXXXXX";
    int rank, made = -1;
    MPI_File file;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        made = mkstemp(path);
    MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    told("file", MQD_HANDLE_file, VALUE(file));
    text("path", summary.name, path);
    expect("Fortran", summary.fortran, MPI_File_c2f(file));
    fact("mode", MQD_FACT_access_mode, 0, MPI_MODE_CREATE | MPI_MODE_RDWR);
    fact("closed", MQD_FACT_closed, 0, 0);
    handle("communicator", MQD_FACT_communicator, 0, VALUE(MPI_COMM_WORLD), "MPI_COMM_WORLD");
    check_file_requests(file);
    check_view(file);
    MPI_File_close(&file);
    if (made >= 0) {
        close(made);
        unlink(path);
    }
}

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)in;
    (void)inout;
    (void)n;
    (void)type;
}
static void fail(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
}

static void check_others(void)
{
    mqs_taddr_t value = 0;
    MPI_Op op;
    MPI_Errhandler handler;
    MPI_Info info;
    int not_mpi[64] = {0};

    told("MPI_SUM", MQD_HANDLE_op, VALUE(MPI_SUM));
    text("name", summary.name, "MPI_SUM");
    expect("predefined", summary.predefined, 1);
    expect("Fortran", summary.fortran, MPI_Op_c2f(MPI_SUM));
    fact("commutative", MQD_FACT_commutative, 0, 1);
    MPI_Op_create(add, 0, &op);
    told("op", MQD_HANDLE_op, VALUE(op));
    expect("predefined", summary.predefined, 0);
    fact("commutative", MQD_FACT_commutative, 0, 0);
    fact("function", MQD_FACT_function, 0, (long long)(uintptr_t)add);
    MPI_Op_free(&op);
    MPI_Comm_create_errhandler(fail, &handler);
    told("error handler", MQD_HANDLE_errhandler, VALUE(handler));
    expect("predefined", summary.predefined, 0);
    expect("Fortran", summary.fortran, MPI_Errhandler_c2f(handler));
    fact("of", MQD_FACT_handled_kind, 0, MQD_HANDLE_communicator);
    fact("function", MQD_FACT_function, 0, (long long)(uintptr_t)fail);
    MPI_Errhandler_free(&handler);
    told("MPI_ERRORS_ARE_FATAL", MQD_HANDLE_errhandler, VALUE(MPI_ERRORS_ARE_FATAL));
    expect("predefined", summary.predefined, 1);
    MPI_Info_create(&info);
    MPI_Info_set(info, "colour", "green");
    MPI_Info_set(info, "size", "big");
    told("info", MQD_HANDLE_info, VALUE(info));
    expect("Fortran", summary.fortran, MPI_Info_c2f(info));
    for (int i = 0; i < 2; i++)
        if (item(MQD_FACT_key, i) == NULL || item(MQD_FACT_value, i) == NULL)
            fact("key", MQD_FACT_key, i, 0);
        else
            text("value", item(MQD_FACT_value, i)->text,
                 strcmp(item(MQD_FACT_key, i)->text, "colour") == 0 ? "green" : "big");
    MPI_Info_free(&info);
    expect("not MPI's", describe("nothing", MQD_HANDLE_unknown, VALUE(not_mpi), MQD_LANGUAGE_c), mqs_no_information);
    expect("not mapped", describe("nothing", MQD_HANDLE_unknown, 8, MQD_LANGUAGE_c), mqs_no_information);
    expect("another kind",
           describe("MPI_SUM", MQD_HANDLE_datatype, VALUE(MPI_SUM), MQD_LANGUAGE_c) != mqs_end_of_list, 1);
    expect("Fortran", describe("world", MQD_HANDLE_communicator, (uintptr_t)MPI_Comm_c2f(MPI_COMM_WORLD),
                               MQD_LANGUAGE_fortran), mqs_end_of_list);
    expect("object", (long long)summary.object, (long long)VALUE(MPI_COMM_WORLD));
    expect("Fortran", describe("sum", MQD_HANDLE_op, (uintptr_t)MPI_Op_c2f(MPI_SUM), MQD_LANGUAGE_fortran),
           mqs_end_of_list);
    expect("object", (long long)summary.object, (long long)VALUE(MPI_SUM));
    expect("name", extension->find_handle(process, MQD_HANDLE_datatype, "MPI_DOUBLE", &value), mqs_ok);
    expect("value", (long long)value, (long long)VALUE(MPI_DOUBLE));
    expect("no name", extension->find_handle(process, MQD_HANDLE_datatype, "no such", &value), mqs_end_of_list);
}

/* All communicators there are, by their INTEGERs: each is what this INTEGER stands for. */
static void check_all_communicators(void)
{
    bool has_world = false, has_dup = false;
    mqs_taddr_t value = 0;
    long fortran = 0;
    MPI_Comm dup;
    int code;

    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    update(process);
    about = "all communicators";
    for (; (code = extension->next_handle(process, MQD_HANDLE_communicator, &fortran, &value)) == mqs_ok; fortran++) {
        expect("C", (long long)value, (long long)VALUE(MPI_Comm_f2c((MPI_Fint)fortran)));
        has_world |= value == VALUE(MPI_COMM_WORLD);
        has_dup |= value == VALUE(dup);
    }
    expect("the end", code, mqs_end_of_list);
    expect("world", has_world, 1);
    expect("dup", has_dup, 1);
    MPI_Comm_free(&dup);
}

/* Lies. */

enum { OBJECT_WORDS = 128, LED_TO_WORDS = 32, MAX_READS = 20000 };

static void lie_about(uintptr_t word_ta, uintptr_t value)
{
    static const uint32_t lies[] = {0, 1, 0x7fffffff, 0xffffffff, 1000000007};

    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        int n = 0;

        lie_ta = word_ta;
        lie = lies[i];
        n_reads = 0;
        if (extension->describe_handle(process, MQD_HANDLE_unknown, value, MQD_LANGUAGE_c, &summary) == mqs_ok)
            while (n < 100000 && extension->describe_handle_item(process, n, &items[0]) == mqs_ok)
                n++;
        lie_ta = 0;
        n_facts++;
        if (n >= 8192 || n_reads > MAX_READS) {
            n_wrong++;
            printf("%s: word %#lx as %u: %d items, %ld reads\n", about, (unsigned long)word_ta, lies[i], n, n_reads);
        }
    }
}

static void lie_about_object(const char *what, uintptr_t value)
{
    uint32_t words[OBJECT_WORDS], led_to[LED_TO_WORDS];
    uintptr_t pointers[OBJECT_WORDS * sizeof(uint32_t) / sizeof(uintptr_t)];

    about = what;
    if (!read_memory(value, sizeof words, words))
        return;
    memcpy(pointers, words, sizeof words);
    for (int i = 0; i < OBJECT_WORDS; i++)
        lie_about(value + (uintptr_t)i * sizeof *words, value);
    for (size_t i = 1; i < sizeof pointers / sizeof *pointers; i++)
        for (int j = 0; j < LED_TO_WORDS && read_memory(pointers[i], sizeof led_to, led_to); j++)
            lie_about(pointers[i] + (uintptr_t)j * sizeof *led_to, value);
}

static void check_lies(int rank)
{
    int dims[2] = {2, 1}, periods[2] = {0, 1}, peer = 1 - rank, got;
    double memory[4];
    MPI_Comm cart, graph;
    MPI_Datatype vector;
    MPI_Request request;
    MPI_Info info;
    MPI_Win window;

    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &peer, &peer, 1, &peer, &peer, MPI_INFO_NULL, 0, &graph);
    MPI_Type_vector(3, 2, 5, MPI_FLOAT, &vector);
    MPI_Info_create(&info);
    MPI_Info_set(info, "colour", "green");
    MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Irecv(&got, 1, MPI_INT, peer, 33, MPI_COMM_WORLD, &request);
    update(process);
    lie_about_object("cartesian", VALUE(cart));
    lie_about_object("graph", VALUE(graph));
    lie_about_object("vector", VALUE(vector));
    lie_about_object("info", VALUE(info));
    lie_about_object("window", VALUE(window));
    lie_about_object("receive", VALUE(request));
    lie_about_object("MPI_SUM", VALUE(MPI_SUM));
    MPI_Send(&rank, 1, MPI_INT, peer, 33, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_free(&window);
    MPI_Info_free(&info);
    MPI_Type_free(&vector);
    MPI_Comm_free(&graph);
    MPI_Comm_free(&cart);
}

static void check_all(int rank)
{
    check_communicator("world", MPI_COMM_WORLD);
    check_communicator("self", MPI_COMM_SELF);
    check_cartesian();
    check_graph();
    check_distributed(rank, false);
    check_distributed(rank, true);
    check_attributes();
    check_groups(rank);
    check_datatypes();
    check_requests(rank);
    check_freed(rank);
    check_inactive();
    check_other_requests(rank);
    check_window_request(rank);
    check_partitions(rank);
    check_window(rank);
    check_file();
    check_others();
    check_all_communicators();
}

int main(int argc, char **argv)
{
    int rank, all;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    begin(argv[1]);
    if (argc > 2)
        check_lies(rank);
    else
        check_all(rank);
    MPI_Allreduce(&n_wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("%d facts\n", n_facts);
    MPI_Finalize();
    return all != 0;
}
