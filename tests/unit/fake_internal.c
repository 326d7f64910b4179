#include "fake_internal.h"

enum { N_SLOTS = 8, N_MODULE_WORDS = 96, N_DATA_WORDS = 40 };

#define PUT(object, type, member, value) FAKE_PUT(&job->image, object, type, member, value)
#define SIZE(type) FAKE_SIZE(&job->image, type)

static fake_ta address_of(const struct fake_job *job, const char *name)
{
    fake_ta ta;

    if (!fake_image_find_symbol(&job->image, name, &ta))
        fake_die("there is no symbol %s", name);
    return ta;
}

static void handles_init(struct fake_job *job, const char *name)
{
    size_t width = job->options.build->pointer_size;
    fake_ta array = fake_symbol(job, name, job->mpi, SIZE(opal_pointer_array_t));
    fake_ta slots = fake_zeros(job, N_SLOTS * width);

    fake_construct(job, array, FAKE_TYPE_opal_pointer_array_t);
    PUT(array, opal_pointer_array_t, size, N_SLOTS);
    PUT(array, opal_pointer_array_t, addr, slots);
}

static void handle_set(struct fake_job *job, const char *name, uint32_t slot, fake_ta value)
{
    fake_ta slots = FAKE_GET(&job->image, address_of(job, name), opal_pointer_array_t, addr);

    fake_image_put_pointer(&job->image, slots + slot * job->options.build->pointer_size, value);
}

static fake_ta object_new(struct fake_job *job, enum fake_type type)
{
    fake_ta ta = fake_zeros(job, job->options.build->types[type].size);

    fake_construct(job, ta, type);
    return ta;
}

void fake_internal_init(struct fake_job *job)
{
    handles_init(job, "ompi_mpi_windows");
    handles_init(job, "ompi_file_f_to_c_table");
    handle_set(job, "ompi_mpi_windows", 0, object_new(job, FAKE_TYPE_ompi_win_t));
    handle_set(job, "ompi_file_f_to_c_table", 0, object_new(job, FAKE_TYPE_ompi_file_t));
}

void fake_template_add(struct fake_job *job, const char *name)
{
    fake_ta ta = fake_symbol(job, name, job->mpi, SIZE(ompi_osc_base_module_t));

    /* A function of that component's: any address that no other has. */
    PUT(ta, ompi_osc_base_module_t, osc_free, ta);
}

struct fake_window fake_window_new(struct fake_job *job, uint32_t slot, const char *module_template,
                                   const struct fake_comm *user, size_t before, fake_ta comm)
{
    size_t width = job->options.build->pointer_size;
    struct fake_window window = { .ta = object_new(job, FAKE_TYPE_ompi_win_t), .slot = slot };
    fake_ta template = address_of(job, module_template);

    window.module = fake_zeros(job, SIZE(ompi_osc_base_module_t) + N_MODULE_WORDS * width);
    window.comm_at = window.module + SIZE(ompi_osc_base_module_t) + before * width;
    PUT(window.module, ompi_osc_base_module_t, osc_free,
        FAKE_GET(&job->image, template, ompi_osc_base_module_t, osc_free));
    fake_image_put_pointer(&job->image, window.comm_at, comm);
    PUT(window.ta, ompi_win_t, w_group, user->local_group);
    PUT(window.ta, ompi_win_t, w_osc_module, window.module);
    handle_set(job, "ompi_mpi_windows", slot, window.ta);
    return window;
}

void fake_window_free(struct fake_job *job, const struct fake_window *window)
{
    handle_set(job, "ompi_mpi_windows", window->slot, 0);
    fake_image_put_pointer(&job->image, window->comm_at, job->null.ta);
}

struct fake_file fake_file_new(struct fake_job *job, uint32_t slot, const char *component,
                               const struct fake_comm *user, fake_ta comm)
{
    size_t width = job->options.build->pointer_size;
    struct fake_file file = { .ta = object_new(job, FAKE_TYPE_ompi_file_t) };
    fake_ta data = fake_zeros(job, N_DATA_WORDS * width);

    /* A descriptor, the file, two offsets of 8 bytes, four numbers of 4. */
    file.comm_at = data + 2 * width + 32;
    fake_image_put_pointer(&job->image, data + width, file.ta);
    fake_image_put_pointer(&job->image, file.comm_at, comm);
    fake_component_set_name(job, FAKE_AT(&job->image, file.ta, ompi_file_t, f_io_selected_component), component);
    PUT(file.ta, ompi_file_t, f_comm, user->ta);
    PUT(file.ta, ompi_file_t, f_io_selected_data, data);
    handle_set(job, "ompi_file_f_to_c_table", slot, file.ta);
    return file;
}

