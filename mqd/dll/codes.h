/*
 * codes.h - result codes inside the DLL.
 *
 * The debugger gets the same codes: mqs_ok, or a code from mqs_first_user_code on. After the named codes follow codes
 * for members whose offset is not known, one for each path of lists.def, and codes for constants that are not known:
 * see mqd_rc_unknown and mqd_rc_unknown_constant. From MQD_RC_of_debugger on come the debugger's own codes, of reads that
 * it could not do: the debugger explains them itself.
 */
#ifndef MQD_DLL_CODES_H
#define MQD_DLL_CODES_H

#include <limits.h>

#include "include/mqd_extension.h"
#include "layout/layout.h"

#define MQD_CODE(name, text) MQD_RC_##name,
enum mqd_rc {
    MQD_OK = mqs_ok,
    MQD_RC_before_first = mqs_first_user_code - 1,
#include "mqd/dll/codes.def"
    MQD_RC_first_path,
    MQD_RC_first_constant = MQD_RC_first_path + MQD_N_PATHS,
    MQD_RC_end = MQD_RC_first_constant + MQD_N_CONSTANTS,
    MQD_RC_of_debugger = 1 << 16
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

/* The code of a read that the debugger has refused with this code of its own. */
static inline enum mqd_rc mqd_rc_of_debugger(int code)
{
    return code > 0 && code <= INT_MAX - MQD_RC_of_debugger ? (enum mqd_rc)(MQD_RC_of_debugger + code)
                                                           : MQD_RC_unreadable;
}

/* Does the code say that the debugger could not read, whatever would have been found? */
static inline bool mqd_rc_is_unreadable(enum mqd_rc rc)
{
    return rc == MQD_RC_unreadable || rc > MQD_RC_of_debugger;
}

/* The reason behind any code, for programs. */
enum mqd_reason mqd_rc_reason(int code);

/*
 * The text of any code, also of the interface's own codes and of unknown codes. It is static and never NULL. Of the
 * debugger's codes dbgr_error_text has a better one.
 */
const char *mqd_rc_text(int code);

#endif
