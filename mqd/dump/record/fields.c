/*
 * fields.c - which members of which structures a record has, and under which names.
 *
 * A structure that one object shows is described by several tables, each of which leaves to the others what it does not
 * name. A test compares the tables with the sizes of the structures: each member has a row. ELSEWHERE is for members
 * that functions of write.c and read_*.c handle, or that follow from others.
 */
#include "mqd/dump/record/fields.h"

#include "mqd/dump/collect/job/absent_ranks.h"
#include "mqd/dump/record/format.h"
#include "mqd/dump/record/print.h"
#include "mqd/dump/record/witness.h"

/* What follows the type is the message where something is missing that is needed. */
#define TABLE(name_, type, ...)                                                                                        \
    const struct field_table name_##_fields = {.name = #name_, .fields = name_##_rows,                                 \
                                               .n = sizeof name_##_rows / sizeof *name_##_rows, .size = sizeof(type),  \
                                               .lack = "" __VA_ARGS__}

/*
 * Ranks that are calculated with. -1 and other small negative numbers stand for any rank or none. What a debugging
 * library says of a communicator and its operations is kept as it is, as far as all programs read it: one that is not
 * ours says 4294967295 where there is no rank.
 */
#define A_RANK -16, MAX_RANKS, 0
#define AS_SAID -(1L << 53), 1L << 53, 0

/* Names of enumerators for programs: those of mqd_extension.h as they are there. */

#define NAME(kind, name) [MQD_##kind##_##name] = #name
#define NAMES(name, ...)                                                                                               \
    static const char *const name##_texts[] = {__VA_ARGS__};                                                           \
    const struct names name##_names = {name##_texts, sizeof name##_texts / sizeof *name##_texts}

#define STATE(name) [OPENMP_##name] = #name
NAMES(openmp_state, STATE(work_serial), STATE(work_parallel), STATE(overhead), STATE(idle), STATE(wait_barrier),
      STATE(wait_barrier_explicit), STATE(wait_barrier_implicit_workshare), STATE(wait_barrier_implicit_parallel),
      STATE(wait_taskwait), STATE(wait_taskgroup), STATE(wait_mutex), STATE(wait_lock), STATE(wait_critical),
      STATE(wait_atomic), STATE(wait_ordered), STATE(ended), STATE(wait_condition));
NAMES(operation_kind, NAME(OPERATION, recv), NAME(OPERATION, probe), NAME(OPERATION, mprobe), NAME(OPERATION, send),
      NAME(OPERATION, ssend), NAME(OPERATION, bsend), NAME(OPERATION, rsend), NAME(OPERATION, message));
NAMES(send_mode, NAME(MODE, standard), NAME(MODE, synchronous), NAME(MODE, buffered), NAME(MODE, ready));
NAMES(protocol, NAME(PROTOCOL, eager), NAME(PROTOCOL, rendezvous), NAME(PROTOCOL, single_copy));
NAMES(progress, NAME(PROGRESS, posted), NAME(PROGRESS, waited_for), NAME(PROGRESS, receiving),
      NAME(PROGRESS, complete), NAME(PROGRESS, cancelled), NAME(PROGRESS, truncated), NAME(PROGRESS, failed),
      NAME(PROGRESS, queued), NAME(PROGRESS, transport), NAME(PROGRESS, rendezvous), NAME(PROGRESS, single_copy),
      NAME(PROGRESS, transfer), NAME(PROGRESS, in_transit), NAME(PROGRESS, eager), NAME(PROGRESS, arrived_rendezvous),
      NAME(PROGRESS, out_of_sequence), NAME(PROGRESS, pending_communicator), NAME(PROGRESS, unmatched),
      NAME(PROGRESS, unfinished), NAME(PROGRESS, arriving), NAME(PROGRESS, handed_over));
NAMES(owner, NAME(OWNER, program), NAME(OWNER, window), NAME(OWNER, file), NAME(OWNER, library));
NAMES(access, NAME(ACCESS, none), NAME(ACCESS, fence), NAME(ACCESS, start), NAME(ACCESS, lock),
      NAME(ACCESS, lock_all));
NAMES(role, NAME(ROLE, started), NAME(ROLE, posted), NAME(ROLE, exclusive), NAME(ROLE, shared), NAME(ROLE, unchecked));
NAMES(reason, NAME(REASON, none), NAME(REASON, end), NAME(REASON, caller), NAME(REASON, no_memory),
      NAME(REASON, no_openmpi), NAME(REASON, ignored), NAME(REASON, not_initialised), NAME(REASON, finalized),
      NAME(REASON, unreadable), NAME(REASON, no_layout), NAME(REASON, wrong_layout), NAME(REASON, no_member),
      NAME(REASON, no_symbol), NAME(REASON, other_pml), NAME(REASON, pml_cm), NAME(REASON, pml_ucx),
      NAME(REASON, pml_yalla), NAME(REASON, pml_ubcl), NAME(REASON, damaged), NAME(REASON, no_constant),
      NAME(REASON, no_library_layout), NAME(REASON, undecided), NAME(REASON, elsewhere), NAME(REASON, overtaking));
