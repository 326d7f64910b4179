/*
 * object.h - what is told of the objects of each kind.
 */
#ifndef MQD_DLL_HANDLE_OBJECT_H
#define MQD_DLL_HANDLE_OBJECT_H

#include "mqd/dll/handle/facts.h"

/* Each appends the facts of one kind. The view is of an object that was found to be of that kind. */
void mqd_tell_communicator(struct mqd_process *process, struct mqd_view *communicator);
void mqd_tell_datatype(struct mqd_process *process, struct mqd_view *datatype);
void mqd_tell_group(struct mqd_process *process, struct mqd_view *group);
void mqd_tell_request(struct mqd_process *process, struct mqd_view *request);
void mqd_tell_message(struct mqd_process *process, struct mqd_view *message);
void mqd_tell_window(struct mqd_process *process, struct mqd_view *window);
void mqd_tell_file(struct mqd_process *process, struct mqd_view *file);
void mqd_tell_op(struct mqd_process *process, struct mqd_view *op);
void mqd_tell_errhandler(struct mqd_process *process, struct mqd_view *errhandler);
void mqd_tell_info(struct mqd_process *process, struct mqd_view *info);
void mqd_tell_session(struct mqd_process *process, struct mqd_view *session);

/* What a listing says of a communicator's processes; `listed` is what it has of it, NULL: nothing. */
void mqd_tell_arrangement(struct mqd_process *process, struct mqd_view *communicator,
                          const struct mqd_communicator *listed);

/*
 * Is the datatype one of MPI's own? Those that Open MPI makes of several others, as MPI_LONG_DOUBLE_INT, have no flag
 * that says so; but no call has made them, and they have an INTEGER in Fortran.
 */
bool mqd_is_predefined_datatype(struct mqd_view *datatype);

/* The attributes in the hash table at ta; nothing if it is 0. Those of a window come as the window's own facts. */
void mqd_tell_attributes(struct mqd_process *process, mqd_taddr ta);

#endif
