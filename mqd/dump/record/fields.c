/*
 * fields.c - which members of which structures a record has, and under which names.
 *
 * A structure that one object shows is described by several tables, each of which leaves to the others what it does not
 * name. A test compares the tables with the sizes of the structures: each member has a row. ELSEWHERE is for members
 * that functions of write_*.c and read_*.c handle, or that follow from others.
 */
#include "mqd/dump/record/fields.h"

#include "mqd/dump/collect/job/missing_rank.h"
#include "mqd/dump/record/format.h"
#include "mqd/dump/record/header.h"
#include "mqd/dump/record/print.h"
#include "mqd/dump/record/witness.h"

#define TABLE(name, type)                                                                                              \
    const struct field_table name##_fields = {#name, name##_rows, sizeof name##_rows / sizeof *name##_rows,            \
                                              sizeof(type)}

/*
 * Ranks that are calculated with. -1 and other small negative numbers stand for any rank or none. What a debugging
 * library says of a communicator and its operations is kept as it is, as far as all programs read it: one that is not
 * ours says 4294967295 where there is no rank.
 */
#define A_RANK -16, MAX_RANKS, 0
#define AS_SAID -(1L << 53), 1L << 53, 0

/* The look. */

static const struct field look_rows[] = {
    {FIELD(struct record_look, "mqdump", mqdump)},
    {FIELD(struct record_look, "host", host)},
    {CHARS(struct record_look, "taken", taken)},
    {FIELD(struct record_look, "processes", n_processes)},
    {FIELD(struct record_look, "why", has.why)},
    {FIELD(struct record_look, "internal", has.internal)},
    {FIELD(struct record_look, "layout", has.layout)},
    {FIELD(struct record_look, "queues", has.queues)},
    {FIELD(struct record_look, "stacks", has.stacks)},
    {FIELD(struct record_look, "problem", problem)},
};
TABLE(look, struct record_look);

static const struct field statistics_rows[] = {
    {FIELD(struct record_statistics, "reads", n_reads)},
    {FIELD(struct record_statistics, "bytes", n_bytes)},
};
TABLE(statistics, struct record_statistics);

/* Processes. */

static const struct field witness_rows[] = {
    {ELSEWHERE(struct witness, listing)},
    {ELSEWHERE(struct witness, calls)},
    {ELSEWHERE(struct witness, job)},
    {ELSEWHERE(struct witness, user)},
    {ELSEWHERE(struct witness, job_number)},
    {ELSEWHERE(struct witness, activity)},
    {ELSEWHERE(struct witness, missing)},
    {ELSEWHERE(struct witness, look)},
    {ELSEWHERE(struct witness, host)},
    {FIELD(struct witness, "stopped", stopped)},
    {FIELD(struct witness, "stays_stopped", stays_stopped)},
    {FIELD(struct witness, "stuck", stuck)},
    {FIELD(struct witness, "ended", ended)},
    {FIELD(struct witness, "crashed", crashed)},
    {FIELD(struct witness, "once", once)},
    {FIELD(struct witness, "moved", moved)},
    {FIELD(struct witness, "moved_last", moved_last)},
    {FIELD(struct witness, "starved", starved)},
    {FIELD(struct witness, "went_on", went_on)},
    {FIELD(struct witness, "tested", tested)},
    {FIELD(struct witness, "outdated", outdated)},
};
TABLE(witness, struct witness);

