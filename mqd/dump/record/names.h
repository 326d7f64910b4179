/*
 * names.h - names of enumerators for programs.
 */
#ifndef MQD_DUMP_RECORD_NAMES_H
#define MQD_DUMP_RECORD_NAMES_H

#include <stddef.h>

/* By their numbers; NULL: it has none. */
struct names {
    const char *const *all;
    size_t n;
};

extern const struct names operation_kind_names, send_mode_names, protocol_names, progress_names, owner_names,
    access_names, role_names, reason_names, thread_level_names, call_state_names, queue_names;

/* NULL: it has none, or is newer than this program. */
const char *name_of(const struct names *names, long number);

#endif
