/*
 * names.h - names of enumerators and of facts: field.c finds them, and fields.c has them.
 */
#ifndef MQD_DUMP_RECORD_NAMES_H
#define MQD_DUMP_RECORD_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Names of enumerators, by their numbers; NULL: it has none. */
struct names {
    const char *const *all;
    size_t n;
};

/* NULL: it has none, or is newer than this program. */
const char *name_of(const struct names *names, long number);

/* Names for programs. */
extern const struct names operation_kind_names, send_mode_names, protocol_names, progress_names, owner_names,
    access_names, role_names, reason_names, thread_level_names, call_state_names, queue_names, handle_kind_names,
    topology_names, combiner_names, request_state_names, request_kind_names, file_operation_names,
    flavor_names, memory_model_names, openmp_state_names;

/* How a fact of enum mqd_handle_fact is told. */
struct fact_form {
    const char *name;              /* for programs; people have blanks in place of _ */
    const struct names *names;     /* of the enumerators that its numbers are; NULL: they are numbers */
    bool is_list;                  /* programs have a list, also of one */
};

/* NULL: it is newer than this program. */
const struct fact_form *fact_form_of(int fact);

#endif
