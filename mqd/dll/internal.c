/* internal.c - finds the communicators that Open MPI has made for windows, files, collectives and the like. */
#include "mqd/dll/internal.h"

#include <string.h>

#include "mqd/dll/evidence.h"
#include "mqd/dll/text.h"
#include "mqd/dll/walk.h"
#include "mqd/dll/banned.h"

/* A bound for the tables of windows and files. Their elements have Fortran handles: no real table is larger. */
#define MAX_HANDLES 65536

/*
 * The offset of the communicator in an object of a component differs even within families of releases. It is at most
 * this many pointers behind the part that all components have in common, and comes before all other communicators
 * there.
 */
enum { MAX_WORDS = 64 };

/*
 * A module of coll/han has below 1 KiB in 5.0, and two free lists more in 6.0. Its arrays are among these words, and
 * have two or three communicators.
 */
enum { MAX_HAN_BYTES = 4096, HAN_HEAD_WORDS = 8, MAX_HAN_COMMUNICATORS = 16 };

/* What Open MPI has made a communicator for. */
struct owner {
    const char *purpose;
    enum mqd_owner kind;
    mqd_taddr ta;          /* of a window or a file */
};

/* May it be Open MPI's own? Open MPI never names its own communicators, and users cannot do so. */
static bool may_be_internal(const struct mqd_communicator *communicator, mqd_taddr group_ta)
{
    return !communicator->named && communicator->local_ta == group_ta && communicator->remote_ta == group_ta;
}

static void hide(struct mqd_communicator *communicator, const struct owner *owner)
{
    char name[sizeof communicator->name];
    struct mqd_line line = mqd_line_in(name, sizeof name);

    mqd_add(&line, communicator->name);
    mqd_add(&line, line.n > 0 ? " (for " : "(for ");
    mqd_add(&line, owner->purpose);
    mqd_add(&line, ")");
    memcpy(communicator->name, name, sizeof name);
    communicator->hidden = true;
    communicator->purpose = owner->purpose;
    communicator->owner = owner->kind;
    communicator->owner_ta = owner->ta;
}

/* Hides a communicator to which a pointer of its owner leads, if it has the expected group. */
static void hide_if_proven(struct mqd_process *process, mqd_taddr ta, mqd_taddr group_ta, const struct owner *owner)
{
    struct mqd_communicator *communicator = mqd_find_communicator(process, ta);

    if (communicator != NULL && !communicator->hidden && may_be_internal(communicator, group_ta))
        hide(communicator, owner);
}

/* The communicator of an intercommunicator over its local group has its own slot. Users never get it. */
static void hide_local_communicators(struct mqd_process *process)
{
    static const struct owner owner = {.purpose = "an intercommunicator", .kind = MQD_OWNER_library};

    for (size_t i = 0; i < process->snapshot.communicators.n_items; i++) {
        mqd_taddr local_comm_ta = mqd_communicator_at(process, i)->local_comm_ta;
        struct mqd_communicator *internal = mqd_find_communicator(process, local_comm_ta);

        if (internal != NULL && !internal->hidden)
            hide(internal, &owner);
    }
}

/* Is there any communicator that may be Open MPI's own? Usually there is none, and nothing has to be read. */
static bool has_candidates(struct mqd_process *process)
{
    for (size_t i = 0; i < process->snapshot.communicators.n_items; i++) {
        const struct mqd_communicator *communicator = mqd_communicator_at(process, i);

        if (!communicator->hidden && may_be_internal(communicator, communicator->local_ta))
            return true;
    }
    return false;
}

/* Since 5.0: two duplicates of MPI_COMM_WORLD, from the first request on; before that the pointers are old ones. */
static void hide_partitioned(struct mqd_process *process)
{
    static const struct owner owner = {.purpose = "partitioned communication", .kind = MQD_OWNER_library};
    struct mqd_object object;
    struct mqd_communicator *world = mqd_communicator_at(process, 0);
    mqd_taddr ta, data_ta, setup_ta;
    int64_t state;

    if (world->index != 0 || !mqd_symbol(process, "ompi_part_persist", &ta) ||
        mqd_read_object(process, MQD_TYPE_ompi_part_persist_t, ta, &object) != MQD_OK)
        return;
    state = mqd_int(&object.view, MQD_PATH_part_state);
    data_ta = mqd_uint(&object.view, MQD_PATH_part_comm);
    setup_ta = mqd_uint(&object.view, MQD_PATH_part_setup);
    if (object.view.rc != MQD_OK || state != 1)
        return;
    hide_if_proven(process, data_ta, world->local_ta, &owner);
    hide_if_proven(process, setup_ta, world->local_ta, &owner);
}

