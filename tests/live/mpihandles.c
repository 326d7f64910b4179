/*
 * mpihandles.c - a program that has handles of MPI, and asks the DLL for handles what they stand for, by the header of
 * Open MPI's sources. It is its own debugger.
 *
 *     mpirun -n 2 mpihandles DLL
 *
 * Prints "N facts" and ends with status 0 if all agree with what MPI's own functions say, else each difference, and 1.
 */
#define _GNU_SOURCE
#include <ompi_config.h>

#include <mpi.h>

#include "ompi/debuggers/mpihandles_interface.h"
#include "own_debugger.h"

#define OF image, infos[0], process, infos[1]
#define VALUE(handle) ((mqs_taddr_t)(uintptr_t)(handle))

static int n_facts, n_wrong;
static const char *about;

static void expect(const char *what, long long got, long long expected)
{
    n_facts++;
    if (got != expected) {
        n_wrong++;
        printf("%s: %s: %lld, not %lld\n", about, what, got, expected);
    }
}

static void expect_text(const char *what, const char *got, const char *expected)
{
    n_facts++;
    if (got == NULL || strcmp(got, expected) != 0) {
        n_wrong++;
        printf("%s: %s: '%s', not '%s'\n", about, what, got != NULL ? got : "(null)", expected);
    }
}

/* The functions and variables of the DLL, with the types of Open MPI's header. */
#define FUNCTIONS(F) \
    F(mpidbg_init_once) F(mpidbg_interface_version_compatibility) F(mpidbg_version_string) \
    F(mpidbg_dll_taddr_width) F(mpidbg_init_per_image) F(mpidbg_finalize_per_image) F(mpidbg_init_per_process) \
    F(mpidbg_finalize_per_process) F(mpidbg_comm_query) F(mpidbg_comm_f2c) F(mpidbg_comm_cxx2c) \
    F(mpidbg_errhandler_query) F(mpidbg_errhandler_f2c) F(mpidbg_errhandler_cxx2c) F(mpidbg_request_query) \
    F(mpidbg_request_f2c) F(mpidbg_request_cxx2c) F(mpidbg_status_query) F(mpidbg_status_f2c) \
    F(mpidbg_status_cxx2c) F(mpidbg_dll_is_big_endian) F(mpidbg_dll_bitness) F(mpidbg_comm_capabilities) \
    F(mpidbg_comm_name_map) F(mpidbg_errhandler_capabilities) F(mpidbg_errhandler_name_map)
#define MEMBER(name) __typeof__(name) *name;
static struct {
    FUNCTIONS(MEMBER)
} of;

static mqs_type *find_type(mqs_image *of_image, char *name, mqs_lang_code language)
{
    (void)of_image;
    return strcmp(name, "MPI_Comm") == 0 && language == mqs_lang_c       ? (mqs_type *)(void *)&keys[0]
           : strcmp(name, "MPI::Win") == 0 && language == mqs_lang_cplus ? (mqs_type *)(void *)&keys[1]
                                                                         : NULL;
}