static const struct field listing_rows[] = {
    {NUMBER(struct listing, "pid", pid, 0, INT_MAX, 0), JSON(1, "pid", AS(NUMBER), LEAST(1))},
    {FIELD(struct listing, "core", core), JSON(7, "core", AS(TEXT))},
    {NUMBER(struct listing, "signal", signal, 0, INT_MAX, 0), JSON(8, "signal", AS(NUMBER), LEAST(1))},
    {NUMBER(struct listing, "rank", rank, -1, MAX_RANKS, -1), JSON(2, "rank", AS(NUMBER), LEAST(0))},
    {FIELD(struct listing, "job", job), JSON(3, "job", AS(TEXT))},
    {NUMBER(struct listing, "user", user, -1, UINT32_MAX, -1), JSON(4, "user", AS(NUMBER), LEAST(0))},
    {NUMBER(struct listing, "copy_of", copy_of, 0, INT_MAX, 0), JSON(9, "copy_of", AS(NUMBER), LEAST(1))},
    {FIELD(struct listing, "executable", executable), JSON(10, "executable", AS(TEXT))},
    {FIELD(struct listing, "was_running", was_running), JSON(6, "stopped", AS(NOT))},
    {FIELD(struct listing, "layout_only", layout_only)},
    {FIELD(struct listing, "has_name", has_name)},
    {ELSEWHERE(struct listing, name)},
    {FIELD(struct listing, "has_thread_level", has_thread_level)},
    {FIELD(struct listing, "thread_level", thread_level),
     JSON(11, "thread_level", NAMED(thread_level), IF(struct listing, has_thread_level))},
    {FIELD(struct listing, "one_caller", one_caller)},
    {FIELD(struct listing, "has_communicators", has_communicators)},
    {ELSEWHERE(struct listing, communicators)},
    {ELSEWHERE(struct listing, n)},
    {ELSEWHERE(struct listing, room)},
    {ELSEWHERE(struct listing, windows)},
    {ELSEWHERE(struct listing, n_windows)},
    {ELSEWHERE(struct listing, window_room)},
    {ELSEWHERE(struct listing, calls)},
    {ELSEWHERE(struct listing, host), JSON(5, "host", AS(TEXT), OPTIONAL)},
    {ELSEWHERE(struct listing, activity)},
    {FIELD(struct listing, "dll_seconds", dll_seconds)},
    {FIELD(struct listing, "error", error)},
    {FIELD(struct listing, "reason", reason)},
};
TABLE(listing, struct listing);

static const struct field missing_rank_rows[] = {
    {NUMBER(struct missing_rank, "rank", rank, -1, MAX_RANKS, 0)},
    {FIELD(struct missing_rank, "job", job)},
    {ELSEWHERE(struct missing_rank, user)},
    {NUMBER(struct missing_rank, "pid", pid, 0, INT_MAX, 0)},
    {FIELD(struct missing_rank, "certain", certain)},
    {ELSEWHERE(struct missing_rank, unknown)},
    {NUMBER(struct missing_rank, "signal", signal, 0, INT_MAX, 0)},
    {FIELD(struct missing_rank, "fate", fate)},
};
TABLE(missing_rank, struct missing_rank);

/* The number of a system call is that of the machine: the name says which call it is. */
static const struct field activity_rows[] = {
    {NUMBER(struct activity, "thread", thread, 0, INT_MAX, 0), JSON(1, "thread", AS(NUMBER))},
    {FIELD(struct activity, "state", state), JSON(2, "state", BY(value_state))},
    {NUMBER(struct activity, "tracer", tracer, 0, INT_MAX, 0), JSON(6, "tracer", AS(NUMBER), LEAST(1))},
    {CHARS(struct activity, "tracer_name", tracer_name)},
    {NUMBER(struct activity, "call", call, -1, INT_MAX, NO_SYSTEM_CALL), JSON(3, "system_call", BY(value_system_call))},
    {CHARS(struct activity, "channel", channel), JSON(4, "wait_channel", AS(TEXT))},
    {CHARS(struct activity, "file", file), JSON(5, "file", AS(TEXT))},
    {FIELD(struct activity, "switches", switches)},
    {FIELD(struct activity, "at", at)},
    {FIELD(struct activity, "since", since), JSON(7, "stuck_ms", BY(value_stuck))},
    {FIELD(struct activity, "has_share", has_share)},
    {FIELD(struct activity, "share", share),
     JSON(8, "processor_percent", BY(value_share), IF(struct activity, has_share))},
    {FIELD(struct activity, "free_at", free_at)},
    {FIELD(struct activity, "used", used)},
};
TABLE(activity, struct activity);

