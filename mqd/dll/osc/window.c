/* window.c - finds the module of a window, and the component that it belongs to. */
#include "mqd/dll/osc/window.h"

#include <string.h>

#include "mqd/dll/codes.h"
#include "mqd/dll/evidence.h"
#include "mqd/dll/osc/rdma.h"
#include "mqd/dll/osc/sm.h"
#include "mqd/dll/text.h"
#include "mqd/dll/banned.h"

/* Each component has a template with its own functions, which it copies into its modules. */
static const struct component {
    const char *name, *module_template;
    enum mqd_rc (*read)(struct mqd_osc *osc);
    enum mqd_rc unread;               /* why, if there is no such function */
} components[] = {
    {"sm", "ompi_osc_sm_module_template", mqd_osc_read_sm, MQD_OK},
    {"rdma", "ompi_osc_rdma_module_rdma_template", mqd_osc_read_rdma, MQD_OK},
    {"pt2pt", "ompi_osc_pt2pt_module_template", NULL, MQD_RC_osc_pt2pt},
    {"ucx", "ompi_osc_ucx_module_template", NULL, MQD_RC_osc_ucx},
};

/* The address of the function at the start of a module that frees the window; 0 if it cannot be read. */
static mqd_taddr free_function(struct mqd_process *process, mqd_taddr module_ta)
{
    struct mqd_object module;
    mqd_taddr found;

    if (mqd_read_object(process, MQD_TYPE_ompi_osc_base_module_t, module_ta, &module) != MQD_OK)
        return 0;
    found = mqd_uint(&module.view, MQD_PATH_osc_free);
    return module.view.rc == MQD_OK ? found : 0;
}

static const struct component *component_of(struct mqd_process *process, mqd_taddr module_ta)
{
    mqd_taddr function_ta = free_function(process, module_ta), template_ta;

    for (size_t i = 0; i < sizeof components / sizeof components[0]; i++)
        if (function_ta != 0 && mqd_symbol(process, components[i].module_template, &template_ta) &&
            free_function(process, template_ta) == function_ta)
            return &components[i];
    return NULL;
}

static enum mqd_rc read_module(struct mqd_osc *osc)
{
    struct mqd_window_description *description = &osc->window->description;
    const struct component *component;
    struct mqd_object window;
    struct mqd_line line;

    if (mqd_read_object(osc->process, MQD_TYPE_ompi_win_t, osc->win_ta, &window) != MQD_OK)
        return window.view.rc;
    osc->module_ta = mqd_uint(&window.view, MQD_PATH_win_module);
    if (window.view.rc != MQD_OK)
        return window.view.rc;
    component = osc->module_ta != 0 ? component_of(osc->process, osc->module_ta) : NULL;
    if (component == NULL)
        return MQD_RC_no_window;
    if (component->read == NULL)
        return component->unread;
    *description = (struct mqd_window_description){.object = (mqs_taddr_t)osc->win_ta, .exposed = -1,
                                                   .n_posted_to_it = -1, .n_completed = -1, .locked_exclusively = -1,
                                                   .n_shared = -1, .n_waiting = -1, .n_pending = -1};
    line = mqd_line_in(description->component, sizeof description->component);
    mqd_add(&line, component->name);
    return component->read(osc);
}

enum mqd_rc mqd_window_read(struct mqd_process *process, struct mqd_communicator *communicator)
{
    struct mqd_window *window = &process->snapshot.window;
    struct mqd_osc osc = {.process = process, .communicator = communicator, .window = window};

    if (communicator->owner != MQD_OWNER_window || communicator->owner_ta == 0)
        return MQD_RC_no_window;
    osc.win_ta = communicator->owner_ta;
    if (window->communicator_ta == communicator->ta)
        return window->rc;
    mqd_vector_release(&window->peers);
    *window = (struct mqd_window){.communicator_ta = communicator->ta,
                                  .peers.item_size = sizeof(struct mqd_window_peer)};
    mqd_begin_stage(process);
    window->rc = mqd_because(process, read_module(&osc));
    return window->rc;
}