/* MPI_THREAD_SINGLE and so on. */
NAMES(thread_level, "single", "funneled", "serialized", "multiple");
NAMES(call_state, [CALL_UNKNOWN] = "unknown", [CALL_OUTSIDE] = "outside", [CALL_MPI] = "mpi");
NAMES(queue, [mqs_pending_sends] = "pending_sends", [mqs_pending_receives] = "pending_receives",
      [mqs_unexpected_messages] = "unexpected_messages");

NAMES(handle_kind, NAME(HANDLE, communicator), NAME(HANDLE, datatype), NAME(HANDLE, group), NAME(HANDLE, request),
      NAME(HANDLE, window), NAME(HANDLE, file), NAME(HANDLE, op), NAME(HANDLE, errhandler), NAME(HANDLE, info),
      NAME(HANDLE, message), NAME(HANDLE, session));
NAMES(topology, NAME(TOPOLOGY, none), NAME(TOPOLOGY, cartesian), NAME(TOPOLOGY, graph),
      NAME(TOPOLOGY, distributed_graph));
NAMES(combiner, NAME(COMBINER, named), NAME(COMBINER, dup), NAME(COMBINER, contiguous), NAME(COMBINER, vector),
      NAME(COMBINER, hvector), NAME(COMBINER, indexed), NAME(COMBINER, hindexed), NAME(COMBINER, indexed_block),
      NAME(COMBINER, hindexed_block), NAME(COMBINER, struct), NAME(COMBINER, subarray), NAME(COMBINER, darray),
      NAME(COMBINER, f90_real), NAME(COMBINER, f90_complex), NAME(COMBINER, f90_integer), NAME(COMBINER, resized));
NAMES(request_state, NAME(REQUEST, null), NAME(REQUEST, inactive), NAME(REQUEST, active), NAME(REQUEST, complete),
      NAME(REQUEST, invalid));
NAMES(request_kind, NAME(REQUEST_OF, message), NAME(REQUEST_OF, file), NAME(REQUEST_OF, program),
      NAME(REQUEST_OF, window), NAME(REQUEST_OF, collective), NAME(REQUEST_OF, communicator),
      NAME(REQUEST_OF, partitions));
NAMES(file_operation, NAME(FILE, write), NAME(FILE, read), NAME(FILE, write_all), NAME(FILE, read_all));
/* MPI_WIN_FLAVOR_CREATE and so on, MPI_WIN_UNIFIED and so on, as Open MPI has them. */
NAMES(flavor, [1] = "create", [2] = "allocate", [3] = "dynamic", [4] = "shared");
NAMES(memory_model, "unified", "separate");

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
    {ELSEWHERE(struct witness, openmp)},
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
    {FIELD(struct witness, "threads_moved", threads_moved)},
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
    {PART(struct listing, "name", name, process_name)},
    {FIELD(struct listing, "has_thread_level", has_thread_level)},
    {FIELD(struct listing, "thread_level", thread_level),
     JSON(11, "thread_level", NAMED(thread_level), IF(struct listing, has_thread_level))},
    {FIELD(struct listing, "one_caller", one_caller)},
    {FIELD(struct listing, "has_communicators", has_communicators)},
    {ELSEWHERE(struct listing, communicators)},
    {ELSEWHERE(struct listing, n)},
    {ELSEWHERE(struct listing, room)},
    {ELSEWHERE(struct listing, windows), .table = &window_fields, .count = offsetof(struct listing, n_windows),
     JSON(13, "windows", AS(LIST), OPTIONAL)},
    {ELSEWHERE(struct listing, n_windows)},
    {ELSEWHERE(struct listing, window_room)},
    {ELSEWHERE(struct listing, answers), .table = &handle_answer_fields,
     .count = offsetof(struct listing, n_answers), JSON(14, "answers", AS(LIST), OPTIONAL)},
    {ELSEWHERE(struct listing, n_answers)},
    {ELSEWHERE(struct listing, answer_room)},
    {ELSEWHERE(struct listing, calls)},
    {ELSEWHERE(struct listing, host), JSON(5, "host", AS(TEXT), OPTIONAL)},
    {ELSEWHERE(struct listing, activity)},
    {ELSEWHERE(struct listing, openmp)},
    {FIELD(struct listing, "dll_seconds", dll_seconds)},
    {FIELD(struct listing, "error", error)},
    {FIELD(struct listing, "reason", reason)},
};
TABLE(listing, struct listing);

static const struct field missing_rank_rows[] = {
    {NUMBER(struct missing_rank, "rank", rank, -1, MAX_RANKS, 0)},
    {FIELD(struct missing_rank, "job", job), .needed = true},
    {ELSEWHERE(struct missing_rank, user)},
    {NUMBER(struct missing_rank, "pid", pid, 0, INT_MAX, 0)},
    {FIELD(struct missing_rank, "certain", certain)},
    {ELSEWHERE(struct missing_rank, unknown)},
    {NUMBER(struct missing_rank, "signal", signal, 0, INT_MAX, 0)},
    {FIELD(struct missing_rank, "fate", fate), .needed = true},
};
TABLE(missing_rank, struct missing_rank, "\"missing\" has no job, or no fate");