static void begin(const char *path)
{
    static mqs_image_callbacks callbacks;
    struct mpidbg_handle_info_t types;
    void *dll = open_dll(path);

#define FIND(name) of.name = (__typeof__(of.name))of_dll(dll, #name);
    FUNCTIONS(FIND)
    callbacks = of_image;
    callbacks.mqs_find_type_fp = find_type;
    memset(&types, 1, sizeof types);
    about = "set up";
    expect("version", of.mpidbg_interface_version_compatibility(), MPIDBG_INTERFACE_VERSION);
    expect("width", of.mpidbg_dll_taddr_width(), sizeof(mqs_taddr_t));
    expect("bits", *of.mpidbg_dll_bitness, 8 * sizeof(void *));
    expect("byte order", *of.mpidbg_dll_is_big_endian, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    expect("once", of.mpidbg_init_once(&basic), MPIDBG_SUCCESS);
    expect("image", of.mpidbg_init_per_image(image, &callbacks, &types), MPIDBG_SUCCESS);
    expect("MPI_Comm", VALUE(types.hi_c_comm), VALUE(&keys[0]));
    expect("MPI_Request", VALUE(types.hi_c_request), 0);
    expect("MPI::Win", VALUE(types.hi_cxx_win), VALUE(&keys[1]));
    expect("process", of.mpidbg_init_per_process(process, &of_process, &types), MPIDBG_SUCCESS);
    expect("capabilities", *of.mpidbg_comm_capabilities,
           MPIDBG_COMM_CAP_BASIC | MPIDBG_COMM_CAP_STRING_NAMES | MPIDBG_COMM_CAP_FILE_LIST);
}

static void check_map(const char *what, const struct mpidbg_name_map_t *map, const char *name, mqs_taddr_t handle)
{
    about = what;
    while (map != NULL && map->map_name != NULL && strcmp(map->map_name, name) != 0)
        map++;
    expect_text("name", map != NULL ? map->map_name : NULL, name);
    expect("handle", map != NULL ? (long long)map->map_handle : -1, (long long)handle);
}

static struct mpidbg_comm_info_t *query(const char *what, MPI_Comm comm)
{
    static struct mpidbg_comm_info_t nothing;
    struct mpidbg_comm_info_t *info = &nothing;

    about = what;
    expect("query", of.mpidbg_comm_query(OF, VALUE(comm), &info), MPIDBG_SUCCESS);
    return info;
}

static void check_processes(const char *what, MPI_Group group, int n, const struct mpidbg_process_t *told)
{
    MPI_Group world;
    int size;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_size(group, &size);
    expect(what, n, size);
    for (int i = 0; told != NULL && i < size; i++) {
        int rank;

        MPI_Group_translate_ranks(group, 1, &i, world, &rank);
        expect(what, told[i].mpi_comm_world_rank, rank);
    }
    expect("list", told != NULL, size > 0);
    MPI_Group_free(&world);
    MPI_Group_free(&group);
}

static struct mpidbg_comm_info_t *check_communicator(const char *what, MPI_Comm comm, unsigned flags)
{
    struct mpidbg_comm_info_t *info = query(what, comm);
    char name[MPI_MAX_OBJECT_NAME];
    int rank, size, length, inter;
    mqs_taddr_t found = 0;
    MPI_Group group;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Comm_get_name(comm, name, &length);
    MPI_Comm_test_inter(comm, &inter);
    MPI_Comm_group(comm, &group);
    if (length > 0)
        expect_text("name", info->comm_name, name);
    expect("flags", info->comm_bitflags, flags | (inter ? MPIDBG_COMM_INFO_INTERCOMM : 0));
    expect("rank", info->comm_rank, rank);
    expect("size", info->comm_size, size);
    expect("C", (long long)info->comm_c_handle, (long long)VALUE(comm));
    expect("Fortran", info->comm_fortran_handle, MPI_Comm_c2f(comm));
    expect("from Fortran", of.mpidbg_comm_f2c(OF, (mqs_taddr_t)MPI_Comm_c2f(comm), &found), MPIDBG_SUCCESS);
    expect("from Fortran", (long long)found, (long long)VALUE(comm));
    check_processes("local", group, info->comm_num_local_procs, info->comm_local_procs);
    if (inter) {
        MPI_Comm_remote_group(comm, &group);
        check_processes("remote", group, info->comm_num_remote_procs, info->comm_remote_procs);
    } else
        expect("remote", info->comm_num_remote_procs, 0);
    expect("requests", info->comm_num_pending_requests, MPIDBG_ERR_NOT_SUPPORTED);
    expect("windows", info->comm_num_derived_windows, MPIDBG_ERR_NOT_SUPPORTED);
    return info;
}

static void check_topologies(int rank)
{
    int dims[2] = {2, 1}, periods[2] = {0, 1}, index[2] = {1, 2}, edges[2] = {1, 0}, peer = 1 - rank;
    struct mpidbg_comm_info_t *info;
    MPI_Comm comm;

    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm);
    info = check_communicator("cartesian", comm, MPIDBG_COMM_INFO_CARTESIAN);
    expect("dimensions", info->comm_cart_num_dims, 2);
    for (int i = 0; i < 2 && info->comm_cart_num_dims == 2; i++) {
        expect("dimension", info->comm_cart_dims[i], dims[i]);
        expect("period", info->comm_cart_periods[i], periods[i]);
    }
    MPI_Comm_free(&comm);
    MPI_Graph_create(MPI_COMM_WORLD, 2, index, edges, 1, &comm);
    info = check_communicator("graph", comm, MPIDBG_COMM_INFO_GRAPH | MPIDBG_COMM_INFO_TOPO_REORDERED);
    expect("nodes", info->comm_graph_num_nodes, 2);
    for (int i = 0; i < 2 && info->comm_graph_num_nodes == 2; i++) {
        expect("index", info->comm_graph_index[i], index[i]);
        expect("edge", info->comm_graph_edges[i], edges[i]);
    }
    MPI_Comm_free(&comm);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &peer, &peer, 1, &peer, &peer, MPI_INFO_NULL, 0, &comm);
    check_communicator("distributed graph", comm, MPIDBG_COMM_INFO_DIST_GRAPH);
    MPI_Comm_free(&comm);
}

