/* handle.c - finds the object that a handle stands for, proves what it is, and has it described. */
#include "mqd/dll/handle/handle.h"

#include <string.h>

#include "mqd/dll/evidence.h"
#include "mqd/dll/handle/abi.h"
#include "mqd/dll/handle/object.h"
#include "mqd/dll/text.h"
#include "mqd/dll/use.h"
#include "mqd/dll/walk.h"
#include "mqd/dll/banned.h"

/* Handles of Fortran are INTEGERs that programs get one by one; a larger table is none. */
#define MAX_HANDLES (1 << 24)

/* One kind of object. */
struct kind {
    enum mqd_handle_kind kind;
    enum mqd_type_id class_type;     /* its class is that of this type, or derived from it */
    enum mqd_type_id type;           /* what is read */
    const char *table;               /* the symbol of its opal_pointer_array_t for Fortran */
    bool is_table_pointer;           /* that symbol is a pointer to the array */
    enum mqd_path_id fortran;        /* its own index there */
    enum mqd_path_id flags;          /* where the flag `predefined` tells whether it is; MQD_N_PATHS: nowhere */
    enum mqd_constant_id predefined;
    long n_predefined;               /* where no flag does: those with a smaller index in Fortran are */
    void (*tell)(struct mqd_process *process, struct mqd_view *object);
};

#define TYPE(type) MQD_TYPE_##type, MQD_TYPE_##type

static const struct kind kinds[] = {
    {MQD_HANDLE_communicator, TYPE(ompi_communicator_t), "ompi_comm_f_to_c_table", false, MQD_PATH_comm_fortran_index,
     MQD_PATH_comm_flags, MQD_CONSTANT_comm_intrinsic, 0, mqd_tell_communicator},
    {MQD_HANDLE_datatype, MQD_TYPE_opal_datatype_t, MQD_TYPE_ompi_datatype_t, "ompi_datatype_f_to_c_table", false,
     MQD_PATH_datatype_fortran_index, MQD_N_PATHS, MQD_N_CONSTANTS, 0, mqd_tell_datatype},
    {MQD_HANDLE_group, TYPE(ompi_group_t), "ompi_group_f_to_c_table", false, MQD_PATH_group_fortran_index, MQD_N_PATHS,
     MQD_N_CONSTANTS, 2, mqd_tell_group},
    {MQD_HANDLE_request, TYPE(ompi_request_t), "ompi_request_f_to_c_table", false, MQD_PATH_request_fortran_index,
     MQD_N_PATHS, MQD_N_CONSTANTS, 0, mqd_tell_request},
    {MQD_HANDLE_window, TYPE(ompi_win_t), "ompi_mpi_windows", false, MQD_PATH_win_fortran_index, MQD_N_PATHS,
     MQD_N_CONSTANTS, 1, mqd_tell_window},
    {MQD_HANDLE_file, TYPE(ompi_file_t), "ompi_file_f_to_c_table", false, MQD_PATH_file_fortran_index, MQD_N_PATHS,
     MQD_N_CONSTANTS, 1, mqd_tell_file},
    {MQD_HANDLE_op, TYPE(ompi_op_t), "ompi_op_f_to_c_table", true, MQD_PATH_op_fortran_index, MQD_PATH_op_flags,
     MQD_CONSTANT_op_intrinsic, 0, mqd_tell_op},
    {MQD_HANDLE_errhandler, TYPE(ompi_errhandler_t), "ompi_errhandler_f_to_c_table", false,
     MQD_PATH_errhandler_fortran_index, MQD_N_PATHS, MQD_N_CONSTANTS, 0, mqd_tell_errhandler},
    {MQD_HANDLE_info, TYPE(ompi_info_t), "ompi_info_f_to_c_table", false, MQD_PATH_info_fortran_index, MQD_N_PATHS,
     MQD_N_CONSTANTS, 2, mqd_tell_info},
    {MQD_HANDLE_message, TYPE(ompi_message_t), "ompi_message_f_to_c_table", false, MQD_PATH_message_fortran_index,
     MQD_N_PATHS, MQD_N_CONSTANTS, 2, mqd_tell_message},
    {MQD_HANDLE_session, TYPE(ompi_instance_t), "ompi_instance_f_to_c_table", false, MQD_PATH_session_fortran_index,
     MQD_N_PATHS, MQD_N_CONSTANTS, 1, mqd_tell_session},
};
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

static const struct kind *kind_of(int kind)
{
    for (size_t i = 0; i < N_KINDS; i++)
        if ((int)kinds[i].kind == kind)
            return &kinds[i];
    return NULL;
}

