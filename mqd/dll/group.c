/* group.c - groups: tables of processes, and sparse groups, which store which members of their parent they have. */
#include "mqd/dll/group.h"

#include "mqd/dll/walk.h"
#include "mqd/dll/banned.h"

/* The largest machines run jobs of some millions of processes. */
#define MAX_MEMBERS (1 << 24)

/* A bound for members of a group and of its parents together. Each MPI_Group_incl may add one more parent. */
#define MAX_STEPS (4 * MAX_MEMBERS)

#define ENTRY_BYTES(process) ((mqd_taddr)(process)->layout.abi.pointer_size)

/* A group as it is stored. A group that is not empty and has no entries is sparse: it has members of its parent. */
struct group {
    mqd_taddr ta, entries_ta, parent_ta;
    int32_t count;
    uint32_t flags;
};

enum mqd_rc mqd_group_count(struct mqd_process *process, mqd_taddr ta, int32_t *count)
{
    struct mqd_object group;
    int64_t found;

    if (mqd_read_object(process, MQD_TYPE_ompi_group_t, ta, &group) != MQD_OK ||
        !mqd_object_is(process, ta, "ompi_group_t"))
        return MQD_RC_bad_group;
    found = mqd_int(&group.view, MQD_PATH_group_count);
    if (group.view.rc != MQD_OK || found < 0 || found > MAX_MEMBERS)
        return MQD_RC_bad_group;
    *count = (int32_t)found;
    return MQD_OK;
}

static enum mqd_rc read_group(struct mqd_process *process, mqd_taddr ta, struct group *group)
{
    struct mqd_object object;
    enum mqd_rc rc;

    *group = (struct group){.ta = ta};
    rc = mqd_group_count(process, ta, &group->count);
    if (rc == MQD_OK)
        rc = mqd_read_object(process, MQD_TYPE_ompi_group_t, ta, &object);
    if (rc != MQD_OK)
        return rc;
    group->entries_ta = mqd_uint(&object.view, MQD_PATH_group_procs);
    if (group->entries_ta == 0 && group->count > 0) {
        group->flags = (uint32_t)mqd_uint(&object.view, MQD_PATH_group_flags);
        group->parent_ta = mqd_uint(&object.view, MQD_PATH_group_parent);
    }
    return object.view.rc;
}

enum mqd_rc mqd_proc_name(struct mqd_process *process, mqd_taddr ta, struct mqd_name *name)
{
    struct mqd_object proc;
    enum mqd_rc rc = mqd_read_object(process, MQD_TYPE_ompi_proc_t, ta, &proc);

    if (rc != MQD_OK)
        return rc;
    name->jobid = (uint32_t)mqd_uint(&proc.view, MQD_PATH_proc_jobid);
    name->vpid = (uint32_t)mqd_uint(&proc.view, MQD_PATH_proc_vpid);
    return proc.view.rc;
}

/*
 * The entry of a process that was not contacted yet is no pointer. It has bit 0 set, and the name of the process is
 * packed into it (ompi/proc/proc.h). 64 bits have 15 bits of local job id, 16 of job family, 32 of vpid. 32 bits have
 * room for the vpid only; the job is that of this process.
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

/* The member of an entry of a table. */
static struct mqd_member member_of(struct mqd_process *process, mqd_taddr entry)
{
    struct mqd_member member = {.known = false};

    if ((entry & 1) != 0)
        return (struct mqd_member){.name = sentinel_name(process, entry), .known = true};
    if (entry != 0 && mqd_object_is(process, entry, "ompi_proc_t"))
        member.known = mqd_proc_name(process, entry, &member.name) == MQD_OK;
    if (member.known)
        member.proc_ta = entry;
    return member;
}

enum mqd_rc mqd_group_member(struct mqd_process *process, mqd_taddr ta, int64_t rank, struct mqd_member *member)
{
    struct group group;
    mqd_taddr entry;
    enum mqd_rc rc = read_group(process, ta, &group);