static void check_communicators(int rank)
{
    struct mpidbg_comm_info_t *info = check_communicator("world", MPI_COMM_WORLD, MPIDBG_COMM_INFO_PREDEFINED);
    MPI_Comm inter, freed;
    MPI_File file;
    char path[64];
    int *bound, flag, n_named = 0, key;

    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &flag);
    for (int i = 0; i < info->comm_num_attrs; i++)
        if (info->comm_attrs[i].keyval_name != NULL && strcmp(info->comm_attrs[i].keyval_name, "MPI_TAG_UB") == 0) {
            n_named++;
            expect("bound", atoll(info->comm_attrs[i].value), *bound);
        }
    expect("MPI_TAG_UB", n_named, 1);
    check_communicator("self", MPI_COMM_SELF, MPIDBG_COMM_INFO_PREDEFINED);
    info = query("null", MPI_COMM_NULL);
    expect("flags", info->comm_bitflags, MPIDBG_COMM_INFO_PREDEFINED | MPIDBG_COMM_INFO_COMM_NULL);
    check_map("world's name", *of.mpidbg_comm_name_map, "MPI_COMM_WORLD", VALUE(MPI_COMM_WORLD));
    check_map("null's name", *of.mpidbg_comm_name_map, "MPI_COMM_NULL", VALUE(MPI_COMM_NULL));
    MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 5, &inter);
    check_communicator("intercommunicator", inter, 0);
    MPI_Comm_free(&inter);
    MPI_Comm_dup(MPI_COMM_SELF, &freed);
    MPI_Comm_set_name(freed, "mine");
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(freed, key, (void *)(uintptr_t)0xabcd);
    snprintf(path, sizeof path, "/tmp/mqd-mpihandles-%d", (int)getpid());
    MPI_File_open(freed, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    info = check_communicator("dup", freed, 0);
    expect("files", info->comm_num_derived_files, 1);
    expect("file", info->comm_derived_files != NULL ? (long long)*info->comm_derived_files : 0,
           (long long)VALUE(file));
    flag = 0;
    for (int i = 0; i < info->comm_num_attrs; i++)
        if (info->comm_attrs[i].keyval == key) {
            expect("key's name", info->comm_attrs[i].keyval_name != NULL, 0);
            expect_text("value", info->comm_attrs[i].value, "0xabcd");
            flag++;
        }
    expect("key", flag, 1);
    MPI_File_close(&file);
    expect("no file", query("dup", freed)->comm_num_derived_files, 0);
    MPI_Comm_free(&freed);
}

static void fail(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
}

