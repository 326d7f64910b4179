/*
 * codes.h - result codes inside the DLL.
 *
 * The debugger gets the same codes: mqs_ok, or a code from mqs_first_user_code on. After the named codes follow codes
 * for members whose offset is not known, one for each path of lists.def, and codes for constants that are not known:
 * see mqd_rc_unknown and mqd_rc_unknown_constant.
 */
#ifndef MQD_DLL_CODES_H
#define MQD_DLL_CODES_H

#include "include/mqd_extension.h"
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

/* The code which says that the offset of this path is not known. */
static inline enum mqd_rc mqd_rc_unknown(enum mqd_path_id path)
{
    return (enum mqd_rc)((unsigned)MQD_RC_first_path + (unsigned)path);
}

/* The code which says that the value of this constant is not known. */
static inline enum mqd_rc mqd_rc_unknown_constant(enum mqd_constant_id constant)
{
    return (enum mqd_rc)((unsigned)MQD_RC_first_constant + (unsigned)constant);
}

/* The reason behind any code, for programs. */
enum mqd_reason mqd_rc_reason(int code);

/* The text of any code, also of the interface's own codes and of unknown codes. It is static and never NULL. */
const char *mqd_rc_text(int code);

#endif