/* The number of a system call is that of the machine: the name says which call it is. */
static const struct field activity_rows[] = {
    {NUMBER(struct activity, "thread", thread, 0, INT_MAX, 0), .needed = true, JSON(1, "thread", AS(NUMBER))},
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
TABLE(activity, struct activity, "\"activity\" is of no thread");

/* Threads. */

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

static const struct field calls_rows[] = {
    {ELSEWHERE(struct calls, calls), .table = &call_fields, .count = offsetof(struct calls, n),
     JSON(2, "threads", AS(LIST))},
    {ELSEWHERE(struct calls, n)},
    {ELSEWHERE(struct calls, room)},
    {FIELD(struct calls, "complete", complete)},
    {NUMBER(struct calls, "initialiser", initialiser, 0, INT_MAX, 0)},
    {ELSEWHERE(struct calls, stacks), .table = &named_stack_fields, .count = offsetof(struct calls, n_stacks),
     JSON(3, "stacks", AS(LIST))},
    {ELSEWHERE(struct calls, n_stacks)},
    {FIELD(struct calls, "has_stacks", has_stacks)},
    {PART(struct calls, "libraries", libraries, library_calls), .always = true},
};
TABLE(calls, struct calls);

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
    {.kind = FIELD_ELSEWHERE, .table = &place_fields, HERE},
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

/* What OpenMP's runtimes know of them. */

static const struct field openmp_runtime_rows[] = {
    {FIELD(struct openmp_runtime, "file", file), .needed = true, JSON(1, "file", AS(TEXT))},
    {FIELD(struct openmp_runtime, "name", name), .needed = true, JSON(2, "name", AS(TEXT))},
    {FIELD(struct openmp_runtime, "layout", layout), JSON(3, "layout", AS(TEXT))},
    {FIELD(struct openmp_runtime, "problem", problem), JSON(4, "problem", AS(TEXT))},
};
TABLE(openmp_runtime, struct openmp_runtime, "an OpenMP runtime has no name");

static const struct field openmp_team_rows[] = {
    {NUMBER(struct openmp_team, "runtime", runtime, 0, INT_MAX, 0), JSON(1, "runtime", AS(NUMBER))},
    {ADDRESS(struct openmp_team, "address", address), JSON(2, "address", AS(ADDRESS))},
    {NUMBER(struct openmp_team, "size", size, 0, INT_MAX, 0), JSON(3, "size", AS(NUMBER))},
    {NUMBER(struct openmp_team, "level", level, 0, INT_MAX, 0), JSON(4, "level", AS(NUMBER))},
    {NUMBER(struct openmp_team, "parent", parent, -1, INT_MAX, -1), JSON(5, "parent", AS(NUMBER), LEAST(0))},
    {NUMBER(struct openmp_team, "parent_number", parent_number, -1, INT_MAX, -1),
     JSON(6, "parent_number", AS(NUMBER), LEAST(0))},
    {NUMBER(struct openmp_team, "awaited", awaited, -1, INT_MAX, -1), JSON(7, "awaited", AS(NUMBER), LEAST(0))},
    {FIELD(struct openmp_team, "cancelled", cancelled), JSON(8, "cancelled", AS(TRUTH))},
    {FIELD(struct openmp_team, "place", place), JSON(9, "place", AS(TEXT))},
};
TABLE(openmp_team, struct openmp_team);

static const struct field openmp_thread_rows[] = {
    {NUMBER(struct openmp_thread, "thread", thread, 0, INT_MAX, 0), JSON(1, "thread", AS(NUMBER), LEAST(1))},
    {FIELD(struct openmp_thread, "name", name), JSON(2, "name", AS(TEXT))},
    {NUMBER(struct openmp_thread, "runtime", runtime, -1, INT_MAX, -1), JSON(3, "runtime", AS(NUMBER), LEAST(0))},
    {NUMBER(struct openmp_thread, "team", team, -1, INT_MAX, -1), JSON(4, "team", AS(NUMBER), LEAST(0))},
    {NUMBER(struct openmp_thread, "number", number, -1, INT_MAX, -1), JSON(5, "number", AS(NUMBER), LEAST(0))},
    {FIELD(struct openmp_thread, "state", state), JSON(6, "state", NAMED(openmp_state))},
    {ADDRESS(struct openmp_thread, "object", object), JSON(7, "object", AS(ADDRESS), LEAST(1))},
    {FIELD(struct openmp_thread, "object_name", object_name), JSON(8, "object_name", AS(TEXT))},
    {NUMBER(struct openmp_thread, "holder", holder, 0, INT_MAX, 0), JSON(9, "holder", AS(NUMBER), LEAST(1))},
    {ADDRESS(struct openmp_thread, "task", task), JSON(10, "task", AS(ADDRESS), LEAST(1))},
    {FIELD(struct openmp_thread, "explicit_task", explicit_task), JSON(11, "explicit_task", AS(TRUTH))},
    {ADDRESS(struct openmp_thread, "parent_task", parent_task), JSON(12, "parent_task", AS(ADDRESS), LEAST(1))},
    {NUMBER(struct openmp_thread, "creator", creator, 0, INT_MAX, 0), JSON(13, "creator", AS(NUMBER), LEAST(1))},
    {NUMBER(struct openmp_thread, "children", children, -1, INT_MAX, -1), JSON(14, "children", AS(NUMBER), LEAST(0))},
    {FIELD(struct openmp_thread, "place", place), JSON(15, "place", AS(TEXT))},
    {ELSEWHERE(struct openmp_thread, called)},
    {ELSEWHERE(struct openmp_thread, sleep)},
    {ELSEWHERE(struct openmp_thread, let_go)},
};
TABLE(openmp_thread, struct openmp_thread);

static const struct field openmp_rows[] = {
    {LIST(struct openmp, "runtimes", runtimes, n_runtimes, openmp_runtime), JSON(1, "runtimes", AS(LIST))},
    {ELSEWHERE(struct openmp, n_runtimes)},
    {LIST(struct openmp, "teams", teams, n_teams, openmp_team), JSON(2, "teams", AS(LIST))},
    {ELSEWHERE(struct openmp, n_teams)},
    {ELSEWHERE(struct openmp, team_room)},
    {LIST(struct openmp, "threads", threads, n_threads, openmp_thread), JSON(3, "threads", AS(LIST))},
    {ELSEWHERE(struct openmp, n_threads)},
    {ELSEWHERE(struct openmp, thread_room)},
};
TABLE(openmp, struct openmp);

/* Layouts. */

static const struct field layout_rows[] = {
    {FIELD(struct listing, "has_layout", has_layout)},
    {ELSEWHERE(struct listing, layout)},
    {FIELD(struct listing, "layout_error", layout_error), JSON(5, "error", AS(TEXT))},
    {FIELD(struct listing, "layout_reason", layout_reason), JSON(6, "cause", NAMED(reason), OPTIONAL)},
    {LIST(struct listing, "libraries", libraries, n_libraries, library), .always = true,
     JSON(7, "libraries", AS(LIST), OPTIONAL)},
    {ELSEWHERE(struct listing, n_libraries)},
    {ARRAY(struct listing, "gaps", gaps, gap)},
    {FIELD(struct listing, "has_details", has_details)},
    {PART(struct listing, "details", details, details)},
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
    {FIELD(struct mqd_layout_summary, "n_classes", n_classes), JSON(13, "classes.all", AS(NUMBER))},
    {FIELD(struct mqd_layout_summary, "n_classes_read", n_classes_read), JSON(14, "classes.read", AS(NUMBER))},
    {FIELD(struct mqd_layout_summary, "n_classes_agreeing", n_classes_agreeing),
     JSON(15, "classes.agreeing", AS(NUMBER))},
    {FIELD(struct mqd_layout_summary, "n_types", n_types), JSON(16, "debugger_types.all", AS(NUMBER))},
    {FIELD(struct mqd_layout_summary, "n_types_known", n_types_known), JSON(17, "debugger_types.known", AS(NUMBER))},
    {FIELD(struct mqd_layout_summary, "n_types_agreeing", n_types_agreeing),
     JSON(18, "debugger_types.agreeing", AS(NUMBER))},
};
TABLE(layout_summary, struct mqd_layout_summary);

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
    {FIELD(struct mqd_library_summary, "n_types", n_types), JSON(13, "debugger_types.all", AS(NUMBER))},
    {FIELD(struct mqd_library_summary, "n_types_known", n_types_known),
     JSON(14, "debugger_types.known", AS(NUMBER))},
    {CHARS(struct mqd_library_summary, "found", found), JSON(8, "found", AS(TEXT))},
};
TABLE(library_summary, struct mqd_library_summary);

