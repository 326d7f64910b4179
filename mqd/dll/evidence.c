/* evidence.c - gathers the evidence by which resolve.c finds the layout. */
#include "mqd/dll/evidence.h"

#include <string.h>

#include "mqd/dll/banned.h"

/* The architecture of the debugger: processes usually have the same one. */
#if defined __x86_64__
#define LIKELY_ARCH "x86_64"
#elif defined __aarch64__
#define LIKELY_ARCH "aarch64"
#elif defined __powerpc64__ && defined __LITTLE_ENDIAN__
#define LIKELY_ARCH "ppc64le"
#elif defined __s390x__
#define LIKELY_ARCH "s390x"
#elif defined __i386__
#define LIKELY_ARCH "i386"
#elif defined __arm__ && !defined __ARMEB__
#define LIKELY_ARCH "arm"
#elif defined __mips64 && defined __MIPSEL__
#define LIKELY_ARCH "mips64el"
#elif (defined __riscv && __riscv_xlen == 64) || defined __loongarch64 /* which has no tables, but the same types */
#define LIKELY_ARCH "riscv64"
#else
#define LIKELY_ARCH NULL
#endif

/* How many peers are read in the search for one that has an unexpected message. */
enum { MAX_PEERS_TRIED = 4096 };

bool mqd_image_of(const struct mqd_process *process, struct dbgr_image *debugger, struct mqd_image **image)
{
    mqs_image *handle = dbgr_image_of(&process->debugger);

    /* It need not be the one that the image was set up with (3.2.4). */
    *image = handle != NULL ? dbgr_get_image_info(handle) : NULL;
    if (!mqd_info_is(*image, MQD_INFO_image))
        return false;
    *debugger = (struct dbgr_image){.image = handle, .callbacks = (*image)->callbacks};
    return true;
}

bool mqd_symbol(const struct mqd_process *process, const char *name, mqd_taddr *ta)
{
    struct dbgr_image debugger;
    struct mqd_image *image;

    return mqd_image_of(process, &debugger, &image) && dbgr_find_symbol(&debugger, name, ta) && *ta != 0;
}

void mqd_selected_pml(struct mqd_process *process, char *name, size_t n_room)
{
    struct mqd_object component;
    mqd_taddr ta;

    name[0] = '\0';
    if (mqd_symbol(process, "mca_pml_base_selected_component", &ta) &&
        mqd_read_object(process, MQD_TYPE_mca_base_component_t, ta, &component) == MQD_OK)
        mqd_text(process, &component.view, MQD_PATH_component_name, name, n_room);
}

static void ask_type(const struct dbgr_image *debugger, enum mqd_type_id type, struct mqd_image *image)
{
    mqs_type *handle = dbgr_find_type(debugger, mqd_type_specs[type].name, mqs_lang_c);
    bool known = false;

    if (handle == NULL)
        return;
    for (unsigned step = mqd_type_specs[type].first_step; step < mqd_type_end(type); step++) {
        image->live_offset[step] = -1;
        /* No debugger is asked for a member of a member. */
        if (mqd_step_specs[step].ways != NULL)
            continue;
        image->live_offset[step] = dbgr_field_offset(debugger, handle, mqd_step_specs[step].member);
        if (image->live_offset[step] >= 0)
            known = true;
    }
    image->live[type].known = known;
    image->live[type].size = known ? dbgr_sizeof(debugger, handle) : 0;
}

void mqd_ask_types(const struct dbgr_image *debugger, struct mqd_image *image)
{
    /* Debuggers read the types of a library when it is first used. So one function of each library is looked up. */
    dbgr_touch_function(debugger, "ompi_debugger_setup_dlls");
    dbgr_touch_function(debugger, "mca_pml_ob1_recv_req_start");
    for (unsigned type = 0; type < MQD_N_TYPES; type++)
        if (!image->live[type].known)
            ask_type(debugger, (enum mqd_type_id)type, image);
}

static enum mqd_rc ask_abi(const struct dbgr_image *image, struct mqd_process *process)
{
    struct dbgr_sizes sizes = dbgr_type_sizes(image, &process->debugger);

