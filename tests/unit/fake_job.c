#include "fake_job.h"

#include <string.h>

#define PUT(object, type, member, value) FAKE_PUT(&job->image, object, type, member, value)
#define GET(object, type, member) FAKE_GET(&job->image, object, type, member)
#define GET_INT(object, type, member) ((int)(int32_t)(uint32_t)GET(object, type, member))
#define AT(object, type, member) FAKE_AT(&job->image, object, type, member)
#define SIZE(type) FAKE_SIZE(&job->image, type)

enum { ALIGNMENT_OF_DATA = 32, ALIGNMENT_OF_MALLOC = 16, SLOTS_AT_FIRST = 16, SLOTS_MORE = 64 };

struct fake_options fake_options_of(const struct fake_build *build)
{
    if (build == NULL)
        build = &fake_release;
    return (struct fake_options){
        .build = build,
        .n_procs = 4,
        .rank = 1,
        .jobid = 0x12347ab1,
        .initial = 4,
        .increment = 64,
        .maximum = 0,
        .alignment = 64,
        .version = build->version,
    };
}

/* Classes, each with the library that defines it. One library stands for all plugins. */

static int library_of(const struct fake_job *job, const char *name)
{
    static const char *const plugins[] = { "mca_pml_ob1_", "mca_pml_cm_", "mca_mtl_ofi_" };

    if (strncmp(name, "opal_", 5) == 0)
        return job->pal;
    for (size_t i = 0; i < sizeof plugins / sizeof plugins[0]; i++)
        if (strncmp(name, plugins[i], strlen(plugins[i])) == 0)
            return job->ob1_so;
    return job->mpi;
}

static const struct {
    enum fake_type type, parent;
    const char *symbol;
} classes[] = {
#define CLASS(type, parent) { FAKE_TYPE_##type, FAKE_TYPE_##parent, #type "_class" },
    CLASS(opal_object_t, opal_object_t)
    CLASS(opal_list_item_t, opal_object_t)
    CLASS(opal_list_t, opal_object_t)
    CLASS(opal_lifo_t, opal_object_t)
    CLASS(opal_free_list_item_t, opal_list_item_t)
    CLASS(opal_free_list_t, opal_lifo_t)
    CLASS(opal_pointer_array_t, opal_object_t)
    CLASS(opal_proc_t, opal_list_item_t)
    CLASS(ompi_proc_t, opal_proc_t)
    CLASS(ompi_group_t, opal_object_t)
    CLASS(ompi_communicator_t, opal_object_t)
    CLASS(opal_datatype_t, opal_object_t)
    CLASS(ompi_datatype_t, opal_datatype_t)
    CLASS(ompi_request_t, opal_free_list_item_t)
    CLASS(mca_pml_base_request_t, ompi_request_t)
    CLASS(mca_pml_base_send_request_t, mca_pml_base_request_t)
    CLASS(mca_pml_base_recv_request_t, mca_pml_base_request_t)
    CLASS(mca_pml_ob1_send_request_t, mca_pml_base_send_request_t)
    CLASS(mca_pml_ob1_recv_request_t, mca_pml_base_recv_request_t)
    CLASS(mca_pml_cm_request_t, ompi_request_t)
    CLASS(mca_pml_cm_send_request_t, mca_pml_cm_request_t)
    CLASS(mca_pml_cm_hvy_send_request_t, mca_pml_cm_send_request_t)
    CLASS(mca_pml_cm_hvy_recv_request_t, mca_pml_cm_request_t)
    CLASS(mca_mtl_ofi_endpoint_t, opal_list_item_t)
    CLASS(mca_pml_ob1_comm_t, opal_object_t)
    CLASS(mca_pml_ob1_comm_proc_t, opal_object_t)
    /* Though it begins with an opal_free_list_item_t. */
    CLASS(mca_pml_ob1_recv_frag_t, opal_list_item_t)
    CLASS(mca_coll_han_module_t, opal_object_t)
    CLASS(ompi_coll_libnbc_module_t, opal_object_t)
    CLASS(ompi_win_t, opal_object_t)
    CLASS(ompi_file_t, opal_object_t)
#undef CLASS
};

static fake_ta data(struct fake_job *job, int library, size_t size)
{
    fake_ta ta = fake_image_alloc(&job->image, library, size, ALIGNMENT_OF_DATA);

    fake_image_zero(&job->image, ta, size);
    return ta;
}

fake_ta fake_symbol(struct fake_job *job, const char *name, int library, size_t size)
{
    fake_ta ta = data(job, library, size);

    fake_image_add_symbol(&job->image, name, library, ta);
    return ta;
}

static void map_classes(struct fake_job *job)
{
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        enum fake_type type = classes[i].type;
        const struct fake_type_info *info = &job->options.build->types[type];
        int library = library_of(job, info->name);
        fake_ta ta = fake_symbol(job, classes[i].symbol, library, SIZE(opal_class_t));

        PUT(ta, opal_class_t, cls_name, fake_image_put_string(&job->image, library, info->name));
        PUT(ta, opal_class_t, cls_parent, classes[i].parent == type ? 0 : job->classes[classes[i].parent]);
        PUT(ta, opal_class_t, cls_sizeof, info->size);
        job->classes[type] = ta;
    }
}

void fake_class_new(struct fake_job *job, enum fake_type type, enum fake_type parent)
{
    const struct fake_type_info *info = &job->options.build->types[type];
    fake_ta ta = fake_zeros(job, SIZE(opal_class_t));

    PUT(ta, opal_class_t, cls_name, fake_image_put_string(&job->image, job->heap, info->name));
    PUT(ta, opal_class_t, cls_parent, job->classes[parent]);
    PUT(ta, opal_class_t, cls_sizeof, info->size);
    job->classes[type] = ta;
}

void fake_construct(struct fake_job *job, fake_ta ta, enum fake_type type)
{
    PUT(ta, opal_object_t, obj_class, job->classes[type]);
    PUT(ta, opal_object_t, obj_reference_count, 1);
}

fake_ta fake_malloc(struct fake_job *job, size_t size)
{
    /* malloc keeps a size before what it gives out. */
    fake_ta header = fake_image_alloc(&job->image, job->heap, ALIGNMENT_OF_MALLOC + size, ALIGNMENT_OF_MALLOC);

    fake_image_put(&job->image, header + 8, 8, size | 1);
    return header + ALIGNMENT_OF_MALLOC;
}

fake_ta fake_zeros(struct fake_job *job, size_t size)
{
    fake_ta ta = fake_malloc(job, size);

    fake_image_zero(&job->image, ta, size);
    return ta;
}

static fake_ta new_object(struct fake_job *job, enum fake_type type)
{
    fake_ta ta = fake_malloc(job, job->options.build->types[type].size);

    fake_construct(job, ta, type);
    return ta;
}

/* Lists. */

void fake_list_init(struct fake_job *job, fake_ta list)
{
    fake_ta sentinel = AT(list, opal_list_t, opal_list_sentinel);

    fake_construct(job, list, FAKE_TYPE_opal_list_t);
    fake_construct(job, sentinel, FAKE_TYPE_opal_list_item_t);
    fake_ring_init(job, sentinel);
    PUT(list, opal_list_t, opal_list_length, 0);
}

void fake_list_append(struct fake_job *job, fake_ta list, fake_ta item)
{
    fake_ring_append(job, AT(list, opal_list_t, opal_list_sentinel), item);
    PUT(list, opal_list_t, opal_list_length, GET(list, opal_list_t, opal_list_length) + 1);
}

void fake_list_remove(struct fake_job *job, fake_ta list, fake_ta item)
{
    fake_ta next = GET(item, opal_list_item_t, opal_list_next);
    fake_ta prev = GET(item, opal_list_item_t, opal_list_prev);

    PUT(prev, opal_list_item_t, opal_list_next, next);
    PUT(next, opal_list_item_t, opal_list_prev, prev);
    PUT(list, opal_list_t, opal_list_length, GET(list, opal_list_t, opal_list_length) - 1);
}