static const struct field library_rows[] = {
    {FIELD(struct library, "error", error), JSON(6, "error", AS(TEXT))},
    {FIELD(struct library, "reason", reason), JSON(7, "cause", NAMED(reason), OPTIONAL)},
    {PART(struct library, "summary", summary, library_summary), .always = true, HERE},
};
TABLE(library, struct library);

static const struct field gap_rows[] = {
    {FIELD(struct gap, "text", text), JSON(1, "text", AS(STRING))},
    {FIELD(struct gap, "reason", reason), JSON(2, "cause", NAMED(reason))},
};
TABLE(gap, struct gap);

/* Texts that the tables are printed from. */
#define NO_NAME "a part of \"details\" has no name"

static const struct field type_rows[] = {
    {FIELD(struct mqd_type_description, "name", name), .needed = true, JSON(1, "name", AS(STRING))},
    {FIELD(struct mqd_type_description, "source", source), .needed = true, JSON(2, "source", AS(TEXT))},
    {FIELD(struct mqd_type_description, "size", size), JSON(3, "size", AS(NUMBER), LEAST(0))},
    {FIELD(struct mqd_type_description, "class_size", class_size), JSON(4, "class_size", AS(NUMBER), LEAST(0))},
    {FIELD(struct mqd_type_description, "live_size", live_size), JSON(5, "debugger_size", AS(NUMBER), LEAST(0))},
    {FIELD(struct mqd_type_description, "table_size", table_size), JSON(6, "table_size", AS(NUMBER), LEAST(0))},
};
TABLE(type, struct mqd_type_description, NO_NAME);