    if (rc != MQD_OK)
        return rc;
    if (rank < 0 || rank >= group.count)
        return MQD_RC_bad_group;
    rc = mqd_read_pointer(process, group.entries_ta + (mqd_taddr)rank * ENTRY_BYTES(process), &entry);
    if (rc == MQD_OK)
        *member = member_of(process, entry);
    return rc;
}

/* Where the members of a sparse group are in its parent: `in_parent` is filled with `count` ranks. */

static enum mqd_rc read_strided(struct mqd_process *process, const struct group *group, mqd_taddr data_ta,
                                int64_t *in_parent)
{
    struct mqd_object data;
    int64_t offset, stride;
    enum mqd_rc rc = mqd_read_object(process, MQD_TYPE_ompi_group_strided_data_t, data_ta, &data);

    if (rc != MQD_OK)
        return rc;
    offset = mqd_int(&data.view, MQD_PATH_strided_offset);
    stride = mqd_int(&data.view, MQD_PATH_strided_stride);
    for (int32_t i = 0; i < group->count; i++)
        in_parent[i] = offset + stride * i;
    return data.view.rc;
}

static enum mqd_rc read_sporadic(struct mqd_process *process, const struct group *group, mqd_taddr data_ta,
                                 int64_t *in_parent)
{
    uint32_t stride = process->layout.type_size[MQD_TYPE_ompi_group_sporadic_list_t];
    struct mqd_object data, range;
    mqd_taddr list_ta;
    int64_t n_ranges;
    int32_t n = 0;
    enum mqd_rc rc = mqd_read_object(process, MQD_TYPE_ompi_group_sporadic_data_t, data_ta, &data);

    if (rc != MQD_OK)
        return rc;
    list_ta = mqd_uint(&data.view, MQD_PATH_sporadic_list);
    n_ranges = mqd_int(&data.view, MQD_PATH_sporadic_length);
    if (data.view.rc != MQD_OK || n_ranges < 0 || n_ranges > group->count || stride == 0)
        return MQD_RC_bad_group;
    for (int64_t i = 0; i < n_ranges && n < group->count; i++) {
        int64_t first, length;

        rc = mqd_read_object(process, MQD_TYPE_ompi_group_sporadic_list_t, list_ta + (mqd_taddr)i * stride, &range);
        if (rc != MQD_OK)
            return rc;
        first = mqd_int(&range.view, MQD_PATH_range_first);
        length = mqd_int(&range.view, MQD_PATH_range_length);
        if (range.view.rc != MQD_OK)
            return range.view.rc;
        for (int64_t k = 0; k < length && n < group->count; k++)
            in_parent[n++] = first + k;
    }
    return n == group->count ? MQD_OK : MQD_RC_bad_group;
}

static enum mqd_rc read_bitmap(struct mqd_process *process, const struct group *group, mqd_taddr data_ta,
                               int64_t *in_parent)
{
    struct mqd_object data;
    mqd_taddr array_ta;
    int64_t n_bytes;
    int32_t n = 0;
    enum mqd_rc rc = mqd_read_object(process, MQD_TYPE_ompi_group_bitmap_data_t, data_ta, &data);

    if (rc != MQD_OK)
        return rc;
    array_ta = mqd_uint(&data.view, MQD_PATH_bitmap_array);
    n_bytes = mqd_int(&data.view, MQD_PATH_bitmap_length);
    if (data.view.rc != MQD_OK || n_bytes < 0 || n_bytes > MAX_MEMBERS / 8)
        return MQD_RC_bad_group;
    for (int64_t i = 0; i < n_bytes && n < group->count; i++) {
        int64_t byte;

        rc = mqd_read_number(process, array_ta + (mqd_taddr)i, MQD_KIND_u8, &byte);
        if (rc != MQD_OK)
            return rc;
        for (int bit = 0; bit < 8 && n < group->count; bit++)
            if ((byte >> bit & 1) != 0)
                in_parent[n++] = i * 8 + bit;
    }
    return n == group->count ? MQD_OK : MQD_RC_bad_group;
}

