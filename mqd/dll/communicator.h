/*
 * communicator.h - communicators and their groups.
 */
#ifndef MQD_DLL_COMMUNICATOR_H
#define MQD_DLL_COMMUNICATOR_H

#include "mqd/dll/group.h"

/* The members of a group. The struct owns the array, which is NULL before the group is read. */
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
    mqd_taddr pml_ta;                /* the PML's object of this communicator, 0 if there is none */
    bool pml_added;                  /* Open MPI's flag that the PML has its object; MPI_Init sets it too early */
    mqd_taddr coll_ta;               /* the module that performs its collective operations, 0 if not known */
    struct mqd_group local, remote;  /* remote stays empty where the groups are the same */
    enum mqd_rc unexpected_rc;       /* why its unexpected messages could not all be read */
    bool hidden;                     /* Open MPI's own */
    enum mqd_owner owner;            /* if it is hidden: whose it is, and the window's or file's address; else 0 */
    mqd_taddr owner_ta;
    const char *purpose;             /* what Open MPI has made it for, static; NULL: not known */
    bool named;                      /* by the user, or predefined */
    bool extended;                   /* the unique_id is made from an extended context id, not from the index */
    bool is_libnbc_sought, has_libnbc; /* coll/libnbc performs its nonblocking collective operations; see nonblocking.c */
    char name[64];
};

/*
 * Reads all communicators of the process into snapshot->communicators, which is empty, and probes the predefined ones.
 * Returns MQD_OK, MQD_RC_not_initialised, MQD_RC_finalized, or why nothing can be shown. If only single communicators
 * cannot be shown, it returns MQD_OK, and snapshot->communicators_rc says why.
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
 * Makes one number below 2^53 of an extended context id (5.0 and later). Equal ids give equal numbers in all processes.
 * `base` and `sub` are the paths to the two halves of the id. Where the id has no upper half the number is `index`.
 */
uint64_t mqd_unique_id(struct mqd_view *view, enum mqd_path_id base, enum mqd_path_id sub, uint32_t index);

/* The i-th communicator of the snapshot. */
struct mqd_communicator *mqd_communicator_at(struct mqd_process *process, size_t i);

/*
 * Reads the world ranks of the local or remote group once, and keeps them with the communicator. After MQD_OK all n
 * members are in group->world_ranks.
 */
enum mqd_rc mqd_read_group(struct mqd_process *process, struct mqd_communicator *communicator, bool remote) MQD_CHECKED;

/* The world rank of a peer (a rank in the remote group); MQS_INVALID_PROCESS if it has none, or if it is not known. */
int mqd_world_rank(struct mqd_process *process, struct mqd_communicator *communicator, int64_t rank);

/* The ompi_proc_t of a peer; 0 if this process was never in contact with it, or if it cannot be read. */
mqd_taddr mqd_peer_proc(struct mqd_process *process, struct mqd_communicator *communicator, int64_t rank);

/* Puts the name of a peer into *name. Returns false if it cannot be read. */
bool mqd_peer_name(struct mqd_process *process, struct mqd_communicator *communicator, int64_t rank,
                   struct mqd_name *name);

void mqd_communicator_release(struct mqd_communicator *communicator);

/* ompi_mpi_state, false if it cannot be had: 3.1.0 has none. MPI_Session_init leaves it as it is. */
bool mqd_mpi_state(struct mqd_process *process, int64_t *state);

#endif
