/*
 * codes.h - result codes inside the DLL.
 *
 * They are the codes that the debugger gets: mqs_ok, or one from mqs_first_user_code on. After the named ones follow
 * those for a member whose place is not known, one per path of openmpi.def, and those for a constant that is not known:
 * mqd_rc_unknown and mqd_rc_unknown_constant.
 */
#ifndef MQD_DLL_CODES_H
#define MQD_DLL_CODES_H

#include "include/mpi_interface.h"
#include "layout/layout.h"

#define MQD_CODE(name, text) MQD_RC_##name,
enum mqd_rc {
    MQD_OK = mqs_ok,
    MQD_RC_before_first = mqs_first_user_code - 1,
#include "mqd/dll/codes.def"
    MQD_RC_first_path,
    MQD_RC_first_constant = MQD_RC_first_path + MQD_N_PATHS,
    MQD_RC_end = MQD_RC_first_constant + MQD_N_CONSTANTS
};
#undef MQD_CODE

#define MQD_CHECKED __attribute__((warn_unused_result))

/* The code that says that the place of this path is not known. */
static inline enum mqd_rc mqd_rc_unknown(enum mqd_path_id path)
{
    return (enum mqd_rc)((unsigned)MQD_RC_first_path + (unsigned)path);
}

/* The code that says that the value of this constant is not known. */
static inline enum mqd_rc mqd_rc_unknown_constant(enum mqd_constant_id constant)
{
    return (enum mqd_rc)((unsigned)MQD_RC_first_constant + (unsigned)constant);
}

/* The text of any code, the interface's own and unknown ones included; static, never NULL. */
const char *mqd_rc_text(int code);

#endif
