/* mpihandles.c - the interface of Open MPI's sources for handles: sets images and processes up, and answers. */
#include "mqd/dll/mpihandles/mpihandles.h"

#include "config.h"
#include "mqd/dll/debugger.h"
#include "mqd/dll/mpihandles/communicator.h"
#include "mqd/dll/banned.h"

char mpidbg_dll_is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
char mpidbg_dll_bitness = 8 * sizeof(void *);
enum mpidbg_comm_capabilities_t mpidbg_comm_capabilities;
enum mpidbg_errhandler_capabilities_t mpidbg_errhandler_capabilities;
struct mpidbg_name_map_t *mpidbg_comm_name_map, *mpidbg_errhandler_name_map;

static const char *const type_names[] = {
    "MPI_Aint", "MPI_Comm", "MPI_Datatype", "MPI_Errhandler", "MPI_File", "MPI_Group", "MPI_Info", "MPI_Offset",
    "MPI_Op", "MPI_Request", "MPI_Status", "MPI_Win", "MPI::Aint", "MPI::Comm", "MPI::Intracomm", "MPI::Intercomm",
    "MPI::Graphcomm", "MPI::Cartcomm", "MPI::Datatype", "MPI::Errhandler", "MPI::File", "MPI::Group", "MPI::Info",
    "MPI::Offset", "MPI::Op", "MPI::Request", "MPI::Prequest", "MPI::Grequest", "MPI::Status", "MPI::Win",
};
_Static_assert(sizeof type_names / sizeof type_names[0] == MQD_MPIDBG_N_TYPES, "a name for each type");

/* Predefined handles; MPI_ERRORS_ABORT is in 5.0 and later only. */
static const struct {
    int kind;
    struct mpidbg_name_map_t **map;
    const char *names[5];
} predefined[] = {
    {MQD_HANDLE_communicator, &mpidbg_comm_name_map, {"MPI_COMM_WORLD", "MPI_COMM_SELF", "MPI_COMM_NULL"}},
    {MQD_HANDLE_errhandler,
     &mpidbg_errhandler_name_map,
     {"MPI_ERRORS_ARE_FATAL", "MPI_ERRORS_RETURN", "MPI_ERRORS_ABORT", "MPI_ERRHANDLER_NULL"}},
};
enum { N_MAPS = sizeof predefined / sizeof predefined[0] };

/* The process whose handles the maps have. */
static mqs_process *mapped;

/* The maps of a process that has initialised MPI stay: predefined handles do not change. */
static void fill_maps(mqs_process *process)
{
    static struct mpidbg_name_map_t maps[N_MAPS][sizeof predefined[0].names / sizeof predefined[0].names[0]];

    if (mapped == process)
        return;
    mapped = NULL;
    for (size_t i = 0; i < N_MAPS; i++) {
        size_t n = 0;

        for (const char *const *name = predefined[i].names; *name != NULL; name++)
            if (extension()->find_handle(process, predefined[i].kind, *name, &maps[i][n].handle) == mqs_ok)
                maps[i][n++].name = (char *)*name;
        maps[i][n] = (struct mpidbg_name_map_t){NULL, 0};
        *predefined[i].map = n > 0 ? maps[i] : NULL;
        if (n > 0)
            mapped = process;
    }
}

/* Set up. */

int mpidbg_init_once(const mqs_basic_callbacks *callbacks)
{
    mqs_setup_basic_callbacks(callbacks);
    return dbgr_ready() ? MQD_MPIDBG_success : MQD_MPIDBG_out_of_range;
}

int mpidbg_interface_version_compatibility(void)
{
    return MQD_MPIDBG_VERSION;
}

char *mpidbg_version_string(void)
{
    static char text[] = "ompi-mqd " PACKAGE_VERSION ", handles of Open MPI";

    return text;
}

int mpidbg_dll_taddr_width(void)
{
    return mqs_dll_taddr_width();
}

