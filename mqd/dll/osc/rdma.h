/*
 * rdma.h - windows of the component osc/rdma.
 */
#ifndef MQD_DLL_OSC_RDMA_H
#define MQD_DLL_OSC_RDMA_H

#include "mqd/dll/osc/module.h"

/*
 * Reads what is proved to be a module of this component into osc->window. Returns MQD_OK, or why it cannot be read: then
 * what was written does not count.
 */
enum mqd_rc mqd_osc_read_rdma(struct mqd_osc *osc) MQD_CHECKED;

#endif
