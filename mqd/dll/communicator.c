/* communicator.c - the array ompi_mpi_communicators and what it points to. */
#include "mqd/dll/communicator.h"

#include <string.h>

#include "mqd/dll/evidence.h"
#include "mqd/dll/openmpi.h"
#include "mqd/dll/banned.h"

/* Context ids have 16 bits on the wire, in all releases. */
#define MAX_SLOTS 65536

/* The largest machines run jobs of some millions of processes. */
#define MAX_MEMBERS (1 << 24)

/* Slots of the predefined communicators; what a slot holds while its communicator is being made (5.0.4 and later). */
enum { WORLD_SLOT = 0, NULL_SLOT = 2, N_PREDEFINED = 3, UNDER_CONSTRUCTION = 1 };

/* ompi/communicator/communicator.h: c_flags. */
enum { COMM_INTER = 0x1, COMM_NAME_SET = 0x2, COMM_INTRINSIC = 0x4, COMM_PML_ADDED = 0x1000 };
enum { COMM_GLOBAL_INDEX = 0x10000 };

#define ENTRY_BYTES(process) ((mqd_taddr)(process)->layout.abi.pointer_size)

struct mqd_communicator *mqd_communicator_at(struct mqd_process *process, size_t i)
{
    return mqd_vector_at(&process->snapshot.communicators, i);
}

void mqd_communicator_release(struct mqd_communicator *communicator)
{
    dbgr_release(communicator->local.world_ranks);
    dbgr_release(communicator->remote.world_ranks);
}

/* Linear: programs have tens of communicators, and requests of one follow each other. */
struct mqd_communicator *mqd_find_communicator(struct mqd_process *process, mqd_taddr ta)
{
    for (size_t i = 0; i < process->snapshot.communicators.n_items; i++)
        if (mqd_communicator_at(process, i)->ta == ta)
            return mqd_communicator_at(process, i);
    return NULL;
}

static enum mqd_rc read_count(struct mqd_process *process, mqd_taddr group_ta, int32_t *n_members)
{
    struct mqd_object group;
    int64_t count;

    if (mqd_read_object(process, MQD_TYPE_ompi_group_t, group_ta, &group) != MQD_OK ||
        !mqd_object_is(process, group_ta, "ompi_group_t"))
        return MQD_RC_bad_group;
    count = mqd_int(&group.view, MQD_PATH_group_count);
    if (group.view.rc != MQD_OK || count < 0 || count > MAX_MEMBERS)
        return MQD_RC_bad_group;
    *n_members = (int32_t)count;
    return MQD_OK;
}

/* 64 bits of a name for a number of 52 bits, which a double of a debugger's script language holds too. */
static uint64_t mix(uint64_t id)
{
    id = (id ^ (id >> 32)) * 0x9e3779b97f4a7c15u;
    return id >> 12;
}

/*
 * Up to 4.1 the context id is the number of the slot and the same on all members. Since 5.0 it has 128 bits; where the
 * upper half is 0 it repeats the number of the slot, and elsewhere (communicators made from a group) only that half is
 * the same on all members.
 */
static void read_ids(const struct mqd_process *process, struct mqd_view *view, struct mqd_communicator *communicator)
{
    uint64_t base;

    if (process->layout.paths[MQD_PATH_comm_context_id].kind != MQD_KIND_struct) {
        communicator->index = (uint32_t)mqd_uint(view, MQD_PATH_comm_context_id);
        communicator->unique_id = communicator->index;
        return;
    }
    communicator->index = (uint32_t)mqd_uint(view, MQD_PATH_comm_index);
    base = mqd_uint(view, MQD_PATH_comm_cid_base);
    communicator->unique_id = base == 0 ? communicator->index : (uint64_t)1 << 52 | mix(base);
}

/* Since 5.0: a communicator whose number is the same on all members has nothing in the upper half of its context id. */
static bool is_id_possible(const struct mqd_process *process, struct mqd_view *view, uint32_t flags)
{
    return process->layout.paths[MQD_PATH_comm_context_id].kind != MQD_KIND_struct ||
           (flags & COMM_GLOBAL_INDEX) == 0 || mqd_uint(view, MQD_PATH_comm_cid_base) == 0;
}

/*
 * The communicator in a slot. MQD_RC_no_communicator: the slot's communicator is only being made. Until then it holds
 * the parent (before 5.0.4), whose own id is another one.
 */