int mpidbg_init_per_image(mqs_image *image, const mqs_image_callbacks *callbacks, struct mpidbg_handle_info_t *types)
{
    struct dbgr_image debugger = {.image = image, .callbacks = callbacks};
    char *message;
    int code = mqs_setup_image(image, callbacks);

    if (code != mqs_ok)
        return mqd_mpidbg_code(code);
    code = mqs_image_has_queues(image, &message);
    /* That a program hides its queues says nothing of its handles. */
    if (code != mqs_ok && code != MQD_RC_ignored) {
        mpidbg_finalize_per_image(image, dbgr_get_image_info(image));
        dbgr_put_image_info(image, NULL);
        return mqd_mpidbg_code(code);
    }
    for (size_t i = 0; types != NULL && i < MQD_MPIDBG_N_TYPES; i++)
        types->types[i] = dbgr_find_type(&debugger, type_names[i], type_names[i][3] == ':' ? mqs_lang_cplus
                                                                                           : mqs_lang_c);
    return MQD_MPIDBG_success;
}

void mpidbg_finalize_per_image(mqs_image *image, mqs_image_info *image_info)
{
    (void)image;
    (void)mqs_destroy_image_info(image_info);
}

/* The types are those of the image. */
int mpidbg_init_per_process(mqs_process *process, const mqs_process_callbacks *callbacks,
                            struct mpidbg_handle_info_t *types)
{
    char *message;
    int code = mqs_setup_process(process, callbacks);

    (void)types;
    if (code != mqs_ok)
        return mqd_mpidbg_code(code);
    code = mqs_process_has_queues(process, &message);
    if (code != mqs_ok) {
        mpidbg_finalize_per_process(process, dbgr_get_process_info(process));
        dbgr_put_process_info(process, NULL);
        return mqd_mpidbg_code(code);
    }
    /* Members of communicators that are Open MPI's own are told too. */
    (void)extension()->show_internal(process, 1);
    mapped = NULL;
    mpidbg_comm_name_map = mpidbg_errhandler_name_map = NULL;
    if (mqs_update_communicator_list(process) == mqs_ok)
        fill_maps(process);
    mpidbg_comm_capabilities = MQD_COMM_CAN_basic | MQD_COMM_CAN_names | MQD_COMM_CAN_files;
    mpidbg_errhandler_capabilities = MQD_ERRHANDLER_CAN_basic | MQD_ERRHANDLER_CAN_names;
    return MQD_MPIDBG_success;
}

void mpidbg_finalize_per_process(mqs_process *process, mqs_process_info *process_info)
{
    if (mapped == process)
        mapped = NULL;
    (void)mqs_destroy_process_info(process_info);
}

/* Queries. */

/* A process may have initialised MPI since it was set up. */
static int end_of_query(mqs_process *process, int code)
{
    if (code == MQD_MPIDBG_success)
        fill_maps(process);
    return code;
}

static int from_fortran(mqs_process *process, int kind, mqs_taddr_t fortran, mqs_taddr_t *c_handle)
{
    struct mqd_handle_summary summary;
    int code = c_handle == NULL ? MQD_MPIDBG_out_of_range
                                : mqd_mpidbg_describe(process, kind, fortran, MQD_LANGUAGE_fortran, &summary);

    if (code == MQD_MPIDBG_success)
        *c_handle = summary.object;
    return end_of_query(process, code);
}

static enum mpidbg_errhandler_info_bitmap_t errhandler_flags(mqs_process *process, bool is_predefined)
{
    unsigned flags = is_predefined ? MQD_ERRHANDLER_IS_predefined : 0;
    struct mqd_handle_item item;

    if (mqd_mpidbg_item(process, MQD_FACT_handled_kind, &item))
        flags |= item.number == MQD_HANDLE_communicator ? MQD_ERRHANDLER_IS_of_communicators
                 : item.number == MQD_HANDLE_file       ? MQD_ERRHANDLER_IS_of_files
                 : item.number == MQD_HANDLE_window     ? MQD_ERRHANDLER_IS_of_windows
                                                        : 0;
    if (mqd_mpidbg_item(process, MQD_FACT_language_fortran, &item) && item.number == 0)
        flags |= MQD_ERRHANDLER_IS_in_c;
    return (enum mpidbg_errhandler_info_bitmap_t)flags;
}

#define UNUSED_OF ((void)image, (void)image_info, (void)process_info)

int mpidbg_comm_query(MQD_MPIDBG_OF, mqs_taddr_t handle, struct mpidbg_comm_info_t **info)
{
    UNUSED_OF;
    return end_of_query(process, mqd_mpidbg_communicator(process, handle, info));
}

