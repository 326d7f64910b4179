/*
 * sm.c - windows of osc/sm: all processes are on one node, and the locks and counters of all lie in memory that they
 * share.
 *
 * A process enters a lock into its array before it has it. Whether it has it follows from the queue of the target. The
 * array and the groups of the epochs are the process's own: a core that lacks the shared memory has them all the same.
 */
#include "mqd/dll/osc/sm.h"

#include "mqd/dll/codes.h"
#include "mqd/dll/banned.h"

/* The lock of one process: how many exclusively and shared hold it, and how many wait for it. */
struct lock {
    bool exclusive;
    uint32_t n_shared, n_waiting;
};

/* What one process shares with all others. */
struct state {
    struct lock lock;
    int64_t n_completed;
};

static mqd_taddr state_size(const struct mqd_osc *osc)
{
    return osc->process->layout.type_size[MQD_TYPE_ompi_osc_sm_node_state_t];
}

/*
 * Numbers from write to read are those of shared locks that are held. If there are none, the number of read is that of
 * an exclusive lock: a shared one would have added to read at once. The rest waits. A process asks for one lock of
 * another at a time.
 */
static bool read_lock(const struct mqd_osc *osc, struct mqd_view *view, struct lock *lock)
{
    uint32_t counter = (uint32_t)mqd_uint(view, MQD_PATH_sm_counter), read = (uint32_t)mqd_uint(view, MQD_PATH_sm_read);
    uint32_t write = (uint32_t)mqd_uint(view, MQD_PATH_sm_write), n = (uint32_t)osc->communicator->n_local;

    if (view->rc != MQD_OK || counter - write > n || read - write > counter - write)
        return false;
    lock->n_shared = read - write;
    lock->exclusive = read == write && counter != read;
    lock->n_waiting = counter - read - lock->exclusive;
    return true;
}

static enum mqd_rc read_state(const struct mqd_osc *osc, mqd_taddr states_ta, int rank, struct state *state)
{
    struct mqd_object object;
    struct mqd_view lock;

    if (mqd_read_object(osc->process, MQD_TYPE_ompi_osc_sm_node_state_t,
                        states_ta + (mqd_taddr)rank * state_size(osc), &object) != MQD_OK)
        return object.view.rc;
    state->n_completed = mqd_int(&object.view, MQD_PATH_sm_completed);
    lock = mqd_inner(&object.view, MQD_PATH_sm_lock);
    if (!read_lock(osc, &lock, &state->lock))
        return lock.rc != MQD_OK ? lock.rc : MQD_RC_bad_window;
    return object.view.rc;
}

/* Who has asked for a lock holds it if nobody else can be the one that waits, or that holds it. */
static int is_held(const struct lock *lock, bool exclusive)
{
    if (exclusive)
        return !lock->exclusive ? 0 : lock->n_waiting == 0 ? 1 : -1;
    return lock->n_shared == 0 ? 0 : lock->n_waiting == 0 ? 1 : -1;
}

static enum mqd_rc add_lock(const struct mqd_osc *osc, mqd_taddr states_ta, int rank, int64_t kind)
{
    const struct mqd_process *process = osc->process;
    bool exclusive = mqd_is(process, MQD_CONSTANT_sm_lock_exclusive, kind);
    struct state state;
    enum mqd_rc rc;

    if (mqd_is(process, MQD_CONSTANT_sm_lock_none, kind))
        return MQD_OK;
    if (mqd_is(process, MQD_CONSTANT_sm_lock_unchecked, kind))
        return mqd_osc_add_peer(osc, rank, MQD_ROLE_unchecked, -1, -1);
    if (!exclusive && !mqd_is(process, MQD_CONSTANT_sm_lock_shared, kind))
        return MQD_RC_bad_window;
    rc = read_state(osc, states_ta, rank, &state);
    if (rc != MQD_OK && rc != MQD_RC_unreadable)
        return rc;
    return mqd_osc_add_peer(osc, rank, exclusive ? MQD_ROLE_exclusive : MQD_ROLE_shared,
                            rc == MQD_OK ? is_held(&state.lock, exclusive) : -1, -1);
}