static void check_others(int rank)
{
    struct mpidbg_errhandler_info_t *handler = NULL;
    struct mpidbg_request_info_t *info = NULL;
    struct mpidbg_comm_info_t *none = NULL;
    struct mpidbg_status_info_t *of_status = NULL;
    MPI_Errhandler errhandler;
    MPI_Request request, stale;
    MPI_Status status;
    mqs_taddr_t found = 0;
    int got, not_mpi[64] = {0};

    about = "error handlers";
    MPI_Comm_create_errhandler(fail, &errhandler);
    expect("query", of.mpidbg_errhandler_query(OF, VALUE(errhandler), &handler), MPIDBG_SUCCESS);
    expect("flags", handler->eh_bitflags, MPIDBG_ERRH_INFO_COMMUNICATOR | MPIDBG_ERRH_INFO_C_CALLBACK);
    expect("function", (long long)handler->eh_callback_func, (long long)VALUE(fail));
    expect("Fortran", handler->eh_fortran_handle, MPI_Errhandler_c2f(errhandler));
    expect_text("name", handler->eh_name, "");
    expect("from Fortran", of.mpidbg_errhandler_f2c(OF, (mqs_taddr_t)MPI_Errhandler_c2f(errhandler), &found),
           MPIDBG_SUCCESS);
    expect("from Fortran", (long long)found, (long long)VALUE(errhandler));
    expect("predefined", of.mpidbg_errhandler_query(OF, VALUE(MPI_ERRORS_RETURN), &handler), MPIDBG_SUCCESS);
    expect("predefined", handler->eh_bitflags & MPIDBG_ERRH_INFO_PREDEFINED, MPIDBG_ERRH_INFO_PREDEFINED);
    expect_text("name", handler->eh_name, "MPI_ERRORS_RETURN");
    expect("function", (long long)handler->eh_callback_func, 0);
    check_map("handler's name", *of.mpidbg_errhandler_name_map, "MPI_ERRORS_RETURN", VALUE(MPI_ERRORS_RETURN));
    MPI_Errhandler_free(&errhandler);

    about = "requests";
    MPI_Irecv(&got, 1, MPI_INT, 1 - rank, 33, MPI_COMM_WORLD, &request);
    stale = request;
    expect("query", of.mpidbg_request_query(OF, VALUE(request), &info), MPIDBG_SUCCESS);
    expect("flags", info->req_bitflags, 0);
    expect("Fortran", info->req_fortran_handle, MPIDBG_ERR_UNAVAILABLE);
    got = MPI_Request_c2f(request);
    expect("query", of.mpidbg_request_query(OF, VALUE(request), &info), MPIDBG_SUCCESS);
    expect("Fortran", info->req_fortran_handle, got);
    expect("from Fortran", of.mpidbg_request_f2c(OF, (mqs_taddr_t)got, &found), MPIDBG_SUCCESS);
    expect("from Fortran", (long long)found, (long long)VALUE(request));
    MPI_Send(&rank, 1, MPI_INT, 1 - rank, 33, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    expect("stale", of.mpidbg_request_query(OF, VALUE(stale), &info), MPIDBG_ERR_NOT_FOUND);
    expect("null", of.mpidbg_request_query(OF, VALUE(MPI_REQUEST_NULL), &info), MPIDBG_SUCCESS);
    expect("null", info->req_bitflags, MPIDBG_REQUEST_INFO_PREDEFINED);

    about = "others";
    expect("nothing", of.mpidbg_comm_query(OF, VALUE(not_mpi), &none), MPIDBG_ERR_NOT_FOUND);
    expect("another kind", of.mpidbg_comm_query(OF, VALUE(MPI_INT), &none), MPIDBG_ERR_NOT_FOUND);
    expect("no INTEGER", of.mpidbg_comm_f2c(OF, 0xffffffff, &found), MPIDBG_ERR_NOT_FOUND);
    expect("status", of.mpidbg_status_query(OF, VALUE(&status), &of_status), MPIDBG_ERR_NOT_SUPPORTED);
    expect("C++", of.mpidbg_comm_cxx2c(OF, VALUE(not_mpi), 0, &found), MPIDBG_ERR_NOT_SUPPORTED);
    expect("untouched", none != NULL || of_status != NULL, 0);
}

int main(int argc, char **argv)
{
    int rank, all;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    begin(argv[1]);
    check_communicators(rank);
    check_topologies(rank);
    check_others(rank);
    of.mpidbg_finalize_per_process(process, infos[1]);
    of.mpidbg_finalize_per_image(image, infos[0]);
    MPI_Allreduce(&n_wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("%d facts\n", n_facts);
    MPI_Finalize();
    return all != 0;
}