static enum mqd_rc read_communicator(struct mqd_process *process, size_t slot, mqd_taddr ta,
                                     struct mqd_communicator *communicator)
{
    struct mqd_object object;
    struct mqd_view *view = &object.view;
    uint32_t flags;
    enum mqd_rc rc;

    if (mqd_read_object(process, MQD_TYPE_ompi_communicator_t, ta, &object) != MQD_OK ||
        !mqd_object_is(process, ta, "ompi_communicator_t"))
        return MQD_RC_bad_communicator;
    memset(communicator, 0, sizeof *communicator);
    communicator->ta = ta;
    read_ids(process, view, communicator);
    communicator->my_rank = (int32_t)mqd_int(view, MQD_PATH_comm_my_rank);
    communicator->local_ta = mqd_uint(view, MQD_PATH_comm_local_group);
    communicator->remote_ta = mqd_uint(view, MQD_PATH_comm_remote_group);
    flags = (uint32_t)mqd_uint(view, MQD_PATH_comm_flags);
    if ((flags & COMM_INTER) != 0)
        communicator->local_comm_ta = mqd_uint(view, MQD_PATH_comm_local_comm);
    if (process->layout.paths[MQD_PATH_comm_pml].source != MQD_SOURCE_absent)
        communicator->pml_ta = mqd_uint(view, MQD_PATH_comm_pml);
    if (process->layout.can[MQD_CAN_names])
        mqd_text(process, view, MQD_PATH_comm_name, communicator->name, sizeof communicator->name);
    if (view->rc != MQD_OK)
        return view->rc;
    if (communicator->index != slot)
        return MQD_RC_no_communicator;
    communicator->pml_added = (flags & COMM_PML_ADDED) != 0;
    if (!is_id_possible(process, view, flags) ||
        ((flags & COMM_INTER) != 0 && !mqd_object_is(process, communicator->local_comm_ta, "ompi_communicator_t")))
        return MQD_RC_bad_communicator;
    rc = read_count(process, communicator->local_ta, &communicator->n_local);
    if (rc == MQD_OK)
        rc = read_count(process, communicator->remote_ta, &communicator->n_remote);
    return rc;
}

/* MPI_COMM_NULL is made before anything else and never changes, not even its name. */
static enum mqd_rc probe_null(struct mqd_process *process, mqd_taddr ta)
{
    struct mqd_communicator null;

    if (ta == 0 || read_communicator(process, NULL_SLOT, ta, &null) != MQD_OK || null.my_rank != MQD_PROC_NULL ||
        null.n_local != 0 || null.n_remote != 0 || null.pml_ta != 0)
        return MQD_RC_bad_null;
    if (process->layout.can[MQD_CAN_names] && strcmp(null.name, "MPI_COMM_NULL") != 0)
        return MQD_RC_bad_null;
    return MQD_OK;
}

/* What MPI_COMM_WORLD is in every process; its name may have been changed. */
static enum mqd_rc probe_world(struct mqd_process *process, mqd_taddr ta, struct mqd_communicator *world)
{
    struct mqd_object object;
    const uint32_t flags = COMM_INTRINSIC | COMM_NAME_SET;

    if (read_communicator(process, WORLD_SLOT, ta, world) != MQD_OK || world->local_ta != world->remote_ta ||
        world->my_rank < 0 || world->my_rank >= world->n_local ||
        mqd_read_object(process, MQD_TYPE_ompi_communicator_t, ta, &object) != MQD_OK ||
        ((uint32_t)mqd_uint(&object.view, MQD_PATH_comm_flags) & (flags | COMM_INTER)) != flags ||
        mqd_int(&object.view, MQD_PATH_comm_fortran_index) != 0 || object.view.rc != MQD_OK)
        return MQD_RC_bad_world;
    return MQD_OK;
}

/* A process's name is in its ompi_proc_t or, while it has not been contacted, packed into the pointer to one. */
static enum mqd_rc read_proc_name(struct mqd_process *process, mqd_taddr proc_ta, struct mqd_name *name)
{
    struct mqd_object proc;
    enum mqd_rc rc = mqd_read_object(process, MQD_TYPE_ompi_proc_t, proc_ta, &proc);

    if (rc != MQD_OK)
        return rc;
    name->jobid = (uint32_t)mqd_uint(&proc.view, MQD_PATH_proc_jobid);
    name->vpid = (uint32_t)mqd_uint(&proc.view, MQD_PATH_proc_vpid);
    return proc.view.rc;
}

/*
 * Sentinels have bit 0 set (ompi/proc/proc.h). In 64 bits: 15 bits of local job id, 16 of job family, 32 of vpid. In
 * 32 bits there is room for the vpid only, and the job is our own.
 */