static const struct field layout_field_rows[] = {
    {FIELD(struct mqd_field_description, "type", type), .needed = true},
    {FIELD(struct mqd_field_description, "member", member), .needed = true, JSON(1, "member", AS(STRING))},
    {FIELD(struct mqd_field_description, "kind", kind), .needed = true, JSON(2, "kind", AS(TEXT))},
    {FIELD(struct mqd_field_description, "source", source), .needed = true, JSON(3, "source", AS(TEXT))},
    {FIELD(struct mqd_field_description, "offset", offset), JSON(4, "offset", AS(NUMBER), LEAST(0))},
    {FIELD(struct mqd_field_description, "size", size), JSON(5, "size", AS(NUMBER), LEAST(0))},
    {FIELD(struct mqd_field_description, "live_offset", live_offset), JSON(6, "debugger_offset", AS(NUMBER), LEAST(0))},
    {FIELD(struct mqd_field_description, "table_offset", table_offset), JSON(7, "table_offset", AS(NUMBER), LEAST(0))},
};
TABLE(layout_field, struct mqd_field_description, NO_NAME);

static const struct field probe_rows[] = {
    {FIELD(struct mqd_probe_description, "name", name), .needed = true, JSON(1, "name", AS(STRING))},
    {FIELD(struct mqd_probe_description, "result", result), .needed = true, JSON(2, "result", AS(TEXT))},
};
TABLE(probe, struct mqd_probe_description, NO_NAME);

static const struct field capability_rows[] = {
    {FIELD(struct mqd_capability_description, "name", name), .needed = true, JSON(1, "name", AS(STRING))},
    {FIELD(struct mqd_capability_description, "text", text), .needed = true},
    {FIELD(struct mqd_capability_description, "on", on), JSON(2, "on", AS(TRUTH))},
    {FIELD(struct mqd_capability_description, "reason", reason), JSON(3, "reason", AS(TEXT))},
};
TABLE(capability, struct mqd_capability_description, NO_NAME);

static const struct field limit_rows[] = {
    {FIELD(struct mqd_limit_description, "shown", shown)},
    {FIELD(struct mqd_limit_description, "reason", reason)},
    {FIELD(struct mqd_limit_description, "hindrance", hindrance)},
};
TABLE(limit, struct mqd_limit_description);

static const struct field details_rows[] = {
    {LIST(struct details, "types", types, n_types, type)},
    {LIST(struct details, "fields", fields, n_fields, layout_field)},
    {LIST(struct details, "probes", probes, n_probes, probe)},
    {LIST(struct details, "capabilities", capabilities, n_capabilities, capability)},
    {ELSEWHERE(struct details, n_types)},
    {ELSEWHERE(struct details, n_fields)},
    {ELSEWHERE(struct details, n_probes)},
    {ELSEWHERE(struct details, n_capabilities)},
    {LIST(struct details, "limits", limits, n_limits, limit)},
    {ELSEWHERE(struct details, n_limits)},
};
TABLE(details, struct details);

/* Communicators and windows. */

static const struct field dimension_rows[] = {
    {NUMBER(struct dimension, "size", size, 0, MAX_RANKS, 0), JSON(1, "size", AS(NUMBER))},
    {FIELD(struct dimension, "periodic", periodic), JSON(2, "periodic", AS(TRUTH))},
    {NUMBER(struct dimension, "coordinate", coordinate, 0, MAX_RANKS, 0), JSON(3, "coordinate", AS(NUMBER))},
};
TABLE(dimension, struct dimension);

static const struct field arrangement_rows[] = {
    {FIELD(struct arrangement, "topology", topology), JSON(5, "topology", NAMED(topology), OPTIONAL)},
    {FIELD(struct arrangement, "revoked", revoked), JSON(7, "revoked", AS(TRUTH), OPTIONAL)},
    {FIELD(struct arrangement, "freed", freed), JSON(8, "freed", AS(TRUTH), OPTIONAL)},
    {LIST(struct arrangement, "dimensions", dimensions, n_dimensions, dimension),
     JSON(6, "dimensions", AS(LIST), OPTIONAL)},
    {ELSEWHERE(struct arrangement, n_dimensions)},
};
TABLE(arrangement, struct arrangement);

static const struct field traffic_rows[] = {
    {NUMBER(struct traffic, "peer", peer, 0, MAX_RANKS, 0)},
    {FIELD(struct traffic, "sent", n_sent)},
    {FIELD(struct traffic, "arrived", n_arrived)},
};
TABLE(traffic, struct traffic, "", .is_tuple = true);