/* Threads. */

static const struct field calls_rows[] = {
    {ELSEWHERE(struct calls, calls)},
    {ELSEWHERE(struct calls, n)},
    {ELSEWHERE(struct calls, room)},
    {FIELD(struct calls, "complete", complete)},
    {ELSEWHERE(struct calls, stacks)},
    {ELSEWHERE(struct calls, n_stacks)},
    {FIELD(struct calls, "has_stacks", has_stacks)},
    {ELSEWHERE(struct calls, libraries)},
};
TABLE(calls, struct calls);

static const struct field library_calls_rows[] = {
    {FIELD(struct library_calls, "n_in_barrier", n_in_barrier)},
    {FIELD(struct library_calls, "n_at_lock", n_at_lock)},
    {FIELD(struct library_calls, "n_in_openmp", n_in_openmp)},
    {CHARS(struct library_calls, "openmp", openmp)},
    {CHARS(struct library_calls, "system", system)},
    {CHARS(struct library_calls, "library", library)},
    {CHARS(struct library_calls, "function", function)},
};
TABLE(library_calls, struct library_calls);

static const struct field named_stack_rows[] = {
    {NUMBER(struct named_stack, "thread", thread, 0, INT_MAX, 0), JSON(1, "thread", AS(NUMBER))},
    {FIELD(struct named_stack, "is_main", is_main), JSON(2, "main", AS(TRUTH))},
    {FIELD(struct named_stack, "ended", ended), JSON(3, "ended", AS(TRUTH))},
    {ELSEWHERE(struct named_stack, frames), JSON(4, "frames", BY(value_frames))},
    {ELSEWHERE(struct named_stack, n)},
};
TABLE(named_stack, struct named_stack);

static const struct field call_rows[] = {
    {NUMBER(struct call, "thread", thread, 0, INT_MAX, 0), JSON(1, "thread", AS(NUMBER))},
    {FIELD(struct call, "is_main", is_main), JSON(2, "main", AS(TRUTH))},
    {ADDRESS(struct call, "mark", mark)},
    {ADDRESS(struct call, "stack_low", stack_low)},
    {ADDRESS(struct call, "stack_high", stack_high)},
};
TABLE(call, struct call);

static const struct field place_rows[] = {
    {FIELD(struct call, "state", state), JSON(3, "state", NAMED(call_state))},
    {FIELD(struct call, "function", function), JSON(4, "function", BY(value_function))},
    {FIELD(struct call, "outer", outer), JSON(5, "outer", AS(TEXT))},
    {FIELD(struct call, "called_back", called_back)},
    {FIELD(struct call, "through", wrapper), JSON(6, "through", AS(TEXT))},
    {FIELD(struct call, "written", spelling)},
    {FIELD(struct call, "place", place), JSON(7, "place", AS(TEXT))},
    {FIELD(struct call, "has_source", has_source)},
    {ELSEWHERE(struct call, chain), JSON(8, "chain", BY(value_chain))},
    {ELSEWHERE(struct call, n_chain)},
    {FIELD(struct call, "runs", runs)},
    {FIELD(struct call, "crashed", crashed)},
    {FIELD(struct call, "fault", fault)},
};
TABLE(place, struct call);

/* Layouts. */

static const struct field layout_rows[] = {
    {FIELD(struct listing, "has_layout", has_layout)},
    {ELSEWHERE(struct listing, layout)},
    {FIELD(struct listing, "layout_error", layout_error), JSON(5, "error", AS(TEXT))},
    {FIELD(struct listing, "layout_reason", layout_reason), JSON(6, "cause", NAMED(reason), OPTIONAL)},
    {ELSEWHERE(struct listing, libraries)},
    {ELSEWHERE(struct listing, n_libraries)},
    {ELSEWHERE(struct listing, gaps)},
    {FIELD(struct listing, "has_details", has_details)},
    {ELSEWHERE(struct listing, details)},
};
TABLE(layout, struct listing);

