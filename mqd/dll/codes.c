/* codes.c - the texts and the reasons of the result codes. */
#include "mqd/dll/codes.h"

#include <stddef.h>

#define MQD_CODE(name, text) text,
static const char *const texts[] = {
#include "mqd/dll/codes.def"
};
#undef MQD_CODE

#undef MQD_PATH
#define MQD_PATH(path, parent, type, member, need) \
    [MQD_PATH_##path] = "the place of " #type "." #member " in this build of " MQD_HERE_TITLE " is not known",
static const char *const path_texts[MQD_N_PATHS] = {
    [MQD_PATH_root] = "the layout of this build of Open MPI is not known",
#include "layout/lists.def"
};
#undef MQD_PATH
#define MQD_PATH(path, parent, type, member, need)

#undef MQD_CONSTANT
#define MQD_CONSTANT(name, expression, kind, rule, need) \
    "the value of " #expression " in this release of " MQD_HERE_TITLE " is not known",
static const char *const constant_texts[MQD_N_CONSTANTS] = {
#include "layout/lists.def"
};

const char *mqd_rc_text(int code)
{
    switch (code) {
    case mqs_ok:
        return "no error";
    case mqs_no_information:
        return "no information";
    case mqs_end_of_list:
        return "end of list";
    default:
        break;
    }
    if (code > MQD_RC_before_first && code < MQD_RC_first_path)
        return texts[code - mqs_first_user_code];
    if (code >= MQD_RC_first_path && code < MQD_RC_first_constant)
        return path_texts[code - MQD_RC_first_path];
    if (code >= MQD_RC_first_constant && code < MQD_RC_end)
        return constant_texts[code - MQD_RC_first_constant];
    if (code > MQD_RC_of_debugger)
        return texts[MQD_RC_unreadable - mqs_first_user_code];
    return "unknown code of the Open MPI message queue library";
}

/* There is no default label, so that the compiler warns about a code that is missing here. */
static enum mqd_reason reason_of_own(enum mqd_rc code)
{
    switch (code) {
    case MQD_RC_no_callbacks:
    case MQD_RC_no_image:
    case MQD_RC_no_process:
    case MQD_RC_bad_argument:
    case MQD_RC_no_communicator:
    case MQD_RC_no_operation:
    case MQD_RC_too_wide:
    case MQD_RC_other_handle:
        return MQD_REASON_caller;
    case MQD_RC_no_memory:
        return MQD_REASON_no_memory;
    case MQD_RC_no_openmpi:
        return MQD_REASON_no_openmpi;
    case MQD_RC_ignored:
        return MQD_REASON_ignored;
    case MQD_RC_not_initialised:
    case MQD_RC_no_evidence:
    case MQD_RC_ucx_no_worker:
        return MQD_REASON_not_initialised;
    case MQD_RC_finalized:
        return MQD_REASON_finalized;
    case MQD_RC_unreadable:
        return MQD_REASON_unreadable;
    case MQD_RC_no_table:
    case MQD_RC_no_family:
    case MQD_RC_no_handle_layout:
        return MQD_REASON_no_layout;
    case MQD_RC_contradiction:
    case MQD_RC_bad_array:
    case MQD_RC_bad_null:
    case MQD_RC_bad_world:
    case MQD_RC_bad_own_name:
    case MQD_RC_bad_request_null:
    case MQD_RC_bad_byte:
    case MQD_RC_cm_contradiction:
        return MQD_REASON_wrong_layout;
    case MQD_RC_no_send_list:
    case MQD_RC_no_recv_list:
    case MQD_RC_no_fragment_list:
    case MQD_RC_no_handle_table:
    case MQD_RC_ucx_no_module:
    case MQD_RC_ucx_no_callbacks:
        return MQD_REASON_no_symbol;
    case MQD_RC_not_ob1:
    case MQD_RC_not_this_pml:
        return MQD_REASON_other_pml;
    case MQD_RC_pml_cm:
        return MQD_REASON_pml_cm;
    case MQD_RC_pml_yalla:
        return MQD_REASON_pml_yalla;
    case MQD_RC_pml_ubcl:
        return MQD_REASON_pml_ubcl;
    case MQD_RC_bad_communicator:
    case MQD_RC_bad_window:
    case MQD_RC_bad_group:
    case MQD_RC_bad_free_list:
    case MQD_RC_free_list_sum:
    case MQD_RC_bad_list:
    case MQD_RC_bad_request:
    case MQD_RC_bad_datatype:
    case MQD_RC_bad_match:
    case MQD_RC_bad_matching_queue:
    case MQD_RC_bad_fragment:
    case MQD_RC_ucx_changing:
    case MQD_RC_ucx_bad_pool:
    case MQD_RC_ucx_bad_request:
    case MQD_RC_ucx_bad_message:
    case MQD_RC_bad_handle:
        return MQD_REASON_damaged;
    case MQD_RC_ucx_no_table:
        return MQD_REASON_no_library_layout;
    case MQD_RC_ucx_undecided:
        return MQD_REASON_undecided;
    case MQD_RC_cm_stack:
    case MQD_RC_cm_provider:
    case MQD_RC_osc_pt2pt:
    case MQD_RC_osc_ucx:
    case MQD_RC_osc_rdma:
    case MQD_RC_ucx_stack_sends:
    case MQD_RC_ucx_offload:
        return MQD_REASON_elsewhere;
    case MQD_RC_no_window:
    case MQD_RC_no_handle:
    case MQD_RC_long_list:
        return MQD_REASON_end;
    case MQD_RC_overtaking:
        return MQD_REASON_overtaking;
    case MQD_OK:
        return MQD_REASON_none;
    case MQD_RC_before_first:
    case MQD_RC_first_path:
    case MQD_RC_first_constant:
    case MQD_RC_end:
    case MQD_RC_of_debugger:
        break;
    }
    return MQD_REASON_unknown;
}

enum mqd_reason mqd_rc_reason(int code)
{
    if (code == mqs_end_of_list)
        return MQD_REASON_end;
    if (code >= MQD_RC_first_constant && code < MQD_RC_end)
        return MQD_REASON_no_constant;
    if (code >= MQD_RC_first_path && code < MQD_RC_first_constant)
        return MQD_REASON_no_member;
    if (code > MQD_RC_of_debugger)
        return MQD_REASON_unreadable;
    return reason_of_own((enum mqd_rc)code);
}
