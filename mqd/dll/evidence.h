/*
 * evidence.h - what can be found out about the layout of one process: the debugger's types, the class descriptors, and
 * probes of objects whose content is known.
 */
#ifndef MQD_DLL_EVIDENCE_H
#define MQD_DLL_EVIDENCE_H

#include "mqd/dll/target.h"

/* Asks the debugger for the types that it has not had yet, and keeps the answers in the image. */
void mqd_ask_types(const struct dbgr_image *debugger, struct mqd_image *image);

/*
 * Gathers everything about a process and resolves its layout: process->evidence, ->layout, ->extents. To be repeated
 * while something is missing, since plugins come late. MQD_OK, or why there is no layout: not an error for a process
 * that has not come far enough (MQD_RC_no_evidence).
 */
enum mqd_rc mqd_find_layout(struct mqd_process *process) MQD_CHECKED;

/* The image of a process with its callbacks, false if it has not been set up. */
bool mqd_image_of(const struct mqd_process *process, struct dbgr_image *debugger, struct mqd_image **image);

/* The address of a symbol in a process's image. */
bool mqd_symbol(const struct mqd_process *process, const char *name, mqd_taddr *ta);

/* Does the code say that the layout is wrong, as opposed to not known yet, or not readable? */
bool mqd_is_contradiction(enum mqd_rc rc);

/* Why a capability is off: MQD_OK if it is on. */
enum mqd_rc mqd_capability_rc(const struct mqd_process *process, enum mqd_capability can);

/* Notes what came of a probe, which is also what it returns. */
enum mqd_rc mqd_found(struct mqd_process *process, enum mqd_probe probe, enum mqd_rc rc) MQD_CHECKED;

/* ompi_request_null has the content that Open MPI gives it; MQD_OK where its symbol is not to be found. */
enum mqd_rc mqd_probe_requests(struct mqd_process *process) MQD_CHECKED;

/*
 * MPI_BYTE has one byte. Also in a copy of it that nobody uses, since it is initialised statically. MQD_OK where its
 * symbol is not to be found; why not if datatypes cannot be read at all.
 */
enum mqd_rc mqd_probe_datatypes(struct mqd_process *process) MQD_CHECKED;

/*
 * Is there nothing that could still be found out about the layout? Plugins come late, and with them types, class
 * descriptors and capabilities; and the process may run another program by now (exec), with another Open MPI.
 */
bool mqd_layout_stands(struct mqd_process *process);

/* One word for the whole layout: "table+live", "live", "table" or "mixed". */
const char *mqd_layout_source(const struct mqd_layout *layout);

#endif
