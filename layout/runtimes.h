/*
 * runtimes.h - the layouts of the libraries that mqdump reads itself: the runtimes of OpenMP.
 *
 * Nothing in a process states the sizes of their types, so each table of the architecture is a candidate. Whoever reads
 * makes the layout of each candidate, with the types of the debug information where there is some (mqd_assume_live) or
 * without (mqd_assume), and keeps those that no invariant of the process contradicts. An offset is that of a path:
 * layout.paths[MQD_PATH_gomp_thread_team].offset, unless its source is MQD_SOURCE_absent; MQD_CONSTANT_... are in
 * layout.constants, and layout.type_size has the bytes of a type. layout.can says for which capabilities all is known.
 *
 * A file includes this header instead of layout.h: the ids are those of runtimes.def.
 */
#ifndef MQD_LAYOUT_RUNTIMES_H
#define MQD_LAYOUT_RUNTIMES_H

#ifdef MQD_LISTS_OF_DLL
#error "include runtimes.h before layout.h"
#endif
#define MQD_LISTS "layout/runtimes.def"

/* What layout.h and places.h declare, by names of its own: a program may link what is for the lists of the DLL too. */
#define mqd_add_library mqd_runtime_add_library
#define mqd_add_up_paths mqd_runtime_add_up_paths
#define mqd_agrees_live mqd_runtime_agrees_live
#define mqd_assume mqd_runtime_assume
#define mqd_assume_live mqd_runtime_assume_live
#define mqd_begin_layout mqd_runtime_begin_layout
#define mqd_capability_specs mqd_runtime_capability_specs
#define mqd_clear mqd_runtime_clear
#define mqd_constant_specs mqd_runtime_constant_specs
#define mqd_decide_capabilities mqd_runtime_decide_capabilities
#define mqd_family_has_version mqd_runtime_family_has_version
#define mqd_family_is_not_before mqd_runtime_family_is_not_before
#define mqd_fits_live mqd_runtime_fits_live
#define mqd_flag_is_set mqd_runtime_flag_is_set
#define mqd_geometry_check mqd_runtime_geometry_check
#define mqd_has_live_size mqd_runtime_has_live_size
#define mqd_inner_type mqd_runtime_inner_type
#define mqd_keep_agreed mqd_runtime_keep_agreed
#define mqd_library_titles mqd_runtime_library_titles
#define mqd_live_agrees mqd_runtime_live_agrees
#define mqd_parse_version mqd_runtime_parse_version
#define mqd_path_specs mqd_runtime_path_specs
#define mqd_resolve_type mqd_runtime_resolve_type
#define mqd_same_abi mqd_runtime_same_abi
#define mqd_settle_constants mqd_runtime_settle_constants
#define mqd_step_specs mqd_runtime_step_specs
#define mqd_table_field mqd_runtime_table_field
#define mqd_type_end mqd_runtime_type_end
#define mqd_type_specs mqd_runtime_type_specs

#include "layout/layout.h"

/*
 * The tables of a runtime for an architecture, as tables name it ("x86_64"), one after the other: the first one after
 * NULL. NULL after the last one. Older families come first, and of each the plain build.
 */
const struct mqd_table *mqd_next_runtime_table(enum mqd_library library, const char *arch,
                                               const struct mqd_table *previous);

/* Has the table's family releases of this major version? */
bool mqd_family_has_major(const struct mqd_table *table, unsigned major);

#endif