static const struct field layout_summary_rows[] = {
    {CHARS(struct mqd_layout_summary, "openmpi", openmpi)},
    {CHARS(struct mqd_layout_summary, "family", family), JSON(1, "family", AS(TEXT))},
    {CHARS(struct mqd_layout_summary, "variant", variant), JSON(2, "variant", AS(WORDS))},
    {CHARS(struct mqd_layout_summary, "source", source), JSON(3, "source", AS(TEXT))},
    {CHARS(struct mqd_layout_summary, "rejected", rejected), JSON(4, "rejected", AS(TEXT), OPTIONAL)},
    {CHARS(struct mqd_layout_summary, "arch", arch), JSON(7, "arch", AS(TEXT))},
    {CHARS(struct mqd_layout_summary, "abi", abi), JSON(8, "abi", AS(TEXT))},
    {FIELD(struct mqd_layout_summary, "n_fitting", n_fitting), JSON(9, "fitting", AS(NUMBER))},
    {CHARS(struct mqd_layout_summary, "decided", decided), JSON(10, "decided_by", AS(TEXT))},
    {CHARS(struct mqd_layout_summary, "next_best", next_best), JSON(11, "next_best", AS(TEXT))},
    {FIELD(struct mqd_layout_summary, "version_in_family", version_in_family),
     JSON(12, "version_in_family", AS(TRUTH), LEAST(0))},
    {FIELD(struct mqd_layout_summary, "n_classes", n_classes), JSON(13, "classes", BY(value_classes))},
    {FIELD(struct mqd_layout_summary, "n_classes_read", n_classes_read)},
    {FIELD(struct mqd_layout_summary, "n_classes_agreeing", n_classes_agreeing)},
    {FIELD(struct mqd_layout_summary, "n_types", n_types), JSON(14, "debugger_types", BY(value_types))},
    {FIELD(struct mqd_layout_summary, "n_types_known", n_types_known)},
    {FIELD(struct mqd_layout_summary, "n_types_agreeing", n_types_agreeing)},
};
TABLE(layout_summary, struct mqd_layout_summary);

static const struct field library_rows[] = {
    {ELSEWHERE(struct library, summary)},
    {FIELD(struct library, "error", error), JSON(6, "error", AS(TEXT))},
    {FIELD(struct library, "reason", reason), JSON(7, "cause", NAMED(reason), OPTIONAL)},
};
TABLE(library, struct library);

static const struct field library_summary_rows[] = {
    {CHARS(struct mqd_library_summary, "name", name), JSON(1, "name", AS(STRING))},
    {CHARS(struct mqd_library_summary, "version", version), JSON(2, "version", AS(TEXT))},
    {CHARS(struct mqd_library_summary, "family", family), JSON(3, "family", AS(TEXT))},
    {CHARS(struct mqd_library_summary, "variant", variant), JSON(4, "variant", AS(WORDS))},
    {CHARS(struct mqd_library_summary, "arch", arch), JSON(9, "arch", AS(TEXT))},
    {CHARS(struct mqd_library_summary, "source", source), JSON(5, "source", AS(TEXT))},
    {FIELD(struct mqd_library_summary, "n_fitting", n_fitting), JSON(10, "fitting", AS(NUMBER))},
    {CHARS(struct mqd_library_summary, "next_best", next_best), JSON(11, "next_best", AS(TEXT))},
    {FIELD(struct mqd_library_summary, "version_in_family", version_in_family),
     JSON(12, "version_in_family", AS(TRUTH), LEAST(0))},
    {FIELD(struct mqd_library_summary, "n_types", n_types), JSON(13, "debugger_types", BY(value_library_types))},
    {FIELD(struct mqd_library_summary, "n_types_known", n_types_known)},
    {CHARS(struct mqd_library_summary, "found", found), JSON(8, "found", AS(TEXT))},
};
TABLE(library_summary, struct mqd_library_summary);

