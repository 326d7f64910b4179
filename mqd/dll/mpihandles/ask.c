/* ask.c - what the queries ask the extension. */
#include "mqd/dll/mpihandles/ask.h"

#include "mqd/dll/codes.h"
#include "mqd/dll/text.h"
#include "mqd/dll/banned.h"

int mqd_mpidbg_code(int code)
{
    if (code == mqs_ok)
        return MQD_MPIDBG_success;
    if (code == mqs_no_information || code == mqs_end_of_list || code == MQD_RC_other_handle)
        return MQD_MPIDBG_not_found;
    switch (extension()->reason_of(code)) {
    case MQD_REASON_no_memory:
        return MQD_MPIDBG_no_memory;
    case MQD_REASON_caller:
        return MQD_MPIDBG_out_of_range;
    case MQD_REASON_no_openmpi:
    case MQD_REASON_ignored:
    case MQD_REASON_no_layout:
    case MQD_REASON_wrong_layout:
    case MQD_REASON_no_member:
    case MQD_REASON_no_symbol:
    case MQD_REASON_no_constant:
        return MQD_MPIDBG_not_supported;
    default:
        return MQD_MPIDBG_unavailable;
    }
}

int mqd_mpidbg_describe(mqs_process *process, int kind, mqs_taddr_t value, int language,
                        struct mqd_handle_summary *summary)
{
    int code = mqs_update_communicator_list(process);

    if (code == mqs_ok)
        code = extension()->describe_handle(process, kind, value, language, summary);
    return mqd_mpidbg_code(code);
}

bool mqd_mpidbg_item(mqs_process *process, int fact, struct mqd_handle_item *item)
{
    for (int i = 0; extension()->describe_handle_item(process, i, item) == mqs_ok; i++)
        if (item->fact == fact)
            return true;
    return false;
}

bool mqd_mpidbg_is(mqs_process *process, int fact)
{
    struct mqd_handle_item item;

    return mqd_mpidbg_item(process, fact, &item) && item.number != 0;
}

int mqd_mpidbg_fortran(const struct mqd_handle_summary *summary)
{
    return summary->fortran >= 0 ? (int)summary->fortran : MQD_MPIDBG_unavailable;
}

void mqd_mpidbg_name(char *name, const struct mqd_handle_summary *summary)
{
    mqd_copy_text(name, MQD_MPIDBG_NAME_BYTES, summary->name, sizeof summary->name);
}