static const struct field communicator_rows[] = {
    {ADDRESS(struct communicator, "unique_id", unique_id), JSON(2, "unique_id", AS(NUMBER))},
    {NUMBER(struct communicator, "local_rank", local_rank, AS_SAID), JSON(3, "local_rank", AS(NUMBER))},
    {NUMBER(struct communicator, "size", size, 0, MAX_RANKS, 0), JSON(4, "size", AS(NUMBER))},
    {CHARS(struct communicator, "name", name), JSON(1, "name", AS(STRING))},
    {ELSEWHERE(struct communicator, group)},
    {FIELD(struct communicator, "group_error", group_error)},
    {FIELD(struct communicator, "group_reason", group_reason)},
    {ARRAY(struct communicator, "queues", queues, queue)},
    {FIELD(struct communicator, "has_summary", has_summary)},
    {PART(struct communicator, "summary", summary, summary)},
    {FIELD(struct communicator, "has_use", has_use)},
    {PART(struct communicator, "use", use, use), JSON(9, "use", AS(PART), IF(struct communicator, has_use))},
    {PART(struct communicator, "arrangement", arrangement, arrangement), HERE},
    {FIELD(struct communicator, "has_traffic", has_traffic)},
    {LIST(struct communicator, "traffic", traffic, n_traffic, traffic)},
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
    {FIELD(struct window, "error", error), JSON(16, "error", AS(STRING), OPTIONAL)},
    {PART(struct window, "description", description, window_description), HERE},
    {LIST(struct window, "peers", peers, n_peers, window_peer), .always = true, JSON(15, "peers", AS(LIST))},
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
    {FIELD(struct mqd_window_description, "n_pending", n_pending), JSON(14, "pending", AS(NUMBER), LEAST(0))},
};
TABLE(window_description, struct mqd_window_description);

static const struct field window_peer_rows[] = {
    {NUMBER(struct mqd_window_peer, "rank", rank, 0, MAX_RANKS, 0), JSON(1, "rank", AS(NUMBER))},
    {FIELD(struct mqd_window_peer, "role", role), JSON(2, "role", NAMED(role))},
    {FIELD(struct mqd_window_peer, "held", held), JSON(3, "held", AS(TRUTH), LEAST(0))},
    {FIELD(struct mqd_window_peer, "n_pending", n_pending), JSON(4, "pending", AS(NUMBER), LEAST(0))},
};
TABLE(window_peer, struct mqd_window_peer);

static const struct field process_name_rows[] = {
    {FIELD(struct mqd_process_name, "job", job), JSON(1, "job", AS(NUMBER))},
    {NUMBER(struct mqd_process_name, "rank", rank, A_RANK), JSON(2, "rank", AS(NUMBER))},
};
TABLE(process_name, struct mqd_process_name);

/* Operations. */

#define LINE(key_, i)                                                                                                  \
    {.key = key_, .kind = FIELD_TEXT, .offset = (i) * sizeof(char *), .size = sizeof(char *), .room = MAX_QUEUED_TEXT}
static const struct field extra_text_rows[] = {LINE("1", 0), LINE("2", 1), LINE("3", 2), LINE("4", 3), LINE("5", 4)};
TABLE(extra_text, const char *[N_EXTRA_TEXTS]);

static const struct field unknown_rows[] = {
    {FLAG(struct queued_unknown, "peer", peer)},
    {FLAG(struct queued_unknown, "tag", tag)},
    {FLAG(struct queued_unknown, "length", length)},
    {FLAG(struct queued_unknown, "buffer", buffer)},
};
TABLE(unknown, struct queued_unknown);

