/* object.c - what is told of windows, files, operations of reductions, error handlers, infos and sessions. */
#include "mqd/dll/handle/object.h"

#include <string.h>

#include "mqd/dll/internal.h"
#include "mqd/dll/osc/window.h"
#include "mqd/dll/text.h"
#include "mqd/dll/walk.h"
#include "mqd/dll/banned.h"

/* A number or a truth of a window that is known: others are -1. */
static void tell_known(struct mqd_process *process, enum mqd_handle_fact fact, bool is_truth, long number)
{
    if (number < 0)
        return;
    if (is_truth)
        mqd_fact_truth(process, fact, number != 0);
    else
        mqd_fact_number(process, fact, 0, number);
}

/* Epochs and locks, which the window's component has. The communicator that it was made for leads there. */
static void tell_epochs(struct mqd_process *process, mqd_taddr ta)
{
    const struct mqd_window_description *found = &process->snapshot.window.description;
    struct mqd_communicator *communicator = NULL;

    for (size_t i = 0; i < process->snapshot.communicators.n_items && communicator == NULL; i++) {
        communicator = mqd_communicator_at(process, i);
        if (communicator->owner != MQD_OWNER_window || communicator->owner_ta != ta)
            communicator = NULL;
    }
    if (communicator == NULL || mqd_window_read(process, communicator) != MQD_OK)
        return;
    mqd_fact_text(process, MQD_FACT_component, 0, found->component);
    if (found->access != MQD_ACCESS_unknown)
        mqd_fact_number(process, MQD_FACT_access, 0, found->access);
    tell_known(process, MQD_FACT_exposed, true, found->exposed);
    tell_known(process, MQD_FACT_locked_exclusively, true, found->locked_exclusively);
    tell_known(process, MQD_FACT_shared_locks, false, found->n_shared);
    tell_known(process, MQD_FACT_waiting_locks, false, found->n_waiting);
}

void mqd_tell_window(struct mqd_process *process, struct mqd_view *window)
{
    mqd_tell_attributes(process, mqd_address_at(window, MQD_PATH_win_attributes));
    mqd_fact_handle(process, MQD_FACT_group, 0, MQD_HANDLE_group, mqd_address_at(window, MQD_PATH_win_group));
    mqd_fact_handle(process, MQD_FACT_error_handler, 0, MQD_HANDLE_errhandler,
                    mqd_address_at(window, MQD_PATH_win_error_handler));
    tell_epochs(process, window->ta);
}

/* Do both types of a file's view lie where the layout has them? */
static bool has_view(struct mqd_process *process, struct mqd_view *data)
{
    return mqd_object_is(process, mqd_address_at(data, MQD_PATH_ompio_etype), "opal_datatype_t") &&
           mqd_object_is(process, mqd_address_at(data, MQD_PATH_ompio_filetype), "opal_datatype_t");
}

/* What ompio has of a file: it leads back to it. Before 4.1.3 the members behind the name lie one pointer earlier. */
static void tell_ompio(struct mqd_process *process, const struct mqd_view *file, mqd_taddr data_ta)
{
    mqd_taddr earlier_ta = data_ta - process->layout.abi.pointer_size;
    struct mqd_object data;

    if (!mqd_has_path(process, MQD_PATH_ompio_file) || data_ta == 0)
        return;
    if (mqd_read_object(process, MQD_TYPE_ompio_file_t, data_ta, &data) != MQD_OK ||
        mqd_address_at(&data.view, MQD_PATH_ompio_file) != file->ta) {
        mqd_fact_missing(process, MQD_RC_bad_handle);
        return;
    }
    mqd_fact_number(process, MQD_FACT_view_displacement, 0, mqd_size_at(&data.view, MQD_PATH_ompio_displacement));
    if (!has_view(process, &data.view) &&
        (mqd_read_object(process, MQD_TYPE_ompio_file_t, earlier_ta, &data) != MQD_OK ||
         !has_view(process, &data.view))) {
        mqd_fact_missing(process, MQD_RC_bad_handle);
        return;
    }
    mqd_fact_handle(process, MQD_FACT_view_etype, 0, MQD_HANDLE_datatype,
                    mqd_address_at(&data.view, MQD_PATH_ompio_etype));
    mqd_fact_handle(process, MQD_FACT_view_filetype, 0, MQD_HANDLE_datatype,
                    mqd_address_at(&data.view, MQD_PATH_ompio_filetype));
    mqd_fact_truth(process, MQD_FACT_atomic, mqd_int(&data.view, MQD_PATH_ompio_atomicity) != 0);
    mqd_fact_at(process, MQD_FACT_split_collective, &data.view, MQD_PATH_ompio_split);
}