void fake_ring_init(struct fake_job *job, fake_ta item)
{
    PUT(item, opal_list_item_t, opal_list_next, item);
    PUT(item, opal_list_item_t, opal_list_prev, item);
}

void fake_ring_append(struct fake_job *job, fake_ta ring, fake_ta item)
{
    fake_ta last = GET(ring, opal_list_item_t, opal_list_prev);

    PUT(item, opal_list_item_t, opal_list_next, ring);
    PUT(item, opal_list_item_t, opal_list_prev, last);
    PUT(last, opal_list_item_t, opal_list_next, item);
    PUT(ring, opal_list_item_t, opal_list_prev, item);
}

/* Free lists. */

void fake_free_list_init(struct fake_job *job, fake_ta list, enum fake_type type, size_t element_size)
{
    fake_ta ghost = AT(list, opal_lifo_t, opal_lifo_ghost);

    fake_construct(job, list, FAKE_TYPE_opal_free_list_t);
    fake_construct(job, ghost, FAKE_TYPE_opal_list_item_t);
    PUT(ghost, opal_list_item_t, opal_list_next, ghost);
    PUT(list, opal_lifo_t, opal_lifo_head_item, ghost);
    PUT(list, opal_free_list_t, fl_max_to_alloc, job->options.maximum == 0 ? UINT64_MAX : job->options.maximum);
    PUT(list, opal_free_list_t, fl_num_allocated, 0);
    PUT(list, opal_free_list_t, fl_num_per_alloc, job->options.increment);
    PUT(list, opal_free_list_t, fl_num_waiting, 0);
    PUT(list, opal_free_list_t, fl_frag_size, element_size);
    PUT(list, opal_free_list_t, fl_frag_alignment, job->options.alignment);
    PUT(list, opal_free_list_t, fl_frag_class, job->classes[type]);
    fake_list_init(job, AT(list, opal_free_list_t, fl_allocations));
}

void fake_status_put(struct fake_job *job, fake_ta request, const struct fake_status *status)
{
    fake_ta ta = AT(request, ompi_request_t, req_status);

    PUT(ta, ompi_status_public_t, MPI_SOURCE, status->source);
    PUT(ta, ompi_status_public_t, MPI_TAG, status->tag);
    PUT(ta, ompi_status_public_t, MPI_ERROR, status->error);
    PUT(ta, ompi_status_public_t, _cancelled, status->cancelled);
    PUT(ta, ompi_status_public_t, _ucount, status->bytes);
}

static void construct_ompi_request(struct fake_job *job, fake_ta request)
{
    PUT(request, ompi_request_t, req_type, 0);
    PUT(request, ompi_request_t, req_complete, 1);
    PUT(request, ompi_request_t, req_state, FAKE_INVALID);
    PUT(request, ompi_request_t, req_persistent, 0);
    PUT(request, ompi_request_t, req_f_to_c_index, FAKE_UNDEFINED);
}

static void construct_request(struct fake_job *job, fake_ta request, enum fake_request_kind kind)
{
    construct_ompi_request(job, request);
    PUT(request, mca_pml_base_request_t, req_type, kind);
}

static bool derives_from(const struct fake_job *job, fake_ta class, enum fake_type type)
{
    while (class != 0 && class != job->classes[type])
        class = GET(class, opal_class_t, cls_parent);
    return class != 0;
}

static void construct_element(struct fake_job *job, fake_ta element, fake_ta class)
{
    PUT(element, opal_object_t, obj_class, class);
    PUT(element, opal_object_t, obj_reference_count, 1);
    PUT(element, opal_free_list_item_t, registration, 0);
    PUT(element, opal_free_list_item_t, ptr, 0);
    if (derives_from(job, class, FAKE_TYPE_mca_pml_ob1_recv_request_t))
        construct_request(job, element, FAKE_REQUEST_RECV);
    if (derives_from(job, class, FAKE_TYPE_mca_pml_ob1_send_request_t))
        construct_request(job, element, FAKE_REQUEST_SEND);
    /* Which kind of request it is, it says from its first use on. */
    if (derives_from(job, class, FAKE_TYPE_mca_pml_cm_request_t))
        construct_ompi_request(job, element);
}