static enum mqd_rc read_ranks_in_parent(struct mqd_process *process, const struct group *group, int64_t *in_parent)
{
    const struct mqd_place *data = &process->layout.paths[MQD_PATH_group_sparse];
    mqd_taddr data_ta = group->ta + data->offset;

    if (data->source == MQD_SOURCE_absent)
        return mqd_rc_unknown(MQD_PATH_group_sparse);
    if (mqd_has_flag(process, MQD_CONSTANT_group_strided, group->flags))
        return read_strided(process, group, data_ta, in_parent);
    if (mqd_has_flag(process, MQD_CONSTANT_group_sporadic, group->flags))
        return read_sporadic(process, group, data_ta, in_parent);
    if (mqd_has_flag(process, MQD_CONSTANT_group_bitmap, group->flags))
        return read_bitmap(process, group, data_ta, in_parent);
    return MQD_RC_bad_group;
}

/* Converts ranks in the group to ranks in its parent, -1 if there is none. *group is then the parent. */
static enum mqd_rc go_to_parent(struct mqd_process *process, struct group *group, int32_t n, int32_t *ranks)
{
    int64_t *in_parent = dbgr_alloc((size_t)group->count * sizeof *in_parent);
    struct group parent;
    enum mqd_rc rc;

    if (in_parent == NULL)
        return MQD_RC_no_memory;
    rc = read_ranks_in_parent(process, group, in_parent);
    if (rc == MQD_OK)
        rc = read_group(process, group->parent_ta, &parent);
    for (int32_t i = 0; i < n && rc == MQD_OK; i++) {
        int64_t rank = ranks[i] >= 0 ? in_parent[ranks[i]] : -1;

        ranks[i] = rank >= 0 && rank < parent.count ? (int32_t)rank : -1;
    }
    if (rc == MQD_OK)
        *group = parent;
    dbgr_release(in_parent);
    return rc;
}

/* Goes up to the ancestor of a group that is a table, and fills `ranks` with the positions of the members there. */
static enum mqd_rc find_table(struct mqd_process *process, struct group *group, int32_t n, int32_t *ranks)
{
    struct mqd_circle circle = {0};
    int64_t n_steps = 0;
    enum mqd_rc rc = MQD_OK;

    for (int32_t i = 0; i < n; i++)
        ranks[i] = i;
    while (rc == MQD_OK && group->entries_ta == 0) {
        n_steps += (int64_t)group->count + n;
        /* A group without members is nobody's parent, and no group is its own ancestor. */
        if (n_steps > MAX_STEPS || group->count == 0 || mqd_circle_closes(&circle, group->ta))
            return MQD_RC_bad_group;
        rc = go_to_parent(process, group, n, ranks);
    }
    return rc;
}

/* If one entry cannot be read, those behind it cannot be read either. */
static void read_members(struct mqd_process *process, const struct group *table, int32_t n, const int32_t *ranks,
                         struct mqd_member *members)
{
    for (int32_t i = 0; i < n; i++) {
        mqd_taddr entry;

        if (ranks[i] < 0)
            continue;
        if (mqd_read_pointer(process, table->entries_ta + (mqd_taddr)ranks[i] * ENTRY_BYTES(process), &entry) != MQD_OK)
            return;
        members[i] = member_of(process, entry);
    }
}

enum mqd_rc mqd_group_members(struct mqd_process *process, mqd_taddr ta, int32_t n, struct mqd_member *members)
{
    struct group group;
    int32_t *ranks;
    enum mqd_rc rc;

    for (int32_t i = 0; i < n; i++)
        members[i] = (struct mqd_member){.known = false};
    if (n == 0)
        return MQD_OK;
    rc = read_group(process, ta, &group);
    if (rc == MQD_OK && group.count != n)
        rc = MQD_RC_bad_group;
    if (rc != MQD_OK)
        return rc;
    ranks = dbgr_alloc((size_t)n * sizeof *ranks);
    if (ranks == NULL)
        return MQD_RC_no_memory;
    rc = find_table(process, &group, n, ranks);
    if (rc == MQD_OK)
        read_members(process, &group, n, ranks, members);
    dbgr_release(ranks);
    return rc;
}
