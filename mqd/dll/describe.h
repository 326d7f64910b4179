/*
 * describe.h - what a listing rests on, in the words of the extension. All of it was found when the last snapshot was
 * taken: nothing is read here.
 */
#ifndef MQD_DLL_DESCRIBE_H
#define MQD_DLL_DESCRIBE_H

#include "include/mqd_extension.h"
#include "mqd/dll/state.h"

/* The functions of struct mqd_extension_v1 whose names they have; what their arguments mean is said there. */
int mqd_describe_layout(const struct mqd_process *process, struct mqd_layout_summary *summary);
int mqd_describe_type(const struct mqd_process *process, int index, struct mqd_type_description *out);
int mqd_describe_field(const struct mqd_process *process, int index, struct mqd_field_description *out);
int mqd_describe_probe(const struct mqd_process *process, int index, struct mqd_probe_description *out);
int mqd_describe_capability(const struct mqd_process *process, int index, struct mqd_capability_description *out);

int mqd_describe_limit(const struct mqd_process *process, int index, struct mqd_limit_description *out);

/* What a capability is called in messages: "receive operations". */
const char *mqd_capability_text(enum mqd_capability can);

#endif
