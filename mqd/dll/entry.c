/*
 * entry.c - the functions of the interface and of the extension. Each checks its arguments, calls the core, and returns
 * a code.
 *
 * None of them calls another mqs_* function, because the debugger may have loaded a second DLL with the same names.
 */
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "include/mqd_extension.h"
#include "mqd/dll/describe.h"
#include "mqd/dll/evidence.h"
#include "mqd/dll/handle/handle.h"
#include "mqd/dll/message.h"
#include "mqd/dll/nonblocking.h"
#include "mqd/dll/osc/window.h"
#include "mqd/dll/pml.h"
#include "mqd/dll/snapshot.h"
#include "mqd/dll/thread.h"
#include "mqd/dll/use.h"
#include "mqd/dll/banned.h"

static struct mqd_process *process_info(mqs_process *process)
{
    return dbgr_ready() && process != NULL ? dbgr_get_process_info(process) : NULL;
}

/* Finds the DLL's object for a process, and its current communicator. */
static enum mqd_rc find_current(mqs_process *process, struct mqd_process **info, struct mqd_communicator **current)
{
    *info = process_info(process);
    *current = *info != NULL ? mqd_communicators_current(*info) : NULL;
    if (*info == NULL)
        return MQD_RC_no_process;
    return *current != NULL ? MQD_OK : MQD_RC_no_communicator;
}

static void destroy_image(void *info)
{
    if (mqd_info_remove(info, MQD_INFO_image))
        dbgr_release(info);
}

static void destroy_process(void *handle)
{
    struct mqd_process *info = handle;

    if (!mqd_info_remove(info, MQD_INFO_process))
        return;
    mqd_snapshot_release(info);
    mqd_cache_release(info);
    dbgr_release(info);
}

void mqs_setup_basic_callbacks(const mqs_basic_callbacks *callbacks)
{
    dbgr_use(callbacks);
}

char *mqs_version_string(void)
{
    static char text[] = "ompi-mqd " PACKAGE_VERSION ", message queues of Open MPI";

    return text;
}

int mqs_version_compatibility(void)
{
    return MQS_INTERFACE_COMPATIBILITY;
}

int mqs_dll_taddr_width(void)
{
    return (int)sizeof(mqs_taddr_t);
}

char *mqs_dll_error_string(int code)
{
    return (char *)dbgr_error_text(code);
}

int mqs_setup_image(mqs_image *image, const mqs_image_callbacks *callbacks)
{
    struct mqd_image *info;

    if (!dbgr_ready() || callbacks == NULL)
        return MQD_RC_no_callbacks;
    if (image == NULL)
        return MQD_RC_bad_argument;
    info = dbgr_alloc(sizeof *info);
    if (info == NULL)
        return MQD_RC_no_memory;
    memset(info, 0, sizeof *info);
    info->callbacks = callbacks;
    destroy_image(mqd_info_of(image, MQD_INFO_image));
    mqd_info_add(&info->info, image, MQD_INFO_image);
    dbgr_put_image_info(image, info);
    return mqs_ok;
}

int mqs_image_has_queues(mqs_image *image, char **message)
{
    struct mqd_image *info;
    struct dbgr_image debugger;

    if (message != NULL)
        *message = NULL;
    info = dbgr_ready() && image != NULL ? dbgr_get_image_info(image) : NULL;
    if (info == NULL)
        return MQD_RC_no_image;
    debugger = (struct dbgr_image){.image = image, .callbacks = info->callbacks};
    /* Debuggers load this library for shells and launchers too. So there is no message if Open MPI is missing. */
    if (!dbgr_find_symbol(&debugger, "ompi_mpi_communicators", NULL))
        return MQD_RC_no_openmpi;
    if (dbgr_find_symbol(&debugger, "MPIR_Ignore_queues", NULL))
        return MQD_RC_ignored;
    mqd_ask_types(&debugger, info);
    return mqs_ok;
}

int mqs_destroy_image_info(mqs_image_info *info)
{
    destroy_image(info);
    return mqs_ok;
}

/* Debuggers that do not use the extension have no option for this. Their users set an environment variable. */
static bool is_asked_for_internal(void)
{
    const char *value = getenv("OMPI_MQD_SHOW_INTERNAL");

    return value != NULL && strcmp(value, "1") == 0;
}

