/*
 * handle.h - from a handle of MPI to the object that it stands for, and what is known of that.
 */
#ifndef MQD_DLL_HANDLE_HANDLE_H
#define MQD_DLL_HANDLE_HANDLE_H

#include "mqd/dll/snapshot.h"

/*
 * These implement the functions of the extension with the same names, which document arguments and codes. They read the
 * process as it is at the stop of the last snapshot: pages that they have read stay in the cache until the next one.
 */
int mqd_describe_handle(struct mqd_process *process, int kind, mqd_taddr value, int language,
                        struct mqd_handle_summary *summary);
int mqd_describe_arrangement(struct mqd_process *process);
int mqd_describe_handle_item(const struct mqd_process *process, int index, struct mqd_handle_item *item);
int mqd_find_handle(struct mqd_process *process, int kind, const char *name, mqs_taddr_t *value);
int mqd_next_handle(struct mqd_process *process, int kind, long *fortran, mqs_taddr_t *value);

#endif
