/* communicator.c - what the interface tells of a communicator. */
#include "mqd/dll/mpihandles/communicator.h"

#include <string.h>

#include "mqd/dll/debugger.h"
#include "mqd/dll/text.h"
#include "mqd/dll/banned.h"

/* A decimal number of 64 bits, or an address. */
enum { VALUE_BYTES = 24 };

static void release(struct mpidbg_comm_info_t *info)
{
    for (int i = 0; info->attributes != NULL && i < info->n_attributes; i++) {
        dbgr_release(info->attributes[i].key_name);
        dbgr_release(info->attributes[i].value);
    }
    dbgr_release(info->attributes);
    dbgr_release(info->local);
    dbgr_release(info->remote);
    dbgr_release(info->dimensions);
    dbgr_release(info->periods);
    dbgr_release(info->graph_index);
    dbgr_release(info->graph_edges);
    dbgr_release(info->files);
    dbgr_release(info);
}

/* How many items the handle has with that fact; -1 if not all are told. */
static int count(mqs_process *process, int fact)
{
    struct mqd_handle_item item;
    int n = 0, i = 0, code;

    while ((code = extension()->describe_handle_item(process, i++, &item)) == mqs_ok)
        n += item.fact == fact;
    return code == mqs_end_of_list ? n : -1;
}

/* The numbers of all n > 0 items with that fact. */
static bool copy_ints(mqs_process *process, int fact, int n, int **numbers)
{
    struct mqd_handle_item item;
    int n_copied = 0;

    *numbers = dbgr_alloc((size_t)n * sizeof **numbers);
    for (int i = 0; *numbers != NULL && n_copied < n; i++)
        if (extension()->describe_handle_item(process, i, &item) != mqs_ok)
            return false;
        else if (item.fact == fact)
            (*numbers)[n_copied++] = (int)item.number;
    return *numbers != NULL;
}

static bool fill_cartesian(mqs_process *process, struct mpidbg_comm_info_t *info)
{
    int n = count(process, MQD_FACT_dimension), *periods;
    bool is_filled;

    if (n <= 0 || count(process, MQD_FACT_periodic) != n)
        return true;
    is_filled = copy_ints(process, MQD_FACT_periodic, n, &periods) &&
                copy_ints(process, MQD_FACT_dimension, n, &info->dimensions);
    info->periods = is_filled ? dbgr_alloc((size_t)n) : NULL;
    for (int i = 0; info->periods != NULL && i < n; i++)
        info->periods[i] = (int8_t)periods[i];
    dbgr_release(periods);
    info->n_dimensions = n;
    return info->periods != NULL;
}

static bool fill_graph(mqs_process *process, struct mpidbg_comm_info_t *info)
{
    int n = count(process, MQD_FACT_graph_index), n_edges = count(process, MQD_FACT_graph_edge);

    if (n <= 0)
        return true;
    info->n_nodes = n;
    return copy_ints(process, MQD_FACT_graph_index, n, &info->graph_index) &&
           (n_edges == 0 || copy_ints(process, MQD_FACT_graph_edge, n_edges, &info->graph_edges));
}

static char *copy_text(const char *text)
{
    size_t n = strlen(text) + 1;
    char *copy = dbgr_alloc(n);

    return copy != NULL ? memcpy(copy, text, n) : NULL;
}

static bool fill_attribute(struct mpidbg_attribute_pair_t *pair, const struct mqd_handle_item *item)
{
    char text[VALUE_BYTES];
    struct mqd_line line = mqd_line_in(text, sizeof text);

    if (item->form == MQD_FORM_address)
        mqd_add_address(&line, item->address);
    else if (item->number < 0)
        mqd_add(&line, "-");
    if (item->form != MQD_FORM_address)
        mqd_add_number(&line, item->number < 0 ? 0 - (uint64_t)item->number : (uint64_t)item->number);
    *pair = (struct mpidbg_attribute_pair_t){.key = (int)item->index, .value = copy_text(text)};
    if (item->text[0] != '\0')
        pair->key_name = copy_text(item->text);
    return pair->value != NULL && (item->text[0] == '\0' || pair->key_name != NULL);
}

static bool fill_attributes(mqs_process *process, struct mpidbg_comm_info_t *info)
{
    int n = count(process, MQD_FACT_attribute);
    struct mqd_handle_item item;

    info->attributes = n > 0 ? dbgr_alloc((size_t)n * sizeof *info->attributes) : NULL;
    for (int i = 0; info->attributes != NULL && extension()->describe_handle_item(process, i, &item) == mqs_ok; i++)
        if (item.fact == MQD_FACT_attribute && !fill_attribute(&info->attributes[info->n_attributes++], &item))
            return false;
    return n <= 0 || info->attributes != NULL;
}

static bool fill_facts(mqs_process *process, struct mpidbg_comm_info_t *info)
{
    unsigned flags = (unsigned)info->flags;
    struct mqd_handle_item item;

    if (mqd_mpidbg_item(process, MQD_FACT_remote_size, &item)) {
        flags |= MQD_COMM_IS_inter;
        info->n_remote = (int)item.number;
    }
    if (mqd_mpidbg_item(process, MQD_FACT_topology, &item))
        flags |= item.number == MQD_TOPOLOGY_cartesian           ? MQD_COMM_IS_cartesian
                 : item.number == MQD_TOPOLOGY_graph             ? MQD_COMM_IS_graph
                 : item.number == MQD_TOPOLOGY_distributed_graph ? MQD_COMM_IS_distributed_graph
                                                                 : 0;
    if (mqd_mpidbg_is(process, MQD_FACT_reorder))
        flags |= MQD_COMM_IS_reordered;
    if (mqd_mpidbg_is(process, MQD_FACT_freed))
        flags |= MQD_COMM_IS_freed;
    info->flags = (enum mpidbg_comm_info_bitmap_t)flags;
    return fill_cartesian(process, info) && fill_graph(process, info) && fill_attributes(process, info);
}