int mqs_setup_process(mqs_process *process, const mqs_process_callbacks *callbacks)
{
    struct mqd_process *info, *before;

    if (!dbgr_ready() || callbacks == NULL)
        return MQD_RC_no_callbacks;
    if (process == NULL)
        return MQD_RC_bad_argument;
    info = dbgr_alloc(sizeof *info);
    if (info == NULL)
        return MQD_RC_no_memory;
    memset(info, 0, sizeof *info);
    info->debugger = (struct dbgr_process){.process = process, .callbacks = callbacks};
    info->show_internal = is_asked_for_internal();
    mqd_snapshot_drop(info);
    before = (struct mqd_process *)mqd_info_of(process, MQD_INFO_process);
    if (before != NULL)
        mqd_snapshot_take_room(info, before);
    destroy_process(before);
    mqd_info_add(&info->info, process, MQD_INFO_process);
    dbgr_put_process_info(process, info);
    return mqs_ok;
}

int mqs_process_has_queues(mqs_process *process, char **message)
{
    struct mqd_process *info = process_info(process);
    enum mqd_rc rc;
    char *text;

    if (message != NULL)
        *message = NULL;
    if (info == NULL)
        return MQD_RC_no_process;
    rc = mqd_snapshot_take(info);
    if (rc == MQD_RC_no_image || rc == MQD_RC_bad_argument || rc == MQD_RC_too_wide)
        return (int)rc;
    /* The debugger asks only once and keeps the answer. So a process is refused only if the refusal is final. */
    text = mqd_is_contradiction(rc) ? mqd_refusal(info, rc) : mqd_limits(info);
    if (message != NULL)
        *message = text;
    return mqd_is_contradiction(rc) ? (int)rc : mqs_ok;
}

int mqs_destroy_process_info(mqs_process_info *info)
{
    destroy_process(info);
    return mqs_ok;
}

int mqs_update_communicator_list(mqs_process *process)
{
    struct mqd_process *info = process_info(process);

    return info != NULL ? (int)mqd_snapshot_take(info) : MQD_RC_no_process;
}

int mqs_setup_communicator_iterator(mqs_process *process)
{
    struct mqd_process *info = process_info(process);

    return info != NULL ? mqd_communicators_begin(info) : MQD_RC_no_process;
}

int mqs_get_communicator(mqs_process *process, mqs_communicator *communicator)
{
    struct mqd_process *info;
    struct mqd_communicator *current;
    enum mqd_rc rc = find_current(process, &info, &current);

    if (rc != MQD_OK)
        return (int)rc;
    if (communicator == NULL)
        return MQD_RC_bad_argument;
    memset(communicator, 0, sizeof *communicator);
    communicator->unique_id = (mqs_taddr_t)current->unique_id;
    communicator->local_rank = current->my_rank;
    communicator->size = current->n_local;
    memcpy(communicator->name, current->name, sizeof communicator->name);
    return mqs_ok;
}

int mqs_get_comm_group(mqs_process *process, int *group)
{
    struct mqd_process *info;
    struct mqd_communicator *current;
    enum mqd_rc rc = find_current(process, &info, &current);

    if (rc != MQD_OK)
        return (int)rc;
    if (group == NULL)
        return MQD_RC_bad_argument;
    rc = mqd_read_group(info, current, false);
    if (rc == MQD_OK)
        memcpy(group, current->local.world_ranks, (size_t)current->n_local * sizeof *group);
    return (int)rc;
}

int mqs_next_communicator(mqs_process *process)
{
    struct mqd_process *info = process_info(process);

    return info != NULL ? mqd_communicators_next(info) : MQD_RC_no_process;
}

int mqs_setup_operation_iterator(mqs_process *process, int op)
{
    struct mqd_process *info = process_info(process);

    return info != NULL ? mqd_operations_begin(info, op) : MQD_RC_no_process;
}

int mqs_next_operation(mqs_process *process, mqs_pending_operation *operation)
{
    struct mqd_process *info = process_info(process);

    if (info == NULL)
        return MQD_RC_no_process;
    if (operation != NULL)
        return mqd_operations_next(info, operation);
    info->snapshot.has_operation = false;
    info->snapshot.found.n_items = 0;
    return MQD_RC_bad_argument;
}

