/*
 * evidence.h - what can be found out about the layout of one process: the debugger's types, the class descriptors, and
 * probes of objects whose content is known.
 */
#ifndef MQD_DLL_EVIDENCE_H
#define MQD_DLL_EVIDENCE_H

#include "mqd/dll/target.h"

/* Asks the debugger for the types that were not known yet, and keeps the answers in the image. */
void mqd_ask_types(const struct dbgr_image *debugger, struct mqd_image *image);

/*
 * Gathers all evidence about a process and resolves its layout: fills process->evidence, ->layout and ->extents. Call
 * it again while something is missing, since plugins are loaded late. Returns MQD_OK, or why there is no layout.
 * MQD_RC_no_evidence is no error: the process has not come far enough yet.
 */
enum mqd_rc mqd_find_layout(struct mqd_process *process) MQD_CHECKED;

/* The image of a process with its callbacks, false if it has not been set up. */
bool mqd_image_of(const struct mqd_process *process, struct dbgr_image *debugger, struct mqd_image **image);

/* The address of a symbol in a process's image. */
bool mqd_symbol(const struct mqd_process *process, const char *name, mqd_taddr *ta);

/* Writes the name of the PML's component that Open MPI has selected; "" if it is not known. */
void mqd_selected_pml(struct mqd_process *process, char *name, size_t n_room);

/* Does the code say that the layout is wrong? It may also be not known yet, or not readable. */
bool mqd_is_contradiction(enum mqd_rc rc);

/* Why a capability is off: MQD_OK if it is on. */
enum mqd_rc mqd_capability_rc(const struct mqd_process *process, enum mqd_capability can);

/* Records the result of a probe, and returns it or, if a read has failed, that. */
enum mqd_rc mqd_found(struct mqd_process *process, enum mqd_probe probe, enum mqd_rc rc) MQD_CHECKED;

/* Tests that ompi_request_null has the content that Open MPI gives it. MQD_OK also if its symbol is not found. */
enum mqd_rc mqd_probe_requests(struct mqd_process *process) MQD_CHECKED;

/*
 * Tests that MPI_BYTE has one byte. It is initialised statically: a copy of it that nobody uses has the same content.
 * MQD_OK also if its symbol is not found. If datatypes cannot be read at all the code says why.
 */
enum mqd_rc mqd_probe_datatypes(struct mqd_process *process) MQD_CHECKED;

/*
 * Is the layout complete? Plugins are loaded late, and bring types, class descriptors and capabilities. Also, the
 * process may have executed another program, with another Open MPI.
 */
bool mqd_layout_stands(struct mqd_process *process);

/* One word for all of a library in a layout: "table+live", "live", "table" or "mixed". */
const char *mqd_layout_source(const struct mqd_layout *layout, enum mqd_library library);

#endif
