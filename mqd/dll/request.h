/*
 * request.h - what PMLs have in common: the modes of sends and, of those that keep their requests in the two request lists
 * of Open MPI's base, these lists.
 */
#ifndef MQD_DLL_REQUEST_H
#define MQD_DLL_REQUEST_H

#include "mqd/dll/operation.h"
#include "mqd/dll/walk.h"

/* A queue that is being made from requests. Zeroed at the beginning but for process and queue. */
struct mqd_request_index {
    struct mqd_process *process;
    struct mqd_queue *queue;
    mqd_taddr comm_ta;             /* the last communicator looked up, and its index; elements of one come together */
    uint32_t communicator;
    bool listed;
};

/*
 * Is the request on a communicator of the snapshot? A request on another communicator (freed, or being made) is not
 * listed. If there is no communicator at the address at all, there is no request either, which is noted.
 */
bool mqd_on_listed_communicator(struct mqd_request_index *index, mqd_taddr comm_ta);

/*
 * Is the peer a rank in the group of the peers, for a receive also any source, or not known? If it is not, this is
 * noted.
 */
bool mqd_has_possible_peer(struct mqd_request_index *index, const struct mqd_operation *operation);

/* Appends an operation to the queue. Returns MQD_OK or MQD_RC_no_memory. */
enum mqd_rc mqd_append_operation(struct mqd_request_index *index, const struct mqd_operation *operation) MQD_CHECKED;

/* What the ompi_request_t in a view says, by the layout in force. A failure is in the view. */
bool mqd_request_is_pml(struct mqd_view *ompi);
bool mqd_request_is_persistent(struct mqd_view *ompi);
bool mqd_request_is_completed(struct mqd_view *ompi);
bool mqd_request_has_state(struct mqd_view *ompi, enum mqd_constant_id state);

/*
 * With which object a thread waits for it: req_complete holds its address, unless it is 0 or 1. 0: no thread does.
 */
mqd_taddr mqd_request_waiter(struct mqd_view *ompi);

/* Fills in the progress of a receive: all that its status says. The arrived bytes of a matched one are left. */
void mqd_read_receive_progress(struct mqd_view *ompi, struct mqd_operation *receive);

/* From Open MPI's words for any source and any tag to ours; what else is negative is no rank. */
void mqd_read_wildcards(const struct mqd_process *process, struct mqd_operation *receive);

/* The kind of a send, by Open MPI's number of its mode. */
enum mqd_operation_kind mqd_kind_of_mode(const struct mqd_process *process, int64_t mode);

/*
 * A request list: its symbol, what its elements are if it belongs to the PML that asks, the code that says that there
 * is none.
 */
struct mqd_request_list {
    const char *symbol, *class_name;
    enum mqd_rc no_symbol;
};

/*
 * Reads the head of a request list. Other PMLs have other objects in the same lists, or none: MQD_RC_not_this_pml.
 * MQD_RC_not_initialised if the list is not made yet; other codes say why it cannot be read.
 */
enum mqd_rc mqd_read_request_list(struct mqd_process *process, const struct mqd_request_list *source,
                                  struct mqd_free_list *list) MQD_CHECKED;

/* Sweeps a request list into the queue. Returns MQD_OK or MQD_RC_no_memory; notes other failures. */
enum mqd_rc mqd_sweep_requests(struct mqd_request_index *index, const struct mqd_free_list *list,
                               enum mqd_rc (*visit)(struct mqd_view *element, void *context), void *context)
    MQD_CHECKED;

#endif
