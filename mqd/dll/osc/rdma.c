/*
 * rdma.c - windows of osc/rdma.
 *
 * A module has one synchronisation object for all processes, which is a part of it, and one for each lock that it holds.
 * A lock for which it waits is on the stack only. Where all processes share the memory of the states, no process has to
 * be in MPI for others to get a lock; else the module is not read.
 */
#include "mqd/dll/osc/rdma.h"

#include <string.h>

#include "mqd/dll/codes.h"
#include "mqd/dll/banned.h"

/* Members have moved by less than this within a family; those of an array of 64 bytes' alignment by one such step. */
enum { MAX_MOVED = 128 };

/* How far members lie behind their places in the layout: those from my_peer to comm, and those from all_sync on. */
struct moved {
    mqd_taddr first, second;
};

/* The highest bit of a lock: it is held exclusively. The rest is the number of those that share it or try to. */
static const uint64_t EXCLUSIVE = UINT64_C(1) << 63;

/* Is there a synchronisation object of this module? */
static bool is_sync(const struct mqd_osc *osc, mqd_taddr ta)
{
    struct mqd_object sync;

    return mqd_object_is(osc->process, ta, "ompi_osc_rdma_sync_t") &&
           mqd_read_object(osc->process, MQD_TYPE_ompi_osc_rdma_sync_t, ta, &sync) == MQD_OK &&
           mqd_uint(&sync.view, MQD_PATH_sync_module) == osc->module_ta && sync.view.rc == MQD_OK;
}

static bool is_communicator(const struct mqd_osc *osc, mqd_taddr ta)
{
    mqd_taddr found = 0;

    return mqd_read_pointer(osc->process, ta, &found) == MQD_OK && found == osc->communicator->ta;
}

/* Puts how far the nearest place that `is_it` accepts lies from a path's, beyond `moved`, into *moved. */
static enum mqd_rc find_moved(const struct mqd_osc *osc, enum mqd_path_id path,
                              bool (*is_it)(const struct mqd_osc *osc, mqd_taddr ta), mqd_taddr *moved)
{
    const struct mqd_place *place = &osc->process->layout.paths[path];
    mqd_taddr at = osc->module_ta + place->offset + *moved, size = osc->process->layout.abi.pointer_size;

    if (place->source == MQD_SOURCE_absent)
        return mqd_rc_unknown(path);
    for (mqd_taddr by = 0; by <= MAX_MOVED; by += size) {
        if (is_it(osc, at + by)) {
            *moved += by;
            return MQD_OK;
        }
        if (is_it(osc, at - by)) {
            *moved -= by;
            return MQD_OK;
        }
    }
    return MQD_RC_bad_window;
}

static enum mqd_rc find_members(const struct mqd_osc *osc, struct moved *moved)
{
    mqd_taddr win_ta = 0;
    enum mqd_rc rc = mqd_osc_pointer(osc, MQD_PATH_rdma_win, 0, &win_ta);

    if (rc != MQD_OK)
        return rc;
    if (win_ta != osc->win_ta)
        return MQD_RC_bad_window;
    moved->first = 0;
    rc = find_moved(osc, MQD_PATH_rdma_comm, is_communicator, &moved->first);
    if (rc != MQD_OK)
        return rc;
    moved->second = moved->first;
    return find_moved(osc, MQD_PATH_rdma_sync, is_sync, &moved->second);
}

/* Do all processes of the window that this one knows have their state in memory that it shares with them? */
static enum mqd_rc check_peers(const struct mqd_osc *osc, const struct moved *moved)
{
    mqd_taddr peers_ta = 0, size = osc->process->layout.abi.pointer_size;
    enum mqd_rc rc = mqd_osc_pointer(osc, MQD_PATH_rdma_peers, moved->second, &peers_ta);

    if (rc == MQD_OK && peers_ta == 0)
        return MQD_RC_osc_rdma;
    for (int rank = 0; rank < osc->communicator->n_local && rc == MQD_OK; rank++) {
        struct mqd_object peer;
        mqd_taddr peer_ta = 0;
        uint32_t flags;

        rc = mqd_read_pointer(osc->process, peers_ta + (mqd_taddr)rank * size, &peer_ta);
        if (rc != MQD_OK || peer_ta == 0)
            continue;
        if (!mqd_object_is(osc->process, peer_ta, "ompi_osc_rdma_peer_t") ||
            mqd_read_object(osc->process, MQD_TYPE_ompi_osc_rdma_peer_t, peer_ta, &peer) != MQD_OK ||
            mqd_int(&peer.view, MQD_PATH_rdma_rank) != rank)
            return MQD_RC_bad_window;
        flags = (uint32_t)mqd_uint(&peer.view, MQD_PATH_rdma_flags);
        if (peer.view.rc != MQD_OK)
            return peer.view.rc;
        if (!mqd_has_flag(osc->process, MQD_CONSTANT_rdma_local_state, flags))
            return MQD_RC_osc_rdma;
    }
    return rc;
}