static struct mqd_name sentinel_name(const struct mqd_process *process, mqd_taddr sentinel)
{
    struct mqd_name name;

    if (process->layout.abi.pointer_size == 4)
        return (struct mqd_name){.jobid = process->snapshot.own_jobid, .vpid = (uint32_t)sentinel >> 1};
    name.jobid = (uint32_t)((sentinel >> 1) & 0x7fff) | (uint32_t)((sentinel >> 16) & 0xffff) << 16;
    name.vpid = (uint32_t)(sentinel >> 32);
    return name;
}

static enum mqd_rc entry_name(struct mqd_process *process, mqd_taddr entry, struct mqd_name *name)
{
    if ((entry & 1) == 0)
        return mqd_object_is(process, entry, "ompi_proc_t") ? read_proc_name(process, entry, name) : MQD_RC_bad_group;
    *name = sentinel_name(process, entry);
    return MQD_OK;
}

/* Our own name, if ompi_proc_local_proc is there to tell it. */
static enum mqd_rc read_own_name(struct mqd_process *process, struct mqd_name *own)
{
    mqd_taddr ta;

    if (!mqd_symbol(process, "ompi_proc_local_proc", &ta))
        return MQD_RC_no_evidence;
    if (mqd_read_pointer(process, ta, &ta) != MQD_OK || ta == 0 || !mqd_object_is(process, ta, "ompi_proc_t") ||
        read_proc_name(process, ta, own) != MQD_OK)
        return MQD_RC_bad_own_name;
    process->snapshot.own_jobid = own->jobid;
    process->snapshot.own_name_known = true;
    return MQD_OK;
}

/* Our own name, and that it stands in MPI_COMM_WORLD's group at our own rank, which is also its number in the job. */
static enum mqd_rc probe_own_name(struct mqd_process *process, const struct mqd_communicator *world)
{
    struct mqd_object group;
    struct mqd_name in_group, own;
    mqd_taddr ta, procs_ta;
    int64_t my_rank;
    enum mqd_rc rc = read_own_name(process, &own);

    if (rc == MQD_RC_bad_own_name || mqd_read_object(process, MQD_TYPE_ompi_group_t, world->local_ta, &group) != MQD_OK)
        return MQD_RC_bad_own_name;
    my_rank = mqd_int(&group.view, MQD_PATH_group_my_rank);
    procs_ta = mqd_uint(&group.view, MQD_PATH_group_procs);
    if (group.view.rc != MQD_OK || my_rank != world->my_rank ||
        mqd_read_pointer(process, procs_ta + (mqd_taddr)my_rank * ENTRY_BYTES(process), &ta) != MQD_OK ||
        entry_name(process, ta, &in_group) != MQD_OK || in_group.vpid != (uint32_t)my_rank ||
        (rc == MQD_OK && (own.jobid != in_group.jobid || own.vpid != in_group.vpid)))
        return MQD_RC_bad_own_name;
    process->snapshot.own_jobid = in_group.jobid;
    process->snapshot.own_name_known = true;
    return MQD_OK;
}

/* The array's slots as addresses, in the debugger's memory; owned by the caller. */
struct slots {
    mqd_taddr *ta;
    size_t n;
};

static enum mqd_rc read_slots(struct mqd_process *process, mqd_taddr array_ta, size_t n, struct slots *slots)
{
    size_t entry = process->layout.abi.pointer_size;
    unsigned char *bytes = dbgr_alloc(n * entry);
    mqd_taddr *ta = dbgr_alloc(n * sizeof *ta);
    enum mqd_rc rc = bytes != NULL && ta != NULL ? mqd_read_block(process, array_ta, n * entry, bytes)
                                                 : MQD_RC_no_memory;

    for (size_t i = 0; i < n && rc == MQD_OK; i++)
        ta[i] = dbgr_number(&process->debugger, bytes + i * entry, (unsigned)entry);
    dbgr_release(bytes);
    if (rc != MQD_OK) {
        dbgr_release(ta);
        return rc;
    }
    *slots = (struct slots){.ta = ta, .n = n};
    return MQD_OK;
}

/* ompi_mpi_state; MQD_STATE_INIT_COMPLETED if it cannot be had. MPI_Session_init leaves it as it is. */
static int64_t mpi_state(struct mqd_process *process)
{
    mqd_taddr ta;
    int64_t state;

    if (!mqd_symbol(process, "ompi_mpi_state", &ta) || mqd_read_number(process, ta, MQD_KIND_i32, &state) != MQD_OK)
        return MQD_STATE_INIT_COMPLETED;
    return state;
}