static fake_ta array_new(struct fake_job *job, const fake_ta comms[3])
{
    size_t width = job->options.build->pointer_size;
    fake_ta array = fake_zeros(job, 3 * width);

    for (size_t i = 0; i < 3; i++)
        fake_image_put_pointer(&job->image, array + i * width, comms[i]);
    return array;
}

struct fake_han fake_han_new(struct fake_job *job, const struct fake_comm *owner, const fake_ta low[3],
                             const fake_ta up[3], fake_ta single)
{
    struct fake_han han = { .module = object_new(job, FAKE_TYPE_mca_coll_han_module_t),
                            .low_array = array_new(job, low) };
    fake_ta table = fake_zeros(job, SIZE(mca_coll_base_comm_coll_t));
    size_t width = job->options.build->pointer_size;

    PUT(han.module, mca_coll_han_module_t, cached_low_comms, han.low_array);
    PUT(han.module, mca_coll_han_module_t, cached_up_comms, array_new(job, up));
    fake_image_put_pointer(&job->image, FAKE_AT(&job->image, han.module, mca_coll_han_module_t, sub_comm), single);
    fake_image_put_pointer(&job->image, FAKE_AT(&job->image, han.module, mca_coll_han_module_t, sub_comm) + width,
                           owner->ta);
    /* Another component does the barriers: it would be in the way if it were taken for han's. */
    PUT(table, mca_coll_base_comm_coll_t, coll_barrier_module, object_new(job, FAKE_TYPE_ompi_group_t));
    PUT(table, mca_coll_base_comm_coll_t, coll_bcast_module, han.module);
    PUT(owner->ta, ompi_communicator_t, c_coll, table);
    return han;
}

fake_ta fake_partitioned(struct fake_job *job, int init_world, fake_ta comm, fake_ta setup)
{
    fake_ta ta = fake_symbol(job, "ompi_part_persist", job->mpi, SIZE(ompi_part_persist_t));

    PUT(ta, ompi_part_persist_t, init_world, init_world);
    PUT(ta, ompi_part_persist_t, part_comm, comm);
    PUT(ta, ompi_part_persist_t, part_comm_setup, setup);
    return ta;
}

static void put_variable(struct fake_job *job, const char *name, size_t size, int64_t value)
{
    fake_ta ta;

    if (!fake_image_find_symbol(&job->image, name, &ta))
        ta = fake_symbol(job, name, job->mpi, size);
    fake_image_put(&job->image, ta, size, (uint64_t)value);
}

void fake_threads_set(struct fake_job *job, int provided, int multiple, int uses_threads)
{
    put_variable(job, "ompi_mpi_thread_provided", sizeof(int32_t), provided);
    put_variable(job, "ompi_mpi_thread_multiple", 1, multiple);
    put_variable(job, "opal_uses_threads", 1, uses_threads);
}

void fake_window_set_name(struct fake_job *job, const struct fake_window *window, const char *name)
{
    fake_name_put(job, FAKE_AT(&job->image, window->ta, ompi_win_t, w_name), job->options.build->family >= 600, name);
}

void fake_file_set_name(struct fake_job *job, const struct fake_file *file, const char *name)
{
    PUT(file->ta, ompi_file_t, f_filename, fake_image_put_string(&job->image, job->heap, name));
}

struct fake_coll fake_libnbc_new(struct fake_job *job, const struct fake_comm *comm)
{
    enum { N_OPERATIONS = 17 };
    size_t width = job->options.build->pointer_size;
    fake_ta table = fake_zeros(job, SIZE(mca_coll_base_comm_coll_t));
    struct fake_coll coll = { .module = object_new(job, FAKE_TYPE_ompi_coll_libnbc_module_t) };

    coll.nonblocking_at = FAKE_AT(&job->image, table, mca_coll_base_comm_coll_t, nonblocking);
    for (size_t i = 0; i < N_OPERATIONS; i++)
        fake_image_put_pointer(&job->image, coll.nonblocking_at + (2 * i + 1) * width, coll.module);
    PUT(table, mca_coll_base_comm_coll_t, coll_barrier_module, object_new(job, FAKE_TYPE_ompi_group_t));
    PUT(comm->ta, ompi_communicator_t, c_coll, table);
    return coll;
}
