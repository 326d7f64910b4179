/* nonblocking.c - counts nonblocking collective operations by their tags. */
#include "mqd/dll/nonblocking.h"

#include <string.h>

#include "mqd/dll/tag.h"
#include "mqd/dll/target.h"
#include "mqd/dll/banned.h"

/*
 * The table of a communicator's collective operations has a function and a module for each: those of the blocking
 * operations, in the order of mpi.h's names, then those of as many nonblocking ones. What follows differs.
 */
enum { N_OPERATIONS = 17 };

/* Tags of the same range that MPI_Dist_graph_create uses up to 5.0.10. They are in no header; later ones are. */
enum { FIRST_EDGE_TAG = -50, LAST_EDGE_TAG = -51 };

static bool is_edge_tag(const struct mqd_process *process, int32_t tag)
{
    return !process->layout.constants[MQD_CONSTANT_tag_edge_in].present && tag <= FIRST_EDGE_TAG &&
           tag >= LAST_EDGE_TAG;
}

/* Do the members that the layout knows lie where the order says? */
static bool is_in_order(const struct mqd_process *process)
{
    static const struct {
        enum mqd_path_id path;
        uint32_t index;
    } known[] = {{MQD_PATH_coll_allreduce, 2}, {MQD_PATH_coll_barrier, 6}, {MQD_PATH_coll_bcast, 7},
                 {MQD_PATH_coll_reduce, 11}};
    const struct mqd_place *places = process->layout.paths, *first = &places[MQD_PATH_coll_allgather];
    uint32_t pair = 2 * process->layout.abi.pointer_size;

    if (first->source == MQD_SOURCE_absent)
        return false;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (places[known[i].path].source == MQD_SOURCE_absent ||
            places[known[i].path].offset != first->offset + known[i].index * pair)
            return false;
    return true;
}

static bool is_of_libnbc(struct mqd_process *process, mqd_taddr module_ta)
{
    struct mqd_class descriptor;

    return mqd_read_class_of(process, module_ta, &descriptor) &&
           strcmp(descriptor.name, "ompi_coll_libnbc_module_t") == 0;
}

/* Does coll/libnbc perform all nonblocking operations of the communicator? An intercommunicator lacks some. */
static bool find_libnbc(struct mqd_process *process, const struct mqd_communicator *communicator)
{
    uint32_t pair = 2 * process->layout.abi.pointer_size;
    mqd_taddr ta = communicator->coll_ta + process->layout.paths[MQD_PATH_coll_allgather].offset + N_OPERATIONS * pair;
    mqd_taddr module_ta, known_ta = 0;

    if (communicator->coll_ta == 0 || !is_in_order(process))
        return false;
    for (unsigned i = 0; i < N_OPERATIONS; i++, ta += pair) {
        if (mqd_read_pointer(process, ta, &module_ta) != MQD_OK)
            return false;
        if (module_ta == 0 || module_ta == known_ta)
            continue;
        if (!is_of_libnbc(process, module_ta))
            return false;
        known_ta = module_ta;
    }
    return known_ta != 0;
}

/* Tags count operations, unless another component takes part. */
static bool has_counting_tags(struct mqd_process *process, struct mqd_communicator *communicator)
{
    if (!communicator->is_libnbc_sought) {
        communicator->is_libnbc_sought = true;
        communicator->has_libnbc = communicator->ta != 0 && find_libnbc(process, communicator);
    }
    return communicator->has_libnbc;
}

bool mqd_count_nonblocking(struct mqd_process *process, struct mqd_communicator *communicator, uint64_t *n)
{
    const struct mqd_constant *first = &process->layout.constants[MQD_CONSTANT_tag_nonblocking_first];
    const struct mqd_constant *last = &process->layout.constants[MQD_CONSTANT_tag_nonblocking_last];
    struct mqd_object object;
    int64_t next;

    if (!mqd_has_path(process, MQD_PATH_comm_nonblocking_tag) ||
        !has_counting_tags(process, communicator) ||
        mqd_read_object(process, MQD_TYPE_ompi_communicator_t, communicator->ta, &object) != MQD_OK)
        return false;
    next = mqd_int(&object.view, MQD_PATH_comm_nonblocking_tag);
    if (object.view.rc != MQD_OK || !first->present || !last->present || next > first->value || next < last->value)
        return false;
    *n = (uint64_t)(first->value - next);
    return true;
}

/* On the communicator of a file ompio's own messages have tags of the range. */
uint64_t mqd_nonblocking_number(struct mqd_process *process, struct mqd_communicator *communicator, int32_t tag)
{
    if (!mqd_tag_is_nonblocking(process, tag) || is_edge_tag(process, tag) ||
        communicator->owner == MQD_OWNER_file || !has_counting_tags(process, communicator))
        return 0;
    return (uint64_t)(process->layout.constants[MQD_CONSTANT_tag_nonblocking_first].value - tag) + 1;
}
