/*
 * describe.h - the functions of the extension that describe the layout in force. They report what was found when the
 * last snapshot was taken; they do not read the process.
 */
#ifndef MQD_DLL_DESCRIBE_H
#define MQD_DLL_DESCRIBE_H

#include "include/mqd_extension.h"
#include "mqd/dll/state.h"

/* These functions implement those of the same names in struct mqd_extension_v1, which documents the arguments. */
int mqd_describe_layout(const struct mqd_process *process, struct mqd_layout_summary *summary);
int mqd_describe_type(const struct mqd_process *process, int index, struct mqd_type_description *out);
int mqd_describe_field(const struct mqd_process *process, int index, struct mqd_field_description *out);
int mqd_describe_probe(const struct mqd_process *process, int index, struct mqd_probe_description *out);
int mqd_describe_capability(const struct mqd_process *process, int index, struct mqd_capability_description *out);
int mqd_describe_limit(const struct mqd_process *process, int index, struct mqd_limit_description *out);
int mqd_describe_library(const struct mqd_process *process, int index, struct mqd_library_summary *summary);

/* What a capability is called in messages: "receive operations". */
const char *mqd_capability_text(enum mqd_capability can);

#endif