/* The first pointer to a communicator of the snapshot that is found from ta on; 0: there is none. */
static mqd_taddr first_communicator(struct mqd_process *process, mqd_taddr ta)
{
    for (unsigned i = 0; i < MAX_WORDS; i++, ta += process->layout.abi.pointer_size) {
        mqd_taddr found;

        if (mqd_read_pointer(process, ta, &found) != MQD_OK)
            return 0;
        if (found != 0 && mqd_find_communicator(process, found) != NULL)
            return found;
    }
    return 0;
}

/* The address at a path in an object; 0 if it cannot be read. */
static mqd_taddr address_in(struct mqd_process *process, enum mqd_type_id type, mqd_taddr ta, enum mqd_path_id path)
{
    struct mqd_object object;
    mqd_taddr found;

    if (mqd_read_object(process, type, ta, &object) != MQD_OK)
        return 0;
    found = mqd_uint(&object.view, path);
    return object.view.rc == MQD_OK ? found : 0;
}

static mqd_taddr class_of(struct mqd_process *process, mqd_taddr ta)
{
    return address_in(process, MQD_TYPE_opal_object_t, ta, MQD_PATH_object_class);
}

static mqd_taddr free_function(struct mqd_process *process, mqd_taddr module_ta)
{
    return address_in(process, MQD_TYPE_ompi_osc_base_module_t, module_ta, MQD_PATH_osc_free);
}

/*
 * Is it a module of a component that is known to keep a duplicate? Each component has a template with its own
 * functions, which it copies into its modules.
 */
static const char *const templates[] = {"ompi_osc_sm_module_template", "ompi_osc_rdma_module_rdma_template",
                                        "ompi_osc_pt2pt_module_template", "ompi_osc_ucx_module_template"};
enum { N_TEMPLATES = sizeof templates / sizeof templates[0] };

/* By which their modules are told; looked for once, when the first window asks. */
struct known_modules {
    bool found;
    mqd_taddr free_functions[N_TEMPLATES]; /* 0: there is no such component */
};

static void find_known_modules(struct mqd_process *process, struct known_modules *known)
{
    known->found = true;
    for (size_t i = 0; i < N_TEMPLATES; i++) {
        mqd_taddr template_ta;

        known->free_functions[i] =
            mqd_symbol(process, templates[i], &template_ta) ? free_function(process, template_ta) : 0;
    }
}

static bool is_known_module(struct mqd_process *process, mqd_taddr module_ta, struct known_modules *known)
{
    mqd_taddr function_ta = free_function(process, module_ta);

    if (!known->found)
        find_known_modules(process, known);
    for (size_t i = 0; function_ta != 0 && i < N_TEMPLATES; i++)
        if (known->free_functions[i] == function_ta)
            return true;
    return false;
}

/* Returns false if a communicator of the window would not be found. One that is being made has no module yet. */
static bool hide_of_window(struct mqd_process *process, mqd_taddr ta, void *context)
{
    const struct owner owner = {.purpose = "a window", .kind = MQD_OWNER_window, .ta = ta};
    struct mqd_object window;
    mqd_taddr group_ta, module_ta;

    if (!mqd_object_is_exactly(process, ta, MQD_TYPE_ompi_win_t) ||
        mqd_read_object(process, MQD_TYPE_ompi_win_t, ta, &window) != MQD_OK)
        return false;
    group_ta = mqd_uint(&window.view, MQD_PATH_win_group);
    module_ta = mqd_uint(&window.view, MQD_PATH_win_module);
    if (window.view.rc != MQD_OK || module_ta == 0 || !is_known_module(process, module_ta, context))
        return false;
    module_ta += process->layout.type_size[MQD_TYPE_ompi_osc_base_module_t];
    hide_if_proven(process, first_communicator(process, module_ta), group_ta, &owner);
    return true;
}

