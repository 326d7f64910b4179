/*
 * communicator.h - communicators and their groups.
 */
#ifndef MQD_DLL_COMMUNICATOR_H
#define MQD_DLL_COMMUNICATOR_H

#include "mqd/dll/group.h"

/* The members of a group, as many as it has; owned, NULL before it is read. */
struct mqd_group {
    bool read;
    enum mqd_rc rc;             /* of reading it */
    int *world_ranks;           /* in MPI_COMM_WORLD; MQS_INVALID_PROCESS: not in it, or not known */
    struct mqd_member *members;
};

/* One communicator in a snapshot. */
struct mqd_communicator {
    mqd_taddr ta;                    /* 0: it is not made yet in this process, but messages for it have come */
    uint64_t unique_id;
    uint32_t index;                  /* of its slot; messages carry the low 16 bits */
    int32_t my_rank;
    int32_t n_local, n_remote;       /* members of the two groups; equal for an intracommunicator */
    mqd_taddr local_ta, remote_ta;   /* ompi_group_t; the same for an intracommunicator */
    mqd_taddr local_comm_ta;         /* an intercommunicator's communicator over its local group, else 0 */
    mqd_taddr pml_ta;                /* what the PML hung on it, 0 if nothing */
    bool pml_added;                  /* the PML has hung something on it; inside MPI_Init that is said too early */
    mqd_taddr coll_ta;               /* what its collective operations are done by, 0 if it is not known */
    struct mqd_group local, remote;  /* remote stays empty where the groups are the same */
    enum mqd_rc unexpected_rc;       /* what of its unexpected messages could not be read */
    bool hidden;                     /* Open MPI's own */
    const char *purpose;             /* what it has made it for, where that is known, else NULL; static */
    bool named;                      /* by the user, or predefined */
    bool extended;                   /* the unique_id is that of a context id with an upper half, not the index */
    char name[64];
};

/*
 * Reads all communicators of the process into snapshot->communicators, which is empty, and probes the predefined ones.
 * MQD_OK; MQD_RC_not_initialised, MQD_RC_finalized; or why nothing can be shown. What could be shown but for single
 * communicators goes to snapshot->communicators_rc.
 */
enum mqd_rc mqd_read_communicators(struct mqd_process *process) MQD_CHECKED;

/* Where a communicator lies, and its index in the snapshot. */
struct mqd_address {
    mqd_taddr ta;
    size_t index;
};

/* The communicator with its object at ta, NULL if the snapshot has none. */
struct mqd_communicator *mqd_find_communicator(struct mqd_process *process, mqd_taddr ta);

/*
 * One number below 2^53 for an extended context id (5.0 and later), the same wherever that id is the same: `base` and
 * `sub` are the paths to its halves; `index` is the communicator's number where the id has no upper half.
 */
uint64_t mqd_unique_id(struct mqd_view *view, enum mqd_path_id base, enum mqd_path_id sub, uint32_t index);

/* The i-th communicator of the snapshot. */
struct mqd_communicator *mqd_communicator_at(struct mqd_process *process, size_t i);

/*
 * World ranks of the local or remote group, read once and kept with the communicator. MQD_OK: all n members are in
 * group->world_ranks.
 */
enum mqd_rc mqd_read_group(struct mqd_process *process, struct mqd_communicator *communicator, bool remote) MQD_CHECKED;

/* The world rank of a peer (a rank in the remote group); MQS_INVALID_PROCESS if it has none that is known. */
int mqd_world_rank(struct mqd_process *process, struct mqd_communicator *communicator, int64_t rank);

/* The name of a peer; false if it cannot be had. */
bool mqd_peer_name(struct mqd_process *process, struct mqd_communicator *communicator, int64_t rank,
                   struct mqd_name *name);

void mqd_communicator_release(struct mqd_communicator *communicator);

/* ompi_mpi_state, false if it cannot be had: 3.1.0 has none. MPI_Session_init leaves it as it is. */
bool mqd_mpi_state(struct mqd_process *process, int64_t *state);

#endif