/* Corrupt memory may have others with the id: where the size is the same, the list of processes fits. */
static bool go_to(mqs_process *process, mqs_taddr_t unique_id, int size)
{
    mqs_communicator communicator;
    int code = mqs_setup_communicator_iterator(process);

    for (; code == mqs_ok; code = mqs_next_communicator(process))
        if (mqs_get_communicator(process, &communicator) == mqs_ok && communicator.unique_id == unique_id &&
            communicator.size == size)
            return true;
    return false;
}

/* The processes of the current communicator, as far as they are known. */
static bool fill_processes(mqs_process *process, struct mpidbg_comm_info_t *info)
{
    struct mqd_process_name self, other;
    bool has_self = extension()->describe_self(process, &self) == mqs_ok;

    _Static_assert(sizeof *info->local == sizeof(int), "an array of them is one of ranks");
    info->local = info->size > 0 ? dbgr_alloc((size_t)info->size * sizeof *info->local) : NULL;
    info->remote = info->n_remote > 0 ? dbgr_alloc((size_t)info->n_remote * sizeof *info->remote) : NULL;
    if ((info->local == NULL && info->size > 0) || (info->remote == NULL && info->n_remote > 0))
        return false;
    if (info->local != NULL && mqs_get_comm_group(process, &info->local->world_rank) != mqs_ok) {
        dbgr_release(info->local);
        info->local = NULL;
    }
    for (int i = 0; i < info->n_remote; i++)
        info->remote[i].world_rank = has_self && extension()->describe_member(process, i, &other) == mqs_ok &&
                                             other.job == self.job ? (int)other.rank : -1;
    return true;
}

/* The files that were opened on the communicator: all of them or, where one cannot be read, none. */
static bool fill_files(mqs_process *process, mqs_taddr_t communicator, struct mpidbg_comm_info_t *info)
{
    struct mqd_handle_summary summary;
    struct mqd_handle_item item;
    mqs_taddr_t file;
    long fortran = 0;
    int n = 0, code;

    while ((code = extension()->next_handle(process, MQD_HANDLE_file, &fortran, &file)) == mqs_ok) {
        n++;
        fortran++;
    }
    if (code != mqs_end_of_list)
        return true;
    info->files = n > 0 ? dbgr_alloc((size_t)n * sizeof *info->files) : NULL;
    if (n > 0 && info->files == NULL)
        return false;
    info->n_files = 0;
    for (fortran = 0; n > 0; n--, fortran++) {
        if (extension()->next_handle(process, MQD_HANDLE_file, &fortran, &file) != mqs_ok ||
            extension()->describe_handle(process, MQD_HANDLE_file, file, MQD_LANGUAGE_c, &summary) != mqs_ok) {
            dbgr_release(info->files);
            info->files = NULL;
            info->n_files = MQD_MPIDBG_not_supported;
            return true;
        }
        if (mqd_mpidbg_item(process, MQD_FACT_communicator, &item) && item.address == communicator)
            info->files[info->n_files++] = file;
    }
    return true;
}

static bool fill(mqs_process *process, const struct mqd_handle_summary *summary, struct mpidbg_comm_info_t *info)
{
    struct mqd_handle_item id;
    bool is_listed = mqd_mpidbg_item(process, MQD_FACT_unique_id, &id);

    return fill_facts(process, info) &&
           (!is_listed || !go_to(process, id.address, info->size) || fill_processes(process, info)) &&
           fill_files(process, summary->object, info);
}

int mqd_mpidbg_communicator(mqs_process *process, mqs_taddr_t handle, struct mpidbg_comm_info_t **info)
{
    struct mqd_handle_summary summary;
    struct mqd_handle_item rank, size;
    struct mpidbg_comm_info_t *found;
    int code = info == NULL ? MQD_MPIDBG_out_of_range
                            : mqd_mpidbg_describe(process, MQD_HANDLE_communicator, handle, MQD_LANGUAGE_c, &summary);

    if (code != MQD_MPIDBG_success)
        return code;
    if (!mqd_mpidbg_item(process, MQD_FACT_rank, &rank) || !mqd_mpidbg_item(process, MQD_FACT_size, &size))
        return MQD_MPIDBG_unavailable;
    found = dbgr_alloc(sizeof *found);
    if (found == NULL)
        return MQD_MPIDBG_no_memory;
    *found = (struct mpidbg_comm_info_t){.rank = (int)rank.number, .size = (int)size.number,
                                         .n_local = (int)size.number, .c_handle = handle,
                                         .fortran_handle = mqd_mpidbg_fortran(&summary),
                                         .n_requests = MQD_MPIDBG_not_supported,
                                         .n_windows = MQD_MPIDBG_not_supported,
                                         .n_files = MQD_MPIDBG_not_supported};
    mqd_mpidbg_name(found->name, &summary);
    if (summary.predefined)
        found->flags = strcmp(summary.name, "MPI_COMM_NULL") == 0 ? MQD_COMM_IS_predefined | MQD_COMM_IS_null
                                                                  : MQD_COMM_IS_predefined;
    if (!fill(process, &summary, found)) {
        release(found);
        return MQD_MPIDBG_no_memory;
    }
    *info = found;
    return MQD_MPIDBG_success;
}
