/*
 * module.h - what the readers of all components share: a window's module, its members and its groups.
 */
#ifndef MQD_DLL_OSC_MODULE_H
#define MQD_DLL_OSC_MODULE_H

#include "mqd/dll/communicator.h"

/* A module while it is read. */
struct mqd_osc {
    struct mqd_process *process;
    struct mqd_communicator *communicator; /* that Open MPI has made for the window */
    mqd_taddr win_ta, module_ta;
    struct mqd_window *window;             /* where the answers go */
};

/* Puts the pointer at a path of the module, `moved` bytes behind its place in the layout, into *value. */
enum mqd_rc mqd_osc_pointer(const struct mqd_osc *osc, enum mqd_path_id path, mqd_taddr moved,
                            mqd_taddr *value) MQD_CHECKED;

enum mqd_rc mqd_osc_add_peer(const struct mqd_osc *osc, int rank, enum mqd_window_role role, int held,
                             long n_pending) MQD_CHECKED;

/*
 * Adds all members of a group with a role, and puts their number into *n. MQD_RC_bad_group if one of them does not
 * belong to the window. A group at 0 has none.
 */
enum mqd_rc mqd_osc_add_group(const struct mqd_osc *osc, mqd_taddr group_ta, enum mqd_window_role role,
                              long *n) MQD_CHECKED;

#endif
