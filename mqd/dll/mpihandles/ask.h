/*
 * ask.h - what the queries ask the extension.
 */
#ifndef MQD_DLL_MPIHANDLES_ASK_H
#define MQD_DLL_MPIHANDLES_ASK_H

#include <stdbool.h>

#include "include/mqd_extension.h"
#include "mqd/dll/mpihandles/types.h"

static inline const struct mqd_extension_v1 *extension(void)
{
    return ompi_mqd_extension(MQD_EXTENSION_VERSION);
}

/* The code of this interface for one of the extension. */
int mqd_mpidbg_code(int code);

/* Looks at the process anew, and finds a handle of that kind. */
int mqd_mpidbg_describe(mqs_process *process, int kind, mqs_taddr_t value, int language,
                        struct mqd_handle_summary *summary);

/* What is told of the handle that was described last. _item is false where the fact is not told. */
bool mqd_mpidbg_item(mqs_process *process, int fact, struct mqd_handle_item *item);
bool mqd_mpidbg_is(mqs_process *process, int fact);

/* Fortran's number of it. */
int mqd_mpidbg_fortran(const struct mqd_handle_summary *summary);
void mqd_mpidbg_name(char *name, const struct mqd_handle_summary *summary);

#endif