static int describe_layout(mqs_process *process, struct mqd_layout_summary *summary)
{
    struct mqd_process *info = process_info(process);

    if (info == NULL)
        return MQD_RC_no_process;
    return summary != NULL ? mqd_describe_layout(info, summary) : MQD_RC_bad_argument;
}

static int describe_type(mqs_process *process, int index, struct mqd_type_description *type)
{
    struct mqd_process *info = process_info(process);

    if (info == NULL)
        return MQD_RC_no_process;
    return type != NULL ? mqd_describe_type(info, index, type) : MQD_RC_bad_argument;
}

static int describe_field(mqs_process *process, int index, struct mqd_field_description *field)
{
    struct mqd_process *info = process_info(process);

    if (info == NULL)
        return MQD_RC_no_process;
    return field != NULL ? mqd_describe_field(info, index, field) : MQD_RC_bad_argument;
}

static int describe_probe(mqs_process *process, int index, struct mqd_probe_description *probe)
{
    struct mqd_process *info = process_info(process);

    if (info == NULL)
        return MQD_RC_no_process;
    return probe != NULL ? mqd_describe_probe(info, index, probe) : MQD_RC_bad_argument;
}

static int describe_capability(mqs_process *process, int index, struct mqd_capability_description *capability)
{
    struct mqd_process *info = process_info(process);

    if (info == NULL)
        return MQD_RC_no_process;
    return capability != NULL ? mqd_describe_capability(info, index, capability) : MQD_RC_bad_argument;
}

static int show_internal(mqs_process *process, int show)
{
    struct mqd_process *info = process_info(process);

    if (info == NULL)
        return MQD_RC_no_process;
    info->show_internal = show != 0;
    return mqs_ok;
}

static int describe_communicator(mqs_process *process, struct mqd_communicator_summary *summary)
{
    struct mqd_process *info;
    struct mqd_communicator *current;
    uint32_t n_receives, n_sends;
    enum mqd_rc rc = find_current(process, &info, &current);

    if (rc != MQD_OK)
        return (int)rc;
    if (summary == NULL)
        return MQD_RC_bad_argument;
    memset(summary, 0, sizeof *summary);
    summary->internal = current->hidden;
    summary->remote_size = current->remote_ta != current->local_ta ? current->n_remote : 0;
    if (mqd_pml_read_activity(info, current, &n_receives, &n_sends) == MQD_OK) {
        summary->has_activity = 1;
        summary->n_receives = n_receives;
        summary->n_sends = n_sends;
    }
    return mqs_ok;
}

static int describe_traffic(mqs_process *process, int index, struct mqd_traffic_description *traffic)
{
    struct mqd_process *info;
    struct mqd_communicator *current;
    uint16_t n_sent, n_arrived;
    enum mqd_rc rc = find_current(process, &info, &current);

    if (rc != MQD_OK)
        return (int)rc;
    if (traffic == NULL || index < 0)
        return MQD_RC_bad_argument;
    if (index >= current->n_remote)
        return mqs_end_of_list;
    rc = mqd_pml_read_traffic(info, current, (uint32_t)index, &n_sent, &n_arrived);
    if (rc != MQD_OK)
        return (int)rc;
    traffic->global_rank = mqd_world_rank(info, current, index);
    traffic->n_sent = n_sent;
    traffic->n_arrived = n_arrived;
    return mqs_ok;
}

static int describe_self(mqs_process *process, struct mqd_process_name *name)
{
    struct mqd_process *info = process_info(process);

    if (info == NULL)
        return MQD_RC_no_process;
    if (name == NULL)
        return MQD_RC_bad_argument;
    if (!info->snapshot.own_name_known)
        return MQD_RC_bad_own_name;
    *name = (struct mqd_process_name){.job = info->snapshot.own_jobid, .rank = (long)info->snapshot.own_vpid};
    return mqs_ok;
}

static int describe_member(mqs_process *process, int rank, struct mqd_process_name *name)
{
    struct mqd_process *info;
    struct mqd_communicator *current;
    struct mqd_name found;
    enum mqd_rc rc = find_current(process, &info, &current);

    if (rc != MQD_OK)
        return (int)rc;
    if (name == NULL)
        return MQD_RC_bad_argument;
    if (!mqd_peer_name(info, current, rank, &found))
        return MQD_RC_bad_group;
    *name = (struct mqd_process_name){.job = found.jobid, .rank = (long)found.vpid};
    return mqs_ok;
}