/* How many accesses of an epoch or under a lock the process counts as not complete. -1 if that is not known. */
static long pending_of(const struct mqd_osc *osc, struct mqd_object *sync)
{
    int64_t n;

    if (!mqd_has_path(osc->process, MQD_PATH_sync_pending))
        return -1;
    n = mqd_int(&sync->view, MQD_PATH_sync_pending);
    return sync->view.rc == MQD_OK && n >= 0 && n <= INT32_MAX ? (long)n : -1;
}

static enum mqd_rc add_lock(const struct mqd_osc *osc, mqd_taddr lock_ta, int rank)
{
    const struct mqd_process *process = osc->process;
    struct mqd_object lock;
    int64_t type, kind, target, assertion;

    if (!is_sync(osc, lock_ta) ||
        mqd_read_object(osc->process, MQD_TYPE_ompi_osc_rdma_sync_t, lock_ta, &lock) != MQD_OK)
        return MQD_RC_bad_window;
    type = mqd_int(&lock.view, MQD_PATH_sync_type);
    target = mqd_int(&lock.view, MQD_PATH_sync_target);
    kind = mqd_int(&lock.view, MQD_PATH_sync_lock_type);
    assertion = mqd_int(&lock.view, MQD_PATH_sync_lock_assert);
    if (lock.view.rc != MQD_OK)
        return lock.view.rc;
    if (!mqd_is(process, MQD_CONSTANT_sync_lock, type) || target != rank)
        return MQD_RC_bad_window;
    if (mqd_has_flag(process, MQD_CONSTANT_lock_unchecked, (uint64_t)assertion))
        return mqd_osc_add_peer(osc, rank, MQD_ROLE_unchecked, -1, pending_of(osc, &lock));
    if (mqd_is(process, MQD_CONSTANT_lock_exclusive, kind))
        return mqd_osc_add_peer(osc, rank, MQD_ROLE_exclusive, 1, pending_of(osc, &lock));
    if (mqd_is(process, MQD_CONSTANT_lock_shared, kind))
        return mqd_osc_add_peer(osc, rank, MQD_ROLE_shared, 1, pending_of(osc, &lock));
    return MQD_RC_bad_window;
}

static enum mqd_rc add_locks(const struct mqd_osc *osc, const struct moved *moved)
{
    mqd_taddr locks_ta = 0, size = osc->process->layout.abi.pointer_size;
    enum mqd_rc rc = mqd_osc_pointer(osc, MQD_PATH_rdma_locks, moved->second, &locks_ta);

    if (rc == MQD_OK && locks_ta == 0)
        return MQD_RC_osc_rdma;
    for (int rank = 0; rank < osc->communicator->n_local && rc == MQD_OK; rank++) {
        mqd_taddr lock_ta = 0;

        rc = mqd_read_pointer(osc->process, locks_ta + (mqd_taddr)rank * size, &lock_ta);
        if (rc == MQD_OK && lock_ta != 0)
            rc = add_lock(osc, lock_ta, rank);
    }
    return rc;
}

/*
 * The access epoch. A lock of all is known to exclude others only if the module has locks on two levels: else it
 * consists of locks of single processes, which it takes when they are needed.
 */
static enum mqd_rc read_access(const struct mqd_osc *osc, const struct moved *moved)
{
    struct mqd_window_description *description = &osc->window->description;
    const struct mqd_process *process = osc->process;
    const struct mqd_place *mode_at = &process->layout.paths[MQD_PATH_rdma_locking];
    mqd_taddr sync_ta = osc->module_ta + process->layout.paths[MQD_PATH_rdma_sync].offset + moved->second, group_ta;
    struct mqd_object sync;
    int64_t type, mode = 0, n_peers;
    long n_started = 0;
    enum mqd_rc rc = mqd_read_object(osc->process, MQD_TYPE_ompi_osc_rdma_sync_t, sync_ta, &sync);

