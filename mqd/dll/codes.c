/* codes.c - what the codes say. */
#include "mqd/dll/codes.h"

#include <stddef.h>

#define MQD_CODE(name, text) text,
static const char *const texts[] = {
#include "mqd/dll/codes.def"
};
#undef MQD_CODE

#undef MQD_PATH
#define MQD_PATH(path, parent, type, member, need) \
    [MQD_PATH_##path] = "the place of " #type "." #member " in this build of Open MPI is not known",
static const char *const path_texts[MQD_N_PATHS] = {
    [MQD_PATH_root] = "the layout of this build of Open MPI is not known",
#include "layout/openmpi.def"
};
#undef MQD_PATH
#define MQD_PATH(path, parent, type, member, need)

#undef MQD_CONSTANT
#define MQD_CONSTANT(name, expression, kind, rule, need) \
    "the value of " #expression " in this release of Open MPI is not known",
static const char *const constant_texts[MQD_N_CONSTANTS] = {
#include "layout/openmpi.def"
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
    return "unknown code of the Open MPI message queue library";
}
