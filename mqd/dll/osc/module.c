/* module.c - members and groups of a window's module. */
#include "mqd/dll/osc/module.h"

#include "mqd/dll/codes.h"
#include "mqd/dll/banned.h"

enum mqd_rc mqd_osc_pointer(const struct mqd_osc *osc, enum mqd_path_id path, mqd_taddr moved, mqd_taddr *value)
{
    const struct mqd_place *place = &osc->process->layout.paths[path];

    if (place->source == MQD_SOURCE_absent || place->kind != MQD_KIND_ptr)
        return mqd_rc_unknown(path);
    return mqd_read_pointer(osc->process, osc->module_ta + place->offset + moved, value);
}

enum mqd_rc mqd_osc_add_peer(const struct mqd_osc *osc, int rank, enum mqd_window_role role, int held,
                             long n_pending)
{
    struct mqd_window_peer *peer = mqd_vector_append(&osc->window->peers);

    if (peer == NULL)
        return MQD_RC_no_memory;
    *peer = (struct mqd_window_peer){.rank = rank, .role = (int)role, .held = held, .n_pending = n_pending};
    return MQD_OK;
}

static bool is_same_process(const struct mqd_member *a, const struct mqd_member *b)
{
    return a->known && b->known && a->name.jobid == b->name.jobid && a->name.vpid == b->name.vpid;
}

/*
 * The rank of a process in the window, looked for from *next on: groups are mostly in the order of the window's. -1 if
 * it has none.
 */
static int rank_of(const struct mqd_osc *osc, const struct mqd_member *process, int *next)
{
    int n = osc->communicator->n_local;

    for (int i = 0; i < n; i++) {
        int rank = (*next + i) % n;

        if (is_same_process(process, &osc->communicator->local.members[rank])) {
            *next = (rank + 1) % n;
            return rank;
        }
    }
    return -1;
}

static enum mqd_rc add_members(const struct mqd_osc *osc, const struct mqd_member *members, int32_t n,
                               enum mqd_window_role role)
{
    enum mqd_rc rc = MQD_OK;
    int next = 0;

    for (int32_t i = 0; i < n && rc == MQD_OK; i++) {
        int rank = rank_of(osc, &members[i], &next);

        rc = rank >= 0 ? mqd_osc_add_peer(osc, rank, role, -1, -1) : MQD_RC_bad_group;
    }
    return rc;
}

enum mqd_rc mqd_osc_add_group(const struct mqd_osc *osc, mqd_taddr group_ta, enum mqd_window_role role, long *n)
{
    struct mqd_member *members;
    int32_t count = 0;
    enum mqd_rc rc;

    *n = 0;
    if (group_ta == 0)
        return MQD_OK;
    rc = mqd_group_count(osc->process, group_ta, &count);
    if (rc != MQD_OK)
        return rc;
    if (count > osc->communicator->n_local)
        return MQD_RC_bad_group;
    *n = count;
    if (count == 0)
        return MQD_OK;
    rc = mqd_read_group(osc->process, osc->communicator, false);
    if (rc != MQD_OK)
        return rc;
    members = dbgr_alloc((size_t)count * sizeof *members);
    if (members == NULL)
        return MQD_RC_no_memory;
    rc = mqd_group_members(osc->process, group_ta, count, members);
    if (rc == MQD_OK)
        rc = add_members(osc, members, count, role);
    dbgr_release(members);
    return rc;
}