static const struct field gap_rows[] = {
    {FIELD(struct gap, "text", text), JSON(1, "text", AS(STRING))},
    {FIELD(struct gap, "reason", reason), JSON(2, "cause", NAMED(reason))},
};
TABLE(gap, struct gap);

static const struct field type_rows[] = {
    {FIELD(struct mqd_type_description, "name", name), JSON(1, "name", AS(STRING))},
    {FIELD(struct mqd_type_description, "source", source), JSON(2, "source", AS(TEXT))},
    {FIELD(struct mqd_type_description, "size", size), JSON(3, "size", AS(NUMBER), LEAST(0))},
    {FIELD(struct mqd_type_description, "class_size", class_size), JSON(4, "class_size", AS(NUMBER), LEAST(0))},
    {FIELD(struct mqd_type_description, "live_size", live_size), JSON(5, "debugger_size", AS(NUMBER), LEAST(0))},
    {FIELD(struct mqd_type_description, "table_size", table_size), JSON(6, "table_size", AS(NUMBER), LEAST(0))},
};
TABLE(type, struct mqd_type_description);

static const struct field layout_field_rows[] = {
    {FIELD(struct mqd_field_description, "type", type)},
    {FIELD(struct mqd_field_description, "member", member), JSON(1, "member", AS(STRING))},
    {FIELD(struct mqd_field_description, "kind", kind), JSON(2, "kind", AS(TEXT))},
    {FIELD(struct mqd_field_description, "source", source), JSON(3, "source", AS(TEXT))},
    {FIELD(struct mqd_field_description, "offset", offset), JSON(4, "offset", AS(NUMBER), LEAST(0))},
    {FIELD(struct mqd_field_description, "size", size), JSON(5, "size", AS(NUMBER), LEAST(0))},
    {FIELD(struct mqd_field_description, "live_offset", live_offset), JSON(6, "debugger_offset", AS(NUMBER), LEAST(0))},
    {FIELD(struct mqd_field_description, "table_offset", table_offset), JSON(7, "table_offset", AS(NUMBER), LEAST(0))},
};
TABLE(layout_field, struct mqd_field_description);

static const struct field probe_rows[] = {
    {FIELD(struct mqd_probe_description, "name", name), JSON(1, "name", AS(STRING))},
    {FIELD(struct mqd_probe_description, "result", result), JSON(2, "result", AS(TEXT))},
};
TABLE(probe, struct mqd_probe_description);

static const struct field capability_rows[] = {
    {FIELD(struct mqd_capability_description, "name", name), JSON(1, "name", AS(STRING))},
    {FIELD(struct mqd_capability_description, "text", text)},
    {FIELD(struct mqd_capability_description, "on", on), JSON(2, "on", AS(TRUTH))},
    {FIELD(struct mqd_capability_description, "reason", reason), JSON(3, "reason", AS(TEXT))},
};
TABLE(capability, struct mqd_capability_description);

static const struct field limit_rows[] = {
    {FIELD(struct mqd_limit_description, "shown", shown)},
    {FIELD(struct mqd_limit_description, "reason", reason)},
    {FIELD(struct mqd_limit_description, "hindrance", hindrance)},
};
TABLE(limit, struct mqd_limit_description);

/* Communicators and windows. */

static const struct field communicator_rows[] = {
    {ADDRESS(struct communicator, "unique_id", unique_id), JSON(2, "unique_id", AS(NUMBER))},
    {NUMBER(struct communicator, "local_rank", local_rank, AS_SAID), JSON(3, "local_rank", AS(NUMBER))},
    {NUMBER(struct communicator, "size", size, 0, MAX_RANKS, 0), JSON(4, "size", AS(NUMBER))},
    {CHARS(struct communicator, "name", name), JSON(1, "name", AS(STRING))},
    {ELSEWHERE(struct communicator, group)},
    {FIELD(struct communicator, "group_error", group_error)},
    {FIELD(struct communicator, "group_reason", group_reason)},
    {ELSEWHERE(struct communicator, queues)},
    {FIELD(struct communicator, "has_summary", has_summary)},
    {ELSEWHERE(struct communicator, summary)},
    {FIELD(struct communicator, "has_use", has_use)},
    {ELSEWHERE(struct communicator, use)},
    {FIELD(struct communicator, "has_traffic", has_traffic)},
    {ELSEWHERE(struct communicator, traffic)},
    {ELSEWHERE(struct communicator, n_traffic)},
    {ELSEWHERE(struct communicator, traffic_room)},
    {ELSEWHERE(struct communicator, peers)},
};
TABLE(communicator, struct communicator);

