/* communicator.c - the array ompi_mpi_communicators and what it points to. */
#include "mqd/dll/communicator.h"

#include <string.h>

#include "mqd/dll/evidence.h"
#include "mqd/dll/banned.h"

/* Context ids have 16 bits on the wire, in all releases. */
#define MAX_SLOTS 65536

/*
 * Slots of the predefined communicators. They are the handles that every Fortran program has in it, and no header of C
 * states them; the probes below prove them in each process.
 */
enum { WORLD_SLOT = 0, NULL_SLOT = 2, N_PREDEFINED = 3 };

struct mqd_communicator *mqd_communicator_at(struct mqd_process *process, size_t i)
{
    return mqd_vector_at(&process->snapshot.communicators, i);
}

void mqd_communicator_release(struct mqd_communicator *communicator)
{
    dbgr_release(communicator->local.world_ranks);
    dbgr_release(communicator->local.members);
    dbgr_release(communicator->remote.world_ranks);
    dbgr_release(communicator->remote.members);
}

static enum mqd_rc sort_addresses(struct mqd_snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->communicators.n_items; i++) {
        const struct mqd_communicator *communicator = mqd_vector_at(&snapshot->communicators, i);
        struct mqd_address *address = mqd_vector_append(&snapshot->addresses);

        if (address == NULL)
            return MQD_RC_no_memory;
        *address = (struct mqd_address){.ta = communicator->ta, .index = i};
    }
    return mqd_vector_sort_by_key(&snapshot->addresses);
}

struct mqd_communicator *mqd_find_communicator(struct mqd_process *process, mqd_taddr ta)
{
    const struct mqd_address *address = mqd_vector_find(&process->snapshot.addresses, ta);

    return address != NULL ? mqd_communicator_at(process, address->index) : NULL;
}

static uint64_t scramble(uint64_t bits)
{
    bits = (bits ^ (bits >> 32)) * 0x9e3779b97f4a7c15u;
    return bits ^ (bits >> 29);
}

/* The number of 64 bits at a path whose type has no name. */
static uint64_t number_at(struct mqd_view *view, enum mqd_path_id path)
{
    struct mqd_view number = mqd_inner(view, path);

    if (number.rc == MQD_OK && number.n_bytes >= sizeof(uint64_t))
        return mqd_number(view->process, number.bytes, sizeof(uint64_t));
    if (view->rc == MQD_OK)
        view->rc = mqd_rc_unknown(path);
    return 0;
}

uint64_t mqd_unique_id(struct mqd_view *view, enum mqd_path_id base, enum mqd_path_id sub, uint32_t index)
{
    uint64_t high = mqd_uint(view, base), low = number_at(view, sub);

    /* 52 bits with a one before them: a double of a debugger's script language can hold it, and no slot has it. */
    return high == 0 ? index : (uint64_t)1 << 52 | scramble(scramble(high) + low) >> 12;
}

/*
 * Up to 4.1 the context id is the number of the slot, and the same on all members. Since 5.0 the number of the slot is
 * c_index. It is the same on all members, except for communicators that were made from a group: these have an id of 128
 * bits, whose upper half is not 0.
 */
static void read_ids(const struct mqd_process *process, struct mqd_view *view, struct mqd_communicator *communicator)
{
    if (process->layout.paths[MQD_PATH_comm_context_id].kind != MQD_KIND_struct) {
        communicator->index = (uint32_t)mqd_uint(view, MQD_PATH_comm_context_id);
        communicator->unique_id = communicator->index;
        return;
    }
    communicator->index = (uint32_t)mqd_uint(view, MQD_PATH_comm_index);
    communicator->unique_id = mqd_unique_id(view, MQD_PATH_comm_cid_base, MQD_PATH_comm_cid_sub, communicator->index);
    communicator->extended = communicator->unique_id != communicator->index;
}

/* Since 5.0: if the number of a communicator is the same on all members, the upper half of its context id is 0. */
static bool is_id_possible(const struct mqd_process *process, struct mqd_view *view, uint32_t flags)
{
    return process->layout.paths[MQD_PATH_comm_context_id].kind != MQD_KIND_struct ||
           !mqd_has_flag(process, MQD_CONSTANT_comm_global_index, flags) || mqd_uint(view, MQD_PATH_comm_cid_base) == 0;
}

