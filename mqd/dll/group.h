/*
 * group.h - the members of a group, in whatever storage Open MPI keeps it.
 */
#ifndef MQD_DLL_GROUP_H
#define MQD_DLL_GROUP_H

#include "mqd/dll/target.h"

/* A process's name: which job, and its rank in that job's MPI_COMM_WORLD. */
struct mqd_name {
    uint32_t jobid, vpid;
};

/* A member of a group. One that cannot be read is not known. */
struct mqd_member {
    struct mqd_name name;
    bool known;
};

/* Members of the ompi_group_t at ta. MQD_RC_bad_group if there is none. */
enum mqd_rc mqd_group_count(struct mqd_process *process, mqd_taddr ta, int32_t *count) MQD_CHECKED;

/*
 * All n members of the group at ta, as many as mqd_group_count says, as far as they can be read. MQD_RC_bad_group, or
 * the member of ompi_group_t that is not known, if none can; MQD_RC_no_memory. *members are all set in any case.
 */
enum mqd_rc mqd_group_members(struct mqd_process *process, mqd_taddr ta, int32_t n,
                              struct mqd_member *members) MQD_CHECKED;

/* One member of a group that is a table, as those of the predefined communicators are. */
enum mqd_rc mqd_group_member(struct mqd_process *process, mqd_taddr ta, int64_t rank,
                             struct mqd_member *member) MQD_CHECKED;

/* The name of the process with its ompi_proc_t at ta. */
enum mqd_rc mqd_proc_name(struct mqd_process *process, mqd_taddr ta, struct mqd_name *name) MQD_CHECKED;

#endif
