/* facts.c - the items that describe the object of a handle. */
#include "mqd/dll/handle/facts.h"

#include <string.h>

#include "mqd/dll/text.h"
#include "mqd/dll/use.h"
#include "mqd/dll/banned.h"

void mqd_fact_missing(struct mqd_process *process, enum mqd_rc rc)
{
    if (process->snapshot.handle.missing == MQD_OK)
        process->snapshot.handle.missing = rc;
}

struct mqd_handle_item *mqd_fact_append(struct mqd_process *process, enum mqd_handle_fact fact,
                                        enum mqd_fact_form form, long index)
{
    struct mqd_handle_item *item = mqd_vector_append(&process->snapshot.handle.items);

    if (item == NULL) {
        mqd_fact_missing(process, MQD_RC_no_memory);
        return NULL;
    }
    item->fact = (int)fact;
    item->form = (int)form;
    item->index = index;
    return item;
}

void mqd_fact_number(struct mqd_process *process, enum mqd_handle_fact fact, long index, long long number)
{
    struct mqd_handle_item *item = mqd_fact_append(process, fact, MQD_FORM_number, index);

    if (item != NULL)
        item->number = number;
}

void mqd_fact_truth(struct mqd_process *process, enum mqd_handle_fact fact, bool truth)
{
    struct mqd_handle_item *item = mqd_fact_append(process, fact, MQD_FORM_truth, 0);

    if (item != NULL)
        item->number = truth;
}

void mqd_fact_address(struct mqd_process *process, enum mqd_handle_fact fact, mqd_taddr ta)
{
    struct mqd_handle_item *item = mqd_fact_append(process, fact, MQD_FORM_address, 0);

    if (item != NULL)
        item->address = (mqs_taddr_t)ta;
}

void mqd_fact_text(struct mqd_process *process, enum mqd_handle_fact fact, long index, const char *text)
{
    struct mqd_handle_item *item = mqd_fact_append(process, fact, MQD_FORM_text, index);

    if (item != NULL)
        mqd_copy_text(item->text, sizeof item->text, text, strlen(text) + 1);
}

/* Where objects have their names. Those of other kinds have none. */
static const struct {
    enum mqd_type_id type;
    enum mqd_path_id name;
} named[] = {
    [MQD_HANDLE_communicator] = {MQD_TYPE_ompi_communicator_t, MQD_PATH_comm_name},
    [MQD_HANDLE_datatype] = {MQD_TYPE_ompi_datatype_t, MQD_PATH_datatype_name},
    [MQD_HANDLE_window] = {MQD_TYPE_ompi_win_t, MQD_PATH_win_name},
    [MQD_HANDLE_file] = {MQD_TYPE_ompi_file_t, MQD_PATH_file_name},
    [MQD_HANDLE_op] = {MQD_TYPE_ompi_op_t, MQD_PATH_op_name},
    [MQD_HANDLE_errhandler] = {MQD_TYPE_ompi_errhandler_t, MQD_PATH_errhandler_name},
    [MQD_HANDLE_session] = {MQD_TYPE_ompi_instance_t, MQD_PATH_session_name},
};

bool mqd_has_names(enum mqd_handle_kind kind)
{
    return (size_t)kind < sizeof named / sizeof named[0] && named[kind].name != MQD_PATH_root;
}

void mqd_handle_name(struct mqd_process *process, enum mqd_handle_kind kind, mqd_taddr ta, char *name, size_t n_room)
{
    char found[MQD_NAME_BYTES] = "";

    if (mqd_has_names(kind))
        mqd_object_name(process, named[kind].type, ta, named[kind].name, found);
    mqd_copy_text(name, n_room, found, sizeof found);
}

void mqd_fact_handle(struct mqd_process *process, enum mqd_handle_fact fact, long index, enum mqd_handle_kind kind,
                     mqd_taddr ta)
{
    struct mqd_handle_item *item = ta != 0 ? mqd_fact_append(process, fact, MQD_FORM_handle, index) : NULL;

    if (item == NULL)
        return;
    item->address = (mqs_taddr_t)ta;
    mqd_handle_name(process, kind, ta, item->text, sizeof item->text);
}

/* The unsigned number of `size` bytes at a path; 0 if it is not there. */
static uint64_t number_at(struct mqd_view *view, enum mqd_path_id path, unsigned size)
{
    struct mqd_view inner = mqd_inner(view, path);

    return inner.rc == MQD_OK && inner.n_bytes >= size ? mqd_number(view->process, inner.bytes, size) : 0;
}

mqd_taddr mqd_address_at(struct mqd_view *view, enum mqd_path_id path)
{
    return mqd_has_path(view->process, path) ? number_at(view, path, view->process->layout.abi.pointer_size) : 0;
}

int64_t mqd_size_at(struct mqd_view *view, enum mqd_path_id path)
{
    size_t size = view->process->layout.paths[path].size;

    if (!mqd_has_path(view->process, path) || (size != 4 && size != 8))
        return 0;
    return size == 4 ? (int32_t)number_at(view, path, 4) : (int64_t)number_at(view, path, 8);
}

void mqd_fact_at(struct mqd_process *process, enum mqd_handle_fact fact, struct mqd_view *view, enum mqd_path_id path)
{
    int64_t number;

    if (!mqd_has_path(process, path))
        return;
    number = mqd_int(view, path);
    if (view->rc != MQD_OK)
        mqd_fact_missing(process, view->rc);
    else if (process->layout.paths[path].kind == MQD_KIND_bool)
        mqd_fact_truth(process, fact, number != 0);
    else
        mqd_fact_number(process, fact, 0, number);
}

long mqd_count_told(struct mqd_process *process, mqd_taddr ta, int64_t n)
{
    if (n < 0 || (n > 0 && ta == 0)) {
        mqd_fact_missing(process, MQD_RC_bad_handle);
        return 0;
    }
    if (n <= MQD_MAX_HANDLE_LIST)
        return (long)n;
    mqd_fact_missing(process, MQD_RC_long_list);
    return MQD_MAX_HANDLE_LIST;
}

int mqd_meaning_of(const struct mqd_process *process, const struct mqd_meaning *rows, size_t n_rows, int64_t number)
{
    for (size_t i = 0; i < n_rows; i++)
        if (mqd_is(process, rows[i].constant, number))
            return rows[i].meaning;
    return 0;
}

void mqd_fact_numbers(struct mqd_process *process, enum mqd_handle_fact fact, enum mqd_fact_form form, mqd_taddr ta,
                      int64_t n, enum mqd_kind kind)
{
    mqd_taddr size = mqd_kind_size(kind, &process->layout.abi);
    long n_told = mqd_count_told(process, ta, n);

    for (long i = 0; i < n_told; i++) {
        struct mqd_handle_item *item;
        int64_t number;
        enum mqd_rc rc = mqd_read_number(process, ta + (mqd_taddr)i * size, kind, &number);

        if (rc != MQD_OK) {
            mqd_fact_missing(process, rc);
            return;
        }
        item = mqd_fact_append(process, fact, form, i);
        if (item == NULL)
            return;
        item->number = form == MQD_FORM_truth ? number != 0 : number;
    }
}