/*
 * Reads the communicator in a slot. MQD_RC_no_communicator: the communicator of this slot is still being made.
 * Meanwhile (before 5.0.4) the slot has its parent, whose id differs.
 */
static enum mqd_rc read_communicator(struct mqd_process *process, size_t slot, mqd_taddr ta,
                                     struct mqd_communicator *communicator)
{
    struct mqd_object object;
    struct mqd_view *view = &object.view;
    uint32_t flags;
    bool inter;
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
    inter = mqd_has_flag(process, MQD_CONSTANT_comm_inter, flags);
    if (inter)
        communicator->local_comm_ta = mqd_uint(view, MQD_PATH_comm_local_comm);
    if (mqd_has_path(process, MQD_PATH_comm_pml))
        communicator->pml_ta = mqd_uint(view, MQD_PATH_comm_pml);
    if (mqd_has_path(process, MQD_PATH_comm_coll))
        communicator->coll_ta = mqd_uint(view, MQD_PATH_comm_coll);
    if (process->layout.can[MQD_CAN_names])
        mqd_text(process, view, MQD_PATH_comm_name, communicator->name, sizeof communicator->name);
    if (view->rc != MQD_OK)
        return view->rc;
    if (communicator->index != slot)
        return MQD_RC_no_communicator;
    communicator->pml_added = mqd_has_flag(process, MQD_CONSTANT_comm_pml_added, flags);
    communicator->named = mqd_has_flag(process, MQD_CONSTANT_comm_name_set, flags);
    if (!is_id_possible(process, view, flags) ||
        (inter && !mqd_object_is(process, communicator->local_comm_ta, "ompi_communicator_t")))
        return MQD_RC_bad_communicator;
    rc = mqd_group_count(process, communicator->local_ta, &communicator->n_local);
    if (rc == MQD_OK)
        rc = mqd_group_count(process, communicator->remote_ta, &communicator->n_remote);
    return rc;
}

/* MPI_COMM_NULL is made before anything else and never changes, not even its name. */
static enum mqd_rc probe_null(struct mqd_process *process, mqd_taddr ta)
{
    struct mqd_communicator null;

    if (ta == 0 || read_communicator(process, NULL_SLOT, ta, &null) != MQD_OK ||
        !mqd_is(process, MQD_CONSTANT_proc_null, null.my_rank) || null.n_local != 0 || null.n_remote != 0 ||
        null.pml_ta != 0)
        return MQD_RC_bad_null;
    if (process->layout.can[MQD_CAN_names] && strcmp(null.name, "MPI_COMM_NULL") != 0)
        return MQD_RC_bad_null;
    return MQD_OK;
}

/*
 * The first tag of nonblocking collective operations, by which these are numbered, comes behind all other tags of
 * collectives. A release may add one, and then its sizes and offsets are the table's all the same. But the next tag of
 * MPI_COMM_NULL, which no operation has ever used, is that first one. If it is not the table's, then what lies from the
 * end of the blocking operations' tags on is not known.
 */
static void probe_tags(struct mqd_process *process, mqd_taddr null_ta)
{
    const struct mqd_table *table = process->layout.table;
    struct mqd_object null;
    bool is_right;

    process->findings.probes[MQD_PROBE_tags] = MQD_FINDING_not_possible;
    if (table == NULL || table->constants == NULL || !table->constants[MQD_CONSTANT_tag_nonblocking_first].present ||
        !mqd_has_path(process, MQD_PATH_comm_nonblocking_tag))
        return;
    is_right = mqd_read_object(process, MQD_TYPE_ompi_communicator_t, null_ta, &null) == MQD_OK &&
               mqd_int(&null.view, MQD_PATH_comm_nonblocking_tag) ==
                   table->constants[MQD_CONSTANT_tag_nonblocking_first].value;
    process->findings.probes[MQD_PROBE_tags] = is_right ? MQD_FINDING_passed : MQD_FINDING_failed;
    for (unsigned tag = MQD_CONSTANT_tag_ft_first; tag <= MQD_CONSTANT_tag_hcoll_last; tag++)
        process->layout.constants[tag] = is_right ? table->constants[tag] : (struct mqd_constant){.present = false};
}