enum { N_ROWS_OF_MQD = 13 };
static const struct field operation_rows[] = {
    {FIELD(struct queued, "status", status), JSON(1, "status", BY(value_status))},
    {NUMBER(struct queued, "desired_local_rank", desired_local_rank, AS_SAID),
     JSON(2, "desired_local_rank", AS(NUMBER), UNLESS(struct queued, unknown.peer))},
    {NUMBER(struct queued, "desired_global_rank", desired_global_rank, AS_SAID),
     JSON(3, "desired_global_rank", AS(NUMBER), UNLESS(struct queued, unknown.peer))},
    {FLAG(struct queued, "tag_wild", tag_wild), JSON(4, "tag_wild", AS(TRUTH))},
    {FIELD(struct queued, "desired_tag", desired_tag),
     JSON(5, "desired_tag", AS(NUMBER), UNLESS(struct queued, unknown.tag))},
    {NUMBER(struct queued, "desired_length", desired_length, AS_SAID),
     JSON(6, "desired_length", AS(NUMBER), UNLESS(struct queued, unknown.length))},
    {FLAG(struct queued, "system_buffer", system_buffer), JSON(7, "system_buffer", AS(TRUTH))},
    {ADDRESS(struct queued, "buffer", buffer), JSON(8, "buffer", AS(ADDRESS), UNLESS(struct queued, unknown.buffer))},
    {NUMBER(struct queued, "actual_local_rank", actual_local_rank, AS_SAID), JSON(9, "actual_local_rank", AS(NUMBER))},
    {NUMBER(struct queued, "actual_global_rank", actual_global_rank, AS_SAID),
     JSON(10, "actual_global_rank", AS(NUMBER))},
    {FIELD(struct queued, "actual_tag", actual_tag), JSON(11, "actual_tag", AS(NUMBER))},
    {NUMBER(struct queued, "actual_length", actual_length, AS_SAID), JSON(12, "actual_length", AS(NUMBER))},
    {PART(struct queued, "extra_text", extra_text, extra_text), JSON(33, "extra_text", BY(value_extra_text))},
    {FIELD(struct queued, "kind", kind), .of = "facts", JSON(13, "call", NAMED(operation_kind))},
    {FIELD(struct queued, "mode", mode), .of = "facts", JSON(14, "mode", NAMED(send_mode))},
    {FIELD(struct queued, "protocol", protocol), .of = "facts", JSON(15, "protocol", NAMED(protocol))},
    {FIELD(struct queued, "progress", progress), .of = "facts", JSON(16, "progress", NAMED(progress))},
    {FLAG(struct queued, "persistent", persistent), .of = "facts", JSON(17, "persistent", AS(TRUTH))},
    {FLAG(struct queued, "freed", freed), .of = "facts", JSON(18, "freed", AS(TRUTH))},
    {FLAG(struct queued, "collective", collective), .of = "facts", JSON(20, "collective", AS(TRUTH))},
    {FLAG(struct queued, "internal", internal), .of = "facts", JSON(19, "internal", AS(TRUTH))},
    {FLAG(struct queued, "needs_receiver", needs_receiver), .of = "facts", JSON(21, "waits_for_receiver", AS(TRUTH))},
    {FLAG(struct queued, "out_of_sequence", out_of_sequence), .of = "facts"},
    {FLAG(struct queued, "pending_communicator", pending_communicator), .of = "facts"},
    {FIELD(struct queued, "error_class", error_class), .of = "facts", JSON(27, "error_class", AS(NUMBER), LEAST(1))},
    {NUMBER(struct queued, "sequence", sequence, INT64_MIN, INT64_MAX, -1), .of = "facts",
     JSON(28, "sequence", AS(NUMBER), LEAST(0))},
    {ADDRESS(struct queued, "request", request), .of = "facts", JSON(23, "request", AS(ADDRESS), LEAST(1))},
    {FIELD(struct queued, "arrived", arrived), .of = "facts", JSON(26, "arrived", AS(NUMBER))},
    {FLAG(struct queued, "has_count", has_count), .of = "facts"},
    {FIELD(struct queued, "count", count), .of = "facts", JSON(24, "count", AS(NUMBER), IF(struct queued, has_count))},
    {TEXT(struct queued, "datatype", datatype, 63), .of = "facts", JSON(25, "datatype", AS(TEXT))},
    {FIELD(struct queued, "combiner", combiner), .of = "facts", JSON(34, "made_by", NAMED(combiner), OPTIONAL)},
    {TEXT(struct queued, "base", base, 63), .of = "facts", JSON(35, "made_of", AS(TEXT), OPTIONAL)},
    {TEXT(struct queued, "purpose", purpose, 63), .of = "facts", JSON(22, "purpose", AS(TEXT))},
    {FLAG(struct queued, "has_peer", has_peer), .of = "facts"},
    {PART(struct queued, "peer", peer, process_name), JSON(32, "peer", AS(PART), IF(struct queued, has_peer))},
    {ADDRESS(struct queued, "send_request", send_request), .of = "extra",
     JSON(30, "send_request", AS(ADDRESS), LEAST(1))},
    {FIELD(struct queued, "named", named), .of = "extra"},
    {FIELD(struct queued, "found", found), .of = "extra"},
    {FIELD(struct queued, "collective_number", collective_number), .of = "extra",
     JSON(29, "collective_number", AS(NUMBER), LEAST(1))},
    {ADDRESS(struct queued, "waiter", waiter), .of = "extra"},
    {PART(struct queued, "found_at", found_at, process_name), JSON(31, "found_at", AS(PART), IF(struct queued, found))},
    {PART(struct queued, "unknown", unknown, unknown)},
};
TABLE(operation, struct queued);
const struct field_table undescribed_fields = {.name = "operation", .fields = operation_rows, .n = N_ROWS_OF_MQD,
                                               .size = sizeof(struct queued)};

/* What is told of handles. */