static enum mqd_rc add_locks(const struct mqd_osc *osc, mqd_taddr locks_ta, mqd_taddr states_ta)
{
    enum mqd_rc rc = MQD_OK;

    for (int rank = 0; rank < osc->communicator->n_local && rc == MQD_OK; rank++) {
        int64_t kind = 0;

        rc = mqd_read_number(osc->process, locks_ta + (mqd_taddr)rank * sizeof(int32_t), MQD_KIND_enum, &kind);
        if (rc == MQD_OK)
            rc = add_lock(osc, states_ta, rank, kind);
    }
    return rc;
}

/*
 * What the module says of the process's own epochs, and how many members of the exposure epoch there are. Whether it has
 * called MPI_Win_fence it does not say.
 */
static enum mqd_rc read_epochs(const struct mqd_osc *osc, long *n_posted)
{
    struct mqd_window_description *description = &osc->window->description;
    mqd_taddr start_ta = 0, post_ta = 0;
    long n_started;
    enum mqd_rc rc = mqd_osc_pointer(osc, MQD_PATH_sm_start_group, 0, &start_ta);

    if (rc == MQD_OK)
        rc = mqd_osc_pointer(osc, MQD_PATH_sm_post_group, 0, &post_ta);
    if (rc == MQD_OK && osc->window->peers.n_items > 0)
        description->access = MQD_ACCESS_lock;
    if (rc == MQD_OK)
        rc = mqd_osc_add_group(osc, start_ta, MQD_ROLE_started, &n_started);
    if (rc == MQD_OK)
        rc = mqd_osc_add_group(osc, post_ta, MQD_ROLE_posted, n_posted);
    if (rc != MQD_OK)
        return rc;
    if (start_ta != 0)
        description->access = MQD_ACCESS_start;
    description->exposed = post_ta != 0;
    return MQD_OK;
}

/* What others have changed in the process's state: its lock, and how many have completed. */
static enum mqd_rc describe_state(const struct mqd_osc *osc, const struct state *own, long n_posted)
{
    struct mqd_window_description *description = &osc->window->description;

    if (description->exposed == 1 && (own->n_completed < 0 || own->n_completed > n_posted))
        return MQD_RC_bad_window;
    description->n_completed = description->exposed == 1 ? (long)own->n_completed : -1;
    description->locked_exclusively = own->lock.exclusive;
    description->n_shared = (long)own->lock.n_shared;
    description->n_waiting = (long)own->lock.n_waiting;
    return MQD_OK;
}

/* A module whose communicator and own state are where they must be. */
enum mqd_rc mqd_osc_read_sm(struct mqd_osc *osc)
{
    mqd_taddr comm_ta = 0, own_ta = 0, states_ta = 0, locks_ta = 0;
    struct state own;
    long n_posted = 0;
    bool shared;
    enum mqd_rc rc = mqd_osc_pointer(osc, MQD_PATH_sm_comm, 0, &comm_ta);

    if (rc == MQD_OK)
        rc = mqd_osc_pointer(osc, MQD_PATH_sm_my_state, 0, &own_ta);
    if (rc == MQD_OK)
        rc = mqd_osc_pointer(osc, MQD_PATH_sm_states, 0, &states_ta);
    if (rc == MQD_OK)
        rc = mqd_osc_pointer(osc, MQD_PATH_sm_locks, 0, &locks_ta);
    if (rc != MQD_OK)
        return rc;
    if (comm_ta != osc->communicator->ta || state_size(osc) == 0 || states_ta == 0 || locks_ta == 0 ||
        own_ta != states_ta + (mqd_taddr)osc->communicator->my_rank * state_size(osc))
        return MQD_RC_bad_window;
    rc = read_state(osc, states_ta, osc->communicator->my_rank, &own);
    shared = rc != MQD_RC_unreadable;
    if (rc == MQD_OK || !shared)
        rc = add_locks(osc, locks_ta, states_ta);
    if (rc == MQD_OK)
        rc = read_epochs(osc, &n_posted);
    return rc == MQD_OK && shared ? describe_state(osc, &own, n_posted) : rc;
}