    if ((sizes.pointer_size != 4 && sizes.pointer_size != 8) || (sizes.long_size != 4 && sizes.long_size != 8))
        return MQD_RC_bad_argument;
    if ((size_t)sizes.pointer_size > sizeof(mqs_taddr_t))
        return MQD_RC_too_wide;
    process->evidence.abi = (struct mqd_abi){.pointer_size = (uint8_t)sizes.pointer_size,
                                             .long_size = (uint8_t)sizes.long_size,
                                             .little_endian = dbgr_is_little_endian(&process->debugger)};
    process->evidence.arch = LIKELY_ARCH;
    return MQD_OK;
}

/* Adds the class descriptor at class_ta and those of all its parent classes to the evidence, each by its own name. */
static void learn_classes(struct mqd_process *process, mqd_taddr class_ta)
{
    struct mqd_class descriptor;

    for (unsigned depth = 0; depth < MQD_MAX_CLASS_DEPTH && class_ta != 0; depth++, class_ta = descriptor.parent_ta) {
        if (mqd_read_class(process, class_ta, &descriptor) != MQD_OK || descriptor.size > MQD_MAX_TYPE_BYTES)
            return;
        for (unsigned type = 0; type < MQD_N_TYPES; type++)
            if (mqd_type_specs[type].class_symbol != NULL && !process->evidence.classes[type].readable &&
                strcmp(descriptor.name, mqd_type_specs[type].name) == 0)
                process->evidence.classes[type] =
                    (struct mqd_class_evidence){.readable = true, .size = descriptor.size};
    }
}

/* Returns the first read that failed, MQD_OK if none did. */
static enum mqd_rc learn_classes_by_symbol(const struct dbgr_image *image, struct mqd_process *process)
{
    mqd_begin_stage(process);
    for (unsigned type = 0; type < MQD_N_TYPES; type++) {
        mqd_taddr class_ta;

        if (mqd_type_specs[type].class_symbol != NULL && !process->evidence.classes[type].readable &&
            dbgr_find_symbol(image, mqd_type_specs[type].class_symbol, &class_ta))
            learn_classes(process, class_ta);
    }
    return process->unread;
}

static void learn_class_of_object(struct mqd_process *process, mqd_taddr ta)
{
    struct mqd_object object;
    mqd_taddr class_ta;

    if (mqd_read_object(process, MQD_TYPE_opal_object_t, ta, &object) != MQD_OK)
        return;
    class_ta = mqd_uint(&object.view, MQD_PATH_object_class);
    if (object.view.rc == MQD_OK)
        learn_classes(process, class_ta);
}

static void learn_class_of_elements(struct mqd_process *process, mqd_taddr list_ta)
{
    struct mqd_object list;
    struct mqd_view chunks;
    mqd_taddr class_ta;

    if (mqd_read_object(process, MQD_TYPE_opal_free_list_t, list_ta, &list) != MQD_OK)
        return;
    class_ta = mqd_uint(&list.view, MQD_PATH_free_list_class);
    chunks = mqd_inner(&list.view, MQD_PATH_free_list_chunks);
    if (list.view.rc != MQD_OK || chunks.rc != MQD_OK)
        return;
    learn_classes(process, class_ta);
    learn_class_of_object(process, chunks.ta);
}

/* Adds the class of a peer and of its first unexpected message. */
static void learn_classes_of_peer(struct mqd_process *process, mqd_taddr peer_ta)
{
    struct mqd_object peer;
    struct mqd_view list;
    mqd_taddr first_ta;

    learn_class_of_object(process, peer_ta);
    if (mqd_read_object(process, MQD_TYPE_mca_pml_ob1_comm_proc_t, peer_ta, &peer) != MQD_OK)
        return;
    list = mqd_inner(&peer.view, MQD_PATH_peer_unexpected);
    list = mqd_inner(&list, MQD_PATH_list_sentinel);
    first_ta = mqd_uint(&list, MQD_PATH_item_next);
    if (list.rc == MQD_OK && first_ta != list.ta)
        learn_class_of_object(process, first_ta);
}