static const struct kind *kind_of_class(const char *name)
{
    for (size_t i = 0; i < N_KINDS; i++)
        if (strcmp(mqd_type_specs[kinds[i].class_type].name, name) == 0)
            return &kinds[i];
    return NULL;
}

static bool has_size(const struct mqd_process *process, enum mqd_type_id type, uint64_t size)
{
    uint64_t expected = process->layout.type_size[type];

    return mqd_type_specs[type].size_rule == MQD_SIZE_at_least ? size >= process->extents[type] : size == expected;
}

/*
 * Finds out what lies at ta by the descriptor of its class: each states its name and size, and leads to the class that
 * it is derived from. Writes the class of the object itself. MQD_RC_no_handle: no object of MPI does.
 */
static enum mqd_rc recognise(struct mqd_process *process, mqd_taddr ta, const struct kind **kind, char *class_name)
{
    struct mqd_object object;
    struct mqd_class descriptor;
    mqd_taddr class_ta;
    enum mqd_rc rc = mqd_read_object(process, MQD_TYPE_opal_object_t, ta, &object);

    if (rc != MQD_OK)
        return rc == MQD_RC_no_memory ? rc : MQD_RC_no_handle;
    class_ta = mqd_uint(&object.view, MQD_PATH_object_class);
    if (object.view.rc != MQD_OK)
        return object.view.rc;
    for (unsigned depth = 0; depth < MQD_MAX_CLASS_DEPTH && class_ta != 0; depth++, class_ta = descriptor.parent_ta) {
        rc = mqd_read_class(process, class_ta, &descriptor);
        if (rc != MQD_OK)
            return rc == MQD_RC_no_memory ? rc : MQD_RC_no_handle;
        if (depth == 0)
            memcpy(class_name, descriptor.name, sizeof descriptor.name);
        *kind = kind_of_class(descriptor.name);
        if (*kind == NULL)
            continue;
        if (process->layout.type_size[(*kind)->class_type] == 0)
            return MQD_RC_no_handle_layout;
        return has_size(process, (*kind)->class_type, descriptor.size) ? MQD_OK : MQD_RC_bad_handle;
    }
    return MQD_RC_no_handle;
}

/* Reads the table of a kind. MQD_RC_no_handle_table: this Open MPI has none. */
static enum mqd_rc read_table(struct mqd_process *process, const struct kind *kind, struct mqd_array *table)
{
    mqd_taddr ta;

    if (!mqd_symbol(process, kind->table, &ta) ||
        (kind->is_table_pointer && mqd_read_pointer(process, ta, &ta) != MQD_OK))
        return MQD_RC_no_handle_table;
    return mqd_array_read(process, ta, MAX_HANDLES, table);
}

/* The address that a handle of Fortran stands for. */
static enum mqd_rc from_fortran(struct mqd_process *process, const struct kind *kind, mqd_taddr value, mqd_taddr *ta)
{
    struct mqd_array table;
    enum mqd_rc rc = read_table(process, kind, &table);

    if (rc != MQD_OK)
        return rc;
    if (value >= table.n)
        return MQD_RC_no_handle;
    rc = mqd_array_at(process, &table, (size_t)value, ta);
    return rc == MQD_OK && *ta == 0 ? MQD_RC_no_handle : rc;
}

/* MPI_MESSAGE_NULL, which up to 5.0 is no object: Open MPI does not construct it. */
static bool is_null_message(struct mqd_process *process, mqd_taddr ta, const struct kind **kind, char *class_name)
{
    mqd_taddr null_ta;

    *kind = kind_of(MQD_HANDLE_message);
    mqd_copy_text(class_name, sizeof((struct mqd_handle_summary *)0)->class_name,
                  mqd_type_specs[(*kind)->class_type].name, sizeof((struct mqd_handle_summary *)0)->class_name);
    return ta != 0 && from_fortran(process, *kind, 0, &null_ta) == MQD_OK && null_ta == ta;
}

/* Of all libraries of Open MPI only libmpi_abi has this function: for the others it is a macro of mpi.h. */
static bool has_abi(const struct mqd_process *process)
{
    mqd_taddr ta;

    return mqd_symbol(process, "PMPI_Aint_add", &ta);
}

/* The address that a handle of the ABI stands for: of a predefined one, of an integer of MPI_Comm_toint, or itself. */
static enum mqd_rc from_abi(struct mqd_process *process, const struct kind *kind, mqd_taddr value, mqd_taddr *ta)
{
    const struct mqd_abi_handle *predefined = mqd_abi_handle(value);
    struct mqd_array table;

