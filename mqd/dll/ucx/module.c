/* module.c - reads Open MPI's module of the PML ucx. */
#include "mqd/dll/ucx/module.h"

#include <string.h>

#include "mqd/dll/evidence.h"
#include "mqd/dll/banned.h"

/* The array before the free list has one word for each predefined datatype; there are some 60, and may be more. */
enum { MAX_WORDS_SEARCHED = 512 };

/* Does a module that a variable holds or points to start receives with the function of the PML ucx? */
static bool receives_by_ucx(struct mqd_process *process, const char *variable)
{
    struct mqd_object module;
    mqd_taddr module_ta, irecv_ta;

    return mqd_symbol(process, variable, &module_ta) && mqd_symbol(process, "mca_pml_ucx_irecv", &irecv_ta) &&
           mqd_read_object(process, MQD_TYPE_mca_pml_base_module_t, module_ta, &module) == MQD_OK &&
           mqd_uint(&module.view, MQD_PATH_module_irecv) == irecv_ta && module.view.rc == MQD_OK;
}

static bool is_selected(struct mqd_process *process)
{
    char name[MQD_TEXT_BYTES];

    mqd_selected_pml(process, name, sizeof name);
    return strcmp(name, "ucx") == 0;
}

/* mca_pml is a copy of the module in force. The PML monitoring puts its own there, and keeps the one that it watches. */
enum mqd_rc mqd_uses_ucx(struct mqd_process *process)
{
    if (is_selected(process) || receives_by_ucx(process, "mca_pml") || receives_by_ucx(process, "pml_selected_module"))
        return MQD_OK;
    return MQD_RC_not_this_pml;
}

static uint64_t size_of_class(const struct mqd_process *process, enum mqd_type_id type)
{
    return process->evidence.classes[type].readable ? process->evidence.classes[type].size : 0;
}

/*
 * The size of UCX's requests, as Open MPI has asked UCX for it; 0 if it is not known. It lies behind the free list of
 * persistent requests, in all releases as far from it as in the table.
 */
static uint64_t request_size(struct mqd_process *process, const struct mqd_ucx *ucx)
{
    const struct mqd_place *list = &process->layout.paths[MQD_PATH_pml_ucx_persistent];
    const struct mqd_place *size = &process->layout.paths[MQD_PATH_pml_ucx_request_size];
    mqd_taddr list_ta;
    int64_t value;

    if (size->source == MQD_SOURCE_absent || size->offset < list->offset ||
        mqd_ucx_find_persistent(process, ucx, &list_ta) != MQD_OK ||
        mqd_read_number(process, list_ta + (size->offset - list->offset), (enum mqd_kind)size->kind, &value) != MQD_OK)
        return 0;
    return (uint64_t)value;
}

enum mqd_rc mqd_ucx_read_module(struct mqd_process *process, struct mqd_ucx *ucx)
{
    struct mqd_object module;
    enum mqd_rc rc;

    if (!mqd_symbol(process, "ompi_pml_ucx", &ucx->module_ta))
        return MQD_RC_ucx_no_module;
    if (!mqd_has_path(process, MQD_PATH_pml_ucx_worker))
        return mqd_rc_unknown(MQD_PATH_pml_ucx_worker);
    rc = mqd_read_object(process, MQD_TYPE_mca_pml_ucx_module_t, ucx->module_ta, &module);
    if (rc != MQD_OK)
        return rc;
    ucx->context_ta = mqd_uint(&module.view, MQD_PATH_pml_ucx_context);
    ucx->worker_ta = mqd_uint(&module.view, MQD_PATH_pml_ucx_worker);
    if (module.view.rc != MQD_OK)
        return module.view.rc;
    if (ucx->worker_ta == 0 || ucx->context_ta == 0)
        return MQD_RC_ucx_no_worker;
    ucx->ompi_request_size = size_of_class(process, MQD_TYPE_ompi_request_t);
    if (ucx->ompi_request_size == 0)
        ucx->ompi_request_size = process->layout.type_size[MQD_TYPE_ompi_request_t];
    if (!mqd_symbol(process, "ompi_request_t_class", &ucx->request_class_ta))
        ucx->request_class_ta = 0;
    ucx->request_size = request_size(process, ucx);
    return MQD_OK;
}

enum mqd_rc mqd_ucx_find_persistent(struct mqd_process *process, const struct mqd_ucx *ucx, mqd_taddr *list_ta)
{
    const struct mqd_place *place = &process->layout.paths[MQD_PATH_pml_ucx_persistent];
    const struct mqd_place *worker = &process->layout.paths[MQD_PATH_pml_ucx_worker];
    uint64_t word = process->layout.abi.pointer_size;
    mqd_taddr ta = ucx->module_ta + place->offset;

    if (place->source == MQD_SOURCE_absent)
        return mqd_rc_unknown(MQD_PATH_pml_ucx_persistent);
    /* The releases of a family may differ in the array before it. */
    for (unsigned n = 0; !mqd_object_is(process, ta, "opal_free_list_t"); n++) {
        if (n == MAX_WORDS_SEARCHED)
            return MQD_RC_bad_free_list;
        ta = ucx->module_ta + worker->offset + (n + 1) * word;
    }
    *list_ta = ta;
    return MQD_OK;
}