    if (rc == MQD_OK)
        rc = mqd_read_number(osc->process, osc->module_ta + mode_at->offset, MQD_KIND_i32, &mode);
    type = mqd_int(&sync.view, MQD_PATH_sync_type);
    group_ta = mqd_uint(&sync.view, MQD_PATH_sync_group);
    n_peers = mqd_int(&sync.view, MQD_PATH_sync_n_peers);
    if (rc != MQD_OK || sync.view.rc != MQD_OK || mode_at->source == MQD_SOURCE_absent)
        return MQD_RC_bad_window;
    description->n_pending = pending_of(osc, &sync);
    if (mqd_is(process, MQD_CONSTANT_sync_none, type))
        description->access = osc->window->peers.n_items > 0 ? MQD_ACCESS_lock : MQD_ACCESS_none;
    else if (mqd_is(process, MQD_CONSTANT_sync_fence, type))
        description->access = MQD_ACCESS_fence;
    else if (mqd_is(process, MQD_CONSTANT_sync_lock, type))
        description->access = mqd_is(process, MQD_CONSTANT_rdma_two_level, mode) ? MQD_ACCESS_lock_all
                                                                                 : MQD_ACCESS_unknown;
    else if (!mqd_is(process, MQD_CONSTANT_sync_start, type))
        return MQD_RC_bad_window;
    else
        description->access = MQD_ACCESS_start;
    if (description->access != MQD_ACCESS_start)
        return MQD_OK;
    rc = mqd_osc_add_group(osc, group_ta, MQD_ROLE_started, &n_started);
    return rc == MQD_OK && n_started != n_peers ? MQD_RC_bad_window : rc;
}

/* What others have changed in the process's state: its lock, and how many have posted and completed. */
static enum mqd_rc read_state(const struct mqd_osc *osc, const struct moved *moved, long n_started, long n_posted)
{
    struct mqd_window_description *description = &osc->window->description;
    struct mqd_object state;
    mqd_taddr state_ta = 0;
    uint64_t lock, n_posted_to_it, n_completed;
    enum mqd_rc rc = mqd_osc_pointer(osc, MQD_PATH_rdma_state, moved->first, &state_ta);

    if (rc != MQD_OK)
        return rc;
    rc = mqd_read_object(osc->process, MQD_TYPE_ompi_osc_rdma_state_t, state_ta, &state);
    if (rc != MQD_OK) /* a core may lack shared memory, and has the rest all the same */
        return rc == MQD_RC_unreadable ? MQD_OK : rc;
    lock = mqd_uint(&state.view, MQD_PATH_rdma_local_lock);
    n_posted_to_it = mqd_uint(&state.view, MQD_PATH_rdma_posted);
    n_completed = mqd_uint(&state.view, MQD_PATH_rdma_completed);
    if (state.view.rc != MQD_OK)
        return state.view.rc;
    if ((lock & ~EXCLUSIVE) > (uint64_t)osc->communicator->n_local ||
        (description->access == MQD_ACCESS_start && n_posted_to_it > (uint64_t)n_started) ||
        (description->exposed == 1 && n_completed > (uint64_t)n_posted))
        return MQD_RC_bad_window;
    description->n_posted_to_it = description->access == MQD_ACCESS_start ? (long)n_posted_to_it : -1;
    description->n_completed = description->exposed == 1 ? (long)n_completed : -1;
    description->locked_exclusively = (lock & EXCLUSIVE) != 0;
    if ((lock & EXCLUSIVE) == 0)
        description->n_shared = (long)lock;
    return MQD_OK;
}

/* A module that points to its window, its communicator, its own synchronisation object, and the process itself. */
enum mqd_rc mqd_osc_read_rdma(struct mqd_osc *osc)
{
    struct mqd_object own;
    struct moved moved;
    mqd_taddr own_ta = 0, post_ta = 0;
    size_t n_locks, n_before;
    long n_posted = 0;
    enum mqd_rc rc = find_members(osc, &moved);

    if (rc == MQD_OK)
        rc = mqd_osc_pointer(osc, MQD_PATH_rdma_my_peer, moved.first, &own_ta);
    if (rc == MQD_OK)
        rc = mqd_osc_pointer(osc, MQD_PATH_rdma_post_group, moved.second, &post_ta);
    if (rc == MQD_OK)
        rc = mqd_read_object(osc->process, MQD_TYPE_ompi_osc_rdma_peer_t, own_ta, &own);
    if (rc == MQD_OK && (mqd_int(&own.view, MQD_PATH_rdma_rank) != osc->communicator->my_rank ||
                         own.view.rc != MQD_OK || !mqd_object_is(osc->process, own_ta, "ompi_osc_rdma_peer_t")))
        rc = MQD_RC_bad_window;
    if (rc == MQD_OK)
        rc = check_peers(osc, &moved);
    if (rc == MQD_OK)
        rc = add_locks(osc, &moved);
    n_locks = osc->window->peers.n_items;
    if (rc == MQD_OK)
        rc = read_access(osc, &moved);
    n_before = osc->window->peers.n_items;
    if (rc == MQD_OK)
        rc = mqd_osc_add_group(osc, post_ta, MQD_ROLE_posted, &n_posted);
    if (rc != MQD_OK)
        return rc;
    osc->window->description.exposed = post_ta != 0;
    return read_state(osc, &moved, (long)(n_before - n_locks), n_posted);
}