static enum mqd_rc read_array(struct mqd_process *process, struct slots *slots)
{
    struct mqd_object array;
    int64_t n, n_free, lowest_free, state;
    mqd_taddr ta, slots_ta;
    enum mqd_rc rc;

    if (!mqd_symbol(process, "ompi_mpi_communicators", &ta))
        return MQD_RC_no_openmpi;
    rc = mqd_read_object(process, MQD_TYPE_opal_pointer_array_t, ta, &array);
    if (rc != MQD_OK)
        return rc;
    n = mqd_int(&array.view, MQD_PATH_array_size);
    n_free = mqd_int(&array.view, MQD_PATH_array_number_free);
    lowest_free = mqd_int(&array.view, MQD_PATH_array_lowest_free);
    slots_ta = mqd_uint(&array.view, MQD_PATH_array_addr);
    state = mpi_state(process);
    if (state >= MQD_STATE_PAST_SELF)
        return MQD_RC_finalized;
    if (array.view.rc != MQD_OK)
        return array.view.rc;
    /* MPI_Session_init, which no state tells of, may have set one of them and not yet the other. */
    if ((slots_ta == 0 && n == 0) || (state == MQD_STATE_NOT_INITIALISED && (slots_ta == 0 || n == 0)))
        return MQD_RC_not_initialised;
    if (n < N_PREDEFINED || n > MAX_SLOTS || n_free < 0 || n_free > n || lowest_free < 0 || lowest_free > n ||
        !mqd_object_is(process, ta, "opal_pointer_array_t"))
        return MQD_RC_bad_array;
    return read_slots(process, slots_ta, (size_t)n, slots);
}

static enum mqd_rc probe_predefined(struct mqd_process *process, const struct slots *slots)
{
    struct mqd_communicator world;
    struct mqd_name own;
    enum mqd_rc rc;

    if (slots->ta[WORLD_SLOT] == 0 || slots->ta[NULL_SLOT] == 0)
        return MQD_RC_not_initialised;
    rc = mqd_found(process, MQD_PROBE_comm_null, probe_null(process, slots->ta[NULL_SLOT]));
    if (rc != MQD_OK)
        return rc;
    process->findings.probes[MQD_PROBE_comm_world] = MQD_FINDING_not_possible;
    process->findings.probes[MQD_PROBE_own_entry] = MQD_FINDING_not_possible;
    /* 5.0 and later: without MPI_Init (Sessions) there is no world, and MPI_COMM_NULL stands in its place. */
    if (slots->ta[WORLD_SLOT] == slots->ta[NULL_SLOT])
        return process->layout.can[MQD_CAN_groups] && read_own_name(process, &own) == MQD_RC_bad_own_name
                   ? MQD_RC_bad_own_name
                   : MQD_OK;
    rc = mqd_found(process, MQD_PROBE_comm_world, probe_world(process, slots->ta[WORLD_SLOT], &world));
    if (rc != MQD_OK || !process->layout.can[MQD_CAN_groups])
        return rc;
    return mqd_found(process, MQD_PROBE_own_entry, probe_own_name(process, &world));
}

static enum mqd_rc append_communicators(struct mqd_process *process, const struct slots *slots)
{
    struct mqd_snapshot *snapshot = &process->snapshot;

    for (size_t slot = 0; slot < slots->n; slot++) {
        mqd_taddr ta = slots->ta[slot];
        struct mqd_communicator found, *communicator;
        enum mqd_rc rc;

        if (ta == 0 || ta == UNDER_CONSTRUCTION || ta == slots->ta[NULL_SLOT])
            continue;
        rc = read_communicator(process, slot, ta, &found);
        if (rc == MQD_RC_no_communicator)
            continue;
        if (rc != MQD_OK) {
            snapshot->communicators_rc = rc;
            continue;
        }
        communicator = mqd_vector_append(&snapshot->communicators);
        if (communicator == NULL)
            return MQD_RC_no_memory;
        *communicator = found;
    }
    return MQD_OK;
}

/* An intercommunicator's communicator over its local group has a slot of its own, and no user ever sees it. */
static void hide_internal(struct mqd_process *process)
{
    for (size_t i = 0; i < process->snapshot.communicators.n_items; i++) {
        mqd_taddr local_comm_ta = mqd_communicator_at(process, i)->local_comm_ta;
        struct mqd_communicator *internal = local_comm_ta != 0 ? mqd_find_communicator(process, local_comm_ta) : NULL;

        if (internal != NULL)
            internal->hidden = true;
    }
}