static const struct field summary_rows[] = {
    {FIELD(struct mqd_communicator_summary, "internal", internal)},
    {NUMBER(struct mqd_communicator_summary, "remote_size", remote_size, 0, MAX_RANKS, 0)},
    {FIELD(struct mqd_communicator_summary, "has_activity", has_activity)},
    {FIELD(struct mqd_communicator_summary, "n_receives", n_receives)},
    {FIELD(struct mqd_communicator_summary, "n_sends", n_sends)},
};
TABLE(summary, struct mqd_communicator_summary);

static const struct field use_rows[] = {
    {FIELD(struct mqd_communicator_use, "owner", owner), JSON(1, "owner", NAMED(owner))},
    {ADDRESS(struct mqd_communicator_use, "object", object), JSON(2, "object", AS(ADDRESS), LEAST(1))},
    {CHARS(struct mqd_communicator_use, "name", name), JSON(3, "name", AS(TEXT))},
    {FIELD(struct mqd_communicator_use, "allow_overtaking", allow_overtaking),
     JSON(4, "allow_overtaking", AS(TRUTH), LEAST(0))},
    {FIELD(struct mqd_communicator_use, "has_nonblocking", has_nonblocking)},
    {FIELD(struct mqd_communicator_use, "n_nonblocking", n_nonblocking),
     JSON(5, "nonblocking_collectives", AS(NUMBER), IF(struct mqd_communicator_use, has_nonblocking))},
};
TABLE(use, struct mqd_communicator_use);

static const struct field queue_rows[] = {
    {FIELD(struct queue, "available", available)},
    {ELSEWHERE(struct queue, described)},
    {ELSEWHERE(struct queue, texts)},
    {ELSEWHERE(struct queue, operations)},
    {ELSEWHERE(struct queue, n)},
    {ELSEWHERE(struct queue, room)},
    {FIELD(struct queue, "error", error)},
    {FIELD(struct queue, "reason", reason)},
};
TABLE(queue, struct queue);

static const struct field window_rows[] = {
    {ADDRESS(struct window, "unique_id", unique_id), JSON(2, "unique_id", AS(NUMBER))},
    {NUMBER(struct window, "local_rank", local_rank, A_RANK), JSON(4, "local_rank", AS(NUMBER))},
    {NUMBER(struct window, "size", size, 0, MAX_RANKS, 0), JSON(5, "size", AS(NUMBER))},
    {CHARS(struct window, "name", name), JSON(1, "name", AS(STRING))},
    {ELSEWHERE(struct window, group)},
    {FIELD(struct window, "error", error)},
    {ELSEWHERE(struct window, description)},
    {ELSEWHERE(struct window, peers)},
    {ELSEWHERE(struct window, n_peers)},
    {ELSEWHERE(struct window, peer_room)},
};
TABLE(window, struct window);