    if (!has_abi(process))
        return MQD_RC_no_handle;
    if (value < MQD_ABI_FIRST_OWN) {
        if (predefined == NULL)
            return MQD_RC_no_handle;
        if (kind != NULL && kind->kind != predefined->kind)
            return MQD_RC_other_handle;
        return from_fortran(process, kind_of((int)predefined->kind), predefined->fortran, ta);
    }
    value -= MQD_ABI_FIRST_OWN;
    if (kind != NULL && read_table(process, kind, &table) == MQD_OK && value < table.n)
        return from_fortran(process, kind, value, ta);
    return MQD_OK;
}

/* The number at a path, -1 where the layout in force does not have it. */
static long number_or_unknown(struct mqd_view *view, enum mqd_path_id path)
{
    struct mqd_view copy = *view;
    int64_t number = mqd_int(&copy, path);

    return copy.rc == MQD_OK ? (long)number : -1;
}

static bool is_predefined(struct mqd_process *process, const struct kind *kind, struct mqd_view *view,
                          const struct mqd_handle_summary *summary)
{
    /* Only MPI names error handlers. MPI_REQUEST_NULL and the like have a type of their own. */
    if (kind->kind == MQD_HANDLE_errhandler)
        return memcmp(summary->name, "MPI_", 4) == 0;
    if (kind->kind == MQD_HANDLE_datatype)
        return mqd_is_predefined_datatype(view);
    if (kind->kind == MQD_HANDLE_request)
        return mqd_is(process, MQD_CONSTANT_request_null, number_or_unknown(view, MQD_PATH_request_type));
    if (kind->flags != MQD_N_PATHS)
        return mqd_has_flag(process, kind->predefined, (uint64_t)number_or_unknown(view, kind->flags));
    return summary->fortran >= 0 && summary->fortran < kind->n_predefined;
}

/*
 * Groups, infos, requests and messages keep no name, and Open MPI has others for some that stand for nothing:
 * MPI_OP_NULL is "MPI_NULL", MPI_DATATYPE_NULL "MPI_EMPTY". Programs may rename the rest.
 */
static void name_predefined(const struct kind *kind, struct mqd_handle_summary *summary)
{
    const struct mqd_abi_handle *found = mqd_abi_handle_at(kind->kind, summary->fortran);
    size_t length = found != NULL ? strlen(found->name) : 0;

    if (summary->predefined && length > 5 &&
        (summary->name[0] == '\0' || strcmp(found->name + length - 5, "_NULL") == 0))
        memcpy(summary->name, found->name, length + 1);
}

static void begin_items(struct mqd_process *process)
{
    mqd_vector_release(&process->snapshot.handle.items);
    process->snapshot.handle = (struct mqd_handle){.items.item_size = sizeof(struct mqd_handle_item)};
}

/* Describes the object at ta, which is of that kind, in *summary and process->snapshot.handle. */
static enum mqd_rc describe(struct mqd_process *process, const struct kind *kind, mqd_taddr ta,
                            struct mqd_handle_summary *summary)
{
    struct mqd_object object;
    enum mqd_rc rc = mqd_read_object(process, kind->type, ta, &object);

    if (rc != MQD_OK)
        return rc;
    summary->kind = (int)kind->kind;
    summary->object = (mqs_taddr_t)ta;
    summary->fortran = number_or_unknown(&object.view, kind->fortran);
    if (summary->fortran < 0)
        summary->fortran = -1;
    mqd_handle_name(process, kind->kind, ta, summary->name, sizeof summary->name);
    summary->predefined = is_predefined(process, kind, &object.view, summary);
    name_predefined(kind, summary);
    begin_items(process);
    kind->tell(process, &object.view);
    return process->snapshot.handle.missing == MQD_RC_no_memory ? MQD_RC_no_memory : MQD_OK;
}

int mqd_describe_handle(struct mqd_process *process, int kind, mqd_taddr value, int language,
                        struct mqd_handle_summary *summary)
{
    const struct kind *wanted = kind_of(kind), *found;
    struct mqd_handle_summary described = {.fortran = -1};
    mqd_taddr ta = value;
    enum mqd_rc rc = MQD_OK;

    if ((wanted == NULL && kind != MQD_HANDLE_unknown) || (wanted == NULL && language == MQD_LANGUAGE_fortran) ||
        language < MQD_LANGUAGE_c || language > MQD_LANGUAGE_abi)
        return MQD_RC_bad_argument;
    if (mqd_snapshot_rc(process) != MQD_OK)
        return (int)mqd_snapshot_rc(process);
    if (language == MQD_LANGUAGE_fortran)
        rc = from_fortran(process, wanted, value, &ta);
    /* No object has an address as small as the ABI's predefined handles are. */
    if (language == MQD_LANGUAGE_abi || (language == MQD_LANGUAGE_c && value < MQD_ABI_FIRST_OWN && has_abi(process)))
        rc = from_abi(process, wanted, value, &ta);
    if (rc == MQD_OK)
        rc = recognise(process, ta, &found, described.class_name);
    if (rc == MQD_RC_no_handle && is_null_message(process, ta, &found, described.class_name))
        rc = MQD_OK;
    if (rc == MQD_OK && wanted != NULL && found != wanted)
        rc = MQD_RC_other_handle;
    if (rc == MQD_OK)
        rc = describe(process, found, ta, &described);
    if (rc != MQD_OK)
        return rc == MQD_RC_no_handle ? mqs_no_information : (int)rc;
    *summary = described;
    return mqs_ok;
}

