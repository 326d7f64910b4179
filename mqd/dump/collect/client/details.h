/*
 * details.h - all that a debug DLL with the extension tells of the layout of one process.
 */
#ifndef MQD_DUMP_COLLECT_CLIENT_DETAILS_H
#define MQD_DUMP_COLLECT_CLIENT_DETAILS_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/collect/client/dll.h"

/* The DLL owns their strings. */
struct details {
    struct mqd_type_description *types;
    struct mqd_field_description *fields;
    struct mqd_probe_description *probes;
    struct mqd_capability_description *capabilities;
    size_t n_types, n_fields, n_probes, n_capabilities;
    struct mqd_limit_description *limits; /* of the capabilities, in their order */
    size_t n_limits;
};

/* Asks a DLL that has the extension for all details. Leaves out what the DLL does not answer. */
void details_take(struct details *details, const struct dll *dll, mqs_process *process);

/* Is there no difference between them? */
bool details_are_same(const struct details *a, const struct details *b);

void details_free(struct details *details);

#endif