/* Finds the DLL's object for a process, and the operation that was returned last. */
static enum mqd_rc find_operation(mqs_process *process, struct mqd_process **info,
                                  const struct mqd_operation **operation)
{
    *info = process_info(process);
    *operation = *info != NULL ? mqd_operations_current(*info) : NULL;
    if (*info == NULL)
        return MQD_RC_no_process;
    return *operation != NULL ? MQD_OK : MQD_RC_no_operation;
}

static int describe_operation(mqs_process *process, struct mqd_operation_description *operation)
{
    struct mqd_process *info;
    const struct mqd_operation *current;
    enum mqd_rc rc = find_operation(process, &info, &current);

    if (rc != MQD_OK)
        return (int)rc;
    if (operation == NULL)
        return MQD_RC_bad_argument;
    mqd_describe_operation(info, current, operation);
    return mqs_ok;
}

static int describe_unknown(mqs_process *process, struct mqd_unknown_description *unknown)
{
    struct mqd_process *info;
    const struct mqd_operation *current;
    enum mqd_rc rc = find_operation(process, &info, &current);

    if (rc != MQD_OK)
        return (int)rc;
    if (unknown == NULL)
        return MQD_RC_bad_argument;
    *unknown = (struct mqd_unknown_description){current->unknown.peer, current->unknown.tag, current->unknown.length,
                                                current->unknown.buffer};
    return mqs_ok;
}

static mqs_taddr_t send_request_of(mqs_process *process)
{
    struct mqd_process *info;
    const struct mqd_operation *current;

    return find_operation(process, &info, &current) == MQD_OK ? (mqs_taddr_t)current->send_request_ta : 0;
}

static int find_send(mqs_process *process, mqs_taddr_t request, mqs_taddr_t *communicator,
                     mqs_pending_operation *operation)
{
    struct mqd_process *info = process_info(process);
    enum mqd_rc rc;

    if (info == NULL)
        return MQD_RC_no_process;
    if (communicator == NULL || operation == NULL)
        return MQD_RC_bad_argument;
    rc = mqd_operations_find(info, request, operation);
    if (rc != MQD_OK)
        return rc == MQD_RC_no_operation ? mqs_end_of_list : (int)rc;
    *communicator = (mqs_taddr_t)mqd_communicator_at(info, mqd_operations_current(info)->communicator)->unique_id;
    return mqs_ok;
}

static int describe_library(mqs_process *process, int index, struct mqd_library_summary *summary)
{
    struct mqd_process *info = process_info(process);

    if (info == NULL)
        return MQD_RC_no_process;
    return summary != NULL ? mqd_describe_library(info, index, summary) : MQD_RC_bad_argument;
}

static int describe_process(mqs_process *process, struct mqd_process_description *description)
{
    struct mqd_process *info = process_info(process);

    if (info == NULL)
        return MQD_RC_no_process;
    if (description == NULL)
        return MQD_RC_bad_argument;
    if (mqd_snapshot_rc(info) != MQD_OK)
        return (int)mqd_snapshot_rc(info);
    *description = (struct mqd_process_description){.thread_level = mqd_thread_level(info)};
    return mqs_ok;
}

static int describe_use(mqs_process *process, struct mqd_communicator_use *use)
{
    struct mqd_process *info;
    struct mqd_communicator *current;
    enum mqd_rc rc = find_current(process, &info, &current);

    if (rc != MQD_OK)
        return (int)rc;
    if (use == NULL)
        return MQD_RC_bad_argument;
    mqd_describe_use(info, current, use);
    return mqs_ok;
}

static unsigned long collective_number_of(mqs_process *process)
{
    struct mqd_process *info;
    const struct mqd_operation *current;

    if (find_operation(process, &info, &current) != MQD_OK || !mqd_is_internal(current))
        return 0;
    return (unsigned long)mqd_nonblocking_number(info, mqd_communicator_at(info, current->communicator),
                                                 mqd_tag_of(current));
}

static mqs_taddr_t waiter_of(mqs_process *process)
{
    struct mqd_process *info;
    const struct mqd_operation *current;

    return find_operation(process, &info, &current) == MQD_OK ? (mqs_taddr_t)current->waiter_ta : 0;
}