bool mqd_file_component(struct mqd_process *process, const struct mqd_view *file, char *name, size_t n_room)
{
    struct mqd_object component;
    struct mqd_view place = mqd_inner(file, MQD_PATH_file_component);

    if (place.rc != MQD_OK ||
        mqd_read_object(process, MQD_TYPE_mca_base_component_t, place.ta, &component) != MQD_OK)
        return false;
    mqd_text(process, &component.view, MQD_PATH_component_name, name, n_room);
    return component.view.rc == MQD_OK;
}

/* Does the file belong to ompio? ROMIO is another library, which makes its communicators with MPI's functions. */
static bool is_ompio(struct mqd_process *process, const struct mqd_view *file)
{
    char name[MQD_TEXT_BYTES];

    return mqd_file_component(process, file, name, sizeof name) && strcmp(name, "ompio") == 0;
}

/* A file keeps the user's communicator too; only the duplicate of it is Open MPI's own. */
static bool hide_of_file(struct mqd_process *process, mqd_taddr ta, void *context)
{
    const struct owner owner = {.purpose = "a file", .kind = MQD_OWNER_file, .ta = ta};
    struct mqd_object file;
    const struct mqd_communicator *user;
    mqd_taddr data_ta, found_ta;

    (void)context;
    if (!mqd_object_is_exactly(process, ta, MQD_TYPE_ompi_file_t) ||
        mqd_read_object(process, MQD_TYPE_ompi_file_t, ta, &file) != MQD_OK)
        return false;
    user = mqd_find_communicator(process, mqd_uint(&file.view, MQD_PATH_file_comm));
    data_ta = mqd_uint(&file.view, MQD_PATH_file_data);
    if (file.view.rc != MQD_OK || user == NULL || data_ta == 0 || !is_ompio(process, &file.view))
        return false;
    found_ta = first_communicator(process, data_ta);
    if (found_ta != user->ta)
        hide_if_proven(process, found_ta, user->local_ta, &owner);
    return true;
}

/* How a module of coll/han is recognised, and its size. */
struct han {
    mqd_taddr class_ta;
    uint64_t size;
};

static bool find_han(struct mqd_process *process, struct han *han)
{
    struct mqd_class descriptor;

    if (!mqd_symbol(process, "mca_coll_han_module_t_class", &han->class_ta) ||
        mqd_read_class(process, han->class_ta, &descriptor) != MQD_OK ||
        strcmp(descriptor.name, "mca_coll_han_module_t") != 0 || descriptor.size > MAX_HAN_BYTES)
        return false;
    han->size = descriptor.size;
    return true;
}

/* The module of coll/han that the communicator's collective operations use; 0 if they use none. */
static mqd_taddr han_module_of(struct mqd_process *process, const struct mqd_communicator *owner, const struct han *han)
{
    static const enum mqd_path_id operations[] = {MQD_PATH_coll_allgather, MQD_PATH_coll_allreduce,
                                                  MQD_PATH_coll_barrier, MQD_PATH_coll_bcast, MQD_PATH_coll_reduce};
    struct mqd_object table;

    if (owner->coll_ta == 0 ||
        mqd_read_object(process, MQD_TYPE_mca_coll_base_comm_coll_t, owner->coll_ta, &table) != MQD_OK)
        return 0;
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        mqd_taddr module_ta = mqd_uint(&table.view, operations[i]);

        if (table.view.rc == MQD_OK && module_ta != 0 && class_of(process, module_ta) == han->class_ta)
            return module_ta;
    }
    return 0;
}

/*
 * Hides a communicator over a part of the owner's processes. A module also has a pointer to its owner, which a user has
 * made, but none to other communicators of users.
 */
static bool hide_part(struct mqd_process *process, const struct mqd_communicator *owner, mqd_taddr ta)
{
    static const struct owner collectives = {.purpose = "collectives", .kind = MQD_OWNER_library};
    struct mqd_communicator *part = mqd_find_communicator(process, ta);

    if (part == NULL)
        return false;
    if (!part->hidden && part->local_ta != owner->local_ta && part->n_local <= owner->n_local)
        hide_if_proven(process, ta, part->local_ta, &collectives);
    return true;
}

