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

/* What OpenMP's runtimes know of its threads: struct openmp. */
extern const struct field_table openmp_fields, openmp_runtime_fields, openmp_team_fields, openmp_thread_fields;

/* Of its layout. */
extern const struct field_table layout_fields, layout_summary_fields, library_fields, library_summary_fields,
    gap_fields, details_fields, type_fields, layout_field_fields, probe_fields, capability_fields, limit_fields;

/* Of its communicators, windows and operations. */
extern const struct field_table communicator_fields, arrangement_fields, dimension_fields, summary_fields, use_fields,
    queue_fields, traffic_fields, window_fields, window_description_fields, window_peer_fields, process_name_fields;

/* Of what was asked about handles. */
extern const struct field_table handle_answer_fields, handle_fields, handle_summary_fields, handle_item_fields;

/* Of operations: all, and those of a DLL without the extension. */
extern const struct field_table operation_fields, undescribed_fields, extra_text_fields, unknown_fields;

/*
 * Places at which --json shows members: of an operation the last one that its call asks for, and its request; of a process
 * the last one before its layout, and its windows and answers; of a communicator the last one before its group; of a
 * summary of a layout the last one that is shown without details, after which come those of the layout, and beside it the
 * libraries.
 */
enum {
    LAST_THAT_IS_ASKED = 6, REQUEST_OF_OPERATION = 23,
    LAST_BEFORE_LAYOUT = 11, AT_WINDOWS = 13, AT_ANSWERS = 14,
    LAST_BEFORE_GROUP = 8, AT_USE = 9,
    LAST_OF_SUMMARY = 4, LAST_OF_LAYOUT = 6, AT_LIBRARIES = 7,
    AT_THREADS = 2, AT_STACKS = 3
};

#endif
