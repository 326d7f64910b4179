/*
 * names.c - names of enumerators for programs.
 */
#include "mqd/dump/record/names.h"

#include "include/mqd_extension.h"
#include "include/mpi_interface.h"
#include "mqd/dump/collect/target/stack/stack.h"

static const char *const operation_kinds[] = {
    [MQD_OPERATION_recv] = "recv", [MQD_OPERATION_probe] = "probe", [MQD_OPERATION_mprobe] = "mprobe",
    [MQD_OPERATION_send] = "send", [MQD_OPERATION_ssend] = "ssend", [MQD_OPERATION_bsend] = "bsend",
    [MQD_OPERATION_rsend] = "rsend", [MQD_OPERATION_message] = "message",
};

static const char *const send_modes[] = {
    [MQD_MODE_standard] = "standard", [MQD_MODE_synchronous] = "synchronous", [MQD_MODE_buffered] = "buffered",
    [MQD_MODE_ready] = "ready",
};

static const char *const protocols[] = {
    [MQD_PROTOCOL_eager] = "eager", [MQD_PROTOCOL_rendezvous] = "rendezvous",
    [MQD_PROTOCOL_single_copy] = "single_copy",
};

static const char *const progress[] = {
    [MQD_PROGRESS_posted] = "posted", [MQD_PROGRESS_waited_for] = "waited_for",
    [MQD_PROGRESS_receiving] = "receiving", [MQD_PROGRESS_complete] = "complete",
    [MQD_PROGRESS_cancelled] = "cancelled", [MQD_PROGRESS_truncated] = "truncated", [MQD_PROGRESS_failed] = "failed",
    [MQD_PROGRESS_queued] = "queued", [MQD_PROGRESS_transport] = "transport",
    [MQD_PROGRESS_rendezvous] = "rendezvous", [MQD_PROGRESS_single_copy] = "single_copy",
    [MQD_PROGRESS_transfer] = "transfer", [MQD_PROGRESS_in_transit] = "in_transit", [MQD_PROGRESS_eager] = "eager",
    [MQD_PROGRESS_arrived_rendezvous] = "arrived_rendezvous", [MQD_PROGRESS_out_of_sequence] = "out_of_sequence",
    [MQD_PROGRESS_pending_communicator] = "pending_communicator", [MQD_PROGRESS_unmatched] = "unmatched",
    [MQD_PROGRESS_unfinished] = "unfinished", [MQD_PROGRESS_arriving] = "arriving",
    [MQD_PROGRESS_handed_over] = "handed_over",
};

static const char *const owners[] = {
    [MQD_OWNER_program] = "program", [MQD_OWNER_window] = "window", [MQD_OWNER_file] = "file",
    [MQD_OWNER_library] = "library",
};

static const char *const accesses[] = {
    [MQD_ACCESS_none] = "none", [MQD_ACCESS_fence] = "fence", [MQD_ACCESS_start] = "start",
    [MQD_ACCESS_lock] = "lock", [MQD_ACCESS_lock_all] = "lock_all",
};

static const char *const roles[] = {
    [MQD_ROLE_started] = "started", [MQD_ROLE_posted] = "posted", [MQD_ROLE_exclusive] = "exclusive",
    [MQD_ROLE_shared] = "shared", [MQD_ROLE_unchecked] = "unchecked",
};

static const char *const reasons[] = {
    [MQD_REASON_none] = "none", [MQD_REASON_end] = "end", [MQD_REASON_caller] = "caller",
    [MQD_REASON_no_memory] = "no_memory", [MQD_REASON_no_openmpi] = "no_openmpi", [MQD_REASON_ignored] = "ignored",
    [MQD_REASON_not_initialised] = "not_initialised", [MQD_REASON_finalized] = "finalized",
    [MQD_REASON_unreadable] = "unreadable", [MQD_REASON_no_layout] = "no_layout",
    [MQD_REASON_wrong_layout] = "wrong_layout", [MQD_REASON_no_member] = "no_member",
    [MQD_REASON_no_symbol] = "no_symbol", [MQD_REASON_other_pml] = "other_pml", [MQD_REASON_pml_cm] = "pml_cm",
    [MQD_REASON_pml_ucx] = "pml_ucx", [MQD_REASON_pml_yalla] = "pml_yalla", [MQD_REASON_pml_ubcl] = "pml_ubcl",
    [MQD_REASON_damaged] = "damaged", [MQD_REASON_no_constant] = "no_constant",
    [MQD_REASON_no_library_layout] = "no_library_layout", [MQD_REASON_undecided] = "undecided",
    [MQD_REASON_elsewhere] = "elsewhere", [MQD_REASON_overtaking] = "overtaking",
};

/* MPI_THREAD_SINGLE and so on. */
static const char *const thread_levels[] = {"single", "funneled", "serialized", "multiple"};

static const char *const call_states[] = {[CALL_UNKNOWN] = "unknown", [CALL_OUTSIDE] = "outside", [CALL_MPI] = "mpi"};

static const char *const queues[] = {
    [mqs_pending_sends] = "pending_sends",
    [mqs_pending_receives] = "pending_receives",
    [mqs_unexpected_messages] = "unexpected_messages",
};

#define NAMES(name, list) const struct names name##_names = {list, sizeof list / sizeof *list}
NAMES(operation_kind, operation_kinds);
NAMES(send_mode, send_modes);
NAMES(protocol, protocols);
NAMES(progress, progress);
NAMES(owner, owners);
NAMES(access, accesses);
NAMES(role, roles);
NAMES(reason, reasons);
NAMES(thread_level, thread_levels);
NAMES(call_state, call_states);
NAMES(queue, queues);

const char *name_of(const struct names *names, long number)
{
    return number >= 0 && (size_t)number < names->n ? names->all[number] : NULL;
}