int mqd_describe_arrangement(struct mqd_process *process)
{
    const struct mqd_communicator *communicator = mqd_communicators_current(process);
    struct mqd_object object;
    enum mqd_rc rc;

    if (communicator == NULL)
        return MQD_RC_no_communicator;
    rc = mqd_read_object(process, MQD_TYPE_ompi_communicator_t, communicator->ta, &object);
    if (rc != MQD_OK)
        return (int)rc;
    begin_items(process);
    mqd_tell_arrangement(process, &object.view, communicator);
    return process->snapshot.handle.missing == MQD_RC_no_memory ? (int)MQD_RC_no_memory : mqs_ok;
}

int mqd_describe_handle_item(const struct mqd_process *process, int index, struct mqd_handle_item *item)
{
    const struct mqd_handle *handle = &process->snapshot.handle;

    if (index >= 0 && (size_t)index < handle->items.n_items) {
        *item = *(const struct mqd_handle_item *)mqd_vector_at(&handle->items, (size_t)index);
        return mqs_ok;
    }
    return index >= 0 && (size_t)index == handle->items.n_items && handle->missing != MQD_OK ? (int)handle->missing
                                                                                             : mqs_end_of_list;
}

/* The object of the kind that has the name itself; MQD_RC_no_handle: none has. */
static enum mqd_rc find_named(struct mqd_process *process, const struct kind *wanted, const char *name,
                              mqd_taddr *found)
{
    struct mqd_array table;
    enum mqd_rc rc = mqd_has_names(wanted->kind) ? read_table(process, wanted, &table) : MQD_RC_no_handle;

    for (size_t i = 0; rc == MQD_OK && i < table.n; i++) {
        char own[MQD_NAME_BYTES];
        mqd_taddr ta;

        rc = mqd_array_at(process, &table, i, &ta);
        if (rc != MQD_OK || ta == 0)
            continue;
        mqd_handle_name(process, wanted->kind, ta, own, sizeof own);
        if (strcmp(own, name) == 0) {
            *found = ta;
            return MQD_OK;
        }
    }
    return rc == MQD_OK ? MQD_RC_no_handle : rc;
}

int mqd_find_handle(struct mqd_process *process, int kind, const char *name, mqs_taddr_t *value)
{
    const struct kind *wanted = kind_of(kind);
    const struct mqd_abi_handle *predefined = wanted != NULL ? mqd_abi_handle_named(wanted->kind, name) : NULL;
    mqd_taddr ta;
    enum mqd_rc rc;

    if (wanted == NULL || (predefined == NULL && !mqd_has_names(wanted->kind)))
        return MQD_RC_bad_argument;
    if (mqd_snapshot_rc(process) != MQD_OK)
        return (int)mqd_snapshot_rc(process);
    rc = find_named(process, wanted, name, &ta);
    if (rc == MQD_RC_no_handle && predefined != NULL)
        rc = from_fortran(process, wanted, predefined->fortran, &ta);
    if (rc != MQD_OK)
        return rc == MQD_RC_no_handle ? mqs_end_of_list : (int)rc;
    *value = (mqs_taddr_t)ta;
    return mqs_ok;
}

int mqd_next_handle(struct mqd_process *process, int kind, long *fortran, mqs_taddr_t *value)
{
    const struct kind *wanted = kind_of(kind);
    struct mqd_array table;
    mqd_taddr ta = 0;
    size_t i = (size_t)*fortran;
    enum mqd_rc rc;

    if (wanted == NULL || *fortran < 0)
        return MQD_RC_bad_argument;
    if (mqd_snapshot_rc(process) != MQD_OK)
        return (int)mqd_snapshot_rc(process);
    rc = read_table(process, wanted, &table);
    for (; rc == MQD_OK && ta == 0 && i < table.n; i++)
        rc = mqd_array_at(process, &table, i, &ta);
    if (rc != MQD_OK)
        return (int)rc;
    if (ta == 0)
        return mqs_end_of_list;
    *fortran = (long)i - 1;
    *value = (mqs_taddr_t)ta;
    return mqs_ok;
}
