/*
 * entry.c - the functions of the interface and of the extension: arguments in, core call, code out.
 *
 * None of them calls another mqs_* function: those names may belong to a second DLL in the same debugger.
 */
#include <string.h>

#include "config.h"
#include "include/mqd_extension.h"
#include "mqd/dll/evidence.h"
#include "mqd/dll/match.h"
#include "mqd/dll/snapshot.h"
#include "mqd/dll/text.h"
#include "mqd/dll/banned.h"

static struct mqd_process *process_info(mqs_process *process)
{
    return dbgr_ready() && process != NULL ? dbgr_get_process_info(process) : NULL;
}

static void destroy_process(struct mqd_process *info)
{
    mqd_snapshot_drop(info);
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
    return (char *)mqd_rc_text(code);
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
    dbgr_release(dbgr_get_image_info(image));
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
    /* Debuggers load this library into shells and launchers too: silence where there is no Open MPI. */
    if (!dbgr_find_symbol(&debugger, "ompi_mpi_communicators", NULL))
        return MQD_RC_no_openmpi;
    if (dbgr_find_symbol(&debugger, "MPIR_Ignore_queues", NULL))
        return MQD_RC_ignored;
    mqd_ask_types(&debugger, info);
    return mqs_ok;
}

void mqs_destroy_image_info(mqs_image_info *info)
{
    if (info != NULL)
        dbgr_release(info);
}

int mqs_setup_process(mqs_process *process, const mqs_process_callbacks *callbacks)
{
    struct mqd_process *info, *old;

    if (!dbgr_ready() || callbacks == NULL)
        return MQD_RC_no_callbacks;
    if (process == NULL)
        return MQD_RC_bad_argument;
    info = dbgr_alloc(sizeof *info);
    if (info == NULL)
        return MQD_RC_no_memory;
    memset(info, 0, sizeof *info);
    info->debugger = (struct dbgr_process){.process = process, .callbacks = callbacks};
    mqd_snapshot_drop(info);
    old = process_info(process);
    if (old != NULL)
        destroy_process(old);
    dbgr_put_process_info(process, info);
    return mqs_ok;
}

/* One sentence for a window that pops up: what is wrong, with which Open MPI. No `%`, whatever the target says. */
static void write_message(struct mqd_process *info, enum mqd_rc rc)
{
    const struct mqd_layout *layout = &info->layout;
    const struct mqd_class_evidence *communicator = &info->evidence.classes[MQD_TYPE_ompi_communicator_t];
    struct mqd_line line = mqd_line_in(info->message, sizeof info->message);
    char version[sizeof info->evidence.version];

    mqd_copy_text(version, sizeof version, info->evidence.version, sizeof info->evidence.version);
    mqd_make_harmless(version);
    mqd_add(&line, "No message queues: ");
    mqd_add(&line, mqd_rc_text((int)rc));
    mqd_add(&line, " (Open MPI ");
    mqd_add(&line, version[0] != '\0' ? version : "of unknown version");
    if (rc == MQD_RC_contradiction && layout->contradicted != MQD_N_STEPS) {
        mqd_add(&line, ", ");
        mqd_add(&line, mqd_type_specs[mqd_step_specs[layout->contradicted].type].name);
        mqd_add(&line, ".");
        mqd_add(&line, mqd_step_specs[layout->contradicted].member);
    } else if (communicator->readable) {
        mqd_add(&line, ", ompi_communicator_t has ");
        mqd_add_number(&line, communicator->size);
        mqd_add(&line, " bytes");
    }
    mqd_add(&line, ")");
}

int mqs_process_has_queues(mqs_process *process, char **message)
{
    struct mqd_process *info = process_info(process);
    enum mqd_rc rc;

    if (message != NULL)
        *message = NULL;
    if (info == NULL)
        return MQD_RC_no_process;
    rc = mqd_snapshot_take(info);
    if (rc == MQD_RC_no_image || rc == MQD_RC_bad_argument)
        return (int)rc;
    /* The debugger asks once and remembers: only what will never be right is refused. */
    if (!mqd_is_contradiction(rc))
        return mqs_ok;
    write_message(info, rc);
    if (message != NULL)
        *message = info->message;
    return (int)rc;
}

void mqs_destroy_process_info(mqs_process_info *info)
{
    if (info != NULL)
        destroy_process((struct mqd_process *)info);
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
    struct mqd_process *info = process_info(process);
    const struct mqd_communicator *current;

    if (info == NULL)
        return MQD_RC_no_process;
    current = mqd_communicators_current(info);
    if (current == NULL)
        return MQD_RC_no_communicator;
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
    struct mqd_process *info = process_info(process);
    struct mqd_communicator *current;
    enum mqd_rc rc;

    if (info == NULL)
        return MQD_RC_no_process;
    current = mqd_communicators_current(info);
    if (current == NULL)
        return MQD_RC_no_communicator;
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
    return operation != NULL ? mqd_operations_next(info, operation) : MQD_RC_bad_argument;
}

static int describe_layout(mqs_process *process, struct mqd_layout_summary *summary)
{
    struct mqd_process *info = process_info(process);
    struct mqd_line line;

    if (info == NULL)
        return MQD_RC_no_process;
    if (summary == NULL)
        return MQD_RC_bad_argument;
    memset(summary, 0, sizeof *summary);
    mqd_copy_text(summary->openmpi, sizeof summary->openmpi, info->evidence.version, sizeof info->evidence.version);
    if (info->layout.live_rejected) {
        line = mqd_line_in(summary->rejected, sizeof summary->rejected);
        mqd_add(&line, mqd_type_specs[info->layout.live_rejected_by].name);
    }
    if (info->layout.verdict != MQD_VERDICT_resolved)
        return info->snapshot.taken ? (int)info->snapshot.rc : MQD_RC_no_evidence;
    if (info->layout.table != NULL) {
        line = mqd_line_in(summary->family, sizeof summary->family);
        mqd_add(&line, info->layout.table->first);
        mqd_add(&line, "-");
        mqd_add(&line, info->layout.table->last);
        line = mqd_line_in(summary->variant, sizeof summary->variant);
        mqd_add(&line, info->layout.table->variant);
    }
    line = mqd_line_in(summary->source, sizeof summary->source);
    mqd_add(&line, mqd_layout_source(&info->layout));
    return mqs_ok;
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
    struct mqd_process *info = process_info(process);
    const struct mqd_communicator *current;
    uint32_t n_receives, n_sends;

    if (info == NULL)
        return MQD_RC_no_process;
    current = mqd_communicators_current(info);
    if (current == NULL)
        return MQD_RC_no_communicator;
    if (summary == NULL)
        return MQD_RC_bad_argument;
    memset(summary, 0, sizeof *summary);
    summary->internal = current->hidden;
    summary->remote_size = current->remote_ta != current->local_ta ? current->n_remote : 0;
    if (mqd_read_activity(info, current, &n_receives, &n_sends) == MQD_OK) {
        summary->has_activity = 1;
        summary->n_receives = n_receives;
        summary->n_sends = n_sends;
    }
    return mqs_ok;
}

const struct mqd_extension_v1 *ompi_mqd_extension(int version)
{
    static const struct mqd_extension_v1 table = {sizeof table, PACKAGE_VERSION, describe_layout,
                                                  show_internal, describe_communicator};

    return version == MQD_EXTENSION_VERSION ? &table : NULL;
}
