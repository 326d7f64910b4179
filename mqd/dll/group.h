/*
 * group.h - the members of a group, in each of the forms in which Open MPI stores groups.
 */
#ifndef MQD_DLL_GROUP_H
#define MQD_DLL_GROUP_H

#include "mqd/dll/target.h"

/* A process's name: which job, and its rank in that job's MPI_COMM_WORLD. */
struct mqd_name {
    uint32_t jobid, vpid;
};

/*
 * A member of a group. `known` is false if the member cannot be read. proc_ta is its ompi_proc_t; 0 if this process was
 * never in contact with it.
 */
struct mqd_member {
    struct mqd_name name;
    bool known;
    mqd_taddr proc_ta;
};

/* Puts the number of members of the ompi_group_t at ta into *count. MQD_RC_bad_group if there is no group at ta. */
enum mqd_rc mqd_group_count(struct mqd_process *process, mqd_taddr ta, int32_t *count) MQD_CHECKED;

/*
 * Reads all n members of the group at ta; n is what mqd_group_count says. All of members[0..n-1] are set in any case;
 * those that cannot be read are marked. If no member can be read the function returns MQD_RC_bad_group,
 * MQD_RC_no_memory, or the code of the member of ompi_group_t whose offset is not known.
 */
enum mqd_rc mqd_group_members(struct mqd_process *process, mqd_taddr ta, int32_t n,
                              struct mqd_member *members) MQD_CHECKED;

/* Reads one member of a group that is stored as a table. The groups of the predefined communicators are. */
enum mqd_rc mqd_group_member(struct mqd_process *process, mqd_taddr ta, int64_t rank,
                             struct mqd_member *member) MQD_CHECKED;

/* The name of the process with its ompi_proc_t at ta. */
enum mqd_rc mqd_proc_name(struct mqd_process *process, mqd_taddr ta, struct mqd_name *name) MQD_CHECKED;

#endif