static const struct field window_description_rows[] = {
    {ADDRESS(struct mqd_window_description, "object", object), JSON(3, "address", AS(ADDRESS))},
    {CHARS(struct mqd_window_description, "component", component), JSON(6, "component", AS(TEXT))},
    {FIELD(struct mqd_window_description, "access", access), JSON(7, "access", NAMED(access))},
    {FIELD(struct mqd_window_description, "exposed", exposed), JSON(8, "exposed", AS(TRUTH), LEAST(0))},
    {FIELD(struct mqd_window_description, "n_posted_to_it", n_posted_to_it), JSON(9, "posted", AS(NUMBER), LEAST(0))},
    {FIELD(struct mqd_window_description, "n_completed", n_completed), JSON(10, "completed", AS(NUMBER), LEAST(0))},
    {FIELD(struct mqd_window_description, "locked_exclusively", locked_exclusively),
     JSON(11, "locked_exclusively", AS(TRUTH), LEAST(0))},
    {FIELD(struct mqd_window_description, "n_shared", n_shared), JSON(12, "shared_locks", AS(NUMBER), LEAST(0))},
    {FIELD(struct mqd_window_description, "n_waiting", n_waiting), JSON(13, "waiting_locks", AS(NUMBER), LEAST(0))},
};
TABLE(window_description, struct mqd_window_description);

static const struct field window_peer_rows[] = {
    {NUMBER(struct mqd_window_peer, "rank", rank, 0, MAX_RANKS, 0), JSON(1, "rank", AS(NUMBER))},
    {FIELD(struct mqd_window_peer, "role", role), JSON(2, "role", NAMED(role))},
    {FIELD(struct mqd_window_peer, "held", held), JSON(3, "held", AS(TRUTH), LEAST(0))},
};
TABLE(window_peer, struct mqd_window_peer);

static const struct field process_name_rows[] = {
    {FIELD(struct mqd_process_name, "job", job)},
    {NUMBER(struct mqd_process_name, "rank", rank, A_RANK)},
};
TABLE(process_name, struct mqd_process_name);

/* Operations. */

static const struct field_part texts = {"extra_text", "extra_text"}, facts = {NULL, "facts"}, extra = {NULL, "extra"},
                               peer = {"peer", "process_name"}, found_at = {"found_at", "process_name"},
                               unknown = {"unknown", "unknown"};

#define LINE(key, i, ...) {TEXT(struct queued, key, extra_text[i], MAX_QUEUED_TEXT), .part = &texts, __VA_ARGS__}