static void learn_classes_of_peers(struct mqd_process *process, mqd_taddr pml_ta)
{
    struct mqd_object matching;
    mqd_taddr procs_ta;
    uint64_t n_procs;

    if (mqd_read_object(process, MQD_TYPE_mca_pml_ob1_comm_t, pml_ta, &matching) != MQD_OK)
        return;
    procs_ta = mqd_uint(&matching.view, MQD_PATH_ob1_procs);
    n_procs = mqd_uint(&matching.view, MQD_PATH_ob1_num_procs);
    if (matching.view.rc != MQD_OK)
        return;
    for (uint64_t i = 0; i < n_procs && i < MAX_PEERS_TRIED &&
                         !process->evidence.classes[MQD_TYPE_mca_pml_ob1_recv_frag_t].readable; i++) {
        mqd_taddr peer_ta;

        if (mqd_read_pointer(process, procs_ta + i * process->evidence.abi.pointer_size, &peer_ta) != MQD_OK)
            return;
        if (peer_ta != 0)
            learn_classes_of_peer(process, peer_ta);
    }
}

/*
 * Finds class descriptors through objects. The debugger may not find a descriptor's symbol, because it has not read the
 * symbols of a plugin, or because a library hides its symbols. The objects are the elements of the request lists, and
 * the objects that MPI_COMM_WORLD points to.
 */
static void learn_classes_by_data(struct mqd_process *process)
{
    static const char *const lists[] = {"mca_pml_base_recv_requests", "mca_pml_base_send_requests"};
    struct mqd_object array, world;
    mqd_taddr ta, pml_ta;

    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        if (mqd_symbol(process, lists[i], &ta)) {
            learn_class_of_object(process, ta);
            learn_class_of_elements(process, ta);
        }
    if (mqd_symbol(process, "ompi_proc_local_proc", &ta) && mqd_read_pointer(process, ta, &ta) == MQD_OK)
        learn_class_of_object(process, ta);
    if (!mqd_symbol(process, "ompi_mpi_communicators", &ta) ||
        mqd_read_object(process, MQD_TYPE_opal_pointer_array_t, ta, &array) != MQD_OK)
        return;
    learn_class_of_object(process, ta);
    ta = mqd_uint(&array.view, MQD_PATH_array_addr);
    if (array.view.rc != MQD_OK || ta == 0 || mqd_read_pointer(process, ta, &ta) != MQD_OK || ta == 0 ||
        mqd_read_object(process, MQD_TYPE_ompi_communicator_t, ta, &world) != MQD_OK)
        return;
    learn_class_of_object(process, ta);
    learn_class_of_object(process, mqd_uint(&world.view, MQD_PATH_comm_local_group));
    pml_ta = mqd_uint(&world.view, MQD_PATH_comm_pml);
    if (world.view.rc == MQD_OK && pml_ta != 0) {
        learn_class_of_object(process, pml_ta);
        learn_classes_of_peers(process, pml_ta);
    }
}

static bool all_classes_readable(const struct mqd_evidence *evidence)
{
    for (unsigned type = 0; type < MQD_N_TYPES; type++)
        if (mqd_type_specs[type].class_symbol != NULL && !evidence->classes[type].readable)
            return false;
    return true;
}

/*
 * Class descriptors and objects have to be read before the layout is known. So they are read with each table in turn,
 * as if it were the right one. This is safe: a descriptor has the same layout in all tables, and its name shows that it
 * is one. If no table is for this ABI, the debugger's types are used.
 *
 * Returns the first read of a descriptor by its symbol that failed, MQD_OK if none did: what else fails may be due to the
 * wrong table.
 */
static enum mqd_rc learn_classes_of_process(const struct dbgr_image *image, struct mqd_process *process)
{
    enum mqd_rc unread = MQD_OK;
    bool by_symbol = false;

    for (size_t i = 0; i < mqd_n_tables && !all_classes_readable(&process->evidence); i++) {
        if (!mqd_may_fit(mqd_tables[i], &process->evidence))
            continue;
        mqd_assume(mqd_tables[i], &process->layout);
        mqd_measure(process);
        if (!by_symbol)
            unread = learn_classes_by_symbol(image, process);
        by_symbol = true;
        if (!all_classes_readable(&process->evidence) && mqd_may_fit(mqd_tables[i], &process->evidence))
            learn_classes_by_data(process);
    }
    if (!by_symbol) {
        mqd_resolve(mqd_tables, 0, &process->evidence, &process->layout);
        mqd_measure(process);
        unread = learn_classes_by_symbol(image, process);
    }
    return unread;
}