enum mqd_rc mqd_read_communicators(struct mqd_process *process)
{
    struct slots slots;
    enum mqd_rc rc = read_array(process, &slots);

    if (rc != MQD_OK)
        return rc;
    rc = probe_predefined(process, &slots);
    if (rc == MQD_OK)
        rc = append_communicators(process, &slots);
    if (rc == MQD_OK)
        hide_internal(process);
    dbgr_release(slots.ta);
    return rc;
}

static enum mqd_rc group_entries(struct mqd_process *process, mqd_taddr group_ta, mqd_taddr *entries_ta)
{
    struct mqd_object group;
    enum mqd_rc rc = mqd_read_object(process, MQD_TYPE_ompi_group_t, group_ta, &group);

    if (rc != MQD_OK)
        return rc;
    *entries_ta = mqd_uint(&group.view, MQD_PATH_group_procs);
    return group.view.rc;
}

/* The i-th entry of a group, 0 if it cannot be read. */
static mqd_taddr group_entry(struct mqd_process *process, mqd_taddr entries_ta, int64_t i)
{
    mqd_taddr entry;

    if (mqd_read_pointer(process, entries_ta + (mqd_taddr)i * ENTRY_BYTES(process), &entry) != MQD_OK)
        return 0;
    return entry;
}

/* World ranks as far as entries can be read. No entries at all: a group in sparse storage, not taken apart here. */
static enum mqd_rc read_members(struct mqd_process *process, mqd_taddr group_ta, int32_t n, int *world_ranks)
{
    mqd_taddr entries_ta = 0, entry = 1;
    enum mqd_rc rc = group_entries(process, group_ta, &entries_ta);

    for (int32_t i = 0; i < n; i++) {
        struct mqd_name name;

        world_ranks[i] = MQS_INVALID_PROCESS;
        if (entries_ta != 0 && entry != 0)
            entry = group_entry(process, entries_ta, i);
        if (entries_ta != 0 && entry != 0 && entry_name(process, entry, &name) == MQD_OK &&
            name.jobid == process->snapshot.own_jobid && name.vpid <= INT32_MAX)
            world_ranks[i] = (int)name.vpid;
    }
    return rc;
}

bool mqd_peer_name(struct mqd_process *process, const struct mqd_communicator *communicator, int64_t rank,
                   struct mqd_name *name)
{
    mqd_taddr entries_ta, entry;

    if (!process->layout.can[MQD_CAN_groups] || rank < 0 || rank >= communicator->n_remote ||
        group_entries(process, communicator->remote_ta, &entries_ta) != MQD_OK || entries_ta == 0)
        return false;
    entry = group_entry(process, entries_ta, rank);
    return entry != 0 && entry_name(process, entry, name) == MQD_OK;
}

enum mqd_rc mqd_read_group(struct mqd_process *process, struct mqd_communicator *communicator, bool remote)
{
    bool is_remote = remote && communicator->remote_ta != communicator->local_ta;
    struct mqd_group *group = is_remote ? &communicator->remote : &communicator->local;
    int32_t n = is_remote ? communicator->n_remote : communicator->n_local;

    if (group->read)
        return group->rc;
    if (!process->layout.can[MQD_CAN_groups] || !process->snapshot.own_name_known) {
        group->rc = process->layout.can[MQD_CAN_groups] ? MQD_RC_bad_own_name
                                                        : mqd_rc_unknown(process->layout.lacks[MQD_CAN_groups]);
        group->read = true;
        return group->rc;
    }
    group->world_ranks = dbgr_alloc((size_t)n * sizeof *group->world_ranks);
    if (group->world_ranks == NULL)
        return MQD_RC_no_memory;
    group->rc = read_members(process, is_remote ? communicator->remote_ta : communicator->local_ta, n, group->world_ranks);
    group->read = true;
    return group->rc;
}

static const struct mqd_group *group_of_peers(const struct mqd_communicator *communicator)
{
    return communicator->remote_ta != communicator->local_ta ? &communicator->remote : &communicator->local;
}

int mqd_world_rank(struct mqd_process *process, struct mqd_communicator *communicator, int64_t rank)
{
    if (rank < 0 || rank >= communicator->n_remote || mqd_read_group(process, communicator, true) != MQD_OK)
        return MQS_INVALID_PROCESS;
    return group_of_peers(communicator)->world_ranks[rank];
}