static bool has_flags_of_world(const struct mqd_process *process, uint64_t flags)
{
    return mqd_has_flag(process, MQD_CONSTANT_comm_intrinsic, flags) &&
           mqd_has_flag(process, MQD_CONSTANT_comm_name_set, flags) &&
           !mqd_has_flag(process, MQD_CONSTANT_comm_inter, flags);
}

/* Tests what is true of MPI_COMM_WORLD in every process. Its name is not tested: users may change it. */
static enum mqd_rc probe_world(struct mqd_process *process, mqd_taddr ta, struct mqd_communicator *world)
{
    struct mqd_object object;

    if (read_communicator(process, WORLD_SLOT, ta, world) != MQD_OK || world->local_ta != world->remote_ta ||
        world->my_rank < 0 || world->my_rank >= world->n_local ||
        mqd_read_object(process, MQD_TYPE_ompi_communicator_t, ta, &object) != MQD_OK ||
        !has_flags_of_world(process, mqd_uint(&object.view, MQD_PATH_comm_flags)) ||
        mqd_int(&object.view, MQD_PATH_comm_fortran_index) != 0 || object.view.rc != MQD_OK)
        return MQD_RC_bad_world;
    return MQD_OK;
}

/* Reads the name of this process through ompi_proc_local_proc, if that symbol is found. */
static enum mqd_rc read_own_name(struct mqd_process *process, struct mqd_name *own)
{
    mqd_taddr ta;

    if (!mqd_symbol(process, "ompi_proc_local_proc", &ta))
        return MQD_RC_no_evidence;
    if (mqd_read_pointer(process, ta, &ta) != MQD_OK || ta == 0 || !mqd_object_is(process, ta, "ompi_proc_t") ||
        mqd_proc_name(process, ta, own) != MQD_OK)
        return MQD_RC_bad_own_name;
    process->snapshot.own_jobid = own->jobid;
    process->snapshot.own_vpid = own->vpid;
    process->snapshot.own_name_known = true;
    return MQD_OK;
}

/*
 * Reads the name of this process. Tests that it is in MPI_COMM_WORLD's group at the rank of this process, which is also
 * its number in the job.
 */
static enum mqd_rc probe_own_name(struct mqd_process *process, const struct mqd_communicator *world)
{
    struct mqd_object group;
    struct mqd_member in_group;
    struct mqd_name own;
    int64_t my_rank;
    enum mqd_rc rc = read_own_name(process, &own);

    if (rc == MQD_RC_bad_own_name || mqd_read_object(process, MQD_TYPE_ompi_group_t, world->local_ta, &group) != MQD_OK)
        return MQD_RC_bad_own_name;
    my_rank = mqd_int(&group.view, MQD_PATH_group_my_rank);
    if (group.view.rc != MQD_OK || my_rank != world->my_rank ||
        mqd_group_member(process, world->local_ta, my_rank, &in_group) != MQD_OK || !in_group.known ||
        in_group.name.vpid != (uint32_t)my_rank ||
        (rc == MQD_OK && (own.jobid != in_group.name.jobid || own.vpid != in_group.name.vpid)))
        return MQD_RC_bad_own_name;
    process->snapshot.own_jobid = in_group.name.jobid;
    process->snapshot.own_vpid = in_group.name.vpid;
    process->snapshot.own_name_known = true;
    return MQD_OK;
}

bool mqd_mpi_state(struct mqd_process *process, int64_t *state)
{
    mqd_taddr ta;

    return mqd_symbol(process, "ompi_mpi_state", &ta) && mqd_read_number(process, ta, MQD_KIND_i32, state) == MQD_OK;
}

/* Are communicators being taken apart? */
static bool is_past_self(const struct mqd_process *process, int64_t state)
{
    const struct mqd_constant *past_self = &process->layout.constants[MQD_CONSTANT_state_past_self];

    return past_self->present && state >= past_self->value;
}