void mqd_tell_file(struct mqd_process *process, struct mqd_view *file)
{
    char component[MQD_TEXT_BYTES];

    mqd_fact_handle(process, MQD_FACT_communicator, 0, MQD_HANDLE_communicator,
                    mqd_address_at(file, MQD_PATH_file_comm));
    mqd_fact_at(process, MQD_FACT_access_mode, file, MQD_PATH_file_mode);
    if (mqd_has_path(process, MQD_PATH_file_flags))
        mqd_fact_truth(process, MQD_FACT_closed,
                       mqd_has_flag(process, MQD_CONSTANT_file_closed, mqd_uint(file, MQD_PATH_file_flags)));
    mqd_fact_handle(process, MQD_FACT_error_handler, 0, MQD_HANDLE_errhandler,
                    mqd_address_at(file, MQD_PATH_file_error_handler));
    if (!mqd_file_component(process, file, component, sizeof component) || component[0] == '\0')
        return;
    mqd_fact_text(process, MQD_FACT_component, 0, component);
    if (strcmp(component, "ompio") == 0)
        tell_ompio(process, file, mqd_address_at(file, MQD_PATH_file_data));
}

void mqd_tell_op(struct mqd_process *process, struct mqd_view *op)
{
    uint64_t flags = mqd_uint(op, MQD_PATH_op_flags);

    if (op->rc != MQD_OK) {
        mqd_fact_missing(process, op->rc);
        return;
    }
    mqd_fact_truth(process, MQD_FACT_commutative, mqd_has_flag(process, MQD_CONSTANT_op_commutative, flags));
    if (mqd_has_flag(process, MQD_CONSTANT_op_intrinsic, flags))
        return;
    mqd_fact_address(process, MQD_FACT_function, mqd_address_at(op, MQD_PATH_op_function));
    mqd_fact_truth(process, MQD_FACT_language_fortran, mqd_has_flag(process, MQD_CONSTANT_op_fortran, flags));
}

/* A handler has a function for each kind of object; what it is for tells which one the program has given. */
void mqd_tell_errhandler(struct mqd_process *process, struct mqd_view *errhandler)
{
    static const struct {
        enum mqd_constant_id number;
        enum mqd_handle_kind kind;
        enum mqd_path_id function;
    } handled[] = {
        {MQD_CONSTANT_errhandler_of_comm, MQD_HANDLE_communicator, MQD_PATH_errhandler_comm_function},
        {MQD_CONSTANT_errhandler_of_window, MQD_HANDLE_window, MQD_PATH_errhandler_win_function},
        {MQD_CONSTANT_errhandler_of_file, MQD_HANDLE_file, MQD_PATH_errhandler_file_function},
        {MQD_CONSTANT_errhandler_of_session, MQD_HANDLE_session, MQD_PATH_errhandler_session_function},
    };
    int64_t object = mqd_int(errhandler, MQD_PATH_errhandler_object);
    bool is_fortran = mqd_is(process, MQD_CONSTANT_errhandler_fortran,
                             mqd_int(errhandler, MQD_PATH_errhandler_language));

    if (errhandler->rc != MQD_OK) {
        mqd_fact_missing(process, errhandler->rc);
        return;
    }
    for (size_t i = 0; i < sizeof handled / sizeof handled[0]; i++)
        if (mqd_is(process, handled[i].number, object)) {
            enum mqd_path_id function = is_fortran ? MQD_PATH_errhandler_fortran_function : handled[i].function;

            mqd_fact_number(process, MQD_FACT_handled_kind, 0, (long long)handled[i].kind);
            mqd_fact_address(process, MQD_FACT_function, mqd_address_at(errhandler, function));
            mqd_fact_truth(process, MQD_FACT_language_fortran, is_fortran);
        }
}