/* Those for the processes of one node, or one of each. */
static void hide_parts(struct mqd_process *process, const struct mqd_communicator *owner, mqd_taddr array_ta)
{
    const struct mqd_constant *n = &process->layout.constants[MQD_CONSTANT_han_communicators];
    size_t size = process->layout.abi.pointer_size;
    mqd_taddr part_ta;

    for (size_t i = 0; n->present && i < MAX_HAN_COMMUNICATORS && (int64_t)i < n->value; i++)
        if (mqd_read_pointer(process, array_ta + i * size, &part_ta) != MQD_OK ||
            !hide_part(process, owner, part_ta))
            return;
}

/*
 * Since 5.0, in a job on several nodes, each communicator whose collective operations are used has communicators over
 * parts of it. The module has them in two arrays, directly behind the part that all modules have, and again further on.
 */
static void hide_of_collectives(struct mqd_process *process, const struct mqd_communicator *owner,
                                const struct han *han)
{
    uint64_t first = process->layout.type_size[MQD_TYPE_mca_coll_base_module_t];
    mqd_taddr module_ta = han_module_of(process, owner, han);

    for (uint64_t at = first; module_ta != 0 && first != 0 && at < han->size; at += process->layout.abi.pointer_size) {
        mqd_taddr found;

        if (mqd_read_pointer(process, module_ta + at, &found) != MQD_OK)
            return;
        if (found != 0 && !hide_part(process, owner, found) &&
            at < first + HAN_HEAD_WORDS * process->layout.abi.pointer_size)
            hide_parts(process, owner, found);
    }
}

/*
 * Visits all objects of an opal_pointer_array_t but the first one, which stands for none. If some cannot be visited, or
 * `visit` returns false, owners may be missing.
 */
static enum mqd_rc visit_handles(struct mqd_process *process, const char *symbol,
                                 bool (*visit)(struct mqd_process *process, mqd_taddr ta, void *context),
                                 void *context)
{
    bool *known = &process->snapshot.owners_known, was_known = *known;
    struct mqd_array array;
    struct mqd_pointers handles;
    mqd_taddr ta;
    enum mqd_rc rc;

    *known = false;
    if (!mqd_symbol(process, symbol, &ta) || mqd_array_read(process, ta, MAX_HANDLES, &array) != MQD_OK)
        return MQD_OK;
    rc = mqd_read_pointers(process, array.slots_ta, array.n, &handles);
    if (rc != MQD_OK)
        return rc == MQD_RC_no_memory ? rc : MQD_OK;
    *known = was_known;
    for (size_t i = 1; i < handles.n; i++)
        if (handles.ta[i] != 0 && !visit(process, handles.ta[i], context))
            *known = false;
    dbgr_release(handles.ta);
    return MQD_OK;
}

enum mqd_rc mqd_hide_internal(struct mqd_process *process)
{
    struct known_modules known = {.found = false};
    struct han han;
    enum mqd_rc rc;

    process->snapshot.owners_known = true;
    hide_local_communicators(process);
    if (!has_candidates(process))
        return MQD_OK;
    hide_partitioned(process);
    if (find_han(process, &han))
        for (size_t i = 0; i < process->snapshot.communicators.n_items; i++)
            hide_of_collectives(process, mqd_communicator_at(process, i), &han);
    rc = visit_handles(process, "ompi_mpi_windows", hide_of_window, &known);
    return rc == MQD_OK ? visit_handles(process, "ompi_file_f_to_c_table", hide_of_file, NULL) : rc;
}

enum mqd_owner mqd_owner_of(const struct mqd_process *process, const struct mqd_communicator *communicator)
{
    if (communicator->hidden)
        return communicator->owner;
    if (communicator->ta == 0)
        return MQD_OWNER_unknown;
    return process->snapshot.owners_known || !may_be_internal(communicator, communicator->local_ta)
               ? MQD_OWNER_program
               : MQD_OWNER_unknown;
}