static enum mqd_rc read_array(struct mqd_process *process, struct mqd_pointers *slots)
{
    struct mqd_object array;
    int64_t n, n_free, lowest_free, state;
    bool has_state, not_initialised;
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
    has_state = mqd_mpi_state(process, &state);
    if (has_state && is_past_self(process, state))
        return MQD_RC_finalized;
    if (array.view.rc != MQD_OK)
        return array.view.rc;
    /* MPI_Session_init, which no state tells of, may have set one of them and not yet the other. */
    not_initialised = has_state && mqd_is(process, MQD_CONSTANT_state_not_initialised, state);
    if ((slots_ta == 0 && n == 0) || (not_initialised && (slots_ta == 0 || n == 0)))
        return MQD_RC_not_initialised;
    if (n < N_PREDEFINED || n > MAX_SLOTS || n_free < 0 || n_free > n || lowest_free < 0 || lowest_free > n ||
        !mqd_object_is(process, ta, "opal_pointer_array_t"))
        return MQD_RC_bad_array;
    return mqd_read_pointers(process, slots_ta, (size_t)n, slots);
}

static enum mqd_rc probe_predefined(struct mqd_process *process, const struct mqd_pointers *slots)
{
    struct mqd_communicator world;
    struct mqd_name own;
    enum mqd_rc rc;

    if (slots->ta[WORLD_SLOT] == 0 || slots->ta[NULL_SLOT] == 0)
        return MQD_RC_not_initialised;
    rc = mqd_found(process, MQD_PROBE_comm_null, probe_null(process, slots->ta[NULL_SLOT]));
    if (rc != MQD_OK)
        return rc;
    probe_tags(process, slots->ta[NULL_SLOT]);
    process->findings.probes[MQD_PROBE_comm_world] = MQD_FINDING_not_possible;
    process->findings.probes[MQD_PROBE_own_entry] = MQD_FINDING_not_possible;
    /* 5.0 and later: without MPI_Init (Sessions) MPI_COMM_NULL is in the slot of MPI_COMM_WORLD. */
    if (slots->ta[WORLD_SLOT] == slots->ta[NULL_SLOT])
        return process->layout.can[MQD_CAN_groups] && read_own_name(process, &own) == MQD_RC_bad_own_name
                   ? MQD_RC_bad_own_name
                   : MQD_OK;
    rc = mqd_found(process, MQD_PROBE_comm_world, probe_world(process, slots->ta[WORLD_SLOT], &world));
    if (rc != MQD_OK || !process->layout.can[MQD_CAN_groups])
        return rc;
    return mqd_found(process, MQD_PROBE_own_entry, probe_own_name(process, &world));
}

static enum mqd_rc append_communicators(struct mqd_process *process, const struct mqd_pointers *slots)
{
    struct mqd_snapshot *snapshot = &process->snapshot;

    for (size_t slot = 0; slot < slots->n; slot++) {
        mqd_taddr ta = slots->ta[slot];
        struct mqd_communicator found, *communicator;
        enum mqd_rc rc;

        if (ta == 0 || mqd_is(process, MQD_CONSTANT_comm_sentinel, (int64_t)ta) || ta == slots->ta[NULL_SLOT])
            continue;
        mqd_begin_stage(process);
        rc = read_communicator(process, slot, ta, &found);
        if (rc == MQD_RC_no_communicator)
            continue;
        if (rc != MQD_OK) {
            snapshot->communicators_rc = mqd_because(process, rc);
            continue;
        }
        communicator = mqd_vector_append(&snapshot->communicators);
        if (communicator == NULL)
            return MQD_RC_no_memory;
        *communicator = found;
    }
    return MQD_OK;
}

enum mqd_rc mqd_read_communicators(struct mqd_process *process)
{
    struct mqd_pointers slots;
    enum mqd_rc rc = read_array(process, &slots);

    if (rc != MQD_OK)
        return rc;
    rc = probe_predefined(process, &slots);
    if (rc == MQD_OK)
        rc = append_communicators(process, &slots);
    if (rc == MQD_OK)
        rc = sort_addresses(&process->snapshot);
    dbgr_release(slots.ta);
    return rc;
}

/* The local or the remote group. They differ for intercommunicators only. */
static struct mqd_group *group_of(struct mqd_communicator *communicator, bool remote, mqd_taddr *ta, int32_t *n)
{
    bool is_remote = remote && communicator->remote_ta != communicator->local_ta;