enum { N_ROWS_OF_MQD = 17 };
static const struct field operation_rows[] = {
    {FIELD(struct queued, "status", status), JSON(1, "status", BY(value_status))},
    {NUMBER(struct queued, "desired_local_rank", desired_local_rank, AS_SAID),
     JSON(2, "desired_local_rank", AS(NUMBER), UNLESS(struct queued, unknown.peer))},
    {NUMBER(struct queued, "desired_global_rank", desired_global_rank, AS_SAID),
     JSON(3, "desired_global_rank", AS(NUMBER), UNLESS(struct queued, unknown.peer))},
    {FIELD(struct queued, "tag_wild", tag_wild), JSON(4, "tag_wild", AS(TRUTH))},
    {FIELD(struct queued, "desired_tag", desired_tag),
     JSON(5, "desired_tag", AS(NUMBER), UNLESS(struct queued, unknown.tag))},
    {NUMBER(struct queued, "desired_length", desired_length, AS_SAID),
     JSON(6, "desired_length", AS(NUMBER), UNLESS(struct queued, unknown.length))},
    {FIELD(struct queued, "system_buffer", system_buffer), JSON(7, "system_buffer", AS(TRUTH))},
    {ADDRESS(struct queued, "buffer", buffer), JSON(8, "buffer", AS(ADDRESS), UNLESS(struct queued, unknown.buffer))},
    {NUMBER(struct queued, "actual_local_rank", actual_local_rank, AS_SAID), JSON(9, "actual_local_rank", AS(NUMBER))},
    {NUMBER(struct queued, "actual_global_rank", actual_global_rank, AS_SAID),
     JSON(10, "actual_global_rank", AS(NUMBER))},
    {FIELD(struct queued, "actual_tag", actual_tag), JSON(11, "actual_tag", AS(NUMBER))},
    {NUMBER(struct queued, "actual_length", actual_length, AS_SAID), JSON(12, "actual_length", AS(NUMBER))},
    LINE("1", 0, JSON(33, "extra_text", BY(value_extra_text))),
    LINE("2", 1, ), LINE("3", 2, ), LINE("4", 3, ), LINE("5", 4, ),
    {FIELD(struct queued, "kind", kind), .part = &facts, JSON(13, "call", NAMED(operation_kind))},
    {FIELD(struct queued, "mode", mode), .part = &facts, JSON(14, "mode", NAMED(send_mode))},
    {FIELD(struct queued, "protocol", protocol), .part = &facts, JSON(15, "protocol", NAMED(protocol))},
    {FIELD(struct queued, "progress", progress), .part = &facts, JSON(16, "progress", NAMED(progress))},
    {FIELD(struct queued, "persistent", persistent), .part = &facts, JSON(17, "persistent", AS(TRUTH))},
    {FIELD(struct queued, "freed", freed), .part = &facts, JSON(18, "freed", AS(TRUTH))},
    {FIELD(struct queued, "collective", collective), .part = &facts, JSON(20, "collective", AS(TRUTH))},
    {FIELD(struct queued, "internal", internal), .part = &facts, JSON(19, "internal", AS(TRUTH))},
    {FIELD(struct queued, "needs_receiver", needs_receiver), .part = &facts, JSON(21, "waits_for_receiver", AS(TRUTH))},
    {FIELD(struct queued, "out_of_sequence", out_of_sequence), .part = &facts},
    {FIELD(struct queued, "pending_communicator", pending_communicator), .part = &facts},
    {FIELD(struct queued, "error_class", error_class), .part = &facts, JSON(27, "error_class", AS(NUMBER), LEAST(1))},
    {NUMBER(struct queued, "sequence", sequence, INT64_MIN, INT64_MAX, -1), .part = &facts,
     JSON(28, "sequence", AS(NUMBER), LEAST(0))},
    {ADDRESS(struct queued, "request", request), .part = &facts, JSON(23, "request", AS(ADDRESS), LEAST(1))},
    {FIELD(struct queued, "arrived", arrived), .part = &facts, JSON(26, "arrived", AS(NUMBER))},
    {FIELD(struct queued, "has_count", has_count), .part = &facts},
    {FIELD(struct queued, "count", count), .part = &facts, JSON(24, "count", AS(NUMBER), IF(struct queued, has_count))},
    {TEXT(struct queued, "datatype", datatype, 63), .part = &facts, JSON(25, "datatype", AS(TEXT))},
    {TEXT(struct queued, "purpose", purpose, 63), .part = &facts, JSON(22, "purpose", AS(TEXT))},
    {FIELD(struct queued, "has_peer", has_peer), .part = &facts,
     JSON(32, "peer", BY(value_peer), IF(struct queued, has_peer))},
    {FIELD(struct queued, "job", peer.job), .part = &peer},
    {NUMBER(struct queued, "rank", peer.rank, A_RANK), .part = &peer},
    {ADDRESS(struct queued, "send_request", send_request), .part = &extra,
     JSON(30, "send_request", AS(ADDRESS), LEAST(1))},
    {FIELD(struct queued, "named", named), .part = &extra},
    {FIELD(struct queued, "found", found), .part = &extra,
     JSON(31, "found_at", BY(value_found_at), IF(struct queued, found))},
    {FIELD(struct queued, "collective_number", collective_number), .part = &extra,
     JSON(29, "collective_number", AS(NUMBER), LEAST(1))},
    {ADDRESS(struct queued, "waiter", waiter), .part = &extra},
    {FIELD(struct queued, "job", found_at.job), .part = &found_at},
    {NUMBER(struct queued, "rank", found_at.rank, A_RANK), .part = &found_at},
    {FIELD(struct queued, "peer", unknown.peer), .part = &unknown},
    {FIELD(struct queued, "tag", unknown.tag), .part = &unknown},
    {FIELD(struct queued, "length", unknown.length), .part = &unknown},
    {FIELD(struct queued, "buffer", unknown.buffer), .part = &unknown},
};
TABLE(operation, struct queued);
const struct field_table undescribed_fields = {"operation", operation_rows, N_ROWS_OF_MQD, sizeof(struct queued)};