/* Reads the version that Open MPI states; "" if it cannot be read. */
static void read_version(struct mqd_process *process, char *version, size_t n_room)
{
    mqd_taddr ta;

    version[0] = '\0';
    if (mqd_symbol(process, "ompi_version_string", &ta) && mqd_read_string(process, ta, version, n_room) != MQD_OK)
        version[0] = '\0';
}

static bool is_complete(const struct mqd_layout *layout)
{
    if (layout->verdict != MQD_VERDICT_resolved)
        return false;
    for (unsigned can = 0; can < MQD_N_CAPABILITIES; can++)
        if (mqd_capability_specs[can].library == MQD_LIBRARY_openmpi && !layout->can[can])
            return false;
    return true;
}

bool mqd_layout_stands(struct mqd_process *process)
{
    char version[sizeof process->evidence.version];

    if (!is_complete(&process->layout))
        return false;
    read_version(process, version, sizeof version);
    return strcmp(version, process->evidence.version) == 0;
}

static enum mqd_rc verdict_rc(const struct mqd_layout *layout)
{
    switch (layout->verdict) {
    case MQD_VERDICT_resolved:
        return MQD_OK;
    case MQD_VERDICT_no_evidence:
        return MQD_RC_no_evidence;
    case MQD_VERDICT_no_table:
        return MQD_RC_no_table;
    case MQD_VERDICT_no_family:
        return MQD_RC_no_family;
    case MQD_VERDICT_contradiction:
        break;
    }
    return MQD_RC_contradiction;
}

enum mqd_rc mqd_find_layout(struct mqd_process *process)
{
    struct dbgr_image debugger;
    struct mqd_image *image;
    enum mqd_rc rc, unread;

    if (!mqd_image_of(process, &debugger, &image))
        return MQD_RC_no_image;
    memset(&process->evidence, 0, sizeof process->evidence);
    memset(&process->layout, 0, sizeof process->layout);
    rc = ask_abi(&debugger, process);
    if (rc != MQD_OK)
        return rc;
    mqd_ask_types(&debugger, image);
    memcpy(process->evidence.live, image->live, sizeof process->evidence.live);
    memcpy(process->evidence.live_offset, image->live_offset, sizeof process->evidence.live_offset);

    unread = learn_classes_of_process(&debugger, process);
    read_version(process, process->evidence.version, sizeof process->evidence.version);
    mqd_resolve(mqd_tables, mqd_n_tables, &process->evidence, &process->layout);
    mqd_measure(process);
    /* More descriptors can only lead to more: they do not take back a contradiction. */
    if (process->layout.verdict == MQD_VERDICT_no_evidence && unread != MQD_OK)
        return unread;
    return verdict_rc(&process->layout);
}

bool mqd_is_contradiction(enum mqd_rc rc)
{
    switch (rc) {
    case MQD_RC_no_table:
    case MQD_RC_no_family:
    case MQD_RC_contradiction:
    case MQD_RC_bad_array:
    case MQD_RC_bad_null:
    case MQD_RC_bad_world:
    case MQD_RC_bad_own_name:
        return true;
    default:
        return false;
    }
}

enum mqd_rc mqd_capability_rc(const struct mqd_process *process, enum mqd_capability can)
{
    if (process->layout.can[can])
        return MQD_OK;
    if (process->layout.lacks_constant[can] < MQD_N_CONSTANTS)
        return mqd_rc_unknown_constant(process->layout.lacks_constant[can]);
    return mqd_rc_unknown(process->layout.lacks[can]);
}

enum mqd_rc mqd_found(struct mqd_process *process, enum mqd_probe probe, enum mqd_rc rc)
{
    rc = mqd_because(process, rc);
    process->findings.probes[probe] = rc == MQD_OK                ? MQD_FINDING_passed
                                      : mqd_rc_is_unreadable(rc) ? MQD_FINDING_not_possible
                                                                 : MQD_FINDING_failed;
    return rc;
}