/* The window of the current communicator, read into info->snapshot.window. */
static int read_window(mqs_process *process, struct mqd_process **info)
{
    struct mqd_communicator *current;
    enum mqd_rc rc = find_current(process, info, &current);

    return (int)(rc != MQD_OK ? rc : mqd_window_read(*info, current));
}

static int describe_window(mqs_process *process, struct mqd_window_description *window)
{
    struct mqd_process *info;
    int code = read_window(process, &info);

    if (code != mqs_ok)
        return code;
    if (window == NULL)
        return MQD_RC_bad_argument;
    *window = info->snapshot.window.description;
    return mqs_ok;
}

static int describe_window_peer(mqs_process *process, int index, struct mqd_window_peer *peer)
{
    struct mqd_process *info;
    int code = read_window(process, &info);

    if (code != mqs_ok)
        return code;
    if (peer == NULL)
        return MQD_RC_bad_argument;
    if (index < 0 || (size_t)index >= info->snapshot.window.peers.n_items)
        return mqs_end_of_list;
    *peer = *(struct mqd_window_peer *)mqd_vector_at(&info->snapshot.window.peers, (size_t)index);
    return mqs_ok;
}

static int describe_handle(mqs_process *process, int kind, mqs_taddr_t value, int language,
                           struct mqd_handle_summary *summary)
{
    struct mqd_process *info = process_info(process);

    if (info == NULL)
        return MQD_RC_no_process;
    return summary != NULL ? mqd_describe_handle(info, kind, value, language, summary) : MQD_RC_bad_argument;
}

static int describe_arrangement(mqs_process *process)
{
    struct mqd_process *info = process_info(process);

    return info != NULL ? mqd_describe_arrangement(info) : MQD_RC_no_process;
}

static int describe_handle_item(mqs_process *process, int index, struct mqd_handle_item *item)
{
    struct mqd_process *info = process_info(process);

    if (info == NULL)
        return MQD_RC_no_process;
    return item != NULL ? mqd_describe_handle_item(info, index, item) : MQD_RC_bad_argument;
}

static int find_handle(mqs_process *process, int kind, const char *name, mqs_taddr_t *value)
{
    struct mqd_process *info = process_info(process);

    if (info == NULL)
        return MQD_RC_no_process;
    return name != NULL && value != NULL ? mqd_find_handle(info, kind, name, value) : MQD_RC_bad_argument;
}

static int next_handle(mqs_process *process, int kind, long *fortran, mqs_taddr_t *value)
{
    struct mqd_process *info = process_info(process);

    if (info == NULL)
        return MQD_RC_no_process;
    return fortran != NULL && value != NULL ? mqd_next_handle(info, kind, fortran, value) : MQD_RC_bad_argument;
}

static int reason_of(int code)
{
    return (int)mqd_rc_reason(code);
}

static int describe_limit(mqs_process *process, int index, struct mqd_limit_description *limit)
{
    struct mqd_process *info = process_info(process);

    if (info == NULL)
        return MQD_RC_no_process;
    return limit != NULL ? mqd_describe_limit(info, index, limit) : MQD_RC_bad_argument;
}

const struct mqd_extension_v1 *ompi_mqd_extension(int version)
{
    static const struct mqd_extension_v1 table = {
        .size = sizeof table,
        .version = PACKAGE_VERSION,
        .describe_layout = describe_layout,
        .show_internal = show_internal,
        .describe_type = describe_type,
        .describe_field = describe_field,
        .describe_probe = describe_probe,
        .describe_capability = describe_capability,
        .describe_communicator = describe_communicator,
        .describe_traffic = describe_traffic,
        .describe_self = describe_self,
        .describe_member = describe_member,
        .describe_operation = describe_operation,
        .reason_of = reason_of,
        .describe_limit = describe_limit,
        .describe_unknown = describe_unknown,
        .describe_library = describe_library,
        .send_request_of = send_request_of,
        .find_send = find_send,
        .describe_process = describe_process,
        .describe_use = describe_use,
        .waiter_of = waiter_of,
        .collective_number_of = collective_number_of,
        .describe_window = describe_window,
        .describe_window_peer = describe_window_peer,
        .describe_handle = describe_handle,
        .describe_handle_item = describe_handle_item,
        .find_handle = find_handle,
        .next_handle = next_handle,
        .describe_arrangement = describe_arrangement,
    };

    return version == MQD_EXTENSION_VERSION ? &table : NULL;
}