#define ONE(fact) [MQD_FACT_##fact] = {#fact, NULL, false}
#define NUMBERED(fact, names) [MQD_FACT_##fact] = {#fact, &names##_names, false}
#define LISTED(fact) [MQD_FACT_##fact] = {#fact, NULL, true}
static const struct fact_form fact_forms[] = {
    ONE(size), ONE(rank), ONE(remote_size), ONE(unique_id), ONE(internal), ONE(revoked), ONE(collectives_revoked),
    ONE(freed), LISTED(member), NUMBERED(topology, topology), ONE(reorder), LISTED(dimension), LISTED(periodic),
    LISTED(coordinate), LISTED(graph_index), LISTED(graph_edge), LISTED(source), LISTED(source_weight),
    LISTED(destination), LISTED(destination_weight), ONE(type_size), ONE(lower_bound), ONE(extent),
    ONE(true_lower_bound), ONE(true_extent), ONE(committed), NUMBERED(combiner, combiner), LISTED(integer),
    LISTED(address), LISTED(datatype), LISTED(count), NUMBERED(request_kind, request_kind),
    NUMBERED(request_state, request_state), ONE(persistent), ONE(object), NUMBERED(operation, operation_kind),
    NUMBERED(progress, progress), ONE(peer), ONE(tag), ONE(bytes), ONE(elements), ONE(collective_number),
    NUMBERED(file_operation, file_operation), ONE(context), ONE(request), ONE(function), ONE(base), ONE(window_size),
    ONE(displacement_unit), NUMBERED(flavor, flavor), NUMBERED(memory_model, memory_model), ONE(group),
    NUMBERED(access, access), ONE(exposed), ONE(locked_exclusively), ONE(shared_locks), ONE(waiting_locks),
    ONE(component), ONE(communicator), ONE(access_mode), ONE(closed), ONE(view_displacement), ONE(view_etype),
    ONE(view_filetype), ONE(atomic), ONE(split_collective), ONE(commutative), ONE(language_fortran),
    NUMBERED(handled_kind, handle_kind), LISTED(key), LISTED(value), ONE(session),
    NUMBERED(thread_level, thread_level), ONE(error_handler), LISTED(attribute),
};

const struct fact_form *fact_form_of(int fact)
{
    bool is_there = fact > MQD_FACT_unknown && (size_t)fact < sizeof fact_forms / sizeof *fact_forms;

    return is_there && fact_forms[fact].name != NULL ? &fact_forms[fact] : NULL;
}

static const struct field handle_item_rows[] = {
    {FIELD(struct handle_item, "fact", fact)},
    {FIELD(struct handle_item, "form", form)},
    {FIELD(struct handle_item, "index", index)},
    {FIELD(struct handle_item, "number", number)},
    {ADDRESS(struct handle_item, "address", address)},
    {TEXT(struct handle_item, "text", text, sizeof((struct mqd_handle_item *)0)->text - 1)},
};
TABLE(handle_item, struct handle_item);

static const struct field handle_rows[] = {
    {NUMBER(struct handle, "position", position, -1, MAX_REQUEST_ENTRIES - 1, -1),
     JSON(1, "position", AS(NUMBER), LEAST(0), OPTIONAL)},
    {ADDRESS(struct handle, "value", value), JSON(2, "value", AS(ADDRESS))},
    {PART(struct handle, "summary", summary, handle_summary), HERE},
    {ELSEWHERE(struct handle, items), JSON(9, "facts", BY(value_facts))},
    {ELSEWHERE(struct handle, n)},
    {ELSEWHERE(struct handle, room)},
    {FIELD(struct handle, "error", error), JSON(10, "error", AS(TEXT), OPTIONAL)},
    {FIELD(struct handle, "reason", reason), JSON(11, "cause", NAMED(reason), OPTIONAL)},
};
TABLE(handle, struct handle);

static const struct field handle_summary_rows[] = {
    {FIELD(struct mqd_handle_summary, "kind", kind), JSON(3, "kind", NAMED(handle_kind))},
    {ADDRESS(struct mqd_handle_summary, "object", object), JSON(4, "object", AS(ADDRESS), LEAST(1))},
    {CHARS(struct mqd_handle_summary, "class", class_name), JSON(5, "class", AS(TEXT))},
    {FIELD(struct mqd_handle_summary, "predefined", predefined), JSON(6, "predefined", AS(TRUTH))},
    {NUMBER(struct mqd_handle_summary, "fortran", fortran, -1, INT_MAX, -1),
     JSON(7, "fortran", AS(NUMBER), LEAST(0))},
    {CHARS(struct mqd_handle_summary, "name", name), JSON(8, "name", AS(TEXT))},
};
TABLE(handle_summary, struct mqd_handle_summary);

static const struct field handle_answer_rows[] = {
    {FIELD(struct handle_answer, "question", question), .needed = true, JSON(1, "question", AS(STRING))},
    {ELSEWHERE(struct handle_answer, handles), .table = &handle_fields, .count = offsetof(struct handle_answer, n),
     JSON(4, "handles", AS(LIST))},
    {ELSEWHERE(struct handle_answer, n)},
    {ELSEWHERE(struct handle_answer, room)},
    {ELSEWHERE(struct handle_answer, texts)},
    {FIELD(struct handle_answer, "error", error), JSON(2, "error", AS(TEXT), OPTIONAL)},
    {FIELD(struct handle_answer, "reason", reason), JSON(3, "cause", NAMED(reason), OPTIONAL)},
};
TABLE(handle_answer, struct handle_answer, "an answer is to no question");
