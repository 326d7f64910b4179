/*
 * fields.h - which members of which structures a record has, and under which names.
 */
#ifndef MQD_DUMP_RECORD_FIELDS_H
#define MQD_DUMP_RECORD_FIELDS_H

#include "mqd/dump/record/field.h"

/* Of a look, and of the first one in the header: struct record_look. */
extern const struct field_table look_fields;

/* Of what it has cost: struct record_statistics. */
extern const struct field_table statistics_fields;

/* Of a process: struct witness, and of struct listing what a process has for itself and what it has of its layout. */
extern const struct field_table witness_fields, listing_fields, missing_rank_fields, activity_fields;

/* Of its threads: struct calls; of struct call what a thread has for itself, and what the same place is to all. */
extern const struct field_table calls_fields, library_calls_fields, call_fields, place_fields,
    named_stack_fields;

/* Of its layout. */
extern const struct field_table layout_fields, layout_summary_fields, library_fields, library_summary_fields,
    gap_fields, type_fields, layout_field_fields, probe_fields, capability_fields, limit_fields;

/* Of its communicators, windows and operations. */
extern const struct field_table communicator_fields, summary_fields, use_fields, queue_fields, window_fields,
    window_description_fields, window_peer_fields, process_name_fields;

/* Of operations: all, and those of a DLL without the extension. */
extern const struct field_table operation_fields, undescribed_fields;

/* Places at which --json shows an operation: of the last member that its call asks for, and of its request. */
enum { LAST_THAT_IS_ASKED = 6, REQUEST_OF_OPERATION = 23 };

#endif