int mpidbg_errhandler_query(MQD_MPIDBG_OF, mqs_taddr_t handle, struct mpidbg_errhandler_info_t **info)
{
    struct mqd_handle_summary summary;
    struct mqd_handle_item item;
    int code = info == NULL ? MQD_MPIDBG_out_of_range
                            : mqd_mpidbg_describe(process, MQD_HANDLE_errhandler, handle, MQD_LANGUAGE_c, &summary);
    struct mpidbg_errhandler_info_t *found = code == MQD_MPIDBG_success ? dbgr_alloc(sizeof *found) : NULL;

    UNUSED_OF;
    if (found == NULL)
        return code == MQD_MPIDBG_success ? MQD_MPIDBG_no_memory : code;
    *found = (struct mpidbg_errhandler_info_t){.c_handle = handle,
                                               .flags = errhandler_flags(process, summary.predefined != 0),
                                               .fortran_handle = mqd_mpidbg_fortran(&summary),
                                               .n_users = MQD_MPIDBG_not_supported};
    if (summary.predefined)
        mqd_mpidbg_name(found->name, &summary);
    else if (mqd_mpidbg_item(process, MQD_FACT_function, &item))
        found->function = item.address;
    *info = found;
    return end_of_query(process, MQD_MPIDBG_success);
}

int mpidbg_request_query(MQD_MPIDBG_OF, mqs_taddr_t handle, struct mpidbg_request_info_t **info)
{
    struct mqd_handle_summary summary;
    struct mqd_handle_item state;
    int code = info == NULL ? MQD_MPIDBG_out_of_range
                            : mqd_mpidbg_describe(process, MQD_HANDLE_request, handle, MQD_LANGUAGE_c, &summary);
    struct mpidbg_request_info_t *found;

    UNUSED_OF;
    /* A request that has ended keeps its memory. */
    if (code == MQD_MPIDBG_success && mqd_mpidbg_item(process, MQD_FACT_request_state, &state) &&
        state.number == MQD_REQUEST_invalid)
        code = MQD_MPIDBG_not_found;
    if (code != MQD_MPIDBG_success)
        return code;
    found = dbgr_alloc(sizeof *found);
    if (found == NULL)
        return MQD_MPIDBG_no_memory;
    *found = (struct mpidbg_request_info_t){.c_handle = handle, .fortran_handle = mqd_mpidbg_fortran(&summary)};
    if (summary.predefined)
        found->flags = MQD_REQUEST_IS_predefined;
    *info = found;
    return end_of_query(process, MQD_MPIDBG_success);
}

#define FROM_FORTRAN(name, kind) \
    int mpidbg_##name##_f2c(MQD_MPIDBG_OF, mqs_taddr_t fortran, mqs_taddr_t *c_handle) \
    { \
        UNUSED_OF; \
        return from_fortran(process, kind, fortran, c_handle); \
    }
FROM_FORTRAN(comm, MQD_HANDLE_communicator)
FROM_FORTRAN(errhandler, MQD_HANDLE_errhandler)
FROM_FORTRAN(request, MQD_HANDLE_request)

#define NOT_SUPPORTED(name, ...) \
    int mpidbg_##name(MQD_MPIDBG_OF, mqs_taddr_t value, __VA_ARGS__) \
    { \
        UNUSED_OF; \
        (void)process; \
        (void)value; \
        return MQD_MPIDBG_not_supported; \
    }
#define UNUSED __attribute__((unused))
NOT_SUPPORTED(status_query, struct mpidbg_status_info_t **info UNUSED)
NOT_SUPPORTED(status_f2c, mqs_taddr_t *c_handle UNUSED)
NOT_SUPPORTED(status_cxx2c, mqs_taddr_t *c_handle UNUSED)
NOT_SUPPORTED(errhandler_cxx2c, mqs_taddr_t *c_handle UNUSED)
NOT_SUPPORTED(comm_cxx2c, enum mpidbg_comm_info_bitmap_t type UNUSED, mqs_taddr_t *c_handle UNUSED)
NOT_SUPPORTED(request_cxx2c, enum mpidbg_request_info_bitmap_t type UNUSED, mqs_taddr_t *c_handle UNUSED)
