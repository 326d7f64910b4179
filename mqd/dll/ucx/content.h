/*
 * content.h - tests a layout by the first operations and messages that UCX has, if it has any.
 */
#ifndef MQD_DLL_UCX_CONTENT_H
#define MQD_DLL_UCX_CONTENT_H

#include "mqd/dll/ucx/state.h"

/* Passed, failed, or not possible: there are none. */
enum mqd_finding mqd_ucx_test_receives(struct mqd_process *process, const struct mqd_ucx *ucx);
enum mqd_finding mqd_ucx_test_messages(struct mqd_process *process, const struct mqd_ucx *ucx);
enum mqd_finding mqd_ucx_test_matched(struct mqd_process *process, const struct mqd_ucx *ucx);

#endif