    *ta = is_remote ? communicator->remote_ta : communicator->local_ta;
    *n = is_remote ? communicator->n_remote : communicator->n_local;
    return is_remote ? &communicator->remote : &communicator->local;
}

static int rank_in_world(const struct mqd_process *process, const struct mqd_member *member)
{
    if (!member->known || member->name.jobid != process->snapshot.own_jobid || member->name.vpid > INT32_MAX)
        return MQS_INVALID_PROCESS;
    return (int)member->name.vpid;
}

/* Is another process at the rank of this one? Then the other members are wrong too. */
static bool contradicts_own_rank(const struct mqd_process *process, const struct mqd_communicator *communicator,
                                 const struct mqd_member *members)
{
    const struct mqd_member *own = &members[communicator->my_rank];

    return !own->known || own->name.jobid != process->snapshot.own_jobid ||
           own->name.vpid != process->snapshot.own_vpid;
}

static enum mqd_rc read_members(struct mqd_process *process, mqd_taddr ta, int32_t n, struct mqd_group *group)
{
    struct mqd_member *members = dbgr_alloc((size_t)n * sizeof *members);
    int *world_ranks = dbgr_alloc((size_t)n * sizeof *world_ranks);
    enum mqd_rc rc = MQD_RC_no_memory;

    if (members != NULL && world_ranks != NULL)
        rc = mqd_group_members(process, ta, n, members);
    if (rc == MQD_RC_no_memory) {
        dbgr_release(members);
        dbgr_release(world_ranks);
        return rc;
    }
    for (int32_t i = 0; i < n; i++)
        world_ranks[i] = rank_in_world(process, &members[i]);
    *group = (struct mqd_group){.read = true, .rc = rc, .world_ranks = world_ranks, .members = members};
    return rc;
}

enum mqd_rc mqd_read_group(struct mqd_process *process, struct mqd_communicator *communicator, bool remote)
{
    mqd_taddr ta;
    int32_t n;
    struct mqd_group *group = group_of(communicator, remote, &ta, &n);
    enum mqd_rc outer = process->unread, rc = mqd_capability_rc(process, MQD_CAN_groups);

    if (group->read)
        return group->rc;
    mqd_begin_stage(process);
    if (rc == MQD_OK && !process->snapshot.own_name_known)
        rc = MQD_RC_bad_own_name;
    if (rc != MQD_OK) {
        *group = (struct mqd_group){.read = true, .rc = rc};
        return rc;
    }
    rc = read_members(process, ta, n, group);
    if (rc == MQD_OK && group == &communicator->local && communicator->my_rank >= 0 && communicator->my_rank < n &&
        contradicts_own_rank(process, communicator, group->members))
        rc = MQD_RC_bad_group;
    group->rc = mqd_because(process, rc);
    /* It may be a part of another stage. */
    if (outer != MQD_OK)
        process->unread = outer;
    return group->rc;
}

/* The group of the peers, if it could be read and has that rank; else NULL. */
static const struct mqd_group *peers_with(struct mqd_process *process, struct mqd_communicator *communicator,
                                          int64_t rank)
{
    mqd_taddr ta;
    int32_t n;
    const struct mqd_group *group = group_of(communicator, true, &ta, &n);

    return rank >= 0 && rank < n && mqd_read_group(process, communicator, true) == MQD_OK ? group : NULL;
}

int mqd_world_rank(struct mqd_process *process, struct mqd_communicator *communicator, int64_t rank)
{
    const struct mqd_group *peers = peers_with(process, communicator, rank);

    return peers != NULL ? peers->world_ranks[rank] : MQS_INVALID_PROCESS;
}

mqd_taddr mqd_peer_proc(struct mqd_process *process, struct mqd_communicator *communicator, int64_t rank)
{
    const struct mqd_group *peers = peers_with(process, communicator, rank);

    return peers != NULL ? peers->members[rank].proc_ta : 0;
}

bool mqd_peer_name(struct mqd_process *process, struct mqd_communicator *communicator, int64_t rank,
                   struct mqd_name *name)
{
    const struct mqd_group *peers = peers_with(process, communicator, rank);

    if (peers == NULL || !peers->members[rank].known)
        return false;
    *name = peers->members[rank].name;
    return true;
}