/* Since 5.0 keys and values are objects: the text comes behind a head. */
static enum mqd_rc read_string(struct mqd_process *process, mqd_taddr ta, char *text, size_t n_room)
{
    const struct mqd_place *before = &process->layout.paths[MQD_PATH_string_before_text];

    if (!mqd_has_path(process, MQD_PATH_string_before_text))
        return mqd_read_string(process, ta, text, n_room);
    if (!mqd_object_is(process, ta, "opal_cstring_t"))
        return MQD_RC_bad_handle;
    return mqd_read_string(process, ta + before->offset + before->size, text, n_room);
}

/* Appends the key of an entry, or its value. */
static enum mqd_rc tell_entry(struct mqd_process *process, struct mqd_view *entry, enum mqd_handle_fact fact,
                              long index)
{
    const struct mqd_place *key = &process->layout.paths[MQD_PATH_info_key];
    char text[sizeof((struct mqd_handle_item *)0)->text];
    enum mqd_rc rc;

    if (fact == MQD_FACT_value)
        rc = read_string(process, mqd_address_at(entry, MQD_PATH_info_value), text, sizeof text);
    else if (key->size > process->layout.abi.pointer_size)
        rc = mqd_read_string(process, entry->ta + key->offset, text, sizeof text);
    else
        rc = read_string(process, mqd_address_at(entry, MQD_PATH_info_key), text, sizeof text);
    if (rc == MQD_OK)
        mqd_fact_text(process, fact, index, text);
    return rc;
}

/* An info object begins with a list of its entries. */
static enum mqd_rc tell_entries(struct mqd_process *process, mqd_taddr ta, enum mqd_handle_fact fact)
{
    struct mqd_list list;
    long index = 0;
    enum mqd_rc rc = mqd_list_begin_at(process, ta, &list);

    while (rc == MQD_OK && !mqd_list_at_end(&list)) {
        struct mqd_object entry, item;

        if (index == MQD_MAX_HANDLE_LIST)
            rc = MQD_RC_long_list;
        else if (mqd_read_object(process, MQD_TYPE_opal_info_entry_t, list.next_ta, &entry) != MQD_OK ||
                 mqd_read_object(process, MQD_TYPE_opal_list_item_t, list.next_ta, &item) != MQD_OK)
            rc = MQD_RC_unreadable;
        /* Open MPI keeps keys of its own among them. */
        else if (!mqd_has_path(process, MQD_PATH_info_internal) ||
                 mqd_int(&entry.view, MQD_PATH_info_internal) == 0)
            rc = tell_entry(process, &entry.view, fact, index++);
        if (rc == MQD_OK)
            rc = mqd_list_step(&list, mqd_uint(&item.view, MQD_PATH_item_next),
                               mqd_uint(&item.view, MQD_PATH_item_prev));
    }
    return rc;
}

void mqd_tell_info(struct mqd_process *process, struct mqd_view *info)
{
    static const enum mqd_handle_fact facts[] = {MQD_FACT_key, MQD_FACT_value};
    enum mqd_rc rc = mqd_has_path(process, MQD_PATH_info_key) ? MQD_OK : MQD_RC_no_handle_layout;

    mqd_fact_at(process, MQD_FACT_freed, info, MQD_PATH_info_freed);
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        if (rc == MQD_OK)
            rc = tell_entries(process, info->ta, facts[i]);
        if (rc != MQD_OK)
            mqd_fact_missing(process, rc);
        /* Values of keys that are told are told. */
        if (rc == MQD_RC_long_list)
            rc = MQD_OK;
    }
}

void mqd_tell_session(struct mqd_process *process, struct mqd_view *session)
{
    mqd_fact_at(process, MQD_FACT_thread_level, session, MQD_PATH_session_thread_level);
    mqd_fact_handle(process, MQD_FACT_error_handler, 0, MQD_HANDLE_errhandler,
                    mqd_address_at(session, MQD_PATH_session_error_handler));
}