static bool is_completed(const struct mqd_process *process, struct mqd_view *request)
{
    return mqd_is(process, MQD_CONSTANT_request_completed, (int64_t)mqd_uint(request, MQD_PATH_request_complete));
}

static enum mqd_rc probe_request_null(struct mqd_process *process, mqd_taddr ta)
{
    struct mqd_object request;
    bool right;

    if (mqd_read_object(process, MQD_TYPE_ompi_request_t, ta, &request) != MQD_OK)
        return MQD_RC_bad_request_null;
    right = mqd_is(process, MQD_CONSTANT_request_null, mqd_int(&request.view, MQD_PATH_request_type)) &&
            mqd_is(process, MQD_CONSTANT_any_source, mqd_int(&request.view, MQD_PATH_request_source)) &&
            mqd_is(process, MQD_CONSTANT_any_tag, mqd_int(&request.view, MQD_PATH_request_tag)) &&
            mqd_is(process, MQD_CONSTANT_success, mqd_int(&request.view, MQD_PATH_request_error)) &&
            mqd_int(&request.view, MQD_PATH_request_cancelled) == 0 &&
            mqd_uint(&request.view, MQD_PATH_request_bytes) == 0 && is_completed(process, &request.view) &&
            mqd_is(process, MQD_CONSTANT_request_inactive, mqd_int(&request.view, MQD_PATH_request_state)) &&
            mqd_int(&request.view, MQD_PATH_request_persistent) == 0 &&
            mqd_int(&request.view, MQD_PATH_request_fortran_index) == 0;
    return right && request.view.rc == MQD_OK ? MQD_OK : MQD_RC_bad_request_null;
}

enum mqd_rc mqd_probe_requests(struct mqd_process *process)
{
    mqd_taddr ta;

    process->findings.probes[MQD_PROBE_request_null] = MQD_FINDING_not_possible;
    if (!mqd_symbol(process, "ompi_request_null_addr", &ta) || mqd_read_pointer(process, ta, &ta) != MQD_OK || ta == 0)
        return MQD_OK;
    return mqd_found(process, MQD_PROBE_request_null, probe_request_null(process, ta));
}

enum mqd_rc mqd_probe_datatypes(struct mqd_process *process)
{
    struct mqd_object datatype;
    mqd_taddr ta;
    enum mqd_rc rc = mqd_capability_rc(process, MQD_CAN_datatypes);

    if (rc != MQD_OK || !mqd_symbol(process, "ompi_mpi_byte", &ta) || !mqd_object_is(process, ta, "opal_datatype_t"))
        return rc;
    if (mqd_read_object(process, MQD_TYPE_ompi_datatype_t, ta, &datatype) != MQD_OK ||
        mqd_uint(&datatype.view, MQD_PATH_datatype_size) != 1 || datatype.view.rc != MQD_OK)
        return MQD_RC_bad_byte;
    return MQD_OK;
}

/* Of a member of a member no debugger is asked: that its place is the table's says nothing. */
const char *mqd_layout_source(const struct mqd_layout *layout, enum mqd_library library)
{
    bool seen[MQD_SOURCE_both + 1] = {false};

    /*
     * What only adds to a listing, or belongs to a PML that the process may not use, is not what it rests on. For a
     * member of a member no debugger is asked.
     */
    for (unsigned path = MQD_PATH_root + 1; path < MQD_N_PATHS; path++)
        if (mqd_path_specs[path].library == library && mqd_path_specs[path].need < MQD_N_CAPABILITIES &&
            mqd_step_specs[mqd_path_specs[path].step].ways == NULL)
            seen[layout->paths[path].source] = true;
    if (seen[MQD_SOURCE_both] && !seen[MQD_SOURCE_live] && !seen[MQD_SOURCE_table])
        return "table+live";
    if (seen[MQD_SOURCE_live] && !seen[MQD_SOURCE_both] && !seen[MQD_SOURCE_table])
        return "live";
    if (seen[MQD_SOURCE_table] && !seen[MQD_SOURCE_both] && !seen[MQD_SOURCE_live])
        return "table";
    return "mixed";
}