static uint64_t round_up(uint64_t value, uint64_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

void fake_free_list_grow(struct fake_job *job, fake_ta list, size_t n_elements)
{
    uint64_t alignment = GET(list, opal_free_list_t, fl_frag_alignment);
    uint64_t stride = round_up(GET(list, opal_free_list_t, fl_frag_size), alignment);
    uint64_t allocated = GET(list, opal_free_list_t, fl_num_allocated);
    uint64_t maximum = GET(list, opal_free_list_t, fl_max_to_alloc);
    fake_ta class = GET(list, opal_free_list_t, fl_frag_class);
    fake_ta chunk, element;

    if (n_elements > maximum - allocated)
        n_elements = maximum - allocated;
    if (n_elements == 0)
        return;
    chunk = fake_malloc(job, n_elements * stride + SIZE(opal_free_list_item_t) + alignment);
    fake_construct(job, chunk, FAKE_TYPE_opal_free_list_item_t);
    PUT(chunk, opal_free_list_item_t, registration, 0);
    PUT(chunk, opal_free_list_item_t, ptr, 0);
    fake_list_append(job, AT(list, opal_free_list_t, fl_allocations), chunk);
    element = round_up(chunk + SIZE(opal_free_list_item_t), alignment);
    for (size_t i = 0; i < n_elements; i++, element += stride) {
        construct_element(job, element, class);
        fake_free_list_return(job, list, element);
    }
    PUT(list, opal_free_list_t, fl_num_allocated, allocated + n_elements);
}

fake_ta fake_free_list_take(struct fake_job *job, fake_ta list)
{
    fake_ta ghost = AT(list, opal_lifo_t, opal_lifo_ghost);
    fake_ta element = GET(list, opal_lifo_t, opal_lifo_head_item);

    if (element == ghost)
        fake_free_list_grow(job, list, GET(list, opal_free_list_t, fl_num_per_alloc));
    element = GET(list, opal_lifo_t, opal_lifo_head_item);
    if (element == ghost)
        fake_die("free list has reached its maximum");
    PUT(list, opal_lifo_t, opal_lifo_head_item, GET(element, opal_list_item_t, opal_list_next));
    PUT(element, opal_list_item_t, opal_list_next, 0);
    return element;
}

void fake_free_list_return(struct fake_job *job, fake_ta list, fake_ta element)
{
    PUT(element, opal_list_item_t, opal_list_next, GET(list, opal_lifo_t, opal_lifo_head_item));
    PUT(list, opal_lifo_t, opal_lifo_head_item, element);
}

fake_ta fake_recv_frags(const struct fake_job *job)
{
    return AT(job->ob1, mca_pml_ob1_t, recv_frags);
}

/* Processes and groups. */

fake_ta fake_proc_new(struct fake_job *job, uint32_t jobid, uint32_t vpid)
{
    fake_ta proc = new_object(job, FAKE_TYPE_ompi_proc_t);
    fake_ta name = AT(proc, opal_proc_t, proc_name);

    PUT(name, opal_process_name_t, jobid, jobid);
    PUT(name, opal_process_name_t, vpid, vpid);
    return proc;
}

/*
 * Bit 0 is set. 64-bit targets: bits 1-15 the job within its family, 16-31 the family, 32-63 the process. 32-bit
 * targets have room for the process only.
 */
fake_ta fake_sentinel(const struct fake_job *job, uint32_t jobid, uint32_t vpid)
{
    if (job->options.build->pointer_size == 4)
        return 1 | (fake_ta)vpid << 1;
    return 1 | (fake_ta)(jobid & 0x7fff) << 1 | (fake_ta)(jobid >> 16) << 16 | (fake_ta)vpid << 32;
}

fake_ta fake_entry(const struct fake_job *job, int world_rank)
{
    fake_ta proc = job->procs[world_rank];

    return proc != 0 ? proc : fake_sentinel(job, job->options.jobid, (uint32_t)world_rank);
}

static void fill_group(struct fake_job *job, fake_ta group, int count, int my_rank)
{
    size_t n_entries = count > 0 ? (size_t)count : 1;

    fake_construct(job, group, FAKE_TYPE_ompi_group_t);
    PUT(group, ompi_group_t, grp_proc_count, count);
    PUT(group, ompi_group_t, grp_my_rank, my_rank);
    PUT(group, ompi_group_t, grp_f_to_c_index, 3);
    PUT(group, ompi_group_t, grp_flags, FAKE_GROUP_DENSE);
    PUT(group, ompi_group_t, grp_parent_group_ptr, 0);
    PUT(group, ompi_group_t, grp_proc_pointers,
        count == 0 ? 0 : fake_malloc(job, n_entries * job->options.build->pointer_size));
}

fake_ta fake_group_new(struct fake_job *job, int count, int my_rank)
{
    fake_ta group = new_object(job, FAKE_TYPE_ompi_group_t);

    fill_group(job, group, count, my_rank);
    return group;
}

void fake_group_set(struct fake_job *job, fake_ta group, int rank, fake_ta entry)
{
    fake_ta table = GET(group, ompi_group_t, grp_proc_pointers);

    fake_image_put_pointer(&job->image, table + (size_t)rank * job->options.build->pointer_size, entry);
}

fake_ta fake_group_sparse(struct fake_job *job, fake_ta parent, int count, int my_rank, enum fake_group_flags storage)
{
    fake_ta group = fake_group_new(job, count, my_rank);

    PUT(group, ompi_group_t, grp_flags, storage);
    PUT(group, ompi_group_t, grp_proc_pointers, 0);
    PUT(group, ompi_group_t, grp_parent_group_ptr, parent);
    return group;
}

fake_ta fake_group_of(struct fake_job *job, const int *world_ranks, int count)
{
    fake_ta group = fake_group_new(job, count, FAKE_UNDEFINED);

    for (int rank = 0; rank < count; rank++) {
        fake_group_set(job, group, rank, fake_entry(job, world_ranks[rank]));
        if (world_ranks[rank] == job->options.rank)
            PUT(group, ompi_group_t, grp_my_rank, rank);
    }
    return group;
}

/* Names of MPI objects: an array in the object, or a string of its own. Memory behind a string's end is not zero. */
void fake_name_put(struct fake_job *job, fake_ta place, bool is_string, const char *name)
{
    char text[64] = "";

    memcpy(text, name, strnlen(name, sizeof text - 1));
    if (is_string)
        fake_image_put_pointer(&job->image, place, fake_image_put_string(&job->image, job->heap, text));
    else
        fake_image_put_bytes(&job->image, place, text, sizeof text);
}

/* Communicators. */

static void grow_slots(struct fake_job *job, uint32_t n_slots)
{
    size_t width = job->options.build->pointer_size;
    uint32_t old_size = (uint32_t)GET(job->communicators, opal_pointer_array_t, size);
    fake_ta old = GET(job->communicators, opal_pointer_array_t, addr);
    fake_ta table = fake_malloc(job, n_slots * width);

    for (uint32_t slot = 0; slot < n_slots; slot++)
        fake_image_put_pointer(&job->image, table + slot * width,
                               slot < old_size ? fake_image_get(&job->image, old + slot * width, width) : 0);
    PUT(job->communicators, opal_pointer_array_t, addr, table);
    PUT(job->communicators, opal_pointer_array_t, size, n_slots);
}

static void count_slots(struct fake_job *job)
{
    size_t width = job->options.build->pointer_size;
    uint32_t size = (uint32_t)GET(job->communicators, opal_pointer_array_t, size), lowest = size, n_free = 0;
    fake_ta table = GET(job->communicators, opal_pointer_array_t, addr);

    for (uint32_t slot = size; slot-- > 0;) {
        if (fake_image_get(&job->image, table + slot * width, width) != 0)
            continue;
        lowest = slot;
        n_free++;
    }
    PUT(job->communicators, opal_pointer_array_t, lowest_free, lowest);
    PUT(job->communicators, opal_pointer_array_t, number_free, n_free);
}

void fake_slot_set(struct fake_job *job, uint32_t slot, fake_ta value)
{
    size_t width = job->options.build->pointer_size;

    if (slot >= GET(job->communicators, opal_pointer_array_t, size))
        grow_slots(job, (slot / SLOTS_MORE + 1) * SLOTS_MORE);
    fake_image_put_pointer(&job->image, GET(job->communicators, opal_pointer_array_t, addr) + slot * width, value);
    count_slots(job);
}

static void put_comm_name(struct fake_job *job, fake_ta comm, const char *name)
{
    fake_name_put(job, AT(comm, ompi_communicator_t, c_name), job->options.build->family >= 500, name);
}

void fake_comm_set_name(struct fake_job *job, const struct fake_comm *comm, const char *name)
{
    uint64_t flags = GET(comm->ta, ompi_communicator_t, c_flags);

    put_comm_name(job, comm->ta, name);
    PUT(comm->ta, ompi_communicator_t, c_flags, flags | FAKE_COMM_NAMEISSET);
}

static fake_ta new_pml_comm(struct fake_job *job, size_t n_peers)
{
    fake_ta pml = new_object(job, FAKE_TYPE_mca_pml_ob1_comm_t);
    size_t width = job->options.build->pointer_size;
    fake_ta peers = fake_malloc(job, n_peers * width);

    for (size_t i = 0; i < n_peers; i++)
        fake_image_put_pointer(&job->image, peers + i * width, 0);
    PUT(pml, mca_pml_ob1_comm_t, recv_sequence, 0);
    PUT(pml, mca_pml_ob1_comm_t, procs, peers);
    PUT(pml, mca_pml_ob1_comm_t, num_procs, n_peers);
    PUT(pml, mca_pml_ob1_comm_t, last_probed, 0);
    if (job->options.build->custom_matching) {
        PUT(pml, mca_pml_ob1_comm_t, prq, fake_zeros(job, SIZE(custom_match_prq)));
        PUT(pml, mca_pml_ob1_comm_t, umq, fake_zeros(job, SIZE(custom_match_umq)));
    } else {
        fake_list_init(job, AT(pml, mca_pml_ob1_comm_t, wild_receives));
    }
    return pml;
}

/* Since 5.0 the slot is c_index, and the context id a pair of which the second half repeats it. */
static void put_comm_id(struct fake_job *job, fake_ta comm, uint32_t id)
{
    fake_ta context = AT(comm, ompi_communicator_t, c_contextid);

    if (job->options.build->family < 500) {
        PUT(comm, ompi_communicator_t, c_contextid, id);
        return;
    }
    PUT(context, ompi_comm_extended_cid_t, cid_base, 0);
    PUT(context, ompi_comm_extended_cid_t, cid_sub, id);
    PUT(comm, ompi_communicator_t, c_index, id);
}

static uint64_t first_flags(const struct fake_job *job)
{
    return job->options.build->family < 500 ? FAKE_COMM_PML_ADDED : FAKE_COMM_PML_ADDED | FAKE_COMM_GLOBAL_INDEX;
}

int32_t fake_nonblocking_base(const struct fake_job *job)
{
    int family = job->options.build->family;

    return (family >= 600 ? -34 : family >= 500 ? -33 : family >= 400 ? -27 : -26) - job->options.n_more_tags;
}

/* c_local_comm is left as it is: Open MPI sets it in intercommunicators only. */
static struct fake_comm fill_comm(struct fake_job *job, fake_ta ta, uint32_t id, fake_ta local_group,
                                  fake_ta remote_group)
{
    struct fake_comm comm = { .ta = ta, .id = id, .local_group = local_group, .remote_group = remote_group };

    comm.pml = new_pml_comm(job, (size_t)GET(remote_group, ompi_group_t, grp_proc_count));
    fake_construct(job, ta, FAKE_TYPE_ompi_communicator_t);
    put_comm_name(job, ta, "MPI COMMUNICATOR 3 DUP FROM 0");
    put_comm_id(job, ta, id);
    PUT(ta, ompi_communicator_t, c_my_rank, GET(local_group, ompi_group_t, grp_my_rank));
    PUT(ta, ompi_communicator_t, c_flags, first_flags(job));
    PUT(ta, ompi_communicator_t, c_assertions, 0);
    if (job->options.build->family >= 410)
        PUT(ta, ompi_communicator_t, c_nbc_tag, (uint32_t)fake_nonblocking_base(job));
    PUT(ta, ompi_communicator_t, c_local_group, local_group);
    PUT(ta, ompi_communicator_t, c_remote_group, remote_group);
    PUT(ta, ompi_communicator_t, c_f_to_c_index, id);
    PUT(ta, ompi_communicator_t, c_pml_comm, comm.pml);
    PUT(ta, ompi_communicator_t, c_coll, 0);
    fake_slot_set(job, id, ta);
    return comm;
}

struct fake_comm fake_comm_new(struct fake_job *job, uint32_t id, const char *name, fake_ta local_group,
                               fake_ta remote_group)
{
    fake_ta ta = fake_malloc(job, SIZE(ompi_communicator_t));
    struct fake_comm comm = fill_comm(job, ta, id, local_group, remote_group);

    if (name != NULL)
        fake_comm_set_name(job, &comm, name);
    return comm;
}

struct fake_comm fake_intercomm_new(struct fake_job *job, uint32_t id, const char *name, fake_ta local_group,
                                    fake_ta remote_group)
{
    struct fake_comm inter = fake_comm_new(job, id, name, local_group, remote_group);
    struct fake_comm local = fake_comm_new(job, id + 1, NULL, local_group, local_group);
    uint64_t flags = GET(inter.ta, ompi_communicator_t, c_flags);

    PUT(inter.ta, ompi_communicator_t, c_flags, flags | FAKE_COMM_INTER);
    PUT(inter.ta, ompi_communicator_t, c_local_comm, local.ta);
    return inter;
}

/* A datatype without gaps. */
static void put_size(struct fake_job *job, fake_ta datatype, size_t size)
{
    PUT(datatype, opal_datatype_t, bdt_used, 0x200);
    PUT(datatype, opal_datatype_t, size, size);
    PUT(datatype, opal_datatype_t, true_lb, 0);
    PUT(datatype, opal_datatype_t, true_ub, size);
    PUT(datatype, opal_datatype_t, lb, 0);
    PUT(datatype, opal_datatype_t, ub, size);
    PUT(datatype, opal_datatype_t, nbElems, 1);
}

fake_ta fake_datatype_new(struct fake_job *job, const char *name, size_t size)
{
    fake_ta datatype = new_object(job, FAKE_TYPE_ompi_datatype_t);

    fake_datatype_set_name(job, datatype, name);
    put_size(job, datatype, size);
    return datatype;
}

void fake_datatype_set_name(struct fake_job *job, fake_ta datatype, const char *name)
{
    fake_name_put(job, AT(datatype, ompi_datatype_t, name), job->options.build->family >= 600, name);
}

/* Initialised statically, and with the class of its first member. */
static fake_ta predefined_datatype(struct fake_job *job, const char *name, size_t size)
{
    fake_ta datatype = fake_datatype_new(job, name, size);

    fake_construct(job, datatype, FAKE_TYPE_opal_datatype_t);
    return datatype;
}

/* The process's life. */

static void map_libraries(struct fake_job *job)
{
    struct fake_image *image = &job->image;
    bool narrow = job->options.build->pointer_size == 4;
    uint64_t slide = job->options.slide;

    job->exe = fake_image_map(image, narrow ? 0x8048000 : 0x404000, 0);
    job->heap = fake_image_map(image, (narrow ? 0x9000000 : 0x555556000000) + slide, 0xd5);
    job->ob1_so = fake_image_map(image, (narrow ? 0xa1000000 : 0x7f1000000000) + slide, 0);
    job->pal = fake_image_map(image, (narrow ? 0xa2000000 : 0x7f2000000000) + slide, 0);
    job->mpi = fake_image_map(image, (narrow ? 0xa3000000 : 0x7f3000000000) + slide, 0);
}

/* Symbols of libmpi. Those that programs refer to themselves are dead: the program has its own copy of them. */
static void map_symbols(struct fake_job *job)
{
    size_t pointer = job->options.build->pointer_size;

    job->communicators = fake_symbol(job, "ompi_mpi_communicators", job->mpi, SIZE(opal_pointer_array_t));
    job->send_requests = fake_symbol(job, "mca_pml_base_send_requests", job->mpi, SIZE(opal_free_list_t));
    job->recv_requests = fake_symbol(job, "mca_pml_base_recv_requests", job->mpi, SIZE(opal_free_list_t));
    job->state = fake_symbol(job, "ompi_mpi_state", job->mpi, 4);
    job->version = fake_symbol(job, "ompi_version_string", job->mpi, strlen(job->options.version) + 1);
    job->local_proc = fake_symbol(job, "ompi_proc_local_proc", job->mpi, pointer);
    job->request_null_addr = fake_symbol(job, "ompi_request_null_addr", job->mpi, pointer);
    job->comm_world_addr = fake_symbol(job, "ompi_mpi_comm_world_addr", job->mpi, pointer);
    job->comm_self_addr = fake_symbol(job, "ompi_mpi_comm_self_addr", job->mpi, pointer);
    job->comm_null_addr = fake_symbol(job, "ompi_mpi_comm_null_addr", job->mpi, pointer);
    (void)fake_symbol(job, "ompi_mpi_comm_world", job->mpi, SIZE(ompi_communicator_t));
    (void)fake_symbol(job, "ompi_mpi_comm_null", job->mpi, SIZE(ompi_communicator_t));
    (void)fake_symbol(job, "ompi_mpi_int", job->mpi, SIZE(ompi_datatype_t));
    (void)fake_symbol(job, "ompi_request_null", job->mpi, SIZE(ompi_request_t));
    job->dead_byte = fake_symbol(job, "ompi_mpi_byte", job->mpi, SIZE(ompi_datatype_t));
    job->ob1 = fake_symbol(job, "mca_pml_ob1", job->ob1_so, SIZE(mca_pml_ob1_t));
    job->selected = fake_symbol(job, "mca_pml_base_selected_component", job->mpi, SIZE(mca_base_component_t));
}

static void set_state(struct fake_job *job, enum fake_mpi_state state)
{
    fake_image_put(&job->image, job->state, 4, state);
}

void fake_job_map(struct fake_job *job, const struct fake_options *options)
{
    memset(job, 0, sizeof *job);
    job->options = *options;
    fake_image_init(&job->image, options->build);
    job->image.renumber = options->renumber;
    map_libraries(job);
    map_classes(job);
    map_symbols(job);
    /* Datatypes are initialised statically, so the dead ones have all that the others have. */
    fake_construct(job, job->dead_byte, FAKE_TYPE_opal_datatype_t);
    put_size(job, job->dead_byte, 1);
    fake_image_put_bytes(&job->image, job->version, options->version, strlen(options->version) + 1);
    job->world.ta = data(job, job->exe, SIZE(ompi_communicator_t));
    job->self.ta = data(job, job->exe, SIZE(ompi_communicator_t));
    job->null.ta = data(job, job->exe, SIZE(ompi_communicator_t));
    job->request_null = data(job, job->exe, SIZE(ompi_request_t));
    fake_image_put_pointer(&job->image, job->request_null_addr, job->request_null);
    fake_image_put_pointer(&job->image, job->comm_world_addr, job->world.ta);
    fake_image_put_pointer(&job->image, job->comm_self_addr, job->self.ta);
    fake_image_put_pointer(&job->image, job->comm_null_addr, job->null.ta);
    set_state(job, FAKE_NOT_INITIALISED);
    PUT(job->communicators, opal_pointer_array_t, size, 0);
    PUT(job->communicators, opal_pointer_array_t, addr, 0);
    fake_image_set_mapped(&job->image, job->ob1_so, false);
}

void fake_job_unmap(struct fake_job *job)
{
    fake_image_deinit(&job->image);
}

static void init_request_null(struct fake_job *job)
{
    fake_ta request = job->request_null;

    fake_construct(job, request, FAKE_TYPE_ompi_request_t);
    PUT(request, ompi_request_t, req_type, 5);
    fake_status_put(job, request, &(struct fake_status){ .source = -1, .tag = -1 });
    PUT(request, ompi_request_t, req_complete, 1);
    PUT(request, ompi_request_t, req_state, FAKE_INACTIVE);
    PUT(request, ompi_request_t, req_f_to_c_index, 0);
}

static void init_procs(struct fake_job *job)
{
    job->procs[0] = fake_proc_new(job, job->options.jobid, 0);
    if (job->options.rank != 0)
        job->procs[job->options.rank] = fake_proc_new(job, job->options.jobid, (uint32_t)job->options.rank);
    fake_image_put_pointer(&job->image, job->local_proc, job->procs[job->options.rank]);
}

static void init_predefined(struct fake_job *job, struct fake_comm *comm, uint32_t id, const char *name, fake_ta group)
{
    *comm = fill_comm(job, comm->ta, id, group, group);
    fake_comm_set_name(job, comm, name);
    PUT(comm->ta, ompi_communicator_t, c_flags, first_flags(job) | FAKE_COMM_INTRINSIC | FAKE_COMM_NAMEISSET);
    PUT(group, ompi_group_t, grp_flags, FAKE_GROUP_DENSE | FAKE_GROUP_INTRINSIC);
}

static void init_slots(struct fake_job *job)
{
    fake_construct(job, job->communicators, FAKE_TYPE_opal_pointer_array_t);
    PUT(job->communicators, opal_pointer_array_t, max_size, 0x7fffffff);
    PUT(job->communicators, opal_pointer_array_t, block_size, SLOTS_MORE);
    grow_slots(job, SLOTS_AT_FIRST);
}

static void init_null(struct fake_job *job)
{
    init_predefined(job, &job->null, 2, "MPI_COMM_NULL", fake_group_new(job, 0, -2));
    PUT(job->null.ta, ompi_communicator_t, c_pml_comm, 0);
    job->null.pml = 0;
}

static void init_world_and_self(struct fake_job *job)
{
    int everybody[FAKE_MAX_PROCS];

    for (int rank = 0; rank < job->options.n_procs; rank++)
        everybody[rank] = rank;
    init_predefined(job, &job->world, 0, "MPI_COMM_WORLD", fake_group_of(job, everybody, job->options.n_procs));
    init_predefined(job, &job->self, 1, "MPI_COMM_SELF", fake_group_of(job, &job->options.rank, 1));
}

/* Since 5.0 MPI_COMM_NULL comes first, and stands for the others while MPI_Init has not made them. */
static void init_instance(struct fake_job *job)
{
    init_slots(job);
    init_null(job);
    fake_slot_set(job, 0, job->null.ta);
    fake_slot_set(job, 1, job->null.ta);
}

static void init_communicators(struct fake_job *job)
{
    if (job->options.build->family >= 500) {
        init_instance(job);
        init_world_and_self(job);
        return;
    }
    init_slots(job);
    init_world_and_self(job);
    init_null(job);
}

void fake_component_set_name(struct fake_job *job, fake_ta component, const char *name)
{
    fake_name_put(job, AT(component, mca_base_component_t, mca_component_name), false, name);
}

void fake_select_pml(struct fake_job *job, const char *name)
{
    fake_component_set_name(job, job->selected, name);
}

/* ob1 keeps four of its BTL records behind each request. */
static void init_ob1(struct fake_job *job)
{
    size_t tail = 4 * 3 * job->options.build->pointer_size;

    fake_image_set_mapped(&job->image, job->ob1_so, true);
    fake_free_list_init(job, job->send_requests, FAKE_TYPE_mca_pml_ob1_send_request_t,
                        SIZE(mca_pml_ob1_send_request_t) + tail);
    fake_free_list_init(job, job->recv_requests, FAKE_TYPE_mca_pml_ob1_recv_request_t,
                        SIZE(mca_pml_ob1_recv_request_t) + tail);
    fake_free_list_init(job, fake_recv_frags(job), FAKE_TYPE_mca_pml_ob1_recv_frag_t,
                        SIZE(mca_pml_ob1_recv_frag_t) + FAKE_UNEXPECTED_LIMIT);
    fake_free_list_grow(job, job->send_requests, job->options.initial);
    fake_free_list_grow(job, job->recv_requests, job->options.initial);
    fake_free_list_grow(job, fake_recv_frags(job), job->options.initial);
    fake_list_init(job, AT(job->ob1, mca_pml_ob1_t, non_existing_communicator_pending));
    fake_list_init(job, AT(job->ob1, mca_pml_ob1_t, send_pending));
    fake_select_pml(job, "ob1");
    PUT(job->ob1, mca_pml_ob1_t, enabled, 1);
    PUT(job->ob1, mca_pml_ob1_t, unexpected_limit, FAKE_UNEXPECTED_LIMIT);
}

static void init_datatypes(struct fake_job *job)
{
    job->mpi_int = predefined_datatype(job, "MPI_INT", 4);
    job->mpi_byte = predefined_datatype(job, "MPI_BYTE", 1);
    job->mpi_double = predefined_datatype(job, "MPI_DOUBLE", 8);
}

void fake_job_init(struct fake_job *job)
{
    set_state(job, FAKE_IN_INIT);
    init_datatypes(job);
    init_request_null(job);
    init_procs(job);
    init_communicators(job);
    init_ob1(job);
    set_state(job, FAKE_INITIALISED);
}

void fake_job_session_init(struct fake_job *job)
{
    init_datatypes(job);
    init_request_null(job);
    init_procs(job);
    init_instance(job);
    init_ob1(job);
}

/* lowest_free and number_free keep what they were. */
void fake_job_finalize(struct fake_job *job)
{
    PUT(job->communicators, opal_pointer_array_t, addr, 0);
    PUT(job->communicators, opal_pointer_array_t, size, 0);
    fake_image_put_pointer(&job->image, job->local_proc, 0);
    fake_image_set_mapped(&job->image, job->ob1_so, false);
    set_state(job, FAKE_FINALIZED);
}

/* Messages. */

fake_ta fake_peer(struct fake_job *job, const struct fake_comm *comm, int rank)
{
    size_t width = job->options.build->pointer_size;
    fake_ta slot = GET(comm->pml, mca_pml_ob1_comm_t, procs) + (size_t)rank * width;
    fake_ta peer = fake_image_get(&job->image, slot, width);

    if (peer != 0)
        return peer;
    peer = new_object(job, FAKE_TYPE_mca_pml_ob1_comm_proc_t);
    PUT(peer, mca_pml_ob1_comm_proc_t, expected_sequence, 1);
    PUT(peer, mca_pml_ob1_comm_proc_t, send_sequence, 0);
    PUT(peer, mca_pml_ob1_comm_proc_t, frags_cant_match, 0);
    if (!job->options.build->custom_matching) {
        fake_list_init(job, AT(peer, mca_pml_ob1_comm_proc_t, specific_receives));
        fake_list_init(job, AT(peer, mca_pml_ob1_comm_proc_t, unexpected_frags));
    }
    fake_image_put_pointer(&job->image, slot, peer);
    return peer;
}

/* The communicator of a request, as much of it as fake_peer needs. */
static struct fake_comm comm_of(const struct fake_job *job, fake_ta request)
{
    fake_ta comm = GET(request, mca_pml_base_request_t, req_comm);

    return (struct fake_comm){ .ta = comm, .pml = GET(comm, ompi_communicator_t, c_pml_comm) };
}

/* The list that a posted receive stands in. */
static fake_ta matching_list(struct fake_job *job, fake_ta request)
{
    struct fake_comm comm = comm_of(job, request);
    int source = GET_INT(request, mca_pml_base_request_t, req_peer);

    if (source == FAKE_ANY)
        return AT(comm.pml, mca_pml_ob1_comm_t, wild_receives);
    return AT(fake_peer(job, &comm, source), mca_pml_ob1_comm_proc_t, specific_receives);
}

/* The members of a queue of custom matching and of its nodes. */
struct queue_members {
    enum fake_type node;
    enum fake_member head, size, next, start, end, value;
};
#define QUEUE_MEMBERS(type)                                                                                        \
    { FAKE_TYPE_##type##_node, FAKE_MEMBER_##type##__head, FAKE_MEMBER_##type##__size,                             \
      FAKE_MEMBER_##type##_node__next, FAKE_MEMBER_##type##_node__start, FAKE_MEMBER_##type##_node__end,           \
      FAKE_MEMBER_##type##_node__value }
static const struct queue_members prq_members = QUEUE_MEMBERS(custom_match_prq);
static const struct queue_members umq_members = QUEUE_MEMBERS(custom_match_umq);

static const struct fake_member_info *info_of(const struct fake_job *job, enum fake_member member)
{
    return &job->options.build->members[member];
}

/* What a node says of its values; a node with one has no such numbers. */
static int index_in(const struct fake_job *job, fake_ta node, enum fake_member which)
{
    const struct fake_member_info *info = info_of(job, which);

    if (info->offset == FAKE_ABSENT)
        return 0;
    return info->size == 1 ? (int8_t)fake_image_get_member(&job->image, node, which)
                           : (int32_t)fake_image_get_member(&job->image, node, which);
}

static void put_index(struct fake_job *job, fake_ta node, enum fake_member which, int index)
{
    if (info_of(job, which)->offset != FAKE_ABSENT)
        fake_image_put_member(&job->image, node, which, (uint64_t)index);
}

static fake_ta value_at(const struct fake_job *job, const struct queue_members *members, fake_ta node, int index)
{
    return node + info_of(job, members->value)->offset + (fake_ta)index * job->options.build->pointer_size;
}

/* The place of the link to the node that ends the queue, or to nothing if it is empty. */
static fake_ta link_to_last(struct fake_job *job, fake_ta queue, const struct queue_members *members)
{
    size_t width = job->options.build->pointer_size;
    fake_ta link = queue + info_of(job, members->head)->offset, node, next;

    while ((node = fake_image_get(&job->image, link, width)) != 0
           && fake_image_get(&job->image, next = node + info_of(job, members->next)->offset, width) != 0)
        link = next;
    return link;
}

/* The node with room for another value at the end, which may be a new one. What a new one does not set is garbage. */
static fake_ta open_node(struct fake_job *job, fake_ta queue, const struct queue_members *members)
{
    size_t width = job->options.build->pointer_size, room = info_of(job, members->value)->size / width;
    fake_ta link = link_to_last(job, queue, members), node = fake_image_get(&job->image, link, width), fresh;

    if (node != 0 && index_in(job, node, members->end) + 1 < (int)room)
        return node;
    if (node != 0)
        link = node + info_of(job, members->next)->offset;
    fresh = fake_malloc(job, job->options.build->types[members->node].size);
    fake_image_put_pointer(&job->image, fresh + info_of(job, members->next)->offset, 0);
    for (size_t i = 0; i < room; i++)
        fake_image_put_pointer(&job->image, value_at(job, members, fresh, (int)i), 0);
    put_index(job, fresh, members->start, 0);
    put_index(job, fresh, members->end, -1);
    fake_image_put_pointer(&job->image, link, fresh);
    return fresh;
}

static void add_to_size(struct fake_job *job, fake_ta queue, const struct queue_members *members, int n)
{
    uint64_t size = fake_image_get_member(&job->image, queue, members->size);

    fake_image_put_member(&job->image, queue, members->size, size + (uint64_t)n);
}

static void append_to_queue(struct fake_job *job, fake_ta queue, const struct queue_members *members, fake_ta value)
{
    fake_ta node = open_node(job, queue, members);
    int index = info_of(job, members->end)->offset == FAKE_ABSENT ? 0 : index_in(job, node, members->end) + 1;

    put_index(job, node, members->end, index);
    fake_image_put_pointer(&job->image, value_at(job, members, node, index), value);
    add_to_size(job, queue, members, 1);
}

/* Takes a value out of a node: the others stay where they are, and the node goes with its last one. */
static bool remove_from_node(struct fake_job *job, fake_ta link, fake_ta node, const struct queue_members *members,
                             fake_ta value)
{
    size_t width = job->options.build->pointer_size;
    int start = index_in(job, node, members->start), end = index_in(job, node, members->end), i = start;

    while (i <= end && fake_image_get(&job->image, value_at(job, members, node, i), width) != value)
        i++;
    if (i > end)
        return false;
    fake_image_put_pointer(&job->image, value_at(job, members, node, i), 0);
    while (start <= end && fake_image_get(&job->image, value_at(job, members, node, start), width) == 0)
        start++;
    while (start <= end && fake_image_get(&job->image, value_at(job, members, node, end), width) == 0)
        end--;
    put_index(job, node, members->start, start);
    put_index(job, node, members->end, end);
    if (start > end)
        fake_image_put_pointer(&job->image, link,
                               fake_image_get(&job->image, node + info_of(job, members->next)->offset, width));
    return true;
}

static void remove_from_queue(struct fake_job *job, fake_ta queue, const struct queue_members *members, fake_ta value)
{
    fake_ta link = queue + info_of(job, members->head)->offset, node;

    while ((node = fake_image_get(&job->image, link, job->options.build->pointer_size)) != 0
           && !remove_from_node(job, link, node, members, value))
        link = node + info_of(job, members->next)->offset;
    add_to_size(job, queue, members, -1);
}

static void post(struct fake_job *job, fake_ta request)
{
    if (job->options.build->custom_matching)
        append_to_queue(job, GET(comm_of(job, request).pml, mca_pml_ob1_comm_t, prq), &prq_members, request);
    else
        fake_list_append(job, matching_list(job, request), request);
}

static void unpost(struct fake_job *job, fake_ta request)
{
    if (job->options.build->custom_matching)
        remove_from_queue(job, GET(comm_of(job, request).pml, mca_pml_ob1_comm_t, prq), &prq_members, request);
    else
        fake_list_remove(job, matching_list(job, request), request);
}

/* What the initialisation of any request sets. Its status keeps what was in it. */
static void init_request(struct fake_job *job, fake_ta request, const struct fake_comm *comm, bool persistent)
{
    PUT(request, ompi_request_t, req_complete, persistent);
    PUT(request, ompi_request_t, req_state, FAKE_INACTIVE);
    PUT(request, ompi_request_t, req_persistent, persistent);
    PUT(request, ompi_request_t, req_mpi_object, comm->ta);
    PUT(request, mca_pml_base_request_t, req_pml_complete, persistent);
    PUT(request, mca_pml_base_request_t, req_free_called, 0);
    PUT(request, mca_pml_base_request_t, req_comm, comm->ta);
    PUT(request, mca_pml_base_request_t, req_sequence, 0);
}

static void init_receive(struct fake_job *job, fake_ta request, enum fake_request_kind kind,
                         const struct fake_comm *comm, const struct fake_recv *recv, bool persistent)
{
    init_request(job, request, comm, persistent);
    PUT(request, mca_pml_base_request_t, req_type, kind);
    PUT(request, mca_pml_base_request_t, req_datatype, recv->datatype);
    PUT(request, mca_pml_base_request_t, req_addr, recv->buffer);
    PUT(request, mca_pml_base_request_t, req_count, recv->count);
    PUT(request, mca_pml_base_request_t, req_peer, recv->source);
    PUT(request, mca_pml_base_request_t, req_tag, recv->tag);
    PUT(request, mca_pml_ob1_recv_request_t, req_match_received, 0);
    fake_status_put(job, request, &(struct fake_status){ 0 });
}

static fake_ta new_receive(struct fake_job *job, const struct fake_comm *comm, const struct fake_recv *recv,
                           bool persistent)
{
    fake_ta request = fake_free_list_take(job, job->recv_requests);

    init_receive(job, request, FAKE_REQUEST_RECV, comm, recv, persistent);
    return request;
}

fake_ta fake_irecv(struct fake_job *job, const struct fake_comm *comm, const struct fake_recv *recv)
{
    fake_ta request = new_receive(job, comm, recv, false);

    fake_recv_start(job, request);
    return request;
}

fake_ta fake_probe(struct fake_job *job, const struct fake_comm *comm, int source, int tag)
{
    fake_ta request = new_object(job, FAKE_TYPE_mca_pml_ob1_recv_request_t);

    construct_request(job, request, FAKE_REQUEST_PROBE);
    init_receive(job, request, FAKE_REQUEST_PROBE, comm, &(struct fake_recv){ source, tag, 0, job->mpi_byte, 0 },
                 false);
    fake_recv_start(job, request);
    return request;
}

fake_ta fake_mprobe(struct fake_job *job, const struct fake_comm *comm, int source, int tag)
{
    fake_ta request = fake_free_list_take(job, job->recv_requests);

    init_receive(job, request, FAKE_REQUEST_MPROBE, comm, &(struct fake_recv){ source, tag, 0, job->mpi_byte, 0 },
                 false);
    fake_recv_start(job, request);
    return request;
}

void fake_mprobe_match(struct fake_job *job, fake_ta request, fake_ta frag, int source, int tag, size_t bytes)
{
    fake_recv_match(job, request, source, tag, bytes);
    fake_recv_complete(job, request);
    PUT(request, mca_pml_base_request_t, req_addr, frag);
}

fake_ta fake_recv_init(struct fake_job *job, const struct fake_comm *comm, const struct fake_recv *recv)
{
    return new_receive(job, comm, recv, true);
}

void fake_recv_start(struct fake_job *job, fake_ta request)
{
    fake_ta pml = comm_of(job, request).pml;
    uint64_t sequence = GET(pml, mca_pml_ob1_comm_t, recv_sequence);

    PUT(request, mca_pml_base_request_t, req_sequence, sequence);
    PUT(pml, mca_pml_ob1_comm_t, recv_sequence, sequence + 1);
    PUT(request, mca_pml_base_request_t, req_pml_complete, 0);
    PUT(request, mca_pml_base_recv_request_t, req_bytes_packed, 0);
    PUT(request, mca_pml_ob1_recv_request_t, req_bytes_received, 0);
    PUT(request, ompi_request_t, req_complete, 0);
    PUT(request, ompi_request_t, req_state, FAKE_ACTIVE);
    fake_status_put(job, request, &(struct fake_status){ .source = FAKE_ANY, .tag = FAKE_ANY });
    post(job, request);
}

void fake_recv_match(struct fake_job *job, fake_ta request, int source, int tag, size_t bytes)
{
    unpost(job, request);
    fake_status_put(job, request, &(struct fake_status){ .source = source, .tag = tag });
    PUT(request, mca_pml_base_recv_request_t, req_bytes_packed, bytes);
    PUT(request, mca_pml_ob1_recv_request_t, req_match_received, 1);
}

void fake_recv_complete(struct fake_job *job, fake_ta request)
{
    fake_ta status = AT(request, ompi_request_t, req_status);
    uint64_t bytes = GET(request, mca_pml_base_recv_request_t, req_bytes_packed);

    PUT(status, ompi_status_public_t, _ucount, bytes);
    PUT(request, mca_pml_ob1_recv_request_t, req_bytes_received, bytes);
    PUT(request, mca_pml_base_request_t, req_pml_complete, 1);
    PUT(request, ompi_request_t, req_complete, 1);
}

void fake_recv_cancel(struct fake_job *job, fake_ta request)
{
    unpost(job, request);
    PUT(AT(request, ompi_request_t, req_status), ompi_status_public_t, _cancelled, 1);
    PUT(request, mca_pml_base_request_t, req_pml_complete, 1);
    PUT(request, ompi_request_t, req_complete, 1);
}

fake_ta fake_send_init(struct fake_job *job, const struct fake_comm *comm, const struct fake_send *send)
{
    fake_ta request = fake_free_list_take(job, job->send_requests);
    size_t bytes = send->count == 0 ? 0 : send->count * GET(send->datatype, opal_datatype_t, size);

    init_request(job, request, comm, true);
    PUT(request, mca_pml_base_request_t, req_type, FAKE_REQUEST_SEND);
    PUT(request, mca_pml_base_request_t, req_datatype, send->datatype);
    PUT(request, mca_pml_base_request_t, req_addr, send->buffer);
    PUT(request, mca_pml_base_request_t, req_count, send->count);
    PUT(request, mca_pml_base_request_t, req_peer, send->destination);
    PUT(request, mca_pml_base_request_t, req_tag, send->tag);
    PUT(request, mca_pml_base_send_request_t, req_addr, send->buffer);
    PUT(request, mca_pml_base_send_request_t, req_bytes_packed, bytes);
    PUT(request, mca_pml_base_send_request_t, req_send_mode, send->mode);
    PUT(request, mca_pml_ob1_send_request_t, req_recv, 0);
    PUT(request, mca_pml_ob1_send_request_t, req_state, 0);
    PUT(request, mca_pml_ob1_send_request_t, req_pending, 0);
    fake_status_put(job, request, &(struct fake_status){ 0 });
    return request;
}

fake_ta fake_isend(struct fake_job *job, const struct fake_comm *comm, const struct fake_send *send)
{
    fake_ta request = fake_send_init(job, comm, send);

    PUT(request, ompi_request_t, req_persistent, 0);
    fake_send_start(job, request);
    return request;
}

/* The counter is an int16 that is extended to the width of req_sequence. */
void fake_send_start(struct fake_job *job, fake_ta request)
{
    struct fake_comm comm = comm_of(job, request);
    fake_ta peer = fake_peer(job, &comm, GET_INT(request, mca_pml_base_request_t, req_peer));
    int sequence = GET_INT(peer, mca_pml_ob1_comm_proc_t, send_sequence) + 1;

    PUT(peer, mca_pml_ob1_comm_proc_t, send_sequence, sequence);
    PUT(request, mca_pml_base_request_t, req_sequence, (int64_t)(int16_t)(uint16_t)(sequence & 0xffff));
    PUT(request, mca_pml_base_request_t, req_pml_complete, 0);
    PUT(request, ompi_request_t, req_complete, 0);
    PUT(request, ompi_request_t, req_state, FAKE_ACTIVE);
    PUT(request, mca_pml_ob1_send_request_t, req_state, 2);
}

void fake_send_match(struct fake_job *job, fake_ta request)
{
    PUT(request, mca_pml_ob1_send_request_t, req_recv, 0x5555deadb000);
    PUT(request, mca_pml_ob1_send_request_t, req_state, 0);
}

void fake_send_complete(struct fake_job *job, fake_ta request)
{
    struct fake_status status = { .source = GET_INT(request, mca_pml_base_request_t, req_peer),
                                  .tag = GET_INT(request, mca_pml_base_request_t, req_tag),
                                  .bytes = GET(request, mca_pml_base_send_request_t, req_bytes_packed) };

    fake_status_put(job, request, &status);
    PUT(request, mca_pml_ob1_send_request_t, req_state, 0);
    PUT(request, mca_pml_base_request_t, req_pml_complete, 1);
    PUT(request, ompi_request_t, req_complete, 1);
}

void fake_send_buffer(struct fake_job *job, fake_ta request, fake_ta attached)
{
    PUT(request, mca_pml_base_send_request_t, req_addr, attached);
    PUT(request, ompi_request_t, req_complete, 1);
    PUT(request, mca_pml_base_request_t, req_free_called, 1);
}

/* Where the bytes of a fragment lie: in it if they fit, else in a block of their own. */
static fake_ta fragment_data(struct fake_job *job, fake_ta frag, size_t bytes)
{
    fake_ta buffer = AT(frag, mca_pml_ob1_recv_frag_t, buffers);
    fake_ta block = bytes <= FAKE_UNEXPECTED_LIMIT ? 0 : fake_malloc(job, bytes);

    PUT(buffer, mca_pml_ob1_buffer_t, len, block == 0 ? 0 : bytes);
    PUT(buffer, mca_pml_ob1_buffer_t, addr, block);
    return block != 0 ? block : AT(frag, mca_pml_ob1_recv_frag_t, addr);
}

static size_t match_header(const struct fake_job *job)
{
    const struct fake_build *build = job->options.build;

    return build->family >= 500 && strcmp(build->variant, "debug") == 0 ? 16 : FAKE_MATCH_HEADER;
}

fake_ta fake_frag_new(struct fake_job *job, uint32_t context, const struct fake_message *message, unsigned sequence)
{
    enum fake_header type = message->type == 0 ? FAKE_HDR_MATCH : message->type;
    size_t on_wire = type == FAKE_HDR_MATCH  ? match_header(job) + message->bytes
                     : type == FAKE_HDR_RNDV ? FAKE_RNDV_HEADER
                                             : FAKE_RGET_HEADER;
    fake_ta frag = fake_free_list_take(job, fake_recv_frags(job));
    fake_ta hdr = AT(frag, mca_pml_ob1_recv_frag_t, hdr);
    fake_ta segment = AT(frag, mca_pml_ob1_recv_frag_t, segments);

    PUT(hdr, mca_pml_ob1_common_hdr_t, hdr_type, type);
    PUT(hdr, mca_pml_ob1_common_hdr_t, hdr_flags, 0);
    PUT(hdr, mca_pml_ob1_match_hdr_t, hdr_ctx, context);
    PUT(hdr, mca_pml_ob1_match_hdr_t, hdr_src, message->source);
    PUT(hdr, mca_pml_ob1_match_hdr_t, hdr_tag, message->tag);
    PUT(hdr, mca_pml_ob1_match_hdr_t, hdr_seq, sequence);
    if (type != FAKE_HDR_MATCH)
        PUT(hdr, mca_pml_ob1_rendezvous_hdr_t, hdr_msg_length, message->bytes);
    PUT(frag, mca_pml_ob1_recv_frag_t, num_segments, 1);
    PUT(frag, mca_pml_ob1_recv_frag_t, range, 0);
    PUT(segment, mca_btl_base_segment_t, seg_addr, fragment_data(job, frag, on_wire));
    PUT(segment, mca_btl_base_segment_t, seg_len, on_wire);
    return frag;
}

fake_ta fake_arrive(struct fake_job *job, const struct fake_comm *comm, const struct fake_message *message)
{
    fake_ta peer = fake_peer(job, comm, message->source);
    unsigned sequence = (unsigned)GET(peer, mca_pml_ob1_comm_proc_t, expected_sequence);
    fake_ta frag = fake_frag_new(job, comm->id, message, sequence);

    PUT(peer, mca_pml_ob1_comm_proc_t, expected_sequence, sequence + 1);
    if (job->options.build->custom_matching)
        append_to_queue(job, GET(comm->pml, mca_pml_ob1_comm_t, umq), &umq_members, frag);
    else
        fake_list_append(job, AT(peer, mca_pml_ob1_comm_proc_t, unexpected_frags), frag);
    return frag;
}

fake_ta fake_arrive_pending_communicator(struct fake_job *job, uint32_t context, const struct fake_message *message)
{
    fake_ta frag = fake_frag_new(job, context, message, 1);

    fake_list_append(job, AT(job->ob1, mca_pml_ob1_t, non_existing_communicator_pending), frag);
    return frag;
}

/* The whole of it moves behind the header that names the communicator. */
fake_ta fake_arrive_pending_communicator_by_cid(struct fake_job *job, uint64_t base, uint64_t sub,
                                                const struct fake_message *message)
{
    fake_ta frag = fake_arrive_pending_communicator(job, 0, message);
    fake_ta hdr = AT(frag, mca_pml_ob1_recv_frag_t, hdr), segment = AT(frag, mca_pml_ob1_recv_frag_t, segments);
    unsigned char match[64];
    size_t size = SIZE(mca_pml_ob1_cid_hdr_t), moved = SIZE(mca_pml_ob1_rendezvous_hdr_t);

    fake_image_get_bytes(&job->image, hdr, match, moved);
    fake_image_put_bytes(&job->image, hdr + size, match, moved);
    PUT(hdr, mca_pml_ob1_common_hdr_t, hdr_type, FAKE_HDR_CID);
    PUT(AT(hdr, mca_pml_ob1_cid_hdr_t, hdr_cid), ompi_comm_extended_cid_t, cid_base, base);
    PUT(AT(hdr, mca_pml_ob1_cid_hdr_t, hdr_cid), ompi_comm_extended_cid_t, cid_sub, sub);
    PUT(segment, mca_btl_base_segment_t, seg_len, GET(segment, mca_btl_base_segment_t, seg_len) + size);
    return frag;
}

fake_ta fake_frag_data(const struct fake_job *job, fake_ta frag)
{
    return GET(AT(frag, mca_pml_ob1_recv_frag_t, segments), mca_btl_base_segment_t, seg_addr) + match_header(job);
}

/* The header of the fragment is a copy of what came, as far as there is room in it. */
fake_ta fake_arrive_early(struct fake_job *job, const struct fake_comm *comm, const struct fake_message *message)
{
    fake_ta frag = fake_arrive(job, comm, message), cid = AT(frag, mca_pml_ob1_recv_frag_t, hdr);
    fake_ta segment = AT(frag, mca_pml_ob1_recv_frag_t, segments);
    size_t n_cid = SIZE(mca_pml_ob1_cid_hdr_t);
    unsigned char header[48];

    fake_image_get_bytes(&job->image, cid, header, sizeof header);
    fake_image_put_bytes(&job->image, cid + n_cid, header, sizeof header);
    fake_image_zero(&job->image, cid, n_cid);
    PUT(cid, mca_pml_ob1_common_hdr_t, hdr_type, FAKE_HDR_CID);
    PUT(cid, mca_pml_ob1_cid_hdr_t, hdr_src_comm_index, 77);
    PUT(cid, mca_pml_ob1_cid_hdr_t, hdr_src, message->source);
    PUT(segment, mca_btl_base_segment_t, seg_len, GET(segment, mca_btl_base_segment_t, seg_len) + n_cid);
    return frag;
}
