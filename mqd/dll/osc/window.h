/*
 * window.h - windows of one-sided communication: which epochs are open, and who holds or wants locks.
 *
 * Each component of Open MPI's framework osc keeps this in its own module. Read are those of osc/sm and osc/rdma; of
 * osc/pt2pt and osc/ucx it is said that they are not.
 */
#ifndef MQD_DLL_OSC_WINDOW_H
#define MQD_DLL_OSC_WINDOW_H

#include "mqd/dll/communicator.h"

/*
 * Reads the window that a communicator was made for, and keeps it until another one is asked for or the snapshot is
 * dropped. Returns MQD_OK, MQD_RC_no_window if there is none or its component is not known, or why it cannot be read.
 * After MQD_OK it is in process->snapshot.window.
 */
enum mqd_rc mqd_window_read(struct mqd_process *process, struct mqd_communicator *communicator) MQD_CHECKED;

#endif
